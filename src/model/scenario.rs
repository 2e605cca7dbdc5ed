//! Scenarios: sets of pictures that are altered in one way (Dysca section 3.3). The kinds with their
//! settings, the plan of one, and what its job would do.
//!
//! To add a kind, add a row to [`SCENARIOS`], and what it does to a picture to
//! `pipeline::scenario`. Options of `benchtop scenario`, plan files, and the form follow the row.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::job::JobState;
use super::{Error, Filter, Result};

/// A kind of scenario.
#[derive(Debug)]
pub struct ScenarioKind {
    /// Its name: the subcommand, the method of the derivations, and the variant of the items, which
    /// is the name of its board columns.
    pub name: &'static str,
    pub help: &'static str,
    pub settings: &'static [Setting],
}

/// A setting of a kind of scenario.
#[derive(Debug)]
pub struct Setting {
    /// Its name in plan files, in the form, and as an option.
    pub name: &'static str,
    pub help: &'static str,
    pub values: Values,
}

/// The values of a setting.
#[derive(Debug)]
pub enum Values {
    /// `true` or `false`, which is the default.
    Flag,
    /// Any of these, separated by commas. Without a value, all of them.
    Several(&'static [&'static str]),
    /// A number from the first to the second; the third is the default.
    Number(f64, f64, f64),
    /// A name on one line. The text says what it is without one.
    Name(&'static str),
}

/// All kinds.
pub static SCENARIOS: &[ScenarioKind] = &[
    ScenarioKind {
        name: "corruption",
        help: "Noise, blur, and other corruptions of pictures",
        settings: &[
            Setting {
                name: "severities",
                help: "Severities to deal",
                values: Values::Several(&["1", "2", "3", "4", "5"]),
            },
            Setting {
                name: "grid",
                help: "Give each picture every corruption at every severity, not only one",
                values: Values::Flag,
            },
        ],
    },
    ScenarioKind {
        name: "print-attack",
        help: "A wrong word, written on the picture of each question",
        settings: &[
            Setting {
                name: "size",
                help: "Sizes of the letters, in percent of the shorter side",
                values: Values::Several(&["3.1", "4.7", "6.2", "8.6", "10.9"]),
            },
            Setting {
                name: "color",
                help: "Colors of the word",
                values: Values::Several(&["black", "white", "red", "yellow", "blue"]),
            },
            Setting {
                name: "opacity",
                help: "Opacities of the word, in percent",
                values: Values::Several(&["25", "50", "75", "100"]),
            },
            Setting {
                name: "orientation",
                help: "Orientations of the word, in degrees clockwise",
                values: Values::Several(&["0", "30", "90", "270", "330"]),
            },
            Setting {
                name: "position",
                help: "Positions of the word, as row and column of a grid of 5 by 5",
                values: Values::Several(&[
                    "1-1", "1-2", "1-3", "1-4", "1-5", "2-1", "2-2", "2-3", "2-4", "2-5", "3-1",
                    "3-2", "3-3", "3-4", "3-5", "4-1", "4-2", "4-3", "4-4", "4-5", "5-1", "5-2",
                    "5-3", "5-4", "5-5",
                ]),
            },
            Setting {
                name: "answer-word",
                help: "For true/false and yes/no questions, write the wrong answer instead of a term",
                values: Values::Flag,
            },
        ],
    },
    ScenarioKind {
        name: "adversarial",
        help: "Small changes against a CLIP model, after which pictures fit their prompts less well",
        settings: &[
            Setting {
                name: "eps",
                help: "The most that a value changes, in gray levels",
                values: Values::Number(1., 255., 8.),
            },
            Setting {
                name: "alpha",
                help: "Length of a step, in gray levels",
                values: Values::Number(1., 255., 2.),
            },
            Setting {
                name: "steps",
                help: "Number of steps",
                values: Values::Number(1., 1000., 10.),
            },
            Setting {
                name: "model",
                help: "The CLIP model: a name of `benchtop models list`, or a folder",
                values: Values::Name("that of [filter]"),
            },
        ],
    },
];

/// Limit of a plan file, in bytes.
pub const PLAN_LIMIT: u64 = 64 << 10;

impl ScenarioKind {
    /// The kind of this name.
    ///
    /// # Errors
    /// [`Error::usage`] with the names of all.
    pub fn named(name: &str) -> Result<&'static ScenarioKind> {
        SCENARIOS
            .iter()
            .find(|kind| kind.name == name)
            .ok_or_else(|| {
                let names: Vec<&str> = SCENARIOS.iter().map(|kind| kind.name).collect();
                Error::usage(format!("unknown scenario `{name}`"))
                    .field("scenario")
                    .help(format!("the scenarios are: {}", names.join(", ")))
            })
    }

    pub fn setting(&self, name: &str) -> Option<&'static Setting> {
        self.settings.iter().find(|setting| setting.name == name)
    }
}

