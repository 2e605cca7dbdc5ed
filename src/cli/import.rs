//! `benchtop import PATH...`: imports items, predictions, and pictures.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use serde_json::json;

use crate::context::Context;
use crate::out::{self, count, print};
use benchtop_files::bounded;
use benchtop_files::regular::SETTINGS_LIMIT;
use benchtop_formats as formats;
use benchtop_formats::inspect::Inspection;
use benchtop_model::cancel::Cancel;
use benchtop_model::import::{ImportRequest as ImportAsk, Progress, Report, VariantOf};
use benchtop_model::mapping::Mapping;
use benchtop_model::{Error, Result, clean, mapping};
use benchtop_protocol::wire::{Request, request};

const EXAMPLES: &str = "Examples:
  benchtop import questions.json predictions/
  benchtop import table.csv --guess > mapping.toml
  benchtop import table.csv --mapping mapping.toml --dataset survey
  benchtop import corrupted.json --variant corruption --of dysca";

#[derive(clap::Args)]
#[command(after_help = EXAMPLES, after_long_help = format!("{EXAMPLES}\n\nFormats:\n{}", formats_list()))]
pub struct Args {
    /// Files or folders to import; formats are detected from the content
    #[arg(required = true)]
    paths: Vec<PathBuf>,
    /// Link pictures instead of copying them into the project
    #[arg(long)]
    link: bool,
    /// Skip and report invalid records instead of importing nothing
    #[arg(long)]
    keep_going: bool,
    /// Name of the data set [default: from the file, its name, or its folder]
    #[arg(long, value_name = "NAME")]
    dataset: Option<String>,
    /// Name of the model that gave the answers [default: from the file, its name, or its folder]
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
    /// Import the questions as this variant of those of a data set, joined by key
    #[arg(long, value_name = "NAME", requires = "of")]
    variant: Option<String>,
    /// Data set of the originals of a variant
    #[arg(long, value_name = "DATASET", requires = "variant")]
    of: Option<String>,
    /// mapping.toml that explains the columns of a table
    #[arg(long, value_name = "FILE")]
    mapping: Option<PathBuf>,
    /// Print a suggested mapping.toml for a table, without importing it
    #[arg(long, conflicts_with_all = ["mapping", "link", "keep_going", "dataset", "model", "variant", "of", "json", "inspect"])]
    guess: bool,
    /// Show what the files are recognized as, without importing them
    #[arg(long, conflicts_with_all = ["mapping", "link", "keep_going", "dataset", "model", "variant", "of", "guess"])]
    inspect: bool,
    /// Print the report as one JSON object
    #[arg(long)]
    json: bool,
}

/// The formats with what they are recognized by.
fn formats_list() -> String {
    let plain = |text: &str| text.replace('`', "");
    let line = |f: &&formats::Format| format!("  {}: {}", plain(f.title), plain(f.recognized_by));
    let lines: Vec<String> = formats::FORMATS.iter().map(line).collect();
    lines.join("\n")
}

pub fn run(context: &Context, args: &Args) -> Result<u8> {
    if args.guess {
        return guess(&args.paths);
    }
    if args.inspect {
        return inspect(args);
    }
    let absolute = |path: &PathBuf| {
        path.canonicalize()
            .map_err(|e| Error::io(&e, "cannot open the path", path))
    };
    let paths = args.paths.iter().map(absolute).collect::<Result<_>>()?;
    if args
        .dataset
        .as_deref()
        .is_some_and(|d| d.is_empty() || d.contains('/') || d.chars().any(char::is_control))
    {
        return Err(Error::usage(
            "invalid data set name: it is empty, or has a `/` or control characters",
        )
        .field("dataset"));
    }
    if args
        .model
        .as_deref()
        .is_some_and(|m| m.trim().is_empty() || m.chars().any(char::is_control))
    {
        return Err(
            Error::usage("invalid model name: it is empty or has control characters")
                .field("model"),
        );
    }
    let variant_of = args.variant.clone().zip(args.of.clone());
    let variant_of = variant_of.map(|(variant, dataset)| VariantOf { variant, dataset });
    variant_of.as_ref().map_or(Ok(()), VariantOf::check)?;
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
        variant_of,
    };
    let client = context.client()?;
    let report = waited(&client, request::Import(ask), !args.json)?;
    show(&report, args.json)
}

