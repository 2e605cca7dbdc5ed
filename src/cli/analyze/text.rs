//! Analyses as text.

use crate::agreement::table::{Words, plain};
use crate::out::{count, notes};
use benchtop_formats::published::Figure;
use benchtop_formats::published_figures as published;
use benchtop_metrics::statistics::{Strokes, drawn, leaves, p_text};
use benchtop_model::agreement::Interval;
use benchtop_model::analysis::{
    Aligned, Analysis, Cleaned, Clustered, Coefficient, Correlated, ModelCleaned, Rate,
    ScoreInterval, Stable,
};
use benchtop_model::board::model_names::same;
use benchtop_model::board::{Board, Cell, Scale};
use benchtop_model::clean;
use benchtop_tui::widgets::text::width;

/// Width of the drawn tree, without the names.
const TREE: usize = 48;

pub(super) fn of(found: &Analysis) -> String {
    match found {
        Analysis::Correlated(found) => correlated(found),
        Analysis::Clustered(found) => clustered(found),
        Analysis::Stable(found) => stable(found),
        Analysis::Cleaned(found) => cleaned(found),
        Analysis::Intervals(list) => intervals(list),
        Analysis::Published(board) => beside(board),
        Analysis::Aligned(found) => aligned(found),
        Analysis::Variants(list) => super::variants::text(list),
        Analysis::Contamination(found) => super::contamination::text(found),
    }
}

fn words(head: &[&str], rows: Vec<Vec<String>>) -> String {
    plain(&Words::new(head, rows))
}

fn number(value: Option<f64>) -> String {
    value.map_or("-".into(), |v| format!("{v:.2}"))
}

fn signed(value: Option<f64>) -> String {
    value.map_or("-".into(), |v| format!("{v:+.2}"))
}

fn range(interval: Option<Interval>) -> String {
    interval.map_or("-".into(), |i| format!("[{:.2}, {:.2}]", i.low, i.high))
}

fn correlated(found: &Correlated) -> String {
    let what = |c: &Coefficient| match (c.value, c.p) {
        (Some(value), Some(p)) => {
            let p = if p < 0.0001 {
                "p < 0.0001".to_string()
            } else {
                format!("p = {p:.4}")
            };
            format!("{value:+.3}, {p} ({}, {} orders)", c.by, c.orders)
        }
        _ => format!(
            "not defined: {}",
            c.undefined.as_deref().unwrap_or_default()
        ),
    };
    let y = if found.y.from == "board" {
        String::new()
    } else {
        format!(" of {}", found.y.from)
    };
    let (x, y) = (
        clean::line(&found.x.column),
        format!("{}{y}", found.y.column),
    );
    let mut out = format!(
        "{x} vs. {}, {}\n\n",
        clean::line(&y),
        count(found.n, "model")
    );
    out.push_str(&format!("Spearman's rho   {}\n", what(&found.spearman)));
    out.push_str(&format!("Kendall's tau-b  {}\n\n", what(&found.kendall)));
    let row = |m: &benchtop_model::analysis::Joined| {
        let there = if m.other == m.model {
            String::new()
        } else {
            m.other.clone()
        };
        vec![m.model.clone(), number(Some(m.x)), number(Some(m.y)), there]
    };
    let head = ["model", &found.x.column, &found.y.column, "name there"];
    out.push_str(&words(&head, found.models.iter().map(row).collect()));
    for (names, place) in [(&found.only_x, "here"), (&found.only_y, "there")] {
        if !names.is_empty() {
            out.push_str(&format!(
                "note: only {place}: {}\n",
                clean::line(&names.join(", "))
            ));
        }
    }
    out
}

