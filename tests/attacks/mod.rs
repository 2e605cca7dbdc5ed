//! Attacks that once succeeded, kept as tests.

mod damage;
mod files;
mod pictures;
