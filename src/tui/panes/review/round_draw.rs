//! Drawing of a round: its header, the guidelines beside the item, and the screens without an item.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::ReviewPane;
use super::draw::is_wide;
use super::round::{Phase, Work};
use crate::theme::{Look, Role};
use crate::widgets::text;
use benchtop_model::round::feedback::Outcome;

/// The least and greatest width of the guidelines.
const GUIDELINES: (u16, u16) = (30, 50);

/// A line as styled pieces.
type Line = Vec<(String, Role)>;

fn width(line: &Line) -> usize {
    line.iter().map(|(piece, _)| text::width(piece)).sum()
}

fn put(line: &Line, (mut x, y): (u16, u16), right: u16, buf: &mut Buffer, look: &Look) {
    for (piece, role) in line {
        let room = usize::from(right.saturating_sub(x));
        (x, _) = buf.set_stringn(x, y, text::fit(piece, room), room, look.style(*role));
    }
}

impl Work {
    /// Sets the key hints and the note of the header.
    pub fn set_header(&mut self, keys: Vec<(String, String)>, note: Option<String>) {
        (self.keys, self.note) = (keys, note);
    }

    /// The position among the annotator's items.
    pub fn place(&self) -> String {
        let Some(served) = &self.served else {
            return String::new();
        };
        let (at, of) = (
            text::grouped(served.place.0.into()),
            text::grouped(served.place.1.into()),
        );
        // Faster annotators get more items, so the count is approximate.
        let shared = usize::from(self.state.overlap) < self.state.people.len();
        match (served.practice, shared) {
            (true, _) => format!("practice {at} of {of}"),
            (false, true) => format!("{at} of about {of}"),
            (false, false) => format!("{at} of {of}"),
        }
    }

    /// The feedback on a practice item and the verdict on it.
    fn feedback(&self) -> Option<(String, Role)> {
        let Phase::Feedback(feedback, _) = &self.phase else {
            return None;
        };
        let label = |key: &String| {
            self.reasons
                .iter()
                .find(|(k, _)| k == key)
                .map_or(key, |(_, label)| label)
                .clone()
        };
        let reasons: Vec<String> = feedback.reasons.iter().map(label).collect();
        let why = if reasons.is_empty() {
            String::new()
        } else {
            format!(": {}", reasons.join(", "))
        };
        let known = match feedback.good {
            Some(true) => "this item is good".to_string(),
            Some(false) => format!("this item is bad{why}"),
            None => "no known verdict".to_string(),
        };
        Some(match self.outcome() {
            Some((Outcome::Right, _)) => (format!("✓ correct: {known}"), Role::Good),
            Some((Outcome::Miss, _)) => (format!("✗ wrong: this item is bad{why}"), Role::Bad),
            Some((Outcome::FalseReject, _)) => ("✗ wrong: this item is good".into(), Role::Bad),
            Some((Outcome::Undecided, _)) => (format!("undecided: {known}"), Role::Warn),
            None => (format!("noted: {known}"), Role::Text),
        })
    }

    /// The header lines for a width.
    fn header(&self, columns: usize) -> Vec<Line> {
        let blind = if self.state.blind { "blind" } else { "open" };
        let mut first = vec![
            (format!(" {}  ", self.state.name), Role::Accent),
            (self.place(), Role::Text),
        ];
        let rest = format!("{}, {blind} ", self.state.protocol);
        let gap = columns.saturating_sub(width(&first) + text::width(&rest));
        if gap > 1 {
            first.push((" ".repeat(gap), Role::Text));
            first.push((rest, Role::Dim));
        }
        let mut lines = vec![first];
        let mut second = Line::new();
        match self.feedback() {
            Some((piece, role)) => {
                let mut wrapped = text::wrap(&piece, columns.saturating_sub(1).max(8));
                let last = wrapped.pop().unwrap_or_default();
                lines.extend(
                    wrapped
                        .into_iter()
                        .map(|piece| vec![(format!(" {piece}"), role)]),
                );
                second.push((format!(" {last}"), role));
            }
            None if self.words().is_none() => {
                second.push((
                    format!(" {}", self.state.protocol.question()),
                    Role::Heading,
                ));
            }
            None => second.push((String::new(), Role::Text)),
        }
        for (key, name) in &self.keys {
            if width(&second) + text::width(key) + text::width(name) + 3 > columns {
                break;
            }
            second.push((format!("  {key}"), Role::Key));
            second.push((format!(" {name}"), Role::Hint));
        }
        lines.push(second);
        lines.extend(
            self.note
                .as_ref()
                .map(|note| vec![(format!(" {note}"), Role::Warn)]),
        );
        lines
    }

