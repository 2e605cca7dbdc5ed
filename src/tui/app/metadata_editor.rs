//! The metadata being edited, and the panes that show it.

use std::path::PathBuf;

use crate::panes::metadata::{EditSession, Previewer, worker};
use crate::panes::templates::TemplatesPane;
use crate::panes::vocabulary::VocabularyPane;
use benchtop_model::recompose::Rename;

pub(super) struct MetadataEditor {
    pub(super) desk: EditSession,
    pub(super) vocabulary: VocabularyPane,
    pub(super) templates: TemplatesPane,
    pub(super) previewer: Previewer,
    /// A file to open in the user's editor, at a line.
    pub(super) edit: Option<(PathBuf, u32)>,
    /// Terms that the current save renames.
    pub(super) renames: Vec<Rename>,
}

impl MetadataEditor {
    /// Reads nothing yet. `done` is called on the preview thread.
    pub(super) fn new(
        done: impl Fn(worker::Done) + Send + 'static,
    ) -> std::io::Result<MetadataEditor> {
        Ok(MetadataEditor {
            desk: EditSession::new(),
            vocabulary: VocabularyPane::new(),
            templates: TemplatesPane::new(),
            previewer: Previewer::new(done)?,
            edit: None,
            renames: Vec::new(),
        })
    }
}
