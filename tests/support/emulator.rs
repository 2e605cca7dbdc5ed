//! A terminal as far as widths go, in two kinds: one that joins what belongs together into one glyph, as tmux from 3.4 on does, and
//! one that gives each code point the columns of its own, as xterm does.

use std::collections::BTreeSet;

use unicode_width::UnicodeWidthChar;

/// How a cell looks, and what is in it. The second column of a wide glyph is empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Glyph {
    pub text: String,
    wide: bool,
    look: (Vec<u16>, Vec<u16>, BTreeSet<u16>),
}

impl Glyph {
    /// What of it is seen: a blank shows what is behind it, and lines through and under it.
    fn seen(&self) -> Glyph {
        let mut seen = self.clone();
        let reversed = self.look.2.contains(&7);
        if self.text == " " && !reversed {
            seen.look.0.clear();
            seen.look.2.retain(|attribute| matches!(attribute, 4 | 9));
        }
        seen
    }
}

#[derive(Clone)]
pub struct Emulator {
    joins: bool,
    size: (usize, usize),
    cells: Vec<Glyph>,
    at: (usize, usize),
    /// The last column was written: the next character goes to the next row.
    full: bool,
    wraps: bool,
    look: (Vec<u16>, Vec<u16>, BTreeSet<u16>),
}

impl Emulator {
    pub fn new((width, height): (u16, u16), joins: bool) -> Emulator {
        let size = (usize::from(width), usize::from(height));
        let cells = vec![Emulator::blank(); size.0 * size.1];
        Emulator {
            joins,
            size,
            cells,
            at: (0, 0),
            full: false,
            wraps: true,
            look: Default::default(),
        }
    }

    fn blank() -> Glyph {
        Glyph {
            text: " ".into(),
            ..Glyph::default()
        }
    }

    /// The rows as text.
    pub fn rows(&self) -> Vec<String> {
        self.cells
            .chunks(self.size.0)
            .map(|row| row.iter().map(|cell| cell.text.as_str()).collect())
            .collect()
    }

