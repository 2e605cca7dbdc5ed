//! Parses the bytes that a terminal sends into keys, pastes, and replies.
//!
//! One push parser reads both keys and replies, because both arrive on the same line: a late reply
//! is still a reply and never a row of letter keys, and a key typed during a reply is still a key.
//! The parser does no I/O. Times are milliseconds of any monotonic clock.
//!
//! A lone ESC is ambiguous. It is held for [`Parser::guard`] milliseconds, and bytes within that
//! time join it. An unfinished sequence is held longer ([`LONG_MS`]) and then dropped: half an
//! arrow key must never become a letter that judges an item.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::csi;
use super::mouse::Mouse;
use crate::palette::Rgb;

/// How long to wait for the rest of an escape sequence after its last byte, in milliseconds.
pub const LONG_MS: u64 = 500;
/// How long to hold back a key that may be the tail of a sequence whose ESC was just delivered, in
/// milliseconds.
const HOLD_MS: u64 = 150;
/// Maximum duration of a control string, in milliseconds. Nobody types one, and a slow line may
/// split a reply far apart.
const STRING_MS: u64 = 2_000;
/// How long to wait for the rest of a mouse report, in milliseconds. Its digits are keys of tabs.
const MOUSE_MS: u64 = 10_000;
/// How long to wait for the end of a paste after its last byte, in milliseconds.
const PASTE_MS: u64 = 10_000;
/// Longest sequence kept. A longer one is read to its end and dropped.
const MAX_SEQUENCE: usize = 64 * 1024;
/// Longest paste kept, in bytes. The rest is read and dropped.
const MAX_PASTE: usize = 1024 * 1024;
/// The end of a bracketed paste.
const PASTE_END: &[u8] = b"\x1b[201~";

/// Input from the terminal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// A key. Letters carry no SHIFT; control keys are lower-case letters with CONTROL.
    Key(KeyEvent),
    /// A bracketed paste, with line ends as `\n`.
    Paste(String),
    /// A mouse report.
    Mouse(Mouse),
    /// A reply to a query.
    Reply(Reply),
    /// The terminal window gained (true) or lost focus.
    Focus(bool),
}

/// A reply of the terminal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// `ESC [ 0 n`: everything written before the query was processed.
    Status,
    /// Primary device attributes; 4 means sixel.
    DeviceAttributes(Vec<u16>),
    /// XTVERSION: name and version.
    Version(String),
    /// A kitty graphics reply.
    Kitty {
        /// The image id, or 0 if there is none.
        id: u32,
        /// Whether it says `OK`.
        ok: bool,
        /// The text after the `;`.
        message: String,
    },
    /// Height and width of a cell in pixels.
    CellPixels(u16, u16),
    /// Height and width of the text area in pixels.
    TextAreaPixels(u16, u16),
    /// The background color (OSC 11).
    Background(Rgb),
    /// Row and column of the cursor, from 1.
    CursorPosition(u16, u16),
    /// DECRPM: a private mode and its state (0 unknown, 1 set, 2 reset, 3 and 4 permanent).
    Mode { mode: u16, state: u16 },
    /// Any other sequence that is not a key.
    Other,
}

/// The push parser. See the module documentation.
#[derive(Debug)]
pub struct Parser {
    pending: Vec<u8>,
    paste: Option<Vec<u8>>,
    /// Read the pending sequence to its end and drop it: it was too long, or is a tail that came
    /// too late.
    discard: bool,
    first: u64,
    last: u64,
    guard: u64,
    /// When a lone ESC was delivered. A tail right after it is not keys.
    escaped: Option<u64>,
    /// When `ESC [` was dropped. The rest of a mouse report may follow.
    cut: Option<u64>,
    /// The first byte of a possible tail, and when it arrived.
    held: Option<(u8, u64)>,
}

impl Default for Parser {
    fn default() -> Self {
        Parser::new(40)
    }
}

/// What the pending bytes start with.
pub(super) enum Step {
    /// The number of bytes, and their meaning. `None` drops them.
    Done(usize, Option<Input>),
    /// The number of bytes that start a bracketed paste.
    Paste(usize),
    /// Incomplete.
    More,
}

impl Parser {
    /// Creates a parser that holds a lone ESC for `guard` milliseconds.
    pub fn new(guard: u64) -> Self {
        Parser {
            pending: Vec::new(),
            paste: None,
            discard: false,
            first: 0,
            last: 0,
            guard,
            escaped: None,
            cut: None,
            held: None,
        }
    }

    /// How long a lone ESC is held, in milliseconds.
    pub fn guard(&self) -> u64 {
        self.guard
    }

