//! What changes about an item while it stays the same item: its status and when it was judged.

use super::columns::{BLOCK_ROWS, checked};
use benchtop_model::{Result, Status};

const VERSION: u8 = 1;
const ROW_BYTES: usize = 1 + 8;

/// Overlay columns; row `r` is item number `r + 1`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Overlay {
    /// Codes of [`Status`].
    pub status: Vec<u8>,
    /// When it was last judged, in milliseconds since 1970; 0 for never.
    pub judged: Vec<i64>,
}

impl Overlay {
    /// `rows` rows, all pending: memory that is not written to until it is needed.
    pub fn blank(rows: usize) -> Overlay {
        Overlay {
            status: vec![Status::Pending.code(); rows],
            judged: vec![0; rows],
        }
    }

    /// Makes room for `rows` rows, the new ones pending.
    pub fn grow(&mut self, rows: usize) {
        self.status.resize(rows, Status::Pending.code());
        self.judged.resize(rows, 0);
    }

    /// Rows.
    pub fn len(&self) -> usize {
        self.status.len()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.status.is_empty()
    }

    /// A copy to filter and sort by while decisions go on; the times only where they are asked for.
    pub fn snapshot(&self, judged: bool) -> Overlay {
        let judged = if judged {
            self.judged.clone()
        } else {
            vec![0; self.judged.len()]
        };
        Overlay {
            status: self.status.clone(),
            judged,
        }
    }

    /// The status of a row.
    pub fn status(&self, row: usize) -> Status {
        Status::from_code(self.status.get(row).copied().unwrap_or(0))
    }

    /// Whether nobody judged anything in block `index`: such a block is not stored.
    pub fn is_blank(&self, index: usize) -> bool {
        let rows = index * BLOCK_ROWS..self.len().min((index + 1) * BLOCK_ROWS);
        self.status[rows.clone()]
            .iter()
            .all(|s| *s == Status::Pending.code())
            && self.judged[rows].iter().all(|at| *at == 0)
    }

    /// CRC-32 of all blocks that are not blank, with their positions.
    pub fn crc(&self) -> u32 {
        let mut hasher = crc32fast::Hasher::new();
        for index in (0..self.len().div_ceil(BLOCK_ROWS)).filter(|index| !self.is_blank(*index)) {
            hasher.update(&(index as u32).to_le_bytes());
            hasher.update(&self.encode_block(index));
        }
        hasher.finalize()
    }

    /// The stored form of block `index`.
    pub fn encode_block(&self, index: usize) -> Vec<u8> {
        let rows = index * BLOCK_ROWS..self.len().min((index + 1) * BLOCK_ROWS);
        let mut out = vec![VERSION];
        out.extend_from_slice(&(rows.len() as u32).to_le_bytes());
        out.extend_from_slice(&self.status[rows.clone()]);
        out.extend(self.judged[rows].iter().flat_map(|v| v.to_le_bytes()));
        let crc = crc32fast::hash(&out);
        out.extend_from_slice(&crc.to_le_bytes());
        out
    }

    /// Writes the rows of stored block `index` over this overlay's.
    ///
    /// # Errors
    /// [`benchtop_model::ErrorKind::Corrupt`].
    pub fn decode_block(&mut self, index: usize, bytes: &[u8]) -> Result<()> {
        let (body, rows) = checked(bytes, VERSION, ROW_BYTES)?;
        let start = index * BLOCK_ROWS;
        if self.len() < start + rows {
            self.grow(start + rows);
        }
        let (status, rest) = body.split_at(rows);
        self.status[start..start + rows].copy_from_slice(status);
        for (at, bytes) in rest.chunks_exact(8).enumerate() {
            self.judged[start + at] = i64::from_le_bytes(bytes.try_into().unwrap_or_default());
        }
        Ok(())
    }

    /// Items by status, in the order of [`Status::ALL`].
    pub fn counts(&self) -> [u64; Status::ALL.len()] {
        let mut counts = [0; Status::ALL.len()];
        for code in &self.status {
            counts[usize::from(*code).min(Status::ALL.len() - 1)] += 1;
        }
        counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_read_back() {
        let mut overlay = Overlay::default();
        overlay.grow(BLOCK_ROWS + 10);
        overlay.status[BLOCK_ROWS + 3] = Status::Rejected.code();
        overlay.judged[5] = 77;
        let mut again = Overlay::default();
        for block in 0..2 {
            let bytes = overlay.encode_block(block);
            assert!(bytes.len() < crate::index::VALUE_LIMIT);
            again.decode_block(block, &bytes).unwrap();
        }
        assert_eq!(again, overlay);
        assert_eq!(again.counts()[usize::from(Status::Rejected.code())], 1);
    }
}
