/// A pattern in which each `*` stands for any text, also none (cli.md section 5).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Glob {
    parts: Vec<String>,
}

impl Glob {
    /// Any text is a pattern.
    pub fn new(pattern: &str) -> Self {
        Self { parts: pattern.split('*').map(str::to_owned).collect() }
    }

    /// Whether all of `text` matches.
    pub fn matches(&self, text: &str) -> bool {
        let [first, middle @ .., last] = self.parts.as_slice() else {
            return self.parts.first().is_some_and(|only| only == text);
        };
        let Some(rest) = text.strip_prefix(first.as_str()) else { return false };
        let Some(mut rest) = rest.strip_suffix(last.as_str()) else { return false };
        for part in middle {
            match rest.split_once(part.as_str()) {
                Some((_, after)) => rest = after,
                None => return false,
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_stand_for_any_text() {
        for (pattern, matching, other) in [
            ("app", vec!["app"], vec!["", "ap", "apps", "app.x"]),
            ("app.*", vec!["app.", "app.x", "app.x.y"], vec!["app", "apps"]),
            ("*.lua", vec![".lua", "process.lua"], vec!["lua", "x.luac"]),
            ("pro*lua", vec!["prolua", "process.lua"], vec!["pro", "lua", "xprolua"]),
            ("*", vec!["", "x"], vec![]),
            ("a*b*c", vec!["abc", "axxbxxc", "abbc"], vec!["ac", "acb", "abcd"]),
            ("a*a", vec!["aa", "aba"], vec!["a"]),
            ("**x**", vec!["x", "axb"], vec![""]),
        ] {
            let glob = Glob::new(pattern);
            matching.iter().for_each(|text| assert!(glob.matches(text), "{pattern} {text}"));
            other.iter().for_each(|text| assert!(!glob.matches(text), "{pattern} {text}"));
        }
    }
}
