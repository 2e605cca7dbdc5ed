//! `benchtop verdicts`: lists, exports, and imports verdicts.

mod export;
mod import;
mod mapping;

use std::path::PathBuf;

use clap::Subcommand;

use self::mapping::{Form, pair};
use crate::context::Context;
use crate::out::print;
use benchtop_formats::verdicts::label_studio::config::config;
use benchtop_model::Result;

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
        alias = "pictures-at",
        default_value = "",
        hide_default_value = true,
        value_name = "PREFIX"
    )]
    picture_prefix: String,
    /// Print only the labeling config for Label Studio
    #[arg(long, conflicts_with_all = ["format", "json", "round", "out", "map", "picture_prefix"])]
    labeling_config: bool,
}

#[derive(Subcommand)]
enum Command {
    /// Import verdicts and comments from Label Studio's JSON or JSON-MIN export, CSV, or JSONL
    Import(import::Args),
}

pub fn run(context: &Context, args: &Args) -> Result<u8> {
    match &args.command {
        Some(Command::Import(args)) => import::run(context, args),
        None if args.labeling_config => {
            let client = context.client()?;
            let welcome = client.welcome();
            print(&config(&welcome.reasons, &welcome.tags))?;
            Ok(0)
        }
        None => export::run(context, args),
    }
}
