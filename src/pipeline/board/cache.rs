//! Board caches below `store/board/`: the question table, the parsed answers of each model and
//! rule, and the similarities of free-form answers. A cache that is missing, damaged, or outdated
//! is rebuilt.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use bytemuck::cast_slice;
use serde::{Deserialize, Serialize};

use super::diagnostics::FileOutcomes;
use benchtop_files::disk;
use benchtop_metrics::score::parsed_answer::ParsedAnswer;
use benchtop_metrics::score::question_table::{NAMED, QuestionTable};
use benchtop_metrics::score::term_codes::TermCodes;
use benchtop_metrics::score::{ModelAnswers, Place};
use benchtop_model::board::Counts;
use benchtop_model::{Error, ErrorKind, Result};
use benchtop_store::Catalog;
use benchtop_store::snapshot_format::{self, Reading};

const SHEET: &[u8; 8] = b"btsheet\x08";
const MARKS: &[u8; 8] = b"btmarks\x04";
const SIMILAR: &[u8; 8] = b"btsimil\x01";
/// Bytes per row of the table without its hashes: id, codes, rotation, chance level, and seven
/// single bytes.
const ROW: u64 = 8 + 2 * NAMED.len() as u64 + 2 + 8 + 7;

#[derive(Serialize, Deserialize)]
struct SheetTail {
    names: [Vec<String>; NAMED.len()],
    /// Number of rows of each cached hash column.
    hashes: [u64; 5],
    proxies: BTreeSet<(String, String)>,
    /// The vocabularies, each with its terms and the number of rows of its codes.
    terms: Vec<(String, Vec<String>, u64)>,
}

/// A digest of the questions.
pub(super) fn questions(catalog: &Catalog) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    catalog.item_segments().for_each(|segment| {
        let bytes: u64 = segment.frames.iter().map(|f| u64::from(f.length)).sum();
        hasher.update(format!("{} {} {bytes}\n", segment.file(), segment.rows).as_bytes());
    });
    *hasher.finalize().as_bytes()
}

/// A hasher over a model's answer files.
pub(super) fn digest(catalog: &Catalog, files: &[usize]) -> blake3::Hasher {
    let mut hasher = blake3::Hasher::new();
    for part in files.iter().map(|at| &catalog.answers()[*at].part) {
        hasher.update(part.blake3.as_bytes());
        hasher.update(part.source.as_bytes());
    }
    hasher
}

/// The cache name of a model.
pub(super) fn short(what: &str) -> String {
    blake3::hash(what.as_bytes())
        .to_hex()
        .as_str()
        .chars()
        .take(32)
        .collect()
}

fn folder(store: &Path) -> PathBuf {
    store.join("board")
}

/// Writes the question table with the digest `key`.
pub(super) fn write_sheet(store: &Path, key: &[u8; 32], sheet: &QuestionTable) -> Result<()> {
    disk::ensure_dir(&folder(store))?;
    let hashes = [
        &sheet.image,
        &sheet.pair,
        &sheet.text,
        &sheet.rotation_set,
        &sheet.original,
    ]
    .map(|h| h.values());
    let mut arrays: Vec<&[u8]> = hashes.iter().map(|h| cast_slice::<u64, u8>(h)).collect();
    arrays.push(cast_slice(&sheet.id));
    arrays.push(cast_slice(&sheet.chance));
    arrays.extend(sheet.codes.iter().map(|c| cast_slice::<u16, u8>(c)));
    arrays.push(cast_slice(&sheet.rotation));
    let bytes = [
        &sheet.kind,
        &sheet.gold,
        &sheet.refusal,
        &sheet.side,
        &sheet.rule,
        &sheet.modified,
        &sheet.options,
    ];
    arrays.extend(bytes.map(|c| &c[..]));
    arrays.extend(sheet.terms.iter().map(|t| cast_slice::<u16, u8>(&t.codes)));
    let terms = sheet.terms.iter();
    let terms = terms.map(|t| (t.vocabulary.clone(), t.names.clone(), t.codes.len() as u64));
    let tail = SheetTail {
        names: sheet.names.clone(),
        hashes: hashes.map(|h| h.len() as u64),
        proxies: sheet.proxies.clone(),
        terms: terms.collect(),
    };
    snapshot_format::write(
        &folder(store).join("sheet.snap"),
        SHEET,
        key,
        sheet.len(),
        &arrays,
        &tail,
    )
}

