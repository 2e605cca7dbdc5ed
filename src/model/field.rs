//! The properties of items to show, filter, sort, group, and describe: one row each.

use std::borrow::Cow;
use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::image::Rights;
use crate::item::Item;

/// Where the values of a field come from.
#[derive(Clone, Copy)]
pub enum Source {
    /// The item's number.
    Number,
    /// The status.
    Status,
    /// The time of the last verdict.
    Judged,
    /// The number of comments.
    Comments,
    /// The question type.
    Type,
    /// A name that many items share. The store has a column of it. Empty without a value.
    Name(fn(&Item) -> &str),
    /// A few such names, joined by [`JOINED`]. A filter matches an item that has the name among
    /// them.
    Names(fn(&Item) -> String),
    /// A text of its own. The store reads it from the item.
    Text(fn(&Item) -> &str),
}

/// A row of the table of fields.
pub struct FieldRow {
    /// The name in filters, tables, and JSON.
    pub name: &'static str,
    /// What it is, for the reference in `docs/cli.md`.
    pub help: &'static str,
    pub source: Source,
    /// The width of its list column.
    pub width: u16,
    /// The greatest width that values widen the column to; 0 if the width is fixed.
    pub widest: u16,
    /// The order in which columns hide on narrow screens, from 1; 0 if the column stays.
    pub hides: u8,
}

/// What joins the names of a field with several.
pub const JOINED: &str = "; ";

macro_rules! fields {
    ($($(#[doc = $help:literal])+ $field:ident: $name:literal, $source:expr, $width:literal, $widest:literal, $hides:literal;)+) => {
        /// A property of an item to show, filter, or sort by.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        pub enum Field {
            $($(#[doc = $help])+ $field,)+
        }

        impl Field {
            /// All fields, in the column order of the list.
            pub const ALL: [Field; [$($name),+].len()] = [$(Field::$field),+];

            /// The row of this field.
            pub const fn row(self) -> FieldRow {
                match self {
                    $(Field::$field => FieldRow {
                        name: $name,
                        help: concat!($($help),+),
                        source: $source,
                        width: $width,
                        widest: $widest,
                        hides: $hides,
                    },)+
                }
            }
        }
    };
}

use Source::{Comments, Judged, Name, Names, Number, Status, Text, Type};

/// Different texts about the pictures of an item, joined.
fn of_pictures<'i>(item: &'i Item, of: fn(&'i Rights) -> &'i [String]) -> String {
    let rights = item.images.iter().filter_map(|image| image.rights.as_ref());
    let found: BTreeSet<&str> = rights.flat_map(|r| of(r)).map(String::as_str).collect();
    found.into_iter().collect::<Vec<_>>().join(JOINED)
}

fields! {
    // name in filters, source, width and greatest width of the list column, order of hiding
    /// position in the project, from 1, as in receipts: `#1423`
    Number: "number", Number, 8, 0, 0;
    /// `pending`, `accepted`, `rejected`, `to-fix`, `flagged`, or `skipped`
    Status: "status", Status, 8, 0, 0;
    /// `DATASET/KEY`. A filter matches exactly this id
    Id: "id", Text(|item| &item.id), 16, 26, 0;
    /// data set
    Dataset: "dataset", Name(|item| &item.dataset), 10, 16, 1;
    /// subtask
    Subtask: "subtask", Name(|item| item.subtask.as_deref().unwrap_or_default()), 10, 16, 0;
    /// `multiple-choice`, `true-false`, `yes-no`, or `free-form`
    Type: "type", Type, 10, 10, 0;
    /// level
    Level: "level", Name(|item| item.level.as_deref().unwrap_or_default()), 8, 12, 6;
    /// style of the picture
    Style: "style", Name(|item| item.style.as_deref().unwrap_or_default()), 12, 16, 5;
    /// side of an image pair: `natural`, `manipulated`, or `cross`
    Side: "side", Name(|item| item.pair.as_ref().map_or("", |pair| pair.side.name())), 12, 12, 3;
    /// variant: Dysca's scenario, VLB's strategies, MM-SAP's shuffle
    Variant: "variant", Name(|item| item.variant.as_ref().map_or("", |variant| &variant.name)), 12, 12, 4;
    /// licenses of the pictures
    License: "license", Names(|item| of_pictures(item, |rights| rights.license.as_slice())), 10, 16, 7;
    /// kinds of sensitive content of the pictures, such as `celebrity` or `violence`
    Sensitivity: "sensitivity", Names(|item| of_pictures(item, |rights| &rights.sensitivity)), 12, 16, 8;
    /// time of the last verdict. A filter takes `yes`, `no` (no verdict), or a day in UTC: `2026-11-20`, `<2026-11-20`, `>=2026-11-20`, `2026-11-01..2026-11-20`
    Judged: "judged", Judged, 19, 0, 2;
    /// number of comments. A filter takes `yes`, `no`, `open` (some are not resolved), or `resolved`
    Comments: "comments", Comments, 8, 0, 7;
    /// text of the question. A filter matches questions that contain the value
    Question: "question", Text(|item| &item.question), 30, 0, 0;
}

impl Field {
    /// The name in filters, tables, and JSON.
    pub const fn name(self) -> &'static str {
        self.row().name
    }

    /// The field with this [`name`](Self::name).
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|f| f.name() == name)
    }

    /// Whether its values are names that many items share.
    pub const fn is_named(self) -> bool {
        matches!(self.row().source, Name(_) | Names(_))
    }

    /// Whether items can be grouped by it: each value is one of few.
    pub const fn is_group(self) -> bool {
        matches!(self.row().source, Name(_) | Names(_) | Type)
    }

    /// The names of the fields that items can be grouped by.
    pub fn groups() -> Vec<&'static str> {
        let fields = Self::ALL.into_iter().filter(|field| field.is_group());
        fields.map(Field::name).collect()
    }

    /// Its position among [`ALL`](Self::ALL), which is its column in the list.
    pub const fn place(self) -> usize {
        self as usize
    }

    /// The value of an item; empty if the item has none or does not contain it.
    pub fn of(self, item: &Item) -> Cow<'_, str> {
        match self.row().source {
            Name(of) | Text(of) => of(item).into(),
            Names(of) => of(item).into(),
            Type => item.kind.name().into(),
            Number | Status | Judged | Comments => "".into(),
        }
    }

    /// Whether a `value` of this field is, or contains, the name `wanted`.
    pub fn has(self, value: &str, wanted: &str) -> bool {
        match self.row().source {
            Names(_) => value == wanted || value.split(JOINED).any(|name| name == wanted),
            _ => value == wanted,
        }
    }
}

/// Number of fields whose values are names.
pub const NAMES: usize = {
    let (mut at, mut found) = (0, 0);
    while at < Field::ALL.len() {
        found += Field::ALL[at].is_named() as usize;
        at += 1;
    }
    found
};

/// The fields whose values are names, in the order of their columns in the store.
pub const NAMED: [Field; NAMES] = {
    let (mut at, mut next, mut found) = (0, 0, [Field::Dataset; NAMES]);
    while at < Field::ALL.len() {
        if Field::ALL[at].is_named() {
            found[next] = Field::ALL[at];
            next += 1;
        }
        at += 1;
    }
    found
};
