/// The candidate that `word` is most likely a misspelling of: at most a third of its letters
/// differ (two neighbours swapped count once), letter case and `-` for `_` hardly count.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    const LONGEST: usize = 200;
    if word.len() > LONGEST {
        return None;
    }
    let folded = fold(word);
    let most = (folded.chars().count() / 3).max(1);
    let distance = |candidate: &str| strsim::damerau_levenshtein(&folded, &fold(candidate));
    // A letter more or less is a difference too; in bytes it is at most four.
    let similar = word.len().saturating_sub(4 * most)..=word.len() + 4 * most;
    candidates
        .into_iter()
        .filter(|candidate| similar.contains(&candidate.len()) && !candidate.is_empty())
        .map(|candidate| (distance(candidate), candidate))
        .filter(|(distance, candidate)| *distance <= most && *distance < candidate.chars().count())
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

fn fold(word: &str) -> String {
    word.to_lowercase().replace('-', "_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misspellings_find_their_word() {
        let fields = ["max_groups", "max_members_per_group", "max_retries", "lifecycle"];
        let found = |word| nearest(word, fields);
        assert_eq!(found("max_group"), Some("max_groups"));
        assert_eq!(found("maxgroups"), Some("max_groups"));
        assert_eq!(found("MAX-GROUPS"), Some("max_groups"));
        assert_eq!(found("lifecycel"), Some("lifecycle"));
        assert_eq!(found("retries"), None);
        assert_eq!(found("x"), None);
        assert_eq!(found(&"x".repeat(100_000)), None);
    }
}
