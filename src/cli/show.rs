//! `benchtop show IMAGE`: prints one picture in the terminal.
//!
//! viuer prints with the kitty and iTerm2 protocols. Its own detection blocks forever on a terminal
//! that does not answer, so benchtop detects the protocol and passes it to viuer. Sixel uses
//! benchtop's encoder, because viuer assumes cells of 6 by 12 pixels. Other terminals get
//! half-blocks.

use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use ratatui::style::Color;

use benchtop_model::{Error, ErrorKind, Result};
use benchtop_raster::decode::{DecodedImage, decode};
use benchtop_raster::scale::{fit, resize};
use benchtop_tui::preview::halfblock::{Cells, PictureCell};
use benchtop_tui::preview::worker::read;
use benchtop_tui::terminal::pixels::{Plan, Protocol};
use benchtop_tui::terminal::probe::{WindowSize, probe};
use benchtop_tui::terminal::sgr;
use benchtop_tui::terminal::{Capabilities, Clock, ColorLevel, Parser, color, environment};

#[derive(Args, Debug)]
pub struct Show {
    /// Picture file: PNG, JPEG, WebP, GIF or BMP
    image: PathBuf,
    /// Maximum width in columns [default: width of the terminal]
    #[arg(long, value_name = "COLUMNS", value_parser = clap::value_parser!(u16).range(1..))]
    width: Option<u16>,
    /// Maximum height in rows [default: height of the terminal]
    #[arg(long, value_name = "ROWS", value_parser = clap::value_parser!(u16).range(1..))]
    height: Option<u16>,
    /// Use half-blocks, without querying the terminal
    #[arg(long)]
    plain: bool,
}

/// Runs `benchtop show`.
///
/// # Errors
/// When the picture cannot be read, or the terminal not written to.
pub fn run(args: &Show, color: Option<ColorLevel>) -> Result<()> {
    let image = decode(&read(&args.image)?).map_err(|problem| problem.file(&args.image))?;
    let terminal = io::stdout().is_terminal();
    let size = if terminal {
        WindowSize::of(io::stdout()).unwrap_or_default()
    } else {
        WindowSize::default()
    };
    let (columns, rows) = if size.cells.0 > 0 && size.cells.1 > 1 {
        size.cells
    } else {
        (80, 24)
    };
    // One row stays free for the shell prompt.
    let room = (
        args.width.unwrap_or(columns),
        args.height.unwrap_or(rows - 1),
    );
    let found = if terminal && !args.plain && io::stdin().is_terminal() {
        ask()
    } else {
        Capabilities::default()
    };
    let fail =
        |error: io::Error| Error::io(&error, "cannot write to the terminal", Path::new("stdout"));
    // Pixels are used only if the terminal reports its size, so that the picture is known to fit.
    let room = if found.answers {
        (room.0.min(columns), room.1.min(rows - 1))
    } else {
        room
    };
    match Protocol::choose(&found) {
        Some(Protocol::Sixel) => sixel(&image, room, &found).map_err(fail),
        Some(protocol) => through_viuer(&image, room, &found, protocol),
        None => {
            let env = environment();
            let level = if terminal || color.is_some() {
                color::detect(&env, color)
            } else {
                ColorLevel::Mono
            };
            let aspect = found
                .cell
                .or(size.cell())
                .map_or(2.0, |(w, h)| f64::from(h) / f64::from(w));
            let cells = Cells::draw(&image, room, aspect, level, [0; 3]).map_err(Error::input)?;
            print(&cells, &mut BufWriter::new(io::stdout().lock())).map_err(fail)
        }
    }
}

/// Queries the capabilities of the terminal. Returns the defaults if it does not answer. Keys typed
/// meanwhile are lost.
pub fn ask() -> Capabilities {
    if crossterm::terminal::enable_raw_mode().is_err() {
        return Capabilities::default();
    }
    let asked = probe(
        io::stdin(),
        &mut io::stdout(),
        &mut Parser::default(),
        &environment(),
        Clock::start(),
    );
    let _ = crossterm::terminal::disable_raw_mode();
    asked.map(|(found, _)| found).unwrap_or_default()
}

fn cells_of((columns, rows): (u16, u16), cell: (u16, u16)) -> (u32, u32) {
    (
        u32::from(columns) * u32::from(cell.0),
        u32::from(rows) * u32::from(cell.1),
    )
}

