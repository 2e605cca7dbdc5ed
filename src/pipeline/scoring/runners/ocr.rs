//! The wanted word in the picture: Dysca's text subtask, and print attacks.

use serde_json::json;

use super::pictures::refused;
use crate::inference::Heard;
use crate::inference::reader::TextReader;
use crate::metrics::wanted_word::{self, wanted_words};
use crate::model::scoring::{Score, ScoreState, Scorer};
use crate::model::vlm::Encoded;
use crate::model::{Item, Result};
use crate::pipeline::scoring::runner::{Keep, Runner, Subject, failed};
use crate::store::scores::About;

/// The slot of a prompt that holds the words which the picture shows.
const SLOT: &str = "text";

/// The wanted word.
pub struct WantedWord {
    about: About,
    reader: Box<dyn TextReader>,
}

/// The words that the picture of `item` was asked to show: those of its prompt where it was composed here, else the answer
/// of a question of the subtask `text`.
pub fn wanted(item: &Item) -> Option<String> {
    if let Some(provenance) = &item.provenance {
        return provenance.terms.get(SLOT).cloned();
    }
    if item.subtask.as_deref() != Some(SLOT) {
        return None;
    }
    match item.correct() {
        Some(at) => item.options.get(at).map(|o| o.text.clone()),
        None => Some(item.answer.clone()).filter(|a| !a.is_empty()),
    }
}

impl WantedWord {
    /// Reads with `reader`.
    pub fn new(reader: Box<dyn TextReader>) -> WantedWord {
        let print = reader.fingerprint().with("match", wanted_word::VERSION);
        WantedWord { about: About::new(Scorer::Ocr, reader.name().to_string(), &print, 1.0), reader }
    }
}

impl Runner for WantedWord {
    fn about(&self) -> &About {
        &self.about
    }

    fn batch(&self) -> usize {
        self.reader.at_once() * 4
    }

    fn score(&mut self, subjects: &[Subject], keep: Keep<'_>) -> Result<()> {
        let (mut asked, mut pictures) = (Vec::new(), Vec::new());
        for subject in subjects {
            let Some(word) = wanted(&subject.item) else {
                if !keep(Some((subject.key, Score::other(ScoreState::NotApplicable, "")))) {
                    return Ok(());
                }
                continue;
            };
            let encoded = subject.bytes().and_then(|bytes| {
                Encoded::new(bytes).ok_or_else(|| failed("its picture is no PNG, JPEG, WebP or GIF"))
            });
            match encoded {
                Ok(picture) => {
                    asked.push((subject.key, word));
                    pictures.push(picture);
                }
                Err(score) => {
                    if !keep(Some((subject.key, score))) {
                        return Ok(());
                    }
                }
            }
        }
        self.reader.read(&pictures, &mut |heard| match heard {
            Heard::Alive => keep(None),
            Heard::Done { index, result } => {
                let Some((key, word)) = asked.get(index) else { return true };
                let score = match result {
                    Ok(text) => {
                        let read: Vec<&str> = text.words.iter().map(|w| w.text.as_str()).collect();
                        let found = wanted_words(&read, &[word.as_str()]);
                        let value = found.as_ref().map_or(0.0, |(_, score)| *score);
                        let matches = found.map(|(matches, _)| matches);
                        let detail = json!({ "wanted": word, "read": text.text(), "matches": matches });
                        Some(Score::scored(value as f32, detail.to_string()))
                    }
                    Err(failure) => refused(&failure),
                };
                score.is_none_or(|score| keep(Some((*key, score))))
            }
        });
        Ok(())
    }
}
