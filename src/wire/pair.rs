//! Which of several connections between two nodes lives.
//!
//! Both nodes may dial at the same time, and either may take a dead connection for a live one. So
//! that both always end up on the same connection, one of them decides: the node with the smaller
//! name is the *judge*, the other the *follower*. A connection becomes a session only when the judge
//! says `Chosen` on it; the number it gives grows, so a follower that reads two of them in the wrong
//! order keeps the newer. A connection in use is never given up for a new one while it answers, and
//! never keeps a new one out once it does not.

use serde::{Deserialize, Serialize};

/// The number of a session between two runs of two nodes; zero stands for none.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Generation(pub u64);

/// What the judge does with its connections to one follower, named by `C`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verdict<C> {
    /// Say `Chosen` with this generation on `connection`, which is the session from now on.
    Choose {
        /// The connection.
        connection: C,
        /// The number of the new session.
        generation: Generation,
    },
    /// Close this connection: another one is in use.
    Drop {
        /// The connection.
        connection: C,
    },
    /// Ask whether the session on `held` still answers; report with [`Judge::answered`] or
    /// [`Judge::silent`].
    Ask {
        /// The connection to send a ping on.
        held: C,
    },
}

/// The deciding side's view of one pair.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Judge<C> {
    held: Option<(C, Generation)>,
    waiting: Option<C>,
    last: Generation,
}

impl<C> Default for Judge<C> {
    fn default() -> Self {
        Self { held: None, waiting: None, last: Generation(0) }
    }
}

impl<C: Copy + Eq> Judge<C> {
    /// The connection in use.
    pub fn held(&self) -> Option<C> {
        self.held.map(|(connection, _)| connection)
    }

    /// Both hellos have passed on `connection`, whoever dialled it. `lost` is the follower's word
    /// from its hello.
    pub fn arrived(&mut self, connection: C, lost: Generation) -> Vec<Verdict<C>> {
        match self.held {
            None => vec![self.choose(connection)],
            Some((held, generation)) if lost >= generation => {
                let over = self.waiting.take().into_iter().chain([held]);
                let mut verdicts: Vec<_> =
                    over.map(|connection| Verdict::Drop { connection }).collect();
                verdicts.push(self.choose(connection));
                verdicts
            }
            Some((held, _)) => match self.waiting.replace(connection) {
                Some(earlier) => vec![Verdict::Drop { connection: earlier }],
                None => vec![Verdict::Ask { held }],
            },
        }
    }

    /// The session on `held` has answered.
    pub fn answered(&mut self, held: C) -> Option<Verdict<C>> {
        self.held.filter(|(connection, _)| *connection == held)?;
        self.waiting.take().map(|connection| Verdict::Drop { connection })
    }

    /// The session on `held` has not answered in time.
    pub fn silent(&mut self, held: C) -> Vec<Verdict<C>> {
        if self.held() != Some(held) {
            return Vec::new();
        }
        let Some(waiting) = self.waiting.take() else { return Vec::new() };
        self.held = None;
        vec![Verdict::Drop { connection: held }, self.choose(waiting)]
    }

    /// `connection` is gone.
    pub fn closed(&mut self, connection: C) -> Option<Verdict<C>> {
        if self.waiting == Some(connection) {
            self.waiting = None;
        }
        if self.held() == Some(connection) {
            self.held = None;
            return self.waiting.take().map(|waiting| self.choose(waiting));
        }
        None
    }

    fn choose(&mut self, connection: C) -> Verdict<C> {
        self.last = Generation(self.last.0.saturating_add(1));
        self.held = Some((connection, self.last));
        Verdict::Choose { connection, generation: self.last }
    }
}

/// What the follower does when it reads `Chosen`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Adoption<C> {
    /// The connection is the session from now on; `instead_of`, if any, is to be closed.
    Adopt {
        /// The session before it, which the judge has given up.
        instead_of: Option<C>,
    },
    /// The judge has since chosen another connection: close this one.
    Outdated,
}

/// The other side's view of one pair.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Follower<C> {
    held: Option<C>,
    last: Generation,
}

impl<C> Default for Follower<C> {
    fn default() -> Self {
        Self { held: None, last: Generation(0) }
    }
}

impl<C: Copy + Eq> Follower<C> {
    /// The connection in use.
    pub fn held(&self) -> Option<C> {
        self.held
    }

    /// What to say in [`super::Hello::lost`] of the next dial.
    pub fn lost(&self) -> Generation {
        if self.held.is_none() { self.last } else { Generation(0) }
    }

    /// The judge has chosen `connection`.
    pub fn chosen(&mut self, connection: C, generation: Generation) -> Adoption<C> {
        if generation <= self.last {
            return Adoption::Outdated;
        }
        self.last = generation;
        Adoption::Adopt { instead_of: self.held.replace(connection) }
    }

    /// `connection` is gone.
    pub fn closed(&mut self, connection: C) {
        if self.held == Some(connection) {
            self.held = None;
        }
    }
}

#[cfg(test)]
mod tests;
