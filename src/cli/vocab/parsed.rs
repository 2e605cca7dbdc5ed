//! The metadata of a project, parsed from its files.

use benchtop_compose::metadata::Metadata;
use benchtop_model::MetaFile;
use benchtop_model::usage::MetadataState;

pub(super) fn parsed(state: &MetadataState) -> Metadata {
    Metadata::parse(state.files.iter().map(|f| MetaFile {
        name: f.name.clone(),
        text: f.text.clone(),
    }))
}
