//! The report of a round, as Markdown and as JSON.

use std::fmt::Write as _;

use serde_json::{Map, Value, json};

use super::show;
use crate::agreement::table::{self, Words};
use crate::agreement::value as agreement;
use crate::out;
use benchtop_model::agreement::analysis::{GroupBy, Row};
use benchtop_model::round::report::{AuditScore, RoundReport, VariantRate};
use benchtop_model::round::{Order, Sample};
use benchtop_model::{Status, clean, history};

/// The report as JSON. docs/cli.md documents the fields; they are a contract.
pub(super) fn value(report: &RoundReport) -> Value {
    let counts: Map<String, Value> = report
        .outcome
        .iter()
        .map(|(status, n)| (status.name().to_string(), (*n).into()))
        .collect();
    let rows = |rows: &[Row]| -> Vec<Value> {
        rows.iter()
            .map(|row| agreement::row(row, &report.agreement.people, &report.agreement.categories))
            .collect()
    };
    let groups: Map<String, Value> = report
        .groups
        .iter()
        .map(|(by, group)| (by.name().to_string(), rows(group).into()))
        .collect();
    let versions: Vec<Value> = report
        .versions
        .iter()
        .map(|(version, n)| json!({"version": version, "verdicts": n}))
        .collect();
    let settled: Vec<Value> = report
        .adjudications
        .iter()
        .map(|a| {
            let verdicts: Vec<Value> = a.verdicts.iter().map(|(who, v)| json!({"who": who, "verdict": v})).collect();
            json!({
                "number": a.number, "item": a.item, "by": a.by, "verdict": a.verdict, "reasons": a.reasons,
                "note": a.note, "own": a.own, "verdicts": verdicts,
            })
        })
        .collect();
    let audit = report.audit.as_ref().map(|audit| {
        let scores = audit.scores.iter().map(|score| {
            let (with, without) = (agreement::rate(score.with), agreement::rate(score.without));
            json!({"model": score.model, "with": with, "without": without})
        });
        json!({"wrong": agreement::rate(audit.wrong), "scores": scores.collect::<Vec<_>>()})
    });
    let mut out = show::value(&report.state);
    let more = json!({
        "order": report.order, "seed": report.seed, "repeats": report.repeats, "probes": report.probes,
        "practice": report.practice, "origin": report.origin, "first": report.from.map(|(at, _)| history::stamp(at)),
        "last": report.from.map(|(_, at)| history::stamp(at)), "outcome": counts,
        "agreement": agreement::agreed(&report.agreement), "groups": groups,
        "revised": agreement::rate(report.revised), "audit": audit,
        "disputes": report.disputes.0, "settled": report.disputes.1, "adjudications": settled,
        "guidelines_version": report.guidelines, "guidelines_versions": versions,
        "methods": report.agreement.methods, "left_out": report.state.left_out,
    });
    if let (Value::Object(out), Value::Object(more)) = (&mut out, more) {
        out.extend(more);
        if !report.variants.is_empty() {
            let variant = |of: &VariantRate| {
                let accepted = agreement::rate(of.accepted);
                json!({"variant": of.variant, "accepted": accepted, "unmodified": of.unmodified})
            };
            let variants = report.variants.iter().map(variant).collect();
            out.insert("variants".into(), Value::Array(variants));
        }
    }
    out
}

/// The report as Markdown.
pub(super) fn markdown(report: &RoundReport) -> String {
    let mut text = format!("# Round `{}`\n\n", report.state.name);
    setup(report, &mut text);
    people(report, &mut text);
    outcome(report, &mut text);
    agreed(report, &mut text);
    settled(report, &mut text);
    guidelines(report, &mut text);
    let _ = writeln!(text, "\n## Methods\n\n{}", report.agreement.methods);
    text
}

fn setup(report: &RoundReport, text: &mut String) {
    let (state, origin) = (&report.state, &report.origin);
    let sample = match origin.sample {
        Sample::All => "all of them".to_string(),
        Sample::Share(share) => format!("{share} of them"),
        Sample::Count(count) => format!("{count} of them"),
        Sample::PerStratum(count) => format!("{count} per stratum"),
    };
    let strata = origin
        .strata
        .as_ref()
        .map(|field| format!(", stratified by {field}"))
        .unwrap_or_default();
    let filter = if origin.filter.is_empty() {
        "all items".into()
    } else {
        format!("`{}`", clean::line(&origin.filter))
    };
    let view = if state.blind { "blind" } else { "open" };
    let order = match report.order {
        Order::Seeded => "random for each annotator",
        Order::AsListed => "as listed",
    };
    let _ = writeln!(text, "## Setup\n");
    let _ = writeln!(
        text,
        "- Protocol: `{}`, {} per item, {view}. {}",
        state.protocol,
        out::count(state.overlap, "annotator"),
        state.protocol.question()
    );
    let _ = writeln!(
        text,
        "- Items: {} of {} that match the filter ({filter}): {sample}{strata}, seed {}.",
        state.items, origin.candidates, origin.seed
    );
    let _ = writeln!(
        text,
        "- Order: {order}, seed {}. Repeats {}, probes {}, {}.",
        report.seed,
        report.repeats,
        report.probes,
        out::count(report.practice, "practice item")
    );
    let closed = state.closed.map_or("open".to_string(), |at| {
        format!("closed {}", history::stamp(at))
    });
    let _ = writeln!(
        text,
        "- Created by {} at {}; {closed}.",
        state.by,
        history::stamp(state.created)
    );
    if let Some((first, last)) = report.from {
        let _ = writeln!(
            text,
            "- Verdicts from {} to {}.",
            history::stamp(first),
            history::stamp(last)
        );
    }
    if state.missing > 0 {
        let _ = writeln!(
            text,
            "- Missing from the project: {}.",
            out::count(state.missing, "item")
        );
    }
    for note in &report.agreement.notes {
        let _ = writeln!(text, "- Note: {}.", clean::line(note));
    }
}

