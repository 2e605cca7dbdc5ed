//! Adds the sample, and removes it.

use super::HomePane;
use crate::action::Action;
use crate::pane::{Ask, Context, Opens};
use crate::widgets::text::counted;
use benchtop_model::Result;
use benchtop_model::sample::{RemovedSample, SampleContents};
use benchtop_protocol::wire::request;

/// Adds the sample.
pub(super) fn add(cx: &mut Context<'_>) {
    cx.say("adding the sample");
    let ask = request::Sample { items_only: false };
    cx.ask_now(ask, |pane: &mut HomePane, report, cx| {
        if let Some(report) = cx.ok_or_show(report) {
            let said = format!(
                "added the sample, {} in all tabs; {} removes it again",
                counted(report.items, "item"),
                cx.key(Action::RemoveSample)
            );
            pane.load(cx);
            cx.done(said);
        }
    });
}

/// Counts what goes, and asks for a confirmation.
pub(super) fn count(cx: &mut Context<'_>) {
    let ask = request::RemoveSample { confirmed: None };
    let then = |_: &mut HomePane, counted: Result<RemovedSample>, cx: &mut Context<'_>| {
        if let Some(counted) = cx.ok_or_show(counted) {
            confirm(counted.contents, cx);
        }
    };
    cx.send(Ask::new(ask, then).opens(Opens::Confirmation));
}

fn confirm(contents: SampleContents, cx: &mut Context<'_>) {
    let yours = match contents.of_people().as_str() {
        "" => "nobody judged them yet".into(),
        people => format!("with people's {people}"),
    };
    let lines = vec![
        ("keep the sample".into(), String::new()),
        (format!("remove {}", counted(contents.items, "item")), yours),
    ];
    let title = "Remove the sample? The project is empty then; its files go to .owner/.";
    cx.choose(title, lines, move |_: &mut HomePane, pick, cx| {
        if pick == 1 {
            remove(contents, cx);
        }
    });
}

fn remove(contents: SampleContents, cx: &mut Context<'_>) {
    cx.say("removing the sample");
    let ask = request::RemoveSample {
        confirmed: Some(Box::new(contents)),
    };
    cx.ask_now(ask, |_: &mut HomePane, removed, cx| {
        if let Some(folder) = cx.ok_or_show(removed).and_then(|removed| removed.folder) {
            cx.done(format!(
                "removed the sample; its files are in {}",
                folder.display()
            ));
        }
    });
}
