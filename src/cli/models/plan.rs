//! A change of what paints and what scores: what it would do, and doing it.

use benchtop_files::project::Project;
use benchtop_inference::http::model_list;
use benchtop_inference::hub::Hub;
use benchtop_model::cancel::ProgressSink;
use benchtop_model::config::generate::{Backend, Device};
use benchtop_model::config::{Config, FilterModels};
use benchtop_model::history::stamp;
use benchtop_model::settings::{
    ModelSettings, ModelsChange, ModelsPlan, ServerTest, UsedModel, UsedServer,
};
use benchtop_model::trust::{self, DataKind, Destination};
use benchtop_model::weights::FileState;
use benchtop_model::{Error, ErrorKind, Result};
use benchtop_owner::clock;
use benchtop_store::settings::{self, NewValue, Setting, SettingsEdit};
use benchtop_store::trust::Trust;

/// The settings of a project.
pub fn current(project: &Project) -> ModelSettings {
    let config = project.config();
    let (generate, judge, filter) = (&config.generate, &config.judge, &config.filter);
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    let (painter, judged) = (generate.endpoints.first(), judge.endpoints.first());
    ModelSettings {
        backend: generate.backend.name().into(),
        model: text(&generate.model),
        device: generate.device.name(),
        endpoint: painter.map(|e| e.url.clone()).unwrap_or_default(),
        key_env: painter.map(|e| text(&e.key_env)).unwrap_or_default(),
        judge_model: text(&judge.model),
        judge_endpoint: judged.map(|e| e.url.clone()).unwrap_or_default(),
        judge_key_env: judged.map(|e| text(&e.key_env)).unwrap_or_default(),
        clip: filter.clip.clone(),
        siglip: text(&filter.siglip),
        safety: text(&filter.safety),
    }
}

fn settings_of(change: &ModelsChange) -> Vec<Setting> {
    let some = |text: &str| Some(text.to_string()).filter(|text| !text.is_empty());
    let mut all = Vec::new();
    let texts = [
        ("generate", "backend", &change.backend),
        ("generate", "model", &change.model),
        ("generate", "device", &change.device),
        ("judge", "model", &change.judge_model),
        ("filter", "clip", &change.clip),
        ("filter", "siglip", &change.siglip),
        ("filter", "safety", &change.safety),
    ];
    for (table, key, text) in texts {
        if let Some(text) = text {
            let value = some(text).map_or(NewValue::Unset, NewValue::Text);
            all.push(Setting { table, key, value });
        }
    }
    for (table, url, key_env) in [
        ("generate", &change.endpoint, &change.key_env),
        ("judge", &change.judge_endpoint, &change.judge_key_env),
    ] {
        let is_removed = url.as_ref().is_some_and(String::is_empty);
        let mut fields = Vec::new();
        fields.extend(url.as_deref().map(|url| ("url", some(url))));
        if is_removed {
            // What else the entry says is about the server that is removed.
            for field in ["key_env", "model"] {
                fields.push((field, None));
            }
        } else {
            fields.extend(key_env.as_deref().map(|key| ("key_env", some(key))));
        }
        if !fields.is_empty() {
            let (key, value) = ("endpoints", NewValue::First(fields));
            all.push(Setting { table, key, value });
        }
    }
    all
}

/// What the change would do.
///
/// # Errors
/// Settings that would be invalid, with their field; and a model that is neither known nor a folder.
pub fn plan(project: &Project, change: &ModelsChange) -> Result<ModelsPlan> {
    Ok(prepare(project, change)?.0)
}

fn prepare(project: &Project, change: &ModelsChange) -> Result<(ModelsPlan, SettingsEdit)> {
    let project = &Project::open(project.root())?;
    check(change)?;
    let edit = settings::edit(project, &settings_of(change))?;
    let hub = Hub::from_env()?;
    let mut plan = ModelsPlan {
        project: edit.changes.clone(),
        known: hub.list()?,
        ..ModelsPlan::default()
    };
    models(&edit.config, &hub, &mut plan)?;
    plan.servers = servers(&edit.config)?;
    for server in &plan.servers {
        if let (Some(false), Some(key)) = (server.has_key, &server.destination.key_env) {
            plan.notes.push(format!(
                "the variable {key} is not set here; the owner process needs it"
            ));
        }
    }
    if change.pull {
        // A folder has nothing to download.
        let missing = |used: &&UsedModel| {
            used.model.state != FileState::Complete && !used.model.repo.is_empty()
        };
        let all = plan.models.iter().filter(missing);
        plan.pulls = all.map(|used| used.model.name.clone()).collect();
        plan.pulls.dedup();
    }
    Ok((plan, edit))
}

