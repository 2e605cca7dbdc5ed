//! VLMEvalKit's tables: `DATASET.tsv`, with embedded pictures.

use super::files::Out;
use super::format::{Answers, Export, Kind, TableSink, Tables};
use benchtop_formats::out::{Load, Table};
use benchtop_model::{Item, Result};

pub static VLMEVALKIT: Export = Export {
    name: "vlmevalkit",
    summary: "VLMEvalKit's tables: DATASET.tsv, with embedded pictures",
    answers: Answers::OnRequest,
    kind: Kind::Tables(Tables {
        separates_options: true,
        without_picture: "; VLMEvalKit skips them",
        begin: |start| {
            let out = start.create_on_top(&format!("{}.tsv", start.name))?;
            let table = Table::new(out, start.survey.clone(), start.dataset, false)?;
            Ok(Box::new(table))
        },
    }),
    ..Export::TABLES
};

impl TableSink for Table<Out> {
    fn push(&mut self, item: &Item, load: Load<'_>) -> Result<bool> {
        Table::push(self, item, load)
    }

    fn finish(self: Box<Self>) -> Result<Out> {
        Ok(Table::finish(*self))
    }
}
