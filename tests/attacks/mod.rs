//! What somebody who sends a project or a file would try.

mod escapes;
//! Attacks that once succeeded, kept as tests.

mod damage;
mod files;
mod pictures;
