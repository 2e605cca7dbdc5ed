//! Adds the sample, and removes it.

use crate::action::Action;
use crate::pane::{Ask, Context, Opens, Pane};
use crate::widgets::text::counted;
use benchtop_model::Result;
use benchtop_model::sample::{RemovedSample, SampleContents};
use benchtop_protocol::wire::request;

/// Adds the sample.
pub(super) fn add<P: Pane>(cx: &mut Context<'_>) {
    cx.say("adding the sample");
    let ask = request::Sample { items_only: false };
    cx.ask_now(ask, |_: &mut P, report, cx| {
        if let Some(report) = cx.ok_or_show(report) {
            let said = format!(
                "added the sample, {} in all tabs; {} removes it again",
                counted(report.items, "item"),
                cx.key(Action::RemoveSample)
            );
            cx.done(said);
        }
    });
}

/// Counts what goes, and asks for a confirmation.
pub(super) fn count<P: Pane>(cx: &mut Context<'_>) {
    let ask = request::RemoveSample { confirmed: None };
    let then = |_: &mut P, counted: Result<RemovedSample>, cx: &mut Context<'_>| {
        if let Some(counted) = cx.ok_or_show(counted) {
            confirm::<P>(counted.contents, cx);
        }
    };
    cx.send(Ask::new(ask, then).opens(Opens::Confirmation));
}

fn confirm<P: Pane>(contents: SampleContents, cx: &mut Context<'_>) {
    let yours = match contents.of_people().as_str() {
        "" => "nobody judged them yet".into(),
        people => format!("with people's {people}"),
    };
    let lines = vec![
        ("keep the sample".into(), String::new()),
        (format!("remove {}", counted(contents.items, "item")), yours),
    ];
    let title = "Remove the sample? The project is empty then; its files go to .owner/.";
    cx.choose(title, lines, move |_: &mut P, pick, cx| {
        if pick == 1 {
            remove::<P>(contents, cx);
        }
    });
}

fn remove<P: Pane>(contents: SampleContents, cx: &mut Context<'_>) {
    cx.say("removing the sample");
    let ask = request::RemoveSample {
        confirmed: Some(Box::new(contents)),
    };
    cx.ask_now(ask, |_: &mut P, removed, cx| {
        if let Some(folder) = cx.ok_or_show(removed).and_then(|removed| removed.folder) {
            cx.done(format!(
                "removed the sample; its files are in {}",
                folder.display()
            ));
        }
    });
}
