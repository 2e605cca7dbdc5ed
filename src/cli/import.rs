//! `benchtop import PATH...`: bring in items, predictions and pictures.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use serde_json::json;

use super::out;
use crate::context::Context;
use crate::out::print;
use benchtop_files::bounded;
use benchtop_files::regular::SETTINGS_LIMIT;
use benchtop_formats as formats;
use benchtop_model::import::{ImportRequest as ImportAsk, Progress, Report};
use benchtop_model::mapping::Mapping;
use benchtop_model::{Error, ErrorKind, Result, clean, mapping};
use benchtop_protocol::wire::{Request, request};

/// Arguments of `import`.
#[derive(clap::Args)]
pub struct Args {
    /// Files or folders, recognised by what they hold
    #[arg(required = true)]
    paths: Vec<PathBuf>,
    /// Refer to pictures where they are instead of copying them
    #[arg(long)]
    link: bool,
    /// Take what is good and report the rest, instead of all or nothing
    #[arg(long)]
    keep_going: bool,
    /// Name of the data set; the file's name without its ending otherwise
    #[arg(long, value_name = "NAME")]
    dataset: Option<String>,
    /// Name of the model that answered; what the file, its name or its folder says otherwise
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
    /// A mapping.toml that says which column of a table is what
    #[arg(long, value_name = "FILE")]
    mapping: Option<PathBuf>,
    /// Print the mapping.toml that the columns of a table suggest, and import nothing
    #[arg(long, conflicts_with_all = ["mapping", "link", "keep_going", "dataset", "model", "json"])]
    guess: bool,
    /// Print the report as one JSON object
    #[arg(long)]
    json: bool,
}

/// Runs it.
///
/// # Errors
/// What the import refuses; then nothing was added.
pub fn run(context: &Context, args: &Args) -> Result<u8> {
    if args.guess {
        return guess(&args.paths);
    }
    let absolute = |path: &PathBuf| {
        path.canonicalize()
            .map_err(|e| Error::io(&e, "cannot be opened", path))
    };
    let paths = args.paths.iter().map(absolute).collect::<Result<_>>()?;
    if args
        .dataset
        .as_deref()
        .is_some_and(|d| d.is_empty() || d.contains('/') || d.chars().any(char::is_control))
    {
        return Err(Error::new(
            ErrorKind::Usage,
            "a data set's name holds no `/` and no control characters",
        ));
    }
    if args
        .model
        .as_deref()
        .is_some_and(|m| m.trim().is_empty() || m.chars().any(char::is_control))
    {
        return Err(Error::new(
            ErrorKind::Usage,
            "a model's name is not empty and holds no control characters",
        ));
    }
    let ask = ImportAsk {
        paths,
        link: args.link,
        keep_going: args.keep_going,
        dataset: args.dataset.clone(),
        model: args.model.clone(),
        mapping: args
            .mapping
            .as_deref()
            .map(mapping)
            .transpose()?
            .map(Box::new),
    };
    let client = context.client()?;
    let report = waited(&client, request::Import(ask), !args.json)?;
    show(&report, args.json)
}

/// Prints what the columns of a table suggest.
fn guess(paths: &[PathBuf]) -> Result<u8> {
    let [path] = paths else {
        return Err(Error::new(ErrorKind::Usage, "--guess looks at one file"));
    };
    let columns = formats::columns(path)?;
    print(&mapping::guess(&columns).write(&columns)?)?;
    Ok(0)
}

/// Reads a `mapping.toml`.
///
/// # Errors
/// [`ErrorKind::Input`] with its line, and the operating system's.
pub fn mapping(path: &Path) -> Result<Mapping> {
    let text = bounded::text(path, SETTINGS_LIMIT)?;
    Mapping::parse(&text).map_err(|p| p.file(path))
}

/// Asks for something long and shows how far it is, where a person is looking.
///
/// # Errors
/// What the command refuses.
pub fn waited<R: Request>(
    client: &benchtop_protocol::Client,
    ask: R,
    show: bool,
) -> Result<R::Reply> {
    watching(show, |watch| client.ask_watching(ask, watch))
}

/// Shows how far something is, where a person is looking.
///
/// # Errors
/// Those of `asked`.
pub fn watching<T>(
    show: bool,
    asked: impl FnOnce(&mut dyn FnMut(Progress)) -> Result<T>,
) -> Result<T> {
    let show = show && std::io::stderr().is_terminal();
    let answer = asked(&mut |progress: Progress| {
        if show {
            out::progress(&format!("{}: {}", progress.what, progress.done));
        }
    });
    if show {
        out::progress("");
    }
    answer
}

/// Prints an import's report.
///
/// # Errors
/// When standard output cannot be written.
pub fn show(report: &Report, json: bool) -> Result<u8> {
    if json {
        let value = json!({
            "items": report.items,
            "predictions": report.predictions,
            "already": report.already,
            "duplicates": report.duplicates,
            "pictures": report.pictures,
            "missing_pictures": report.missing_pictures,
            "files": report.files,
            "skipped": report.skipped,
            "skipped_more": report.skipped_more,
            "notes": report.notes,
            "unreadable_pictures": report.unreadable_pictures,
            "unreadable": report.unreadable.iter().map(|(name, why)| json!({"name": name, "why": why})).collect::<Vec<_>>(),
        });
        print(&out::json_text(&value))?;
    } else {
        print(&text(report))?;
    }
    Ok(0)
}

fn text(report: &Report) -> String {
    let mut out = String::new();
    for file in &report.files {
        let path = file.path.display().to_string();
        out.push_str(&format!(
            "{:>9}  {}  ({})\n",
            file.added,
            clean::line(&path),
            file.format
        ));
    }
    out.push_str(&format!(
        "{} items and {} predictions added",
        report.items, report.predictions
    ));
    let mut more = |n: u64, what: &str| {
        if n > 0 {
            out.push_str(&format!(", {n} {what}"));
        }
    };
    more(report.already, "were there already");
    more(report.duplicates, "doubled rows dropped");
    more(report.pictures, "pictures");
    more(report.missing_pictures, "pictures not found");
    more(report.unreadable_pictures, "pictures that cannot be shown");
    more(
        report.skipped.len() as u64 + report.skipped_more,
        "records skipped",
    );
    out.push('\n');
    for (name, why) in &report.unreadable {
        out.push_str(&format!(
            "cannot be shown: {}: {}\n",
            clean::line(name),
            clean::line(why)
        ));
    }
    let more = report
        .unreadable_pictures
        .saturating_sub(report.unreadable.len() as u64);
    if more > 0 {
        out.push_str(&format!("cannot be shown: {more} more\n"));
    }
    for problem in &report.skipped {
        out.push_str(&format!("skipped: {problem}\n"));
    }
    if report.skipped_more > 0 {
        out.push_str(&format!("skipped: {} more\n", report.skipped_more));
    }
    for note in &report.notes {
        out.push_str(&format!("note: {}\n", clean::line(note)));
    }
    out
}
