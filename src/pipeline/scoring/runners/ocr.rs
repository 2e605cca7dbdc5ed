//! OCR of the wanted word in the picture: Dysca's text subtask, and print attacks.

use std::collections::HashMap;
use std::io::Cursor;

use image::ImageFormat;
use serde_json::json;

use super::clip_and_safety::refused;
use crate::scoring::runner::{Runner, ScoreSink, Subject, failed};
use benchtop_inference::BatchEvent;
use benchtop_inference::reader::TextReader;
use benchtop_metrics::requested_text::{self, wanted_words};
use benchtop_model::cancel::Cancel;
use benchtop_model::ocr::ReadText;
use benchtop_model::scoring::{Score, ScoreState, Scorer};
use benchtop_model::vlm::Encoded;
use benchtop_model::{Item, Result};
use benchtop_raster::decode::decode;
use benchtop_raster::print_attack::{self, Ink};
use benchtop_store::scores::ScorerVersion;

/// The prompt slot with the words that the picture shows.
const SLOT: &str = "text";

/// Incremented whenever words are turned upright in another way.
const TURNED_VERSION: u32 = 1;

/// Number of remembered pictures. Many consecutive questions share a picture.
const REMEMBERED: usize = 256;

/// The scorer. See the module documentation.
pub struct WantedWord {
    about: ScorerVersion,
    reader: Box<dyn TextReader>,
    /// The recognized text, by picture number and turned word.
    read: HashMap<Seen, ReadText>,
}

/// What is read: the number of a picture, and the recorded ink of a print attack in it, or nothing.
type Seen = (u64, String);

/// The words that the picture of `item` should show: the wrong word of a print attack, those of its
/// prompt if it was composed here, otherwise the answer to a question of the subtask `text`.
pub fn wanted(item: &Item) -> Option<String> {
    if let Some(word) = item.derivation.as_ref().and_then(|d| d.attack_word()) {
        return Some(word.to_string());
    }
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

/// What is read of a picture: all of it, or the word of a print attack, turned upright, because OCR
/// reads no words at an angle. `Err` is a failed score.
fn shown(subject: &Subject) -> std::result::Result<Encoded, Score> {
    let bytes = subject.bytes()?;
    let whole = |bytes| {
        Encoded::new(bytes).ok_or_else(|| failed("its picture is not PNG, JPEG, WebP, or GIF"))
    };
    let derivation = subject.item.derivation.as_ref();
    let Some(derivation) = derivation.filter(|d| d.attack_word().is_some()) else {
        return whole(bytes);
    };
    let picture = decode(&bytes).map_err(|problem| failed(&problem.to_string()))?;
    let Some(ink) = Ink::recorded(&derivation.parameters, picture.size()) else {
        return whole(bytes);
    };
    let mut png = Cursor::new(Vec::new());
    print_attack::turned_upright(&picture, &ink)
        .write_to(&mut png, ImageFormat::Png)
        .map_err(|problem| failed(&format!("cannot turn its word: {problem}")))?;
    whole(png.into_inner())
}

/// Tells apart the words that are read in one picture.
fn ink(item: &Item) -> String {
    let derivation = item.derivation.as_ref();
    let attack = derivation.filter(|d| d.attack_word().is_some());
    attack.map_or(String::new(), |d| {
        serde_json::to_string(&d.parameters).unwrap_or_default()
    })
}

impl WantedWord {
    /// Reads pictures with `reader`.
    pub fn new(reader: Box<dyn TextReader>) -> WantedWord {
        let print = reader
            .fingerprint()
            .with("match", requested_text::VERSION)
            .with("turned", TURNED_VERSION);
        let about = ScorerVersion::new(Scorer::Ocr, reader.name().to_string(), &print, 1.0);
        WantedWord {
            about,
            reader,
            read: HashMap::new(),
        }
    }
}

/// The score of a recognized text for the wanted `word`.
fn score(text: &ReadText, word: &str) -> Score {
    let read: Vec<&str> = text.words.iter().map(|w| w.text.as_str()).collect();
    let found = wanted_words(&read, &[word]);
    let value = found.as_ref().map_or(0.0, |(_, score)| *score);
    let matches = found.map(|(matches, _)| matches);
    let detail = json!({ "wanted": word, "read": text.text(), "matches": matches });
    Score::scored(value as f32, detail.to_string())
}

impl Runner for WantedWord {
    fn about(&self) -> &ScorerVersion {
        &self.about
    }

    fn batch(&self) -> usize {
        self.reader.parallelism() * 16
    }

    fn score(&mut self, subjects: &[Subject], keep: ScoreSink<'_>, _: Cancel<'_>) -> Result<()> {
        if self.read.len() > REMEMBERED {
            self.read.clear();
        }
        // Each picture once, with all items that need it.
        let mut asked: Vec<(Seen, Vec<(u64, String)>)> = Vec::new();
        let mut pictures = Vec::new();
        for subject in subjects {
            let known = match wanted(&subject.item) {
                None => Score::without_number(ScoreState::NotApplicable, ""),
                Some(word) => {
                    let seen = (subject.picture, ink(&subject.item));
                    let same = |(other, _): &&mut (Seen, _)| *other == seen && seen.0 != 0;
                    if let Some(text) = self.read.get(&seen) {
                        score(text, &word)
                    } else if let Some((_, who)) = asked.iter_mut().find(same) {
                        who.push((subject.key, word));
                        continue;
                    } else {
                        match shown(subject) {
                            Ok(encoded) => {
                                asked.push((seen, vec![(subject.key, word)]));
                                pictures.push(encoded);
                                continue;
                            }
                            Err(failed) => failed,
                        }
                    }
                }
            };
            if !keep(Some((subject.key, known))) {
                return Ok(());
            }
        }
        let WantedWord { reader, read, .. } = self;
        reader.read(&pictures, &mut |heard| match heard {
            BatchEvent::Alive => keep(None),
            BatchEvent::Done { index, result } => {
                let Some((seen, who)) = asked.get(index) else {
                    return true;
                };
                let mut going = true;
                for (key, word) in who {
                    let said = match &result {
                        Ok(text) => Some(score(text, word)),
                        Err(failure) => refused(failure),
                    };
                    going &= said.is_none_or(|said| keep(Some((*key, said))));
                }
                read.extend(
                    result
                        .ok()
                        .filter(|_| seen.0 != 0)
                        .map(|text| (seen.clone(), text)),
                );
                going
            }
        });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use benchtop_model::derivation::{PRINT_ATTACK, WORD};
    use benchtop_model::{Derivation, Key};

    #[test]
    fn the_attack_word_comes_before_the_answer() {
        let source = Item {
            subtask: Some(SLOT.into()),
            answer: "exit".into(),
            ..Item::blank("d", Key::Int(1))
        };
        assert_eq!(wanted(&source).as_deref(), Some("exit"));
        let derived = |method: &str| {
            let mut derivation = Derivation::of(&source, method, "1");
            derivation.parameters.insert(WORD.into(), "enter".into());
            let item = Item {
                derivation: Some(Box::new(derivation)),
                ..source.clone()
            };
            wanted(&item)
        };
        assert_eq!(derived(PRINT_ATTACK).as_deref(), Some("enter"));
        assert_eq!(derived("corruption").as_deref(), Some("exit"));
    }
}
