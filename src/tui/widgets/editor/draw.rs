//! Draws the text editor: line numbers, wrapped lines, highlighted slots and headings, underlined
//! findings.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::{Modifier, Style};

use super::Editor;
use crate::theme::{Look, Role};
use crate::widgets::text;
use benchtop_model::clean::{MARK, is_hidden};
use benchtop_model::{Finding, Severity};

/// The character index where each row of a wrapped line starts, for rows of `room` columns.
fn rows(line: &[char], room: usize) -> Vec<usize> {
    let room = room.max(1);
    let mut starts = vec![0];
    let columns = text::columns(line);
    let (mut used, mut blank) = (0, None);
    let mut i = 0;
    while i < line.len() {
        // Characters that join the previous one take no room, so no row starts with them.
        let wide = columns[i].unwrap_or(0);
        let start = starts.last().copied().unwrap_or(0);
        if used + wide > room && i > start {
            // Break at the last space of the row, unless that leaves it nearly empty.
            let cut = blank
                .filter(|b| *b > start + room / 3)
                .map_or(i, |b: usize| b + 1);
            starts.push(cut);
            used = columns[cut..i].iter().flatten().sum();
            blank = None;
            continue;
        }
        if line[i] == ' ' {
            blank = Some(i);
        }
        used += wide;
        i += 1;
    }
    starts
}

/// Styles of the characters of a TOML line.
fn styles(line: &[char], look: &Look) -> Vec<Style> {
    let first = line.iter().find(|c| !c.is_whitespace());
    let base = match first {
        Some('#') => look.style(Role::Dim),
        Some('[') => look.style(Role::Heading),
        _ => look.style(Role::Text),
    };
    let mut out = vec![base; line.len()];
    if matches!(first, Some('#' | '[')) {
        return out;
    }
    let mut open = None;
    for (i, c) in line.iter().enumerate() {
        match c {
            '{' => open = Some(i),
            '}' => {
                if let Some(from) = open.take() {
                    out[from..=i].fill(look.style(Role::Accent));
                }
            }
            _ => {}
        }
    }
    out
}

impl Editor {
    /// Draws the text with its findings and the cursor's line in view. Returns the position of the
    /// terminal's cursor.
    pub fn draw(
        &mut self,
        area: Rect,
        buf: &mut Buffer,
        look: &Look,
        found: &[&Finding],
    ) -> Option<Position> {
        let lines: Vec<&str> = self.text.split('\n').collect();
        let digits = lines.len().to_string().len().max(3) as u16;
        let gutter = digits + 2;
        self.rows = usize::from(area.height).max(1);
        if area.height == 0 || area.width <= gutter + 2 {
            return None;
        }
        // One column is reserved for the cursor at the end of a line.
        let room = usize::from(area.width - gutter) - 1;
        let (line, column) = self.position();
        let (line, column) = (line as usize - 1, column as usize - 1);
        let height = usize::from(area.height);
        self.top = first_line(&lines, self.top, (line, column), height, room);
        let selected = self.selected();
        let mut offset: usize = lines[..self.top].iter().map(|l| l.len() + 1).sum();
        let mut y = area.y;
        let mut cursor = None;
        for (at, raw) in lines.iter().enumerate().skip(self.top) {
            if y >= area.bottom() {
                break;
            }
            let here: Vec<&&Finding> = found.iter().filter(|f| f.line as usize == at + 1).collect();
            let chars: Vec<char> = raw.chars().collect();
            let mut looks = styles(&chars, look);
            for finding in &here {
                underline(finding, &mut looks, look);
            }
            if let Some(selected) = &selected {
                let mut byte = offset;
                for (c, style) in chars.iter().zip(&mut looks) {
                    if selected.contains(&byte) {
                        *style = style.patch(look.style(Role::Selection));
                    }
                    byte += c.len_utf8();
                }
            }
            self.number(
                at,
                line,
                &here,
                Rect {
                    y,
                    height: 1,
                    width: gutter,
                    ..area
                },
                buf,
                look,
            );
            let starts = rows(&chars, room);
            let columns = text::columns(&chars);
            for (n, start) in starts.iter().enumerate() {
                if y >= area.bottom() {
                    break;
                }
                let end = starts.get(n + 1).copied().unwrap_or(chars.len());
                let mut x = area.x + gutter;
                let mut i = *start;
                while i < end {
                    let next = (i + 1..end)
                        .find(|next| columns[*next].is_some())
                        .unwrap_or(end);
                    if at == line && (i..next).contains(&column) {
                        cursor = Some(Position::new(x, y));
                    }
                    let shown: String = chars[i..next]
                        .iter()
                        .map(|c| if is_hidden(*c) { MARK } else { *c })
                        .collect();
                    x = buf
                        .set_stringn(
                            x,
                            y,
                            shown,
                            usize::from(area.right().saturating_sub(x)),
                            looks[i],
                        )
                        .0;
                    i = next;
                }
                if at == line && column == chars.len() && end == chars.len() {
                    cursor = Some(Position::new(x.min(area.right() - 1), y));
                }
                y += 1;
            }
            offset += raw.len() + 1;
        }
        cursor
    }

