//! Taking in the pictures that records name: safely found, hashed, copied once.

use std::collections::HashMap;
use std::io::Write;
use std::path::{Component, Path, PathBuf};

use benchtop_files::project::Project;
use benchtop_files::{disk, regular};
use benchtop_formats::{Inline, picture};
use benchtop_model::image::FILE_LIMIT;
use benchtop_model::{Error, ImageRef, Result};

/// Pictures that cannot be shown, by name and reason, that a report lists.
const LISTED: usize = 200;

/// Pictures of one import.
pub struct Pictures {
    images: PathBuf,
    link: bool,
    /// Folders to look in for the file at hand, canonical.
    bases: Vec<PathBuf>,
    /// What became of each name below the bases of now.
    known: HashMap<String, Option<ImageRef>>,
    /// Copies made, to be taken back when the import fails.
    made: Vec<PathBuf>,
    taken: u64,
    missing: u64,
    /// Whether any was carried within a file.
    carried: bool,
    /// Pictures that cannot be shown, the first of them by name with the reason.
    unreadable: (u64, Vec<(String, String)>),
}

impl Drop for Pictures {
    fn drop(&mut self) {
        for path in &self.made {
            let _ = std::fs::remove_file(path);
            // Its folder goes with the last picture in it.
            let _ = path.parent().map(std::fs::remove_dir);
        }
    }
}

impl Pictures {
    /// Pictures go to `project`'s `images/`, or stay where they are with `link`.
    pub fn new(project: &Project, link: bool) -> Pictures {
        Pictures {
            images: project.images(),
            link,
            bases: Vec::new(),
            known: HashMap::new(),
            made: Vec::new(),
            taken: 0,
            missing: 0,
            carried: false,
            unreadable: (0, Vec::new()),
        }
    }

    /// The next records are those of `file`, found below `root`.
    ///
    /// # Errors
    /// The operating system's.
    pub fn from(&mut self, file: &Path, root: &Path) -> Result<()> {
        self.known.clear();
        self.bases.clear();
        for dir in [file.parent().unwrap_or(root), root] {
            let dir = dir
                .canonicalize()
                .map_err(|e| Error::io(&e, "cannot be opened", dir))?;
            if !self.bases.contains(&dir) {
                self.bases.push(dir);
            }
        }
        Ok(())
    }

    /// Finds the picture a record names and fills in where it is. One that is not there is counted, not refused.
    ///
    /// # Errors
    /// [`benchtop_model::ErrorKind::Input`] for a name that leads outside the folder of its file, and for a file above the limit. What cannot be
    /// shown is taken in and marked.
    pub fn find(&mut self, image: &mut ImageRef) -> Result<()> {
        if image.hash.is_some() && image.stored().is_some_and(|p| self.in_project(&p)) {
            return Ok(());
        }
        let found = match self.known.get(&image.name) {
            Some(found) => found.clone(),
            None => {
                let found = self.look(&image.name)?;
                self.known.insert(image.name.clone(), found.clone());
                match &found {
                    Some(_) => self.taken += 1,
                    None => self.missing += 1,
                }
                found
            }
        };
        *image = match found {
            Some(found) => ImageRef {
                draft: image.draft,
                ..found
            },
            None => ImageRef {
                name: std::mem::take(&mut image.name),
                draft: image.draft,
                ..ImageRef::default()
            },
        };
        Ok(())
    }

    /// Takes in a picture that a file carries within itself. It is copied with `link` too: there is nothing to refer to.
    ///
    /// # Errors
    /// [`benchtop_model::ErrorKind::Input`] for one that is no base64, and the operating system's.
    pub fn carried(&mut self, inline: &Inline) -> Result<()> {
        let bytes = inline.bytes()?;
        let hash = Some(blake3::hash(&bytes).to_hex().to_string());
        let ext = ending(Path::new(&inline.name));
        let known = self.known.contains_key(&inline.name);
        let unreadable = self.look_at(&inline.name, &bytes, known);
        let image = ImageRef {
            name: inline.name.clone(),
            hash,
            ext,
            unreadable,
            ..ImageRef::default()
        };
        if let Some(stored) = image.stored() {
            self.copy(&stored, &bytes)?;
        }
        self.carried = true;
        if self
            .known
            .insert(inline.name.clone(), Some(image))
            .is_none()
        {
            self.taken += 1;
        }
        Ok(())
    }

    fn in_project(&self, stored: &Path) -> bool {
        self.images
            .parent()
            .is_some_and(|root| root.join(stored).is_file())
    }

    fn look(&mut self, name: &str) -> Result<Option<ImageRef>> {
        let outside = |why: &str| {
            Error::input(format!("the picture `{name}` {why}"))
                .field("images")
                .help("pictures must lie in the folder of the file that names them")
        };
        let relative = Path::new(name);
        if relative.is_absolute() {
            return Err(outside("has an absolute path"));
        }
        if relative
            .components()
            .any(|c| matches!(c, Component::ParentDir | Component::Prefix(_)))
        {
            return Err(outside("leads out of its folder"));
        }
        for base in self.bases.clone() {
            let path = match base.join(relative).canonicalize() {
                Ok(path) => path,
                Err(e) if e.kind() == std::io::ErrorKind::NotFound => continue,
                Err(e) => {
                    return Err(Error::io(
                        &e,
                        "the picture cannot be opened",
                        &base.join(relative),
                    ));
                }
            };
            if !self.bases.iter().any(|b| path.starts_with(b)) {
                return Err(outside("is a link that leads out of its folder"));
            }
            if path.is_file() {
                return self.take(name, &path).map(Some);
            }
        }
        Ok(None)
    }

