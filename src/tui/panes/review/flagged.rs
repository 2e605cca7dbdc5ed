//! Flagged items: their queue, and explanations.

use uuid::Uuid;

use super::find::ask_for_queue;
use super::{Queue, ReviewPane, explain};
use crate::action::Action;
use crate::pane::{Ask, Context, Opens, PaneId};
use crate::widgets::text::counted;
use benchtop_model::scoring::Outcome;
use benchtop_model::scoring::queries::{Explanation, FlagOrder};
use benchtop_model::{Filter, Result};
use benchtop_protocol::wire::request;

/// The outcomes to review if the filter names none.
const DOUBTED: [Outcome; 2] = [Outcome::Flagged, Outcome::Parked];

impl ReviewPane {
    /// Asks for the order of the flagged items.
    pub(super) fn ask_flagged(&mut self, cx: &mut Context<'_>) {
        let words = &self.queue.words;
        let which = if words.is_empty() {
            "review flagged items, in order".to_string()
        } else {
            format!("review flagged items of `{words}`, in order")
        };
        let (orders, line) = (FlagOrder::ALL.to_vec(), |o: &FlagOrder| {
            (o.name(), o.help())
        });
        cx.choose_of(which, orders, line, Self::review_flagged);
    }

    /// Makes the flagged items the queue.
    fn review_flagged(&mut self, order: FlagOrder, cx: &mut Context<'_>) {
        self.back_to = None;
        let mut filter = match Filter::parse(&self.queue.words) {
            Ok(filter) => filter,
            Err(problem) => return cx.error(&problem),
        };
        // The current queue was made from this filter: use its words, not its title.
        if self.queue.is_named() && filter.outcome == DOUBTED {
            filter.outcome.clear();
        }
        // A new seed for each queue, kept as long as the queue.
        let ask = request::FlaggedItems {
            filter: filter.clone(),
            order,
            seed: Uuid::now_v7().as_u64_pair().1,
        };
        let then = move |pane: &mut Self, numbers, cx: &mut Context<'_>| {
            if let Some(numbers) = cx.ok_or_show(numbers) {
                pane.on_flagged(&filter, order, numbers, cx);
            }
        };
        ask_for_queue(Ask::new(ask, then), cx);
    }

    fn on_flagged(
        &mut self,
        filter: &Filter,
        order: FlagOrder,
        numbers: Vec<u32>,
        cx: &mut Context<'_>,
    ) {
        let (filter, title) = named(filter, order);
        if numbers.is_empty() {
            let filters = cx.key(Action::Go(PaneId::Filters));
            return cx.say(format!(
                "no items: {title}; {filters} opens Filters to set thresholds; queue unchanged"
            ));
        }
        let (explain, back) = (cx.key(Action::Explain), cx.key(Action::Back));
        let count = counted(numbers.len() as u64, "item");
        let said = format!("{count}: {title}; {explain} explains, {back} shows all items");
        let queue = Queue::of(filter.to_text(), numbers, self.queue.items()).called(title);
        self.take_queue(queue, None, said, cx);
    }

    /// Asks the owner for the scores and rule results of the item on screen.
    pub(super) fn explain(&mut self, cx: &mut Context<'_>) {
        let Some(number) = self.number() else {
            return cx.say("nothing to explain");
        };
        let then = move |pane: &mut Self, found: Result<Explanation>, cx: &mut Context<'_>| {
            // Do not interrupt a user who moved on or opened something.
            if !cx.env.is_shown || cx.env.is_covered || pane.number() != Some(number) {
                return;
            }
            match found {
                Ok(found) => cx.page(explain::page(&found)),
                Err(problem) => cx.error(&problem),
            }
        };
        let ask = Ask::new(request::Explain { number }, then);
        cx.send(ask.opens(Opens::Overlay).for_key());
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
