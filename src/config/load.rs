use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crate::document::limits::MAX_DOCUMENT_BYTES;
use crate::document::{
    Assignment, Decoder, Diagnostic, Kind, Node, Report, Source, Span, code as document_code, parse,
};
use crate::id::NodeName;

use super::cluster::ClusterConfig;
use super::input::ConfigInput;
use super::node_name::{self, GivenNames};
use super::runtime::{
    self, DisableConfig, HealthConfig, LogEncoding, LogManagerConfig, PrometheusConfig,
    SupervisorConfig,
};
use super::section::{Reading, Section};
use super::setting::{Origin, Setting};
use super::{code, environment, layers, placeholder};

/// What messages call the whole of it.
const SUBJECT: &str = "the configuration";

/// The configuration of a node.
#[derive(Debug, Clone)]
pub struct Config {
    /// Name of the node; `local` without a cluster.
    pub node_name: NodeName,
    /// `logger.encoding`
    pub log_encoding: LogEncoding,
    /// `logmanager.*`
    pub log_manager: LogManagerConfig,
    /// Whether an incomplete security context denies (`security.strict_mode`). Default `false`.
    pub strict_security: bool,
    /// `supervisor.host.*`
    pub supervisor: SupervisorConfig,
    /// Bound on the whole shutdown (`shutdown.timeout`). Default 30 s.
    pub shutdown_timeout: Duration,
    /// Bound on the start of all required services (`boot.timeout`). Default 60 s.
    pub boot_timeout: Duration,
    /// `prometheus.*`
    pub prometheus: PrometheusConfig,
    /// `health.*`
    pub health: HealthConfig,
    /// `cluster.*`
    pub cluster: ClusterConfig,
    /// Values for entries (`override`), below those of the command line.
    pub overrides: Vec<Assignment>,
    /// `disable.*`
    pub disable: DisableConfig,
    settings: Vec<Setting>,
    files: Vec<PathBuf>,
    warnings: Report,
}

impl Config {
    /// Reads and merges everything that `input` names.
    ///
    /// # Errors
    /// A report of every problem, if any of them is an error.
    pub fn load(input: &ConfigInput) -> Result<Self, Report> {
        let mut report = Report::new();
        let (files, mut layers) = file_layers(input, &mut report);
        layers.extend(environment::trees(&setting_paths(), input, &mut report));
        layers.extend(assigned_trees(input, &mut report));
        let empty = Node::map(Vec::new(), Span::unread_file("(configuration)"));
        let tree = layers.iter().fold(empty, |under, over| layers::merged(&under, over));
        let base = files.first().and_then(|file| file.parent()).unwrap_or(Path::new(""));
        let (values, problems) = read(&tree, base);
        report.extend(problems);
        let node_name = match values.cluster.enabled {
            true => node_name::choose(values.names, input, &mut report),
            false => Some(NodeName::local()),
        };
        warn_of_idle_cluster(&values.cluster, &values.settings, &mut report);
        let Some(node_name) = node_name.filter(|_| !report.has_errors()) else {
            return Err(report);
        };
        Ok(Self {
            node_name,
            log_encoding: values.log_encoding,
            log_manager: values.log_manager,
            strict_security: values.strict_security,
            supervisor: values.supervisor,
            shutdown_timeout: values.shutdown_timeout,
            boot_timeout: values.boot_timeout,
            prometheus: values.prometheus,
            health: values.health,
            cluster: values.cluster,
            overrides: values.overrides,
            disable: values.disable,
            settings: values.settings,
            files,
            warnings: report,
        })
    }

    /// Every setting with its value and origin, by path.
    pub fn settings(&self) -> &[Setting] {
        &self.settings
    }

    /// The files that were read, from left to right.
    pub fn files(&self) -> &[PathBuf] {
        &self.files
    }

    /// What is doubtful, but no error.
    pub fn warnings(&self) -> &Report {
        &self.warnings
    }

    /// The environment variable that mirrors the setting at `path`.
    pub fn variable_of(path: &str) -> String {
        environment::variable_of(path)
    }
}

/// What a tree says, before the node has a name.
struct Values {
    names: GivenNames,
    log_encoding: LogEncoding,
    log_manager: LogManagerConfig,
    strict_security: bool,
    supervisor: SupervisorConfig,
    shutdown_timeout: Duration,
    boot_timeout: Duration,
    prometheus: PrometheusConfig,
    health: HealthConfig,
    cluster: ClusterConfig,
    overrides: Vec<Assignment>,
    disable: DisableConfig,
    settings: Vec<Setting>,
}

fn read(tree: &Node, base: &Path) -> (Values, Report) {
    let reading = Reading { base: base.to_owned(), settings: RefCell::default() };
    let decoder = Decoder::new(SUBJECT, None);
    let map = tree.as_map().cloned().unwrap_or_default();
    let mut values = decoder
        .read(&map, tree.span.clone(), |fields| read_root(&mut Section::new(fields, &reading)));
    values.settings = reading.settings.into_inner();
    values.settings.sort_by(|a, b| a.path.cmp(&b.path));
    (values, decoder.conclude())
}

