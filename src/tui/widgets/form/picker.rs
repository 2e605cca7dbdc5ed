//! A field that picks a file or folder from a list of a folder.
//!
//! The list has folders first and no hidden files, unless what is typed begins with a dot. Typing
//! narrows it, left goes up, and right goes into a folder. The picker does no I/O: who holds the form
//! lists the folder that it [`wants`](Picker::wants).

use std::ffi::{OsStr, OsString};
use std::path::{Component, Path, PathBuf};

use crossterm::event::{KeyCode, KeyEvent};
use tui_input::Input;

use super::shell;
use crate::widgets::{text, text_input};
use benchtop_model::Result;

/// What an entry of a folder is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum EntryKind {
    Folder,
    File,
    /// A link, which is not followed.
    Link,
    /// A pipe, a device, and the like.
    Other,
}

/// An entry of a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub kind: EntryKind,
    pub name: OsString,
}

impl Entry {
    fn is_hidden(&self) -> bool {
        self.name.as_encoded_bytes().starts_with(b".")
    }

    /// The name on the screen, with a mark of its kind.
    pub fn label(&self) -> String {
        let name = text::clean(&self.name.to_string_lossy());
        match self.kind {
            EntryKind::Folder => name + "/",
            EntryKind::File => name,
            EntryKind::Link => name + " (a link, not followed)",
            EntryKind::Other => name + " (not a file)",
        }
    }
}

/// The entries of a folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    pub entries: Vec<Entry>,
    /// Whether there are more than were listed.
    pub more: bool,
}

/// Where the picker is.
#[derive(Clone, Debug)]
pub struct Picker {
    folder: PathBuf,
    /// `None` until the folder is listed.
    listing: Option<Result<Listing>>,
    /// What is typed to narrow the list.
    typed: Input,
    /// The position among the entries that are shown.
    at: usize,
    /// The entry to go to once the folder is listed.
    goes_to: Option<OsString>,
    /// The path under the cursor, as text.
    path: String,
}

impl Picker {
    /// A picker that starts in this folder.
    pub fn new(folder: PathBuf) -> Picker {
        let path = folder.to_string_lossy().into_owned();
        Picker {
            folder,
            listing: None,
            typed: Input::default(),
            at: 0,
            goes_to: None,
            path,
        }
    }

    /// The folder that is to be listed.
    pub fn wants(&self) -> Option<&Path> {
        self.listing.is_none().then_some(&*self.folder)
    }

    /// Receives the entries of a folder. Returns whether the path under the cursor changed.
    pub fn on_listed(&mut self, folder: &Path, mut listed: Result<Listing>) -> bool {
        if folder != self.folder {
            return false;
        }
        if let Ok(listing) = &mut listed {
            let order = |entry: &Entry| {
                let rank = usize::from(entry.kind != EntryKind::Folder);
                (
                    rank,
                    entry.name.to_string_lossy().to_lowercase(),
                    entry.name.clone(),
                )
            };
            listing.entries.sort_by_cached_key(order);
        }
        self.listing = Some(listed);
        let wanted = self.goes_to.take();
        let at = wanted.and_then(|name| self.shown().position(|entry| entry.name == name));
        self.go(at.unwrap_or(0))
    }

