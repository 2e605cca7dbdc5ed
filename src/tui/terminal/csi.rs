//! Parses escape sequences (CSI, SS3, and control strings) into keys or replies.

use crossterm::event::{KeyCode, KeyModifiers};

use super::background;
use super::input::{Input, Reply, Step, key};
use super::mouse;

/// Parses `ESC [ ...`, starting at ESC.
pub(super) fn csi(bytes: &[u8]) -> Step {
    let body = &bytes[2..];
    match body.first() {
        // Linux console function keys: ESC [ [ A.
        Some(b'[') => {
            return match body.get(1) {
                None => Step::More,
                Some(c @ b'A'..=b'E') => {
                    Step::Done(4, Some(key(KeyCode::F(c - b'A' + 1), KeyModifiers::NONE)))
                }
                Some(0x20..=0x7e) => Step::Done(4, None),
                Some(_) => Step::Done(3, None),
            };
        }
        // X10 mouse: three more bytes, whatever they are.
        Some(b'M') => {
            return if body.len() < 4 {
                Step::More
            } else {
                Step::Done(6, None)
            };
        }
        _ => {}
    }
    for (i, byte) in body.iter().enumerate() {
        match byte {
            0x20..=0x3f => {}
            0x40..=0x7e => return finish(&body[..i], *byte, i + 3),
            // Another sequence starts here; the previous one was cut off.
            _ => return Step::Done(i + 2, None),
        }
    }
    Step::More
}

/// Parses `ESC O ...`, starting at ESC.
pub(super) fn ss3(bytes: &[u8]) -> Step {
    let body = &bytes[2..];
    for (i, byte) in body.iter().enumerate() {
        match byte {
            b'0'..=b'9' | b';' => {}
            0x40..=0x7e => {
                let numbers = numbers(&body[..i]);
                let with = modifiers(numbers.last().copied().unwrap_or(1));
                let code = match byte {
                    b'M' => Some(KeyCode::Enter),
                    b'j'..=b'y' => Some(KeyCode::Char(char::from(byte - b'j' + b'*'))),
                    _ => letter(*byte),
                };
                return Step::Done(i + 3, code.map(|code| key(code, with)));
            }
            _ => return Step::Done(i + 2, None),
        }
    }
    Step::More
}

/// Parses a control string (APC `_`, DCS `P`, OSC `]`) up to its ST. BEL also ends an OSC.
pub(super) fn string(bytes: &[u8], kind: u8) -> Step {
    let body = &bytes[2..];
    for (i, byte) in body.iter().enumerate() {
        match byte {
            0x07 if kind == b']' => {
                return Step::Done(i + 3, Some(Input::Reply(answer(&body[..i], kind))));
            }
            0x1b => {
                return match body.get(i + 1) {
                    None => Step::More,
                    Some(b'\\') => Step::Done(i + 4, Some(Input::Reply(answer(&body[..i], kind)))),
                    // Cut off by another sequence.
                    Some(_) => Step::Done(i + 2, None),
                };
            }
            _ => {}
        }
    }
    Step::More
}

fn answer(body: &[u8], kind: u8) -> Reply {
    let text = String::from_utf8_lossy(body);
    if kind == b'P'
        && let Some(version) = text.strip_prefix(">|")
    {
        return Reply::Version(version.to_string());
    }
    if kind == b']'
        && let Some(color) = text.strip_prefix("11;").and_then(background::color)
    {
        return Reply::Background(color);
    }
    if kind == b'_'
        && let Some(rest) = text.strip_prefix('G')
        && let Some((control, message)) = rest.split_once(';')
    {
        let id = control
            .split(',')
            .find_map(|pair| pair.strip_prefix("i="))
            .and_then(|id| id.parse().ok());
        return Reply::Kitty {
            id: id.unwrap_or(0),
            ok: message == "OK",
            message: message.to_string(),
        };
    }
    Reply::Other
}

