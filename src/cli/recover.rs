//! `benchtop recover`: imports that the manifest no longer names.

use serde_json::json;

use crate::context::Context;
use crate::out::print;
use benchtop_model::history::stamp;
use benchtop_model::{Error, ErrorKind, Result};
use benchtop_owner::clock::now;
use benchtop_protocol::lock;
use benchtop_store::recover::{self, From, Recovery, Said};

/// Arguments of `recover`.
#[derive(clap::Args)]
pub struct Args {
    /// Only these segments, by their names below imports/; all of them otherwise
    #[arg(value_name = "SEGMENT")]
    only: Vec<String>,
    /// Take them in; without it only what would be done is said
    #[arg(long)]
    apply: bool,
    /// Whose answers they are, for answers whose line is gone
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
    /// Which data set is answered, for answers whose line is gone; worked out as at an import otherwise
    #[arg(long, value_name = "NAME")]
    dataset: Option<String>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Runs it.
///
/// # Errors
/// When the project is open and this is to change it; the operating system's.
pub fn run(context: &Context, args: &Args) -> Result<u8> {
    let project = context.project()?;
    let imports = project.imports();
    let said = Said {
        model: args.model.clone(),
        dataset: args.dataset.clone(),
        only: args.only.clone(),
    };
    // Held while the manifest is written: an owner would go on with the old one.
    let _lock = if args.apply {
        let open = || {
            Error::new(
                ErrorKind::Conflict,
                "the project is open, and its owner has the manifest in memory",
            )
        };
        Some(lock::take(&project)?.ok_or_else(|| open().help("`benchtop stop`, then try again"))?)
    } else {
        None
    };
    let found = recover::look(&imports, &said, &stamp(now()))?;
    let aside = if args.apply && !found.is_empty() {
        recover::apply(&imports, &found)?
    } else {
        None
    };
    if args.json {
        let value = json!({
            "applied": args.apply && !found.is_empty(), "lines": found.lines, "segments": found.segments,
            "entries": found.entries, "before": aside,
        });
        print(&format!("{value}\n"))?;
    } else {
        print(&words(&found, args.apply))?;
        if let Some(aside) = aside {
            print(&format!("the manifest as it was is {}\n", aside.display()))?;
        }
    }
    Ok(0)
}

fn words(found: &Recovery, applied: bool) -> String {
    if found.is_empty() {
        return "every line of the manifest can be read, and every segment is named by one\n"
            .into();
    }
    let mut out = String::new();
    for line in &found.lines {
        out.push_str(&format!(
            "line {} of the manifest is damaged: {}\n",
            line.line, line.problem.what
        ));
        for file in &line.missing {
            out.push_str(&format!(
                "  it names {file}, which is not there or not what it says\n"
            ));
        }
        if !line.explained && line.missing.is_empty() {
            out.push_str("  what it named cannot be read from it; see the segments below\n");
        }
    }
    for orphan in &found.segments {
        let what = match (&orphan.part, &orphan.problem) {
            (Some(part), _) => format!("{} rows, {}", part.rows, recover::words(&part.holds)),
            (None, Some(problem)) => {
                let help = problem
                    .help
                    .as_ref()
                    .map(|help| format!(" ({help})"))
                    .unwrap_or_default();
                format!("stays where it is: {}{help}", problem.what)
            }
            (None, None) => String::new(),
        };
        let from = match orphan.from {
            Some(From::MendedLine) => "; from its line, with one bit turned back",
            Some(From::DamagedLine) => "; from its damaged line: look whether its names are right",
            Some(From::Segment) => "; from the segment itself",
            None => "",
        };
        out.push_str(&format!("{}: {what}{from}\n", orphan.file));
    }
    let numbers: Vec<String> = found.entries.iter().map(|e| e.n.to_string()).collect();
    if !numbers.is_empty() {
        let word = if applied {
            "taken in as"
        } else {
            "--apply takes them in as"
        };
        out.push_str(&format!("{word} import {}\n", numbers.join(", ")));
    } else if !applied && !found.lines.is_empty() {
        out.push_str("--apply sets the manifest aside and leaves the damaged lines out, so that imports go on\n");
    }
    out
}
