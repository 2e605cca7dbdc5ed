//! The form of what paints and what scores.

use super::{FormPane, PREVIEW, Question, RUN, Task};
use crate::pane::{Context, Worked};
use crate::theme::Role;
use crate::widgets::form::{Field, Fields, Subject};
use crate::widgets::lines::Lines;
use crate::widgets::page::Page;
use crate::widgets::text::{counted, error_line};
use benchtop_model::settings::{
    ModelSettings, ModelsChange, ModelsPlan, ServerTest, UsedModel, UsedServer,
};
use benchtop_model::trust::{DataKind, Destination};
use benchtop_model::weights::{FileState, ModelReport};
use benchtop_model::{Error, clean};

pub type ModelsPane = FormPane<Models>;

const BACKEND: &str = "pictures by";
const MODEL: &str = "model";
const DEVICE: &str = "device";
const ENDPOINT: &str = "server";
const KEY: &str = "key variable";
const CLIP: &str = "clip";
const SIGLIP: &str = "siglip";
const SAFETY: &str = "safety";
const JUDGE: &str = "judge";
const JUDGE_ENDPOINT: &str = "judge server";
const JUDGE_KEY: &str = "judge key";
const PULL: &str = "download";
const TEST: &str = "test";

/// The backends, as people read them and as benchtop.toml names them.
const BACKENDS: [(&str, &str); 3] = [
    ("drafts, no model", "storyboard"),
    ("a model here", "candle"),
    ("a server", "http"),
];

/// What paints and what scores.
#[derive(Clone, Debug)]
pub struct Models {
    now: ModelSettings,
}

fn backend(fields: &Fields) -> &'static str {
    let chosen = BACKENDS.get(fields.pick(BACKEND));
    chosen.map_or("storyboard", |(_, name)| name)
}

impl Models {
    fn change(&self, fields: &Fields) -> ModelsChange {
        let changed = |name: &str, now: &String| {
            let text = fields.text(name);
            (self.applies(fields, name) && text != now).then(|| text.to_string())
        };
        let now = &self.now;
        ModelsChange {
            backend: (backend(fields) != now.backend).then(|| backend(fields).into()),
            model: changed(MODEL, &now.model),
            device: changed(DEVICE, &now.device),
            endpoint: changed(ENDPOINT, &now.endpoint),
            key_env: changed(KEY, &now.key_env),
            judge_model: changed(JUDGE, &now.judge_model),
            judge_endpoint: changed(JUDGE_ENDPOINT, &now.judge_endpoint),
            judge_key_env: changed(JUDGE_KEY, &now.judge_key_env),
            clip: changed(CLIP, &now.clip),
            siglip: changed(SIGLIP, &now.siglip),
            safety: changed(SAFETY, &now.safety),
            pull: fields.is_on(PULL),
            test: fields.is_on(TEST),
        }
    }
}

impl Subject for Models {
    type Preview = ModelsPlan;

    fn title(&self) -> &str {
        "what paints and what scores"
    }

    fn applies(&self, fields: &Fields, name: &str) -> bool {
        match name {
            MODEL => backend(fields) != "storyboard",
            DEVICE => backend(fields) == "candle",
            ENDPOINT | KEY => backend(fields) == "http",
            _ => true,
        }
    }

    fn problem(&self, fields: &Fields, name: &str) -> Option<String> {
        let text = fields.text(name);
        let url = |url: &str| Destination::new(url, None, DataKind::Texts).err();
        let key = |key| Destination::new("http://localhost", key, DataKind::Texts).err();
        let is_judged = fields.filled(JUDGE_ENDPOINT).is_some();
        match name {
            MODEL if text.is_empty() => Some("type the name of a model".into()),
            ENDPOINT if text.is_empty() => Some("type the base URL of a server".into()),
            ENDPOINT => url(text).map(|p| error_line(&p)),
            JUDGE_ENDPOINT if is_judged => url(text).map(|p| error_line(&p)),
            JUDGE if text.is_empty() && is_judged => {
                Some("type the name that the server knows".into())
            }
            KEY | JUDGE_KEY => key(fields.filled(name)).map(|p| error_line(&p)),
            CLIP if text.is_empty() => Some("type a name, such as clip-vit-l-14".into()),
            _ => None,
        }
    }

