//! The predictions of one model from one imported file.

use std::sync::Arc;

use super::{line_of, parse};
use crate::manifest::Segment;
use crate::segment::Reader;
use benchtop_model::{Error, Prediction, Result};

/// The predictions of one model from one imported file.
#[derive(Clone, Debug)]
pub struct PredictionSegment {
    /// The entry of the segment in the manifest.
    pub part: Segment,
    pub(super) reader: Arc<Reader>,
}

impl PredictionSegment {
    /// The JSON lines of frame `part`, or `None` after the last frame.
    ///
    /// # Errors
    /// [`Error::corrupt`] if the segment is damaged.
    pub fn lines(&self, part: usize) -> Result<Option<String>> {
        if part >= self.reader.frames.len() {
            return Ok(None);
        }
        let text = String::from_utf8(self.reader.frame(part)?);
        text.map(Some)
            .map_err(|_| Error::corrupt("a stored prediction is not UTF-8"))
    }

    /// The prediction in `row`, from 0, or `None` after the last row.
    ///
    /// # Errors
    /// [`Error::corrupt`] if the segment is damaged.
    pub fn prediction(&self, row: usize) -> Result<Option<Prediction>> {
        let frame_rows = self.reader.frame_rows;
        if row as u64 >= self.reader.rows {
            return Ok(None);
        }
        let bytes = self.reader.frame(row / frame_rows)?;
        parse(line_of(&bytes, row % frame_rows)).map(Some)
    }

    /// All predictions.
    ///
    /// # Errors
    /// [`Error::corrupt`] if the segment is damaged.
    pub fn predictions(&self) -> Result<Vec<Prediction>> {
        let mut rows = Vec::with_capacity(self.part.rows as usize);
        for frame in 0..self.reader.frames.len() {
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
