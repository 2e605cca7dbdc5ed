//! The actions of the vocabulary pane.

use std::collections::BTreeSet;

use super::rows::Show;
use super::{Area, VocabularyPane, edits};
use crate::action::Action;
use crate::panes::metadata::edit_session::{error_line, refuse};
use crate::panes::metadata::{
    ChoiceFor, EditSession, MetadataEffect as Effect, Phase, Side, TextFor, stepped,
};
use crate::widgets::table::{Answer, TableEffect};
use benchtop_compose::metadata::{STYLE, Vocabulary, file_of, vocabulary_of};
use benchtop_model::{Finding, Result};

/// Lines per page key.
const PAGE: usize = 10;

pub(super) fn text_for(
    purpose: TextFor,
    label: impl Into<String>,
    text: impl Into<String>,
) -> Vec<Effect> {
    vec![Effect::AskText {
        purpose,
        label: label.into(),
        text: text.into(),
    }]
}

impl VocabularyPane {
    pub fn act(&mut self, action: Action, edit_session: &mut EditSession) -> Vec<Effect> {
        self.sync(edit_session);
        if action == Action::Back {
            return self.back(edit_session);
        }
        let line = self.entry().map_or(1, |e| e.line);
        let file = self.file();
        if let Some(effects) = edit_session.act(action, &file, line) {
            self.sync(edit_session);
            return effects;
        }
        match action {
            Action::NextArea => self.next_area(),
            Action::ToggleSidebar => {
                self.side.next_view();
                if self.side.shows == Side::Nothing && self.area == Area::Side {
                    self.area = Area::Terms;
                }
                vec![]
            }
            Action::NextFinding | Action::PreviousFinding => {
                self.step_finding(edit_session, action == Action::NextFinding)
            }
            Action::Undo | Action::Redo => self.step(action == Action::Undo, edit_session),
            Action::TermRules => self.term_rules(edit_session),
            Action::NewVocabulary => text_for(TextFor::NewVocabulary, "new vocabulary: ", ""),
            Action::Find => text_for(TextFor::Search, "find: ", self.search.clone()),
            Action::ShowTerms => {
                let line = |s: &Show| (s.name().to_string(), String::new());
                let lines = Show::ALL.iter().map(line).collect();
                vec![Effect::AskChoice {
                    purpose: ChoiceFor::Show,
                    title: "show".into(),
                    lines,
                }]
            }
            Action::AddTerm
            | Action::RenameTerm
            | Action::RemoveTerm
            | Action::ToggleTerm
            | Action::TermDown
            | Action::TermUp
            | Action::MoveTerms
            | Action::ReplaceText => self.edit(action, edit_session),
            Action::Open if self.area == Area::Terms => self.edit(Action::RenameTerm, edit_session),
            other => match self.area {
                Area::Vocabularies => self.act_on_names(other, edit_session),
                Area::Side => match self.side.act(other, edit_session) {
                    Ok(finding) => finding.map_or(vec![], |f| self.go_to(&f, edit_session)),
                    Err(why) => refuse(why),
                },
                Area::Terms => self.act_on_terms(other),
            },
        }
    }

    /// Undoes or redoes an edit and moves the cursor there.
    fn step(&mut self, undo: bool, edit_session: &mut EditSession) -> Vec<Effect> {
        let (mut effects, places) = match edit_session.step(undo) {
            Ok(done) => done,
            Err(why) => return refuse(why),
        };
        effects.push(stepped(undo, &places));
        let Some((file, at)) = places
            .iter()
            .find(|(file, _)| vocabulary_of(file).is_some())
        else {
            self.sync(edit_session);
            return effects;
        };
        let text = edit_session.session().text(file).unwrap_or_default();
        let before = text
            .as_bytes()
            .iter()
            .take(at.saturating_sub(1))
            .filter(|b| **b == b'\n')
            .count();
        match self.jump(edit_session, file, before as u32 + 1) {
            Some(more) => effects.extend(more),
            // Undo removed the file that this edit had created.
            None => self.sync(edit_session),
        }
        effects
    }

