//! Imports the pictures that records name: located safely, hashed, and copied once.

use std::collections::HashMap;
use std::io::Write;
use std::path::{Component, Path, PathBuf};

use benchtop_files::project::Project;
use benchtop_files::{disk, regular};
use benchtop_formats::Inline;
use benchtop_model::image::FILE_LIMIT;
use benchtop_model::{Error, ImageRef, Result};
use benchtop_raster::decode;

/// Maximum number of pictures that cannot be shown, listed in a report.
const LISTED: usize = 200;

/// The pictures of one import.
pub struct Pictures {
    images: PathBuf,
    link: bool,
    /// Canonical folders to search for the current file.
    bases: Vec<PathBuf>,
    /// Results of names below the current folders. Boxed, because a data set can name hundreds of
    /// thousands of pictures that are missing.
    known: HashMap<String, Option<Box<ImageRef>>>,
    /// Copies to remove if the import fails.
    made: Vec<PathBuf>,
    taken: u64,
    missing: u64,
    /// Whether any picture was embedded in a file.
    carried: bool,
    /// Pictures that cannot be shown: the number, and names and reasons of the first.
    unreadable: (u64, Vec<(String, String)>),
}

impl Drop for Pictures {
    fn drop(&mut self) {
        for path in &self.made {
            let _ = std::fs::remove_file(path);
            // Its folder is removed with its last picture.
            let _ = path.parent().map(std::fs::remove_dir);
        }
    }
}

impl Pictures {
    /// Copies pictures to `images/` of `project`, or only links them with `link`.
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

    /// Sets the file of the next records. Pictures are searched next to it and below `root`.
    ///
    /// # Errors
    ///
    /// If a folder cannot be opened.
    pub fn from(&mut self, file: &Path, root: &Path) -> Result<()> {
        self.known.clear();
        self.bases.clear();
        for dir in [file.parent().unwrap_or(root), root] {
            let dir = dir
                .canonicalize()
                .map_err(|e| Error::io(&e, "cannot open the folder", dir))?;
            if !self.bases.contains(&dir) {
                self.bases.push(dir);
            }
        }
        Ok(())
    }

    /// Finds the picture that a record names and fills in its path. A missing picture is counted,
    /// not refused.
    ///
    /// # Errors
    ///
    /// [`benchtop_model::ErrorKind::Input`] for a name that leads outside the folder of its file,
    /// or for a file above the size limit. Pictures that cannot be shown are imported and marked.
    pub fn find(&mut self, image: &mut ImageRef) -> Result<()> {
        if image.hash.is_some() && image.stored().is_some_and(|p| self.in_project(&p)) {
            return Ok(());
        }
        let found = match self.known.get(&image.name) {
            Some(found) => found.clone(),
            None => {
                let found = self.look(&image.name)?.map(Box::new);
                self.known.insert(image.name.clone(), found.clone());
                match &found {
                    Some(_) => self.taken += 1,
                    None => self.missing += 1,
                }
                found
            }
        };
        let (draft, rights) = (image.draft, image.rights.take());
        *image = ImageRef {
            draft,
            rights,
            ..match found {
                Some(found) => *found,
                None => ImageRef::named(std::mem::take(&mut image.name)),
            }
        };
        Ok(())
    }

    /// Imports a picture embedded in a file. It is copied even with `link`, since there is nothing
    /// to link.
    ///
    /// # Errors
    ///
    /// [`benchtop_model::ErrorKind::Input`] for invalid base64, or if a write fails.
    pub fn import_embedded(&mut self, inline: &Inline) -> Result<()> {
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
            .insert(inline.name.clone(), Some(Box::new(image)))
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
                .help("pictures must be in the folder of the file that names them")
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
                        "cannot open the picture",
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
            rights: None,
        };
        if let Some(stored) = image.stored() {
            self.copy(&stored, &bytes)?;
        }
        Ok(image)
    }

    /// Why a picture cannot be shown, if so. Counted unless it was `known`.
    fn look_at(&mut self, name: &str, bytes: &[u8], known: bool) -> Option<String> {
        let why = decode::check(bytes).err()?.what;
        if !known {
            self.unreadable.0 += 1;
            if self.unreadable.1.len() < LISTED {
                self.unreadable.1.push((name.to_string(), why.clone()));
            }
        }
        Some(why)
    }

    /// Imported pictures that cannot be shown: the number, and names and reasons of the first.
    pub fn unreadable(&self) -> &(u64, Vec<(String, String)>) {
        &self.unreadable
    }

    /// Writes a content-addressed copy unless it exists. All copies are synced together at the end.
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

    /// Keeps the copies, after the import became part of the project.
    pub fn keep(&mut self) {
        self.made.clear();
    }

    /// Number of pictures copied or linked.
    pub fn taken(&self) -> u64 {
        self.taken
    }

    /// Number of pictures named but not found.
    pub fn missing(&self) -> u64 {
        self.missing
    }

    /// Notes for the user.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.missing > 0 {
            notes.push(format!(
                "{} pictures were not found; their items are shown without pictures",
                self.missing
            ));
        }
        let n = self.unreadable.0;
        if n > 0 {
            notes.push(format!(
                "{n} pictures cannot be shown; find their items with `picture:broken`"
            ));
        }
        notes
    }

    /// Makes the copies durable with a single sync: one per file would take minutes for a large
    /// set. No picture can be found by name afterwards.
    ///
    /// # Errors
    ///
    /// If syncing fails.
    pub fn finish(&mut self) -> Result<()> {
        self.known = HashMap::new();
        if self.taken == 0 || (self.link && !self.carried) {
            Ok(())
        } else {
            sync(&self.images)
        }
    }
}

/// The extension of a picture's name, if stored copies can have it.
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
///
/// If syncing fails.
pub fn sync(images: &Path) -> Result<()> {
    let fail = |e: std::io::Error| Error::io(&e, "cannot sync the pictures", images);
    let dir = std::fs::File::open(images).map_err(fail)?;
    rustix::fs::syncfs(&dir).map_err(|e| fail(e.into()))
}

/// Writes `bytes` to `stored` below the project's root, unless it exists.
///
/// # Errors
///
/// If a write fails.
pub fn put(root: &Path, stored: &Path, bytes: &[u8]) -> Result<()> {
    let path = root.join(stored);
    // Compare content: a copy emptied by a power cut has the right name and the wrong bytes.
    if regular::read(&path, FILE_LIMIT).is_ok_and(|there| there == bytes) {
        return Ok(());
    }
    let fail = |e: std::io::Error| Error::io(&e, "cannot copy the picture", &path);
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

/// Removes pictures that a killed process wrote only a part of. Nobody may be writing pictures.
pub fn sweep(project: &Project) {
    let folders = std::fs::read_dir(project.images());
    for entry in folders.into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|t| t.is_dir()) {
            disk::sweep(&entry.path());
        }
    }
}

/// Like [`put`], but durable on return, for single pictures.
///
/// # Errors
///
/// If a write fails, for example on a full disk. Then no part of the file is left.
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
