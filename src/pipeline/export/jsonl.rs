//! benchtop's own format: one item per line.

use super::files::{Out, Renames, flush};
use super::format::{Answers, Export, ItemSink, Kind};
use benchtop_formats::jsonl;
use benchtop_model::{Item, Result};

pub static JSONL: Export = Export {
    name: "jsonl",
    summary: "benchtop's JSONL: one item per line",
    takes: |_| true,
    nests: false,
    marks_drafts: false,
    answers: Answers::No,
    kind: Kind::File(|out, _, _| Box::new(Lines(out))),
    file_beside: |_, _, _| None,
};

struct Lines(Out);

impl ItemSink for Lines {
    fn push(&mut self, item: &Item, _: &mut Renames) -> Result<()> {
        jsonl::write(item, &mut self.0)
    }

    fn finish(self: Box<Self>) -> Result<()> {
        flush(self.0)
    }
}