    /// Takes bytes that arrived at `now` (milliseconds) and returns the inputs they complete, in
    /// order.
    pub fn push(&mut self, bytes: &[u8], now: u64) -> Vec<Input> {
        let mut out = self.timeout(now);
        if bytes.is_empty() {
            return out;
        }
        if self.pending.is_empty() {
            self.first = now;
            if self.late_tail(bytes, now) {
                return out;
            }
            let cut = self.cut.take();
            if cut.is_some_and(|at| now.saturating_sub(at) < MOUSE_MS) && is_report(bytes) {
                self.pending.extend(b"\x1b[");
                self.discard = true;
            }
        }
        self.last = now;
        self.pending.extend_from_slice(bytes);
        self.drain(now, &mut out);
        out
    }

    /// Handles a sequence that was split after its ESC and delayed beyond the guard. Its tail
    /// arrives at once, as nobody types it, or is split again after its first byte, which is held
    /// back until it is clear what it is. Returns whether it is held.
    fn late_tail(&mut self, bytes: &[u8], now: u64) -> bool {
        let held = self.held.take();
        let window = match bytes.strip_prefix(b"[") {
            Some(rest) if is_report(rest) => MOUSE_MS,
            _ => LONG_MS,
        };
        if self
            .escaped
            .is_none_or(|at| now.saturating_sub(at) >= window)
            && held.is_none()
        {
            self.escaped = None;
            return false;
        }
        let tail: Vec<u8> = held
            .map(|(byte, _)| byte)
            .into_iter()
            .chain(bytes.iter().copied())
            .collect();
        match &tail[..] {
            tail if is_tail(tail) => {
                self.pending.push(0x1b);
                self.discard = true;
            }
            [first] if begins_tail(*first) => {
                self.held = Some((*first, now));
                return true;
            }
            _ => {}
        }
        self.escaped = None;
        // The held key, if it was one, precedes the keys that show it.
        self.pending.extend(held.map(|(byte, _)| byte));
        false
    }

    /// When [`timeout`](Self::timeout) has something to do. `None` while nothing is held back.
    pub fn deadline(&self) -> Option<u64> {
        if self.paste.is_some() {
            return Some(self.last + PASTE_MS);
        }
        match self.pending.as_slice() {
            [] => self.held.map(|(_, at)| at + HOLD_MS),
            [0x1b] => Some(self.last + self.guard),
            [0x1b, b'_' | b'P' | b']', ..] => Some(self.first + STRING_MS),
            [0x1b, b'[', b'<', ..] => Some(self.last + MOUSE_MS),
            _ => Some(self.last + LONG_MS),
        }
    }

    /// Resolves what was held back too long at `now`: a lone ESC becomes a key, an unfinished paste
    /// is delivered as is, anything else is dropped.
    pub fn timeout(&mut self, now: u64) -> Vec<Input> {
        let mut out = Vec::new();
        if self.deadline().is_none_or(|at| now < at) {
            return out;
        }
        if let Some((byte, _)) = self.held.take() {
            self.escaped = None;
            out.push(key(KeyCode::Char(char::from(byte)), KeyModifiers::NONE));
        }
        let lone = self.pending == [0x1b];
        self.cut = (self.pending == b"\x1b[").then_some(now);
        self.pending.clear();
        if let Some(text) = self.paste.take() {
            out.push(paste(&text));
        } else if lone && !self.discard {
            self.escaped = Some(now);
            out.push(key(KeyCode::Esc, KeyModifiers::NONE));
        }
        self.discard = false;
        out
    }

    fn drain(&mut self, now: u64, out: &mut Vec<Input>) {
        let bytes = std::mem::take(&mut self.pending);
        let mut at = 0;
        while at < bytes.len() {
            if let Some(text) = &mut self.paste {
                let rest = &bytes[at..];
                let (taken, end) = match memchr::memmem::find(rest, PASTE_END) {
                    Some(found) => (found, PASTE_END.len()),
                    None => (rest.len() - held_tail(rest), 0),
                };
                let room = MAX_PASTE.saturating_sub(text.len());
                text.extend_from_slice(&rest[..taken.min(room)]);
                at += taken + end;
                if end > 0 {
                    out.push(paste(text));
                    self.paste = None;
                    continue;
                }
                break;
            }
            match step(&bytes[at..]) {
                Step::Done(n, input) => {
                    at += n;
                    if !std::mem::take(&mut self.discard) {
                        out.extend(input);
                    }
                    self.first = now;
                }
                Step::Paste(n) => {
                    at += n;
                    self.discard = false;
                    self.paste = Some(Vec::new());
                }
                Step::More => break,
            }
        }
        self.pending.extend_from_slice(&bytes[at..]);
        if self.paste.is_none() && self.pending.len() > MAX_SEQUENCE {
            // Keep the introducer and the last byte, which may be half of the terminator.
            let tail = self.pending.last().copied();
            self.pending.truncate(2);
            self.pending.extend(tail);
            self.discard = true;
        }
    }
}

