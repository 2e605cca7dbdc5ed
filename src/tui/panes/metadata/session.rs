//! The metadata files being edited: the text on disk, the text here, undo steps, and edits from
//! outside.

use std::collections::BTreeMap;

use crate::widgets::editor::Patch;
use benchtop_compose::metadata::{Metadata, STYLE, Vocabulary, file_of, styles};
use benchtop_model::usage::{FileState, MetadataState, Save};
use benchtop_model::{Error, Finding, MetaFile, Result};

#[derive(Clone, Debug, Default)]
struct Entry {
    /// The version that the edit began from. `None` if the file was not on disk.
    disk: Option<FileState>,
    /// The version on disk now if it differs from `disk`. `Some(None)` if the file was removed.
    theirs: Option<Option<FileState>>,
}

/// One undo step: changes of one or more files.
#[derive(Clone, Debug)]
struct Step(Vec<(String, Patch)>);

#[derive(Clone, Debug, Default)]
pub struct Session {
    entries: BTreeMap<String, Entry>,
    base: Metadata,
    edited: Metadata,
    done: Vec<Step>,
    undone: Vec<Step>,
    unreadable: Vec<Finding>,
    shipped: bool,
}

fn text_of(state: Option<&FileState>) -> Option<&str> {
    state.map(|s| s.text.as_str())
}

impl Session {
    /// The metadata as last loaded or saved.
    pub fn base(&self) -> &Metadata {
        &self.base
    }

    /// The metadata with the edits.
    pub fn edited(&self) -> &Metadata {
        &self.edited
    }

    pub fn unreadable(&self) -> &[Finding] {
        &self.unreadable
    }

    /// Whether the project has no metadata files of its own yet. The first save then writes all of
    /// them.
    pub fn shipped(&self) -> bool {
        self.shipped
    }

    /// The edited text of a file.
    pub fn text(&self, file: &str) -> Option<&str> {
        self.edited.text(file)
    }

    /// Whether a file has unsaved edits.
    pub fn is_changed(&self, file: &str) -> bool {
        self.text(file) != self.base.text(file)
    }

    /// Files with unsaved edits.
    pub fn changed(&self) -> Vec<&str> {
        let names: std::collections::BTreeSet<&str> =
            self.base.files().chain(self.edited.files()).collect();
        names.into_iter().filter(|n| self.is_changed(n)).collect()
    }

    /// Files that were edited both here and elsewhere.
    pub fn conflicts(&self) -> Vec<&str> {
        self.entries
            .iter()
            .filter(|(_, e)| e.theirs.is_some())
            .map(|(n, _)| n.as_str())
            .collect()
    }

    /// The text on disk of a file in conflict. `None` if it was removed there.
    pub fn theirs(&self, file: &str) -> Option<&str> {
        text_of(self.entries.get(file)?.theirs.as_ref()?.as_ref())
    }

    /// Receives the files on disk. Files without edits follow the disk. Edits stay, and a file that
    /// changed on both sides is a conflict. Returns the files that changed on disk.
    pub fn take(&mut self, state: MetadataState) -> Vec<String> {
        self.unreadable = state.unreadable;
        self.shipped = state.shipped;
        let mut now: BTreeMap<String, FileState> = state
            .files
            .into_iter()
            .map(|f| (f.name.clone(), f))
            .collect();
        // An unreadable file still exists: keep its last known text.
        let unread = |name: &str| self.unreadable.iter().any(|f| f.file == name);
        let gone = self
            .entries
            .keys()
            .filter(|n| !now.contains_key(*n) && !unread(n))
            .cloned()
            .collect::<Vec<_>>();
        let mut changed = Vec::new();
        for name in gone {
            if self.follow(&name, None) {
                changed.push(name);
            }
        }
        while let Some((name, file)) = now.pop_first() {
            if self.follow(&name, Some(file)) {
                changed.push(name);
            }
        }
        changed
    }

