//! The error type of the program: what was wrong, where, and what to do about it.

use std::fmt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::clean;

pub type Result<T> = std::result::Result<T, Error>;

/// Class of an error. Scripts see it as the exit code and as `kind` in JSON output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorKind {
    /// Malformed command line or message (exit code 2).
    Usage,
    /// Invalid input: a wrong type, an unknown question type, a duplicate id, a path outside the
    /// project.
    Input,
    /// Something asked for does not exist.
    NotFound,
    /// The data changed in the meantime, or somebody else holds it.
    Conflict,
    /// Permission denied, or a read-only folder.
    Denied,
    /// No space left on the device. Nothing was acknowledged.
    DiskFull,
    /// Any other I/O error.
    Io,
    /// Stored data does not match its checksum.
    Corrupt,
    /// The owner is not reachable.
    Unreachable,
    /// Canceled by the user.
    Cancelled,
}

/// The location of an error. Every part is optional.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Location {
    /// The file, as the user named it.
    pub file: Option<PathBuf>,
    /// Line in that file, from 1. For a JSON array, the line on which the element begins.
    pub line: Option<u64>,
    /// The field of the record.
    pub field: Option<String>,
}

/// An error with its location and advice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Error {
    pub kind: ErrorKind,
    /// What was wrong, in one sentence without a full stop.
    pub what: String,
    pub place: Location,
    /// What to do about it.
    pub help: Option<String>,
}

impl Error {
    /// An error without a location.
    pub fn new(kind: ErrorKind, what: impl Into<String>) -> Self {
        Error {
            kind,
            what: what.into(),
            place: Location::default(),
            help: None,
        }
    }

    /// An error of kind [`ErrorKind::Usage`].
    pub fn usage(what: impl Into<String>) -> Self {
        Self::new(ErrorKind::Usage, what)
    }

    /// An error of kind [`ErrorKind::Input`].
    pub fn input(what: impl Into<String>) -> Self {
        Self::new(ErrorKind::Input, what)
    }

    /// An error of kind [`ErrorKind::NotFound`].
    pub fn not_found(what: impl Into<String>) -> Self {
        Self::new(ErrorKind::NotFound, what)
    }

    /// An error of kind [`ErrorKind::Conflict`].
    pub fn conflict(what: impl Into<String>) -> Self {
        Self::new(ErrorKind::Conflict, what)
    }

    /// An error of kind [`ErrorKind::Denied`].
    pub fn denied(what: impl Into<String>) -> Self {
        Self::new(ErrorKind::Denied, what)
    }

    /// An error of kind [`ErrorKind::Io`] that is not the operating system's.
    pub fn failed(what: impl Into<String>) -> Self {
        Self::new(ErrorKind::Io, what)
    }

    /// An error of kind [`ErrorKind::Corrupt`].
    pub fn corrupt(what: impl Into<String>) -> Self {
        Self::new(ErrorKind::Corrupt, what)
    }

    /// An error of kind [`ErrorKind::Unreachable`].
    pub fn unreachable(what: impl Into<String>) -> Self {
        Self::new(ErrorKind::Unreachable, what)
    }

    /// An error of kind [`ErrorKind::Cancelled`].
    pub fn cancelled(what: impl Into<String>) -> Self {
        Self::new(ErrorKind::Cancelled, what)
    }

    /// An I/O error on `path`. The kind follows from the operating system's error.
    pub fn io(err: &std::io::Error, doing: &str, path: &Path) -> Self {
        use std::io::ErrorKind as E;
        let kind = match err.kind() {
            E::NotFound => ErrorKind::NotFound,
            E::PermissionDenied | E::ReadOnlyFilesystem => ErrorKind::Denied,
            E::StorageFull | E::QuotaExceeded | E::FileTooLarge => ErrorKind::DiskFull,
            _ => ErrorKind::Io,
        };
        let problem = Error::new(kind, format!("{doing}: {err}")).file(path);
        match kind {
            ErrorKind::DiskFull => {
                problem.help("free some space; everything that was acknowledged is safe")
            }
            ErrorKind::Denied => problem.help("check the owner and the permissions of the folder"),
            _ => problem,
        }
    }

    /// Sets the file, unless it is already set.
    pub fn file(mut self, file: impl Into<PathBuf>) -> Self {
        self.place.file.get_or_insert_with(|| file.into());
        self
    }

    /// Sets the line (from 1), unless it is already set.
    pub fn line(mut self, line: u64) -> Self {
        self.place.line.get_or_insert(line);
        self
    }

    /// Sets the field, unless it is already set.
    pub fn field(mut self, field: impl Into<String>) -> Self {
        self.place.field.get_or_insert_with(|| field.into());
        self
    }

    /// Sets the advice.
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// The exit code of the process: 2 for usage errors, 1 for all others.
    pub fn exit_code(&self) -> u8 {
        if self.kind == ErrorKind::Usage { 2 } else { 1 }
    }
}

/// Writes one line, and one more with the help. Quoted text is cleaned.
impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.place.file {
            write!(f, "{}", clean::line(&file.to_string_lossy()))?;
            if let Some(line) = self.place.line {
                write!(f, ":{line}")?;
            }
            write!(f, ": ")?;
        } else if let Some(line) = self.place.line {
            write!(f, "line {line}: ")?;
        }
        if let Some(field) = &self.place.field {
            write!(f, "field `{}`: ", clean::line(field))?;
        }
        write!(f, "{}", clean::line(&self.what))?;
        if let Some(help) = &self.help {
            write!(f, "\n  help: {}", clean::line(help))?;
        }
        Ok(())
    }
}

impl std::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn display_cleans_quoted_text() {
        let problem = Error::input("`\u{1b}]52;c;x\u{7}\nbenchtop: done` is no \u{202e}word")
            .file("a\u{9b}31m\n.csv")
            .line(3)
            .field("x\u{2028}y")
            .help("there are: p\u{7f}\n  help: run this");
        let said = "a·31m .csv:3: field `x·y`: `·]52;c;x· benchtop: done` is no ·word\n  help: there are: p·   help: run this";
        assert_eq!(problem.to_string(), said);
    }
}
