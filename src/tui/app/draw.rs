//! One frame: tabs, pane, message, keys.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Modifier;

use super::{App, At};
use crate::model::Status;
use crate::tui::action::{Action, Scope};
use crate::tui::keymap::Lookup;
use crate::tui::panes::review::Picture;
use crate::tui::preview::worker;
use crate::tui::theme::Role;
use crate::tui::widgets::{keys, text};

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

/// Where the parts of the screen are.
struct Screen {
    tabs: Rect,
    pane: Rect,
    message: Rect,
    keys: Rect,
}

fn screen(area: Rect) -> Screen {
    let row = |y: u16| Rect { y: area.y + y.min(area.height), height: u16::from(y < area.height), ..area };
    let (tabs, message, keys) = (row(0), row(area.height.saturating_sub(2)), row(area.height.saturating_sub(1)));
    let pane = Rect { y: area.y + 1, height: area.height.saturating_sub(3), ..area };
    if area.height < 4 {
        return Screen { tabs: Rect::default(), pane: area, message: Rect::default(), keys: Rect::default() };
    }
    Screen { tabs, pane, message, keys }
}

impl App {
    /// The window has another size, or somebody else had the screen.
    pub fn resized(&mut self, rows: u16, cell: Option<(u16, u16)>) {
        self.urgent = true;
        self.setting.rows = rows;
        self.setting.capabilities.cell = cell.or(self.setting.capabilities.cell);
        self.pixels.resized(rows, cell);
        self.dirty = true;
    }

    /// A frame in another size was drawn: the list asks for the rows it has room for now.
    pub fn drawn_in_another_size(&mut self) {
        let effects = self.list.resized();
        self.list_effects(effects);
        if self.at == At::Filters {
            let effects = self.filters.resized();
            self.filters_effects(effects);
        }
    }

    /// Draws a frame into `buf`; gives where the terminal's cursor belongs.
    pub fn draw(&mut self, buf: &mut Buffer) -> Option<Position> {
        let area = buf.area;
        buf.set_style(area, self.setting.look.theme.base());
        let screen = screen(area);
        self.draw_tabs(screen.tabs, buf);
        let mut pixels_at = None;
        let mut typing_at = None;
        match self.at {
            At::Review => {
                self.set_round_header();
                let place = self.prepare_picture(screen.pane);
                self.pane = screen.pane;
                self.review.draw(screen.pane, buf, &self.setting.look);
                pixels_at = Some(place);
            }
            At::Vocabulary => self.shop.vocabulary.draw(&self.shop.desk, screen.pane, buf, &self.setting.look),
            At::Templates => {
                typing_at = self.shop.templates.draw(&self.shop.desk, screen.pane, buf, &self.setting.look);
            }
            At::Generate => {
                let newest = self.newest_picture(screen.pane);
                self.generate.draw(screen.pane, newest.as_ref(), buf, &self.setting.look);
            }
            At::Filters => {
                let pictures = self.sample_pictures(screen.pane);
                self.filters.draw(screen.pane, &pictures, buf, &self.setting.look);
            }
            At::Agreement => self.agreement.draw(screen.pane, &self.keymap, buf, &self.setting.look),
            At::Adjudicate => self.draw_adjudicate(screen.pane, buf),
            At::Rounds => typing_at = self.rounds.draw(screen.pane, buf, &self.setting.look),
            At::Coverage => self.shop.coverage.draw(screen.pane, buf, &self.setting.look),
            At::List => self.list.draw(screen.pane, buf, &self.setting.look),
            At::Board => self.board.draw(screen.pane, &self.keymap, buf, &self.setting.look),
        }
        self.draw_message(screen.message, screen.keys, buf);
        let typing_at = typing_at.filter(|_| self.overlay.is_none());
        let over = self.overlay.is_some();
        let cursor = match &mut self.overlay {
            Some(overlay) => overlay.draw(screen.pane, screen.message, buf, &self.setting.look),
            None => typing_at,
        };
        let payload = self.pixel_payload(over);
        let wanted = payload.as_deref().and_then(worker_pixels).zip(pixels_at);
        self.pixels.mark(buf, wanted, &[]);
        cursor
    }

