//! Pictures of the screen as text, at 80x24 and 160x50: what a person sees, without color.

mod agreement;
mod board;
mod bytes;
mod clusters;
mod filters;
mod list;
mod metadata;
mod overlays;
mod table;

use benchtop::model::ColorLevel;
use benchtop::tui::theme::{Look, Theme};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use unicode_width::UnicodeWidthStr;

const SIZES: [(u16, u16); 2] = [(80, 24), (160, 50)];

fn look() -> Look {
    Look::new(&Theme::shipped("dark").unwrap(), ColorLevel::True, false)
}

fn accessible() -> Look {
    Look::new(&Theme::shipped("mono").unwrap(), ColorLevel::Mono, true)
}

/// The screen after `draw`, a line a row, cut of trailing blanks.
fn frame((width, height): (u16, u16), draw: impl FnOnce(Rect, &mut Buffer)) -> String {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal
        .draw(|frame| draw(frame.area(), frame.buffer_mut()))
        .unwrap();
    let buffer = terminal.backend().buffer();
    // A wide character fills two cells; the second holds a blank that nobody sees.
    let line = |row: &[ratatui::buffer::Cell]| {
        let (mut out, mut skip) = (String::new(), 0);
        for cell in row {
            if skip > 0 {
                skip -= 1;
                continue;
            }
            out += cell.symbol();
            skip = cell.symbol().width().saturating_sub(1);
        }
        out
    };
    buffer
        .content
        .chunks(usize::from(width))
        .map(|row| line(row).trim_end().to_string())
        .collect::<Vec<_>>()
        .join("\n")
}

/// Compares at 80x24 only, for what has the same parts in a wide window.
fn check_narrow(name: &str, size: (u16, u16), picture: &str) {
    if size == SIZES[0] {
        check(name, size, picture);
    }
}

/// Compares with the committed picture `name_WIDTHxHEIGHT`; `INSTA_UPDATE=always` rewrites it.
fn check(name: &str, (width, height): (u16, u16), picture: &str) {
    insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true }, {
        insta::assert_snapshot!(format!("{name}_{width}x{height}"), picture);
    });
}
