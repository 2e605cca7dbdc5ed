//! `[generate]`: what makes the pictures.

use serde::{Deserialize, Deserializer, Serialize};

use super::endpoint::{self, named, trials, tries, within};

/// `[generate]`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Written")]
pub struct Generate {
    /// What makes the pictures.
    pub backend: Backend,
    /// `candle`: a known model's name or a folder. `http`: the model of every endpoint that names none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// `candle`: where it computes.
    pub device: Device,
    /// `candle`: pictures that go through the model together. With 1 a picture's bytes depend on nothing beside it.
    pub together: u32,
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
    /// A model in the owner's process or in a worker process, as [`Generate::device`] says.
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

/// Where a model computes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Device {
    /// On the first GPU, in a worker process, where the program for GPUs is there and the GPU computes as it should; else
    /// on the CPU in the owner's process.
    #[default]
    Auto,
    /// On the CPU, in the owner's process.
    Cpu,
    /// On the CPU, in a worker process.
    CpuWorker,
    /// On the GPU of this number, from 0 in the order of the PCI bus, in a worker process.
    Cuda(u16),
}

impl Device {
    /// The name used in files.
    pub fn name(self) -> String {
        match self {
            Self::Auto => "auto".into(),
            Self::Cpu => "cpu".into(),
            Self::CpuWorker => "cpu-worker".into(),
            Self::Cuda(ordinal) => format!("cuda:{ordinal}"),
        }
    }

    /// The device of that [`name`](Self::name).
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
        Device::from_name(&name).ok_or_else(|| format!("`{name}` is no device, {known}"))
    }
}

impl From<Device> for String {
    fn from(device: Device) -> String {
        device.name()
    }
}

/// One server: pictures are asked of `POST {url}/images/generations`.
pub type Endpoint = endpoint::Endpoint<Fields>;

/// Names of body fields beyond OpenAI's; an empty name is not sent.
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
        let (backend, device) = (Backend::default(), Device::default());
        Generate {
            backend,
            model: None,
            device,
            together: together(),
            tries: tries(),
            endpoints: Vec::new(),
        }
    }
}

impl Generate {
    /// The model asked of `endpoint`; empty only if neither names one.
    pub fn model_of<'a>(&'a self, endpoint: &'a Endpoint) -> &'a str {
        endpoint.model_or(self.model.as_deref())
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
    #[serde(default)]
    device: Device,
    #[serde(default = "together", deserialize_with = "pictures")]
    together: u32,
    #[serde(default = "tries", deserialize_with = "trials")]
    tries: u32,
    #[serde(default)]
    endpoints: Vec<Endpoint>,
}

impl TryFrom<Written> for Generate {
    type Error = String;

    fn try_from(written: Written) -> Result<Generate, String> {
        let Written {
            backend,
            model,
            device,
            together,
            tries,
            endpoints,
        } = written;
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
            _ => Ok(Generate { backend, model, device, together, tries, endpoints }),
        }
    }
}

fn together() -> u32 {
    1
}

fn pictures<'de, D: Deserializer<'de>>(source: D) -> Result<u32, D::Error> {
    within(source, 64)
}
