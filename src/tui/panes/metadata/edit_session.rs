//! The metadata on the desk: read, edited, previewed, saved. The two panes are views of it.

use super::diff::by_lines;
use super::effects::{ChoiceFor, Line, MetadataEffect as Effect, Want};
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

/// Lines shown around a change.
const AROUND: usize = 2;

/// Where the reading of the metadata stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Phase {
    /// It was not asked for yet, or is on its way.
    #[default]
    Loading,
    /// It is here.
    Ready,
    /// It could not be read: why.
    Failed(String),
}

/// The metadata on the desk.
#[derive(Clone, Debug, Default)]
pub struct EditSession {
    session: Session,
    phase: Phase,
    selection: Selection,
    seed: u64,
    ticket: u64,
    version: u64,
    preview: Option<Preview>,
    /// The program ends once the save is done.
    leaving: bool,
}

impl EditSession {
    /// An empty desk.
    pub fn new() -> EditSession {
        EditSession::default()
    }

    /// The files being edited.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// The same, to be changed; call [`touched`](Self::touched) after.
    pub fn session_mut(&mut self) -> &mut Session {
        &mut self.session
    }

    /// Rises whenever there is something new to draw.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// Where the reading stands.
    pub fn phase(&self) -> &Phase {
        &self.phase
    }

    /// The seed of the preview.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// The last preview that is ready.
    pub fn shown(&self) -> Option<&Preview> {
        self.preview.as_ref()
    }

    /// What is wrong: files that cannot be read, then what the last preview found, errors first.
    pub fn found(&self) -> impl Iterator<Item = &Finding> {
        self.session
            .unreadable()
            .iter()
            .chain(self.preview.iter().flat_map(|p| &p.found))
    }

    /// What is wrong with one file.
    pub fn found_in<'d>(&'d self, file: &'d str) -> impl Iterator<Item = &'d Finding> {
        self.found().filter(move |f| f.file == file)
    }

    /// Reads the metadata: at first, when it changed on disk, and after somebody edited it elsewhere.
    pub fn read(&self) -> Vec<Effect> {
        vec![Effect::Ask(Want::State, request::Metadata.into())]
    }

