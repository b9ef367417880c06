//! The command line, run as a person runs it: the real binary, its texts and exit codes.

mod support;

mod certs;
mod check;
mod config;
mod general;
mod new;
mod registry;
mod run;