/// Interprets a sequence of `n` bytes that ends in `last`, with `params` after the introducer.
fn finish(params: &[u8], last: u8, n: usize) -> Step {
    let done = |input| Step::Done(n, input);
    let reply = |reply| Step::Done(n, Some(Input::Reply(reply)));
    if let Some(private @ (b'?' | b'>' | b'<' | b'=')) = params.first() {
        let values = numbers(&params[1..]);
        return match (private, last) {
            (b'?', b'c') => reply(Reply::DeviceAttributes(values)),
            (b'?', b'y') if params.ends_with(b"$") => reply(Reply::Mode {
                mode: at(&values, 0),
                state: at(&values, 1),
            }),
            (b'<', last) => done(mouse::of(&values, last).map(Input::Mouse)),
            _ => reply(Reply::Other),
        };
    }
    let values = numbers(params);
    let with = modifiers(values.get(1).copied().unwrap_or(1));
    match last {
        b'I' => done(Some(Input::Focus(true))),
        b'O' => done(Some(Input::Focus(false))),
        b'Z' => done(Some(key(KeyCode::BackTab, KeyModifiers::SHIFT))),
        b'R' if values.len() == 2 => reply(Reply::CursorPosition(values[0], values[1])),
        b'n' => reply(if values == [0] {
            Reply::Status
        } else {
            Reply::Other
        }),
        b't' => match values.as_slice() {
            [6, height, width] => reply(Reply::CellPixels(*height, *width)),
            [4, height, width] => reply(Reply::TextAreaPixels(*height, *width)),
            _ => reply(Reply::Other),
        },
        b'u' => done(character(at(&values, 0), with)),
        b'~' => match at(&values, 0) {
            200 => Step::Paste(n),
            27 => done(character(at(&values, 2), with)),
            number => done(tilde(number).map(|code| key(code, with))),
        },
        // urxvt mouse.
        b'M' | b'm' => done(None),
        _ => done(letter(last).map(|code| key(code, with))),
    }
}

fn letter(last: u8) -> Option<KeyCode> {
    Some(match last {
        b'A' => KeyCode::Up,
        b'B' => KeyCode::Down,
        b'C' => KeyCode::Right,
        b'D' => KeyCode::Left,
        b'H' => KeyCode::Home,
        b'F' => KeyCode::End,
        b'P'..=b'S' => KeyCode::F(last - b'P' + 1),
        _ => return None,
    })
}

fn tilde(number: u16) -> Option<KeyCode> {
    Some(match number {
        1 | 7 => KeyCode::Home,
        2 => KeyCode::Insert,
        3 => KeyCode::Delete,
        4 | 8 => KeyCode::End,
        5 => KeyCode::PageUp,
        6 => KeyCode::PageDown,
        11..=15 => function(number - 10),
        17..=21 => function(number - 11),
        23..=26 => function(number - 12),
        _ => return None,
    })
}

fn function(number: u16) -> KeyCode {
    KeyCode::F(u8::try_from(number).unwrap_or(0))
}

/// A key given by its code point (CSI u, modifyOtherKeys).
fn character(code: u16, with: KeyModifiers) -> Option<Input> {
    let code = match code {
        13 => KeyCode::Enter,
        9 if with.contains(KeyModifiers::SHIFT) => KeyCode::BackTab,
        9 => KeyCode::Tab,
        27 => KeyCode::Esc,
        8 | 127 => KeyCode::Backspace,
        code => {
            let mut c = char::from_u32(u32::from(code)).filter(|c| !c.is_control())?;
            if with.contains(KeyModifiers::SHIFT) {
                c = c.to_uppercase().next().unwrap_or(c);
            }
            KeyCode::Char(c)
        }
    };
    let with = if matches!(code, KeyCode::Char(_)) {
        with - KeyModifiers::SHIFT
    } else {
        with
    };
    Some(key(code, with))
}

/// xterm's modifier parameter: 1 + SHIFT 1, ALT 2, CONTROL 4.
fn modifiers(parameter: u16) -> KeyModifiers {
    let bits = parameter.saturating_sub(1);
    [
        (1, KeyModifiers::SHIFT),
        (2, KeyModifiers::ALT),
        (4, KeyModifiers::CONTROL),
    ]
    .into_iter()
    .filter(|(bit, _)| bits & bit != 0)
    .fold(KeyModifiers::NONE, |all, (_, one)| all | one)
}

/// Numeric parameters. Non-numbers are 0, and sub-parameters after `:` are dropped.
fn numbers(params: &[u8]) -> Vec<u16> {
    let text = String::from_utf8_lossy(params);
    if text.is_empty() {
        return Vec::new();
    }
    text.split(';')
        .map(|part| {
            part.split(':')
                .next()
                .unwrap_or("")
                .trim_end_matches('$')
                .parse()
                .unwrap_or(0)
        })
        .collect()
}

fn at(values: &[u16], index: usize) -> u16 {
    values.get(index).copied().unwrap_or(0)
}
