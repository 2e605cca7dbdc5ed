//! The actions of the vocabulary pane.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::rows::Show;
use super::{Area, VocabularyPane, edits};
use crate::action::Action;
use crate::pane::{Context, table_menus};
use crate::panes::metadata::edit_session::error_line;
use crate::panes::metadata::{EditSession, Phase, Place, Side, actions};
use crate::widgets::text;
use benchtop_compose::metadata::{STYLE, Vocabulary, file_of, vocabulary_of};
use benchtop_model::{Error, Finding, Result};

/// Lines per page key.
const PAGE: usize = 10;

impl VocabularyPane {
    pub(super) fn run(&mut self, action: Action, cx: &mut Context<'_>) {
        self.sync(cx.metadata);
        if action == Action::Back {
            return self.back(cx);
        }
        let line = self.entry().map_or(1, |e| e.line);
        if actions::act::<Self>(action, &self.file(), line, cx) {
            return self.sync(cx.metadata);
        }
        match action {
            Action::NextArea => self.next_area(),
            Action::ToggleSidebar => {
                self.side.next_view();
                if self.side.shows == Side::Nothing && self.area == Area::Side {
                    self.area = Area::Terms;
                }
            }
            Action::NextFinding | Action::PreviousFinding => {
                self.step_finding(action == Action::NextFinding, cx);
            }
            Action::Undo | Action::Redo => self.step(action == Action::Undo, cx),
            Action::TermRules => self.term_rules(cx),
            Action::NewVocabulary => Self::ask_new_vocabulary(cx),
            Action::Find => self.ask_search(cx),
            Action::ShowTerms => self.ask_show(cx),
            Action::AddTerm
            | Action::RenameTerm
            | Action::RemoveTerm
            | Action::ToggleTerm
            | Action::TermDown
            | Action::TermUp
            | Action::MoveTerms
            | Action::ReplaceText => self.edit(action, cx),
            Action::Open if self.area == Area::Terms => self.edit(Action::RenameTerm, cx),
            other => match self.area {
                Area::Vocabularies => self.act_on_names(other, cx),
                Area::Side => match self.side.act(other, cx.metadata) {
                    Ok(Some(finding)) => self.go_to(finding, cx),
                    Ok(None) => {}
                    Err(why) => cx.refuse(why),
                },
                Area::Terms => self.act_on_terms(other, cx),
            },
        }
    }

    /// Undoes or redoes an edit and moves the cursor there.
    fn step(&mut self, undo: bool, cx: &mut Context<'_>) {
        let Some(places) = actions::step(undo, cx) else {
            return;
        };
        let changed = places
            .iter()
            .find(|(file, _)| vocabulary_of(file).is_some());
        let found = changed.is_some_and(|(file, at)| {
            let text = cx.metadata.session().text(file).unwrap_or_default();
            let before = text
                .as_bytes()
                .iter()
                .take(at.saturating_sub(1))
                .filter(|b| **b == b'\n')
                .count();
            self.jump(file, before as u32 + 1, cx)
        });
        // Undo may have removed the file that this edit had created.
        if !found {
            self.sync(cx.metadata);
        }
    }

    fn back(&mut self, cx: &mut Context<'_>) {
        if self.show != Show::All || !self.search.is_empty() {
            let here = self.entry().map(|e| e.line);
            (self.show, self.search, self.made) = (Show::All, String::new(), None);
            self.sync(cx.metadata);
            here.map(|line| self.go_to_line(line));
        } else if self.area != Area::Vocabularies {
            self.area = Area::Vocabularies;
        } else {
            cx.leave();
        }
    }

    fn next_area(&mut self) {
        self.area = match self.area {
            Area::Vocabularies => Area::Terms,
            Area::Terms if self.side.shows != Side::Nothing => Area::Side,
            _ => Area::Vocabularies,
        };
    }

    fn act_on_names(&mut self, action: Action, cx: &mut Context<'_>) {
        let last = match cx.metadata.phase() {
            Phase::Loading => usize::MAX,
            _ => self.names.len().saturating_sub(1),
        };
        let at = match action {
            Action::Down => self.at.saturating_add(1).min(last),
            Action::Up => self.at.saturating_sub(1),
            Action::PageDown => self.at.saturating_add(PAGE).min(last),
            Action::PageUp => self.at.saturating_sub(PAGE),
            Action::Top => 0,
            Action::Bottom => last,
            Action::Open | Action::Right => {
                self.area = Area::Terms;
                return;
            }
            other => {
                return cx.refuse(format!("`{}` works on terms: press tab", other.name()));
            }
        };
        if at == self.at {
            return;
        }
        self.at = at;
        self.made = None;
        self.side.rewind();
        self.table.set_rows(Vec::new(), self.empty(cx.metadata));
        self.entries.clear();
        self.sync(cx.metadata);
        self.table.go_to_id(0);
        self.follow_cursor(cx);
    }

    fn go_to(&mut self, finding: Finding, cx: &mut Context<'_>) {
        let Finding {
            file, line, column, ..
        } = finding;
        if !self.jump(&file, line, cx) {
            actions::go_to(Place { file, line, column }, cx);
        }
    }

