//! Whole meshes in one process, on 127.0.0.1 and ports that the system chooses.

mod certificates;
mod fixture;
mod floods;
mod frames;
mod members;
mod partitions;
mod refusals;
mod relay;
mod stranger;
