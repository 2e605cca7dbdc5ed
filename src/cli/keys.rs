//! `benchtop keys`: the keys that hold, and whether a key file is right.

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

/// Arguments of `keys`.
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: Option<What>,
    /// Print one JSON object a line
    #[arg(long, global = true)]
    json: bool,
}

#[derive(clap::Subcommand)]
enum What {
    /// Say what is wrong with a key file
    Check {
        /// The file
        file: PathBuf,
    },
}

/// Runs it. The exit code is 1 when a key file is refused.
///
/// # Errors
/// When the file to check cannot be read, and when a project that is named cannot be opened.
pub fn run(context: &Context, args: &Args) -> Result<u8> {
    // Macros name reasons of a project; without one their form alone is looked at.
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
                let said = json!({"severity": severity, "file": file, "line": line, "field": field, "what": what, "help": help});
                json_line(&mut out, &said)?;
            }
        }
        print(&String::from_utf8_lossy(&out))?;
    } else {
        let noted: String = notes.iter().map(|n| format!("note: {n}\n")).collect();
        let right = match problems.is_empty() {
            true => format!(
                "{}: every key can be taken, {macros} macros\n",
                file.display()
            ),
            false => String::new(),
        };
        print(&(noted + &right))?;
        tell(&problems);
    }
    Ok(u8::from(!problems.is_empty()))
}

fn list(loaded: &Loaded, json: bool) -> Result<()> {
    let mut out = Vec::new();
    let keymap = &loaded.keymap;
    if !json {
        let from = loaded.file.as_ref().map_or("the default keys".into(), |f| {
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
        out.extend("\nMacros in the review\n".bytes());
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
