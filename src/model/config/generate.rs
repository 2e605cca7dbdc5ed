//! `[generate]`: what makes the pictures.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

use super::one_line;

/// `[generate]`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Written")]
pub struct Generate {
    /// What makes the pictures.
    pub backend: Backend,
    /// `candle`: a known model's name or a folder. `http`: the model of every endpoint that names none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Most tries of one picture over HTTP, the first counted.
    pub tries: u32,
    /// The servers of `http`, used as one pool.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub endpoints: Vec<Endpoint>,
}

/// What makes the pictures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Backend {
    /// Drafts drawn from the terms; no model.
    #[default]
    Storyboard,
    /// A model in this process.
    Candle,
    /// Servers that speak OpenAI's image API.
    Http,
}

impl Backend {
    /// All backends, in the order they are listed.
    pub const ALL: [Backend; 3] = [Self::Storyboard, Self::Candle, Self::Http];

    /// The name used in files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Storyboard => "storyboard",
            Self::Candle => "candle",
            Self::Http => "http",
        }
    }

    /// The backend of that [`name`](Self::name).
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|b| b.name() == name)
    }
}

/// One server: pictures are asked of `POST {url}/images/generations`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Endpoint {
    /// Where the API begins, such as `http://127.0.0.1:8000/v1`; without a slash at its end, a name or a key.
    #[serde(deserialize_with = "url")]
    pub url: String,
    /// The model asked for; without one that of `[generate]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The environment variable that holds the key, sent as a bearer token.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "variable")]
    pub key_env: Option<String>,
    /// Most requests in flight.
    #[serde(default = "concurrency", deserialize_with = "requests")]
    pub concurrency: u32,
    /// Seconds for one picture, from the request to the last byte.
    #[serde(default = "timeout", deserialize_with = "seconds")]
    pub timeout_s: u32,
    /// What the server calls wishes that OpenAI's API has no field for.
    #[serde(default)]
    pub fields: Fields,
}

impl Default for Endpoint {
    fn default() -> Self {
        let url = "http://127.0.0.1:8000/v1".into();
        let (concurrency, timeout_s) = (concurrency(), timeout());
        Endpoint { url, model: None, key_env: None, concurrency, timeout_s, fields: Fields::default() }
    }
}

/// Names of body fields beyond OpenAI's; an empty name is not sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Fields {
    /// [`Task::seed`](crate::model::generation::Task::seed).
    pub seed: String,
    /// [`Settings::steps`](crate::model::generation::Settings::steps).
    pub steps: String,
    /// [`Settings::guidance`](crate::model::generation::Settings::guidance).
    pub guidance: String,
    /// [`Task::negative_prompt`](crate::model::generation::Task::negative_prompt).
    pub negative_prompt: String,
    /// The field that asks for the picture in the answer itself; some servers always give it and refuse the field.
    pub response_format: String,
}

impl Default for Fields {
    fn default() -> Self {
        Fields {
            seed: "seed".into(),
            steps: "num_inference_steps".into(),
            guidance: "guidance_scale".into(),
            negative_prompt: "negative_prompt".into(),
            response_format: "response_format".into(),
        }
    }
}

impl Default for Generate {
    fn default() -> Self {
        Generate { backend: Backend::default(), model: None, tries: tries(), endpoints: Vec::new() }
    }
}

impl Generate {
    /// The model asked of `endpoint`; empty only if neither names one.
    pub fn model_of<'a>(&'a self, endpoint: &'a Endpoint) -> &'a str {
        endpoint.model.as_deref().or(self.model.as_deref()).unwrap_or_default()
    }
}

/// The table as it is written, before its fields are held against one another.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    #[serde(default)]
    backend: Backend,
    #[serde(default, deserialize_with = "named")]
    model: Option<String>,
    #[serde(default = "tries", deserialize_with = "trials")]
    tries: u32,
    #[serde(default)]
    endpoints: Vec<Endpoint>,
}

impl TryFrom<Written> for Generate {
    type Error = String;

    fn try_from(written: Written) -> Result<Generate, String> {
        let Written { backend, model, tries, endpoints } = written;
        let nameless = endpoints.iter().any(|e| e.model.is_none());
        match backend {
            Backend::Http if endpoints.is_empty() => {
                Err("backend `http` has no endpoints, expected `endpoints = [{ url = \"http://127.0.0.1:8000/v1\" }]`"
                    .into())
            }
            Backend::Http if model.is_none() && nameless => {
                Err("backend `http` has an endpoint without a model, expected `model = \"...\"` there or here".into())
            }
            Backend::Candle if model.is_none() => {
                Err("backend `candle` has no model, expected `model = \"...\"`: a known name or a folder".into())
            }
            _ => Ok(Generate { backend, model, tries, endpoints }),
        }
    }
}

fn tries() -> u32 {
    4
}

fn concurrency() -> u32 {
    4
}

fn timeout() -> u32 {
    120
}

fn within<'de, D: Deserializer<'de>>(source: D, most: u32) -> Result<u32, D::Error> {
    let number = u32::deserialize(source)?;
    match (1..=most).contains(&number) {
        true => Ok(number),
        false => Err(D::Error::custom(format!("{number} is out of range, expected 1 to {most}"))),
    }
}

fn trials<'de, D: Deserializer<'de>>(source: D) -> Result<u32, D::Error> {
    within(source, 20)
}

fn requests<'de, D: Deserializer<'de>>(source: D) -> Result<u32, D::Error> {
    within(source, 256)
}

fn seconds<'de, D: Deserializer<'de>>(source: D) -> Result<u32, D::Error> {
    within(source, 86_400)
}

fn named<'de, D: Deserializer<'de>>(source: D) -> Result<Option<String>, D::Error> {
    one_line(source).map(Some)
}

fn url<'de, D: Deserializer<'de>>(source: D) -> Result<String, D::Error> {
    let url = one_line(source)?;
    let url = url.trim().trim_end_matches('/');
    let rest = url.strip_prefix("http://").or_else(|| url.strip_prefix("https://"));
    let host = rest.unwrap_or_default().split('/').next().unwrap_or_default();
    if host.is_empty() {
        return Err(D::Error::custom(
            "this is no address of a server, expected one that begins with http:// or https://",
        ));
    }
    if host.contains('@') {
        return Err(D::Error::custom(
            "an address holds no name or key, expected the key in the environment and `key_env`",
        ));
    }
    if url.contains(['?', '#', ' ']) {
        return Err(D::Error::custom(
            "an address holds no `?`, `#` or space, expected one such as `http://host:8000/v1`",
        ));
    }
    Ok(url.to_string())
}

fn variable<'de, D: Deserializer<'de>>(source: D) -> Result<Option<String>, D::Error> {
    let name = one_line(source)?;
    let first = name.bytes().next().is_some_and(|b| b.is_ascii_alphabetic() || b == b'_');
    if !first || !name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') {
        // What stands here may be the key itself: it is not repeated.
        return Err(D::Error::custom(
            "this is no name of an environment variable, expected one such as `OPENAI_API_KEY`, and the key in it",
        ));
    }
    Ok(Some(name))
}
