//! Recomposes stale items, after a preview.

use crate::pane::{Ask, Context, Opens, Pane};
use crate::widgets::text::{counted, grouped};
use benchtop_model::recompose::{Recomposed, Rename};
use benchtop_model::usage::Tally;
use benchtop_model::{Result, Status};
use benchtop_protocol::wire::request;

/// What to do about stale items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Choice {
    /// Recompose them.
    Compose,
    /// Also recompose items that lack a term for a new slot.
    DrawMissing,
    Leave,
}

/// Counts the stale items, with these renamed terms, and asks whether to recompose them. If a key
/// asked for it, reports even if there is nothing to do.
pub fn ask_stale<P: Pane>(renames: Vec<Rename>, is_for_key: bool, cx: &mut Context<'_>) {
    let ask = request::Recompose {
        renames: renames.clone(),
        draw_missing: false,
        dry: true,
    };
    let then = move |_: &mut P, done, cx: &mut Context<'_>| match done {
        Ok(done) => on_stale::<P>(renames, is_for_key, &done, cx),
        // After a save, errors in the metadata are already shown next to the text.
        Err(_) if !is_for_key => {}
        Err(problem) => cx.error(&problem),
    };
    let ask = Ask::new(ask, then).for_key();
    cx.send(match is_for_key {
        true => ask.opens(Opens::Confirmation),
        false => ask,
    });
}

fn on_stale<P: Pane>(
    renames: Vec<Rename>,
    is_for_key: bool,
    done: &Recomposed,
    cx: &mut Context<'_>,
) {
    let (again, missing) = (done.changed.all() + done.kept, done.missing.all());
    // Items whose missing term can be drawn are offered, not counted as lost.
    let left = left(done.gone.all() - missing);
    if again + missing == 0 {
        if is_for_key {
            cx.say(format!("all composed items are up to date{left}"));
        }
        return;
    }
    if cx.env.is_covered || !cx.env.is_shown {
        return cx.say("items are stale; C recomposes them");
    }
    let verb = |n, one, many| if n == 1 { one } else { many };
    let lack = verb(missing, "lacks", "lack");
    let lack = format!("{} {lack} a term for a new slot", grouped(missing));
    let changed = done.changed.all();
    let stale = verb(changed, "is", "are");
    let stale = format!("{} {stale} stale", counted(changed, "item"));
    let title = match (again, missing) {
        (_, 0) => format!("{stale}{left}"),
        (0, _) => format!("{lack}{left}"),
        _ => format!("{stale}; {lack}{left}"),
    };
    let line = |(_, line): &(Choice, (String, String))| line.clone();
    cx.choose_of(
        title,
        offers(done),
        line,
        move |_: &mut P, (choice, _), cx| {
            if choice != Choice::Leave {
                recompose::<P>(renames, choice == Choice::DrawMissing, cx);
            }
        },
    );
}

fn recompose<P: Pane>(renames: Vec<Rename>, draw_missing: bool, cx: &mut Context<'_>) {
    let ask = request::Recompose {
        renames,
        draw_missing,
        dry: false,
    };
    let then = |_: &mut P, done: Result<Recomposed>, cx: &mut Context<'_>| match done {
        Ok(done) => {
            let drawn = match done.drawn {
                0 => String::new(),
                n => format!(", {} of them with a newly drawn term", grouped(n)),
            };
            let again = counted(done.changed.all() + done.kept, "item");
            let left = left(done.gone.all());
            cx.done(format!("{again} recomposed{drawn}{left}"));
        }
        Err(problem) => cx.error(&problem),
    };
    cx.send(Ask::new(ask, then).for_key());
}

fn left(gone: u64) -> String {
    match gone {
        0 => String::new(),
        n => format!("; {} contain removed terms or subtasks", grouped(n)),
    }
}

/// The available choices, each with a help text.
fn offers(done: &Recomposed) -> Vec<(Choice, (String, String))> {
    let judged = |tally: &Tally| tally.all() - tally.count(Status::Pending);
    let voids = |n: u64| match n {
        0 => "voids no verdicts".to_string(),
        n => format!("voids {}", counted(n, "verdict")),
    };
    let (again, missing) = (done.changed.all() + done.kept, done.missing.all());
    let mut offers = Vec::new();
    if again > 0 {
        let line = format!("recompose {}", counted(again, "item"));
        offers.push((Choice::Compose, (line, voids(judged(&done.changed)))));
    }
    if missing > 0 {
        let all = voids(judged(&done.changed) + judged(&done.missing));
        let line = match again {
            0 => format!("draw terms for {} and recompose them", grouped(missing)),
            n => format!(
                "recompose {} and draw terms for {} more",
                grouped(n),
                grouped(missing)
            ),
        };
        offers.push((Choice::DrawMissing, (line, all)));
    }
    let leave = (
        "leave them unchanged".to_string(),
        "they stay marked as stale; C asks again".to_string(),
    );
    offers.push((Choice::Leave, leave));
    offers
}
