//! The coverage pane: how many items each combination of two properties has, and the terms with the
//! most rejected items (Dysca, step 4 of the cleaning).

mod failing;
mod map;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

pub use map::Measure;

use super::metadata::edit_session::error_line;
use crate::action::{Action, Scope};
use crate::theme::Look;
use crate::widgets::table::{Answer, Empty, LocalTable, TableEffect};
use benchtop_model::usage::{DiscardResult, FailingTerm, Grid};
use benchtop_model::{Filter, Result};
use benchtop_protocol::wire::{AnyRequest, request};

/// Properties that every project has. The vocabularies follow them.
const PROPERTIES: [&str; 4] = ["subject", "style", "subtask", "type"];
/// Judged items that a term needs before its failures count.
pub const JUDGED: u64 = 5;

/// The receiver of an owner's reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReplyFor {
    /// [`CoveragePane::on_grid`], for these rows and columns.
    Grid(String, String),
    /// [`CoveragePane::on_failing`].
    Failing,
    /// [`CoveragePane::on_count`]: the effect of retiring these terms.
    Count(Vec<(String, String)>),
}

/// The purpose of a choice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChoiceFor {
    /// The property of the rows.
    Rows(Vec<String>),
    /// The property of the columns.
    Columns(Vec<String>),
    /// Whether to retire these terms.
    Retire(Vec<(String, String)>),
}

/// An effect of the coverage pane.
#[derive(Clone, Debug)]
pub enum CoverageEffect {
    /// Send a request to the owner. `ReplyFor` names the receiver of the reply.
    Ask(ReplyFor, AnyRequest),
    /// Ask for a choice.
    AskChoice {
        purpose: ChoiceFor,
        title: String,
        /// The options, each with a detail.
        lines: Vec<(String, String)>,
    },
    /// Open the item list with this filter.
    Filter(String),
    /// Disable these terms and save the metadata. With `discard`, reject their items.
    Retire {
        /// Vocabulary (or `style`) and term.
        terms: Vec<(String, String)>,
        discard: bool,
    },
    /// Report something worth knowing.
    Say(String),
    /// Report why the action did nothing.
    Refuse(String),
    Leave,
}

use CoverageEffect as Effect;

fn refuse(why: impl Into<String>) -> Vec<Effect> {
    vec![Effect::Refuse(why.into())]
}

#[derive(Debug)]
pub struct CoveragePane {
    rows: String,
    columns: String,
    measure: Measure,
    grid: Option<Result<Grid>>,
    map: LocalTable,
    /// The measure that the map was built for, and whether it draws blocks.
    made: Option<(Measure, bool)>,
    failing: Option<Result<Vec<FailingTerm>>>,
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
    /// A pane with subjects by styles. Nothing is requested yet.
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

    /// The scopes with live keys, nearest first.
    pub fn scopes(&self) -> &'static [Scope] {
        &[Scope::Coverage, Scope::Table, Scope::Global]
    }

    /// Requests what is shown, at start and after items changed. The old view stays until the
    /// reply.
    pub fn start(&mut self) -> Vec<Effect> {
        if self.terms {
            vec![Effect::Ask(
                ReplyFor::Failing,
                request::Failing(JUDGED).into(),
            )]
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
        vec![Effect::Ask(ReplyFor::Grid(rows, columns), ask)]
    }

    /// Receives the map. Ignores one with other axes.
    pub fn on_grid(&mut self, rows: &str, columns: &str, grid: Result<Grid>) {
        if (rows, columns) == (self.rows.as_str(), self.columns.as_str()) {
            (self.grid, self.made) = (Some(grid), None);
        }
    }

    pub fn on_failing(&mut self, failing: Result<Vec<FailingTerm>>) {
        self.table = failing::table(Some(&failing));
        self.failing = Some(failing);
    }

    /// Receives the effect of retiring terms and asks for confirmation.
    pub fn on_count(
        &mut self,
        terms: &[(String, String)],
        count: Result<DiscardResult>,
    ) -> Vec<Effect> {
        match count {
            Ok(count) => vec![Effect::AskChoice {
                purpose: ChoiceFor::Retire(terms.to_vec()),
                title: failing::question(terms, &count),
                lines: failing::answers(terms, &count),
            }],
            Err(problem) => refuse(format!("cannot count items: {}", error_line(&problem))),
        }
    }

    /// The properties of rows and columns.
    pub fn axes(&self) -> (&str, &str) {
        (&self.rows, &self.columns)
    }

    /// Runs an action. `vocabularies` are further properties to choose from.
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
            Action::RetireTerms if !self.terms => refuse("press f and select terms to retire"),
            Action::RetireTerms => self.retire(),
            Action::NextCount | Action::ChooseRows | Action::ChooseColumns | Action::SwapAxes
                if self.terms =>
            {
                refuse(format!("`{}` works on the map: press f", action.name()))
            }
            Action::NextCount => {
                self.measure = self.measure.next();
                vec![Effect::Say(format!("colored by {}", self.measure.name()))]
            }
            Action::SwapAxes => {
                std::mem::swap(&mut self.rows, &mut self.columns);
                self.reload()
            }
            Action::ChooseRows | Action::ChooseColumns => {
                let down = action == Action::ChooseRows;
                let names = properties(vocabularies);
                let other = if down { &self.columns } else { &self.rows };
                let names: Vec<String> = names.into_iter().filter(|n| n != other).collect();
                let lines = names.iter().map(|n| (n.clone(), String::new())).collect();
                let (purpose, title) = if down {
                    (ChoiceFor::Rows(names), "Rows".into())
                } else {
                    (ChoiceFor::Columns(names), "Columns".into())
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

    /// Drops the map after an axis changed and requests a new one.
    fn reload(&mut self) -> Vec<Effect> {
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
                Answer::Message(text) => vec![Effect::Say(text)],
                _ => refuse(format!("`{}` does nothing in this table", action.name())),
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
            return refuse("the terms are still loading");
        };
        let mut ids: Vec<u64> = self.table.state().selected().iter().copied().collect();
        if ids.is_empty() {
            ids.extend(self.table.cursor_id());
        }
        let term_at = |id: &u64| failing.get(usize::try_from(*id).ok()?);
        let terms: Vec<_> = ids
            .iter()
            .filter_map(term_at)
            .map(|f| (f.vocabulary.clone(), f.term.clone()))
            .collect();
        if terms.is_empty() {
            return refuse("no term");
        }
        let ask = request::Discard {
            terms: terms.clone(),
            dry: true,
        }
        .into();
        vec![Effect::Ask(ReplyFor::Count(terms), ask)]
    }

    /// Receives a choice.
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
                self.reload()
            }
            ChoiceFor::Retire(terms) if pick < 2 => vec![Effect::Retire {
                terms: terms.clone(),
                discard: pick == 0,
            }],
            ChoiceFor::Retire(_) => vec![],
        }
    }

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
