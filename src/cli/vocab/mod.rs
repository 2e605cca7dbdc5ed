//! `benchtop vocab`: lists, checks, compares, and imports the metadata files of a project.

mod diff;
mod import;
mod parsed;

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use self::parsed::parsed;
use crate::context::Context;
use crate::out::{self, count, done, json_line};
use benchtop_compose::compiled_metadata::CompiledMetadata;
use benchtop_compose::metadata::{Metadata, STYLE, file_of};
use benchtop_model::usage::{MetadataState, Save, TermUse};
use benchtop_model::{Error, ErrorKind, Finding, Result, Severity, clean};
use benchtop_protocol::wire::request;
use benchtop_store::metadata;

#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  benchtop vocab list\n  benchtop vocab check --fix\n  benchtop vocab diff HEAD~1"
)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    /// List vocabularies and how many items use their terms
    List(Format),
    /// Check the metadata files for mistakes
    Check {
        /// Remove stray blanks, carriage returns, and byte order marks first
        #[arg(long)]
        fix: bool,
        #[command(flatten)]
        format: Format,
    },
    /// Compare the metadata with a folder, a git revision, or the shipped set, and count affected
    /// items
    Diff {
        /// Metadata folder or git revision [default: the shipped set]
        against: Option<String>,
        #[command(flatten)]
        format: Format,
    },
    /// Import Dysca's released metadata, and list all repairs
    Import {
        /// Folder with Styles.json, Animal.txt, People/Age.txt, ...
        dir: PathBuf,
        /// Metadata folder to write to [default: the project's]
        #[arg(long, value_name = "DIR")]
        into: Option<PathBuf>,
        /// Show what would be imported, without writing files
        #[arg(long)]
        dry_run: bool,
        #[command(flatten)]
        format: Format,
    },
}

#[derive(clap::Args)]
struct Format {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub fn run(context: &Context, args: &Args) -> Result<u8> {
    match &args.command {
        Command::List(format) => list(context, format.json),
        Command::Check { fix, format } => check(&context.project()?.metadata(), *fix, format.json),
        Command::Diff { against, format } => diff::run(context, against.as_deref(), format.json),
        Command::Import {
            dir,
            into,
            dry_run,
            format,
        } => import::run(context, dir, into.as_deref(), *dry_run, format.json),
    }
}

fn list(context: &Context, json: bool) -> Result<u8> {
    let client = context.client()?;
    let state = client.ask(request::Metadata)?;
    let metadata = parsed(&state);
    let mut out = BufWriter::new(out::lines());
    let names = metadata
        .vocabularies()
        .keys()
        .map(String::as_str)
        .chain([STYLE]);
    for name in names {
        let uses = client.ask(request::Terms(name.to_string()))?;
        let row = Row::new(&metadata, name, &uses);
        if json {
            json_line(&mut out, &row.json())?;
        } else {
            done(writeln!(
                out,
                "{name:<16} {:>6} terms {:>6} enabled {:>6} disabled {:>6} used {:>9} uses",
                row.terms,
                row.enabled,
                row.terms - row.enabled,
                row.used,
                row.uses
            ))?;
        }
    }
    if !json {
        for finding in &state.unreadable {
            done(writeln!(out, "{finding}"))?;
        }
        if state.shipped {
            done(writeln!(
                out,
                "the project has no metadata files; these are the shipped ones"
            ))?;
        }
    }
    done(out.flush())?;
    Ok(0)
}

/// One row of the list.
struct Row<'m> {
    name: &'m str,
    terms: usize,
    enabled: usize,
    /// Terms that at least one item uses.
    used: usize,
    /// Uses by items, summed over the terms.
    uses: u64,
    /// Terms that items use but the vocabulary lacks.
    unknown: usize,
}

impl<'m> Row<'m> {
    fn new(metadata: &Metadata, name: &'m str, uses: &[TermUse]) -> Row<'m> {
        let terms: Vec<&str> = match metadata.vocabularies().get(name) {
            Some(vocabulary) => vocabulary.terms().iter().map(|t| t.text.as_str()).collect(),
            None => metadata.styles().iter().map(|s| s.name.as_str()).collect(),
        };
        let known: std::collections::HashSet<&str> = terms.iter().copied().collect();
        Row {
            name,
            terms: terms.len(),
            enabled: metadata.enabled(name).len(),
            used: uses
                .iter()
                .filter(|u| known.contains(u.term.as_str()))
                .count(),
            uses: uses.iter().map(|u| u.items.all()).sum(),
            unknown: uses
                .iter()
                .filter(|u| !known.contains(u.term.as_str()))
                .count(),
        }
    }

    fn json(&self) -> Value {
        json!({
            "vocabulary": self.name, "file": file_of(self.name), "terms": self.terms, "enabled": self.enabled,
            "disabled": self.terms - self.enabled, "used": self.used, "uses": self.uses, "unknown": self.unknown,
        })
    }
}

fn check(dir: &Path, fix: bool, json: bool) -> Result<u8> {
    let mut state = metadata::read(dir)?;
    let mut fixed = Vec::new();
    if fix {
        let saves = tidied(&state);
        if !saves.is_empty() {
            fixed = saves.iter().map(|s| s.name.clone()).collect();
            state = metadata::save(dir, &saves)?;
        }
    }
    let found = findings(&state);
    let mut out = BufWriter::new(out::lines());
    for name in fixed {
        if json {
            json_line(&mut out, &json!({"fixed": name}))?;
        } else {
            done(writeln!(out, "{name}: tidied"))?;
        }
    }
    for finding in &found {
        if json {
            let mut line = serde_json::to_value(finding)
                .map_err(|e| Error::new(ErrorKind::Io, e.to_string()))?;
            line["severity"] = finding.severity().name().into();
            json_line(&mut out, &line)?;
        } else {
            done(writeln!(out, "{finding}"))?;
            if !finding.help.is_empty() {
                done(writeln!(out, "  help: {}", clean::line(&finding.help)))?;
            }
        }
    }
    let errors = found
        .iter()
        .filter(|f| f.severity() == Severity::Error)
        .count();
    if !json {
        done(writeln!(
            out,
            "{}, {}, {}",
            count(state.files.len(), "file"),
            count(errors, "error"),
            count(found.len() - errors, "warning")
        ))?;
    }
    done(out.flush())?;
    Ok(u8::from(errors > 0))
}

/// The tidy text of vocabularies with stray blanks or line ends.
fn tidied(state: &MetadataState) -> Vec<Save> {
    let metadata = parsed(state);
    let tidy = metadata
        .vocabularies()
        .iter()
        .filter_map(|(name, vocabulary)| {
            let file = state.files.iter().find(|f| f.name == file_of(name))?;
            let text = vocabulary.tidy();
            let save = Save {
                name: file.name.clone(),
                base: Some(file.revision.clone()),
                text: Some(text),
            };
            (save.text.as_ref() != Some(&file.text)).then_some(save)
        });
    tidy.collect()
}

/// The findings of parsing and compiling the files, sorted by file.
fn findings(state: &MetadataState) -> Vec<Finding> {
    let metadata = parsed(state);
    let mut found = state.unreadable.clone();
    found.extend(metadata.found().cloned());
    found.extend(CompiledMetadata::compile(&metadata).1);
    found.sort();
    found.dedup();
    found
}
