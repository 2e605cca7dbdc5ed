//! The charts of a release, as SVG.

use super::statistics::{Counts, Statistics};
use benchtop_formats::chart::{Bar, Bars};
use benchtop_model::sorting::sort_by;
use benchtop_model::{Result, clean};

/// Most bars of a chart. The statistics have the rest.
const BARS: usize = 200;

/// File names below `statistics/` and contents.
pub(super) fn charts(statistics: &Statistics) -> Result<Vec<(String, Vec<u8>)>> {
    let all = statistics.items.max(1) as f64;
    let share = |n: u64| format!("{n} ({:.1}%)", n as f64 / all * 100.0);
    let mut charts = Vec::new();
    for (name, counts) in statistics.lists() {
        let mut bars = bars(&format!("items by {name}"), counts, &share);
        let more = counts.len().saturating_sub(BARS);
        if more > 0 {
            bars.footer = format!("{more} more in statistics.json");
        }
        charts.push((format!("{name}.svg"), svg(&bars)?));
    }
    let funnel = &statistics.funnel;
    let steps = funnel.steps().into_iter();
    let steps = steps.map(|(name, n)| bar(name, n, n.to_string())).collect();
    let rejected = funnel.rejected_share.map(|share| {
        let percent = share * 100.0;
        format!("{percent:.1} percent of the accepted and rejected items were rejected")
    });
    let funnel = Bars {
        title: "items by step of the project".into(),
        unit: "items".into(),
        bars: steps,
        most: 1.0,
        footer: rejected.unwrap_or_default(),
    };
    charts.push(("funnel.svg".into(), svg(&funnel)?));
    Ok(charts)
}

fn bar(label: &str, n: u64, note: String) -> Bar {
    Bar {
        label: clean::line(label).into_owned(),
        value: n as f64,
        interval: None,
        note,
        is_reference: false,
    }
}

/// The most frequent values first.
fn bars(title: &str, counts: &Counts, note: &dyn Fn(u64) -> String) -> Bars {
    let mut sorted: Vec<(&String, &u64)> = counts.iter().collect();
    sort_by(&mut sorted, |a, b| b.1.cmp(a.1).then(a.0.cmp(b.0)));
    let shown = sorted.into_iter().take(BARS);
    Bars {
        title: title.into(),
        unit: "items".into(),
        bars: shown.map(|(name, n)| bar(name, *n, note(*n))).collect(),
        most: 1.0,
        footer: String::new(),
    }
}

fn svg(bars: &Bars) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    for scene in bars.scenes(None) {
        scene.svg(&mut out)?;
    }
    Ok(out)
}
