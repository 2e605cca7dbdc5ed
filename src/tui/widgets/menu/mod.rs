//! A menu over a pane: pick by number or cursor, mark several lines, add a note, or filter by
//! typing.

mod draw;
mod levels;

use std::collections::BTreeSet;

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind};
use fuzzy_matcher::FuzzyMatcher;
use fuzzy_matcher::skim::SkimMatcherV2;
use tui_input::Input;

use super::tags::Tags;
use super::text_input;
use crate::action::Action;
use benchtop_model::sorting::sort_by;

/// A line of a menu.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choice {
    pub label: String,
    /// Text next to the label: an explanation or a count. The filter searches it after the labels.
    pub help: String,
    /// Other names that the filter finds, such as those of earlier versions.
    pub aliases: Vec<&'static str>,
    /// The key that does the same without the menu.
    pub key: String,
    /// Choosing this line asks for a note.
    pub wants_note: bool,
    /// The line whose level this one is on; `None` for the first level. Choosing a line with lines
    /// below it goes to their level.
    pub within: Option<usize>,
    /// Whether the line only leads to its level and cannot be chosen itself.
    pub is_heading: bool,
}

impl Choice {
    /// A line without help.
    pub fn new(label: impl Into<String>) -> Choice {
        Choice {
            label: label.into(),
            ..Choice::default()
        }
    }

    /// Adds a help text.
    pub fn help(mut self, help: impl Into<String>) -> Choice {
        self.help = help.into();
        self
    }

    /// Adds names that the filter finds too.
    pub fn aliases(mut self, names: impl IntoIterator<Item = &'static str>) -> Choice {
        self.aliases.extend(names);
        self
    }

    /// Adds the key that does the same without the menu.
    pub fn key(mut self, key: impl Into<String>) -> Choice {
        self.key = key.into();
        self
    }

    /// Makes the line ask for a note.
    pub fn wants_note(mut self) -> Choice {
        self.wants_note = true;
        self
    }
}

/// The effect of a key on a menu.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MenuOutcome {
    /// The menu stays open.
    Open,
    /// These lines (original indices, ascending) and this note were chosen.
    Chosen {
        picks: Vec<usize>,
        /// The note, empty if none was typed.
        note: String,
    },
    /// Closed without a choice.
    Cancelled,
    /// The menu stays open. Says why the key did nothing.
    Refused(String),
}

#[derive(Debug)]
pub struct Menu {
    title: String,
    choices: Vec<Choice>,
    /// Visible choices, best match first, with the matched characters.
    shown: Vec<(usize, Vec<usize>)>,
    cursor: usize,
    marks: BTreeSet<usize>,
    several: bool,
    filter: Option<Input>,
    note: Option<Input>,
    in_note: bool,
    tags: Tags,
    /// The line whose level is shown; `None` for the first level.
    level: Option<usize>,
}

impl Menu {
    /// A menu with numbered lines.
    pub fn new(title: impl Into<String>, choices: Vec<Choice>) -> Menu {
        let shown = levels::lines(&choices, None);
        let marks = BTreeSet::new();
        let (title, cursor, several, in_note) = (title.into(), 0, false, false);
        let tags = Tags::default();
        Menu {
            title,
            choices,
            shown,
            cursor,
            marks,
            several,
            filter: None,
            note: None,
            in_note,
            tags,
            level: None,
        }
    }

    pub fn title(&self) -> &str {
        &self.title
    }

    pub fn choices(&self) -> &[Choice] {
        &self.choices
    }

    /// The line under the cursor.
    pub fn cursor(&self) -> usize {
        self.cursor
    }

    /// Puts the cursor on this line.
    pub fn at(mut self, line: usize) -> Menu {
        self.cursor = line;
        self
    }

    /// Marks these lines.
    pub fn marked(mut self, lines: impl IntoIterator<Item = usize>) -> Menu {
        self.marks.extend(lines);
        self
    }

    /// Allows several lines to be marked.
    pub fn several(mut self) -> Menu {
        self.several = true;
        self
    }

