//! Decides the answer from all statements of an output about the options.

use std::collections::HashSet;

use super::cut_off::is_cut_off;
use super::final_statement::{begun, last_statement, loops};
use super::how_stated::stated;
use super::items::{Item, LONG, What, refuses, sentences};
use super::options::bare_numbers;
use super::reader::{Event, NUMBER, Reader, Stated};
use super::restatement::{Question, echoed};
use super::tokens::Text;
use super::why::Why;
use crate::extract::reading::Read;
use benchtop_model::Choice;

/// The last option that the output commits to; `None` if it commits to none.
fn committed(events: &[Event], count: i32) -> Option<(Read, Why)> {
    let mut labels: Vec<i32> = events.iter().filter_map(label).collect();
    labels.sort_unstable();
    labels.dedup();
    let is_list = labels.len() > 1;
    let (mut current, mut strength): (Option<i32>, u8) = (None, 0);
    let (mut conflict, mut seen) = (false, false);
    // Whether the answer was withdrawn, whether certainly so, and whether it is open.
    let (mut back, mut surely, mut open) = (false, false, false);
    // Whether the answer is stated by itself.
    let mut plain = false;
    for event in events {
        match event {
            Event::Commits {
                listed: true,
                stated: Stated::Loosely,
                ..
            } if is_list => {}
            Event::Commits {
                option,
                strength: strong,
                stated,
                ..
            } => {
                (seen, open) = (true, false);
                if current.is_none_or(|current| current == *option) || back || *strong > strength {
                    // A conflict is resolved by a conclusion or by withdrawing the earlier answer.
                    conflict = conflict && !back && *strong <= strength;
                    strength = match *strong {
                        NUMBER => 1,
                        strong if current == Some(*option) => strength.max(strong),
                        strong => strong,
                    };
                    plain = *stated > Stated::Loosely || plain && current == Some(*option);
                    (current, back, surely) = (Some(*option), false, false);
                } else if *strong == strength {
                    conflict = true;
                }
            }
            Event::Leaves { options, aside, .. }
                if plain && current.is_some_and(|now| aside.spares(now, options)) => {}
            Event::Leaves {
                options,
                mentions: false,
                ..
            } => {
                if let Some(now) = current {
                    conflict = conflict && options.iter().all(|option| *option == now);
                    (current, strength, open) = (None, 0, true);
                }
            }
            Event::Denies(option) if current == Some(*option) => (current, strength) = (None, 0),
            Event::TakesBack => (back, surely) = (true, true),
            Event::Turns if current.is_some() => back = true,
            _ => {}
        }
    }
    let read = match current {
        _ if !seen => return None,
        _ if conflict => (Read::Unparsed, Why::Contradiction),
        Some(_) if surely => (Read::Unparsed, Why::Withdrawn),
        None if open => (Read::Unparsed, Why::Hedge),
        None => (Read::Unparsed, Why::Withdrawn),
        Some(option) if option == super::options::SEVERAL => (Read::Unparsed, Why::Contradiction),
        Some(option) if option == super::options::UNCLEAR => (Read::Unparsed, Why::Alphabet),
        Some(option) if option >= count => (Read::Unparsed, Why::Beyond),
        Some(option) => (Read::Option(option.unsigned_abs() as usize), Why::Statement),
    };
    Some(read)
}

fn label(event: &Event) -> Option<i32> {
    match event {
        Event::Labels(option)
        | Event::Commits {
            option,
            listed: true,
            ..
        } => Some(*option),
        _ => None,
    }
}

/// The common value; `Some(None)` if values differ, `None` if there are none.
fn only(mut of: impl Iterator<Item = i32>) -> Option<Option<i32>> {
    let first = of.next()?;
    Some(of.all(|other| other == first).then_some(first))
}

/// The relevant parts of the question.
pub(super) struct Asked<'a> {
    pub(super) options: &'a [Choice],
    /// Number of letters that stand for options.
    pub(super) count: i32,
}

/// The answer in these items. If an answer is withdrawn, the text after that counts if it is an
/// answer on its own.
pub(super) fn answer(
    asked: &Asked<'_>,
    question: &Question,
    items: &[Item],
    text: &Text,
) -> (Read, Why) {
    let whole = weigh(asked, question, items, text);
    let rest = whole.turns_at.and_then(|at| items.get(at + 1..));
    match rest.map(|rest| weigh(asked, question, rest, text).read) {
        Some(later @ Read::Option(_)) => (later, Why::Statement),
        _ => (whole.read, whole.why),
    }
}

/// The answer in some items.
pub(super) struct Weighed {
    pub(super) read: Read,
    pub(super) why: Why,
    /// Where an answer is last withdrawn.
    turns_at: Option<usize>,
    /// The options that are stated.
    pub(super) stated: Vec<i32>,
    /// The options that are said to be the answer.
    pub(super) answers: Vec<i32>,
}

