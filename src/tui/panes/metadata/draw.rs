//! Drawing that both metadata panes share: the preview, the findings, and the status line of the
//! files.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};

use super::edit_session::EditSession;
use super::preview::Shown;
use crate::theme::{Look, Role};
use crate::widgets::areas;
use crate::widgets::lines::Lines;
use crate::widgets::text;
use crate::widgets::word_diff::{Word, put, styled, wrap};
use benchtop_model::{Finding, Severity};

fn question(shown: &Shown, room: usize, look: &Look) -> Vec<Vec<Word>> {
    let changed = shown.changed();
    let mark = match (changed, look.accessible) {
        (true, false) => "● ",
        (true, true) => "* ",
        (false, _) => "  ",
    };
    let role = if changed { Role::Accent } else { Role::Dim };
    let mut head = vec![
        (mark.to_string(), look.style(Role::Accent)),
        (shown.head.clone(), look.style(role)),
    ];
    if let Some(gone) = &shown.gone {
        let gone = format!("  gone: {gone}");
        head.extend(
            gone.split_inclusive(' ')
                .map(|word| (word.to_string(), look.style(Role::Bad))),
        );
    }
    let mut lines = wrap(head, room);
    for (name, pieces) in &shown.texts {
        let body = wrap(
            styled(pieces, !changed || shown.gone.is_some(), look),
            room.saturating_sub(4).max(4),
        );
        for (i, mut line) in body.into_iter().enumerate() {
            let label = if i == 0 {
                format!("  {name} ")
            } else {
                "    ".into()
            };
            line.insert(0, (label, look.style(Role::Key)));
            lines.push(line);
        }
    }
    lines
}

/// Draws a heading over an area. The area with the cursor is marked.
pub fn heading(title: &str, here: bool, area: Rect, buf: &mut Buffer, look: &Look) {
    if area.is_empty() {
        return;
    }
    let room = usize::from(area.width);
    let role = if here { Role::Accent } else { Role::Heading };
    let mark = look.cursor_mark(here);
    let (x, _) = buf.set_stringn(area.x, area.y, mark, room, look.style(Role::Gutter));
    let style = if here {
        look.style(role).add_modifier(Modifier::BOLD)
    } else {
        look.style(role)
    };
    let left = room.saturating_sub(1);
    let (x, _) = buf.set_stringn(x, area.y, text::fit(title, left), left, style);
    let left = usize::from(area.right().saturating_sub(x));
    if !look.accessible && left > 1 {
        buf.set_stringn(
            x,
            area.y,
            format!(" {}", "─".repeat(left - 1)),
            left,
            look.style(Role::Border),
        );
    }
}

/// Draws the preview from line `top` and returns its number of lines.
pub fn preview(
    edit_session: &EditSession,
    here: bool,
    top: usize,
    area: Rect,
    buf: &mut Buffer,
    look: &Look,
) -> usize {
    if area.height < 2 {
        return 0;
    }
    let Some(preview) = edit_session.shown() else {
        let title = format!("preview, seed {}", edit_session.seed());
        let body = under_heading(&title, here, area, buf, look);
        Lines::new(body, buf, look).text("loading", Role::Pending);
        return 0;
    };
    let changed = preview.changed();
    let title = match (preview.shown.len(), changed) {
        (0, _) => format!("preview, seed {}", edit_session.seed()),
        (n, 0) => format!(
            "preview, seed {}: {n} questions, no changes",
            edit_session.seed()
        ),
        (n, c) => format!("preview, seed {}: {c} of {n} change", edit_session.seed()),
    };
    let body = under_heading(&title, here, area, buf, look);
    let room = usize::from(body.width);
    if preview.shown.is_empty() {
        let first = edit_session
            .found()
            .find(|f| f.severity() == Severity::Error);
        let cause = first.map_or("see the findings".to_string(), finding_line);
        let why = format!("no questions can be composed: {cause}");
        Lines::new(body, buf, look).wrapped(&why, Role::Warn);
        return 0;
    }
    let lines: Vec<Vec<Word>> = preview
        .shown
        .iter()
        .flat_map(|s| question(s, room, look))
        .collect();
    for (i, line) in lines
        .iter()
        .skip(top)
        .take(usize::from(body.height))
        .enumerate()
    {
        put(line, body.x, body.y + i as u16, room, buf);
    }
    lines.len()
}

