//! Which metadata counts: what is on disk, or, while that has errors, what was there before them.

use std::sync::Arc;

use benchtop_compose::compiled_metadata::CompiledMetadata;
use benchtop_compose::metadata::Metadata;
use benchtop_model::usage::{FileState, MetadataState};
use benchtop_model::{Error, ErrorKind, Finding, MetaFile, Result};
use benchtop_pipeline::compose::{errors, place_of};

/// Metadata and what can be composed from it.
struct Ready {
    metadata: Metadata,
    grammar: Arc<CompiledMetadata>,
}

/// The metadata that counts. Copies are cheap.
#[derive(Clone)]
pub struct InForce {
    /// What keeps the files on disk from being used, the cause first; none where they can be.
    errors: Arc<Vec<Finding>>,
    /// Files on disk that cannot be read at all.
    unreadable: Arc<Vec<Finding>>,
    /// The files on disk, as far as they can be used. They stand in where no metadata without errors was seen.
    disk: Arc<Ready>,
    /// The last metadata without an error.
    sound: Option<Arc<Ready>>,
}

impl InForce {
    /// What counts once these files are on disk, after `before`.
    pub fn after(before: Option<&InForce>, state: &MetadataState) -> InForce {
        let file = |f: &FileState| MetaFile {
            name: f.name.clone(),
            text: f.text.clone(),
        };
        let metadata = Metadata::parse(state.files.iter().map(file));
        let (grammar, compiled) = CompiledMetadata::compile(&metadata);
        let errors: Vec<Finding> = errors(&metadata, &state.unreadable, &compiled)
            .into_iter()
            .cloned()
            .collect();
        let disk = Arc::new(Ready {
            metadata,
            grammar: Arc::new(grammar),
        });
        let sound = match errors.is_empty() {
            true => Some(disk.clone()),
            false => before.and_then(|before| before.sound.clone()),
        };
        InForce {
            errors: Arc::new(errors),
            unreadable: Arc::new(state.unreadable.clone()),
            disk,
            sound,
        }
    }

    /// What is wrong with the files on disk, the cause first.
    pub fn errors(&self) -> &[Finding] {
        &self.errors
    }

    /// Whether there is metadata without errors: that on disk, or an earlier one.
    pub fn is_known(&self) -> bool {
        self.sound.is_some()
    }

    /// The metadata to count by.
    pub fn grammar(&self) -> &Arc<CompiledMetadata> {
        &self.sound.as_ref().unwrap_or(&self.disk).grammar
    }

    /// Refuses what only metadata without errors can answer, where none was seen.
    ///
    /// # Errors
    /// [`ErrorKind::Input`] with file and line of the cause.
    pub fn check(&self) -> Result<()> {
        match self.errors.first().filter(|_| self.sound.is_none()) {
            None => Ok(()),
            Some(first) => Err(place_of(Error::new(ErrorKind::Input, first.what.clone()), first)
                .help("until it is mended nobody can tell which items are stale; `benchtop lint` lists the errors")),
        }
    }

    /// The metadata with these texts put over its files: over those on disk, or, where they have errors even so, over
    /// those that count.
    ///
    /// # Errors
    /// [`ErrorKind::Input`] with file and line, where that has errors which keep it from being used.
    pub fn with(&self, files: Vec<MetaFile>) -> Result<CompiledMetadata> {
        let left: Vec<Finding> = self
            .unreadable
            .iter()
            .filter(|f| files.iter().all(|file| file.name != f.file))
            .cloned()
            .collect();
        match (over(&self.disk.metadata, &files, &left), &self.sound) {
            (Err(_), Some(sound)) => over(&sound.metadata, &files, &[]),
            (done, _) => done,
        }
    }

    /// What people are told, on one line; `None` where the files on disk count.
    pub fn told(&self) -> Option<String> {
        let first = self.errors.first()?;
        let more = match self.errors.len() - 1 {
            0 => String::new(),
            1 => "; and 1 more error".into(),
            n => format!("; and {n} more errors"),
        };
        let goes_on = match self.is_known() {
            true => "the metadata from before it goes on",
            false => "until it is mended nobody can tell which items are stale",
        };
        Some(format!(
            "metadata/{first}{more}; {goes_on}, and nothing is composed"
        ))
    }
}

/// Metadata with these texts put over its files.
fn over(
    metadata: &Metadata,
    files: &[MetaFile],
    unreadable: &[Finding],
) -> Result<CompiledMetadata> {
    let mut metadata = metadata.clone();
    files.iter().cloned().for_each(|file| metadata.put(file));
    let (grammar, compiled) = CompiledMetadata::compile(&metadata);
    match errors(&metadata, unreadable, &compiled).first() {
        None => Ok(grammar),
        Some(first) => Err(
            place_of(Error::new(ErrorKind::Input, first.what.clone()), first)
                .help("nothing becomes stale before it is mended"),
        ),
    }
}