    /// Creates a vocabulary and asks for its first term.
    pub(super) fn new_vocabulary(
        &mut self,
        name: &str,
        edit_session: &mut EditSession,
    ) -> Vec<Effect> {
        let (name, file) = (name.trim().to_string(), file_of(name.trim()));
        if self.names.contains(&name) {
            return refuse(format!("vocabulary `{name}` already exists"));
        }
        let text = format!("# {name}: one term per line\n");
        let mut effects = self.changing(edit_session, |edit_session| {
            benchtop_model::metafile::check_name(&file, true)?;
            edit_session
                .session_mut()
                .set(vec![(file.clone(), text)], false);
            Ok(())
        });
        if let Some(more) = self.jump(edit_session, &file, 1) {
            effects.extend(more);
            effects.extend(text_for(
                TextFor::Add,
                format!("first term of {name}: "),
                "",
            ));
        }
        effects
    }

    fn back(&mut self, edit_session: &EditSession) -> Vec<Effect> {
        if self.show != Show::All || !self.search.is_empty() {
            let here = self.entry().map(|e| e.line);
            (self.show, self.search, self.made) = (Show::All, String::new(), None);
            self.sync(edit_session);
            here.map(|line| self.go_to_line(line));
            return vec![];
        }
        if self.area != Area::Vocabularies {
            self.area = Area::Vocabularies;
            return vec![];
        }
        vec![Effect::Leave]
    }

    fn next_area(&mut self) -> Vec<Effect> {
        self.area = match self.area {
            Area::Vocabularies => Area::Terms,
            Area::Terms if self.side.shows != Side::Nothing => Area::Side,
            _ => Area::Vocabularies,
        };
        vec![]
    }

