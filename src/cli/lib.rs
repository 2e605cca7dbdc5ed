//! Floor 6: the command line, one file per subcommand.
//!
//! Exit codes: 0 success, 1 failure (the message says why and what to do), 2 wrong usage. The
//! output of `--json` is a contract: `docs/cli.md` describes it, and `tests/flows/cli.rs` checks
//! it.
//!
//! | module | contents |
//! |---|---|
//! | [`agreement`] | `benchtop agreement` and `benchtop pace` |
//! | [`analyze`] | `benchtop analyze`: analyses of a whole board |
//! | [`board`] | `benchtop board`: the leaderboard |
//! | [`bulk`] | `benchtop bulk`: one verdict on all items that match a filter |
//! | `choose_project` | the project that `benchtop` opens, and the question in a folder that is none |
//! | [`comments`] | `benchtop comments`: lists, writes, and resolves comments |
//! | [`errors`] | `benchtop errors`: counts, gives, exports, and imports labels of errors in answers |
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
//! | [`explain`] | `benchtop explain`: where an item comes from |
//! | [`export`] | `benchtop export`: items and predictions in an interchange format |
//! | [`extract`] | `benchtop extract`: answers from model outputs |
//! | [`filter`] | `benchtop filter`: scores, rules, and flagged items |
//! | [`follow`] | follows a job of the owner until it ends |
//! | [`generate`] | `benchtop generate`: starts and watches a generation job |
//! | [`home`] | `benchtop home`: counts of items, open work, and activity |
//! | [`import`] | `benchtop import`: items, predictions, and pictures |
//! | [`items`] | `benchtop items`: lists items |
//! | [`jobs`] | `benchtop jobs`: lists and controls jobs |
//! | [`keys`] | `benchtop keys`: key bindings and key files |
//! | [`limits`] | limits on what a job sends to servers |
//! | [`lint`] | `benchtop lint`: checks metadata and questions |
//! | [`lint_table`] | `benchtop lint-table`: checks printed tables of results |
//! | [`log`] | `benchtop log`: decisions, newest first |
//! | [`merge`] | `benchtop merge`: journals from other machines |
//! | [`models`] | `benchtop models`: the model files on this machine, and which are used |
//! | [`out`] | the only writer to standard output and standard error |
//! | [`people`] | `benchtop people`: who works on the project |
//! | [`recompose`] | `benchtop recompose`: composed items after the metadata changed |
//! | [`recover`] | `benchtop recover`: imports that the manifest no longer lists |
//! | [`release`] | `benchtop release`: releases, their differences, and their verification |
//! | [`replay`] | `benchtop replay` and `benchtop diff`: earlier states of the project |
//! | [`round`] | `benchtop round`: verification rounds |
//! | [`sample`] | `benchtop sample`: the sample |
//! | [`bootstrap`] | `benchtop bootstrap`: variants of questions and pictures that models make and judge |
//! | [`transcript`] | `benchtop transcript`: the requests and answers behind an item |
//! | [`scenario`] | `benchtop scenario`: derived pictures, and contact sheets of them |
//! | [`show`] | `benchtop show`: a picture in the terminal |
//! | [`start`] | start of the program: arguments, errors, panics, and the exit code |
//! | [`status`] | `benchtop status` and `benchtop stop` |
//! | `terminal_commands` | the commands that the terminal program runs beside itself |
//! | [`theme`] | `benchtop theme`: the theme of the terminal program |
//! | [`trust`] | `benchtop trust`: consent to send data to servers |
//! | [`undo`] | `benchtop undo` and `benchtop redo` |
//! | [`verdicts`] | `benchtop verdicts`: lists, exports, and imports verdicts |
//! | [`verify`] | `benchtop verify`: checks every file of the project |
//! | [`vocab`] | `benchtop vocab`: lists, checks, compares, and imports metadata files |
//! | [`worker`] | `benchtop worker`: a CPU worker of an owner |

use std::path::PathBuf;
use std::sync::Arc;

use clap::{Parser, Subcommand};

use self::context::Context;
use self::out::print;
pub use self::terminal_commands::TerminalCommands;
use benchtop_files::project::Project;
use benchtop_model::{Result, clean};

