//! `[judge]`: the vision-language model that answers questions about pictures, and its prices.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

use super::endpoint::{self, TRIES, named, trials, within};

/// `[judge]`. The judge is off without endpoints.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Judge {
    /// The default model of the endpoints.
    #[serde(deserialize_with = "named", skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Maximum number of requests per question, the first included.
    #[serde(deserialize_with = "trials")]
    pub tries: u32,
    /// Maximum number of tokens per answer.
    #[serde(deserialize_with = "tokens")]
    pub max_tokens: u32,
    /// Sent with every question. Most servers ignore it at temperature 0.
    pub seed: u32,
    /// Price of a million prompt tokens, pictures included.
    #[serde(deserialize_with = "price")]
    pub price_in: Price,
    /// Price of a million output tokens.
    #[serde(deserialize_with = "price")]
    pub price_out: Price,
    /// The servers, used as one pool.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub endpoints: Vec<Endpoint>,
}

/// One server. Questions are sent with `POST {url}/chat/completions`.
pub type Endpoint = endpoint::Endpoint<Fields>;

/// Names of body fields that differ between servers. Fields with an empty name are not sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Fields {
    /// Maximum number of output tokens. Some OpenAI models need `max_completion_tokens`.
    pub max_tokens: String,
    /// The temperature, which is 0 except for writers. Some models accept only their own default.
    pub temperature: String,
    pub seed: String,
    /// The JSON schema of the answer.
    pub response_format: String,
    /// Requests log-probabilities of the output tokens.
    pub logprobs: String,
    /// The number of alternatives per token.
    pub top_logprobs: String,
}

impl Default for Fields {
    fn default() -> Self {
        Fields {
            max_tokens: "max_tokens".into(),
            temperature: "temperature".into(),
            seed: "seed".into(),
            response_format: "response_format".into(),
            logprobs: "logprobs".into(),
            top_logprobs: "top_logprobs".into(),
        }
    }
}

/// A price in millionths of the currency unit, so that it is exact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct Price(pub u64);

/// Highest accepted price.
const MAX_PRICE: f64 = 1e6;

impl TryFrom<f64> for Price {
    type Error = String;

    fn try_from(price: f64) -> Result<Price, String> {
        match price {
            p if (0.0..=MAX_PRICE).contains(&p) => Ok(Price((p * 1e6).round() as u64)),
            p => Err(format!(
                "invalid price {p}, expected the price of a million tokens, from 0 to {MAX_PRICE}"
            )),
        }
    }
}

impl From<Price> for f64 {
    fn from(price: Price) -> f64 {
        price.0 as f64 / 1e6
    }
}

impl Default for Judge {
    fn default() -> Self {
        Judge {
            model: None,
            tries: TRIES,
            max_tokens: 512,
            seed: 0,
            price_in: Price::default(),
            price_out: Price::default(),
            endpoints: Vec::new(),
        }
    }
}

impl Judge {
    /// Whether a judge is configured.
    pub fn is_configured(&self) -> bool {
        !self.endpoints.is_empty()
    }
}

/// Reads the table and checks its fields against each other.
pub(super) fn checked<'de, D: Deserializer<'de>>(source: D) -> Result<Judge, D::Error> {
    let judge = Judge::deserialize(source)?;
    if judge.model.is_none() && judge.endpoints.iter().any(|e| e.model.is_none()) {
        let wrong = "an endpoint has no model, expected `model = \"...\"` there or here";
        return Err(D::Error::custom(wrong));
    }
    Ok(judge)
}

fn tokens<'de, D: Deserializer<'de>>(source: D) -> Result<u32, D::Error> {
    within(source, 1 << 20)
}

/// A price, written as an integer or a float.
pub(super) fn price<'de, D: Deserializer<'de>>(source: D) -> Result<Price, D::Error> {
    Price::try_from(f64::deserialize(source)?).map_err(D::Error::custom)
}
