//! The integration tests, one module a folder.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod conformance;
mod frames;
