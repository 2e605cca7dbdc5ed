//! `benchtop release`: releases items as a frozen folder, and lists the releases.
//!
//! | file | what it does |
//! |---|---|
//! | `datasheet` | the questions of the datasheet |
//! | `diff` | the differences between two releases |
//! | `verify` | checks the folder of a release |

mod datasheet;
mod diff;
mod verify;

use std::path::PathBuf;

use serde_json::json;

use super::{import, out};
use crate::context::Context;
use benchtop_model::release::{ReleaseReport, ReleaseRequest, parse_splits};
use benchtop_model::{Error, Result, clean};
use benchtop_protocol::wire::request;
use benchtop_store::releases;

/// Names in a list of the text output.
const SHOWN: usize = 20;

#[derive(clap::Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "Examples:\n  benchtop release v1 --dry-run\n  benchtop release v1 --version 1.0 --split train=80,test=20\n  benchtop release diff v1 v2\n  benchtop release verify releases/v1"
)]
pub struct Args {
    #[command(subcommand)]
    what: Option<What>,
    /// Name of the release [default: list the releases]
    name: Option<String>,
    /// Release the items that match this filter; accepted ones, unless it names a status
    #[arg(long, value_name = "FILTER", requires = "name")]
    filter: Option<String>,
    /// Folder of the release, which must not exist [default: releases/NAME in the project]
    #[arg(long, value_name = "DIR", requires = "name")]
    out: Option<PathBuf>,
    /// Version that the documents of the release name
    #[arg(long, value_name = "V", requires = "name")]
    version: Option<String>,
    /// Date of the release, such as 2026-11-24 [default: the day of the newest verdict]
    #[arg(long, value_name = "DATE", requires = "name")]
    date: Option<String>,
    /// Splits with their shares, such as `train=80,test=20` [default: one split, `train`]
    #[arg(long, value_name = "SHARES", requires = "name")]
    split: Option<String>,
    /// Seed of the assignment to splits
    #[arg(long, value_name = "N", default_value_t = 0, requires = "split")]
    seed: u64,
    /// Include items that show a draft picture, and mark them
    #[arg(long, requires = "name")]
    drafts: bool,
    /// Show what would be released, without writing
    #[arg(long, requires = "name")]
    dry_run: bool,
    /// Print the report as one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(clap::Subcommand)]
enum What {
    /// Compare two releases: items and statistics
    Diff(diff::Args),
    /// Check every file of a release against its manifest; needs no project
    Verify(verify::Args),
    /// List the questions of the datasheet, or begin the file with their answers
    Datasheet(datasheet::Args),
}

pub fn run(context: &Context, args: &Args) -> Result<u8> {
    match (&args.what, &args.name) {
        (Some(What::Diff(args)), _) => diff::run(context, args),
        (Some(What::Verify(args)), _) => verify::run(args),
        (Some(What::Datasheet(args)), _) => datasheet::run(context, args),
        (None, Some(name)) => release(context, args, name),
        (None, None) => list(context, args.json),
    }
}

fn release(context: &Context, args: &Args, name: &str) -> Result<u8> {
    let absolute = |path: &PathBuf| {
        std::path::absolute(path).map_err(|e| Error::io(&e, "cannot find the folder", path))
    };
    let ask = ReleaseRequest {
        name: name.into(),
        filter: args.filter.clone().unwrap_or_default(),
        out: args.out.as_ref().map(absolute).transpose()?,
        version: args.version.clone(),
        date: args.date.clone(),
        splits: parse_splits(args.split.as_deref().unwrap_or_default())?,
        seed: args.seed,
        drafts: args.drafts,
        dry: args.dry_run,
    };
    ask.check()?;
    let ask = request::ReleaseItems(Box::new(ask));
    let report = import::waited(&context.client()?, ask, !args.json)?;
    out::report(args.json, &report, || text(&report, args.dry_run))
}

fn text(report: &ReleaseReport, dry: bool) -> String {
    let mut text = format!(
        "{} {} with {} to {}\n",
        if dry { "would release" } else { "released" },
        out::count(report.items, "item"),
        out::count(report.pictures, "picture"),
        clean::line(&report.out.to_string_lossy()),
    );
    if !dry {
        text += &format!(
            "wrote {} of {}, hash {}\n",
            out::count(report.files, "file"),
            out::count(report.bytes, "byte"),
            report.hash
        );
    }
    if report.splits.len() > 1 {
        let splits = report.splits.iter().map(|(name, n)| format!("{name} {n}"));
        text += &format!("splits: {}\n", splits.collect::<Vec<_>>().join(", "));
    }
    if let Some(before) = &report.before {
        text += &format!(
            "since {}: {} added, {} removed, {} changed\n",
            clean::line(before),
            report.added,
            report.removed,
            report.changed
        );
    }
    let mut note = |n: u64, thing: &str, what: &str| {
        if n > 0 {
            text.push_str(&format!("note: {} {what}\n", out::count(n, thing)));
        }
    };
    note(report.without_picture, "item", "without a picture file");
    note(report.drafts, "item", "that show a draft");
    let made_up = "of the sample, which are made up; the datasheet and the manifest say so";
    note(report.sample, "item", made_up);
    let withheld = "left out, because they must not be redistributed";
    note(report.withheld, "picture", withheld);
    note(report.unlicensed, "picture", "without a stated license");
    note(
        report.not_in_dysca,
        "item",
        "that Dysca's format cannot hold",
    );
    if report.exists && dry {
        text += "note: this folder exists, and a release never replaces anything\n";
    }
    if report.again && dry {
        text += "note: the project has a release of this name; it is only written again if nothing changed\n";
    }
    let open = report.unanswered.len();
    if open > 0 {
        let named: Vec<_> = report
            .unanswered
            .iter()
            .take(SHOWN)
            .map(|k| clean::line(k))
            .collect();
        let more = open.saturating_sub(SHOWN);
        let more = if more > 0 {
            format!(" and {more} more")
        } else {
            String::new()
        };
        text += &format!(
            "datasheet: {} without an answer: {}{more}\n",
            out::count(open as u64, "question"),
            named.join(", ")
        );
        text += "  `benchtop release datasheet --write` begins the file with their answers\n";
    }
    text
}

/// The recorded releases, oldest first.
fn list(context: &Context, json: bool) -> Result<u8> {
    let (records, problems) = releases::read_all(&context.project()?);
    let value = json!({
        "releases": records.iter().map(|r| json!({
            "name": r.name, "number": r.number, "version": r.version, "date": r.date, "before": r.before,
            "items": r.items.len(), "hash": r.hash,
        })).collect::<Vec<_>>(),
        "problems": problems,
    });
    out::report(json, &value, || {
        let mut text = String::new();
        for record in &records {
            text += &format!(
                "{}\t{}\t{}\t{}\t{}\n",
                clean::line(&record.name),
                clean::line(record.version.as_deref().unwrap_or("-")),
                clean::line(record.date.as_deref().unwrap_or("-")),
                out::count(record.items.len(), "item"),
                clean::line(record.hash.as_deref().unwrap_or("-")),
            );
        }
        for problem in &problems {
            text += &format!("cannot be read: {}\n", clean::line(&problem.to_string()));
        }
        if text.is_empty() {
            text += "the project has no release yet\n";
        }
        text
    })?;
    Ok(u8::from(!problems.is_empty()))
}
