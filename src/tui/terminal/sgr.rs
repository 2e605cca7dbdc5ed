//! Encodes cells as bytes.
//!
//! Written by hand because a true-color picture is 3,200 cells that all change: crossterm's
//! formatting took more than a tenth of the time of decoding the picture. This also sends only
//! changed colors, and one reset at the end.

use ratatui::buffer::{Cell, CellWidth};
use ratatui::style::{Color, Modifier};

use super::clusters::{is_uncertain, widest};
use super::locale;
use benchtop_model::clean;

/// Attributes and their SGR numbers.
const ATTRIBUTES: [(Modifier, u8); 9] = [
    (Modifier::BOLD, 1),
    (Modifier::DIM, 2),
    (Modifier::ITALIC, 3),
    (Modifier::UNDERLINED, 4),
    (Modifier::SLOW_BLINK, 5),
    (Modifier::RAPID_BLINK, 6),
    (Modifier::REVERSED, 7),
    (Modifier::HIDDEN, 8),
    (Modifier::CROSSED_OUT, 9),
];

/// Joins the characters before and after it into one glyph.
const JOINER: char = '\u{200d}';

/// Writes cells in order, with the cursor moves and attributes between them. Starts and ends
/// without attributes.
pub(super) struct Pen {
    next: Option<(u16, u16)>,
    look: Look,
    width: u16,
    ascii: bool,
    /// Whether the last cell ends with a joiner, so that a terminal may draw the next one in it.
    joins: bool,
}

#[derive(Clone, Copy, PartialEq)]
struct Look {
    fg: Color,
    bg: Color,
    underline: Color,
    modifier: Modifier,
}

const PLAIN: Look = Look {
    fg: Color::Reset,
    bg: Color::Reset,
    underline: Color::Reset,
    modifier: Modifier::empty(),
};

impl Pen {
    /// For a screen of this width, in ASCII only or not.
    pub(super) fn new(width: u16, ascii: bool) -> Self {
        Pen {
            next: None,
            look: PLAIN,
            width,
            ascii,
            joins: false,
        }
    }

    fn go(out: &mut Vec<u8>, x: u16, y: u16) {
        out.extend_from_slice(b"\x1b[");
        number(out, u32::from(y) + 1);
        out.push(b';');
        number(out, u32::from(x) + 1);
        out.push(b'H');
    }

    /// Appends the cell at column `x`, row `y` (from 0).
    pub(super) fn cell(&mut self, out: &mut Vec<u8>, x: u16, y: u16, cell: &Cell) {
        if self.next != Some((x, y)) {
            Pen::go(out, x, y);
        }
        // After a wide character the next cell is positioned explicitly: terminals disagree about
        // widths.
        self.next = x.checked_add(1).map(|x| (x, y));
        self.look(
            out,
            Look {
                fg: cell.fg,
                bg: cell.bg,
                underline: cell.underline_color,
                modifier: cell.modifier,
            },
        );
        // Most cells, and all of a picture in half blocks.
        if let [b' '..=b'~'] | [0xe2, 0x96, 0x80] = cell.symbol().as_bytes()
            && !self.ascii
        {
            return out.extend_from_slice(cell.symbol().as_bytes());
        }
        if self.ascii && !cell.symbol().is_ascii() {
            out.extend_from_slice(locale::ascii(cell.symbol(), cell.cell_width()).as_bytes());
            self.next = None;
            return;
        }
        let joined = std::mem::replace(&mut self.joins, cell.symbol().ends_with(JOINER));
        if joined || is_uncertain(cell.symbol()) {
            return self.uncertain(out, x, y, cell);
        }
        // Widgets replace control characters by marks. Any that a widget missed are dropped.
        let bare = |c: &char| !clean::is_hidden(*c);
        match cell.symbol().chars().all(|c| bare(&c)) {
            true => out.extend_from_slice(cell.symbol().as_bytes()),
            false => {
                let rest: String = cell.symbol().chars().filter(bare).collect();
                out.extend_from_slice(if rest.is_empty() { " " } else { &rest }.as_bytes());
            }
        }
    }

    /// Appends a cluster that terminals may draw in other columns than expected: over blanks, and
    /// on the last columns with line wrapping turned off.
    fn uncertain(&mut self, out: &mut Vec<u8>, x: u16, y: u16, cell: &Cell) {
        let bare: String = cell
            .symbol()
            .chars()
            .filter(|c| !clean::is_hidden(*c))
            .collect();
        out.extend(std::iter::repeat_n(b' ', usize::from(bare.cell_width())));
        Pen::go(out, x, y);
        let wraps = x.saturating_add(widest(cell.symbol())) > self.width;
        if wraps {
            out.extend_from_slice(b"\x1b[?7l");
        }
        out.extend_from_slice(bare.as_bytes());
        if wraps {
            out.extend_from_slice(b"\x1b[?7h");
        }
        self.next = None;
    }

