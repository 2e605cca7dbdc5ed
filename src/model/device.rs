//! Readings of the machine that generates pictures.

use serde::{Deserialize, Serialize};

/// One GPU at one moment. Fields that the driver does not report are `None`; virtual machines and
/// MIG slices report less.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Gpu {
    pub name: String,
    /// Busy share of the last second, in percent.
    pub utilisation: Option<u32>,
    /// Bytes in use by all processes.
    pub memory_used: Option<u64>,
    /// Bytes in use by this owner and its workers.
    pub memory_ours: Option<u64>,
    /// Bytes in all.
    pub memory_total: Option<u64>,
    /// Degrees Celsius.
    pub temperature: Option<u32>,
    /// Power draw in milliwatts.
    pub power: Option<u32>,
    /// Power limit in milliwatts.
    pub power_limit: Option<u32>,
}

/// The CPU at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Cpu {
    pub cores: u32,
    /// Busy share of all cores since the previous reading, 0 to 1; `None` at the first reading.
    pub busy: Option<f32>,
    /// Share of all cores that this owner used since the previous reading, 0 to 1; `None` at the
    /// first reading.
    pub ours: Option<f32>,
}

/// The machine at one moment.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Devices {
    pub gpus: Vec<Gpu>,
    /// The reason for an empty `gpus`.
    pub no_gpu: Option<String>,
    /// Its CPU.
    pub cpu: Cpu,
}
