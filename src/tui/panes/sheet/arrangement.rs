//! Rows and columns of what a scenario made: severity x corruption, or factor x level.

use std::collections::BTreeSet;

use super::place::Place;
use crate::pane::PaneId;
use crate::panes::review::queue::Queue;
use benchtop_model::derivation::PRINT_ATTACK;
use benchtop_model::scenario::{ScenarioKind, Setting, Values};
use benchtop_raster::corrupt::Corruption;
use ratatui::layout::Rect;
use serde_json::{Map, Value};

/// The scenario with corruptions and severities.
pub(super) const CORRUPTION: &str = "corruption";
pub(super) const SEVERITY: &str = "severity";
/// The setting with all severities.
pub(super) const SEVERITIES: &str = "severities";
/// The most cells of a row: a factor with more levels takes several rows.
const WIDEST: usize = 5;

/// Columns of the labels of rows, of a wide enough window.
const LABELS: u16 = 17;

/// The scenarios that can be arranged.
pub const ARRANGED: [&str; 2] = [CORRUPTION, PRINT_ATTACK];

/// A place for a picture.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cell {
    /// Its own label, such as the level of a factor; empty if that of the column is enough.
    pub label: String,
    /// The item with the picture, if there is one.
    pub number: Option<u32>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Arrangement {
    /// Labels of the columns; empty if each cell has its own.
    pub columns: Vec<String>,
    /// Labels of the rows, with as many cells as the widest one has.
    pub rows: Vec<(String, Vec<Cell>)>,
}

/// What is shown in rows, and what was there before.
#[derive(Debug)]
pub struct Arranged {
    pub arrangement: Arrangement,
    /// The queue before, whether it was of a filter, and the place in it.
    pub before: (Queue, bool, Place),
    /// The pane to return to, if not the sheet.
    pub from: Option<PaneId>,
}

impl Arranged {
    /// The part of `area` for the pictures: without labels.
    pub fn inner(&self, area: Rect) -> Rect {
        let (left, top) = self.margins(area);
        Rect {
            x: area.x + left,
            y: area.y + top,
            width: area.width - left,
            height: area.height - top,
        }
    }

    /// Columns and rows of the labels.
    pub fn margins(&self, area: Rect) -> (u16, u16) {
        let top = u16::from(!self.arrangement.columns.is_empty());
        (LABELS.min(area.width / 4), top.min(area.height))
    }
}

/// A derived item: its number, and the parameters of its picture.
pub type Made = (u32, Map<String, Value>);

impl Arrangement {
    /// Arranges what this scenario made: one example for each combination. Only rows and columns
    /// with a picture are there. `None` for a scenario without levels, or if there is no picture.
    pub fn of(scenario: &str, made: &[Made]) -> Option<Arrangement> {
        let mut found = match scenario {
            CORRUPTION => by_severity(made),
            PRINT_ATTACK => by_level(made),
            _ => return None,
        };
        let width = found.rows.iter().map(|(_, row)| row.len()).max()?;
        for (_, row) in &mut found.rows {
            row.resize(width, Cell::default());
        }
        Some(found)
    }

    /// The number of columns.
    pub fn width(&self) -> usize {
        self.rows.first().map_or(1, |(_, row)| row.len().max(1))
    }

    /// The items, row by row.
    pub fn numbers(&self) -> Vec<Option<u32>> {
        let cells = self.rows.iter().flat_map(|(_, row)| row);
        cells.map(|cell| cell.number).collect()
    }

    /// The label of the row at this position, and the cell there.
    pub fn at(&self, position: usize) -> Option<(&str, &Cell)> {
        let (label, row) = self.rows.get(position / self.width())?;
        Some((label, row.get(position % self.width())?))
    }

    /// What is at this position, in words: `glass-blur 3`.
    pub fn words(&self, position: usize) -> String {
        let Some((row, cell)) = self.at(position) else {
            return String::new();
        };
        let column = self.columns.get(position % self.width());
        format!("{row} {}", column.unwrap_or(&cell.label))
    }
}

/// A parameter as it is in settings and labels.
pub(super) fn text(parameters: &Map<String, Value>, name: &str) -> Option<String> {
    match parameters.get(name)? {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// The first item with all these values. One that has no cell yet is better.
fn example(made: &[Made], values: &[(&str, &str)], used: &mut BTreeSet<u32>) -> Option<u32> {
    let has = |(_, of): &&Made| {
        let mut values = values.iter();
        values.all(|(name, value)| text(of, name).as_deref() == Some(value))
    };
    let fitting = || made.iter().filter(has).map(|(number, _)| *number);
    let found = fitting().find(|number| !used.contains(number));
    let found = found.or_else(|| fitting().next())?;
    used.insert(found);
    Some(found)
}

/// All values of a setting, in the order of the scenario.
fn all(setting: &Setting) -> &'static [&'static str] {
    match setting.values {
        Values::Several(all) => all,
        Values::Flag | Values::Number(..) | Values::Name(_) => &[],
    }
}

/// The values of a setting of a scenario.
pub(super) fn levels(scenario: &str, setting: &str) -> &'static [&'static str] {
    let kind = ScenarioKind::named(scenario).ok();
    kind.and_then(|kind| kind.setting(setting))
        .map(all)
        .unwrap_or_default()
}

