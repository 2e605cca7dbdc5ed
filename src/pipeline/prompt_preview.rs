//! What a prompt file would ask about one item: the request of a bootstrapping job or of a judge,
//! which is shown and not sent.

use std::path::Path;

use benchtop_compose::metadata::judge::{self, Fields, fields_of, judging_of};
use benchtop_compose::metadata::write::{self, writing_of};
use benchtop_compose::metadata::{Judging, Writing};
use benchtop_metrics::vlb::Strategy;
use benchtop_model::config::Judge;
use benchtop_model::judge::ShownPictures;
use benchtop_model::prompt_preview::PromptPreview;
use benchtop_model::vlm::VlmRequest;
use benchtop_model::writing::WrittenForm;
use benchtop_model::{Error, Finding, ImageRef, Item, MetaFile, Result};
use benchtop_store::jobs::ModelRole;

use crate::bootstrap::painting;
use crate::bootstrap::requests::{judge_fields, lacks, prompt_name, seed, write_request};
use crate::compose::place_of;
use crate::scoring::runners::judge::shown_pictures;

/// A prompt file that can be used.
#[derive(Clone, Debug)]
pub enum PromptFile {
    Writing(Box<Writing>),
    Judging(Box<Judging>),
}

/// An item with its number.
pub type Numbered<'i> = (u32, &'i Item);

impl PromptFile {
    /// Reads a prompt file.
    ///
    /// # Errors
    /// [`Error::input`] with the line of its first error, and [`Error::usage`] for any other file.
    pub fn read(file: &MetaFile) -> Result<PromptFile> {
        let MetaFile { name, text } = file;
        let (read, found) = if let Some(own) = writing_of(name) {
            let (writing, found) = write::parse(own, name, text);
            (writing.map(|w| PromptFile::Writing(Box::new(w))), found)
        } else if let Some(own) = judging_of(name) {
            let (judging, found) = judge::parse(own, name, text);
            (judging.map(|j| PromptFile::Judging(Box::new(j))), found)
        } else {
            let what = format!("`{name}` is no prompt file");
            let help = "prompt files are write/NAME.toml and judge/NAME.toml";
            return Err(Error::usage(what).help(help));
        };
        read.ok_or_else(|| invalid(name, &found))
    }

    /// Who is asked.
    pub fn role(&self) -> ModelRole {
        match self {
            PromptFile::Judging(_) => ModelRole::Judge,
            PromptFile::Writing(writing) => match writing.reads {
                WrittenForm::Text { .. } => ModelRole::Writer,
                WrittenForm::Boxes { .. } | WrittenForm::Marks { .. } => ModelRole::Grounder,
            },
        }
    }

    fn name(&self) -> &str {
        match self {
            PromptFile::Writing(writing) => &writing.name,
            PromptFile::Judging(judging) => &judging.name,
        }
    }

    fn strategy(&self) -> Option<Strategy> {
        let mut all = Strategy::ALL.into_iter();
        all.find(|strategy| prompt_name(*strategy) == self.name())
    }

    /// The first request about `item` of the project at `root`, as a job with this seed would send it
    /// to the model in `table`. Writers are asked about the original of a variant.
    ///
    /// # Errors
    /// [`Error::input`] for an item that it cannot be asked about.
    pub fn preview(
        &self,
        root: &Path,
        (item, original): (Numbered<'_>, Option<Numbered<'_>>),
        (plan, table): (u64, &Judge),
    ) -> Result<PromptPreview> {
        let (about, request, pictures) = match self {
            PromptFile::Writing(writing) => {
                let about = original.unwrap_or(item);
                let product = self
                    .strategy()
                    .map_or(self.name(), |strategy| strategy.name());
                let seed = seed(plan, &about.1.id, product, 1, false);
                let (request, pictures) = self.written(writing, root, about.1, (seed, table))?;
                (about, request, pictures)
            }
            PromptFile::Judging(judging) => {
                let original = original.map(|(_, original)| original);
                let (request, pictures) = self.judged(judging, (item.1, original), table)?;
                (item, request, pictures)
            }
        };
        let sampling = request.sampling;
        Ok(PromptPreview {
            number: about.0,
            id: about.1.id.clone(),
            role: self.role().name().into(),
            model: model_of(table).to_string(),
            seed: sampling.map_or(table.seed, |sampling| sampling.seed),
            temperature: sampling.map_or(0.0, |sampling| sampling.temperature),
            max_tokens: request.max_tokens,
            pictures: pictures
                .into_iter()
                .map(|image| image.name.clone())
                .collect(),
            system: request.system,
            prompt: request.prompt,
            answer: request
                .schema
                .map_or_else(String::new, |schema| schema.name),
        })
    }

