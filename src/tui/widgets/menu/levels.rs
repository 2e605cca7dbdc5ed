//! Levels of a menu: lines that lead to other lines.

use super::{Choice, Menu};
use benchtop_model::sorting::sort_by_key;

/// The lines of a level, in the order of the first line on or below each. The line that leads to the
/// level comes first, unless it is a heading.
pub(super) fn lines(choices: &[Choice], level: Option<usize>) -> Vec<(usize, Vec<usize>)> {
    let place = |line: usize| {
        let below = |at: &usize| is_below(choices, *at, line);
        (0..choices.len()).find(below).unwrap_or(line)
    };
    let is_on = |at: &usize| choices.get(*at).is_some_and(|c| c.within == level);
    let mut found: Vec<usize> = (0..choices.len()).filter(is_on).collect();
    sort_by_key(&mut found, |line| place(*line));
    let itself = level.filter(|at| choices.get(*at).is_some_and(|c| !c.is_heading));
    let all = itself.into_iter().chain(found);
    all.map(|line| (line, Vec::new())).collect()
}

/// Whether line `at` is `line`, or on a level below it.
fn is_below(choices: &[Choice], at: usize, line: usize) -> bool {
    let mut next = Some(at);
    // As many steps as lines: a circle would have no end.
    for _ in 0..choices.len() {
        match next {
            Some(found) if found == line => return true,
            Some(found) => next = choices.get(found).and_then(|choice| choice.within),
            None => return false,
        }
    }
    false
}

impl Menu {
    /// Whether choosing this line goes to its level.
    pub(super) fn leads_down(&self, line: usize) -> bool {
        self.level != Some(line) && self.choices.iter().any(|c| c.within == Some(line))
    }

    pub(super) fn enter_level(&mut self, line: usize) {
        self.show_level(Some(line), 0);
    }

    /// Goes to the level above, with the cursor on the line that leads back.
    pub(super) fn leave_level(&mut self) {
        let Some(line) = self.level else { return };
        let above = self.choices.get(line).and_then(|choice| choice.within);
        self.show_level(above, 0);
        let at = self.shown.iter().position(|(shown, _)| *shown == line);
        self.cursor = at.unwrap_or(0);
    }

    fn show_level(&mut self, level: Option<usize>, cursor: usize) {
        (self.level, self.cursor) = (level, cursor);
        self.shown = lines(&self.choices, level);
    }

    /// The labels of the lines that lead to the shown level, from the first.
    pub(super) fn path(&self) -> Vec<&str> {
        let mut found = Vec::new();
        let mut next = self.level;
        while let Some(choice) = next.and_then(|at| self.choices.get(at)) {
            found.push(choice.label.as_str());
            // As many steps as lines: a circle would have no end.
            next = choice.within.filter(|_| found.len() < self.choices.len());
        }
        found.reverse();
        found
    }

    /// What follows the label of a line: how to read it on this level.
    pub(super) fn suffix(&self, line: usize) -> &'static str {
        if self.level == Some(line) {
            ", in general"
        } else if self.leads_down(line) {
            " ›"
        } else {
            ""
        }
    }

    /// Whether a line below this one is marked.
    pub(super) fn has_marks_below(&self, line: usize) -> bool {
        let mut marks = self.marks.iter();
        self.leads_down(line) && marks.any(|mark| is_below(&self.choices, *mark, line))
    }
}
