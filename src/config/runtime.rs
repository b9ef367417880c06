use std::time::Duration;

use smol_str::SmolStr;

use crate::document::{Assignment, Field, MapEntry, Text, code as document_code};

use super::address::Address;
use super::code;
use super::section::{self, Section};

/// The form of log lines (`logger.encoding`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogEncoding {
    /// `console`: lines for people. The default.
    Console,
    /// `json`: one object per line.
    Json,
}

/// Where log lines go besides the console (`logmanager.*`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogManagerConfig {
    /// Write them to the console. Default `true`.
    pub propagate_downstream: bool,
    /// Publish them as events. Default `false`.
    pub stream_to_events: bool,
    /// Lowest level: -1 debug, 0 info, 1 warning, 2 error; `None` leaves it to the flags.
    pub min_level: Option<i32>,
}

/// The inbox of the node's own host (`supervisor.host.*`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SupervisorConfig {
    /// Default 1024.
    pub buffer_size: u32,
    /// Default 16.
    pub worker_count: u32,
}

/// The HTTP endpoint for metrics and health (`prometheus.*`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrometheusConfig {
    /// Default `false`.
    pub enabled: bool,
    /// Where to listen; always there if it is enabled, with a port.
    pub address: Option<Address>,
}

/// What counts as unhealthy (`health.*`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HealthConfig {
    /// Longest time without progress of an event loop. Default 30 s.
    pub loop_ceiling: Duration,
    /// Longest time without traffic of a scope that has peers. Default 5 min.
    pub broadcast_ceiling: Duration,
}

/// Entries to leave out (`disable.*`), as patterns that the registry understands.
#[derive(Debug, Clone, Default)]
pub struct DisableConfig {
    /// Patterns of namespaces.
    pub namespaces: Vec<Text>,
    /// Patterns of ids.
    pub entries: Vec<Text>,
    /// A field of the metadata, and the values that take an entry out.
    pub meta: Vec<(SmolStr, Vec<Text>)>,
}

impl LogEncoding {
    pub(super) fn read(section: &mut Section<'_, '_>) -> Self {
        let encodings = [("console", LogEncoding::Console), ("json", LogEncoding::Json)];
        section.choice("encoding", &encodings, LogEncoding::Console)
    }
}

impl LogManagerConfig {
    pub(super) fn read(section: &mut Section<'_, '_>) -> Self {
        let is_given = section.is_given("min_level");
        Self {
            propagate_downstream: section.flag("propagate_downstream", true),
            stream_to_events: section.flag("stream_to_events", false),
            min_level: Some(section.integer("min_level", -1..=5, -1)).filter(|_| is_given),
        }
    }
}

impl SupervisorConfig {
    pub(super) fn read(section: &mut Section<'_, '_>) -> Self {
        section.section("host", |host| Self {
            buffer_size: host.integer("buffer_size", 1..=u32::MAX, 1024),
            worker_count: host.integer("worker_count", 1..=1024, 16),
        })
    }
}

impl PrometheusConfig {
    pub(super) fn read(section: &mut Section<'_, '_>) -> Self {
        let enabled = section.flag("enabled", false);
        let address = section.address("address");
        if address.as_ref().is_some_and(|address| address.port.is_none()) {
            let message = "the address needs a port: write host:port, or :port for all addresses";
            section.refuse("address", code::BAD_ADDRESS, message);
        }
        if enabled && !section.is_given("address") {
            let message = "the field `address` is missing: the endpoint has to listen somewhere";
            section.refuse("address", document_code::MISSING_FIELD, message);
        }
        Self { enabled, address }
    }
}

impl HealthConfig {
    pub(super) fn read(section: &mut Section<'_, '_>) -> Self {
        Self {
            loop_ceiling: section.duration("loop_ceiling", Duration::from_secs(30)),
            broadcast_ceiling: section.duration("broadcast_ceiling", Duration::from_secs(300)),
        }
    }
}

impl DisableConfig {
    pub(super) fn read(section: &mut Section<'_, '_>) -> Self {
        let namespaces = section.texts("namespaces");
        let entries = section.texts("entries");
        let meta = section.fields().optional("meta").and_then(|field| field.pairs());
        let values =
            |(entry, field): (&MapEntry, Field<'_>)| (entry.key.clone(), section::texts(&field));
        let meta = meta.unwrap_or_default().into_iter().map(values).collect();
        Self { namespaces, entries, meta }
    }
}

/// Values for entries (`override`): keys `namespace:name:path`.
pub(super) fn overrides(section: &mut Section<'_, '_>) -> Vec<Assignment> {
    let field = section.fields().optional("override");
    let pairs = field.and_then(|field| field.pairs()).unwrap_or_default();
    pairs.into_iter().map(|(entry, _)| entry.clone()).collect()
}

/// Settings of other hosts that mean nothing here.
pub(super) fn foreign(root: &mut Section<'_, '_>) {
    root.section("registry", |registry| {
        registry.flag("enable_history", true);
        registry.choice("history_type", &[("memory", ())], ());
        registry.without_effect("history_path", "the history is kept in memory only");
        registry.without_effect("event_wait_timeout", "nothing is waited for");
    });
    root.section("metrics", |metrics| {
        metrics.section("buffer", |buffer| {
            buffer.without_effect("size", "metrics are not buffered");
        });
    });
    let unsupported = "it is not supported";
    for name in ["profiles", "vars"] {
        if root.is_given(name) {
            root.refuse(name, code::UNSUPPORTED, format!("`{name}`: {unsupported}"));
            root.fields().optional(name);
        }
    }
}
