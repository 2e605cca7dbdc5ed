//! Drawing the review pane.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Modifier;
use ratatui::widgets::{Block, BorderType, Widget};

use super::{Loaded, Picture, ReviewPane};
use crate::model::scoring::bench::Chip;
use crate::model::scoring::rules::Then;
use crate::model::{Item, QuestionKind, Role as Part, Status, Verdict};
use crate::store::query;
use crate::tui::theme::{Look, Role};
use crate::tui::widgets::table::{Empty, draw::draw_empty};
use crate::tui::widgets::text;

/// Narrower panes put the picture above the text.
const SIDE_BY_SIDE: u16 = 64;

/// Where picture and text go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// The picture.
    pub picture: Rect,
    /// The text.
    pub text: Rect,
}

/// Where picture and text go in `area`. The picture gets as many columns as a square needs, at most three fifths.
pub fn layout(area: Rect) -> Layout {
    if area.width < SIDE_BY_SIDE {
        let height = area.height / 2;
        let text = Rect { y: area.y + height, height: area.height - height, ..area };
        return Layout { picture: Rect { height, ..area }, text };
    }
    // Cells are about twice as high as wide.
    let width = (area.height * 2).min(area.width * 3 / 5).max(area.width / 3);
    let text = Rect { x: area.x + width + 1, width: area.width - width - 1, ..area };
    Layout { picture: Rect { width, ..area }, text }
}

/// The word for a status, with a mark that needs no colour.
pub fn status_words(status: Status) -> (&'static str, Role) {
    match status {
        Status::Pending => ("pending", Role::Dim),
        Status::Accepted => ("✓ accepted", Role::Good),
        Status::Rejected => ("✗ rejected", Role::Bad),
        Status::ToFix => ("~ to fix", Role::Warn),
        Status::Flagged => ("! flagged", Role::Flag),
        Status::Skipped => ("» skipped", Role::Dim),
    }
}

/// Draws a picture, or a frame that says why there is none; with `bare` room is left for one in true pixels.
pub fn draw_picture(picture: &Picture, bare: bool, area: Rect, buf: &mut Buffer, look: &Look) {
    match picture {
        Picture::Loading => framed("loading the picture", Role::Dim, area, buf, look),
        Picture::None(why) => framed(&format!("no picture: {why}"), Role::Warn, area, buf, look),
        Picture::Ready(ready) => match ready.as_ref() {
            Ok(picture) if bare && picture.pixels.is_some() => {}
            Ok(picture) => Widget::render(&picture.cells, area, buf),
            Err(problem) => framed(&format!("no picture: {}", problem.what), Role::Warn, area, buf, look),
        },
    }
}

impl ReviewPane {
    /// Draws the pane into `area`.
    pub fn draw(&mut self, area: Rect, buf: &mut Buffer, look: &Look) {
        if area.is_empty() {
            return;
        }
        if self.queue.is_empty() {
            let empty = if self.loading {
                Empty::Loading
            } else if self.queue.is_all() {
                let hint = "S draws a sample; `benchtop import PATH` brings your own in".to_string();
                Empty::Nothing { hint }
            } else {
                Empty::Filtered { hint: "/ and Enter on an empty line shows every item".into() }
            };
            return draw_empty(&empty, area, buf, look);
        }
        let Layout { picture, text } = layout(area);
        draw_picture(&self.picture, self.bare, picture, buf, look);
        self.draw_text(text, buf, look);
    }

