//! `benchtop keys`: lists key bindings, and checks key files.

use std::path::{Path, PathBuf};

use serde_json::json;

use super::out;
use crate::context::Context;
use crate::out::{json_line, print};
use benchtop_files::bounded;
use benchtop_files::project::Project;
use benchtop_files::regular::SETTINGS_LIMIT;
use benchtop_model::{Error, ErrorKind, Result};
use benchtop_tui::action::Action;
use benchtop_tui::keymap::Keymap;
use benchtop_tui::keymap::file::{Loaded, load, read};
use benchtop_tui::keymap::macros::Known;
use benchtop_tui::terminal::environment;

#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: Option<What>,
    /// Print JSON lines
    #[arg(long, global = true)]
    json: bool,
}

#[derive(clap::Subcommand)]
enum What {
    /// Check a key file for mistakes
    Check {
        /// Key file
        file: PathBuf,
    },
}

/// The exit code is 1 if a key file is invalid.
pub fn run(context: &Context, args: &Args) -> Result<u8> {
    // Macros name reasons of a project. Without a project only their syntax is checked.
    let project = match context.project() {
        Ok(project) => Some(project),
        Err(problem) if problem.kind == ErrorKind::NotFound && context.project.is_none() => None,
        Err(problem) => return Err(problem),
    };
    let known = project.as_ref().map(known);
    match &args.what {
        Some(What::Check { file }) => check(file, known.as_ref(), args.json),
        None => match load(&environment(), known.as_ref()) {
            Ok(loaded) => list(&loaded, args.json).map(|()| 0),
            Err(problems) => {
                tell(&problems);
                list(
                    &Loaded {
                        keymap: Keymap::defaults()?,
                        file: None,
                        notes: vec![],
                    },
                    args.json,
                )
                .map(|()| 1)
            }
        },
    }
}

fn known(project: &Project) -> Known<'_> {
    Known {
        project: &project.config().name,
        reasons: &project.config().review.reasons,
    }
}

fn tell(problems: &[Error]) {
    for problem in problems {
        out::tell(problem);
    }
}

fn check(file: &Path, known: Option<&Known<'_>>, json: bool) -> Result<u8> {
    let text = bounded::text(file, SETTINGS_LIMIT)?;
    let (problems, notes, macros) = match read(&text, file, known) {
        Ok((keymap, notes)) => (Vec::new(), notes, keymap.macros().len()),
        Err(problems) => (problems, Vec::new(), 0),
    };
    if json {
        let mut out = Vec::new();
        for (severity, list) in [("error", &problems), ("note", &notes)] {
            for p in list {
                let (what, help, line, field) = (&p.what, &p.help, p.place.line, &p.place.field);
                let line = json!({"severity": severity, "file": file, "line": line, "field": field, "what": what, "help": help});
                json_line(&mut out, &line)?;
            }
        }
        print(&String::from_utf8_lossy(&out))?;
    } else {
        let mut text: String = notes.iter().map(|n| format!("note: {n}\n")).collect();
        if problems.is_empty() {
            let macros = out::count(macros, "macro");
            text += &format!("{}: valid, {macros}\n", file.display());
        }
        print(&text)?;
        tell(&problems);
    }
    Ok(u8::from(!problems.is_empty()))
}

fn list(loaded: &Loaded, json: bool) -> Result<()> {
    let mut out = Vec::new();
    let keymap = &loaded.keymap;
    if !json {
        let from = loaded.file.as_ref().map_or("default keys".into(), |f| {
            format!("keys from {}", f.display())
        });
        out.extend(format!("{from}\n").bytes());
    }
    let mut heading = None;
    for action in Action::ALL {
        let (keys, scope) = (keymap.keys(*action), action.scope().title());
        let changed = keys != action.keys();
        if json {
            let object = json!({
                "action": action.name(), "scope": scope, "keys": keys, "default": action.keys(), "undo": action.undoable(),
                "help": action.help(),
            });
            json_line(&mut out, &object)?;
            continue;
        }
        if heading.replace(scope) != Some(scope) {
            out.extend(format!("\n{scope}\n").bytes());
        }
        let mark = if changed { "*" } else { " " };
        out.extend(
            format!(
                "{mark} {:<24} {:<24} {}\n",
                keys.join(" "),
                action.name(),
                action.help()
            )
            .bytes(),
        );
    }
    if !json && !keymap.macros().is_empty() {
        out.extend("\nReview macros\n".bytes());
    }
    for made in keymap.macros() {
        if json {
            let object = json!({
                "macro": made.name, "keys": [made.chord.label()], "verdict": made.verdict.name(), "reasons": made.reasons,
                "note": made.note, "project": made.project,
            });
            json_line(&mut out, &object)?;
        } else {
            out.extend(
                format!(
                    "* {:<24} {:<24} {}\n",
                    made.chord.label(),
                    made.name,
                    made.help()
                )
                .bytes(),
            );
        }
    }
    for note in &loaded.notes {
        out::tell(format_args!("note: {note}"));
    }
    print(&String::from_utf8_lossy(&out))
}
