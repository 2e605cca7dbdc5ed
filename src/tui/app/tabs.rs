//! The first row: tabs, position in the queue, and counts by status.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Modifier;

use super::{App, PaneId};
use crate::action::Action;
use crate::pane::{Pane, Progress};
use crate::theme::{Look, Role};
use crate::widgets::text;
use benchtop_model::Status;

const TABS: [PaneId; PaneId::TABS.len()] = PaneId::TABS;

/// Counts of accepted, rejected, and pending items.
fn tally(counts: &[(Status, u64)]) -> String {
    let count = |status: Status| {
        text::grouped(
            counts
                .iter()
                .find(|(s, _)| *s == status)
                .map_or(0, |(_, n)| *n),
        )
    };
    format!(
        "✓{} ✗{} ?{}",
        count(Status::Accepted),
        count(Status::Rejected),
        count(Status::Pending)
    )
}

/// Maximum width of [`tally`] for this many items. The tabs must not move when counts change.
fn tally_room(items: u64) -> usize {
    text::width("✓ ✗ ?") + 3 * text::width(&text::grouped(items))
}

/// The content of the row besides the tabs.
#[derive(Clone, Debug, Default)]
struct RowContent {
    /// Position in the queue, and its maximum width.
    place: (String, usize),
    filter: String,
    /// The last receipt, and its maximum width.
    receipt: (String, usize),
    /// Maximum width of the counts.
    counts: usize,
}

/// How much of a tab is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shown {
    Nothing,
    Key,
    Short,
    Whole,
}

/// The layout of the row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Row {
    tabs: [Shown; TABS.len()],
    /// Widths of the position and the filter.
    place: usize,
    filter: usize,
}

/// Lays out the row in `width` columns. If space is short, these are dropped in order: the counts,
/// tab names, the queue's filter, the tabs of other panes, the position, the name of the pane. The
/// receipt is never dropped. Uses maximum widths, so that nothing moves when a receipt comes or
/// goes. `keys` holds the widths of the keys.
fn arrange(here: PaneId, keys: [usize; TABS.len()], content: &RowContent, width: usize) -> Row {
    let receipt = if content.receipt.1 == 0 {
        0
    } else {
        content.receipt.1 + 2
    };
    let (place, filter) = (content.place.1, text::width(&content.filter));
    let own = 1 + here.tab().short.len();
    let every = keys.iter().sum::<usize>() + 2 * TABS.len();
    // Mark, key, and gap of each tab, and a space before the name and before the position.
    let fixed = 1 + place + filter + receipt;
    let tabs = width.saturating_sub(fixed + content.counts + 2);
    let whole = every + TABS.iter().map(|id| 2 + id.tab().name.len()).sum::<usize>();
    if whole <= tabs {
        return Row {
            tabs: [Shown::Whole; TABS.len()],
            place,
            filter,
        };
    }
    if every + own + fixed <= width {
        return Row {
            tabs: named(here, every, tabs),
            place,
            filter,
        };
    }
    let short = TABS.map(|id| if id == here { Shown::Short } else { Shown::Key });
    if let Some(left) = width.checked_sub(every + own + 1 + place + receipt) {
        return Row {
            tabs: short,
            place,
            filter: if left > text::width("  [x]") { left } else { 0 },
        };
    }
    // Not all tabs fit: show the current one, and others from the left.
    let cost = |at: usize, shown: Shown| match shown {
        Shown::Nothing => 0,
        Shown::Short => 2 + keys[at] + own,
        _ => 2 + keys[at],
    };
    let fits = |place: usize, own: Shown| -> Option<[Shown; TABS.len()]> {
        let at = TABS.iter().position(|id| *id == here)?;
        let mut left = width.checked_sub(1 + place + receipt + cost(at, own))?;
        let mut tabs = [Shown::Nothing; TABS.len()];
        tabs[at] = own;
        for (other, slot) in tabs
            .iter_mut()
            .enumerate()
            .filter(|(other, _)| *other != at)
        {
            left = match left.checked_sub(cost(other, Shown::Key)) {
                Some(left) => left,
                None => break,
            };
            *slot = Shown::Key;
        }
        Some(tabs)
    };
    let tries = [(place, Shown::Short), (0, Shown::Short), (0, Shown::Key)];
    let found = tries
        .into_iter()
        .find_map(|(place, own)| Some((place, fits(place, own)?)));
    let (place, tabs) = found.unwrap_or((0, [Shown::Nothing; TABS.len()]));
    Row {
        tabs,
        place,
        filter: 0,
    }
}

