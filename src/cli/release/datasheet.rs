//! `benchtop release datasheet`.

use serde_json::json;

use crate::context::Context;
use crate::out;
use benchtop_model::{Error, Result, clean};
use benchtop_pipeline::release::datasheet::{Datasheet, answers_path};
use benchtop_pipeline::release::questions;

#[derive(clap::Args)]
pub struct Args {
    /// Write metadata/datasheet-answers.toml with all questions, to be filled in an editor
    #[arg(long)]
    write: bool,
    /// Print the questions and answers as one JSON object
    #[arg(long)]
    json: bool,
}

pub fn run(context: &Context, args: &Args) -> Result<u8> {
    let project = context.project()?;
    let path = answers_path(&project);
    if args.write && !Datasheet::read(&project)?.write_answers(&project)? {
        return Err(Error::conflict("the answers exist, and are never replaced")
            .file(path)
            .help("edit the file"));
    }
    let questions = questions(&project)?;
    let value = json!({ "answers": path, "questions": questions });
    out::report(args.json, &value, || {
        let mut text = String::new();
        for question in &questions {
            let state = if question.answer.is_some() {
                "answered"
            } else {
                "open"
            };
            text += &format!(
                "{state}\t{}\t{}\n",
                clean::line(&question.key),
                clean::line(&question.ask)
            );
        }
        text += &format!("answers: {}\n", clean::line(&path.to_string_lossy()));
        text
    })
}
