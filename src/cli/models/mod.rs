//! `benchtop models`: the model files on this machine, and what paints and scores.

mod choose;
mod plan;

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use clap::Subcommand;

pub use plan::{apply, current, plan};

use super::out;
use crate::context::Context;
use crate::out::print;
use benchtop_inference::hub::Hub;
use benchtop_model::Result;
use benchtop_model::weights::{FileOperation, FileProgress, FileState, ModelReport};
use benchtop_tui::widgets::meter::bar;
use benchtop_tui::widgets::text::grouped;

/// Minimum time between two updates of the progress line.
const EVERY: Duration = Duration::from_millis(250);

#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  benchtop models\n  benchtop models pull sdxl-turbo\n  benchtop models use --backend candle --model sdxl-turbo --pull --dry-run"
)]
pub struct Args {
    #[command(subcommand)]
    what: Option<What>,
    /// Print JSON lines
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Subcommand)]
enum What {
    /// List the known models and their state on this machine
    List,
    /// Download the missing files of a model; resumes interrupted downloads
    Pull {
        /// Name from `benchtop models list`
        name: String,
    },
    /// Check every file of a model against its hash
    Verify {
        /// Name from `benchtop models list`, or a folder
        name: String,
    },
    /// Choose what makes pictures and what scores them, in benchtop.toml
    Use(Box<choose::Args>),
    /// Print the folder of a complete model
    Path {
        /// Name from `benchtop models list`, or a folder
        name: String,
    },
}

/// The exit code is 1 if a model is incomplete or corrupt, or a server fails its test.
pub fn run(context: &Context, args: &Args) -> Result<u8> {
    let hub = Hub::from_env()?;
    let mut progress = Progress::new(args.json);
    match args.what.as_ref().unwrap_or(&What::List) {
        What::List => {
            let models = hub.list()?;
            let each = |model| out::either(args.json, model, || line(model));
            print(&models.iter().map(each).collect::<String>()).map(|()| 0)
        }
        What::Pull { name } => {
            let report = hub.pull(name, &mut |p| progress.tell(p));
            progress.end();
            show(&report?, args.json)
        }
        What::Verify { name } => {
            let report = hub.verify(name, &mut |p| progress.tell(p));
            progress.end();
            show(&report?, args.json)
        }
        What::Use(use_args) => choose::run(context, use_args, args.json),
        What::Path { name } => {
            let folder = hub.path(name)?;
            let value = serde_json::json!({"name": name, "folder": folder});
            out::report(args.json, &value, || format!("{}\n", folder.display()))
        }
    }
}

fn state(state: FileState) -> &'static str {
    match state {
        FileState::Complete => "complete",
        FileState::Partial => "partial",
        FileState::Absent => "absent",
        FileState::Corrupt => "corrupt",
    }
}

/// The size of a model, as far as it is known.
fn size_of(model: &ModelReport) -> String {
    match model.size() {
        0 => "unknown size".into(),
        size => format!("{:.1} GB", size as f64 / 1e9),
    }
}

fn line(model: &ModelReport) -> String {
    let size = size_of(model);
    format!(
        "{:<20} {:<9} {:<15} {:<46} {}\n",
        model.name,
        state(model.state),
        size,
        model.licence,
        model.what
    )
}

fn show(report: &ModelReport, as_json: bool) -> Result<u8> {
    let code = u8::from(report.state != FileState::Complete);
    out::report(as_json, report, || details(report)).map(|_| code)
}

fn details(report: &ModelReport) -> String {
    let mut text = String::new();
    for file in &report.files {
        let trouble = file
            .trouble
            .as_ref()
            .map_or(String::new(), |t| format!("  {t}"));
        let hash = file.sha256.as_deref().unwrap_or("unknown hash");
        text += &format!(
            "{:<9} {:>16}  {hash}  {}{trouble}\n",
            state(file.state),
            grouped(file.bytes),
            file.path
        );
    }
    text += &format!(
        "{}: {}, in {}\n",
        report.name,
        state(report.state),
        report.folder.display()
    );
    text
}

/// The progress line of a file. It is redrawn in place on a terminal. With `--json` it is JSON
/// lines; otherwise one line per file.
struct Progress {
    json: bool,
    terminal: bool,
    drawn: Option<Instant>,
    file: String,
}

impl Progress {
    fn new(json: bool) -> Progress {
        Progress {
            json,
            terminal: std::io::stderr().is_terminal(),
            drawn: None,
            file: String::new(),
        }
    }

    /// Reports progress. Returns true, so the work continues.
    fn tell(&mut self, at: &FileProgress) -> bool {
        let is_new_file = self.file != at.path;
        let is_complete = at.of == Some(at.done);
        if is_new_file {
            self.file.clone_from(&at.path);
        } else if !is_complete && self.drawn.is_some_and(|d| d.elapsed() < EVERY) {
            return true;
        }
        self.drawn = Some(Instant::now());
        let doing = match at.doing {
            FileOperation::Pull => "downloading",
            FileOperation::Verify => "hashing",
        };
        if self.json {
            out::tell_text(&out::json_text(at));
        } else if self.terminal {
            let share = at.of.map_or(0.0, |of| {
                if of > 0 {
                    at.done as f64 / of as f64
                } else {
                    1.0
                }
            });
            let of = at
                .of
                .map_or("?".into(), |n| format!("{:.1}", n as f64 / 1e6));
            let done = at.done as f64 / 1e6;
            out::progress(&format!(
                "{doing} {} {} {done:.1} of {of} MB",
                at.path,
                bar(share, 20, false)
            ));
        } else if is_new_file {
            out::tell(format_args!("{doing} {}", at.path));
        }
        true
    }

    fn end(&self) {
        if self.terminal && !self.json && self.drawn.is_some() {
            out::tell("");
        }
    }
}
