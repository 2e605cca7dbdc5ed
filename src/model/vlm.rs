//! Requests to vision-language models and their replies.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};

use super::config::Judge;

/// An encoded picture file.
#[derive(Clone, PartialEq, Eq)]
pub struct Encoded {
    mime: &'static str,
    bytes: Arc<[u8]>,
    base64: Option<Arc<str>>,
}

impl Encoded {
    /// A PNG, JPEG, WebP, or GIF file, recognized by its first bytes; `None` for other formats,
    /// which most models do not read.
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
        Some(Encoded {
            mime,
            bytes,
            base64: None,
        })
    }

    /// Media type.
    pub fn mime(&self) -> &'static str {
        self.mime
    }

    /// The same picture with its contents as base64, for pictures that are sent several times.
    pub fn with_base64(self) -> Encoded {
        let base64 = Some(STANDARD.encode(&self.bytes).into());
        Encoded { base64, ..self }
    }

    /// The contents of the file as base64, if they were encoded by [`with_base64`](Self::with_base64).
    pub fn base64(&self) -> Option<&str> {
        self.base64.as_deref()
    }

    /// The contents of the file.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

impl std::fmt::Debug for Encoded {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Encoded({}, {} bytes)", self.mime, self.bytes.len())
    }
}

/// A question to a model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VlmRequest {
    /// Pictures in order; they precede the text.
    pub images: Vec<Encoded>,
    /// System prompt.
    pub system: Option<String>,
    pub prompt: String,
    /// Maximum number of output tokens.
    pub max_tokens: u32,
    /// Whether to request log-probabilities of the first token. With a [`schema`](Self::schema),
    /// that token is a bracket.
    pub want_logprobs: bool,
    /// JSON schema of the answer, for servers with structured output.
    pub schema: Option<Schema>,
    /// Seed and temperature; `None` for temperature 0 and the seed of the pool.
    pub sampling: Option<Sampling>,
}

/// How a model draws its answer.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sampling {
    pub seed: u32,
    pub temperature: f64,
}

/// A named JSON schema.
#[derive(Clone, Debug, PartialEq)]
pub struct Schema {
    /// Name: letters, digits, `_`, and `-`.
    pub name: String,
    pub schema: Arc<serde_json::Value>,
}

/// Why an output ended.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Finish {
    /// Complete.
    Stop,
    /// Cut off at the token limit.
    Length,
    /// Refused by the model or a filter; [`Reply::text`] holds its message.
    Refused,
    /// Another reason, as the server gave it.
    Other(String),
    /// The server gave no reason.
    #[default]
    #[serde(rename = "untold")]
    Unknown,
}

/// An alternative first token.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Alternative {
    pub token: String,
    /// Natural logarithm of its probability.
    pub logprob: f64,
}

/// Token counts of one reply, as the server counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Prompt tokens, pictures included.
    pub prompt: u64,
    /// Output tokens, reasoning included.
    pub completion: u64,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Reply {
    pub text: String,
    /// The reasoning, if the server sent it apart (`reasoning_content`, `reasoning`). It is not
    /// part of the answer.
    #[serde(default)]
    pub reasoning: Option<String>,
    /// Why the output ended.
    pub finish: Finish,
    /// Alternatives for the first token, most likely first; empty if the server sent none.
    pub first: Vec<Alternative>,
    /// Token counts, if the server sent them.
    pub usage: Option<Usage>,
    /// The model name that the server reported, which can be more exact than the requested one.
    pub model: Option<String>,
    /// Remarks for people.
    pub notes: Vec<String>,
}

/// Capabilities of a vision-language model, as it reports them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct VlmCapabilities {
    /// Description for people.
    pub name: String,
    /// Largest useful batch.
    pub max_batch: usize,
    /// Maximum number of pictures per question.
    pub max_images: usize,
    /// Maximum number of output tokens.
    pub max_tokens: u32,
}

impl VlmCapabilities {
    /// Why the model cannot answer `ask`, if it cannot. Questions are refused rather than adjusted.
    pub fn refusal_reason(&self, ask: &VlmRequest) -> Option<String> {
        if ask.prompt.trim().is_empty() {
            return Some("the question is empty".into());
        }
        if ask.images.len() > self.max_images {
            return Some(format!(
                "{} pictures in one question; the limit is {}",
                ask.images.len(),
                self.max_images
            ));
        }
        if !(1..=self.max_tokens).contains(&ask.max_tokens) {
            return Some(format!(
                "max_tokens {} is out of range; use 1 to {}",
                ask.max_tokens, self.max_tokens
            ));
        }
        None
    }
}

/// Totals of a series of questions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    pub answers: u64,
    /// Answers without token counts. The sums are then too low.
    #[serde(rename = "untold")]
    pub without_usage: u64,
    pub usage: Usage,
}

impl Tally {
    pub fn add(&mut self, reply: &Reply) {
        self.answers += 1;
        match reply.usage {
            Some(usage) => {
                self.usage.prompt = self.usage.prompt.saturating_add(usage.prompt);
                self.usage.completion = self.usage.completion.saturating_add(usage.completion);
            }
            None => self.without_usage += 1,
        }
    }

    /// Cost of the tokens at the prices of `judge`. Failed requests are not included.
    pub fn money(&self, judge: &Judge) -> Money {
        let part = |tokens: u64, price: u64| u128::from(tokens) * u128::from(price);
        Money(
            part(self.usage.prompt, judge.price_in.0)
                + part(self.usage.completion, judge.price_out.0),
        )
    }
}

/// Money in 10^-12 of the currency unit: tokens times the price of a million, without rounding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Money(pub u128);

impl std::fmt::Display for Money {
    /// Four decimals, rounded up, so that no cost shows as zero.
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
    fn formats_are_recognized_by_first_bytes() {
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
    fn money_is_exact_and_rounds_up() {
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
        assert_eq!((tally.answers, tally.without_usage), (2, 1));
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
        assert_eq!(one.usage.prompt, u64::MAX, "absurd counts do not overflow");
    }

    #[test]
    fn excluded_questions_have_a_reason() {
        let abilities = VlmCapabilities {
            name: "m".into(),
            max_batch: 1,
            max_images: 1,
            max_tokens: 10,
        };
        let picture = Encoded::new(*b"GIF89a").unwrap();
        let good = VlmRequest {
            prompt: "Why?".into(),
            max_tokens: 10,
            images: vec![picture.clone()],
            ..VlmRequest::default()
        };
        assert_eq!(abilities.refusal_reason(&good), None);
        let two = VlmRequest {
            images: vec![picture; 2],
            ..good.clone()
        };
        assert!(
            abilities
                .refusal_reason(&two)
                .unwrap()
                .contains("2 pictures")
        );
        assert!(
            abilities
                .refusal_reason(&VlmRequest {
                    prompt: " ".into(),
                    ..good.clone()
                })
                .is_some()
        );
        for tokens in [0, 11] {
            assert!(
                abilities
                    .refusal_reason(&VlmRequest {
                        max_tokens: tokens,
                        ..good.clone()
                    })
                    .unwrap()
                    .contains("tokens")
            );
        }
    }
}