/// Reads the question table with the digest `key`.
pub(super) fn read_sheet(store: &Path, key: &[u8; 32]) -> Result<QuestionTable> {
    let reading = Reading::open(folder(store).join("sheet.snap"), SHEET, key)?;
    let rows = usize::try_from(reading.rows).unwrap_or(usize::MAX);
    // The tail holds the lengths of the hash columns, which come first. It is read again after the
    // checksum was verified.
    let tail: SheetTail = reading.unchecked_tail()?;
    let hashes = tail
        .hashes
        .iter()
        .try_fold(0u64, |sum, n| sum.checked_add(n.checked_mul(8)?));
    let terms = tail
        .terms
        .iter()
        .try_fold(0u64, |sum, (.., n)| sum.checked_add(n.checked_mul(2)?));
    let body = reading
        .rows
        .checked_mul(ROW)
        .and_then(|rows| rows.checked_add(hashes?)?.checked_add(terms?));
    if body != Some(reading.body) {
        return Err(reading.corrupt("the file is truncated"));
    }
    let mut cursor = reading.cursor(0);
    let mut columns: [Vec<u64>; 5] = Default::default();
    for (column, n) in columns.iter_mut().zip(tail.hashes) {
        *column = cursor.array(n as usize)?;
    }
    let id = cursor.array(rows)?;
    let chance = cursor.array(rows)?;
    let mut codes: [Vec<u16>; NAMED.len()] = Default::default();
    for column in &mut codes {
        *column = cursor.array(rows)?;
    }
    let turn = cursor.array(rows)?;
    let mut bytes: [Vec<u8>; 7] = Default::default();
    for column in &mut bytes {
        *column = cursor.array(rows)?;
    }
    let codes_of_terms = tail.terms.iter().map(|(.., n)| cursor.array(*n as usize));
    let codes_of_terms: Vec<Vec<u16>> = codes_of_terms.collect::<Result<_>>()?;
    let tail: SheetTail = reading.finish(&[cursor.crc])?;
    let [kind, gold, refusal, side, rule, modified, options] = bytes;
    let [image, pair, text, set, of] = columns.map(Into::into);
    let (names, proxies) = (tail.names, tail.proxies);
    let terms = tail.terms.into_iter().zip(codes_of_terms);
    let terms = terms.map(|((vocabulary, names, _), codes)| TermCodes {
        vocabulary,
        names,
        codes,
    });
    let sheet = QuestionTable {
        names,
        codes,
        kind,
        gold,
        refusal,
        side,
        rule,
        rotation: turn,
        options,
        chance,
        terms: terms.collect(),
        ..QuestionTable::default()
    };
    Ok(QuestionTable {
        image,
        pair,
        text,
        rotation_set: set,
        id,
        original: of,
        modified,
        proxies,
        ..sheet
    })
}

/// Positions of answers, compressed: almost always the row after the previous one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Places {
    packed: Vec<u8>,
    rows: u64,
}

impl Places {
    /// Compresses positions.
    pub fn pack(places: &[Place]) -> Places {
        let mut last = Place {
            file: 0,
            row: u32::MAX,
        };
        let mut bytes = Vec::with_capacity(places.len() * 6);
        for place in places {
            // Expected positions encode as zeros, and so do consecutive missing answers.
            let step = place.row.wrapping_sub(last.row).wrapping_sub(1);
            bytes.extend_from_slice(&(place.file ^ last.file).to_le_bytes());
            bytes.extend_from_slice(&step.to_le_bytes());
            last = *place;
        }
        // Compression only fails if memory runs out. Without positions no answers are shown, and
        // the next start rebuilds them.
        Places {
            packed: zstd::bulk::compress(&bytes, 1).unwrap_or_default(),
            rows: places.len() as u64,
        }
    }

