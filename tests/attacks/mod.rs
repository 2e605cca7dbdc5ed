//! Hostile projects and files, and failing disks. Each of these attacks succeeded once.

mod damage;
mod escapes;
mod files;
mod links;
mod pictures;
mod secrets;
pub mod space;
mod transcripts;
