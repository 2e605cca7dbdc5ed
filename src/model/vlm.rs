//! What is asked of a vision-language model and what comes back, as plain data.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::config::Judge;

/// A picture as a file holds it.
#[derive(Clone, PartialEq, Eq)]
pub struct Encoded {
    mime: &'static str,
    bytes: Arc<[u8]>,
}

impl Encoded {
    /// These bytes, if they begin as a PNG, a JPEG, a WebP or a GIF does; other kinds are not read by most models.
    pub fn new(bytes: impl Into<Arc<[u8]>>) -> Option<Encoded> {
        let bytes = bytes.into();
        let mime = match &*bytes {
            [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => "image/png",
            [0xff, 0xd8, 0xff, ..] => "image/jpeg",
            [
                b'R',
                b'I',
                b'F',
                b'F',
                _,
                _,
                _,
                _,
                b'W',
                b'E',
                b'B',
                b'P',
                ..,
            ] => "image/webp",
            [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => "image/gif",
            _ => return None,
        };
        Some(Encoded { mime, bytes })
    }

    /// Its media type, told by its first bytes.
    pub fn mime(&self) -> &'static str {
        self.mime
    }

    /// The file.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

impl std::fmt::Debug for Encoded {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Encoded({}, {} bytes)", self.mime, self.bytes.len())
    }
}

/// One question.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ask {
    /// Pictures, in the order they are shown, before the words.
    pub images: Vec<Encoded>,
    /// What the model is told of its part.
    pub system: Option<String>,
    /// The words.
    pub prompt: String,
    /// Most tokens of the answer.
    pub max_tokens: u32,
    /// Whether log-probabilities of the first token are wanted. With a [`schema`](Self::schema) that token is a bracket.
    pub want_logprobs: bool,
    /// The form that the answer should have, for servers that can be held to one.
    pub schema: Option<Schema>,
}

/// The form of an answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Schema {
    /// What it is called: letters, digits, `_` and `-`.
    pub name: String,
    /// The JSON schema.
    pub schema: Arc<serde_json::Value>,
}

/// Why an answer ended.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Finish {
    /// It was complete.
    Stop,
    /// It reached the most tokens: what there is may be half of it.
    Length,
    /// The model or a filter before it would not answer; [`Reply::text`] holds what it said instead.
    Refused,
    /// Another reason that the server gave.
    Other(String),
    /// The server gave none.
    #[default]
    Untold,
}

/// A token that could have stood in a place.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Alternative {
    /// The token's text.
    pub token: String,
    /// Natural logarithm of its probability.
    pub logprob: f64,
}

/// Tokens of one answer, as the server counted them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Of the question, pictures included.
    pub prompt: u64,
    /// Of the answer, thoughts included.
    pub completion: u64,
}

/// An answer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Reply {
    /// The words.
    pub text: String,
    /// What the server gave apart from them as the model's thoughts (`reasoning_content`, `reasoning`); no part of the answer.
    #[serde(default)]
    pub reasoning: Option<String>,
    /// Why it ended.
    pub finish: Finish,
    /// What could have stood in place of the first token, the likeliest first; empty where the server gave none.
    pub first: Vec<Alternative>,
    /// Tokens, where the server told.
    pub usage: Option<Usage>,
    /// The model's name as the server has it, which can be more exact than the one that was asked for.
    pub model: Option<String>,
    /// What a person should know of it.
    pub notes: Vec<String>,
}

/// What a vision-language model can do; asked, never assumed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Abilities {
    /// What it is, for a person.
    pub name: String,
    /// Most questions of one call that are of use.
    pub max_batch: usize,
    /// Most pictures of one question.
    pub max_images: usize,
    /// Most tokens of an answer that can be asked for.
    pub max_tokens: u32,
}

impl Abilities {
    /// What of a question these abilities exclude, if anything: it is refused, never bent.
    pub fn excluded(&self, ask: &Ask) -> Option<String> {
        if ask.prompt.trim().is_empty() {
            return Some("the question has no words".into());
        }
        if ask.images.len() > self.max_images {
            return Some(format!(
                "{} pictures in one question; at most {}",
                ask.images.len(),
                self.max_images
            ));
        }
        if !(1..=self.max_tokens).contains(&ask.max_tokens) {
            return Some(format!(
                "{} tokens of an answer; from 1 to {}",
                ask.max_tokens, self.max_tokens
            ));
        }
        None
    }
}

