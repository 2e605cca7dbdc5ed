//! The template pane: `templates.toml`, `styles.toml` and `compatibility.toml` as text, the slots on offer where the cursor is, what is wrong,
//! and what an edit makes of the questions.

mod draw;
pub mod section;

use std::collections::BTreeMap;

use crossterm::event::KeyEvent;

use super::metadata::edit_session::refuse;
use super::metadata::{
    ChoiceFor, EditSession, MetadataEffect as Effect, Phase, Side, SidePanel, TextFor, stepped,
};
use crate::action::{Action, Scope};
use crate::widgets::editor::{Editor, MOST};
use benchtop_compose::metadata::judge::judging_of;
use benchtop_compose::metadata::{rules, styles, templates};
use benchtop_model::Finding;
use section::{Section, Slot};

/// The files of this pane.
pub const FILES: [&str; 3] = [templates::FILE, styles::FILE, rules::FILE];

/// The files of this pane: templates, styles and rules, then what judges are asked, by name.
fn files(desk: &EditSession) -> Vec<String> {
    let judgings = desk
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

/// The part of the pane that the keys go to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Area {
    #[default]
    Text,
    Side,
}

/// The template pane.
#[derive(Clone, Debug)]
pub struct TemplatesPane {
    area: Area,
    side: SidePanel,
    /// The file's name.
    file: String,
    editor: Editor,
    /// Where the cursor was in the other files.
    places: BTreeMap<String, (u32, u32)>,
    typing: bool,
    /// What the editor's text was taken from: the desk's version.
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

    /// Scopes whose keys are live now, the nearest first. While text is typed, keys that the scope does not have are
    /// for [`key`](Self::key).
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

    /// Whether keys are text now.
    pub fn typing(&self) -> bool {
        self.typing
    }

    fn name(&self) -> &str {
        &self.file
    }

    /// The file after this one, round.
    fn next(&self, desk: &EditSession) -> String {
        let files = files(desk);
        let at = files
            .iter()
            .position(|f| *f == self.file)
            .map_or(0, |at| (at + 1) % files.len());
        files
            .into_iter()
            .nth(at)
            .unwrap_or_else(|| templates::FILE.into())
    }

    /// Shown: for the first time the metadata is read, later the preview turns to the template under the cursor.
    pub fn start(&mut self, desk: &mut EditSession) -> Vec<Effect> {
        if *desk.phase() != Phase::Ready {
            return desk.read();
        }
        self.refreshed(desk)
    }

    /// After the desk took something in.
    pub fn refreshed(&mut self, desk: &mut EditSession) -> Vec<Effect> {
        self.sync(desk);
        self.turn_to(desk)
    }

    /// Takes the text in where it was changed by another hand: another pane, another program, undo.
    fn sync(&mut self, desk: &EditSession) {
        if self.made == Some(desk.version()) {
            return;
        }
        self.made = Some(desk.version());
        self.editor
            .set_text(desk.session().text(self.name()).unwrap_or_default(), None);
    }

    fn switch(&mut self, desk: &EditSession, file: &str) {
        if file != self.file {
            self.places.insert(
                std::mem::replace(&mut self.file, file.to_string()),
                self.editor.position(),
            );
            self.editor
                .set_text(desk.session().text(file).unwrap_or_default(), Some(0));
            let (line, column) = self.places.get(file).copied().unwrap_or((1, 1));
            self.editor.go_to(line, column);
        }
    }

    /// Where the cursor is, and the key whose value stands there.
    fn section(&self) -> (Section, String) {
        section::at(self.name(), self.editor.text(), self.editor.position().0)
    }

    /// The slots on offer where the cursor is.
    fn slots(&self, desk: &EditSession) -> Vec<Slot> {
        let (section, key) = self.section();
        section.slots(&key, desk.session().edited())
    }

    fn turn_to(&mut self, desk: &mut EditSession) -> Vec<Effect> {
        let (section, key) = self.section();
        desk.select(section.selection(&key))
    }

    /// Goes to a place of a file; `None` where this pane does not have that file.
    pub fn jump(
        &mut self,
        desk: &mut EditSession,
        file: &str,
        line: u32,
        column: u32,
    ) -> Option<Vec<Effect>> {
        files(desk).iter().find(|f| *f == file)?;
        self.sync(desk);
        self.switch(desk, file);
        self.editor.go_to(line, column);
        self.area = Area::Text;
        Some(self.turn_to(desk))
    }

    /// The text was changed here: the session takes it, the preview follows.
    fn wrote(&mut self, desk: &mut EditSession) -> Vec<Effect> {
        let text = self.editor.text().to_string();
        desk.session_mut()
            .set(vec![(self.name().to_string(), text)], true);
        // Turning the preview elsewhere makes it anew already.
        let mut effects = self.turn_to(desk);
        if effects.is_empty() {
            effects = desk.touched();
        }
        self.made = Some(desk.version());
        effects
    }

    /// Takes a key that no action claimed, while text is typed.
    pub fn key(&mut self, key: KeyEvent, desk: &mut EditSession) -> Vec<Effect> {
        self.sync(desk);
        if *desk.phase() != Phase::Ready || !self.typing {
            return vec![];
        }
        let full = self.editor.text().len() >= MOST;
        if self.editor.key(key) {
            return self.wrote(desk);
        }
        if full {
            return refuse("the file is as long as it may be");
        }
        self.turn_to(desk)
    }

    /// Takes pasted text in; it is typed in whatever mode.
    pub fn paste(&mut self, pasted: &str, desk: &mut EditSession) -> Vec<Effect> {
        self.sync(desk);
        if *desk.phase() != Phase::Ready {
            return vec![];
        }
        if self.editor.paste(pasted) {
            self.wrote(desk)
        } else {
            refuse("there is no room for that, or nothing in it")
        }
    }

