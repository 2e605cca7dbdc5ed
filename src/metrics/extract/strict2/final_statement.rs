//! What the first or the last sentence of a text states.

use std::collections::{HashMap, HashSet};

use super::bare_words::{units, words};
use super::decide::{Asked, weigh};
use super::items::{Item, LONG, What};
use super::options::SEVERAL;
use super::reader::{Event, Reader};
use super::restatement::Question;
use super::why::Why;
use super::words::{CUE, FINAL, IS, LINK, NOT, SO};
use crate::extract::reading::Read;

/// The letters that are said to be the answer.
pub(super) fn stated(events: &[Event]) -> Vec<i32> {
    let explicit = |event: &Event| match event {
        Event::Commits {
            option,
            explicit: true,
            ..
        } => Some(*option),
        _ => None,
    };
    let mut found: Vec<i32> = events.iter().filter_map(explicit).collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// "So he must stop", "Answer: B": what the last sentence concludes or states, if none of the
/// letters that are said to be the answer `before` is another.
pub(super) fn last_statement(
    asked: &Asked<'_>,
    question: &Question,
    reader: &Reader<'_>,
    sentences: &[(usize, usize, bool)],
    before: &[i32],
) -> Option<(Read, Why)> {
    let [_, .., (start, _, false)] = sentences else {
        return None;
    };
    let rest = &reader.items[*start..];
    let first = rest.first()?;
    let (read, why, _, told) = weigh(asked, question, rest, reader.text);
    if let Read::Option(at) = read {
        let one = i32::try_from(at).unwrap_or(i32::MAX);
        let concludes = first.is(SO) && !first.is(NOT);
        let letters = rest.iter().any(|i| i.what == What::Letter);
        let states = told == [one] && letters && why == Why::Statement;
        let agrees = before.iter().all(|other| *other == one) && !reader.is_mismatched(one);
        return (agrees && (concludes || states)).then_some((read, why));
    }
    let is_letter = |text: &str| text.trim().chars().count() == 1;
    if told == [SEVERAL]
        && reader.items[*start - 1].what == What::Line
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
    let last = all[..end].iter().rposition(is_answer)?;
    if asks
        || answers.any(|i| i.option != option)
        || all[last].what != What::Text
        || !all.get(end).is_some_and(|i| i.is_mark(".。"))
        || reader.is_negated(start, end)
        || end - start > LONG
    {
        return None;
    }
    let told = all[start..last].iter().any(|i| i.what == What::Word);
    let joins = |i: &Item| i.what == What::Mark || i.is(IS | LINK | CUE);
    let closes = all[last + 1..end].iter().all(joins);
    let tokens = all[start].token..all[last].token;
    let said: Vec<&str> = tokens.map(|token| reader.text.at(token)).collect();
    let said = units(&words(&said.join(" ")));
    (told && closes && question.echoes(&said)).then_some(option)
}
