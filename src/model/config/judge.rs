//! `[judge]`: the vision-language model that is asked about pictures, and what its tokens cost.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

use super::endpoint::{self, named, trials, tries, within};

/// `[judge]`. Without endpoints there is no judge.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Written")]
pub struct Judge {
    /// The model of every endpoint that names none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Most tries of one question, the first counted.
    pub tries: u32,
    /// Most tokens of one answer.
    pub max_tokens: u32,
    /// Sent with every question; at temperature 0 most servers have no use for it.
    pub seed: u32,
    /// What a million tokens of a prompt, pictures included, cost.
    pub price_in: Price,
    /// What a million tokens of an answer cost.
    pub price_out: Price,
    /// The servers, used as one pool.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub endpoints: Vec<Endpoint>,
}

/// One server: it is asked at `POST {url}/chat/completions`.
pub type Endpoint = endpoint::Endpoint<Fields>;

/// What the server calls body fields that not all servers know alike; an empty name is not sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Fields {
    /// Most tokens of the answer; some models of OpenAI's want `max_completion_tokens`.
    pub max_tokens: String,
    /// The temperature, which is 0; some models refuse any but their own.
    pub temperature: String,
    /// [`Judge::seed`].
    pub seed: String,
    /// The form of the answer, as a JSON schema.
    pub response_format: String,
    /// Log-probabilities of the answer's tokens.
    pub logprobs: String,
    /// How many alternatives of each token come with them.
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

/// A price in millionths of whatever money the prices are in, exact where a fraction would not be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct Price(pub u64);

/// Prices up to this are read.
const DEAREST: f64 = 1e6;

impl TryFrom<f64> for Price {
    type Error = String;

    fn try_from(price: f64) -> Result<Price, String> {
        match price {
            p if (0.0..=DEAREST).contains(&p) => Ok(Price((p * 1e6).round() as u64)),
            p => Err(format!(
                "{p} is no price, expected the price of a million tokens, from 0 to {DEAREST}"
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
            tries: tries(),
            max_tokens: max_tokens(),
            seed: 0,
            price_in: Price::default(),
            price_out: Price::default(),
            endpoints: Vec::new(),
        }
    }
}

impl Judge {
    /// Whether there is one.
    pub fn there(&self) -> bool {
        !self.endpoints.is_empty()
    }
}

/// The table as it is written, before its fields are held against one another.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    #[serde(default, deserialize_with = "named")]
    model: Option<String>,
    #[serde(default = "tries", deserialize_with = "trials")]
    tries: u32,
    #[serde(default = "max_tokens", deserialize_with = "tokens")]
    max_tokens: u32,
    #[serde(default)]
    seed: u32,
    #[serde(default, deserialize_with = "price")]
    price_in: Price,
    #[serde(default, deserialize_with = "price")]
    price_out: Price,
    #[serde(default)]
    endpoints: Vec<Endpoint>,
}

impl TryFrom<Written> for Judge {
    type Error = String;

    fn try_from(written: Written) -> Result<Judge, String> {
        let Written {
            model,
            tries,
            max_tokens,
            seed,
            price_in,
            price_out,
            endpoints,
        } = written;
        if model.is_none() && endpoints.iter().any(|e| e.model.is_none()) {
            return Err(
                "an endpoint has no model, expected `model = \"...\"` there or here".into(),
            );
        }
        Ok(Judge {
            model,
            tries,
            max_tokens,
            seed,
            price_in,
            price_out,
            endpoints,
        })
    }
}

fn max_tokens() -> u32 {
    512
}

fn tokens<'de, D: Deserializer<'de>>(source: D) -> Result<u32, D::Error> {
    within(source, 1 << 20)
}

/// A price, written with or without a point.
fn price<'de, D: Deserializer<'de>>(source: D) -> Result<Price, D::Error> {
    Price::try_from(f64::deserialize(source)?).map_err(D::Error::custom)
}
