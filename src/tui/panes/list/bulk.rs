//! One verdict on all items of the list: with a preview, and undone as one step.

use super::pane::ListPane;
use crate::action::Action;
use crate::pane::{Ask, Context, Opens};
use crate::widgets::menu::{Choice, Menu};
use crate::widgets::text::{counted, grouped};
use benchtop_model::{Filter, Judgement, Result, Seen, Verdict};
use benchtop_protocol::wire::{Bulk, Bulked, request};

/// The verdicts available for many items at once.
const VERDICTS: [Verdict; 4] = [
    Verdict::Accept,
    Verdict::Reject,
    Verdict::Skip,
    Verdict::Flag,
];

impl ListPane {
    /// Asks for the verdict on the selected items, or on all items of the list.
    pub(super) fn judge_all(&self, cx: &mut Context<'_>) {
        // Ranking must not decide which items get a verdict unseen.
        let filter = self.target().exact();
        let which = match filter.is_empty() {
            true => "all items".to_string(),
            false => match &filter.only {
                Some(only) => counted(only.len() as u64, "selected item"),
                None => format!("the items of `{}`", filter.to_text()),
            },
        };
        let choices = VERDICTS.iter().map(|verdict| Choice::new(verdict.name()));
        let menu = Menu::new(format!("judge {which}"), choices.collect()).with_note();
        let menu = menu.with_tags(cx.env.tags.to_vec());
        cx.menu(menu, move |_: &mut Self, chosen, cx| {
            let verdict = chosen.picks.first().and_then(|pick| VERDICTS.get(*pick));
            if let Some(verdict) = verdict {
                count(filter, *verdict, &chosen.note, cx);
            }
        });
    }
}

fn count(filter: Filter, verdict: Verdict, note: &str, cx: &mut Context<'_>) {
    let note = Some(note.trim().to_string()).filter(|note| !note.is_empty());
    cx.tagged(note.as_deref().unwrap_or_default());
    let judgement = Judgement {
        note,
        ..Judgement::new(verdict, Seen::Script)
    };
    let bulk = Bulk {
        dry: true,
        ..Bulk::new(filter, judgement)
    };
    cx.say("counting the items");
    let ask = request::Bulk(Box::new(bulk.clone()));
    let ask = Ask::new(ask, move |_: &mut ListPane, counted, cx| {
        confirm(bulk, counted, cx);
    });
    cx.send(ask.opens(Opens::Confirmation).for_key());
}

/// Asks whether to give the verdict on as many items.
fn confirm(bulk: Bulk, count: Result<Bulked>, cx: &mut Context<'_>) {
    let done = match count {
        Ok(done) => done,
        Err(problem) => return cx.error(&problem),
    };
    let (verdict, left) = (bulk.judgement.verdict.name(), left_out(&done));
    if done.judged == 0 {
        return cx.say(format!("nothing to judge{left}"));
    }
    let items = counted(done.judged, "item");
    let help = left.trim_start_matches([',', ' ']).to_string();
    let choices = vec![
        Choice::new(format!("{verdict} {items}")).help(help),
        Choice::new("not now"),
    ];
    let title = format!("{verdict} {items} without looking at each?");
    let bulk = Bulk {
        count: Some(done.judged),
        dry: false,
        ..bulk
    };
    // The cursor starts on "not now", so that a stray enter does nothing.
    let menu = Menu::new(title, choices).at(1);
    cx.choose_in(menu, |_: &mut ListPane, pick, cx| {
        if pick == 0 {
            judge(bulk, cx);
        }
    });
}

fn judge(bulk: Bulk, cx: &mut Context<'_>) {
    let verdict = bulk.judgement.verdict.name();
    let ask = request::Bulk(Box::new(bulk));
    let ask = Ask::new(ask, move |_: &mut ListPane, done: Result<Bulked>, cx| {
        let done = match done {
            Ok(done) => done,
            Err(problem) => return cx.error(&problem),
        };
        cx.judged_many(done.revs);
        let (items, left) = (counted(done.judged, "item"), left_out(&done));
        let undo = cx.key(Action::Undo);
        cx.done(format!("{items}: {verdict}{left}; {undo} undoes it"));
    });
    cx.send(ask.for_key());
}

/// Describes the items left out, as the end of a sentence.
fn left_out(done: &Bulked) -> String {
    let parts = [
        (done.same, "already have this verdict"),
        (done.in_rounds, "belong to a round"),
        (done.meanwhile, "were judged by others meanwhile"),
    ];
    parts
        .into_iter()
        .filter(|(n, _)| *n > 0)
        .map(|(n, what)| format!(", {} {what}", grouped(n)))
        .collect()
}
