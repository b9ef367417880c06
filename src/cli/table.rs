use std::io::{self, IsTerminal};

use comfy_table::{ContentArrangement, Table, presets};

/// Rows under headings, in aligned columns. On a terminal long cells are wrapped to its width;
/// elsewhere nothing is cut or wrapped, so that other programs can read it.
pub fn table(headings: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    draw(headings, rows, io::stdout().is_terminal())
}

fn draw(headings: &[&str], rows: impl IntoIterator<Item = Vec<String>>, fit: bool) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header(headings).add_rows(rows);
    table.set_content_arrangement(match fit {
        true => ContentArrangement::Dynamic,
        false => ContentArrangement::Disabled,
    });
    for column in table.column_iter_mut() {
        column.set_padding((0, 2));
    }
    let mut text = String::new();
    for line in table.lines() {
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned_and_nothing_is_cut() {
        let long = "x".repeat(300);
        let rows =
            [vec!["app:pg".to_owned(), "pg.scope".to_owned()], vec![long.clone(), String::new()]];
        let text = draw(&["ID", "KIND"], rows, false);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 3);
        assert!(lines[0].starts_with("ID   ") && lines[0].ends_with("  KIND"), "{text}");
        assert!(lines[1].starts_with("app:pg ") && lines[1].ends_with("  pg.scope"), "{text}");
        assert_eq!(lines[2], long);
    }
}
