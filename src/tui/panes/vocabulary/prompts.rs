//! The prompts and menus of the vocabulary pane, and their answers.

use super::actions::{Edited, count, or_refuse, vocabulary};
use super::edits::{self, Known, position};
use super::rows::Show;
use super::{Area, VocabularyPane};
use crate::action::Action;
use crate::pane::{Context, Typed};
use crate::widgets::prompt::Prompt;
use benchtop_compose::metadata::{STYLE, file_of};
use benchtop_model::Result;

/// Asks for a line of text. If `then` returns an error, the prompt shows it and stays open.
pub(super) fn ask_text(
    label: impl Into<String>,
    text: impl Into<String>,
    cx: &mut Context<'_>,
    mut then: impl FnMut(&mut VocabularyPane, &str, &mut Context<'_>) -> Edited + 'static,
) {
    let prompt = Prompt::new(label, text, Vec::new());
    cx.prompt(prompt, move |pane: &mut VocabularyPane, text, cx| {
        pane.sync(cx.metadata);
        then(pane, text, cx)
    });
}

impl VocabularyPane {
    /// Asks for a search, which applies while it is typed.
    pub(super) fn ask_search(&self, cx: &mut Context<'_>) {
        let prompt = Prompt::new("find: ", self.search.clone(), Vec::new());
        cx.prompt_live(prompt, |pane: &mut Self, typed, cx| {
            pane.search = match typed {
                Typed::Changed(text) | Typed::Done(text) => text.into(),
                Typed::Cancelled => String::new(),
            };
            (pane.made, pane.area, pane.written) = (None, Area::Terms, None);
            pane.sync(cx.metadata);
            Ok(())
        });
    }

    /// Asks for the terms to show.
    pub(super) fn ask_show(&self, cx: &mut Context<'_>) {
        let line = |show: &Show| (show.name(), "");
        cx.choose_of(
            "show",
            Show::ALL.to_vec(),
            line,
            |pane: &mut Self, show, cx| {
                pane.show = show;
                (pane.made, pane.area, pane.written) = (None, Area::Terms, None);
                pane.sync(cx.metadata);
            },
        );
    }

    pub(super) fn ask_new_vocabulary(cx: &mut Context<'_>) {
        ask_text("new vocabulary: ", "", cx, Self::new_vocabulary);
    }

    /// Creates a vocabulary and asks for its first term.
    fn new_vocabulary(&mut self, name: &str, cx: &mut Context<'_>) -> Edited {
        let (name, file) = (name.trim(), file_of(name.trim()));
        if self.names.iter().any(|other| other == name) {
            return Err(format!("vocabulary `{name}` already exists"));
        }
        let text = format!("# {name}: one term per line\n");
        self.changing(cx, |edit_session| {
            benchtop_model::metafile::check_name(&file, true)?;
            edit_session
                .session_mut()
                .set(vec![(file.clone(), text)], false);
            Ok(())
        })?;
        if self.jump(&file, 1, cx) {
            self.ask_term(name, "first", cx);
        }
        Ok(())
    }

    /// The term under the cursor, if any.
    fn known(&self) -> Option<Known> {
        self.entry().map(|e| (e.at, e.text.clone()))
    }

    /// The selected terms, or `others`.
    fn marked_or(&self, others: impl FnOnce() -> Vec<Known>) -> Vec<Known> {
        let marked = self.marked().into_iter().map(|i| &self.entries[i]);
        let marked: Vec<Known> = marked.map(|e| (e.at, e.text.clone())).collect();
        if marked.is_empty() { others() } else { marked }
    }

    /// Asks for a term to add before the one under the cursor.
    pub(super) fn ask_term(&self, name: &str, which: &str, cx: &mut Context<'_>) {
        let (label, next) = (format!("{which} term of {name}: "), self.known());
        let name = name.to_string();
        ask_text(label, "", cx, move |pane, text, cx| {
            pane.written = Some(text.trim().into());
            pane.changing(cx, |edit_session| {
                let vocabulary = vocabulary(edit_session, &name)?;
                // Without a term under the cursor, the new one goes to the end of the file.
                let next = next
                    .as_ref()
                    .and_then(|next| position(&vocabulary, next).ok());
                let at = next.unwrap_or(usize::MAX);
                let session = edit_session.session_mut();
                session.edit(&[&name], |v| v[0].insert(at, text))
            })?;
            pane.go_to_term(text);
            Ok(())
        });
    }

    /// Asks for the name of the first vocabulary.
    pub(super) fn ask_vocabulary(cx: &mut Context<'_>) {
        let label = "name of the vocabulary, such as `animal`: ";
        ask_text(label, "", cx, |pane, text, cx| {
            let name = text.trim();
            let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
            if name.is_empty() || !name.chars().all(plain) {
                return Err("use lowercase letters, digits, and hyphens".into());
            }
            pane.changing(cx, |edit_session| {
                // An empty text would not be a change of a file that is missing.
                let file = (file_of(name), format!("# {name}\n"));
                edit_session.session_mut().set(vec![file], false);
                Ok(())
            })?;
            let add = cx.key(Action::AddTerm);
            cx.say(format!("created `{name}`; {add} adds a term"));
            Ok(())
        });
    }

    pub(super) fn ask_rename(&self, name: String, cx: &mut Context<'_>) {
        let Some(old) = self.known() else {
            return cx.refuse("no term");
        };
        ask_text("rename to: ", old.1.clone(), cx, move |pane, text, cx| {
            pane.written = Some(text.trim().into());
            pane.apply(&name, cx, |vocabulary| {
                let mut renamed = vocabulary.clone();
                renamed.rename(position(vocabulary, &old)?, text)?;
                Ok(renamed.text())
            })
        });
    }

    /// Asks for a text and its replacement in the selected or all shown terms.
    pub(super) fn ask_replace(&self, name: String, cx: &mut Context<'_>) {
        let all = || {
            self.entries
                .iter()
                .map(|e| (e.at, e.text.clone()))
                .collect()
        };
        let terms = self.marked_or(all);
        let which = match self.marked().len() {
            0 => "shown",
            _ => "selected",
        };
        let label = format!("replace in {} {which}: ", count(terms.len()));
        ask_text(label, "", cx, move |_, from, cx| {
            if from.is_empty() {
                return Err("nothing to replace".into());
            }
            let (label, from) = (format!("replace `{from}` with: "), from.to_string());
            let (name, terms) = (name.clone(), terms.clone());
            ask_text(label, "", cx, move |pane, to, cx| {
                pane.replace(&name, &terms, (&from, to), cx)
            });
            Ok(())
        });
    }

    fn replace(
        &mut self,
        name: &str,
        terms: &[Known],
        (from, to): (&str, &str),
        cx: &mut Context<'_>,
    ) -> Edited {
        let mut many = 0;
        self.apply(name, cx, |v| {
            let at = terms.iter().flat_map(|term| position(v, term)).collect();
            let (new, n) = edits::replace(v, &at, from, to)?;
            many = n;
            Ok(new)
        })?;
        if many == 0 {
            return Err(format!("no term contains `{from}`"));
        }
        cx.say(format!("changed {}", count(many)));
        Ok(())
    }

    /// Asks for the vocabulary to move the selected terms of `name` to.
    pub(super) fn ask_move(&self, name: String, cx: &mut Context<'_>) {
        let terms = self.marked_or(|| self.known().into_iter().collect());
        let others = self.names.iter().filter(|n| **n != name && *n != STYLE);
        let others: Vec<String> = others.cloned().collect();
        if others.is_empty() {
            return cx.refuse("no other vocabulary");
        }
        let title = format!("Move {} of {name} to", count(terms.len()));
        let line = |name: &String| (name.clone(), "");
        cx.choose_of(title, others, line, move |pane: &mut Self, to, cx| {
            let done = pane.move_to(&name, &terms, &to, cx);
            or_refuse(done, cx);
        });
    }

    fn move_to(&mut self, from: &str, terms: &[Known], to: &str, cx: &mut Context<'_>) -> Edited {
        self.sync(cx.metadata);
        self.changing(cx, |edit_session| {
            let (a, b) = (
                vocabulary(edit_session, from)?,
                vocabulary(edit_session, to)?,
            );
            let at = terms.iter().map(|term| position(&a, term));
            let (a, b) = edits::move_to(&a, &at.collect::<Result<_>>()?, &b)?;
            edit_session
                .session_mut()
                .set(vec![(file_of(from), a), (file_of(to), b)], false);
            Ok(())
        })
    }

    fn go_to_term(&mut self, text: &str) {
        if let Some(at) = self.entries.iter().position(|e| e.text == text.trim()) {
            self.table.go_to_id(at as u64);
        }
    }
}
