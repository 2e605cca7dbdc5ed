//! Reads the metadata, opens files in the user's editor, and asks about unsaved edits.

use std::path::PathBuf;

use super::connection::Pending;
use super::overlay::{MenuFor, Overlay};
use super::{App, PaneId};
use crate::action::Action;
use crate::pane::{Notice, menu};
use crate::panes::metadata::actions::save_now;
use crate::panes::vocabulary::VocabularyPane;
use crate::widgets::toast::Toast;
use benchtop_model::Result;
use benchtop_model::usage::MetadataState;
use benchtop_protocol::wire::request;

impl App {
    pub(super) fn read_metadata(&mut self) {
        self.ask_now(Pending::Metadata, request::Metadata);
    }

    /// Receives the files as they are on disk.
    pub(super) fn on_metadata(&mut self, state: Result<MetadataState>) {
        if let Some(toast) = self.metadata.on_state(state) {
            self.say(toast);
        }
        self.notify(Notice::Metadata);
    }

    /// The metadata changed on disk.
    pub(super) fn metadata_changed(&mut self) {
        self.notify(Notice::Stale);
        if self.metadata.is_ready() {
            self.read_metadata();
        }
    }

    /// The file and line to open in the user's editor, since the last call.
    pub fn wants_edit(&mut self) -> Option<(PathBuf, u32)> {
        self.edit.take()
    }

    /// The user's editor exited or could not be started.
    pub fn edited(&mut self, outcome: std::io::Result<()>) {
        match outcome {
            Ok(()) => {
                self.read_metadata();
                self.notify(Notice::Rules);
                self.notify(Notice::Edited);
            }
            Err(error) => self.say(Toast::error(format!(
                "cannot run the editor: {error}; set $EDITOR"
            ))),
        }
    }

    /// Asks about unsaved edits before the program ends. Returns false if there are none, or if it
    /// asked already: a second ctrl-c quits even with unsaved edits.
    pub(super) fn ask_unsaved(&mut self) -> bool {
        let changed = self.metadata.session().changed();
        let files = changed.into_iter().map(String::from);
        let panes = self.panes.all().flat_map(|(_, pane)| pane.unsaved());
        let (files, panes) = (files.collect::<Vec<_>>(), panes.collect::<Vec<_>>());
        let asked = matches!(&self.overlay, Some(Overlay::Menu(MenuFor::Unsaved(_), _)));
        if asked || files.len() + panes.len() == 0 {
            return false;
        }
        // Panes ask before they save, so the program does not end then.
        let save = if panes.is_empty() {
            "save and quit"
        } else {
            "save"
        };
        let title = format!("Unsaved: {}", [files, panes].concat().join(", "));
        let lines = [
            (save, ""),
            ("quit without saving", "discards the edits"),
            ("cancel", ""),
        ];
        let lines = lines.map(|(label, help)| (label.to_string(), help.to_string()));
        // In any pane: nobody may lose edits of a pane that is not on screen.
        let under = self.overlay.take().map(Box::new);
        let asked = MenuFor::Unsaved(under);
        self.overlay = Some(Overlay::Menu(asked, menu(title, lines.into())));
        self.dirty = true;
        true
    }

    /// Carries out the answer. `under` was open when the program asked.
    pub(super) fn unsaved_chosen(&mut self, pick: usize, under: Option<Box<Overlay>>) {
        match pick {
            0 => self.save_unsaved(),
            1 => self.leave_anyway(),
            _ => self.overlay = under.map(|under| *under),
        }
    }

    fn save_unsaved(&mut self) {
        if !self.metadata.session().conflicts().is_empty() {
            if !matches!(self.at, PaneId::Vocabulary | PaneId::Templates) {
                self.go(PaneId::Vocabulary);
            }
            self.with_pane(self.at, |pane, cx| pane.act(Action::Resolve, cx));
            return;
        }
        // The review comes last: a note is saved with a verdict only.
        let pane = self.pane_ids(|pane| !pane.unsaved().is_empty()).pop();
        self.quits_once_saved = pane.is_none();
        if !self.metadata.session().changed().is_empty() {
            self.with_pane(PaneId::Vocabulary, |_, cx| {
                save_now::<VocabularyPane>(pane.is_none(), cx);
            });
        }
        if let Some(id) = pane {
            self.go(id);
            self.with_pane(id, |pane, cx| pane.save_unsaved(cx));
        }
    }
}
