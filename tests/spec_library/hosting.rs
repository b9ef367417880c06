//! What the host hands in: entries, processes, clusters, leaks.

use serde_json::json;

use crate::Spec;

#[test]
fn entries_are_tests_too() {
    let entry =
        |source: &str| Spec::new(source).with("name", "adds").with("path", "app:adds").run();
    let report = entry("return true");
    assert_eq!((report.totals(), report.names("test_pass")), ([1, 0, 0], vec!["adds"]));
    assert_eq!(entry("return false, 'wrong sum'").failure()["message"], "wrong sum");
    assert_eq!(entry("return false").failure()["message"], "the test returned false");
    let error = "return nil, errors.new{message = 'm', kind = errors.TIMEOUT}";
    assert_eq!(entry(error).failure()["kind"], "Timeout");
    assert_eq!(entry("assert.equal(1, 2)").failure()["line"], 1);
    assert_eq!(entry("channel.new():receive()").failure()["message"], "timed out after 1000 ms");
    let report = entry(
        "return {b = function() end, a = function() return false, 'no' end, data = 5,
            c = function() return nil, 'neither' end}",
    );
    assert_eq!(report.names("test_start"), ["adds a", "adds b", "adds c"]);
    assert_eq!(report.totals(), [1, 2, 0]);
    let listed = Spec::new("error('not called')").with("name", "adds").with("mode", "list").run();
    assert_eq!(listed.names("test_listed"), ["adds"]);
}

#[test]
fn processes_clusters_and_leaks_are_the_hosts() {
    let report = Spec::new(
        r#"
it("spawns", function()
    assert.equal("{app:processes|1.2}", spec.spawn(function() end, 1, 2))
    assert.has_error(function() spec.spawn(5) end, "not a function")
    assert.has_error(function() spec.cluster(2) end, "spec.cluster is not available here")
end)
"#,
    )
    .with("leaks", true)
    .run();
    assert_eq!(report.totals(), [1, 0, 0], "{:#?}", report.0);
    let leaked = report.all("leaked")[0];
    assert_eq!(
        (&leaked["processes"], &leaked["members"]),
        (&json!(["{p}"]), &json!(["lobby {p}"]))
    );
}

#[test]
fn a_spawned_process_gets_the_assertions_alone() {
    let report = Spec::new("").with("mode", "assert").run();
    assert!(report.0.is_empty());
}
