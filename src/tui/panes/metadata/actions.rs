//! Actions of both metadata panes: save, revert, resolve conflicts, and edit elsewhere.

use super::diff::{by_lines, by_terms};
use super::edit_session::{Place, Places, error_line};
use super::recompose::ask_stale;
use super::session::Session;
use crate::action::Action;
use crate::pane::{Ask, Context, EditAt, Opens, Pane, PaneId, Target};
use crate::theme::Role;
use crate::widgets::page::Page;
use crate::widgets::text::{grouped, plural};
use crate::widgets::word_diff::Change;
use benchtop_compose::metadata::{STYLE, vocabulary_of};
use benchtop_model::recompose::Rename;
use benchtop_model::usage::{Impact, MetadataState, Save};
use benchtop_model::{ErrorKind, MetaFile, Result, Severity};
use benchtop_protocol::wire::request;

/// Lines of context around a change.
const AROUND: usize = 2;

/// A pane that edits the metadata.
pub trait MetadataPane: Pane {
    /// Refreshes the pane after the metadata changed.
    fn refresh(&mut self, cx: &mut Context<'_>);
}

/// Runs an action that both panes have, with the cursor in `line` of `file`. Returns false for any
/// other action.
pub fn act<P: MetadataPane>(action: Action, file: &str, line: u32, cx: &mut Context<'_>) -> bool {
    let session = cx.metadata.session();
    match action {
        Action::SaveMetadata => save::<P>(cx),
        Action::Revert if !session.is_changed(file) => {
            cx.refuse(format!("{file} has no unsaved edits"));
        }
        Action::Revert => ask_revert::<P>(file, cx),
        Action::EditOutside if session.is_changed(file) => {
            cx.refuse(format!("save or revert {file} first"));
        }
        Action::EditOutside if session.shipped() || session.text(file).is_none() => {
            cx.say("these are the built-in files; save once to write them to the project");
        }
        Action::EditOutside => cx.edit(format!("metadata/{file}"), EditAt::Line(line.max(1))),
        Action::SeedDown | Action::SeedUp if cx.metadata.is_ready() => {
            cx.metadata.step_seed(action == Action::SeedUp);
        }
        Action::Resolve => {
            let conflicts = session.conflicts();
            let own = conflicts.iter().find(|c| **c == file);
            match own.or(conflicts.first()).map(|c| c.to_string()) {
                None => cx.refuse("no conflicts"),
                Some(own) => ask_conflict::<P>(own, cx),
            }
        }
        Action::Difference => match difference(session) {
            Some(page) => cx.page(page),
            None => cx.refuse("no unsaved changes"),
        },
        Action::Recompose if !session.changed().is_empty() => {
            cx.say("save or revert your edits first: items are composed from the files on disk")
        }
        Action::Recompose => ask_stale::<P>(Vec::new(), true, cx),
        _ => return false,
    }
    true
}

/// Undoes or redoes an edit, and reports its files. Returns the changed places.
pub fn step(undo: bool, cx: &mut Context<'_>) -> Option<Places> {
    let places = match cx.metadata.step(undo) {
        Ok(places) => places,
        Err(why) => {
            cx.refuse(why);
            return None;
        }
    };
    let mut names: Vec<String> = places
        .iter()
        .map(|(name, _)| format!("metadata/{name}"))
        .collect();
    names.dedup();
    let what = if undo { "undone" } else { "redone" };
    cx.say(format!("{what} in {}; unsaved", names.join(", ")));
    Some(places)
}

/// The line and column of the next finding in a file, or of the previous one. Wraps around, and
/// says so if there is none.
pub fn next_finding(
    file: &str,
    here: (u32, u32),
    forward: bool,
    cx: &mut Context<'_>,
) -> Option<(u32, u32)> {
    let found = cx.metadata.found_in(file).filter(|f| f.line > 0);
    let mut places: Vec<(u32, u32)> = found.map(|f| (f.line, f.column.max(1))).collect();
    places.sort_unstable();
    let next = match forward {
        true => places.iter().find(|p| **p > here).or(places.first()),
        false => places.iter().rev().find(|p| **p < here).or(places.last()),
    };
    if next.is_none() {
        cx.refuse(format!("{file} has no findings"));
    }
    next.copied()
}

/// Goes to a place, in the pane that edits its file.
pub fn go_to(place: Place, cx: &mut Context<'_>) {
    let vocabularies = cx.metadata.session().edited().vocabularies();
    let is_list = vocabulary_of(&place.file).is_some_and(|name| vocabularies.contains_key(name));
    let pane = match is_list {
        true => PaneId::Vocabulary,
        false if cx.metadata.texts().contains(&place.file) => PaneId::Templates,
        false => return cx.say(format!("no pane edits {}", place.file)),
    };
    cx.metadata.set_goal(place);
    cx.open(Target::Pane(pane));
}

fn ask_revert<P: MetadataPane>(file: &str, cx: &mut Context<'_>) {
    let file = file.to_string();
    let lines = lines([("discard", "undo restores them"), ("keep", "")]);
    let title = format!("Discard your edits of {file}?");
    cx.choose(title, lines, move |_: &mut P, pick, cx| {
        if pick == 0 {
            cx.metadata.session_mut().revert(&file);
            cx.metadata.touched();
        }
    });
}

fn ask_conflict<P: MetadataPane>(file: String, cx: &mut Context<'_>) {
    let theirs = match cx.metadata.session().theirs(&file) {
        None => "removed on disk",
        Some(_) => "undo restores mine",
    };
    let lines = lines([
        ("keep mine", "the next save overwrites the disk"),
        ("take theirs", theirs),
        ("show diff", "- on disk, + mine"),
    ]);
    let title = format!("{file} changed on disk and here");
    cx.choose(title, lines, move |_: &mut P, pick, cx| match pick {
        0 => {
            cx.metadata.session_mut().keep_mine(&file);
            cx.metadata.touched();
            cx.say(format!("the next save overwrites {file}"));
        }
        1 => {
            cx.metadata.session_mut().take_theirs(&file);
            cx.metadata.touched();
            cx.say(format!("took {file} from disk; undo restores yours"));
        }
        _ => {
            let session = cx.metadata.session();
            let page = Page::new(format!("{file}: - on disk, + mine"));
            let page = add_difference(page, session.theirs(&file), session.text(&file));
            cx.page(page);
        }
    });
}

/// Counts the items that a save affects, then asks for confirmation.
fn save<P: MetadataPane>(cx: &mut Context<'_>) {
    let session = cx.metadata.session();
    if let Some(file) = session.conflicts().first().map(|file| file.to_string()) {
        return ask_conflict::<P>(file, cx);
    }
    let saves = session.saves();
    if saves.is_empty() {
        return cx.refuse("no unsaved changes");
    }
    let file = |save: Save| {
        Some(MetaFile {
            name: save.name,
            text: save.text?,
        })
    };
    let files = saves.into_iter().filter_map(file).collect();
    cx.say("counting affected items");
    let then = |_: &mut P, impact, cx: &mut Context<'_>| on_impact::<P>(impact, cx);
    cx.send(Ask::new(request::Impact(files), then).opens(Opens::Confirmation));
}

fn on_impact<P: MetadataPane>(impact: Result<Impact>, cx: &mut Context<'_>) {
    let (title, mut detail) = match impact {
        Ok(impact) => (impact_line(&impact), causes(&impact)),
        // A failed count must not keep anybody from saving.
        Err(problem) => (
            format!("cannot count affected items: {}", error_line(&problem)),
            String::new(),
        ),
    };
    let files = match cx.metadata.session().saves().len() {
        0 => return,
        n => plural(n as u64, "file"),
    };
    let found = cx.metadata.found();
    match found.filter(|f| f.severity() == Severity::Error).count() {
        0 => {}
        n => detail = format!("with {}  {detail}", plural(n as u64, "error")),
    }
    let lines = vec![
        (format!("save {files}"), detail),
        ("keep editing".into(), String::new()),
    ];
    cx.choose(title, lines, |_: &mut P, pick, cx| {
        if pick == 0 {
            save_now::<P>(false, cx);
        }
    });
}

/// Saves the edits without asking. With `quits`, the program ends afterwards.
pub fn save_now<P: MetadataPane>(quits: bool, cx: &mut Context<'_>) {
    let session = cx.metadata.session();
    let (renames, ask) = (renames(session), request::SaveMetadata(session.saves()));
    let then = move |pane: &mut P, state, cx: &mut Context<'_>| {
        on_saved::<P>(state, renames, quits, cx);
        if cx.env.is_shown {
            pane.refresh(cx);
        }
    };
    cx.send(Ask::new(ask, then).for_key());
}

