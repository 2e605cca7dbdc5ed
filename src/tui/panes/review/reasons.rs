//! Menus of reasons and tags, with their levels.

use std::collections::BTreeSet;

use crate::pane::{Chosen, Context, Pane};
use crate::widgets::menu::{Choice, Menu};
use benchtop_model::config::Reason;
use benchtop_model::taxonomy;

/// A menu of the reasons of a rejection.
pub fn reason_menu(title: impl Into<String>, cx: &Context<'_>) -> Menu {
    let mut choices = choices(cx.env.reasons);
    for (choice, reason) in choices.iter_mut().zip(cx.env.reasons) {
        choice.wants_note = reason.key == "other";
    }
    Menu::new(title, choices)
        .several()
        .with_tags(cx.env.tags.to_vec())
}

/// Asks for the tags that the next verdict carries, with the present ones marked, and calls back with them.
/// Says so if the project has no tags.
pub fn choose_tags<P: Pane>(
    title: impl Into<String>,
    marked: &[String],
    cx: &mut Context<'_>,
    then: impl FnOnce(&mut P, Vec<String>, &mut Context<'_>) + 'static,
) {
    if cx.env.verdict_tags.is_empty() {
        return cx.say("benchtop.toml has no tags; list some as `tags` below `[review]`");
    }
    let menu = tag_menu(title, marked, cx);
    cx.menu(menu, move |pane: &mut P, chosen, cx| {
        let tags = picked_tags(&chosen.picks, cx.env.verdict_tags);
        then(pane, tags, cx);
    });
}

/// Says what the next verdict on something carries.
pub fn carries(what: &str, tags: &[String]) -> String {
    let said = match tags {
        [] => "no tags".to_string(),
        tags => tags.join(", "),
    };
    format!("the next verdict on {what} carries {said}")
}

/// A menu of tags in which these are marked. If there are some, its last line removes them.
fn tag_menu(title: impl Into<String>, marked: &[String], cx: &Context<'_>) -> Menu {
    let known = cx.env.verdict_tags;
    let place = |key: &String| known.iter().position(|tag| tag.key == *key);
    let mut choices = choices(known);
    if !marked.is_empty() {
        choices.push(Choice::new(NO_TAGS));
    }
    Menu::new(title, choices)
        .several()
        .marked(marked.iter().filter_map(place))
}

/// The line that removes all tags.
const NO_TAGS: &str = "no tags";

/// The tags that were picked; none if the last line was.
fn picked_tags(picks: &[usize], list: &[Reason]) -> Vec<String> {
    // Levels without a line of their own cannot be picked.
    match picks.iter().any(|pick| *pick >= list.len()) {
        true => Vec::new(),
        false => picked(picks, list),
    }
}

/// The lines of a list, in its order, and after them the levels without a line of their own.
fn choices(list: &[Reason]) -> Vec<Choice> {
    let mut keys: Vec<String> = list.iter().map(|reason| reason.key.clone()).collect();
    let mut known: BTreeSet<String> = keys.iter().cloned().collect();
    for reason in list {
        let mut above = taxonomy::parent(&reason.key);
        while let Some(key) = above {
            if known.insert(key.to_string()) {
                keys.push(key.to_string());
            }
            above = taxonomy::parent(key);
        }
    }
    let place = |key: &str| keys.iter().position(|known| known == key);
    let choice = |(at, key): (usize, &String)| {
        let labels = taxonomy::labels(list, key);
        Choice {
            within: taxonomy::parent(key).and_then(place),
            is_heading: at >= list.len(),
            ..Choice::new(labels.last().map_or("", String::as_str))
        }
    };
    keys.iter().enumerate().map(choice).collect()
}

/// The keys of the lines that were picked.
fn picked(picks: &[usize], list: &[Reason]) -> Vec<String> {
    let picked = picks.iter().filter_map(|pick| list.get(*pick));
    picked.map(|reason| reason.key.clone()).collect()
}

/// The keys of the reasons that were chosen, and the note.
pub fn chosen_reasons(chosen: &Chosen, cx: &mut Context<'_>) -> (Vec<String>, Option<String>) {
    let reasons = picked(&chosen.picks, cx.env.reasons);
    let note = Some(chosen.note.trim().to_string()).filter(|note| !note.is_empty());
    cx.tagged(note.as_deref().unwrap_or_default());
    (reasons, note)
}
