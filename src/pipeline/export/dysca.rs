//! Dysca's JSON.

use super::files::{Out, Renames, flush};
use super::format::{Answers, Export, ItemSink, Kind};
use benchtop_formats::{DyscaWriter, NestedWriter};
use benchtop_model::{Form, Item, Result};

pub static DYSCA: Export = Export {
    name: "dysca",
    summary: "Dysca's JSON",
    takes: |form| matches!(form, Form::Dysca | Form::DyscaNested | Form::Plain),
    nests: true,
    marks_drafts: true,
    answers: Answers::No,
    kind: Kind::File(|out, nested| match nested {
        true => Box::new(NestedWriter::new(out)),
        false => Box::new(DyscaWriter::new(out)),
    }),
};

impl ItemSink for DyscaWriter<Out> {
    fn push(&mut self, item: &Item, _: &mut Renames) -> Result<()> {
        DyscaWriter::push(self, item)
    }

    fn finish(self: Box<Self>) -> Result<()> {
        flush(DyscaWriter::finish(*self)?)
    }
}

impl ItemSink for NestedWriter<Out> {
    fn push(&mut self, item: &Item, _: &mut Renames) -> Result<()> {
        NestedWriter::push(self, item)
    }

    fn finish(self: Box<Self>) -> Result<()> {
        flush(NestedWriter::finish(*self)?)
    }
}
