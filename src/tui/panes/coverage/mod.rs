//! The coverage pane: how many items each combination of two properties has, and the terms with the
//! most rejected items (Dysca, step 4 of the cleaning).

mod failing;
mod map;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

pub use map::Measure;

use super::metadata::edit_session::error_line;
use crate::action::Action;
use crate::keymap::Keymap;
use crate::pane::{Ask, Context, Notice, Opens, Pane, PaneId, Scene, Target, table_menus};
use crate::theme::Look;
use crate::widgets::table::{Empty, LocalTable};
use benchtop_model::usage::{DiscardResult, FailingTerm, Grid};
use benchtop_model::{Filter, Result};
use benchtop_protocol::wire::request;

/// Properties that every project has. The vocabularies follow them.
const PROPERTIES: [&str; 4] = ["subject", "style", "subtask", "type"];
/// Judged items that a term needs before its failures count.
pub const JUDGED: u64 = 5;

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
        CoveragePane {
            rows: "subject".into(),
            columns: "style".into(),
            measure: Measure::Items,
            grid: None,
            map: LocalTable::new(Vec::new(), Vec::new(), 2, Empty::Loading),
            made: None,
            failing: None,
            table: failing::table(None, String::new()),
            terms: false,
        }
    }
}

impl CoveragePane {
    /// Requests what is shown. The old view stays until the reply.
    fn load(&self, cx: &mut Context<'_>) {
        if self.terms {
            self.ask_failing(cx);
        } else {
            self.ask_grid(cx);
        }
    }

    fn ask_failing(&self, cx: &mut Context<'_>) {
        let then = |pane: &mut Self, failing: Result<Vec<FailingTerm>>, cx: &mut Context<'_>| {
            let review = cx.key(Action::Go(PaneId::Review));
            pane.table = failing::table(Some(&failing), review);
            pane.failing = Some(failing);
        };
        cx.send(Ask::new(request::Failing(JUDGED), then).for_key());
    }

    fn ask_grid(&self, cx: &mut Context<'_>) {
        let (rows, columns) = (self.rows.clone(), self.columns.clone());
        let ask = request::Grid {
            rows: rows.clone(),
            columns: columns.clone(),
            filter: Filter::default(),
        };
        // Ignores a map with other axes.
        let then = move |pane: &mut Self, grid: Result<Grid>, _: &mut Context<'_>| {
            if (&rows, &columns) == (&pane.rows, &pane.columns) {
                (pane.grid, pane.made) = (Some(grid), None);
            }
        };
        cx.send(Ask::new(ask, then).for_key());
    }

    /// Drops the map after an axis changed and requests a new one.
    fn reload(&mut self, cx: &mut Context<'_>) {
        (self.grid, self.made) = (None, None);
        self.ask_grid(cx);
    }

    fn choose_axis(&self, down: bool, cx: &mut Context<'_>) {
        let other = if down { &self.columns } else { &self.rows };
        let names = properties(cx.metadata.session().edited().vocabularies().keys());
        let names: Vec<String> = names.filter(|name| name != other).collect();
        let title = if down { "Rows" } else { "Columns" };
        let line = |name: &String| (name.clone(), "");
        cx.choose_of(title, names, line, move |pane: &mut Self, name, cx| {
            let axis = if down {
                &mut pane.rows
            } else {
                &mut pane.columns
            };
            if name != *axis {
                *axis = name;
                pane.reload(cx);
            }
        });
    }

    fn act_on_table(&mut self, action: Action, cx: &mut Context<'_>) {
        let table = if self.terms {
            &mut self.table
        } else {
            &mut self.map
        };
        let nothing = format!("`{}` does nothing in this table", action.name());
        if let Some((id, column)) = table_menus::opened(table.act(action), &nothing, cx) {
            self.open_items(id, column, cx);
        }
    }

    fn open_items(&self, id: u64, column: usize, cx: &mut Context<'_>) {
        let at = usize::try_from(id).unwrap_or(usize::MAX);
        if self.terms {
            let failing = self
                .failing
                .as_ref()
                .and_then(|f| f.as_ref().ok())
                .and_then(|f| f.get(at));
            if let Some(failing) = failing {
                cx.open(Target::Items(failing::words(failing)));
            }
            return;
        }
        let Some(Ok(grid)) = &self.grid else {
            return;
        };
        let row = grid
            .rows
            .get(at)
            .map(|(v, _)| (self.rows.as_str(), v.as_str()));
        let across = column.checked_sub(2).and_then(|c| grid.columns.get(c));
        let across = across.map(|(v, _)| (self.columns.as_str(), v.as_str()));
        let words = map::words(row.into_iter().chain(across), self.measure);
        cx.open(Target::Items(words));
    }

    /// Counts the items of the selected terms, then asks whether to retire them.
    fn retire(&mut self, cx: &mut Context<'_>) {
        let Some(Ok(failing)) = &self.failing else {
            return cx.refuse("the terms are still loading");
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
            return cx.refuse("no term");
        }
        let ask = request::Discard {
            terms: terms.clone(),
            dry: true,
        };
        let then = |_: &mut Self, count, cx: &mut Context<'_>| confirm(terms, count, cx);
        cx.send(Ask::new(ask, then).opens(Opens::Confirmation).for_key());
    }

    fn draw_table(&mut self, area: Rect, buf: &mut Buffer, look: &Look) {
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

fn properties<'a>(vocabularies: impl Iterator<Item = &'a String>) -> impl Iterator<Item = String> {
    let own = PROPERTIES.iter().map(|p| p.to_string());
    own.chain(
        vocabularies
            .filter(|v| !PROPERTIES.contains(&v.as_str()))
            .cloned(),
    )
}

