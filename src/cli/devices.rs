//! The devices of this machine as `doctor` reports them: what is there, and whether our operations compute on it.

use serde_json::{Map, Value, json};

use benchtop_inference::candle::config::CandleResult;
use benchtop_inference::candle::device::{Place, describe};
use benchtop_inference::gauges::Gauges;
use benchtop_inference::worker::{Launch, Timeouts, probe};
use benchtop_model::Error;
use benchtop_model::device::Gpu;

/// All of them. Each GPU is tried with the program for GPUs, where there is one, which takes a second or two.
pub fn report() -> Value {
    let found = Gauges::new().read(&[]);
    let cpu = Place::Cpu
        .open()
        .and_then(|device| Ok(describe(&device).input()?.architecture));
    let program = Launch::cuda(0);
    let mut gpus: Vec<Option<&Gpu>> = found.gpus.iter().map(Some).collect();
    if gpus.is_empty() && program.is_ok() {
        // Whoever has put the program there expects a GPU: it says itself why there is none.
        gpus.push(None);
    }
    let gpus: Map<String, Value> = gpus
        .into_iter()
        .enumerate()
        .map(|(ordinal, gpu)| (Place::Cuda(ordinal).to_string(), tried(ordinal, gpu)))
        .collect();
    json!({
        "cpu": {"cores": found.cpu.cores, "instructions": cpu.ok()},
        "gpus": gpus,
        "no_gpu": found.no_gpu,
        "worker": {
            "program": Launch::looked_for(),
            "problem": program.err().map(|p| said(&p)),
        },
    })
}

/// What is wrong and what to do, on one line.
fn said(problem: &Error) -> String {
    [Some(&problem.what), problem.help.as_ref()]
        .into_iter()
        .flatten()
        .cloned()
        .collect::<Vec<_>>()
        .join("; ")
}

/// One GPU: what the driver says of it, and what came of computing on it.
fn tried(ordinal: usize, gpu: Option<&Gpu>) -> Value {
    let mut value = json!({
        "name": gpu.map(|g| &g.name),
        "memory_total": gpu.and_then(|g| g.memory_total),
        "memory_used": gpu.and_then(|g| g.memory_used),
        "works": false,
        "problem": null,
    });
    let told = Launch::cuda(ordinal).and_then(|launch| probe(&launch, &Timeouts::GPU));
    let problem = match told {
        Err(problem) => Some(said(&problem)),
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
