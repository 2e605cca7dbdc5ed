//! The integration tests, one module a folder.
