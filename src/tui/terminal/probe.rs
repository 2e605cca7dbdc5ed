//! Queries the terminal's capabilities once, before anything else reads from it.
//!
//! All queries go out in one write, with the device attributes last: every terminal answers those,
//! so their reply ends the wait. Keys typed meanwhile come out as inputs. A sequence split by the
//! timeout stays in the parser, so that a late reply is a reply and never a key.

use std::io::{self, Write};
use std::os::fd::AsFd;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;

use super::background::{Background, QUESTION, may_ask};
use super::color::over_ssh;
use super::pixels::placeholder;
use super::reader::timespec;
use super::{Clock, Env, Input, Parser, Reply, is_set};

/// How long to wait for the replies, in milliseconds.
pub const WAIT_MS: u64 = 500;
/// The kitty query. Its id is not used for pictures.
const KITTY: &[u8] = b"\x1b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\";
/// XTVERSION, cell size, text area size, and device attributes.
const REST: &[u8] = b"\x1b[>q\x1b[16t\x1b[14t\x1b[c";

/// The capabilities that the terminal reported.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Capabilities {
    /// Whether it replied at all within [`WAIT_MS`].
    pub answers: bool,
    /// Supports kitty graphics.
    pub kitty: bool,
    /// Supports sixel graphics.
    pub sixel: bool,
    /// Supports iTerm2 inline pictures, according to the environment.
    pub iterm: bool,
    /// Name and version, as reported.
    pub version: Option<String>,
    /// Width and height of a cell in pixels.
    pub cell: Option<(u16, u16)>,
    /// Inside tmux, where only placeholders of the kitty protocol work.
    pub tmux: bool,
    /// Connected through SSH.
    pub ssh: bool,
    /// The background, according to the terminal or its environment.
    pub background: Option<Background>,
}

/// The size of a terminal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WindowSize {
    /// Columns and rows.
    pub cells: (u16, u16),
    /// Width and height in pixels; 0 if unknown.
    pub pixels: (u16, u16),
}

impl WindowSize {
    /// The size that the kernel has for the terminal `tty`.
    ///
    /// # Errors
    ///
    /// If it is not a terminal.
    pub fn of(tty: impl AsFd) -> io::Result<Self> {
        let size = rustix::termios::tcgetwinsize(tty)?;
        Ok(WindowSize {
            cells: (size.ws_col, size.ws_row),
            pixels: (size.ws_xpixel, size.ws_ypixel),
        })
    }

    /// Width and height of a cell in pixels, if the kernel knows them.
    pub fn cell(self) -> Option<(u16, u16)> {
        per_cell(self.pixels, self.cells)
    }
}

fn per_cell(pixels: (u16, u16), cells: (u16, u16)) -> Option<(u16, u16)> {
    let cell = (
        pixels.0.checked_div(cells.0)?,
        pixels.1.checked_div(cells.1)?,
    );
    (cell.0 > 0 && cell.1 > 0).then_some(cell)
}

/// Queries the terminal. `tty` must be in raw mode, and nobody else may read it. Returns the
/// capabilities, and what was typed meanwhile, which precedes everything the reader will read with
/// the same `parser`.
///
/// # Errors
///
/// If the line is dead.
pub fn probe(
    tty: impl AsFd,
    out: &mut dyn Write,
    parser: &mut Parser,
    env: &Env,
    clock: Clock,
) -> io::Result<(Capabilities, Vec<Input>)> {
    let tmux = in_tmux(env);
    if !tmux {
        out.write_all(KITTY)?;
    }
    if may_ask(env) {
        out.write_all(QUESTION)?;
    }
    out.write_all(REST)?;
    out.flush()?;
    let mut replies = Vec::new();
    let mut typed = Vec::new();
    let until = clock.ms() + WAIT_MS;
    let mut buffer = [0u8; 1024];
    loop {
        let now = clock.ms();
        if now >= until {
            break;
        }
        let wait = parser.deadline().unwrap_or(until).clamp(now, until) - now;
        let mut fds = [PollFd::new(&tty, PollFlags::IN)];
        match poll(&mut fds, Some(&timespec(wait))) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let ready = fds[0].revents();
        let inputs = if ready.is_empty() {
            parser.timeout(clock.ms())
        } else {
            match rustix::io::read(&tty, &mut buffer) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(n) => parser.push(&buffer[..n], clock.ms()),
                Err(Errno::INTR | Errno::AGAIN) => continue,
                Err(error) => return Err(error.into()),
            }
        };
        for input in inputs {
            match input {
                Input::Reply(reply) => replies.push(reply),
                other => typed.push(other),
            }
        }
        if replies
            .iter()
            .any(|r| matches!(r, Reply::DeviceAttributes(_)))
        {
            break;
        }
    }
    let size = WindowSize::of(&tty).unwrap_or_default();
    Ok((judge(&replies, env, size), typed))
}