/// Chooses the tabs that show their short names in `room` columns: the current one, and as many
/// others as fit, from the left. `every` is the width of all keys, marks, and gaps.
fn named(here: PaneId, every: usize, room: usize) -> [Shown; TABS.len()] {
    let mut out = TABS.map(|id| if id == here { Shown::Short } else { Shown::Key });
    let mut used = every + 1 + here.tab().short.len();
    for (id, shown) in TABS.iter().zip(&mut out).filter(|(id, _)| **id != here) {
        used += 1 + id.tab().short.len();
        if used > room {
            break;
        }
        *shown = Shown::Short;
    }
    out
}

/// Draws the row without the counts. Returns the first column after it.
fn draw(
    here: PaneId,
    keys: &[String; TABS.len()],
    content: &RowContent,
    area: Rect,
    buf: &mut Buffer,
    look: &Look,
) -> u16 {
    let row = arrange(
        here,
        keys.each_ref().map(|key| text::width(key)),
        content,
        usize::from(area.width),
    );
    let mut x = area.x;
    let mut put = |x: u16, text: &str, style| {
        let room = usize::from(area.right().saturating_sub(x));
        buf.set_stringn(x, area.y, text, room, style).0
    };
    for ((id, key), shown) in TABS
        .iter()
        .zip(keys)
        .zip(row.tabs)
        .filter(|(_, shown)| *shown != Shown::Nothing)
    {
        let is_here = *id == here;
        let (mark, style) = match (is_here, look.accessible) {
            (true, false) => ("▌", look.style(Role::Accent).add_modifier(Modifier::BOLD)),
            (true, true) => ("*", look.style(Role::Accent).add_modifier(Modifier::BOLD)),
            (false, _) => (" ", look.style(Role::Dim)),
        };
        let (name, gap) = match shown {
            Shown::Whole => (id.tab().name, 2),
            Shown::Short => (id.tab().short, 1),
            _ => ("", 1),
        };
        x = put(x, mark, look.style(Role::Accent));
        x = put(x, key, look.style(Role::Key));
        if !name.is_empty() {
            x = put(x, &format!(" {name}"), style);
        }
        x = put(x, &" ".repeat(gap), style);
    }
    let place = text::fit(&content.place.0, row.place);
    let filter = text::fit(&content.filter, row.filter);
    let gap = if content.receipt.0.is_empty() {
        ""
    } else {
        "  "
    };
    put(
        x,
        &format!(" {place}{filter}{gap}{}", content.receipt.0),
        look.style(Role::Text),
    )
}

impl App {
    pub(super) fn draw_tabs(&self, area: Rect, buf: &mut Buffer) {
        if area.is_empty() {
            return;
        }
        let mut content = RowContent {
            counts: if self.hides_statuses() {
                0
            } else {
                tally_room(self.welcome.items)
            },
            ..RowContent::default()
        };
        if let Some(pane) = self.pane() {
            let Progress {
                place,
                filter,
                receipt,
            } = pane.progress();
            content = RowContent {
                place,
                filter,
                receipt,
                ..content
            };
        }
        let look = &self.setting.look;
        let keys = TABS.map(|id| self.keymap.hint(Action::Go(id)));
        let x = draw(self.at, &keys, &content, area, buf, look);
        let content = self.summary(usize::from(area.right().saturating_sub(x + 1)));
        let at = area.right().saturating_sub(text::width(&content) as u16);
        if at > x {
            let room = usize::from(area.right().saturating_sub(at));
            buf.set_stringn(at, area.y, &content, room, look.style(Role::Dim));
        }
    }

    /// Whether the screen must not reveal the status of items.
    fn hides_statuses(&self) -> bool {
        self.pane().is_some_and(Pane::hides_statuses)
    }

    /// Counts by status. Empty until they are known, or if they would reveal hidden verdicts.
    fn tally(&self) -> String {
        if self.counts.is_empty() || self.hides_statuses() {
            String::new()
        } else {
            tally(&self.counts)
        }
    }

