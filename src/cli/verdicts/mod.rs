//! `benchtop verdicts`: lists, exports, and imports verdicts.

mod export;
mod import;

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::{Subcommand, ValueEnum};

use crate::context::Context;
use crate::out::print;
use benchtop_formats::verdicts::label_studio::config::config;
use benchtop_model::Result;
use benchtop_model::verdict_interchange::{NameMapping, VerdictForm};

#[derive(clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
#[command(
    after_help = "Examples:\n  benchtop verdicts --format csv --out verdicts.csv\n  benchtop verdicts import export.json --map ann@example.org=ann --dry-run"
)]
pub struct Args {
    #[command(subcommand)]
    command: Option<Command>,
    /// Print JSON lines, like --format jsonl
    #[arg(long, conflicts_with = "format")]
    json: bool,
    /// Output format [default: text]
    #[arg(long, value_enum)]
    format: Option<Form>,
    /// Only verdicts of this round
    #[arg(long, value_name = "NAME")]
    round: Option<String>,
    /// Output file [default: standard output]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Label Studio email of an annotator (repeatable)
    #[arg(long, value_name = "EMAIL=NAME", value_parser = pair)]
    map: Vec<(String, String)>,
    /// Prefix of picture paths in Label Studio tasks
    #[arg(
        long,
        default_value = "",
        hide_default_value = true,
        value_name = "PREFIX"
    )]
    pictures_at: String,
    /// Print only the labeling config for Label Studio
    #[arg(long, conflicts_with_all = ["format", "json", "round", "out", "map", "pictures_at"])]
    labeling_config: bool,
}

#[derive(Subcommand)]
enum Command {
    /// Import verdicts from Label Studio's JSON or JSON-MIN export, CSV, or JSONL
    Import(import::Args),
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Form {
    /// One JSON object per line
    Jsonl,
    /// CSV (RFC 4180) with a header
    Csv,
    /// Label Studio tasks
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

/// Parses `THEIRS=OURS`. Splits at the last `=`, because our names never contain one.
fn pair(text: &str) -> std::result::Result<(String, String), String> {
    match text.rsplit_once('=') {
        Some((theirs, ours)) if !theirs.is_empty() && !ours.is_empty() => {
            Ok((theirs.into(), ours.into()))
        }
        _ => Err(format!("expected THEIRS=OURS, found `{text}`")),
    }
}

fn words(people: &[(String, String)], choices: &[(String, String)]) -> NameMapping {
    let map = |list: &[(String, String)]| list.iter().cloned().collect::<BTreeMap<_, _>>();
    NameMapping {
        people: map(people),
        choices: map(choices),
        ..NameMapping::default()
    }
}

pub fn run(context: &Context, args: &Args) -> Result<u8> {
    match &args.command {
        Some(Command::Import(args)) => import::run(context, args),
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
    fn pair_splits_at_the_last_equals_sign() {
        assert_eq!(pair("a=b=accept"), Ok(("a=b".into(), "accept".into())));
        for bad in ["", "=", "x", "x=", "=y"] {
            assert!(pair(bad).is_err(), "{bad}");
        }
    }
}
