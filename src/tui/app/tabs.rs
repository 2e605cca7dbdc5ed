//! The first rows: tabs; panes of the current tab, position in the queue, and counts by status.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};

use super::{App, PaneId};
use crate::action::Action;
use crate::pane::{Pane, Progress, Tab};
use crate::theme::{Look, Role};
use crate::widgets::areas;
use crate::widgets::text;
use benchtop_model::Status;

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

/// The content of the second row besides the panes.
#[derive(Clone, Debug, Default)]
struct RowContent {
    /// Position in the queue, and its maximum width.
    place: (String, usize),
    filter: String,
    /// The last receipt, and its maximum width.
    receipt: (String, usize),
}

/// Which panes of the tab are named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Named {
    All,
    Own,
    None,
}

/// The layout of the second row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Row {
    panes: Named,
    /// Widths of the position and the filter.
    place: usize,
    filter: usize,
}

/// The panes of the tab of `here` that are named. A single pane is not named again after its tab.
fn panes_of(here: PaneId, named: Named) -> Vec<PaneId> {
    let tab = here.info().tab;
    match named {
        Named::None => Vec::new(),
        Named::Own => vec![here],
        Named::All => tab
            .panes()
            .filter(|id| id.info().name != tab.name())
            .chain(here.is_form().then_some(here))
            .collect(),
    }
}

/// The width of these names, each after a mark and before a space.
fn names_width(here: PaneId, named: Named) -> usize {
    let panes = panes_of(here, named).into_iter();
    panes.map(|id| 2 + text::width(id.info().name)).sum()
}

/// Lays out the row in `width` columns. If space is short, these are dropped in order: the
/// names of other panes, the queue's filter, the position, the name of the pane. The receipt is
/// never dropped. Uses maximum widths, so that nothing moves when a receipt comes or goes.
fn arrange(here: PaneId, content: &RowContent, width: usize) -> Row {
    let receipt = match content.receipt.1 {
        0 => 0,
        wide => wide + 2,
    };
    let (place, filter) = (content.place.1, text::width(&content.filter));
    let tries = [
        (Named::All, place, filter),
        (Named::Own, place, filter),
        (Named::Own, place, 0),
        (Named::Own, 0, 0),
    ];
    let fixed = |(panes, place, filter): (Named, usize, usize)| {
        1 + names_width(here, panes) + place + filter + receipt
    };
    let found = tries.into_iter().find(|row| fixed(*row) <= width);
    let (panes, place, filter) = match found {
        // A part of the filter is better than none.
        Some((Named::Own, place, 0)) if place > 0 => {
            let left = width - fixed((Named::Own, place, 0));
            let shown = if left > text::width("  [x]") { left } else { 0 };
            (Named::Own, place, shown)
        }
        Some(row) => row,
        None => (Named::None, 0, 0),
    };
    Row {
        panes,
        place,
        filter,
    }
}

/// Writes texts from left to right.
struct Writer<'b> {
    x: u16,
    area: Rect,
    buf: &'b mut Buffer,
}

impl Writer<'_> {
    fn put(&mut self, text: &str, style: Style) {
        let room = usize::from(self.area.right().saturating_sub(self.x));
        (self.x, _) = self.buf.set_stringn(self.x, self.area.y, text, room, style);
    }

    /// The area from column `x` up to here.
    fn since(&self, x: u16) -> Rect {
        Rect {
            x,
            width: self.x - x,
            height: 1,
            ..self.area
        }
    }

    /// Writes a name, marked if it is the current one.
    fn name(&mut self, name: &str, is_here: bool, look: &Look) {
        let accent = look.style(Role::Accent).add_modifier(Modifier::BOLD);
        let style = if is_here {
            accent
        } else {
            look.style(Role::Dim)
        };
        self.put(name, style);
    }

    fn mark(&mut self, is_here: bool, look: &Look) {
        let mark = match (is_here, look.accessible) {
            (true, false) => "▌",
            (true, true) => "*",
            (false, _) => " ",
        };
        self.put(mark, look.style(Role::Accent));
    }
}

/// Draws the tabs with their keys. If they do not fit, only the current one has its name. Returns
/// the first column after it.
fn draw_tab_row(
    here: PaneId,
    key: impl Fn(Action) -> String,
    area: Rect,
    buf: &mut Buffer,
    look: &Look,
) -> u16 {
    let keys = Tab::ALL.map(|tab| (tab, key(tab.action())));
    let whole: usize = keys
        .iter()
        .map(|(tab, key)| 3 + text::width(key) + tab.name().len())
        .sum();
    let whole = whole <= usize::from(area.width);
    let mut writer = Writer {
        x: area.x,
        area,
        buf,
    };
    for (tab, key) in &keys {
        let is_here = here.info().tab == *tab;
        let x = writer.x;
        writer.mark(is_here, look);
        writer.put(key, look.style(Role::Key));
        if whole || is_here {
            writer.name(&format!(" {}", tab.name()), is_here, look);
        }
        if !is_here {
            look.hits.click(writer.since(x), tab.action());
        }
        writer.put(" ", look.style(Role::Text));
    }
    writer.x
}