    fn take(&mut self, name: &str, path: &Path) -> Result<ImageRef> {
        let named = |p: Error| {
            Error {
                what: format!("the picture `{name}`: {}", p.what),
                ..p
            }
            .field("images")
        };
        let bytes = regular::read(path, FILE_LIMIT).map_err(named)?;
        let hash = Some(blake3::hash(&bytes).to_hex().to_string());
        let ext = ending(path);
        let link = self.link.then(|| path.to_path_buf());
        let unreadable = self.look_at(name, &bytes, false);
        let image = ImageRef {
            name: name.to_string(),
            hash,
            ext,
            link,
            draft: false,
            unreadable,
        };
        if let Some(stored) = image.stored() {
            self.copy(&stored, &bytes)?;
        }
        Ok(image)
    }

    /// Why the screen will not be able to show a picture, where it will not; counted unless it was `known` before.
    fn look_at(&mut self, name: &str, bytes: &[u8], known: bool) -> Option<String> {
        let why = picture::check(bytes).err()?.what;
        if !known {
            self.unreadable.0 += 1;
            if self.unreadable.1.len() < LISTED {
                self.unreadable.1.push((name.to_string(), why.clone()));
            }
        }
        Some(why)
    }

    /// Pictures that were taken in and cannot be shown: how many, and the first of them by name with the reason.
    pub fn unreadable(&self) -> &(u64, Vec<(String, String)>) {
        &self.unreadable
    }

    /// Writes a content-addressed copy unless it is there. Its bytes are synced with all others at the end.
    fn copy(&mut self, stored: &Path, bytes: &[u8]) -> Result<()> {
        let Some(root) = self.images.parent() else {
            return Ok(());
        };
        let path = root.join(stored);
        if !path.exists() {
            self.made.push(path);
        }
        put(root, stored, bytes)
    }

    /// The import is part of the project: so are its pictures.
    pub fn keep(&mut self) {
        self.made.clear();
    }

    /// Pictures copied or linked.
    pub fn taken(&self) -> u64 {
        self.taken
    }

    /// Pictures named and not found.
    pub fn missing(&self) -> u64 {
        self.missing
    }

    /// What a person should know.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.missing > 0 {
            notes.push(format!(
                "{} pictures were not found; their items are shown without",
                self.missing
            ));
        }
        let n = self.unreadable.0;
        if n > 0 {
            notes.push(format!(
                "{n} pictures cannot be shown; `picture:broken` finds their items"
            ));
        }
        notes
    }

    /// Makes the copies durable, all at once: one sync a file would take minutes for a large set.
    ///
    /// # Errors
    /// The operating system's.
    pub fn sync(&self) -> Result<()> {
        if self.taken == 0 || (self.link && !self.carried) {
            Ok(())
        } else {
            sync(&self.images)
        }
    }
}

/// The ending of a picture's name, where it is one that a stored copy can have.
fn ending(path: &Path) -> Option<String> {
    let ext = path
        .extension()
        .and_then(|e| e.to_str())
        .map(str::to_ascii_lowercase);
    ext.filter(|e| e.len() <= 8 && e.chars().all(|c| c.is_ascii_alphanumeric()))
}

/// Makes everything below `images` durable with one call.
///
/// # Errors
/// The operating system's.
pub fn sync(images: &Path) -> Result<()> {
    let fail = |e: std::io::Error| Error::io(&e, "the pictures cannot be synced", images);
    let dir = std::fs::File::open(images).map_err(fail)?;
    rustix::fs::syncfs(&dir).map_err(|e| fail(e.into()))
}

/// Puts `bytes` at `stored` below the project's root, unless it is there.
///
/// # Errors
/// The operating system's.
pub fn put(root: &Path, stored: &Path, bytes: &[u8]) -> Result<()> {
    let path = root.join(stored);
    // By content: a copy that a power cut emptied has the right name and the wrong bytes.
    if regular::read(&path, FILE_LIMIT).is_ok_and(|there| there == bytes) {
        return Ok(());
    }
    let fail = |e: std::io::Error| Error::io(&e, "the picture cannot be copied", &path);
    let dir = path.parent().unwrap_or(root);
    if let Some(images) = dir.parent().filter(|images| images.starts_with(root)) {
        disk::ensure_dir(images)?;
    }
    disk::ensure_dir(dir)?;
    let mut temp = tempfile::Builder::new()
        .prefix(".tmp-")
        .tempfile_in(dir)
        .map_err(fail)?;
    temp.write_all(bytes).map_err(fail)?;
    temp.persist(&path).map_err(|e| fail(e.error))?;
    disk::sync_dir(dir)
}

/// The same, and durable when this returns: for one picture at a time.
///
/// # Errors
/// The operating system's; a full disk among them, and then no part of the file is there.
pub fn put_durably(root: &Path, stored: &Path, bytes: &[u8]) -> Result<()> {
    let path = root.join(stored);
    if regular::read(&path, FILE_LIMIT).is_ok_and(|there| there == bytes) {
        return Ok(());
    }
    let dir = path.parent().unwrap_or(root);
    if disk::ensure_dir(dir)? {
        disk::sync_dir(dir.parent().unwrap_or(root))?;
    }
    disk::write_atomic(&path, bytes)
}
