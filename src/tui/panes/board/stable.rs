//! How the scores of a column settle as more of the questions come in, laid over the leaderboard (Dysca, appendix B.2).

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{BoardEffect, BoardPane, Layer, Want};
use crate::action::Action;
use crate::keymap::Keymap;
use crate::panes::metadata::edit_session::said;
use crate::theme::{Look, Role};
use crate::widgets::lines::Lines;
use crate::widgets::meter::sparkline;
use crate::widgets::table::{Answer, ColumnKind, Empty, LocalCell, LocalTable, Spec, TableEffect};
use crate::widgets::text;
use benchtop_model::Result;
use benchtop_model::agreement::Bootstrap;
use benchtop_model::analysis::{AnalyseAsk, Curve, Stability, Stable, What};
use benchtop_model::board::{Better, BoardAsk, Scale};
use benchtop_protocol::wire::request;

/// Columns of the terminal for each fraction of a curve.
const WIDE: usize = 2;

/// What an action on it leaves for the pane to do.
#[derive(Debug)]
pub enum StableEffect {
    /// Show the answers of this model behind this column.
    Behind(String, String),
    /// What any table leaves to do.
    Table(Answer),
}

/// What is known so far.
#[derive(Clone, Debug)]
enum State {
    /// The owner reads.
    Asked,
    /// The curves are there, in this order of models.
    Found(Box<Stable>),
    /// Why there are none.
    Failed(String),
}

/// The curves of all models.
#[derive(Clone, Debug)]
pub struct StableView {
    /// Of which board.
    ask: Box<BoardAsk>,
    column: String,
    state: State,
    table: LocalTable,
    /// The table has its drawn column.
    is_drawn: bool,
}

impl StableView {
    fn new(ask: Box<BoardAsk>, column: String) -> StableView {
        let table = LocalTable::new(Vec::new(), Vec::new(), 1, Empty::Loading);
        StableView {
            ask,
            column,
            state: State::Asked,
            table,
            is_drawn: true,
        }
    }

    fn want(&self) -> Want {
        Want::Stable(self.ask.clone(), self.column.clone())
    }

    fn effect(&self) -> BoardEffect {
        let stability = Stability {
            column: Some(self.column.clone()),
            seed: Bootstrap::default().seed,
            ..Stability::default()
        };
        let ask = AnalyseAsk {
            board: (*self.ask).clone(),
            what: What::Stability(stability),
        };
        BoardEffect::Ask(self.want(), request::Analyse(Box::new(ask)).into())
    }

    /// The table below the heading.
    pub fn table_mut(&mut self) -> &mut LocalTable {
        &mut self.table
    }

    fn take(&mut self, found: Result<Stable>) {
        self.state = match found {
            Ok(mut found) => {
                let least = is_low_good(found.scale);
                let last = |c: &Curve| c.values.last().copied().flatten();
                // Who is ahead comes first; models without a number come last.
                found.models.sort_by(|a, b| match (last(a), last(b)) {
                    (Some(a), Some(b)) if least => a.total_cmp(&b),
                    (Some(a), Some(b)) => b.total_cmp(&a),
                    (a, b) => b.is_some().cmp(&a.is_some()),
                });
                self.table = table(&found, self.is_drawn);
                State::Found(Box::new(found))
            }
            Err(problem) => State::Failed(said(&problem)),
        };
    }

    /// Does a table action; Enter shows the answers behind a model's number.
    pub fn act(&mut self, action: Action) -> Vec<StableEffect> {
        let State::Found(found) = &self.state else {
            return vec![];
        };
        let answers = self.table.act(action);
        let effect = |answer| match answer {
            Answer::Effect(TableEffect::Open { id, .. }) => {
                match usize::try_from(id).ok().and_then(|at| found.models.get(at)) {
                    Some(curve) => StableEffect::Behind(curve.model.clone(), found.column.clone()),
                    None => StableEffect::Table(Answer::Effect(TableEffect::Refuse(
                        "nothing to open".into(),
                    ))),
                }
            }
            other => StableEffect::Table(other),
        };
        answers.into_iter().map(effect).collect()
    }

    /// Draws it. A screen reader gets the numbers without the column that draws them.
    pub fn draw(&mut self, area: Rect, keys: &Keymap, buf: &mut Buffer, look: &Look) {
        let height = area.height.min(4);
        let mut lines = Lines::new(Rect { height, ..area }, buf, look);
        lines.say(
            &format!(" {} over parts of the data", self.column),
            Role::Heading,
        );
        let found = match &self.state {
            State::Asked => {
                lines.say(
                    &format!(" reading ...  {} stops it", keys.press(Action::Back)),
                    Role::Pending,
                );
                return;
            }
            State::Failed(why) => {
                lines.tell(&format!(" {why}"), Role::Bad);
                return;
            }
            State::Found(found) => found,
        };
        lines.say(
            &format!(
                " questions come in in one order for all models, drawn with seed {} (Dysca, B.2)",
                found.seed
            ),
            Role::Dim,
        );
        lines.say(&format!(" {}", order(found)), Role::Text);
        let ends = ends(found).filter(|_| !look.accessible);
        let scale = ends.map_or(String::new(), |(low, high)| {
            format!("; drawn from {low:.1} to {high:.1}")
        });
        lines.say(
            &format!(" drift: farthest from the final number, 50 % on{scale}"),
            Role::Dim,
        );
        if self.is_drawn == look.accessible {
            self.is_drawn = !look.accessible;
            self.table = table(found, self.is_drawn);
        }
        self.table.draw(
            Rect {
                y: area.y + height,
                height: area.height - height,
                ..area
            },
            buf,
            look,
        );
    }
}

