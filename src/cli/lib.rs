//! Floor 6: one file a subcommand.
//!
//! Exit codes: 0 done, 1 refused (the message says why and what to do), 2 bad usage. Output with `--json` is a contract:
//! `docs/cli.md` describes it and `tests/flows/cli.rs` holds it.

use std::path::PathBuf;

use clap::{Parser, Subcommand};

use self::context::Context;
use self::out::print;
use benchtop_files::project::Project;
use benchtop_model::{Result, clean};

pub mod agreement;
pub mod analyse;
pub mod board;
pub mod bulk;
pub mod compose;
mod consent;
mod context;
pub mod coverage;
pub mod decide;
mod devices;
pub mod discard;
pub mod doctor;
pub mod edit;
pub mod eval;
pub mod export;
pub mod extract;
pub mod filter;
pub mod follow;
pub mod generate;
pub mod import;
pub mod items;
pub mod jobs;
pub mod keys;
pub mod lint;
pub mod lint_table;
pub mod log;
pub mod merge;
pub mod models;
pub mod out;
pub mod recompose;
pub mod recover;
pub mod replay;
pub mod round;
pub mod sample;
pub mod show;
pub mod start;
pub mod status;
pub mod theme;
pub mod trust;
pub mod undo;
pub mod verdicts;
pub mod verify;
pub mod vocab;
pub mod worker;

/// The command line.
#[derive(Parser)]
#[command(
    name = "benchtop",
    version,
    about = "A terminal workbench for curating vision-language benchmarks",
    long_about = "A terminal workbench for curating vision-language benchmarks.\n\nWithout a command it opens the project \
                  in the current folder: review items by hand, search and sort them, read leaderboards.",
    after_help = "Exit codes: 0 done, 1 refused (the message says why), 2 bad usage."
)]
pub struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    /// The project's folder; the nearest one above the current folder otherwise
    #[arg(long, global = true, value_name = "DIR")]
    project: Option<PathBuf>,
    /// In whose name to decide; the name you are logged in with otherwise
    #[arg(long = "as", global = true, value_name = "NAME")]
    who: Option<String>,
    /// Colours: mono, 16, 256 or true; what the terminal is known to show otherwise
    #[arg(long, global = true, value_name = "LEVEL")]
    color: Option<String>,
}

#[derive(Subcommand)]
enum Command {
    /// Make a folder into a project
    Init {
        /// The folder; made when it does not exist
        dir: PathBuf,
    },
    /// Fill the project with a small set that the program draws itself
    Sample(sample::Args),
    /// Bring in items, predictions and pictures
    Import(import::Args),
    /// Compose questions from the metadata, into the project or a file
    Compose(compose::Args),
    /// Make the pictures of items: a job that the owner works on
    Generate(generate::Args),
    /// Ask a model the questions of the project: a job that the owner works on
    Eval(eval::Args),
    /// Jobs that make pictures or ask models: list, watch, pause, resume, cancel, retry
    Jobs(jobs::Args),
    /// Scores by machines, the rules that flag items by them, and the flagged items
    Filter(filter::Args),
    /// Model files on this machine: list, pull, verify, path
    Models(models::Args),
    /// What exists by two properties of items, and the terms whose items fail most
    Coverage(coverage::Args),
    /// Reject the items of terms
    Discard(discard::Args),
    /// Compose again the items that the metadata has changed under
    Recompose(recompose::Args),
    /// List imports that the manifest no longer names, and take them back in
    Recover(recover::Args),
    /// Write items, and predictions, in an interchange format
    Export(export::Args),
    /// List items
    Items(items::Args),
    /// Give verdicts from JSON lines on standard input
    Decide(decide::Args),
    /// Give one verdict on everything that a filter finds
    Bulk(bulk::Args),
    /// Give an item another question, option or answer
    Edit(edit::Args),
    /// Take back your last verdict
    Undo(undo::Args),
    /// Bring back the verdict you took back last
    Redo(undo::Args),
    /// The verdicts that count: list, write in an interchange form, take in from one
    Verdicts(verdicts::Args),
    /// Who decided what, the newest first
    Log(log::Args),
    /// Verification rounds: who judges what, under which rule, and how far they are
    Round(round::Args),
    /// How far annotators agree: percentages, kappas, alpha and AC1 with intervals
    Agreement(agreement::Args),
    /// How your own work goes; nobody else is told
    Pace(agreement::pace::Args),
    /// Fold journals of other machines into those of the project
    Merge(merge::Args),
    /// Make the project again from its journals, as it is now or was at a moment
    Replay(replay::Args),
    /// The items that stand elsewhere at another moment
    Diff(replay::DiffArgs),
    /// The metadata files: list, check, compare, read Dysca's
    Vocab(vocab::Args),
    /// The leaderboard of the project, or of prediction files without one
    Board(board::Args),
    /// Closer looks at a board: correlate, cluster, stability, cleaning, intervals, chart, published
    Analyse(analyse::Args),
    /// Find what is wrong with metadata and with questions
    Lint(lint::Args),
    /// Find what cannot be right in printed tables of results
    LintTable(lint_table::Args),
    /// Read answers out of models' outputs by a named rule: JSON lines in, JSON lines out
    Extract(extract::Args),
    /// Whom you send pictures, texts and keys to: list, add, remove
    Trust(trust::Args),
    /// The keys that hold, and whether a key file is right
    Keys(keys::Args),
    /// Your theme for the terminal program: say which, or set it
    Theme(theme::Args),
    /// Print a picture in this terminal
    Show(show::Show),
    /// What the owner of the project is doing
    Status(status::Args),
    /// End the owner of the project
    Stop,
    /// Read every file of the project and hold it against what is recorded; repair what can be
    Verify(verify::Args),
    /// What a bug report needs: terminal, colours, pictures, devices, store, owner, versions
    Doctor(doctor::Args),
    /// Own a project (started by the others when needed)
    #[command(hide = true)]
    Owner,
    /// Make pictures for an owner (started by it)
    #[command(hide = true)]
    Worker(worker::Args),
}

