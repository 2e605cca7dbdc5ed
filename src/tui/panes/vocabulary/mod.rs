//! The vocabulary pane: vocabularies, their terms with usage counts and findings, and a preview of
//! edited questions.

mod actions;
mod draw;
pub mod edits;
mod prompts;
mod rows;
mod rule_actions;
mod rules;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::metadata::actions::MetadataPane;
use super::metadata::edit_session::error_line;
use super::metadata::preview::Selection;
use super::metadata::{EditSession, Phase, SidePanel};
use crate::action::Action;
use crate::keymap::Keymap;
use crate::pane::{Context, Notice, Pane, Scene};
use crate::widgets::table::{Empty, LocalTable};
use benchtop_compose::metadata::{STYLE, file_of, styles, vocabulary_of};
use benchtop_model::usage::TermUse;
use benchtop_model::{Finding, Result};
use benchtop_protocol::wire::request;

use rows::{Entry, Known, Show, entries};

/// The part of the pane with the focus.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Area {
    #[default]
    Vocabularies,
    Terms,
    Side,
}

#[derive(Debug)]
pub struct VocabularyPane {
    area: Area,
    side: SidePanel,
    names: Vec<String>,
    at: usize,
    table: LocalTable,
    entries: Vec<Entry>,
    /// The version of the edit session that the rows were built from.
    made: Option<u64>,
    show: Show,
    search: String,
    /// The term just written. It stays visible even if the search or filter excludes it.
    written: Option<String>,
    usage: BTreeMap<String, Result<Vec<TermUse>>>,
}

impl Default for VocabularyPane {
    fn default() -> Self {
        VocabularyPane {
            area: Area::default(),
            side: SidePanel::default(),
            names: Vec::new(),
            at: 0,
            table: LocalTable::new(rows::columns(), Vec::new(), 1, Empty::Loading),
            entries: Vec::new(),
            made: None,
            show: Show::All,
            search: String::new(),
            written: None,
            usage: BTreeMap::new(),
        }
    }
}

impl VocabularyPane {
    /// The vocabulary under the cursor, or `style` for the styles.
    pub fn current(&self) -> Option<&str> {
        self.names.get(self.at).map(String::as_str)
    }

    fn file(&self) -> String {
        self.current().map_or(String::new(), file_of)
    }

    /// Requests term usage again after items or verdicts changed.
    fn recount(&mut self, cx: &mut Context<'_>) {
        self.usage.clear();
        self.made = None;
        self.ask_usage(cx);
    }

    fn on_usage(&mut self, name: String, usage: Result<Vec<TermUse>>, cx: &mut Context<'_>) {
        if let Err(problem) = &usage {
            cx.refuse(format!("term usage: {}", error_line(problem)));
        }
        self.usage.insert(name, usage);
        self.made = None;
        if cx.env.is_shown {
            self.refresh(cx);
        }
    }

    /// Goes to a line of a vocabulary. Returns false if this pane does not have that file.
    fn jump(&mut self, file: &str, line: u32, cx: &mut Context<'_>) -> bool {
        self.sync(cx.metadata);
        let name = vocabulary_of(file).or((file == styles::FILE).then_some(STYLE));
        let Some(at) = name.and_then(|name| self.names.iter().position(|n| n == name)) else {
            return false;
        };
        self.at = at;
        (self.show, self.search, self.area) = (Show::All, String::new(), Area::Terms);
        self.made = None;
        self.sync(cx.metadata);
        if !self.go_to_line(line) {
            self.table
                .go_to_id((self.entries.len() as u64).saturating_sub(1));
        }
        self.follow_cursor(cx);
        true
    }

    fn go_to_line(&mut self, line: u32) -> bool {
        let at = self.entries.iter().position(|e| e.line >= line);
        at.is_some_and(|at| self.table.go_to_id(at as u64))
    }

    /// Points the preview and the usage counts at the vocabulary under the cursor.
    fn follow_cursor(&mut self, cx: &mut Context<'_>) {
        if let Some(name) = self.current() {
            cx.metadata.select(Selection::Vocabulary(name.into()));
            self.ask_usage(cx);
        }
    }

    fn ask_usage(&self, cx: &mut Context<'_>) {
        let unknown = self
            .current()
            .filter(|name| !self.usage.contains_key(*name));
        if let Some(name) = unknown.map(String::from) {
            let ask = request::Terms(name.clone());
            cx.ask(ask, |pane: &mut Self, usage, cx| {
                pane.on_usage(name, usage, cx)
            });
        }
    }