fn read_root(root: &mut Section<'_, '_>) -> Values {
    if let Some(version) = root.fields().optional("version")
        && version.text().is_some_and(|version| version.text != "1.0")
    {
        let message = "the only version of the configuration is 1.0";
        version.refuse::<()>(document_code::INVALID_VALUE, message);
    }
    let log_encoding = root.section("logger", LogEncoding::read);
    let log_manager = root.section("logmanager", LogManagerConfig::read);
    let strict_security = root.section("security", |s| s.flag("strict_mode", false));
    let relay = root.section("relay", |relay| relay.text("node_name"));
    let supervisor = root.section("supervisor", SupervisorConfig::read);
    let timeout = |seconds| {
        move |section: &mut Section<'_, '_>| {
            section.duration("timeout", Duration::from_secs(seconds))
        }
    };
    let shutdown_timeout = root.section("shutdown", timeout(30));
    let boot_timeout = root.section("boot", timeout(60));
    let prometheus = root.section("prometheus", PrometheusConfig::read);
    let health = root.section("health", HealthConfig::read);
    let (name, cluster) =
        root.section("cluster", |cluster| (cluster.text("name"), ClusterConfig::read(cluster)));
    let overrides = runtime::overrides(root);
    let disable = root.section("disable", DisableConfig::read);
    runtime::foreign(root);
    Values {
        names: GivenNames { cluster: name, relay },
        log_encoding,
        log_manager,
        strict_security,
        supervisor,
        shutdown_timeout,
        boot_timeout,
        prometheus,
        health,
        cluster,
        overrides,
        disable,
        settings: Vec::new(),
    }
}

/// The paths of all settings.
fn setting_paths() -> Vec<String> {
    let empty = Node::map(Vec::new(), Span::unread_file("(configuration)"));
    let (values, _) = read(&empty, Path::new(""));
    values.settings.into_iter().map(|setting| setting.path).collect()
}

/// The files of `input` and their trees.
fn file_layers(input: &ConfigInput, report: &mut Report) -> (Vec<PathBuf>, Vec<Node>) {
    let default = input.default_file.iter().filter(|file| input.files.is_empty() && file.exists());
    let files: Vec<PathBuf> = input.files.iter().chain(default).cloned().collect();
    let mut trees = Vec::new();
    for path in &files {
        let name = path.display().to_string();
        match Source::read(path, name.as_str(), MAX_DOCUMENT_BYTES) {
            Ok(source) => trees.extend(file_tree(&source, input, report)),
            Err(error) => {
                let place = Span::unread_file(name);
                report.push(Diagnostic::error(error.code(), place, error.to_string()));
            }
        }
    }
    (files, trees)
}

fn file_tree(source: &Arc<Source>, input: &ConfigInput, report: &mut Report) -> Option<Node> {
    let node = parse(source, report)?;
    match &node.kind {
        Kind::Map(_) => Some(placeholder::fill(&node, input, report)),
        _ if node.is_null() => None,
        _ => {
            let message = format!("a configuration is a map, not {}", node.describe());
            report.push(Diagnostic::error(document_code::WRONG_TYPE, node.span, message));
            None
        }
    }
}

/// The trees of what `--set` gave.
fn assigned_trees(input: &ConfigInput, report: &mut Report) -> Vec<Node> {
    let mut trees = Vec::new();
    for given in &input.assignments {
        // The key of an override has dots of its own.
        let path: Vec<&str> = match given.key.split_once('.') {
            Some(("override", key)) => vec!["override", key],
            _ => given.key.split('.').collect(),
        };
        if path.len() < 2 || path.iter().any(|part| part.is_empty()) {
            let message = format!("`{}` is no setting: write section.name", given.key);
            let place = given.key_span.clone();
            report.push(Diagnostic::error(document_code::BAD_ASSIGNMENT, place, message));
        } else {
            trees.push(layers::single(&path, given));
        }
    }
    trees
}

/// Settings of a cluster that is off are likely a forgotten `enabled`.
fn warn_of_idle_cluster(cluster: &ClusterConfig, settings: &[Setting], report: &mut Report) {
    if cluster.enabled {
        return;
    }
    let given = settings.iter().find_map(|setting| match &setting.origin {
        Origin::Given(span) if setting.path.starts_with("cluster.") => {
            (setting.path != "cluster.enabled" && !setting.path.starts_with("cluster.raft."))
                .then_some((setting, span))
        }
        _ => None,
    });
    let is_explicit = settings
        .iter()
        .any(|setting| setting.path == "cluster.enabled" && setting.origin != Origin::Default);
    if let Some((setting, span)) = given.filter(|_| !is_explicit) {
        let message = "the settings of `cluster` have no effect: it is not enabled";
        let warning = Diagnostic::warning(code::NO_EFFECT, span.without_text(), message);
        report.push(warning.field(setting.path.as_str()).help("set `cluster.enabled: true`"));
    }
}
