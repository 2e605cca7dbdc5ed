//! Status columns: the values of an item that change with decisions, in memory.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::columns::{BLOCK_ROWS, checked};
use benchtop_model::{Result, Status};

const VERSION: u8 = 1;
const ROW_BYTES: usize = 1 + 8;

/// The status columns. Row `r` is item number `r + 1`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StatusColumns {
    pub status: Vec<u8>,
    /// Time of the last verdict in milliseconds since 1970, or 0.
    pub judged: Vec<i64>,
    /// Number of comments by row, as far as somebody may see them. Only lists that show or use them
    /// fill it in; it is not stored.
    pub comments: Arc<BTreeMap<u32, u32>>,
}

impl StatusColumns {
    /// `rows` pending rows. The memory is zeroed lazily by the operating system.
    pub fn blank(rows: usize) -> StatusColumns {
        StatusColumns {
            status: vec![Status::Pending.code(); rows],
            judged: vec![0; rows],
            comments: Arc::default(),
        }
    }

    /// Adds pending rows up to a total of `rows`.
    pub fn grow(&mut self, rows: usize) {
        self.status.resize(rows, Status::Pending.code());
        self.judged.resize(rows, 0);
    }

    pub fn len(&self) -> usize {
        self.status.len()
    }

    pub fn is_empty(&self) -> bool {
        self.status.is_empty()
    }

    /// A copy for filters and sorting, so that decisions can go on. Includes the times only if
    /// `judged` is set.
    pub fn snapshot(&self, judged: bool) -> StatusColumns {
        let judged = if judged {
            self.judged.clone()
        } else {
            vec![0; self.judged.len()]
        };
        StatusColumns {
            status: self.status.clone(),
            judged,
            comments: Arc::default(),
        }
    }

    pub fn status(&self, row: usize) -> Status {
        Status::from_code(self.status.get(row).copied().unwrap_or(0))
    }

    /// Number of comments on a row.
    pub fn comments(&self, row: u32) -> u32 {
        self.comments.get(&row).copied().unwrap_or(0)
    }

    /// Whether block `index` has no verdicts. Blank blocks are not stored.
    pub fn is_blank(&self, index: usize) -> bool {
        let rows = index * BLOCK_ROWS..self.len().min((index + 1) * BLOCK_ROWS);
        self.status[rows.clone()]
            .iter()
            .all(|s| *s == Status::Pending.code())
            && self.judged[rows].iter().all(|at| *at == 0)
    }

    /// CRC-32 of all blocks that are not blank, with their indexes.
    pub fn crc(&self) -> u32 {
        let mut hasher = crc32fast::Hasher::new();
        for index in (0..self.len().div_ceil(BLOCK_ROWS)).filter(|index| !self.is_blank(*index)) {
            hasher.update(&(index as u32).to_le_bytes());
            hasher.update(&self.encode_block(index));
        }
        hasher.finalize()
    }

    /// Encodes block `index`.
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

    /// Overwrites the rows of block `index` with a stored block.
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

    /// Number of items of each status, in the order of [`Status::ALL`].
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
    fn blocks_round_trip() {
        let mut overlay = StatusColumns::default();
        overlay.grow(BLOCK_ROWS + 10);
        overlay.status[BLOCK_ROWS + 3] = Status::Rejected.code();
        overlay.judged[5] = 77;
        let mut again = StatusColumns::default();
        for block in 0..2 {
            let bytes = overlay.encode_block(block);
            assert!(bytes.len() < crate::index::VALUE_LIMIT);
            again.decode_block(block, &bytes).unwrap();
        }
        assert_eq!(again, overlay);
        assert_eq!(again.counts()[usize::from(Status::Rejected.code())], 1);
    }
}
