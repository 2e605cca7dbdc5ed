//! A phrase, a letter or text of an option, a mark, or another word of an output.

/// A letter that stands for different options in different alphabets.
pub(super) const UNCLEAR: i32 = -1;
/// Two options at once.
pub(super) const SEVERAL: i32 = -2;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum What {
    /// A phrase of the table.
    Phrase,
    /// The letter of an option.
    Letter,
    /// The text of an option.
    Text,
    Word,
    Mark,
    Line,
    Opens,
    Closes,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Item {
    pub(super) what: What,
    /// Index of its first token.
    pub(super) token: usize,
    /// The classes of a phrase.
    pub(super) mask: u32,
    pub(super) option: i32,
    /// The character of a mark.
    pub(super) mark: char,
    /// A letter in brackets, quotes, or emphasis.
    pub(super) sure: bool,
    /// A lowercase letter, or one of another script.
    pub(super) low: bool,
    /// A letter followed by a full stop, bracket, or colon.
    pub(super) label: bool,
    /// A number.
    pub(super) digit: bool,
    /// A number followed by the text of its option.
    pub(super) own: bool,
    /// The option that the letter itself stands for.
    pub(super) place: i32,
}

impl Item {
    pub(super) fn new(what: What, token: usize) -> Item {
        Item {
            what,
            token,
            mask: 0,
            option: UNCLEAR,
            mark: ' ',
            sure: false,
            low: false,
            label: false,
            digit: false,
            own: false,
            place: UNCLEAR,
        }
    }

    pub(super) fn is_answer(&self) -> bool {
        matches!(self.what, What::Letter | What::Text)
    }

    /// Whether it is a phrase of one of these classes.
    pub(super) fn is(&self, mask: u32) -> bool {
        self.what == What::Phrase && self.mask & mask != 0
    }

    pub(super) fn is_mark(&self, marks: &str) -> bool {
        self.what == What::Mark && marks.contains(self.mark)
    }
}
