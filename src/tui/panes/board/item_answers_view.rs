//! The answers of all models to one question, with its picture if there is room.
//!
//! The models are in a table. Below it are the details of the answer under the cursor: raw output,
//! parsing, the tool's verdict, and reasoning.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::drilldown::{AnswerOrder, judged, or_none, right, unread};
use super::label_target::LabelTarget;
use super::layer::{Layer, LayerEffect};
use crate::action::{Action, Scope};
use crate::item::{Loaded, NoPicture, Picture, ViewState, picture_of};
use crate::keymap::Keymap;
use crate::pane::Scene;
use crate::panes::review::draw_picture;
use crate::preview::View;
use crate::theme::{Look, Role};
use crate::widgets::areas;
use crate::widgets::lines::draw_more;
use crate::widgets::table::{Answer, Empty, LocalCell, LocalTable, Spec, TableEffect};
use crate::widgets::text;
use benchtop_model::board::{AnswerDetail, ItemAnswers, ModelAnswer};
use benchtop_model::error_label::digest;
use benchtop_model::{Item, Result};
use benchtop_protocol::wire::{ErrorLabelPage, ItemView, ShownLabel};

/// The least size that shows the picture.
const WIDE: (u16, u16) = (120, 24);
/// The column of error labels.
const ERROR: &str = "error";
/// The least height of the details if the pane is tall enough.
const BELOW: u16 = 8;

/// The answers of all models to one question.
#[derive(Clone, Debug)]
pub struct AnswerView {
    found: ItemAnswers,
    order: AnswerOrder,
    table: LocalTable,
    /// Title of the table.
    title: String,
    /// Error labels.
    labels: ErrorLabelPage,
    loaded: Option<std::result::Result<Loaded, String>>,
    picture: Picture,
    scroll: usize,
    /// Lines of the details that did not fit in the last frame.
    overflow: usize,
}

/// A line of the details.
struct TextLine {
    text: String,
    role: Role,
}

/// The details of an answer, wrapped to `room`. Untrusted text is cleaned line by line and keeps
/// its line breaks.
fn about(b: &AnswerDetail, room: usize) -> Vec<TextLine> {
    let mut lines: Vec<TextLine> = Vec::new();
    let mut say = |text: &str, role: Role| {
        for line in text.lines() {
            lines.extend(
                text::wrap(&text::clean(line), room)
                    .into_iter()
                    .map(|text| TextLine { text, role }),
            );
        }
    };
    match &b.output {
        Some(output) if output.trim().is_empty() => say("(empty answer)", Role::Dim),
        Some(output) => say(output, Role::Text),
        None => say("no answer; counts as wrong", Role::Dim),
    }
    let (is, role) = match (b.right.map(right), b.similarity) {
        (Some((word, role)), _) => (word.to_string(), role),
        (None, Some(similarity)) => (format!("score {similarity:.4}"), Role::Text),
        (None, None) => ("not yet compared with the reference".to_string(), Role::Dim),
    };
    let read = match &b.extracted {
        Some(read) => format!("parsed as {read}: "),
        None if b.output.is_none() || b.right.is_none() => String::new(),
        None if b.declined => "refusal: ".to_string(),
        None => "no answer found: ".to_string(),
    };
    say("", Role::Text);
    say(&format!("{read}{is}"), role);
    if let Some(tool) = &b.tool {
        let differs = tool
            .is_right()
            .is_some_and(|right| b.right.is_some_and(|own| own != right));
        let role = if differs { Role::Warn } else { Role::Text };
        say(&format!("tool: {}", tool.describe()), role);
    }
    say(&b.trace, Role::Dim);
    if let Some(reasoning) = &b.reasoning {
        say("Reasoning (not parsed)", Role::Heading);
        say(reasoning, Role::Text);
    }
    lines
}

impl AnswerView {
    /// A view of these answers with the cursor on `model`.
    pub fn new(found: ItemAnswers, model: &str) -> AnswerView {
        let counted_as = |wanted: bool| {
            found
                .answers
                .iter()
                .filter(|of| of.answer.right == Some(wanted))
                .count()
        };
        let all = text::counted(found.answers.len() as u64, "answer");
        let title = format!(
            "{all}: {} right, {} wrong",
            counted_as(true),
            counted_as(false)
        );
        let columns = columns_of(&found, &title, false);
        let hint = "no model answered this question".into();
        let table = LocalTable::new(columns, Vec::new(), 1, Empty::Nothing(hint));
        let mut view = AnswerView {
            found,
            order: AnswerOrder::default(),
            table,
            title,
            labels: ErrorLabelPage::default(),
            loaded: None,
            picture: Picture::Loading,
            scroll: 0,
            overflow: 0,
        };
        view.arrange(model);
        view
    }

