//! The one error type: what was wrong, where, and what to do about it.

use std::fmt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::clean;

/// Shorthand for results of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// What class of failure this is; scripts see it as the exit code and as `kind` in JSON output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorKind {
    /// The command line or a message was malformed (exit code 2).
    Usage,
    /// The input was read and refused: wrong type, unknown question type, duplicate id, path outside.
    Input,
    /// Something asked for does not exist.
    NotFound,
    /// Somebody else changed it first, or somebody else owns it.
    Conflict,
    /// The operating system said no: permissions, a read-only folder.
    Denied,
    /// No room left on the device; nothing was acknowledged.
    DiskFull,
    /// Any other input/output failure.
    Io,
    /// Stored data does not match its checksum.
    Corrupt,
    /// The owner cannot be reached, or went away.
    Unreachable,
    /// The work was cancelled by its user.
    Cancelled,
}

/// Where something was wrong. Every part is optional; lines count from 1.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Location {
    /// The file, as the user named it.
    pub file: Option<PathBuf>,
    /// Line in that file, from 1 (for a JSON array: the line its element begins on).
    pub line: Option<u64>,
    /// The field of that record.
    pub field: Option<String>,
}

/// An error a person can act on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Error {
    /// Class of the failure.
    pub kind: ErrorKind,
    /// What was wrong, in one sentence without a full stop.
    pub what: String,
    /// Where it was wrong.
    pub place: Location,
    /// What to do about it, when that is known.
    pub help: Option<String>,
}

impl Error {
    /// A problem of `kind` with a message and no place yet.
    pub fn new(kind: ErrorKind, what: impl Into<String>) -> Self {
        Error {
            kind,
            what: what.into(),
            place: Location::default(),
            help: None,
        }
    }

    /// Shorthand for [`ErrorKind::Input`].
    pub fn input(what: impl Into<String>) -> Self {
        Self::new(ErrorKind::Input, what)
    }

    /// An I/O error on `path`, its kind taken from the operating system's.
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
                problem.help("free some space; nothing that was not acknowledged has been kept")
            }
            ErrorKind::Denied => {
                problem.help("check who owns the folder and whether it may be written")
            }
            _ => problem,
        }
    }

    /// Adds the file, unless one is named already.
    pub fn file(mut self, file: impl Into<PathBuf>) -> Self {
        self.place.file.get_or_insert_with(|| file.into());
        self
    }

    /// Adds the line (from 1), unless one is named already.
    pub fn line(mut self, line: u64) -> Self {
        self.place.line.get_or_insert(line);
        self
    }

    /// Adds the field, unless one is named already.
    pub fn field(mut self, field: impl Into<String>) -> Self {
        self.place.field.get_or_insert_with(|| field.into());
        self
    }

    /// Adds what to do about it.
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// The process exit code: 2 for bad usage, 1 for everything refused.
    pub fn exit_code(&self) -> u8 {
        if self.kind == ErrorKind::Usage { 2 } else { 1 }
    }
}

/// One line, and one of help: what it quotes is cleaned.
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
    fn what_is_quoted_is_cleaned_and_begins_no_line() {
        let problem = Error::input("`\u{1b}]52;c;x\u{7}\nbenchtop: done` is no \u{202e}word")
            .file("a\u{9b}31m\n.csv")
            .line(3)
            .field("x\u{2028}y")
            .help("there are: p\u{7f}\n  help: run this");
        let said = "a·31m .csv:3: field `x·y`: `·]52;c;x· benchtop: done` is no ·word\n  help: there are: p·   help: run this";
        assert_eq!(problem.to_string(), said);
    }
}
