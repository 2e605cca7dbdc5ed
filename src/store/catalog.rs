//! The items and predictions of a project as they were brought in: columns in memory, texts in segments.

use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use lru::LruCache;

use super::columns::{Columns, id_hash};
use super::manifest::Part;
use super::revised_items::{Revision, Revisions};
use super::segment::Reader;
use benchtop_model::edit::EditMark;
use benchtop_model::{Error, ErrorKind, Item, Prediction, Result};

/// Unpacked frames kept: about 30 KB each.
const CACHED_FRAMES: usize = 192;

/// An item segment and the row it begins at.
#[derive(Clone, Debug)]
struct Texts {
    base: u32,
    part: Part,
    reader: Arc<Reader>,
}

/// Predictions of one model, as brought in by one file.
#[derive(Clone, Debug)]
pub struct Answers {
    /// What the manifest says of it.
    pub part: Part,
    reader: Arc<Reader>,
}

impl Answers {
    /// The JSON lines of frame `part`; `None` after the last.
    ///
    /// # Errors
    /// [`ErrorKind::Corrupt`] when the segment is damaged.
    pub fn lines(&self, part: usize) -> Result<Option<String>> {
        if part >= self.reader.frames().len() {
            return Ok(None);
        }
        let text = String::from_utf8(self.reader.frame(part)?);
        text.map(Some)
            .map_err(|_| Error::new(ErrorKind::Corrupt, "a stored prediction is not UTF-8"))
    }

    /// The answer in a row, from 0; none after the last.
    ///
    /// # Errors
    /// [`ErrorKind::Corrupt`] when the segment is damaged.
    pub fn prediction(&self, row: usize) -> Result<Option<Prediction>> {
        let frame_rows = self.reader.frame_rows();
        if row as u64 >= self.reader.rows() {
            return Ok(None);
        }
        let bytes = self.reader.frame(row / frame_rows)?;
        parse(line_of(&bytes, row % frame_rows)).map(Some)
    }

    /// All rows.
    ///
    /// # Errors
    /// [`ErrorKind::Corrupt`] when the segment is damaged.
    pub fn predictions(&self) -> Result<Vec<Prediction>> {
        let mut rows = Vec::with_capacity(self.part.rows as usize);
        for frame in 0..self.reader.frames().len() {
            for line in self
                .reader
                .frame(frame)?
                .split(|b| *b == b'\n')
                .filter(|l| !l.is_empty())
            {
                rows.push(parse(line)?);
            }
        }
        Ok(rows)
    }
}

pub(super) fn parse<T: serde::de::DeserializeOwned>(line: &[u8]) -> Result<T> {
    serde_json::from_slice(line).map_err(|e| {
        Error::new(
            ErrorKind::Corrupt,
            format!("a stored record cannot be read: {e}"),
        )
    })
}

/// Where line `n` of a frame begins, from 0; its end where there are fewer lines.
fn start_of(lines: &[u8], n: usize) -> usize {
    match n.checked_sub(1) {
        None => 0,
        Some(before) => memchr::memchr_iter(b'\n', lines)
            .nth(before)
            .map_or(lines.len(), |at| at + 1),
    }
}

/// The line `n` (from 0), without its end.
fn line_of(lines: &[u8], n: usize) -> &[u8] {
    let rest = lines.get(start_of(lines, n)..).unwrap_or_default();
    &rest[..memchr::memchr(b'\n', rest).unwrap_or(rest.len())]
}

/// Is given a text of a revised item: the row, the file that it came in, and its JSON.
pub type TakeText<'f> = &'f mut dyn FnMut(u32, &str, &[u8]) -> Result<()>;

type Frames = LruCache<(usize, usize), Arc<Vec<u8>>>;

/// Which state of a project's data something was made from: what is brought in or revised makes another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct CatalogVersion {
    items: usize,
    answers: usize,
    revisions: usize,
}

/// Everything brought in so far. Immutable: an import makes a new one that shares the old segments.
#[derive(Debug)]
pub struct Catalog {
    columns: Columns,
    texts: Vec<Texts>,
    answers: Vec<Answers>,
    revisions: Revisions,
    /// Rows in the order of their id hashes, made on first use.
    by_hash: OnceLock<Vec<u32>>,
    cache: Mutex<Frames>,
}

impl Default for Catalog {
    fn default() -> Self {
        Catalog::new(Columns::default())
    }
}

impl Catalog {
    /// A catalogue with these columns and no texts yet.
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

    /// A copy with other columns that shares the segments.
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

    /// Adds the texts of the next rows.
    pub fn add_texts(&mut self, part: Part, reader: Reader) {
        let base = self
            .texts
            .last()
            .map_or(0, |t| t.base + t.reader.rows() as u32);
        self.texts.push(Texts {
            base,
            part,
            reader: Arc::new(reader),
        });
    }

