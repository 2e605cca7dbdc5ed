//! Queues from filters, and going to an item.

use super::{Queue, ReviewPane};
use crate::action::Action;
use crate::pane::{Ask, Context};
use crate::widgets::prompt::Prompt;
use crate::widgets::text;
use benchtop_model::{Filter, Result, Sort};
use benchtop_protocol::wire::request;

/// Requests for a queue.
const QUEUE: &str = "queue";
/// Requests for an item to go to.
const GOING: &str = "going";
/// The greatest number of items to look for one without a verdict.
const SEARCHED: usize = 500_000;

impl ReviewPane {
    pub(super) fn ask_find(&mut self, cx: &mut Context<'_>) {
        let words = self.queue.words.clone();
        let prompt = Prompt::new("find", words, cx.env.history.to_vec());
        cx.prompt(prompt, |pane: &mut Self, words, cx| {
            cx.searched(words);
            match Filter::parse(words) {
                Ok(filter) if filter.is_empty() => pane.show_all(pane.number(), cx),
                Ok(_) => pane.find(words.trim(), None, cx),
                Err(problem) => return Err(problem.to_string().replace('\n', ";")),
            }
            Ok(())
        });
    }

    /// Makes all items the queue.
    pub(super) fn show_all(&mut self, number: Option<u32>, cx: &mut Context<'_>) {
        self.set_queue(Queue::all(self.queue.items()), number, cx);
    }

    /// Makes the items of a filter the queue, and goes to an item in it.
    pub(super) fn find(&mut self, words: &str, number: Option<u32>, cx: &mut Context<'_>) {
        self.back_to = None;
        match Filter::parse(words) {
            Ok(filter) => self.ask_queue(words.to_string(), (filter, Vec::new()), number, cx),
            Err(problem) => cx.error(&problem),
        }
    }

    pub(super) fn ask_queue(
        &mut self,
        words: String,
        (filter, sort): (Filter, Vec<Sort>),
        number: Option<u32>,
        cx: &mut Context<'_>,
    ) {
        let then = move |pane: &mut Self, numbers, cx: &mut Context<'_>| {
            if let Some(numbers) = cx.ok_or_show(numbers) {
                pane.queued(words, number, numbers, cx);
            }
        };
        ask_for_queue(Ask::new(request::Numbers(filter, sort), then), cx);
    }

    fn queued(
        &mut self,
        words: String,
        number: Option<u32>,
        numbers: Vec<u32>,
        cx: &mut Context<'_>,
    ) {
        if numbers.is_empty() {
            return cx.say(format!("no items match `{words}`; queue unchanged"));
        }
        let back = cx.key(Action::Back);
        let found = text::counted(numbers.len() as u64, "item");
        let said = format!("{found} for `{words}`; {back} shows all items");
        let queue = Queue::of(words, numbers, self.queue.items());
        self.take_queue(queue, number, said, cx);
    }

    pub(super) fn take_queue(
        &mut self,
        queue: Queue,
        number: Option<u32>,
        said: String,
        cx: &mut Context<'_>,
    ) {
        self.leave_round(cx);
        self.set_queue(queue, number, cx);
        cx.say(said);
    }

    /// Ignores queues that are requested but did not arrive.
    pub(super) fn forget_queues(&self, cx: &mut Context<'_>) {
        cx.cancel(QUEUE);
    }

    /// Ignores a late reply that would move the annotator.
    pub(super) fn cancel_going(&self, cx: &mut Context<'_>) {
        cx.cancel(GOING);
    }

    /// Goes to the next item without a verdict.
    pub(super) fn next_pending(&mut self, cx: &mut Context<'_>) {
        let ask = if self.queue.is_all() {
            let after = self.number().unwrap_or(0);
            Ask::new(request::NextPending(after), Self::go_to_pending)
        } else {
            let rest = self.queue.from(self.position, SEARCHED);
            Ask::new(request::FirstPending(rest), Self::go_to_pending)
        };
        cx.send(ask.named(GOING).for_key());
    }

    fn go_to_pending(&mut self, found: Result<Option<u32>>, cx: &mut Context<'_>) {
        match cx.ok_or_show(found) {
            Some(Some(number)) => self.go_to_item(number, cx),
            Some(None) => cx.done("no unjudged items in this queue"),
            None => {}
        }
    }

    /// Goes to the item with an id.
    pub(super) fn ask_number(&mut self, id: String, cx: &mut Context<'_>) {
        let then = |pane: &mut Self, number, cx: &mut Context<'_>| match cx.ok_or_show(number) {
            Some(Some(number)) => pane.go_to_item(number, cx),
            Some(None) => cx.say("no such item in this project"),
            None => {}
        };
        cx.send(Ask::new(request::NumberOf(id), then).named(GOING).for_key());
    }

    /// Goes to an item, and leaves the queue if the item is not in it.
    pub(super) fn go_to_item(&mut self, number: u32, cx: &mut Context<'_>) {
        self.leave_round(cx);
        if !self.go_to(number, cx) {
            self.show_all(Some(number), cx);
        }
    }
}

/// Sends a request for a queue.
pub(super) fn ask_for_queue(ask: Ask, cx: &mut Context<'_>) {
    cx.send(ask.named(QUEUE).for_key());
}