pub mod agreement;
pub mod analyze;
pub mod board;
pub mod bootstrap;
pub mod bulk;
mod choose_project;
pub mod comments;
pub mod compose;
mod consent;
mod context;
pub mod coverage;
pub mod decide;
mod devices;
pub mod discard;
pub mod doctor;
pub mod edit;
pub mod errors;
pub mod eval;
pub mod explain;
pub mod export;
pub mod extract;
pub mod filter;
pub mod follow;
pub mod generate;
pub mod home;
pub mod import;
pub mod items;
pub mod jobs;
pub mod keys;
pub mod limits;
pub mod lint;
pub mod lint_table;
pub mod log;
pub mod merge;
pub mod models;
pub mod out;
pub mod people;
pub mod recompose;
pub mod recover;
pub mod release;
pub mod replay;
pub mod round;
pub mod sample;
pub mod scenario;
pub mod show;
pub mod start;
pub mod status;
mod terminal_commands;
pub mod theme;
pub mod transcript;
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

/// The commands, one row each: description, name, arguments, and what runs it.
macro_rules! commands {
    (|$context:ident| $($(#[$meta:meta])+ $name:ident $(($args:ident: $kind:ty))? => $run:expr;)+) => {
        #[derive(Subcommand)]
        enum Command {
            $($(#[$meta])+ $name $(($kind))?,)+
        }

        impl Command {
            fn run(self, $context: &Context) -> Result<u8> {
                match self {
                    $(Command::$name $(($args))? => $run,)+
                }
            }
        }
    };
}

commands! {
    |context|
    /// Create a project in a folder
    Init(args: InitArgs) => init(&args.dir);
    /// Add the sample: a finished project to look around in, or remove it
    Sample(args: sample::Args) => sample::run(context, &args);
    /// Import items, predictions, and pictures
    Import(args: import::Args) => import::run(context, &args);
    /// Compose questions from the metadata
    Compose(args: compose::Args) => compose::run(context, &args);
    /// Generate the pictures of items
    Generate(args: generate::Args) => generate::run(context, &args);
    /// Evaluate a model on the items of the project
    Eval(args: eval::Args) => eval::run(context, &args);
    /// Derive corrupted and attacked pictures, with items of them
    Scenario(args: scenario::Args) => scenario::run(context, &args);
    /// Have models make and judge variants of questions and pictures (VLB), and watch the job
    Bootstrap(args: bootstrap::Args) => bootstrap::run(context, &args);
    /// Show the requests and answers that a derived item was made with
    Transcript(args: transcript::Args) => transcript::run(context, &args);
    /// List and control jobs: pictures, evaluations, scenarios, and others
    Jobs(args: jobs::Args) => jobs::run(context, &args);
    /// Score items with models and manage the rules that flag items
    Filter(args: filter::Args) => filter::run(context, &args);
    /// Manage model files on this machine, and choose what paints and scores
    Models(args: models::Args) => models::run(context, &args);
    /// Count items by two properties, or list the terms whose items fail most
    Coverage(args: coverage::Args) => coverage::run(context, &args);
    /// Reject all items with the given terms
    Discard(args: discard::Args) => discard::run(context, &args);
    /// Update composed items after the metadata changed
    Recompose(args: recompose::Args) => recompose::run(context, &args);
    /// Restore imports that the manifest no longer lists
    Recover(args: recover::Args) => recover::run(context, &args);
    /// Export items and predictions to another tool's format
    Export(args: export::Args) => export::run(context, &args);
    /// Release items as a frozen folder, compare releases, or verify one
    Release(args: release::Args) => release::run(context, &args);
    /// Show how far the project is, open work, and what others did
    Home(args: home::Args) => home::run(context, &args);
    /// List items
    Items(args: items::Args) => items::run(context, &args);
    /// Show where an item comes from: terms, template, prompt, picture, edit, question
    Explain(args: explain::Args) => explain::run(context, &args);
    /// Record verdicts from JSON lines on standard input
    Decide(args: decide::Args) => decide::run(context, &args);
    /// Record one verdict on all items that match a filter
    Bulk(args: bulk::Args) => bulk::run(context, &args);
    /// List, write, or resolve comments on items
    Comments(args: comments::Args) => comments::run(context, &args);
    /// Count, give, export, or import labels of errors in models' answers
    Errors(args: errors::Args) => errors::run(context, &args);
    /// Change the question, options, or answer of an item
    Edit(args: edit::Args) => edit::run(context, &args);
    /// Undo your last verdict, edit, or comment
    Undo(args: undo::Args) => undo::run(context, &args, undo::Direction::Undo);
    /// Redo the verdict, edit, or comment that you last undid
    Redo(args: undo::Args) => undo::run(context, &args, undo::Direction::Redo);
    /// List, export, or import verdicts
    Verdicts(args: verdicts::Args) => verdicts::run(context, &args);
    /// Show the decisions of all annotators, newest first
    Log(args: log::Args) => log::run(context, &args);
    /// Show or change who works on the project
    People(args: people::Args) => people::run(context, &args);
    /// Create and manage verification rounds
    Round(args: round::Args) => round::run(context, &args);
    /// Report agreement between annotators, with intervals
    Agreement(args: agreement::Args) => agreement::run(context, &args);
    /// Show your own pace (private)
    Pace(args: agreement::pace::Args) => agreement::pace::run(context, &args);
    /// Merge journals from other machines into the project
    Merge(args: merge::Args) => merge::run(context, &args);
    /// Show the state of the project at a point in time, rebuilt from its journals
    Replay(args: replay::Args) => replay::run(context, &args);
    /// List the items whose status changed between two points in time
    Diff(args: replay::DiffArgs) => replay::diff(context, &args);
    /// List, check, compare, and import metadata files
    Vocab(args: vocab::Args) => vocab::run(context, &args);
    /// Print the leaderboard of the project or of prediction files
    Board(args: board::Args) => board::run(context, &args);
    /// Analyze a board: correlation, clusters, intervals, charts, and more
    #[command(alias = "analyse")]
    Analyze(args: analyze::Args) => analyze::run(context, &args);
    /// Check metadata and questions for mistakes
    Lint(args: lint::Args) => lint::run(context, &args);
    /// Check printed tables of results for impossible numbers
    LintTable(args: lint_table::Args) => lint_table::run(&args);
    /// Extract answers from model outputs with a named rule
    Extract(args: extract::Args) => extract::run(&args);
    /// Manage the servers that you agree to send data to
    Trust(args: trust::Args) => trust::run(context, &args);
    /// List key bindings, or check a key file
    Keys(args: keys::Args) => keys::run(context, &args);
    /// Show or set the theme of the terminal program
    Theme(args: theme::Args) => theme::run(&args);
    /// Print a picture in this terminal
    Show(args: show::Show) => show::run(&args, context.color()?).map(|()| 0);
    /// Show the state of the project's owner process
    Status(args: status::Args) => status::run(context, &args);
    /// Stop the project's owner process
    Stop => status::stop(context);
    /// Check the files of the project for damage, or repair them
    Verify(args: verify::Args) => verify::run(context, &args);
    /// Print the information that a bug report needs
    Doctor(args: doctor::Args) => doctor::run(context, &args);
    /// Run the owner process of a project (other commands start it)
    #[command(hide = true)]
    Owner => benchtop_owner::server::run(context.project()?.root()).map(|()| 0);
    /// Run a worker process for an owner (the owner starts it)
    #[command(hide = true)]
    Worker(args: worker::Args) => worker::run(&args);
}

#[derive(clap::Args)]
struct InitArgs {
    /// Folder of the project; created if it does not exist
    dir: PathBuf,
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
        None => open(context),
        Some(command) => command.run(&context),
    }
}

/// Opens the terminal program.
fn open(context: Context) -> Result<u8> {
    let Some(project) = choose_project::choose(&context)? else {
        return Ok(0);
    };
    let context = Context {
        project: Some(project.root().into()),
        ..context
    };
    choose_project::record(&project);
    let (who, color) = (context.who()?, context.color()?);
    let commands = TerminalCommands::new(&project, &who, context.who.as_deref());
    benchtop_tui::run(&project, &who, color, Arc::new(commands)).map(|()| 0)
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
