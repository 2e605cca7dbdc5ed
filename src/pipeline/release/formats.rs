//! Writes the items of a release in its formats, with the formats of exports.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::chosen::{Chosen, each, format, released};
use super::document;
use super::source::Source;
use crate::export::tools::{Tools, unique_names};
use crate::export::{Destination, Export, Exporter, Kind, Pictures, Tables};
use benchtop_model::cancel::ProgressSink;
use benchtop_model::{Error, Item, Result};

const FOLDER: &str = "huggingface";
const PARQUET: &str = "parquet";
const RECORDS: &str = "records";

fn tables(name: &str) -> Result<&'static Tables> {
    match &format(name)?.kind {
        Kind::Tables(tables) => Ok(tables),
        _ => Err(Error::failed(format!("`{name}` has no tables"))),
    }
}

/// The records of a data set.
struct Records {
    dir: PathBuf,
    pictures: Pictures,
    jsonl: Exporter,
    /// Begun with the first item that the format includes.
    dysca: Option<Exporter>,
    is_nested: bool,
}

impl Records {
    fn begin(source: &Source<'_>, dir: PathBuf, is_nested: bool) -> Result<Records> {
        let jsonl = dir.join("items.jsonl");
        Ok(Records {
            pictures: Pictures::new(source.project.root().to_path_buf(), dir.clone()),
            jsonl: Exporter::create(format("jsonl")?, Destination::Path(&jsonl), false)?,
            dysca: None,
            is_nested,
            dir,
        })
    }

    fn push(&mut self, dysca: &'static Export, mut item: Item) -> Result<()> {
        self.pictures
            .copy(&item)
            .map_err(|problem| problem.help(named(&item)))?;
        // The path of a linked picture means nothing elsewhere.
        item.images.iter_mut().for_each(|image| image.link = None);
        self.jsonl.push(&item)?;
        if !(dysca.takes)(item.form) {
            return Ok(());
        }
        let out = match &mut self.dysca {
            Some(out) => out,
            None => {
                let path = self.dir.join("dysca.json");
                let new = Exporter::create(dysca, Destination::Path(&path), self.is_nested)?;
                self.dysca.insert(new.leaving_out())
            }
        };
        out.push(&item)
    }

    /// Returns the number of items in Dysca's format.
    fn finish(self) -> Result<u64> {
        self.jsonl.finish()?;
        let Some(dysca) = self.dysca else {
            return Ok(0);
        };
        let mut files = dysca.more_files();
        files.push(self.dir.join("dysca.json"));
        let (written, _) = dysca.finish()?;
        if written == 0 {
            for file in files {
                let removed = std::fs::remove_file(&file);
                removed.map_err(|e| Error::io(&e, "cannot remove", &file))?;
            }
        }
        Ok(written)
    }
}

fn named(item: &Item) -> String {
    format!(
        "the item is `{}`; `benchtop verify` shows what can be restored, or leave it out with --filter",
        item.id
    )
}

/// The two formats of tables of one split.
struct SplitTables([Tools; 2]);

impl SplitTables {
    fn push(&mut self, item: &Item) -> Result<()> {
        for tools in &mut self.0 {
            tools.push(item)?;
            // An export sets items aside; a release is whole or fails.
            if let Some((_, problem)) = tools.aside().first().first() {
                return Err(problem.clone().help(named(item)));
            }
        }
        Ok(())
    }
}

/// Writes all formats to `dir`. Returns the number of items that Dysca's format cannot hold.
pub(super) fn write(
    source: &Source<'_>,
    chosen: &Chosen,
    dir: &Path,
    watch: ProgressSink<'_>,
) -> Result<u64> {
    let (dysca, root) = (format("dysca")?, source.project.root());
    let [folder, parquet] = [("hf-folder", FOLDER), ("hf-parquet", PARQUET)]
        .map(|(name, to)| tables(name).map(|tables| (tables, dir.join(to))));
    let (folder, parquet) = (folder?, parquet?);
    let split = |name: &String| {
        let tools = [&folder, &parquet].map(|(tables, to)| {
            Tools::new(tables, to, root, chosen.surveys.clone()).of_split(name)
        });
        SplitTables(tools)
    };
    let mut splits: Vec<SplitTables> = chosen.splits.iter().map(split).collect();
    let names = unique_names(chosen.datasets.keys().cloned());
    let mut records = BTreeMap::new();
    for ((dataset, is_nested), name) in chosen.datasets.iter().zip(&names) {
        let to = match names.len() {
            1 => dir.join(RECORDS),
            _ => dir.join(RECORDS).join(name),
        };
        records.insert(dataset.as_str(), Records::begin(source, to, *is_nested)?);
    }
    // Loaders want no split without items.
    let mut used: BTreeMap<String, BTreeSet<usize>> = BTreeMap::new();
    each(source, "writing", watch, &mut |at, _, item| {
        let item = released(item);
        let split = usize::from(chosen.split_of[at]);
        match used.get_mut(&item.dataset) {
            Some(used) => drop(used.insert(split)),
            None => drop(used.insert(item.dataset.clone(), BTreeSet::from([split]))),
        }
        if let Some(split) = splits.get_mut(split) {
            split.push(&item)?;
        }
        match records.get_mut(item.dataset.as_str()) {
            Some(records) => records.push(dysca, item),
            None => Err(Error::failed("the items changed while they were read")),
        }
    })?;
    for SplitTables(tools) in splits {
        for tools in tools {
            tools.finish()?;
        }
    }
    let mut in_dysca = 0;
    for records in records.into_values() {
        in_dysca += records.finish()?;
    }
    let splits_of = |used: &BTreeSet<usize>| -> Vec<&str> {
        let names = used.iter().filter_map(|at| chosen.splits.get(*at));
        names.map(String::as_str).collect()
    };
    let used = used.values().map(splits_of);
    let folders: Vec<(String, Vec<&str>)> = names.into_iter().zip(used).collect();
    let folder_files = |split: &str| format!("{split}/**");
    let parquet_files = |split: &str| format!("data/{split}-*.parquet");
    let cards = [
        (FOLDER, document::card(&folders, &folder_files)),
        (PARQUET, document::card(&folders, &parquet_files)),
    ];
    for (to, card) in cards {
        let path = dir.join(to).join("README.md");
        std::fs::write(&path, card)
            .map_err(|e| Error::io(&e, "cannot write the release", &path))?;
    }
    Ok(source.rows.len() as u64 - in_dysca)
}
