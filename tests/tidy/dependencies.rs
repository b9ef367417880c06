//! Direct dependencies and their row in the README.

/// Dependencies of `manifest` that have no row in the table of `readme`.
pub fn without_readme_line(manifest: &str, readme: &str) -> Vec<String> {
    let mut section = "";
    let mut complaints = Vec::new();
    for line in manifest.lines() {
        if line.starts_with('[') {
            section = line.trim();
        } else if matches!(
            section,
            "[dependencies]" | "[dev-dependencies]" | "[build-dependencies]"
        ) {
            let Some((name, _)) = line.split_once('=') else { continue };
            let name = name.trim();
            let row = format!("| `{name}` |");
            if !readme.lines().any(|line| line.starts_with(&row) && line.len() > row.len() + 5) {
                complaints.push(format!("{name}: no row \"{row} ... |\" in README.md"));
            }
        }
    }
    complaints
}
