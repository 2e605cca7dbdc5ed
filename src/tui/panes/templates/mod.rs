//! The template pane: `templates.toml`, `styles.toml`, `compatibility.toml`, judgings, and writings as
//! text, with the available slots, the findings, and a preview of edited questions or of the request
//! to a model.

mod draw;
mod prompt;
pub mod section;

use std::collections::BTreeMap;

use crossterm::event::KeyEvent;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::metadata::actions::{self, MetadataPane};
use super::metadata::{EditSession, Place, Side, SidePanel};
use crate::action::{Action, Scope};
use crate::keymap::Keymap;
use crate::pane::{Context, Notice, Pane, Scene};
use crate::widgets::editor::{Editor, MAX_BYTES};
use crate::widgets::prompt::Prompt;
use benchtop_compose::metadata::templates;
use benchtop_model::Finding;
use section::{Section, Slot};

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
    /// The request that a prompt file makes.
    prompt: prompt::PromptSide,
    /// The version of the edit session that the editor's text was taken from.
    made: Option<u64>,
}

impl Default for TemplatesPane {
    fn default() -> Self {
        TemplatesPane {
            area: Area::default(),
            side: SidePanel::default(),
            file: templates::FILE.into(),
            editor: Editor::new(""),
            places: BTreeMap::new(),
            typing: false,
            prompt: prompt::PromptSide::default(),
            made: None,
        }
    }
}

impl TemplatesPane {
    fn name(&self) -> &str {
        &self.file
    }

    /// The next file; wraps around.
    fn next(&self, edit_session: &EditSession) -> String {
        let files = edit_session.texts();
        let at = files
            .iter()
            .position(|f| *f == self.file)
            .map_or(0, |at| (at + 1) % files.len());
        files
            .into_iter()
            .nth(at)
            .unwrap_or_else(|| templates::FILE.into())
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

    /// Points the preview at the cursor. Returns whether a new one is wanted.
    fn follow_cursor(&mut self, edit_session: &mut EditSession) -> bool {
        let (section, key) = self.section();
        edit_session.select(section.selection(&key))
    }

    /// Goes to a place of a file. Returns false if this pane does not have that file.
    fn jump(&mut self, place: &Place, edit_session: &mut EditSession) -> bool {
        if !edit_session.texts().contains(&place.file) {
            return false;
        }
        self.sync(edit_session);
        self.switch(edit_session, &place.file);
        self.editor.go_to(place.line, place.column);
        self.area = Area::Text;
        self.follow_cursor(edit_session);
        true
    }

    /// Stores the editor's text in the session and updates the preview.
    fn store_text(&mut self, edit_session: &mut EditSession) {
        let text = self.editor.text().to_string();
        edit_session
            .session_mut()
            .set(vec![(self.name().to_string(), text)], true);
        // Selecting another preview already requests a new one.
        if !self.follow_cursor(edit_session) {
            edit_session.touched();
        }
        self.made = Some(edit_session.version());
    }

    fn run(&mut self, action: Action, cx: &mut Context<'_>) {
        let line = self.editor.position().0;
        match action {
            Action::Undo | Action::UndoText => self.step(true, cx),
            Action::Redo | Action::RedoText => self.step(false, cx),
            Action::SaveText => {
                actions::act::<Self>(Action::SaveMetadata, self.name(), line, cx);
            }
            Action::StopTyping => self.typing = false,
            Action::TypeText => self.type_text(),
            Action::InsertSlot => self.ask_slot(cx),
            Action::Find | Action::FindText => self.ask_find(cx),
            Action::FindAgain => match self.editor.find_again() {
                true => drop(self.follow_cursor(cx.metadata)),
                false => cx.refuse("not found"),
            },
            Action::NextFile => {
                let next = self.next(cx.metadata);
                self.switch(cx.metadata, &next);
                self.follow_cursor(cx.metadata);
            }
            Action::ChooseFile => self.ask_file(cx),
            Action::PreviewItem => self.ask_prompt_item(cx),
            Action::NextArea => {
                let to_side = self.area == Area::Text && self.side.shows != Side::Nothing;
                self.area = if to_side { Area::Side } else { Area::Text };
            }
            Action::ToggleSidebar => {
                self.side.next_view();
                if self.side.shows == Side::Nothing {
                    self.area = Area::Text;
                }
            }
            Action::NextFinding | Action::PreviousFinding => {
                self.step_finding(action == Action::NextFinding, cx);
            }
            Action::Back if self.area == Area::Side => self.area = Area::Text,
            Action::Back => cx.leave(),
            Action::CutText | Action::PasteText | Action::CopyText | Action::MarkText => {
                if self.editor.act(action) == Some(true) {
                    self.store_text(cx.metadata);
                }
            }
            other if actions::act::<Self>(other, self.name(), line, cx) => self.sync(cx.metadata),
            other => match self.area {
                Area::Side => match self.side.act(other, cx.metadata) {
                    Ok(Some(finding)) => self.go_to(finding, cx),
                    Ok(None) => {}
                    Err(why) => cx.refuse(why),
                },
                Area::Text if other == Action::Open => self.type_text(),
                Area::Text => match self.editor.act(other) {
                    Some(_) => drop(self.follow_cursor(cx.metadata)),
                    None => cx.refuse(format!("`{}` does nothing in text", other.name())),
                },
            },
        }
    }

    fn type_text(&mut self) {
        (self.typing, self.area) = (true, Area::Text);
    }

    /// Asks for a slot to insert at the cursor.
    fn ask_slot(&self, cx: &mut Context<'_>) {
        let slots = self.slots(cx.metadata);
        if slots.is_empty() {
            return cx.refuse("no slots here");
        }
        let title = format!("Slots of {}", self.section().0.name());
        let line = |(name, about): &Slot| (format!("{{{name}}}"), about.clone());
        cx.choose_of(title, slots, line, |pane: &mut Self, (name, _), cx| {
            pane.sync(cx.metadata);
            match pane.editor.insert(&format!("{{{name}}}")) {
                true => pane.store_text(cx.metadata),
                false => cx.refuse("the file has reached its size limit"),
            }
            pane.preview_prompt(cx);
        });
    }

    fn ask_find(&self, cx: &mut Context<'_>) {
        let prompt = Prompt::new("find in text: ", self.editor.looked_for(), Vec::new());
        cx.prompt(prompt, |pane: &mut Self, text, cx| {
            pane.sync(cx.metadata);
            if pane.editor.find(text) {
                pane.follow_cursor(cx.metadata);
            } else {
                cx.refuse(format!("`{text}` not found in {}", pane.name()));
            }
            Ok(())
        });
    }

    fn step(&mut self, undo: bool, cx: &mut Context<'_>) {
        let Some(places) = actions::step(undo, cx) else {
            return;
        };
        let mine = cx.metadata.texts();
        if let Some((file, at)) = places.iter().find(|(name, _)| mine.contains(name)) {
            self.switch(cx.metadata, file);
            self.made = Some(cx.metadata.version());
            let text = cx.metadata.session().text(file).unwrap_or_default();
            self.editor.set_text(text, Some(*at));
        }
    }

    fn step_finding(&mut self, forward: bool, cx: &mut Context<'_>) {
        let here = self.editor.position();
        if let Some((line, column)) = actions::next_finding(self.name(), here, forward, cx) {
            self.editor.go_to(line, column);
            self.follow_cursor(cx.metadata);
        }
    }

    fn go_to(&mut self, finding: Finding, cx: &mut Context<'_>) {
        let Finding {
            file, line, column, ..
        } = finding;
        let place = Place { file, line, column };
        if !self.jump(&place, cx.metadata) {
            actions::go_to(place, cx);
        }
    }
}

impl MetadataPane for TemplatesPane {
    fn refresh(&mut self, cx: &mut Context<'_>) {
        self.sync(cx.metadata);
        self.follow_cursor(cx.metadata);
    }
}

impl Pane for TemplatesPane {
    fn scopes(&self) -> Option<&'static [Scope]> {
        self.typing.then_some(&[Scope::Editor])
    }

