//! `benchtop home`: how far the project is, open work, and activity.

use serde_json::{Map, Value, json};

use crate::context::Context;
use crate::out::{self, print};
use benchtop_model::home::{Home, ItemList, NextStep, RoundTask};
use benchtop_model::{Result, clean, history};
use benchtop_owner::clock::now;
use benchtop_protocol::wire::request;

#[derive(clap::Args)]
pub struct Args {
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub fn run(context: &Context, args: &Args) -> Result<u8> {
    let before = now();
    let home = context
        .client()?
        .ask(request::Home { before, wait: true })?;
    let who = context.who()?;
    let text = match args.json {
        true => out::json_text(&json(&home, &who)),
        false => text(&home, &who),
    };
    print(&text).map(|()| 0)
}

/// Seconds for the rest of a round at the annotator's pace.
fn seconds_left(home: &Home, task: &RoundTask) -> Option<f64> {
    Some(home.median_seconds? * (task.share - task.judged) as f64)
}

fn json(home: &Home, who: &str) -> Value {
    let lists: Map<String, Value> = home
        .counts
        .iter()
        .map(|(list, items)| {
            let value = json!({"items": items, "filter": list.filter(who)});
            (list.name().into(), value)
        })
        .collect();
    let round = |task: &RoundTask| {
        json!({
            "name": task.name, "judged": task.judged, "share": task.share,
            "seconds_left": seconds_left(home, task),
        })
    };
    let step = |step: &NextStep| {
        let (name, round) = step.name();
        json!({"step": name, "round": round})
    };
    json!({
        "sample": home.sample,
        "lists": lists,
        "prediction_sets": home.prediction_sets,
        "median_seconds": home.median_seconds,
        "rounds": home.rounds.iter().map(round).collect::<Vec<_>>(),
        "disputes": home.disputes.iter().map(|(round, open)| json!({"round": round, "open": open}))
            .collect::<Vec<_>>(),
        "people": home.people.iter()
            .map(|p| json!({"who": p.who, "days": p.days, "since": p.since})).collect::<Vec<_>>(),
        "since": home.since.map(history::stamp),
        "next": home.next.iter().map(step).collect::<Vec<_>>(),
    })
}

fn text(home: &Home, who: &str) -> String {
    let mut out = String::new();
    if home.sample {
        out.push_str("this project holds the sample: `benchtop sample --remove` removes it\n");
    }
    for (list, items) in &home.counts {
        let filter = list.filter(who);
        out.push_str(format!("{:<9} {items:>9}  {filter}", list.name()).trim_end());
        out.push('\n');
    }
    for task in &home.rounds {
        let left = seconds_left(home, task)
            .map(|seconds| format!(", about {:.0} minutes", (seconds / 60.0).ceil()));
        out.push_str(&format!(
            "round {}: {} of {} judged{}\n",
            clean::line(&task.name),
            task.judged,
            task.share,
            left.unwrap_or_default()
        ));
    }
    for (round, open) in &home.disputes {
        let disputes = out::count(*open, "open dispute");
        out.push_str(&format!("round {}: {disputes}\n", clean::line(round)));
    }
    if let Some(since) = home.since {
        out.push_str(&format!("since {}:\n", history::stamp(since)));
        for person in home.people.iter().filter(|person| person.since > 0) {
            let verdicts = out::count(person.since, "verdict");
            out.push_str(&format!("  {}: {verdicts}\n", clean::line(&person.who)));
        }
    }
    for step in &home.next {
        out.push_str(&format!("next: {}\n", command(step, who)));
    }
    out
}

/// The command of a step.
fn command(step: &NextStep, who: &str) -> String {
    let shown = |list: ItemList| format!("benchtop items --filter '{}'", list.filter(who));
    match step {
        NextStep::AddItems => "benchtop import PATH, or benchtop sample".into(),
        NextStep::JudgeRound(round) => format!("benchtop round next {}", clean::line(round)),
        NextStep::Settle(round) => format!("benchtop round disputes {}", clean::line(round)),
        NextStep::Generate => "benchtop generate".into(),
        NextStep::ReviewFlagged => shown(ItemList::Flagged),
        NextStep::Judge => "benchtop, to judge items".into(),
        NextStep::Evaluate => "benchtop eval".into(),
        NextStep::Board => "benchtop board".into(),
        NextStep::Export => "benchtop export --filter status:accepted".into(),
    }
}