pub(super) fn weigh(
    asked: &Asked<'_>,
    question: &Question,
    items: &[Item],
    text: &Text,
) -> Weighed {
    let mut reader = Reader::new(items, text);
    reader.denies = question.denies;
    if items.iter().any(|item| item.what == What::Opens) {
        reader.numbers = bare_numbers(asked.options);
    }
    let sentences = sentences(items);
    // The last sentence that says anything of an option, and the events before it.
    let mut last = (sentences.len().saturating_sub(1), 0);
    for (at, sentence) in sentences.iter().enumerate() {
        let before = reader.events.len();
        reader.sentence(*sentence);
        if reader.events.len() > before {
            last = (at, before);
        }
    }
    let of = |least: Stated| stated(&reader.events, least);
    let (told, answers) = (of(Stated::ForItself), of(Stated::AsAnswer));
    let said = reader.events[..last.1].to_vec();
    let cut = is_cut_off(items, text, &sentences);
    let (mut read, mut why) = choose(&mut reader, asked, question, &sentences, cut);
    let is_answer = |read: Read| {
        answers
            .iter()
            .any(|one| read == Read::Option(*one as usize))
    };
    if matches!(read, Read::Option(_)) && !is_answer(read) && loops(&reader, &sentences) {
        (read, why) = (Read::Unparsed, Why::Contradiction);
    } else if read == Read::Unparsed
        && last.0 > 0
        && let Some(found) = last_statement(asked, question, &reader, sentences[last.0], &said)
    {
        (read, why) = found;
    }
    Weighed {
        read,
        why,
        turns_at: reader.turns_at,
        stated: told,
        answers,
    }
}

/// Whether a text begins with one answer and its last sentence states another in the question's
/// words.
fn says_another(
    question: &Question,
    reader: &Reader<'_>,
    sentences: &[(usize, usize, bool)],
    cut: bool,
    one: i32,
) -> bool {
    let names = |e: &Event| matches!(e, Event::Mentions { .. } | Event::Marks { .. });
    let begins = match reader.events.split_first() {
        Some((Event::Commits { strength, .. }, rest)) => *strength < 3 && rest.iter().all(names),
        _ => false,
    };
    let last = sentences
        .last()
        .filter(|_| begins && !cut && sentences.len() > 1);
    last.and_then(|last| echoed(question, reader, &[*last], cut, false))
        .is_some_and(|other| other != one)
}

