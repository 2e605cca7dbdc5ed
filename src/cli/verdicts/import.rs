//! `benchtop verdicts import`: imports verdicts and comments from other tools and other projects.

use std::fmt::Write as _;
use std::path::PathBuf;

use serde_json::json;

use super::mapping::{Form, pair, words};
use crate::context::Context;
use crate::{import, merge, out};
use benchtop_model::verdict_interchange::{ImportedVerdicts, NameMapping};
use benchtop_model::{Error, Result, clean};
use benchtop_protocol::wire::request;

/// Maximum number of skipped verdicts in the text output.
const SHOWN: usize = 20;

#[derive(clap::Args)]
pub struct Args {
    /// File to import
    file: PathBuf,
    /// Format of the file [default: detected]
    #[arg(long, value_enum)]
    format: Option<Form>,
    /// Map an email in the file to an annotator (repeatable)
    #[arg(long, value_name = "EMAIL=NAME", value_parser = pair)]
    map: Vec<(String, String)>,
    /// Map a choice in the file to a verdict or reason (repeatable)
    #[arg(long, value_name = "CHOICE=VERDICT", value_parser = pair)]
    choice: Vec<(String, String)>,
    /// Field of the Label Studio task data with the item's id [default: item]
    #[arg(long, value_name = "NAME")]
    item_field: Option<String>,
    /// Data set of the Label Studio tasks, if several data sets have the same item numbers
    #[arg(long, value_name = "NAME")]
    dataset: Option<String>,
    /// Show what would be imported, without importing it
    #[arg(long)]
    dry_run: bool,
    /// Print the report as one JSON object
    #[arg(long)]
    json: bool,
}

pub(super) fn run(context: &Context, args: &Args) -> Result<u8> {
    let file = std::path::absolute(&args.file)
        .map_err(|e| Error::io(&e, "cannot find the file", &args.file))?;
    let words = words(&args.map, &args.choice);
    let words = NameMapping {
        item_field: args.item_field.clone(),
        dataset: args.dataset.clone(),
        ..words
    };
    let form = args.format.map(Into::into);
    let ask = request::TakeVerdicts {
        file,
        form,
        words: Box::new(words),
        dry: args.dry_run,
    };
    let taken = import::waited(&context.client()?, ask, !args.json)?;
    let value = value(&taken, args.dry_run);
    out::report(args.json, &value, || text(&taken, args.dry_run))?;
    // A file without a single usable record is a failure.
    let comments = &taken.comments;
    let usable = taken.added + taken.known + comments.added + comments.updated + comments.known;
    Ok(u8::from(taken.read + comments.read > 0 && usable == 0))
}

fn value(taken: &ImportedVerdicts, dry: bool) -> serde_json::Value {
    json!({
        "dry_run": dry, "format": taken.form.name(), "read": taken.read, "added": taken.added, "known": taken.known,
        "comments": taken.comments, "aside": taken.aside, "conflicts": taken.conflicts.iter().map(merge::conflict).collect::<Vec<_>>(),
        "notes": taken.notes,
    })
}

fn text(taken: &ImportedVerdicts, dry: bool) -> String {
    let verb = if dry { "would add" } else { "added" };
    let mut text = format!(
        "read {} as {}: {verb} {}, {} already in the project, {} set aside\n",
        out::count(taken.read, "verdict"),
        taken.form.name(),
        taken.added,
        taken.known,
        taken.aside.len()
    );
    let comments = &taken.comments;
    if comments.read > 0 {
        let _ = writeln!(
            text,
            "read {}: {verb} {}, {} changed since their import, {} already in the project",
            out::count(comments.read, "comment"),
            comments.added,
            comments.updated,
            comments.known
        );
    }
    for left in taken.aside.iter().take(SHOWN) {
        let about = [left.who.as_str(), left.item.as_str()]
            .into_iter()
            .filter(|part| !part.is_empty());
        let about = about.collect::<Vec<_>>().join(" on ");
        let about = if about.is_empty() {
            String::new()
        } else {
            format!(": {about}")
        };
        let _ = writeln!(
            text,
            "  {}",
            clean::line(&format!("{}{about}: {}", left.place, left.why))
        );
    }
    merge::rest(&mut text, taken.aside.len(), "set aside");
    merge::conflicts(&mut text, &taken.conflicts);
    for note in &taken.notes {
        let _ = writeln!(text, "note: {}", clean::line(note));
    }
    text
}
