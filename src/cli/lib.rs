//! Floor 6: the command line, one file per subcommand.
//!
//! Exit codes: 0 success, 1 failure (the message says why and what to do), 2 wrong usage. The
//! output of `--json` is a contract: `docs/cli.md` describes it, and `tests/flows/cli.rs` checks
//! it.
//!
//! | module | contents |
//! |---|---|
//! | [`agreement`] | `benchtop agreement` and `benchtop pace` |
//! | [`analyse`] | `benchtop analyse`: analyses of a whole board |
//! | [`board`] | `benchtop board`: the leaderboard |
//! | [`bulk`] | `benchtop bulk`: one verdict on all items that match a filter |
//! | [`compose`] | `benchtop compose`: questions from the metadata |
//! | `consent` | the question for consent before a job sends data to a server |
//! | `context` | the project, annotator, and colors of a command, and its connection to the owner |
//! | [`coverage`] | `benchtop coverage`: items by two properties, and the terms that fail most |
//! | [`decide`] | `benchtop decide`: verdicts as JSON lines |
//! | `devices` | the devices of this machine, for `benchtop doctor` |
//! | [`discard`] | `benchtop discard`: rejects all items with given terms |
//! | [`doctor`] | `benchtop doctor`: the information that a bug report needs |
//! | [`edit`] | `benchtop edit`: the question, options, or answer of one item |
//! | [`eval`] | `benchtop eval`: starts and watches an evaluation |
//! | [`export`] | `benchtop export`: items and predictions in an interchange format |
//! | [`extract`] | `benchtop extract`: answers from model outputs |
//! | [`filter`] | `benchtop filter`: scores, rules, and flagged items |
//! | [`follow`] | follows a job of the owner until it ends |
//! | [`generate`] | `benchtop generate`: starts and watches a generation job |
//! | [`import`] | `benchtop import`: items, predictions, and pictures |
//! | [`items`] | `benchtop items`: lists items |
//! | [`jobs`] | `benchtop jobs`: lists and controls jobs |
//! | [`keys`] | `benchtop keys`: key bindings and key files |
//! | [`lint`] | `benchtop lint`: checks metadata and questions |
//! | [`lint_table`] | `benchtop lint-table`: checks printed tables of results |
//! | [`log`] | `benchtop log`: decisions, newest first |
//! | [`merge`] | `benchtop merge`: journals from other machines |
//! | [`models`] | `benchtop models`: the model files on this machine |
//! | [`out`] | the only writer to standard output and standard error |
//! | [`recompose`] | `benchtop recompose`: composed items after the metadata changed |
//! | [`recover`] | `benchtop recover`: imports that the manifest no longer lists |
//! | [`replay`] | `benchtop replay` and `benchtop diff`: earlier states of the project |
//! | [`round`] | `benchtop round`: verification rounds |
//! | [`sample`] | `benchtop sample`: the sample data set |
//! | [`show`] | `benchtop show`: a picture in the terminal |
//! | [`start`] | start of the program: arguments, errors, panics, and the exit code |
//! | [`status`] | `benchtop status` and `benchtop stop` |
//! | [`theme`] | `benchtop theme`: the theme of the terminal program |
//! | [`trust`] | `benchtop trust`: consent to send data to servers |
//! | [`undo`] | `benchtop undo` and `benchtop redo` |
//! | [`verdicts`] | `benchtop verdicts`: lists, exports, and imports verdicts |
//! | [`verify`] | `benchtop verify`: checks every file of the project |
//! | [`vocab`] | `benchtop vocab`: lists, checks, compares, and imports metadata files |
//! | [`worker`] | `benchtop worker`: a CPU worker of an owner |

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

const GLOBAL_OPTIONS: &str = "Global options";

#[derive(Parser)]
#[command(
    name = "benchtop",
    version,
    about = "A terminal workbench for curating vision-language benchmarks",
    long_about = "A terminal workbench for curating vision-language benchmarks.\n\nWithout a command, benchtop opens the \
                  project in the current folder, so that you can review items, search and sort them, and read \
                  leaderboards.",
    after_help = "Get started:\n  benchtop init DIR       Create a project\n  cd DIR\n  benchtop import PATH    Add \
                  items and predictions, or:\n  benchtop sample         Add a small sample data set\n  \
                  benchtop                Open the project\n\nRun `benchtop COMMAND --help` for the options of a \
                  command.\n\nExit codes: 0 success, 1 failure (the message says why), 2 wrong usage."
)]
pub struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    /// Project folder [default: the current folder or its nearest parent with a benchtop.toml]
    #[arg(long, global = true, value_name = "DIR", help_heading = GLOBAL_OPTIONS)]
    project: Option<PathBuf>,
    /// Annotator name [env: BENCHTOP_AS] [default: login name]
    #[arg(long = "as", global = true, value_name = "NAME", help_heading = GLOBAL_OPTIONS)]
    who: Option<String>,
    /// Color level: mono, 16, 256 or true [default: detected]
    #[arg(long, global = true, value_name = "LEVEL", help_heading = GLOBAL_OPTIONS)]
    color: Option<String>,
}

