//! What somebody who sends a project or a file would try.

mod escapes;