    fn act_on_names(&mut self, action: Action, edit_session: &mut EditSession) -> Vec<Effect> {
        let last = match edit_session.phase() {
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
                return vec![];
            }
            other => return refuse(format!("`{}` works on terms: press tab", other.name())),
        };
        if at == self.at {
            return vec![];
        }
        self.at = at;
        self.made = None;
        self.side.rewind();
        self.table.set_rows(Vec::new(), self.empty(edit_session));
        self.entries.clear();
        self.sync(edit_session);
        self.table.go_to_id(0);
        self.follow_cursor(edit_session)
    }

    fn go_to(&mut self, finding: &Finding, edit_session: &mut EditSession) -> Vec<Effect> {
        if vocabulary_of(&finding.file).is_some()
            && let Some(effects) = self.jump(edit_session, &finding.file, finding.line)
        {
            return effects;
        }
        vec![Effect::Jump {
            file: finding.file.clone(),
            line: finding.line,
            column: finding.column,
        }]
    }

    fn step_finding(&mut self, edit_session: &EditSession, forward: bool) -> Vec<Effect> {
        let file = self.file();
        let mut lines: Vec<u32> = edit_session
            .found_in(&file)
            .map(|f| f.line)
            .filter(|l| *l > 0)
            .collect();
        lines.sort_unstable();
        lines.dedup();
        let here = self.entry().map_or(0, |e| e.line);
        let next = if forward {
            lines.iter().find(|l| **l > here).or(lines.first())
        } else {
            lines.iter().rev().find(|l| **l < here).or(lines.last())
        };
        let Some(line) = next else {
            return refuse(format!("{file} has no findings"));
        };
        self.area = Area::Terms;
        if self.go_to_line(*line) {
            vec![]
        } else {
            refuse("the finding is on a hidden term: esc shows all")
        }
    }

    fn act_on_terms(&mut self, action: Action) -> Vec<Effect> {
        let mut effects = Vec::new();
        for answer in self.table.act(action) {
            effects.extend(match answer {
                Answer::Effect(TableEffect::Refuse(why)) => refuse(why),
                Answer::Message(text) => vec![Effect::Say(text)],
                _ => refuse(format!("`{}` does nothing on terms", action.name())),
            });
        }
        effects
    }

    fn edit(&mut self, action: Action, edit_session: &mut EditSession) -> Vec<Effect> {
        let Some(name) = self.current().map(String::from) else {
            return refuse("no vocabulary");
        };
        if name == STYLE && action != Action::ToggleTerm {
            let line = self.entry().map_or(0, |e| e.line);
            return vec![
                Effect::Say("styles are edited as text".into()),
                Effect::Jump {
                    file: self.file(),
                    line,
                    column: 0,
                },
            ];
        }
        let chosen = self.chosen_terms();
        if chosen.is_empty() && action != Action::AddTerm {
            return refuse("no term");
        }
        let in_file_order = self.show == Show::All
            && self.search.is_empty()
            && self.table.state().sort().is_empty();
        match action {
            Action::AddTerm => text_for(TextFor::Add, format!("new term of {name}: "), ""),
            Action::RenameTerm => text_for(
                TextFor::Rename,
                "rename to: ",
                self.entry().map(|e| e.text.clone()).unwrap_or_default(),
            ),
            Action::RemoveTerm => self.apply(edit_session, |v| edits::remove(v, &chosen)),
            Action::ToggleTerm => self.toggle(edit_session, &name, &chosen),
            Action::TermDown | Action::TermUp if !in_file_order => {
                refuse("show all terms, unsorted, to move one")
            }
            Action::TermDown | Action::TermUp => {
                let Some(at) = self.entry().map(|e| e.at) else {
                    return vec![];
                };
                let to = if action == Action::TermDown {
                    at + 1
                } else {
                    at.wrapping_sub(1)
                };
                if to >= self.entries.len() {
                    return refuse("already at the end of the list");
                }
                let effects = self.changing(edit_session, |d| {
                    d.session_mut().edit(&[&name], |v| v[0].move_term(at, to))
                });
                self.table.go_to_id(to as u64);
                effects
            }
            Action::MoveTerms => {
                let others: Vec<String> = self
                    .names
                    .iter()
                    .filter(|n| **n != name && *n != STYLE)
                    .cloned()
                    .collect();
                if others.is_empty() {
                    return refuse("no other vocabulary");
                }
                let what = count(chosen.len());
                let lines = others.iter().map(|n| (n.clone(), String::new())).collect();
                vec![Effect::AskChoice {
                    purpose: ChoiceFor::MoveTo(others),
                    title: format!("Move {what} of {name} to"),
                    lines,
                }]
            }
            _ => text_for(
                TextFor::Replace,
                format!("replace in {}: ", self.replaced_in()),
                "",
            ),
        }
    }

    fn replaced_in(&self) -> String {
        let marked = self.marked().len();
        if marked > 0 {
            format!("{} selected", count(marked))
        } else {
            format!("{} shown", count(self.entries.len()))
        }
    }

    fn toggle(
        &mut self,
        edit_session: &mut EditSession,
        name: &str,
        chosen: &BTreeSet<usize>,
    ) -> Vec<Effect> {
        let terms_here: Vec<_> = self
            .entries
            .iter()
            .filter(|e| chosen.contains(&e.at))
            .collect();
        let disabled = terms_here.iter().any(|e| !e.disabled);
        if name == STYLE {
            let terms: Vec<_> = terms_here
                .iter()
                .map(|e| (STYLE.to_string(), e.text.clone()))
                .collect();
            return self.changing(edit_session, |d| {
                d.session_mut().set_disabled(&terms, disabled).map(|_| ())
            });
        }
        self.apply(edit_session, |v| edits::set_disabled(v, chosen, disabled))
    }

    /// Replaces the text of the current vocabulary with the result of `edit`.
    pub(super) fn apply(
        &mut self,
        edit_session: &mut EditSession,
        edit: impl FnOnce(&Vocabulary) -> Result<String>,
    ) -> Vec<Effect> {
        let Some(name) = self.current().map(String::from) else {
            return vec![];
        };
        self.changing(edit_session, |edit_session| {
            let Some(vocabulary) = edit_session
                .session()
                .edited()
                .vocabularies()
                .get(&name)
                .cloned()
            else {
                return Ok(());
            };
            let text = edit(&vocabulary)?;
            let rules = Self::renamed_rules(edit_session, &name, &text).unwrap_or_default();
            let texts = std::iter::once((file_of(&name), text)).chain(rules);
            edit_session.session_mut().set(texts.collect(), false);
            Ok(())
        })
    }

    pub(super) fn changing(
        &mut self,
        edit_session: &mut EditSession,
        change: impl FnOnce(&mut EditSession) -> Result<()>,
    ) -> Vec<Effect> {
        match change(edit_session) {
            Ok(()) => {
                let effects = edit_session.touched();
                self.sync(edit_session);
                effects
            }
            Err(problem) => refuse(error_line(&problem)),
        }
    }
}

pub(super) fn count(n: usize) -> String {
    if n == 1 {
        "1 term".into()
    } else {
        format!("{n} terms")
    }
}
