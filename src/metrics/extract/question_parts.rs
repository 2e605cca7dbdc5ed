//! The parts of a question that matter for reading an answer.

use benchtop_model::{Choice, Item, QuestionKind, Role};

/// A question as put to a model: its text, its type, and its options.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// The whole text, including options and hint. Empty if only the options are known.
    pub instruction: &'a str,
    pub kind: QuestionKind,
    /// The options, in order.
    pub options: &'a [Choice],
}

impl Asked<'_> {
    /// Number of letters that stand for options: the whole alphabet if the options are not known.
    pub(super) fn letters(&self) -> usize {
        match self.options.len() {
            0 => 26,
            options => options,
        }
    }
}

impl Default for Asked<'_> {
    /// An unknown question: multiple choice without options.
    fn default() -> Self {
        Asked {
            instruction: "",
            kind: QuestionKind::MultipleChoice,
            options: &[],
        }
    }
}

impl<'a> From<&'a Item> for Asked<'a> {
    fn from(item: &'a Item) -> Self {
        Asked {
            instruction: item.instruction.as_deref().unwrap_or_default(),
            kind: item.kind,
            options: &item.options,
        }
    }
}

impl<'a> Asked<'a> {
    /// The question as asked with an instruction of benchtop, which letters the options, and not
    /// with its own, which may number them. `question` is its text.
    pub fn lettered(self, question: &'a str) -> Asked<'a> {
        if !super::strict2::is_numbered(self.instruction, self.options) {
            return self;
        }
        Asked {
            instruction: question.split('\n').next().unwrap_or_default(),
            ..self
        }
    }
}

impl Asked<'_> {
    /// Whether the question asks for yes or no and has no options.
    pub(super) fn wants_yes_or_no(&self) -> bool {
        self.options.is_empty()
            && matches!(self.kind, QuestionKind::YesNo | QuestionKind::TrueFalse)
    }

    /// Whether the option with this index declines to answer.
    pub(super) fn declines(&self, at: usize) -> bool {
        let option = self.options.get(at);
        option.is_some_and(|option| option.role == Role::Refusal)
    }
}

/// An instruction whose options are parsed from its text: lines such as `(A) cat`, `A. cat`, `A)
/// cat`, or `A: cat`, in alphabetical order.
#[derive(Clone, Debug)]
pub struct Instruction {
    text: String,
    kind: QuestionKind,
    options: Vec<Choice>,
}

impl Instruction {
    /// Parses the options. An instruction with fewer than two options that asks for yes or no is a
    /// yes/no question. With the options True and False it is a true-or-false question. All options
    /// are marked as distractors, because the right one is unknown.
    pub fn new(text: String) -> Instruction {
        let mut options: Vec<Choice> = Vec::new();
        for line in text.lines() {
            match option(line.trim()) {
                // Another list begins; the last one counts.
                Some((0, text)) => {
                    options = vec![Choice {
                        text: text.into(),
                        role: Role::Distractor,
                    }]
                }
                Some((at, text)) if at == options.len() => {
                    options.push(Choice {
                        text: text.into(),
                        role: Role::Distractor,
                    });
                }
                _ => {}
            }
        }
        if options.len() < 2 {
            options.clear();
        }
        let is = |word: &str| options.iter().any(|o| super::text::same(&o.text, word));
        let asks = |word: &str| super::text::places(&text, word).next().is_some();
        let kind = if options.len() == 2 && is("true") && is("false") {
            QuestionKind::TrueFalse
        } else if options.is_empty() && asks("yes") && asks("no") {
            QuestionKind::YesNo
        } else {
            QuestionKind::MultipleChoice
        };
        Instruction {
            text,
            kind,
            options,
        }
    }

    /// The question in this instruction.
    pub fn asked(&self) -> Asked<'_> {
        Asked {
            instruction: &self.text,
            kind: self.kind,
            options: &self.options,
        }
    }
}

/// The index and text of an option line.
fn option(line: &str) -> Option<(usize, &str)> {
    let (letter, rest) = match line.as_bytes() {
        [b'(', letter, b')', ..] => (*letter, &line[3..]),
        [letter, b'.' | b')' | b':', ..] => (*letter, &line[2..]),
        _ => return None,
    };
    let text = rest.strip_prefix([' ', '\t'])?.trim();
    (letter.is_ascii_uppercase() && !text.is_empty()).then(|| (super::text::index(letter), text))
}
