//! `benchtop verify`: a scrub of the whole project.

use std::fmt::Write as _;
use std::io::IsTerminal;

use serde_json::json;

use super::out;
use crate::context::Context;
use crate::out::print;
use benchtop_model::history::stamp;
use benchtop_model::{Error, ErrorKind, Result};
use benchtop_pipeline::verify::{Report, Severity, repair, verify};
use benchtop_protocol::{lock, start};

/// Arguments of `verify`.
#[derive(clap::Args)]
pub struct Args {
    /// Put right what can be put right without losing anything; no owner may be running
    #[arg(long)]
    repair: bool,
    /// Record every file as it is now: for whoever changed or removed some on purpose; no owner may be running
    #[arg(long, conflicts_with = "repair")]
    accept: bool,
    /// Print the report as one JSON object
    #[arg(long)]
    json: bool,
}

/// Runs it: 0 where nothing is damaged, 1 where something is.
///
/// # Errors
/// [`ErrorKind::Conflict`] for `--repair` while an owner is running, and what keeps the project from being read.
pub fn run(context: &Context, args: &Args) -> Result<u8> {
    let project = context.project()?;
    let owned = start::find(&project)?.is_some();
    let writes = args.repair || args.accept;
    if writes && owned {
        let problem =
            Error::new(ErrorKind::Conflict, "an owner has the project open").file(project.root());
        return Err(problem.help("end it with `benchtop stop`, then repair"));
    }
    // Held to the end, so that no owner starts meanwhile. A mere look keeps nobody from working.
    let _lock = if writes {
        let busy = || {
            Error::new(ErrorKind::Conflict, "an owner has the project open").file(project.root())
        };
        project.ensure_private_runtime()?;
        Some(
            lock::take(&project)?
                .ok_or_else(|| busy().help("end it with `benchtop stop`, then repair"))?,
        )
    } else {
        None
    };
    let at = stamp(benchtop_owner::clock::now());
    if args.accept {
        repair::accept_all(&project, &at)?;
    }
    let shows = std::io::stderr().is_terminal();
    let mut seen = std::time::Instant::now();
    let mut watch = |what: &str, files: u64| {
        if shows && seen.elapsed().as_millis() > 100 {
            seen = std::time::Instant::now();
            let what: String = what.chars().take(60).collect();
            out::progress(&format!("{files} files: {what}"));
        }
        true
    };
    let report = verify(&project, owned, &mut watch);
    if shows {
        out::progress("");
    }
    let mut report = report?;
    if args.repair {
        repair::repair(&project, &mut report, &at)?;
    }
    let text = if args.json {
        out::json_text(&value(&report, owned))
    } else {
        text(&report)
    };
    print(&text)?;
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
        for (word, said) in more
            .into_iter()
            .filter(|(word, _)| *word != "help" || finding.repaired.is_none())
        {
            if let Some(said) = said {
                let _ = writeln!(out, "  {word}: {}", plain(said));
            }
        }
    }
    let c = &report.checked;
    let _ = writeln!(
        out,
        "{} files, {} bytes: {} decisions, {} imported segments with {} rows, {} pictures, {} answers",
        c.files, c.bytes, c.decisions, c.segments, c.rows, c.pictures, c.answers
    );
    let _ = match (report.damaged(), report.repaired()) {
        (0, 0) => writeln!(out, "nothing is damaged"),
        (n, 0) => writeln!(out, "{n} damaged"),
        (n, repaired) => writeln!(out, "{repaired} repaired, {n} still damaged"),
    };
    out
}
