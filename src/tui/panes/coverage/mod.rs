//! The coverage view: how two properties of the items meet, what of it is accepted or flagged, and the terms whose
//! items fail most (step 4 of Dysca's cleaning).

mod failing;
mod map;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

pub use map::Measure;

use super::metadata::edit_session::said;
use crate::action::{Action, Scope};
use crate::theme::Look;
use crate::widgets::table::{Answer, Empty, LocalTable, TableEffect};
use benchtop_model::usage::{Discarded, Failing, Grid};
use benchtop_model::{Filter, Result};
use benchtop_protocol::wire::{AnyRequest, request};

/// Properties that every project has; the vocabularies come after them.
const PROPERTIES: [&str; 4] = ["subject", "style", "subtask", "type"];
/// Items judged that a term needs to be among those that fail most: fewer say nothing.
pub const JUDGED: u64 = 5;

/// What an answer of the owner is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Want {
    /// [`CoveragePane::take_grid`], of these rows and columns.
    Grid(String, String),
    /// [`CoveragePane::take_failing`].
    Failing,
    /// [`CoveragePane::take_count`]: what retiring these terms would reject.
    Count(Vec<(String, String)>),
}

/// What a choice decides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChoiceFor {
    /// What stands down the side.
    Rows(Vec<String>),
    /// What stands across.
    Columns(Vec<String>),
    /// Whether these terms are retired.
    Retire(Vec<(String, String)>),
}

/// What the pane asks of the program around it.
#[derive(Clone, Debug)]
pub enum CoverageEffect {
    /// Ask the owner; the answer is for `Want`.
    Ask(Want, AnyRequest),
    /// Ask which.
    AskChoice {
        /// What for.
        purpose: ChoiceFor,
        /// The question.
        title: String,
        /// The answers, each with a word about it.
        lines: Vec<(String, String)>,
    },
    /// Open the item list with these words as its filter.
    Filter(String),
    /// Disable these terms (vocabulary and term) in the metadata and save it; with `discard` reject their items.
    Retire {
        /// Vocabulary, or `style`, and term.
        terms: Vec<(String, String)>,
        /// Whether their items are rejected too.
        discard: bool,
    },
    /// Good to know.
    Say(String),
    /// Why the key did nothing.
    Refuse(String),
    /// Leave the pane.
    Leave,
}

use CoverageEffect as Effect;

fn refuse(why: impl Into<String>) -> Vec<Effect> {
    vec![Effect::Refuse(why.into())]
}

/// The coverage view.
#[derive(Debug)]
pub struct CoveragePane {
    rows: String,
    columns: String,
    measure: Measure,
    grid: Option<Result<Grid>>,
    map: LocalTable,
    /// What the map was made for: the measure, and whether shares are drawn as blocks.
    made: Option<(Measure, bool)>,
    failing: Option<Result<Vec<Failing>>>,
    table: LocalTable,
    /// Whether the failing terms are shown instead of the map.
    terms: bool,
}

impl Default for CoveragePane {
    fn default() -> Self {
        CoveragePane::new()
    }
}

impl CoveragePane {
    /// The map of subjects by styles, not asked for yet.
    pub fn new() -> CoveragePane {
        CoveragePane {
            rows: "subject".into(),
            columns: "style".into(),
            measure: Measure::Items,
            grid: None,
            map: LocalTable::new(Vec::new(), Vec::new(), 2, Empty::Loading),
            made: None,
            failing: None,
            table: failing::table(None),
            terms: false,
        }
    }

