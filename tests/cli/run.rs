//! `moonmesh run`: files, commands, processes, services and signals.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::support::{Ended, finish, moonmesh, run, run_in};

fn script(source: &str, arguments: &[&str]) -> Ended {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("main.lua"), source).unwrap();
    let all = [&["run", "main.lua"], arguments].concat();
    run_in(folder.path(), &all)
}

fn registry(yaml: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("_index.yaml"), yaml).unwrap();
    folder
}

#[test]
fn hello_world_is_three_lines() {
    let ended = script(
        "local g = require('pg').open('app:pg')
        g:join('all') g:broadcast('all', 'hello', 'world')
        print(process.inbox():receive():payload():data())",
        &[],
    )
    .with_code(0);
    assert_eq!((ended.out.as_str(), ended.err.as_str()), ("world\n", ""));
}

#[test]
fn the_result_is_the_exit_code() {
    for (source, code, out, err) in [
        ("return 7", 7, "", ""),
        ("return ...", 0, "--loud\n", ""),
        ("return true", 0, "", ""),
        ("return false", 1, "", ""),
        ("return {a = 1}", 0, "{\n  \"a\": 1\n}\n", ""),
        ("return 300", 1, "", "the result 300 is no exit code"),
        ("return 0.5", 1, "", "the result 0.5 is no exit code"),
        ("error('boom')", 1, "", "Error: main.lua:1: boom\n"),
        ("error(errors.new{message = 'taken', kind = errors.CONFLICT})", 1, "", "taken (Conflict)"),
        ("return nil, errors.new('sorry')", 1, "", "Error: sorry"),
        ("local = 5", 1, "", "main.lua:1: "),
    ] {
        let ended = script(source, &["--", "--loud"]).with_code(code);
        assert_eq!(ended.out, out, "{source}");
        assert!(ended.err.contains(err), "{source}: {}", ended.err);
    }
    let ended = run(&["run", "nowhere.lua"]).with_code(1);
    assert!(ended.err.starts_with("Error: cannot read the file: "), "{}", ended.err);
}

const COMMANDS: &str = "
namespace: app
entries:
- {name: hosts, kind: process.host, lifecycle: {auto_start: true}}
- name: greet
  kind: process.lua
  meta: {command: {name: greet, short: Says hello}}
  source: |
    return function(...) print('hello', ...) return 4 end
";

#[test]
fn commands_are_listed_and_run() {
    let folder = registry(COMMANDS);
    let dir = folder.path().to_str().unwrap();
    let list = run(&["run", dir, "list"]).with_code(0);
    assert!(list.out.contains("greet") && list.out.contains("Says hello"), "{}", list.out);
    let ended = run(&["run", dir, "greet", "--loud", "you"]).with_code(4);
    assert_eq!((ended.out.as_str(), ended.err.as_str()), ("hello\t--loud\tyou\n", ""));
    let ended = run(&["run", dir, "--exec", "app:greet"]).with_code(4);
    assert_eq!(ended.out, "hello\n");
    let ended = run(&["run", dir, "gret"]).with_code(2);
    assert!(ended.err.contains("no command \"gret\"") && ended.err.contains("valid: greet"));
    let ended = run(&["run", dir, "--exec", "app:hosts"]).with_code(1);
    assert!(ended.err.contains("app:hosts is a process.host, not a process.lua"), "{}", ended.err);
    let ended = run(&["run", dir, "greet", "--host", "app:x"]);
    assert_eq!(ended.code, Some(4), "flags after the command are its own");
    let ended = run(&["run", dir, "--host", "app:x", "greet"]).with_code(1);
    assert!(ended.err.contains("no process.host \"app:x\"\n  where: --host\n  valid: app:hosts"));
}

#[test]
fn nothing_starts_from_a_broken_registry() {
    let folder = registry("namespace: app\nentries:\n- {name: pg, kind: pg.scop}\n- {name: x}\n");
    let ended = run(&["run", folder.path().to_str().unwrap()]).with_code(1);
    assert!(ended.err.contains("pg.scop") && ended.err.contains("pg.scope"), "{}", ended.err);
    assert!(!ended.err.contains("ready"), "{}", ended.err);
}

