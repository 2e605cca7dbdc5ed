//! What the rule derives from a question alone, kept for its next answers.

use std::cell::{OnceCell, RefCell};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::rc::Rc;

use super::asking::first_line;
use super::letters::Labels;
use super::opening::Stem;
use super::options::{NUMBERED, Options, SHORT};
use super::restatement::Question;
use super::tokens::Text;
use super::why::Why;
use super::words::words;
use crate::extract::question_parts::Asked;
use crate::extract::reading::Read;
use benchtop_model::Choice;

/// Number of questions that a thread keeps: more than the answers of several models in a segment's
/// frame belong to.
const KEPT: usize = 256;
/// Maximum length in bytes of a question that is kept.
const LONGEST: usize = 1 << 13;
/// Number of outputs that are remembered per question, and their maximum length in bytes.
const READINGS: usize = 16;
const REMEMBERED: usize = 256;

thread_local! {
    static QUESTIONS: RefCell<Vec<Option<Rc<Prepared>>>> = const { RefCell::new(Vec::new()) };
}

/// An output, and how it was read.
type Reading = (Box<str>, (Read, Why));

/// The derived parts of a question. Each is made when it is first needed.
pub(super) struct Prepared {
    instruction: String,
    options: Vec<Choice>,
    first_line: Text,
    pub(super) stem: Option<Stem>,
    languages: Option<u64>,
    pub(super) labels: Labels,
    plain: OnceCell<Options>,
    short: OnceCell<Options>,
    numbered: OnceCell<Options>,
    questions: RefCell<Vec<(Option<u64>, Rc<Question>)>>,
    /// Outputs and how they were read.
    readings: RefCell<Vec<Reading>>,
}

impl Prepared {
    fn new(asked: &Asked) -> Prepared {
        let first_line = Text::new(first_line(asked.instruction));
        Prepared {
            instruction: asked.instruction.to_string(),
            options: asked.options.to_vec(),
            languages: words().languages_of_question(&first_line),
            first_line,
            stem: Stem::of(asked.instruction),
            labels: Labels::new(asked),
            plain: OnceCell::new(),
            short: OnceCell::new(),
            numbered: OnceCell::new(),
            questions: RefCell::default(),
            readings: RefCell::default(),
        }
    }

    /// The parts of this question, from an earlier answer to it if possible.
    pub(super) fn of(asked: &Asked) -> Rc<Prepared> {
        let texts = || asked.options.iter().map(|o| o.text.as_str());
        let length = asked.instruction.len() + texts().map(str::len).sum::<usize>();
        if length > LONGEST {
            return Rc::new(Prepared::new(asked));
        }
        let mut hasher = DefaultHasher::new();
        asked.instruction.hash(&mut hasher);
        texts().for_each(|text| text.hash(&mut hasher));
        let at = hasher.finish() as usize % KEPT;
        QUESTIONS.with_borrow_mut(|kept| {
            kept.resize(KEPT, None);
            match &kept[at] {
                // The role of an option is not part of this.
                Some(one)
                    if one.instruction == asked.instruction
                        && one.options.iter().map(|o| o.text.as_str()).eq(texts()) =>
                {
                    Rc::clone(one)
                }
                _ => Rc::clone(kept[at].insert(Rc::new(Prepared::new(asked)))),
            }
        })
    }

    /// How `text` was read before, or else as `read` reads it.
    pub(super) fn read(&self, text: &str, read: impl FnOnce() -> (Read, Why)) -> (Read, Why) {
        let known = |readings: &[Reading]| {
            let found = readings.iter().find(|(other, _)| **other == *text);
            found.map(|(_, read)| *read)
        };
        if let Some(read) = known(&self.readings.borrow()) {
            return read;
        }
        let read = read();
        if text.len() <= REMEMBERED {
            let mut readings = self.readings.borrow_mut();
            readings.truncate(READINGS - 1);
            readings.insert(0, (text.into(), read));
        }
        read
    }

    /// The languages that an answer may be in.
    pub(super) fn languages(&self, text: &Text) -> Option<u64> {
        words().languages(text, &self.first_line, self.languages)
    }

    /// The options, by the words that an output of `length` words and marks has for them.
    pub(super) fn options(&self, length: usize) -> &Options {
        let with = |ones: bool| {
            let mut options = Options::new(&self.options);
            options.number_words(&self.options, ones);
            options
        };
        if length <= SHORT {
            self.short.get_or_init(|| with(true))
        } else if length <= NUMBERED {
            self.numbered.get_or_init(|| with(false))
        } else {
            self.plain.get_or_init(|| Options::new(&self.options))
        }
    }

    /// The question's words in these languages.
    pub(super) fn question(&self, languages: Option<u64>) -> Rc<Question> {
        let mut kept = self.questions.borrow_mut();
        if let Some((_, question)) = kept.iter().find(|(of, _)| *of == languages) {
            return Rc::clone(question);
        }
        let question = Rc::new(Question::new(&self.instruction, &self.options, languages));
        kept.push((languages, Rc::clone(&question)));
        question
    }
}

#[cfg(test)]
mod tests {
    use super::super::read;
    use super::*;
    use benchtop_model::{QuestionKind, Role};

    const QUESTIONS: [&str; 4] = [
        "Which animal is on the sofa?",
        "What is in the picture?\n(A) cat\n(B) a dog\n(C) 3\n(D) None of the above",
        "How many dogs are there?",
        "这是什么动物？",
    ];
    const OPTIONS: [&[&str]; 4] = [
        &["cat", "dog", "rabbit", "horse"],
        &["cat", "a dog", "3", "None of the above"],
        &["1", "2", "3", "4"],
        &["猫", "狗", "兔", "马"],
    ];
    const PARTS: [&str; 20] = [
        "The answer is ",
        "(B)",
        "C. ",
        "not ",
        "dog",
        "a cat",
        " or ",
        "three",
        "狗",
        "答案是",
        ". ",
        "\n",
        "I'm sorry, I cannot tell from the image.",
        "because ",
        "it is ",
        "maybe ",
        "on the sofa ",
        "**D**",
        "? ",
        "so ",
    ];

    #[test]
    fn what_is_kept_of_a_question_changes_no_reading() {
        let mut dice = 7u64;
        let mut roll = |n: usize| {
            dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (dice >> 33) as usize % n
        };
        let mut any_read = false;
        for _ in 0..400 {
            let at = roll(4);
            let role = |k| {
                if k == 3 {
                    Role::Refusal
                } else {
                    Role::Distractor
                }
            };
            let choice = |(k, text): (usize, &&str)| Choice {
                text: text.to_string(),
                role: role(k),
            };
            let options: Vec<Choice> = OPTIONS[at].iter().enumerate().map(choice).collect();
            let output: String = (0..1 + roll(6)).map(|_| PARTS[roll(20)]).collect();
            let asked = Asked {
                instruction: QUESTIONS[at],
                kind: QuestionKind::MultipleChoice,
                options: &options,
            };
            let kept = read(&asked, &output, None);
            let again = read(&asked, &output, None);
            // A new thread has read nothing before.
            let fresh = std::thread::scope(|scope| {
                let reader = scope.spawn(|| read(&asked, &output, None));
                reader.join().unwrap()
            });
            assert_eq!((kept, again), (fresh, fresh), "{output:?} to {asked:?}");
            any_read |= fresh.0 == Read::Option(1);
        }
        assert!(any_read);
    }
}