    /// Scopes whose keys are live now, the nearest first.
    pub fn scopes(&self) -> &'static [Scope] {
        &[Scope::Coverage, Scope::Table, Scope::Global]
    }

    /// Shown, or items changed: what is shown is asked again; it stays on the screen until the answer is there.
    pub fn start(&mut self) -> Vec<Effect> {
        if self.terms {
            vec![Effect::Ask(Want::Failing, request::Failing(JUDGED).into())]
        } else {
            self.ask_grid()
        }
    }

    fn ask_grid(&self) -> Vec<Effect> {
        let (rows, columns) = (self.rows.clone(), self.columns.clone());
        let ask = request::Grid {
            rows: rows.clone(),
            columns: columns.clone(),
            filter: Filter::default(),
        }
        .into();
        vec![Effect::Ask(Want::Grid(rows, columns), ask)]
    }

    /// Takes the map in; one of other properties than those chosen now is passed over.
    pub fn take_grid(&mut self, rows: &str, columns: &str, grid: Result<Grid>) {
        if (rows, columns) == (self.rows.as_str(), self.columns.as_str()) {
            (self.grid, self.made) = (Some(grid), None);
        }
    }

    /// Takes the failing terms in.
    pub fn take_failing(&mut self, failing: Result<Vec<Failing>>) {
        self.table = failing::table(Some(&failing));
        self.failing = Some(failing);
    }

    /// Takes in what retiring these terms would do, and asks whether to.
    pub fn take_count(
        &mut self,
        terms: &[(String, String)],
        count: Result<Discarded>,
    ) -> Vec<Effect> {
        match count {
            Ok(count) => vec![Effect::AskChoice {
                purpose: ChoiceFor::Retire(terms.to_vec()),
                title: failing::question(terms, &count),
                lines: failing::answers(terms, &count),
            }],
            Err(problem) => refuse(format!("items could not be counted: {}", said(&problem))),
        }
    }

    /// What is down the side and across.
    pub fn axes(&self) -> (&str, &str) {
        (&self.rows, &self.columns)
    }

    /// Does an action; `vocabularies` are the names that can be chosen as properties.
    pub fn act(&mut self, action: Action, vocabularies: &[String]) -> Vec<Effect> {
        match action {
            Action::Back if self.terms => {
                self.terms = false;
                if self.grid.is_none() {
                    self.ask_grid()
                } else {
                    vec![]
                }
            }
            Action::Back => vec![Effect::Leave],
            Action::FailingTerms => {
                self.terms = !self.terms;
                self.start()
            }
            Action::RetireTerms if !self.terms => {
                refuse("f shows the terms whose items fail most: select some there")
            }
            Action::RetireTerms => self.retire(),
            Action::NextCount | Action::ChooseRows | Action::ChooseColumns | Action::SwapAxes
                if self.terms =>
            {
                refuse(format!(
                    "{} is for the map: f goes back to it",
                    action.name()
                ))
            }
            Action::NextCount => {
                self.measure = self.measure.next();
                vec![Effect::Say(format!("coloured by {}", self.measure.name()))]
            }
            Action::SwapAxes => {
                std::mem::swap(&mut self.rows, &mut self.columns);
                self.turn()
            }
            Action::ChooseRows | Action::ChooseColumns => {
                let down = action == Action::ChooseRows;
                let names = properties(vocabularies);
                let other = if down { &self.columns } else { &self.rows };
                let names: Vec<String> = names.into_iter().filter(|n| n != other).collect();
                let lines = names.iter().map(|n| (n.clone(), String::new())).collect();
                let (purpose, title) = if down {
                    (ChoiceFor::Rows(names), "down the side".into())
                } else {
                    (ChoiceFor::Columns(names), "across".into())
                };
                vec![Effect::AskChoice {
                    purpose,
                    title,
                    lines,
                }]
            }
            other => self.act_on_table(other),
        }
    }

    /// Other properties: the old map is no answer any more.
    fn turn(&mut self) -> Vec<Effect> {
        (self.grid, self.made) = (None, None);
        self.ask_grid()
    }

    fn act_on_table(&mut self, action: Action) -> Vec<Effect> {
        let table = if self.terms {
            &mut self.table
        } else {
            &mut self.map
        };
        let answers = table.act(action);
        let mut effects = Vec::new();
        for answer in answers {
            effects.extend(match answer {
                Answer::Effect(TableEffect::Open { id, column, .. }) => self.open(id, column),
                Answer::Effect(TableEffect::Refuse(why)) => refuse(why),
                Answer::Said(said) => vec![Effect::Say(said)],
                _ => refuse(format!("{} is not for this table", action.name())),
            });
        }
        effects
    }

    fn open(&self, id: u64, column: usize) -> Vec<Effect> {
        let at = usize::try_from(id).unwrap_or(usize::MAX);
        if self.terms {
            let failing = self
                .failing
                .as_ref()
                .and_then(|f| f.as_ref().ok())
                .and_then(|f| f.get(at));
            return failing.map_or(vec![], |f| vec![Effect::Filter(failing::words(f))]);
        }
        let Some(Ok(grid)) = &self.grid else {
            return vec![];
        };
        let row = grid
            .rows
            .get(at)
            .map(|(v, _)| (self.rows.as_str(), v.as_str()));
        let across = column.checked_sub(2).and_then(|c| grid.columns.get(c));
        let across = across.map(|(v, _)| (self.columns.as_str(), v.as_str()));
        vec![Effect::Filter(map::words(
            row.into_iter().chain(across),
            self.measure,
        ))]
    }

    fn retire(&mut self) -> Vec<Effect> {
        let Some(Ok(failing)) = &self.failing else {
            return refuse("the terms are not here yet");
        };
        let mut ids: Vec<u64> = self.table.state().selected().iter().copied().collect();
        if ids.is_empty() {
            ids.extend(self.table.cursor_id());
        }
        let of = |id: &u64| failing.get(usize::try_from(*id).ok()?);
        let terms: Vec<_> = ids
            .iter()
            .filter_map(of)
            .map(|f| (f.vocabulary.clone(), f.term.clone()))
            .collect();
        if terms.is_empty() {
            return refuse("there is no term here");
        }
        let ask = request::Discard {
            terms: terms.clone(),
            dry: true,
        }
        .into();
        vec![Effect::Ask(Want::Count(terms), ask)]
    }

    /// Takes in a choice.
    pub fn chosen(&mut self, purpose: &ChoiceFor, pick: usize) -> Vec<Effect> {
        match purpose {
            ChoiceFor::Rows(names) | ChoiceFor::Columns(names) => {
                let Some(name) = names.get(pick).cloned() else {
                    return vec![];
                };
                let axis = if matches!(purpose, ChoiceFor::Rows(_)) {
                    &mut self.rows
                } else {
                    &mut self.columns
                };
                if *axis == name {
                    return vec![];
                }
                *axis = name;
                self.turn()
            }
            ChoiceFor::Retire(terms) if pick < 2 => vec![Effect::Retire {
                terms: terms.clone(),
                discard: pick == 0,
            }],
            ChoiceFor::Retire(_) => vec![],
        }
    }

    /// Draws the map or the failing terms.
    pub fn draw(&mut self, area: Rect, buf: &mut Buffer, look: &Look) {
        if self.terms {
            return failing::draw(&mut self.table, self.failing.as_ref(), area, buf, look);
        }
        let blocks = map::blocks(look);
        if self.made != Some((self.measure, blocks)) {
            map::fill(
                &mut self.map,
                self.grid.as_ref(),
                (&self.rows, &self.columns),
                self.measure,
                blocks,
            );
            self.made = Some((self.measure, blocks));
        }
        let grid = self.grid.as_ref().and_then(|g| g.as_ref().ok());
        map::draw(
            &mut self.map,
            grid,
            (&self.rows, &self.columns),
            self.measure,
            area,
            buf,
            look,
        );
    }
}

fn properties(vocabularies: &[String]) -> Vec<String> {
    let own = PROPERTIES.iter().map(|p| p.to_string());
    own.chain(
        vocabularies
            .iter()
            .filter(|v| !PROPERTIES.contains(&v.as_str()))
            .cloned(),
    )
    .collect()
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