    fn step_finding(&mut self, forward: bool, cx: &mut Context<'_>) {
        let line = self.entry().map_or(0, |e| e.line);
        // Past all findings of the line.
        let here = (line, if forward { u32::MAX } else { 0 });
        let Some((line, _)) = actions::next_finding(&self.file(), here, forward, cx) else {
            return;
        };
        self.area = Area::Terms;
        if !self.go_to_line(line) {
            cx.refuse("the finding is on a hidden term: esc shows all");
        }
    }

    fn act_on_terms(&mut self, action: Action, cx: &mut Context<'_>) {
        let nothing = format!("`{}` does nothing on terms", action.name());
        if table_menus::opened(self.table.act(action), &nothing, cx).is_some() {
            cx.refuse(nothing);
        }
    }

    fn edit(&mut self, action: Action, cx: &mut Context<'_>) {
        let Some(name) = self.current().map(String::from) else {
            return match action {
                Action::AddTerm if cx.metadata.is_ready() => Self::ask_vocabulary(cx),
                _ => cx.refuse("no vocabulary"),
            };
        };
        if name == STYLE && action != Action::ToggleTerm {
            cx.say("styles are edited as text");
            let place = Place {
                file: self.file(),
                line: self.entry().map_or(0, |e| e.line),
                column: 0,
            };
            return actions::go_to(place, cx);
        }
        let chosen = self.chosen_terms();
        if chosen.is_empty() && action != Action::AddTerm {
            return cx.refuse("no term");
        }
        match action {
            Action::AddTerm => self.ask_term(&name, "new", cx),
            Action::RenameTerm => self.ask_rename(name, cx),
            Action::RemoveTerm => {
                let done = self.apply(&name, cx, |v| edits::remove(v, &chosen));
                or_refuse(done, cx);
            }
            Action::ToggleTerm => self.toggle(&name, &chosen, cx),
            Action::TermDown | Action::TermUp => {
                self.move_term(&name, action == Action::TermDown, cx);
            }
            Action::MoveTerms => self.ask_move(name, cx),
            _ => self.ask_replace(name, cx),
        }
    }

    /// Moves the term under the cursor by a line.
    fn move_term(&mut self, name: &str, down: bool, cx: &mut Context<'_>) {
        let in_file_order = self.show == Show::All
            && self.search.is_empty()
            && self.table.state().sort().is_empty();
        if !in_file_order {
            return cx.refuse("show all terms, unsorted, to move one");
        }
        let Some(at) = self.entry().map(|e| e.at) else {
            return;
        };
        let to = if down { at + 1 } else { at.wrapping_sub(1) };
        if to >= self.entries.len() {
            return cx.refuse("already at the end of the list");
        }
        let done = self.changing(cx, |edit_session| {
            let session = edit_session.session_mut();
            session.edit(&[name], |v| v[0].move_term(at, to))
        });
        or_refuse(done, cx);
        self.table.go_to_id(to as u64);
    }

    fn toggle(&mut self, name: &str, chosen: &BTreeSet<usize>, cx: &mut Context<'_>) {
        let terms_here: Vec<_> = self
            .entries
            .iter()
            .filter(|e| chosen.contains(&e.at))
            .collect();
        let disabled = terms_here.iter().any(|e| !e.disabled);
        let done = if name == STYLE {
            let terms: Vec<_> = terms_here
                .iter()
                .map(|e| (STYLE.to_string(), e.text.clone()))
                .collect();
            self.changing(cx, |edit_session| {
                let session = edit_session.session_mut();
                session.set_disabled(&terms, disabled).map(|_| ())
            })
        } else {
            self.apply(name, cx, |v| edits::set_disabled(v, chosen, disabled))
        };
        or_refuse(done, cx);
    }

    /// Replaces the text of a vocabulary with the result of `edit`.
    pub(super) fn apply(
        &mut self,
        name: &str,
        cx: &mut Context<'_>,
        edit: impl FnOnce(&Vocabulary) -> Result<String>,
    ) -> Edited {
        self.changing(cx, |edit_session| {
            let vocabulary = vocabulary(edit_session, name)?;
            let text = edit(&vocabulary)?;
            let rules = Self::renamed_rules(edit_session, name, &text).unwrap_or_default();
            let texts = std::iter::once((file_of(name), text)).chain(rules);
            edit_session.session_mut().set(texts.collect(), false);
            Ok(())
        })
    }

    /// Changes the metadata.
    pub(super) fn changing(
        &mut self,
        cx: &mut Context<'_>,
        change: impl FnOnce(&mut EditSession) -> Result<()>,
    ) -> Edited {
        change(cx.metadata).map_err(|problem| error_line(&problem))?;
        cx.metadata.touched();
        self.sync(cx.metadata);
        Ok(())
    }
}

/// Whether an edit was possible, or why not.
pub(super) type Edited = std::result::Result<(), String>;

pub(super) fn or_refuse(done: Edited, cx: &mut Context<'_>) {
    if let Err(why) = done {
        cx.refuse(why);
    }
}

/// A vocabulary with the edits.
pub(super) fn vocabulary(edit_session: &EditSession, name: &str) -> Result<Arc<Vocabulary>> {
    let all = edit_session.session().edited().vocabularies();
    let gone = || Error::input(format!("vocabulary `{name}` no longer exists"));
    all.get(name).cloned().ok_or_else(gone)
}

pub(super) fn count(n: usize) -> String {
    text::plural(n as u64, "term")
}