    /// Rebuilds the rows if something changed.
    fn sync(&mut self, edit_session: &EditSession) {
        if self.made == Some(edit_session.version()) {
            return;
        }
        self.made = Some(edit_session.version());
        let session = edit_session.session();
        let current = self.current().map(String::from);
        self.names = session.edited().vocabularies().keys().cloned().collect();
        if session.text(styles::FILE).is_some() {
            self.names.push(STYLE.into());
        }
        let same = current.and_then(|c| self.names.iter().position(|n| *n == c));
        self.at = same.unwrap_or(self.at);
        // Keys pressed while the metadata loads count. The position is limited once the list is
        // here.
        if *edit_session.phase() == Phase::Ready {
            self.at = self.at.min(self.names.len().saturating_sub(1));
        }
        let Some(name) = self.current().map(String::from) else {
            self.table.set_rows(Vec::new(), self.empty(edit_session));
            self.entries.clear();
            return;
        };
        let selected: BTreeSet<String> = self
            .marked()
            .iter()
            .map(|i| self.entries[*i].text.clone())
            .collect();
        let file = file_of(&name);
        let mut found: HashMap<u32, Vec<&Finding>> = HashMap::new();
        for finding in edit_session.found_in(&file).filter(|f| f.line > 0) {
            found.entry(finding.line).or_default().push(finding);
        }
        let base = entries(session.base(), &name);
        let usage = self.usage.get(&name).and_then(|u| u.as_ref().ok());
        let known = Known {
            base: base.iter().map(|e| (e.text.as_str(), e.disabled)).collect(),
            found,
            rules: session
                .edited()
                .rules()
                .map(|r| (name.as_str(), r.as_ref())),
            usage: usage.map(|u| u.iter().map(|t| (t.term.as_str(), t)).collect()),
        };
        let search = self.search.to_lowercase();
        let all = entries(session.edited(), &name);
        let written = |e: &Entry| self.written.as_ref().is_some_and(|w| *w == e.text);
        let visible = all
            .into_iter()
            .filter(|e| written(e) || known.passes(e, self.show, &search));
        let visible: Vec<Entry> = visible.collect();
        let rows = visible.iter().map(|e| known.row(e)).collect();
        let marks: Vec<u64> = (0..visible.len())
            .filter(|i| selected.contains(&visible[*i].text))
            .map(|i| i as u64)
            .collect();
        self.entries = visible;
        let empty = self.empty(edit_session);
        self.table.set_rows(rows, empty);
        self.table.mark(marks);
    }

    fn empty(&self, edit_session: &EditSession) -> Empty {
        match edit_session.phase() {
            Phase::Loading => Empty::Loading,
            Phase::Failed(why) => Empty::Failed(why.clone()),
            Phase::Ready if self.show != Show::All || !self.search.is_empty() => {
                Empty::Filtered("esc shows all terms".into())
            }
            Phase::Ready if self.names.is_empty() => {
                Empty::Nothing("put word lists into metadata/vocabularies/".into())
            }
            Phase::Ready => Empty::Nothing("a adds a term".into()),
        }
    }

    /// Selected rows as positions in `entries`.
    fn marked(&self) -> Vec<usize> {
        let ids = self.table.state().selected().iter();
        ids.filter_map(|i| usize::try_from(*i).ok())
            .filter(|i| *i < self.entries.len())
            .collect()
    }

    fn entry(&self) -> Option<&Entry> {
        self.entries
            .get(usize::try_from(self.table.cursor_id()?).ok()?)
    }

    /// The selected terms, or the one under the cursor, as positions in the file.
    fn chosen_terms(&self) -> BTreeSet<usize> {
        let marked = self.marked();
        if marked.is_empty() {
            return self.entry().map(|e| e.at).into_iter().collect();
        }
        marked.into_iter().map(|i| self.entries[i].at).collect()
    }
}

impl MetadataPane for VocabularyPane {
    fn refresh(&mut self, cx: &mut Context<'_>) {
        self.sync(cx.metadata);
        self.follow_cursor(cx);
    }
}

impl Pane for VocabularyPane {
    fn help(&self, keys: &Keymap) -> String {
        format!(
            "Vocabularies and their terms. The preview composes twenty questions from a fixed seed \
             and marks the changed words. {} saves after a preview of the affected items.",
            keys.press(Action::SaveMetadata)
        )
    }

    /// Loads the metadata the first time, then points the preview at this vocabulary.
    fn open(&mut self, cx: &mut Context<'_>) {
        if !cx.metadata.is_ready() {
            return cx.read_metadata();
        }
        match cx.metadata.take_goal() {
            Some(goal) => drop(self.jump(&goal.file, goal.line, cx)),
            None => self.refresh(cx),
        }
    }

    fn act(&mut self, action: Action, cx: &mut Context<'_>) {
        self.run(action, cx);
    }

    fn has_undo(&self) -> bool {
        true
    }

    fn on_notice(&mut self, notice: Notice<'_>, cx: &mut Context<'_>) {
        match notice {
            Notice::Metadata if cx.env.is_shown => self.refresh(cx),
            Notice::Recount if cx.env.is_shown => self.recount(cx),
            _ => {}
        }
    }

    fn edits_metadata(&self) -> bool {
        true
    }

    fn is_empty(&self, scene: &Scene<'_>) -> bool {
        let session = scene.metadata.session();
        scene.metadata.is_ready()
            && session.edited().vocabularies().is_empty()
            && session.text(styles::FILE).is_none()
    }

    fn draw(&mut self, area: Rect, buf: &mut Buffer, scene: &Scene<'_>) -> Option<Position> {
        self.paint(scene.metadata, area, buf, scene.look);
        None
    }
}

#[cfg(test)]
mod tests;
