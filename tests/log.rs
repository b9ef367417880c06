//! The log of the whole program. One test: a program has one log.

use std::io::Write;
use std::sync::{Arc, Mutex};

use moonmesh::cli::logging::{Format, Log, Settings, Verbosity};

#[derive(Clone, Default)]
struct Sink(Arc<Mutex<Vec<u8>>>);

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn events_become_lines_and_the_filter_can_change() {
    let sink = Sink::default();
    let settings = Settings {
        verbosity: Verbosity::Info,
        filter: Some("pg=warn".to_owned()),
        format: Format::Json,
        coloured: false,
    };
    let log = Log::start(&settings, sink.clone()).unwrap();
    assert!(Log::start(&settings, sink.clone()).is_err());
    tracing::info!(target: "moonmesh::node", service = "app:x", attempt = 2, "started");
    tracing::debug!(target: "moonmesh::node", "unseen");
    tracing::info!(target: "moonmesh::pg", "unseen");
    log.set_filter(Verbosity::Debug, None).unwrap();
    tracing::debug!(target: "moonmesh::node", "seen");
    let fields = r#"{"user":"ann","n":1}"#;
    tracing::info!(target: "lua", logger = "chat.room", pid = %"{h|0x1}", fields, "from a script");
    assert!(log.set_filter(Verbosity::Debug, Some("x=loud")).is_err());
    log.set_filter(Verbosity::Silent, None).unwrap();
    tracing::error!(target: "moonmesh::node", "unseen");
    assert_eq!(log.lost(), 0);
    drop(log);

    let bytes = sink.0.lock().unwrap().clone();
    let text = String::from_utf8(bytes).unwrap();
    let lines: Vec<serde_json::Value> =
        text.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    let said: Vec<_> = lines.iter().map(|line| line["msg"].as_str().unwrap()).collect();
    assert_eq!(said, ["started", "seen", "from a script"]);
    assert_eq!((&lines[0]["service"], &lines[0]["attempt"]), (&"app:x".into(), &2.into()));
    assert_eq!((&lines[2]["logger"], &lines[2]["user"]), (&"chat.room".into(), &"ann".into()));
    assert!(lines[2].get("fields").is_none());
}
