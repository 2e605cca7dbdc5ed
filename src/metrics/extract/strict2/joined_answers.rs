//! Joined answers: "A, B and C".

use super::context::NEAR;
use super::items::{Item, What};
use super::reader::Reader;
use super::words::{AND, BUT, HEDGE, IS, LINK, NOT, NOUN, OR, WAIT, WEAK};

impl Reader<'_> {
    /// An answer and those joined to it, and the place of the last one.
    pub(super) fn group(&self, first: usize, end: usize) -> (Vec<i32>, usize) {
        let (mut options, mut last) = (vec![self.items[first].option], first);
        while options.len() < NEAR {
            let (mut j, mut joins, mut comma) = (last + 1, false, false);
            while j < end.min(last + 1 + NEAR) {
                let item = &self.items[j];
                if item.is_mark(")]}>([{.:") {
                    if item.is_mark(".:") && j > last + 1 {
                        break;
                    }
                } else if item.is_mark("/&+,") {
                    (joins, comma) = (true, item.mark == ',');
                } else if item.is(OR) || item.is(AND) && !item.is(NOT) {
                    (joins, comma) = (true, false);
                } else {
                    let between =
                        joins && item.is(NOUN | LINK | HEDGE) && !item.is(NOT | BUT | WAIT | WEAK)
                            || !joins && item.is(NOUN);
                    let again =
                        !joins && item.is_answer() && item.option == self.items[last].option;
                    if !between && !again {
                        break;
                    }
                }
                j += 1;
            }
            let near = j < end.min(last + 1 + NEAR);
            let Some(item) = self.items.get(j).filter(|item| near && item.is_answer()) else {
                break;
            };
            let is_letter = |item: &Item| item.what == What::Letter;
            let before = &self.items[last];
            let touches =
                is_letter(item) && is_letter(before) && (j == last + 1 || item.sure && before.sure);
            if !(joins || touches) {
                break;
            }
            if comma {
                // After a comma, only an answer that ends there or continues as a list is joined.
                let at = |j: usize| self.items.get(j).filter(|_| j < end);
                let next = if at(j + 1).is_some_and(|i| i.is_mark(")]}")) {
                    at(j + 2)
                } else {
                    at(j + 1)
                };
                // "A, B, C는 아니므로": a particle and a denial after the last of three.
                let denies = |next: &Item| {
                    next.is(NOT)
                        || next.is(IS | LINK) && at(j + 2).is_some_and(|after| after.is(NOT))
                };
                let denied = options.len() > 1 && next.is_some_and(denies);
                if !denied && next.is_some_and(|i| !i.is_mark(",/") && !i.is(OR | AND)) {
                    break;
                }
            }
            options.push(item.option);
            last = j;
        }
        (options, last)
    }
}