    /// Counts, project, and annotator, as much as fits.
    fn summary(&self, room: usize) -> String {
        let counts = self.tally();
        let long = format!("{counts}  {}  {} ", self.welcome.project, self.link.who());
        let short = format!("{counts}  {} ", self.link.who());
        [long, short, format!("{counts} ")]
            .into_iter()
            .find(|s| text::width(s) <= room)
            .unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::theme::Theme;
    use benchtop_model::ColorLevel;

    #[test]
    fn the_current_tab_is_named_and_others_as_they_fit() {
        for (at, id) in TABS.into_iter().enumerate() {
            for room in 0..120 {
                let named = named(id, 3 * TABS.len(), room);
                assert_eq!(named[at], Shown::Short);
                let short = |n: &Shown| *n == Shown::Short;
                let wide: usize = TABS
                    .iter()
                    .zip(named)
                    .map(|(t, n)| {
                        3 + if short(&n) {
                            1 + t.tab().short.len()
                        } else {
                            0
                        }
                    })
                    .sum();
                assert!(
                    wide <= room || named.iter().filter(|n| short(n)).count() == 1,
                    "{room}: {wide}"
                );
            }
            assert_eq!(named(id, 3 * TABS.len(), 120), [Shown::Short; TABS.len()]);
        }
    }

    proptest! {
        #[test]
        fn the_receipt_is_never_cut(
            (width, at, items) in (40u16..200, 0..TABS.len(), 1u32..10_000_000),
            (number, position) in (1u32..10_000_000, 1u32..10_000_000),
            (filter, waits) in (".{0,60}", 0..3usize),
            hints in proptest::collection::vec("[a-z]{1,2}|ctrl-[a-z]", TABS.len()),
            accessible in any::<bool>(),
        ) {
            let (number, position) = (number % items + 1, position % items + 1);
            let of = text::grouped(items.into());
            let receipt = match waits {
                0 => format!("✓ #{number} saved"),
                1 => "saving".to_string(),
                n => format!("saving {n}"),
            };
            let content = RowContent {
                place: (format!("{} of {of}", text::grouped(position.into())), 2 * of.len() + 4),
                filter: if filter.is_empty() { filter } else { format!("  [{}]", text::clean(&filter)) },
                receipt: (receipt.clone(), text::width("✓ # saved") + items.to_string().len()),
                counts: tally_room(items.into()),
            };
            let look = Look::new(&Theme::shipped("dark").unwrap(), ColorLevel::True, accessible);
            let keys: [String; TABS.len()] = hints.try_into().unwrap();
            let area = Rect::new(0, 0, width, 1);
            let mut buf = Buffer::empty(area);
            draw(TABS[at], &keys, &content, area, &mut buf, &look);
            let row: String = buf.content.iter().map(|cell| cell.symbol()).collect();
            prop_assert!(row.trim_end().ends_with(&receipt), "{} of {width}: {row:?}", receipt);
            // The current pane is always shown, and nothing moves when the receipt changes.
            let keys_of = keys.each_ref().map(|key| text::width(key));
            let layout = arrange(TABS[at], keys_of, &content, usize::from(width));
            prop_assert!(layout.tabs[at] != Shown::Nothing);
            let other = RowContent { receipt: (String::new(), content.receipt.1), ..content };
            prop_assert_eq!(arrange(TABS[at], keys_of, &other, usize::from(width)), layout);
        }
    }

    #[test]
    fn counts_fit_their_reserved_width() {
        for items in [
            0_u64, 1, 9, 10, 12, 99, 100, 105, 999, 1_000, 1_005, 105_000,
        ] {
            for accepted in [0, 1, 9, 10, items / 3, items / 2, items] {
                for rejected in [0, 1, 9, 10, items / 3] {
                    let Some(pending) = items.checked_sub(accepted + rejected) else {
                        continue;
                    };
                    let counts = [
                        (Status::Accepted, accepted),
                        (Status::Rejected, rejected),
                        (Status::Pending, pending),
                    ];
                    let drawn = tally(&counts);
                    assert!(
                        text::width(&drawn) <= tally_room(items),
                        "{drawn} of {items}"
                    );
                }
            }
        }
    }
}
