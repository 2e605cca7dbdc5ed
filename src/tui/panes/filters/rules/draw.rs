//! Drawing of the rules: the table, the diff against the file, and the file's error.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::RuleEditor;
use crate::panes::filters::histogram;
use crate::theme::{Look, Role};
use crate::widgets::areas;
use crate::widgets::lines::Lines;
use crate::widgets::table::{Empty, LocalCell};
use crate::widgets::text::{self, grouped};
use benchtop_model::scoring::rules::Rule;

impl RuleEditor {
    /// Fills the table with the edited rules.
    pub(super) fn fill(&mut self) {
        let hits = match (&self.state, self.exact()) {
            (Some(state), _) if state.rules == self.edited => Some(&state.hits),
            (_, Some(diff)) => Some(&diff.hits),
            _ => None,
        };
        let row = |(at, rule): (usize, &Rule)| {
            let hits = hits.and_then(|hits| hits.get(at)).copied();
            vec![
                LocalCell::text(&rule.name),
                hits.map_or(LocalCell::number("…", None), LocalCell::count),
                LocalCell::text(rule.describe()).role(histogram::role(rule.then.outcome())),
            ]
        };
        let rows = self.edited.rules.iter().enumerate().map(row).collect();
        let hint =
            "no rules: R shows the histogram to set thresholds; e edits the file".to_string();
        self.table.set_rows(rows, Empty::Nothing(hint));
    }

    /// Draws the edited rules, the diff against the file, and the file's error.
    pub(in crate::panes::filters) fn draw(&mut self, area: Rect, buf: &mut Buffer, look: &Look) {
        let edited = if self.is_edited() {
            "edited: w saves, M resolves"
        } else {
            "saved; e edits the file"
        };
        let mut lines = Lines::new(area, buf, look);
        lines.text(&format!(" rules of benchtop.toml, {edited}"), Role::Heading);
        if let Some(problem) = self.problem() {
            lines.wrapped(
                &format!(" error: {problem}; showing the last valid rules"),
                Role::Bad,
            );
        }
        if self.conflict {
            lines.wrapped(" the rules changed on disk and here: press M", Role::Warn);
        }
        if let Some(state) = &self.state {
            let [kept, flagged, parked] = state.tally.items.map(grouped);
            lines.text(
                &format!(" saved: {kept} kept, {flagged} flagged, {parked} quarantined"),
                Role::Text,
            );
        }
        let mut below: Vec<(String, Role)> = Vec::new();
        // The rule text may be longer than its column.
        let here = self
            .table
            .cursor_id()
            .and_then(|id| self.edited.rules.get(usize::try_from(id).ok()?));
        if let Some(rule) = here {
            let words = text::wrap(
                &format!("{}: {}", rule.name, rule.describe()),
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
                (Some((changes, exact)), diff) => {
                    let about = if exact { "" } else { "~" };
                    below.push((format!(" a save: {about}{changes}"), Role::Accent));
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
                (None, _) => below.push((" counting changes".into(), Role::Dim)),
            }
        }
        let rest = lines.rest();
        let under = (below.len() as u16).min(rest.height / 2);
        let (table, under) = areas::top(rest, rest.height - under);
        self.table.draw(table, buf, look);
        let mut lines = Lines::new(under, buf, look);
        below
            .iter()
            .for_each(|(line, role)| lines.text(line, *role));
    }
}