/// Runs the command line.
///
/// # Errors
/// What was refused; [`benchtop_model::Error::exit_code`] is the exit code.
pub fn run(cli: Cli) -> Result<u8> {
    let context = Context {
        project: cli.project,
        who: cli.who,
        color: cli.color,
    };
    match cli.command {
        None => {
            benchtop_tui::run(&context.project()?, &context.who()?, context.colour()?).map(|()| 0)
        }
        Some(Command::Init { dir }) => init(&dir),
        Some(Command::Sample(args)) => sample::run(&context, &args),
        Some(Command::Import(args)) => import::run(&context, &args),
        Some(Command::Generate(args)) => generate::run(&context, &args),
        Some(Command::Eval(args)) => eval::run(&context, &args),
        Some(Command::Jobs(args)) => jobs::run(&context, &args),
        Some(Command::Filter(args)) => filter::run(&context, &args),
        Some(Command::Models(args)) => models::run(&args),
        Some(Command::Coverage(args)) => coverage::run(&context, &args),
        Some(Command::Discard(args)) => discard::run(&context, &args),
        Some(Command::Bulk(args)) => bulk::run(&context, &args),
        Some(Command::Edit(args)) => edit::run(&context, &args),
        Some(Command::Recompose(args)) => recompose::run(&context, &args),
        Some(Command::Recover(args)) => recover::run(&context, &args),
        Some(Command::Compose(args)) => compose::run(&context, &args),
        Some(Command::Export(args)) => export::run(&context, &args),
        Some(Command::Items(args)) => items::run(&context, &args),
        Some(Command::Decide(args)) => decide::run(&context, &args),
        Some(Command::Undo(args)) => undo::run(&context, &args, undo::Way::Undo),
        Some(Command::Redo(args)) => undo::run(&context, &args, undo::Way::Redo),
        Some(Command::Verdicts(args)) => verdicts::run(&context, &args),
        Some(Command::Log(args)) => log::run(&context, &args),
        Some(Command::Round(args)) => round::run(&context, &args),
        Some(Command::Agreement(args)) => agreement::run(&context, &args),
        Some(Command::Pace(args)) => agreement::pace::run(&context, &args),
        Some(Command::Merge(args)) => merge::run(&context, &args),
        Some(Command::Replay(args)) => replay::run(&context, &args),
        Some(Command::Diff(args)) => replay::diff(&context, &args),
        Some(Command::Vocab(args)) => vocab::run(&context, &args),
        Some(Command::Board(args)) => board::run(&context, &args),
        Some(Command::Analyse(args)) => analyse::run(&context, &args),
        Some(Command::Lint(args)) => lint::run(&context, &args),
        Some(Command::LintTable(args)) => lint_table::run(&args),
        Some(Command::Extract(args)) => extract::run(&args),
        Some(Command::Trust(args)) => trust::run(&context, &args),
        Some(Command::Keys(args)) => keys::run(&context, &args),
        Some(Command::Theme(args)) => theme::run(&args),
        Some(Command::Show(args)) => show::run(&args, context.colour()?).map(|()| 0),
        Some(Command::Status(args)) => status::run(&context, &args),
        Some(Command::Stop) => status::stop(&context),
        Some(Command::Verify(args)) => verify::run(&context, &args),
        Some(Command::Doctor(args)) => doctor::run(&context, &args),
        Some(Command::Worker(args)) => worker::run(&args),
        Some(Command::Owner) => benchtop_owner::server::run(context.project()?.root()).map(|()| 0),
    }
}

fn init(dir: &std::path::Path) -> Result<u8> {
    let project = Project::init(dir)?;
    let root = project.root().display().to_string();
    let root = clean::line(&root);
    print(&format!(
        "{root} is a project now. Next:\n  cd {root}\n  benchtop import PATH    bring in items and predictions\n  \
         benchtop sample         or a small set that the program draws itself\n  benchtop                review\n"
    ))?;
    Ok(0)
}
