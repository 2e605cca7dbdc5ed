//! The leaderboard: models by columns, with the interval and the counts of the cell under the cursor, and ways down
//! to the answers.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::behind::{BehindEffect, BehindView};
use crate::model::Result;
use crate::model::board::{Behind, Board, Cell, Column, Counts, Scale};
use crate::tui::action::{Action, Scope};
use crate::tui::theme::{Look, Role};
use crate::tui::widgets::page::Page;
use crate::tui::widgets::table::{
    Answer, ColumnKind, CopyFormat, CopyWhat, DescribeView, Empty, FrequencyEffect, FrequencyView, LocalCell,
    LocalTable, Spec, TableEffect,
};
use crate::tui::widgets::text;

/// Fewer units than this say little: the cell is dimmed and starred.
pub const SMALL: u64 = 30;

/// A 95 % interval for `k` of `n`, both ends in 0..=1.
pub type Interval = fn(k: u64, n: u64) -> (f64, f64);

/// What the pane asks of the program around it.
#[derive(Debug)]
pub enum BoardEffect {
    /// Fetch the answers behind a cell, then call [`BoardPane::show_behind`].
    Behind {
        /// The model.
        model: String,
        /// The column's full name.
        column: String,
    },
    /// Put this on the clipboard; it holds so many rows.
    Copy {
        /// The text.
        text: String,
        /// How many rows it holds.
        rows: usize,
    },
    /// Ask for a regular expression, then call [`BoardPane::select_regex`].
    AskRegex {
        /// Column of the table on top.
        column: usize,
        /// Select, or let go.
        on: bool,
    },
    /// Ask which of these columns, then call [`BoardPane::go_to_column`] with its index.
    AskColumn(Vec<String>),
    /// Ask for a format, then call [`BoardPane::copy`].
    AskCopy(CopyWhat),
    /// Good to know.
    Say(String),
    /// Why the key did nothing.
    Refuse(String),
    /// There is nothing left to close: leave the pane.
    Leave,
}

/// What lies over the leaderboard, the last on top.
#[derive(Debug)]
enum Layer {
    Frequency(FrequencyView),
    Describe(DescribeView),
    Behind(BehindView),
    Page(Page),
}

/// The leaderboard pane.
#[derive(Debug)]
pub struct BoardPane {
    board: Board,
    table: LocalTable,
    layers: Vec<Layer>,
    interval: Interval,
}

/// Columns after the board's own: what was odd about a model's files.
const COUNTS: [(&str, &str); 6] = [
    ("used", "predictions used"),
    ("missing", "questions without an answer; they count as wrong"),
    ("extra", "answers to questions that are not in the set; not used"),
    ("doubled", "rows given more than once; the first is used"),
    ("unparsed", "answers that no rule could read; they count as wrong"),
    ("refused", "answers that decline to answer; they count as wrong, unless refusing is right"),
];

fn counts(c: Counts) -> [u64; 6] {
    [c.used, c.missing, c.extra, c.duplicate, c.unparsed, c.refused]
}

fn cell_of(cell: Option<Cell>, scale: Scale, decimals: usize) -> LocalCell {
    let Some((cell, value)) = cell.and_then(|c| Some((c, c.value()?))) else {
        let mut none = LocalCell::number("- ", None);
        none.view.role = Role::Dim;
        return none;
    };
    let small = cell.n() < SMALL;
    // A place after the digits is kept for the star, so that the decimal points stay below each other.
    let star = if small { '*' } else { ' ' };
    let said = match scale {
        Scale::Share => format!("{:.decimals$}{star}", value * 100.0),
        Scale::Points => format!("{value:+.decimals$}{star}"),
        Scale::Squared | Scale::Spread => format!("{value:.decimals$}{star}"),
    };
    let mut shown = LocalCell::number(said, Some(value));
    if small {
        shown.view.role = Role::Dim;
    } else if scale == Scale::Share {
        shown.view.heat = Some(value as f32);
    }
    shown
}

impl BoardPane {
    /// Shows `board`; `interval` gives the 95 % interval of a cell.
    pub fn new(board: Board, interval: Interval) -> BoardPane {
        BoardPane::with_decimals(board, interval, 1)
    }

