//! From the bytes a terminal sends to keys, pastes and replies.
//!
//! One push parser reads both, because both come down one line: a reply that arrives late is still a reply and never a
//! row of letter keys, and a key typed while a reply is on its way is still a key. The parser does no I/O and is told
//! the time, in milliseconds of any monotonic clock.
//!
//! A lone ESC is ambiguous. It is held for [`Parser::guard`] milliseconds; what follows within that time joins it. An
//! unfinished sequence is held longer ([`LONG_MS`]) and then dropped: half an arrow key must never become a letter that
//! judges an item.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::csi;
use crate::palette::Rgb;

/// How long an unfinished escape sequence is waited for after its last byte, in milliseconds.
pub const LONG_MS: u64 = 500;
/// How long a key is held back that may begin the tail of a sequence whose ESC has just been delivered, in milliseconds.
const HOLD_MS: u64 = 150;
/// How long a control string may take in all, in milliseconds: no person types one, and a reply torn in two by a slow
/// line may come far apart.
const STRING_MS: u64 = 2_000;
/// How long the end of a paste is waited for after its last byte, in milliseconds.
const PASTE_MS: u64 = 10_000;
/// Longest sequence kept; a longer one is read to its end and dropped.
const MAX_SEQUENCE: usize = 64 * 1024;
/// Longest paste kept, in bytes; the rest is read and dropped.
const MAX_PASTE: usize = 1024 * 1024;
/// How a terminal ends a bracketed paste.
const PASTE_END: &[u8] = b"\x1b[201~";

/// Something the terminal sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// A key. Letters carry no SHIFT; control keys are lower-case letters with CONTROL.
    Key(KeyEvent),
    /// A bracketed paste, line ends as `\n`.
    Paste(String),
    /// An answer to a question of ours.
    Reply(Reply),
    /// The terminal window gained (true) or lost the focus.
    Focus(bool),
}

/// An answer of the terminal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// `ESC [ 0 n`: everything written before the question has been worked off.
    Status,
    /// Primary device attributes; 4 means sixel.
    DeviceAttributes(Vec<u16>),
    /// XTVERSION: name and version.
    Version(String),
    /// A kitty graphics answer.
    Kitty {
        /// Image id it is about; 0 when none was named.
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
    /// The colour of the background (OSC 11).
    Background(Rgb),
    /// Row and column of the cursor, from 1.
    CursorPosition(u16, u16),
    /// DECRPM: a private mode and its state (0 unknown, 1 set, 2 reset, 3 and 4 for good).
    Mode {
        /// The mode asked about.
        mode: u16,
        /// Its state.
        state: u16,
    },
    /// A sequence that is no key and none of the above.
    Other,
}

/// The push parser. See the module's words.
#[derive(Debug)]
pub struct Parser {
    pending: Vec<u8>,
    paste: Option<Vec<u8>>,
    /// The pending sequence was too long, or is a tail that came too late: read it to its end, deliver nothing.
    discard: bool,
    first: u64,
    last: u64,
    guard: u64,
    /// When a lone ESC was delivered; a tail that comes soon after it is not keys.
    escaped: Option<u64>,
    /// The first byte of what may be such a tail, and when it came.
    held: Option<(u8, u64)>,
}

impl Default for Parser {
    fn default() -> Self {
        Parser::new(40)
    }
}

/// What the front of the pending bytes is.
pub(super) enum Step {
    /// So many bytes, and what they mean (nothing: swallowed).
    Done(usize, Option<Input>),
    /// The start of a bracketed paste, so many bytes.
    Paste(usize),
    /// Not complete yet.
    More,
}

impl Parser {
    /// A parser that holds a lone ESC for `guard` milliseconds.
    pub fn new(guard: u64) -> Self {
        Parser {
            pending: Vec::new(),
            paste: None,
            discard: false,
            first: 0,
            last: 0,
            guard,
            escaped: None,
            held: None,
        }
    }

    /// How long a lone ESC is held, in milliseconds.
    pub fn guard(&self) -> u64 {
        self.guard
    }

    /// Takes bytes that arrived at `now` (milliseconds) and gives what they complete, in order.
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
        }
        self.last = now;
        self.pending.extend_from_slice(bytes);
        self.drain(now, &mut out);
        out
    }

    /// A sequence cut after its ESC and held up longer than the guard: its tail comes at once, as no person types it, or
    /// is cut again after its first byte, which is held back until it is clear what it is. Gives whether it is held.
    fn late_tail(&mut self, bytes: &[u8], now: u64) -> bool {
        let held = self.held.take();
        if self
            .escaped
            .is_none_or(|at| now.saturating_sub(at) >= LONG_MS)
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
        // The key, if it was one, comes before those that show it.
        self.pending.extend(held.map(|(byte, _)| byte));
        false
    }

    /// When [`timeout`](Self::timeout) will have something to do; `None` while nothing is held back.
    pub fn deadline(&self) -> Option<u64> {
        if self.paste.is_some() {
            return Some(self.last + PASTE_MS);
        }
        match self.pending.as_slice() {
            [] => self.held.map(|(_, at)| at + HOLD_MS),
            [0x1b] => Some(self.last + self.guard),
            [0x1b, b'_' | b'P' | b']', ..] => Some(self.first + STRING_MS),
            _ => Some(self.last + LONG_MS),
        }
    }

    /// Gives up on what has been held back too long at `now`: a lone ESC becomes the key, anything else is dropped, an
    /// unfinished paste is delivered as far as it came.
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
            // Keep what says which kind it is, and the last byte: it may be half of its end.
            let tail = self.pending.last().copied();
            self.pending.truncate(2);
            self.pending.extend(tail);
            self.discard = true;
        }
    }
}

/// Whether these are what follows an ESC: of a key, or of an answer to one of our questions (its version, kitty
/// graphics, a colour), whose letters must not become verdicts.
fn is_tail(bytes: &[u8]) -> bool {
    matches!(
        bytes,
        [b'[' | b'O', _, ..] | [b'P', b'>', ..] | [b'_', b'G', ..] | [b']', b'0'..=b'9', ..]
    )
}

/// Whether what follows an ESC may begin so.
fn begins_tail(byte: u8) -> bool {
    matches!(byte, b'[' | b'O' | b'P' | b'_' | b']')
}

/// How many bytes at the end may be the beginning of the end of the paste.
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

/// Reads the first thing in `bytes`, which is not empty.
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
        // The end of a string whose beginning is gone.
        Some(b'\\') => Step::Done(2, None),
        // Two ESC: the first was the key.
        Some(0x1b) => Step::Done(1, Some(key(KeyCode::Esc, KeyModifiers::NONE))),
        Some(_) => match plain(rest, KeyModifiers::ALT) {
            Step::Done(n, input) => Step::Done(n + 1, input),
            other => other,
        },
    }
}

/// A key that is no escape sequence: a control byte or a UTF-8 character.
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