    /// Sorts and filters the answers. The cursor stays on `model` if it is visible.
    fn arrange(&mut self, model: &str) {
        let answers = &self.found.answers;
        let has = |name: &str| self.table.columns().iter().any(|c| c.name == name);
        let (has_tool, has_labels) = (has("tool"), has(ERROR));
        let line = |of: &ModelAnswer| {
            let (b, name) = (
                &of.answer,
                of.order
                    .as_ref()
                    .map_or(of.model.clone(), |o| format!("{}, {o}", of.model)),
            );
            let mut cells = vec![LocalCell::text(name), judged(b.right, b.similarity)];
            if has_labels {
                let given = labels_of(&self.labels, of);
                let words: Vec<&str> = given.map(|l| l.label.label.as_str()).collect();
                let words = Some(words.join(", ")).filter(|words| !words.is_empty());
                cells.push(or_none(words.as_ref(), ""));
            }
            cells.push(or_none(b.extracted.as_ref(), unread(b)));
            if has_tool {
                cells.push(or_none(
                    b.tool.as_ref().map(|tool| tool.describe()).as_ref(),
                    "-",
                ));
            }
            cells.push(or_none(b.output.as_ref(), "(no answer)"));
            cells
        };
        let left_out = self.found.left_out;
        let note = (left_out > 0)
            .then(|| format!("{} answers left out (too long)", text::grouped(left_out)));
        let hints = ["no model is wrong", "no model answered this question"];
        let table = &mut self.table;
        self.order
            .fill(table, answers, |of| &of.answer, line, hints, note);
        let of = |at: u64| self.order.answer(at, answers);
        let place =
            (0..self.order.len() as u64).find(|at| of(*at).is_some_and(|of| of.model == model));
        if let Some(place) = place {
            self.table.go_to_id(place);
        }
        self.scroll = 0;
    }

    pub fn item(&self) -> &str {
        &self.found.item
    }

    pub fn current(&self) -> Option<&ModelAnswer> {
        self.order.current(&self.table, &self.found.answers)
    }

    /// Receives the item, whose picture is shown beside the answers.
    pub fn take_item(&mut self, number: u32, view: Result<ItemView>) {
        if number == self.found.number {
            self.loaded = Some(
                view.map_err(|problem| problem.what)
                    .and_then(Loaded::from_view),
            );
        }
    }

    /// Receives the error labels. The column is there if an answer has some.
    pub(super) fn take_labels(&mut self, number: u32, page: ErrorLabelPage) {
        if number != self.found.number {
            return;
        }
        self.labels = page;
        let model = self
            .current()
            .map(|of| of.model.clone())
            .unwrap_or_default();
        let has_labels = !self.labels.list.is_empty();
        if has_labels != self.table.columns().iter().any(|c| c.name == ERROR) {
            let columns = columns_of(&self.found, &self.title, has_labels);
            let hint = "no model answered this question".into();
            self.table = LocalTable::new(columns, Vec::new(), 1, Empty::Nothing(hint));
        }
        let scroll = self.scroll;
        self.arrange(&model);
        self.scroll = scroll;
    }

    pub(super) fn number(&self) -> u32 {
        self.found.number
    }

    /// Shows other answers. Keeps what belongs to the user, and the picture of the same question.
    pub(super) fn replace(&mut self, by: AnswerView) {
        let before = std::mem::replace(self, by);
        if before.found.number == self.found.number {
            (self.loaded, self.picture) = (before.loaded, before.picture);
            let model = self
                .current()
                .map(|of| of.model.clone())
                .unwrap_or_default();
            self.take_labels(self.found.number, before.labels);
            self.arrange(&model);
        }
        if before.order.is_changed() {
            self.order = before.order;
            let model = self
                .current()
                .map(|of| of.model.clone())
                .unwrap_or_default();
            self.arrange(&model);
        }
    }

    /// Prepares the picture for its place. The old one stays while the new one loads.
    fn prepare_picture(&mut self, place: Rect, scene: &Scene<'_>) {
        let picture = match &self.loaded {
            None => Picture::Loading,
            Some(Err(why)) => Picture::None(why.clone()),
            Some(Ok(loaded)) => picture_in(loaded, place, scene),
        };
        let stays =
            matches!(picture, Picture::Loading) && matches!(self.picture, Picture::Ready(_));
        if !stays {
            self.picture = picture;
        }
    }

