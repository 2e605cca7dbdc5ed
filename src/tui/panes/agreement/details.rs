//! The details of a row: numbers, table, annotators, and the methods paragraph.

use crate::theme::Role;
use crate::widgets::lines::Lines;
use crate::widgets::text::{self, grouped};
use benchtop_model::agreement::Undefined;
use benchtop_model::agreement::analysis::{AgreementAnalysis, Measure, PersonQuality, Row};
use benchtop_model::annotator::Rate;

/// Width of a measure's name.
const NAME: usize = 21;

/// All measures with their intervals, and the reasons for missing ones.
pub(super) fn numbers(row: &Row, found: &AgreementAnalysis, lines: &mut Lines<'_>) {
    let m = &row.measures;
    lines.text(row.label(), Role::Heading);
    let items = format!(
        "{} item{}",
        grouped(m.items),
        if m.items == 1 { "" } else { "s" }
    );
    let counts = format!(
        "{items}, {} with two or more ratings, {} unknown",
        grouped(m.doubles),
        grouped(m.unknown)
    );
    lines.text(&counts, Role::Dim);
    let mut reasons: Vec<(Undefined, Vec<&str>)> = Vec::new();
    let mut note_reason =
        |why: Undefined, name| match reasons.iter_mut().find(|(other, _)| *other == why) {
            Some((_, names)) => names.push(name),
            None => reasons.push((why, vec![name])),
        };
    for measure in Measure::ALL {
        let (estimate, name) = (measure.estimate(m), measure.name());
        let Ok(value) = estimate.value else {
            lines.text(&format!("{name:<NAME$} {:>7}", "-"), Role::Dim);
            estimate
                .value
                .err()
                .into_iter()
                .for_each(|why| note_reason(why, name));
            continue;
        };
        let interval = match estimate.interval {
            Ok(interval) => measure.format_interval(interval.low, interval.high),
            Err(Undefined::NotDrawn) => "[ ... ]".into(),
            Err(why) => {
                note_reason(why, name);
                "-".into()
            }
        };
        let more = match estimate.more_doubles {
            Ok(0) => "within 0.1".into(),
            Ok(n) => format!("{} more for 0.1", grouped(n)),
            Err(_) => String::new(),
        };
        let line = format!(
            "{name:<NAME$} {:>7} {interval:<14} {more}",
            measure.format_value(value)
        );
        lines.text(line.trim_end(), Role::Text);
    }
    if let Some(items) = m.fleiss_items.filter(|items| items.left_out > 0) {
        let note = format!(
            "Fleiss' kappa uses {} items with {} ratings each and leaves out {} others",
            grouped(items.items),
            items.ratings,
            grouped(items.left_out)
        );
        lines.wrapped(&note, Role::Dim);
    }
    for (why, names) in reasons {
        lines.wrapped(
            &format!("{}: {}", names.join(", "), why.describe(&found.categories)),
            Role::Warn,
        );
    }
}

/// The coincidence table of two annotators or of all.
pub(super) fn table(row: &Row, found: &AgreementAnalysis, lines: &mut Lines<'_>) {
    let table = &row.measures.table;
    let name = |number: u16| {
        found
            .people
            .get(usize::from(number))
            .map_or("?", String::as_str)
    };
    let (rows, title) = match table.raters {
        Some((a, b)) => (name(a), format!("rows {}, columns {}", name(a), name(b))),
        None => ("", "all pairs of ratings, in both orders".to_string()),
    };
    lines.text(&title, Role::Heading);
    let k = usize::from(table.categories).max(1);
    let category = |at: usize| found.categories.get(at).map_or("?", String::as_str);
    let first = (0..k)
        .map(|at| text::width(category(at)))
        .chain([text::width(rows)])
        .max()
        .unwrap_or(0)
        .min(16);
    let room = (lines.width().saturating_sub(first + 1) / k).clamp(5, 18);
    let pad = |text: &str, to: usize| {
        let cell = text::fit(text, to);
        format!(
            "{}{cell}",
            " ".repeat(to.saturating_sub(text::width(&cell)))
        )
    };
    let left = |text: &str| {
        let cell = text::fit(text, first);
        format!(
            "{cell}{}",
            " ".repeat(first.saturating_sub(text::width(&cell)))
        )
    };
    let heads: String = (0..k)
        .map(|at| format!(" {}", pad(category(at), room - 1)))
        .collect();
    lines.text(&format!("{}{heads}", left("")), Role::Dim);
    for (at, counts) in table.counts.chunks(k).enumerate() {
        let cells: String = counts
            .iter()
            .map(|n| format!(" {}", pad(&grouped(*n), room - 1)))
            .collect();
        lines.text(&format!("{}{cells}", left(category(at))), Role::Text);
    }
}

fn rate(rate: Rate) -> Option<String> {
    let (share, (low, high)) = (rate.share()?, rate.interval?);
    let shown = (
        Measure::Raw.format_value(share),
        Measure::Raw.format_interval(low, high),
    );
    Some(format!(
        "{} of {}: {} {}",
        grouped(rate.count),
        grouped(rate.of),
        shown.0,
        shown.1
    ))
}

/// The ratings of each annotator, with repeats and probes.
pub(super) fn people(found: &AgreementAnalysis, lines: &mut Lines<'_>) {
    lines.text("annotators", Role::Heading);
    if found.raters.is_empty() && found.quality.is_empty() {
        lines.text("no verdicts yet", Role::Dim);
    }
    for rater in &found.raters {
        let name = found
            .people
            .get(usize::from(rater.rater))
            .map_or("?", String::as_str);
        let line = format!(
            "{name}: {} ratings, {} unknown",
            grouped(rater.ratings),
            grouped(rater.unknown)
        );
        lines.text(&line, Role::Text);
        if let Some(quality) = found.quality.iter().find(|q| q.name == name) {
            person(quality, lines);
        }
    }
}

fn person(q: &PersonQuality, lines: &mut Lines<'_>) {
    let all = [
        ("same on repeat", q.repeats.same),
        ("missed probes", q.probes.misses),
        ("false rejects", q.probes.false_rejects),
        ("changed", q.revised),
    ];
    for (what, share) in all {
        if let Some(text) = rate(share) {
            lines.text(&format!("  {what:<14} {text}"), Role::Dim);
        }
    }
}

/// The methods paragraph with its notes.
pub(super) fn methods(found: &AgreementAnalysis, copy: &str, lines: &mut Lines<'_>) {
    lines.text(&format!("methods paragraph ({copy} copies)"), Role::Heading);
    for note in &found.notes {
        lines.wrapped(note, Role::Warn);
    }
    lines.wrapped(&found.methods, Role::Text);
}
