//! Reads the load of GPUs and processors.

use std::time::{Duration, Instant};

use parking_lot::Mutex;

use benchtop_inference::machine_load::Gauges;
use benchtop_inference::worker;
use benchtop_model::device::Devices;

/// Minimum time between two readings.
const GAUGES_EVERY: Duration = Duration::from_millis(500);

/// The gauges and their last reading. They are opened on the first request.
#[derive(Default)]
pub struct Machine(Mutex<Option<(Gauges, Instant, Devices)>>);

impl Machine {
    /// Load of GPUs and processors, read at most every half second.
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