    /// Adds a line for a note at the end.
    pub fn with_note(mut self) -> Menu {
        self.note = Some(Input::default());
        self
    }

    /// Sets the note, while the cursor stays on the lines.
    pub fn keeping(mut self, note: &str) -> Menu {
        self.note = Some(Input::new(note.into()));
        self
    }

    /// The note typed so far.
    pub fn note(&self) -> &str {
        self.note.as_ref().map_or("", Input::value)
    }

    /// Lets tab complete `#tags` of the note from these, most recent first.
    pub fn with_tags(mut self, known: Vec<String>) -> Menu {
        self.tags = Tags::new(known);
        self
    }

    /// Makes typing filter the lines, instead of picking by number.
    pub fn filtering(mut self) -> Menu {
        self.filter = Some(Input::default());
        self
    }

    /// Whether keys are text, so that only the overlay's own actions may be looked up first.
    pub fn typing(&self) -> bool {
        self.in_note || self.filter.is_some()
    }

    /// Handles a key: overlay keys, digits that pick a line, and typed text.
    pub fn key(&mut self, key: KeyEvent) -> MenuOutcome {
        if key.kind == KeyEventKind::Release {
            return MenuOutcome::Open;
        }
        match key.code {
            KeyCode::Esc => return self.act(Action::MenuCancel),
            KeyCode::Enter => return self.act(Action::MenuConfirm),
            KeyCode::Up => return self.act(Action::MenuUp),
            KeyCode::Down => return self.act(Action::MenuDown),
            KeyCode::Tab => return self.act(Action::MenuMark),
            KeyCode::Left | KeyCode::Backspace if self.level.is_some() && !self.typing() => {
                self.leave_level();
                return MenuOutcome::Open;
            }
            _ => {}
        }
        if self.in_note {
            if let Some(note) = &mut self.note {
                text_input::edit(note, key);
            }
            return MenuOutcome::Open;
        }
        if let Some(filter) = &mut self.filter {
            if text_input::edit(filter, key) {
                self.narrow();
            }
            return MenuOutcome::Open;
        }
        let KeyCode::Char(c) = key.code else {
            return MenuOutcome::Open;
        };
        match c.to_digit(10).and_then(|d| usize::try_from(d).ok()) {
            Some(d) if (1..=self.shown.len().min(9)).contains(&d) => {
                self.cursor = d - 1;
                self.take(true)
            }
            _ => MenuOutcome::Refused(
                "choose a line by its number, or with the arrows and enter".into(),
            ),
        }
    }

    /// Inserts pasted text into the line being typed.
    pub fn paste(&mut self, pasted: &str) {
        match (&mut self.filter, &mut self.note) {
            (_, Some(note)) if self.in_note => text_input::paste(note, pasted),
            (Some(filter), _) => {
                text_input::paste(filter, pasted);
                self.narrow();
            }
            _ => {}
        }
    }

    /// Runs an overlay action.
    pub fn act(&mut self, action: Action) -> MenuOutcome {
        match action {
            Action::MenuDown if self.in_note => self.in_note = false,
            Action::MenuDown if self.cursor + 1 < self.shown.len() => self.cursor += 1,
            Action::MenuDown if self.note.is_some() => self.in_note = true,
            Action::MenuDown => self.cursor = 0,
            Action::MenuUp if self.in_note => self.in_note = false,
            Action::MenuUp if self.cursor > 0 => self.cursor -= 1,
            Action::MenuUp if self.note.is_some() => self.in_note = true,
            Action::MenuUp => self.cursor = self.shown.len().saturating_sub(1),
            Action::MenuMark if self.in_note => {
                let Some(note) = &mut self.note else {
                    return MenuOutcome::Open;
                };
                return self
                    .tags
                    .complete(note)
                    .map_or_else(MenuOutcome::Refused, |()| MenuOutcome::Open);
            }
            Action::MenuMark if !self.several => {
                return MenuOutcome::Refused("only one line can be chosen here".into());
            }
            Action::MenuMark => {
                if let Some((index, _)) = self.shown.get(self.cursor) {
                    if self.leads_down(*index) {
                        self.enter_level(*index);
                        return MenuOutcome::Open;
                    }
                    if !self.marks.remove(index) {
                        self.marks.insert(*index);
                    }
                    self.cursor = (self.cursor + 1).min(self.shown.len().saturating_sub(1));
                }
            }
            Action::MenuConfirm => return self.take(false),
            Action::MenuCancel if self.level.is_some() && !self.in_note => self.leave_level(),
            Action::MenuCancel => return MenuOutcome::Cancelled,
            _ => {}
        }
        MenuOutcome::Open
    }

