//! Handling the owner's replies.

use super::effects::{ListEffect, ReplyFor};
use super::filtering::only;
use super::pane::{Layer, ListPane};
use super::query::Query;
use crate::widgets::table::{DescribeView, FrequencyView};
use crate::widgets::text;
use benchtop_model::{Error, Result};
use benchtop_protocol::wire::{AnyReply, Request, request};

impl ListPane {
    /// Receives a reply. Ignores replies that are no longer awaited.
    pub fn answer(&mut self, want: ReplyFor, answer: Result<AnyReply>) -> Vec<ListEffect> {
        match want {
            ReplyFor::Page { generation } if !self.pager.wants(generation) => vec![],
            ReplyFor::Page { .. } => self.on_page(answer),
            ReplyFor::Select { on } => {
                self.selecting = self.selecting.saturating_sub(1);
                match answer.and_then(request::Select::reply) {
                    Ok(numbers) => {
                        let found = text::grouped(numbers.len() as u64);
                        let changed =
                            self.state.mark(numbers.into_iter().map(u64::from), on) as u64;
                        let done = if on { "selected" } else { "unselected" };
                        vec![ListEffect::Say(format!(
                            "{found} rows match, {} newly {done}",
                            text::grouped(changed)
                        ))]
                    }
                    Err(problem) => vec![refusal(&problem)],
                }
            }
            ReplyFor::CopyOrder { ticket } => {
                self.on_copy_order(ticket, answer.and_then(request::Numbers::reply))
            }
            ReplyFor::CopyItems { ticket } => {
                self.on_copy_items(ticket, answer.and_then(request::Items::reply))
            }
            ReplyFor::Frequency { ticket, .. }
            | ReplyFor::Values { ticket, .. }
            | ReplyFor::Describe { ticket }
            | ReplyFor::Dive { ticket, .. }
                if !self.take_ticket(ticket) =>
            {
                vec![]
            }
            ReplyFor::Locate { ticket, .. }
                if self.locating.take_if(|l| *l == ticket).is_none() =>
            {
                vec![]
            }
            want => self.on_awaited(want, answer),
        }
    }

    fn on_awaited(&mut self, want: ReplyFor, answer: Result<AnyReply>) -> Vec<ListEffect> {
        self.on_reply(want, answer)
            .unwrap_or_else(|problem| vec![refusal(&problem)])
    }

    fn on_reply(&mut self, want: ReplyFor, answer: Result<AnyReply>) -> Result<Vec<ListEffect>> {
        Ok(match want {
            ReplyFor::Frequency { column, .. } => {
                let frequency = answer.and_then(request::Frequency::reply)?;
                self.layer = Some(Layer::Frequency(FrequencyView::new(column, frequency)));
                vec![]
            }
            ReplyFor::Describe { .. } => {
                let summaries = answer.and_then(request::Describe::reply)?;
                self.layer = Some(Layer::Describe(DescribeView::new(summaries)));
                vec![]
            }
            ReplyFor::Values { field, .. } => {
                let frequency = answer.and_then(request::Frequency::reply)?;
                if frequency.rows.is_empty() {
                    return Ok(vec![ListEffect::Refuse(format!(
                        "no {} to choose from",
                        field.name()
                    ))]);
                }
                vec![ListEffect::AskValue {
                    field,
                    choices: frequency.rows,
                }]
            }
            ReplyFor::Dive { label, .. } => {
                let numbers = answer.and_then(request::Select::reply)?;
                let text = only(&label);
                let within = Some((label, numbers));
                let mut effects = self.narrow(Query {
                    filter: self.query.filter.clone(),
                    within,
                });
                effects.push(text);
                effects
            }
            ReplyFor::Locate { number, .. } => match answer.and_then(request::Locate::reply)? {
                Some(row) => {
                    self.state.go_to_row(row);
                    self.fetch(None)
                }
                None => vec![ListEffect::Refuse(format!(
                    "#{number} is not in this list; X shows all items"
                ))],
            },
            ReplyFor::Page { .. }
            | ReplyFor::Select { .. }
            | ReplyFor::CopyOrder { .. }
            | ReplyFor::CopyItems { .. } => vec![],
        })
    }

    fn on_page(&mut self, answer: Result<AnyReply>) -> Vec<ListEffect> {
        let page = match answer.and_then(request::Page::reply) {
            Ok(page) => page,
            Err(problem) => {
                let ListEffect::Refuse(reason) = refusal(&problem) else {
                    return vec![];
                };
                if self.pager.fail(&reason) {
                    return vec![];
                }
                self.state.go_to_row(self.drawn_row);
                return vec![ListEffect::Refuse(reason)];
            }
        };
        let more = page.partial;
        let just = self.pager.accept(&page, &mut self.state);
        if more {
            return vec![];
        }
        self.arrange_rows();
        self.fetch(just)
    }
}

/// The error of a failed request.
pub(super) fn refusal(problem: &Error) -> ListEffect {
    ListEffect::Refuse(problem.to_string().replace("\n  help: ", "; "))
}
