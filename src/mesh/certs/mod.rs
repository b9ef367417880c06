//! The cluster's certificates: one authority, one certificate a node.
//!
//! A node's name is the DNS name in its certificate; there is no other check of who a node is.
//! `moonmesh certs` works on a directory of files through [`Store`]; a running node loads its three
//! files as [`Material`] and reads them again when they change.

mod authority;
mod check;
mod details;
mod material;
mod store;

pub use authority::{Authority, BACKDATED, PemPair, Validity};
pub use check::{PeerCheck, Problem};
pub use details::{Details, Role, State};
pub use material::{Material, Pem, TlsFiles};
pub use store::Store;

use std::io;
use std::path::PathBuf;

use crate::id::NodeName;

/// What went wrong with certificates, by what has to be done about it.
#[derive(Debug, thiserror::Error)]
pub enum CertsError {
    /// A file cannot be read or written.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The system's answer.
        source: io::Error,
    },
    /// There is something at this place already, and it would be lost.
    #[error("{} exists already; {advice}", path.display())]
    Exists {
        /// The file.
        path: PathBuf,
        /// What to do instead.
        advice: &'static str,
    },
    /// A file does not hold what it should.
    #[error("{}: {what}", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
    /// The certificate of this node would be refused by its peers.
    #[error("{}: certificate of node {node}: {problem}", path.display())]
    Refused {
        /// The certificate file.
        path: PathBuf,
        /// The node that it should be for.
        node: NodeName,
        /// The check that failed.
        problem: Problem,
    },
    /// A certificate could not be made.
    #[error("cannot make a certificate: {0}")]
    Make(String),
}

impl CertsError {
    fn content(path: impl Into<PathBuf>, what: impl ToString) -> Self {
        Self::Content { path: path.into(), what: what.to_string() }
    }

    fn file(path: impl Into<PathBuf>, source: io::Error) -> Self {
        Self::File { path: path.into(), source }
    }
}

#[cfg(test)]
mod tests;
