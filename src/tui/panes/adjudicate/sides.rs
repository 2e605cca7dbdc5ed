//! Verdicts side by side, one per column, as many as fit.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};

use crate::theme::{Look, Role};
use crate::widgets::text;
use benchtop_model::round::state::{AdjudicationContext, Dispute, OthersVerdict};
use benchtop_model::verdict::Part;
use benchtop_model::{Judgement, Verdict, history};

/// The least width of a verdict.
const NARROW: u16 = 24;
/// The gap between two columns.
const GAP: u16 = 2;

struct Line(String, Style);

/// The word for a verdict, with a mark that works without color.
fn verdict_words(judgement: &Judgement) -> (String, Role) {
    let (mark, role) = match judgement.verdict {
        Verdict::Accept => ("✓ ", Role::Good),
        Verdict::Reject => ("✗ ", Role::Bad),
        Verdict::Fix => ("~ ", Role::Warn),
        Verdict::Flag => ("! ", Role::Flag),
        Verdict::Unsure => ("? ", Role::Flag),
        Verdict::Skip => ("» ", Role::Dim),
        Verdict::Answer => ("", Role::Text),
    };
    let answer = judgement
        .answer
        .as_deref()
        .map_or(String::new(), |answer| format!(": {}", text::clean(answer)));
    (format!("{mark}{}{answer}", judgement.verdict.name()), role)
}

/// The lines of a verdict, wrapped to `width`.
fn column(
    head: &str,
    side: &OthersVerdict,
    about: &AdjudicationContext,
    width: usize,
    look: &Look,
) -> Vec<Line> {
    let j = &side.judgement;
    let mut lines = Vec::new();
    let mut styled = |text: &str, style: Style| {
        let wrapped = text::wrap(text, width).into_iter();
        lines.extend(wrapped.map(|line| Line(line, style)));
    };
    styled(head, look.style(Role::Heading));
    let (words, role) = verdict_words(j);
    styled(&words, look.style(role).add_modifier(Modifier::BOLD));
    let mut say = |text: &str, role| styled(text, look.style(role));
    if !j.reasons.is_empty() {
        say(&j.reasons.join(", "), Role::Text);
    }
    if !j.tags.is_empty() {
        say(&format!("[{}]", j.tags.join(", ")), Role::Text);
    }
    if !j.marks.is_empty() {
        let marks = text::counted(j.marks.len() as u64, "mark");
        say(&marks, Role::Dim);
    }
    if let Some(note) = j.note.as_deref().filter(|note| !note.is_empty()) {
        say(&format!("“{note}”"), Role::Text);
    }
    let took = j.ms.map_or(String::new(), |ms| {
        format!(", {:.1} s", f64::from(ms) / 1000.0)
    });
    say(
        &format!(
            "{}{took}",
            history::to_the_second(side.at).replace('T', " ")
        ),
        Role::Dim,
    );
    let Some(asked) = &j.round else { return lines };
    match (asked.part, asked.revealed) {
        (Part::Revision, true) => say("changed after seeing others", Role::Warn),
        (Part::Revision, false) => say("changed without seeing others", Role::Dim),
        (Part::Main, true) => say("had seen others", Role::Warn),
        _ => {}
    }
    if about.version.is_some() && asked.guidelines != about.version {
        let stamp = asked.guidelines.as_deref().unwrap_or("no version");
        say(&format!("earlier guidelines, {stamp}"), Role::Warn);
    }
    lines
}

/// All columns of a dispute, the adjudication first, with the number of columns side by side and
/// their width.
fn columns(
    dispute: &Dispute,
    about: &AdjudicationContext,
    width: u16,
    look: &Look,
) -> (Vec<Vec<Line>>, usize, u16) {
    let settled = dispute
        .settled
        .as_ref()
        .map(|side| (format!("settled by {}", side.who), side));
    let sides = dispute.verdicts.iter().map(|side| (side.who.clone(), side));
    let sides: Vec<(String, &OthersVerdict)> = settled.into_iter().chain(sides).collect();
    let fits = usize::from((width + GAP) / (NARROW + GAP)).clamp(1, sides.len().max(1));
    // Accessible mode lists the columns one below the other.
    let beside = if look.accessible { 1 } else { fits };
    let own = (width + GAP) / beside as u16;
    let own = own.saturating_sub(GAP).max(8);
    let lines = sides
        .iter()
        .map(|(head, side)| column(head, side, about, usize::from(own), look))
        .collect();
    (lines, beside, own)
}

/// Draws the verdicts of a dispute from line `scroll` on. Returns the number of lines that do not
/// fit.
pub(super) fn draw(
    dispute: &Dispute,
    about: &AdjudicationContext,
    scroll: usize,
    area: Rect,
    buf: &mut Buffer,
    look: &Look,
) -> usize {
    let (columns, beside, width) = columns(dispute, about, area.width, look);
    let mut bands: Vec<(usize, &[Vec<Line>])> = Vec::new();
    let mut height = 0;
    for band in columns.chunks(beside) {
        bands.push((height, band));
        // One empty line between rows of columns.
        height += band.iter().map(Vec::len).max().unwrap_or(0) + 1;
    }
    let overflow = height
        .saturating_sub(1)
        .saturating_sub(usize::from(area.height));
    let scroll = scroll.min(overflow);
    for (top, band) in bands {
        for (at, lines) in band.iter().enumerate() {
            let x = area.x + at as u16 * (width + GAP);
            for (n, Line(text, style)) in lines.iter().enumerate() {
                let y = (top + n)
                    .checked_sub(scroll)
                    .and_then(|y| u16::try_from(y).ok())
                    .filter(|y| *y < area.height);
                let Some(y) = y else { continue };
                buf.set_stringn(x, area.y + y, text, usize::from(width), *style);
            }
        }
    }
    overflow
}
