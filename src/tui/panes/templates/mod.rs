//! The template pane: `templates.toml`, `styles.toml`, `compatibility.toml`, and judgings as text,
//! with the available slots, the findings, and a preview of edited questions.

mod draw;
pub mod section;

use std::collections::BTreeMap;

use crossterm::event::KeyEvent;

use super::metadata::edit_session::refuse;
use super::metadata::{
    ChoiceFor, EditSession, MetadataEffect as Effect, Phase, Side, SidePanel, TextFor, stepped,
};
use crate::action::{Action, Scope};
use crate::widgets::editor::{Editor, MAX_BYTES};
use benchtop_compose::metadata::judge::judging_of;
use benchtop_compose::metadata::{rules, styles, templates};
use benchtop_model::Finding;
use section::{Section, Slot};

/// The files that every project has.
pub const FILES: [&str; 3] = [templates::FILE, styles::FILE, rules::FILE];

/// The files of the pane: [`FILES`], then the judgings by name.
fn files(edit_session: &EditSession) -> Vec<String> {
    let judgings = edit_session
        .session()
        .edited()
        .files()
        .filter(|name| judging_of(name).is_some())
        .map(str::to_string);
    FILES
        .iter()
        .map(|f| f.to_string())
        .chain(judgings)
        .collect()
}

/// The part of the pane with the focus.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Area {
    #[default]
    Text,
    Side,
}

#[derive(Clone, Debug)]
pub struct TemplatesPane {
    area: Area,
    side: SidePanel,
    file: String,
    editor: Editor,
    /// The cursor positions in the other files.
    places: BTreeMap<String, (u32, u32)>,
    typing: bool,
    /// The version of the edit session that the editor's text was taken from.
    made: Option<u64>,
}

impl Default for TemplatesPane {
    fn default() -> Self {
        TemplatesPane::new()
    }
}

impl TemplatesPane {
    /// An empty pane.
    pub fn new() -> TemplatesPane {
        TemplatesPane {
            area: Area::default(),
            side: SidePanel::default(),
            file: templates::FILE.into(),
            editor: Editor::new(""),
            places: BTreeMap::new(),
            typing: false,
            made: None,
        }
    }

