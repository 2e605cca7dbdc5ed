//! The request that an edited prompt file makes for an item, as far as the annotator may see it.

use super::roles;
use crate::dispatch::{Query, Watch};
use crate::queries;
use crate::trust;
use crate::visibility::AnnotatorView;
use benchtop_model::prompt_preview::PromptPreview;
use benchtop_model::{Error, Item, Result};
use benchtop_pipeline::prompt_preview::PromptFile;
use benchtop_protocol::wire::request;

fn item(view: &AnnotatorView, row: u32) -> Result<Item> {
    let json = view.visible(row, queries::line(view.shared(), row)?)?;
    serde_json::from_str(&json)
        .map_err(|e| Error::corrupt(format!("item #{} is damaged: {e}", row + 1)))
}

impl Query for request::PreviewPrompt {
    fn answer(self, view: &AnnotatorView, _: &mut Watch<'_>) -> Result<PromptPreview> {
        let prompt = PromptFile::read(&self.file)?;
        let shared = view.shared();
        let number = self.number;
        let unknown = || Error::not_found(format!("unknown item #{number}"));
        let row = number.checked_sub(1).ok_or_else(unknown)?;
        let own = item(view, row)?;
        let catalog = shared.items.catalog();
        let original = own.original().map(|id| catalog.row_of(id)).transpose()?;
        let original = original.flatten();
        let original = original.map(|row| Ok::<_, Error>((row + 1, item(view, row)?)));
        let original = original.transpose()?;
        let project = trust::current_project(shared)?;
        let table = roles::table(project.config(), prompt.role());
        prompt.preview(
            shared.project.root(),
            (
                (number, &own),
                original.as_ref().map(|(number, item)| (*number, item)),
            ),
            (self.seed, table),
        )
    }
}