fn clustered(found: &Clustered) -> String {
    let points: Vec<_> = found
        .points
        .iter()
        .map(|point| clean::line(point))
        .collect();
    let wide = points.iter().map(|p| width(p)).max().unwrap_or(0);
    let lines = drawn(&found.merges, TREE, Strokes::LINES);
    let mut out = String::new();
    for (point, line) in leaves(&found.merges).into_iter().zip(lines) {
        let name = points.get(point).map_or("", |name| name);
        out.push_str(&format!(
            "{name}{} {line}\n",
            " ".repeat(wide.saturating_sub(width(name)))
        ));
    }
    let top = found.merges.last().map_or(0.0, |m| m.height);
    let method = if found.method == benchtop_model::analysis::Linkage::Ward {
        "Ward"
    } else {
        "average"
    };
    out.push_str(&format!(
        "\n{method} linkage on {} in percent; height at the right edge: {top:.2}\n",
        count(found.by.len(), "column")
    ));
    if !found.left_out.is_empty() {
        let left_out = found.left_out.join(", ");
        out.push_str(&format!(
            "note: left out, no score in one of the columns: {}\n",
            clean::line(&left_out)
        ));
    }
    out
}

fn stable(found: &Stable) -> String {
    let mut head: Vec<String> = vec!["model".into()];
    head.extend(found.fractions.iter().map(|f| format!("{f} %")));
    head.push("drift".into());
    let row = |curve: &benchtop_model::analysis::Curve| {
        let mut cells = vec![curve.model.clone()];
        cells.extend(curve.values.iter().map(|v| number(*v)));
        cells.push(number(curve.drift));
        cells
    };
    let mut rows: Vec<Vec<String>> = vec![
        std::iter::once("questions".to_string())
            .chain(found.n.iter().map(u64::to_string))
            .chain([String::new()])
            .collect(),
    ];
    rows.extend(found.models.iter().map(row));
    let column = clean::line(&found.column);
    let mut out = format!("{column} by share of the data, seed {}\n\n", found.seed);
    out.push_str(&plain(&Words { head, rows }));
    out.push_str("drift: the largest distance from the final value, from 50 % of the data on\n");
    out
}

fn cleaned(found: &Cleaned) -> String {
    let (before, after) = (found.questions_before, found.questions_after);
    let column = clean::line(&found.column);
    let mut out = format!(
        "{column} on {}, and on the {after} that are kept\n\n",
        count(before, "question")
    );
    let place = |rank: Option<u64>| rank.map_or("-".into(), |r| r.to_string());
    let row = |m: &ModelCleaned| {
        vec![
            m.model.clone(),
            number(m.before),
            number(m.after),
            signed(m.delta),
            range(m.interval),
            number(m.removed),
            place(m.rank_before),
            place(m.rank_after),
        ]
    };
    let head = [
        "model",
        "before",
        "after",
        "delta",
        "95 %",
        "removed",
        "rank before",
        "rank after",
    ];
    out.push_str(&words(&head, found.models.iter().map(row).collect()));
    let draws = found.plan.draws;
    out.push_str(&format!(
        "95 %: interval of the delta, {draws} paired draws of images, pairs, or questions\n"
    ));
    let why = |m: &ModelCleaned| {
        let why = m.no_interval.as_ref()?;
        Some(format!("no interval for {}: {why}", m.model))
    };
    let why: Vec<String> = found.models.iter().filter_map(why).collect();
    out + &notes(&why)
}

fn aligned(found: &Aligned) -> String {
    let who = match (found.threshold, &found.round) {
        (Some(threshold), _) => format!("the filter `alignment`, threshold {threshold}"),
        (None, Some(round)) => format!("the majority of verdicts in the round `{round}`"),
        (None, None) => "the majority of verdicts".to_string(),
    };
    let row = |r: &Rate| {
        let all = |name: &Option<String>| name.clone().unwrap_or("all".into());
        let wilson = r
            .wilson
            .map_or("-".into(), |(low, high)| format!("[{low:.2}, {high:.2}]"));
        vec![
            all(&r.aspect),
            all(&r.difficulty),
            number(Some(r.rate)),
            format!("{}/{}", r.aligned, r.n),
            wilson,
        ]
    };
    let mut out = format!("aligned pictures by {who}\n\n");
    let head = ["aspect", "difficulty", "rate", "of", "Wilson"];
    out.push_str(&words(&head, found.rates.iter().map(row).collect()));
    if found.without > 0 {
        out.push_str(&format!(
            "note: {} without a judgment, not counted\n",
            count(found.without, "picture")
        ));
    }
    out
}