/// Whether these bytes follow an ESC in a key or in a reply (version, kitty graphics, color). Their
/// letters must not become verdicts.
fn is_tail(bytes: &[u8]) -> bool {
    matches!(
        bytes,
        [b'[' | b'O', _, ..] | [b'P', b'>', ..] | [b'_', b'G', ..] | [b']', b'0'..=b'9', ..]
    )
}

/// Whether these bytes follow `ESC [` in a mouse report.
fn is_report(bytes: &[u8]) -> bool {
    matches!(bytes, [b'<'] | [b'<', b'0'..=b'9', ..])
}

/// Whether a tail after ESC can start with this byte.
fn begins_tail(byte: u8) -> bool {
    matches!(byte, b'[' | b'O' | b'P' | b'_' | b']')
}

/// The number of bytes at the end that may start the end marker of the paste.
fn held_tail(bytes: &[u8]) -> usize {
    (1..PASTE_END.len())
        .rev()
        .find(|n| bytes.ends_with(&PASTE_END[..*n]))
        .unwrap_or(0)
}

fn paste(bytes: &[u8]) -> Input {
    Input::Paste(
        String::from_utf8_lossy(bytes)
            .replace("\r\n", "\n")
            .replace('\r', "\n"),
    )
}

pub(super) fn key(code: KeyCode, modifiers: KeyModifiers) -> Input {
    Input::Key(KeyEvent::new(code, modifiers))
}

/// Parses the first element of `bytes`, which is not empty.
fn step(bytes: &[u8]) -> Step {
    let Some((&first, rest)) = bytes.split_first() else {
        return Step::More;
    };
    if first != 0x1b {
        return plain(bytes, KeyModifiers::NONE);
    }
    match rest.first() {
        None => Step::More,
        Some(b'[') => csi::csi(bytes),
        Some(b'O') => csi::ss3(bytes),
        Some(kind @ (b'_' | b'P' | b']')) => csi::string(bytes, *kind),
        // The end of a string whose start is gone.
        Some(b'\\') => Step::Done(2, None),
        // Two ESC: the first was the key.
        Some(0x1b) => Step::Done(1, Some(key(KeyCode::Esc, KeyModifiers::NONE))),
        Some(_) => match plain(rest, KeyModifiers::ALT) {
            Step::Done(n, input) => Step::Done(n + 1, input),
            other => other,
        },
    }
}

/// A key that is not an escape sequence: a control byte or a UTF-8 character.
fn plain(bytes: &[u8], with: KeyModifiers) -> Step {
    let Some(&first) = bytes.first() else {
        return Step::More;
    };
    let one = |code, modifiers| Step::Done(1, Some(key(code, modifiers | with)));
    let control = KeyModifiers::CONTROL;
    match first {
        b'\r' => one(KeyCode::Enter, KeyModifiers::NONE),
        b'\t' => one(KeyCode::Tab, KeyModifiers::NONE),
        0x7f | 0x08 => one(KeyCode::Backspace, KeyModifiers::NONE),
        0 => one(KeyCode::Char(' '), control),
        1..=0x1a => one(KeyCode::Char(char::from(first - 1 + b'a')), control),
        0x1c..=0x1f => one(KeyCode::Char(char::from(first - 0x1c + b'4')), control),
        0x20..=0x7e => one(KeyCode::Char(char::from(first)), KeyModifiers::NONE),
        _ => {
            let length = match first {
                0xc2..=0xdf => 2,
                0xe0..=0xef => 3,
                0xf0..=0xf4 => 4,
                _ => return Step::Done(1, None),
            };
            let whole = bytes.get(..length).unwrap_or(bytes);
            match std::str::from_utf8(whole) {
                Ok(text) => Step::Done(
                    length,
                    text.chars().next().map(|c| key(KeyCode::Char(c), with)),
                ),
                Err(bad) if bad.error_len().is_none() && whole.len() < length => Step::More,
                Err(bad) => Step::Done(bad.error_len().unwrap_or(1).max(1), None),
            }
        }
    }
}

#[cfg(test)]
#[path = "input_tests.rs"]
mod tests;
