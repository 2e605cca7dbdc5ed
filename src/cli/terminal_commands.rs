//! The commands that the terminal program runs beside itself.

use std::path::Path;

use crate::{export, models, people};
use benchtop_files::project::Project;
use benchtop_model::cancel::ProgressSink;
use benchtop_model::export::{ExportPlan, ExportReport, ExportRequest};
use benchtop_model::scoring::Scorer;
use benchtop_model::settings::{ModelSettings, ModelsChange, ModelsPlan, PeopleChange, PeoplePlan};
use benchtop_model::trust::Destination;
use benchtop_model::{Error, Result};
use benchtop_pipeline::scoring::build::judges;
use benchtop_protocol::Client;
use benchtop_tui::pane::{CommandSetting, Commands, KnownEndpoint};

/// Runs the commands for one project and one annotator.
pub struct TerminalCommands {
    project: Project,
    who: String,
    setting: CommandSetting,
}

impl TerminalCommands {
    /// `named` is the annotator that `--as` names.
    pub fn new(project: &Project, who: &str, named: Option<&str>) -> TerminalCommands {
        let folder = std::env::current_dir().unwrap_or_default();
        let root = project.root();
        let is_found = Project::find(Path::new(".")).is_ok_and(|found| found.root() == root);
        let mut program = vec!["benchtop".to_string()];
        if !is_found {
            program.extend(["--project".into(), root.to_string_lossy().into_owned()]);
        }
        if let Some(named) = named {
            program.extend(["--as".into(), named.into()]);
        }
        let exports = project.exports();
        let exports = exports
            .strip_prefix(&folder)
            .unwrap_or(&exports)
            .to_path_buf();
        TerminalCommands {
            project: project.clone(),
            who: who.into(),
            setting: CommandSetting {
                program,
                folder,
                exports,
                export_formats: export::formats(),
                endpoint: endpoint(project),
                group: project.config().shared.group.clone(),
                people: project.config().shared.people.clone(),
                models: models::current(project),
                scorers: scorers(project),
            },
        }
    }

    fn client(&self) -> Result<Client> {
        Client::connect(&self.project, &self.who, |_| ())
    }
}

/// The first server of `[judge]`, which may as well be asked the questions of the project.
fn endpoint(project: &Project) -> KnownEndpoint {
    let judge = &project.config().judge;
    let first = judge.endpoints.first();
    first.map_or_else(KnownEndpoint::default, |endpoint| KnownEndpoint {
        url: endpoint.url.clone(),
        model: endpoint.model_or(judge.model.as_deref()).into(),
        key_env: endpoint.key_env.clone().unwrap_or_default(),
    })
}

/// The scorers that jobs run: the built-in ones and the judge questions of the project.
fn scorers(project: &Project) -> Vec<String> {
    let of_jobs = |scorer: &&Scorer| !matches!(scorer, Scorer::Consensus | Scorer::Blind);
    let built_in = Scorer::ALL.iter().filter(of_jobs).map(Scorer::name);
    let judges = judges(project)
        .into_iter()
        .map(|name| Scorer::Judge(name).name());
    built_in.chain(judges).collect()
}

impl Commands for TerminalCommands {
    fn setting(&self) -> CommandSetting {
        self.setting.clone()
    }

    fn plan_export(&self, ask: &ExportRequest, watch: ProgressSink<'_>) -> Result<ExportPlan> {
        export::plan(&self.client()?, ask, watch)
    }

    fn export(&self, ask: &ExportRequest, watch: ProgressSink<'_>) -> Result<ExportReport> {
        if ask.out.is_none() {
            return Err(Error::usage("type a path").field("out"));
        }
        export::write(&self.client()?, ask, || Box::new(std::io::sink()), watch)
    }

    fn people(
        &self,
        change: &PeopleChange,
        dry: bool,
        watch: ProgressSink<'_>,
    ) -> Result<PeoplePlan> {
        let run = if dry { people::plan } else { people::apply };
        run(&self.project, &self.who, change, watch)
    }

    fn model_settings(&self) -> Result<ModelSettings> {
        Ok(models::current(&Project::open(self.project.root())?))
    }

    fn plan_models(&self, change: &ModelsChange) -> Result<ModelsPlan> {
        models::plan(&self.project, change)
    }

    fn use_models(
        &self,
        change: &ModelsChange,
        agreed: &[Destination],
        watch: ProgressSink<'_>,
    ) -> Result<ModelsPlan> {
        models::apply(&self.project, change, agreed, watch)
    }
}