    /// Where two screens differ: column, row, and what is there on each.
    pub fn differences<'a>(
        &'a self,
        other: &'a Emulator,
    ) -> Vec<(usize, usize, &'a Glyph, &'a Glyph)> {
        let pairs = self
            .cells
            .iter()
            .zip(&other.cells)
            .enumerate()
            .filter(|(_, (a, b))| a.seen() != b.seen());
        pairs
            .map(|(at, (a, b))| (at % self.size.0, at / self.size.0, a, b))
            .collect()
    }

    pub fn feed(&mut self, bytes: &[u8]) {
        let text = std::str::from_utf8(bytes).expect("text");
        let mut rest = text.chars().peekable();
        while let Some(c) = rest.next() {
            if c != '\u{1b}' {
                assert!(!c.is_control(), "{c:?}");
                self.print(c);
                continue;
            }
            assert_eq!(rest.next(), Some('['), "only CSI is modelled");
            let mut parameters = String::new();
            let end = loop {
                match rest.next().expect("whole sequences") {
                    c @ '@'..='~' => break c,
                    c => parameters.push(c),
                }
            };
            self.sequence(&parameters, end);
        }
    }

    fn sequence(&mut self, parameters: &str, end: char) {
        let numbers = || {
            parameters
                .split(';')
                .map(|n| n.parse::<u16>().unwrap_or(0))
                .collect::<Vec<_>>()
        };
        match (end, parameters) {
            ('H', _) => {
                let n = numbers();
                let to = |at: usize| usize::from(n.get(at).copied().unwrap_or(1).max(1)) - 1;
                self.at = (to(1).min(self.size.0 - 1), to(0).min(self.size.1 - 1));
                self.full = false;
            }
            ('J', "2") => self.cells.fill(Emulator::blank()),
            ('h' | 'l', "?7") => self.wraps = end == 'h',
            ('h' | 'l', _) | ('n', "5") | ('c', _) => {}
            ('m', _) => self.style(&numbers()),
            other => panic!("{other:?} is not modelled"),
        }
    }

    fn style(&mut self, numbers: &[u16]) {
        let mut rest = numbers.iter().copied();
        while let Some(n) = rest.next() {
            let mut color = |first: u16| {
                let mut all = vec![first];
                let more = match rest.next() {
                    Some(2) => 3,
                    _ => 1,
                };
                all.extend(rest.by_ref().take(more));
                all
            };
            match n {
                0 => self.look = Default::default(),
                1..=9 => drop(self.look.2.insert(n)),
                38 => self.look.0 = color(38),
                48 => self.look.1 = color(48),
                58 => drop(color(58)),
                39 => self.look.0.clear(),
                49 => self.look.1.clear(),
                30..=37 | 90..=97 => self.look.0 = vec![n],
                40..=47 | 100..=107 => self.look.1 = vec![n],
                59 => {}
                other => panic!("{other} is not modelled"),
            }
        }
    }

    fn index(&self, (x, y): (usize, usize)) -> usize {
        y * self.size.0 + x
    }

    /// The cell that a mark belongs to: the one before the cursor.
    fn before(&self) -> Option<usize> {
        let x = if self.full {
            self.at.0
        } else {
            self.at.0.checked_sub(1)?
        };
        let at = self.index((x, self.at.1));
        Some(if self.cells[at].text.is_empty() {
            at - 1
        } else {
            at
        })
    }

    fn print(&mut self, c: char) {
        let own = c.width().unwrap_or(0).min(2);
        let before = self.before();
        let last = before.and_then(|at| self.cells[at].text.chars().next_back());
        let flag = |c: char| ('\u{1f1e6}'..='\u{1f1ff}').contains(&c);
        let alone = before.is_some_and(|at| self.cells[at].text.chars().count() == 1);
        let emoji = |c: Option<char>| c.is_some_and(|c| c.width() == Some(2) || c > '\u{1f000}');
        let joined = self.joins
            && (last == Some('\u{200d}')
                || ('\u{1f3fb}'..='\u{1f3ff}').contains(&c) && emoji(last)
                || flag(c) && alone && last.is_some_and(flag));
        match before {
            Some(at) if own == 0 || joined => {
                self.cells[at].text.push(c);
                // A glyph of an emoji takes two columns.
                if self.joins && (joined || c == '\u{fe0f}') && !self.cells[at].wide {
                    self.widen(at);
                }
            }
            _ if own == 0 => {}
            _ => self.place(c, own),
        }
    }

    fn widen(&mut self, at: usize) {
        let x = at % self.size.0;
        if x + 1 < self.size.0 {
            self.erase(at + 1);
            self.cells[at].wide = true;
            self.cells[at + 1] = Glyph {
                text: String::new(),
                look: self.cells[at].look.clone(),
                wide: false,
            };
            self.at.0 = (x + 2).min(self.size.0 - 1);
            self.full = x + 2 >= self.size.0;
        }
    }

    /// Takes a cell away; what is left of a wide glyph becomes a blank.
    fn erase(&mut self, at: usize) {
        if self.cells[at].text.is_empty() && at > 0 {
            self.cells[at - 1] = Glyph {
                look: self.cells[at - 1].look.clone(),
                ..Emulator::blank()
            };
        }
        if self.cells[at].wide {
            self.cells[at + 1] = Glyph {
                look: self.cells[at + 1].look.clone(),
                ..Emulator::blank()
            };
        }
        self.cells[at] = Emulator::blank();
    }

    fn place(&mut self, c: char, columns: usize) {
        if (self.full || self.at.0 + columns > self.size.0) && self.wraps {
            self.at = (0, (self.at.1 + 1).min(self.size.1 - 1));
        }
        self.full = false;
        let x = self.at.0.min(self.size.0 - columns);
        let at = self.index((x, self.at.1));
        for column in at..at + columns {
            self.erase(column);
        }
        self.cells[at] = Glyph {
            text: c.into(),
            wide: columns == 2,
            look: self.look.clone(),
        };
        if columns == 2 {
            self.cells[at + 1] = Glyph {
                text: String::new(),
                wide: false,
                look: self.look.clone(),
            };
        }
        self.full = x + columns >= self.size.0;
        self.at.0 = (x + columns).min(self.size.0 - 1);
    }
}