/// Receives the files on disk after a save.
fn on_saved<P: MetadataPane>(
    state: Result<MetadataState>,
    renames: Vec<Rename>,
    quits: bool,
    cx: &mut Context<'_>,
) {
    let state = match state {
        Ok(state) => state,
        Err(problem) => {
            cx.refuse(format!("not saved: {}", error_line(&problem)));
            if problem.kind == ErrorKind::Conflict {
                cx.read_metadata();
            }
            return;
        }
    };
    let changed = cx.metadata.session().changed().len();
    if let Some(toast) = cx.metadata.on_state(Ok(state)) {
        cx.show(toast);
    }
    let left = cx.metadata.session().changed().len();
    let saved = changed.saturating_sub(left);
    cx.done(format!("saved {}", plural(saved as u64, "file")));
    if quits && left == 0 {
        return cx.quit();
    }
    // Look for stale items while the user still looks at the saved file.
    ask_stale::<P>(renames, false, cx);
}

/// The terms renamed in this session.
fn renames(session: &Session) -> Vec<Rename> {
    let names = session.edited().vocabularies().keys().map(String::as_str);
    let renamed = |vocabulary: &str| {
        let old = session.base().enabled(vocabulary);
        let new = session.edited().enabled(vocabulary);
        let vocabulary = vocabulary.to_string();
        let rename = move |(old, new)| Rename {
            vocabulary: vocabulary.clone(),
            old,
            new,
        };
        by_terms(&old, &new).renamed.into_iter().map(rename)
    };
    names.chain([STYLE]).flat_map(renamed).collect()
}

