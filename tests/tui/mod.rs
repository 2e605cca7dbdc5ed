//! Keys in, screen out.

mod first;
pub mod support;