fn intervals(list: &[ScoreInterval]) -> String {
    let row = |s: &ScoreInterval| {
        let wilson = s
            .wilson
            .map_or("-".into(), |(low, high)| format!("[{low:.2}, {high:.2}]"));
        let of =
            s.k.map_or_else(|| format!("n={}", s.n), |k| format!("{k}/{}", s.n));
        vec![
            s.column.clone(),
            s.model.clone(),
            match s.scale {
                Scale::P => p_text(s.value),
                Scale::Squared => number(Some(s.value.max(0.0))),
                _ => number(Some(s.value)),
            },
            of,
            range(s.interval),
            wilson,
            s.clusters.to_string(),
        ]
    };
    let head = [
        "column",
        "model",
        "value",
        "of",
        "95 % bootstrap",
        "Wilson",
        "clusters",
    ];
    let mut out = words(&head, list.iter().map(row).collect());
    for s in list {
        if let Some(why) = &s.no_interval {
            let note = format!("note: no interval for {} of {}: {why}", s.column, s.model);
            out.push_str(&format!("{}\n", clean::line(&note)));
        }
        if let Some(sc) = s.sc.filter(|_| s.scale == Scale::Squared) {
            out.push_str(&format!(
                "note: {} of {}: the interval is that of the true SC; SC without sampling noise {:.2}, expected if all \
                 styles were equal {:.2}, p {}\n",
                s.column,
                s.model,
                sc.corrected.max(0.0),
                sc.noise,
                p_text(sc.p)
            ));
        }
    }
    out
}

fn beside(board: &Board) -> String {
    let has = |at: &usize| {
        board
            .rows
            .iter()
            .any(|r| r.reference.is_some() && r.cells.get(*at).copied().flatten().is_some())
    };
    let columns: Vec<usize> = (0..board.columns.len()).filter(has).collect();
    if columns.is_empty() {
        return "no paper published a column of this board\n".into();
    }
    let mut head = vec!["model".to_string()];
    head.extend(columns.iter().map(|at| board.columns[*at].name.clone()));
    head.extend(["published in".to_string(), "name here".to_string()]);
    let cell = |cell: Option<Cell>, scale: Scale| {
        let by = scale.unit();
        number(cell.and_then(Cell::value).map(|v| by * v))
    };
    let row = |r: &benchtop_model::board::Row| {
        let mut cells = vec![r.model.clone()];
        cells.extend(columns.iter().map(|at| {
            cell(
                r.cells.get(*at).copied().flatten(),
                board.columns[*at].scale,
            )
        }));
        cells.push(r.reference.clone().unwrap_or_default());
        let here = board
            .rows
            .iter()
            .find(|own| own.reference.is_none() && same(&own.model, &r.model));
        cells.push(
            here.filter(|_| r.reference.is_some())
                .map_or(String::new(), |own| own.model.clone()),
        );
        cells
    };
    plain(&Words {
        head,
        rows: board.rows.iter().map(row).collect(),
    })
}

/// Published figures, one per line.
pub(super) fn figures(list: &[Figure]) -> String {
    let row = |f: &Figure| {
        let sd = f.sd.map_or(String::new(), |sd| format!("± {sd}"));
        let on = published::column_of(f).unwrap_or_default();
        vec![
            f.paper.into(),
            f.table.clone(),
            f.model.clone(),
            f.column.clone(),
            f.value.to_string(),
            sd,
            on,
        ]
    };
    words(
        &[
            "paper",
            "table",
            "model",
            "column",
            "value",
            "sd",
            "board column",
        ],
        list.iter().map(row).collect(),
    )
}
