//! Moonmesh: a Lua runtime host with Erlang-style processes, process groups and a QUIC mesh.

pub mod cli;
pub mod config;
pub mod document;
pub mod id;
pub mod lua;
pub mod mesh;
pub mod node;
pub mod pg;
pub mod process;
pub mod registry;
pub mod scope;
pub mod security;
pub mod value;
pub mod wire;