/// Prints what the paths are recognized as.
fn inspect(args: &Args) -> Result<u8> {
    let (mut all, mut text) = (Vec::new(), String::new());
    for path in &args.paths {
        let found = formats::inspect::inspect(path, Cancel::NEVER)?;
        let name = clean::line(&path.to_string_lossy()).into_owned();
        text += &format!("{name}: {}\n", inspected(&found));
        let mut value = json!({"path": path.to_string_lossy()});
        if let (Some(value), serde_json::Value::Object(found)) =
            (value.as_object_mut(), json!(found))
        {
            value.extend(found);
        }
        all.push(value);
    }
    out::report(args.json, &json!({"paths": all}), || text)
}

/// What is at a path, in words.
fn inspected(found: &Inspection) -> String {
    match found {
        Inspection::File(file) => {
            let more = if file.more { " or more" } else { "" };
            let counts = [
                (file.items, "item"),
                (file.predictions, "prediction"),
                (file.pictures, "picture"),
            ];
            let counts = counts.into_iter().filter(|(n, _)| *n > 0);
            let counts: Vec<String> = counts.map(|(n, noun)| count(n, noun) + more).collect();
            let mut text = format!("{}: {}", file.format, counts.join(", "));
            if file.unreadable > 0 {
                let first = clean::line(file.first_problem.as_deref().unwrap_or_default());
                text += &format!("; {} unreadable: {first}", count(file.unreadable, "record"));
            }
            for first in &file.first {
                text += &format!("\n    {}", clean::line(first));
            }
            text
        }
        Inspection::Folder(folder) => {
            let mut text = format!("a folder with {}", count(folder.files.len(), "known file"));
            for (name, title) in &folder.files {
                text += &format!("\n    {}: {title}", clean::line(name));
            }
            text
        }
        Inspection::Link { to } => {
            format!(
                "a link to {}, not followed",
                clean::line(&to.to_string_lossy())
            )
        }
        Inspection::Unknown { why } => clean::line(why).into_owned(),
    }
}

/// Prints a suggested mapping for the columns of a table.
fn guess(paths: &[PathBuf]) -> Result<u8> {
    let [path] = paths else {
        return Err(Error::usage("--guess takes one file"));
    };
    let columns = formats::columns(path)?;
    print(&mapping::guess(&columns).write(&columns)?).map(|()| 0)
}

/// Reads a `mapping.toml`.
///
/// # Errors
/// [`ErrorKind::Input`](benchtop_model::ErrorKind::Input) with the line for an invalid mapping.
pub fn mapping(path: &Path) -> Result<Mapping> {
    let text = bounded::text(path, SETTINGS_LIMIT)?;
    Mapping::parse(&text).map_err(|p| p.file(path))
}

/// Sends a long request and shows its progress if `show` is set and standard error is a terminal.
pub fn waited<R: Request>(
    client: &benchtop_protocol::Client,
    ask: R,
    show: bool,
) -> Result<R::Reply> {
    watching(show, |watch| client.ask_watching(ask, watch))
}

/// Runs `asked` and shows its progress if `show` is set and standard error is a terminal.
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

/// Prints the report of an import.
pub fn show(report: &Report, json: bool) -> Result<u8> {
    let unreadable = |(name, why): &(String, String)| json!({"name": name, "why": why});
    let mut value = json!(report);
    value["unreadable"] = report.unreadable.iter().map(unreadable).collect();
    out::report(json, &value, || text(report))
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
        "added {} and {}",
        count(report.items, "item"),
        count(report.predictions, "prediction")
    ));
    let mut more = |n: u64, noun: &str, what: &str| {
        if n > 0 {
            out.push_str(&format!(", {}{what}", count(n, noun)));
        }
    };
    more(report.pictures, "picture", "");
    more(report.already, "record", " already in the project");
    more(report.duplicates, "duplicate row", " dropped");
    more(report.missing_pictures, "picture", " not found");
    more(report.unreadable_pictures, "unreadable picture", "");
    more(
        report.skipped.len() as u64 + report.skipped_more,
        "record",
        " skipped",
    );
    out.push('\n');
    for (name, why) in &report.unreadable {
        out.push_str(&format!(
            "unreadable: {}: {}\n",
            clean::line(name),
            clean::line(why)
        ));
    }
    let more = report
        .unreadable_pictures
        .saturating_sub(report.unreadable.len() as u64);
    if more > 0 {
        out.push_str(&format!("unreadable: {more} more\n"));
    }
    for problem in &report.skipped {
        out.push_str(&format!("skipped: {problem}\n"));
    }
    if report.skipped_more > 0 {
        out.push_str(&format!("skipped: {} more\n", report.skipped_more));
    }
    out + &out::notes(&report.notes)
}
