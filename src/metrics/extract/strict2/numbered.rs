//! Whether an instruction lists the options by number, and numbers of any script.

use benchtop_model::Choice;

/// The code points of zero in other scripts.
const ZEROS: [u32; 15] = [
    0x660, 0x6f0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xe50, 0xed0,
    0x1040, 0x17e0,
];
/// Digits in circles.
const CIRCLED: std::ops::RangeInclusive<char> = '①'..='⑨';
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
pub(super) fn value(text: &str) -> Option<i32> {
    let mut digits = text.chars().map(digit);
    let first = digits.next()??;
    let number = match digits.next() {
        None => first,
        Some(second) => 10 * first + second?,
    };
    digits.next().is_none().then(|| number.try_into().ok())?
}

pub(super) fn circled(c: char) -> Option<u32> {
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
