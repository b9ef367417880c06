use std::fmt::Write as _;

use super::diagnostic::{Diagnostic, Note, Severity};
use super::source::Span;

/// Whether a text may use colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// Letters only.
    Plain,
    /// ANSI colours.
    Ansi,
}

/// Most characters of a source line that are shown.
const EXCERPT_WIDTH: usize = 120;

const BOLD: &str = "1";
const RED: &str = "1;31";
const YELLOW: &str = "1;33";
const BLUE: &str = "1;34";
const CYAN: &str = "1;36";

/// Appends `diagnostic` with its excerpts and notes.
pub(super) fn diagnostic(out: &mut String, diagnostic: &Diagnostic, style: Style) {
    let colour = match diagnostic.severity {
        Severity::Error => RED,
        Severity::Warning => YELLOW,
        Severity::Hint => CYAN,
    };
    let headline = visible(&diagnostic.headline());
    let _ = writeln!(out, "{} [{}]", paint(&headline, BOLD, style), diagnostic.code);
    let mut places = vec![&diagnostic.span];
    places.extend(diagnostic.related.iter().map(|related| &related.span));
    let widest = places.iter().map(|span| span.line()).max().unwrap_or(1);
    let margin = widest.to_string().len();
    let label = diagnostic.label.as_deref().unwrap_or_default();
    excerpt(out, &diagnostic.span, label, Look { margin, colour, style });
    for related in &diagnostic.related {
        let place = format!("{:margin$}{} {}", "", paint("-->", BLUE, style), related.span);
        let _ = writeln!(out, "{place}: {}", visible(&related.message));
        excerpt(out, &related.span, "", Look { margin, colour: BLUE, style });
    }
    for note in &diagnostic.notes {
        let (word, text) = match note {
            Note::Help(text) => ("help", text),
            Note::Fact(text) => ("note", text),
        };
        let sign = paint("=", BLUE, style);
        let word = paint(word, BOLD, style);
        let _ = writeln!(out, "{:margin$} {sign} {word}: {}", "", visible(text));
    }
}

/// Appends the closing line with the counts.
pub(super) fn summary(out: &mut String, text: &str, style: Style) {
    let _ = writeln!(out, "{}", paint(text, BOLD, style));
}

#[derive(Clone, Copy)]
struct Look {
    margin: usize,
    colour: &'static str,
    style: Style,
}

/// The first line of `span` with a mark under it; nothing if that line is empty.
fn excerpt(out: &mut String, span: &Span, label: &str, look: Look) {
    let line_number = span.line();
    let line = span.source().line(line_number);
    if line.trim().is_empty() {
        return;
    }
    let start = span.column() as usize - 1;
    let marked = span.text().lines().next().unwrap_or_default().trim_end().chars().count();
    let first = start.saturating_sub(EXCERPT_WIDTH / 2);
    let shown: Vec<char> = line.chars().skip(first).take(EXCERPT_WIDTH).collect();
    let before = start - first;
    let indent: usize = shown.iter().take(before).map(|c| columns(*c)).sum();
    let under: usize = shown.iter().skip(before).take(marked).map(|c| columns(*c)).sum();
    let text: String = shown.iter().map(|c| if *c == '\t' { ' ' } else { *c }).collect();
    let Look { margin, colour, style } = look;
    let bar = paint("|", BLUE, style);
    let number = paint(&format!("{line_number:margin$}"), BLUE, style);
    let mark = paint(format!("{} {label}", "^".repeat(under.max(1))).trim_end(), colour, style);
    let _ = writeln!(out, "{:margin$} {bar}", "");
    let _ = writeln!(out, "{number} {bar} {}", visible(text.trim_end()));
    let _ = writeln!(out, "{:margin$} {bar} {:indent$}{mark}", "", "");
}

fn paint(text: &str, colour: &str, style: Style) -> String {
    match style {
        Style::Plain => text.to_owned(),
        Style::Ansi => format!("\x1b[{colour}m{text}\x1b[0m"),
    }
}

