//! `benchtop doctor`: the information that a bug report needs.

use std::io::{self, IsTerminal};

use serde_json::{Value, json};

use super::{devices, out, show, status};
use crate::context::Context;
use benchtop_compose::compiled_metadata::CompiledMetadata;
use benchtop_files::inspect;
use benchtop_files::project::Project;
use benchtop_model::usage::MetadataHealth;
use benchtop_model::{Result, clean};
use benchtop_pipeline::compose;
use benchtop_store::manifest::Manifest;
use benchtop_tui::terminal::background::Background;
use benchtop_tui::terminal::pixels::Protocol;
use benchtop_tui::terminal::probe::WindowSize;
use benchtop_tui::terminal::{Capabilities, color, environment, locale};
use benchtop_tui::user_settings::{AUTO, Settings};

#[derive(clap::Args)]
pub struct Args {
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Also works outside of a project.
pub fn run(context: &Context, args: &Args) -> Result<u8> {
    let report = json!({
        "benchtop": {
            "version": env!("CARGO_PKG_VERSION"),
            "protocol": benchtop_protocol::wire::PROTOCOL,
            "os": std::env::consts::OS,
            "arch": std::env::consts::ARCH,
        },
        "terminal": terminal(context)?,
        "devices": devices::report(),
        "project": project(context),
    });
    out::report(args.json, &report, || lines(&report, 0))
}

fn terminal(context: &Context) -> Result<Value> {
    let env = environment();
    let is_terminal = io::stdin().is_terminal() && io::stdout().is_terminal();
    let found = if is_terminal {
        show::ask()
    } else {
        Capabilities::default()
    };
    let size = WindowSize::of(io::stdout()).unwrap_or_default();
    let level = color::detect(&env, context.color()?);
    let settings = Settings::load(&env);
    let background = settings
        .as_ref()
        .ok()
        .cloned()
        .unwrap_or_default()
        .background(found.background);
    let theme = match &settings {
        Ok(settings) if settings.theme == AUTO => {
            format!("{AUTO}: {}", settings.theme_on(background))
        }
        Ok(settings) => settings.theme.clone(),
        Err(problem) => problem.to_string(),
    };
    let advice = if !is_terminal {
        "not queried: standard input or output is not a terminal"
    } else if !found.answers {
        "the terminal does not answer queries: pictures are half-blocks, and verdicts are accepted after a timeout and marked"
    } else if found.tmux {
        "pictures are half-blocks inside tmux, unless its terminal is kitty or Ghostty and tmux has `allow-passthrough on`"
    } else if Protocol::choose(&found).is_none() {
        "no pixel protocol: pictures are half-blocks"
    } else {
        "press z for true pixels"
    };
    Ok(json!({
        "is_terminal": is_terminal,
        "term": env.get("TERM"),
        "colorterm": env.get("COLORTERM"),
        "version": found.version,
        "answers": found.answers,
        "columns": size.cells.0,
        "rows": size.cells.1,
        "cell_pixels": found.cell,
        "colour_level": level.name(),
        "background": background.map(Background::name),
        "theme": theme,
        "ascii": locale::is_ascii(&env),
        "image_protocol": Protocol::choose(&found).map_or("half-blocks", Protocol::name),
        "tmux": found.tmux,
        "ssh": found.ssh,
        "advice": advice,
    }))
}

fn project(context: &Context) -> Value {
    let project = match context.project() {
        Ok(project) => project,
        Err(problem) => return json!({"problem": problem.to_string()}),
    };
    let mut value = owner(context, &project);
    match Manifest::read(&project.imports()) {
        Ok(manifest) => {
            value["segments_without_line"] = manifest.orphans().into();
            value["damaged_lines"] = manifest.problems.iter().map(ToString::to_string).collect();
        }
        Err(problem) => value["problem"] = problem.to_string().into(),
    }
    value
}

fn owner(context: &Context, project: &Project) -> Value {
    match status::ask(context) {
        Ok(found) => {
            let mut value = status::json(found.as_ref(), project);
            if found.is_none() {
                value["metadata"] = health(project).as_ref().map(status::metadata).into();
            }
            value["warnings"] = inspect::notices(project).into();
            value["store_health"] = match &found {
                Some(s) if s.notices.is_empty() && s.read_only.is_none() => "good".into(),
                Some(_) => "see notices".into(),
                None => "not open: no owner process is running".into(),
            };
            value
        }
        Err(problem) => json!({"root": project.root(), "problem": problem.to_string()}),
    }
}

/// The health of the metadata, read by this process because no owner is running.
fn health(project: &Project) -> Option<MetadataHealth> {
    let (metadata, unreadable) = compose::metadata(Some(project)).ok()?;
    let (_, compiled) = CompiledMetadata::compile(&metadata);
    let errors: Vec<_> = compose::errors(&metadata, &unreadable, &compiled)
        .into_iter()
        .cloned()
        .collect();
    Some(MetadataHealth {
        known: errors.is_empty(),
        errors,
    })
}

fn lines(value: &Value, depth: usize) -> String {
    let mut out = String::new();
    for (key, value) in value.as_object().into_iter().flatten() {
        let indent = "  ".repeat(depth);
        match value {
            // `benchtop status` shows these as a table.
            Value::Object(_) if key == "latency" => {}
            Value::Object(_) => {
                out.push_str(&format!("{indent}{key}\n{}", lines(value, depth + 1)));
            }
            Value::String(text) => {
                out.push_str(&format!("{indent}{key:<16} {}\n", clean::line(text)))
            }
            Value::Array(list) if list.iter().all(Value::is_string) => {
                out.push_str(&format!("{indent}{key}\n"));
                for text in list.iter().filter_map(Value::as_str) {
                    out.push_str(&format!("{indent}  {}\n", clean::line(text)));
                }
            }
            Value::Null => out.push_str(&format!("{indent}{key:<16} -\n")),
            other => out.push_str(&format!("{indent}{key:<16} {}\n", out::json(other))),
        }
    }
    out
}