/// The kitty query for the terminal around tmux, which tmux passes on if `allow-passthrough` is on.
/// The answer comes later, among the keys. `None` outside of tmux. Other programs of the screen would
/// not take the answer, so a program that ends at once must not ask.
pub fn ask_around_tmux(env: &Env) -> Option<Vec<u8>> {
    is_set(env, "TMUX").then(|| placeholder::through_tmux(KITTY))
}

/// Derives the capabilities from the replies, the environment, and the window size.
pub fn judge(replies: &[Reply], env: &Env, size: WindowSize) -> Capabilities {
    let mut found = Capabilities {
        tmux: in_tmux(env),
        ssh: over_ssh(env),
        ..Capabilities::default()
    };
    found.iterm = !found.tmux && iterm(env);
    found.background = Background::of_env(env);
    let mut area = None;
    let mut asked = None;
    for reply in replies {
        match reply {
            Reply::DeviceAttributes(list) => {
                found.answers = true;
                found.sixel = !found.tmux && list.contains(&4);
            }
            Reply::Kitty { ok, .. } => found.kitty = *ok,
            Reply::Version(version) => found.version = Some(version.clone()),
            Reply::CellPixels(height, width) if *height > 0 && *width > 0 => {
                asked = Some((*width, *height))
            }
            Reply::Background(color) => found.background = Some(Background::of(*color)),
            Reply::TextAreaPixels(height, width) => area = Some((*width, *height)),
            _ => {}
        }
    }
    found.cell = asked
        .or(size.cell())
        .or(area.and_then(|area| per_cell(area, size.cells)));
    found
}

fn in_tmux(env: &Env) -> bool {
    is_set(env, "TMUX")
        || env
            .get("TERM")
            .is_some_and(|t| t.starts_with("tmux") || t.starts_with("screen"))
}

/// The variables that viuer checks, so that we agree about inline pictures.
fn iterm(env: &Env) -> bool {
    let names = |variable: &str, known: &[&str]| {
        env.get(variable)
            .is_some_and(|value| known.iter().any(|k| value.contains(k)))
    };
    names(
        "TERM_PROGRAM",
        &["iTerm", "WezTerm", "mintty", "rio", "WarpTerminal"],
    ) || names("LC_TERMINAL", &["iTerm", "WezTerm", "mintty", "rio"])
        || is_set(env, "KONSOLE_VERSION")
}

#[cfg(test)]
mod tests {
    use std::io::pipe;

    use crossterm::event::{KeyCode, KeyEvent};

    use super::*;

    fn env(pairs: &[(&str, &str)]) -> Env {
        pairs
            .iter()
            .map(|(k, v)| (k.to_string(), v.to_string()))
            .collect()
    }

    /// A terminal that has already replied with `bytes`. The writing end stays open, as a line
    /// does.
    fn ask(bytes: &[u8], env: &Env, parser: &mut Parser) -> (Capabilities, Vec<Input>, Vec<u8>) {
        let (end, mut line) = pipe().unwrap();
        line.write_all(bytes).unwrap();
        let mut asked = Vec::new();
        let (found, typed) = probe(&end, &mut asked, parser, env, Clock::start()).unwrap();
        drop(line);
        (found, typed, asked)
    }

    fn typed(inputs: &[Input]) -> String {
        let code = |i: &Input| match i {
            Input::Key(KeyEvent {
                code: KeyCode::Char(c),
                ..
            }) => *c,
            other => panic!("{other:?}"),
        };
        inputs.iter().map(code).collect()
    }

    #[test]
    fn kitty_is_detected_and_typed_keys_survive() {
        let bytes = b"j\x1b_Gi=31;OK\x1b\\\x1bP>|kitty(0.26.5)\x1b\\k\x1b[6;20;10t\x1b[4;480;800t\x1b[?62;cl";
        let (found, keys, asked) = ask(bytes, &Env::new(), &mut Parser::default());
        assert!(found.answers && found.kitty && !found.sixel);
        assert_eq!(found.version.as_deref(), Some("kitty(0.26.5)"));
        assert_eq!(found.cell, Some((10, 20)));
        assert_eq!(typed(&keys), "jkl");
        assert!(asked.starts_with(KITTY) && asked.ends_with(b"\x1b[c"));
    }

