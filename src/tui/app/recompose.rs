//! Composing items again that the metadata has changed under: counts first, then what to do about them.

use super::App;
use super::connection::Pending;
use super::metadata::menu;
use super::overlay::{MenuFor, Overlay};
use crate::widgets::text::{counted, grouped};
use crate::widgets::toast::Toast;
use benchtop_model::recompose::{Recomposed, Rename};
use benchtop_model::usage::Tally;
use benchtop_model::{Result, Status};
use benchtop_protocol::wire::{AnyReply, Request, request};

/// What to do about items that read differently now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Again {
    /// Compose them again.
    Compose,
    /// Also those that lack a term for a new slot.
    DrawMissing,
    /// Leave them as they are.
    Leave,
}

impl App {
    /// Composes again what the metadata has changed under, or counts it.
    pub(super) fn recompose(
        &mut self,
        renames: Vec<Rename>,
        draw_missing: bool,
        (dry, asked): (bool, bool),
    ) {
        let ask = request::Recompose {
            renames: renames.clone(),
            draw_missing,
            dry,
        };
        self.ask_now(
            Pending::Recompose {
                renames,
                draw_missing,
                dry,
                asked,
            },
            ask,
        );
    }

    pub(super) fn recomposed(
        &mut self,
        renames: Vec<Rename>,
        (dry, asked): (bool, bool),
        answer: Result<AnyReply>,
    ) {
        let done = answer.and_then(request::Recompose::reply);
        let done = match done {
            Ok(done) => done,
            // After a save nobody asked: metadata with errors is shown as such beside the text.
            Err(_) if !asked => return,
            Err(problem) => return self.say(Toast::from(&problem)),
        };
        let (changed, gone, missing) = (done.changed.all(), done.gone.all(), done.missing.all());
        // What a term can be drawn for is offered, not regretted.
        let gone = if dry { gone - missing } else { gone };
        let left = if gone > 0 {
            format!("; {} hold what is gone", grouped(gone))
        } else {
            String::new()
        };
        if !dry {
            let drawn = match done.drawn {
                0 => String::new(),
                n => format!(", {} of them with a term drawn for a new slot", grouped(n)),
            };
            let again = counted(changed + done.kept, "item");
            return self.say(Toast::done(format!("{again} composed again{drawn}{left}")));
        }
        if changed + done.kept + missing == 0 {
            if asked {
                self.say(Toast::info(format!(
                    "every composed item reads as the metadata has it{left}"
                )));
            }
            return;
        }
        if self.overlay.is_some() {
            return self.say(Toast::info(
                "items read differently now: C composes them again",
            ));
        }
        let (ways, lines) = offers(&done).into_iter().unzip();
        let lack = format!(
            "{} {} a term for a new slot",
            grouped(missing),
            if missing == 1 { "lacks" } else { "lack" }
        );
        let reads = format!(
            "{} {} differently now",
            counted(changed, "item"),
            if changed == 1 { "reads" } else { "read" }
        );
        let title = match (changed + done.kept, missing) {
            (_, 0) => format!("{reads}{left}"),
            (0, _) => format!("{lack}{left}"),
            _ => format!("{reads}; {lack}{left}"),
        };
        self.overlay = Some(Overlay::Menu(
            MenuFor::Recompose(renames, ways),
            menu(title, lines),
        ));
    }
}

/// What can be done, each in words with a word about it.
fn offers(done: &Recomposed) -> Vec<(Again, (String, String))> {
    let judged = |tally: &Tally| tally.all() - tally.of(Status::Pending);
    let voids = |n: u64| match n {
        0 => "none of them is judged".to_string(),
        1 => "1 verdict no longer counts".to_string(),
        n => format!("{} verdicts no longer count", grouped(n)),
    };
    let (again, missing) = (done.changed.all() + done.kept, done.missing.all());
    let mut offers = Vec::new();
    if again > 0 {
        let line = format!("compose {} again", counted(again, "item"));
        offers.push((Again::Compose, (line, voids(judged(&done.changed)))));
    }
    if missing > 0 {
        let all = voids(judged(&done.changed) + judged(&done.missing));
        let line = match again {
            0 => format!("draw terms for {} and compose them again", grouped(missing)),
            n => format!(
                "compose {} again, draw terms for {} more",
                grouped(n),
                grouped(missing)
            ),
        };
        offers.push((Again::DrawMissing, (line, all)));
    }
    let leave = (
        "leave them as they are".to_string(),
        "they are marked stale; C asks again".to_string(),
    );
    offers.push((Again::Leave, leave));
    offers
}
