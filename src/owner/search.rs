//! Filtered, sorted, and searched lists of items. The search arena is built on first use and kept
//! until the next import.

use std::collections::HashMap;
use std::hash::{Hash, Hasher};
use std::num::NonZeroUsize;
use std::sync::Arc;

use lru::LruCache;
use parking_lot::Mutex;

use super::generate::PictureStates;
use super::metadata::MetadataSnapshot;
use super::releases::ReleasedRows;
use benchtop_model::cancel::Cancel;
use benchtop_model::field::Source;
use benchtop_model::filter::{CommentCondition, VerdictCondition};
use benchtop_model::usage::Freshness;
use benchtop_model::{Field, Filter, Item, Result, Sort};
use benchtop_pipeline::scoring::rules::{self as scoring, ColumnsBy, Outcomes};
use benchtop_pipeline::usage::Usage;
use benchtop_search::arena::{Arena, searchable};
use benchtop_store::catalog::CatalogVersion;
use benchtop_store::contains;
use benchtop_store::{Catalog, StatusColumns, query};

/// Number of lists that are cached for paging.
const LISTS: usize = 6;
/// Number of counts that are cached: Home has four for each person.
const COUNTS: usize = 32;

/// Everything that a list or a count depends on.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Key {
    words: String,
    /// Length and hash of an explicit selection, which may contain every item.
    only: Option<(usize, u64)>,
    sort: Vec<(Field, bool)>,
    edition: CatalogVersion,
    rev: u64,
    /// Generation of the metadata, if the filter uses it.
    metadata: u64,
    /// Generation of scores and rules, if the filter uses them.
    scores: u64,
    /// Generation of the picture files, if the filter uses them.
    pictures: u64,
    /// Generation of the releases, if the filter uses them.
    releases: u64,
    /// Key of the annotator's blind mask.
    mask: u64,
}

/// The metadata and its usage by items.
#[derive(Clone)]
pub struct Derived {
    pub held: Arc<MetadataSnapshot>,
    /// Its usage by items.
    pub usage: Arc<Usage>,
    /// Rows of derived items whose source changed, in order; empty unless the filter asks.
    pub stale: Arc<Vec<u32>>,
}

impl Derived {
    /// Keeps the rows that pass the conditions on metadata.
    fn retain(&self, rows: &mut Vec<u32>, filter: &Filter) {
        if !filter.fresh.is_empty() {
            let codes = self.held.fresh(&self.usage);
            let code = |row: &u32| match self.stale.binary_search(row) {
                Ok(_) => Freshness::Stale.code(),
                Err(_) => codes.get(*row as usize).copied().unwrap_or_default(),
            };
            rows.retain(|row| filter.fresh.iter().any(|f| f.code() == code(row)));
        }
        self.usage.retain(self.held.compiled(), rows, filter);
    }
}

/// Data for filters that the columns cannot answer.
#[derive(Clone, Default)]
pub struct DerivedData {
    /// The metadata and its usage, if the filter uses them.
    pub derived: Option<Derived>,
    /// Picture states of the items, if the filter uses them. They change with the revision and with
    /// the files.
    pub pictures: Option<PictureStates>,
    /// Rules and scores, if the filter uses them.
    pub scores: Option<ByScore>,
    /// Rows, in rising order, with a verdict that meets each condition.
    pub said: Vec<(VerdictCondition, Vec<u32>)>,
    /// Rows, in rising order, whose comments and marks meet each condition, or fail it if rows
    /// without any meet it.
    pub commented: Vec<(CommentCondition, Vec<u32>)>,
    /// Rows of the releases with their generation, if the filter uses them.
    pub releases: Option<(u64, Arc<ReleasedRows>)>,
    /// Key of the annotator's blind mask; 0 for none.
    pub mask: u64,
}

