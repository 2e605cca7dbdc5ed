//! Reads yes or no, in the words of every language of the table.

use super::asking::first_line;
use super::context::Left;
use super::cut_off::is_cut_off;
use super::items::{Item, What, items, refuses, sentences};
use super::letters::Labels;
use super::options::Options;
use super::reader::Reader;
use super::tokens::{Kind, Text};
use super::why::Why;
use super::words::{
    AND, BUT, FINAL, HEDGE, IF, IS, LINK, NO, NO_WORD, OPEN, OR, PLAIN, REASON, SO, WAIT, WEAK,
    YES, YES_WORD, words,
};
use super::yes_no_statements::stated;
use crate::extract::reading::Read;

/// The reading so far.
#[derive(Default)]
struct YesNoState {
    now: Option<bool>,
    back: bool,
    conflict: bool,
    seen: bool,
    strength: u8,
    /// Whether the rest may replace it: "Yes... no".
    weak: bool,
    /// Whether it is open: "Yes, if".
    open: bool,
    /// Where it is last withdrawn.
    turns_at: Option<usize>,
}

/// Yes (true) or no.
fn says(item: &Item) -> Option<bool> {
    let (yes, no) = (item.is(YES | YES_WORD), item.is(NO | NO_WORD));
    (!item.is(OPEN) && yes != no).then_some(yes)
}

pub(super) fn read(question: &str, said: &str) -> (Read, Why) {
    let mut text = Text::new(said);
    let rest = text.tokens.get(1..).unwrap_or_default();
    if rest.len() < 2
        && rest.iter().all(|token| token.kind == Kind::Mark)
        && matches!(text.at(0), "y" | "n")
    {
        return (
            if text.at(0) == "y" {
                Read::Yes
            } else {
                Read::No
            },
            Why::Statement,
        );
    }
    let first = Text::new(first_line(question));
    text.languages = words().languages(&text, &first, words().languages_of_question(&first));
    let found = items(&text, &Options::default(), &Labels::default());
    let reader = Reader::new(&found, &text);
    let mut word = YesNoState::default();
    let sentences = sentences(&found);
    for (at, sentence) in sentences.iter().enumerate() {
        word.sentence(&reader, *sentence, at == 0);
        if word.open {
            return (Read::Unparsed, Why::Hedge);
        }
    }
    let of_statement = |said: &str| match stated(question, said) {
        Some(true) => Some((Read::Yes, Why::Statement)),
        Some(false) => Some((Read::No, Why::Statement)),
        None => None,
    };
    if let Some(next) = word
        .turns_at
        .and_then(|at| found.get(at + 1))
        .filter(|_| word.seen)
    {
        // The part after a correction: "Yes. Sorry, there is no train."
        match of_statement(&text.from(next.token)) {
            Some(later) => return later,
            None if word.back => return (Read::Unparsed, Why::Withdrawn),
            None => {}
        }
    }
    match word {
        YesNoState {
            seen: true,
            conflict: true,
            ..
        } => (Read::Unparsed, Why::Contradiction),
        YesNoState {
            seen: true,
            now: None,
            ..
        } => (Read::Unparsed, Why::Hedge),
        YesNoState {
            seen: true,
            back: true,
            ..
        } => (Read::Unparsed, Why::Withdrawn),
        YesNoState {
            seen: true,
            now: Some(true),
            ..
        } => (Read::Yes, Why::Statement),
        YesNoState {
            seen: true,
            now: Some(false),
            ..
        } => (Read::No, Why::Statement),
        _ => {
            let whole = !is_cut_off(&found, &text, &sentences);
            let stated = whole.then(|| of_statement(said)).flatten();
            let refused = || refuses(&found).then_some((Read::Refused, Why::Refusal));
            stated
                .or_else(refused)
                .unwrap_or((Read::Unparsed, Why::Nothing))
        }
    }
}

