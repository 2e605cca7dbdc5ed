//! The stability of a column's scores: their values over growing parts of the data (Dysca, appendix
//! B.2).

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::layer::{Layer, LayerEffect};
use crate::action::Action;
use crate::pane::Scene;
use crate::panes::metadata::edit_session::error_line;
use crate::theme::Role;
use crate::widgets::areas;
use crate::widgets::lines::Lines;
use crate::widgets::meter::sparkline;
use crate::widgets::table::{ColumnKind, Empty, LocalCell, LocalTable, Spec};
use crate::widgets::text;
use benchtop_model::Result;
use benchtop_model::agreement::Bootstrap;
use benchtop_model::analysis::{AnalysisQuery, Curve, Stability, Stable, What};
use benchtop_model::board::{Better, BoardQuery, Scale};
use benchtop_model::sorting::sort_by;

/// Width of a fraction in a chart.
const WIDE: usize = 2;

#[derive(Clone, Debug)]
enum State {
    /// Waiting for the owner.
    Asked,
    /// The curves, best model first.
    Found(Box<Stable>),
    /// The error.
    Failed(String),
}

/// The curves of all models.
#[derive(Clone, Debug)]
pub struct StableView {
    /// The board that the curves belong to.
    ask: Box<BoardQuery>,
    column: String,
    state: State,
    table: LocalTable,
    /// Whether the table has its chart column.
    has_chart: bool,
}

impl StableView {
    pub(super) fn new(ask: Box<BoardQuery>, column: String) -> StableView {
        let table = LocalTable::new(Vec::new(), Vec::new(), 1, Empty::Loading);
        StableView {
            ask,
            column,
            state: State::Asked,
            table,
            has_chart: true,
        }
    }

    /// The board and the column of the curves.
    pub(super) fn of(&self) -> (BoardQuery, String) {
        ((*self.ask).clone(), self.column.clone())
    }

    /// The analysis to request.
    pub(super) fn question(&self) -> AnalysisQuery {
        let stability = Stability {
            column: Some(self.column.clone()),
            seed: Bootstrap::default().seed,
            ..Stability::default()
        };
        AnalysisQuery {
            board: (*self.ask).clone(),
            what: What::Stability(stability),
        }
    }

    /// Whether these are the curves of this board and column.
    pub(super) fn is_of(&self, ask: &BoardQuery, column: &str) -> bool {
        *self.ask == *ask && self.column == column
    }

    pub(super) fn is_waiting(&self) -> bool {
        matches!(self.state, State::Asked)
    }

    pub(super) fn take(&mut self, found: Result<Stable>) {
        self.state = match found {
            Ok(mut found) => {
                let least = is_low_good(found.scale);
                let last = |c: &Curve| c.values.last().copied().flatten();
                // The best model comes first. Models without a value come last.
                sort_by(&mut found.models, |a, b| match (last(a), last(b)) {
                    (Some(a), Some(b)) if least => a.total_cmp(&b),
                    (Some(a), Some(b)) => b.total_cmp(&a),
                    (a, b) => b.is_some().cmp(&a.is_some()),
                });
                self.table = table(&found, self.has_chart);
                State::Found(Box::new(found))
            }
            Err(problem) => State::Failed(error_line(&problem)),
        };
    }
}

impl Layer for StableView {
    fn table_mut(&mut self) -> Option<&mut LocalTable> {
        matches!(self.state, State::Found(_)).then_some(&mut self.table)
    }

    /// Shows the answers behind a model's value.
    fn open(&self, row: usize) -> LayerEffect {
        match &self.state {
            State::Found(found) if row < found.models.len() => LayerEffect::Drilldown {
                model: found.models[row].model.clone(),
                column: found.column.clone(),
            },
            _ => LayerEffect::refuse("nothing to open"),
        }
    }

    /// Draws the view. Accessible mode omits the chart column.
    fn draw(&mut self, area: Rect, buf: &mut Buffer, scene: &Scene<'_>) {
        let look = scene.look;
        let (above, below) = areas::top(area, 4);
        let mut lines = Lines::new(above, buf, look);
        lines.text(&format!(" stability of {}", self.column), Role::Heading);
        let found = match &self.state {
            State::Asked => {
                lines.text(
                    &format!(" loading ...  {} cancels", scene.key(Action::Back)),
                    Role::Pending,
                );
                return;
            }
            State::Failed(why) => {
                lines.wrapped(&format!(" {why}"), Role::Bad);
                return;
            }
            State::Found(found) => found,
        };
        lines.text(
            &format!(
                " one random order of questions for all models, seed {} (Dysca, B.2)",
                found.seed
            ),
            Role::Dim,
        );
        lines.text(&format!(" {}", order(found)), Role::Text);
        let ends = ends(found).filter(|_| !look.accessible);
        let scale = ends.map_or(String::new(), |(low, high)| {
            format!("; chart from {low:.1} to {high:.1}")
        });
        lines.text(
            &format!(" drift: greatest distance from the final value after 50 %{scale}"),
            Role::Dim,
        );
        if self.has_chart == look.accessible {
            self.has_chart = !look.accessible;
            self.table = table(found, self.has_chart);
        }
        self.table.draw(below, buf, look);
    }
}

fn is_low_good(scale: Scale) -> bool {
    scale.better() == Better::Less
}