    /// The message and the advice on screens without an item.
    fn words(&self) -> Option<(String, String)> {
        let name = &self.state.name;
        let (what, more) = match &self.phase {
            Phase::Wait(_) => (
                format!("others are working on the rest of `{name}`"),
                "You get the items that they return or that time out.".to_string(),
            ),
            Phase::Finished => {
                let given = self.served.as_ref().map_or(0, |s| s.nth + 1);
                let done = if given > 0 {
                    format!("Items judged: {given}. ")
                } else {
                    String::new()
                };
                (
                    format!("you have finished `{name}`"),
                    format!("{done}Thank you. The Rounds pane shows the progress of all."),
                )
            }
            Phase::Closed => (
                format!("round `{name}` is closed"),
                "Its verdicts still count.".to_string(),
            ),
            Phase::Failed(why) => (
                format!("cannot load the next item of `{name}`"),
                why.clone(),
            ),
            Phase::Asking if self.served.is_none() => {
                (format!("loading the next item of `{name}`"), String::new())
            }
            _ => return None,
        };
        Some((what, more))
    }
}

impl ReviewPane {
    /// The area of the item: all of `area` outside of rounds.
    pub fn room(&self, area: Rect) -> Rect {
        let Some(work) = &self.work else { return area };
        let lines = work.header(usize::from(area.width)).len() as u16;
        let top = lines.min(area.height);
        let aside = work.column(area);
        let aside = if aside > 0 { aside + 1 } else { 0 };
        Rect {
            y: area.y + top,
            height: area.height - top,
            width: area.width - aside,
            ..area
        }
    }

    /// Draws the header and the guidelines of a round. Returns whether there is an item to draw.
    pub(super) fn draw_round(&mut self, area: Rect, buf: &mut Buffer, look: &Look) -> bool {
        let room = self.room(area);
        let Some(work) = &mut self.work else {
            return true;
        };
        let lines = work.header(usize::from(area.width));
        for (y, line) in (area.y..area.bottom()).zip(&lines) {
            put(line, (area.x, y), area.right(), buf, look);
        }
        let column = work.column(area);
        let beside = Rect {
            x: area.right() - column,
            width: column,
            ..room
        };
        work.draw_guidelines(beside, buf, look);
        let Some((what, more)) = work.words() else {
            return true;
        };
        let columns = usize::from(room.width.saturating_sub(4)).clamp(8, 72);
        let lines = text::wrap(&what, columns)
            .into_iter()
            .map(|l| (l, Role::Heading));
        let more = if more.is_empty() {
            Vec::new()
        } else {
            text::wrap(&more, columns)
        };
        let lines: Vec<(String, Role)> = lines
            .chain(more.into_iter().map(|l| (l, Role::Text)))
            .collect();
        let top = room.y + room.height.saturating_sub(lines.len() as u16) / 3;
        for (y, (line, role)) in (top..room.bottom()).zip(lines) {
            let x = room.x + room.width.saturating_sub(text::width(&line) as u16) / 2;
            put(&vec![(line, role)], (x, y), room.right(), buf, look);
        }
        false
    }
}

impl Work {
    /// The width of the guidelines.
    fn column(&self, area: Rect) -> u16 {
        let shown = self.beside && self.guidelines.is_some() && is_wide(area.width);
        if shown {
            (area.width / 4).clamp(GUIDELINES.0, GUIDELINES.1)
        } else {
            0
        }
    }

    fn draw_guidelines(&mut self, area: Rect, buf: &mut Buffer, look: &Look) {
        let Some(guidelines) = self.guidelines.as_ref().filter(|_| !area.is_empty()) else {
            return;
        };
        let columns = usize::from(area.width);
        let title = format!("{}, version {}", guidelines.path, guidelines.version);
        put(
            &vec![(title, Role::Heading)],
            (area.x, area.y),
            area.right(),
            buf,
            look,
        );
        let lines: Vec<String> = guidelines
            .text
            .lines()
            .flat_map(|line| text::wrap(line, columns))
            .collect();
        let height = usize::from(area.height.saturating_sub(1));
        self.overflow = lines.len().saturating_sub(height);
        self.scroll = self.scroll.min(self.overflow);
        for (y, line) in (area.y + 1..area.bottom()).zip(lines.iter().skip(self.scroll)) {
            put(
                &vec![(line.clone(), Role::Text)],
                (area.x, y),
                area.right(),
                buf,
                look,
            );
        }
        let below = self.overflow - self.scroll;
        if below > 0 && height > 1 {
            let more = format!("{below} more: pgdn");
            let x = area.right().saturating_sub(text::width(&more) as u16);
            put(
                &vec![(more, Role::Hint)],
                (x.max(area.x), area.bottom() - 1),
                area.right(),
                buf,
                look,
            );
        }
    }

    /// Scrolls the guidelines. `None` if they are not shown.
    pub(super) fn scroll_guidelines(&mut self, lines: isize) -> Option<bool> {
        if !self.beside || self.overflow == 0 {
            return None;
        }
        let to = self.scroll.saturating_add_signed(lines).min(self.overflow);
        Some(std::mem::replace(&mut self.scroll, to) != to)
    }
}