    fn help(&self, keys: &Keymap) -> String {
        format!(
            "Styles, templates, and prompts as text, beside the available slots and a preview of the template \
             under the cursor. A prompt of a writer or judge is previewed as the request about one item, which {} \
             chooses. {} chooses a file, {} starts typing, {} stops, {} saves.",
            keys.press(Action::PreviewItem),
            keys.press(Action::ChooseFile),
            keys.press(Action::TypeText),
            keys.press(Action::StopTyping),
            keys.press(Action::SaveMetadata)
        )
    }

    /// Loads the metadata the first time, then points the preview at the template under the cursor.
    fn open(&mut self, cx: &mut Context<'_>) {
        if !cx.metadata.is_ready() {
            return cx.read_metadata();
        }
        match cx.metadata.take_goal() {
            Some(goal) => drop(self.jump(&goal, cx.metadata)),
            None => self.refresh(cx),
        }
        self.preview_prompt(cx);
    }

    fn act(&mut self, action: Action, cx: &mut Context<'_>) {
        self.sync(cx.metadata);
        if cx.metadata.is_ready() {
            self.run(action, cx);
            self.preview_prompt(cx);
        } else if action == Action::Back {
            cx.leave();
        } else {
            cx.refuse("the templates are still loading");
        }
    }

    fn typing(&self) -> bool {
        self.typing
    }

    fn key(&mut self, key: KeyEvent, cx: &mut Context<'_>) {
        self.sync(cx.metadata);
        if !cx.metadata.is_ready() || !self.typing {
            return;
        }
        let full = self.editor.text().len() >= MAX_BYTES;
        if self.editor.key(key) {
            self.store_text(cx.metadata);
            self.preview_prompt(cx);
        } else if full {
            cx.refuse("the file has reached its size limit");
        } else {
            self.follow_cursor(cx.metadata);
        }
    }

    /// In any mode.
    fn pastes(&self) -> bool {
        true
    }

    fn paste(&mut self, pasted: &str, cx: &mut Context<'_>) {
        self.sync(cx.metadata);
        if !cx.metadata.is_ready() {
            return;
        }
        if self.editor.paste(pasted) {
            self.store_text(cx.metadata);
            self.preview_prompt(cx);
        } else {
            cx.refuse("nothing to paste, or the file would get too long");
        }
    }

    fn has_undo(&self) -> bool {
        true
    }

    fn on_notice(&mut self, notice: Notice<'_>, cx: &mut Context<'_>) {
        match notice {
            Notice::Metadata if cx.env.is_shown => self.refresh(cx),
            Notice::Reconnected => self.prompt.reconnected(),
            _ => return,
        }
        self.preview_prompt(cx);
    }

    fn edits_metadata(&self) -> bool {
        true
    }

    fn is_empty(&self, scene: &Scene<'_>) -> bool {
        let text = scene.metadata.session().text(self.name());
        !self.typing && scene.metadata.is_ready() && text.is_none_or(|text| text.trim().is_empty())
    }

    fn draw(&mut self, area: Rect, buf: &mut Buffer, scene: &Scene<'_>) -> Option<Position> {
        let choose = scene.key(Action::PreviewItem);
        self.paint(scene.metadata, &choose, area, buf, scene.look)
    }
}

#[cfg(test)]
mod tests;
