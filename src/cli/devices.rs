//! The devices of this machine for `benchtop doctor`: the hardware, and whether benchtop's kernels
//! run on it.

use serde_json::{Map, Value, json};

use benchtop_inference::candle::config::CandleResult;
use benchtop_inference::candle::device::{DeviceName, describe};
use benchtop_inference::machine_load::Gauges;
use benchtop_inference::worker::{Launch, Timeouts, probe};
use benchtop_model::Error;
use benchtop_model::device::Gpu;

/// Reports all devices. If the GPU worker program is installed, it runs on each GPU, which takes a
/// second or two.
pub fn report() -> Value {
    let found = Gauges::new().read(&[]);
    let cpu = DeviceName::Cpu
        .open()
        .and_then(|device| Ok(describe(&device).input()?.architecture));
    let program = Launch::cuda(0);
    let mut gpus: Vec<Option<&Gpu>> = found.gpus.iter().map(Some).collect();
    if gpus.is_empty() && program.is_ok() {
        // An installed GPU worker means that the user expects a GPU. The worker reports why it
        // finds none.
        gpus.push(None);
    }
    let gpus: Map<String, Value> = gpus
        .into_iter()
        .enumerate()
        .map(|(ordinal, gpu)| (DeviceName::Cuda(ordinal).to_string(), check(ordinal, gpu)))
        .collect();
    json!({
        "cpu": {"cores": found.cpu.cores, "instructions": cpu.ok()},
        "gpus": gpus,
        "no_gpu": found.no_gpu,
        "worker": {
            "program": Launch::gpu_program(),
            "problem": program.err().map(|p| one_line(&p)),
        },
    })
}

/// The error and its help on one line.
fn one_line(problem: &Error) -> String {
    [Some(&problem.what), problem.help.as_ref()]
        .into_iter()
        .flatten()
        .cloned()
        .collect::<Vec<_>>()
        .join("; ")
}

/// One GPU: the driver's information and the result of a test computation.
fn check(ordinal: usize, gpu: Option<&Gpu>) -> Value {
    let mut value = json!({
        "name": gpu.map(|g| &g.name),
        "memory_total": gpu.and_then(|g| g.memory_total),
        "memory_used": gpu.and_then(|g| g.memory_used),
        "works": false,
        "problem": null,
    });
    let reply = Launch::cuda(ordinal).and_then(|launch| probe(&launch, &Timeouts::GPU));
    let problem = match reply {
        Err(problem) => Some(one_line(&problem)),
        Ok((hello, version)) => {
            value["worker_version"] = version.into();
            match hello.about {
                Err(why) => Some(why),
                Ok(about) => {
                    value["name"] = about.name.into();
                    value["architecture"] = about.architecture.into();
                    value["memory_free"] = about.memory.map(|(free, _)| free).into();
                    value["took_ms"] = about.took_ms.into();
                    value["works"] = about.check.is_ok().into();
                    value["computed"] = about.check.as_ref().ok().cloned().into();
                    about.check.err()
                }
            }
        }
    };
    value["problem"] = problem.into();
    value
}
