//! Floor 2: the project folder, and safe file access.
//!
//! | module | contents |
//! |---|---|
//! | [`bounded`] | reads files that a person names, with a size limit |
//! | [`disk`] | atomic writes of files that survive a crash |
//! | [`inspect`] | checks a project folder for links and for private folders that others can read |
//! | [`metadata_folder`] | lists the metadata files of a project, and writes the shipped ones |
//! | [`picture_file`] | reads a picture file and checks it against its hash |
//! | [`project`] | creates, finds, and opens projects, and checks their owner |
//! | [`recent`] | the projects that a person opened last |
//! | [`regular`] | opens regular files of a project without following links |
//! | [`share`] | groups and modes of a project's files |
//! | [`writable`] | whether a project can be written |

pub mod bounded;
pub mod disk;
pub mod inspect;
pub mod metadata_folder;
pub mod picture_file;
pub mod project;
pub mod recent;
pub mod regular;
pub mod share;
pub mod writable;
