//! Work outside of the frame: commands, and what reads files of the user.
//!
//! A pane describes the work and gets its progress and its result. The app runs it on a thread
//! (`app/work.rs`).

use std::any::Any;
use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use super::context::{Callback, Later};
use super::{Context, Pane};
use benchtop_model::cancel::ProgressSink;
use benchtop_model::export::{ExportFormat, ExportPlan, ExportReport, ExportRequest};
use benchtop_model::import::Progress;
use benchtop_model::settings::{ModelSettings, ModelsChange, ModelsPlan, PeopleChange, PeoplePlan};
use benchtop_model::trust::Destination;
use benchtop_model::{Error, Result};

/// Commands of the command line that the program runs beside itself. They need crates that the
/// program does not build on.
pub trait Commands: Send + Sync {
    fn setting(&self) -> CommandSetting;

    /// Counts what an export would write.
    ///
    /// # Errors
    ///
    /// What the command refuses before it writes.
    fn plan_export(&self, ask: &ExportRequest, watch: ProgressSink<'_>) -> Result<ExportPlan>;

    /// Exports, as `benchtop export` does.
    ///
    /// # Errors
    ///
    /// Those of the command.
    fn export(&self, ask: &ExportRequest, watch: ProgressSink<'_>) -> Result<ExportReport>;

    /// Works out, or makes, a change of who works on the project, as `benchtop people set` does.
    ///
    /// # Errors
    ///
    /// Those of the command.
    fn people(
        &self,
        change: &PeopleChange,
        dry: bool,
        watch: ProgressSink<'_>,
    ) -> Result<PeoplePlan>;

    /// The present model settings.
    ///
    /// # Errors
    ///
    /// Settings that cannot be read.
    fn model_settings(&self) -> Result<ModelSettings>;

    /// Works out a change of models, as `benchtop models use --dry-run` does.
    ///
    /// # Errors
    ///
    /// Those of the command.
    fn plan_models(&self, change: &ModelsChange) -> Result<ModelsPlan>;

    /// Makes a change of models, as `benchtop models use` does. `agreed` are servers that the
    /// person has just agreed to.
    ///
    /// # Errors
    ///
    /// Those of the command.
    fn use_models(
        &self,
        change: &ModelsChange,
        agreed: &[Destination],
        watch: ProgressSink<'_>,
    ) -> Result<ModelsPlan>;
}

/// How commands are written in this shell, and what they know.
#[derive(Clone, Debug, Default)]
pub struct CommandSetting {
    /// The program, with the options that name the project and the annotator if it needs them.
    pub program: Vec<String>,
    /// The folder that typed paths start from.
    pub folder: PathBuf,
    /// Where exports go unless another path is typed.
    pub exports: PathBuf,
    /// The formats of exports.
    pub export_formats: Vec<ExportFormat>,
    /// The first server of benchtop.toml.
    pub endpoint: KnownEndpoint,
    /// The group of a shared project, and its Unix users with their annotator names.
    pub group: Option<String>,
    pub people: BTreeMap<String, String>,
    /// The model settings at the start of the program.
    pub models: ModelSettings,
    /// The names of the scorers that jobs can run.
    pub scorers: Vec<String>,
}

/// A server that benchtop.toml names. What it leaves out is empty.
#[derive(Clone, Debug, Default)]
pub struct KnownEndpoint {
    pub url: String,
    pub model: String,
    /// The environment variable with the key.
    pub key_env: String,
}

/// What a piece of work made.
pub type Made = Result<Box<dyn Any + Send>>;

/// What a thread says about its work.
#[derive(Debug)]
pub enum WorkMessage {
    Progress(Progress),
    Made(Made),
}

/// What a pane gets of its work.
#[derive(Debug)]
pub enum Worked<T> {
    Progress(Progress),
    Done(Result<T>),
}

/// The work itself. It runs on a thread.
pub type Run = dyn FnOnce(&dyn Commands, ProgressSink<'_>) -> Made + Send;

/// Work that a pane wants done.
pub struct Work {
    /// The name by which the pane cancels it.
    pub name: &'static str,
    pub run: Box<Run>,
    pub then: Callback<WorkMessage>,
}

impl fmt::Debug for Work {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Work({})", self.name)
    }
}

impl Work {
    pub(super) fn new<P: Pane, T: Send + 'static>(
        name: &'static str,
        run: impl FnOnce(&dyn Commands, ProgressSink<'_>) -> Result<T> + Send + 'static,
        mut then: impl FnMut(&mut P, Worked<T>, &mut Context<'_>) + 'static,
    ) -> Work {
        let run = move |commands: &dyn Commands, watch: ProgressSink<'_>| -> Made {
            let made = run(commands, watch)?;
            Ok(Box::new(made))
        };
        let then = move |pane: &mut dyn Pane, message: WorkMessage, cx: &mut Context<'_>| {
            let pane: &mut dyn Any = pane;
            if let Some(pane) = pane.downcast_mut::<P>() {
                then(pane, Worked::of(message), cx);
            }
        };
        Work {
            name,
            run: Box::new(run),
            then: Later(Box::new(then)),
        }
    }
}

impl<T: 'static> Worked<T> {
    fn of(message: WorkMessage) -> Worked<T> {
        match message {
            WorkMessage::Progress(progress) => Worked::Progress(progress),
            WorkMessage::Made(Err(problem)) => Worked::Done(Err(problem)),
            WorkMessage::Made(Ok(made)) => Worked::Done(match made.downcast() {
                Ok(made) => Ok(*made),
                Err(_) => Err(Error::failed("internal error: unexpected result type")),
            }),
        }
    }
}
