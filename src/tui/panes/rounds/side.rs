//! Details of the round under the cursor: its question, the progress of each annotator, and "what
//! if".

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::pane::RoundsPane;
use super::rows;
use super::text::rule_text;
use crate::panes::metadata::edit_session::error_line;
use crate::theme::{Look, Role};
use crate::widgets::areas;
use crate::widgets::lines::Lines;
use crate::widgets::meter::bar;
use crate::widgets::text::{grouped, plural};
use benchtop_model::history::to_the_second as judged;
use benchtop_model::round::protocol::WhatIf;
use benchtop_model::round::state::RoundState;

/// The least width with the details on the right.
const WIDE: u16 = 120;

/// Splits the area into table and details.
pub(super) fn layout(area: Rect, rounds: usize) -> (Rect, Rect) {
    if area.width >= WIDE {
        return areas::left(area, area.width * 11 / 20, 1);
    }
    let wanted = u16::try_from(rounds).unwrap_or(u16::MAX).saturating_add(3);
    areas::top(area, wanted.clamp(4, 9).min(area.height / 2))
}

impl RoundsPane {
    pub(super) fn draw_side(&self, area: Rect, buf: &mut Buffer, look: &Look) {
        let Some(round) = self.round() else { return };
        let mut lines = Lines::new(area, buf, look);
        lines.text(
            &format!(" {}: {}", round.name, round.protocol),
            Role::Heading,
        );
        lines.wrapped(
            &format!(" Question: {}", round.protocol.question()),
            Role::Text,
        );
        lines.wrapped(&format!(" Rule: {}.", rule_text(round.protocol)), Role::Dim);
        self.draw_progress(round, &mut lines);
        draw_statuses(round, &mut lines);
        self.draw_tried(round, &mut lines);
        if let Some((_, notes)) = self.notes.as_ref().filter(|(name, _)| *name == round.name) {
            notes
                .iter()
                .for_each(|note| lines.wrapped(&format!(" note: {note}"), Role::Warn));
        }
        if let Some(path) = &round.guidelines {
            lines.text(&format!(" guidelines: {path}"), Role::Dim);
        }
        let made = judged(round.created).replace('T', " ");
        lines.text(&format!(" created {made} by {}", round.by), Role::Dim);
        if round.missing > 0 {
            lines.wrapped(
                &format!(
                    " {} of its items are not in the project",
                    grouped(round.missing)
                ),
                Role::Warn,
            );
        }
        if round.strangers > 0 {
            let line = format!(
                " {} verdicts do not belong to its items or annotators",
                grouped(round.strangers)
            );
            lines.wrapped(&line, Role::Warn);
        }
    }

    fn draw_progress(&self, round: &RoundState, lines: &mut Lines<'_>) {
        let plain = lines.look().accessible;
        let width = lines.width().saturating_sub(40).clamp(6, 30);
        let overlap = plural(round.overlap, "annotator");
        let line = format!(
            " {} items, {overlap} each: {} of {} verdicts",
            grouped(round.items),
            grouped(round.judged),
            grouped(round.wanted)
        );
        lines.wrapped(&line, Role::Text);
        lines.text(
            &format!(" {}", bar(rows::share(round), width, plain)),
            rows::state(round).1,
        );
        let share = round.wanted as f64 / round.people.len().max(1) as f64;
        for (name, n) in &round.people {
            let you = match (*name == self.who, round.left.contains(name)) {
                (true, _) => " (you)",
                (false, true) => " (left)",
                (false, false) => "",
            };
            let part = if share > 0.0 { *n as f64 / share } else { 0.0 };
            let who = format!("{name}{you}");
            let line = format!(
                "   {who:<20} {} {:>6}",
                bar(part.min(1.0), 10, plain),
                grouped(*n)
            );
            lines.text(
                &line,
                if you.is_empty() {
                    Role::Dim
                } else {
                    Role::Text
                },
            );
        }
    }

    fn draw_tried(&self, round: &RoundState, lines: &mut Lines<'_>) {
        let Some((_, rule, found)) = self.tried.as_ref().filter(|(name, ..)| *name == round.name)
        else {
            return;
        };
        match found {
            Ok(found) => {
                let WhatIf {
                    kept,
                    dropped,
                    changed,
                    gained,
                    lost,
                    ..
                } = *found;
                let other = found.pending + found.flagged + found.to_fix + found.skipped;
                let (kept, dropped, other) = (grouped(kept), grouped(dropped), grouped(other));
                lines.text(
                    &format!(" with `{rule}`: {kept} kept, {dropped} dropped, {other} other"),
                    Role::Accent,
                );
                let (changed, gained, lost) = (grouped(changed), grouped(gained), grouped(lost));
                lines.wrapped(
                    &format!(" {changed} change: {gained} newly kept, {lost} no longer kept"),
                    Role::Text,
                );
            }
            Err(problem) => lines.wrapped(
                &format!(" with `{rule}`: {}", error_line(problem)),
                Role::Warn,
            ),
        }
    }
}

fn draw_statuses(round: &RoundState, lines: &mut Lines<'_>) {
    match &round.by_status {
        Some(counts) => {
            let some = counts.iter().filter(|(_, n)| *n > 0);
            let parts: Vec<String> = some
                .map(|(status, n)| format!("{} {}", grouped(*n), status.name()))
                .collect();
            lines.wrapped(&format!(" result so far: {}", parts.join(", ")), Role::Text);
        }
        None => lines.wrapped(
            " results appear when the round closes: it is blind, and you take part",
            Role::Dim,
        ),
    }
}
