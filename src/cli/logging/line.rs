use std::fmt::{self, Write as _};
use std::time::Instant;

use jiff::{Timestamp, ZonedDateTime};
use serde_json::{Map, Value as Json};
use tracing::field::{Field, Visit};
use tracing::{Event, Level, Metadata, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::Context;

use super::filter::OWN;
use super::writer::Queue;

/// The form of a log line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// For people, with the local time.
    Text,
    /// For people, with the time since the start.
    Elapsed,
    /// One JSON object: `level`, `ts`, `logger`, `msg`, then the fields.
    Json,
}

/// Turns events into lines.
pub(super) struct Lines {
    pub(super) format: Format,
    pub(super) coloured: bool,
    /// Whether each line names its place in our source.
    pub(super) places: bool,
    pub(super) began: Instant,
    pub(super) out: Queue,
}

impl<S: Subscriber> Layer<S> for Lines {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let mut content = Content::default();
        event.record(&mut content);
        if self.places {
            content.fields.insert("source".to_owned(), place(event.metadata()).into());
        }
        let logger = content.logger.take();
        let logger = logger.unwrap_or_else(|| logger_name(event.metadata().target()));
        let level = *event.metadata().level();
        self.out.push(match self.format {
            Format::Json => json_line(level, &logger, content),
            Format::Text => {
                let clock = ZonedDateTime::now().strftime("%H:%M:%S%.3f").to_string();
                text_line(&clock, level, &logger, &content, self.coloured)
            }
            Format::Elapsed => {
                let clock = format!("{:9.3}", self.began.elapsed().as_secs_f64());
                text_line(&clock, level, &logger, &content, self.coloured)
            }
        });
    }
}

/// What an event carries.
#[derive(Default)]
struct Content {
    message: String,
    /// Set by scripts, whose loggers have names of their own.
    logger: Option<String>,
    fields: Map<String, Json>,
}

impl Content {
    fn put(&mut self, field: &Field, value: Json) {
        match (field.name(), value) {
            ("message", Json::String(text)) => self.message = text,
            ("logger", Json::String(text)) => self.logger = Some(text),
            ("fields", Json::Object(more)) => self.fields.extend(more),
            (name, value) => drop(self.fields.insert(name.to_owned(), value)),
        }
    }
}

impl Visit for Content {
    fn record_f64(&mut self, field: &Field, value: f64) {
        self.put(field, value.into());
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.put(field, value.into());
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.put(field, value.into());
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.put(field, value.into());
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        // Fields whose names are known only at run time come as one JSON object.
        let object = (field.name() == "fields").then(|| serde_json::from_str(value).ok()).flatten();
        self.put(field, object.unwrap_or_else(|| value.into()));
    }

    fn record_error(&mut self, field: &Field, value: &(dyn std::error::Error + 'static)) {
        self.put(field, value.to_string().into());
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.put(field, format!("{value:?}").into());
    }
}

fn json_line(level: Level, logger: &str, content: Content) -> String {
    let mut object = Map::new();
    object.insert("level".to_owned(), level_name(level).into());
    let ts = Timestamp::now().strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string();
    object.insert("ts".to_owned(), ts.into());
    object.insert("logger".to_owned(), logger.into());
    object.insert("msg".to_owned(), content.message.into());
    for (name, value) in content.fields {
        object.entry(name).or_insert(value);
    }
    format!("{}\n", Json::Object(object))
}

fn text_line(clock: &str, level: Level, logger: &str, content: &Content, coloured: bool) -> String {
    let paint = |code: &str, text: &str| match coloured {
        true => format!("\x1b[{code}m{text}\x1b[0m"),
        false => text.to_owned(),
    };
    let name = level_name(level).to_uppercase();
    let mut line = format!(
        "{} {} {}: {}",
        paint("2", clock),
        paint(level_colour(level), &format!("{name:5}")),
        paint("36", &visible(logger)),
        visible(&content.message)
    );
    for (name, value) in &content.fields {
        let value = match value {
            Json::String(text) if is_bare(text) => text.clone(),
            other => other.to_string(),
        };
        let _ = write!(line, " {}{}", paint("2", &format!("{}=", visible(name))), visible(&value));
    }
    line.push('\n');
    line
}

/// Whether a value needs no quotes to be told from its neighbours.
fn is_bare(text: &str) -> bool {
    !text.is_empty()
        && !text.contains(|c: char| c.is_whitespace() || c.is_control() || matches!(c, '"' | '='))
}

/// One line stays one line, and nothing that a script logs moves the cursor.
fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match c.is_control() {
            true => shown.extend(c.escape_default()),
            false => shown.push(c),
        }
    }
    shown
}

fn logger_name(target: &str) -> String {
    let own = target.strip_prefix(OWN).and_then(|rest| rest.strip_prefix("::"));
    own.unwrap_or(target).replace("::", ".")
}

fn place(metadata: &Metadata<'_>) -> String {
    format!("{}:{}", metadata.file().unwrap_or("?"), metadata.line().unwrap_or_default())
}

fn level_name(level: Level) -> &'static str {
    match level {
        Level::ERROR => "error",
        Level::WARN => "warn",
        Level::INFO => "info",
        Level::DEBUG => "debug",
        Level::TRACE => "trace",
    }
}

fn level_colour(level: Level) -> &'static str {
    match level {
        Level::ERROR => "1;31",
        Level::WARN => "1;33",
        Level::INFO => "32",
        Level::DEBUG => "34",
        Level::TRACE => "35",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn content() -> Content {
        let mut content = Content { message: "two\nlines".to_owned(), ..Content::default() };
        content.fields.insert("pid".to_owned(), "{n1@app:host|0x1}".into());
        content.fields.insert("reason".to_owned(), "it is\x1b[2J late".into());
        content.fields.insert("attempt".to_owned(), 3.into());
        content
    }

    #[test]
    fn text_is_one_line_and_safe() {
        let line = text_line("12:00:00.000", Level::WARN, "node.supervisor", &content(), false);
        assert_eq!(
            line,
            "12:00:00.000 WARN  node.supervisor: two\\nlines pid={n1@app:host|0x1} \
             reason=\"it is\\u001b[2J late\" attempt=3\n"
        );
        let coloured = text_line("0", Level::ERROR, "x", &content(), true);
        assert!(coloured.contains("\x1b[1;31mERROR\x1b[0m") && !coloured.contains("[2J\x1b"));
    }

    #[test]
    fn json_has_the_fixed_fields_first() {
        let line = json_line(Level::WARN, "pg", content());
        let parsed: Map<String, Json> = serde_json::from_str(&line).unwrap();
        let keys: Vec<_> = parsed.keys().map(String::as_str).collect();
        assert_eq!(keys, ["level", "ts", "logger", "msg", "pid", "reason", "attempt"]);
        assert_eq!(parsed["level"], "warn");
        assert_eq!(parsed["attempt"], 3);
        let ts = parsed["ts"].as_str().unwrap();
        assert!(ts.parse::<Timestamp>().is_ok(), "{ts}");
    }

    #[test]
    fn loggers_are_named_with_dots() {
        assert_eq!(logger_name("moonmesh::node::supervisor"), "node.supervisor");
        assert_eq!(logger_name("quinn::endpoint"), "quinn.endpoint");
        assert_eq!(logger_name("lua"), "lua");
    }
}