    /// Adds a model's answers.
    pub fn add_answers(&mut self, part: Part, reader: Reader) {
        self.answers.push(Answers {
            part,
            reader: Arc::new(reader),
        });
    }

    /// Adds later texts of rows that are there; see [`Revisions::add`].
    ///
    /// # Errors
    /// [`ErrorKind::Corrupt`] when the rows do not fit.
    pub fn add_revision(
        &mut self,
        what: (u64, bool, Option<EditMark>),
        rows: Vec<u32>,
        reader: Reader,
    ) -> Result<()> {
        self.revisions.add(what, rows, reader, self.columns.len())
    }

    /// The revisions of items, in order.
    pub fn revisions(&self) -> &Revisions {
        &self.revisions
    }

    /// Changes with everything that is brought in or revised: what is made from the texts is of one edition.
    pub fn edition(&self) -> CatalogVersion {
        CatalogVersion {
            items: self.len(),
            answers: self.answers.len(),
            revisions: self.revisions.list().len(),
        }
    }

    /// Every segment, those of items first.
    pub fn segments(&self) -> impl Iterator<Item = &Reader> {
        let revisions = self.revisions.list().iter().map(|r: &Revision| &*r.reader);
        self.texts
            .iter()
            .map(|t| &*t.reader)
            .chain(self.answers.iter().map(|a| &*a.reader))
            .chain(revisions)
    }

    /// The segments of items and of their later texts: what is made of texts alone follows from these.
    pub fn item_segments(&self) -> impl Iterator<Item = &Reader> {
        self.texts
            .iter()
            .map(|t| &*t.reader)
            .chain(self.revisions.list().iter().map(|r: &Revision| &*r.reader))
    }

    /// What the manifest says of the segments of items, in the order of their rows.
    pub fn item_parts(&self) -> impl Iterator<Item = &Part> {
        self.texts.iter().map(|t| &t.part)
    }

    /// Number of items.
    pub fn len(&self) -> usize {
        self.columns.len()
    }

    /// Whether there are no items.
    pub fn is_empty(&self) -> bool {
        self.columns.is_empty()
    }

    /// The columns.
    pub fn columns(&self) -> &Columns {
        &self.columns
    }

    /// All answers, in the order they were brought in.
    pub fn answers(&self) -> &[Answers] {
        &self.answers
    }

    /// Rows that texts exist for; equals [`len`](Self::len) in a whole catalogue.
    pub fn text_rows(&self) -> usize {
        self.texts
            .last()
            .map_or(0, |t| t.base as usize + t.reader.rows() as usize)
    }

    fn frame(&self, segment: usize, frame: usize) -> Result<Arc<Vec<u8>>> {
        let mut cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = cache.get(&(segment, frame)) {
            return Ok(found.clone());
        }
        drop(cache);
        let reader = match self.texts.get(segment) {
            Some(texts) => &texts.reader,
            None => &self.revisions.list()[usize::MAX - segment].reader,
        };
        let bytes = Arc::new(reader.frame(frame)?);
        cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        cache.put((segment, frame), bytes.clone());
        Ok(bytes)
    }

    /// Where the first text of a row is: segment, frame, line in the frame.
    fn locate(&self, row: usize) -> Result<(usize, usize, usize)> {
        let segment = self
            .texts
            .partition_point(|t| t.base as usize <= row)
            .checked_sub(1);
        let found =
            segment.and_then(|s| Some((s, row.checked_sub(self.texts.get(s)?.base as usize)?)));
        match found {
            Some((s, local)) if (local as u64) < self.texts[s].reader.rows() => {
                let frame_rows = self.texts[s].reader.frame_rows();
                Ok((s, local / frame_rows, local % frame_rows))
            }
            _ => Err(Error::new(
                ErrorKind::NotFound,
                format!("there is no item #{}", row + 1),
            )),
        }
    }

    /// The JSON of the item in `row`.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`] and [`ErrorKind::Corrupt`].
    pub fn line(&self, row: usize) -> Result<String> {
        self.line_from(row, self.revisions.locate(row))
    }

    /// The item in `row` as it was at revision `rev` of the project.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`] and [`ErrorKind::Corrupt`].
    pub fn item_at(&self, row: u32, rev: u64) -> Result<Item> {
        parse(
            self.line_from(row as usize, self.revisions.locate_at(row, rev))?
                .as_bytes(),
        )
    }

    /// The JSON of the item in `row`: its later text at this place, or its first one.
    fn line_from(&self, row: usize, later: Option<(usize, usize, usize)>) -> Result<String> {
        let (segment, frame, within) = match later {
            // Revisions are kept in the same cache, numbered from the other end.
            Some((revision, frame, within)) => (usize::MAX - revision, frame, within),
            None => self.locate(row)?,
        };
        let bytes = self.frame(segment, frame)?;
        String::from_utf8(line_of(&bytes, within).to_vec()).map_err(|_| {
            Error::new(
                ErrorKind::Corrupt,
                format!("item #{} is not UTF-8", row + 1),
            )
        })
    }

