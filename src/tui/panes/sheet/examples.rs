//! Examples of what a scenario made: enough for each combination, however many items there are.

use std::collections::BTreeMap;

use super::arrangement::{CORRUPTION, Made, SEVERITIES, SEVERITY, factors, levels, text};
use crate::pane::PaneId;
use benchtop_model::derivation::PRINT_ATTACK;
use benchtop_raster::corrupt::Corruption;
use serde::Deserialize;
use serde_json::{Map, Value};

/// Examples that are kept of a combination. Each place should get an item of its own, and an item has
/// a level of each factor.
const KEPT: usize = 48;

/// The pictures that are asked for.
#[derive(Clone, Debug)]
pub(super) struct Wanted {
    pub(super) scenario: String,
    /// The data set with them.
    pub(super) dataset: String,
    /// The key of the source.
    pub(super) key: String,
    /// The item that the cursor goes to, if it is among them.
    pub(super) number: u32,
    pub(super) from: Option<PaneId>,
}

/// A search for examples, some items at a time.
#[derive(Debug)]
pub(super) struct Search {
    pub(super) wanted: Wanted,
    pub(super) title: String,
    /// The items, and how many of them were looked at.
    pub(super) numbers: Vec<u32>,
    pub(super) looked: usize,
    pub(super) found: Examples,
}

/// The part of an item that is read.
#[derive(Deserialize)]
struct Line {
    derivation: Option<Derived>,
}

#[derive(Deserialize)]
struct Derived {
    method: String,
    #[serde(default)]
    parameters: Map<String, Value>,
}

/// The items that were found so far.
#[derive(Debug)]
pub(super) struct Examples {
    scenario: String,
    /// How many were found of each combination. All are there from the beginning.
    counts: BTreeMap<(String, String), usize>,
    made: Vec<Made>,
}

impl Examples {
    pub(super) fn new(scenario: &str) -> Examples {
        let mut keys: Vec<(String, String)> = Vec::new();
        match scenario {
            CORRUPTION => {
                for corruption in Corruption::ALL.map(Corruption::name) {
                    let of = |severity: &&str| (corruption.to_string(), (*severity).to_string());
                    keys.extend(levels(CORRUPTION, SEVERITIES).iter().map(of));
                }
            }
            PRINT_ATTACK => {
                for (factor, all) in factors() {
                    keys.extend(all.iter().map(|l| (factor.to_string(), (*l).to_string())));
                }
            }
            _ => {}
        }
        Examples {
            scenario: scenario.into(),
            counts: keys.into_iter().map(|key| (key, 0)).collect(),
            made: Vec::new(),
        }
    }

    /// The combinations that this item is an example of.
    fn keys(&self, of: &Map<String, Value>) -> Vec<(String, String)> {
        match self.scenario.as_str() {
            CORRUPTION => text(of, CORRUPTION)
                .zip(text(of, SEVERITY))
                .into_iter()
                .collect(),
            _ => {
                let level =
                    |(factor, _): (&'static str, _)| Some((factor.to_string(), text(of, factor)?));
                factors().into_iter().filter_map(level).collect()
            }
        }
    }

    /// Looks at the JSON line of an item, and keeps it if it may be shown.
    pub(super) fn see(&mut self, number: u32, line: &str) {
        let read = serde_json::from_str::<Line>(line).ok();
        let Some(of) = read.and_then(|line| line.derivation) else {
            return;
        };
        if of.method != self.scenario {
            return;
        }
        let mut is_wanted = false;
        for key in self.keys(&of.parameters) {
            let count = self.counts.entry(key).or_default();
            *count += 1;
            is_wanted |= *count <= KEPT;
        }
        if is_wanted {
            self.made.push((number, of.parameters));
        }
    }

    /// Whether more items cannot change what is shown.
    pub(super) fn is_complete(&self) -> bool {
        // A corruption and a severity have one place.
        let enough = match self.scenario.as_str() {
            CORRUPTION => 1,
            _ => KEPT,
        };
        !self.counts.is_empty() && self.counts.values().all(|count| *count >= enough)
    }

    pub(super) fn made(&self) -> &[Made] {
        &self.made
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn line(method: &str, parameters: &Value) -> String {
        let source = json!({"id": "d/7", "digest": "0"});
        json!({"id": "d/1", "derivation": {"method": method, "source": source, "parameters": parameters}})
            .to_string()
    }

    #[test]
    fn a_search_ends_when_each_combination_has_its_examples() {
        let mut found = Examples::new(CORRUPTION);
        for (at, corruption) in Corruption::ALL.into_iter().enumerate() {
            assert!(!found.is_complete());
            for severity in 1..=5 {
                let of = json!({"corruption": corruption.name(), "severity": severity});
                found.see((at * 5 + severity) as u32, &line(CORRUPTION, &of));
            }
        }
        assert!(found.is_complete());
        assert_eq!(found.made().len(), 55);
    }

    #[test]
    fn few_are_kept_of_many_and_a_late_level_is_found() {
        let mut found = Examples::new(PRINT_ATTACK);
        let of = |size: &str| json!({"size": size, "color": "red", "word": "dog"});
        for number in 0..1000 {
            found.see(number, &line(PRINT_ATTACK, &of("4.7")));
        }
        assert_eq!(found.made().len(), KEPT);
        found.see(1000, &line(PRINT_ATTACK, &of("10.9")));
        found.see(1001, &line(CORRUPTION, &of("8.6")));
        found.see(1002, "no item");
        assert_eq!(found.made().last().map(|(number, _)| *number), Some(1000));
        assert_eq!(found.made().len(), KEPT + 1);
        assert!(!found.is_complete());
    }
}
