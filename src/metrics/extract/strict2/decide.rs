//! What all that an output says of the options comes to.

use super::Why;
use super::items::What;
use super::reader::{Event, NUMBER, Reader};
use super::words::REFUSE;
use crate::metrics::extract::Read;

/// Longest output, in words and marks, of which the mere mention of an option's text is an answer.
const LONG: usize = 60;

/// The option that the output commits itself to last; `None` where it commits itself to none.
fn committed(events: &[Event], count: i32) -> Option<(Read, Why)> {
    let mut labels: Vec<i32> = events.iter().filter_map(label).collect();
    labels.sort_unstable();
    labels.dedup();
    let is_list = labels.len() > 1;
    let (mut current, mut strength): (Option<i32>, u8) = (None, 0);
    let (mut conflict, mut seen) = (false, false);
    // Whether what was said is taken back, and whether for certain.
    let (mut back, mut surely, mut open) = (false, false, false);
    for event in events {
        match event {
            Event::Commits { listed: true, .. } if is_list => {}
            Event::Commits { option, strength: strong, .. } => {
                (seen, open) = (true, false);
                if current.is_none_or(|current| current == *option) || back || *strong > strength {
                    // What stands against another answer is settled by a conclusion, or by taking the earlier back.
                    conflict = conflict && !back && *strong <= strength;
                    strength = match *strong {
                        NUMBER => 1,
                        strong if current == Some(*option) => strength.max(strong),
                        strong => strong,
                    };
                    (current, back, surely) = (Some(*option), false, false);
                } else if *strong == strength {
                    conflict = true;
                }
            }
            Event::Leaves { options, mentions: false } => {
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
        Some(option) if option == super::items::SEVERAL => (Read::Unparsed, Why::Contradiction),
        Some(option) if option == super::items::UNCLEAR => (Read::Unparsed, Why::Alphabet),
        Some(option) if option >= count => (Read::Unparsed, Why::Beyond),
        Some(option) => (Read::Option(option.unsigned_abs() as usize), Why::Statement),
    };
    Some(read)
}

fn label(event: &Event) -> Option<i32> {
    match event {
        Event::Labels(option) | Event::Commits { option, listed: true, .. } => Some(*option),
        _ => None,
    }
}

/// The one of these, if they are all the same; `None` where there are none.
fn only(mut of: impl Iterator<Item = i32>) -> Option<Option<i32>> {
    let first = of.next()?;
    Some(of.all(|other| other == first).then_some(first))
}

/// The answer to a question with so many options.
pub(super) fn choose(reader: &Reader<'_>, count: i32) -> (Read, Why) {
    if let Some(found) = committed(&reader.events, count) {
        return found;
    }
    if reader.items.refuses() {
        return (Read::Refused, Why::Refusal);
    }
    let has = |is: fn(&Event) -> bool| reader.events.iter().any(is);
    let kinds = [
        (has(|e| matches!(e, Event::Leaves { .. } | Event::Asks)), Why::Hedge),
        (has(|e| matches!(e, Event::Denies(_))), Why::Denied),
        (has(|e| matches!(e, Event::TakesBack)), Why::Withdrawn),
    ];
    if let Some((_, why)) = kinds.into_iter().find(|(is, _)| *is) {
        return (Read::Unparsed, why);
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
            Some(mark) if (0..count).contains(&mark) => (Read::Option(mark.unsigned_abs() as usize), Why::Mark),
            Some(_) => (Read::Unparsed, Why::Beyond),
        };
    }
    let mentions = |event: &Event| match event {
        Event::Mentions { option, .. } => Some(*option),
        _ => None,
    };
    match only(reader.events.iter().filter_map(mentions)) {
        None => (Read::Unparsed, Why::Nothing),
        Some(None) => (Read::Unparsed, Why::Mentions),
        Some(Some(_)) if reader.items.len() > LONG => (Read::Unparsed, Why::Nothing),
        Some(Some(_)) if reader.is_negated(0, reader.items.len()) => (Read::Unparsed, Why::Denied),
        Some(Some(option)) if option >= 0 => (Read::Option(option.unsigned_abs() as usize), Why::Mention),
        Some(Some(_)) => (Read::Unparsed, Why::Nothing),
    }
}

/// Whether an output declines to answer.
pub(super) trait Refuses {
    fn refuses(&self) -> bool;
}

impl Refuses for [super::items::Item] {
    fn refuses(&self) -> bool {
        self.iter().any(|item| item.what == What::Phrase && item.mask & REFUSE != 0)
    }
}