impl YesNoState {
    fn sentence(
        &mut self,
        reader: &Reader<'_>,
        (start, end, question): (usize, usize, bool),
        first: bool,
    ) {
        let found = reader.items;
        let plain = |i: &Item| matches!(i.what, What::Mark | What::Line);
        let (mut k, mut looked, mut leads) = (start, start, true);
        let before = |at: usize| start.checked_sub(at).map(|at| &found[at]);
        let trails = start > 1
            && (before(1).is_some_and(|i| i.is_mark("…"))
                || [1, 2]
                    .iter()
                    .all(|at| before(*at).is_some_and(|i| i.is_mark("."))));
        let turns = found[start].is(WEAK) && says(&found[start]).is_none();
        self.weak = self.now.is_some() && (trails || turns);
        while k < end {
            let item = &found[k];
            if item.what == What::Opens {
                k = self.boxed(found, k, end);
                continue;
            }
            if item.what != What::Phrase {
                k += 1;
                continue;
            }
            leads = leads
                && found[looked..k]
                    .iter()
                    .all(|i| plain(i) || i.is(SO | LINK) && !i.is(YES | NO));
            looked = k;
            let begins = k == start
                || plain(&found[k - 1])
                || found[k - 1].is(WAIT | WEAK)
                || item.is(WAIT) && found[k - 1].is(BUT);
            let next = found.get(k + 1).filter(|_| k + 1 < end);
            let closed = next.is_none_or(|i| {
                (plain(i) || i.what == What::Closes) && !i.is_mark("/")
                    || i.is(REASON | YES | NO | IS) && !i.is(OPEN | OR)
            });
            let thai = next.is_some_and(|i| reader.text.tokens[i.token].blank)
                && reader
                    .text
                    .at(item.token)
                    .starts_with(|c| ('\u{e00}'..='\u{e7f}').contains(&c));
            let closed = closed || thai;
            let left = || reader.left(k, start);
            // "Yes, possibly" is open; "yes, a house, possibly an office" is not.
            let answers = k > start && !plain(&found[k - 1])
                || k > start + 1 && says(&found[k - 2]).is_some();
            let begins_open = begins && (k == start || answers || next.is_none_or(plain));
            if item.is(OPEN)
                && !item.is(PLAIN)
                && (leads || begins_open || matches!(left().0, Left::Cued | Left::Hedged))
            {
                if self.now.is_some() || leads {
                    let (conflict, weak, turns_at) = (self.conflict, self.weak, self.turns_at);
                    *self = YesNoState {
                        seen: true,
                        conflict,
                        weak,
                        turns_at,
                        ..YesNoState::default()
                    };
                }
                k += 1;
                continue;
            }
            let word = says(item);
            if let Some(yes) = word.filter(|_| !question) {
                let (left, at) = left();
                let commits = match left {
                    Left::Cued if reader.clause(at, start).is_none() => closed,
                    _ if leads && first => closed || item.is(YES_WORD | NO_WORD),
                    _ if leads => closed && next.is_none_or(plain),
                    Left::Back if self.back || self.weak || self.now.is_none() => closed,
                    _ if begins && k > start && self.back => closed,
                    // "In the picture, yes."
                    _ => {
                        let marked = k > start && found[k - 1].is_mark(",-");
                        let ends = item.is(YES_WORD) || next.is_none_or(|i| i.what == What::Mark);
                        let free = self.now.is_none() || self.weak || self.back;
                        item.is(YES | NO)
                            && marked
                            && ends
                            && free
                            && !reader.is_negated(start, k)
                            && closed
                    }
                };
                let after = found.get(k + 2).filter(|_| k + 2 < end);
                if commits
                    && next.is_some_and(|i| i.is_mark(","))
                    && after.is_some_and(|i| i.is(IF) && !i.is(LINK | REASON | HEDGE | YES | NO))
                {
                    self.open = true;
                    return;
                }
                let joined = next.is_some_and(|i| i.is(OR | AND) && !i.is(REASON | YES | NO));
                if commits && !joined {
                    if next.and_then(says) == Some(!yes) && after.and_then(says) == Some(yes) {
                        // "Yes No Yes No"
                        self.open = true;
                        return;
                    }
                    self.commits(
                        yes,
                        if left == Left::Cued && found[at].is(FINAL) {
                            3
                        } else {
                            2
                        },
                    );
                    k += 1;
                    continue;
                }
            }
            if item.is(WEAK) && k == start && word.is_none() && self.now.is_some() {
                self.turns_at = Some(k);
            }
            if begins && (item.is(WAIT) || item.is(WEAK) && k > start && word.is_none()) {
                if self.now.is_some() {
                    (self.back, self.turns_at) = (true, Some(k));
                }
                self.seen = self.seen || item.is(WAIT) && self.now.is_some();
            }
            k += 1;
        }
    }

    fn commits(&mut self, yes: bool, strong: u8) {
        if self.now.is_none_or(|now| now == yes) || self.back || self.weak || strong > self.strength
        {
            self.turns_at = None;
            self.conflict = self.conflict && self.now == Some(yes);
            self.strength = if self.now == Some(yes) {
                strong.max(self.strength)
            } else {
                strong
            };
            (self.now, self.back, self.seen) = (Some(yes), false, true);
        } else if strong == self.strength {
            self.conflict = true;
        }
    }

    /// Reads the content of a box. Returns where to continue.
    fn boxed(&mut self, found: &[Item], k: usize, end: usize) -> usize {
        let rest = &found[k + 1..end];
        let inner = &rest[..rest
            .iter()
            .position(|i| i.what == What::Closes)
            .unwrap_or(rest.len())];
        let mut words = inner
            .iter()
            .filter(|i| !matches!(i.what, What::Mark | What::Line));
        if let (Some(word), None) = (words.next(), words.next())
            && let Some(yes) = says(word)
        {
            let conflict = self.strength == 3 && self.now.is_some_and(|now| now != yes);
            *self = YesNoState {
                now: Some(yes),
                conflict,
                seen: true,
                strength: 3,
                ..YesNoState {
                    weak: self.weak,
                    turns_at: self.turns_at,
                    ..YesNoState::default()
                }
            };
        }
        k + inner.len() + 2
    }
}
