//! `[generate]`: the source of the pictures.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

use super::endpoint::{self, TRIES, named, trials, within};
use super::judge::{Price, price};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Generate {
    pub backend: Backend,
    /// `candle`: a known model name or a folder. `http`: the default model of the endpoints.
    #[serde(deserialize_with = "named", skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// `candle`: the device.
    pub device: Device,
    /// `candle`: the batch size. Only with 1 are the bytes of a picture independent of the others.
    #[serde(deserialize_with = "pictures")]
    pub together: u32,
    /// Maximum number of HTTP requests per picture, the first included.
    #[serde(deserialize_with = "trials")]
    pub tries: u32,
    /// `http`: price of a million prompt tokens.
    #[serde(deserialize_with = "price")]
    pub price_in: Price,
    /// `http`: price of a million output tokens.
    #[serde(deserialize_with = "price")]
    pub price_out: Price,
    /// `http`: the servers, used as one pool.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub endpoints: Vec<Endpoint>,
}

named! {
    /// The kind of image generator.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Backend {
        /// Drafts drawn from the terms, without a model.
        #[default]
        Storyboard = "storyboard",
        /// A local model, in the owner process or a worker process depending on [`Generate::device`].
        Candle = "candle",
        /// Servers with OpenAI's image API.
        Http = "http",
    }
}

/// The device that a model runs on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Device {
    /// The first GPU, in a worker process, if the GPU program is installed and the GPU computes
    /// correctly. Otherwise the CPU, in the owner process.
    #[default]
    Auto,
    /// The CPU, in the owner process.
    Cpu,
    /// The CPU, in a worker process.
    CpuWorker,
    /// The GPU with this number (from 0, in PCI bus order), in a worker process.
    Cuda(u16),
}

impl Device {
    /// The name in files.
    pub fn name(self) -> String {
        match self {
            Self::Auto => "auto".into(),
            Self::Cpu => "cpu".into(),
            Self::CpuWorker => "cpu-worker".into(),
            Self::Cuda(ordinal) => format!("cuda:{ordinal}"),
        }
    }

    /// The device with this [`name`](Self::name).
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "auto" => Some(Self::Auto),
            "cpu" => Some(Self::Cpu),
            "cpu-worker" => Some(Self::CpuWorker),
            _ => {
                let ordinal = name.strip_prefix("cuda:")?;
                let digits = ordinal.bytes().all(|b| b.is_ascii_digit());
                ordinal.parse().ok().filter(|_| digits).map(Self::Cuda)
            }
        }
    }
}

impl TryFrom<String> for Device {
    type Error = String;

    fn try_from(name: String) -> Result<Device, String> {
        let known = "expected auto, cpu, cpu-worker, or a GPU such as cuda:0";
        Device::from_name(&name).ok_or_else(|| format!("unknown device `{name}`, {known}"))
    }
}

impl From<Device> for String {
    fn from(device: Device) -> String {
        device.name()
    }
}

/// One server. Pictures are requested with `POST {url}/images/generations`, and with
/// `POST {url}/images/edits` if they start from a picture.
pub type Endpoint = endpoint::Endpoint<Fields>;

/// Names of the body fields beyond OpenAI's. Fields with an empty name are not sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Fields {
    /// [`Task::seed`](crate::generation::Task::seed).
    pub seed: String,
    /// [`Settings::steps`](crate::generation::Settings::steps).
    pub steps: String,
    /// [`Settings::guidance`](crate::generation::Settings::guidance).
    pub guidance: String,
    /// [`Task::negative_prompt`](crate::generation::Task::negative_prompt).
    pub negative_prompt: String,
    /// The field that requests the picture inline. Some servers always send it inline and refuse
    /// the field.
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
        let (backend, device) = (Backend::default(), Device::default());
        Generate {
            backend,
            model: None,
            device,
            together: 1,
            tries: TRIES,
            price_in: Price::default(),
            price_out: Price::default(),
            endpoints: Vec::new(),
        }
    }
}

impl Generate {
    /// The model to request from `endpoint`; empty if neither names one.
    pub fn model_of<'a>(&'a self, endpoint: &'a Endpoint) -> &'a str {
        endpoint.model_or(self.model.as_deref())
    }
}

/// Reads the table and checks its fields against each other.
pub(super) fn checked<'de, D: Deserializer<'de>>(source: D) -> Result<Generate, D::Error> {
    let generate = Generate::deserialize(source)?;
    let (backend, endpoints) = (generate.backend, &generate.endpoints);
    let nameless = endpoints.iter().any(|e| e.model.is_none());
    let wrong = match (backend, &generate.model) {
        (Backend::Http, _) if endpoints.is_empty() => {
            "backend `http` has no endpoints, expected `endpoints = [{ url = \"http://127.0.0.1:8000/v1\" }]`"
        }
        (Backend::Http, None) if nameless => {
            "backend `http` has an endpoint without a model, expected `model = \"...\"` there or here"
        }
        (Backend::Candle, None) => {
            "backend `candle` has no model, expected `model = \"...\"`: a known name or a folder"
        }
        _ => return Ok(generate),
    };
    Err(D::Error::custom(wrong))
}

fn pictures<'de, D: Deserializer<'de>>(source: D) -> Result<u32, D::Error> {
    within(source, 64)
}
