//! Flagged items in the review: their queue, explanations, and accepted flags.

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

/// The outcomes to review if the filter names none.
const DOUBTED: [Outcome; 2] = [Outcome::Flagged, Outcome::Parked];

impl App {
    /// Asks for the order of the flagged items.
    pub(super) fn ask_doubtful(&mut self) {
        let words = self.review.queue().words.clone();
        let which = if words.is_empty() {
            "review flagged items, in order".to_string()
        } else {
            format!("review flagged items of `{words}`, in order")
        };
        let choices = FlagOrder::ALL
            .iter()
            .map(|o| Choice::new(o.name()).help(o.help()))
            .collect();
        self.overlay = Some(Overlay::Menu(MenuFor::Doubtful, Menu::new(which, choices)));
    }

    /// Makes the flagged items the queue.
    pub(super) fn review_doubtful(&mut self, order: FlagOrder) {
        self.back_to = None;
        match Filter::parse(&self.review.queue().words) {
            Ok(mut filter) => {
                // The current queue was made from this filter: use its words, not its title.
                if self.review.queue().is_named() && filter.outcome == DOUBTED {
                    filter.outcome.clear();
                }
                // A new seed for each queue, kept as long as the queue.
                let ask = request::FlaggedItems {
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
                "no items: {title}; {filters} opens Filters to set thresholds; queue unchanged"
            );
            return self.say(Toast::info(said));
        }
        let items = u32::try_from(self.welcome.items).unwrap_or(u32::MAX);
        let (explain, back) = (
            self.keymap.press(Action::Explain),
            self.keymap.press(Action::Back),
        );
        let count = counted(numbers.len() as u64, "item");
        let said = format!("{count}: {title}; {explain} explains, {back} shows all items");
        self.leave_round();
        let effects = self.review.set_queue(
            Queue::of(filter.to_text(), numbers, items).called(title),
            None,
        );
        self.carry_out(effects);
        self.say(Toast::info(said));
    }

    /// Asks the owner for the scores and rule results of the item on screen.
    pub(super) fn explain_item(&mut self) {
        match self.review.number() {
            Some(number) => self.ask_now(Pending::Explain(number), request::Explain { number }),
            None => self.say(Toast::info("nothing to explain")),
        }
    }

    pub(super) fn explained(&mut self, number: u32, answer: Result<AnyReply>) {
        let explanation = answer.and_then(request::Explain::reply);
        // Do not interrupt a user who moved on or opened something.
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

    /// Reports that an accepted item was flagged, which makes it a false alarm of the filter.
    pub(super) fn report_override(&mut self, receipt: &Receipt) {
        if self.review.overrides(receipt) {
            self.say(Toast::info(format!(
                "#{} overrides the filter (false alarm)",
                receipt.number
            )));
        }
    }
}

/// The filter that finds these items after a restart, and the title of the queue.
fn named(filter: &Filter, order: FlagOrder) -> (Filter, String) {
    let mut resumed = filter.clone();
    let mut rest = filter.clone();
    rest.outcome.clear();
    let mut words = match order {
        FlagOrder::AgainstPeople => "judged".to_string(),
        _ if filter.outcome.is_empty() => {
            // An item keeps its outcome whatever the verdict, so this finds the same items.
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
        words = format!("{words} {}", rest.to_text());
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
    fn a_queue_has_a_title_and_a_filter_that_finds_it_again() {
        let of = |words: &str, order| {
            let (filter, title) = named(&Filter::parse(words).unwrap(), order);
            (filter.to_text(), title)
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