    fn written<'i>(
        &self,
        writing: &Writing,
        root: &Path,
        item: &'i Item,
        (seed, table): (u32, &Judge),
    ) -> Result<(VlmRequest, Vec<&'i ImageRef>)> {
        let is_grounder = self.role() == ModelRole::Grounder;
        let first = item.images.first();
        let size = match (is_grounder, first) {
            (true, Some(image)) => Some(painting::size(root, image)?),
            (true, None) => return Err(Error::input("the item has no picture")),
            (false, _) => None,
        };
        let request = write_request(
            writing,
            (item, &item.question),
            size,
            (1, seed),
            table.max_tokens,
        );
        let pictures = match (writing.shows, is_grounder) {
            (ShownPictures::None, _) => Vec::new(),
            (_, true) => first.into_iter().collect(),
            (_, false) => item.images.iter().collect(),
        };
        Ok((request.map_err(Error::input)?, pictures))
    }

    fn judged<'i>(
        &self,
        judging: &Judging,
        (item, original): (&'i Item, Option<&'i Item>),
        table: &Judge,
    ) -> Result<(VlmRequest, Vec<&'i ImageRef>)> {
        let fields = match (self.strategy(), original) {
            (Some(strategy), Some(original)) => of_variant(strategy, item, original),
            (_, original) => fields_of(item, original),
        };
        let request = judging.ask(&fields, table.max_tokens).map_err(|slot| {
            let help = "choose a variant that has one; `benchtop bootstrap` makes variants";
            Error::input(lacks(slot)).help(help)
        })?;
        let theirs = original.map(|original| &original.images[..]);
        let is_derived = item.derivation.is_some();
        let (pictures, wanted) = shown_pictures(judging.shows, &item.images, theirs, is_derived);
        if pictures.len() < wanted {
            let what = format!(
                "the request needs {wanted} pictures, and the item has {}",
                pictures.len()
            );
            return Err(Error::input(what).help("choose a variant with another picture"));
        }
        Ok((request, pictures))
    }
}

/// The model of a table, or of its first server.
fn model_of(table: &Judge) -> &str {
    let own = table.endpoints.first().and_then(|e| e.model.as_deref());
    own.or(table.model.as_deref()).unwrap_or_default()
}

/// The slots of the judge of a strategy, from a variant that was made and its original.
fn of_variant(strategy: Strategy, item: &Item, original: &Item) -> Fields {
    let derivation = item.derivation.as_deref();
    let made = match strategy {
        Strategy::L1 | Strategy::L2 => Some(item.question.clone()),
        Strategy::L3 | Strategy::L4 => derivation.and_then(|d| d.context.clone()),
        Strategy::V1 | Strategy::V2 | Strategy::V3 => derivation.and_then(|d| d.edit.clone()),
    };
    match made {
        Some(made) => judge_fields(strategy, (original, &original.question), made),
        None => fields_of(item, Some(original)),
    }
}

fn invalid(name: &str, found: &[Finding]) -> Error {
    let what = found
        .first()
        .map_or("it cannot be used", |first| &first.message);
    let problem = Error::input(what.to_string());
    match found.first() {
        Some(first) => place_of(problem, first),
        None => problem.file(format!("metadata/{name}")),
    }
}
