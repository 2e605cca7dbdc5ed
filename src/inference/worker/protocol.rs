//! The messages between an owner and its worker. The worker starts with [`Greeting`] and [`Hello`]
//! in one frame; then [`ToWorker`] and [`FromWorker`] follow. postcard is not self-describing, so
//! increase [`PROTOCOL`] with any change of these types or of the types of `model::generation` in
//! them.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use benchtop_model::error::Error;
use benchtop_model::generation::{Capabilities, Failure, Fingerprint, Picture, Settings, Task};

/// The first bytes from a worker.
pub const MAGIC: [u8; 8] = *b"bt-paint";
pub const PROTOCOL: u8 = 1;

/// The start of the first frame. It is the same in all versions, so that another version can be
/// reported.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Greeting {
    pub magic: [u8; 8],
    pub protocol: u8,
    /// Version of the worker program.
    pub version: String,
}

/// The rest of the first frame.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hello {
    /// The requested device: `cpu` or `cuda:N`.
    pub place: String,
    /// The device, or the driver's reason why it cannot be used.
    pub about: Result<About, String>,
}

/// A device that was opened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct About {
    pub name: String,
    /// Instruction sets or compute capability.
    pub architecture: String,
    /// Free and total memory in bytes; `None` for the CPU.
    pub memory: Option<(u64, u64)>,
    /// The result of a test of benchtop's kernels on the device.
    pub check: Result<String, String>,
    /// Milliseconds to open the device and to run the test.
    pub took_ms: u64,
}

/// Messages from the owner.
#[derive(Debug, Serialize, Deserialize)]
pub enum ToWorker {
    /// Unload the present model and load this one. Answered by [`FromWorker::Loaded`].
    Load(Box<Load>),
    /// A task of the next [`ToWorker::Make`].
    Task(Box<Task>),
    /// Generate the pictures of the tasks since the last `Make`. Answered by one
    /// [`FromWorker::Done`] per task and [`FromWorker::Over`].
    Make(Box<Make>),
    /// Cancel all runs up to this number. The present one ends at its next step.
    Cancel(u64),
    /// Answered by [`FromWorker::Pong`] at once, even while computing.
    Ping,
}

/// A model to load.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Load {
    pub folder: PathBuf,
    /// Hash of the model's files, if known. Otherwise the worker reads all files to compute it.
    pub hash: Option<String>,
    /// Data type of the computation: `f32` or `f16`.
    pub dtype: String,
    /// Maximum number of pictures per batch.
    pub together: u64,
    /// Pictures with more pixels than this go through the VAE in tiles.
    pub whole_pixels: u64,
}

/// A call to generate pictures.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Make {
    /// Number of the call; increases with every call.
    pub run: u64,
    pub settings: Settings,
    /// Maximum number of pictures per batch. Lower than in [`Load`] after a lack of memory.
    pub together: u64,
    /// Pictures with more pixels than this go through the VAE in tiles.
    pub whole_pixels: u64,
}

/// Messages from the worker.
#[derive(Debug, Serialize, Deserialize)]
pub enum FromWorker {
    Loaded(Box<Result<Loaded, Error>>),
    /// See [`CountedVerdict::Step`](crate::Told::Step).
    Step {
        run: u64,
        done: u32,
        of: u32,
        batch: u64,
    },
    /// See [`CountedVerdict::Done`](crate::Told::Done).
    Done {
        run: u64,
        index: u64,
        result: Result<Picture, Failure>,
    },
    /// Every task of this call was answered.
    Over(u64),
    /// The reply to [`ToWorker::Ping`].
    Pong,
    /// The device's state is lost. The worker exits with the status [`FATAL`](super::FATAL).
    Fatal(String),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Loaded {
    pub capabilities: Capabilities,
    /// The part of the fingerprint that does not depend on settings.
    pub fixed: Fingerprint,
    /// The same if pictures larger than a tile go through the VAE in tiles.
    pub tiled: Fingerprint,
    /// Number of pixels of a tile.
    pub tile_pixels: u64,
}
