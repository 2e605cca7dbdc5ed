//! The metadata that both metadata panes edit: loading, previews, conflicts, and saving.

use super::diff::by_lines;
use super::effects::{ChoiceFor, Line, MetadataEffect as Effect, ReplyFor};
use super::preview::{Preview, PreviewRequest, Selection};
use super::session::Session;
use super::worker::Done;
use crate::action::Action;
use crate::theme::Role;
use crate::widgets::page::Page;
use crate::widgets::text::grouped;
use crate::widgets::word_diff::Change;
use benchtop_model::usage::{Impact, MetadataState};
use benchtop_model::{Error, ErrorKind, Finding, MetaFile, Result, Severity};
use benchtop_protocol::wire::request;

/// Lines of context around a change.
const AROUND: usize = 2;

/// The state of loading the metadata.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Phase {
    /// Not requested yet, or on its way.
    #[default]
    Loading,
    Ready,
    /// Loading failed, with the reason.
    Failed(String),
}

/// The metadata being edited.
#[derive(Clone, Debug, Default)]
pub struct EditSession {
    session: Session,
    phase: Phase,
    selection: Selection,
    seed: u64,
    ticket: u64,
    version: u64,
    preview: Option<Preview>,
    /// Quit once the save is done.
    leaving: bool,
}

impl EditSession {
    pub fn new() -> EditSession {
        EditSession::default()
    }

    pub fn session(&self) -> &Session {
        &self.session
    }

    /// The files for editing. Call [`touched`](Self::touched) afterwards.
    pub fn session_mut(&mut self) -> &mut Session {
        &mut self.session
    }

    /// Rises with every change that needs a redraw.
    pub fn version(&self) -> u64 {
        self.version
    }

    pub fn phase(&self) -> &Phase {
        &self.phase
    }

    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// The latest finished preview.
    pub fn shown(&self) -> Option<&Preview> {
        self.preview.as_ref()
    }

    /// All findings: unreadable files first, then those of the latest preview, errors first.
    pub fn found(&self) -> impl Iterator<Item = &Finding> {
        self.session
            .unreadable()
            .iter()
            .chain(self.preview.iter().flat_map(|p| &p.found))
    }

    /// The findings in one file.
    pub fn found_in<'d>(&'d self, file: &'d str) -> impl Iterator<Item = &'d Finding> {
        self.found().filter(move |f| f.file == file)
    }

    /// Asks for the files: at start, when they change on disk, and after an edit in another
    /// program.
    pub fn read(&self) -> Vec<Effect> {
        vec![Effect::Ask(ReplyFor::State, request::Metadata.into())]
    }

    /// Receives the files as they are on disk.
    pub fn on_state(&mut self, state: Result<MetadataState>) -> Vec<Effect> {
        let state = match state {
            Ok(state) => state,
            Err(problem) => {
                let line = error_line(&problem);
                if self.phase == Phase::Ready {
                    return vec![Effect::Refuse(line)];
                }
                self.phase = Phase::Failed(line);
                return vec![];
            }
        };
        let first = self.phase != Phase::Ready;
        self.phase = Phase::Ready;
        let changed = self.session.take(state);
        let mut effects = self.touched();
        if !first && !changed.is_empty() {
            let conflicts = self.session.conflicts();
            let (both, only): (Vec<&String>, Vec<&String>) = changed
                .iter()
                .partition(|n| conflicts.contains(&n.as_str()));
            if !both.is_empty() {
                let names = both
                    .iter()
                    .map(|n| n.as_str())
                    .collect::<Vec<_>>()
                    .join(", ");
                effects.push(Effect::Refuse(format!(
                    "conflict: {names} changed on disk and here"
                )));
            } else {
                let names = only
                    .iter()
                    .map(|n| n.as_str())
                    .collect::<Vec<_>>()
                    .join(", ");
                effects.push(Effect::Say(format!("{names} changed on disk: reloaded")));
            }
        }
        effects
    }

    /// Requests a new preview after an edit.
    pub fn touched(&mut self) -> Vec<Effect> {
        self.version += 1;
        self.ticket += 1;
        vec![Effect::Preview(Box::new(PreviewRequest {
            ticket: self.ticket,
            base: self.session.base().clone(),
            edited: self.session.edited().clone(),
            selection: self.selection.clone(),
            seed: self.seed,
        }))]
    }

    /// Selects the questions that the preview is about.
    pub fn select(&mut self, selection: Selection) -> Vec<Effect> {
        if self.selection == selection {
            return vec![];
        }
        self.selection = selection;
        if self.phase == Phase::Ready {
            self.touched()
        } else {
            vec![]
        }
    }

