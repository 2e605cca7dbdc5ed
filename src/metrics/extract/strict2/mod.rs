//! benchtop's own rule, second version: reads the answer that an output commits to, in the words of
//! many languages, and nothing else.
//!
//! 1. The thoughts of a model are not read. Thoughts that do not end are no answer.
//! 2. The output is split into phrases of a table by language (`phrases.toml`), letters and texts
//!    of options, and marks.
//! 3. Each sentence commits to an option ("the answer is B", "B is correct", `\boxed{B}`, a line
//!    that is one answer), denies it, or leaves it open. A question or a condition commits to
//!    nothing.
//! 4. The last commitment counts, unless a later statement withdraws it or leaves it open. If two
//!    contradict each other and neither is a conclusion or a correction, the output is unparsed.
//! 5. Without a commitment, the answer is a refusal, else the only letter marked as an option, else
//!    the only option whose text is mentioned. The last two do not count if anything is denied or
//!    left open.
//!
//! An option that is itself a refusal makes the answer a refusal. Time is linear in the output's
//! length. `strict2.py` is the same rule for other tools; a test compares the two.
//!
//! | module | contents |
//! |---|---|
//! | `asides` | what is left open of an option and says nothing of an answer that stands |
//! | `asking` | the sentence of a question that asks |
//! | `bare_words` | texts as bare words: lowercase, with a space for each mark |
//! | `boxed` | boxed answers |
//! | `clauses` | the clause before an answer |
//! | `commitments` | whether an output commits to an answer |
//! | `context` | the context of an answer in its sentence |
//! | `cut_off` | texts that were truncated by a length limit |
//! | `decide` | the answer from all statements of an output about the options |
//! | `embedded` | texts that name an option in other words, and evidence against it |
//! | `final_statement` | what the first or the last sentence of a text states |
//! | `fold_characters` | one form for characters that have several |
//! | `grounds` | an answer without a cue: after a "but", a colon, or a "so" |
//! | `how_stated` | how an answer is stated |
//! | `items` | splits a text into items and sentences |
//! | `joined_answers` | joined answers: "A, B and C" |
//! | `json_object` | answers that are JSON objects |
//! | `latex` | LaTeX commands around an answer |
//! | `letters` | letters and numbers that name options |
//! | `lists` | word lists by language that compare statements with questions |
//! | `lone_answer` | an answer that stands on its own |
//! | `numbers` | options that the question numbers |
//! | `opening` | answers that begin by an option in other forms, or by the question's own words |
//! | `option_verdicts` | verdicts on the options: "B. dog: correct" |
//! | `options` | the options of a question, by the words that name them |
//! | `prepared` | what the rule derives from a question alone |
//! | `quantities` | questions about quantities: "more than five" |
//! | `reader` | reads the statements of each sentence about the options |
//! | `reasoning` | the answer part of an output: after its thoughts, before its end marks |
//! | `restatement` | statements in the question's words that name an option |
//! | `tokens` | splits a text into words, marks, line ends, and ends of boxes |
//! | `why` | the reasons for a reading, and their words in a trace |
//! | `words` | the phrases of the rule, and how to find them in a text |
//! | `yes_no` | reads yes or no in the words of every language |
//! | `yes_no_clause` | the meaning of a clause for the words of a yes/no question |
//! | `yes_no_statements` | statements that answer a yes/no question: "The man wears a hat." |

mod asides;
mod asking;
mod bare_words;
mod boxed;
mod clauses;
mod commitments;
mod context;
mod cut_off;
mod decide;
mod embedded;
mod final_statement;
mod fold_characters;
mod grounds;
mod how_stated;
mod items;
mod joined_answers;
mod json_object;
mod latex;
mod letters;
mod lists;
mod lone_answer;
mod numbers;
mod opening;
mod option_verdicts;
mod options;
mod prepared;
mod quantities;
mod reader;
mod reasoning;
mod restatement;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_statements;
#[cfg(test)]
mod tests_words;
mod tokens;
mod why;
mod words;
mod yes_no;
mod yes_no_clause;
mod yes_no_statements;

use super::extractor::Extractor;
use super::question_parts::Asked;
use super::reading::Read;
use super::text::same;

use self::items::{What, items, refuses};
use self::letters::Labels;
pub(super) use self::numbers::is_numbered;
use self::options::Options;
use self::prepared::Prepared;
use self::reasoning::{Cut, cut};
use self::tokens::Text;
use self::why::Why;

pub(super) fn read(asked: &Asked, output: &str, judge: Option<&str>) -> (Read, Why) {
    let (mut read, mut why) = match cut(output) {
        Cut::Empty => (Read::Unparsed, Why::Empty),
        Cut::Failed => (Read::Unparsed, Why::Failed),
        Cut::Thinking => (Read::Unparsed, Why::Thinking),
        Cut::Said(text) => of_text(asked, text),
    };
    if let (Read::Unparsed, Some(Cut::Said(judge))) = (read, judge.map(cut)) {
        let said = of_text(asked, judge).0;
        if said != Read::Unparsed {
            (read, why) = (said, Why::Judge);
        }
    }
    match read {
        Read::Option(at) if !asked.declines(at) => (read, why),
        Read::Option(_) if why != Why::Judge => (Read::Refused, Why::RefusalOption),
        Read::Option(_) => (Read::Refused, why),
        _ => (read, why),
    }
}