    /// The area of the picture; empty if there is no room.
    fn picture_place(&self, area: Rect) -> Rect {
        if area.width < WIDE.0 || area.height < WIDE.1 {
            return Rect::default();
        }
        // Cells are about twice as high as wide.
        Rect {
            width: (area.height * 2).min(area.width * 2 / 5),
            ..area
        }
    }

    /// Draws the question and its options. Returns their number of lines.
    fn draw_question(
        &self,
        area: Rect,
        wide: bool,
        keys: &Keymap,
        buf: &mut Buffer,
        look: &Look,
    ) -> u16 {
        let room = usize::from(area.width);
        let mut lines: Vec<(String, Role)> = Vec::new();
        let opens = format!("{} opens the item", keys.press(Action::Open));
        let found = &self.found;
        lines.push((
            format!(
                "#{} {}  {opens}",
                text::grouped(found.number.into()),
                text::clean(&found.item)
            ),
            Role::Heading,
        ));
        let mut add = |text: &str, max_lines: usize, role: Role| {
            let mut wrapped = text::wrap(&text::clean(text), room);
            if wrapped.len() > max_lines {
                wrapped.truncate(max_lines);
                if let Some(last) = wrapped.last_mut() {
                    *last = text::fit(&format!("{last} …"), room);
                }
            }
            lines.extend(wrapped.into_iter().map(|line| (line, role)));
        };
        add(&found.question, if wide { 8 } else { 2 }, Role::Text);
        let option = |(at, text): (usize, &String)| format!("{}. {text}", Item::letter(at));
        let options: Vec<String> = found.options.iter().enumerate().map(option).collect();
        match wide {
            true => options.iter().for_each(|option| add(option, 2, Role::Dim)),
            false if !options.is_empty() => add(&options.join("   "), 2, Role::Dim),
            false => {}
        }
        add(&format!("answer key {}", found.gold), 1, Role::Good);
        let fits = lines.len().min(usize::from(area.height) / 2);
        for (y, (line, role)) in (area.y..area.bottom()).zip(lines.iter().take(fits)) {
            buf.set_stringn(area.x, y, text::fit(line, room), room, look.style(*role));
        }
        fits as u16
    }

    /// Draws the details of the answer under the cursor.
    fn draw_answer(&mut self, area: Rect, keys: &Keymap, buf: &mut Buffer, look: &Look) {
        self.overflow = 0;
        let Some(of) = self.current().filter(|_| area.height > 1) else {
            return;
        };
        let room = usize::from(area.width);
        let mark = if look.accessible { "" } else { "── " };
        let title = format!("{mark}{} ", text::clean(&of.model));
        let (x, _) = buf.set_stringn(
            area.x,
            area.y,
            text::fit(&title, room),
            room,
            look.style(Role::Heading),
        );
        if !look.accessible {
            let left = usize::from(area.right().saturating_sub(x));
            buf.set_stringn(x, area.y, "─".repeat(left), left, look.style(Role::Border));
        }
        let mut lines = about(&of.answer, room);
        for given in labels_of(&self.labels, of) {
            let who = text::clean(&given.label.who);
            let text = format!("error: {} ({who})", text::clean(&given.label.label));
            let role = Role::Warn;
            lines.insert(0, TextLine { text, role });
        }
        let height = usize::from(area.height - 1);
        self.overflow = lines.len().saturating_sub(height);
        self.scroll = self.scroll.min(self.overflow);
        for (y, line) in (area.y + 1..area.bottom()).zip(lines.iter().skip(self.scroll)) {
            buf.set_stringn(area.x, y, &line.text, room, look.style(line.role));
        }
        let key = keys.press(Action::AnswerDown);
        draw_more(self.overflow - self.scroll, &key, area, buf, look);
    }
}

/// The labels of this answer, as it is now.
fn labels_of<'l>(
    page: &'l ErrorLabelPage,
    of: &ModelAnswer,
) -> impl Iterator<Item = &'l ShownLabel> {
    let (model, answer) = (of.model.clone(), digest(of.answer.output.as_deref()));
    let all = page.list.iter().flat_map(|item| &item.labels);
    all.filter(move |given| given.label.model == model && given.label.answer == answer)
}

