//! The context of an answer in its sentence.

use super::items::{Item, What};
use super::reader::Reader;
use super::words::{
    AND, BUT, CUE, FINAL, HEDGE, IF, IS, LEAN, LINK, MID, MILD, NO, NOT, NOUN, OR, OVER, REASON,
    RIGHT, SO, WAIT, WEAK, YES,
};

/// Maximum number of words and marks that are examined around an answer.
pub(super) const NEAR: usize = 64;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Left {
    /// "The answer is".
    Cued,
    /// "Not".
    Denied,
    /// "Maybe".
    Hedged,
    /// "Maybe it is".
    Leaned,
    /// "Wait,".
    Back,
    /// "But", after a denial.
    Turned,
    /// "Option".
    Named,
    /// Start of the sentence.
    Start,
    /// "If".
    Condition,
    Comma,
    Other,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Right {
    /// End of the clause.
    End,
    /// "Is correct".
    After,
    /// "Is wrong".
    Not,
    /// "Is possible".
    Hedge,
    If,
    Comma,
    Reason,
    Or,
    /// The text of another option.
    Text,
    Word,
}

impl Reader<'_> {
    /// The context before the answer at `first`, and the place of the deciding item.
    pub(super) fn left(&self, first: usize, start: usize) -> (Left, usize) {
        let (mut flags, mut colon, mut k) = (0, false, first);
        let stop = start.max(first.saturating_sub(NEAR));
        let mut broke = false;
        while k > stop {
            k -= 1;
            let item = &self.items[k];
            match item.what {
                What::Mark if item.mark == ',' && flags & SO != 0 => return (Left::Cued, k + 1),
                What::Mark if item.mark == ',' && flags & NOUN != 0 => {
                    let states = flags & RIGHT != 0 && flags & IS != 0;
                    return (if states { Left::Cued } else { Left::Named }, k);
                }
                What::Mark if item.mark == ',' => {
                    let before = k
                        .checked_sub(1)
                        .filter(|b| *b >= start)
                        .map(|b| self.items[b])
                        .filter(|b| b.what == What::Phrase);
                    let Some(before) = before else {
                        return (
                            if flags & IS != 0 {
                                Left::Turned
                            } else {
                                Left::Comma
                            },
                            k,
                        );
                    };
                    let takes_back = before.is(WAIT | WEAK);
                    if flags == 0
                        && before.is(SO | WAIT | WEAK | FINAL | CUE)
                        && (!before.is(NOT) || takes_back)
                    {
                        continue;
                    }
                    if takes_back {
                        return (Left::Back, k);
                    }
                    if before.is(SO) && !before.is(NOT) && flags & (RIGHT | CUE) != 0 {
                        return (Left::Cued, k - 1);
                    }
                    let dense = self.text.tokens[before.token].script == 3 && !before.is(NOT | CUE);
                    let turned =
                        before.is(BUT) && (before.is(NOT) && self.follows(k - 1, start) || dense);
                    return (
                        if flags & IS != 0 || turned {
                            Left::Turned
                        } else {
                            Left::Comma
                        },
                        k,
                    );
                }
                What::Mark if matches!(item.mark, ':' | '=') => colon = true,
                What::Mark if "([{<>-|/)]}".contains(item.mark) => {}
                What::Line => {}
                What::Phrase if self.is_part_of(k, start) => broke = true,
                What::Phrase => match self.left_phrase(k, (first, start), flags, colon) {
                    Some(found) => return (found, k),
                    None if item.is(LINK | IS | NOUN | RIGHT) => {
                        flags |= item.mask;
                        if item.is(HEDGE) && !item.is(LINK | NOUN) {
                            return (Left::Hedged, k);
                        }
                    }
                    None => broke = true,
                },
                _ => broke = true,
            }
            if broke {
                break;
            }
        }
        let has = |mask: u32| flags & mask != 0;
        let from = if broke { k + 1 } else { k };
        // "Analysis:", "Option A, which": a heading above does not make the option the answer.
        let beside = colon && !self.items[from..first].iter().any(|i| i.what == What::Line);
        if has(RIGHT) && (has(IS | NOUN | CUE) || colon) || has(NOUN) && (has(IS) || beside) {
            return (Left::Cued, from);
        }
        if has(NOUN) {
            return (Left::Named, if broke { k } else { k.saturating_sub(1) });
        }
        if !broke && k == start {
            return (Left::Start, k);
        }
        if has(IS) && broke && self.items[k].what != What::Phrase {
            // "The answer to the question in the picture is B"
            let mut back = k + 1;
            while back > start && first - (back - 1) < 16 {
                back -= 1;
                let item = &self.items[back];
                let ends = item.what == What::Mark && item.mark != '-'
                    || item.is_answer()
                    || matches!(item.what, What::Line | What::Opens | What::Closes);
                if ends || item.is(NOT | HEDGE | IF) && !item.is(LINK) {
                    break;
                }
                if item.is(CUE | FINAL | RIGHT) && !item.is(LINK) {
                    return (Left::Cued, back);
                }
            }
        }
        (Left::Other, k)
    }

    /// The effect of a phrase before an answer. `None` if the phrase may stand between, or ends the
    /// context.
    fn left_phrase(
        &self,
        k: usize,
        (first, start): (usize, usize),
        flags: u32,
        colon: bool,
    ) -> Option<Left> {
        let item = &self.items[k];
        if item.is(WAIT | WEAK) && k + 1 < first && self.items[k + 1].is_mark(",") {
            return Some(Left::Back);
        }
        if item.is(BUT) && !item.is(CUE) && k > start && self.items[k - 1].is_mark(",") {
            // "No, it should be B" withdraws the earlier answer.
            let takes_back = k > start + 1 && self.items[k - 2].is(WAIT);
            return Some(if takes_back { Left::Back } else { Left::Turned });
        }
        if item.is(BUT)
            && item.is(LINK)
            && !item.is(CUE | NOT)
            && k > start
            && self.items[k - 1].is_answer()
        {
            return Some(Left::Turned);
        }
        if item.is(NO) && item.is(WEAK) && k + 1 == first {
            // "No bear", in contrast to "No, bear".
            return Some(Left::Denied);
        }
        let is_sign = item.is(NOT | RIGHT) && matches!(self.text.at(item.token), "✓" | "✗");
        if is_sign
            && k > start
            && (self.items[k - 1].is_answer() || self.items[k - 1].is_mark(")].:-"))
        {
            // "A ✗ B ✓": a mark belongs to the letter before it.
            return Some(Left::Comma);
        }
        if item.is(OVER) && !colon && (self.is_wide(k) || self.follows(k, start)) {
            return Some(Left::Denied);
        }
        if item.is(NOT) && !item.is(RIGHT | IS | REASON) {
            let turned = item.is(BUT) && self.follows(k, start);
            return Some(if turned { Left::Turned } else { Left::Denied });
        }
        if item.is(CUE | FINAL | SO) && (!item.is(LINK) || item.is(FINAL)) {
            return Some(Left::Cued);
        }
        if item.is(LINK | IS | NOUN | RIGHT) {
            return None;
        }
        let hedged = if item.is(LEAN) && flags & IS != 0 {
            Left::Leaned
        } else {
            Left::Hedged
        };
        let kinds = [
            (HEDGE, hedged),
            (WAIT | WEAK, Left::Back),
            (BUT, Left::Turned),
            (IF, Left::Condition),
        ];
        let kind = kinds
            .into_iter()
            .find(|(mask, _)| item.is(*mask))
            .map(|(_, left)| left);
        kind.or_else(|| (item.is(OR) && k == start).then_some(Left::Hedged))
    }

    /// Whether a cue follows a preposition: "part of it is".
    fn is_part_of(&self, k: usize, start: usize) -> bool {
        let item = &self.items[k];
        let before = k
            .checked_sub(1)
            .filter(|at| *at >= start)
            .map(|at| &self.items[at]);
        item.is(MILD)
            && item.is(CUE | FINAL | SO)
            && (!item.is(LINK) || item.is(FINAL))
            && !item.is(WAIT | WEAK | OVER | NOT)
            && (item.is(CUE) || !item.is(BUT))
            && before.is_some_and(|b| b.is(MID) && b.is(LINK) && !b.is(AND | BUT | SO | CUE))
    }

    /// Whether nothing follows a judging mark: "D: ○".
    fn is_sign(&self, k: usize, end: usize) -> bool {
        k + 1 >= end || self.items[k + 1].what == What::Line || self.items[k + 1].is_mark(",.)")
    }

    /// Whether a phrase has more than one word.
    pub(super) fn is_wide(&self, k: usize) -> bool {
        let stop = self
            .items
            .get(k + 1)
            .map_or(self.text.tokens.len(), |next| next.token);
        stop - self.items[k].token > 1
    }

    /// The context after the answer that ends at `last`. `bare` is a letter without brackets and
    /// marks.
    pub(super) fn right(&self, last: usize, end: usize, option: i32, bare: bool) -> Right {
        let (mut flags, mut mark, mut after, mut k) = (0, false, None, last + 1);
        let or = |after: Option<Right>, other: Right| after.unwrap_or(other);
        let states = |i: &Item| i.is(RIGHT) || i.is(CUE | FINAL) && !i.is(LINK | IS | NOUN);
        while k < end && k - last <= NEAR {
            let item = &self.items[k];
            match item.what {
                What::Mark if ")]}>-:.=".contains(item.mark) => mark = true,
                What::Mark if flags == 0 && "○◯√×✕".contains(item.mark) && self.is_sign(k, end) =>
                {
                    return if "×✕".contains(item.mark) {
                        Right::Not
                    } else {
                        Right::After
                    };
                }
                What::Mark if item.mark == '(' => {
                    let inner = self
                        .items
                        .get(k + 1)
                        .filter(|i| k + 1 < end && i.is_answer() && i.option == option);
                    if inner.is_none() {
                        // "A (100)" is a product.
                        let factor = bare && !mark && self.is_number(k + 1, end);
                        let other = if factor { Right::Word } else { Right::End };
                        return or(after, other);
                    }
                    k += 1;
                }
                What::Mark if item.mark == ',' => return or(after, Right::Comma),
                What::Letter | What::Text if item.option != option => {
                    let other = if item.what == What::Text {
                        Right::Text
                    } else {
                        Right::Word
                    };
                    return or(after, other);
                }
                What::Letter | What::Text => mark = true,
                What::Mark => return or(after, named(flags)),
                What::Line => return or(after, Right::End),
                What::Word | What::Opens | What::Closes => return or(after, Right::Word),
                What::Phrase => {
                    let next = self.items.get(k + 1).filter(|_| k + 1 < end);
                    let closes = next.is_none_or(|i| matches!(i.what, What::Mark | What::Line));
                    let verdict = (mark || next.is_none())
                        && flags == 0
                        && closes
                        && !item.is(IS | RIGHT | LINK);
                    // "C. Both lines rise": the words of an option or a reason.
                    let begins = mark && !bare && after.is_none() && self.items[last].label;
                    let ends = match item {
                        i if i.is(OVER)
                            && (self.is_wide(k) || next.is_some_and(Item::is_answer)) =>
                        {
                            Some(Right::After)
                        }
                        i if i.is(NOT) => Some(Right::Not),
                        // If the question asks for what is missing, "yes" and "no" in a list mean
                        // little.
                        i if verdict && self.denies && i.is(YES | NO) => Some(Right::Word),
                        // "B: yes" in a list of verdicts.
                        i if verdict && i.is(YES) => Some(Right::After),
                        i if verdict && i.is(NO) => Some(Right::Not),
                        i if i.is(HEDGE)
                            && begins
                            && next.is_some_and(|i| i.what == What::Word) =>
                        {
                            Some(Right::End)
                        }
                        i if i.is(HEDGE) && !i.is(LINK | IS | NOUN | REASON) => {
                            Some(or(after, Right::Hedge))
                        }
                        i if i.is(IF) && !i.is(LINK | IS | REASON) => Some(Right::If),
                        i if i.is(REASON) && !i.is(IS | NOUN) => Some(or(after, Right::Reason)),
                        // "8 gives 12"
                        i if i.is(MILD) && i.is(CUE) && !i.is(RIGHT | IS | LINK | NOUN) => {
                            Some(or(after, Right::Word))
                        }
                        // "It is" ends a clause: "B it is".
                        i if states(i) && i.is(BUT) && !closes => Some(or(after, Right::Word)),
                        i if states(i) => {
                            let joins = flags & IS != 0 || item.is(IS) || self.is_wide(k);
                            let other_script = self.text.tokens[item.token].script != 1;
                            let closes = closes && !self.is_article(&self.items[last]);
                            if joins || mark || !bare || other_script || closes {
                                after = Some(Right::After);
                                None
                            } else {
                                after.is_none().then_some(Right::Word)
                            }
                        }
                        i if i.is(IS | LINK | NOUN) => {
                            flags |= item.mask;
                            mark = mark || item.is(NOUN) && !self.is_article(&self.items[last]);
                            None
                        }
                        i if i.is(OR) => Some(or(after, Right::Or)),
                        i if i.is(BUT) && self.items[k - 1].is_mark("-") => {
                            Some(or(after, Right::Comma))
                        }
                        i if i.is(SO | WAIT | WEAK | BUT | AND) => Some(or(after, Right::End)),
                        _ => Some(or(after, Right::Word)),
                    };
                    if let Some(ends) = ends {
                        return ends;
                    }
                }
            }
            k += 1;
        }
        or(
            after,
            if k > last + 2 {
                named(flags)
            } else {
                Right::End
            },
        )
    }
}

/// "Midnight is the most likely option": what follows, if it is only that.
fn named(flags: u32) -> Right {
    if flags & IS != 0 && flags & NOUN != 0 {
        Right::After
    } else {
        Right::End
    }
}
