//! `benchtop verdicts import`: verdicts of other tools, and of other projects.

use std::fmt::Write as _;
use std::path::PathBuf;

use serde_json::json;

use super::Form;
use crate::context::Context;
use crate::out::print;
use crate::{import, merge, out};
use benchtop_model::verdict_interchange::{Taken, Words};
use benchtop_model::{Error, Result, clean};
use benchtop_protocol::wire::request;

/// Verdicts set aside that are named where a person reads.
const SHOWN: usize = 20;

/// Arguments of `verdicts import`.
#[derive(clap::Args)]
pub struct Args {
    /// The file
    file: PathBuf,
    /// Its form; told by its beginning otherwise
    #[arg(long, value_enum)]
    format: Option<Form>,
    /// Who somebody in the file is, as often as needed
    #[arg(long, value_name = "EMAIL=NAME", value_parser = super::pair)]
    map: Vec<(String, String)>,
    /// Which verdict or reason a choice in the file means, as often as needed
    #[arg(long, value_name = "CHOICE=VERDICT", value_parser = super::pair)]
    choice: Vec<(String, String)>,
    /// The field of a Label Studio task's data that holds the item's id; `item` otherwise
    #[arg(long, value_name = "NAME")]
    item_field: Option<String>,
    /// The data set that the tasks of a Label Studio file are of, where several have an item of the same number
    #[arg(long, value_name = "NAME")]
    dataset: Option<String>,
    /// Say what it would come to, and take nothing
    #[arg(long)]
    dry_run: bool,
    /// Print the report as one JSON object
    #[arg(long)]
    json: bool,
}

/// Runs it.
///
/// # Errors
/// A file that cannot be read or is of another form; then nothing is taken.
pub(super) fn run(context: &Context, args: &Args) -> Result<u8> {
    let file = std::path::absolute(&args.file)
        .map_err(|e| Error::io(&e, "cannot be found", &args.file))?;
    let words = super::words(&args.map, &args.choice);
    let words = Words {
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
    print(&if args.json {
        out::json_text(&value(&taken, args.dry_run))
    } else {
        text(&taken, args.dry_run)
    })?;
    // Whoever imports wants verdicts: a file of which nothing landed is a failure, whatever the reasons.
    Ok(u8::from(taken.read > 0 && taken.added + taken.known == 0))
}

fn value(taken: &Taken, dry: bool) -> serde_json::Value {
    json!({
        "dry_run": dry, "format": taken.form.name(), "read": taken.read, "added": taken.added, "known": taken.known,
        "aside": taken.aside, "conflicts": taken.conflicts.iter().map(merge::conflict).collect::<Vec<_>>(),
        "notes": taken.notes,
    })
}

fn text(taken: &Taken, dry: bool) -> String {
    let would = if dry { "would be added" } else { "added" };
    let mut out = format!(
        "{} verdicts read as {}: {} {would}, {} were there already, {} set aside\n",
        taken.read,
        taken.form.name(),
        taken.added,
        taken.known,
        taken.aside.len()
    );
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
            out,
            "  {}",
            clean::line(&format!("{}{about}: {}", left.place, left.why))
        );
    }
    merge::rest(&mut out, taken.aside.len(), "set aside");
    merge::conflicts(&mut out, &taken.conflicts);
    for note in &taken.notes {
        let _ = writeln!(out, "note: {}", clean::line(note));
    }
    out
}