    /// Takes in what was read.
    pub fn take(&mut self, state: Result<MetadataState>) -> Vec<Effect> {
        let state = match state {
            Ok(state) => state,
            Err(problem) => {
                let said = said(&problem);
                if self.phase == Phase::Ready {
                    return vec![Effect::Refuse(said)];
                }
                self.phase = Phase::Failed(said);
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
                    "{names} changed on disk while you edited it: nothing was merged"
                )));
            } else {
                let names = only
                    .iter()
                    .map(|n| n.as_str())
                    .collect::<Vec<_>>()
                    .join(", ");
                effects.push(Effect::Say(format!("{names} changed on disk: read again")));
            }
        }
        effects
    }

    /// Something was edited: the preview is made again.
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

    /// The preview is to be about this.
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

    /// Takes in a preview; whether it is the one awaited or nearer to it than the one shown.
    pub fn preview(&mut self, done: Done) -> bool {
        // Late answers are shown while a newer one is made: old words beside new ones beat an empty pane.
        let fits = done.ticket <= self.ticket;
        if fits {
            self.version += 1;
            self.preview = Some(done.preview);
        }
        fits
    }

    /// Does the actions that both panes have; `file` and `line` are where the cursor is. `None` for any other action.
    pub fn act(&mut self, action: Action, file: &str, line: u32) -> Option<Vec<Effect>> {
        let ready = self.phase == Phase::Ready;
        Some(match action {
            Action::SaveMetadata => self.save(),
            Action::Revert if !self.session.is_changed(file) => {
                refuse(format!("{file} is as it is on disk"))
            }
            Action::Revert => ask(
                ChoiceFor::Revert(file.into()),
                format!("give up your edits of {file}?"),
                [("give them up", "undo brings them back"), ("keep them", "")],
            ),
            Action::EditOutside if self.session.is_changed(file) => refuse(format!(
                "save or revert {file} first: two editors of one text lose one of them"
            )),
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
                None => refuse("no file changed on disk while you edited it"),
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
                None => refuse("nothing is changed"),
            },
            _ => return None,
        })
    }

    /// Takes the last edit back, or does again what was taken back; gives what to do and the places that changed: file
    /// and byte.
    ///
    /// # Errors
    /// There is none.
    pub fn step(&mut self, undo: bool) -> std::result::Result<(Vec<Effect>, Places), String> {
        let places = if undo {
            self.session.undo()
        } else {
            self.session.redo()
        };
        let none = if undo {
            "there is no edit to take back"
        } else {
            "there is nothing to do again"
        };
        let places = places.ok_or(none)?;
        Ok((self.touched(), places))
    }

    fn ask_conflict(&self, file: &str) -> Vec<Effect> {
        let removed = self.session.theirs(file).is_none();
        let theirs = if removed {
            "the file was removed on disk"
        } else {
            "undo brings mine back"
        };
        ask(
            ChoiceFor::Conflict(file.into()),
            format!("{file} changed on disk while you edited it"),
            [
                ("keep mine", "the next save replaces what is on disk"),
                ("take theirs", theirs),
                ("show the difference", "- is on disk, + is mine"),
            ],
        )
    }

    fn save(&mut self) -> Vec<Effect> {
        if let Some(file) = self.session.conflicts().first() {
            return self.ask_conflict(file);
        }
        let saves = self.session.saves();
        if saves.is_empty() {
            return refuse("nothing is changed");
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
            Effect::Say("counting the items that this touches".into()),
            Effect::Ask(Want::Impact, request::Impact(files).into()),
        ]
    }

    /// Takes in what a save would do to the items, and asks whether to.
    pub fn impact(&mut self, impact: Result<Impact>) -> Vec<Effect> {
        let (touched, detail) = match impact {
            Ok(impact) => (tells(&impact), causes(&impact)),
            // The count is a courtesy; not to be able to save would be worse.
            Err(problem) => (
                format!("items could not be counted: {}", said(&problem)),
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
            ("go on editing".into(), String::new()),
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

    /// Takes in the answer to a save: the files as they are on disk now.
    pub fn saved(&mut self, state: Result<MetadataState>) -> Vec<Effect> {
        match state {
            Ok(state) => {
                let changed = self.session.changed().len();
                let mut effects = self.take(Ok(state));
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
                let mut effects = vec![Effect::Refuse(format!("not saved: {}", said(&problem)))];
                if problem.kind == ErrorKind::Conflict {
                    effects.extend(self.read());
                }
                effects
            }
        }
    }

    /// Before the program ends: asks about what was not saved. `None` when there is nothing to ask.
    pub fn before_quit(&self) -> Option<Vec<Effect>> {
        let changed = self.session.changed();
        if changed.is_empty() {
            return None;
        }
        let names = changed.join(", ");
        Some(ask(
            ChoiceFor::Quit,
            format!("not saved: {names}"),
            [
                ("save and quit", ""),
                ("quit without saving", "the edits are lost"),
                ("stay", ""),
            ],
        ))
    }

    /// Does what was chosen; `None` where the choice is not the desk's.
    pub fn chosen(&mut self, purpose: &ChoiceFor, pick: usize) -> Option<Vec<Effect>> {
        let save = |session: &Session| {
            vec![Effect::Ask(
                Want::Saved,
                request::SaveMetadata(session.saves()).into(),
            )]
        };
        Some(match (purpose, pick) {
            (ChoiceFor::Save, 0) => save(&self.session),
            (ChoiceFor::Save, _) => vec![],
            (ChoiceFor::Conflict(file), 0) => {
                self.session.keep_mine(file);
                let mut effects = self.touched();
                effects.push(Effect::Say(format!(
                    "the next save replaces {file} on disk"
                )));
                effects
            }
            (ChoiceFor::Conflict(file), 1) => {
                self.session.take_theirs(file);
                let mut effects = self.touched();
                effects.push(Effect::Say(format!(
                    "{file} is as it is on disk; undo brings yours back"
                )));
                effects
            }
            (ChoiceFor::Conflict(file), _) => {
                let (theirs, mine) = (self.session.theirs(file), self.session.text(file));
                let page = Page::new(format!("{file}: - is on disk, + is mine"));
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

    /// Every change of every file against the disk, as lines.
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
        (!changed.is_empty()).then(|| changed.iter().fold(Page::new("what a save changes"), page))
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

/// Where texts changed: file and byte.
pub type Places = Vec<(String, usize)>;

/// What a save does to the items, in one line.
fn tells(impact: &Impact) -> String {
    let (stale, gone) = (impact.stale.all(), impact.gone.all());
    if impact.composed == 0 {
        return "no item was composed here: nothing becomes stale".into();
    }
    let of = grouped(impact.composed);
    match (stale, gone) {
        (0, 0) => format!("none of {of} composed items changes"),
        _ => format!(
            "of {of} composed items {} become stale, {} are gone",
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

/// A problem in one line: what, where, what to do.
pub(in crate::panes) fn said(problem: &Error) -> String {
    let help = problem
        .help
        .as_ref()
        .map_or(String::new(), |h| format!("; {h}"));
    format!("{}{help}", problem.what)
}

#[cfg(test)]
#[path = "desk_tests.rs"]
mod tests;
