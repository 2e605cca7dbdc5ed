//! The items and predictions of a project: columns in memory, texts in segments.

mod answers;
mod scan;

use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use lru::LruCache;

use super::columns::{Columns, id_hash};
use super::manifest::Segment;
use super::revised_items::{Revision, Revisions};
use super::segment::Reader;
pub use answers::PredictionSegment;
use benchtop_model::edit::EditMark;
use benchtop_model::{Error, Item, Result};

/// Number of cached frames. An unpacked frame has about 30 KB.
const CACHED_FRAMES: usize = 192;

/// An item segment and the row at which it starts.
#[derive(Clone, Debug)]
struct Texts {
    base: u32,
    part: Segment,
    reader: Arc<Reader>,
}

/// Parses the JSON of a stored record.
///
/// # Errors
/// [`Error::corrupt`].
pub fn parse<'l, T: serde::Deserialize<'l>>(line: &'l [u8]) -> Result<T> {
    serde_json::from_slice(line)
        .map_err(|e| Error::corrupt(format!("cannot parse a stored record: {e}")))
}

/// Parses the item in `row`, or some of its fields.
///
/// # Errors
/// [`Error::corrupt`] with the item's number.
pub fn parse_item<'l, T: serde::Deserialize<'l>>(row: usize, line: &'l [u8]) -> Result<T> {
    serde_json::from_slice(line)
        .map_err(|e| Error::corrupt(format!("cannot read item #{}: {e}", row + 1)))
}

/// Offset of line `n` of a frame, from 0, or the frame's length if it has fewer lines.
fn start_of(lines: &[u8], n: usize) -> usize {
    match n.checked_sub(1) {
        None => 0,
        Some(before) => memchr::memchr_iter(b'\n', lines)
            .nth(before)
            .map_or(lines.len(), |at| at + 1),
    }
}

/// Line `n` of a frame, from 0, without its newline.
fn line_of(lines: &[u8], n: usize) -> &[u8] {
    let rest = lines.get(start_of(lines, n)..).unwrap_or_default();
    &rest[..memchr::memchr(b'\n', rest).unwrap_or(rest.len())]
}

/// Receives a text of a revised item: its row, the segment file, and its JSON.
pub type TakeText<'f> = &'f mut dyn FnMut(u32, &str, &[u8]) -> Result<()>;

type Frames = LruCache<(usize, usize), Arc<Vec<u8>>>;

/// Version of a project's items and predictions. An import or a revision makes a new version.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct CatalogVersion {
    items: usize,
    answers: usize,
    revisions: usize,
}

/// All items and predictions of a project. A catalog is immutable. An import makes a new one that
/// shares the old segments.
#[derive(Debug)]
pub struct Catalog {
    columns: Columns,
    texts: Vec<Texts>,
    answers: Vec<PredictionSegment>,
    revisions: Revisions,
    /// Rows sorted by id hash, computed on first use.
    by_hash: OnceLock<Vec<u32>>,
    cache: Mutex<Frames>,
}

impl Default for Catalog {
    fn default() -> Self {
        Catalog::new(Columns::default())
    }
}

impl Catalog {
    /// A catalog with these columns and without texts.
    pub fn new(columns: Columns) -> Catalog {
        let capacity = NonZeroUsize::new(CACHED_FRAMES).unwrap_or(NonZeroUsize::MIN);
        Catalog {
            columns,
            texts: Vec::new(),
            answers: Vec::new(),
            revisions: Revisions::default(),
            by_hash: OnceLock::new(),
            cache: Mutex::new(LruCache::new(capacity)),
        }
    }

    /// A copy with other columns and the same segments.
    pub fn with_columns(&self, columns: Columns) -> Catalog {
        let (texts, answers, revisions) = (
            self.texts.clone(),
            self.answers.clone(),
            self.revisions.clone(),
        );
        Catalog {
            texts,
            answers,
            revisions,
            ..Catalog::new(columns)
        }
    }

    /// Adds the segment with the texts of the next rows.
    pub fn add_texts(&mut self, part: Segment, reader: Reader) {
        let base = self
            .texts
            .last()
            .map_or(0, |t| t.base + t.reader.rows as u32);
        self.texts.push(Texts {
            base,
            part,
            reader: Arc::new(reader),
        });
    }

    /// Adds a segment of predictions.
    pub fn add_answers(&mut self, part: Segment, reader: Reader) {
        self.answers.push(PredictionSegment {
            part,
            reader: Arc::new(reader),
        });
    }

    /// Adds later texts of existing rows; see [`Revisions::add`].
    ///
    /// # Errors
    /// [`Error::corrupt`] if the rows do not match.
    pub fn add_revision(
        &mut self,
        what: (u64, bool, Option<EditMark>),
        rows: Vec<u32>,
        reader: Reader,
    ) -> Result<()> {
        self.revisions.add(what, rows, reader, self.columns.len())
    }

    pub fn revisions(&self) -> &Revisions {
        &self.revisions
    }

    /// The version of the catalog. It changes with every import and revision.
    pub fn edition(&self) -> CatalogVersion {
        CatalogVersion {
            items: self.len(),
            answers: self.answers.len(),
            revisions: self.revisions.list.len(),
        }
    }

    /// All segments, items first.
    pub fn segments(&self) -> impl Iterator<Item = &Reader> {
        let revisions = self.revisions.list.iter().map(|r: &Revision| &*r.reader);
        self.texts
            .iter()
            .map(|t| &*t.reader)
            .chain(self.answers.iter().map(|a| &*a.reader))
            .chain(revisions)
    }