/// The text without characters that steer a terminal or reorder what it shows.
fn visible(text: &str) -> String {
    let hidden =
        |c: char| c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    text.chars().map(|c| if hidden(c) { '\u{fffd}' } else { c }).collect()
}

/// Cells that a terminal uses for `c`: two for the scripts of East Asia and emoji, none for marks
/// that combine with the letter before.
fn columns(c: char) -> usize {
    match c {
        '\u{300}'..='\u{36f}' | '\u{200b}'..='\u{200f}' | '\u{fe00}'..='\u{fe0f}' => 0,
        '\u{1100}'..='\u{115f}'
        | '\u{2e80}'..='\u{a4cf}'
        | '\u{ac00}'..='\u{d7a3}'
        | '\u{f900}'..='\u{faff}'
        | '\u{fe30}'..='\u{fe6f}'
        | '\u{ff00}'..='\u{ff60}'
        | '\u{ffe0}'..='\u{ffe6}'
        | '\u{1f300}'..='\u{1faff}'
        | '\u{20000}'..='\u{3fffd}' => 2,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Medium, Report, Source};

    fn rendered(text: &str, range: std::ops::Range<usize>) -> String {
        let span = Span::new(Source::new("r/_index.yaml", text, Medium::File), range);
        let diagnostic = Diagnostic::error("unknown-field", span, "unknown field `max_grups`");
        let diagnostic =
            diagnostic.entry("app:pg").field("max_grups").label("did you mean `max_groups`?");
        Report::from(diagnostic.help("see the list")).render(Style::Plain)
    }

    #[test]
    fn a_problem_shows_its_line_with_a_mark() {
        let expected = "\
r/_index.yaml:2:3: app:pg: max_grups: unknown field `max_grups` [unknown-field]
  |
2 |   max_grups: 3
  |   ^^^^^^^^^ did you mean `max_groups`?
  = help: see the list

1 error
";
        assert_eq!(rendered("a:\n  max_grups: 3\n", 5..14), expected);
    }

    #[test]
    fn marks_stand_below_wide_letters_and_tabs() {
        let text = rendered("\u{65e5}\u{672c}\t: x", 8..9);
        assert!(text.contains("1 | \u{65e5}\u{672c} : x\n  |       ^ did"), "{text}");
    }

    #[test]
    fn long_lines_are_cut_around_the_mark() {
        let line = format!("{}HERE{}", "a".repeat(10_000), "b".repeat(10_000));
        let text = rendered(&line, 10_000..10_004);
        assert!(text.contains("aaaHEREbbb") && text.len() < 600, "{text}");
    }

    #[test]
    fn nothing_steers_the_terminal() {
        let text = rendered("a: \u{1b}[31m\u{202e}", 0..1);
        assert!(!text.contains('\u{1b}') && !text.contains('\u{202e}'), "{text}");
    }

    #[test]
    fn related_places_and_unread_files_render() {
        let first = Span::new(Source::new("a.yaml", "x: 1\nx: 2", Medium::File), 5..6);
        let other = Span::new(first.source().clone(), 0..1);
        let diagnostic =
            Diagnostic::warning("duplicate-key", first, "twice").related(other, "first here");
        let text = Report::from(diagnostic).render(Style::Plain);
        assert!(text.starts_with("a.yaml:2:1: warning: twice [duplicate-key]\n"), "{text}");
        assert!(text.contains(" --> a.yaml:1:1: first here\n"), "{text}");
        let unread = Diagnostic::error("unreadable", Span::unread_file("b"), "no such file");
        let text = Report::from(unread).render(Style::Ansi);
        assert_eq!(
            text,
            "\u{1b}[1mb:1:1: no such file\u{1b}[0m [unreadable]\n\n\u{1b}[1m1 error\u{1b}[0m\n"
        );
    }
}
