//! One picture to make: a task for a generator, or two files to put side by side.

use super::image_index::{Picture, RequestedImages, Words, lines, sides};
use super::remaining::Target;
use benchtop_model::generated_image::{hex, prompt_key, seed_of};
use benchtop_model::generation::{Pixels, Task};
use benchtop_model::{Error, ErrorKind, Item, Provenance, Result};
use benchtop_store::Catalog;

/// Everything needed to make a picture and record it.
#[derive(Clone, Debug, PartialEq)]
pub struct GenerationTask {
    pub target: Target,
    pub dataset: String,
    /// Its name in items.
    pub name: String,
    /// The task for a generator. For side-by-side pictures, only what is recorded.
    pub task: Task,
    /// [`hex`] of the prompt's number.
    pub prompt: String,
    /// Rows of its items.
    pub rows: Vec<u32>,
    /// Ids of its items.
    pub items: Vec<String>,
    /// Whether it is two pictures side by side.
    pub side_by_side: bool,
}

impl GenerationTask {
    /// Reads the task for `target` from the present items.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Corrupt`] if texts are damaged, and [`ErrorKind::Conflict`] if `named` belongs
    /// to another catalog version.
    pub fn read(
        catalog: &Catalog,
        named: &RequestedImages,
        target: Target,
        job_seed: u64,
    ) -> Result<GenerationTask> {
        let other = || Error::new(ErrorKind::Conflict, "the items changed meanwhile");
        let picture = named
            .pictures()
            .get(target.picture as usize)
            .ok_or_else(other)?;
        let item = catalog.item(picture.row as usize)?;
        let (name, prompt, negative) = words(&item, picture).ok_or_else(other)?;
        if prompt_key(&prompt, negative.as_deref()) != picture.prompt {
            return Err(other());
        }
        let rows = named.rows(picture).to_vec();
        let ids = rows.iter().map(|row| match *row == picture.row {
            true => Ok(item.id.clone()),
            false => catalog.item(*row as usize).map(|i| i.id),
        });
        let items = ids.collect::<Result<_>>()?;
        let terms = item
            .provenance
            .as_deref()
            .map(|p| terms(p, picture.words == Words::Second))
            .unwrap_or_default();
        let seed = seed_of(job_seed, &item.dataset, &name, target.sample);
        let task = Task {
            prompt,
            negative_prompt: negative,
            seed,
            terms,
            init: None,
        };
        Ok(GenerationTask {
            target,
            dataset: item.dataset.clone(),
            name,
            task,
            prompt: hex(picture.prompt),
            rows,
            items,
            side_by_side: picture.sides.is_some(),
        })
    }

    /// The number of its first item, or 0 if no item shows it alone.
    pub fn number(&self) -> u32 {
        self.rows.first().map_or(0, |row| row + 1)
    }
}

/// Name, prompt, and negative prompt of a picture.
fn words(item: &Item, picture: &Picture) -> Option<(String, String, Option<String>)> {
    let (name, prompt) = (&item.images.first()?.name, item.prompt.as_deref()?);
    let side = |at: usize| Some((sides(name)?[at].clone(), lines(prompt)?[at].to_string()));
    let (name, prompt) = match picture.words {
        Words::Whole | Words::Both => (name.clone(), prompt.to_string()),
        Words::First => side(0)?,
        Words::Second => side(1)?,
    };
    Some((name, prompt, item.negative_prompt.clone()))
}

fn terms(provenance: &Provenance, second: bool) -> std::collections::BTreeMap<String, String> {
    let mut terms = provenance.terms.clone();
    if second {
        terms.extend(provenance.second.clone());
    }
    terms.insert("subject".into(), provenance.subject.clone());
    terms
}

/// Puts two pictures side by side like an MVP-Bench pair: the first at the left, the lower one
/// centered.
pub fn side_by_side(left: &Pixels, right: &Pixels) -> Pixels {
    let (width, height) = (left.width + right.width, left.height.max(right.height));
    let mut rgb = vec![0; 3 * width as usize * height as usize];
    for (picture, from) in [(left, 0), (right, left.width)] {
        let top = (height - picture.height) / 2;
        let line = 3 * picture.width as usize;
        for (row, pixels) in picture.rgb.chunks_exact(line.max(1)).enumerate() {
            let start = 3 * ((top as usize + row) * width as usize + from as usize);
            rgb[start..start + line].copy_from_slice(pixels);
        }
    }
    Pixels { width, height, rgb }
}
