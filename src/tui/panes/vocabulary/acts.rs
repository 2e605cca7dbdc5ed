//! What the keys of the vocabulary pane do.

use std::collections::BTreeSet;

use super::rows::Show;
use super::{Area, VocabularyPane, edits};
use crate::action::Action;
use crate::panes::metadata::edit_session::{refuse, said};
use crate::panes::metadata::{
    ChoiceFor, EditSession, MetadataEffect as Effect, Phase, Side, TextFor, stepped,
};
use crate::widgets::table::{Answer, TableEffect};
use benchtop_compose::metadata::{STYLE, Vocabulary, file_of, vocabulary_of};
use benchtop_model::{Finding, Result};

/// Lines a page key goes on by.
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
    /// Does an action.
    pub fn act(&mut self, action: Action, desk: &mut EditSession) -> Vec<Effect> {
        self.sync(desk);
        if action == Action::Back {
            return self.back(desk);
        }
        let line = self.entry().map_or(1, |e| e.line);
        let file = self.file();
        if let Some(effects) = desk.act(action, &file, line) {
            self.sync(desk);
            return effects;
        }
        match action {
            Action::NextArea => self.next_area(),
            Action::Side => {
                self.side.turn();
                if self.side.shows == Side::Nothing && self.area == Area::Side {
                    self.area = Area::Terms;
                }
                vec![]
            }
            Action::NextFinding | Action::PreviousFinding => {
                self.step_finding(desk, action == Action::NextFinding)
            }
            Action::Undo | Action::Redo => self.step(action == Action::Undo, desk),
            Action::TermRules => self.term_rules(desk),
            Action::NewVocabulary => {
                text_for(TextFor::NewVocabulary, "name of the new vocabulary ", "")
            }
            Action::Find => text_for(TextFor::Search, "find terms ", self.search.clone()),
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
            | Action::ReplaceText => self.edit(action, desk),
            Action::Open if self.area == Area::Terms => self.edit(Action::RenameTerm, desk),
            other => match self.area {
                Area::Vocabularies => self.act_on_names(other, desk),
                Area::Side => match self.side.act(other, desk) {
                    Ok(finding) => finding.map_or(vec![], |f| self.go_to(&f, desk)),
                    Err(why) => refuse(why),
                },
                Area::Terms => self.act_on_terms(other),
            },
        }
    }

    /// Takes an edit back or does it again, and goes where it was.
    fn step(&mut self, undo: bool, desk: &mut EditSession) -> Vec<Effect> {
        let (mut effects, places) = match desk.step(undo) {
            Ok(done) => done,
            Err(why) => return refuse(why),
        };
        effects.push(stepped(undo, &places));
        let Some((file, at)) = places
            .iter()
            .find(|(file, _)| vocabulary_of(file).is_some())
        else {
            self.sync(desk);
            return effects;
        };
        let text = desk.session().text(file).unwrap_or_default();
        let before = text
            .as_bytes()
            .iter()
            .take(at.saturating_sub(1))
            .filter(|b| **b == b'\n')
            .count();
        match self.jump(desk, file, before as u32 + 1) {
            Some(more) => effects.extend(more),
            // The file was made by the edit that was taken back.
            None => self.sync(desk),
        }
        effects
    }

    /// Makes a vocabulary with this name, and asks for its first term.
    pub(super) fn new_vocabulary(&mut self, name: &str, desk: &mut EditSession) -> Vec<Effect> {
        let (name, file) = (name.trim().to_string(), file_of(name.trim()));
        if self.names.contains(&name) {
            return refuse(format!("there is a vocabulary `{name}` already"));
        }
        let text = format!("# {name}: one term a line\n");
        let mut effects = self.changing(desk, |desk| {
            benchtop_model::metafile::check_name(&file, true)?;
            desk.session_mut().set(vec![(file.clone(), text)], false);
            Ok(())
        });
        if let Some(more) = self.jump(desk, &file, 1) {
            effects.extend(more);
            effects.extend(text_for(TextFor::Add, format!("first term of {name} "), ""));
        }
        effects
    }

    fn back(&mut self, desk: &EditSession) -> Vec<Effect> {
        if self.show != Show::All || !self.search.is_empty() {
            let here = self.entry().map(|e| e.line);
            (self.show, self.search, self.made) = (Show::All, String::new(), None);
            self.sync(desk);
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

    fn act_on_names(&mut self, action: Action, desk: &mut EditSession) -> Vec<Effect> {
        let last = match desk.phase() {
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
            other => return refuse(format!("{} is for the terms: tab goes there", other.name())),
        };
        if at == self.at {
            return vec![];
        }
        self.at = at;
        self.made = None;
        self.side.rewind();
        self.table.set_rows(Vec::new(), self.empty(desk));
        self.entries.clear();
        self.sync(desk);
        self.table.go_to_id(0);
        self.turn_to(desk)
    }

    fn go_to(&mut self, finding: &Finding, desk: &mut EditSession) -> Vec<Effect> {
        if vocabulary_of(&finding.file).is_some()
            && let Some(effects) = self.jump(desk, &finding.file, finding.line)
        {
            return effects;
        }
        vec![Effect::Jump {
            file: finding.file.clone(),
            line: finding.line,
            column: finding.column,
        }]
    }

    fn step_finding(&mut self, desk: &EditSession, forward: bool) -> Vec<Effect> {
        let file = self.file();
        let mut lines: Vec<u32> = desk
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
            refuse("the finding is not among the terms shown: esc shows all")
        }
    }

    fn act_on_terms(&mut self, action: Action) -> Vec<Effect> {
        let mut effects = Vec::new();
        for answer in self.table.act(action) {
            effects.extend(match answer {
                Answer::Effect(TableEffect::Refuse(why)) => refuse(why),
                Answer::Said(said) => vec![Effect::Say(said)],
                _ => refuse(format!("{} is not for terms", action.name())),
            });
        }
        effects
    }

    fn edit(&mut self, action: Action, desk: &mut EditSession) -> Vec<Effect> {
        let Some(name) = self.current().map(String::from) else {
            return refuse("there is no vocabulary here");
        };
        if name == STYLE && action != Action::ToggleTerm {
            let line = self.entry().map_or(0, |e| e.line);
            return vec![
                Effect::Say("styles have wordings: they are edited as text".into()),
                Effect::Jump {
                    file: self.file(),
                    line,
                    column: 0,
                },
            ];
        }
        let chosen = self.chosen_terms();
        if chosen.is_empty() && action != Action::AddTerm {
            return refuse("there is no term here");
        }
        let whole = self.show == Show::All
            && self.search.is_empty()
            && self.table.state().sort().is_empty();
        match action {
            Action::AddTerm => text_for(TextFor::Add, format!("new term of {name} "), ""),
            Action::RenameTerm => text_for(
                TextFor::Rename,
                "rename ",
                self.entry().map(|e| e.text.clone()).unwrap_or_default(),
            ),
            Action::RemoveTerm => self.apply(desk, |v| edits::remove(v, &chosen)),
            Action::ToggleTerm => self.toggle(desk, &name, &chosen),
            Action::TermDown | Action::TermUp if !whole => {
                refuse("terms are moved among all terms, unsorted: esc shows all")
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
                    return refuse("it is at the end of the list");
                }
                let effects = self.changing(desk, |d| {
                    d.session_mut().edit(&[&name], |v| v[0].shift(at, to))
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
                    return refuse("there is no other vocabulary");
                }
                let what = count(chosen.len());
                let lines = others.iter().map(|n| (n.clone(), String::new())).collect();
                vec![Effect::AskChoice {
                    purpose: ChoiceFor::MoveTo(others),
                    title: format!("move {what} of {name} to"),
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
            format!("the {} shown", count(self.entries.len()))
        }
    }

    fn toggle(
        &mut self,
        desk: &mut EditSession,
        name: &str,
        chosen: &BTreeSet<usize>,
    ) -> Vec<Effect> {
        let of: Vec<_> = self
            .entries
            .iter()
            .filter(|e| chosen.contains(&e.at))
            .collect();
        let disabled = of.iter().any(|e| !e.disabled);
        if name == STYLE {
            let terms: Vec<_> = of
                .iter()
                .map(|e| (STYLE.to_string(), e.text.clone()))
                .collect();
            return self.changing(desk, |d| {
                d.session_mut().set_disabled(&terms, disabled).map(|_| ())
            });
        }
        self.apply(desk, |v| edits::set_disabled(v, chosen, disabled))
    }

    /// Gives the current vocabulary the text that `edit` makes of it.
    pub(super) fn apply(
        &mut self,
        desk: &mut EditSession,
        edit: impl FnOnce(&Vocabulary) -> Result<String>,
    ) -> Vec<Effect> {
        let Some(name) = self.current().map(String::from) else {
            return vec![];
        };
        self.changing(desk, |desk| {
            let Some(vocabulary) = desk.session().edited().vocabularies().get(&name).cloned()
            else {
                return Ok(());
            };
            let text = edit(&vocabulary)?;
            let rules = Self::renamed_rules(desk, &name, &text).unwrap_or_default();
            let texts = std::iter::once((file_of(&name), text)).chain(rules);
            desk.session_mut().set(texts.collect(), false);
            Ok(())
        })
    }

    pub(super) fn changing(
        &mut self,
        desk: &mut EditSession,
        change: impl FnOnce(&mut EditSession) -> Result<()>,
    ) -> Vec<Effect> {
        match change(desk) {
            Ok(()) => {
                let effects = desk.touched();
                self.sync(desk);
                effects
            }
            Err(problem) => refuse(said(&problem)),
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
