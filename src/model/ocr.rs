//! Text that was read in a picture, as plain data.

use serde::{Deserialize, Serialize};

/// One word.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReadWord {
    /// The word, without blanks.
    pub text: String,
    /// How sure the reader is, from 0 to 1.
    pub confidence: f32,
    /// Pixels from the left edge of the picture to its box, from the top edge, its width and its height.
    pub place: [u32; 4],
    /// Words of one line have the same number; lines are numbered in reading order, from 0.
    pub line: u32,
}

/// All text of a picture, in reading order.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ReadText {
    /// The words.
    pub words: Vec<ReadWord>,
}

impl ReadText {
    /// The words that the reader is at least so sure of, from 0 to 1.
    pub fn sure(&self, confidence: f32) -> impl Iterator<Item = &str> {
        self.words
            .iter()
            .filter(move |w| w.confidence >= confidence)
            .map(|w| w.text.as_str())
    }

    /// All of it: words with blanks between them, lines with line ends.
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
