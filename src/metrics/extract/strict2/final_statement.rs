//! What the first or the last sentence of a text states.

use std::collections::{HashMap, HashSet};

use super::bare_words::{is_same, units, words};
use super::decide::{Asked, weigh};
use super::how_stated::stated;
use super::items::{Item, LONG, What};
use super::lists::NAMES;
use super::options::SEVERAL;
use super::reader::{Event, Reader, Stated};
use super::restatement::Question;
use super::why::Why;
use super::words::{BUT, CUE, FINAL, HEDGE, IS, LINK, NOT, OPEN, OR, REASON, SO, THOUGH};
use crate::extract::reading::Read;

/// "So he must stop", "Answer: B": what the last sentence that says anything of an option concludes
/// or states, if nothing `before` it states another.
pub(super) fn last_statement(
    asked: &Asked<'_>,
    question: &Question,
    reader: &Reader<'_>,
    (start, end, asks): (usize, usize, bool),
    before: &[Event],
) -> Option<(Read, Why)> {
    let rest = &reader.items[start..];
    let first = rest.first().filter(|_| !asks)?;
    let last = weigh(asked, question, rest, reader.text);
    if let Read::Option(at) = last.read {
        let one = i32::try_from(at).unwrap_or(i32::MAX);
        let concludes = first.is(SO) && !first.is(NOT);
        let letter = |i: &Item| i.what == What::Letter;
        let only = last.stated == [one] && (rest.iter().any(letter) || last.answers == last.stated);
        let own = |i: &Item| letter(i) && i.option == one;
        let concluded = concludes && reader.items[start..end].iter().any(own);
        let states = last.why == Why::Statement && (only || concluded);
        // What is only reasoned before an answer may name other options.
        let least = match states {
            true => Stated::AsAnswer,
            false => Stated::ForItself,
        };
        let agrees = stated(before, least).iter().all(|other| *other == one);
        let denies = question.denies || question.inverse;
        let found = agrees && (denies || !reader.is_mismatched(one)) && (concludes || states);
        return found.then_some((last.read, last.why));
    }
    let is_letter = |text: &str| text.trim().chars().count() == 1;
    if last.stated == [SEVERAL]
        && reader.items[start - 1].what == What::Line
        && first.is(CUE | FINAL)
        && rest.len() < 5
        && asked.options.iter().all(|option| is_letter(&option.text))
    {
        // "Answer: A" where the options are letters themselves.
        let place = rest.iter().find(|i| i.what == What::Letter)?.place;
        let at = usize::try_from(place)
            .ok()
            .filter(|_| place < asked.count)?;
        return Some((Read::Option(at), Why::Statement));
    }
    None
}

/// Whether a text says the same sentence of one option and of another in turn.
pub(super) fn loops(reader: &Reader<'_>, sentences: &[(usize, usize, bool)]) -> bool {
    if sentences.len() < 3 {
        return false;
    }
    let mut said: HashMap<Vec<&str>, Vec<i32>> = HashMap::new();
    for (start, end, asks) in sentences {
        let all = &reader.items[*start..*end];
        let mut texts = all.iter().filter(|i| i.what == What::Text);
        let (Some(one), None) = (texts.next(), texts.next()) else {
            continue;
        };
        if *asks || all.len() < 4 || all.iter().any(|i| i.is(NOT) && !i.is(LINK)) {
            continue;
        }
        let word = |i: &Item| match i.what {
            What::Text => "",
            _ => reader.text.at(i.token),
        };
        let frame = all.iter().map(word).collect();
        said.entry(frame).or_default().push(one.option);
    }
    said.values().any(|options| {
        let turns = options.windows(2).filter(|pair| pair[0] != pair[1]);
        turns.count() > 1 && options.iter().collect::<HashSet<_>>().len() < options.len()
    })
}

/// The option that the first sentence says it is, if a text that is cut off later names no other:
/// "It is called pho. It is a soup of".
pub(super) fn begun(
    question: &Question,
    reader: &Reader<'_>,
    (start, end, asks): (usize, usize, bool),
) -> Option<i32> {
    let all = reader.items;
    let is_answer = |i: &Item| i.is_answer() && !reader.is_article(i);
    let mut answers = all.iter().filter(|i| is_answer(i));
    let option = answers.next()?.option;
    let (first, last) = (
        all[..end].iter().position(is_answer)?,
        all[..end].iter().rposition(is_answer)?,
    );
    let only = end == all.len();
    let ends = match only {
        true => question.asks_name,
        false => all[end].is_mark(".。"),
    };
    if asks
        || answers.any(|i| i.option != option)
        || all[first].what != What::Text
        || !ends
        || end - start > LONG
    {
        return None;
    }
    // "It is pho, which is": what follows a comma is said of it.
    let k = if question.asks_name { last } else { first };
    let comma = (k + 1..end).find(|j| all[*j].is_mark(","));
    let stop = comma.unwrap_or(end);
    let open = |i: &Item| i.is(NOT | HEDGE | OPEN | OR | BUT | THOUGH) && !i.is(LINK | REASON | IS);
    let turns = all[start..end.min(stop + 2)].iter().any(open);
    if turns || reader.is_conditional(start) {
        return None;
    }
    if question.asks_name && (only || comma.is_some()) {
        // Of a sentence that goes on or breaks off: "It is called pho, a soup", and not "Compared
        // to pho, it".
        let thai = |i: &Item| {
            let token = &reader.text.tokens[i.token];
            token.blank
                && reader
                    .text
                    .at(i.token)
                    .starts_with(|c| ('\u{e00}'..='\u{e7f}').contains(&c))
        };
        let breaks = comma.is_some() || k + 1 < end && thai(&all[k + 1]);
        if only && !(breaks && reader.is_named(k, start, question)) {
            return None;
        }
        let follows = k > 0 && matches!(all[k - 1].what, What::Word | What::Mark);
        if !follows && !all[start..k].iter().any(|i| i.is(IS | CUE)) {
            return None;
        }
    }
    let told = all[start..first.max(start)]
        .iter()
        .any(|i| i.what == What::Word);
    if told && question.asks_name {
        return Some(option);
    }
    let joins = |i: &Item| i.what == What::Mark || i.is(IS | LINK | CUE);
    let behind = if comma.is_some() { k } else { last };
    let closes = all[behind + 1..stop].iter().all(joins);
    let tokens = all[start].token..all[k].token;
    let said: Vec<&str> = tokens.map(|token| reader.text.at(token)).collect();
    let said = units(&words(&said.join(" ")));
    (told && closes && question.echoes(&said)).then_some(option)
}

impl Reader<'_> {
    /// Whether the words before a text say that something is it, or is called so.
    fn is_named(&self, k: usize, start: usize, question: &Question) -> bool {
        let particle = |i: &Item| i.is(LINK) && !i.is(IS | CUE);
        let Some(mut at) = k.checked_sub(1) else {
            return false;
        };
        while at > start && particle(&self.items[at]) {
            at -= 1;
        }
        if at < start {
            return false;
        }
        let item = &self.items[at];
        let word = self.text.at(item.token);
        let calls = |name: &String| {
            let name = name.trim();
            let mut begins = [0u8; 4];
            let first = name.chars().next().map(|c| &*c.encode_utf8(&mut begins));
            is_same(word, name) || first == Some(word)
        };
        item.is(IS | CUE) || item.what == What::Word && question.lists[NAMES].iter().any(calls)
    }
}