    /// Does an action.
    pub fn act(&mut self, action: Action, desk: &mut EditSession) -> Vec<Effect> {
        self.sync(desk);
        if *desk.phase() != Phase::Ready {
            return if action == Action::Back {
                vec![Effect::Leave]
            } else {
                refuse("the templates are not here yet")
            };
        }
        let line = self.editor.position().0;
        match action {
            Action::Undo | Action::UndoText | Action::Redo | Action::RedoText => {
                self.step(action, desk)
            }
            Action::SaveText => desk
                .act(Action::SaveMetadata, self.name(), line)
                .unwrap_or_default(),
            Action::StopTyping => {
                self.typing = false;
                vec![]
            }
            Action::TypeText => self.type_text(),
            Action::InsertSlot => {
                let slots = self.slots(desk);
                if slots.is_empty() {
                    return refuse("no slot can be used here");
                }
                let (section, _) = self.section();
                let names = slots.iter().map(|s| s.0.clone()).collect();
                let lines = slots
                    .into_iter()
                    .map(|(name, about)| (format!("{{{name}}}"), about))
                    .collect();
                vec![Effect::AskChoice {
                    purpose: ChoiceFor::Slot(names),
                    title: format!("slots of {}", section.name()),
                    lines,
                }]
            }
            Action::Find | Action::FindText => vec![Effect::AskText {
                purpose: TextFor::Find,
                label: "find in the text ".into(),
                text: self.editor.looked_for().into(),
            }],
            Action::FindAgain if self.editor.find_again() => self.turn_to(desk),
            Action::FindAgain => refuse("not found"),
            Action::OtherFile => {
                let next = self.next(desk);
                self.switch(desk, &next);
                self.turn_to(desk)
            }
            Action::NextArea => {
                let to_side = self.area == Area::Text && self.side.shows != Side::Nothing;
                self.area = if to_side { Area::Side } else { Area::Text };
                vec![]
            }
            Action::Side => {
                self.side.turn();
                if self.side.shows == Side::Nothing {
                    self.area = Area::Text;
                }
                vec![]
            }
            Action::NextFinding | Action::PreviousFinding => {
                self.step_finding(desk, action == Action::NextFinding)
            }
            Action::Back if self.area == Area::Side => {
                self.area = Area::Text;
                vec![]
            }
            Action::Back => vec![Effect::Leave],
            Action::CutText | Action::PasteText | Action::CopyText | Action::MarkText => {
                if self.editor.act(action) == Some(true) {
                    self.wrote(desk)
                } else {
                    vec![]
                }
            }
            other => {
                if let Some(effects) = desk.act(other, self.name(), line) {
                    self.sync(desk);
                    return effects;
                }
                match self.area {
                    Area::Side => match self.side.act(other, desk) {
                        Ok(finding) => finding.map_or(vec![], |f| self.go_to(f, desk)),
                        Err(why) => refuse(why),
                    },
                    Area::Text if other == Action::Open => self.type_text(),
                    Area::Text => match self.editor.act(other) {
                        Some(_) => self.turn_to(desk),
                        None => refuse(format!("{} is not for texts", other.name())),
                    },
                }
            }
        }
    }

    fn type_text(&mut self) -> Vec<Effect> {
        (self.typing, self.area) = (true, Area::Text);
        vec![]
    }

    fn step(&mut self, action: Action, desk: &mut EditSession) -> Vec<Effect> {
        let undo = matches!(action, Action::Undo | Action::UndoText);
        let (mut effects, places) = match desk.step(undo) {
            Ok(done) => done,
            Err(why) => return refuse(why),
        };
        let mine = files(desk);
        let own = places.iter().find(|(name, _)| mine.contains(name));
        effects.push(stepped(undo, &places));
        if let Some((file, at)) = own {
            self.switch(desk, file);
            self.made = Some(desk.version());
            self.editor
                .set_text(desk.session().text(file).unwrap_or_default(), Some(*at));
        }
        effects
    }

    fn step_finding(&mut self, desk: &mut EditSession, forward: bool) -> Vec<Effect> {
        let here = self.editor.position();
        let mut places: Vec<(u32, u32)> = desk
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
                self.turn_to(desk)
            }
            None => refuse(format!("{} has no findings", self.name())),
        }
    }

    fn go_to(
        &mut self,
        Finding {
            file, line, column, ..
        }: Finding,
        desk: &mut EditSession,
    ) -> Vec<Effect> {
        match self.jump(desk, &file, line, column) {
            Some(effects) => effects,
            None => vec![Effect::Jump { file, line, column }],
        }
    }

    /// Takes in a line of text that was asked for.
    pub fn typed(&mut self, purpose: &TextFor, text: &str, desk: &mut EditSession) -> Vec<Effect> {
        self.sync(desk);
        match purpose {
            TextFor::Find if self.editor.find(text) => self.turn_to(desk),
            TextFor::Find => refuse(format!("`{text}` is not in {}", self.name())),
            _ => vec![],
        }
    }

    /// Takes in a choice; `None` where it is not this pane's.
    pub fn chosen(
        &mut self,
        purpose: &ChoiceFor,
        pick: usize,
        desk: &mut EditSession,
    ) -> Option<Vec<Effect>> {
        self.sync(desk);
        let ChoiceFor::Slot(names) = purpose else {
            return None;
        };
        let slot = format!("{{{}}}", names.get(pick)?);
        Some(if self.editor.insert(&slot) {
            self.wrote(desk)
        } else {
            refuse("the file is as long as it may be")
        })
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
