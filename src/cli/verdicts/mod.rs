//! `benchtop verdicts`: the verdicts that count, to read and to exchange.

mod export;
mod import;

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::{Subcommand, ValueEnum};

use crate::context::Context;
use crate::out::print;
use benchtop_formats::verdicts::label_studio::config::config;
use benchtop_model::Result;
use benchtop_model::verdict_interchange::{VerdictForm, Words};

/// Arguments of `verdicts`.
#[derive(clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Args {
    #[command(subcommand)]
    what: Option<Do>,
    /// Print one JSON object a line: the same as --format jsonl
    #[arg(long, conflicts_with = "format")]
    json: bool,
    /// The form to write them in
    #[arg(long, value_enum)]
    format: Option<Form>,
    /// Only those of this round
    #[arg(long, value_name = "NAME")]
    round: Option<String>,
    /// The file; standard output otherwise
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// What an annotator is called in Label Studio
    #[arg(long, value_name = "EMAIL=NAME", value_parser = pair)]
    map: Vec<(String, String)>,
    /// What stands before the path of every picture in Label Studio's tasks
    #[arg(long, default_value = "", value_name = "PREFIX")]
    pictures_at: String,
    /// Print the labeling config for Label Studio's tasks, and nothing else
    #[arg(long, conflicts_with_all = ["format", "json", "round", "out", "map", "pictures_at"])]
    labeling_config: bool,
}

#[derive(Subcommand)]
enum Do {
    /// Take verdicts in from a file: Label Studio's JSON or JSON-MIN export, CSV, JSON Lines
    Import(import::Args),
}

/// A form on the command line.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Form {
    /// One JSON object a line
    Jsonl,
    /// RFC 4180, with a line of names
    Csv,
    /// Label Studio's tasks
    LabelStudio,
}

impl From<Form> for VerdictForm {
    fn from(form: Form) -> VerdictForm {
        match form {
            Form::Jsonl => VerdictForm::Jsonl,
            Form::Csv => VerdictForm::Csv,
            Form::LabelStudio => VerdictForm::LabelStudio,
        }
    }
}

/// `THEIRS=OURS`: divided at the last sign of equality, since ours never has one.
fn pair(text: &str) -> std::result::Result<(String, String), String> {
    match text.rsplit_once('=') {
        Some((theirs, ours)) if !theirs.is_empty() && !ours.is_empty() => {
            Ok((theirs.into(), ours.into()))
        }
        _ => Err(format!("`{text}` says nothing, expected THEIRS=OURS")),
    }
}

fn words(people: &[(String, String)], choices: &[(String, String)]) -> Words {
    let map = |list: &[(String, String)]| list.iter().cloned().collect::<BTreeMap<_, _>>();
    Words {
        people: map(people),
        choices: map(choices),
        ..Words::default()
    }
}

/// Runs it.
///
/// # Errors
/// When the owner cannot be reached, or a file cannot be written or read.
pub fn run(context: &Context, args: &Args) -> Result<u8> {
    match &args.what {
        Some(Do::Import(args)) => import::run(context, args),
        None if args.labeling_config => {
            print(&config(&context.client()?.welcome().reasons))?;
            Ok(0)
        }
        None => export::run(context, args),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_is_divided_where_ours_begins() {
        assert_eq!(pair("a=b=accept"), Ok(("a=b".into(), "accept".into())));
        for bad in ["", "=", "x", "x=", "=y"] {
            assert!(pair(bad).is_err(), "{bad}");
        }
    }
}
