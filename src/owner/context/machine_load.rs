//! The gauges of the machine: GPUs and processors.

use std::time::{Duration, Instant};

use parking_lot::Mutex;

use benchtop_inference::machine_load::Gauges;
use benchtop_inference::worker;
use benchtop_model::device::Devices;

/// Time between two readings of the gauges.
const GAUGES_EVERY: Duration = Duration::from_millis(500);

/// The gauges and what they last read; looked for at the first question.
#[derive(Default)]
pub struct Machine(Mutex<Option<(Gauges, Instant, Devices)>>);

impl Machine {
    /// What the machine is doing; read anew at most every half second, whoever asks.
    pub fn devices(&self) -> Devices {
        let mut held = self.0.lock();
        if let Some((_, read, devices)) = held.as_ref()
            && read.elapsed() < GAUGES_EVERY
        {
            return devices.clone();
        }
        let mut gauges = held.take().map_or_else(Gauges::new, |(gauges, ..)| gauges);
        let mut ours = worker::pids();
        ours.push(std::process::id());
        let devices = gauges.read(&ours);
        *held = Some((gauges, Instant::now(), devices.clone()));
        devices
    }
}
