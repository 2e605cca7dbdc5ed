//! `benchtop` without a command: finds the project to open. In a folder that is no project, it asks
//! on the terminal whether to make the folder one, or which other project to open.

use std::fs;
use std::io::{BufRead, IsTerminal, stdin, stdout};
use std::path::{Path, PathBuf};

use super::context::Context;
use super::out::{self, print};
use benchtop_files::project::{self, Project};
use benchtop_files::recent::Recent;
use benchtop_model::{Error, ErrorKind, Result, clean};

/// The project that `benchtop` opens. `None` if the person wants none.
///
/// # Errors
/// As [`Context::project`] if there is no terminal to ask on.
pub fn choose(context: &Context) -> Result<Option<Project>> {
    let folder = context
        .project
        .clone()
        .unwrap_or_else(|| PathBuf::from("."));
    let refusal = match context.project() {
        Ok(project) => return Ok(Some(project)),
        Err(refusal) => refusal,
    };
    let is_other = folder.join(project::FILE).symlink_metadata().is_ok();
    let is_plain = refusal.kind == ErrorKind::NotFound && folder.is_dir() && !is_other;
    if !is_plain || !has_terminal() {
        return Err(refusal);
    }
    let folder =
        fs::canonicalize(&folder).map_err(|e| Error::io(&e, "cannot open the folder", &folder))?;
    ask(&folder)
}

fn has_terminal() -> bool {
    stdin().is_terminal() && stdout().is_terminal()
}

fn recent() -> Option<Recent> {
    Recent::of_current_user(|name| std::env::var_os(name))
}

/// Records that a project was opened. Without a state folder nothing is recorded.
pub fn record(project: &Project) {
    if let Some(recent) = recent().filter(|_| has_terminal()) {
        // The list is a convenience, and the project opens without it.
        let _ = recent.opened(project.root());
    }
}

fn ask(folder: &Path) -> Result<Option<Project>> {
    let shown = folder.display().to_string();
    let shown = clean::line(&shown);
    if let Some(note) = note(folder) {
        print(&format!("{note}\n"))?;
    }
    loop {
        print(&format!(
            "Make {shown} a benchtop project?\n[y] yes  [o] open another  [q] no, then enter: "
        ))?;
        let Some(answer) = read_line()? else {
            print("\n")?;
            return Ok(None);
        };
        let chosen = match answer.to_ascii_lowercase().as_str() {
            "y" | "yes" => Project::init(folder).map(Some),
            "o" => open_another(folder),
            "q" | "n" | "no" => return Ok(None),
            _ => Err(Error::usage(format!(
                "`{}` is no answer: press y, o, or q, then enter",
                clean::line(&answer)
            ))),
        };
        match chosen {
            Ok(Some(project)) => return Ok(Some(project)),
            Ok(None) => {}
            Err(problem) => out::problem(&problem, false),
        }
    }
}

/// What a person should know before the answer.
fn note(folder: &Path) -> Option<String> {
    let home = std::env::var_os("HOME").and_then(|home| fs::canonicalize(home).ok());
    if home.is_some_and(|home| home == folder) || folder.parent().is_none() {
        return Some("All folders below this one would be part of the project.".into());
    }
    let files = fs::read_dir(folder).ok()?.count();
    (files > 0).then(|| {
        let files = out::count(files, "file");
        format!("The folder holds {files}; benchtop does not change them.")
    })
}

/// Lists the recent projects and reads a number or a path. `None` goes back to the question.
fn open_another(folder: &Path) -> Result<Option<Project>> {
    let projects = recent().map(|r| r.projects()).unwrap_or_default();
    let mut list = String::new();
    for (n, root) in (1..).zip(&projects) {
        let name = root.file_name().unwrap_or(root.as_os_str());
        let (name, root) = (
            name.to_string_lossy().into_owned(),
            root.display().to_string(),
        );
        list += &format!(
            "{n:>4}  {:<20}  {}\n",
            clean::line(&name),
            clean::line(&root)
        );
    }
    let what = match projects.is_empty() {
        true => "Path of the project",
        false => "Number or path of the project",
    };
    print(&format!("{list}{what} (empty to go back): "))?;
    let Some(answer) = read_line()?.filter(|answer| !answer.is_empty()) else {
        return Ok(None);
    };
    let listed = answer
        .parse::<usize>()
        .ok()
        .and_then(|n| projects.get(n.checked_sub(1)?));
    let path = listed.cloned().unwrap_or_else(|| typed(&answer, folder));
    Project::find(&path).map(Some)
}

/// The path that was typed, with `~` for the home folder.
fn typed(answer: &str, folder: &Path) -> PathBuf {
    let home = std::env::var_os("HOME").map(PathBuf::from);
    match (answer, answer.strip_prefix("~/"), home) {
        ("~", _, Some(home)) => home,
        (_, Some(rest), Some(home)) => home.join(rest),
        _ => folder.join(answer),
    }
}

/// A trimmed line from the terminal; `None` at its end.
fn read_line() -> Result<Option<String>> {
    let mut line = String::new();
    let read = stdin()
        .lock()
        .read_line(&mut line)
        .map_err(|e| Error::new(ErrorKind::Io, format!("cannot read the answer: {e}")))?;
    Ok((read > 0).then(|| line.trim().to_string()))
}