    /// Why the folder cannot be listed.
    pub fn problem(&self) -> Option<String> {
        let listed = self.listing.as_ref()?.as_ref();
        listed.err().map(text::error_line)
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    pub fn typed(&self) -> &Input {
        &self.typed
    }

    pub fn at(&self) -> usize {
        self.at
    }

    /// Whether the list is there.
    pub fn is_listed(&self) -> bool {
        self.listing.is_some()
    }

    pub fn has_more(&self) -> bool {
        matches!(&self.listing, Some(Ok(listing)) if listing.more)
    }

    /// The entries that match what is typed.
    pub fn shown(&self) -> impl Iterator<Item = &Entry> {
        let typed = self.typed.value().to_lowercase();
        let all = match &self.listing {
            Some(Ok(listing)) => listing.entries.as_slice(),
            _ => &[],
        };
        all.iter().filter(move |entry| {
            let name = entry.name.to_string_lossy().to_lowercase();
            (typed.starts_with('.') || !entry.is_hidden()) && name.contains(&typed)
        })
    }

    fn current(&self) -> Option<&Entry> {
        self.shown().nth(self.at)
    }

    /// The path under the cursor, or the folder if no entry is.
    pub fn path(&self) -> PathBuf {
        match self.current() {
            Some(entry) => self.folder.join(&entry.name),
            None => self.folder.clone(),
        }
    }

    /// As [`path`](Self::path), as text.
    pub fn text(&self) -> &str {
        &self.path
    }

    /// Goes to a position. Returns whether the path under the cursor changed.
    fn go(&mut self, at: usize) -> bool {
        self.at = at.min(self.shown().count().saturating_sub(1));
        let path = self.path().to_string_lossy().into_owned();
        let is_other = path != self.path;
        self.path = path;
        is_other
    }

    /// Moves the cursor by some lines.
    pub fn step(&mut self, by: isize) -> bool {
        self.go(self.at.saturating_add_signed(by))
    }

    /// Wants the folder listed again. The cursor stays on its entry.
    pub fn refresh(&mut self) {
        self.goes_to = self
            .goes_to
            .take()
            .or(self.current().map(|entry| entry.name.clone()));
        self.listing = None;
    }

    /// Opens a folder, with the cursor on an entry of it.
    fn enter(&mut self, folder: PathBuf, goes_to: Option<&OsStr>) -> bool {
        self.goes_to = goes_to.map(OsStr::to_os_string);
        (self.folder, self.listing, self.typed) = (folder, None, Input::default());
        self.go(0);
        true
    }

    fn up(&mut self) -> bool {
        let folder = self.folder.clone();
        match folder.parent() {
            Some(parent) => self.enter(parent.to_path_buf(), folder.file_name()),
            None => false,
        }
    }

    /// Goes to a path as people write or drop it.
    pub fn jump(&mut self, typed: &str) -> bool {
        let typed = shell::path(typed);
        let is_folder = typed.as_os_str().as_encoded_bytes().ends_with(b"/");
        let path = without_parents(&shell::absolute(&self.folder, &typed));
        match (path.parent(), path.file_name()) {
            (Some(parent), Some(name)) if !is_folder => {
                self.enter(parent.to_path_buf(), Some(name))
            }
            _ => self.enter(path, None),
        }
    }

    /// Handles a key. Returns whether the path under the cursor changed.
    pub fn key(&mut self, key: KeyEvent) -> bool {
        match key.code {
            KeyCode::Up => self.step(-1),
            KeyCode::Down => self.step(1),
            KeyCode::PageUp => self.step(-10),
            KeyCode::PageDown => self.step(10),
            KeyCode::Home => self.go(0),
            KeyCode::End => self.go(usize::MAX),
            KeyCode::Left => self.up(),
            KeyCode::Backspace if self.typed.value().is_empty() => self.up(),
            KeyCode::Right => match self.current() {
                Some(entry) if entry.kind == EntryKind::Folder => {
                    let folder = self.folder.join(&entry.name);
                    self.enter(folder, None)
                }
                _ => false,
            },
            KeyCode::Char('/') => {
                let typed = format!("{}/", self.typed.value());
                self.jump(&typed)
            }
            _ => text_input::edit(&mut self.typed, key) && self.go(0),
        }
    }
}

/// A path without `..`: links are not followed, so the folder before it is left out.
fn without_parents(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(out.pop()),
            part => out.push(part),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use benchtop_model::Error;

    fn listed(picker: &mut Picker, entries: &[(EntryKind, &str)]) {
        let folder = picker.wants().unwrap().to_path_buf();
        let entry = |(kind, name): &(EntryKind, &str)| Entry {
            kind: *kind,
            name: name.into(),
        };
        let entries = entries.iter().map(entry).collect();
        let more = false;
        picker.on_listed(&folder, Ok(Listing { entries, more }));
    }

    fn press(picker: &mut Picker, code: KeyCode) -> bool {
        picker.key(KeyEvent::from(code))
    }

    fn names(picker: &Picker) -> Vec<String> {
        picker.shown().map(Entry::label).collect()
    }

    const ENTRIES: [(EntryKind, &str); 5] = [
        (EntryKind::File, "Zebra.json"),
        (EntryKind::File, ".hidden"),
        (EntryKind::Folder, "sets"),
        (EntryKind::Link, "alias"),
        (EntryKind::File, "kites\n.csv"),
    ];

    #[test]
    fn folders_come_first_and_typing_narrows() {
        let mut picker = Picker::new("/data".into());
        assert!(picker.wants().is_some() && names(&picker).is_empty());
        listed(&mut picker, &ENTRIES);
        assert_eq!(
            names(&picker),
            [
                "sets/",
                "alias (a link, not followed)",
                "kites .csv",
                "Zebra.json"
            ]
        );
        assert_eq!(picker.text(), "/data/sets");
        assert!(press(&mut picker, KeyCode::Char('e')) || picker.text() == "/data/sets");
        assert_eq!(names(&picker), ["sets/", "kites .csv", "Zebra.json"]);
        press(&mut picker, KeyCode::Char('B'));
        assert_eq!(
            (names(&picker).len(), picker.text()),
            (1, "/data/Zebra.json")
        );
        press(&mut picker, KeyCode::Char('x'));
        assert_eq!((names(&picker).len(), picker.text()), (0, "/data"));
        for _ in 0..3 {
            press(&mut picker, KeyCode::Backspace);
        }
        press(&mut picker, KeyCode::Char('.'));
        assert_eq!(names(&picker)[0], ".hidden");
    }

    #[test]
    fn left_and_right_walk_the_tree_and_come_back_to_the_same_entry() {
        let mut picker = Picker::new("/data".into());
        listed(&mut picker, &ENTRIES);
        press(&mut picker, KeyCode::Down);
        assert!(
            !press(&mut picker, KeyCode::Right),
            "a link is not followed"
        );
        press(&mut picker, KeyCode::Up);
        assert!(press(&mut picker, KeyCode::Right));
        assert_eq!(picker.wants(), Some(Path::new("/data/sets")));
        listed(&mut picker, &[]);
        assert_eq!(picker.text(), "/data/sets");
        assert!(press(&mut picker, KeyCode::Left));
        // A list of another folder comes too late.
        assert!(!picker.on_listed(Path::new("/data/sets"), Ok(Listing::default())));
        listed(&mut picker, &ENTRIES);
        assert_eq!((picker.text(), picker.at()), ("/data/sets", 0));
        press(&mut picker, KeyCode::Backspace);
        listed(
            &mut picker,
            &[(EntryKind::Folder, "bin"), (EntryKind::Folder, "data")],
        );
        assert_eq!(picker.text(), "/data");
        assert!(!press(&mut picker, KeyCode::Left), "there is nothing above");
    }

    #[test]
    fn a_path_is_jumped_to() {
        let mut picker = Picker::new("/data".into());
        picker.jump("'/other/my set.csv'\n");
        assert_eq!(picker.wants(), Some(Path::new("/other")));
        listed(
            &mut picker,
            &[(EntryKind::File, "a"), (EntryKind::File, "my set.csv")],
        );
        assert_eq!(picker.text(), "/other/my set.csv");
        picker.jump("'/other/sets/'");
        assert_eq!(picker.wants(), Some(Path::new("/other/sets")));
        picker.jump("/other/a");
        for c in "../x/".chars() {
            press(&mut picker, KeyCode::Char(c));
        }
        assert_eq!(picker.wants(), Some(Path::new("/x")));
        let problem = Error::input("no such folder");
        let folder = picker.folder().to_path_buf();
        picker.on_listed(&folder, Err(problem));
        assert_eq!(picker.problem().as_deref(), Some("no such folder"));
    }
}
