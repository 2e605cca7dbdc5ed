//! What a hostile project or file tries, and what a disk does: each of these succeeded once.

mod damage;
mod escapes;
mod files;
mod links;
mod pictures;
mod secrets;
pub mod space;