/// Checks what the settings themselves accept as any text.
fn check(change: &ModelsChange) -> Result<()> {
    let filled = |text: &Option<String>| text.clone().filter(|text| !text.is_empty());
    if let Some(name) = filled(&change.device)
        && Device::from_name(&name).is_none()
    {
        return Err(Error::usage(format!("unknown device `{name}`"))
            .field("generate.device")
            .help("one of: auto, cpu, cpu-worker, cuda:0"));
    }
    for (url, key, field) in [
        (&change.endpoint, &change.key_env, "generate"),
        (&change.judge_endpoint, &change.judge_key_env, "judge"),
    ] {
        let url = filled(url).unwrap_or_else(|| "http://localhost".into());
        let checked = Destination::new(&url, filled(key).as_deref(), DataKind::Texts);
        checked.map_err(|mut problem| {
            let which = problem.place.field.unwrap_or_default();
            problem.place.field = Some(format!("{field}.{which}"));
            problem
        })?;
    }
    Ok(())
}

/// The models that the settings name.
fn models(config: &Config, hub: &Hub, plan: &mut ModelsPlan) -> Result<()> {
    let FilterModels {
        clip,
        siglip,
        safety,
        ..
    } = &config.filter;
    let painter = config.generate.model.as_ref();
    let named = [
        (
            "generate.model",
            painter.filter(|_| config.generate.backend == Backend::Candle),
        ),
        ("filter.clip", Some(clip)),
        ("filter.siglip", siglip.as_ref()),
        ("filter.safety", safety.as_ref()),
    ];
    for (setting, name) in named {
        let Some(name) = name else { continue };
        let model = hub.report(name).map_err(|problem| problem.field(setting))?;
        plan.models.push(UsedModel { setting, model });
    }
    Ok(())
}

fn servers(config: &Config) -> Result<Vec<UsedServer>> {
    let agreements = Trust::of_current_user().read()?.agreements;
    let (generate, judge) = (&config.generate, &config.judge);
    let painters = generate.endpoints.iter().map(|e| {
        let model = generate.model_of(e).to_string();
        (
            "generate.endpoints",
            (&e.url, &e.key_env),
            model,
            DataKind::Texts,
        )
    });
    let painters = painters.filter(|_| generate.backend == Backend::Http);
    let judges = judge.endpoints.iter().map(|e| {
        let model = e.model_or(judge.model.as_deref()).to_string();
        (
            "judge.endpoints",
            (&e.url, &e.key_env),
            model,
            DataKind::Pictures,
        )
    });
    let used = |(setting, (url, key_env), model, sends): (_, (&String, &Option<String>), _, _)| {
        let destination = Destination::new(url, key_env.as_deref(), sends)?;
        let is_agreed = agreements
            .iter()
            .any(|a| a.destination.covers(&destination));
        let has_key = key_env.as_ref().map(|key| key_of(key).is_some());
        Ok(UsedServer {
            setting,
            url: url.clone(),
            model,
            agreed: is_agreed || destination.needs_no_consent(),
            destination,
            has_key,
        })
    };
    painters.chain(judges).map(used).collect()
}

fn key_of(variable: &str) -> Option<String> {
    std::env::var(variable).ok().filter(|key| !key.is_empty())
}

/// Writes the settings, and then downloads and tests what the change asks for. `agreed` are servers
/// that the person has just agreed to.
///
/// # Errors
/// Those of [`plan`]; before anything is written, servers without an agreement that a test would
/// ask; and afterwards, failed downloads.
pub fn apply(
    project: &Project,
    change: &ModelsChange,
    agreed: &[Destination],
    watch: ProgressSink<'_>,
) -> Result<ModelsPlan> {
    let (mut plan, edit) = prepare(project, change)?;
    let open: Vec<Destination> = plan
        .missing_consent()
        .into_iter()
        .filter(|to| !agreed.iter().any(|agreed| agreed.covers(to)))
        .collect();
    if change.test && !open.is_empty() {
        return Err(trust::refusal(&open));
    }
    settings::write(project, &edit)?;
    if !agreed.is_empty() {
        Trust::of_current_user().agree(agreed, &stamp(clock::now()))?;
    }
    let hub = Hub::from_env()?;
    for name in &plan.pulls {
        hub.pull(name, &mut |at| {
            let what = format!("{name}: {}", at.path);
            watch.report(&what, at.done, at.of).is_ok()
        })?;
    }
    for used in &mut plan.models {
        used.model = hub.report(&used.model.name)?;
    }
    if change.test {
        for server in &mut plan.servers {
            watch.report(&format!("asking {}", server.url), 0, None)?;
            server.agreed = true;
            plan.tests.push(test(server));
        }
    }
    Ok(plan)
}

/// Asks a server for its models.
fn test(server: &UsedServer) -> ServerTest {
    let key = server.destination.key_env.as_deref().map(|name| {
        key_of(name).ok_or_else(|| {
            let what = format!("the variable {name} is not set here");
            Error::new(ErrorKind::Input, what).field("key_env")
        })
    });
    let listed = key
        .transpose()
        .and_then(|key| model_list(&server.url, key.as_deref()));
    let url = server.url.clone();
    match listed {
        Ok(names) => ServerTest {
            url,
            models: Some(names.len() as u64),
            has_model: names.contains(&server.model),
            problem: None,
        },
        Err(problem) => ServerTest {
            url,
            models: None,
            has_model: false,
            problem: Some(problem.what),
        },
    }
}
