//! MVP-Bench's folder: `data/` and `model_prediction/`.

use std::path::{Path, PathBuf};

use super::files::{Out, Renames, create, flush};
use super::format::{Answers, Export, ItemSink, Kind};
use benchtop_formats::write_question;
use benchtop_model::{Form, Item, Result};

pub static MVP: Export = Export {
    name: "mvp",
    summary: "MVP-Bench's folder of questions, rotations, and predictions",
    takes: |form| matches!(form, Form::Mvp | Form::MvpCircular),
    nests: false,
    marks_drafts: true,
    answers: Answers::Always,
    kind: Kind::Folder {
        begin: |dir| {
            Box::new(Folder {
                dir: dir.to_path_buf(),
                questions: None,
                rotations: None,
            })
        },
        pictures: "data",
    },
    file_beside: |_, _, _| None,
};

struct Folder {
    dir: PathBuf,
    questions: Option<Out>,
    rotations: Option<Out>,
}

impl ItemSink for Folder {
    fn push(&mut self, item: &Item, renames: &mut Renames) -> Result<()> {
        let (slot, name) = if item.form == Form::MvpCircular {
            (&mut self.rotations, "data/mcq_questions.json")
        } else {
            (&mut self.questions, "data/all_questions.json")
        };
        let out = match slot {
            Some(out) => out,
            None => slot.insert(create(&self.dir.join(name), renames)?),
        };
        write_question(item, out)
    }

    fn answers(&self, model: &str, form: Form, evaluated: bool) -> Option<PathBuf> {
        // A name given by hand is not a path.
        let model = model.replace(['/', '\\'], "_");
        let name = match (form, evaluated) {
            (Form::MvpCircular, _) => format!("mcq_{model}.jsonl"),
            (_, true) => format!("{model}_evaluated.jsonl"),
            (_, false) => format!("{model}.jsonl"),
        };
        Some(Path::new(&self.dir).join("model_prediction").join(name))
    }

    fn finish(self: Box<Self>) -> Result<()> {
        let mut outs = [self.questions, self.rotations].into_iter().flatten();
        outs.try_for_each(flush)
    }
}