    fn field_of(&self, problem: &Error) -> Option<&'static str> {
        let field = problem.place.field.as_deref()?;
        Some(match field {
            "generate.device" => DEVICE,
            "generate.endpoint" | "generate.endpoints.url" => ENDPOINT,
            "generate.key_env" | "generate.endpoints.key_env" => KEY,
            "judge.endpoint" | "judge.endpoints.url" => JUDGE_ENDPOINT,
            "judge.key_env" | "judge.endpoints.key_env" => JUDGE_KEY,
            "filter.clip" => CLIP,
            "filter.siglip" => SIGLIP,
            "filter.safety" => SAFETY,
            _ if field.starts_with("generate") => MODEL,
            _ if field.starts_with("judge") => JUDGE,
            _ => return None,
        })
    }

    fn command(&self, fields: &Fields) -> Vec<String> {
        let change = self.change(fields);
        match change == ModelsChange::default() {
            true => vec!["models".into(), "list".into()],
            false => change.arguments(),
        }
    }

    fn draw_preview(&self, fields: &Fields, plan: &ModelsPlan, lines: &mut Lines<'_>) {
        match plan.project.is_empty() {
            true => lines.wrapped(" the settings stay as they are", Role::Dim),
            false => lines.text(" benchtop.toml:", Role::Dim),
        }
        for setting in &plan.project {
            lines.wrapped(&format!(" {}", clean::line(&setting.line())), Role::Text);
        }
        for used in &plan.models {
            let role = match used.model.state {
                FileState::Complete => Role::Text,
                _ => Role::Warn,
            };
            lines.wrapped(&format!(" {}", of_model(used)), role);
        }
        if plan.models.iter().any(is_missing) && !fields.is_on(PULL) {
            lines.wrapped(&format!(" turn on {PULL} to get them"), Role::Hint);
        }
        for server in &plan.servers {
            let role = if server.agreed {
                Role::Text
            } else {
                Role::Warn
            };
            lines.wrapped(&format!(" {}", of_server(server)), role);
        }
        for note in &plan.notes {
            lines.wrapped(&format!(" note: {}", clean::line(note)), Role::Warn);
        }
        lines.text("", Role::Text);
        lines.text(" known models", Role::Heading);
        for model in &plan.known {
            let line = format!(" {}: {}", model.name, state(model));
            lines.text(&line, Role::Dim);
        }
    }
}

fn is_missing(used: &UsedModel) -> bool {
    used.model.state != FileState::Complete
}

fn state(model: &ModelReport) -> String {
    let state = match model.state {
        FileState::Complete => return "here".into(),
        FileState::Partial => "not complete",
        FileState::Absent => "not here",
        FileState::Corrupt => "damaged",
    };
    match model.size() {
        0 => format!("{state}, unknown size"),
        size => format!("{state}, {:.1} GB", size as f64 / 1e9),
    }
}

fn of_model(UsedModel { setting, model }: &UsedModel) -> String {
    let (name, license) = (clean::line(&model.name), clean::line(&model.licence));
    format!("{setting}: {name} is {}; license: {license}", state(model))
}

fn of_server(server: &UsedServer) -> String {
    let to = server.destination.to_string();
    let (to, kind) = (clean::line(&to), server.destination.sends.name());
    let consent = match server.agreed {
        true if server.destination.needs_no_consent() => ", this machine",
        true => ", which you agreed to",
        false => ", after you agree",
    };
    format!("{}: {kind} go to {to}{consent}", server.setting)
}

impl Task for Models {
    const START: &'static str = BACKEND;
    const HELP: &'static str = "Chooses what makes pictures and what scores them. The preview shows what benchtop.toml will say, \
         which models are missing, and where data goes. Nothing is downloaded or sent without a question.";

    fn new(cx: &mut Context<'_>) -> (Models, Vec<Field>) {
        let now = cx.env.commands.models.clone();
        let shown = BACKENDS.map(|(shown, _)| shown);
        let used = BACKENDS.iter().find(|(_, name)| *name == now.backend);
        let text = |name, help, now: &String| Field::text(name, help, now.clone());
        let fields = vec![
            Field::choice(
                BACKEND,
                "what makes pictures; left/right to choose",
                &shown,
                used.map_or(shown[0], |(shown, _)| shown),
            ),
            text(
                MODEL,
                "a name from the list, a folder, or the name that the server knows",
                &now.model,
            ),
            text(
                DEVICE,
                "auto (a GPU if there is one), cpu, cpu-worker, or cuda:0",
                &now.device,
            ),
            text(
                ENDPOINT,
                "base URL of the server, such as http://127.0.0.1:8000/v1",
                &now.endpoint,
            ),
            text(
                KEY,
                "environment variable of the owner process with the API key; may be empty",
                &now.key_env,
            ),
            text(CLIP, "scores how well a picture fits its prompt", &now.clip),
            text(
                SIGLIP,
                "as clip, with another model; may be empty",
                &now.siglip,
            ),
            text(SAFETY, "the safety checker; may be empty", &now.safety),
            text(
                JUDGE,
                "vision-language model that answers questions about pictures; may be empty",
                &now.judge_model,
            ),
            text(
                JUDGE_ENDPOINT,
                "base URL of the judge's server; empty for no judge",
                &now.judge_endpoint,
            ),
            text(
                JUDGE_KEY,
                "environment variable with the judge's API key; may be empty",
                &now.judge_key_env,
            ),
            Field::flag(
                PULL,
                "downloads what is missing, after a question; space changes it",
                false,
            ),
            Field::flag(
                TEST,
                "asks the servers for their models, after a question; space changes it",
                false,
            ),
        ];
        (Models { now }, fields)
    }

