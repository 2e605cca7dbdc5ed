//! Recomposes stale items, after a preview.

use super::App;
use super::connection::Pending;
use super::overlay::{MenuFor, Overlay};
use super::recompose_mode::{RecomposeChoice, RecomposeMode};
use crate::pane::menu;
use crate::widgets::text::{counted, grouped};
use crate::widgets::toast::Toast;
use benchtop_model::recompose::{Recomposed, Rename};
use benchtop_model::usage::Tally;
use benchtop_model::{Result, Status};
use benchtop_protocol::wire::{AnyReply, Request, request};

impl App {
    /// Recomposes stale items, or counts them.
    pub(super) fn recompose(
        &mut self,
        renames: Vec<Rename>,
        draw_missing: bool,
        RecomposeMode { dry, asked }: RecomposeMode,
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
        RecomposeMode { dry, asked }: RecomposeMode,
        answer: Result<AnyReply>,
    ) {
        let done = answer.and_then(request::Recompose::reply);
        let done = match done {
            Ok(done) => done,
            // After a save, errors in the metadata are already shown next to the text.
            Err(_) if !asked => return,
            Err(problem) => return self.say(Toast::from(&problem)),
        };
        let (changed, gone, missing) = (done.changed.all(), done.gone.all(), done.missing.all());
        // Items whose missing term can be drawn are offered, not counted as lost.
        let gone = if dry { gone - missing } else { gone };
        let left = if gone > 0 {
            format!("; {} contain removed terms or subtasks", grouped(gone))
        } else {
            String::new()
        };
        if !dry {
            let drawn = match done.drawn {
                0 => String::new(),
                n => format!(", {} of them with a newly drawn term", grouped(n)),
            };
            let again = counted(changed + done.kept, "item");
            return self.say(Toast::done(format!("{again} recomposed{drawn}{left}")));
        }
        if changed + done.kept + missing == 0 {
            if asked {
                self.say(Toast::info(format!(
                    "all composed items are up to date{left}"
                )));
            }
            return;
        }
        if self.overlay.is_some() {
            return self.say(Toast::info("items are stale; C recomposes them"));
        }
        let (ways, lines) = offers(&done).into_iter().unzip();
        let lack = format!(
            "{} {} a term for a new slot",
            grouped(missing),
            if missing == 1 { "lacks" } else { "lack" }
        );
        let reads = format!(
            "{} {} stale",
            counted(changed, "item"),
            if changed == 1 { "is" } else { "are" }
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

/// The available choices, each with a help text.
fn offers(done: &Recomposed) -> Vec<(RecomposeChoice, (String, String))> {
    let judged = |tally: &Tally| tally.all() - tally.count(Status::Pending);
    let voids = |n: u64| match n {
        0 => "voids no verdicts".to_string(),
        1 => "voids 1 verdict".to_string(),
        n => format!("voids {} verdicts", grouped(n)),
    };
    let (again, missing) = (done.changed.all() + done.kept, done.missing.all());
    let mut offers = Vec::new();
    if again > 0 {
        let line = format!("recompose {}", counted(again, "item"));
        offers.push((
            RecomposeChoice::Compose,
            (line, voids(judged(&done.changed))),
        ));
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
        offers.push((RecomposeChoice::DrawMissing, (line, all)));
    }
    let leave = (
        "leave them unchanged".to_string(),
        "they stay marked as stale; C asks again".to_string(),
    );
    offers.push((RecomposeChoice::Leave, leave));
    offers
}
