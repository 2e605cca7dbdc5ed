//! What an owner and its worker say to each other. The worker begins with [`Greeting`] and [`Hello`] in one frame; what
//! follows are [`ToWorker`] and [`FromWorker`]. postcard is not self-describing: any change of these types, or of those
//! of `model::generation` in them, raises [`PROTOCOL`].

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use benchtop_model::error::Error;
use benchtop_model::generation::{Capabilities, Failure, Fingerprint, Picture, Settings, Task};

/// First word of a worker.
pub const MAGIC: [u8; 8] = *b"bt-paint";
/// Version of this language.
pub const PROTOCOL: u8 = 1;

/// The part of the first frame that no version changes, so that another version is known by name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Greeting {
    /// [`MAGIC`].
    pub magic: [u8; 8],
    /// [`PROTOCOL`] of the worker.
    pub protocol: u8,
    /// Version of the worker's program.
    pub version: String,
}

/// The rest of the first frame.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hello {
    /// Its device as it was asked for: `cpu` or `cuda:N`.
    pub place: String,
    /// What was found there; or why it cannot be used, in the driver's words.
    pub about: Result<About, String>,
}

/// A device that could be opened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct About {
    /// Its name.
    pub name: String,
    /// Instructions or compute capability.
    pub architecture: String,
    /// Bytes of its memory, free and in all; none for the processors.
    pub memory: Option<(u64, u64)>,
    /// Whether our operations were run there and gave the right numbers: what was found, or what is wrong.
    pub check: Result<String, String>,
    /// Milliseconds from opening the device to the end of that check.
    pub took_ms: u64,
}

/// From the owner.
#[derive(Debug, Serialize, Deserialize)]
pub enum ToWorker {
    /// Load a model; one that was loaded is given up first. Answered by [`FromWorker::Loaded`].
    Load(Box<Load>),
    /// A task of the next [`ToWorker::Make`].
    Task(Box<Task>),
    /// Make the pictures of the tasks that came since the last one. Answered by a [`FromWorker::Done`] for each and
    /// [`FromWorker::Over`].
    Make(Box<Make>),
    /// Runs up to this one are not wanted any more; what is being made ends at its next step.
    Cancel(u64),
    /// Answered by [`FromWorker::Pong`] at once, whatever is being made.
    Ping,
}

/// Which model, and how it is used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Load {
    /// Its folder.
    pub folder: PathBuf,
    /// Hash of its files where that is known; they are all read for it otherwise.
    pub hash: Option<String>,
    /// What it computes in: `f32` or `f16`.
    pub dtype: String,
    /// Pictures of one pass at most.
    pub together: u64,
    /// Pictures with more pixels than this go through the VAE in tiles.
    pub whole_pixels: u64,
}

/// Pictures to make.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Make {
    /// Rises with every call.
    pub run: u64,
    /// How.
    pub settings: Settings,
    /// Pictures of one pass at most: fewer than at loading where memory was short.
    pub together: u64,
    /// Pictures with more pixels than this go through the VAE in tiles.
    pub whole_pixels: u64,
}

/// From the worker.
#[derive(Debug, Serialize, Deserialize)]
pub enum FromWorker {
    /// The model is loaded, or why it is not.
    Loaded(Box<Result<Loaded, Error>>),
    /// See [`Told::Step`](crate::Told::Step).
    Step {
        /// Of which call.
        run: u64,
        /// Steps done.
        done: u32,
        /// Steps in all.
        of: u32,
        /// Pictures made together.
        batch: u64,
    },
    /// See [`Told::Done`](crate::Told::Done).
    Done {
        /// Of which call.
        run: u64,
        /// Which of its tasks.
        index: u64,
        /// Its picture, or why there is none.
        result: Result<Picture, Failure>,
    },
    /// Every task of this call was answered.
    Over(u64),
    /// The answer to [`ToWorker::Ping`].
    Pong,
    /// The device's state is lost: the worker ends now, with the exit status [`FATAL`](super::FATAL).
    Fatal(String),
}

/// A loaded model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Loaded {
    /// What it can do.
    pub capabilities: Capabilities,
    /// The part of its fingerprint that no settings change.
    pub fixed: Fingerprint,
    /// The same where everything larger than a tile goes through the VAE in tiles.
    pub tiled: Fingerprint,
    /// Pixels of a tile.
    pub tile_pixels: u64,
}