fn is_low_good(scale: Scale) -> bool {
    scale.better() == Better::Less
}

/// The smallest and the largest number of all curves; `None` without numbers.
fn ends(found: &Stable) -> Option<(f64, f64)> {
    let mut values = found
        .models
        .iter()
        .flat_map(|c| c.values.iter().flatten().copied());
    let first = values.next()?;
    Some(values.fold((first, first), |(low, high), v| (low.min(v), high.max(v))))
}

/// From which fraction on the models are in the order that all of the data puts them in; they are in that order already.
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
        _ if found.models.len() < 2 => "one model alone".into(),
        Some(percent) if *percent < 100.0 => {
            format!("the models are in their final order from {percent} % of the data on")
        }
        _ => "the models are in their final order only on all of the data".into(),
    }
}

/// A curve as little columns between the smallest and the largest number of all; blank where there is none.
fn drawn(curve: &Curve, (low, high): (f64, f64)) -> String {
    let mark = |value: &Option<f64>| match value {
        Some(value) => sparkline(&[value - low], high - low, 1, false).repeat(WIDE),
        None => " ".repeat(WIDE),
    };
    curve.values.iter().map(mark).collect()
}

fn table(found: &Stable, is_drawn: bool) -> LocalTable {
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
    // The final number stands beside the name, the way to it at the end.
    let mut points: Vec<Spec> = found.fractions.iter().zip(&found.n).map(point).collect();
    specs.extend(points.pop());
    specs.push(Spec::number("drift", "", ColumnKind::Number, 5));
    if is_drawn {
        specs.push(Spec::text(
            "drawn",
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
        if is_drawn {
            let mut cell = LocalCell::text(drawn(curve, ends(found).unwrap_or_default()));
            cell.view.role = Role::Accent;
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
        Empty::Nothing { hint },
    )
}

impl BoardPane {
    /// Asks the owner for the curves of the column under the cursor, or of the one that rows are sorted by.
    pub(super) fn ask_stable(&mut self) -> Vec<BoardEffect> {
        let Some(column) = self
            .column()
            .map(|c| c.name.clone())
            .or_else(|| self.sorted_by())
        else {
            return vec![BoardEffect::Refuse(
                "put the cursor on a column first".into(),
            )];
        };
        let view = StableView::new(Box::new(self.shown.clone()), column);
        let effect = view.effect();
        self.layers.push(Layer::Stable(view));
        vec![effect]
    }

    /// Takes the curves in, or why there are none; those that nobody looks at any more are passed over.
    pub fn take_stable(&mut self, ask: &BoardAsk, column: &str, found: Result<Stable>) {
        let is =
            |l: &&mut Layer| matches!(l, Layer::Stable(v) if *v.ask == *ask && v.column == column);
        if let Some(Layer::Stable(view)) = self.layers.iter_mut().find(is) {
            view.take(found);
        }
    }

    /// What was on its way went with the connection: asked for again.
    pub(super) fn stable_again(&self) -> Vec<BoardEffect> {
        let waits = |layer: &Layer| match layer {
            Layer::Stable(view) if matches!(view.state, State::Asked) => Some(view.effect()),
            _ => None,
        };
        self.layers.iter().filter_map(waits).collect()
    }

    /// What is to be done when a layer is closed: nobody waits for its curves any more.
    pub(super) fn closed(layer: &Layer) -> Vec<BoardEffect> {
        match layer {
            Layer::Stable(view) if matches!(view.state, State::Asked) => {
                vec![BoardEffect::Cancel(view.want())]
            }
            _ => vec![],
        }
    }
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
    fn the_order_of_models_settles_where_it_stays_to_the_end() {
        let two =
            |a: [f64; 3], b: [f64; 3]| order(&found(&[("a", a.map(Some)), ("b", b.map(Some))]));
        assert!(two([50.0, 60.0, 61.0], [40.0, 55.0, 52.0]).contains("from 10 %"));
        assert!(two([50.0, 60.0, 61.0], [60.0, 55.0, 52.0]).contains("from 50 %"));
        assert!(two([70.0, 50.0, 61.0], [60.0, 55.0, 52.0]).contains("only on all"));
        assert!(order(&found(&[("a", [Some(1.0); 3])])).contains("alone"));
        let missing = found(&[("a", [Some(9.0); 3]), ("b", [None, Some(2.0), Some(3.0)])]);
        assert!(
            order(&missing).contains("from 50 %"),
            "a model without a number is in no order"
        );
    }

    #[test]
    fn curves_are_drawn_between_the_ends_of_all_and_blank_where_there_is_no_number() {
        let found = found(&[
            ("a", [None, Some(40.0), Some(60.0)]),
            ("b", [Some(50.0); 3]),
        ]);
        assert_eq!(ends(&found), Some((40.0, 60.0)));
        assert_eq!(drawn(&found.models[0], (40.0, 60.0)), "  ▁▁██");
        assert_eq!(drawn(&found.models[1], (50.0, 50.0)), "▁▁▁▁▁▁");
    }
}
