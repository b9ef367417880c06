use super::Identity;

/// How the node that has just said hello stands to what is known under its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Nothing is known, or what is known is over: let it in.
    Welcome,
    /// The run that is known: let it in.
    Same,
    /// A later run, while the known one counts as alive. Either a restart or a second live node of
    /// that name: the known one has to be asked.
    Newer,
    /// A later run at the very address of the known one, which therefore must be gone.
    Restarted,
    /// An earlier run than one that is known: refuse it.
    Stale,
}

/// The newest identity known under a node's name, alive or not, against the one in a hello.
pub fn standing(known: Option<&Identity>, alive: bool, arrived: &Identity) -> Standing {
    let Some(known) = known else { return Standing::Welcome };
    let (old, new) = (known.origin.incarnation, arrived.origin.incarnation);
    match new.cmp(&old) {
        std::cmp::Ordering::Less => Standing::Stale,
        std::cmp::Ordering::Equal => Standing::Same,
        std::cmp::Ordering::Greater if !alive => Standing::Welcome,
        std::cmp::Ordering::Greater if known.addr == arrived.addr => Standing::Restarted,
        std::cmp::Ordering::Greater => Standing::Newer,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::{Incarnation, Origin};

    fn identity(incarnation: u64, port: u16) -> Identity {
        let origin = Origin { node: "n2".parse().unwrap(), incarnation: Incarnation(incarnation) };
        Identity { origin, rejoin: 0, addr: ([127, 0, 0, 1], port).into() }
    }

    #[test]
    fn the_rules() {
        let known = identity(5, 1000);
        let of = |alive, arrived: &Identity| standing(Some(&known), alive, arrived);
        assert_eq!(standing(None, false, &known), Standing::Welcome);
        for alive in [true, false] {
            assert_eq!(of(alive, &identity(4, 1000)), Standing::Stale);
            assert_eq!(of(alive, &identity(5, 2000)), Standing::Same);
        }
        assert_eq!(of(false, &identity(6, 2000)), Standing::Welcome);
        assert_eq!(of(true, &identity(6, 2000)), Standing::Newer);
        assert_eq!(of(true, &identity(6, 1000)), Standing::Restarted);
    }
}
