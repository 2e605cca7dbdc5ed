//! Options that the question numbers: "1. cat", "2. dog".

use std::collections::HashMap;

use super::options::{SEVERAL, bare_numbers, words_at};
use super::tokens::{Kind, Text};
use benchtop_model::Choice;

/// The code points of zero in other scripts.
const ZEROS: [u32; 15] = [
    0x660, 0x6f0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xe50, 0xed0,
    0x1040, 0x17e0,
];
/// Digits in circles.
const CIRCLED: std::ops::RangeInclusive<char> = '①'..='⑨';
/// Words after the number of an option.
const COUNTERS: [&str; 4] = ["번", "番", "号", "號"];
/// Signs before or after a number that is an amount or a part of a formula.
const SIGNS: &str = "+<^×÷≈±√/%°€£@&~";

/// The value of a digit of any script.
fn digit(c: char) -> Option<u32> {
    let code = u32::from(c);
    c.to_digit(10)
        .or_else(|| ('０'..='９').contains(&c).then(|| code - 0xff10))
        .or_else(|| {
            let zero = ZEROS
                .iter()
                .find(|zero| (**zero..**zero + 10).contains(&code));
            zero.map(|zero| code - zero)
        })
}

/// The number that one or two digits of any script write.
fn value(text: &str) -> Option<i32> {
    let mut digits = text.chars().map(digit);
    let first = digits.next()??;
    let number = match digits.next() {
        None => first,
        Some(second) => 10 * first + second?,
    };
    digits.next().is_none().then(|| number.try_into().ok())?
}

/// The text with "(1)" for ①.
pub(super) fn uncircled(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match circled(c) {
            Some(number) => out.push_str(&format!("({number})")),
            None => out.push(c),
        }
    }
    out
}