/// The diff of all changed files against the disk.
fn difference(session: &Session) -> Option<Page> {
    let changed = session.changed();
    let page = |page: Page, file: &&str| {
        add_difference(
            page.heading(*file),
            session.base().text(file),
            session.text(file),
        )
    };
    (!changed.is_empty()).then(|| changed.iter().fold(Page::new("unsaved changes"), page))
}

fn add_difference(page: Page, old: Option<&str>, new: Option<&str>) -> Page {
    by_lines(old.unwrap_or_default(), new.unwrap_or_default(), AROUND)
        .into_iter()
        .fold(page, |page, line| match line {
            None => page.entry("", 2, "...", Role::Dim),
            Some(line) => {
                let (mark, role) = match line.change {
                    Change::Same => (" ", Role::Text),
                    Change::Added => ("+", Role::Good),
                    Change::Removed => ("-", Role::Bad),
                };
                page.entry(mark, 2, line.text, role)
            }
        })
}

/// The effect of a save on the items, in one line.
fn impact_line(impact: &Impact) -> String {
    let (stale, gone) = (impact.stale.all(), impact.gone.all());
    if impact.composed == 0 {
        return "No composed items: nothing becomes stale.".into();
    }
    let composed = grouped(impact.composed);
    match (stale, gone) {
        (0, 0) => format!("Affects none of {composed} composed items."),
        _ => format!(
            "Of {composed} composed items, {} become stale and {} are gone.",
            grouped(stale),
            grouped(gone)
        ),
    }
}

fn causes(impact: &Impact) -> String {
    let some: Vec<String> = impact
        .causes
        .iter()
        .take(3)
        .map(|(what, n)| format!("{what}: {}", grouped(*n)))
        .collect();
    some.join("; ")
}

fn lines<const N: usize>(lines: [(&str, &str); N]) -> Vec<(String, String)> {
    lines.map(|(a, b)| (a.to_string(), b.to_string())).to_vec()
}

#[cfg(test)]
#[path = "actions_tests.rs"]
mod tests;
