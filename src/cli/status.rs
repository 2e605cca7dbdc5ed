//! `benchtop status` and `benchtop stop`.

use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};

use super::out;
use crate::context::Context;
use crate::out::print;
use benchtop_model::usage::MetadataHealth;
use benchtop_model::{Error, ErrorKind, Finding, Result, clean};
use benchtop_protocol::wire::{OwnerStatus, StepLatency, request};
use benchtop_protocol::{Client, start};

#[derive(clap::Args)]
pub struct Args {
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Asks the owner for its status. `None` if no owner is running.
pub fn ask(context: &Context) -> Result<Option<OwnerStatus>> {
    let Some(client) = Client::attach(&context.project()?, &context.who()?, |_| ())? else {
        return Ok(None);
    };
    client.ask(request::Status).map(Some)
}

/// The status as JSON. `owner` is null if none is running.
pub fn json(status: Option<&OwnerStatus>, project: &benchtop_files::project::Project) -> Value {
    let Some(s) = status else {
        return json!({
            "owner": null,
            "version": env!("CARGO_PKG_VERSION"),
            "project": {"name": project.config().name, "root": project.root()},
        });
    };
    let by_status: Map<String, Value> = s
        .by_status
        .iter()
        .map(|(s, n)| (s.name().into(), (*n).into()))
        .collect();
    json!({
        "owner": {
            "pid": s.pid, "version": s.version, "socket": s.socket, "started": s.started, "clients": s.clients,
            "jobs": s.jobs, "read_only": s.read_only,
        },
        "version": env!("CARGO_PKG_VERSION"),
        "project": {"name": s.project, "root": s.root},
        "counts": {
            "items": s.items, "by_status": by_status, "prediction_sets": s.prediction_sets, "decisions": s.decisions,
            "released": s.released,
        },
        "rev": s.rev,
        "store_bytes": s.store_bytes,
        "notices": s.notices,
        "metadata": s.metadata.as_ref().map(metadata),
        "latency": latency(&s.latency),
    })
}

/// The errors of the metadata on disk, and which version is in force.
pub fn metadata(health: &MetadataHealth) -> Value {
    let error = |f: &Finding| {
        json!({
            "file": format!("metadata/{}", f.file), "line": f.line, "column": f.column, "rule": f.rule.name(),
            "what": f.message,
        })
    };
    let in_force = match (health.errors.is_empty(), health.known) {
        (true, _) => "on-disk",
        (false, true) => "earlier",
        (false, false) => "none",
    };
    json!({"errors": health.errors.iter().map(error).collect::<Vec<_>>(), "in_force": in_force})
}

/// The latency of decisions by step, in microseconds.
fn latency(waits: &[StepLatency]) -> Value {
    let micros = |nanos: u64| nanos as f64 / 1000.0;
    let of = |waits: &StepLatency| {
        let buckets: Vec<Value> = waits
            .buckets
            .iter()
            .map(|(end, n)| json!([micros(*end), n]))
            .collect();
        let value = json!({
            "count": waits.count(), "p50_us": micros(waits.within(0.5)), "p90_us": micros(waits.within(0.9)),
            "p99_us": micros(waits.within(0.99)), "max_us": micros(waits.longest), "buckets": buckets,
        });
        (waits.step.clone(), value)
    };
    Value::Object(waits.iter().map(of).collect())
}

/// The latency as a table. Empty before the first decision.
fn latency_table(waits: &[StepLatency]) -> String {
    if waits.iter().all(|waits| waits.count() == 0) {
        return String::new();
    }
    let mut out = String::from(
        "latency of decisions, microseconds    p50        p90        p99        max\n",
    );
    for waits in waits.iter().filter(|waits| waits.count() > 0) {
        let micros = |nanos: u64| format!("{:>10.1} ", nanos as f64 / 1000.0);
        let times = [
            waits.within(0.5),
            waits.within(0.9),
            waits.within(0.99),
            waits.longest,
        ]
        .map(micros)
        .concat();
        out.push_str(&format!(
            "  {:<8} {:>8} {:<9} {}\n",
            waits.step,
            waits.count(),
            if waits.count() == 1 {
                "decision"
            } else {
                "decisions"
            },
            times.trim_end()
        ));
    }
    out
}

pub fn run(context: &Context, args: &Args) -> Result<u8> {
    let status = ask(context)?;
    let value = json(status.as_ref(), &context.project()?);
    out::report(args.json, &value, || {
        status.as_ref().map_or_else(none, text)
    })
}

fn none() -> String {
    "no owner is running; it starts with the next command that needs it\n".into()
}

fn text(s: &OwnerStatus) -> String {
    let mut out = format!(
        "project   {} ({})\nowner     pid {}, benchtop {}, since {}\nsocket    {}\nclients   {}, jobs {}\nitems     {}\n",
        clean::line(&s.project),
        clean::line(&s.root.display().to_string()),
        s.pid,
        s.version,
        s.started,
        s.socket.display(),
        s.clients,
        s.jobs,
        s.items
    );
    for (status, n) in s.by_status.iter().filter(|(_, n)| *n > 0) {
        out.push_str(&format!("  {:<9} {n}\n", status.name()));
    }
    if let Some(released) = s.released.filter(|n| *n > 0) {
        out.push_str(&format!("  {:<9} {released}\n", "released"));
    }
    out.push_str(&format!(
        "decisions {}, revision {}\nstore     {} bytes\n",
        s.decisions, s.rev, s.store_bytes
    ));
    out.push_str(&latency_table(&s.latency));
    if let Some(why) = &s.read_only {
        out.push_str(&format!("READ ONLY {}\n", clean::line(why)));
    }
    for notice in &s.notices {
        out.push_str(&format!("note      {}\n", clean::line(notice)));
    }
    out
}

/// Runs `stop`: asks the owner to stop, and waits until it has.
///
/// # Errors
/// The owner's refusal, or [`ErrorKind::Unreachable`] if it does not stop within a minute. Its last
/// writes take a while on a slow disk.
pub fn stop(context: &Context) -> Result<u8> {
    let project = context.project()?;
    let Some(client) = Client::attach(&project, &context.who()?, |_| ())? else {
        return print("no owner is running\n").map(|()| 0);
    };
    let pid = client.welcome().pid;
    match client.ask(request::Stop) {
        // The owner may stop before its reply arrives.
        Err(problem) if problem.kind == ErrorKind::Denied => return Err(problem),
        _ => drop(client),
    }
    let deadline = Instant::now() + Duration::from_secs(60);
    while benchtop_protocol::lock::is_held(&project) || start::find(&project)?.is_some() {
        if Instant::now() > deadline {
            return Err(Error::new(
                ErrorKind::Unreachable,
                format!("the owner (pid {pid}) did not stop within a minute"),
            )
            .help("wait for its last writes, or end the process"));
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    print(&format!("stopped the owner (pid {pid})\n")).map(|()| 0)
}
