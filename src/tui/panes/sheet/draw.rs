//! Drawing of the contact sheet: a tile per picture, and what is under the cursor.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::SheetPane;
use super::grid::{Grid, Tile as Place};
use super::place::Place as Cursor;
use crate::action::Action;
use crate::hits::steps;
use crate::item::{Loaded, Picture};
use crate::pane::{PaneId, Scene};
use crate::panes::metadata::edit_session::error_line;
use crate::panes::review::{draw_picture, status_words};
use crate::theme::Role;
use crate::widgets::areas;
use crate::widgets::lines::Lines;
use crate::widgets::table::{Empty, draw::draw_empty};
use crate::widgets::text;
use benchtop_model::generated_image::GeneratedImage;
use benchtop_model::{QuestionKind, Status};

/// The least height with two lines about the item under the cursor, instead of one.
const TALL: u16 = 16;

/// The mark of a status.
fn mark(status: Status) -> (&'static str, Role) {
    let (words, role) = status_words(status);
    match status {
        Status::Pending => ("?", Role::Pending),
        _ => (words.split(' ').next().unwrap_or_default(), role),
    }
}

/// What a picture should show, in a few words: the answer, or the statement to judge.
fn caption(loaded: &Loaded) -> String {
    let item = &loaded.item;
    match item.kind {
        QuestionKind::TrueFalse | QuestionKind::YesNo => text::clean(&item.question),
        QuestionKind::MultipleChoice | QuestionKind::FreeForm => text::clean(&item.answer),
    }
}

impl SheetPane {
    /// The area of the pictures, and of the lines below them.
    pub(super) fn room(&self, area: Rect) -> (Rect, Rect) {
        let below = if area.height >= TALL { 2 } else { 1 };
        areas::top(area, area.height.saturating_sub(below))
    }

    pub(super) fn draw_sheet(&mut self, area: Rect, buf: &mut Buffer, scene: &Scene<'_>) {
        self.area = area;
        if area.is_empty() {
            return;
        }
        let below = self.room(area).1;
        let grid = self.grid();
        match &mut self.samples {
            Some(samples) => {
                let len = samples.list().len();
                samples.place.fit(len, grid.count());
            }
            None => {
                self.place.fit(self.queue.len(), grid.count());
                if self.arranged.is_some() {
                    self.place.top -= self.place.top % usize::from(grid.columns);
                }
            }
        }
        if let Some(empty) = self.empty(scene) {
            (self.tiles, self.pixels) = (Vec::new(), None);
            return draw_empty(&empty, area, buf, scene.look);
        }
        self.prepare(grid, scene);
        let sheets = [Action::PreviousSheet, Action::NextSheet];
        scene.look.hits.wheel(area, sheets, 1);
        match &self.samples {
            Some(samples) => {
                let sheet = samples.place.sheet(samples.list().len(), grid.count());
                for (at, image) in samples.list()[sheet].iter().enumerate() {
                    let is_here = samples.place.top + at == samples.place.cursor;
                    hit(samples.place, at, grid.tile(at), scene);
                    let shown = self.is_shown(samples.number, image);
                    let (sign, role) = if shown {
                        ("✓", Role::Good)
                    } else {
                        (" ", Role::Dim)
                    };
                    let words = format!("{sign} sample {}", image.sample);
                    self.draw_tile(at, grid.tile(at), is_here, (&words, role), buf, scene);
                }
            }
            None => {
                self.draw_labels(grid, area, buf, scene);
                for (at, number) in self.cells().into_iter().enumerate() {
                    let is_here = self.place.top + at == self.place.cursor;
                    hit(self.place, at, grid.tile(at), scene);
                    let position = self.place.top + at;
                    let (words, role) = match number {
                        Some(number) => self.tile_words(number, position),
                        None => (String::new(), Role::Dim),
                    };
                    self.draw_tile(at, grid.tile(at), is_here, (&words, role), buf, scene);
                }
            }
        }
        self.draw_below(below, buf, scene);
    }

