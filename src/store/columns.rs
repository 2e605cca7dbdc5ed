//! The columns for filters and sorting, stored as fixed little-endian blocks.

use std::collections::HashMap;

use benchtop_model::sorting::sort_by_key;
use benchtop_model::{Error, Field, Item, QuestionKind, Result};

/// Rows per block of statuses.
pub const BLOCK_ROWS: usize = 216;

/// Rows per block of columns. A block stays below [`super::index::VALUE_LIMIT`] bytes, also with
/// more columns.
pub const COLUMN_ROWS: usize = (4_545 - HEADER - 4) / ROW_BYTES;

/// Maximum length of a name in bytes. A longer value is not a subtask, level, or style.
pub const NAME_LIMIT: usize = 1000;

pub use benchtop_model::field::NAMED;

/// Version of the block layout. Another column of names makes another layout.
const VERSION: u8 = NAMED.len() as u8 - 4;
const HEADER: usize = 5;
const ROW_BYTES: usize = 8 + 1 + 2 * NAMED.len();

/// The names of a column. Code 0 means that the item has no value.
#[derive(Clone, Debug)]
pub struct Names {
    pub names: Vec<String>,
    codes: HashMap<String, u16>,
}

impl Default for Names {
    fn default() -> Self {
        Names {
            names: vec![String::new()],
            codes: HashMap::from([(String::new(), 0)]),
        }
    }
}

impl Names {
    /// Builds the names from the stored list. Its first entry is the empty name.
    pub fn from_list(names: Vec<String>) -> Names {
        if names.first().is_none_or(|n| !n.is_empty()) {
            return Names::default();
        }
        let codes = names
            .iter()
            .enumerate()
            .map(|(i, n)| (n.clone(), u16::try_from(i).unwrap_or(0)))
            .collect();
        Names { names, codes }
    }

    pub fn name(&self, code: u16) -> &str {
        self.names.get(usize::from(code)).map_or("", String::as_str)
    }

    /// The code of a name, or `None` if no item has it.
    pub fn code(&self, name: &str) -> Option<u16> {
        self.codes.get(name).copied()
    }

    fn intern(&mut self, name: &str, field: Field) -> Result<u16> {
        if let Some(code) = self.codes.get(name) {
            return Ok(*code);
        }
        if name.len() > NAME_LIMIT {
            let what = format!(
                "the value has {} bytes, the maximum is {NAME_LIMIT}",
                name.len()
            );
            return Err(Error::input(what).field(field.name()));
        }
        let code = u16::try_from(self.names.len()).map_err(|_| {
            Error::input(format!(
                "`{}` has more than 65,535 different values",
                field.name()
            ))
            .field(field.name())
        })?;
        self.names.push(name.to_string());
        self.codes.insert(name.to_string(), code);
        Ok(code)
    }

    /// The rank of each code in alphabetical order. Code 0 is last.
    pub fn ranks(&self) -> Vec<u16> {
        let mut order: Vec<usize> = (0..self.names.len()).collect();
        sort_by_key(&mut order, |&i| {
            (self.names[i].is_empty(), self.names[i].to_lowercase())
        });
        let mut ranks = vec![0; self.names.len()];
        for (rank, code) in order.into_iter().enumerate() {
            ranks[code] = u16::try_from(rank).unwrap_or(u16::MAX);
        }
        ranks
    }
}

/// All columns of a project. Row `r` is item number `r + 1`.
#[derive(Clone, Debug, Default)]
pub struct Columns {
    /// First 8 bytes of the blake3 hash of the item's id.
    pub id_hash: Vec<u64>,
    /// Index in [`QuestionKind::ALL`].
    pub kind: Vec<u8>,
    pub codes: [Vec<u16>; NAMED.len()],
    pub names: [Names; NAMED.len()],
}

/// Hash of an id for lookup.
pub fn id_hash(id: &str) -> u64 {
    let mut first = [0; 8];
    first.copy_from_slice(&blake3::hash(id.as_bytes()).as_bytes()[..8]);
    u64::from_le_bytes(first)
}

