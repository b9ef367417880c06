use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::Targets;

/// How much is logged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verbosity {
    /// Nothing.
    Silent,
    /// Warnings and errors.
    Warn,
    /// What an operator wants to see.
    Info,
    /// What a developer wants to see.
    Debug,
    /// Everything, each line with its place in the source.
    Trace,
}

impl Verbosity {
    fn level(self) -> LevelFilter {
        match self {
            Self::Silent => LevelFilter::OFF,
            Self::Warn => LevelFilter::WARN,
            Self::Info => LevelFilter::INFO,
            Self::Debug => LevelFilter::DEBUG,
            Self::Trace => LevelFilter::TRACE,
        }
    }
}

/// A text that is no log filter.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{part:?} is not a log filter: write a level (off, error, warn, info, debug, trace) or \
     part=level, separated by commas, as in \"info,pg=trace\""
)]
pub struct FilterError {
    part: String,
}

/// The filter of all parts. Libraries below us are interesting only at the highest verbosity.
pub(super) fn targets(verbosity: Verbosity, filter: Option<&str>) -> Result<Targets, FilterError> {
    let own = verbosity.level();
    let others = if verbosity == Verbosity::Trace { own } else { own.min(LevelFilter::WARN) };
    let mut targets = with_own(Targets::new().with_default(others), own);
    for part in filter.unwrap_or_default().split(',').map(str::trim).filter(|part| !part.is_empty())
    {
        let error = || FilterError { part: part.to_owned() };
        let (name, level) = part.split_once('=').map_or((None, part), |(n, l)| (Some(n.trim()), l));
        let level = level_named(level.trim()).ok_or_else(error)?;
        targets = match name {
            None => with_own(targets, level),
            Some("") => return Err(error()),
            // A part of ours, with dots as in the log, or a library by its own name.
            Some(name) => {
                let path = name.replace('.', "::");
                targets.with_target(format!("{OWN}::{path}"), level).with_target(path, level)
            }
        };
    }
    Ok(targets)
}

fn level_named(name: &str) -> Option<LevelFilter> {
    match name {
        "off" => Some(LevelFilter::OFF),
        "error" => Some(LevelFilter::ERROR),
        "warn" => Some(LevelFilter::WARN),
        "info" => Some(LevelFilter::INFO),
        "debug" => Some(LevelFilter::DEBUG),
        "trace" => Some(LevelFilter::TRACE),
        _ => None,
    }
}

/// The prefix of our own targets, and the target of what scripts log.
pub(super) const OWN: &str = "moonmesh";
const SCRIPTS: &str = "lua";

fn with_own(targets: Targets, level: LevelFilter) -> Targets {
    targets.with_target(OWN, level).with_target(SCRIPTS, level)
}

#[cfg(test)]
mod tests {
    use tracing::Level;

    use super::*;

    fn enabled(verbosity: Verbosity, filter: &str, target: &str, level: Level) -> bool {
        targets(verbosity, Some(filter)).unwrap().would_enable(target, &level)
    }

    #[test]
    fn verbosity_is_for_our_own_parts() {
        assert!(enabled(Verbosity::Info, "", "moonmesh::node", Level::INFO));
        assert!(enabled(Verbosity::Info, "", "lua", Level::INFO));
        assert!(!enabled(Verbosity::Info, "", "moonmesh::node", Level::DEBUG));
        assert!(!enabled(Verbosity::Debug, "", "quinn::endpoint", Level::INFO));
        assert!(enabled(Verbosity::Debug, "", "quinn::endpoint", Level::WARN));
        assert!(enabled(Verbosity::Trace, "", "quinn::endpoint", Level::TRACE));
        assert!(!enabled(Verbosity::Silent, "", "moonmesh::node", Level::ERROR));
    }

    #[test]
    fn filters_name_parts_with_dots_and_libraries() {
        let filter = "warn, node.supervisor=trace,quinn=debug";
        assert!(enabled(Verbosity::Info, filter, "moonmesh::node::supervisor", Level::TRACE));
        assert!(!enabled(Verbosity::Info, filter, "moonmesh::node", Level::INFO));
        assert!(enabled(Verbosity::Info, filter, "quinn::endpoint", Level::DEBUG));
    }

    #[test]
    fn what_is_no_filter_is_named() {
        for (filter, part) in
            [("loud", "loud"), ("info,pg=", "pg="), ("=debug", "=debug"), ("3", "3")]
        {
            assert_eq!(targets(Verbosity::Info, Some(filter)).unwrap_err().part, part);
        }
        assert!(targets(Verbosity::Info, Some(" , ")).is_ok());
    }
}