    /// The same with one or two decimals in the cells (the detail line always has two).
    pub fn with_decimals(board: Board, interval: Interval, decimals: usize) -> BoardPane {
        let decimals = decimals.clamp(1, 2);
        let widest = board.rows.iter().map(|r| text::width(&r.model)).max().unwrap_or(0).clamp(8, 24);
        let mut columns = vec![Spec::text("model", u16::try_from(widest).unwrap_or(24))];
        let wide = u16::try_from(decimals + 4).unwrap_or(6);
        columns.extend(board.columns.iter().map(|c| Spec::number(&c.name, &c.group, ColumnKind::Share, wide)));
        columns.extend(COUNTS.map(|(name, _)| Spec::number(name, "predictions", ColumnKind::Number, 7)));
        let line = |row: &crate::model::board::Row| {
            let mut cells = vec![LocalCell::text(&row.model)];
            let at = |i: usize| cell_of(row.cells.get(i).copied().flatten(), board.columns[i].scale, decimals);
            cells.extend((0..board.columns.len()).map(at));
            cells.extend(counts(row.counts).map(|n| LocalCell::number(text::grouped(n), Some(n as f64))));
            cells
        };
        let rows = board.rows.iter().map(line).collect();
        let hint = "no predictions have been read; give this project, or `benchtop board`, a folder of them".into();
        let mut table = LocalTable::new(columns, rows, 1, Empty::Nothing { hint });
        let small = |c: &Option<Cell>| c.is_some_and(|c| c.n() > 0 && c.n() < SMALL);
        if board.rows.iter().any(|r| r.cells.iter().any(small)) {
            table.set_note(format!("* fewer than {SMALL} units"));
        }
        BoardPane { board, table, layers: vec![], interval }
    }

