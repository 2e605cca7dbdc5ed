//! The prompts and menus of the vocabulary pane, and their answers.

use std::collections::BTreeSet;

use super::actions::count;
use super::rows::Show;
use super::{Area, VocabularyPane, edits};
use crate::pane::{Context, Typed};
use crate::widgets::prompt::Prompt;
use benchtop_compose::metadata::{STYLE, file_of};

/// Asks for a line of text.
pub(super) fn ask_text(
    label: impl Into<String>,
    text: impl Into<String>,
    cx: &mut Context<'_>,
    mut then: impl FnMut(&mut VocabularyPane, &str, &mut Context<'_>) + 'static,
) {
    let prompt = Prompt::new(label, text, Vec::new());
    cx.prompt(prompt, move |pane: &mut VocabularyPane, text, cx| {
        pane.sync(cx.metadata);
        then(pane, text, cx);
        Ok(())
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
        let line = |show: &Show| (show.name().to_string(), String::new());
        let lines = Show::ALL.iter().map(line).collect();
        cx.choose("show", lines, |pane: &mut Self, pick, cx| {
            pane.show = Show::ALL.get(pick).copied().unwrap_or_default();
            (pane.made, pane.area, pane.written) = (None, Area::Terms, None);
            pane.sync(cx.metadata);
        });
    }

    pub(super) fn ask_new_vocabulary(cx: &mut Context<'_>) {
        ask_text("new vocabulary: ", "", cx, |pane, name, cx| {
            pane.new_vocabulary(name, cx);
        });
    }

    /// Creates a vocabulary and asks for its first term.
    fn new_vocabulary(&mut self, name: &str, cx: &mut Context<'_>) {
        let (name, file) = (name.trim().to_string(), file_of(name.trim()));
        if self.names.contains(&name) {
            return cx.refuse(format!("vocabulary `{name}` already exists"));
        }
        let text = format!("# {name}: one term per line\n");
        let made = self.changing(cx, |edit_session| {
            benchtop_model::metafile::check_name(&file, true)?;
            edit_session
                .session_mut()
                .set(vec![(file.clone(), text)], false);
            Ok(())
        });
        if made && self.jump(&file, 1, cx) {
            Self::ask_term(format!("first term of {name}: "), cx);
        }
    }

    /// Asks for a term to add before the one under the cursor.
    pub(super) fn ask_term(label: String, cx: &mut Context<'_>) {
        ask_text(label, "", cx, |pane, text, cx| {
            let Some(name) = pane.current().map(String::from) else {
                return;
            };
            // Without a term under the cursor, the new one goes to the end of the file.
            let at = pane.entry().map_or(usize::MAX, |e| e.at);
            pane.written = Some(text.trim().into());
            pane.changing(cx, |edit_session| {
                let session = edit_session.session_mut();
                session.edit(&[&name], |v| v[0].insert(at, text))
            });
            pane.go_to_term(text);
        });
    }

    pub(super) fn ask_rename(&self, cx: &mut Context<'_>) {
        let old = self.entry().map(|e| e.text.clone()).unwrap_or_default();
        ask_text("rename to: ", old, cx, |pane, text, cx| {
            let Some(at) = pane.entry().map(|e| e.at) else {
                return cx.refuse("no term");
            };
            pane.written = Some(text.trim().into());
            pane.apply(cx, |vocabulary| {
                let mut renamed = vocabulary.clone();
                renamed.rename(at, text)?;
                Ok(renamed.text())
            });
        });
    }

    /// Asks for a text and its replacement in the selected or all shown terms.
    pub(super) fn ask_replace(&self, cx: &mut Context<'_>) {
        let terms = match self.marked().len() {
            0 => format!("{} shown", count(self.entries.len())),
            n => format!("{} selected", count(n)),
        };
        let label = format!("replace in {terms}: ");
        ask_text(label, "", cx, |_, from, cx| {
            if from.is_empty() {
                return cx.refuse("nothing to replace");
            }
            let (label, from) = (format!("replace `{from}` with: "), from.to_string());
            ask_text(label, "", cx, move |pane, to, cx| {
                pane.replace(&from, to, cx);
            });
        });
    }

    fn replace(&mut self, from: &str, to: &str, cx: &mut Context<'_>) {
        let marked = self.marked();
        let at: BTreeSet<usize> = match marked.is_empty() {
            true => self.entries.iter().map(|e| e.at).collect(),
            false => marked.iter().map(|i| self.entries[*i].at).collect(),
        };
        let mut many = 0;
        let done = self.apply(cx, |v| {
            let (new, n) = edits::replace(v, &at, from, to)?;
            many = n;
            Ok(new)
        });
        if many > 0 {
            cx.say(format!("changed {}", count(many)));
        } else if done {
            cx.refuse(format!("no term contains `{from}`"));
        }
    }

    /// Asks for the vocabulary to move these terms of `name` to.
    pub(super) fn ask_move(&self, name: &str, many: usize, cx: &mut Context<'_>) {
        let others = self.names.iter().filter(|n| *n != name && *n != STYLE);
        let others: Vec<String> = others.cloned().collect();
        if others.is_empty() {
            return cx.refuse("no other vocabulary");
        }
        let lines = others.iter().map(|n| (n.clone(), String::new())).collect();
        let title = format!("Move {} of {name} to", count(many));
        cx.choose(title, lines, move |pane: &mut Self, pick, cx| {
            if let Some(to) = others.get(pick) {
                pane.move_to(to, cx);
            }
        });
    }

    fn move_to(&mut self, to: &str, cx: &mut Context<'_>) {
        self.sync(cx.metadata);
        let Some(from) = self.current().map(String::from) else {
            return;
        };
        let chosen = self.chosen_terms();
        self.changing(cx, |edit_session| {
            let all = edit_session.session().edited().vocabularies();
            let (Some(a), Some(b)) = (all.get(&from), all.get(to)) else {
                return Ok(());
            };
            let (a, b) = edits::move_to(a, &chosen, b)?;
            edit_session
                .session_mut()
                .set(vec![(file_of(&from), a), (file_of(to), b)], false);
            Ok(())
        });
    }

    fn go_to_term(&mut self, text: &str) {
        if let Some(at) = self.entries.iter().position(|e| e.text == text.trim()) {
            self.table.go_to_id(at as u64);
        }
    }
}