/// A finding as one line: place and message.
pub fn finding_line(finding: &Finding) -> String {
    let place = match (finding.line, finding.column) {
        (0, _) => finding.file.clone(),
        (line, 0) => format!("{}:{line}", finding.file),
        (line, column) => format!("{}:{line}:{column}", finding.file),
    };
    format!("{place} {}", finding.message)
}

/// Draws a heading. Returns the area below it, without the first column.
pub fn under_heading(title: &str, here: bool, area: Rect, buf: &mut Buffer, look: &Look) -> Rect {
    let (line, body) = areas::top(area, 1);
    heading(title, here, line, buf, look);
    areas::left(body, 1, 0).1
}

/// Draws the findings and keeps the one at `at` on the screen. Under the cursor it includes its
/// advice.
pub fn findings(
    found: &[&Finding],
    here: bool,
    at: usize,
    area: Rect,
    buf: &mut Buffer,
    look: &Look,
) {
    if area.height < 2 {
        return;
    }
    let errors = found
        .iter()
        .filter(|f| f.severity() == Severity::Error)
        .count();
    let title = match (found.len(), errors) {
        (0, _) => "findings: none".to_string(),
        (n, e) => format!(
            "findings: {}, {}",
            text::plural(e as u64, "error"),
            text::plural((n - e) as u64, "warning")
        ),
    };
    let body = under_heading(&title, here, area, buf, look);
    let room = usize::from(body.width);
    let mut lines: Vec<(String, Style)> = Vec::new();
    let mut cursor = 0..0;
    for (i, finding) in found.iter().enumerate() {
        let role = if finding.severity() == Severity::Error {
            Role::Bad
        } else {
            Role::Warn
        };
        let mark = if finding.severity() == Severity::Error {
            "!"
        } else {
            "?"
        };
        let style = look.style(role);
        let from = lines.len();
        let mut entry = finding_line(finding);
        if i == at && here && !finding.help.is_empty() {
            entry += &format!(": {}", finding.help);
        }
        for (n, line) in text::wrap(&entry, room.saturating_sub(2))
            .into_iter()
            .enumerate()
        {
            let lead = if n == 0 {
                format!("{mark} ")
            } else {
                "  ".into()
            };
            lines.push((lead + &line, style));
        }
        if i == at {
            cursor = from..lines.len();
        }
    }
    let height = usize::from(body.height);
    let top = cursor.end.saturating_sub(height);
    for (i, (line, style)) in lines.iter().enumerate().skip(top).take(height) {
        let style = if here && cursor.contains(&i) {
            style.patch(look.style(Role::Selection))
        } else {
            *style
        };
        buf.set_stringn(body.x, body.y + (i - top) as u16, line, room, style);
    }
}

/// Draws the status line: a conflict first, then unsaved files, then the first error.
pub fn banner(
    edit_session: &EditSession,
    save: &str,
    resolve: &str,
    area: Rect,
    buf: &mut Buffer,
    look: &Look,
) {
    let session = edit_session.session();
    let (status, role) = if let Some(file) = session.conflicts().first() {
        let others = session.conflicts().len() - 1;
        let more = if others > 0 {
            format!(" (and {others} more)")
        } else {
            String::new()
        };
        (
            format!("! {file}{more} changed on disk and here: press {resolve}"),
            Role::Bad,
        )
    } else if !session.changed().is_empty() {
        let changed = session.changed();
        let mark = if look.accessible { "*" } else { "●" };
        (
            format!("{mark} unsaved: {}  {save} saves", changed.join(", ")),
            Role::Pending,
        )
    } else if let Some(error) = edit_session
        .found()
        .find(|f| f.severity() == Severity::Error)
    {
        (
            format!("! metadata/{}", self::finding_line(error)),
            Role::Bad,
        )
    } else if session.shipped() {
        (
            "shipped metadata: the first save copies it into the project".to_string(),
            Role::Dim,
        )
    } else {
        ("saved".to_string(), Role::Dim)
    };
    Lines::new(areas::left(area, 1, 0).1, buf, look).text(&status, role);
}