    /// Appends the end of a run of cells.
    pub(super) fn finish(self, out: &mut Vec<u8>) {
        if self.look != PLAIN {
            out.extend_from_slice(b"\x1b[0m");
        }
    }

    fn look(&mut self, out: &mut Vec<u8>, want: Look) {
        if want == self.look {
            return;
        }
        out.extend_from_slice(b"\x1b[");
        let from = out.len();
        if !(self.look.modifier - want.modifier).is_empty() || want == PLAIN {
            // Attributes are reset all at once, since that works on every terminal.
            out.extend_from_slice(b"0;");
            self.look = PLAIN;
        }
        let added = want.modifier - self.look.modifier;
        if !added.is_empty() {
            for (attribute, code) in ATTRIBUTES {
                if added.contains(attribute) {
                    number(out, u32::from(code));
                    out.push(b';');
                }
            }
        }
        if want.fg != self.look.fg {
            color(out, want.fg, 30);
        }
        if want.bg != self.look.bg {
            color(out, want.bg, 40);
        }
        if want.underline != self.look.underline {
            color(out, want.underline, 50);
        }
        // The last separator becomes the terminator.
        if out.len() > from {
            out.pop();
        }
        out.push(b'm');
        self.look = want;
    }
}

/// The sequence that sets the text color.
pub fn ink(of: Color) -> Vec<u8> {
    alone(of, 30)
}

/// The sequence that sets the background color.
pub fn ground(of: Color) -> Vec<u8> {
    alone(of, 40)
}

fn alone(of: Color, layer: u32) -> Vec<u8> {
    let mut out = b"\x1b[".to_vec();
    color(&mut out, of, layer);
    out.pop();
    out.push(b'm');
    out
}

/// A color on layer 30 (text), 40 (background), or 50 (underline, which has no short forms).
fn color(out: &mut Vec<u8>, color: Color, layer: u32) {
    let mut code = |numbers: &[u32]| {
        for n in numbers {
            number(out, *n);
            out.push(b';');
        }
    };
    let named = match color {
        Color::Reset => return code(&[layer + 9]),
        Color::Rgb(r, g, b) => return rgb(out, [r, g, b], layer),
        Color::Indexed(i) => {
            code(&[layer + 8, 5]);
            return byte(out, i);
        }
        Color::Black => 0,
        Color::Red => 1,
        Color::Green => 2,
        Color::Yellow => 3,
        Color::Blue => 4,
        Color::Magenta => 5,
        Color::Cyan => 6,
        Color::Gray => 7,
        Color::DarkGray => 8,
        Color::LightRed => 9,
        Color::LightGreen => 10,
        Color::LightYellow => 11,
        Color::LightBlue => 12,
        Color::LightMagenta => 13,
        Color::LightCyan => 14,
        Color::White => 15,
    };
    match (layer, named) {
        (50, _) => code(&[58, 5, named]),
        (_, 0..8) => code(&[layer + named]),
        _ => code(&[layer + 52 + named]),
    }
}

/// The digits of each byte with a separator after them, and their length. A picture has 20,000 such
/// numbers; dividing for their digits takes half the time of the frame.
static BYTES: [([u8; 4], usize); 256] = {
    let mut all = [([b';'; 4], 0); 256];
    let mut n = 0;
    while n < 256 {
        let (mut at, mut unit) = (0, 100);
        while unit > 0 {
            if n >= unit || unit == 1 {
                all[n].0[at] = b'0' + (n / unit % 10) as u8;
                at += 1;
            }
            unit /= 10;
        }
        all[n].1 = at + 1;
        n += 1;
    }
    all
};

/// Appends a true color. Assembled on the stack, because a picture has 6,400 of them.
fn rgb(out: &mut Vec<u8>, color: [u8; 3], layer: u32) {
    // The layer is a multiple of ten, and its extended colors are its eighth number.
    let mut text = [b';'; 17];
    text[..4].copy_from_slice(&[b'0' + (layer / 10 % 10) as u8, b'8', b';', b'2']);
    let mut end = 5;
    for level in color {
        let (digits, length) = &BYTES[usize::from(level)];
        text[end..end + 4].copy_from_slice(digits);
        end += length;
    }
    out.extend_from_slice(&text[..end]);
}

/// Appends a number and a separator.
fn byte(out: &mut Vec<u8>, n: u8) {
    let (text, length) = &BYTES[usize::from(n)];
    out.extend_from_slice(&text[..*length]);
}

