//! What the owner's answers do to the list.

use super::query::Query;
use super::{Layer, ListEffect, ListPane, Want, only};
use crate::model::{Error, ErrorKind, Result};
use crate::owner::wire::Response;
use crate::tui::widgets::table::{DescribeView, FrequencyView};
use crate::tui::widgets::text;

impl ListPane {
    /// Takes the answer to a question. Answers that are no longer wanted change nothing.
    pub fn answer(&mut self, want: Want, answer: Result<Response>) -> Vec<ListEffect> {
        match want {
            Want::Page { generation } if !self.pager.wants(generation) => vec![],
            Want::Page { .. } => self.take_page(answer),
            Want::Select { on } => {
                self.selecting = self.selecting.saturating_sub(1);
                match answer {
                    Ok(Response::Numbers(numbers)) => {
                        let found = text::grouped(numbers.len() as u64);
                        let changed = self.state.mark(numbers.into_iter().map(u64::from), on) as u64;
                        let done = if on { "selected" } else { "let go" };
                        vec![ListEffect::Say(format!("{found} rows match, {} newly {done}", text::grouped(changed)))]
                    }
                    other => vec![refusal(other)],
                }
            }
            Want::CopyOrder { ticket } | Want::CopyItems { ticket } => self.take_copy(ticket, answer),
            Want::Frequency { ticket, .. }
            | Want::Values { ticket, .. }
            | Want::Describe { ticket }
            | Want::Dive { ticket, .. }
                if !self.take_ticket(ticket) =>
            {
                vec![]
            }
            Want::Locate { ticket, .. } if self.locating.take_if(|l| *l == ticket).is_none() => vec![],
            want => self.take_awaited(want, answer),
        }
    }

    fn take_awaited(&mut self, want: Want, answer: Result<Response>) -> Vec<ListEffect> {
        match (want, answer) {
            (Want::Frequency { column, .. }, Ok(Response::Frequency(frequency))) => {
                self.layer = Some(Layer::Frequency(FrequencyView::new(column, frequency)));
                vec![]
            }
            (Want::Describe { .. }, Ok(Response::Describe(summaries))) => {
                self.layer = Some(Layer::Describe(DescribeView::new(summaries)));
                vec![]
            }
            (Want::Values { field, .. }, Ok(Response::Frequency(frequency))) => {
                if frequency.rows.is_empty() {
                    return vec![ListEffect::Refuse(format!("there is no {} to choose", field.name()))];
                }
                vec![ListEffect::AskValue { field, choices: frequency.rows }]
            }
            (Want::Dive { label, .. }, Ok(Response::Numbers(numbers))) => {
                let said = only(&label);
                let within = Some((label, numbers));
                let mut effects = self.narrow(Query { filter: self.query.filter.clone(), within });
                effects.push(said);
                effects
            }
            (Want::Locate { .. }, Ok(Response::Position(Some(row)))) => {
                self.state.go_to_row(row);
                self.fetch(None)
            }
            (Want::Locate { number, .. }, Ok(Response::Position(None))) => {
                vec![ListEffect::Refuse(format!("#{number} is not in this list; X shows every item"))]
            }
            (_, other) => vec![refusal(other)],
        }
    }

    fn take_page(&mut self, answer: Result<Response>) -> Vec<ListEffect> {
        let page = match answer {
            Ok(Response::Page(page)) => page,
            other => {
                let ListEffect::Refuse(reason) = refusal(other) else { return vec![] };
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

/// Why an answer is of no use.
pub(super) fn refusal(answer: Result<Response>) -> ListEffect {
    let problem = match answer {
        Err(problem) => problem,
        Ok(_) => Error::new(ErrorKind::Unreachable, "the owner answered another question")
            .help("it may be of another version: `benchtop doctor` tells"),
    };
    ListEffect::Refuse(problem.to_string().replace("\n  help: ", "; "))
}
