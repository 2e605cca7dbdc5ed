//! Finds the item that a task of another tool is about.

use std::collections::BTreeMap;

use benchtop_model::{Error, Result};
use benchtop_store::Catalog;
use benchtop_store::manifest::Content;

/// The data sets of a project, and whether each was imported from the file of the tasks.
pub(super) struct TaskItems<'c> {
    catalog: &'c Catalog,
    datasets: BTreeMap<String, bool>,
}

impl<'c> TaskItems<'c> {
    /// Uses the data set `only`, or all. `file` is the BLAKE3 hash of the tasks' file in hex.
    ///
    /// # Errors
    /// [`benchtop_model::ErrorKind::Input`] for an unknown data set.
    pub(super) fn new(catalog: &'c Catalog, only: Option<&str>, file: &str) -> Result<Self> {
        let mut datasets = BTreeMap::new();
        for part in catalog.item_parts() {
            if let Content::Items { dataset } = &part.holds {
                *datasets.entry(dataset.clone()).or_default() |= part.source_blake3 == file;
            }
        }
        if let Some(only) = only {
            if !datasets.contains_key(only) {
                let known: Vec<String> = datasets.into_keys().collect();
                return Err(Error::input(format!("unknown data set `{only}`"))
                    .field("dataset")
                    .help(format!("data sets: {}", known.join(", "))));
            }
            datasets.retain(|name, _| name == only);
        }
        Ok(TaskItems { catalog, datasets })
    }

    /// The id of the item that a task with this key and question is about: the item with that id,
    /// or with that key in the data set imported from the same file, or with that key and question.
    /// An unknown key is returned unchanged.
    ///
    /// # Errors
    /// [`benchtop_model::ErrorKind::Input`] if several items match, or if nothing confirms the only
    /// match.
    pub(super) fn find(&self, key: &str, question: Option<&str>) -> Result<String> {
        if self.catalog.row_of(key)?.is_some() {
            return Ok(key.to_string());
        }
        let mut found = Vec::new();
        for (dataset, of_file) in &self.datasets {
            let id = format!("{dataset}/{key}");
            if let Some(row) = self.catalog.row_of(&id)? {
                let item = self.catalog.item(row as usize)?;
                let same = question.is_some_and(|text| item.question == text);
                found.push((id, *of_file, same));
            }
        }
        let only = |which: &dyn Fn(&(String, bool, bool)) -> bool| {
            let mut those = found
                .iter()
                .filter(|one| which(one))
                .map(|(id, ..)| id.clone());
            those.next().filter(|_| those.next().is_none())
        };
        let certain = only(&|(_, of_file, same)| *of_file && (*same || question.is_none()))
            .or_else(|| only(&|one| one.2));
        match (certain, found.as_slice()) {
            (Some(id), _) => Ok(id),
            (None, []) => Ok(key.to_string()),
            // The comparison of questions reports the mismatch later.
            (None, [(id, ..)]) if question.is_some() => Ok(id.clone()),
            (None, [(id, ..)]) => Err(Error::input(format!(
                "cannot confirm that the task is about {id}, because it has no question"
            ))
            .field("question")
            .help("use --item-field to name the field of `data` with the item id")),
            (None, several) => {
                let ids: Vec<&str> = several.iter().map(|(id, ..)| id.as_str()).collect();
                Err(
                    Error::input(format!("several items match: {}", ids.join(", ")))
                        .field("item")
                        .help("use --dataset to name the data set of the tasks"),
                )
            }
        }
    }
}
