//! Doubtful items in the review: the queue of them, why an item is flagged or not, and what accepting one means.

use super::connection::Pending;
use super::overlay::{MenuFor, Overlay};
use super::{App, PaneId};
use crate::action::Action;
use crate::panes::review::{Queue, explain};
use crate::widgets::menu::{Choice, Menu};
use crate::widgets::text::counted;
use crate::widgets::toast::Toast;
use benchtop_model::scoring::Outcome;
use benchtop_model::scoring::bench::FlagOrder;
use benchtop_model::{Filter, Result};
use benchtop_protocol::wire::{AnyReply, Receipt, Request, request};

/// The outcomes that are reviewed where a filter names none.
const DOUBTED: [Outcome; 2] = [Outcome::Flagged, Outcome::Parked];

impl App {
    /// Asks in which order doubtful items are reviewed.
    pub(super) fn ask_doubtful(&mut self) {
        let words = self.review.queue().words.clone();
        let which = if words.is_empty() {
            "doubtful items".to_string()
        } else {
            format!("doubtful items of `{words}`")
        };
        let choices = FlagOrder::ALL
            .iter()
            .map(|o| Choice::new(o.name()).help(o.help()))
            .collect();
        self.overlay = Some(Overlay::Menu(MenuFor::Doubtful, Menu::new(which, choices)));
    }

    /// Makes them the queue.
    pub(super) fn review_doubtful(&mut self, order: FlagOrder) {
        self.back_to = None;
        match Filter::parse(&self.review.queue().words) {
            Ok(mut filter) => {
                // A queue of doubtful items was made of what it is called, not of what finds it again.
                if self.review.queue().is_named() && filter.outcome == DOUBTED {
                    filter.outcome.clear();
                }
                // Another random order each time, and the same one for as long as this queue lasts.
                let ask = request::Doubtful {
                    filter: filter.clone(),
                    order,
                    seed: self.rev ^ self.now(),
                };
                self.ask_now(Pending::Doubtful(filter, order), ask);
            }
            Err(problem) => self.say(Toast::from(&problem)),
        }
    }

    pub(super) fn doubtful(&mut self, filter: &Filter, order: FlagOrder, numbers: Vec<u32>) {
        let (filter, title) = named(filter, order);
        if numbers.is_empty() {
            let filters = self.keymap.press(Action::GoFilters);
            let said = format!(
                "nothing here is {title}: {filters} draws lines that flag; the queue stays as it was"
            );
            return self.say(Toast::info(said));
        }
        let items = u32::try_from(self.welcome.items).unwrap_or(u32::MAX);
        let (explain, back) = (
            self.keymap.press(Action::Explain),
            self.keymap.press(Action::Back),
        );
        let count = counted(numbers.len() as u64, "item");
        let said = format!("{count}: {title}; {explain} explains, {back} shows all again");
        self.leave_round();
        let effects = self.review.set_queue(
            Queue::of(filter.words(), numbers, items).called(title),
            None,
        );
        self.carry_out(effects);
        self.say(Toast::info(said));
    }

    /// Asks everything that machines said of the item on screen.
    pub(super) fn explain_item(&mut self) {
        match self.review.number() {
            Some(number) => self.ask_now(Pending::Explain(number), request::Explain { number }),
            None => self.say(Toast::info("there is nothing to explain")),
        }
    }

    pub(super) fn explained(&mut self, number: u32, answer: Result<AnyReply>) {
        let explanation = answer.and_then(request::Explain::reply);
        // Somebody who has gone on, or is choosing something, is not interrupted.
        if self.at != PaneId::Review
            || self.review.number() != Some(number)
            || self.overlay.is_some()
        {
            return;
        }
        match explanation {
            Ok(explanation) => self.overlay = Some(Overlay::Page(explain::page(&explanation))),
            Err(problem) => self.say(Toast::from(&problem)),
        }
    }

    /// An accepted item that was flagged is a false alarm of the filter: that is said.
    pub(super) fn tell_overridden(&mut self, receipt: &Receipt) {
        if self.review.overrides(receipt) {
            self.say(Toast::info(format!(
                "#{} overrides the filter (false alarm)",
                receipt.number
            )));
        }
    }
}

/// The filter that comes back to these items after a restart, and what the queue is called.
fn named(filter: &Filter, order: FlagOrder) -> (Filter, String) {
    let mut resumed = filter.clone();
    let mut rest = filter.clone();
    rest.outcome.clear();
    let mut words = match order {
        FlagOrder::AgainstPeople => "judged".to_string(),
        _ if filter.outcome.is_empty() => {
            // Decided against the rules or not, an item keeps its outcome: the same ones are found again.
            resumed.outcome = DOUBTED.to_vec();
            "flagged".to_string()
        }
        _ => filter
            .outcome
            .iter()
            .map(|o| o.name())
            .collect::<Vec<_>>()
            .join(" or "),
    };
    if !rest.is_empty() {
        words = format!("{words} {}", rest.words());
    }
    let order = match order {
        FlagOrder::Nearest => "nearest first",
        FlagOrder::Worst => "worst first",
        FlagOrder::Disagreement => "most disputed first",
        FlagOrder::AgainstPeople => "against the rules",
        FlagOrder::Random => "random",
    };
    (resumed, format!("{words}, {order}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_queue_says_what_it_holds_and_its_words_find_it_again() {
        let of = |words: &str, order| {
            let (filter, title) = named(&Filter::parse(words).unwrap(), order);
            (filter.words(), title)
        };
        assert_eq!(
            of("", FlagOrder::Nearest),
            (
                "filter:flagged,parked".into(),
                "flagged, nearest first".into()
            )
        );
        assert_eq!(
            of("filter:parked subtask:text", FlagOrder::Worst),
            (
                "filter:parked subtask:text".into(),
                "parked subtask:text, worst first".into()
            )
        );
        assert_eq!(
            of("", FlagOrder::AgainstPeople),
            (String::new(), "judged, against the rules".into())
        );
    }
}
