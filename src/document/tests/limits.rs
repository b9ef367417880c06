use std::time::{Duration, Instant};

use super::problems;
use crate::document::limits::{MAX_ANCHORS, MAX_DEPTH, MAX_DOCUMENT_BYTES, MAX_NODES};
use crate::document::{ReadError, Source};

/// Runs `work`, which must be over soon even in a debug build on a busy machine.
fn quickly<T>(work: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = work();
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    result
}

#[test]
fn nested_aliases_do_not_expand() {
    let mut text = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..9 {
        let below = format!("*a{}", level - 1);
        let items = vec![below; 9].join(", ");
        text.push_str(&format!("a{level}: &a{level} [{items}]\n"));
    }
    let found = quickly(|| problems(&text));
    assert!(found.len() == 1 && found[0].ends_with("too-large"), "{found:?}");
}

#[test]
fn merged_maps_count_too() {
    let fields: Vec<String> = (0..1_000).map(|n| format!("k{n}: 1")).collect();
    let mut text = format!("base: &b {{{}}}\n", fields.join(", "));
    (0..400).for_each(|n| text.push_str(&format!("m{n}: {{<<: *b}}\n")));
    let found = quickly(|| problems(&text));
    assert!(found.len() == 1 && found[0].ends_with("too-large"), "{found:?}");
}

#[test]
fn deep_nesting_is_refused() {
    let deep = 100_000;
    for text in [
        "[".repeat(deep),
        "{a: ".repeat(deep),
        "- ".repeat(deep),
        format!("{}{}", "[".repeat(deep), "]".repeat(deep)),
        (0..1_000).map(|n| format!("{}a:\n", " ".repeat(n))).collect::<String>(),
        format!("{}{}{}", "- ".repeat(40), "[".repeat(40), "]".repeat(40)),
    ] {
        let found = quickly(|| problems(&text));
        assert!(found.len() == 1 && found[0].ends_with("too-deep"), "{found:?}");
    }
    let deepest = format!("{}{}", "[".repeat(MAX_DEPTH), "]".repeat(MAX_DEPTH));
    assert_eq!(problems(&deepest), Vec::<String>::new());
}

#[test]
fn a_chain_of_aliases_is_not_a_way_around_the_depth() {
    let mut text = "a0: &a0 [x]\n".to_owned();
    for level in 1..10_000 {
        text.push_str(&format!("a{level}: &a{level} [*a{}]\n", level - 1));
    }
    let found = quickly(|| problems(&text));
    assert!(found.len() == 1 && found[0].ends_with("too-deep"), "{found:?}");
}

#[test]
fn documents_with_too_many_values_are_refused() {
    let list = "- \n".repeat(MAX_NODES + 1);
    let map: String = (0..=MAX_NODES / 2).map(|n| format!("k{n}:\n")).collect();
    let anchors: String = (0..=MAX_ANCHORS).map(|n| format!("- &a{n} x\n")).collect();
    for text in [list, map, anchors] {
        let found = quickly(|| problems(&text));
        assert!(found.len() == 1 && found[0].ends_with("too-large"), "{found:?}");
    }
}

#[test]
fn a_huge_file_is_refused_unread() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("huge.yaml");
    std::fs::File::create(&path).unwrap().set_len(200 << 20).unwrap();
    let read = quickly(|| Source::read(&path, "huge.yaml", MAX_DOCUMENT_BYTES));
    assert!(matches!(read, Err(ReadError::TooLarge { .. })));
    let long = "# comment\n".repeat(MAX_DOCUMENT_BYTES as usize / 10 + 1);
    assert_eq!(problems(&long), ["1:1 too-large"]);
}

#[test]
fn long_runs_of_comments_and_long_lines_are_fine() {
    let text = format!("{}a: {}\n", "# note\n".repeat(10_000), "x".repeat(1 << 20));
    assert_eq!(quickly(|| problems(&text)), Vec::<String>::new());
}
