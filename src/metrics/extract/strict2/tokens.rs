//! Splits a text into words, marks, line ends, and ends of boxes.

use super::fold_characters::{fold, script};
use super::latex::{BOXES, FRACTIONS, MARKUP, bare, fraction, symbol};

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Word,
    Mark,
    Line,
    Opens,
    Closes,
}

#[derive(Clone, Debug)]
pub(super) struct Token {
    pub(super) kind: Kind,
    from: usize,
    to: usize,
    /// The original character, for a token of one character.
    pub(super) raw: Option<char>,
    /// Whether it follows a space.
    pub(super) blank: bool,
    /// Whether emphasis or quotes enclose it.
    pub(super) marked: bool,
    pub(super) script: u8,
}

/// A text's tokens, with words in lowercase.
#[derive(Default)]
pub(super) struct Text {
    lower: String,
    pub(super) tokens: Vec<Token>,
    /// The languages that it may be in, as bits; `None` for all.
    pub(super) languages: Option<u64>,
    blank: bool,
    mark: Option<usize>,
}

const ANSWER_TAGS: [&str; 10] = [
    "answer",
    "ans",
    "finalanswer",
    "choice",
    "option",
    "beginofbox",
    "endofbox",
    "correctanswer",
    "selectedanswer",
    "response",
];
/// Tags that separate lines.
pub(super) const BREAKS: [&str; 6] = ["br", "p", "div", "li", "tr", "hr"];

impl Text {
    pub(super) fn new(text: &str) -> Text {
        let mut chars = Vec::with_capacity(text.len());
        text.chars().for_each(|c| fold(c, &mut chars));
        let chars = bare(chars);
        let mut made = Text {
            blank: true,
            ..Text::default()
        };
        let (mut at, mut braces) = (0, Vec::new());
        while at < chars.len() {
            at = made.read_token(&chars, at, &mut braces);
        }
        while made
            .tokens
            .last()
            .is_some_and(|token| token.kind == Kind::Line)
        {
            made.tokens.pop();
        }
        made
    }

    /// The word of a token.
    pub(super) fn word(&self, token: &Token) -> &str {
        self.lower.get(token.from..token.to).unwrap_or_default()
    }

    /// The word at an index; empty beyond the end.
    pub(super) fn at(&self, at: usize) -> &str {
        self.tokens.get(at).map_or("", |token| self.word(token))
    }

    /// The text from a token on, in lowercase.
    pub(super) fn from(&self, at: usize) -> String {
        let mut text = String::new();
        for token in &self.tokens[at..] {
            if token.blank {
                text.push(' ');
            }
            text.push_str(self.word(token));
        }
        text
    }

    /// Whether a token follows the previous one without a space.
    pub(super) fn is_joined(&self, at: usize) -> bool {
        let is_near = |token: &Token| matches!(token.kind, Kind::Word | Kind::Mark);
        at > 0
            && self.tokens.get(at).is_some_and(|t| !t.blank)
            && self.tokens.get(at - 1).is_some_and(is_near)
    }

    fn put(&mut self, kind: Kind, word: &[char], script: u8) {
        let from = self.lower.len();
        match kind {
            Kind::Word => self
                .lower
                .extend(word.iter().flat_map(|c| c.to_lowercase())),
            _ => self.lower.extend(word),
        }
        let raw = if let [one] = word { Some(*one) } else { None };
        let marked = kind == Kind::Word && self.mark == Some(self.tokens.len()) && !self.blank;
        self.tokens.push(Token {
            kind,
            from,
            to: self.lower.len(),
            raw,
            blank: self.blank,
            marked,
            script,
        });
        self.blank = false;
    }

    fn line(&mut self) {
        if self
            .tokens
            .last()
            .is_some_and(|token| token.kind != Kind::Line)
        {
            self.blank = true;
            self.put(Kind::Line, &['\n'], 0);
        }
        self.blank = true;
    }

    /// Reads one token at `at`. Returns where the next begins.
    fn read_token(&mut self, chars: &[char], at: usize, braces: &mut Vec<Option<bool>>) -> usize {
        let next = chars.get(at + 1).copied();
        match chars[at] {
            '\n' => self.line(),
            c if c <= ' ' => self.blank = true,
            '|' => self.blank = true,
            // Emphasis and quotes mark the word that they enclose.
            '*' | '"' => self.mark = Some(self.tokens.len()),
            '\\' => return self.command(chars, at, braces),
            '<' => return self.tag(chars, at),
            '[' if next == Some('[') => {
                self.put(Kind::Opens, &['['], 0);
                return at + 2;
            }
            ']' if next == Some(']') => {
                self.put(Kind::Closes, &[']'], 0);
                return at + 2;
            }
            '{' => {
                braces.push(Some(false));
                self.put(Kind::Mark, &['{'], 0);
            }
            '}' => match braces.pop().unwrap_or(Some(false)) {
                Some(true) => self.put(Kind::Closes, &['}'], 0),
                Some(false) => self.put(Kind::Mark, &['}'], 0),
                // A closing brace of a command that only changes the appearance.
                None => {}
            },
            _ => return self.plain(chars, at),
        }
        at + 1
    }

