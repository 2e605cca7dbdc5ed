//! Boxed answers.

use super::context::NEAR;
use super::items::{Item, What};
use super::reader::{Aside, Event, NUMBER, Reader, Stated};
use super::words::{HEDGE, LINK, NOT, OR};

impl Reader<'_> {
    /// Reads the content of a box: a single answer. Returns where to continue.
    pub(super) fn boxed(&mut self, k: usize, end: usize) -> usize {
        let close = self.closes.get(&k).copied().unwrap_or_else(|| {
            let rest = &self.items[k + 1..end.min(k + 2 + NEAR)];
            k + 1
                + rest
                    .iter()
                    .position(|i| i.what == What::Line)
                    .unwrap_or(rest.len())
        });
        if close - k > NEAR {
            return k + 1;
        }
        let inner = &self.items[k + 1..close];
        // A number without the unit that the options have.
        let bare = match inner {
            [one] if one.what == What::Word => self.numbers.get(self.text.at(one.token)).copied(),
            _ => None,
        };
        let mut found: Vec<i32> = inner
            .iter()
            .filter(|i| i.is_answer())
            .map(|i| i.option)
            .chain(bare)
            .collect();
        found.sort_unstable();
        found.dedup();
        let denies = |i: &Item| i.is(NOT | HEDGE | OR) && !i.is(LINK);
        let clear = bare.is_some() || !inner.iter().any(|i| i.what == What::Word || denies(i));
        if let ([first, second, ..], 2) = (inner, found.len())
            && first.what == What::Letter
            && self.text.tokens[first.token].raw == Some('A')
            && second.what == What::Text
        {
            found = vec![second.option];
        }
        let is_led = |i: &Item| {
            i.what == What::Letter
                && (i.label || inner.get(1).is_some_and(|i| i.what == What::Mark))
        };
        let led = inner.first().is_some_and(is_led) && !inner.iter().any(denies);
        if found.len() > 1 {
            self.events.push(Event::Leaves {
                options: found,
                mentions: false,
                aside: Aside::No,
            });
        } else if let Some(option) = found.first().copied().filter(|_| clear || led) {
            // A boxed number may be an intermediate result: a letter that is stated later outweighs
            // it.
            let is_digits = |i: &Item| self.text.at(i.token).chars().all(|c| c.is_ascii_digit());
            let number = matches!(inner, [one] if matches!(one.what, What::Text | What::Word) && is_digits(one));
            self.events.push(Event::Commits {
                option,
                strength: if number { NUMBER } else { 3 },
                listed: false,
                passing: false,
                stated: if number {
                    Stated::Loosely
                } else {
                    Stated::ForItself
                },
            });
        }
        close.min(end)
    }
}