    /// Chooses the marked lines. Includes the line under the cursor if `here` (its number was
    /// pressed), or if nothing is marked and the cursor is on a line. From the note, only marked
    /// lines are chosen: typing a note chooses no line.
    fn take(&mut self, here: bool) -> MenuOutcome {
        let on_lines = here || !self.in_note;
        // A line that asked for the note stays chosen until another one is.
        let mut picks = if self.several || !on_lines {
            self.marks.clone()
        } else {
            BTreeSet::new()
        };
        if here || (on_lines && picks.is_empty()) {
            let Some((index, _)) = self.shown.get(self.cursor) else {
                return MenuOutcome::Refused("no matching line".into());
            };
            if self.leads_down(*index) {
                self.enter_level(*index);
                return MenuOutcome::Open;
            }
            picks.insert(*index);
        }
        if picks.is_empty() && (!self.several || self.note().trim().is_empty()) {
            self.in_note = false;
            return MenuOutcome::Refused(
                "choose a line by its number, or with the arrows and enter".into(),
            );
        }
        let note = self
            .note
            .as_ref()
            .map(|n| n.value().trim().to_string())
            .unwrap_or_default();
        let wants = picks
            .iter()
            .any(|i| self.choices.get(*i).is_some_and(|c| c.wants_note));
        if wants && note.is_empty() && self.note.is_some() {
            let again = self.in_note;
            self.marks = picks;
            self.in_note = true;
            return if again {
                MenuOutcome::Refused("this choice needs a note".into())
            } else {
                MenuOutcome::Open
            };
        }
        MenuOutcome::Chosen {
            picks: picks.into_iter().collect(),
            note,
        }
    }

    fn narrow(&mut self) {
        let pattern = self
            .filter
            .as_ref()
            .map(|f| f.value().trim().to_string())
            .unwrap_or_default();
        self.cursor = 0;
        if pattern.is_empty() {
            self.shown = (0..self.choices.len()).map(|i| (i, vec![])).collect();
            return;
        }
        let matcher = SkimMatcherV2::default();
        let lower = pattern.to_lowercase();
        // Aliases are not shown, so they match as a whole or in part, never by scattered letters.
        let alias_score = |alias: &&str| match alias.to_lowercase() {
            alias if alias == lower => Some(i64::MAX),
            alias if alias.contains(&lower) => matcher.fuzzy_match(&alias, &lower),
            _ => None,
        };
        // A matching label or alias comes before any matching help text.
        let hit = |(i, c): (usize, &Choice)| {
            let label = matcher.fuzzy_indices(&c.label, &pattern);
            let alias = c.aliases.iter().filter_map(alias_score).max();
            let score = alias.max(label.as_ref().map(|(score, _)| *score));
            let line = format!("{} {}", c.label, c.help).to_lowercase();
            let found = score.is_some() || lower.split_whitespace().all(|word| line.contains(word));
            found.then(|| (score, i, label.map(|(_, at)| at).unwrap_or_default()))
        };
        let mut hits: Vec<_> = self.choices.iter().enumerate().filter_map(hit).collect();
        sort_by(&mut hits, |a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
        self.shown = hits.into_iter().map(|(_, i, at)| (i, at)).collect();
    }
}

#[cfg(test)]
mod tests;