    fn command(&mut self, chars: &[char], at: usize, braces: &mut Vec<Option<bool>>) -> usize {
        let letters = chars[at + 1..]
            .iter()
            .take(23)
            .take_while(|c| c.is_ascii_alphabetic())
            .count();
        let mut end = at + 1 + letters;
        let command: String = chars[at + 1..end].iter().collect();
        let command = command.as_str();
        if BOXES.contains(&command) {
            while chars.get(end) == Some(&' ') {
                end += 1;
            }
            if chars.get(end) == Some(&'{') {
                self.put(Kind::Opens, &['{'], 0);
                braces.push(Some(true));
                end += 1;
            }
        } else if MARKUP.contains(&command) {
            if chars.get(end) == Some(&'{') {
                braces.push(None);
                end += 1;
            }
        } else if let Some(sign) = symbol(command) {
            // "60^\circ" is 60°.
            while command == "circ"
                && self
                    .tokens
                    .last()
                    .is_some_and(|t| t.kind == Kind::Mark && matches!(t.raw, Some('^' | '{')))
            {
                self.tokens.pop();
            }
            let of = script(sign);
            self.put(if of == 0 { Kind::Mark } else { Kind::Word }, &[sign], of);
        } else if let Some((stop, word)) =
            fraction(chars, end).filter(|_| FRACTIONS.contains(&command))
        {
            self.put(Kind::Word, &word, 1);
            end = stop;
        } else if !command.is_empty() {
            self.put(Kind::Word, &chars[at + 1..end], 1);
        }
        end
    }

    fn tag(&mut self, chars: &[char], at: usize) -> usize {
        let mut end = at + 1;
        while end < chars.len() && end - at < 32 && !matches!(chars[end], '<' | '>' | '\n' | ' ') {
            end += 1;
        }
        let body: String = chars[at + 1..end].iter().collect();
        let mut is_closed = matches!(chars.get(end), Some('>' | ' '));
        if chars.get(end) == Some(&' ') {
            // Skips attributes if there are only a few.
            let rest = &chars[end..chars.len().min(end + 60)];
            let (stop, line) = (
                rest.iter().position(|c| *c == '>'),
                rest.iter().position(|c| *c == '\n'),
            );
            is_closed = stop.is_some_and(|stop| line.is_none_or(|line| line > stop));
            end += stop.filter(|_| is_closed).unwrap_or(0);
        }
        let name: String = body
            .chars()
            .filter(char::is_ascii_alphanumeric)
            .map(|c| c.to_ascii_lowercase())
            .collect();
        let is_format = ["b", "i", "u", "p", "s"].contains(&name.as_str())
            && !body.contains(|c: char| c.is_uppercase());
        if !is_closed || name.is_empty() || !(name.len() > 1 || is_format || body.starts_with('/'))
        {
            self.put(Kind::Mark, &['<'], 0);
            return at + 1;
        }
        if ANSWER_TAGS.contains(&name.as_str()) {
            let is_end = body.contains('/') || name.starts_with("end");
            self.put(if is_end { Kind::Closes } else { Kind::Opens }, &['<'], 0);
        } else if BREAKS.contains(&name.as_str()) {
            self.line();
        }
        end + 1
    }

    /// Reads a word, a number, or a mark.
    fn plain(&mut self, chars: &[char], at: usize) -> usize {
        let digit = |i: usize| chars.get(i).is_some_and(char::is_ascii_digit);
        let of = script(chars[at]);
        let opened = self
            .tokens
            .last()
            .is_some_and(|token| token.kind == Kind::Opens);
        let sign = chars[at] == '-' && digit(at + 1) && (self.blank || opened);
        if of == 0 && !sign {
            self.put(Kind::Mark, &chars[at..=at], 0);
            return at + 1;
        }
        let mut end = at + 1;
        while of != 3 && end < chars.len() {
            let c = chars[end];
            let same =
                of != 0 && script(c) == of || of == 2 && ('\u{300}'..='\u{36f}').contains(&c);
            let number = matches!(c, '.' | ',' | ':' | '/') && digit(end - 1) && digit(end + 1);
            if !(same || number || sign && c.is_ascii_digit()) {
                break;
            }
            end += 1;
        }
        self.put(Kind::Word, &chars[at..end], of.max(1));
        if let Some(token) = self.tokens.last_mut() {
            token.marked = token.marked && matches!(chars.get(end), Some('*' | '"'));
        }
        end
    }
}