    fn follow(&mut self, name: &str, disk: Option<FileState>) -> bool {
        let entry = self.entries.entry(name.to_string()).or_default();
        let same_text = text_of(entry.disk.as_ref()) == text_of(disk.as_ref());
        if same_text {
            entry.theirs = None;
            entry.disk = disk;
            return false;
        }
        let mine = self.edited.text(name);
        let saved = mine == text_of(disk.as_ref());
        if mine != self.base.text(name) && !saved {
            entry.theirs = Some(disk);
            return true;
        }
        if !saved {
            // The steps of this file started from a text that no longer exists.
            for steps in [&mut self.done, &mut self.undone] {
                steps
                    .iter_mut()
                    .for_each(|s| s.0.retain(|(n, _)| n != name));
                steps.retain(|s| !s.0.is_empty());
            }
            put(&mut self.edited, name, text_of(disk.as_ref()));
        }
        put(&mut self.base, name, text_of(disk.as_ref()));
        (entry.disk, entry.theirs) = (disk, None);
        !saved
    }

    /// Replaces texts in one undo step. With `typed`, a keystroke joins the word before it.
    pub fn set(&mut self, texts: Vec<(String, String)>, typed: bool) {
        let mut step = Step(Vec::new());
        for (name, new) in texts {
            let old = self.text(&name).unwrap_or_default();
            if let Some(patch) = Patch::between(old, &new) {
                self.edited.insert(MetaFile {
                    name: name.clone(),
                    text: new,
                });
                step.0.push((name, patch));
            }
        }
        if step.0.is_empty() {
            return;
        }
        self.undone.clear();
        if let (true, [(name, patch)], Some(Step(last))) =
            (typed, &step.0[..], self.done.last_mut())
            && let [(last_name, last)] = &mut last[..]
            && last_name == name
            && last.join(patch)
        {
            return;
        }
        self.done.push(step);
    }

    /// Edits vocabularies in one undo step. If `edit` fails, nothing changes.
    pub fn edit(
        &mut self,
        names: &[&str],
        edit: impl FnOnce(&mut [Vocabulary]) -> Result<()>,
    ) -> Result<()> {
        let mut all = Vec::new();
        for name in names {
            let vocabulary = self.edited.vocabularies().get(*name);
            let none = || Error::input(format!("no vocabulary `{name}`"));
            all.push(vocabulary.ok_or_else(none)?.as_ref().clone());
        }
        edit(&mut all)?;
        self.set(
            names
                .iter()
                .zip(&all)
                .map(|(n, v)| (file_of(n), v.text()))
                .collect(),
            false,
        );
        Ok(())
    }

    /// Disables or enables terms (styles too) in one undo step. Returns how many changed. Fails if
    /// a vocabulary or style does not exist.
    pub fn set_disabled(&mut self, terms: &[(String, String)], disabled: bool) -> Result<usize> {
        let mut vocabularies: BTreeMap<&str, Vocabulary> = BTreeMap::new();
        let mut style_text = self.text(styles::FILE).unwrap_or_default().to_string();
        let mut changed = 0;
        for (name, term) in terms {
            if name == STYLE {
                if let Some(text) = set_style(&style_text, term, disabled)? {
                    (style_text, changed) = (text, changed + 1);
                }
                continue;
            }
            if !vocabularies.contains_key(name.as_str()) {
                let found = self.edited.vocabularies().get(name);
                let none = || Error::input(format!("no vocabulary `{name}`"));
                vocabularies.insert(name, found.ok_or_else(none)?.as_ref().clone());
            }
            if let Some(vocabulary) = vocabularies.get_mut(name.as_str())
                && let Some(at) = vocabulary
                    .terms()
                    .iter()
                    .position(|t| t.text == *term && t.disabled != disabled)
            {
                vocabulary.set_disabled(at, disabled)?;
                changed += 1;
            }
        }
        let mut texts: Vec<_> = vocabularies
            .iter()
            .map(|(n, v)| (file_of(n), v.text()))
            .collect();
        if self.text(styles::FILE).is_some() {
            texts.push((styles::FILE.to_string(), style_text));
        }
        self.set(texts, false);
        Ok(changed)
    }

    /// Undoes the last step. Returns the changed files with byte offsets, or `None` if there is no
    /// step.
    pub fn undo(&mut self) -> Option<Vec<(String, usize)>> {
        let step = self.done.pop()?;
        let places = self.play(step.0.iter().rev().map(|(n, p)| (n.as_str(), p.inverse())));
        self.undone.push(step);
        Some(places)
    }

    /// Redoes the last undone step.
    pub fn redo(&mut self) -> Option<Vec<(String, usize)>> {
        let step = self.undone.pop()?;
        let places = self.play(step.0.iter().map(|(n, p)| (n.as_str(), p.clone())));
        self.done.push(step);
        Some(places)
    }