/// The part of an output that is read. `None` if it is empty or reports a failed request.
pub(super) fn answer_part(output: &str) -> Option<&str> {
    match cut(output) {
        Cut::Said(text) => Some(text),
        Cut::Empty | Cut::Failed | Cut::Thinking => None,
    }
}

/// Whether `output` declines to answer, in the phrases of the table.
pub(super) fn declines(output: &str) -> bool {
    answer_part(output).is_some_and(|said| {
        refuses(&items(
            &Text::new(said),
            &Options::default(),
            &Labels::default(),
        ))
    })
}

fn of_text(asked: &Asked, text: &str) -> (Read, Why) {
    if asked.wants_yes_or_no() {
        let head = reasoning::before_question(text).map(|head| yes_no::read("", head));
        return head
            .filter(|(read, _)| matches!(read, Read::Yes | Read::No))
            .unwrap_or_else(|| yes_no::read(asked.instruction, text));
    }
    if let Some(at) = plainly(asked, text) {
        return (Read::Option(at), Why::Statement);
    }
    // If a model answers and then asks a question of its own, the first answer counts.
    let head = reasoning::before_question(text).map(|head| option(asked, head));
    let stated = |(read, why): &(Read, Why)| *why == Why::Statement && *read != Read::Unparsed;
    let (mut read, mut why) = head.filter(stated).unwrap_or_else(|| option(asked, text));
    if read == Read::Unparsed
        && let Some(again) = reasoning::below_question(text, asked.instruction)
        && let (found @ Read::Option(_), of) = option(asked, again)
    {
        // "Q: (the question) A: B" among other questions.
        (read, why) = (found, of);
    }
    if read == Read::Unparsed
        && let Some(at) = json_object::of_object(asked.options, text)
    {
        return (Read::Option(at), Why::Mention);
    }
    let is = |at: usize, word: &str| same(asked.options[at].text.trim(), word);
    if read == Read::Unparsed
        && asked.options.len() == 2
        && (is(0, "yes") && is(1, "no") || is(0, "no") && is(1, "yes"))
    {
        // Options that mean yes and no may be answered in other words for these.
        let (word, why) = yes_no::read("", text);
        if let Some(word) = word.answer() {
            return (Read::Option(usize::from(!is(0, &word))), why);
        }
    }
    (read, why)
}

/// A fast path for most answers: a capital letter of an option, alone or with brackets, a full
/// stop, or its own text.
fn plainly(asked: &Asked, text: &str) -> Option<usize> {
    let letter = |letter: u8| {
        letter
            .is_ascii_uppercase()
            .then(|| super::text::index(letter))
            .filter(|at| *at < asked.letters())
    };
    let (at, rest) = match text.as_bytes() {
        [b'(', one, b')', ..] => (letter(*one)?, &text[3..]),
        [one] => (letter(*one)?, ""),
        [one, b'.' | b')' | b':', ..] => (letter(*one)?, &text[2..]),
        _ => return None,
    };
    let own = |rest: &str| {
        let option = asked
            .options
            .get(at)
            .map(|o| o.text.trim())
            .filter(|o| o.len() > 1);
        rest.starts_with(' ') && option.is_some_and(|o| same(o, rest.trim().trim_end_matches('.')))
    };
    let is_short = asked
        .options
        .iter()
        .any(|o| o.text.trim().chars().nth(1).is_none());
    (!is_short && (rest.is_empty() || rest == "." || own(rest))).then_some(at)
}

fn option(asked: &Asked, text: &str) -> (Read, Why) {
    let prepared = Prepared::of(asked);
    prepared.read(text, || option_of(&prepared, asked, text))
}

fn option_of(prepared: &Prepared, asked: &Asked, text: &str) -> (Read, Why) {
    let completed = prepared
        .stem
        .as_ref()
        .and_then(|stem| stem.completion(text));
    let text = completed.unwrap_or(text);
    let mut text = match prepared.labels.numbers {
        Some(_) => Text::new(&numbers::uncircled(text)),
        None => Text::new(text),
    };
    text.languages = prepared.languages(&text);
    let options = prepared.options(text.tokens.len());
    let mut found = items(&text, options, &prepared.labels);
    let question = prepared.question(text.languages);
    question.bend(&mut found, &text);
    opening::open(&mut found, &question, asked.options, &text);
    while found.last().is_some_and(|item| item.what == What::Line) {
        found.pop();
    }
    decide::answer(
        &decide::Asked {
            options: asked.options,
            count: prepared.labels.count,
        },
        &question,
        &found,
        &text,
    )
}

pub(super) fn trace(asked: &Asked, output: &str, judge: Option<&str>) -> String {
    let (read, why) = read(asked, output, judge);
    let how = why.explained();
    format!("{}: {how}; {}", Extractor::Strict.name(), read.traced())
}

/// The rule as a self-contained Python module: `read(options, kind, output)`. It uses the same
/// table of phrases.
pub fn python() -> String {
    let table = serde_json::to_string(&words::table()).unwrap_or_default();
    // JSON strings and lists are also valid Python.
    format!(
        "{}\n\nTRIE = trie({table})\n",
        include_str!("strict2.py").trim_end()
    )
}