/// The columns of the table under `title`.
fn columns_of(found: &ItemAnswers, title: &str, has_labels: bool) -> Vec<Spec> {
    let has_tool = found.answers.iter().any(|of| of.answer.tool.is_some());
    let mut columns = vec![Spec::text("model", 18), Spec::text("answer is", 9)];
    if has_labels {
        columns.push(Spec::text(ERROR, 13));
    }
    columns.push(Spec::text("parsed", 10));
    if has_tool {
        columns.push(Spec::text("tool", 10));
    }
    columns.push(Spec::text("raw output", 24));
    columns.iter_mut().for_each(|c| c.group = title.to_string());
    columns
}

/// The picture of an item, or both of a pair.
fn picture_in(loaded: &Loaded, place: Rect, scene: &Scene<'_>) -> Picture {
    let sides = scene.pictures.sides(loaded);
    let view = View {
        part: ViewState::default().part(sides.as_ref(), false),
        ..scene.pictures.cells_in(place)
    };
    match (sides, picture_of(&loaded.item, scene.root)) {
        (Some(mut sides), _) => scene.pictures.one_of(&mut sides, view),
        (None, Ok((key, path))) => scene.pictures.one(&key, &path, view),
        (None, Err(NoPicture { why, .. })) => Picture::None(why),
    }
}

impl Layer for AnswerView {
    fn scopes(&self) -> &'static [Scope] {
        &[Scope::Answer, Scope::Drilldown, Scope::Table, Scope::Global]
    }

    fn table_mut(&mut self) -> Option<&mut LocalTable> {
        Some(&mut self.table)
    }

    /// Runs an action. Enter reviews the item.
    fn act(&mut self, action: Action) -> Vec<LayerEffect> {
        let model = self
            .current()
            .map(|of| of.model.clone())
            .unwrap_or_default();
        match action {
            action if self.order.act(action) => self.arrange(&model),
            Action::NextAnswer => return vec![LayerEffect::Step(true)],
            Action::PreviousAnswer => return vec![LayerEffect::Step(false)],
            Action::AnswerDown | Action::AnswerUp => {
                let to = if action == Action::AnswerDown {
                    self.scroll + 3
                } else {
                    self.scroll.saturating_sub(3)
                };
                self.scroll = to.min(self.overflow);
            }
            Action::LabelError => {
                let Some(of) = self.current() else {
                    return vec![LayerEffect::refuse("no answer to label")];
                };
                if of.answer.right == Some(true) {
                    return vec![LayerEffect::refuse("this answer is right")];
                }
                return vec![LayerEffect::Label(LabelTarget::of(self.found.number, of))];
            }
            // Works with any table content, even an empty table.
            Action::Open => return vec![LayerEffect::Item(self.found.number)],
            action => {
                let before = self.table.cursor_id();
                let answers = self.table.act(action);
                if self.table.cursor_id() != before {
                    self.scroll = 0;
                }
                let opens =
                    |answer: &Answer| matches!(answer, Answer::Effect(TableEffect::Open { .. }));
                return answers
                    .into_iter()
                    .filter(|answer| !opens(answer))
                    .map(LayerEffect::Table)
                    .collect();
            }
        }
        vec![]
    }

    /// Draws the picture on the left if there is room, the question, the models, and the details.
    fn draw(&mut self, area: Rect, buf: &mut Buffer, scene: &Scene<'_>) {
        let (keys, look) = (scene.keymap, scene.look);
        let picture = self.picture_place(area);
        if !picture.is_empty() {
            self.prepare_picture(picture, scene);
            draw_picture(&self.picture, false, picture, buf, look);
        }
        let left = if picture.is_empty() {
            0
        } else {
            picture.width + 1
        };
        let (_, area) = areas::left(area, left, 0);
        let head = self.draw_question(area, !picture.is_empty(), keys, buf, look);
        let rest = area.height.saturating_sub(head);
        // Two heading lines and a line with counts.
        let rows = u16::try_from(self.order.len())
            .unwrap_or(u16::MAX)
            .saturating_add(3);
        let table = rows
            .clamp(4, rest.saturating_sub(BELOW).max(rest / 2).max(4))
            .min(rest);
        let (above, below) = areas::top(areas::top(area, head).1, table);
        self.table.widen(above.width);
        self.table.draw(above, buf, look);
        let answer = [Action::AnswerUp, Action::AnswerDown];
        look.hits.wheel(below, answer, 1);
        self.draw_answer(below, keys, buf, look);
    }
}
