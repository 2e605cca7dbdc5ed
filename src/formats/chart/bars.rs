//! Bar charts: horizontal bars on an axis with ticks.

use super::scene::{
    Anchor, BAR, EDGE, FAINT, GREY, INK, LINE, Scene, cut, truncated_name, wide, widest, wrapped,
};

/// Width of the plot area in units.
const ROOM: f64 = 460.0;

/// One bar.
#[derive(Clone, Debug, PartialEq)]
pub struct Bar {
    pub label: String,
    pub value: f64,
    /// The interval, if there is one.
    pub interval: Option<(f64, f64)>,
    /// Text after the bar.
    pub note: String,
    /// Whether the bar is a reference for comparison.
    pub is_reference: bool,
}

/// A bar chart.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bars {
    pub title: String,
    /// Unit of the axis: `percent`.
    pub unit: String,
    /// The bars, top to bottom.
    pub bars: Vec<Bar>,
    /// Minimum upper end of the axis.
    pub most: f64,
    /// Text below the chart.
    pub footer: String,
}

/// Positions of ticks between two ends: at most seven, at round numbers.
fn ticks(low: f64, high: f64) -> Vec<f64> {
    let span = high - low;
    if !span.is_finite() || span <= 0.0 {
        return vec![0.0];
    }
    let rough = span / 6.0;
    let power = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .map(|by| by * power)
        .find(|step| *step >= rough)
        .unwrap_or(rough);
    let first = (low / step - 1e-9).ceil() as i64;
    let last = (high / step + 1e-9).floor() as i64;
    (first..=last).map(|at| at as f64 * step).collect()
}

/// A tick label without trailing zeros.
fn numbered(tick: f64) -> String {
    let text = format!("{tick:.4}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" {
        "0".into()
    } else {
        text.into()
    }
}

impl Bars {
    /// The ends of the axis.
    fn ends(&self) -> (f64, f64) {
        let all = |b: &Bar| {
            let (low, high) = b.interval.unwrap_or((b.value, b.value));
            [b.value, low, high]
        };
        let values = || self.bars.iter().flat_map(all).filter(|v| v.is_finite());
        (
            values().fold(0.0, f64::min),
            values().fold(self.most.max(f64::MIN_POSITIVE), f64::max),
        )
    }

    /// The scenes. With `longest`, each has at most that many units on its longer side; without it,
    /// there is a single scene.
    pub fn scenes(&self, longest: Option<f64>) -> Vec<Scene> {
        let (low, high) = self.ends();
        let labels: Vec<String> = self
            .bars
            .iter()
            .map(|bar| truncated_name(&bar.label))
            .collect();
        let left = EDGE + widest(labels.iter().map(String::as_str)) + 10.0;
        let notes = widest(self.bars.iter().map(|b| b.note.as_str()));
        let width = (left + ROOM + 12.0 + notes + EDGE).max(wide(&self.title) + 2.0 * EDGE);
        let mut below = wrapped(&self.footer, width - 2.0 * EDGE);
        below.extend(cut(self.bars.iter().map(|bar| &bar.label)));
        // Title, ticks, unit, and footer.
        let rest = 2.0 * EDGE + LINE * (1.6 + 2.6 + below.len() as f64 + 1.0);
        let most = longest.map_or(usize::MAX, |longest| {
            (((longest - rest) / LINE).floor() as usize).max(1)
        });
        let parts = self.bars.len().div_ceil(most).max(1);
        // The same number of bars in each.
        let each = self.bars.len().div_ceil(parts).max(1);
        let mut scenes = Vec::new();
        for part in 0..parts {
            let range = part * each..((part + 1) * each).min(self.bars.len());
            let n = range.len() as f64;
            let top = EDGE + LINE * 1.6;
            let floor = top + LINE * n;
            let height =
                floor + LINE * 2.6 + LINE * (below.len() + usize::from(parts > 1)) as f64 + EDGE;
            let mut scene = Scene::new(width, height);
            scene.text((EDGE, EDGE + LINE / 2.0), Anchor::Start, INK, &self.title);
            let at = |value: f64| left + ROOM * ((value - low) / (high - low)).clamp(0.0, 1.0);
            for tick in ticks(low, high) {
                scene.rect((at(tick) - 0.5, top), (1.0, floor - top + 5.0), FAINT);
                scene.text(
                    (at(tick), floor + LINE * 0.7),
                    Anchor::Middle,
                    INK,
                    numbered(tick),
                );
            }
            scene.text(
                (left + ROOM / 2.0, floor + LINE * 1.7),
                Anchor::Middle,
                INK,
                &self.unit,
            );
            for (row, at_bar) in range.clone().enumerate() {
                let (bar, label) = (&self.bars[at_bar], &labels[at_bar]);
                let middle = top + LINE * (row as f64 + 0.5);
                let (color, ink) = if bar.is_reference {
                    (GREY, GREY)
                } else {
                    (BAR, INK)
                };
                scene.text((left - 10.0, middle), Anchor::End, ink, label);
                if bar.value.is_finite() {
                    let (a, b) = (at(0.0_f64.min(bar.value)), at(0.0_f64.max(bar.value)));
                    scene.rect((a, middle - LINE * 0.35), (b - a, LINE * 0.7), color);
                }
                if let Some((low, high)) = bar
                    .interval
                    .filter(|(low, high)| low.is_finite() && high.is_finite())
                {
                    scene.rect((at(low), middle - 1.0), (at(high) - at(low), 2.0), INK);
                    for end in [low, high] {
                        scene.rect((at(end) - 1.0, middle - 5.0), (2.0, 10.0), INK);
                    }
                }
                scene.text((left + ROOM + 12.0, middle), Anchor::Start, INK, &bar.note);
            }
            scene.rect((at(0.0) - 0.5, top), (1.0, floor - top), INK);
            scene.rect((left, floor), (ROOM, 1.0), INK);
            let counted = (parts > 1).then(|| {
                format!(
                    "part {} of {parts}: {} to {} of {}",
                    part + 1,
                    range.start + 1,
                    range.end,
                    self.bars.len()
                )
            });
            for (line, said) in below.iter().cloned().chain(counted).enumerate() {
                let y = floor + LINE * (3.0 + line as f64);
                scene.text((EDGE, y), Anchor::Start, GREY, said);
            }
            scenes.push(scene);
        }
        scenes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_numbers_within_the_axis() {
        assert_eq!(ticks(0.0, 100.0), [0.0, 20.0, 40.0, 60.0, 80.0, 100.0]);
        assert_eq!(ticks(-3.0, 8.0), [-2.0, 0.0, 2.0, 4.0, 6.0, 8.0]);
        assert_eq!(
            ticks(0.0, 0.034)
                .iter()
                .map(|t| numbered(*t))
                .collect::<Vec<_>>(),
            ["0", "0.01", "0.02", "0.03"]
        );
        assert_eq!(ticks(0.0, 0.0), [0.0]);
        assert_eq!(numbered(-0.0), "0");
    }
}