impl Columns {
    /// Empty columns with capacity for `rows`.
    pub fn with_capacity(rows: usize) -> Columns {
        Columns {
            id_hash: Vec::with_capacity(rows),
            kind: Vec::with_capacity(rows),
            codes: std::array::from_fn(|_| Vec::with_capacity(rows)),
            names: Default::default(),
        }
    }

    pub fn len(&self) -> usize {
        self.id_hash.len()
    }

    pub fn is_empty(&self) -> bool {
        self.id_hash.is_empty()
    }

    /// Appends the row of an item.
    ///
    /// # Errors
    /// [`Error::input`] if a column would have more than 65,535 names, or a name of more than
    /// [`NAME_LIMIT`] bytes. No row is added then.
    pub fn push(&mut self, item: &Item) -> Result<()> {
        let codes = self.codes(item)?;
        for (column, code) in self.codes.iter_mut().zip(codes) {
            column.push(code);
        }
        self.id_hash.push(id_hash(&item.id));
        self.kind.push(kind_code(item.kind));
        Ok(())
    }

    /// Replaces the values of a row with those of a later text of the item.
    ///
    /// # Errors
    /// See [`push`](Self::push), and [`Error::corrupt`] if the row belongs to another item.
    pub fn replace(&mut self, row: usize, item: &Item) -> Result<()> {
        if self.id_hash.get(row) != Some(&id_hash(&item.id)) {
            return Err(Error::corrupt(format!(
                "item #{} is not `{}`",
                row + 1,
                item.id
            )));
        }
        let codes = self.codes(item)?;
        for (column, code) in self.codes.iter_mut().zip(codes) {
            column[row] = code;
        }
        self.kind[row] = kind_code(item.kind);
        Ok(())
    }

    fn codes(&mut self, item: &Item) -> Result<[u16; NAMED.len()]> {
        let mut codes = [0; NAMED.len()];
        for (at, field) in NAMED.into_iter().enumerate() {
            codes[at] = self.names[at].intern(&field.of(item), field)?;
        }
        Ok(codes)
    }

    /// Encodes block `index`: version, number of rows, columns one after the other, CRC-32.
    pub fn encode_block(&self, index: usize) -> Vec<u8> {
        let rows = index * COLUMN_ROWS..self.len().min((index + 1) * COLUMN_ROWS);
        let mut out = Vec::with_capacity(HEADER + rows.len() * ROW_BYTES + 4);
        out.push(VERSION);
        out.extend_from_slice(&(rows.len() as u32).to_le_bytes());
        out.extend(
            self.id_hash[rows.clone()]
                .iter()
                .flat_map(|v| v.to_le_bytes()),
        );
        out.extend_from_slice(&self.kind[rows.clone()]);
        for column in &self.codes {
            out.extend(column[rows.clone()].iter().flat_map(|v| v.to_le_bytes()));
        }
        let crc = crc32fast::hash(&out);
        out.extend_from_slice(&crc.to_le_bytes());
        out
    }

    /// Appends the rows of a stored block.
    ///
    /// # Errors
    /// [`Error::corrupt`] if the version, length, or checksum is wrong.
    pub fn decode_block(&mut self, bytes: &[u8]) -> Result<()> {
        let (body, rows) = checked(bytes, VERSION, ROW_BYTES)?;
        let (hashes, rest) = body.split_at(rows * 8);
        let (kinds, mut rest) = rest.split_at(rows);
        self.id_hash.extend(
            hashes
                .chunks_exact(8)
                .map(|b| u64::from_le_bytes(b.try_into().unwrap_or_default())),
        );
        self.kind.extend_from_slice(kinds);
        for column in &mut self.codes {
            let (codes, after) = rest.split_at(rows * 2);
            column.extend(
                codes
                    .chunks_exact(2)
                    .map(|b| u16::from_le_bytes([b[0], b[1]])),
            );
            rest = after;
        }
        Ok(())
    }