impl Key {
    fn new((catalog, _, rev, beside): Parts<'_>, filter: &Filter, sort: &[Sort]) -> Key {
        let only = filter.only.as_ref().map(|only| {
            let mut hasher = std::hash::DefaultHasher::new();
            only.hash(&mut hasher);
            (only.len(), hasher.finish())
        });
        Key {
            words: Filter {
                only: None,
                ..filter.clone()
            }
            .to_text(),
            only,
            sort: sort.iter().map(|s| (s.field, s.descending)).collect(),
            edition: catalog.edition(),
            rev,
            metadata: beside.derived.as_ref().map_or(0, |d| d.held.generation),
            scores: beside.scores.as_ref().map_or(0, |s| s.generation),
            pictures: beside.pictures.as_ref().map_or(0, |p| p.0),
            releases: beside.releases.as_ref().map_or(0, |r| r.0),
            mask: beside.mask,
        }
    }
}

/// Scores and rule outcomes of the items.
#[derive(Clone, Default)]
pub struct ByScore {
    /// Changes when scores or rules change.
    pub generation: u64,
    /// Scores that the filter uses.
    pub columns: ColumnsBy,
    /// Rule outcomes, if the filter uses them.
    pub outcomes: Option<Arc<Outcomes>>,
}

impl ByScore {
    fn retain(&self, rows: &mut Vec<u32>, filter: &Filter, catalog: &Catalog) {
        if let Some(outcomes) = &self.outcomes {
            rows.retain(|row| {
                filter.outcome.is_empty()
                    || filter.outcome.contains(&outcomes.of_row(*row as usize))
            });
        }
        scoring::retain(rows, &filter.scores, &self.columns, catalog);
    }
}

/// Items, statuses, revision, and data beside the columns.
pub type Parts<'a> = (&'a Catalog, &'a StatusColumns, u64, &'a DerivedData);

type Ranks = HashMap<Field, (CatalogVersion, Arc<Vec<u32>>)>;

/// Search arena, text orders, recent lists, and recent counts. Each records the catalog version it
/// was made for.
pub struct Search {
    arena: Mutex<Option<(CatalogVersion, Arc<Arena>)>>,
    ranks: Mutex<Ranks>,
    lists: Mutex<LruCache<Key, Arc<List>>>,
    counts: Mutex<LruCache<Key, u64>>,
}

fn cache<T>(size: usize) -> Mutex<LruCache<Key, T>> {
    Mutex::new(LruCache::new(
        NonZeroUsize::new(size).unwrap_or(NonZeroUsize::MIN),
    ))
}

/// Rows in order, with their number.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct List {
    /// Rows in order.
    pub rows: Vec<u32>,
    /// Number of matching rows; exact unless `partial`.
    pub total: u64,
    /// Whether the search continues.
    pub partial: bool,
}

impl Default for Search {
    fn default() -> Self {
        Search {
            arena: Mutex::default(),
            ranks: Mutex::default(),
            lists: cache(LISTS),
            counts: cache(COUNTS),
        }
    }
}

impl Search {
    /// The arena over `catalog`. The first caller builds it while others wait.
    ///
    /// # Errors
    /// [`benchtop_model::ErrorKind::Corrupt`] if the stored texts are damaged.
    pub fn arena(&self, catalog: &Catalog) -> Result<Arc<Arena>> {
        let mut held = self.arena.lock();
        if let Some((_, arena)) = held
            .as_ref()
            .filter(|(edition, _)| *edition == catalog.edition())
        {
            return Ok(arena.clone());
        }
        let mut arena = Arena::new();
        let mut text = String::new();
        catalog.each_line(0, &mut |row, line| {
            let item: Item = parse(line)?;
            text.clear();
            searchable(&item, &mut text);
            arena.push(row as u32, &text).map(|()| true)
        })?;
        arena.shrink();
        let arena = Arc::new(arena);
        *held = Some((catalog.edition(), arena.clone()));
        Ok(arena)
    }