    /// Receives a preview. Returns whether it is shown.
    pub fn preview(&mut self, done: Done) -> bool {
        // While a newer preview is being made, a late one beats an empty pane.
        let fits = done.ticket <= self.ticket;
        if fits {
            self.version += 1;
            self.preview = Some(done.preview);
        }
        fits
    }

    /// Runs an action that both panes have, with the cursor in `line` of `file`. `None` for any
    /// other action.
    pub fn act(&mut self, action: Action, file: &str, line: u32) -> Option<Vec<Effect>> {
        let ready = self.phase == Phase::Ready;
        Some(match action {
            Action::SaveMetadata => self.save(),
            Action::Revert if !self.session.is_changed(file) => {
                refuse(format!("{file} has no unsaved edits"))
            }
            Action::Revert => ask(
                ChoiceFor::Revert(file.into()),
                format!("Discard your edits of {file}?"),
                [("discard", "undo restores them"), ("keep", "")],
            ),
            Action::EditOutside if self.session.is_changed(file) => {
                refuse(format!("save or revert {file} first"))
            }
            Action::EditOutside => vec![Effect::Edit {
                file: file.into(),
                line: line.max(1),
            }],
            Action::SeedDown | Action::SeedUp if ready => {
                let up = action == Action::SeedUp;
                self.seed = if up {
                    self.seed.wrapping_add(1)
                } else {
                    self.seed.wrapping_sub(1)
                };
                self.touched()
            }
            Action::Resolve => match self.session.conflicts().first() {
                None => refuse("no conflicts"),
                Some(first) => {
                    let conflicts = self.session.conflicts();
                    let own = conflicts
                        .iter()
                        .find(|c| **c == file)
                        .unwrap_or(first)
                        .to_string();
                    self.ask_conflict(&own)
                }
            },
            Action::Difference => match self.difference() {
                Some(page) => vec![Effect::Show(Box::new(page))],
                None => refuse("no unsaved changes"),
            },
            _ => return None,
        })
    }

    /// Undoes or redoes an edit. Returns the effects and the changed places.
    pub fn step(&mut self, undo: bool) -> std::result::Result<(Vec<Effect>, Places), String> {
        let places = if undo {
            self.session.undo()
        } else {
            self.session.redo()
        };
        let none = if undo {
            "no edit to undo"
        } else {
            "no edit to redo"
        };
        let places = places.ok_or(none)?;
        Ok((self.touched(), places))
    }

    fn ask_conflict(&self, file: &str) -> Vec<Effect> {
        let removed = self.session.theirs(file).is_none();
        let theirs = if removed {
            "removed on disk"
        } else {
            "undo restores mine"
        };
        ask(
            ChoiceFor::Conflict(file.into()),
            format!("{file} changed on disk and here"),
            [
                ("keep mine", "the next save overwrites the disk"),
                ("take theirs", theirs),
                ("show diff", "- on disk, + mine"),
            ],
        )
    }

    fn save(&mut self) -> Vec<Effect> {
        if let Some(file) = self.session.conflicts().first() {
            return self.ask_conflict(file);
        }
        let saves = self.session.saves();
        if saves.is_empty() {
            return refuse("no unsaved changes");
        }
        let files = saves
            .into_iter()
            .filter_map(|s| {
                Some(MetaFile {
                    name: s.name,
                    text: s.text?,
                })
            })
            .collect();
        vec![
            Effect::Say("counting affected items".into()),
            Effect::Ask(ReplyFor::Impact, request::Impact(files).into()),
        ]
    }

    /// Receives the effect of a save on the items and asks for confirmation.
    pub fn on_impact(&mut self, impact: Result<Impact>) -> Vec<Effect> {
        let (touched, detail) = match impact {
            Ok(impact) => (impact_line(&impact), causes(&impact)),
            // A failed count must not keep anybody from saving.
            Err(problem) => (
                format!("cannot count affected items: {}", error_line(&problem)),
                String::new(),
            ),
        };
        let files = self.session.saves().len();
        if files == 0 {
            return vec![];
        }
        let errors = self
            .found()
            .filter(|f| f.severity() == Severity::Error)
            .count();
        let files = if files == 1 {
            "1 file".into()
        } else {
            format!("{files} files")
        };
        let mut lines: Vec<Line> = vec![
            (format!("save {files}"), detail),
            ("keep editing".into(), String::new()),
        ];
        if errors > 0 {
            lines[0].1 = format!(
                "with {errors} {}  {}",
                if errors == 1 { "error" } else { "errors" },
                lines[0].1
            );
        }
        vec![Effect::AskChoice {
            purpose: ChoiceFor::Save,
            title: touched,
            lines,
        }]
    }

