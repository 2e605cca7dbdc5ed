//! The beginning of a file, by which its format is detected.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use serde_json::Value;

use super::input::open;
use super::records::Record;
use super::rows::Tally;
use super::rows::object::Object;
use benchtop_model::Error;

/// Number of bytes that are searched for the members of an object that is a whole file.
const MEMBERS: u64 = 64 << 20;

/// The beginning of a file.
pub enum Head<'a> {
    /// The members so far of a JSON object that may be a whole file.
    Members(&'a mut Members),
    /// The first of several JSON records.
    Record(&'a Record),
    /// The columns of a table, or the fields of a JSON record that no format recognizes as such.
    Columns(&'a [String]),
    /// A zip archive that is not a spreadsheet.
    Archive(&'a Path),
}

/// What a format says about a file. The first that is sure decides. A format that reads the value of
/// a member takes it: it has to know the member by its name, because later formats find no value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Detection {
    No,
    Sure,
    /// It belongs to the format, but benchtop does not read it.
    Refused(Error),
}

impl From<bool> for Detection {
    fn from(sure: bool) -> Detection {
        if sure { Detection::Sure } else { Detection::No }
    }
}

impl Detection {
    /// A refusal, with a way out.
    pub(super) fn refused(what: &str, help: &str) -> Detection {
        Detection::Refused(Error::input(what).help(help))
    }
}

impl Head<'_> {
    /// Whether this is a record with all these fields.
    pub(super) fn has_fields(&self, names: &[&str]) -> bool {
        matches!(self, Head::Record(record) if names.iter().all(|n| record.contains_key(*n)))
    }

    /// Whether these are columns that include all of `names`.
    pub(super) fn has_columns(&self, names: &[&str]) -> bool {
        matches!(self, Head::Columns(columns) if all(columns, names))
    }

    /// Whether this is an object that has all these members so far.
    pub(super) fn has_members(&self, names: &[&str]) -> bool {
        matches!(self, Head::Members(members) if all(&members.names, names))
    }

    /// Whether this is an object whose first member has this name.
    pub(super) fn begins_with(&self, name: &str) -> bool {
        matches!(self, Head::Members(members) if members.names == [name])
    }
}

fn all(names: &[String], wanted: &[&str]) -> bool {
    wanted.iter().all(|n| names.iter().any(|name| name == n))
}

/// The members of a JSON object up to the one that was read last, whose value follows.
pub struct Members {
    names: Vec<String>,
    object: Object<Box<dyn BufRead + Send>>,
    /// Whether a format has looked at the value, after which no members are read.
    is_looked_at: bool,
}

impl Members {
    /// The members of the file at `path`, if it is an object.
    pub(super) fn open(path: &Path) -> Option<Members> {
        let input: Box<dyn BufRead + Send> =
            Box::new(BufReader::new(open(path).ok()?.take(MEMBERS)));
        Some(Members {
            names: Vec::new(),
            object: Object::new(input).ok()?,
            is_looked_at: false,
        })
    }

    /// Reads the next name. Returns whether there is one.
    pub(super) fn advance(&mut self) -> bool {
        if self.is_looked_at || (!self.names.is_empty() && self.object.skip().is_err()) {
            return false;
        }
        match self.object.next_name() {
            Ok(Some(name)) => self.names.push(name),
            _ => return false,
        }
        true
    }

    /// The value of the last member.
    pub(super) fn value(&mut self) -> Option<Value> {
        self.is_looked_at = true;
        self.object.take().ok()
    }

    /// The first element of the last member, if that has the name `name` and is an array of
    /// objects.
    pub(super) fn first_of(&mut self, name: &str) -> Option<Record> {
        if self.names.last()? != name || !self.object.enter(b'[').unwrap_or(true) {
            return None;
        }
        self.is_looked_at = true;
        Some(self.object.element(&mut Tally::default()).ok()??.1)
    }
}
