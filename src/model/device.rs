//! What the machine that makes pictures is doing, as plain data.

use serde::{Deserialize, Serialize};

/// One GPU at one moment. A field that the driver does not tell is none: virtual machines and MIG slices tell less.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Gpu {
    /// Its name.
    pub name: String,
    /// Share of the last second in which it computed, in percent.
    pub utilisation: Option<u32>,
    /// Bytes of its memory that are taken, by anybody.
    pub memory_used: Option<u64>,
    /// Bytes that this owner and the processes it started have taken.
    pub memory_ours: Option<u64>,
    /// Bytes of its memory.
    pub memory_total: Option<u64>,
    /// Degrees Celsius.
    pub temperature: Option<u32>,
    /// Milliwatts drawn.
    pub power: Option<u32>,
    /// Milliwatts it may draw.
    pub power_limit: Option<u32>,
}

/// The processors at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Cpu {
    /// Processors.
    pub cores: u32,
    /// Share of all processors that was busy since the reading before, from 0 to 1; none at the first.
    pub busy: Option<f32>,
    /// Share of all processors that this owner took since the reading before, from 0 to 1; none at the first.
    pub ours: Option<f32>,
}

/// The machine at one moment.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Devices {
    /// Its GPUs.
    pub gpus: Vec<Gpu>,
    /// Why there is none, where there is none.
    pub no_gpu: Option<String>,
    /// Its processors.
    pub cpu: Cpu,
}
