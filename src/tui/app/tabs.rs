//! The first row: the tabs, how far one is in the queue, the counts by status.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Modifier;

use super::{App, At};
use crate::model::Status;
use crate::tui::action::Action;
use crate::tui::theme::Role;
use crate::tui::widgets::text;

/// A pane's place in the row of tabs.
struct Tab {
    go: Action,
    name: &'static str,
    /// Where there is little room.
    short: &'static str,
    at: At,
}

const TABS: [Tab; 11] = [
    Tab { go: Action::GoReview, name: "Review", short: "Review", at: At::Review },
    Tab { go: Action::GoList, name: "Items", short: "Items", at: At::List },
    Tab { go: Action::GoBoard, name: "Board", short: "Board", at: At::Board },
    Tab { go: Action::GoVocabulary, name: "Words", short: "Words", at: At::Vocabulary },
    Tab { go: Action::GoTemplates, name: "Templates", short: "Text", at: At::Templates },
    Tab { go: Action::GoCoverage, name: "Coverage", short: "Map", at: At::Coverage },
    Tab { go: Action::GoGenerate, name: "Generate", short: "Make", at: At::Generate },
    Tab { go: Action::GoFilters, name: "Filters", short: "Filter", at: At::Filters },
    Tab { go: Action::GoRounds, name: "Rounds", short: "Rounds", at: At::Rounds },
    Tab { go: Action::GoAdjudicate, name: "Settle", short: "Settle", at: At::Adjudicate },
    Tab { go: Action::GoAgreement, name: "Agreement", short: "Agree", at: At::Agreement },
];

/// Accepted, rejected and pending items.
fn tally(counts: &[(Status, u64)]) -> String {
    let count = |status: Status| text::grouped(counts.iter().find(|(s, _)| *s == status).map_or(0, |(_, n)| *n));
    format!("✓{} ✗{} ?{}", count(Status::Accepted), count(Status::Rejected), count(Status::Pending))
}

/// The columns that [`tally`] takes at most among so many items: the tabs must not move when counts come, or with a verdict.
fn tally_room(items: u64) -> usize {
    text::width("✓ ✗ ?") + 3 * text::width(&text::grouped(items))
}

/// Which tabs have their short names in `room` columns: the one that is shown, and as many others as fit, from the left.
/// `keys` is how many columns their keys take.
fn named(here: At, keys: usize, room: usize) -> [bool; TABS.len()] {
    let mut out = TABS.map(|tab| tab.at == here);
    // Mark, key and gap of each, and a blank before a name.
    let mut used =
        keys + 2 * TABS.len() + TABS.iter().filter(|t| t.at == here).map(|t| 1 + t.short.len()).sum::<usize>();
    for (tab, named) in TABS.iter().zip(&mut out).filter(|(t, _)| t.at != here) {
        used += 1 + tab.short.len();
        if used > room {
            break;
        }
        *named = true;
    }
    out
}

impl App {
    pub(super) fn draw_tabs(&self, area: Rect, buf: &mut Buffer) {
        if area.is_empty() {
            return;
        }
        let look = &self.setting.look;
        let mut x = area.x;
        let right = area.right();
        let mut put = |x: u16, text: &str, style| {
            let room = usize::from(right.saturating_sub(x));
            buf.set_stringn(x, area.y, text, room, style).0
        };
        let progress = match self.at {
            At::Review => self.review.progress(),
            _ => String::new(),
        };
        // As many names as leave room for the counts, whatever they become.
        let reserved = if self.at == At::Review { self.review.progress_room() } else { 0 };
        let counts = if self.in_the_dark() { 0 } else { tally_room(self.welcome.items) };
        let needed = reserved.max(text::width(&progress)) + counts + 3;
        let room = usize::from(area.width).saturating_sub(needed);
        let keys = TABS.map(|tab| self.keymap.hint(tab.go));
        let wide: usize = keys.iter().map(|k| text::width(k)).sum();
        let whole = TABS.iter().map(|t| 4 + t.name.len()).sum::<usize>() + wide <= room;
        let (named, gap) = if whole { ([true; TABS.len()], 2) } else { (named(self.at, wide, room), 1) };
        for ((tab, key), named) in TABS.iter().zip(&keys).zip(named) {
            let here = tab.at == self.at;
            let (mark, style) = if here {
                ("▌", look.style(Role::Accent).add_modifier(Modifier::BOLD))
            } else {
                (" ", look.style(Role::Dim))
            };
            let mark = if look.accessible { if here { "*" } else { " " } } else { mark };
            let name = match (named, whole) {
                (false, _) => "",
                (true, true) => tab.name,
                (true, false) => tab.short,
            };
            x = put(x, mark, look.style(Role::Accent));
            x = put(x, key, look.style(Role::Key));
            if !name.is_empty() {
                x = put(x, &format!(" {name}"), style);
            }
            x = put(x, &" ".repeat(gap), style);
        }
        x = put(x, &format!(" {progress}"), look.style(Role::Text));
        let said = self.summary(usize::from(right.saturating_sub(x + 1)));
        let at = right.saturating_sub(text::width(&said) as u16);
        if at > x {
            put(at, &said, look.style(Role::Dim));
        }
    }

    /// Counts by status, short; none before they are known, or where they would tell what an annotator must not see.
    fn tally(&self) -> String {
        if self.counts.is_empty() || self.in_the_dark() { String::new() } else { tally(&self.counts) }
    }

    /// Counts, project and annotator, as much as fits.
    fn summary(&self, room: usize) -> String {
        let counts = self.tally();
        let long = format!("{counts}  {}  {} ", self.welcome.project, self.link.who());
        let short = format!("{counts}  {} ", self.link.who());
        [long, short, format!("{counts} ")].into_iter().find(|s| text::width(s) <= room).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tab_that_is_shown_is_always_named_and_the_others_as_they_fit() {
        for (at, tab) in TABS.iter().enumerate() {
            for room in 0..120 {
                let named = named(tab.at, TABS.len(), room);
                assert!(named[at]);
                let wide: usize = TABS.iter().zip(named).map(|(t, n)| 3 + if n { 1 + t.short.len() } else { 0 }).sum();
                assert!(wide <= room || named.iter().filter(|n| **n).count() == 1, "{room}: {wide}");
            }
            assert_eq!(named(tab.at, TABS.len(), 120), [true; TABS.len()]);
        }
    }
    #[test]
    fn no_counts_of_a_project_are_wider_than_the_room_kept_for_them() {
        for items in [0_u64, 1, 9, 10, 12, 99, 100, 105, 999, 1_000, 1_005, 105_000] {
            for accepted in [0, 1, 9, 10, items / 3, items / 2, items] {
                for rejected in [0, 1, 9, 10, items / 3] {
                    let Some(pending) = items.checked_sub(accepted + rejected) else { continue };
                    let counts =
                        [(Status::Accepted, accepted), (Status::Rejected, rejected), (Status::Pending, pending)];
                    let drawn = tally(&counts);
                    assert!(text::width(&drawn) <= tally_room(items), "{drawn} of {items}");
                }
            }
        }
    }
}