    pub fn blocks(&self) -> usize {
        self.len().div_ceil(COLUMN_ROWS)
    }

    /// Index of a named field in [`NAMED`].
    pub fn named(field: Field) -> Option<usize> {
        NAMED.iter().position(|f| *f == field)
    }

    pub fn value(&self, field: Field, row: usize) -> &str {
        match Self::named(field) {
            Some(at) => self.names[at].name(self.codes[at].get(row).copied().unwrap_or(0)),
            None => "",
        }
    }

    pub fn question_kind(&self, row: usize) -> QuestionKind {
        let code = self.kind.get(row).copied().unwrap_or(0);
        QuestionKind::ALL
            .get(usize::from(code))
            .copied()
            .unwrap_or(QuestionKind::FreeForm)
    }
}

pub fn kind_code(kind: QuestionKind) -> u8 {
    QuestionKind::ALL
        .iter()
        .position(|k| *k == kind)
        .unwrap_or(0) as u8
}

/// Checks version, length, and CRC-32 of a stored block. Returns its body and its number of rows.
///
/// # Errors
/// [`Error::corrupt`].
pub(super) fn checked(bytes: &[u8], version: u8, row_bytes: usize) -> Result<(&[u8], usize)> {
    let corrupt = |what: &str| Error::corrupt(what.to_string());
    let (&found, _) = bytes
        .split_first()
        .ok_or_else(|| corrupt("the block is empty"))?;
    if found != version {
        return Err(corrupt("the block has another version"));
    }
    let end = bytes
        .len()
        .checked_sub(4)
        .filter(|e| *e >= HEADER)
        .ok_or_else(|| corrupt("the block is truncated"))?;
    let crc = u32::from_le_bytes(bytes[end..].try_into().unwrap_or_default());
    if crc32fast::hash(&bytes[..end]) != crc {
        return Err(corrupt("the block does not match its checksum"));
    }
    let rows = u32::from_le_bytes(bytes[1..HEADER].try_into().unwrap_or_default()) as usize;
    let body = &bytes[HEADER..end];
    if body.len() != rows * row_bytes {
        return Err(corrupt("the block has the wrong length"));
    }
    Ok((body, rows))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::item;
    use benchtop_model::ErrorKind;

    #[test]
    fn blocks_round_trip_below_the_size_limit() {
        let mut columns = Columns::default();
        for n in 0..5000 {
            columns
                .push(&item(n, ["animal", "plant", ""][n as usize % 3]))
                .unwrap();
        }
        let mut again = Columns {
            names: columns.names.clone(),
            ..Columns::default()
        };
        for block in 0..columns.blocks() {
            let bytes = columns.encode_block(block);
            assert!(bytes.len() < crate::index::VALUE_LIMIT);
            again.decode_block(&bytes).unwrap();
        }
        assert_eq!(again.id_hash, columns.id_hash);
        assert_eq!(again.codes, columns.codes);
        assert_eq!(again.value(Field::Subtask, 4999), "plant");
        assert_eq!(again.question_kind(4999), QuestionKind::MultipleChoice);
    }

    #[test]
    fn other_columns_of_names_are_another_layout() {
        // The version follows the number of columns only. If one is replaced or moved, change the
        // versions here and in `column_snapshots`, and then this list.
        let names = [
            "dataset",
            "subtask",
            "level",
            "style",
            "side",
            "variant",
            "license",
            "sensitivity",
        ];
        assert_eq!((NAMED.map(Field::name), VERSION), (names, 4));
    }

    #[test]
    fn a_damaged_block_is_refused() {
        let mut columns = Columns::default();
        columns.push(&item(1, "animal")).unwrap();
        let mut bytes = columns.encode_block(0);
        bytes[7] ^= 1;
        assert_eq!(
            Columns::default().decode_block(&bytes).unwrap_err().kind,
            ErrorKind::Corrupt
        );
        assert_eq!(
            Columns::default().decode_block(&[]).unwrap_err().kind,
            ErrorKind::Corrupt
        );
    }
}