    fn draw_text(&mut self, area: Rect, buf: &mut Buffer, look: &Look) {
        let Some(number) = self.number() else { return };
        let mut lines = Lines { width: usize::from(area.width), lines: Vec::new() };
        match self.items.get(&number) {
            None => lines.say(&format!("#{number}  loading"), Role::Dim, Modifier::empty()),
            Some(Err(why)) => lines.say(&format!("#{number}  {why}"), Role::Bad, Modifier::empty()),
            Some(Ok(loaded)) => write(number, loaded, self.pending_on(number), look.accessible, &mut lines),
        }
        let height = usize::from(area.height);
        self.overflow = lines.lines.len().saturating_sub(height);
        self.scroll = self.scroll.min(self.overflow);
        for (y, line) in (area.y..area.bottom()).zip(lines.lines.iter().skip(self.scroll)) {
            let style = look.style(line.role).add_modifier(line.modifier);
            buf.set_stringn(area.x, y, &line.text, usize::from(area.width), style);
        }
        let below = self.overflow - self.scroll;
        if below > 0 && height > 1 {
            let more = format!(" {below} more: pgdn ");
            let x = area.right().saturating_sub(text::width(&more) as u16);
            buf.set_string(x.max(area.x), area.bottom() - 1, more, look.style(Role::Hint));
        }
    }

    /// What the header says of the queue and of the last receipt.
    pub fn progress(&self) -> String {
        if self.queue.is_empty() {
            return String::new();
        }
        let place =
            format!("{} of {}", text::grouped(self.position as u64 + 1), text::grouped(self.queue.len() as u64));
        let filter = if self.queue.is_all() { String::new() } else { format!("  [{}]", self.queue.title()) };
        let saving = match self.pending.len() {
            0 => self.saved.as_ref().map(|s| format!("  ✓ {s}")).unwrap_or_default(),
            1 => "  saving".to_string(),
            n => format!("  saving {n}"),
        };
        format!("{place}{filter}{saving}")
    }
}

/// A message in a frame, in the middle of the area.
fn framed(message: &str, role: Role, area: Rect, buf: &mut Buffer, look: &Look) {
    let mut inner = area;
    if !look.accessible && area.width > 4 && area.height > 2 {
        let block = Block::bordered().border_type(BorderType::Rounded).border_style(look.style(Role::Border));
        inner = block.inner(area);
        block.render(area, buf);
    }
    let lines = text::wrap(message, usize::from(inner.width.saturating_sub(2)));
    let top = inner.y + inner.height.saturating_sub(lines.len() as u16) / 2;
    for (y, line) in (top..inner.bottom()).zip(lines) {
        let x = inner.x + inner.width.saturating_sub(text::width(&line) as u16) / 2;
        buf.set_stringn(x, y, line, usize::from(inner.width), look.style(role));
    }
}

struct Line {
    text: String,
    role: Role,
    modifier: Modifier,
}

struct Lines {
    width: usize,
    lines: Vec<Line>,
}

impl Lines {
    fn say(&mut self, said: &str, role: Role, modifier: Modifier) {
        for paragraph in said.split('\n') {
            for text in text::wrap(paragraph, self.width) {
                self.lines.push(Line { text, role, modifier });
            }
        }
    }

    fn gap(&mut self) {
        self.lines.push(Line { text: String::new(), role: Role::Text, modifier: Modifier::empty() });
    }

    /// `label  value`, the value's further lines indented.
    fn field(&mut self, label: &str, value: &str, role: Role) {
        if value.is_empty() {
            return;
        }
        let indent = 9;
        for (at, text) in text::wrap(value, self.width.saturating_sub(indent).max(8)).into_iter().enumerate() {
            let label = if at == 0 { label } else { "" };
            self.lines.push(Line { text: format!("{label:<indent$}{text}"), role, modifier: Modifier::empty() });
        }
    }
}

