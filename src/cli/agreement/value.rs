//! Agreement as JSON. docs/cli.md documents the fields; they are a contract.

use serde_json::{Map, Value, json};

use benchtop_model::agreement::analysis::{
    AgreementAnalysis, Measure, OwnPace, PersonQuality, Row,
};
use benchtop_model::agreement::{Estimate, Table};
use benchtop_model::annotator::{ProbeQuality, Rate, Shift};

/// A complete agreement report.
pub fn agreed(found: &AgreementAnalysis) -> Value {
    let name = |number: u16| {
        found
            .people
            .get(usize::from(number))
            .cloned()
            .unwrap_or_default()
    };
    let people: Vec<Value> = found
        .raters
        .iter()
        .map(|rater| json!({"name": name(rater.rater), "ratings": rater.ratings, "unknown": rater.unknown}))
        .collect();
    json!({
        "round": found.round, "protocol": found.protocol.to_string(), "by": found.by.name(),
        "categories": found.categories, "people": people,
        "rows": found.rows.iter().map(|r| row(r, &found.people, &found.categories)).collect::<Vec<_>>(),
        "quality": found.quality.iter().map(|q| person(q, &found.categories)).collect::<Vec<_>>(),
        "bootstrap": found.bootstrap, "notes": found.notes, "methods": found.methods,
    })
}

/// One row: a group of items or a pair of annotators.
pub fn row(row: &Row, people: &[String], categories: &[String]) -> Value {
    let m = &row.measures;
    let name = |number: u16| people.get(usize::from(number)).cloned().unwrap_or_default();
    let mut value = json!({
        "name": row.name, "people": row.pair.map(|(a, b)| [name(a), name(b)]),
        "items": m.items, "doubles": m.doubles, "unknown": m.unknown, "fleiss_items": m.fleiss_items,
        "table": table(&m.table, &name),
        "by_category": m.by_category.iter().map(|e| estimate(e, categories)).collect::<Vec<_>>(),
    });
    if let Value::Object(value) = &mut value {
        let of = |measure: Measure| {
            (
                measure.key().to_string(),
                estimate(measure.estimate(m), categories),
            )
        };
        value.extend(
            Measure::ALL
                .into_iter()
                .map(of)
                .collect::<Map<String, Value>>(),
        );
    }
    value
}

fn estimate(estimate: &Estimate, categories: &[String]) -> Value {
    let interval = estimate.interval.ok();
    // The reason for a missing interval is given only if there is a value.
    let no_interval = estimate.interval.err().filter(|_| estimate.value.is_ok());
    json!({
        "value": estimate.value.ok(), "low": interval.map(|i| i.low), "high": interval.map(|i| i.high),
        "standard_error": interval.map(|i| i.standard_error), "more_doubles": estimate.more_doubles.ok(),
        "undefined": estimate.value.err().map(|why| why.describe(categories)),
        "no_interval": no_interval.map(|why| why.describe(categories)),
    })
}

fn table(table: &Table, name: &dyn Fn(u16) -> String) -> Value {
    let counts: Vec<&[u64]> = table
        .counts
        .chunks(usize::from(table.categories).max(1))
        .collect();
    let raters = table.raters.map(|(a, b)| (name(a), name(b)));
    json!({
        "rows": raters.as_ref().map(|(a, _)| a), "columns": raters.as_ref().map(|(_, b)| b), "counts": counts,
    })
}

pub fn rate(rate: Rate) -> Value {
    json!({
        "count": rate.count, "of": rate.of, "share": rate.share(), "low": rate.interval.map(|i| i.0),
        "high": rate.interval.map(|i| i.1),
    })
}

fn person(q: &PersonQuality, categories: &[String]) -> Value {
    let known = |p: &ProbeQuality| json!({"misses": rate(p.misses), "false_rejects": rate(p.false_rejects), "unknown": p.unknown});
    json!({
        "name": q.name, "practice": known(&q.practice), "probes": known(&q.probes), "lookalikes": known(&q.lookalikes),
        "repeats": {
            "same": rate(q.repeats.same), "cohen_kappa": q.repeats.cohen_kappa.ok(),
            "undefined": q.repeats.cohen_kappa.err().map(|why| why.describe(categories)), "unknown": q.repeats.unknown,
        },
        "revised": rate(q.revised), "second": q.second, "informed": q.informed,
    })
}

pub fn pace(own: &OwnPace) -> Value {
    let shift = |s: Shift| json!({"before": s.before, "now": s.now, "z": s.z, "drifts": s.drifts});
    let drift = own
        .pace
        .drift
        .map(|d| json!({"seconds": shift(d.seconds), "accepts": shift(d.accepts)}));
    let p = &own.pace;
    json!({
        "who": own.who, "round": own.round, "items": p.items, "worked_seconds": p.worked_ms as f64 / 1000.0,
        "breaks": p.breaks, "items_an_hour": p.items_an_hour, "median_seconds": p.median_seconds, "timed": own.timed,
        "longest_run": p.longest_run, "current_run": p.current_run, "drift": drift,
        "offers_break": p.drift.is_some_and(|d| d.offers_break()),
    })
}
