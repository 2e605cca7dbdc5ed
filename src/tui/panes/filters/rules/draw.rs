//! The rules as a table, what is different from the file, and what is wrong with it.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::Desk;
use crate::panes::filters::histogram;
use crate::theme::{Look, Role};
use crate::widgets::lines::Lines;
use crate::widgets::table::{ColumnKind, Empty, LocalCell, LocalTable, Spec};
use crate::widgets::text::{self, grouped};
use benchtop_model::scoring::rules::Rule;

/// The table, empty.
pub(super) fn table() -> LocalTable {
    let columns = vec![
        Spec::text("rule", 18),
        Spec::number("holds for", "", ColumnKind::Number, 11),
        Spec::text("in words", 60),
    ];
    LocalTable::new(columns, Vec::new(), 1, Empty::Loading)
}

impl Desk {
    /// Puts the edited rules into the table.
    pub(super) fn fill(&mut self) {
        let hits = match (&self.state, self.exact()) {
            (Some(state), _) if state.rules == self.edited => Some(&state.hits),
            (_, Some(diff)) => Some(&diff.hits),
            _ => None,
        };
        let row = |(at, rule): (usize, &Rule)| {
            let hits = hits.and_then(|hits| hits.get(at)).copied();
            let mut words = LocalCell::text(rule.words());
            words.view.role = histogram::role(rule.then.outcome());
            let shown = hits.map_or("…".into(), grouped);
            vec![
                LocalCell::text(&rule.name),
                LocalCell::number(shown, hits.map(|n| n as f64)),
                words,
            ]
        };
        let rows = self.edited.rules.iter().enumerate().map(row).collect();
        let hint =
            "no rule flags anything: R shows the histogram, an arrow key draws a line; e writes rules".to_string();
        self.table.set_rows(rows, Empty::Nothing { hint });
    }

    /// Draws the rules: those edited, what is different from the file, and what is wrong with it.
    pub(in crate::panes::filters) fn draw(&mut self, area: Rect, buf: &mut Buffer, look: &Look) {
        let edited = if self.is_edited() {
            "edited: w saves, M gives up or settles"
        } else {
            "as saved; e edits the file"
        };
        let mut lines = Lines::new(area, buf, look);
        lines.say(&format!(" rules of benchtop.toml, {edited}"), Role::Heading);
        if let Some(problem) = self.problem() {
            lines.tell(
                &format!(" cannot be read: {problem}; those that could be read last are shown"),
                Role::Bad,
            );
        }
        if self.conflict {
            lines.tell(
                " the file has other rules since you began to edit: M settles it",
                Role::Warn,
            );
        }
        if let Some(state) = &self.state {
            let [kept, flagged, parked] = state.tally.items.map(grouped);
            lines.say(
                &format!(" saved: {kept} kept, {flagged} flagged, {parked} parked"),
                Role::Text,
            );
        }
        let mut below: Vec<(String, Role)> = Vec::new();
        // The words may be longer than their column.
        let here = self
            .table
            .cursor_id()
            .and_then(|id| self.edited.rules.get(usize::try_from(id).ok()?));
        if let Some(rule) = here {
            let words = text::wrap(
                &format!("{}: {}", rule.name, rule.words()),
                usize::from(area.width).saturating_sub(1),
            );
            below.extend(
                words
                    .into_iter()
                    .map(|line| (format!(" {line}"), Role::Dim)),
            );
        }
        if self.is_edited() {
            match (self.difference(), self.exact()) {
                (Some((said, exact)), diff) => {
                    let about = if exact { "" } else { "~" };
                    below.push((format!(" saving: {about}{said}"), Role::Accent));
                    let role = |line: &str| match line.chars().next() {
                        Some('+') => Role::Good,
                        Some('-') => Role::Bad,
                        _ => Role::Warn,
                    };
                    below.extend(
                        diff.into_iter()
                            .flat_map(|d| &d.lines)
                            .map(|l| (format!(" {l}"), role(l))),
                    );
                }
                (None, _) => below.push((" counting what saving them changes".into(), Role::Dim)),
            }
        }
        let rest = lines.rest();
        let under = (below.len() as u16).min(rest.height / 2);
        self.table.draw(
            Rect {
                height: rest.height - under,
                ..rest
            },
            buf,
            look,
        );
        let mut lines = Lines::new(
            Rect {
                y: rest.bottom() - under,
                height: under,
                ..rest
            },
            buf,
            look,
        );
        below.iter().for_each(|(said, role)| lines.say(said, *role));
    }
}