    /// Rows that pass the filter, in rising order, without its fuzzy text.
    fn passing(
        &self,
        (catalog, overlay, _, beside): Parts<'_>,
        filter: &Filter,
    ) -> Result<Vec<u32>> {
        let mut rows = query::select(catalog.columns(), overlay, filter);
        if let Some(derived) = &beside.derived {
            derived.retain(&mut rows, filter);
        }
        if let Some((_, pictures)) = beside
            .pictures
            .as_ref()
            .filter(|_| !filter.picture.is_empty())
        {
            rows.retain(|row| {
                pictures
                    .get(*row as usize)
                    .is_some_and(|state| state.is_among(&filter.picture))
            });
        }
        if let Some(scores) = &beside.scores {
            scores.retain(&mut rows, filter, catalog);
        }
        if !filter.verdicts.is_empty() {
            let found = beside
                .said
                .iter()
                .find(|(said, _)| *said == filter.verdicts);
            let found = found.map(|(_, rows)| rows.as_slice()).unwrap_or_default();
            rows.retain(|row| found.binary_search(row).is_ok());
        }
        if !filter.comments.is_empty() {
            let found = beside
                .commented
                .iter()
                .find(|(said, _)| *said == filter.comments);
            let found = found.map(|(_, rows)| rows.as_slice()).unwrap_or_default();
            let others = filter.comments.passes_without();
            rows.retain(|row| found.binary_search(row).is_ok() != others);
        }
        if let Some((_, releases)) = beside.releases.as_ref()
            && !filter.releases.is_empty()
        {
            let wanted = filter.releases.iter();
            let wanted: Vec<_> = wanted.filter_map(|name| releases.get(name)).collect();
            rows.retain(|row| wanted.iter().any(|rows| rows.binary_search(row).is_ok()));
        }
        for wanted in &filter.contains {
            contains::retain(catalog, &*self.arena(catalog)?, &mut rows, wanted)?;
        }
        if !filter.rotation.is_empty() {
            contains::retain_rotations(catalog, &mut rows, &filter.rotation)?;
        }
        for not in &filter.not {
            let out = self.passing((catalog, overlay, 0, beside), not)?;
            rows.retain(|row| out.binary_search(row).is_err());
        }
        Ok(rows)
    }

    /// Number of rows that pass the filter, without its fuzzy text.
    ///
    /// # Errors
    /// [`benchtop_model::ErrorKind::Corrupt`] if the stored texts are damaged.
    pub fn count(&self, parts: Parts<'_>, filter: &Filter) -> Result<u64> {
        let key = Key::new(parts, filter, &[]);
        if let Some(count) = self.counts.lock().get(&key) {
            return Ok(*count);
        }
        let count = self.passing(parts, filter)?.len() as u64;
        self.counts.lock().put(key, count);
        Ok(count)
    }

    /// Rank of each row in the order of a text.
    fn ranks(&self, catalog: &Catalog, field: Field) -> Result<Arc<Vec<u32>>> {
        let mut held = self.ranks.lock();
        if let Some((_, ranks)) = held
            .get(&field)
            .filter(|(edition, _)| *edition == catalog.edition())
        {
            return Ok(ranks.clone());
        }
        let mut keys: Vec<(String, i64, u32)> = Vec::with_capacity(catalog.len());
        catalog.each_line(0, &mut |row, line| {
            let item: Item = parse(line)?;
            // Compare numbers by value, so that `set/9` precedes `set/10`.
            let key = match (field, &item.key) {
                (Field::Id, benchtop_model::Key::Int(n)) => (item.dataset, *n, row as u32),
                (Field::Id, benchtop_model::Key::Text(_)) => (item.id, 0, row as u32),
                _ => (field.of(&item).to_lowercase(), 0, row as u32),
            };
            keys.push(key);
            Ok(true)
        })?;
        keys.sort_unstable();
        let mut ranks = vec![0; keys.len()];
        let mut rank = 0;
        for (at, key) in keys.iter().enumerate() {
            if at > 0 && (&key.0, key.1) != (&keys[at - 1].0, keys[at - 1].1) {
                rank += 1;
            }
            ranks[key.2 as usize] = rank;
        }
        let ranks = Arc::new(ranks);
        held.insert(field, (catalog.edition(), ranks.clone()));
        Ok(ranks)
    }

