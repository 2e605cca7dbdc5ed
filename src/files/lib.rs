//! Floor 2: the project folder, and safe file access.
//!
//! [`project`] creates, finds, and opens a project. [`inspect`] and [`writable`] check its folders.
//! [`disk`] writes files that survive a crash. [`regular`] reads project files without following
//! links. [`bounded`] reads files that a person names. [`picture_file`] checks a picture against
//! its hash.

pub mod bounded;
pub mod disk;
pub mod inspect;
pub mod metadata_folder;
pub mod picture_file;
pub mod project;
pub mod regular;
pub mod writable;