    /// Receives the files on disk after a save.
    pub fn on_saved(&mut self, state: Result<MetadataState>) -> Vec<Effect> {
        match state {
            Ok(state) => {
                let changed = self.session.changed().len();
                let mut effects = self.on_state(Ok(state));
                let left = self.session.changed().len();
                let saved = changed.saturating_sub(left);
                effects.push(Effect::Done(format!(
                    "saved {saved} {}",
                    if saved == 1 { "file" } else { "files" }
                )));
                if std::mem::take(&mut self.leaving) && left == 0 {
                    effects.push(Effect::Quit);
                }
                effects
            }
            Err(problem) => {
                self.leaving = false;
                let mut effects = vec![Effect::Refuse(format!(
                    "not saved: {}",
                    error_line(&problem)
                ))];
                if problem.kind == ErrorKind::Conflict {
                    effects.extend(self.read());
                }
                effects
            }
        }
    }

    /// Asks about unsaved edits before the program ends. `None` if there are none.
    pub fn before_quit(&self) -> Option<Vec<Effect>> {
        let changed = self.session.changed();
        if changed.is_empty() {
            return None;
        }
        let names = changed.join(", ");
        Some(ask(
            ChoiceFor::Quit,
            format!("Unsaved: {names}"),
            [
                ("save and quit", ""),
                ("quit without saving", "discards the edits"),
                ("cancel", ""),
            ],
        ))
    }

    /// Carries out a choice. `None` if the choice belongs to a pane.
    pub fn chosen(&mut self, purpose: &ChoiceFor, pick: usize) -> Option<Vec<Effect>> {
        let save = |session: &Session| {
            vec![Effect::Ask(
                ReplyFor::Saved,
                request::SaveMetadata(session.saves()).into(),
            )]
        };
        Some(match (purpose, pick) {
            (ChoiceFor::Save, 0) => save(&self.session),
            (ChoiceFor::Save, _) => vec![],
            (ChoiceFor::Conflict(file), 0) => {
                self.session.keep_mine(file);
                let mut effects = self.touched();
                effects.push(Effect::Say(format!("the next save overwrites {file}")));
                effects
            }
            (ChoiceFor::Conflict(file), 1) => {
                self.session.take_theirs(file);
                let mut effects = self.touched();
                effects.push(Effect::Say(format!(
                    "took {file} from disk; undo restores yours"
                )));
                effects
            }
            (ChoiceFor::Conflict(file), _) => {
                let (theirs, mine) = (self.session.theirs(file), self.session.text(file));
                let page = Page::new(format!("{file}: - on disk, + mine"));
                vec![Effect::Show(Box::new(lines_of(
                    page,
                    theirs.unwrap_or_default(),
                    mine.unwrap_or_default(),
                )))]
            }
            (ChoiceFor::Revert(file), 0) => {
                self.session.revert(file);
                self.touched()
            }
            (ChoiceFor::Revert(_), _) => vec![],
            (ChoiceFor::Quit, 0) => match self.session.conflicts().first() {
                Some(file) => self.ask_conflict(file),
                None => {
                    self.leaving = true;
                    save(&self.session)
                }
            },
            (ChoiceFor::Quit, 1) => {
                self.session.discard();
                vec![Effect::Quit]
            }
            (ChoiceFor::Quit, _) => vec![],
            _ => return None,
        })
    }

    /// The diff of all changed files against the disk.
    fn difference(&self) -> Option<Page> {
        let changed = self.session.changed();
        let page = |page: Page, file: &&str| {
            let (old, new) = (self.session.base().text(file), self.session.text(file));
            lines_of(
                page.heading(*file),
                old.unwrap_or_default(),
                new.unwrap_or_default(),
            )
        };
        (!changed.is_empty()).then(|| changed.iter().fold(Page::new("unsaved changes"), page))
    }
}

fn lines_of(page: Page, old: &str, new: &str) -> Page {
    by_lines(old, new, AROUND)
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

/// Changed places: file and byte offset.
pub type Places = Vec<(String, usize)>;

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

fn ask<const N: usize>(purpose: ChoiceFor, title: String, lines: [(&str, &str); N]) -> Vec<Effect> {
    let lines = lines.map(|(a, b)| (a.to_string(), b.to_string())).to_vec();
    vec![Effect::AskChoice {
        purpose,
        title,
        lines,
    }]
}

pub(in crate::panes) fn refuse(why: impl Into<String>) -> Vec<Effect> {
    vec![Effect::Refuse(why.into())]
}

/// An error as one line: message and help.
pub(in crate::panes) fn error_line(problem: &Error) -> String {
    let help = problem
        .help
        .as_ref()
        .map_or(String::new(), |h| format!("; {h}"));
    format!("{}{help}", problem.what)
}

#[cfg(test)]
#[path = "desk_tests.rs"]
mod tests;
