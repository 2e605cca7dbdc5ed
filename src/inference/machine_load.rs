//! Reads the load of the machine: of GPUs through NVIDIA's management library (NVML), which is
//! loaded only if it is installed, and of processors through `/proc`.

use nvml_wrapper::Nvml;
use nvml_wrapper::enum_wrappers::device::TemperatureSensor;
use nvml_wrapper::enums::device::UsedGpuMemory;
use nvml_wrapper::error::NvmlError;

use benchtop_model::device::{Cpu, Devices, Gpu};

/// Reads the load, and keeps the last reading to compute differences.
pub struct Gauges {
    nvml: Result<Nvml, String>,
    /// Ticks of all processors (busy, total) and of our processes at the last reading.
    before: Option<(u64, u64, u64)>,
}

impl Gauges {
    /// Loads the driver's library, if there is one. Takes about 13 ms.
    pub fn new() -> Gauges {
        Gauges {
            nvml: Nvml::init().map_err(|e| why(&e)),
            before: None,
        }
    }

    /// Reads all devices. Takes about 7 ms with one GPU. `ours` are the ids of benchtop's
    /// processes.
    pub fn read(&mut self, ours: &[u32]) -> Devices {
        let (gpus, no_gpu) = match &self.nvml {
            Err(why) => (Vec::new(), Some(why.clone())),
            Ok(nvml) => match nvml.device_count() {
                Ok(0) => (Vec::new(), Some("the driver lists no GPU".into())),
                Ok(count) => (
                    (0..count).filter_map(|i| gpu(nvml, i, ours)).collect(),
                    None,
                ),
                Err(error) => (Vec::new(), Some(why(&error))),
            },
        };
        Devices {
            gpus,
            no_gpu,
            cpu: self.cpu(ours),
        }
    }

    fn cpu(&mut self, ours: &[u32]) -> Cpu {
        let cores = std::thread::available_parallelism().map_or(1, |n| n.get() as u32);
        let now = ticks(ours);
        let share =
            |part: u64, of: u64| (of > 0).then(|| (part as f32 / of as f32).clamp(0.0, 1.0));
        let mut cpu = Cpu {
            cores,
            busy: None,
            ours: None,
        };
        if let (Some((busy, all, own)), Some(before)) = (now, self.before) {
            let of = all.saturating_sub(before.1);
            cpu.busy = share(busy.saturating_sub(before.0), of);
            cpu.ours = share(own.saturating_sub(before.2), of);
        }
        self.before = now;
        cpu
    }
}

impl Default for Gauges {
    fn default() -> Self {
        Gauges::new()
    }
}

/// The reason why NVML cannot be used.
fn why(error: &NvmlError) -> String {
    match error {
        NvmlError::LibloadingError(_) | NvmlError::LibraryNotFound => {
            "no NVIDIA driver is installed".into()
        }
        NvmlError::DriverNotLoaded => "the NVIDIA driver is not loaded".into(),
        NvmlError::NoPermission => "this user may not query the NVIDIA driver".into(),
        other => other.to_string().replace('\n', " "),
    }
}

fn gpu(nvml: &Nvml, index: u32, ours: &[u32]) -> Option<Gpu> {
    let device = nvml.device_by_index(index).ok()?;
    let memory = device.memory_info().ok();
    let of = |p: &nvml_wrapper::struct_wrappers::device::ProcessInfo| match p.used_gpu_memory {
        UsedGpuMemory::Used(bytes) if ours.contains(&p.pid) => Some(bytes),
        _ => None,
    };
    Some(Gpu {
        name: device.name().unwrap_or_else(|_| format!("GPU {index}")),
        utilisation: device.utilization_rates().ok().map(|u| u.gpu),
        memory_used: memory.as_ref().map(|m| m.used),
        memory_ours: device
            .running_compute_processes()
            .ok()
            .map(|all| all.iter().filter_map(of).sum()),
        memory_total: memory.as_ref().map(|m| m.total),
        temperature: device.temperature(TemperatureSensor::Gpu).ok(),
        power: device.power_usage().ok(),
        power_limit: device.enforced_power_limit().ok(),
    })
}

/// Ticks of all processors (busy, total) since boot, and of these processes since their start.
/// Ended processes count 0.
fn ticks(ours: &[u32]) -> Option<(u64, u64, u64)> {
    let (busy, all) = machine(&std::fs::read_to_string("/proc/stat").ok()?)?;
    let of = |pid: &u32| process(&std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?);
    Some((busy, all, ours.iter().filter_map(of).sum()))
}

/// Busy and total ticks from the first line of `/proc/stat`.
fn machine(stat: &str) -> Option<(u64, u64)> {
    let numbers: Vec<u64> = stat
        .lines()
        .next()?
        .split_whitespace()
        .skip(1)
        .map_while(|n| n.parse().ok())
        .collect();
    // user nice system idle iowait irq softirq steal; the later columns are included in user.
    let all: u64 = numbers.iter().take(8).sum();
    let idle = numbers.get(3)? + numbers.get(4).unwrap_or(&0);
    Some((all.checked_sub(idle)?, all))
}

/// User and system ticks from a `/proc/PID/stat`. The process name in parentheses may hold any
/// characters.
fn process(stat: &str) -> Option<u64> {
    let mut rest = stat.rsplit_once(')')?.1.split_whitespace().skip(11);
    Some(rest.next()?.parse::<u64>().ok()? + rest.next()?.parse::<u64>().ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_proc_stat_files() {
        let stat = "cpu  100 5 50 800 20 1 4 20 7 0\ncpu0 1 2 3\n";
        assert_eq!(machine(stat), Some((180, 1000)));
        assert_eq!(machine("nothing"), None);
        let own = "77 (a) b (c)) S 1 2 3 4 5 6 7 8 9 10 31 11 0 0 20 0 9 0 1\n";
        assert_eq!(process(own), Some(42));
        assert_eq!(process("77 (a"), None);
    }

    #[test]
    fn reads_processors_without_a_driver() {
        let mut gauges = Gauges {
            nvml: Err("no NVIDIA driver is installed".into()),
            before: None,
        };
        let ours = [std::process::id(), u32::MAX];
        let first = gauges.read(&ours);
        assert_eq!(
            (first.gpus.len(), first.no_gpu.as_deref()),
            (0, Some("no NVIDIA driver is installed"))
        );
        assert!(first.cpu.cores >= 1 && first.cpu.busy.is_none());
        if ticks(&ours).is_none() {
            return;
        }
        gauges.before = gauges
            .before
            .map(|(busy, all, own)| (busy.saturating_sub(50), all.saturating_sub(100), own));
        let second = gauges.read(&ours).cpu;
        assert!(
            second.busy.is_some_and(|b| b > 0.2 && b <= 1.0),
            "{second:?}"
        );
        assert!(second.ours.is_some());
    }
}
