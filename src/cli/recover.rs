//! `benchtop recover`: restores imports that the manifest no longer lists.

use serde_json::json;

use crate::context::Context;
use crate::out::{count, print};
use benchtop_model::history::stamp;
use benchtop_model::{Error, ErrorKind, Result};
use benchtop_owner::clock::now;
use benchtop_protocol::lock;
use benchtop_store::recover::{self, Hints, Recovery, Source};

#[derive(clap::Args)]
pub struct Args {
    /// Segments to restore, by their names below imports/ [default: all]
    #[arg(value_name = "SEGMENT")]
    only: Vec<String>,
    /// Restore the imports; without it, only show what would be restored
    #[arg(long)]
    apply: bool,
    /// Model of answers whose manifest line is lost
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
    /// Data set of answers whose manifest line is lost [default: detected as in an import]
    #[arg(long, value_name = "NAME")]
    dataset: Option<String>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub fn run(context: &Context, args: &Args) -> Result<u8> {
    let project = context.project()?;
    let imports = project.imports();
    let hints = Hints {
        model: args.model.clone(),
        dataset: args.dataset.clone(),
        only: args.only.clone(),
    };
    // Locked while the manifest is written, because an owner would keep using the old one.
    let _lock = if args.apply {
        let open = || {
            Error::new(
                ErrorKind::Conflict,
                "the project is open: its owner process is running",
            )
        };
        Some(
            lock::take(&project)?
                .ok_or_else(|| open().help("run `benchtop stop`, then try again"))?,
        )
    } else {
        None
    };
    let found = recover::search(&imports, &hints, &stamp(now()))?;
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
            print(&format!(
                "the old manifest was saved as {}\n",
                aside.display()
            ))?;
        }
    }
    Ok(0)
}

fn words(found: &Recovery, applied: bool) -> String {
    if found.is_empty() {
        return "nothing to restore: the manifest is intact and lists every segment\n".into();
    }
    let mut out = String::new();
    for line in &found.lines {
        out.push_str(&format!(
            "line {} of the manifest is damaged: {}\n",
            line.line, line.problem.what
        ));
        for file in &line.missing {
            out.push_str(&format!(
                "  {file} is missing or does not match its checksum\n"
            ));
        }
        if !line.explained && line.missing.is_empty() {
            out.push_str("  its files are unknown; see the segments below\n");
        }
    }
    for orphan in &found.segments {
        let what = match (&orphan.part, &orphan.problem) {
            (Some(part), _) => format!(
                "{}, {}",
                count(part.rows, "row"),
                recover::describe_contents(&part.holds)
            ),
            (None, Some(problem)) => {
                let help = problem
                    .help
                    .as_ref()
                    .map(|help| format!(" ({help})"))
                    .unwrap_or_default();
                format!("not restored: {}{help}", problem.what)
            }
            (None, None) => String::new(),
        };
        let from = match orphan.from {
            Some(Source::MendedLine) => "; described by its manifest line, after repairing one bit",
            Some(Source::DamagedLine) => {
                "; described by its damaged manifest line: check the names"
            }
            Some(Source::Segment) => "; described by the segment itself",
            None => "",
        };
        out.push_str(&format!("{}: {what}{from}\n", orphan.file));
    }
    let numbers: Vec<String> = found.entries.iter().map(|e| e.n.to_string()).collect();
    if !numbers.is_empty() {
        let verb = if applied {
            "restored as"
        } else {
            "re-run with --apply to restore them as"
        };
        out.push_str(&format!("{verb} import {}\n", numbers.join(", ")));
    } else if !applied && !found.lines.is_empty() {
        out.push_str(
            "re-run with --apply to drop the damaged lines, so that imports work again; the old manifest is kept\n",
        );
    }
    out
}
