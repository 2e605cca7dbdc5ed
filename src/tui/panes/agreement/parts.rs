//! What stands beside the table: a row in numbers, its table, the people, the methods paragraph.

use crate::theme::Role;
use crate::widgets::lines::Lines;
use crate::widgets::text::{self, grouped};
use benchtop_model::agreement::Undefined;
use benchtop_model::agreement::analysis::{Agreed, Measure, PersonQuality, Row};
use benchtop_model::annotator::Rate;

/// Columns of a measure's name.
const NAME: usize = 21;

/// All measures of a row with their intervals, and why some are not there.
pub(super) fn numbers(row: &Row, found: &Agreed, lines: &mut Lines<'_>) {
    let m = &row.measures;
    lines.say(row.label(), Role::Heading);
    let items = format!(
        "{} item{}",
        grouped(m.items),
        if m.items == 1 { "" } else { "s" }
    );
    let counts = format!(
        "{items}, {} judged by two or more, {} unknown",
        grouped(m.doubles),
        grouped(m.unknown)
    );
    lines.say(&counts, Role::Dim);
    let mut reasons: Vec<(Undefined, Vec<&str>)> = Vec::new();
    let mut because =
        |why: Undefined, name| match reasons.iter_mut().find(|(other, _)| *other == why) {
            Some((_, names)) => names.push(name),
            None => reasons.push((why, vec![name])),
        };
    for measure in Measure::ALL {
        let (estimate, name) = (measure.of(m), measure.name());
        let Ok(value) = estimate.value else {
            lines.say(&format!("{name:<NAME$} {:>7}", "-"), Role::Dim);
            estimate
                .value
                .err()
                .into_iter()
                .for_each(|why| because(why, name));
            continue;
        };
        let interval = match estimate.interval {
            Ok(interval) => measure.range(interval.low, interval.high),
            Err(Undefined::NotDrawn) => "[ ... ]".into(),
            Err(why) => {
                because(why, name);
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
            measure.shown(value)
        );
        lines.say(line.trim_end(), Role::Text);
    }
    if let Some(items) = m.fleiss_items.filter(|items| items.left_out > 0) {
        let said = format!(
            "Fleiss' kappa is of {} items with {} ratings; {} with other numbers are left out",
            grouped(items.items),
            items.ratings,
            grouped(items.left_out)
        );
        lines.tell(&said, Role::Dim);
    }
    for (why, names) in reasons {
        lines.tell(
            &format!("{}: {}", names.join(", "), why.named(&found.categories)),
            Role::Warn,
        );
    }
}

/// Which categories met.
pub(super) fn table(row: &Row, found: &Agreed, lines: &mut Lines<'_>) {
    let table = &row.measures.table;
    let name = |number: u16| {
        found
            .people
            .get(usize::from(number))
            .map_or("?", String::as_str)
    };
    let (rows, title) = match table.raters {
        Some((a, b)) => (name(a), format!("{} down, {} across", name(a), name(b))),
        None => (
            "",
            "any two people, each pair of ratings both ways".to_string(),
        ),
    };
    lines.say(&title, Role::Heading);
    let k = usize::from(table.categories).max(1);
    let category = |at: usize| found.categories.get(at).map_or("?", String::as_str);
    let first = (0..k)
        .map(|at| text::width(category(at)))
        .chain([text::width(rows)])
        .max()
        .unwrap_or(0)
        .min(16);
    let room = (lines.width().saturating_sub(first + 1) / k).clamp(5, 18);
    let pad = |said: &str, to: usize| {
        let said = text::fit(said, to);
        format!(
            "{}{said}",
            " ".repeat(to.saturating_sub(text::width(&said)))
        )
    };
    let left = |said: &str| {
        let said = text::fit(said, first);
        format!(
            "{said}{}",
            " ".repeat(first.saturating_sub(text::width(&said)))
        )
    };
    let heads: String = (0..k)
        .map(|at| format!(" {}", pad(category(at), room - 1)))
        .collect();
    lines.say(&format!("{}{heads}", left("")), Role::Dim);
    for (at, counts) in table.counts.chunks(k).enumerate() {
        let cells: String = counts
            .iter()
            .map(|n| format!(" {}", pad(&grouped(*n), room - 1)))
            .collect();
        lines.say(&format!("{}{cells}", left(category(at))), Role::Text);
    }
}

fn rate(rate: Rate) -> Option<String> {
    let (share, (low, high)) = (rate.share()?, rate.interval?);
    let shown = (Measure::Raw.shown(share), Measure::Raw.range(low, high));
    Some(format!(
        "{} of {}: {} {}",
        grouped(rate.count),
        grouped(rate.of),
        shown.0,
        shown.1
    ))
}

/// How steady and right each person is, and how much each said.
pub(super) fn people(found: &Agreed, lines: &mut Lines<'_>) {
    lines.say("people", Role::Heading);
    if found.raters.is_empty() && found.quality.is_empty() {
        lines.say("nobody has said anything yet", Role::Dim);
    }
    for rater in &found.raters {
        let name = found
            .people
            .get(usize::from(rater.rater))
            .map_or("?", String::as_str);
        let said = format!(
            "{name}: {} ratings, {} unknown",
            grouped(rater.ratings),
            grouped(rater.unknown)
        );
        lines.say(&said, Role::Text);
        if let Some(quality) = found.quality.iter().find(|q| q.name == name) {
            person(quality, lines);
        }
    }
}

fn person(q: &PersonQuality, lines: &mut Lines<'_>) {
    let all = [
        ("same again", q.repeats.same),
        ("missed probes", q.probes.misses),
        ("false rejects", q.probes.false_rejects),
        ("changed", q.revised),
    ];
    for (what, of) in all {
        if let Some(said) = rate(of) {
            lines.say(&format!("  {what:<14} {said}"), Role::Dim);
        }
    }
}

/// The paragraph, and what a reader must know.
pub(super) fn methods(found: &Agreed, copy: &str, lines: &mut Lines<'_>) {
    lines.say(&format!("methods paragraph ({copy} copies)"), Role::Heading);
    for note in &found.notes {
        lines.tell(note, Role::Warn);
    }
    lines.tell(&found.methods, Role::Text);
}