    /// Decompresses all positions.
    pub fn unpack(&self) -> Vec<Place> {
        let Ok(bytes) = zstd::bulk::decompress(&self.packed, self.rows as usize * 6) else {
            return Vec::new();
        };
        let mut last = Place {
            file: 0,
            row: u32::MAX,
        };
        let next = |bytes: &[u8]| {
            let file = u16::from_le_bytes([bytes[0], bytes[1]]) ^ last.file;
            let step = u32::from_le_bytes([bytes[2], bytes[3], bytes[4], bytes[5]]);
            last = Place {
                file,
                row: last.row.wrapping_add(step).wrapping_add(1),
            };
            last
        };
        bytes.chunks_exact(6).map(next).collect()
    }
}

/// A model's parsed answers, with everything that a board reports about its files.
#[derive(Clone, Debug, Default)]
pub(super) struct CachedAnswers {
    pub(super) graded: ModelAnswers,
    pub(super) places: Places,
    /// Outcomes of the rows of each file, by file name.
    pub(super) files: Vec<(String, FileOutcomes)>,
    /// Number of revision segments when it was made.
    pub(super) revisions: u64,
}

#[derive(Serialize, Deserialize)]
struct MarksTail {
    model: String,
    counts: Counts,
    places: Places,
    files: Vec<(String, FileOutcomes)>,
    revisions: u64,
}

/// One file per model and rule. `name` is a hash of both.
fn marks_path(store: &Path, name: &str) -> PathBuf {
    folder(store).join(format!("{name}.snap"))
}

/// Writes parsed answers.
pub(super) fn write_marks(
    store: &Path,
    name: &str,
    key: &[u8; 32],
    kept: &CachedAnswers,
) -> Result<()> {
    disk::ensure_dir(&folder(store))?;
    let marks: Vec<u8> = kept.graded.marks.iter().map(|m| m.0).collect();
    let tail = MarksTail {
        model: kept.graded.model.clone(),
        counts: kept.graded.counts,
        places: kept.places.clone(),
        files: kept.files.clone(),
        revisions: kept.revisions,
    };
    snapshot_format::write(
        &marks_path(store, name),
        MARKS,
        key,
        marks.len(),
        &[&marks],
        &tail,
    )
}

/// Reads the parsed answers with the digest `key`.
pub(super) fn read_marks(store: &Path, name: &str, key: &[u8; 32]) -> Result<CachedAnswers> {
    let reading = Reading::open(marks_path(store, name), MARKS, key)?;
    let rows = reading.rows_of(1)?;
    let mut cursor = reading.cursor(0);
    let marks = cursor
        .array::<u8>(rows)?
        .into_iter()
        .map(ParsedAnswer)
        .collect();
    let tail: MarksTail = reading.finish(&[cursor.crc])?;
    let graded = ModelAnswers {
        model: tail.model,
        marks,
        counts: tail.counts,
        similarity: Vec::new(),
        asked: None,
    };
    Ok(CachedAnswers {
        graded,
        places: tail.places,
        files: tail.files,
        revisions: tail.revisions,
    })
}

fn similarity_path(store: &Path, name: &str) -> PathBuf {
    folder(store).join(format!("{name}.similar"))
}

/// Writes the similarities of a model's free-form answers in question order. Empty if none were
/// computed.
pub(super) fn write_similarity(
    store: &Path,
    name: &str,
    key: &[u8; 32],
    values: &[f32],
) -> Result<()> {
    disk::ensure_dir(&folder(store))?;
    snapshot_format::write(
        &similarity_path(store, name),
        SIMILAR,
        key,
        values.len(),
        &[cast_slice(values)],
        &(),
    )
}

/// Reads the similarities with the digest `key`.
pub(super) fn read_similarity(store: &Path, name: &str, key: &[u8; 32]) -> Result<Vec<f32>> {
    let reading = Reading::open(similarity_path(store, name), SIMILAR, key)?;
    let rows = reading.rows_of(4)?;
    let mut cursor = reading.cursor(0);
    let values = cursor.array::<f32>(rows)?;
    reading.finish::<()>(&[cursor.crc])?;
    Ok(values)
}

/// Ignores cache errors: nothing is lost, and disk errors surface elsewhere.
pub(super) fn ignore_cache_error(result: Result<()>) {
    let _: Option<Error> = result.err().filter(|p| p.kind != ErrorKind::Io);
}