    /// The message that replaces the sheet.
    fn empty(&self, scene: &Scene<'_>) -> Option<Empty> {
        if let Some(samples) = &self.samples {
            let number = samples.number;
            return match &samples.loaded {
                None => Some(Empty::Loading),
                Some(Err(problem)) => Some(Empty::Failed(error_line(problem))),
                Some(Ok(list)) if list.is_empty() => Some(Empty::Nothing(format!(
                    "no picture of #{number} was generated here"
                ))),
                Some(Ok(_)) => None,
            };
        }
        if self.in_round {
            let review = scene.key(Action::Go(PaneId::Review));
            return Some(Empty::Nothing(format!(
                "a round serves one item at a time, so there is no contact sheet; {review} continues the round"
            )));
        }
        match (self.ready, self.queue.is_empty()) {
            (false, _) => Some(Empty::Loading),
            (true, true) => Some(Empty::Nothing("no items in this queue".into())),
            _ => None,
        }
    }

    /// The caption of an item: selected, status, number, and what the picture should show.
    fn tile_words(&self, number: u32, position: usize) -> (String, Role) {
        let selected = if self.selected.contains(&number) {
            "*"
        } else {
            ""
        };
        let (sign, role, words) = match self.loaded(number) {
            _ if self.is_pending(number) => ("…", Role::Pending, String::new()),
            None => (" ", Role::Dim, String::new()),
            Some(loaded) => {
                let (sign, role) = mark(loaded.status);
                (sign, role, caption(loaded))
            }
        };
        let role = if selected.is_empty() {
            role
        } else {
            Role::Flag
        };
        let tags = match self.tags.get(&number) {
            Some(tags) => format!("[{}] ", tags.join(", ")),
            None => String::new(),
        };
        let words = match self.rows().and_then(|rows| rows.arrangement.at(position)) {
            Some((_, cell)) => cell.label.clone(),
            None => words,
        };
        (format!("{selected}{sign}#{number} {tags}{words}"), role)
    }

    /// Draws the labels of the rows and columns of what a scenario made.
    fn draw_labels(&self, grid: Grid, area: Rect, buf: &mut Buffer, scene: &Scene<'_>) {
        let Some(rows) = self.rows() else { return };
        let area = self.room(area).0;
        let style = scene.look.style(Role::Heading);
        let mut write = |x: u16, y: u16, words: &str, room: u16| {
            let room = usize::from(room);
            buf.set_stringn(x, y, text::fit(words, room), room, style);
        };
        for (column, label) in rows.arrangement.columns.iter().enumerate() {
            let place = grid.tile(column).picture;
            write(place.x, area.y, label, place.width);
        }
        let sheet = self.place.sheet(self.queue.len(), grid.count());
        for at in (0..sheet.len()).step_by(usize::from(grid.columns)) {
            if let Some((label, _)) = rows.arrangement.at(sheet.start + at) {
                let left = rows.margins(area).0;
                write(
                    area.x,
                    grid.tile(at).picture.y,
                    label,
                    left.saturating_sub(1),
                );
            }
        }
    }

    fn draw_tile(
        &self,
        at: usize,
        place: Place,
        is_here: bool,
        (words, role): (&str, Role),
        buf: &mut Buffer,
        scene: &Scene<'_>,
    ) {
        let look = scene.look;
        let bare = is_here && self.pixels.is_some() && !scene.is_covered;
        match self.tiles.get(at).map(|tile| &tile.picture) {
            Some(Picture::Ready(_)) if bare => {}
            Some(Picture::Loading) | None => {
                say_in(place.picture, "loading", look.style(Role::Dim), buf);
            }
            Some(Picture::None(why)) if why.is_empty() => {
                say_in(place.picture, "none", look.style(Role::Dim), buf);
            }
            Some(Picture::None(_)) => {
                say_in(place.picture, "no picture", look.style(Role::Warn), buf);
            }
            Some(picture) => draw_picture(picture, false, place.picture, buf, look),
        }
        let sign = if look.accessible { ">" } else { "▌" };
        if is_here {
            for y in place.mark.top()..place.mark.bottom() {
                buf.set_string(place.mark.x, y, sign, look.style(Role::Gutter));
            }
        }
        let room = usize::from(place.caption.width);
        let style = match is_here {
            true => look.style(role).patch(look.style(Role::Selection)),
            false => look.style(role),
        };
        buf.set_stringn(
            place.caption.x,
            place.caption.y,
            text::fit(words, room),
            room,
            style,
        );
    }

