//! Metadata files as they are being edited: what is on disk, what is here, every step between them, and what somebody
//! else did to a file meanwhile.

use std::collections::BTreeMap;

use crate::widgets::editor::Patch;
use benchtop_compose::metadata::{Metadata, STYLE, Vocabulary, file_of, styles, vocabulary_of};
use benchtop_model::usage::{FileState, MetadataState, Save};
use benchtop_model::{Error, Finding, MetaFile, Result};

/// One file: as it is on disk, and what another hand made of it while it was being edited.
#[derive(Clone, Debug, Default)]
struct Entry {
    /// What the edit began from; `None` for a file that is not on disk.
    disk: Option<FileState>,
    /// What is on disk now, where that is not what the edit began from; `Some(None)` when it was removed.
    theirs: Option<Option<FileState>>,
}

/// One step that undo takes back: changes of files.
#[derive(Clone, Debug)]
struct Step(Vec<(String, Patch)>);

/// The metadata of a project while it is being edited.
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
    /// What was last read or saved.
    pub fn base(&self) -> &Metadata {
        &self.base
    }

    /// What is here now.
    pub fn edited(&self) -> &Metadata {
        &self.edited
    }

    /// Files that could not be read.
    pub fn unreadable(&self) -> &[Finding] {
        &self.unreadable
    }

    /// The project has no files of its own yet: the first save writes them all.
    pub fn shipped(&self) -> bool {
        self.shipped
    }

    /// The text of a file as it is here.
    pub fn text(&self, file: &str) -> Option<&str> {
        self.edited.text(file)
    }

    /// Whether a file differs from what is on disk.
    pub fn is_changed(&self, file: &str) -> bool {
        self.text(file) != self.base.text(file)
    }

    /// Files that differ from what is on disk.
    pub fn changed(&self) -> Vec<&str> {
        let names: std::collections::BTreeSet<&str> =
            self.base.files().chain(self.edited.files()).collect();
        names.into_iter().filter(|n| self.is_changed(n)).collect()
    }

    /// Files that were edited here and elsewhere.
    pub fn conflicts(&self) -> Vec<&str> {
        self.entries
            .iter()
            .filter(|(_, e)| e.theirs.is_some())
            .map(|(n, _)| n.as_str())
            .collect()
    }

    /// What is on disk now of a file in conflict; `None` when it was removed there.
    pub fn theirs(&self, file: &str) -> Option<&str> {
        text_of(self.entries.get(file)?.theirs.as_ref()?.as_ref())
    }

    /// Takes in what is on disk. Files that nobody edits here follow it; what is edited here stays, and a file that
    /// changed on both sides is a conflict. Gives the files that changed on disk.
    pub fn take(&mut self, state: MetadataState) -> Vec<String> {
        self.unreadable = state.unreadable;
        self.shipped = state.shipped;
        let mut now: BTreeMap<String, FileState> = state
            .files
            .into_iter()
            .map(|f| (f.name.clone(), f))
            .collect();
        // A file that cannot be read is still there: what is known of it stays.
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
            // Steps of this file began from a text that is not there any more.
            for steps in [&mut self.done, &mut self.undone] {
                steps
                    .iter_mut()
                    .for_each(|s| s.0.retain(|(n, _)| n != name));
                steps.retain(|s| !s.0.is_empty());
            }
            put(
                &mut self.edited,
                name,
                text_of(disk.as_ref()).map(String::from),
            );
        }
        put(
            &mut self.base,
            name,
            text_of(disk.as_ref()).map(String::from),
        );
        (entry.disk, entry.theirs) = (disk, None);
        !saved
    }

    /// Gives files other texts, as one step; `typed` joins a stroke to the word before it.
    pub fn set(&mut self, texts: Vec<(String, String)>, typed: bool) {
        let mut step = Step(Vec::new());
        for (name, new) in texts {
            let old = self.text(&name).unwrap_or_default();
            if let Some(patch) = Patch::between(old, &new) {
                self.edited.put(MetaFile {
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

    /// Edits vocabularies as one step: `edit` is called with each, and nothing happens where one refuses.
    ///
    /// # Errors
    /// What the edit said, with the file it said it of.
    pub fn edit(
        &mut self,
        names: &[&str],
        edit: impl FnOnce(&mut [Vocabulary]) -> Result<()>,
    ) -> Result<()> {
        let mut all = Vec::new();
        for name in names {
            let vocabulary = self.edited.vocabularies().get(*name);
            let none = || Error::input(format!("there is no vocabulary `{name}`"));
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

    /// Takes terms of vocabularies (styles too) out of the sampling, or back into it, as one step; how many changed.
    ///
    /// # Errors
    /// When there is no such vocabulary or style.
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
                let none = || Error::input(format!("there is no vocabulary `{name}`"));
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

    /// Takes the last step back; the files it changed and where, or `None` when there is none.
    pub fn undo(&mut self) -> Option<Vec<(String, usize)>> {
        let step = self.done.pop()?;
        let places = self.play(step.0.iter().rev().map(|(n, p)| (n.as_str(), p.inverse())));
        self.undone.push(step);
        Some(places)
    }

    /// Does again what was taken back.
    pub fn redo(&mut self) -> Option<Vec<(String, usize)>> {
        let step = self.undone.pop()?;
        let places = self.play(step.0.iter().map(|(n, p)| (n.as_str(), p.clone())));
        self.done.push(step);
        Some(places)
    }

    /// Forgets what was taken back: it cannot be done again.
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
                // A file that was made here and is taken back to nothing is none.
                let made = text.is_empty() && self.base.text(name).is_none();
                put(&mut self.edited, name, (!made).then_some(text));
                places.push((name.to_string(), patch.at + patch.inserted.len()));
            }
        }
        places
    }

    /// Gives a file the text it has on disk, as a step that undo takes back; whether it differed.
    pub fn revert(&mut self, file: &str) -> bool {
        let changed = self.is_changed(file);
        let text = self.base.text(file).unwrap_or_default().to_string();
        self.set(vec![(file.to_string(), text)], false);
        changed
    }

    /// Settles a conflict: what is here is to replace what is on disk.
    pub fn keep_mine(&mut self, file: &str) {
        let Some(entry) = self.entries.get_mut(file) else {
            return;
        };
        if let Some(theirs) = entry.theirs.take() {
            put(
                &mut self.base,
                file,
                text_of(theirs.as_ref()).map(String::from),
            );
            entry.disk = theirs;
        }
    }

    /// Settles a conflict: what is on disk replaces what is here; undo brings mine back.
    pub fn take_theirs(&mut self, file: &str) {
        self.keep_mine(file);
        match self.base.text(file).map(String::from) {
            Some(text) => self.set(vec![(file.to_string(), text)], false),
            None => put(&mut self.edited, file, None),
        }
    }

    /// What a save would write: each changed file with the revision that its edit began from. Where the project has no
    /// files of its own yet, all of them.
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

    /// Forgets every edit.
    pub fn discard(&mut self) {
        self.edited = self.base.clone();
        (self.done, self.undone) = (Vec::new(), Vec::new());
    }
}

fn put(metadata: &mut Metadata, name: &str, text: Option<String>) {
    match text {
        Some(text) => metadata.put(MetaFile {
            name: name.into(),
            text,
        }),
        None => metadata.take(name),
    }
}

/// `styles.toml` with a style disabled or enabled; `None` where it is so already.
fn set_style(text: &str, name: &str, disabled: bool) -> Result<Option<String>> {
    let all = styles::parse(text).0;
    let style = all.iter().find(|s| s.name == name);
    let style = style
        .ok_or_else(|| Error::input(format!("there is no style `{name}`")).file(styles::FILE))?;
    if style.disabled == disabled {
        return Ok(None);
    }
    let mut lines: Vec<&str> = text.split('\n').collect();
    let at = style.line as usize;
    if disabled {
        lines.insert(at.min(lines.len()), "disabled = true");
    } else {
        // Its table ends where the next one begins.
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
            "`{name}` cannot be switched here: edit its `disabled` by hand"
        ))
        .file(styles::FILE)
        .line(u64::from(style.line))
    };
    if done { Ok(Some(new)) } else { Err(cannot()) }
}

/// Whether a file holds terms that the vocabulary pane can edit.
pub fn is_vocabulary(file: &str) -> bool {
    vocabulary_of(file).is_some()
}

#[cfg(test)]
#[path = "session_tests.rs"]
pub(crate) mod tests;
