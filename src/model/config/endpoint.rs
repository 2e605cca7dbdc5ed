//! One server of a pool, as configured in `[generate]` and `[judge]`.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

use super::one_line;

/// One server with an OpenAI-compatible API. `F` holds its names for the body fields of that API.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(
    deny_unknown_fields,
    bound(deserialize = "F: Default + Deserialize<'de>")
)]
pub struct Endpoint<F> {
    /// Base URL of the API, such as `http://127.0.0.1:8000/v1`, without trailing slash, user name,
    /// or key.
    #[serde(deserialize_with = "url")]
    pub url: String,
    /// The model to request. Defaults to the model of the table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The environment variable with the key, which is sent as a bearer token.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "variable"
    )]
    pub key_env: Option<String>,
    /// Maximum number of requests in flight.
    #[serde(default = "concurrency", deserialize_with = "requests")]
    pub concurrency: u32,
    /// Timeout in seconds, from the request to the last byte of the reply.
    #[serde(default = "timeout", deserialize_with = "seconds")]
    pub timeout_s: u32,
    /// Names of the body fields.
    #[serde(default)]
    pub fields: F,
}

impl<F: Default> Default for Endpoint<F> {
    fn default() -> Self {
        let url = "http://127.0.0.1:8000/v1".into();
        let (concurrency, timeout_s) = (concurrency(), timeout());
        Endpoint {
            url,
            model: None,
            key_env: None,
            concurrency,
            timeout_s,
            fields: F::default(),
        }
    }
}

impl<F> Endpoint<F> {
    /// The model to request, where `model` is the model of the table. Empty if neither names one.
    pub fn model_or<'a>(&'a self, model: Option<&'a str>) -> &'a str {
        self.model.as_deref().or(model).unwrap_or_default()
    }
}

pub(super) const TRIES: u32 = 4;

fn concurrency() -> u32 {
    4
}

fn timeout() -> u32 {
    120
}

pub(super) fn within<'de, D: Deserializer<'de>>(source: D, most: u32) -> Result<u32, D::Error> {
    let number = u32::deserialize(source)?;
    match (1..=most).contains(&number) {
        true => Ok(number),
        false => Err(D::Error::custom(format!(
            "{number} is out of range, expected 1 to {most}"
        ))),
    }
}

pub(super) fn trials<'de, D: Deserializer<'de>>(source: D) -> Result<u32, D::Error> {
    within(source, 20)
}

fn requests<'de, D: Deserializer<'de>>(source: D) -> Result<u32, D::Error> {
    within(source, 256)
}

fn seconds<'de, D: Deserializer<'de>>(source: D) -> Result<u32, D::Error> {
    within(source, 86_400)
}

pub(super) fn named<'de, D: Deserializer<'de>>(source: D) -> Result<Option<String>, D::Error> {
    one_line(source).map(Some)
}

fn url<'de, D: Deserializer<'de>>(source: D) -> Result<String, D::Error> {
    let url = one_line(source)?;
    let url = url.trim().trim_end_matches('/');
    let rest = url
        .strip_prefix("http://")
        .or_else(|| url.strip_prefix("https://"));
    let host = rest
        .unwrap_or_default()
        .split('/')
        .next()
        .unwrap_or_default();
    if host.is_empty() {
        return Err(D::Error::custom(
            "not a server URL, expected one that starts with http:// or https://",
        ));
    }
    if host.contains('@') {
        return Err(D::Error::custom(
            "the URL contains a user name or key, expected the key in an environment variable and its name in `key_env`",
        ));
    }
    if url.contains(['?', '#', ' ']) {
        return Err(D::Error::custom(
            "the URL contains `?`, `#`, or a space, expected a URL such as `http://host:8000/v1`",
        ));
    }
    Ok(url.to_string())
}

fn variable<'de, D: Deserializer<'de>>(source: D) -> Result<Option<String>, D::Error> {
    let name = one_line(source)?;
    let first = name
        .bytes()
        .next()
        .is_some_and(|b| b.is_ascii_alphabetic() || b == b'_');
    if !first || !name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') {
        // The value may be the key itself, so the error does not repeat it.
        return Err(D::Error::custom(
            "not the name of an environment variable, expected one such as `OPENAI_API_KEY` with the key in it",
        ));
    }
    Ok(Some(name))
}