/// The least and greatest value of all curves. `None` without values.
fn ends(found: &Stable) -> Option<(f64, f64)> {
    let mut values = found
        .models
        .iter()
        .flat_map(|c| c.values.iter().flatten().copied());
    let first = values.next()?;
    Some(values.fold((first, first), |(low, high), v| (low.min(v), high.max(v))))
}

/// The fraction from which on the models keep their final order, in words. The models are sorted by
/// it.
fn order(found: &Stable) -> String {
    let least = is_low_good(found.scale);
    let same = |at: usize| {
        let values: Vec<f64> = found
            .models
            .iter()
            .filter_map(|c| c.values.get(at).copied().flatten())
            .collect();
        values.len()
            == found
                .models
                .iter()
                .filter(|c| c.values.last().copied().flatten().is_some())
                .count()
            && values.windows(2).all(|pair| {
                if least {
                    pair[0] <= pair[1]
                } else {
                    pair[0] >= pair[1]
                }
            })
    };
    let settled = (0..found.fractions.len())
        .rev()
        .take_while(|at| same(*at))
        .last();
    match settled.and_then(|at| found.fractions.get(at)) {
        _ if found.models.len() < 2 => "only one model".into(),
        Some(percent) if *percent < 100.0 => {
            format!("the order of the models is final from {percent} % of the data")
        }
        _ => "the order of the models is final only with all data".into(),
    }
}

/// A curve as a sparkline, scaled to the range of all curves. Missing values are blank.
fn chart(curve: &Curve, (low, high): (f64, f64)) -> String {
    let mark = |value: &Option<f64>| match value {
        Some(value) => sparkline(&[value - low], high - low, 1, false).repeat(WIDE),
        None => " ".repeat(WIDE),
    };
    curve.values.iter().map(mark).collect()
}

fn table(found: &Stable, has_chart: bool) -> LocalTable {
    let widest = found
        .models
        .iter()
        .map(|c| text::width(&c.model))
        .max()
        .unwrap_or(8)
        .clamp(8, 24);
    let mut specs = vec![Spec::text("model", u16::try_from(widest).unwrap_or(24))];
    let point = |(percent, n): (&f64, &u64)| {
        let group = format!("n {}", text::grouped(*n));
        let width = u16::try_from(text::width(&group)).unwrap_or(5).max(5);
        Spec::number(format!("{percent} %"), group, ColumnKind::Number, width)
    };
    // The final value is beside the name. The other points follow at the end.
    let mut points: Vec<Spec> = found.fractions.iter().zip(&found.n).map(point).collect();
    specs.extend(points.pop());
    specs.push(Spec::number("drift", "", ColumnKind::Number, 5));
    if has_chart {
        specs.push(Spec::text(
            "chart",
            u16::try_from(WIDE * found.fractions.len()).unwrap_or(22),
        ));
    }
    specs.extend(points);
    let number = |value: Option<f64>| match value {
        Some(value) => LocalCell::number(format!("{value:.1}"), Some(value)),
        None => LocalCell::number("-", None),
    };
    let line = |curve: &Curve| {
        let mut points: Vec<LocalCell> = curve.values.iter().map(|value| number(*value)).collect();
        let mut cells = vec![LocalCell::text(&curve.model)];
        cells.extend(points.pop());
        cells.push(number(curve.drift));
        if has_chart {
            let chart = chart(curve, ends(found).unwrap_or_default());
            let cell = LocalCell::text(chart).role(Role::Accent);
            cells.push(cell);
        }
        cells.extend(points);
        cells
    };
    let hint = "no model has answers for this column".into();
    LocalTable::new(
        specs,
        found.models.iter().map(line).collect(),
        1,
        Empty::Nothing(hint),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(models: &[(&str, [Option<f64>; 3])]) -> Stable {
        let curve = |(model, values): &(&str, [Option<f64>; 3])| Curve {
            model: (*model).into(),
            values: values.to_vec(),
            drift: None,
        };
        Stable {
            column: "Acc".into(),
            scale: Scale::Share,
            fractions: vec![10.0, 50.0, 100.0],
            n: vec![1, 5, 10],
            seed: 1,
            models: models.iter().map(curve).collect(),
        }
    }

    #[test]
    fn the_order_is_final_once_it_no_longer_changes() {
        let two =
            |a: [f64; 3], b: [f64; 3]| order(&found(&[("a", a.map(Some)), ("b", b.map(Some))]));
        assert!(two([50.0, 60.0, 61.0], [40.0, 55.0, 52.0]).contains("from 10 %"));
        assert!(two([50.0, 60.0, 61.0], [60.0, 55.0, 52.0]).contains("from 50 %"));
        assert!(two([70.0, 50.0, 61.0], [60.0, 55.0, 52.0]).contains("only with all"));
        assert!(order(&found(&[("a", [Some(1.0); 3])])).contains("only one"));
        let missing = found(&[("a", [Some(9.0); 3]), ("b", [None, Some(2.0), Some(3.0)])]);
        assert!(
            order(&missing).contains("from 50 %"),
            "a model without a value has no place"
        );
    }

    #[test]
    fn charts_are_scaled_to_all_curves_and_blank_without_values() {
        let found = found(&[
            ("a", [None, Some(40.0), Some(60.0)]),
            ("b", [Some(50.0); 3]),
        ]);
        assert_eq!(ends(&found), Some((40.0, 60.0)));
        assert_eq!(chart(&found.models[0], (40.0, 60.0)), "  ▁▁██");
        assert_eq!(chart(&found.models[1], (50.0, 50.0)), "▁▁▁▁▁▁");
    }
}
