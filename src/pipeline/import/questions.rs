//! Imports the items of a file.

use std::collections::hash_map::Entry;

use super::{Import, content_hash, forget_where, hash_file, rows_already_imported, skip, tick};
use crate::sources::{self, Orders, Source, Unreadable};
use benchtop_model::cancel::ProgressSink;
use benchtop_model::{Error, ErrorKind, Item, Result};
use benchtop_store::catalog;
use benchtop_store::columns::id_hash;
use benchtop_store::manifest::Content;
use benchtop_store::segment::Writer;

impl Import<'_> {
    /// Imports the questions of a file. `beside` questions were recorded by a tool together with
    /// its answers: existing ones are ignored, and unreadable ones are counted.
    pub(super) fn questions(
        &mut self,
        source: &Source,
        beside: bool,
        watch: ProgressSink<'_>,
    ) -> Result<()> {
        let (found, dataset) = (&source.found, self.dataset(source));
        let source_blake3 = hash_file(&found.path, watch.cancel)?;
        // The same bytes can be imported again as another data set.
        let rows = rows_already_imported(&self.manifest, &source_blake3, &|holds| match holds {
            Content::Items { dataset: there } => found.format.names_datasets || *there == dataset,
            Content::Predictions { .. } | Content::Revisions { .. } => false,
        });
        if rows > 0 && !beside {
            self.report.already += rows;
            self.report_file(source, "already imported", 0);
            return self.order(source, &dataset);
        }
        self.sources.push(found.path.clone());
        self.pictures.from(&found.path, &source.root)?;
        let mut writer = Writer::create(&self.project.imports())?;
        let before = self.report.duplicates;
        let (mut records, mut unreadable) = (0, Unreadable::default());
        let mut reader = source.items(&dataset, self.ask.mapping.as_deref())?;
        while let Some((line, read)) = reader.next() {
            tick(source, &mut records, watch)?;
            // Before the item itself: a later item may name pictures of an existing one.
            let carried = reader
                .pictures()
                .into_iter()
                .try_for_each(|picture| self.pictures.import_embedded(&picture));
            let read = read.and_then(|item| carried.map(|()| item));
            if let (Ok(item), Some(orders)) = (&read, &mut self.orders) {
                orders.push(item);
            }
            if beside && read.as_ref().is_ok_and(|item| self.has(item)) {
                continue;
            }
            let read = read.and_then(|item| self.joined_with_original(item));
            let taken = read.and_then(|item| self.take(item, line));
            let taken = taken.and_then(|item| {
                item.as_ref()
                    .map_or(Ok(()), |item| self.columns.push(item))?;
                Ok(item)
            });
            match taken.map_err(|p| p.line(line).file(&found.path)) {
                Ok(Some(item)) => writer.push(&item)?,
                Ok(None) => {}
                Err(problem) if beside && problem.kind == ErrorKind::Input => {
                    unreadable.add(problem)
                }
                Err(problem) => skip(self.ask, &mut self.report, problem)?,
            }
        }
        self.note(source, reader.notes());
        self.report.notes.extend(unreadable.note(&source.name()));
        let rows = writer.rows;
        self.report.items += rows;
        let duplicates = self.report.duplicates - before;
        self.keep(
            writer,
            Content::Items { dataset },
            duplicates,
            source,
            &source_blake3,
        )?;
        self.report_file(source, found.format.name, rows);
        Ok(())
    }

    /// Matches files that count rows with known data sets, and imports the questions of the others.
    pub(super) fn beside(&mut self, list: &[Source], watch: ProgressSink<'_>) -> Result<()> {
        let own = self.datasets();
        if let Some(orders) = &mut self.orders {
            from_catalog(self.catalog, orders)?;
        }
        for source in list {
            let orders = self.orders.as_ref().filter(|_| source.positions);
            if let Some(found) = orders
                .map(|o| o.of(source, super::overrides(self.ask)))
                .transpose()?
                .flatten()
            {
                self.joined.insert(source.found.path.clone(), found);
                continue;
            }
            let dataset = sources::apart(source, &own);
            self.joined
                .insert(source.found.path.clone(), (dataset, Vec::new()));
            self.questions(source, true, watch)?;
        }
        Ok(())
    }

    fn dataset(&self, source: &Source) -> String {
        let joined = self
            .joined
            .get(&source.found.path)
            .map(|(dataset, _)| dataset.clone());
        let named = joined.or_else(|| source.dataset.clone());
        named.unwrap_or_else(|| sources::model_name(&source.found.path))
    }

    /// Reads an already imported file only for the order of its questions.
    fn order(&mut self, source: &Source, dataset: &str) -> Result<()> {
        let Some(orders) = &mut self.orders else {
            return Ok(());
        };
        let items = source.items(dataset, self.ask.mapping.as_deref())?;
        items
            .filter_map(|(_, item)| item.ok())
            .for_each(|item| orders.push(&item));
        Ok(())
    }

    /// Whether the project or this import has an item with this id.
    fn has(&self, item: &Item) -> bool {
        self.seen.contains_key(&id_hash(&item.id))
            || self.catalog.row_of_hash(id_hash(&item.id)).is_some()
    }

    /// The item with its pictures found. `None` if it already exists.
    fn take(&mut self, mut item: Item, line: u64) -> Result<Option<Item>> {
        let content = content_hash(&item)?;
        let file = self.sources.len() as u32 - 1;
        match self.seen.entry(id_hash(&item.id)) {
            Entry::Occupied(first) => {
                let first = *first.get();
                if first.content == content {
                    self.report.duplicates += 1;
                    return Ok(None);
                }
                let place = self
                    .sources
                    .get(first.file as usize)
                    .map(|p| p.display().to_string());
                return Err(Error::new(
                    ErrorKind::Conflict,
                    format!("`{}` appears twice with different content", item.key),
                )
                .field("id")
                .help(format!(
                    "the first one is at line {} of {}",
                    first.line,
                    place.unwrap_or_default()
                )));
            }
            Entry::Vacant(slot) => {
                if let Some(row) = self.catalog.row_of(&item.id)? {
                    let mut there = self.catalog.item(row as usize)?;
                    there
                        .images
                        .iter_mut()
                        .chain(&mut item.images)
                        .for_each(forget_where);
                    if there == item {
                        self.report.already += 1;
                        return Ok(None);
                    }
                    return Err(Error::new(
                        ErrorKind::Conflict,
                        format!(
                            "`{}` is already in the project with different content",
                            item.id
                        ),
                    )
                    .field("id")
                    .help("imported items cannot change; choose another data set with --dataset"));
                }
                slot.insert(super::FirstRead {
                    file,
                    line: u32::try_from(line).unwrap_or(u32::MAX),
                    content,
                });
            }
        }
        for image in &mut item.images {
            self.pictures.find(image)?;
        }
        Ok(Some(item))
    }
}

/// Adds the project's questions in order.
fn from_catalog(catalog: &benchtop_store::Catalog, orders: &mut Orders) -> Result<()> {
    let mut there = Orders::default();
    catalog.each_line(0, &mut |_, line| {
        let item: Item = catalog::parse(line)?;
        there.push(&item);
        Ok(true)
    })?;
    orders.add(there);
    Ok(())
}