fn write(number: u32, loaded: &Loaded, pending: Option<Verdict>, accessible: bool, lines: &mut Lines) {
    let item = loaded.item.as_ref();
    let (words, role) = status_words(loaded.status);
    match pending {
        Some(verdict) => {
            lines.say(&format!("#{number}  … {}, not saved yet", verdict.name()), Role::Warn, Modifier::empty())
        }
        None => lines.say(&format!("#{number}  {words}"), role, Modifier::BOLD),
    }
    chips(&loaded.chips, accessible, lines);
    for standing in &loaded.standing {
        let j = &standing.judgement;
        let mut said =
            format!("{} by {}, {}", j.verdict.name(), standing.who, query::judged(standing.at).replace('T', " "));
        if !j.reasons.is_empty() {
            said.push_str(&format!(": {}", j.reasons.join(", ")));
        }
        if let Some(note) = &j.note {
            said.push_str(&format!(" “{note}”"));
        }
        lines.say(&said, Role::Dim, Modifier::empty());
    }
    lines.gap();
    lines.say(&item.question, Role::Text, Modifier::BOLD);
    options(item, lines);
    lines.gap();
    lines.field("prompt", item.prompt.as_deref().unwrap_or_default(), Role::Text);
    lines.field("negative", item.negative_prompt.as_deref().unwrap_or_default(), Role::Dim);
    if lines.lines.last().is_some_and(|l| !l.text.is_empty()) {
        lines.gap();
    }
    if let Some((label, what)) = loaded.stale.as_deref().and_then(|s| s.split_once(": ")) {
        lines.field(label, what, Role::Warn);
    }
    provenance(item, lines);
}

/// The rules that hold for the item, and why.
fn chips(chips: &[Chip], accessible: bool, lines: &mut Lines) {
    for chip in chips {
        let role = if chip.then == Then::Flag { Role::Flag } else { Role::Bad };
        let outcome = chip.then.outcome().name();
        let said = match accessible {
            true => format!("the rule {} has this item {outcome} because {}", chip.rule, chip.words),
            false => format!("{outcome}: {}  ({})", chip.words, chip.rule),
        };
        lines.say(&said, role, Modifier::empty());
    }
}

fn options(item: &Item, lines: &mut Lines) {
    for (at, option) in item.options.iter().enumerate() {
        let (mark, role) = match option.role {
            Part::Correct => ("✓", Role::Good),
            Part::Distractor => (" ", Role::Text),
            Part::Refusal => ("?", Role::Dim),
        };
        let letter = Item::letter(at);
        for (at, text) in text::wrap(&option.text, lines.width.saturating_sub(5).max(8)).into_iter().enumerate() {
            let head = if at == 0 { format!("{mark} {letter}. ") } else { "     ".into() };
            lines.lines.push(Line { text: format!("{head}{text}"), role, modifier: Modifier::empty() });
        }
    }
    if item.options.is_empty() || item.correct().is_none() {
        let label = if item.kind == QuestionKind::FreeForm { "wanted" } else { "answer" };
        lines.field(label, &item.answer, Role::Good);
    }
}

fn provenance(item: &Item, lines: &mut Lines) {
    lines.field("id", &item.id, Role::Dim);
    if item.task.as_deref() == Some("sample") {
        lines.field("sample", "drawn by benchtop to try it out", Role::Warn);
    }
    let known = |parts: &[Option<&str>]| parts.iter().flatten().copied().collect::<Vec<_>>().join(", ");
    let kind = known(&[
        Some(item.kind.name()),
        item.subtask.as_deref(),
        item.level.as_deref(),
        item.style.as_deref(),
        item.pair.as_ref().map(|p| p.side.name()),
    ]);
    lines.field("kind", &kind, Role::Dim);
    if let Some(pair) = &item.pair {
        lines.field("pair", &pair.id.to_string(), Role::Dim);
    }
    if let Some(rotation) = &item.rotation {
        lines.field("rotation", &format!("{} of {}, set {}", rotation.index, rotation.of, rotation.set), Role::Dim);
    }
    for (at, image) in item.images.iter().enumerate() {
        let hash = image.hash.as_deref().map_or(String::new(), |h| format!("  blake3 {}", &h[..12.min(h.len())]));
        let more = if at > 0 { "  (not shown)" } else { "" };
        lines.field("picture", &format!("{}{hash}{more}", image.name), Role::Dim);
    }
    if let Some(made) = &item.provenance {
        let from = format!(
            "{} {}, seed {}, metadata {} {}",
            made.subject, made.picture, made.seed, made.vocabulary, made.templates
        );
        lines.field("made", &from, Role::Dim);
    }
    if let Some(chance) = item.chance() {
        lines.field("chance", &format!("{:.1} %", 100.0 * chance), Role::Dim);
    }
}
