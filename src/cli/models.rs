//! `benchtop models`: the model files on this machine.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use clap::Subcommand;

use super::out;
use crate::out::print;
use benchtop_inference::hub::Hub;
use benchtop_model::Result;
use benchtop_model::weights::{Doing, FileProgress, FileState, ModelReport};
use benchtop_tui::widgets::meter::bar;
use benchtop_tui::widgets::text::grouped;

/// Time between two drawings of the progress line.
const EVERY: Duration = Duration::from_millis(250);

/// Arguments of `models`.
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: Option<What>,
    /// Print JSON lines
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Subcommand)]
enum What {
    /// Known models and how much of each is there
    List,
    /// Fetch what is missing of a model; one that was cut off goes on where it ended
    Pull {
        /// A name that `list` shows
        name: String,
    },
    /// Read and hash every file of a model
    Verify {
        /// A name that `list` shows, or a folder
        name: String,
    },
    /// The folder of a model that is complete
    Path {
        /// A name that `list` shows, or a folder
        name: String,
    },
}

/// Runs it. The exit code is 1 when a model is not what it should be.
///
/// # Errors
/// When there is no such model, it cannot be fetched, or its files cannot be read.
pub fn run(args: &Args) -> Result<u8> {
    let hub = Hub::from_env()?;
    let mut progress = Progress::new(args.json);
    match args.what.as_ref().unwrap_or(&What::List) {
        What::List => {
            let models = hub.list()?;
            let text: String = models
                .iter()
                .map(|m| if args.json { json(m) } else { line(m) })
                .collect();
            print(&text).map(|()| 0)
        }
        What::Pull { name } => {
            let report = hub.pull(name, &mut |p| progress.tell(p));
            progress.end();
            told(&report?, args.json)
        }
        What::Verify { name } => {
            let report = hub.verify(name, &mut |p| progress.tell(p));
            progress.end();
            told(&report?, args.json)
        }
        What::Path { name } => {
            let folder = hub.path(name)?;
            let text = if args.json {
                json(&serde_json::json!({"name": name, "folder": folder}))
            } else {
                format!("{}\n", folder.display())
            };
            print(&text).map(|()| 0)
        }
    }
}

/// One line of JSON.
fn json(value: &impl serde::Serialize) -> String {
    out::json_text(value)
}

fn state(state: FileState) -> &'static str {
    match state {
        FileState::Complete => "complete",
        FileState::Partial => "partial",
        FileState::Absent => "absent",
        FileState::Corrupt => "corrupt",
    }
}

fn line(model: &ModelReport) -> String {
    let size: u64 = model.files.iter().filter_map(|f| f.size).sum();
    let size = if size > 0 {
        format!("{:.1} GB", size as f64 / 1e9)
    } else {
        "size not known".into()
    };
    format!(
        "{:<20} {:<9} {:<15} {:<46} {}\n",
        model.name,
        state(model.state),
        size,
        model.licence,
        model.what
    )
}

fn told(report: &ModelReport, as_json: bool) -> Result<u8> {
    let code = u8::from(report.state != FileState::Complete);
    if as_json {
        return print(&json(report)).map(|()| code);
    }
    let mut text = String::new();
    for file in &report.files {
        let trouble = file
            .trouble
            .as_ref()
            .map_or(String::new(), |t| format!("  {t}"));
        let hash = file.sha256.as_deref().unwrap_or("hash not known");
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
    print(&text).map(|()| code)
}

/// The line that says how far a file is: drawn over itself on a terminal, as JSON lines with `--json`, else one line a
/// file.
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

    /// Tells how far it is; the work always goes on.
    fn tell(&mut self, at: &FileProgress) -> bool {
        let other = self.file != at.path;
        let over = at.of == Some(at.done);
        if other {
            self.file.clone_from(&at.path);
        } else if !over && self.drawn.is_some_and(|d| d.elapsed() < EVERY) {
            return true;
        }
        self.drawn = Some(Instant::now());
        let doing = match at.doing {
            Doing::Pull => "fetching",
            Doing::Verify => "hashing",
        };
        if self.json {
            out::tell_text(&json(at));
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
        } else if other {
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