impl Setting {
    /// Why this text is no value; `None` if it is one.
    pub fn problem(&self, text: &str) -> Option<String> {
        match self.values {
            Values::Flag if ["true", "false"].contains(&text) => None,
            Values::Flag => Some("expected true or false".into()),
            Values::Several(all) => {
                let unknown = words(text).find(|word| !all.contains(word));
                let which = || format!("expected some of: {}", shortened(all));
                match unknown {
                    Some(word) => Some(format!("unknown value `{word}`; {}", which())),
                    None if words(text).next().is_none() => Some(which()),
                    None => None,
                }
            }
            Values::Number(least, most, _) => {
                let number = text.trim().parse::<f64>().ok();
                let is_within = number.is_some_and(|n| n.is_finite() && n >= least && n <= most);
                (!is_within).then(|| format!("expected a number from {least} to {most}"))
            }
            Values::Name(_) => {
                let is_name = !text.trim().is_empty() && !text.chars().any(char::is_control);
                (!is_name).then(|| "expected a name on one line".into())
            }
        }
    }
}

/// A list in words, without its middle if it is long.
pub fn shortened(all: &[&str]) -> String {
    match all {
        [first, second, .., last] if all.len() > 12 => format!("{first}, {second}, ..., {last}"),
        all => all.join(", "),
    }
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(',').map(str::trim).filter(|w| !w.is_empty())
}

/// What is derived from which items. The same plan gives the same pictures.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScenarioPlan {
    /// Name of the kind.
    pub scenario: String,
    /// Filter words that select the items; empty for all.
    #[serde(default)]
    pub filter: String,
    /// Seed of what is dealt, of the words, and of the noise.
    #[serde(default)]
    pub seed: u64,
    /// Settings by name, as on the command line. Those that are left out have their defaults.
    #[serde(default)]
    pub settings: BTreeMap<String, String>,
}

impl ScenarioPlan {
    /// Reads a plan file.
    ///
    /// # Errors
    /// [`Error::input`] with what is wrong, and [`Error::usage`] as [`check`](Self::check).
    pub fn parse(text: &str) -> Result<ScenarioPlan> {
        let plan: ScenarioPlan =
            toml::from_str(text).map_err(|e| Error::input(e.to_string().trim().to_string()))?;
        plan.check().map(|_| plan)
    }

    /// The plan as a file.
    ///
    /// # Errors
    /// [`Error::failed`] if it cannot be written as TOML, for example for a seed above 2^63.
    pub fn to_toml(&self) -> Result<String> {
        toml::to_string(self).map_err(|e| Error::failed(format!("cannot write the plan: {e}")))
    }

    /// Checks the settings, and returns the kind.
    ///
    /// # Errors
    /// [`Error::usage`] for an unknown kind or setting, or a wrong value.
    pub fn check(&self) -> Result<&'static ScenarioKind> {
        let kind = ScenarioKind::named(&self.scenario)?;
        Filter::parse(&self.filter)?;
        for (name, text) in &self.settings {
            let Some(setting) = kind.setting(name) else {
                let names: Vec<&str> = kind.settings.iter().map(|setting| setting.name).collect();
                let what = format!("unknown setting `{name}` of {}", kind.name);
                let help = format!("its settings are: {}", names.join(", "));
                return Err(Error::usage(what).field("settings").help(help));
            };
            if let Some(problem) = setting.problem(text) {
                return Err(Error::usage(problem).field(name));
            }
        }
        Ok(kind)
    }

    /// Whether a flag is on.
    pub fn is_on(&self, name: &str) -> bool {
        self.settings.get(name).is_some_and(|text| text == "true")
    }

    /// The values of a list, in the order of the kind; all if none is set.
    pub fn several(&self, name: &str) -> Vec<&'static str> {
        let kind = ScenarioKind::named(&self.scenario).ok();
        let Some(Values::Several(all)) =
            kind.and_then(|kind| kind.setting(name)).map(|s| &s.values)
        else {
            return Vec::new();
        };
        let chosen: Option<Vec<&str>> = self.settings.get(name).map(|text| words(text).collect());
        let is_chosen = |value: &&str| chosen.as_ref().is_none_or(|chosen| chosen.contains(value));
        all.iter().copied().filter(is_chosen).collect()
    }

    /// The value of a number.
    pub fn number(&self, name: &str) -> f64 {
        let default = ScenarioKind::named(&self.scenario).ok().and_then(|kind| {
            match kind.setting(name)?.values {
                Values::Number(_, _, default) => Some(default),
                _ => None,
            }
        });
        let set = self.settings.get(name);
        set.and_then(|text| text.trim().parse().ok())
            .or(default)
            .unwrap_or_default()
    }

    /// The data set of what is derived from items of `dataset`.
    pub fn dataset(&self, dataset: &str) -> String {
        format!("{dataset}-{}", self.scenario)
    }

    /// The command that does the same, after `benchtop`.
    pub fn command(&self) -> Vec<String> {
        let mut all = vec!["scenario".to_string(), self.scenario.clone()];
        if !self.filter.trim().is_empty() {
            all.extend(["--filter".into(), self.filter.clone()]);
        }
        if self.seed != 0 {
            all.extend(["--seed".into(), self.seed.to_string()]);
        }
        let kind = ScenarioKind::named(&self.scenario).ok();
        for setting in kind.iter().flat_map(|kind| kind.settings) {
            match (&setting.values, self.settings.get(setting.name)) {
                (_, None) => {}
                (Values::Flag, Some(text)) if text != "true" => {}
                (Values::Flag, Some(_)) => all.push(format!("--{}", setting.name)),
                (_, Some(text)) => all.extend([format!("--{}", setting.name), text.clone()]),
            }
        }
        all
    }
}

