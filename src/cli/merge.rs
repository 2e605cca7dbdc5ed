//! `benchtop merge`: merges journals from other machines.

use std::fmt::Write as _;
use std::path::PathBuf;

use serde_json::json;

use super::{import, out};
use crate::context::Context;
use benchtop_model::history::{Conflict, ConflictingVerdict, Merged};
use benchtop_model::{Error, Result, clean, history};
use benchtop_protocol::wire::request;

/// Maximum number of conflicts and skipped decisions in the text output.
const SHOWN: usize = 20;

#[derive(clap::Args)]
#[command(after_help = "Examples:\n  benchtop merge ~/laptop/sessions/ann.jsonl --dry-run")]
pub struct Args {
    /// Journals of other machines (their `sessions/NAME.jsonl`)
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Show what would be merged, without merging it
    #[arg(long)]
    dry_run: bool,
    /// Print the report as one JSON object
    #[arg(long)]
    json: bool,
}

pub fn run(context: &Context, args: &Args) -> Result<u8> {
    let absolute = |path: &PathBuf| {
        std::path::absolute(path).map_err(|e| Error::io(&e, "cannot find the file", path))
    };
    let files = args
        .files
        .iter()
        .map(absolute)
        .collect::<Result<Vec<_>>>()?;
    let ask = request::Merge {
        files,
        dry: args.dry_run,
    };
    let merged = import::waited(&context.client()?, ask, !args.json)?;
    let value = value(&merged, args.dry_run);
    out::report(args.json, &value, || text(&merged, args.dry_run))?;
    Ok(u8::from(
        !merged.aside.is_empty() && merged.added + merged.known == 0,
    ))
}

fn value(merged: &Merged, dry: bool) -> serde_json::Value {
    json!({
        "dry_run": dry, "files": merged.files, "added": merged.added, "known": merged.known, "aside": merged.aside,
        "conflicts": merged.conflicts.iter().map(conflict).collect::<Vec<_>>(), "notes": merged.notes,
    })
}

/// A conflict as JSON.
pub(super) fn conflict(c: &Conflict) -> serde_json::Value {
    let side = |s: &ConflictingVerdict| json!({"who": s.who, "verdict": s.verdict, "at": history::stamp(s.at), "incoming": s.incoming});
    let verdicts: Vec<_> = c.verdicts.iter().map(side).collect();
    json!({"number": c.number, "item": c.item, "status": c.status, "verdicts": verdicts})
}

fn text(merged: &Merged, dry: bool) -> String {
    let mut out = String::new();
    for file in &merged.files {
        let path = file.path.display().to_string();
        let decisions = out::count(file.decisions, "decision");
        let _ = write!(out, "{}: {decisions}", clean::line(&path));
        if file.torn {
            out.push_str(", incomplete last line ignored");
        }
        if file.clock_back > 0 {
            let times = out::count(file.clock_back, "time");
            let _ = write!(out, ", its clock went back {times}");
        }
        out.push('\n');
        for line in file.damaged.iter().take(SHOWN) {
            let _ = writeln!(out, "  damaged: {}", clean::line(line));
        }
        rest(&mut out, file.damaged.len(), "damaged lines");
    }
    let verb = if dry { "would add" } else { "added" };
    let _ = writeln!(
        out,
        "{verb} {}, {} already in the project",
        out::count(merged.added, "decision"),
        merged.known
    );
    for aside in merged.aside.iter().take(SHOWN) {
        let (who, item, why) = (
            clean::line(&aside.who),
            clean::line(&aside.item),
            clean::line(&aside.why),
        );
        let _ = writeln!(out, "  set aside: {who} on {item}: {why}");
    }
    rest(&mut out, merged.aside.len(), "set aside");
    conflicts(&mut out, &merged.conflicts);
    out + &out::notes(&merged.notes)
}

/// Writes the items on which annotators disagree, up to [`SHOWN`].
pub(super) fn conflicts(out: &mut String, list: &[Conflict]) {
    if !list.is_empty() {
        let _ = writeln!(
            out,
            "conflicting verdicts on {}:",
            out::count(list.len(), "item")
        );
    }
    for conflict in list.iter().take(SHOWN) {
        let side = |s: &ConflictingVerdict| {
            format!(
                "{} {}{}",
                s.who,
                s.verdict.name(),
                if s.incoming { " (from a file)" } else { "" }
            )
        };
        let sides: Vec<_> = conflict.verdicts.iter().map(side).collect();
        let (item, sides) = (clean::line(&conflict.item), sides.join(", "));
        let _ = writeln!(
            out,
            "  #{} {item}: {}: {}",
            conflict.number,
            clean::line(&sides),
            conflict.status.name()
        );
    }
    rest(out, list.len(), "conflicts");
}

/// Writes how many entries beyond [`SHOWN`] there are.
pub(super) fn rest(out: &mut String, all: usize, what: &str) {
    if all > SHOWN {
        let _ = writeln!(out, "  and {} more {what}; --json lists all", all - SHOWN);
    }
}