    /// Drops the steps that could be redone.
    pub fn forget_undone(&mut self) {
        self.undone.clear();
    }

    fn play<'s>(
        &mut self,
        patches: impl Iterator<Item = (&'s str, Patch)>,
    ) -> Vec<(String, usize)> {
        let mut places = Vec::new();
        for (name, patch) in patches {
            let mut text = self.text(name).unwrap_or_default().to_string();
            if patch.apply(&mut text) {
                // Undoing the creation of a file removes it.
                let made = text.is_empty() && self.base.text(name).is_none();
                put(&mut self.edited, name, (!made).then_some(&text));
                places.push((name.to_string(), patch.at + patch.inserted.len()));
            }
        }
        places
    }

    /// Restores the text on disk as an undo step. Returns whether it differed.
    pub fn revert(&mut self, file: &str) -> bool {
        let changed = self.is_changed(file);
        let text = self.base.text(file).unwrap_or_default().to_string();
        self.set(vec![(file.to_string(), text)], false);
        changed
    }

    /// Resolves a conflict: the text here will replace the one on disk.
    pub fn keep_mine(&mut self, file: &str) {
        let Some(entry) = self.entries.get_mut(file) else {
            return;
        };
        if let Some(theirs) = entry.theirs.take() {
            put(&mut self.base, file, text_of(theirs.as_ref()));
            entry.disk = theirs;
        }
    }

    /// Resolves a conflict: the text on disk replaces the one here. Undo restores it.
    pub fn take_theirs(&mut self, file: &str) {
        self.keep_mine(file);
        match self.base.text(file).map(String::from) {
            Some(text) => self.set(vec![(file.to_string(), text)], false),
            None => put(&mut self.edited, file, None),
        }
    }

    /// The files to save, each with the revision that its edit began from. All files if the project
    /// has none of its own yet.
    pub fn saves(&self) -> Vec<Save> {
        let revision = |name: &str| {
            self.entries
                .get(name)
                .and_then(|e| e.disk.as_ref())
                .map(|d| d.revision.clone())
        };
        let save = |name: &str| Save {
            name: name.to_string(),
            base: if self.shipped { None } else { revision(name) },
            text: self.text(name).map(String::from),
        };
        if self.shipped && !self.changed().is_empty() {
            return self.edited.files().map(save).collect();
        }
        self.changed().into_iter().map(save).collect()
    }
}

fn put(metadata: &mut Metadata, name: &str, text: Option<&str>) {
    match text {
        Some(text) => metadata.insert(MetaFile {
            name: name.into(),
            text: text.into(),
        }),
        None => metadata.remove(name),
    }
}

/// `styles.toml` with a style disabled or enabled. `None` if it already is.
fn set_style(text: &str, name: &str, disabled: bool) -> Result<Option<String>> {
    let all = styles::parse(text).0;
    let style = all.iter().find(|s| s.name == name);
    let style =
        style.ok_or_else(|| Error::input(format!("no style `{name}`")).file(styles::FILE))?;
    if style.disabled == disabled {
        return Ok(None);
    }
    let mut lines: Vec<&str> = text.split('\n').collect();
    let at = style.line as usize;
    if disabled {
        lines.insert(at.min(lines.len()), "disabled = true");
    } else {
        // The table ends where the next one begins.
        let end = lines
            .iter()
            .skip(at)
            .position(|l| l.trim_start().starts_with('['))
            .map_or(lines.len(), |n| at + n);
        let start = lines[..at]
            .iter()
            .rposition(|l| l.trim_start().starts_with("[["))
            .unwrap_or(0);
        let key = |l: &&str| {
            l.split_once('=')
                .is_some_and(|(k, _)| k.trim() == "disabled")
        };
        if let Some(line) = lines[start..end].iter().position(key) {
            lines.remove(start + line);
        }
    }
    let new = lines.join("\n");
    let done = styles::parse(&new)
        .0
        .iter()
        .any(|s| s.name == name && s.disabled == disabled);
    let cannot = || {
        Error::input(format!(
            "cannot switch `{name}`: edit its `disabled` by hand"
        ))
        .file(styles::FILE)
        .line(u64::from(style.line))
    };
    if done { Ok(Some(new)) } else { Err(cannot()) }
}

#[cfg(test)]
#[path = "session_tests.rs"]
pub(crate) mod tests;