/// A request to start a scenario job.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewScenario {
    pub plan: ScenarioPlan,
    /// Only previews the job.
    pub dry: bool,
}

/// What a scenario job does.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StartedScenario {
    /// The job; `None` in a dry run.
    pub job: Option<JobState>,
    /// Number of items to derive.
    pub items: u64,
    /// Number of pictures to make.
    pub pictures: u64,
    /// Number of source pictures.
    pub sources: u64,
    /// Data sets of the new items.
    pub datasets: Vec<String>,
    /// Items that were derived before.
    pub already: u64,
    /// Items that are left out, by reason.
    pub excluded: Vec<(String, u64)>,
    /// Items with a draft picture.
    pub drafts: u64,
    /// How many pictures each value gets, by setting, such as `severity` and `3`.
    pub dealt: Vec<(String, String, u64)>,
    /// Estimated bytes of the new pictures.
    pub bytes: u64,
}

impl StartedScenario {
    /// The estimate of bytes in words: `3.2 MB`.
    pub fn disk(&self) -> String {
        let bytes = self.bytes as f64;
        match self.bytes {
            0..1_000_000 => format!("{:.0} kB", bytes / 1e3),
            1_000_000..1_000_000_000 => format!("{:.1} MB", bytes / 1e6),
            _ => format!("{:.1} GB", bytes / 1e9),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(settings: &[(&str, &str)]) -> ScenarioPlan {
        ScenarioPlan {
            scenario: "print-attack".into(),
            filter: "subtask:animal".into(),
            seed: 7,
            settings: settings
                .iter()
                .map(|(name, text)| ((*name).into(), (*text).into()))
                .collect(),
        }
    }

    #[test]
    fn plans_round_trip_as_files() {
        let plan = plan(&[("color", "red, black"), ("answer-word", "true")]);
        let text = plan.to_toml().unwrap();
        assert_eq!(ScenarioPlan::parse(&text).unwrap(), plan);
        assert_eq!(plan.several("color"), ["black", "red"]);
        assert_eq!(plan.several("opacity").len(), 4);
        assert!(plan.is_on("answer-word"));
        assert_eq!(
            plan.command().join(" "),
            "scenario print-attack --filter subtask:animal --seed 7 --color red, black --answer-word"
        );
    }

    #[test]
    fn wrong_plans_are_refused_with_their_field() {
        let refused = |text: &str| {
            let problem = ScenarioPlan::parse(text).unwrap_err();
            (problem.place.field.clone(), problem.to_string())
        };
        for (text, field, said) in [
            ("scenario = \"fog\"", "scenario", "fog"),
            (
                "scenario = \"corruption\"\nfilter = \"stat:x\"",
                "stat",
                "stat",
            ),
            (
                "scenario = \"corruption\"\n[settings]\nsize = \"3.1\"",
                "settings",
                "size",
            ),
            (
                "scenario = \"corruption\"\n[settings]\nseverities = \"6\"",
                "severities",
                "6",
            ),
            (
                "scenario = \"corruption\"\n[settings]\nseverities = \"\"",
                "severities",
                "1, 2",
            ),
            (
                "scenario = \"corruption\"\n[settings]\ngrid = \"yes\"",
                "grid",
                "true",
            ),
        ] {
            let (of, what) = refused(text);
            assert_eq!(of.as_deref(), Some(field), "{text}: {what}");
            assert!(what.contains(said), "{what}");
        }
        assert!(
            refused("scenario = \"corruption\"\nsed = 1")
                .1
                .contains("sed")
        );
        assert!(refused("scenario = ").1.contains("line 1"));
    }

    #[test]
    fn a_kind_names_each_setting_once() {
        for kind in SCENARIOS {
            let mut names: Vec<&str> = kind.settings.iter().map(|s| s.name).collect();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), kind.settings.len(), "{}", kind.name);
            // Names that all kinds have.
            for taken in ["scenario", "filter", "seed", "plan", "dry-run", "json"] {
                assert!(!names.contains(&taken), "{}", kind.name);
            }
        }
    }
}