#[derive(Subcommand)]
enum Command {
    /// Create a project in a folder
    Init {
        /// Folder of the project; created if it does not exist
        dir: PathBuf,
    },
    /// Add a small sample data set to the project
    Sample(sample::Args),
    /// Import items, predictions, and pictures
    Import(import::Args),
    /// Compose questions from the metadata
    Compose(compose::Args),
    /// Generate the pictures of items
    Generate(generate::Args),
    /// Evaluate a model on the items of the project
    Eval(eval::Args),
    /// List and control generation and evaluation jobs
    Jobs(jobs::Args),
    /// Score items with models and manage the rules that flag items
    Filter(filter::Args),
    /// Manage model files on this machine
    Models(models::Args),
    /// Count items by two properties, or list the terms whose items fail most
    Coverage(coverage::Args),
    /// Reject all items with the given terms
    Discard(discard::Args),
    /// Update composed items after the metadata changed
    Recompose(recompose::Args),
    /// Restore imports that the manifest no longer lists
    Recover(recover::Args),
    /// Export items and predictions to another tool's format
    Export(export::Args),
    /// List items
    Items(items::Args),
    /// Record verdicts from JSON lines on standard input
    Decide(decide::Args),
    /// Record one verdict on all items that match a filter
    Bulk(bulk::Args),
    /// Change the question, options, or answer of an item
    Edit(edit::Args),
    /// Undo your last verdict or edit
    Undo(undo::Args),
    /// Redo the verdict or edit that you last undid
    Redo(undo::Args),
    /// List, export, or import verdicts
    Verdicts(verdicts::Args),
    /// Show the decisions of all annotators, newest first
    Log(log::Args),
    /// Create and manage verification rounds
    Round(round::Args),
    /// Report agreement between annotators, with intervals
    Agreement(agreement::Args),
    /// Show your own pace (private)
    Pace(agreement::pace::Args),
    /// Merge journals from other machines into the project
    Merge(merge::Args),
    /// Show the state of the project at a point in time, rebuilt from its journals
    Replay(replay::Args),
    /// List the items whose status changed between two points in time
    Diff(replay::DiffArgs),
    /// List, check, compare, and import metadata files
    Vocab(vocab::Args),
    /// Print the leaderboard of the project or of prediction files
    Board(board::Args),
    /// Analyze a board: correlation, clusters, intervals, charts, and more
    Analyse(analyse::Args),
    /// Check metadata and questions for mistakes
    Lint(lint::Args),
    /// Check printed tables of results for impossible numbers
    LintTable(lint_table::Args),
    /// Extract answers from model outputs with a named rule
    Extract(extract::Args),
    /// Manage the servers that you agree to send data to
    Trust(trust::Args),
    /// List key bindings, or check a key file
    Keys(keys::Args),
    /// Show or set the theme of the terminal program
    Theme(theme::Args),
    /// Print a picture in this terminal
    Show(show::Show),
    /// Show the state of the project's owner process
    Status(status::Args),
    /// Stop the project's owner process
    Stop,
    /// Check the files of the project for damage, or repair them
    Verify(verify::Args),
    /// Print the information that a bug report needs
    Doctor(doctor::Args),
    /// Run the owner process of a project (other commands start it)
    #[command(hide = true)]
    Owner,
    /// Run a worker process for an owner (the owner starts it)
    #[command(hide = true)]
    Worker(worker::Args),
}

/// Runs the command. `Ok` holds the exit code; for `Err` it is
/// [`benchtop_model::Error::exit_code`].
pub fn run(cli: Cli) -> Result<u8> {
    let context = Context {
        project: cli.project,
        who: cli.who,
        color: cli.color,
    };
    match cli.command {
        None => {
            benchtop_tui::run(&context.project()?, &context.who()?, context.color()?).map(|()| 0)
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
        Some(Command::Undo(args)) => undo::run(&context, &args, undo::Direction::Undo),
        Some(Command::Redo(args)) => undo::run(&context, &args, undo::Direction::Redo),
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
        Some(Command::Show(args)) => show::run(&args, context.color()?).map(|()| 0),
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
        "created a project in {root}\n\nNext:\n  cd {root}\n  benchtop import PATH    Add items and predictions, \
         or:\n  benchtop sample         Add a small sample data set\n  benchtop                Open the project\n"
    ))?;
    Ok(0)
}
