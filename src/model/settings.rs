//! Changes of settings: of `benchtop.toml`, of access to the project, and of a person's own
//! settings, as plans that a person sees first.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Serialize;

use super::trust::Destination;
use super::weights::ModelReport;

/// A setting before and after a change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ChangedSetting {
    /// The dotted name: `generate.backend`.
    pub name: String,
    /// As written in the file. `None` if it was not written.
    pub before: Option<String>,
    /// `None` if it is removed.
    pub after: Option<String>,
}

impl ChangedSetting {
    /// The change as a line.
    pub fn line(&self) -> String {
        let or_default = |value: &Option<String>| match value {
            Some(value) => value.clone(),
            None => "unset".into(),
        };
        let (before, after) = (or_default(&self.before), or_default(&self.after));
        format!("{} = {after} (was {before})", self.name)
    }
}

/// Who may work on a project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Access {
    /// Only the Unix user who owns the folder.
    Private,
    /// The members of a Unix group who are listed.
    Shared {
        /// Name or number.
        group: String,
        /// Unix users, and the annotator that each of them is.
        people: BTreeMap<String, String>,
    },
}

/// A wanted change of who works on a project. `None` leaves a part as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PeopleChange {
    /// The person's own annotator name, in all private projects on this machine.
    pub me: Option<String>,
    pub access: Option<Access>,
}

/// A person of a round.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RoundPerson {
    pub round: String,
    pub who: String,
    /// Items that the person has judged.
    pub judged: u64,
    /// Items of an equal share.
    pub share: u64,
    /// Days since the last verdict that the reader may see. `None` for none in the last two weeks.
    pub idle_days: Option<u64>,
}

/// Who works on a project.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct People {
    /// The annotator name of this person here.
    pub me: String,
    /// The group whose members may connect.
    pub group: Option<String>,
    /// Unix users and their annotator names.
    pub people: BTreeMap<String, String>,
    /// The people of the open rounds.
    pub rounds: Vec<RoundPerson>,
}

/// What a change of people would do, or did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct PeoplePlan {
    /// The person's settings file and the annotator name that is written there.
    pub own: Option<(PathBuf, ChangedSetting)>,
    /// Changes of `benchtop.toml`.
    pub project: Vec<ChangedSetting>,
    /// Files and folders that get another group or mode.
    pub permissions: u64,
    /// Those of them that members of the group can read afterwards.
    pub opened: u64,
    /// Whether the owner process restarts, so that the change applies.
    pub restarts: bool,
    /// What a person should know.
    pub notes: Vec<String>,
    pub people: People,
}

impl PeoplePlan {
    /// Whether it changes nothing.
    pub fn is_empty(&self) -> bool {
        self.own.is_none() && self.project.is_empty() && self.permissions == 0
    }
}

/// A wanted change of what paints and what scores. `None` leaves a setting as it is, and an empty
/// text removes it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ModelsChange {
    /// Name of a [`Backend`](super::config::generate::Backend).
    pub backend: Option<String>,
    pub model: Option<String>,
    pub device: Option<String>,
    pub endpoint: Option<String>,
    pub key_env: Option<String>,
    pub judge_model: Option<String>,
    pub judge_endpoint: Option<String>,
    pub judge_key_env: Option<String>,
    pub clip: Option<String>,
    pub siglip: Option<String>,
    pub safety: Option<String>,
    /// Whether to download the missing files of the models.
    pub pull: bool,
    /// Whether to ask the servers for their lists of models.
    pub test: bool,
}

/// The options of `benchtop models use`, without their dashes, in order.
pub const MODEL_OPTIONS: [&str; 11] = [
    "backend",
    "model",
    "device",
    "endpoint",
    "key-env",
    "judge-model",
    "judge-endpoint",
    "judge-key-env",
    "clip",
    "siglip",
    "safety",
];

impl ModelsChange {
    /// The values, in the order of [`MODEL_OPTIONS`].
    fn values(&self) -> [&Option<String>; MODEL_OPTIONS.len()] {
        [
            &self.backend,
            &self.model,
            &self.device,
            &self.endpoint,
            &self.key_env,
            &self.judge_model,
            &self.judge_endpoint,
            &self.judge_key_env,
            &self.clip,
            &self.siglip,
            &self.safety,
        ]
    }

    /// The arguments of the command line that does the same, after the name of the program.
    pub fn arguments(&self) -> Vec<String> {
        let mut all = vec!["models".to_string(), "use".into()];
        for (option, value) in MODEL_OPTIONS.iter().zip(self.values()) {
            if let Some(value) = value {
                all.extend([format!("--{option}"), value.clone()]);
            }
        }
        let flags = [(self.pull, "--pull"), (self.test, "--test")];
        let set = flags.into_iter().filter(|(is_set, _)| *is_set);
        all.extend(set.map(|(_, flag)| flag.to_string()));
        all
    }
}

/// The model settings of a project. What it leaves out is empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ModelSettings {
    pub backend: String,
    pub model: String,
    pub device: String,
    pub endpoint: String,
    pub key_env: String,
    pub judge_model: String,
    pub judge_endpoint: String,
    pub judge_key_env: String,
    pub clip: String,
    pub siglip: String,
    pub safety: String,
}

/// A model that a setting names, and its files on this machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct UsedModel {
    /// The setting: `generate.model`.
    pub setting: &'static str,
    pub model: ModelReport,
}

/// A server that a setting names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct UsedServer {
    /// The setting: `judge.endpoints`.
    pub setting: &'static str,
    pub url: String,
    /// The model to ask it for.
    pub model: String,
    pub destination: Destination,
    /// Whether the person agreed to send data there, or need not.
    pub agreed: bool,
    /// Whether the variable with its key is set here. `None` without a variable.
    pub has_key: Option<bool>,
}

/// What a change of models would do, or did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ModelsPlan {
    /// Changes of `benchtop.toml`.
    pub project: Vec<ChangedSetting>,
    pub models: Vec<UsedModel>,
    pub servers: Vec<UsedServer>,
    /// Models that would be downloaded.
    pub pulls: Vec<String>,
    /// What the servers said.
    pub tests: Vec<ServerTest>,
    /// All known models.
    #[serde(skip)]
    pub known: Vec<ModelReport>,
    pub notes: Vec<String>,
}

/// What a server said when it was asked for its models.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ServerTest {
    pub url: String,
    /// Number of its models. `None` if it did not answer.
    pub models: Option<u64>,
    /// Whether the wanted model is among them.
    pub has_model: bool,
    /// Why it did not answer.
    pub problem: Option<String>,
}

impl ModelsPlan {
    /// Servers that a test would ask and that the person has not agreed to.
    pub fn missing_consent(&self) -> Vec<Destination> {
        let open = self.servers.iter().filter(|server| !server.agreed);
        let mut all: Vec<Destination> = open.map(|server| server.destination.clone()).collect();
        all.sort();
        all.dedup();
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_name_only_what_changes() {
        let change = ModelsChange {
            backend: Some("http".into()),
            key_env: Some(String::new()),
            test: true,
            ..ModelsChange::default()
        };
        assert_eq!(
            change.arguments(),
            [
                "models",
                "use",
                "--backend",
                "http",
                "--key-env",
                "",
                "--test"
            ]
        );
    }
}