/// The answer to a question from these sentences; `cut` if the text ends within a sentence.
fn choose(
    reader: &mut Reader<'_>,
    asked: &Asked<'_>,
    question: &Question,
    sentences: &[(usize, usize, bool)],
    cut: bool,
) -> (Read, Why) {
    let count = asked.count;
    if question.denies {
        keep_stated(&mut reader.events);
    }
    if cut {
        reader
            .events
            .retain(|event| !matches!(event, Event::Commits { passing: true, .. }));
    }
    let reader = &*reader;
    if let Some(found) = committed(&reader.events, count) {
        let Read::Option(one) = found.0 else {
            return found;
        };
        let one = i32::try_from(one).unwrap_or(i32::MAX);
        let other =
            says_another(question, reader, sentences, cut, one) || reader.is_mismatched(one);
        return if other {
            (Read::Unparsed, Why::Contradiction)
        } else {
            found
        };
    }
    let option = |option: i32, why: Why| match option {
        option if (0..count).contains(&option) => {
            (Read::Option(option.unsigned_abs() as usize), why)
        }
        _ => (Read::Unparsed, Why::Beyond),
    };
    let has = |is: fn(&Event) -> bool| reader.events.iter().any(is);
    let of = |is: fn(&Event) -> Option<i32>| reader.events.iter().filter_map(is);
    let hedges = has(|e| matches!(e, Event::Leaves { .. } | Event::Asks));
    let open = hedges || has(|e| matches!(e, Event::TakesBack));
    let denied: Vec<i32> = of(|e| {
        if let Event::Denies(option) = e {
            Some(*option)
        } else {
            None
        }
    })
    .collect();
    let leans = only(of(|e| {
        if let Event::Leans(option) = e {
            Some(*option)
        } else {
            None
        }
    }));
    if let Some(leans) = leans.filter(|_| !open && !cut) {
        return match leans {
            Some(one) if !denied.contains(&one) => option(one, Why::Leans),
            _ => (Read::Unparsed, Why::Hedge),
        };
    }
    if refuses(reader.items) {
        return (Read::Refused, Why::Refusal);
    }
    // Options that are only listed leave nothing open for the last sentence.
    let listed = open
        && !has(|e| {
            matches!(
                e,
                Event::Leaves {
                    mentions: false,
                    ..
                } | Event::Asks
                    | Event::TakesBack
            )
        });
    if open && !listed {
        return (
            Read::Unparsed,
            if hedges { Why::Hedge } else { Why::Withdrawn },
        );
    }
    let several = sentences.len() > 1 || question.asks_name;
    if cut && !listed && denied.is_empty() && !question.denies && several {
        let one = begun(question, reader, sentences[0]).filter(|one| (0..count).contains(one));
        if let Some(one) = one {
            return option(one, Why::Echo);
        }
    }
    let named = echoed(question, reader, sentences, cut, listed).filter(|_| !question.denies);
    if let Some(one) = named.filter(|one| !denied.contains(one) && (0..count).contains(one)) {
        return option(one, Why::Echo);
    }
    if cut || listed {
        return (
            Read::Unparsed,
            if listed { Why::Hedge } else { Why::Nothing },
        );
    }
    if !denied.is_empty() && question.denies {
        // Which is not visible? "There is no clock."
        let one = only(denied.iter().copied()).flatten().filter(|one| {
            let mut own = reader
                .items
                .iter()
                .filter(|i| i.is_answer() && i.option == *one);
            own.all(|i| i.what == What::Text)
        });
        return one.map_or((Read::Unparsed, Why::Denied), |one| {
            option(one, Why::LeftOver)
        });
    }
    if !denied.is_empty() {
        return left_over(reader, &denied).map_or((Read::Unparsed, Why::Denied), |one| {
            option(one, Why::LeftOver)
        });
    }
    let marks = |event: &Event| match event {
        Event::Marks { option, .. } | Event::Labels(option) => Some(*option),
        _ => None,
    };
    if let Some(mark) = only(reader.events.iter().filter_map(marks)) {
        let denied = has(|e| matches!(e, Event::Marks { denied: true, .. }));
        return match mark {
            None => (Read::Unparsed, Why::Contradiction),
            Some(_) if denied => (Read::Unparsed, Why::Denied),
            Some(mark) => option(mark, Why::Mark),
        };
    }
    let denied = has(|e| matches!(e, Event::Mentions { denied: true, .. }));
    let unclear = has(|e| matches!(e, Event::Mentions { clear: false, .. }));
    match only(of(|e| {
        if let Event::Mentions { option, .. } = e {
            Some(*option)
        } else {
            None
        }
    })) {
        None => {
            let one = reader.embedded(question, asked.options);
            one.map_or((Read::Unparsed, Why::Nothing), |one| {
                (Read::Option(one), Why::Mention)
            })
        }
        Some(None) => (Read::Unparsed, Why::Mentions),
        Some(Some(_)) if question.denies || reader.items.len() > LONG => {
            (Read::Unparsed, Why::Nothing)
        }
        Some(Some(one)) if !unclear && reader.turns_to(sentences) => match usize::try_from(one) {
            Ok(one) => (Read::Option(one), Why::Mention),
            Err(_) => (Read::Unparsed, Why::Nothing),
        },
        Some(Some(_))
            if reader.counts_on() || reader.is_foreign(question) || reader.breaks_off() =>
        {
            (Read::Unparsed, Why::Nothing)
        }
        Some(Some(_)) if denied || reader.is_negated(0, reader.items.len()) => {
            (Read::Unparsed, Why::Denied)
        }
        Some(Some(one)) if one >= 0 => (Read::Option(one.unsigned_abs() as usize), Why::Mention),
        Some(Some(_)) => (Read::Unparsed, Why::Nothing),
    }
}

/// Which is not in the picture? Saying that an option is missing then does not deny it.
fn keep_stated(events: &mut Vec<Event>) {
    let mut stated = HashSet::new();
    events.retain(|event| match event {
        Event::Commits { option, .. } => {
            stated.insert(*option);
            true
        }
        Event::Denies(option) => !stated.contains(option),
        _ => true,
    });
}

/// "Not a dog, a cat": the only option named besides the denied ones, after the first of them.
fn left_over(reader: &Reader<'_>, denied: &[i32]) -> Option<i32> {
    let first = reader
        .events
        .iter()
        .position(|event| matches!(event, Event::Denies(_)))?;
    let names = |(at, event): (usize, &Event)| match event {
        Event::Mentions { option, clear, .. } | Event::Marks { option, clear, .. } => {
            Some((*option, *clear && at > first))
        }
        Event::Labels(option) => Some((*option, false)),
        _ => None,
    };
    let named = reader
        .events
        .iter()
        .enumerate()
        .filter_map(names)
        .filter(|(option, _)| !denied.contains(option));
    let named: Vec<(i32, bool)> = named.collect();
    let one = only(named.iter().map(|(option, _)| *option))??;
    (reader.items.len() <= LONG && named.iter().any(|(_, clear)| *clear)).then_some(one)
}