/// A node that runs until it is told to stop.
struct Running {
    child: Child,
    log: BufReader<std::process::ChildStderr>,
}

impl Running {
    fn start(mut command: Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let log = BufReader::new(child.stderr.take().unwrap());
        Self { child, log }
    }

    /// Reads the log up to a line that contains `text`.
    fn wait_for(&mut self, text: &str) -> String {
        let mut seen = String::new();
        while !seen.contains(text) {
            assert!(self.log.read_line(&mut seen).unwrap() > 0, "no {text:?} in:\n{seen}");
        }
        seen
    }

    fn signal(&self, name: &str) {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args(["-s", name, &id]).status().unwrap().success());
    }

    fn end(mut self) -> Ended {
        let mut err = String::new();
        self.log.read_to_string(&mut err).unwrap();
        let mut out = String::new();
        self.child.stdout.take().unwrap().read_to_string(&mut out).unwrap();
        Ended { code: self.child.wait().unwrap().code(), out, err }
    }
}

#[test]
fn services_run_until_a_signal_and_stop_in_order() {
    for signal in ["INT", "TERM"] {
        let mut node = Running::start(moonmesh(&["run", "registry"]));
        node.wait_for("ready");
        node.signal("HUP");
        node.signal(signal);
        let ended = node.end().with_code(0);
        let at =
            |text: &str| ended.err.find(text).unwrap_or_else(|| panic!("{text}: {}", ended.err));
        assert!(at("app:ann") < at("app:processes"), "{}", ended.err);
        assert!(at("app:processes") < at("app:pg"), "{}", ended.err);
    }
}

#[test]
fn a_second_signal_forces_the_end() {
    let deaf = "
namespace: app
entries:
- {name: hosts, kind: process.host, lifecycle: {auto_start: true}}
- name: deaf
  kind: process.lua
  source: 'return function() channel.new():receive() end'
- {name: service, kind: process.service, process: deaf, host: hosts, lifecycle: {auto_start: true}}
";
    let folder = registry(deaf);
    let mut node = Running::start(moonmesh(&["run", folder.path().to_str().unwrap()]));
    node.wait_for("ready");
    node.signal("INT");
    node.wait_for("SIGINT: stopping");
    node.signal("INT");
    node.end().with_code(1);
}

#[test]
fn a_process_that_is_interrupted_is_asked_first() {
    let polite = "print('up') local e = process.events():receive() print(e.kind) return 9";
    let rude = "print('up') channel.new():receive()";
    for (source, code) in [(polite, 9), (rude, 130)] {
        let folder = tempfile::tempdir().unwrap();
        let file: &Path = &folder.path().join("main.lua");
        fs::write(file, source).unwrap();
        let mut command = moonmesh(&["run", file.to_str().unwrap()]);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        out.read_line(&mut line).unwrap();
        assert_eq!(line, "up\n");
        let id = child.id().to_string();
        assert!(Command::new("kill").args(["-s", "INT", &id]).status().unwrap().success());
        assert_eq!(child.wait().unwrap().code(), Some(code));
    }
}

#[test]
fn a_service_that_fails_is_told_and_counts_if_asked() {
    let broken = "
namespace: app
entries:
- {name: hosts, kind: process.host, lifecycle: {auto_start: true}}
- name: broken
  kind: process.lua
  source: 'error(errors.new{message = \"no disk\", kind = errors.INVALID, retryable = false})'
- {name: service, kind: process.service, process: broken, host: hosts, lifecycle: {auto_start: true, restart: {max_attempts: 1}}}
";
    let folder = registry(broken);
    let ended = finish(&mut moonmesh(&["run", folder.path().to_str().unwrap(), "--strict-start"]));
    let ended = ended.with_code(1);
    assert!(ended.err.contains("no disk"), "{}", ended.err);
}
