//! SC: the score of each style, its deviation from the mean, and its contribution to the variance.

use super::view::{CHART, View, chart, names, number};
use crate::widgets::table::{ColumnKind, LocalCell, Spec};
use benchtop_metrics::dysca::sc;
use benchtop_metrics::statistics::{Number, p_text};
use benchtop_model::board::{Board, Cell, Row};
use benchtop_model::sorting::sort_by;

pub(super) const GROUP: &str = "Acc by style";
/// Width of the chart on either side of the mean.
const HALF: usize = 9;

pub(super) fn view(board: &Board, row: &Row) -> Option<View> {
    let columns = board.columns.iter().filter(|c| c.group == GROUP);
    let scores: Vec<(String, Number)> = columns
        .filter_map(|c| {
            let value = board.cell(row, &c.name)?.value()?;
            Some((c.name.clone(), Number::of(100.0 * value)))
        })
        .collect();
    let found = sc(&scores);
    let (value, mean) = (found.value.value?, found.mean.value?);
    let most = found
        .styles
        .iter()
        .map(|s| s.deviation.abs())
        .fold(f64::MIN_POSITIVE, f64::max);
    let mut styles = found.styles;
    sort_by(&mut styles, |a, b| {
        b.deviation
            .total_cmp(&a.deviation)
            .then_with(|| a.style.cmp(&b.style))
    });
    let line = |style: &benchtop_metrics::dysca::ScPart| {
        let n = board.cell(row, &style.style).map_or(0, Cell::n);
        let name = style
            .style
            .strip_prefix("Acc.style.")
            .unwrap_or(&style.style);
        let share = if value > 0.0 {
            100.0 * style.contribution / value
        } else {
            0.0
        };
        let cells = vec![
            LocalCell::text(name),
            number(Some(style.score), |v| format!("{v:.1}")),
            LocalCell::count(n),
            number(Some(style.deviation), |v| format!("{v:+.1}")),
            number(Some(style.contribution), |v| format!("{v:.2}")),
            number(Some(share), |v| format!("{v:.1}")),
            chart(around(style.deviation / most)),
        ];
        (style.style.clone(), cells)
    };
    let rows: Vec<_> = styles.iter().map(line).collect();
    let wide = |name: &str| Spec::number(name, "", ColumnKind::Number, 6);
    let mut specs = vec![names("style", &rows)];
    specs.extend([
        wide("score"),
        wide("n"),
        wide("dev"),
        wide("adds"),
        wide("% SC"),
    ]);
    specs.push(Spec::text(CHART, (2 * HALF + 1) as u16));
    let mut notes = vec![format!(
        "SC {value:.2} squared points over {} styles, mean {mean:.1} %; adds = dev squared / {0}",
        rows.len()
    )];
    let extra = |name: &str| board.cell(row, name).and_then(Cell::value);
    if let (Some(corrected), Some(noise), Some(p)) =
        (extra("SC.corrected"), extra("SC.noise"), extra("SC.p"))
    {
        let (corrected, p) = (corrected.max(0.0), p_text(p));
        notes.push(format!("noise-corrected SC {corrected:.2}; equal styles would give {noise:.2} on average (p {p})"));
    }
    View::of(&row.model, "style", notes, specs, rows)
}

/// A bar to the left or right of the mean. `share` is from -1 to 1.
fn around(share: f64) -> String {
    let long = (share.abs().clamp(0.0, 1.0) * HALF as f64).round() as usize;
    let (left, right) = if share < 0.0 { (long, 0) } else { (0, long) };
    format!(
        "{}{}│{}{}",
        " ".repeat(HALF - left),
        "█".repeat(left),
        "█".repeat(right),
        " ".repeat(HALF - right)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::widgets::text;

    #[test]
    fn bars_extend_to_their_side_of_the_mean() {
        assert_eq!(around(1.0).trim_start(), format!("│{}", "█".repeat(HALF)));
        assert_eq!(
            around(-1.0 / 3.0).trim(),
            format!("{}│", "█".repeat(HALF / 3))
        );
        assert_eq!(around(0.0).trim(), "│");
        assert!((-10..=10).all(|n| text::width(&around(f64::from(n) / 5.0)) == 2 * HALF + 1));
    }
}