    /// Draws what is under the cursor, and what one key would accept.
    fn draw_below(&self, area: Rect, buf: &mut Buffer, scene: &Scene<'_>) {
        let mut lines = Lines::new(area, buf, scene.look);
        if let Some(samples) = &self.samples {
            if let Some(image) = samples.list().get(samples.place.cursor) {
                let shown = self.is_shown(samples.number, image);
                lines.text(&sample_words(samples.number, image, shown), Role::Text);
            }
            let back = scene.key(Action::Back);
            let count = text::counted(samples.list().len() as u64, "picture");
            return lines.text(
                &format!(" {count}, newest first; {back} closes"),
                Role::Hint,
            );
        }
        let Some(number) = self.number() else { return };
        match self.items.get(&number) {
            None => lines.text(&format!(" #{number}  loading"), Role::Dim),
            Some(Err(why)) => lines.text(&format!(" #{number}  {why}"), Role::Bad),
            Some(Ok(loaded)) => {
                let tile = self.place.cursor.checked_sub(self.place.top);
                let picture = tile.and_then(|at| self.tiles.get(at)).map(|t| &t.picture);
                let (words, role) = item_words(number, loaded, picture);
                let rows = self.rows();
                let of = rows.map(|rows| rows.arrangement.words(self.place.cursor));
                let of = of.map_or(String::new(), |of| format!(" {of} "));
                lines.text(&format!("{of}{words}"), role);
            }
        }
        let (reject, accept) = (
            scene.key(Action::SheetReject),
            scene.key(Action::AcceptSheet),
        );
        let rest = self.count_rest();
        let selected = match self.selected.len() {
            0 => String::new(),
            n => format!("{n} selected; "),
        };
        let tags = match self.tags.get(&number) {
            Some(tags) => format!("carries {}; ", tags.join(", ")),
            None => String::new(),
        };
        let hint = match rest {
            0 => format!("nothing left to accept; {accept} turns the sheet"),
            _ => format!("{reject} rejects, {accept} accepts the other {rest} and turns the sheet"),
        };
        lines.text(&format!(" {selected}{tags}{hint}"), Role::Hint);
    }

    /// The pictures that accepting the rest would accept, once the terminal has painted them.
    fn count_rest(&self) -> usize {
        let who = self.who.as_str();
        let mut sheet = self.on_sheet();
        sheet.retain(|number| self.is_unjudged(*number, who));
        sheet.len()
    }
}

/// Declares that a click goes to a tile. A click there opens it.
fn hit(cursor: Cursor, at: usize, tile: Place, scene: &Scene<'_>) {
    let by = (cursor.top + at) as i64 - cursor.cursor as i64;
    let area = tile.mark.union(tile.picture).union(tile.caption);
    let moves = steps(by, [Action::SheetLeft, Action::SheetRight]);
    scene.look.hits.go(area, moves, Some(Action::SheetOpen));
}

/// An item in one line: number, status, question, answer, and rules that flag it.
fn item_words(number: u32, loaded: &Loaded, picture: Option<&Picture>) -> (String, Role) {
    let item = &loaded.item;
    let mut words = format!(
        " #{number}  {}  {} → {}",
        status_words(loaded.status).0,
        text::clean(&item.question),
        text::clean(&item.answer)
    );
    if let Some(chip) = loaded.chips.first() {
        words = format!("{words}  ! {}", chip.rule);
    }
    match picture {
        Some(Picture::None(why)) => (format!(" #{number}  no picture: {why}"), Role::Warn),
        _ => (words, Role::Text),
    }
}

/// A generated picture in one line.
fn sample_words(number: u32, image: &GeneratedImage, shown: bool) -> String {
    let draft = if image.draft { ", draft" } else { "" };
    let shown = if shown { ", shown" } else { "" };
    format!(
        " #{number}  sample {}, seed {}, {}x{}, job {}{draft}{shown}",
        image.sample, image.seed, image.width, image.height, image.job
    )
}

/// Writes a word in the middle of an area.
fn say_in(area: Rect, word: &str, style: Style, buf: &mut Buffer) {
    let room = usize::from(area.width);
    let word = text::fit(word, room);
    let left = (room.saturating_sub(text::width(&word)) / 2) as u16;
    let (x, y) = (area.x + left, area.y + area.height / 2);
    if !area.is_empty() {
        buf.set_stringn(x, y, word, room, style);
    }
}