fn sixel(image: &DecodedImage, room: (u16, u16), found: &Capabilities) -> io::Result<()> {
    let plan = Plan {
        protocol: Protocol::Sixel,
        cells: room,
        cell: found.cell.unwrap_or((8, 16)),
    };
    let small = resize(image, fit(image.size(), plan.room(), 1.0)).map_err(io::Error::other)?;
    let payload = plan.encode(&small, [0; 3]).map_err(io::Error::other)?;
    let mut out = BufWriter::new(io::stdout().lock());
    payload.write_here(&mut out)?;
    out.write_all(b"\n")?;
    out.flush()
}

fn through_viuer(
    image: &DecodedImage,
    room: (u16, u16),
    found: &Capabilities,
    protocol: Protocol,
) -> Result<()> {
    let cell = found.cell.unwrap_or((8, 16));
    let size = fit(image.size(), cells_of(room, cell), 1.0);
    let small = resize(image, size).map_err(Error::input)?;
    let config = viuer::Config {
        absolute_offset: false,
        width: Some(size.0.div_ceil(u32::from(cell.0))),
        height: Some(size.1.div_ceil(u32::from(cell.1))),
        transparent: true,
        use_kitty: protocol == Protocol::Kitty,
        use_iterm: protocol == Protocol::Iterm,
        ..viuer::Config::default()
    };
    let shown = viuer::print(&small.into(), &config);
    shown
        .map(drop)
        .map_err(|error| Error::new(ErrorKind::Io, format!("cannot print the picture: {error}")))
}

/// Prints cells as lines of colored text.
fn print(cells: &Cells, out: &mut impl Write) -> io::Result<()> {
    for line in cells.lines() {
        let mut last = (Color::Reset, Color::Reset);
        for PictureCell { symbol, fg, bg } in line {
            if *fg != last.0 {
                out.write_all(&sgr::ink(*fg))?;
            }
            if *bg != last.1 {
                out.write_all(&sgr::ground(*bg))?;
            }
            last = (*fg, *bg);
            write!(out, "{symbol}")?;
        }
        if last != (Color::Reset, Color::Reset) {
            write!(out, "\x1b[0m")?;
        }
        writeln!(out)?;
    }
    out.flush()
}

#[cfg(test)]
mod tests {
    use image::{Rgb, RgbImage};

    use super::*;

    fn printed(level: ColorLevel, f: impl Fn(u32, u32) -> Rgb<u8>) -> String {
        let image = DecodedImage::new(RgbImage::from_fn(4, 4, f).into());
        let cells = Cells::draw(&image, (4, 2), 2.0, level, [0; 3]).unwrap();
        let mut out = Vec::new();
        print(&cells, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn half_block_lines_end_with_a_reset() {
        let red_over_green = |_, y: u32| {
            if y.is_multiple_of(2) {
                Rgb([255, 0, 0])
            } else {
                Rgb([0, 255, 0])
            }
        };
        let text = printed(ColorLevel::True, red_over_green);
        let line = "\x1b[38;5;196m\x1b[48;5;46m▀▀▀▀\x1b[0m\n";
        assert_eq!(text, line.repeat(2));
        assert_eq!(
            printed(ColorLevel::Ansi16, red_over_green),
            "\x1b[91m\x1b[102m▀▀▀▀\x1b[0m\n".repeat(2)
        );
        let true_color = printed(ColorLevel::True, |_, _| Rgb([1, 2, 3]));
        assert!(
            true_color.starts_with("\x1b[38;2;1;2;3m\x1b[48;2;1;2;3m▀"),
            "{true_color:?}"
        );
    }

    #[test]
    fn mono_output_has_no_escapes() {
        assert_eq!(
            printed(ColorLevel::Mono, |x, _| Rgb(
                [if x < 2 { 0 } else { 255 }; 3]
            )),
            "  @@\n  @@\n"
        );
    }

    #[test]
    fn missing_picture_error_names_the_file() {
        let args = Show {
            image: "nowhere.png".into(),
            width: None,
            height: None,
            plain: true,
        };
        let problem = run(&args, None).unwrap_err();
        assert_eq!(problem.kind, ErrorKind::NotFound);
        assert_eq!(problem.place.file, Some("nowhere.png".into()));
    }
}
