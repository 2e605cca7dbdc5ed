//! What somebody who sends a project or a file would try.

mod escapes;
//! Attacks that once succeeded, kept as tests.

mod damage;
mod files;
mod pictures;
//! A project that somebody else made, or that the machine took away: what must not happen then.

mod links;
mod space;