    /// The scopes with live keys, nearest first. While typing, [`key`](Self::key) gets the keys
    /// that the scope does not claim.
    pub fn scopes(&self) -> &'static [Scope] {
        if self.typing {
            return &[Scope::Editor];
        }
        &[
            Scope::Templates,
            Scope::Metadata,
            Scope::Table,
            Scope::Global,
        ]
    }

    /// Whether keys type text.
    pub fn typing(&self) -> bool {
        self.typing
    }

    fn name(&self) -> &str {
        &self.file
    }

    /// The next file; wraps around.
    fn next(&self, edit_session: &EditSession) -> String {
        let files = files(edit_session);
        let at = files
            .iter()
            .position(|f| *f == self.file)
            .map_or(0, |at| (at + 1) % files.len());
        files
            .into_iter()
            .nth(at)
            .unwrap_or_else(|| templates::FILE.into())
    }

    /// Opens the pane: loads the metadata the first time, then points the preview at the template
    /// under the cursor.
    pub fn start(&mut self, edit_session: &mut EditSession) -> Vec<Effect> {
        if *edit_session.phase() != Phase::Ready {
            return edit_session.read();
        }
        self.refreshed(edit_session)
    }

    /// Refreshes the pane after the edit session changed.
    pub fn refreshed(&mut self, edit_session: &mut EditSession) -> Vec<Effect> {
        self.sync(edit_session);
        self.follow_cursor(edit_session)
    }

    /// Updates the editor if the text changed elsewhere: in another pane, another program, or by
    /// undo.
    fn sync(&mut self, edit_session: &EditSession) {
        if self.made == Some(edit_session.version()) {
            return;
        }
        self.made = Some(edit_session.version());
        self.editor.set_text(
            edit_session.session().text(self.name()).unwrap_or_default(),
            None,
        );
    }

    fn switch(&mut self, edit_session: &EditSession, file: &str) {
        if file != self.file {
            self.places.insert(
                std::mem::replace(&mut self.file, file.to_string()),
                self.editor.position(),
            );
            self.editor.set_text(
                edit_session.session().text(file).unwrap_or_default(),
                Some(0),
            );
            let (line, column) = self.places.get(file).copied().unwrap_or((1, 1));
            self.editor.go_to(line, column);
        }
    }

    /// The section and the key at the cursor.
    fn section(&self) -> (Section, String) {
        section::at(self.name(), self.editor.text(), self.editor.position().0)
    }

    /// The slots that can be used at the cursor.
    fn slots(&self, edit_session: &EditSession) -> Vec<Slot> {
        let (section, key) = self.section();
        section.slots(&key, edit_session.session().edited())
    }

    fn follow_cursor(&mut self, edit_session: &mut EditSession) -> Vec<Effect> {
        let (section, key) = self.section();
        edit_session.select(section.selection(&key))
    }

    /// Goes to a place of a file. `None` if this pane does not have that file.
    pub fn jump(
        &mut self,
        edit_session: &mut EditSession,
        file: &str,
        line: u32,
        column: u32,
    ) -> Option<Vec<Effect>> {
        files(edit_session).iter().find(|f| *f == file)?;
        self.sync(edit_session);
        self.switch(edit_session, file);
        self.editor.go_to(line, column);
        self.area = Area::Text;
        Some(self.follow_cursor(edit_session))
    }

    /// Stores the editor's text in the session and updates the preview.
    fn store_text(&mut self, edit_session: &mut EditSession) -> Vec<Effect> {
        let text = self.editor.text().to_string();
        edit_session
            .session_mut()
            .set(vec![(self.name().to_string(), text)], true);
        // Selecting another preview already requests a new one.
        let mut effects = self.follow_cursor(edit_session);
        if effects.is_empty() {
            effects = edit_session.touched();
        }
        self.made = Some(edit_session.version());
        effects
    }

    /// Handles a key that no action claimed, while typing.
    pub fn key(&mut self, key: KeyEvent, edit_session: &mut EditSession) -> Vec<Effect> {
        self.sync(edit_session);
        if *edit_session.phase() != Phase::Ready || !self.typing {
            return vec![];
        }
        let full = self.editor.text().len() >= MAX_BYTES;
        if self.editor.key(key) {
            return self.store_text(edit_session);
        }
        if full {
            return refuse("the file has reached its size limit");
        }
        self.follow_cursor(edit_session)
    }

    /// Inserts pasted text, in any mode.
    pub fn paste(&mut self, pasted: &str, edit_session: &mut EditSession) -> Vec<Effect> {
        self.sync(edit_session);
        if *edit_session.phase() != Phase::Ready {
            return vec![];
        }
        if self.editor.paste(pasted) {
            self.store_text(edit_session)
        } else {
            refuse("nothing to paste, or the file would get too long")
        }
    }

    pub fn act(&mut self, action: Action, edit_session: &mut EditSession) -> Vec<Effect> {
        self.sync(edit_session);
        if *edit_session.phase() != Phase::Ready {
            return if action == Action::Back {
                vec![Effect::Leave]
            } else {
                refuse("the templates are still loading")
            };
        }
        let line = self.editor.position().0;
        match action {
            Action::Undo | Action::UndoText | Action::Redo | Action::RedoText => {
                self.step(action, edit_session)
            }
            Action::SaveText => edit_session
                .act(Action::SaveMetadata, self.name(), line)
                .unwrap_or_default(),
            Action::StopTyping => {
                self.typing = false;
                vec![]
            }
            Action::TypeText => self.type_text(),
            Action::InsertSlot => {
                let slots = self.slots(edit_session);
                if slots.is_empty() {
                    return refuse("no slots here");
                }
                let (section, _) = self.section();
                let names = slots.iter().map(|s| s.0.clone()).collect();
                let lines = slots
                    .into_iter()
                    .map(|(name, about)| (format!("{{{name}}}"), about))
                    .collect();
                vec![Effect::AskChoice {
                    purpose: ChoiceFor::Slot(names),
                    title: format!("Slots of {}", section.name()),
                    lines,
                }]
            }
            Action::Find | Action::FindText => vec![Effect::AskText {
                purpose: TextFor::Find,
                label: "find in text: ".into(),
                text: self.editor.looked_for().into(),
            }],
            Action::FindAgain if self.editor.find_again() => self.follow_cursor(edit_session),
            Action::FindAgain => refuse("not found"),
            Action::NextFile => {
                let next = self.next(edit_session);
                self.switch(edit_session, &next);
                self.follow_cursor(edit_session)
            }
            Action::NextArea => {
                let to_side = self.area == Area::Text && self.side.shows != Side::Nothing;
                self.area = if to_side { Area::Side } else { Area::Text };
                vec![]
            }
            Action::ToggleSidebar => {
                self.side.next_view();
                if self.side.shows == Side::Nothing {
                    self.area = Area::Text;
                }
                vec![]
            }
            Action::NextFinding | Action::PreviousFinding => {
                self.step_finding(edit_session, action == Action::NextFinding)
            }
            Action::Back if self.area == Area::Side => {
                self.area = Area::Text;
                vec![]
            }
            Action::Back => vec![Effect::Leave],
            Action::CutText | Action::PasteText | Action::CopyText | Action::MarkText => {
                if self.editor.act(action) == Some(true) {
                    self.store_text(edit_session)
                } else {
                    vec![]
                }
            }
            other => {
                if let Some(effects) = edit_session.act(other, self.name(), line) {
                    self.sync(edit_session);
                    return effects;
                }
                match self.area {
                    Area::Side => match self.side.act(other, edit_session) {
                        Ok(finding) => finding.map_or(vec![], |f| self.go_to(f, edit_session)),
                        Err(why) => refuse(why),
                    },
                    Area::Text if other == Action::Open => self.type_text(),
                    Area::Text => match self.editor.act(other) {
                        Some(_) => self.follow_cursor(edit_session),
                        None => refuse(format!("`{}` does nothing in text", other.name())),
                    },
                }
            }
        }
    }

    fn type_text(&mut self) -> Vec<Effect> {
        (self.typing, self.area) = (true, Area::Text);
        vec![]
    }

    fn step(&mut self, action: Action, edit_session: &mut EditSession) -> Vec<Effect> {
        let undo = matches!(action, Action::Undo | Action::UndoText);
        let (mut effects, places) = match edit_session.step(undo) {
            Ok(done) => done,
            Err(why) => return refuse(why),
        };
        let mine = files(edit_session);
        let changed = places.iter().find(|(name, _)| mine.contains(name));
        effects.push(stepped(undo, &places));
        if let Some((file, at)) = changed {
            self.switch(edit_session, file);
            self.made = Some(edit_session.version());
            self.editor.set_text(
                edit_session.session().text(file).unwrap_or_default(),
                Some(*at),
            );
        }
        effects
    }

    fn step_finding(&mut self, edit_session: &mut EditSession, forward: bool) -> Vec<Effect> {
        let here = self.editor.position();
        let mut places: Vec<(u32, u32)> = edit_session
            .found_in(self.name())
            .filter(|f| f.line > 0)
            .map(|f| (f.line, f.column.max(1)))
            .collect();
        places.sort_unstable();
        let next = if forward {
            places.iter().find(|p| **p > here).or(places.first())
        } else {
            places.iter().rev().find(|p| **p < here).or(places.last())
        };
        match next {
            Some((line, column)) => {
                self.editor.go_to(*line, *column);
                self.follow_cursor(edit_session)
            }
            None => refuse(format!("{} has no findings", self.name())),
        }
    }

    fn go_to(
        &mut self,
        Finding {
            file, line, column, ..
        }: Finding,
        edit_session: &mut EditSession,
    ) -> Vec<Effect> {
        match self.jump(edit_session, &file, line, column) {
            Some(effects) => effects,
            None => vec![Effect::Jump { file, line, column }],
        }
    }

    /// Receives a typed line.
    pub fn typed(
        &mut self,
        purpose: &TextFor,
        text: &str,
        edit_session: &mut EditSession,
    ) -> Vec<Effect> {
        self.sync(edit_session);
        match purpose {
            TextFor::Find if self.editor.find(text) => self.follow_cursor(edit_session),
            TextFor::Find => refuse(format!("`{text}` not found in {}", self.name())),
            _ => vec![],
        }
    }

    /// Receives a choice. `None` if it belongs to another pane.
    pub fn chosen(
        &mut self,
        purpose: &ChoiceFor,
        pick: usize,
        edit_session: &mut EditSession,
    ) -> Option<Vec<Effect>> {
        self.sync(edit_session);
        let ChoiceFor::Slot(names) = purpose else {
            return None;
        };
        let slot = format!("{{{}}}", names.get(pick)?);
        Some(if self.editor.insert(&slot) {
            self.store_text(edit_session)
        } else {
            refuse("the file has reached its size limit")
        })
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
