//! What a hostile project or file tries, and what a disk does: each of these succeeded once.

mod damage;
mod escapes;
mod files;
mod links;
mod pictures;
mod space;
//! What somebody can do who sends a project: a script for each attack.

mod secrets;
