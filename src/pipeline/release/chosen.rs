//! The first pass over the items of a release: what is in it, before anything is written.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::licenses::{self, Collecting, Licenses};
use super::source::Source;
use super::splits::Groups;
use super::statistics::{Counting, Counts, Statistics};
use crate::export::tools::Surveys;
use crate::export::{Export, is_inside, named};
use crate::sample::is_item;
use benchtop_model::cancel::ProgressSink;
use benchtop_model::generated_image::check_drafts;
use benchtop_model::release::{ReleaseRecord, ReleaseRequest, ReleasedItem, Split, WHOLE};
use benchtop_model::{Error, Form, ImageRef, Item, Result};
use benchtop_store::pictures;

/// Items between two reports of progress.
const STEP: usize = 256;
/// The name that replaces annotators.
const SOMEBODY: &str = "annotator";

/// What a release holds.
pub(super) struct Chosen {
    pub record: ReleaseRecord,
    pub statistics: Statistics,
    pub licenses: Licenses,
    pub surveys: Surveys,
    /// The splits, at least one.
    pub splits: Vec<String>,
    /// The position of the split of each item, in the order of the rows.
    pub split_of: Vec<u8>,
    /// Data sets, and whether all their items that Dysca's format includes are nested records.
    pub datasets: BTreeMap<String, bool>,
    pub without_picture: u64,
    pub drafts: u64,
}

/// A format of the registry.
pub(super) fn format(name: &str) -> Result<&'static Export> {
    named(name).ok_or_else(|| Error::failed(format!("no format `{name}`")))
}

/// The item as it is released: without pictures that must not be redistributed, and without names of
/// people.
pub(super) fn released(mut item: Item) -> Item {
    for image in &mut item.images {
        if licenses::withheld(image.rights.as_deref()).is_some() {
            (image.hash, image.ext, image.link) = (None, None, None);
        }
    }
    if let Some(edited) = &mut item.edited {
        (edited.by, edited.note) = (SOMEBODY.into(), None);
    }
    item
}

/// Calls `take` with the position and the text of each chosen item.
pub(super) fn each(
    source: &Source<'_>,
    what: &str,
    watch: ProgressSink<'_>,
    take: &mut dyn FnMut(usize, u32, Item) -> Result<()>,
) -> Result<()> {
    let of = source.rows.len() as u64;
    for (at, row) in source.rows.iter().enumerate() {
        if at % STEP == 0 {
            watch.report(what, at as u64, Some(of))?;
        }
        let item = source.pictures.shown_item(source.catalog, *row as usize)?;
        take(at, *row, item)?;
    }
    Ok(())
}

/// Names in `records/` that are not free for pictures.
fn is_taken(name: &str) -> bool {
    let lower = name.trim_start_matches("./").to_lowercase();
    lower.starts_with("items.jsonl") || lower.starts_with("dysca") || lower.starts_with(".tmp-")
}

/// Refuses pictures that `records/` cannot hold under the names in the records.
#[derive(Default)]
struct Names {
    of_dataset: HashMap<(String, String), String>,
}

impl Names {
    fn check(&mut self, item: &Item, image: &ImageRef) -> Result<()> {
        let Some(hash) = &image.hash else {
            return Ok(());
        };
        let wrong = |what: String| {
            Err(Error::input(what).help(format!(
                "the item is `{}`; leave it out with --filter",
                item.id
            )))
        };
        if !is_inside(&image.name) || is_taken(&image.name) {
            let name = image.name.escape_debug();
            return wrong(format!("a release cannot hold a picture named `{name}`"));
        }
        let key = (item.dataset.clone(), image.name.clone());
        let other = self.of_dataset.entry(key).or_insert_with(|| hash.clone());
        if other != hash {
            let name = image.name.escape_debug();
            let of = item.dataset.escape_debug();
            return wrong(format!("`{name}` names two different pictures in `{of}`"));
        }
        Ok(())
    }
}

impl Chosen {
    pub fn read(
        source: &Source<'_>,
        ask: &ReleaseRequest,
        head: ReleaseRecord,
        watch: ProgressSink<'_>,
    ) -> Result<Chosen> {
        let dysca = format("dysca")?;
        let (mut counting, mut collecting) = (Counting::default(), Collecting::default());
        let (mut surveys, mut groups, mut names) =
            (Surveys::default(), Groups::default(), Names::default());
        let mut items = Vec::with_capacity(source.rows.len());
        // Nested and flat records.
        let mut datasets: BTreeMap<String, (u64, u64)> = BTreeMap::new();
        let (mut without_picture, mut drafts, mut sample) = (0, 0, 0);
        each(source, "reading", watch, &mut |_, row, item| {
            items.push(ReleasedItem::of(
                &item,
                source.statuses.status(row as usize),
            ));
            sample += u64::from(is_item(&item));
            counting.add(&item);
            collecting.add(&item, source.pictures);
            groups.add(&item);
            let item = released(item);
            item.images
                .iter()
                .try_for_each(|image| names.check(&item, image))?;
            let without = |image: &ImageRef| image.hash.is_none();
            without_picture += u64::from(item.images.iter().any(without));
            drafts += u64::from(item.images.iter().any(|image| image.draft));
            surveys.add(&item);
            let (nested, flat) = datasets.entry(item.dataset.clone()).or_default();
            match item.form {
                Form::DyscaNested => *nested += 1,
                form => *flat += u64::from((dysca.takes)(form)),
            }
            Ok(())
        })?;
        let all = (source.rows.len() as u64, "items");
        check_drafts(drafts, all, ask.drafts || ask.dry)?;
        let splits = match ask.splits.is_empty() {
            true => vec![Split {
                name: WHOLE.into(),
                share: 1,
            }],
            false => ask.splits.clone(),
        };
        let split_of = groups.assign(&splits, ask.seed);
        let mut counts = Counts::new();
        for at in &split_of {
            let name = &splits[usize::from(*at)].name;
            *counts.entry(name.clone()).or_default() += 1;
        }
        let prints = match collecting.has_generated() {
            true => pictures::fingerprints(&source.project.images())?,
            false => BTreeMap::new(),
        };
        let licenses = collecting.finish(&prints);
        let withheld = licenses.withheld.len() as u64;
        let statistics = counting.finish(source.funnel.clone(), counts, withheld);
        // A split without items has no files, which loaders would miss.
        let used: BTreeSet<u8> = split_of.iter().copied().collect();
        if let Some((_, empty)) = (0..).zip(&splits).find(|(at, _)| !used.contains(at))
            && !source.rows.is_empty()
        {
            let what = format!("the split `{}` gets no item", empty.name);
            return Err(Error::usage(what)
                .field("split")
                .help("use larger shares or another --seed"));
        }
        Ok(Chosen {
            record: ReleaseRecord {
                statistics: statistics.value()?,
                sample,
                items,
                ..head
            },
            statistics,
            licenses,
            surveys,
            splits: splits.into_iter().map(|split| split.name).collect(),
            split_of,
            datasets: datasets
                .into_iter()
                .map(|(name, (nested, flat))| (name, nested > 0 && flat == 0))
                .collect(),
            without_picture,
            drafts,
        })
    }
}