fn number(out: &mut Vec<u8>, n: u32) {
    if n >= 10 {
        number(out, n / 10);
    }
    out.push(b'0' + (n % 10) as u8);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn named_colors_have_their_codes() {
        assert_eq!(
            (ink(Color::Black), ground(Color::Gray)),
            (b"\x1b[30m".to_vec(), b"\x1b[47m".to_vec())
        );
        assert_eq!(
            (ink(Color::DarkGray), ground(Color::White)),
            (b"\x1b[90m".to_vec(), b"\x1b[107m".to_vec())
        );
        assert_eq!(
            (ink(Color::Reset), ground(Color::Reset)),
            (b"\x1b[39m".to_vec(), b"\x1b[49m".to_vec())
        );
    }

    fn written(cells: &[(u16, u16, Cell)]) -> Vec<u8> {
        let mut out = Vec::new();
        let mut pen = Pen::new(100, false);
        for (x, y, cell) in cells {
            pen.cell(&mut out, *x, *y, cell);
        }
        pen.finish(&mut out);
        out
    }

    fn cell(symbol: &'static str, fg: Color, bg: Color, modifier: Modifier) -> Cell {
        let mut cell = Cell::new(symbol);
        cell.set_fg(fg).set_bg(bg);
        cell.modifier = modifier;
        cell
    }

    #[test]
    fn only_changes_are_written() {
        let (red, blue) = (Color::Rgb(255, 0, 0), Color::Indexed(21));
        let none = Modifier::empty();
        let cells = [
            (0, 0, cell("a", red, blue, none)),
            (1, 0, cell("b", red, blue, none)),
            (2, 0, cell("c", red, Color::White, none)),
            (
                5,
                9,
                cell(
                    "d",
                    Color::Reset,
                    Color::Reset,
                    Modifier::REVERSED | Modifier::BOLD,
                ),
            ),
            (6, 9, cell("e", Color::Reset, Color::Reset, Modifier::BOLD)),
            (7, 9, cell("f", Color::Reset, Color::Reset, none)),
        ];
        let wanted = "\x1b[1;1H\x1b[38;2;255;0;0;48;5;21mab\x1b[107mc\x1b[10;6H\x1b[1;7;39;49md\x1b[0;1me\x1b[0mf";
        assert_eq!(String::from_utf8(written(&cells)).unwrap(), wanted);
        let mut lined = Cell::new("x");
        lined.underline_color = Color::Red;
        assert_eq!(written(&[(0, 0, lined)]), b"\x1b[1;1H\x1b[58;5;1mx\x1b[0m");
    }

    #[test]
    fn control_characters_are_not_written() {
        let cells = [
            (0, 0, Cell::new("\u{1b}]52;c;x\u{7}")),
            (1, 0, Cell::new("\u{202e}")),
            (2, 0, Cell::new("👩\u{200d}🚀")),
        ];
        assert_eq!(
            String::from_utf8(written(&cells)).unwrap(),
            "\x1b[1;1H       \x1b[1;1H]52;c;x\x1b[1;2H   \x1b[1;3H👩\u{200d}🚀"
        );
    }

    fn a_color() -> impl Strategy<Value = Color> {
        prop_oneof![
            Just(Color::Reset),
            any::<u8>().prop_map(Color::Indexed),
            any::<[u8; 3]>().prop_map(|[r, g, b]| Color::Rgb(r, g, b)),
            prop_oneof![
                Just(Color::Black),
                Just(Color::Gray),
                Just(Color::DarkGray),
                Just(Color::White)
            ],
        ]
    }

    fn seen(color: Color) -> vt100::Color {
        match color {
            Color::Reset => vt100::Color::Default,
            Color::Indexed(i) => vt100::Color::Idx(i),
            Color::Rgb(r, g, b) => vt100::Color::Rgb(r, g, b),
            Color::Black => vt100::Color::Idx(0),
            Color::Gray => vt100::Color::Idx(7),
            Color::DarkGray => vt100::Color::Idx(8),
            Color::White => vt100::Color::Idx(15),
            other => panic!("{other:?}"),
        }
    }

    proptest! {
        #[test]
        fn a_terminal_shows_the_written_cells(
            cells in proptest::collection::vec((0u16..20, 0u16..6, a_color(), a_color(), 0u16..512), 1..60)
        ) {
            let mut terminal = vt100::Parser::new(6, 20, 0);
            let mut cells: Vec<(u16, u16, Cell)> = cells
                .into_iter()
                .map(|(x, y, fg, bg, bits)| (x, y, cell("#", fg, bg, Modifier::from_bits_truncate(bits))))
                .collect();
            terminal.process(&written(&cells));
            cells.reverse();
            for (i, (x, y, cell)) in cells.iter().enumerate() {
                if cells[..i].iter().any(|(ox, oy, _)| (ox, oy) == (x, y)) {
                    continue;
                }
                let shown = terminal.screen().cell(*y, *x).unwrap();
                prop_assert_eq!(shown.contents(), "#");
                prop_assert_eq!((shown.fgcolor(), shown.bgcolor()), (seen(cell.fg), seen(cell.bg)));
                let has = |m| cell.modifier.contains(m);
                let flags = (shown.bold(), shown.italic(), shown.underline(), shown.inverse());
                prop_assert_eq!(
                    (flags.1, flags.2, flags.3),
                    (has(Modifier::ITALIC), has(Modifier::UNDERLINED), has(Modifier::REVERSED))
                );
                prop_assert!(has(Modifier::DIM) || flags.0 == has(Modifier::BOLD));
            }
        }
    }
}
