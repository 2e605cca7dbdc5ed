//! Which item of the project a task of another tool is about.

use std::collections::BTreeMap;

use benchtop_model::{Error, Result};
use benchtop_store::Catalog;
use benchtop_store::manifest::Holds;

/// The data sets of a project, and which of them came from the file that the tasks are in.
pub(super) struct TaskItems<'c> {
    catalog: &'c Catalog,
    datasets: BTreeMap<String, bool>,
}

impl<'c> TaskItems<'c> {
    /// Of the data set `only`, or of all; `file` is the BLAKE3 of the tasks' file in hex.
    ///
    /// # Errors
    /// [`benchtop_model::ErrorKind::Input`] when the project has no such data set.
    pub(super) fn new(catalog: &'c Catalog, only: Option<&str>, file: &str) -> Result<Self> {
        let mut datasets = BTreeMap::new();
        for part in catalog.item_parts() {
            if let Holds::Items { dataset } = &part.holds {
                *datasets.entry(dataset.clone()).or_default() |= part.source_blake3 == file;
            }
        }
        if let Some(only) = only {
            if !datasets.contains_key(only) {
                let known: Vec<String> = datasets.into_keys().collect();
                return Err(
                    Error::input(format!("the project has no data set `{only}`"))
                        .field("dataset")
                        .help(format!("its data sets are: {}", known.join(", "))),
                );
            }
            datasets.retain(|name, _| name == only);
        }
        Ok(TaskItems { catalog, datasets })
    }

    /// The id of the item that a task with this key and question is about: the item with that id, else the one with that key in
    /// the data set that was imported from the same file, else the one with that key and that question. A key that leads
    /// nowhere is given back as it is.
    ///
    /// # Errors
    /// [`benchtop_model::ErrorKind::Input`] when several items may be meant, or when nothing says that the only one is.
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
            // Whoever compares the questions says that this one is another.
            (None, [(id, ..)]) if question.is_some() => Ok(id.clone()),
            (None, [(id, ..)]) => Err(Error::input(format!(
                "nothing says that its task is {id}: it has no question"
            ))
            .field("question")
            .help("--item-field names the field of `data` that holds the item's id")),
            (None, several) => {
                let ids: Vec<&str> = several.iter().map(|(id, ..)| id.as_str()).collect();
                Err(
                    Error::input(format!("several items may be meant: {}", ids.join(", ")))
                        .field("item")
                        .help("--dataset names the data set that the tasks are of"),
                )
            }
        }
    }
}