    /// The item in `row`.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`] and [`ErrorKind::Corrupt`].
    pub fn item(&self, row: usize) -> Result<Item> {
        parse(self.line(row)?.as_bytes())
    }

    /// The JSON lines of up to a frame of items from `row` on, newline after each, and the row after them. Nothing
    /// is cached: this is for reading everything once.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`] and [`ErrorKind::Corrupt`].
    pub fn chunk(&self, row: usize) -> Result<(Vec<u8>, usize)> {
        let (segment, frame, within) = self.locate(row)?;
        let reader = &self.texts[segment].reader;
        let bytes = reader.frame(frame)?;
        let start = start_of(&bytes, within);
        let in_frame =
            (reader.rows() as usize - frame * reader.frame_rows()).min(reader.frame_rows());
        let rest = if start == 0 {
            bytes
        } else {
            bytes[start..].to_vec()
        };
        let next = row - within + in_frame;
        Ok((self.with_revisions(rest, row..next)?, next))
    }

    /// These lines of these rows, with the current text of those that were revised.
    fn with_revisions(&self, lines: Vec<u8>, rows: std::ops::Range<usize>) -> Result<Vec<u8>> {
        if rows.clone().all(|row| self.revisions.locate(row).is_none()) {
            return Ok(lines);
        }
        let mut out = Vec::with_capacity(lines.len());
        for (row, line) in rows.zip(lines.split(|b| *b == b'\n')) {
            match self.revisions.locate(row) {
                Some(_) => out.extend_from_slice(self.line(row)?.as_bytes()),
                None => out.extend_from_slice(line),
            }
            out.push(b'\n');
        }
        Ok(out)
    }

    /// The lines of `rows` (rising) in their order; each frame of texts is read once.
    ///
    /// # Errors
    /// [`ErrorKind::Corrupt`] when the texts are damaged, and what `each` returns.
    pub fn each_of(
        &self,
        rows: &[u32],
        each: &mut dyn FnMut(u32, &[u8]) -> Result<()>,
    ) -> Result<()> {
        let mut wanted = rows.iter().copied().peekable();
        while let Some(&first) = wanted.peek() {
            let start = first as usize;
            let (bytes, next) = self.chunk(start)?;
            for (row, line) in (first..next as u32).zip(bytes.split(|b| *b == b'\n')) {
                if wanted.next_if_eq(&row).is_some() {
                    each(row, line)?;
                }
            }
        }
        Ok(())
    }

    /// Calls `each` with every item's row and JSON from `row` on, until it says to stop.
    ///
    /// # Errors
    /// [`ErrorKind::Corrupt`], and what `each` returns.
    pub fn each_line(
        &self,
        mut row: usize,
        each: &mut dyn FnMut(usize, &[u8]) -> Result<bool>,
    ) -> Result<()> {
        while row < self.len() {
            let (bytes, next) = self.chunk(row)?;
            for (at, line) in bytes.split(|b| *b == b'\n').take(next - row).enumerate() {
                if !each(row + at, line)? {
                    return Ok(());
                }
            }
            row = next;
        }
        Ok(())
    }

    /// Calls `each` with every text that revised items have had, those of a row in
    /// the order in which they came. Revisions of which a person sees nothing are passed over.
    ///
    /// # Errors
    /// [`ErrorKind::Corrupt`], and what `each` returns.
    pub fn each_text_of_revised(&self, each: TakeText<'_>) -> Result<()> {
        let seen = || {
            self.revisions
                .list()
                .iter()
                .filter(|revision| !revision.keeps)
        };
        let mut rows: Vec<u32> = seen()
            .flat_map(|revision| revision.rows.iter().copied())
            .collect();
        rows.sort_unstable();
        rows.dedup();
        for row in rows {
            let (segment, frame, within) = self.locate(row as usize)?;
            let bytes = self.frame(segment, frame)?;
            each(
                row,
                self.texts[segment].reader.file(),
                line_of(&bytes, within),
            )?;
        }
        for revision in seen() {
            let mut rows = revision.rows.iter();
            for frame in 0..revision.reader.frames().len() {
                let bytes = revision.reader.frame(frame)?;
                let lines = bytes.split(|b| *b == b'\n').filter(|line| !line.is_empty());
                lines
                    .zip(rows.by_ref())
                    .try_for_each(|(line, row)| each(*row, revision.file(), line))?;
            }
        }
        Ok(())
    }

    /// The row of the item with this id.
    ///
    /// # Errors
    /// [`ErrorKind::Corrupt`] when the texts are damaged.
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

    /// The row whose id has this hash. Two ids share one with a chance of about 1 in 10^8 at 617K items, so whoever
    /// only needs the row of an id it wrote itself (a journal) may use this without reading texts.
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
