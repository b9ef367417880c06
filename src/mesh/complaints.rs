use std::collections::BTreeMap;

use parking_lot::Mutex;

/// Complaints that are kept; strangers can make any number of them.
const MAX_COMPLAINTS: usize = 256;

/// Why something in the mesh does not work at the moment, for the log once and for whoever asks.
#[derive(Debug, Default)]
pub(super) struct Complaints(Mutex<BTreeMap<String, String>>);

/// Something that does not work at the moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Complaint {
    /// What: `seed host:port`, `node NAME` or `connection from IP`.
    pub about: String,
    /// Why not, with the check that failed and the names involved.
    pub reason: String,
}

impl Complaints {
    /// Notes a reason; says whether it is news.
    pub(super) fn note(&self, about: String, reason: &str) -> bool {
        let mut all = self.0.lock();
        if all.len() >= MAX_COMPLAINTS && !all.contains_key(&about) {
            return false;
        }
        all.insert(about, reason.to_owned()).is_none_or(|before| before != reason)
    }

    /// It works now.
    pub(super) fn clear(&self, about: &str) {
        self.0.lock().remove(about);
    }

    pub(super) fn all(&self) -> Vec<Complaint> {
        let complaint = |(about, reason): (&String, &String)| Complaint {
            about: about.clone(),
            reason: reason.clone(),
        };
        self.0.lock().iter().map(complaint).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_news_are_news_and_there_is_an_end_to_them() {
        let complaints = Complaints::default();
        assert!(complaints.note("seed a:1".to_owned(), "no answer"));
        assert!(!complaints.note("seed a:1".to_owned(), "no answer"));
        assert!(complaints.note("seed a:1".to_owned(), "refused"));
        complaints.clear("seed a:1");
        assert!(complaints.note("seed a:1".to_owned(), "refused"));
        for number in 0..1000 {
            complaints.note(format!("connection from {number}"), "?");
        }
        assert_eq!(complaints.all().len(), MAX_COMPLAINTS);
    }
}