/// Draws the panes of the tab, the position, and the receipt.
fn draw_pane_row(here: PaneId, content: &RowContent, area: Rect, buf: &mut Buffer, look: &Look) {
    let row = arrange(here, content, usize::from(area.width));
    let mut writer = Writer {
        x: area.x,
        area,
        buf,
    };
    for id in panes_of(here, row.panes) {
        let x = writer.x;
        writer.mark(id == here, look);
        writer.name(id.info().name, id == here, look);
        if id != here {
            look.hits.click(writer.since(x), Action::Go(id));
        }
        writer.put(" ", look.style(Role::Text));
    }
    let place = text::fit(&content.place.0, row.place);
    let filter = text::fit(&content.filter, row.filter);
    let gap = if content.receipt.0.is_empty() {
        ""
    } else {
        "  "
    };
    let rest = format!(" {place}{filter}{gap}{}", content.receipt.0);
    writer.put(&rest, look.style(Role::Text));
}

impl App {
    /// Draws the tabs and, below, the panes of the current tab. In one row, only the latter.
    pub(super) fn draw_tabs(&self, area: Rect, buf: &mut Buffer) {
        if area.is_empty() {
            return;
        }
        let mut content = RowContent::default();
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
            };
        }
        let look = &self.setting.look;
        let (first, second) = areas::top(area, area.height - 1);
        if !first.is_empty() {
            let key = |action| self.keymap.hint(action);
            let x = draw_tab_row(self.at, key, first, buf, look);
            let (counts, who) = (self.tally(), self.link.who());
            let texts = [
                format!("{counts}  {}  {who} ", self.welcome.project),
                format!("{counts}  {who} "),
                format!("{counts} "),
            ];
            draw_right(&texts, x, first, buf, look);
        }
        draw_pane_row(self.at, &content, second, buf, look);
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
}

/// Draws the first of these texts that fits at the right edge, from column `x` on.
fn draw_right(texts: &[String], x: u16, area: Rect, buf: &mut Buffer, look: &Look) {
    let room = usize::from(area.right().saturating_sub(x + 1));
    let Some(shown) = texts.iter().find(|text| text::width(text) <= room) else {
        return;
    };
    let at = area.right() - text::width(shown) as u16;
    buf.set_string(at, area.y, shown, look.style(Role::Dim));
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::theme::Theme;
    use benchtop_model::ColorLevel;

    #[test]
    fn all_tabs_are_words_at_60_columns() {
        let look = Look::new(&Theme::shipped("dark").unwrap(), ColorLevel::True, false);
        let key = |action: Action| action.keys()[0].to_string();
        for here in PaneId::ALL {
            let area = Rect::new(0, 0, 60, 1);
            let mut buf = Buffer::empty(area);
            draw_tab_row(here, key, area, &mut buf, &look);
            let row: String = buf.content.iter().map(|cell| cell.symbol()).collect();
            for tab in Tab::ALL {
                assert!(row.contains(tab.name()), "{row:?}");
            }
            assert!(row.contains(&format!(
                "▌{} {}",
                key(here.info().tab.action()),
                here.info().tab.name()
            )));
        }
    }

    #[test]
    fn all_panes_of_a_tab_are_named_at_80_columns() {
        for here in PaneId::ALL {
            assert_eq!(arrange(here, &RowContent::default(), 80).panes, Named::All);
        }
    }

    proptest! {
        #[test]
        fn the_receipt_is_never_cut(
            (width, at, items) in (40u16..200, 0..PaneId::ALL.len(), 1u32..10_000_000),
            (number, position) in (1u32..10_000_000, 1u32..10_000_000),
            (filter, waits) in (".{0,60}", 0..3usize),
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
            };
            let look = Look::new(&Theme::shipped("dark").unwrap(), ColorLevel::True, accessible);
            let area = Rect::new(0, 0, width, 1);
            let mut buf = Buffer::empty(area);
            let here = PaneId::ALL[at];
            draw_pane_row(here, &content, area, &mut buf, &look);
            let row: String = buf.content.iter().map(|cell| cell.symbol()).collect();
            prop_assert!(row.trim_end().ends_with(&receipt), "{} of {width}: {row:?}", receipt);
            // The current pane is named if there is room, and nothing moves when the receipt changes.
            let layout = arrange(here, &content, usize::from(width));
            prop_assert!(layout.panes != Named::None || usize::from(width) < names_width(here, Named::Own) + content.receipt.1 + 3);
            let other = RowContent { receipt: (String::new(), content.receipt.1), ..content };
            prop_assert_eq!(arrange(here, &other, usize::from(width)), layout);
        }
    }
}
