//! The tables of supervision.md on virtual time.

mod order;
mod random;
mod restart;
mod rig;
mod stop;
