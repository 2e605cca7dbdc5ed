//! The metadata that both metadata panes edit: the files, the latest preview, and the place to go to.

use super::preview::{Preview, PreviewRequest, Selection};
use super::session::Session;
use super::worker::Done;
pub(in crate::panes) use crate::widgets::text::error_line;
use crate::widgets::toast::Toast;
use benchtop_compose::metadata::judge::judging_of;
use benchtop_compose::metadata::write::writing_of;
use benchtop_compose::metadata::{rules, styles, templates};
use benchtop_model::usage::MetadataState;
use benchtop_model::{Finding, Result};

/// The text files that every project has.
pub const TEXTS: [&str; 3] = [templates::FILE, styles::FILE, rules::FILE];

/// Changed places: file and byte offset.
pub type Places = Vec<(String, usize)>;

/// A place in a file of the metadata folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    pub file: String,
    /// Line from 1; 0 for the whole file.
    pub line: u32,
    /// Column in characters from 1; 0 for the whole line.
    pub column: u32,
}

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
    /// The preview to make.
    wanted: Option<Box<PreviewRequest>>,
    preview: Option<Preview>,
    /// Where the pane that opens next goes to.
    goal: Option<Place>,
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

    pub fn is_ready(&self) -> bool {
        self.phase == Phase::Ready
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

    /// The files that are edited as text: [`TEXTS`], then the judgings and writings by name.
    pub fn texts(&self) -> Vec<String> {
        let files = self.session.edited().files();
        let judgings =
            files.filter(|name| judging_of(name).is_some() || writing_of(name).is_some());
        TEXTS
            .into_iter()
            .chain(judgings)
            .map(String::from)
            .collect()
    }

    /// Receives the files as they are on disk. Returns what to report.
    pub fn on_state(&mut self, state: Result<MetadataState>) -> Option<Toast> {
        let state = match state {
            Ok(state) => state,
            Err(problem) => {
                let line = error_line(&problem);
                if self.is_ready() {
                    return Some(Toast::warning(line));
                }
                self.phase = Phase::Failed(line);
                return None;
            }
        };
        let first = !self.is_ready();
        self.phase = Phase::Ready;
        let changed = self.session.take(state);
        self.touched();
        if first || changed.is_empty() {
            return None;
        }
        let conflicts = self.session.conflicts();
        let (both, only): (Vec<String>, Vec<String>) = changed
            .into_iter()
            .partition(|name| conflicts.contains(&name.as_str()));
        Some(match both.is_empty() {
            false => Toast::warning(format!(
                "conflict: {} changed on disk and here",
                both.join(", ")
            )),
            true => Toast::info(format!("{} changed on disk: reloaded", only.join(", "))),
        })
    }

    /// Wants a new preview after an edit.
    pub fn touched(&mut self) {
        self.version += 1;
        self.ticket += 1;
        self.wanted = Some(Box::new(PreviewRequest {
            ticket: self.ticket,
            base: self.session.base().clone(),
            edited: self.session.edited().clone(),
            selection: self.selection.clone(),
            seed: self.seed,
        }));
    }

    /// The preview to make. Each is returned once.
    pub fn take_wanted(&mut self) -> Option<Box<PreviewRequest>> {
        self.wanted.take()
    }

    /// Selects the questions that the preview is about. Returns whether it wants a new one.
    pub fn select(&mut self, selection: Selection) -> bool {
        if self.selection == selection {
            return false;
        }
        self.selection = selection;
        if self.is_ready() {
            self.touched();
        }
        self.is_ready()
    }

    /// Previews the questions of the next or the previous seed.
    pub fn step_seed(&mut self, up: bool) {
        self.seed = match up {
            true => self.seed.wrapping_add(1),
            false => self.seed.wrapping_sub(1),
        };
        self.touched();
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

    /// Undoes or redoes an edit. Returns the changed places.
    pub fn step(&mut self, undo: bool) -> std::result::Result<Places, &'static str> {
        let places = match undo {
            true => self.session.undo().ok_or("no edit to undo"),
            false => self.session.redo().ok_or("no edit to redo"),
        }?;
        self.touched();
        Ok(places)
    }

    /// Sets where the pane that opens next goes to.
    pub fn set_goal(&mut self, goal: Place) {
        self.goal = Some(goal);
    }

    pub fn take_goal(&mut self) -> Option<Place> {
        self.goal.take()
    }
}