/// Asks whether to retire terms with this many items.
fn confirm(terms: Vec<(String, String)>, count: Result<DiscardResult>, cx: &mut Context<'_>) {
    let count = match count {
        Ok(count) => count,
        Err(problem) => {
            return cx.refuse(format!("cannot count items: {}", error_line(&problem)));
        }
    };
    let (title, lines) = (
        failing::question(&terms, &count),
        failing::answers(&terms, &count),
    );
    cx.choose(title, lines, move |_: &mut CoveragePane, pick, cx| {
        if pick < 2 {
            cx.retire(terms, pick == 0);
        }
    });
}

impl Pane for CoveragePane {
    fn help(&self, keys: &Keymap) -> String {
        format!(
            "Items by two properties, to show where more are needed. {} lists the items of a cell; {} lists the \
             terms whose items fail most.",
            keys.press(Action::Open),
            keys.press(Action::FailingTerms)
        )
    }

    fn open(&mut self, cx: &mut Context<'_>) {
        self.load(cx);
        // The vocabularies are among the possible axes.
        if !cx.metadata.is_ready() {
            cx.read_metadata();
        }
    }

    fn act(&mut self, action: Action, cx: &mut Context<'_>) {
        match action {
            Action::Back if self.terms => {
                self.terms = false;
                if self.grid.is_none() {
                    self.ask_grid(cx);
                }
            }
            Action::Back => cx.leave(),
            Action::FailingTerms => {
                self.terms = !self.terms;
                self.load(cx);
            }
            Action::RetireTerms if !self.terms => cx.refuse("press f and select terms to retire"),
            Action::RetireTerms => self.retire(cx),
            Action::NextCount | Action::ChooseRows | Action::ChooseColumns | Action::SwapAxes
                if self.terms =>
            {
                cx.refuse(format!("`{}` works on the map: press f", action.name()));
            }
            Action::NextCount => {
                self.measure = self.measure.next();
                cx.say(format!("colored by {}", self.measure.name()));
            }
            Action::SwapAxes => {
                std::mem::swap(&mut self.rows, &mut self.columns);
                self.reload(cx);
            }
            Action::ChooseRows => self.choose_axis(true, cx),
            Action::ChooseColumns => self.choose_axis(false, cx),
            other => self.act_on_table(other, cx),
        }
    }

    fn on_notice(&mut self, notice: Notice<'_>, cx: &mut Context<'_>) {
        if matches!(notice, Notice::Recount) && cx.env.is_shown {
            self.load(cx);
        }
    }

    fn is_empty(&self, scene: &Scene<'_>) -> bool {
        scene.items == 0
    }

    fn draw(&mut self, area: Rect, buf: &mut Buffer, scene: &Scene<'_>) -> Option<Position> {
        self.draw_table(area, buf, scene.look);
        None
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