    fn number(
        &self,
        at: usize,
        line: usize,
        found: &[&&Finding],
        area: Rect,
        buf: &mut Buffer,
        look: &Look,
    ) {
        let worst = found.iter().map(|f| f.severity()).max();
        let (mark, role) = match worst {
            Some(Severity::Error) => ("!", Role::Bad),
            Some(Severity::Warning) => ("?", Role::Warn),
            None => (" ", Role::Dim),
        };
        let digits = usize::from(area.width - 2);
        let number = format!("{:>digits$}", at + 1);
        let role_of = if at == line { Role::Accent } else { Role::Dim };
        let (x, _) = buf.set_stringn(area.x, area.y, mark, 1, look.style(role));
        buf.set_stringn(x, area.y, number, digits, look.style(role_of));
    }
}

fn underline(finding: &Finding, looks: &mut [Style], look: &Look) {
    let role = if finding.severity() == Severity::Error {
        Role::Bad
    } else {
        Role::Warn
    };
    let (from, to) = match (finding.column as usize, finding.length as usize) {
        (0, _) => (0, looks.len()),
        (column, 0) => (column - 1, looks.len()),
        (column, length) => (column - 1, column - 1 + length),
    };
    let to = to.min(looks.len());
    for style in looks.get_mut(from.min(to)..to).into_iter().flatten() {
        *style = style
            .patch(look.style(role))
            .add_modifier(Modifier::UNDERLINED);
    }
}

/// The first line to draw so that the cursor's row is visible. Scrolls by half a screen, so that
/// most moves redraw only the cursor.
fn first_line(
    lines: &[&str],
    top: usize,
    (line, column): (usize, usize),
    height: usize,
    room: usize,
) -> usize {
    let last = lines.len().saturating_sub(1);
    let rows_of = |at: usize| rows(&lines[at].chars().collect::<Vec<_>>(), room);
    let own = rows_of(line).iter().filter(|s| **s <= column).count();
    // The maximum number of lines before the cursor's that keeps its row within `height`.
    let furthest = |height: usize| {
        let (mut at, mut used) = (line, own);
        while at > 0 {
            let more = rows_of(at - 1).len();
            if used + more > height {
                break;
            }
            used += more;
            at -= 1;
        }
        at
    };
    let top = top.min(last);
    if top > line {
        return furthest(height / 2);
    }
    if furthest(height) > top {
        furthest(height / 2)
    } else {
        top
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_break_at_spaces() {
        let broken = |text: &str, room| {
            let chars: Vec<char> = text.chars().collect();
            let starts = rows(&chars, room);
            let ends = starts.iter().skip(1).copied().chain([chars.len()]);
            starts
                .iter()
                .zip(ends)
                .map(|(a, b)| chars[*a..b].iter().collect::<String>())
                .collect::<Vec<_>>()
        };
        assert_eq!(broken("one two three", 8), ["one two ", "three"]);
        assert_eq!(broken("abcdefghij", 4), ["abcd", "efgh", "ij"]);
        assert_eq!(broken("日本語", 4), ["日本", "語"]);
        assert_eq!(broken("", 4), [""]);
        for room in 1..30 {
            assert_eq!(
                broken("a bc def ghij klmno pqrstu", room).concat(),
                "a bc def ghij klmno pqrstu"
            );
        }
    }

    #[test]
    fn the_cursor_is_always_in_view() {
        let owned: Vec<String> = (0..60).map(|i| "word ".repeat(i % 9)).collect();
        let lines: Vec<&str> = owned.iter().map(String::as_str).collect();
        let mut top = 0;
        for line in (0..60).chain((0..60).rev()) {
            for height in [1, 5, 20] {
                top = first_line(&lines, top, (line, lines[line].len()), height, 10);
                let rows_to: usize = (top..=line)
                    .map(|l| rows(&lines[l].chars().collect::<Vec<_>>(), 10).len())
                    .sum();
                let tall = rows(&lines[line].chars().collect::<Vec<_>>(), 10).len() > height;
                assert!(
                    top <= line && (rows_to <= height || tall && top == line),
                    "{top} {line} {height}"
                );
            }
        }
    }
}