fn people(report: &RoundReport, text: &mut String) {
    let _ = writeln!(
        text,
        "\n## Annotators\n\nVerdicts: {} of {}.\n",
        report.state.judged, report.state.wanted
    );
    let Words { mut head, rows } = table::people(&report.agreement.quality);
    head.insert(1, "judged".into());
    let judged = |name: &str| {
        report
            .state
            .people
            .iter()
            .find(|(who, _)| who == name)
            .map_or(0, |(_, n)| *n)
    };
    let rows = rows.into_iter().map(|mut row| {
        row.insert(1, judged(&row[0]).to_string());
        row
    });
    let rows = rows.collect();
    text.push_str(&table::markdown(&Words { head, rows }));
    let _ = writeln!(
        text,
        "\nVerdicts changed by a second verdict, all annotators: {}.",
        table::rate(report.revised)
    );
}

fn outcome(report: &RoundReport, text: &mut String) {
    let alone = |status: Status| {
        let counts = report.state.by_status.iter().flatten();
        counts
            .into_iter()
            .find(|(s, _)| *s == status)
            .map_or("-".to_string(), |(_, n)| n.to_string())
    };
    let head = ["status", "items", "before adjudication"];
    let line = |(status, n): &(Status, u64)| {
        vec![status.name().to_string(), n.to_string(), alone(*status)]
    };
    let _ = writeln!(text, "\n## Outcome\n");
    let rows = report.outcome.iter().map(line).collect();
    text.push_str(&table::markdown(&Words::new(&head, rows)));
    if !report.variants.is_empty() {
        let line = |of: &VariantRate| {
            let accepted = table::rate(of.accepted);
            vec![of.variant.clone(), accepted, of.unmodified.to_string()]
        };
        let rows = report.variants.iter().map(line).collect();
        let head = ["variant", "accepted of decided", "originals in place"];
        let table = table::markdown(&Words::new(&head, rows));
        let _ = write!(text, "\nAccepted items by variant:\n\n{table}");
    }
    let Some(audit) = &report.audit else { return };
    let _ = writeln!(
        text,
        "\nFound wrong in the audit: {}.",
        table::rate(audit.wrong)
    );
    if !audit.scores.is_empty() {
        let _ = writeln!(
            text,
            "\nModel scores on the audited items, with and without the items found wrong:\n"
        );
        let head = ["model", "with", "without"];
        let line =
            |s: &AuditScore| vec![s.model.clone(), table::rate(s.with), table::rate(s.without)];
        let rows = audit.scores.iter().map(line).collect();
        text.push_str(&table::markdown(&Words::new(&head, rows)));
    }
}

fn agreed(report: &RoundReport, text: &mut String) {
    let found = &report.agreement;
    let _ = writeln!(text, "\n## Agreement");
    if let Some(plan) = found.bootstrap {
        let _ = writeln!(
            text,
            "\nBrackets hold 95 % bootstrap intervals, {} draws, seed {}.",
            plan.draws, plan.seed
        );
    }
    let mut part = |by: GroupBy, rows: &[Row]| {
        let _ = write!(text, "\n{}", table::markdown(&table::of(rows, by)));
        for (at, why) in table::undefined(rows, &found.categories).iter().enumerate() {
            let _ = writeln!(
                text,
                "{}- {}",
                if at == 0 { "\n" } else { "" },
                clean::line(why)
            );
        }
    };
    part(found.by, &found.rows);
    for (by, rows) in &report.groups {
        part(*by, rows);
    }
    if let Some(first) = found.rows.first().filter(|row| row.measures.doubles > 0) {
        let met = table::markdown(&table::met(first, &found.people, &found.categories));
        let _ = write!(text, "\n{met}");
    }
}

fn settled(report: &RoundReport, text: &mut String) {
    let (disputes, settled) = report.disputes;
    let _ = writeln!(
        text,
        "\n## Disagreement\n\nDisputed items: {disputes}. Settled: {settled}."
    );
    if report.adjudications.is_empty() {
        return;
    }
    let head = ["item", "verdicts", "settled as", "by", "reason"];
    let line = |a: &benchtop_model::round::report::AdjudicatedItem| {
        let verdicts: Vec<String> = a
            .verdicts
            .iter()
            .map(|(who, v)| format!("{who} {}", v.name()))
            .collect();
        let why: Vec<&str> = a
            .reasons
            .iter()
            .map(String::as_str)
            .chain(a.note.as_deref())
            .collect();
        let by = if a.own {
            format!("{} (also an annotator of the item)", a.by)
        } else {
            a.by.clone()
        };
        vec![
            format!("#{} {}", a.number, a.item),
            verdicts.join(", "),
            a.verdict.name().into(),
            by,
            why.join(": "),
        ]
    };
    text.push('\n');
    let rows = report.adjudications.iter().map(line).collect();
    text.push_str(&table::markdown(&Words::new(&head, rows)));
}

fn guidelines(report: &RoundReport, text: &mut String) {
    let Some(path) = &report.state.guidelines else {
        return;
    };
    let version = report.guidelines.as_deref().unwrap_or("unknown");
    let path = clean::line(path);
    let _ = writeln!(
        text,
        "\n## Guidelines\n\n`{path}`, version `{version}` when the round was created.\n"
    );
    for (version, n) in &report.versions {
        let version = version
            .as_ref()
            .map_or("no version".to_string(), |v| format!("version `{v}`"));
        let verdicts = out::count(*n, "first verdict");
        let _ = writeln!(text, "- {verdicts} under {version}");
    }
}
