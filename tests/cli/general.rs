//! What holds for every command.

use std::process::Stdio;

use crate::support::{finish, moonmesh, run};

#[test]
fn nothing_and_wrong_things_are_usage() {
    for (arguments, said) in [
        (&[] as &[&str], "Usage: moonmesh"),
        (&["frobnicate"], "unrecognized subcommand 'frobnicate'"),
        (&["versio"], "similar subcommand"),
        (&["version", "--shrt"], "'--shrt'"),
        (&["version", "--short", "--json"], "cannot be used with"),
        (&["version", "-v", "-s"], "cannot be used with"),
        (&["completions", "tcsh"], "[possible values: bash, elvish, fish, powershell, zsh]"),
        (&["version", "--log-format", "xml"], "[possible values: text, json]"),
    ] {
        let ended = run(arguments).with_code(2);
        assert!(ended.err.contains(said), "{arguments:?}: {}", ended.err);
        assert_eq!(ended.out, "", "{arguments:?}");
    }
}

#[test]
fn a_bad_log_filter_says_what_a_good_one_is() {
    let ended = run(&["version", "--log-filter", "pg=loud"]).with_code(2);
    assert_eq!(
        ended.err,
        "Error: \"pg=loud\" is not a log filter: write a level (off, error, warn, info, debug, \
         trace) or part=level, separated by commas, as in \"info,pg=trace\"\n  \
         where: --log-filter\n"
    );
    let from_environment = finish(moonmesh(&["version"]).env("MOONMESH_LOG_FILTER", "loud"));
    from_environment.with_code(2);
}

#[test]
fn help_goes_to_stdout_and_has_examples() {
    for arguments in
        [&["--help"] as &[&str], &["-h"], &["version", "--help"], &["completions", "-h"]]
    {
        let ended = run(arguments).with_code(0);
        assert!(ended.out.contains("Usage: moonmesh"), "{arguments:?}");
        assert_eq!(ended.err, "");
    }
    let help = run(&["version", "--help"]).out;
    assert!(help.contains("Examples:\n  moonmesh version\n"), "{help}");
}

#[test]
fn version_in_three_forms() {
    let number = env!("CARGO_PKG_VERSION");
    assert_eq!(run(&["version", "--short"]).with_code(0).out, format!("{number}\n"));
    assert_eq!(run(&["--version"]).with_code(0).out, format!("moonmesh {number}\n"));
    let line = run(&["version"]).with_code(0).out;
    assert!(line.starts_with(&format!("moonmesh {number} (commit ")), "{line}");
    assert!(line.contains("mesh protocol 1, Lua 5.4"), "{line}");
    let json = run(&["version", "--json"]).with_code(0).json();
    assert_eq!((&json["version"], &json["mesh_protocol"]), (&number.into(), &1.into()));
}

#[test]
fn completions_know_the_commands() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let ended = run(&["completions", shell]).with_code(0);
        assert!(ended.out.contains("completions") && ended.out.contains("log-format"), "{shell}");
    }
}

#[test]
fn a_closed_pipe_is_no_panic() {
    let mut child = moonmesh(&["completions", "bash"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let ended = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&ended.stderr), "");
    assert_eq!(ended.status.code(), Some(0));
}