    fn preview(&self, fields: &Fields, edit: u64, cx: &mut Context<'_>) {
        let change = self.change(fields);
        cx.work(
            PREVIEW,
            move |commands, _| commands.plan_models(&change),
            move |pane: &mut ModelsPane, worked, cx| pane.on_preview_work(edit, worked, cx),
        );
    }

    fn question(&self, fields: &Fields, plan: &ModelsPlan) -> Result<Option<Question>, String> {
        let change = self.change(fields);
        if change == ModelsChange::default() {
            return Err("nothing changes; esc closes the form".into());
        }
        let mut asks = Vec::new();
        if !plan.pulls.is_empty() {
            let pulled = plan.models.iter();
            let pulled = pulled.filter(|used| plan.pulls.contains(&used.model.name));
            let named = pulled.map(|UsedModel { model, .. }| {
                let license = clean::line(&model.licence);
                format!("{} ({}; license: {license})", model.name, state(model))
            });
            asks.push(format!("download {}", named.collect::<Vec<_>>().join(", ")));
        }
        let open = if change.test {
            plan.missing_consent()
        } else {
            Vec::new()
        };
        if !open.is_empty() {
            let names: Vec<String> = open.iter().map(ToString::to_string).collect();
            asks.push(format!("agree to send data to {}", names.join(" and to ")));
        } else if change.test && plan.servers.is_empty() {
            return Err(format!("no server to test: turn off {TEST}"));
        }
        Ok((!asks.is_empty()).then(|| Question {
            title: clean::line(&asks.join(", and ")).into_owned(),
            yes: ("yes".into(), "and save the settings".into()),
        }))
    }

    fn start(&self, fields: &Fields, plan: &ModelsPlan, cx: &mut Context<'_>) {
        let change = self.change(fields);
        let agreed = if change.test {
            plan.missing_consent()
        } else {
            Vec::new()
        };
        cx.work(
            RUN,
            move |commands, watch| {
                let plan = commands.use_models(&change, &agreed, watch)?;
                Ok((plan, commands.model_settings()?))
            },
            |pane: &mut ModelsPane, worked: Worked<(ModelsPlan, ModelSettings)>, cx| {
                if let Some((plan, now)) = pane.on_run(worked, cx) {
                    pane.on_used(&plan, now, cx);
                }
            },
        );
    }
}

impl ModelsPane {
    /// Shows the receipt. Goes back unless a server failed its test.
    fn on_used(&mut self, plan: &ModelsPlan, now: ModelSettings, cx: &mut Context<'_>) {
        if let Some(form) = &mut self.form {
            form.subject.now = now;
            form.set(PULL, "no");
            form.set(TEST, "no");
        }
        if !plan.tests.is_empty() {
            let page = Page::new("what the servers said");
            let lines = plan.tests.iter().map(of_test);
            cx.page(lines.fold(page, |page, line| page.paragraph(&line)));
        }
        let said = match (plan.project.len(), plan.pulls.len()) {
            (0, 0) => "the settings stay as they are".to_string(),
            (0, pulls) => format!("downloaded {}", counted(pulls as u64, "model")),
            (settings, 0) => format!("saved {}", counted(settings as u64, "setting")),
            (settings, pulls) => format!(
                "saved {}, downloaded {}",
                counted(settings as u64, "setting"),
                counted(pulls as u64, "model")
            ),
        };
        match plan.tests.iter().any(|test| test.problem.is_some()) {
            false => self.leave(cx),
            true => self.preview(cx),
        }
        cx.done(said);
    }
}

fn of_test(test: &ServerTest) -> String {
    let url = clean::line(&test.url);
    match (&test.problem, test.models) {
        (Some(problem), _) => clean::line(problem).into_owned(),
        (None, models) => {
            let models = counted(models.unwrap_or_default(), "model");
            let has = match test.has_model {
                true => "and has the one that is set here",
                false => "but does not list the one that is set here",
            };
            format!("{url} answers with {models}, {has}.")
        }
    }
}