/// What was asked so far, and what it cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// Answers.
    pub answers: u64,
    /// Answers whose tokens the server did not tell: the sums are then too low.
    pub untold: u64,
    /// Sum of the tokens.
    pub usage: Usage,
}

impl Tally {
    /// Counts an answer.
    pub fn add(&mut self, reply: &Reply) {
        self.answers += 1;
        match reply.usage {
            Some(usage) => {
                self.usage.prompt = self.usage.prompt.saturating_add(usage.prompt);
                self.usage.completion = self.usage.completion.saturating_add(usage.completion);
            }
            None => self.untold += 1,
        }
    }

    /// What the tokens cost at the prices of `judge`. Tries that failed on the way are not in it.
    pub fn money(&self, judge: &Judge) -> Money {
        let part = |tokens: u64, price: u64| u128::from(tokens) * u128::from(price);
        Money(
            part(self.usage.prompt, judge.price_in.0)
                + part(self.usage.completion, judge.price_out.0),
        )
    }
}

/// Money in 10^-12 of whatever the prices are in: tokens times the price of a million of them, exact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Money(pub u128);

impl std::fmt::Display for Money {
    /// With four decimals, rounded up, so that nothing that costs shows as free.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let parts = self.0.div_ceil(100_000_000);
        write!(f, "{}.{:04}", parts / 10_000, parts % 10_000)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::judge::Price;

    #[test]
    fn pictures_are_told_by_their_first_bytes() {
        let mime = |bytes: &[u8]| Encoded::new(bytes).map(|e| e.mime());
        assert_eq!(mime(b"\x89PNG\r\n\x1a\nrest"), Some("image/png"));
        assert_eq!(mime(b"\xff\xd8\xff\xe0"), Some("image/jpeg"));
        assert_eq!(mime(b"RIFF\0\0\0\0WEBPVP8 "), Some("image/webp"));
        assert_eq!(mime(b"GIF89a"), Some("image/gif"));
        for other in [&b"BM\0\0"[..], b"", b"RIFF\0\0\0\0WAVE", b"<svg>"] {
            assert_eq!(mime(other), None);
        }
    }

    #[test]
    fn money_is_exact_and_never_free() {
        let judge = Judge {
            price_in: Price(150_000),
            price_out: Price(600_000),
            ..Judge::default()
        };
        let mut tally = Tally::default();
        let reply = |usage| Reply {
            usage,
            ..Reply::default()
        };
        tally.add(&reply(Some(Usage {
            prompt: 1_000_000,
            completion: 500_000,
        })));
        assert_eq!(tally.money(&judge).to_string(), "0.4500");
        tally.add(&reply(None));
        assert_eq!((tally.answers, tally.untold), (2, 1));
        let mut one = Tally::default();
        one.add(&reply(Some(Usage {
            prompt: 1,
            completion: 0,
        })));
        assert_eq!(
            (one.money(&judge), one.money(&judge).to_string().as_str()),
            (Money(150_000), "0.0001")
        );
        assert_eq!(one.money(&Judge::default()).to_string(), "0.0000");
        one.add(&reply(Some(Usage {
            prompt: u64::MAX,
            completion: 7,
        })));
        assert_eq!(
            one.usage.prompt,
            u64::MAX,
            "a server that counts nonsense breaks nothing"
        );
    }

    #[test]
    fn what_cannot_be_asked_is_named() {
        let abilities = Abilities {
            name: "m".into(),
            max_batch: 1,
            max_images: 1,
            max_tokens: 10,
        };
        let picture = Encoded::new(*b"GIF89a").unwrap();
        let good = Ask {
            prompt: "Why?".into(),
            max_tokens: 10,
            images: vec![picture.clone()],
            ..Ask::default()
        };
        assert_eq!(abilities.excluded(&good), None);
        let two = Ask {
            images: vec![picture; 2],
            ..good.clone()
        };
        assert!(abilities.excluded(&two).unwrap().contains("2 pictures"));
        assert!(
            abilities
                .excluded(&Ask {
                    prompt: " ".into(),
                    ..good.clone()
                })
                .unwrap()
                .contains("words")
        );
        for tokens in [0, 11] {
            assert!(
                abilities
                    .excluded(&Ask {
                        max_tokens: tokens,
                        ..good.clone()
                    })
                    .unwrap()
                    .contains("tokens")
            );
        }
    }
}