    /// The segments of items and of their later texts. Anything derived from texts alone depends on
    /// these.
    pub fn item_segments(&self) -> impl Iterator<Item = &Reader> {
        self.texts
            .iter()
            .map(|t| &*t.reader)
            .chain(self.revisions.list.iter().map(|r: &Revision| &*r.reader))
    }

    /// The manifest entries of the item segments, in row order.
    pub fn item_parts(&self) -> impl Iterator<Item = &Segment> {
        self.texts.iter().map(|t| &t.part)
    }

    pub fn len(&self) -> usize {
        self.columns.len()
    }

    pub fn is_empty(&self) -> bool {
        self.columns.is_empty()
    }

    /// The row of the item with this number.
    ///
    /// # Errors
    /// [`Error::not_found`] if there is none.
    pub fn row(&self, number: u32) -> Result<u32> {
        let row = number
            .checked_sub(1)
            .filter(|row| (*row as usize) < self.len());
        row.ok_or_else(|| Error::not_found(format!("unknown item #{number}")))
    }

    pub fn columns(&self) -> &Columns {
        &self.columns
    }

    /// All predictions, in import order.
    pub fn answers(&self) -> &[PredictionSegment] {
        &self.answers
    }

    /// Number of rows with texts. It equals [`len`](Self::len) in a complete catalog.
    pub fn text_rows(&self) -> usize {
        self.texts
            .last()
            .map_or(0, |t| t.base as usize + t.reader.rows as usize)
    }

    fn frame(&self, segment: usize, frame: usize) -> Result<Arc<Vec<u8>>> {
        let mut cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = cache.get(&(segment, frame)) {
            return Ok(found.clone());
        }
        drop(cache);
        let reader = match self.texts.get(segment) {
            Some(texts) => &texts.reader,
            None => &self.revisions.list[usize::MAX - segment].reader,
        };
        let bytes = Arc::new(reader.frame(frame)?);
        cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        cache.put((segment, frame), bytes.clone());
        Ok(bytes)
    }

    /// Location of the first text of a row: segment, frame, and line in the frame.
    fn locate(&self, row: usize) -> Result<(usize, usize, usize)> {
        let segment = self
            .texts
            .partition_point(|t| t.base as usize <= row)
            .checked_sub(1);
        let found =
            segment.and_then(|s| Some((s, row.checked_sub(self.texts.get(s)?.base as usize)?)));
        match found {
            Some((s, local)) if (local as u64) < self.texts[s].reader.rows => {
                let frame_rows = self.texts[s].reader.frame_rows;
                Ok((s, local / frame_rows, local % frame_rows))
            }
            _ => Err(Error::not_found(format!(
                "item #{} does not exist",
                row + 1
            ))),
        }
    }

    /// The JSON of the item in `row`.
    ///
    /// # Errors
    /// [`Error::not_found`] and [`Error::corrupt`].
    pub fn line(&self, row: usize) -> Result<String> {
        self.line_from(row, self.revisions.locate(row))
    }

    /// The item in `row` at revision `rev` of the project.
    ///
    /// # Errors
    /// [`Error::not_found`] and [`Error::corrupt`].
    pub fn item_at(&self, row: u32, rev: u64) -> Result<Item> {
        parse(
            self.line_from(row as usize, self.revisions.locate_at(row, rev))?
                .as_bytes(),
        )
    }

    /// The JSON of the item in `row`: its text at `later`, or its first text.
    fn line_from(&self, row: usize, later: Option<(usize, usize, usize)>) -> Result<String> {
        let (segment, frame, within) = match later {
            // Revisions share the cache. Their segment numbers count down from the top.
            Some((revision, frame, within)) => (usize::MAX - revision, frame, within),
            None => self.locate(row)?,
        };
        let bytes = self.frame(segment, frame)?;
        String::from_utf8(line_of(&bytes, within).to_vec())
            .map_err(|_| Error::corrupt(format!("item #{} is not UTF-8", row + 1)))
    }

    /// The item in `row`.
    ///
    /// # Errors
    /// [`Error::not_found`] and [`Error::corrupt`].
    pub fn item(&self, row: usize) -> Result<Item> {
        parse(self.line(row)?.as_bytes())
    }

    /// The row of the item with this id.
    ///
    /// # Errors
    /// [`Error::corrupt`] if the texts are damaged.
    pub fn row_of(&self, id: &str) -> Result<Option<u32>> {
        let hash = id_hash(id);
        let hashes = &self.columns.id_hash;
        let order = self.order();
        let first = order.partition_point(|&row| hashes[row as usize] < hash);
        for &row in order[first..]
            .iter()
            .take_while(|&&row| hashes[row as usize] == hash)
        {
            if self.item(row as usize)?.id == id {
                return Ok(Some(row));
            }
        }
        Ok(None)
    }

    /// The row whose id has this hash, without reading texts. Use it only for ids from this
    /// project, such as those of its journals. At 617,000 items, two ids collide with a probability
    /// of about 1 in 10^8.
    pub fn row_of_hash(&self, hash: u64) -> Option<u32> {
        let hashes = &self.columns.id_hash;
        let order = self.order();
        let first = order.partition_point(|&row| hashes[row as usize] < hash);
        order
            .get(first)
            .copied()
            .filter(|&row| hashes[row as usize] == hash)
    }

    fn order(&self) -> &[u32] {
        let hashes = &self.columns.id_hash;
        self.by_hash.get_or_init(|| {
            let mut order: Vec<u32> = (0..hashes.len() as u32).collect();
            order.sort_unstable_by_key(|&row| hashes[row as usize]);
            order
        })
    }
}