fn circled(c: char) -> Option<u32> {
    CIRCLED.contains(&c).then(|| u32::from(c) - 0x245f)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Label {
    Number(u32),
    Letter(char),
}

/// The label at the end of a text: the number or the letter of an option.
fn label(text: &str) -> Option<Label> {
    let text = text.trim_end_matches(' ');
    let mut chars = text.chars().rev();
    let last = chars.next()?;
    if let Some(number) = circled(last) {
        return Some(Label::Number(number));
    }
    let text = text.strip_suffix(|c| ".)]:、．）】：-".contains(c))?;
    let text = text.trim_end_matches(' ');
    let digits = text.chars().rev().take(2).map_while(digit).count();
    let start = text
        .char_indices()
        .rev()
        .take(digits.max(1))
        .last()
        .map(|(at, _)| at)?;
    let is_part = |c: char| c.is_alphanumeric() || ".,/-'".contains(c);
    if text[..start].ends_with(is_part) {
        return None;
    }
    match &text[start..] {
        number if digits > 0 => value(number)?.try_into().ok().map(Label::Number),
        letter => {
            let letter = letter.chars().next().filter(char::is_ascii_alphabetic)?;
            Some(Label::Letter(letter.to_ascii_uppercase()))
        }
    }
}

/// Whether an instruction lists the options by number and not by letter.
pub(in crate::extract) fn is_numbered(instruction: &str, options: &[Choice]) -> bool {
    // Most instructions have no such list.
    if options.len() < 2 || !instruction.contains(|c| digit(c) == Some(2) || c == '②') {
        return false;
    }
    let plain = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let text = plain(instruction);
    let options: Vec<String> = options.iter().map(|o| plain(&o.text)).collect();
    let letter = |at: u32| char::from_u32(65 + at).map(Label::Letter);
    !lists_by(&text, &options, letter)
        && lists_by(&text, &options, |at| Some(Label::Number(at + 1)))
}

/// Whether each option stands in a text after its label, in order.
fn lists_by(text: &str, options: &[String], label_of: impl Fn(u32) -> Option<Label>) -> bool {
    let mut start = 0;
    (0..).zip(options).all(|(k, option)| {
        let mut places = text[start..].match_indices(option.as_str());
        let labelled = |at: usize| label(&text[..start + at]) == label_of(k);
        let found = places.find(|(at, _)| labelled(*at));
        if let Some((at, _)) = found {
            start += at + option.len();
        }
        found.is_some() && !option.is_empty()
    })
}

/// The options of a question that numbers them.
pub(super) struct Numbers {
    /// The first words of each option.
    words: Vec<Vec<String>>,
    /// The options by the numbers in them, if each is a number with a unit.
    own: HashMap<String, i32>,
}

/// What is before a number.
#[derive(Clone, Copy)]
pub(super) struct Place {
    /// Nothing.
    pub(super) first: bool,
    /// Nothing in its line.
    pub(super) begins: bool,
    /// A word for an option.
    pub(super) named: bool,
    /// A phrase, and a mark or word.
    pub(super) after_phrase: bool,
}

/// A number that names an option.
#[derive(Clone, Copy)]
pub(super) struct Numbered {
    pub(super) option: i32,
    pub(super) enclosed: bool,
    /// Whether the option's text follows.
    pub(super) own: bool,
}

impl Numbers {
    pub(super) fn new(options: &[Choice]) -> Numbers {
        let words = |option: &Choice| {
            let text = Text::new(&option.text);
            let is_word = |at: &usize| text.tokens[*at].kind == Kind::Word;
            let all = (0..text.tokens.len()).filter(is_word);
            all.take(4).map(|at| text.at(at).to_string()).collect()
        };
        Numbers {
            words: options.iter().map(words).collect(),
            own: bare_numbers(options),
        }
    }

    /// Whether the text of an option begins at a token.
    fn begins(&self, text: &Text, at: usize, option: usize) -> bool {
        let Some(words) = self.words.get(option) else {
            return false;
        };
        let rest = text.tokens.get(at..).unwrap_or_default();
        let found = rest
            .iter()
            .take_while(|token| matches!(token.kind, Kind::Word | Kind::Mark))
            .filter(|token| token.kind == Kind::Word)
            .map(|token| text.word(token))
            .take(words.len());
        !words.is_empty() && found.eq(words)
    }

    /// The option that a token names by number.
    pub(super) fn at(&self, text: &Text, at: usize, place_in: Place) -> Option<Numbered> {
        let token = &text.tokens[at];
        let number = value(text.at(at)).filter(|number| *number > 0)?;
        let place = usize::try_from(number - 1)
            .ok()
            .filter(|place| *place < self.words.len())?;
        let kind = |at: usize| text.tokens.get(at).map(|token| token.kind);
        let is_mark =
            |at: usize, marks: &str| kind(at) == Some(Kind::Mark) && marks.contains(text.at(at));
        let before = at.checked_sub(1);
        let is_before = |marks: &str| before.is_some_and(|at| is_mark(at, marks));
        let boxed =
            before.and_then(kind) == Some(Kind::Opens) && kind(at + 1) == Some(Kind::Closes);
        let enclosed = token.marked
            || boxed
            || is_before("([{<") && is_mark(at + 1, ")]}>")
            || is_before("'") && is_mark(at + 1, "'");
        if !enclosed {
            let formula = is_before("=") && !place_in.after_phrase;
            let joined = is_before("-.'") && text.is_joined(at);
            if formula
                || joined
                || is_before(SIGNS)
                || is_mark(at + 1, SIGNS)
                || is_mark(at + 1, "=")
            {
                // "x = 2", "2%"
                return None;
            }
        }
        let label = is_mark(at + 1, ".):]-") && !text.tokens[at + 1].blank;
        // A text may follow the closing bracket or a mark.
        let mut behind = at
            + if label || enclosed && !token.marked {
                2
            } else {
                1
            };
        while behind < at + 4 && is_mark(behind, ".:-") {
            behind += 1;
        }
        let own = self.begins(text, behind, place);
        let follows = kind(behind) == Some(Kind::Word);
        if follows && !own {
            let hyphen = label && is_mark(at + 1, "-") && text.is_joined(at + 2);
            let counts = place_in.first && (number > 1 || !goes_on(text));
            let listed = label && place_in.begins && !counts;
            let told = words_at(text, behind) != 0
                || place_in.named
                || COUNTERS.contains(&text.at(behind));
            if hyphen || listed || !label && !told {
                // "2-year", the number of a list, "2 apples"
                return None;
            }
        }
        let other = self.own.get(text.at(at)).copied().filter(|_| !own);
        let option = if other.is_some_and(|other| other != number - 1) {
            SEVERAL
        } else {
            number - 1
        };
        Some(Numbered {
            option,
            enclosed,
            own,
        })
    }
}

/// Whether a later line begins with the number 2.
fn goes_on(text: &Text) -> bool {
    let begins =
        |at: &usize| text.tokens[*at - 1].kind == Kind::Line && value(text.at(*at)) == Some(2);
    (1..text.tokens.len()).any(|at| begins(&at))
}
