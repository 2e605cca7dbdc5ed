//! Decides which metadata is in use: the files on disk or, if those have errors, the last ones
//! without.

use std::sync::Arc;

use benchtop_compose::compiled_metadata::CompiledMetadata;
use benchtop_compose::metadata::Metadata;
use benchtop_model::usage::{FileState, MetadataState};
use benchtop_model::{Error, Finding, MetaFile, Result};
use benchtop_pipeline::compose::{errors, place_of};

/// Metadata in source and compiled form.
struct Ready {
    metadata: Metadata,
    grammar: Arc<CompiledMetadata>,
}

/// The metadata in use. Clones are cheap.
#[derive(Clone)]
pub struct InForce {
    /// The errors of the files on disk, causes first; empty if there are none.
    pub errors: Arc<Vec<Finding>>,
    /// Files on disk that cannot be read.
    unreadable: Arc<Vec<Finding>>,
    /// The usable parts of the files on disk. Used if no error-free metadata was seen.
    disk: Arc<Ready>,
    /// The last metadata without errors.
    sound: Option<Arc<Ready>>,
}

impl InForce {
    /// The metadata in use with these files on disk, after `before`.
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

    /// Whether there is error-free metadata, on disk or earlier.
    pub fn is_known(&self) -> bool {
        self.sound.is_some()
    }

    /// The compiled metadata in use.
    pub fn compiled(&self) -> &Arc<CompiledMetadata> {
        &self.sound.as_ref().unwrap_or(&self.disk).grammar
    }

    /// Fails if no error-free metadata was seen.
    ///
    /// # Errors
    /// [`Error::input`] with file and line of the cause.
    pub fn check(&self) -> Result<()> {
        match self.errors.first().filter(|_| self.sound.is_none()) {
            None => Ok(()),
            Some(first) => Err(place_of(Error::input(first.message.clone()), first)
                .help("correct it to find out which items are stale; run `benchtop lint` to list the errors")),
        }
    }

    /// Compiles the metadata with these files replaced: over the files on disk or, if the result
    /// has errors, over the metadata in use.
    ///
    /// # Errors
    /// [`Error::input`] with file and line of an error.
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

    /// The notice for clients, on one line; `None` if the files on disk are in use.
    pub fn notice(&self) -> Option<String> {
        let first = self.errors.first()?;
        let more = match self.errors.len() - 1 {
            0 => String::new(),
            1 => "; and 1 more error".into(),
            n => format!("; and {n} more errors"),
        };
        let goes_on = match self.is_known() {
            true => "the previous metadata stays in use",
            false => "stale items are unknown until it is corrected",
        };
        Some(format!(
            "metadata/{first}{more}; {goes_on}, and composing is disabled"
        ))
    }
}

/// Compiles metadata with these files replaced.
fn over(
    metadata: &Metadata,
    files: &[MetaFile],
    unreadable: &[Finding],
) -> Result<CompiledMetadata> {
    let mut metadata = metadata.clone();
    files.iter().cloned().for_each(|file| metadata.insert(file));
    let (grammar, compiled) = CompiledMetadata::compile(&metadata);
    match errors(&metadata, unreadable, &compiled).first() {
        None => Ok(grammar),
        Some(first) => Err(place_of(Error::input(first.message.clone()), first)
            .help("correct it first; no item becomes stale until then")),
    }
}
