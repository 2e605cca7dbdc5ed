//! `benchtop verify`: checks every file of the project for damage.

use std::fmt::Write as _;
use std::io::IsTerminal;

use serde_json::json;

use crate::context::Context;
use crate::out::{self, count};
use benchtop_model::cancel::{Cancel, ProgressSink};
use benchtop_model::history::stamp;
use benchtop_model::import::Progress;
use benchtop_model::{Error, ErrorKind, Result};
use benchtop_pipeline::verify::{Report, Severity, repair, verify};
use benchtop_protocol::{lock, start};
use benchtop_store::removal;
use std::sync::{Mutex, PoisonError};

#[derive(clap::Args)]
pub struct Args {
    /// Repair what can be repaired without losing data; requires that no owner is running
    #[arg(long)]
    repair: bool,
    /// Accept all files as they are, after deliberate changes; requires that no owner is running
    #[arg(long, conflicts_with = "repair")]
    accept: bool,
    /// Print the report as one JSON object
    #[arg(long)]
    json: bool,
}

/// The exit code is 1 if something is damaged.
///
/// # Errors
/// [`ErrorKind::Conflict`] for `--repair` or `--accept` while an owner is running, and while the
/// next owner has to finish the removal of the sample.
pub fn run(context: &Context, args: &Args) -> Result<u8> {
    let project = context.project()?;
    let owned = start::find(&project)?.is_some();
    if !owned && removal::is_planned(&project) {
        let what = "the project is incomplete: adding or removing the sample was interrupted";
        return Err(Error::conflict(what).help("run `benchtop home` to finish it, then try again"));
    }
    let writes = args.repair || args.accept;
    let busy = || {
        Error::new(
            ErrorKind::Conflict,
            "the project is open: its owner process is running",
        )
        .file(project.root())
        .help("run `benchtop stop`, then try again")
    };
    if writes && owned {
        return Err(busy());
    }
    // Locked to the end, so that no owner starts meanwhile. A check alone does not lock.
    let _lock = if writes {
        project.ensure_private_runtime()?;
        Some(lock::take(&project)?.ok_or_else(busy)?)
    } else {
        None
    };
    let at = stamp(benchtop_owner::clock::now());
    if args.accept {
        repair::accept_all(&project, &at)?;
    }
    let shows = std::io::stderr().is_terminal();
    let seen = Mutex::new(std::time::Instant::now());
    let tell = |at: Progress| {
        let mut seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
        if shows && seen.elapsed().as_millis() > 100 {
            *seen = std::time::Instant::now();
            let what: String = at.what.chars().take(60).collect();
            out::progress(&format!("{}: {what}", out::count(at.done, "file")));
        }
    };
    let report = verify(&project, owned, ProgressSink::new(&tell, Cancel::NEVER));
    if shows {
        out::progress("");
    }
    let mut report = report?;
    if args.repair {
        repair::repair(&project, &mut report, &at)?;
    }
    out::report(args.json, &value(&report, owned), || text(&report))?;
    Ok(u8::from(report.damaged() > 0))
}

fn value(report: &Report, owned: bool) -> serde_json::Value {
    json!({
        "clean": report.damaged() == 0,
        "damaged": report.damaged(),
        "repaired": report.repaired(),
        "owner_running": owned,
        "since": report.since,
        "checked": report.checked,
        "findings": report.findings,
    })
}

fn text(report: &Report) -> String {
    let mut out = String::new();
    let plain = |text: &str| -> String {
        text.chars()
            .map(|c| {
                if c.is_control() {
                    char::REPLACEMENT_CHARACTER
                } else {
                    c
                }
            })
            .collect()
    };
    for finding in &report.findings {
        let word = match finding.severity {
            Severity::Damage => "damaged",
            Severity::Changed => "changed",
            Severity::Notice => "notice",
        };
        let _ = write!(out, "{word}: {}", plain(&finding.file));
        if let Some(line) = finding.line {
            let _ = write!(out, ":{line}");
        }
        if let Some(offset) = finding.offset {
            let _ = write!(out, " (byte {offset})");
        }
        let _ = writeln!(out, ": {}", plain(&finding.what));
        let more = [
            ("lost", &finding.lost),
            ("help", &finding.remedy),
            ("repaired", &finding.repaired),
        ];
        for (word, text) in more
            .into_iter()
            .filter(|(word, _)| *word != "help" || finding.repaired.is_none())
        {
            if let Some(text) = text {
                let _ = writeln!(out, "  {word}: {}", plain(text));
            }
        }
    }
    let c = &report.checked;
    let _ = writeln!(
        out,
        "checked {} ({}): {}, {} with {}, {}, {}",
        count(c.files, "file"),
        count(c.bytes, "byte"),
        count(c.decisions, "decision"),
        count(c.segments, "imported segment"),
        count(c.rows, "row"),
        count(c.pictures, "picture"),
        count(c.answers, "answer")
    );
    let _ = match (report.damaged(), report.repaired()) {
        (0, 0) => writeln!(out, "no damage found"),
        (n, 0) => writeln!(out, "{n} damaged"),
        (n, repaired) => writeln!(out, "{repaired} repaired, {n} still damaged"),
    };
    out
}