    /// Rows that match `filter`, in the order of `sort`. With text and without `sort`, rows are
    /// ordered by score, and `partial` receives the rows found so far. `cancel` ends the search
    /// early.
    ///
    /// # Errors
    /// [`benchtop_model::ErrorKind::Corrupt`] if the stored texts are damaged.
    pub fn list(
        &self,
        parts: Parts<'_>,
        filter: &Filter,
        sort: &[Sort],
        cancel: Cancel<'_>,
        partial: &mut dyn FnMut(&List),
    ) -> Result<Arc<List>> {
        let (catalog, overlay, ..) = parts;
        let key = Key::new(parts, filter, sort);
        if let Some(list) = self.lists.lock().get(&key) {
            return Ok(list.clone());
        }
        let mut rows = self.passing(parts, filter)?;
        if !filter.text.trim().is_empty() {
            let arena = self.arena(catalog)?;
            let all = rows.len() == catalog.len();
            let only = if all { None } else { Some(rows.as_slice()) };
            if sort.is_empty() {
                let mut tell = |found: benchtop_search::Partial| {
                    let rows = found
                        .rows
                        .into_iter()
                        .map(|(row, _)| row)
                        .collect::<Vec<_>>();
                    partial(&List {
                        total: rows.len() as u64,
                        rows,
                        partial: true,
                    });
                };
                let hits = benchtop_search::search(&arena, &filter.text, only, cancel, &mut tell);
                let best: Vec<u32> = hits.rows.into_iter().map(|(row, _)| row).collect();
                let total = hits.exact.unwrap_or(best.len() as u64);
                let partial = hits.partial || (best.len() as u64) < total;
                let list = Arc::new(List {
                    rows: best,
                    total,
                    partial,
                });
                if !hits.partial {
                    self.lists.lock().put(key, list.clone());
                }
                return Ok(list);
            }
            rows =
                benchtop_search::matching(&arena, &filter.text, only, cancel).unwrap_or_default();
        }
        let texts: HashMap<Field, Arc<Vec<u32>>> = sort
            .iter()
            .filter(|s| matches!(s.field.row().source, Source::Text(_)))
            .map(|s| Ok((s.field, self.ranks(catalog, s.field)?)))
            .collect::<Result<_>>()?;
        query::sort(catalog.columns(), overlay, &mut rows, sort, &|field| {
            texts.get(&field).cloned()
        });
        let list = Arc::new(List {
            total: rows.len() as u64,
            rows,
            partial: false,
        });
        if !cancel.is_canceled() {
            self.lists.lock().put(key, list.clone());
        }
        Ok(list)
    }

    /// All rows of a text search: the best ones by score, then the others by number.
    ///
    /// # Errors
    /// [`benchtop_model::ErrorKind::Corrupt`] if the stored texts are damaged.
    pub fn all_rows(&self, parts: Parts<'_>, filter: &Filter, best: &[u32]) -> Result<Vec<u32>> {
        let catalog = parts.0;
        let within = self.passing(parts, filter)?;
        let arena = self.arena(catalog)?;
        let all = benchtop_search::matching(&arena, &filter.text, Some(&within), Cancel::NEVER)
            .unwrap_or_default();
        let first: std::collections::HashSet<u32> = best.iter().copied().collect();
        Ok(best
            .iter()
            .copied()
            .chain(all.into_iter().filter(|row| !first.contains(row)))
            .collect())
    }
}

fn parse(line: &[u8]) -> Result<Item> {
    serde_json::from_slice(line)
        .map_err(|e| benchtop_model::Error::corrupt(format!("a stored item is damaged: {e}")))
}