/// The factors of a print attack, with their levels.
pub(super) fn factors() -> Vec<(&'static str, &'static [&'static str])> {
    let kind = ScenarioKind::named(PRINT_ATTACK).ok();
    let settings = kind.map(|kind| kind.settings).unwrap_or_default().iter();
    let factors = settings.map(|setting| (setting.name, all(setting)));
    factors.filter(|(_, levels)| !levels.is_empty()).collect()
}

/// Corruptions in the rows, severities in the columns.
fn by_severity(made: &[Made]) -> Arrangement {
    let severities = levels(CORRUPTION, SEVERITIES);
    let is_there = |name: &str, value: &str| {
        let mut made = made.iter();
        made.any(|(_, of)| text(of, name).as_deref() == Some(value))
    };
    let columns: Vec<&str> = severities
        .iter()
        .copied()
        .filter(|severity| is_there(SEVERITY, severity))
        .collect();
    let mut used = BTreeSet::new();
    let mut rows = Vec::new();
    for corruption in Corruption::ALL.map(Corruption::name) {
        let mut cell = |severity: &&str| Cell {
            label: String::new(),
            number: example(
                made,
                &[(CORRUPTION, corruption), (SEVERITY, severity)],
                &mut used,
            ),
        };
        let row: Vec<Cell> = columns.iter().map(&mut cell).collect();
        if row.iter().any(|cell| cell.number.is_some()) {
            rows.push((corruption.to_string(), row));
        }
    }
    Arrangement {
        columns: columns.into_iter().map(String::from).collect(),
        rows,
    }
}

/// Factors in the rows, with the levels that were dealt.
fn by_level(made: &[Made]) -> Arrangement {
    let mut used = BTreeSet::new();
    let mut rows = Vec::new();
    for (factor, levels) in factors() {
        let mut cells = Vec::new();
        for level in levels {
            let number = example(made, &[(factor, level)], &mut used);
            cells.extend(number.map(|number| Cell {
                label: (*level).to_string(),
                number: Some(number),
            }));
        }
        for row in cells.chunks(WIDEST) {
            rows.push((factor.to_string(), row.to_vec()));
        }
    }
    Arrangement {
        columns: Vec::new(),
        rows,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn made(number: u32, parameters: Value) -> Made {
        (number, parameters.as_object().unwrap().clone())
    }

    #[test]
    fn corruptions_are_rows_in_the_order_of_the_papers_and_severities_columns() {
        let of = |number, name: &str, severity: u64| {
            made(
                number,
                json!({"corruption": name, "severity": severity, "seed": 1}),
            )
        };
        let all = [
            of(4, "spatter", 5),
            of(5, "gaussian-noise", 5),
            of(6, "gaussian-noise", 2),
            of(7, "gaussian-noise", 2),
            of(8, "no such corruption", 2),
            of(9, "jpeg", 77),
        ];
        let found = Arrangement::of("corruption", &all).unwrap();
        assert_eq!(found.columns, ["2", "5"]);
        let rows: Vec<&str> = found.rows.iter().map(|(label, _)| label.as_str()).collect();
        assert_eq!(rows, ["gaussian-noise", "spatter"]);
        assert_eq!(found.numbers(), [Some(6), Some(5), None, Some(4)]);
        assert_eq!(found.words(3), "spatter 5");
        assert_eq!(found.at(4), None);
    }

    #[test]
    fn a_whole_grid_has_a_cell_for_each_picture() {
        let mut all = Vec::new();
        for corruption in Corruption::ALL {
            for severity in 1..=5u64 {
                let number = all.len() as u32 + 1;
                let of = json!({"corruption": corruption.name(), "severity": severity});
                all.push(made(number, of));
            }
        }
        let numbers = Arrangement::of("corruption", &all).unwrap().numbers();
        assert_eq!(numbers, (1..=55).map(Some).collect::<Vec<_>>());
    }

    #[test]
    fn each_level_of_a_factor_has_an_example_and_positions_take_rows_of_five() {
        let levels = |factor: &str| {
            let kind = ScenarioKind::named("print-attack").unwrap();
            all(kind.setting(factor).unwrap())
        };
        let at = |factor: &str, n: usize| levels(factor)[n % levels(factor).len()];
        let dealt = |n: usize| {
            let of = json!({
                "word": "dog", "size": at("size", n), "color": at("color", n),
                "opacity": at("opacity", n), "orientation": at("orientation", n),
                "position": at("position", n),
            });
            made(n as u32 + 1, of)
        };
        let all: Vec<Made> = (0..25).map(dealt).collect();
        let found = Arrangement::of("print-attack", &all).unwrap();
        let rows: Vec<(&str, usize)> = found
            .rows
            .iter()
            .map(|(label, row)| {
                (
                    label.as_str(),
                    row.iter().filter(|c| c.number.is_some()).count(),
                )
            })
            .collect();
        let mut expected = vec![
            ("size", 5),
            ("color", 5),
            ("opacity", 4),
            ("orientation", 5),
        ];
        expected.extend([("position", 5); 5]);
        assert_eq!(rows, expected);
        assert!(found.columns.is_empty() && found.width() == 5);
        for position in 0..found.numbers().len() {
            let (row, cell) = found.at(position).unwrap();
            let Some(number) = cell.number else { continue };
            let of = &all[number as usize - 1].1;
            assert_eq!(of[row], json!(cell.label), "#{number}");
        }
        // As many examples as possible are different pictures.
        let different: BTreeSet<u32> = found.numbers().into_iter().flatten().collect();
        assert_eq!(different.len(), 25);
        // A picture may be the only example of several levels.
        let one = Arrangement::of("print-attack", &all[..1]).unwrap();
        assert_eq!(one.numbers(), [Some(1); 5]);
    }

    #[test]
    fn what_has_no_levels_is_not_arranged() {
        let one = made(1, json!({"eps": 8, "corruption": "jpeg", "severity": 1}));
        assert_eq!(Arrangement::of("adversarial", &[one]), None);
        assert_eq!(Arrangement::of("corruption", &[]), None);
        let hostile = made(1, json!({"corruption": ["jpeg"], "severity": {"1": 1}}));
        assert_eq!(Arrangement::of("corruption", &[hostile]), None);
    }
}