    /// Writes the true pixels of the frame just drawn.
    ///
    /// # Errors
    /// What the terminal gives.
    pub fn finish(&mut self, area: Rect, out: &mut dyn std::io::Write) -> std::io::Result<()> {
        let payload = self.pixel_payload(self.overlay.is_some());
        let place = self.review.layout(screen(area).pane).picture;
        let wanted = payload.as_deref().and_then(worker_pixels).map(|p| (p, place));
        self.pixels.finish(out, wanted).map(|_| ())
    }

    /// Lets go of what the terminal keeps for us.
    ///
    /// # Errors
    /// What the terminal gives.
    pub fn forget_pixels(&mut self, out: &mut dyn std::io::Write) -> std::io::Result<()> {
        self.pixels.forget(out).map(|_| ())
    }

    fn pixel_payload(&self, over: bool) -> Option<std::sync::Arc<worker::Ready>> {
        let shown = self.at == At::Review && self.true_pixels && !over && !self.review.queue().is_empty();
        match self.review.picture() {
            Picture::Ready(ready) if shown => Some(ready.clone()),
            _ => None,
        }
    }

    /// The item that is to be judged: number, revision, whether its picture is there.
    pub(super) fn on_screen(&self) -> Option<(u32, u64, bool)> {
        match self.at {
            At::Review => {
                let there = !matches!(self.review.picture(), Picture::Loading);
                Some((self.review.number()?, self.review.current()?.rev, there))
            }
            At::Adjudicate => self.adjudicate.on_screen(),
            _ => None,
        }
    }

    /// After a frame: the query to send when an item was painted that nobody has been asked about yet.
    pub fn receipt_query(&mut self) -> Option<&'static [u8]> {
        if self.overlay.is_some() {
            return None;
        }
        let on_screen = self.on_screen()?;
        let there = on_screen.2;
        if self.painted == Some(on_screen) {
            return None;
        }
        self.painted = Some(on_screen);
        if !there {
            return None;
        }
        self.token += 1;
        let now = self.now();
        Some(self.receipts.request(self.token, now))
    }

    fn draw_tabs(&self, area: Rect, buf: &mut Buffer) {
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
        // As many names as leave room for the counts.
        let reserved = if self.at == At::Review { self.review.progress_room() } else { 0 };
        let needed = reserved.max(text::width(&progress)) + text::width(&self.tally()) + 3;
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

    /// Counts by status, short.
    fn tally(&self) -> String {
        let count = |status: Status| self.counts.iter().find(|(s, _)| *s == status).map_or(0, |(_, n)| *n);
        let counts = format!(
            "✓{} ✗{} ?{}",
            text::grouped(count(Status::Accepted)),
            text::grouped(count(Status::Rejected)),
            text::grouped(count(Status::Pending))
        );
        if self.counts.is_empty() || self.in_the_dark() { String::new() } else { counts }
    }

    /// Counts, project and annotator, as much as fits.
    fn summary(&self, room: usize) -> String {
        let counts = self.tally();
        let long = format!("{counts}  {}  {} ", self.welcome.project, self.link.who());
        let short = format!("{counts}  {} ", self.link.who());
        [long, short, format!("{counts} ")].into_iter().find(|s| text::width(s) <= room).unwrap_or_default()
    }

    fn draw_message(&self, message: Rect, bar: Rect, buf: &mut Buffer) {
        let look = &self.setting.look;
        if let Some(toast) = &self.toast {
            toast.draw(message, buf, look);
        }
        let scopes = self.scopes();
        if !self.chord.is_empty()
            && let Lookup::Pending(pending) = self.keymap.lookup(&scopes, &self.chord)
        {
            return keys::draw_pending(&pending, bar, buf, look);
        }
        // In a round the keys for verdicts stand over the item.
        let over = self.at == At::Review && self.overlay.is_none() && self.review.work().is_some();
        let shown = if over { vec![Scope::Round] } else { scopes };
        keys::draw_bar(&self.keymap, &shown, bar, buf, look);
    }
}

fn worker_pixels(ready: &worker::Ready) -> Option<&crate::tui::terminal::pixels::Payload> {
    ready.as_ref().ok()?.pixels.as_ref()
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
}