    #[test]
    fn the_background_comes_from_the_terminal_or_the_environment() {
        let found = |bytes: &[u8], pairs: &[(&str, &str)]| {
            let (found, _, asked) = ask(bytes, &env(pairs), &mut Parser::default());
            (
                found.background,
                asked.windows(QUESTION.len()).any(|w| w == QUESTION),
            )
        };
        let (dark, light) = (Some(Background::Dark), Some(Background::Light));
        let xterm = ("TERM", "xterm");
        assert_eq!(
            found(b"\x1b]11;rgb:ffff/ffff/dddd\x1b\\\x1b[?62c", &[xterm]),
            (light, true)
        );
        assert_eq!(
            found(
                b"\x1b]11;rgb:00/11/22\x07\x1b[?62c",
                &[xterm, ("COLORFGBG", "0;15")]
            ),
            (dark, true)
        );
        assert_eq!(
            found(b"\x1b[?62c", &[xterm, ("COLORFGBG", "0;15")]),
            (light, true)
        );
        assert_eq!(
            found(b"\x1b]11;pink\x1b\\\x1b[?62c", &[xterm]),
            (None, true)
        );
        assert_eq!(found(b"\x1b[?62c", &[("TERM", "linux")]), (dark, false));
    }

    #[test]
    fn an_xterm_with_sixel() {
        let bytes = b"\x1bP>|XTerm(379)\x1b\\\x1b[?63;1;2;4;6c";
        let (found, _, _) = ask(bytes, &Env::new(), &mut Parser::default());
        assert!(found.sixel && !found.kitty && found.cell.is_none());
    }

    #[test]
    fn tmux_gets_no_kitty_query() {
        let (found, _, asked) = ask(
            b"\x1b[?1;2;4c",
            &env(&[("TMUX", "/tmp/x,1,0")]),
            &mut Parser::default(),
        );
        assert!(!asked.windows(2).any(|w| w == b"_G"));
        assert!(found.tmux && found.answers && !found.sixel);
    }

    #[test]
    fn a_silent_terminal_times_out_and_its_late_reply_is_no_key() {
        let mut parser = Parser::default();
        let (found, keys, _) = ask(b"j\x1b_Gi=3", &Env::new(), &mut parser);
        assert!(!found.answers && !found.kitty);
        assert_eq!(typed(&keys), "j");
        let late = parser.push(b"1;OK\x1b\\\x1b[?62c", WAIT_MS + 1);
        assert!(
            late.iter().all(|i| matches!(i, Input::Reply(_))),
            "{late:?}"
        );
    }

    #[test]
    fn a_dead_line_is_an_error() {
        let (end, line) = pipe().unwrap();
        drop(line);
        assert!(
            probe(
                &end,
                &mut Vec::new(),
                &mut Parser::default(),
                &Env::new(),
                Clock::start()
            )
            .is_err()
        );
    }

    #[test]
    fn the_cell_size_comes_from_the_best_source() {
        let size = WindowSize {
            cells: (80, 24),
            pixels: (640, 384),
        };
        let none = WindowSize {
            cells: (80, 24),
            pixels: (0, 0),
        };
        let cell = |replies: &[Reply], size| judge(replies, &Env::new(), size).cell;
        assert_eq!(
            cell(
                &[Reply::CellPixels(20, 10), Reply::TextAreaPixels(480, 800)],
                size
            ),
            Some((10, 20))
        );
        assert_eq!(
            cell(&[Reply::TextAreaPixels(480, 800)], size),
            Some((8, 16))
        );
        assert_eq!(
            cell(&[Reply::TextAreaPixels(480, 800)], none),
            Some((10, 20))
        );
        assert_eq!(cell(&[Reply::CellPixels(0, 0)], none), None);
        assert_eq!(cell(&[], WindowSize::default()), None);
    }

    #[test]
    fn iterm_is_detected_from_its_environment() {
        let found = |pairs: &[(&str, &str)]| judge(&[], &env(pairs), WindowSize::default()).iterm;
        assert!(found(&[("LC_TERMINAL", "iTerm2")]));
        assert!(found(&[("TERM_PROGRAM", "WezTerm")]));
        assert!(!found(&[("TERM_PROGRAM", "Apple_Terminal")]));
        assert!(!found(&[("LC_TERMINAL", "iTerm2"), ("TMUX", "x")]));
    }
}
