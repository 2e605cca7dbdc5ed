//! OCR results as plain data.

use serde::{Deserialize, Serialize};

/// A word that was read in a picture.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReadWord {
    /// The word without blanks.
    pub text: String,
    /// Confidence from 0 to 1.
    pub confidence: f32,
    /// Bounding box in pixels: left, top, width, height.
    pub place: [u32; 4],
    /// Line number in reading order, from 0.
    pub line: u32,
}

/// All text of a picture in reading order.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ReadText {
    pub words: Vec<ReadWord>,
}

impl ReadText {
    /// The words with at least this confidence (0 to 1).
    pub fn confident_words(&self, confidence: f32) -> impl Iterator<Item = &str> {
        self.words
            .iter()
            .filter(move |w| w.confidence >= confidence)
            .map(|w| w.text.as_str())
    }

    /// The whole text: words joined by spaces, lines by line breaks.
    pub fn text(&self) -> String {
        let mut out = String::new();
        let mut line = None;
        for word in &self.words {
            match line {
                None => {}
                Some(at) if at == word.line => out.push(' '),
                Some(_) => out.push('\n'),
            }
            out.push_str(&word.text);
            line = Some(word.line);
        }
        out
    }
}