    /// Scopes whose keys are live now, the nearest first.
    pub fn scopes(&self) -> &'static [Scope] {
        match self.layers.last() {
            None => &[Scope::Board, Scope::Table, Scope::Global],
            Some(Layer::Page(_)) => &[Scope::Overlay, Scope::Table, Scope::Global],
            Some(_) => &[Scope::Table, Scope::Global],
        }
    }

    /// The answer under the cursor, while the answers behind a cell are shown.
    pub fn behind(&self) -> Option<&Behind> {
        self.layers.iter().rev().find_map(|l| if let Layer::Behind(view) = l { view.current() } else { None })
    }

    /// Shows the answers behind a cell.
    pub fn show_behind(&mut self, model: &str, column: &str, answers: Vec<Behind>) {
        self.layers.push(Layer::Behind(BehindView::new(model, column, answers)));
    }

    /// The table that keys go to; `None` on a page.
    fn top_table(&mut self) -> Option<&mut LocalTable> {
        match self.layers.last_mut() {
            None => Some(&mut self.table),
            Some(Layer::Frequency(view)) => Some(view.table_mut()),
            Some(Layer::Describe(view)) => Some(view.table_mut()),
            Some(Layer::Behind(view)) => Some(view.table_mut()),
            Some(Layer::Page(_)) => None,
        }
    }

    /// Selects the rows that match what a person typed, or lets them go.
    ///
    /// # Errors
    /// [`Kind::Usage`](crate::model::Kind::Usage) says what is wrong with the pattern.
    pub fn select_regex(&mut self, column: usize, pattern: &str, on: bool) -> Result<Vec<BoardEffect>> {
        let answer = self.top_table().map(|t| t.select_regex(column, pattern, on)).transpose()?.flatten();
        Ok(answer.map(|a| self.carry_out(a)).unwrap_or_default())
    }

    /// Puts the cursor on a column of the table on top.
    pub fn go_to_column(&mut self, column: usize) {
        if let Some(table) = self.top_table() {
            table.go_to_column(column);
        }
    }

    /// Copies rows of the table on top.
    pub fn copy(&mut self, what: CopyWhat, format: CopyFormat) -> Vec<BoardEffect> {
        let answer = self.top_table().and_then(|t| t.answer(TableEffect::Copy(what, format)));
        answer.map(|a| self.carry_out(a)).unwrap_or_default()
    }

    /// Does an action.
    pub fn act(&mut self, action: Action) -> Vec<BoardEffect> {
        let closes = matches!(action, Action::Back | Action::MenuCancel);
        if closes || action == Action::MenuOk {
            return match self.layers.pop() {
                Some(_) => vec![],
                None if self.table.surface() => vec![],
                None => vec![BoardEffect::Leave],
            };
        }
        match self.layers.last_mut() {
            None => {
                let answers = self.table.act(action);
                answers.into_iter().flat_map(|a| self.carry_out(a)).collect()
            }
            Some(Layer::Page(page)) => {
                page.act(action);
                vec![]
            }
            Some(Layer::Frequency(view)) => {
                let effects = view.act(action);
                effects.into_iter().flat_map(|e| self.after_frequency(e)).collect()
            }
            Some(Layer::Describe(view)) => {
                let answers = view.act(action);
                answers.into_iter().flat_map(|a| self.after_describe(a)).collect()
            }
            Some(Layer::Behind(view)) => {
                let effects = view.act(action);
                effects.into_iter().flat_map(|e| self.after_behind(e)).collect()
            }
        }
    }

    /// Turns an answer into effects. `Open` is the leaderboard's own here; the layers take theirs before.
    fn carry_out(&mut self, answer: Answer) -> Vec<BoardEffect> {
        match answer {
            Answer::Effect(TableEffect::Open { id, column, .. }) => self.open(id, column),
            Answer::Effect(TableEffect::AskRegex { column, on }) => vec![BoardEffect::AskRegex { column, on }],
            Answer::Effect(TableEffect::AskColumn) => {
                let names = self.top_table().map(|t| t.columns().iter().map(|c| c.name.clone()).collect());
                vec![BoardEffect::AskColumn(names.unwrap_or_default())]
            }
            Answer::Effect(TableEffect::AskCopy(what)) => vec![BoardEffect::AskCopy(what)],
            Answer::Effect(TableEffect::Refuse(reason)) => vec![BoardEffect::Refuse(reason)],
            // The table answers every other effect itself.
            Answer::Effect(_) => vec![],
            Answer::Frequency(column, frequency) => {
                self.layers.push(Layer::Frequency(FrequencyView::new(column, frequency)));
                vec![]
            }
            Answer::Describe(summaries) => {
                self.layers.push(Layer::Describe(DescribeView::new(summaries)));
                vec![]
            }
            Answer::Copied(text, rows) => vec![BoardEffect::Copy { text, rows }],
            Answer::Said(text) => vec![BoardEffect::Say(text)],
        }
    }

    /// The table that the topmost frequency table or summary was made from.
    fn source(&mut self) -> &mut LocalTable {
        let below = self.layers.len().checked_sub(2).and_then(|i| self.layers.get_mut(i));
        match below {
            Some(Layer::Frequency(view)) => view.table_mut(),
            Some(Layer::Describe(view)) => view.table_mut(),
            Some(Layer::Behind(view)) => view.table_mut(),
            Some(Layer::Page(_)) | None => &mut self.table,
        }
    }

    fn after_frequency(&mut self, effect: FrequencyEffect) -> Vec<BoardEffect> {
        match effect {
            FrequencyEffect::Dive { column, value } => {
                self.source().dive(column, &value);
                self.layers.pop();
                let value = if value.is_empty() { "no value".into() } else { format!("`{value}`") };
                vec![BoardEffect::Say(format!("only the rows with {value}; back shows all"))]
            }
            FrequencyEffect::SelectValue { column, value, on } => {
                let said = self.source().select_value(column, &value, on);
                self.carry_out(said)
            }
            FrequencyEffect::Table(answer) => self.carry_out(answer),
        }
    }

    fn after_describe(&mut self, answer: Answer) -> Vec<BoardEffect> {
        if let Answer::Effect(TableEffect::Open { id, .. }) = answer {
            self.source().go_to_column(usize::try_from(id).unwrap_or(0));
            self.layers.pop();
            return vec![];
        }
        self.carry_out(answer)
    }

    fn after_behind(&mut self, effect: BehindEffect) -> Vec<BoardEffect> {
        match effect {
            BehindEffect::Show(page) => {
                self.layers.push(Layer::Page(page));
                vec![]
            }
            BehindEffect::Table(answer) => self.carry_out(answer),
        }
    }

    fn open(&mut self, id: u64, column: usize) -> Vec<BoardEffect> {
        let Some(row) = usize::try_from(id).ok().and_then(|i| self.board.rows.get(i)) else { return vec![] };
        let cell = column.checked_sub(1).and_then(|i| Some((self.board.columns.get(i)?, row.cells.get(i)?)));
        match cell {
            Some((column, Some(_))) => {
                vec![BoardEffect::Behind { model: row.model.clone(), column: column.name.clone() }]
            }
            Some((column, None)) => {
                vec![BoardEffect::Refuse(format!("{} has no answers for {}", row.model, column.name))]
            }
            None => {
                let page = about(&self.board, row);
                self.layers.push(Layer::Page(page));
                vec![]
            }
        }
    }

    /// Draws the table (or what lies over it) and, below it, what is known of the cell under the cursor.
    pub fn draw(&mut self, area: Rect, buf: &mut Buffer, look: &Look) {
        match self.layers.last_mut() {
            Some(Layer::Frequency(view)) => return view.draw(area, buf, look),
            Some(Layer::Describe(view)) => return view.draw(area, buf, look),
            Some(Layer::Behind(view)) => return view.draw(area, buf, look),
            Some(Layer::Page(page)) => return page.draw(area, buf, look),
            None => {}
        }
        let notes = self.board.notes.len().min(if area.height >= 40 { 6 } else { 2 });
        let below = (3 + u16::try_from(notes).unwrap_or(0)).min(area.height / 2);
        let above = Rect { height: area.height - below, ..area };
        self.table.draw(above, buf, look);
        let room = usize::from(area.width);
        for (i, (line, role)) in self.detail().into_iter().chain(self.notes(notes)).enumerate() {
            let y = above.bottom() + u16::try_from(i).unwrap_or(u16::MAX - above.bottom());
            if y >= area.bottom() {
                break;
            }
            buf.set_stringn(area.x, y, text::fit(&line, room), room, look.style(role));
        }
    }

    fn notes(&self, most: usize) -> Vec<(String, Role)> {
        let all = self.board.notes.len();
        let line = |(i, note): (usize, &String)| (format!("note {}/{all}: {note}", i + 1), Role::Warn);
        self.board.notes.iter().take(most).enumerate().map(line).collect()
    }

    /// Three lines: the cell, what its column means, and what was odd about the model's files. Fields keep their
    /// places from row to row, so that moving the cursor changes few characters.
    fn detail(&self) -> Vec<(String, Role)> {
        let row = self.table.cursor_id().and_then(|id| self.board.rows.get(usize::try_from(id).ok()?));
        let Some(row) = row else { return vec![] };
        let at = self.table.state().column();
        let column = at.checked_sub(1).and_then(|i| self.board.columns.get(i));
        let (cell, help) = match (column, at.checked_sub(1 + self.board.columns.len())) {
            (Some(column), _) => {
                let cell = row.cells.get(at - 1).copied().flatten();
                (self.in_words(column, cell), column.help.clone())
            }
            (None, Some(i)) => {
                let name = COUNTS.get(i).copied().unwrap_or_default();
                let n = counts(row.counts).get(i).copied().unwrap_or(0);
                (format!("{}: {}", name.0, text::grouped(n)), name.1.to_string())
            }
            (None, None) => (row.model.clone(), "enter: what is known of this model's files, and every note".into()),
        };
        let c = row.counts;
        let line = format!(
            "used {:>7}  missing {:>5}  extra {:>5}  doubled {:>6}  unparsed {:>5}  refused {:>5}",
            text::grouped(c.used),
            text::grouped(c.missing),
            text::grouped(c.extra),
            text::grouped(c.duplicate),
            text::grouped(c.unparsed),
            text::grouped(c.refused),
        );
        vec![(cell, Role::Text), (help, Role::Dim), (line, Role::Text)]
    }

    fn in_words(&self, column: &Column, cell: Option<Cell>) -> String {
        let Some((cell, value)) = cell.and_then(|c| Some((c, c.value()?))) else {
            return format!("{}: no answers", column.name);
        };
        let Cell::Share { k, n } = cell else {
            let said = match column.scale {
                Scale::Share => format!("{:.2} %", value * 100.0),
                Scale::Points => format!("{value:+.2} points"),
                Scale::Squared => format!("{value:.2} squared points"),
                Scale::Spread => format!("{value:.2} points"),
            };
            return format!("{}: {said}  of {} answers", column.name, text::grouped(cell.n()));
        };
        let (low, high) = (self.interval)(k, n);
        let small = if n < SMALL { format!("  n < {SMALL}: too few to rank") } else { String::new() };
        let width = text::grouped(n).len();
        format!(
            "{}: {:>6.2} % = {:>width$}/{}  95 % {:.1}-{:.1} (Wilson){small}",
            column.name,
            value * 100.0,
            text::grouped(k),
            text::grouped(n),
            low * 100.0,
            high * 100.0,
        )
    }
}

/// What is known of one model's files, every note of the board, and what each column counts.
fn about(board: &Board, row: &crate::model::board::Row) -> Page {
    let mut page = Page::new(row.model.clone()).heading("Predictions");
    for ((name, help), n) in COUNTS.iter().zip(counts(row.counts)) {
        page = page.entry(*name, 12, format!("{:>9}  {help}", text::grouped(n)), Role::Text);
    }
    if !board.notes.is_empty() {
        page = board.notes.iter().fold(page.heading("Notes"), |page, note| page.say(format!("- {note}")));
    }
    page = page.heading("Columns");
    for column in &board.columns {
        page = page.entry(&column.name, 22, column.help.clone(), Role::Text);
    }
    page
}

#[cfg(test)]
#[path = "board_tests.rs"]
mod tests;
