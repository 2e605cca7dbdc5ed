//! Finds the answer part of an output: after its thoughts, before its end marks.

use super::asking::{asking_sentence, ending};
use super::bare_words::words;

/// Marks around a model's thoughts.
const THOUGHTS: [(&str, &str); 17] = [
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<thought>", "</thought>"),
    ("<reasoning>", "</reasoning>"),
    ("<analysis>", "</analysis>"),
    ("<seed:think>", "</seed:think>"),
    ("◁think▷", "◁/think▷"),
    ("[think]", "[/think]"),
    ("<|begin_of_thought|>", "<|end_of_thought|>"),
    ("<unused94>", "<unused95>"),
    ("<|thinking|>", "<|/thinking|>"),
    ("<reflection>", "</reflection>"),
    ("<scratchpad>", "</scratchpad>"),
    ("<|channel|>analysis", "<|channel|>final<|message|>"),
    ("<|start_think|>", "<|end_think|>"),
    ("<thoughts>", "</thoughts>"),
    ("<reason>", "</reason>"),
];

/// Marks at the end of an answer.
const ENDS: [&str; 14] = [
    "<|im_end|>",
    "<|eot_id|>",
    "<|endoftext|>",
    "<|end_of_text|>",
    "<end_of_turn>",
    "<|end|>",
    "</s>",
    "<|return|>",
    "<|end_of_sentence|>",
    "<eos>",
    "<|im_start|>",
    "<|user|>",
    "[/inst]",
    "<|eom_id|>",
];

/// VLMEvalKit's text for a failed request.
const FAILED: &str = "Failed to obtain answer";

pub(super) enum Cut<'a> {
    Said(&'a str),
    Empty,
    Failed,
    /// The thoughts do not end.
    Thinking,
}

pub(super) fn cut(output: &str) -> Cut<'_> {
    let mut text = output;
    // Most outputs have none of these marks.
    if output.contains(['<', '[', '◁']) {
        let low = output.to_ascii_lowercase();
        let find = |mark: &str, from: usize| {
            memchr::memmem::find(&low.as_bytes()[from..], mark.as_bytes()).map(|at| from + at)
        };
        let ended = |mark: &str| {
            memchr::memmem::rfind(low.as_bytes(), mark.as_bytes()).map(|at| at + mark.len())
        };
        let mut start = THOUGHTS
            .iter()
            .filter_map(|(_, end)| ended(end))
            .max()
            .unwrap_or(0);
        if THOUGHTS
            .iter()
            .any(|(begin, _)| find(begin, start).is_some())
        {
            return Cut::Thinking;
        }
        loop {
            start += low[start..].bytes().take_while(|b| *b <= b' ').count();
            let Some(mark) = ENDS.iter().find(|mark| low[start..].starts_with(**mark)) else {
                break;
            };
            start += mark.len();
        }
        let stop = ENDS
            .iter()
            .filter_map(|mark| find(mark, start))
            .min()
            .unwrap_or(output.len());
        text = &output[start..stop];
    }
    match text.trim() {
        "" => Cut::Empty,
        text if text.starts_with(FAILED) => Cut::Failed,
        text => Cut::Said(text),
    }
}

/// Words before a question that a model asks itself.
const ASKS: [&str; 25] = [
    "question",
    "q",
    "user",
    "human",
    "问题",
    "問題",
    "質問",
    "질문",
    "문제",
    "вопрос",
    "питання",
    "frage",
    "pregunta",
    "pergunta",
    "domanda",
    "vraag",
    "pytanie",
    "soru",
    "câu hỏi",
    "سؤال",
    "السؤال",
    "प्रश्न",
    "सवाल",
    "pertanyaan",
    "คำถาม",
];

/// Words that begin a question.
const INTERROGATIVES: [&str; 53] = [
    "what",
    "which",
    "is",
    "are",
    "was",
    "were",
    "does",
    "do",
    "did",
    "has",
    "have",
    "how",
    "who",
    "whose",
    "where",
    "when",
    "why",
    "can",
    "quel",
    "quelle",
    "que",
    "qui",
    "où",
    "combien",
    "was",
    "welche",
    "welcher",
    "welches",
    "wie",
    "wer",
    "wo",
    "warum",
    "qué",
    "cuál",
    "cuántos",
    "quién",
    "dónde",
    "qual",
    "quantos",
    "quem",
    "onde",
    "o",
    "quale",
    "quanti",
    "chi",
    "dove",
    "что",
    "какой",
    "какая",
    "какое",
    "сколько",
    "кто",
    "где",
];
/// Words of a question about the answer itself.
const ABOUT: [&str; 18] = [
    "answer",
    "answers",
    "correct",
    "right",
    "sure",
    "option",
    "options",
    "choice",
    "really",
    "wait",
    "could",
    "it",
    "réponse",
    "antwort",
    "respuesta",
    "resposta",
    "risposta",
    "ответ",
];
/// Endings of questions that may also end with a full stop.
const ENDINGS: [&str; 8] = [
    "吗？",
    "什么？",
    "ですか？",
    "ますか？",
    "ですか。",
    "ますか。",
    "입니까?",
    "습니까?",
];

/// The text before a line in which the model asks a question of its own; `None` if there is none.
pub(super) fn before_question(text: &str) -> Option<&str> {
    if is_heading(&first_words(text)) {
        // Questions with their answers, of which none is the one that was asked.
        return None;
    }
    text.match_indices('\n').find_map(|(at, _)| {
        let rest = &text[at + 1..];
        let line = first_words(rest);
        (asks_anew(&line) || is_next(&text[..at], &line, rest) || is_heading(&line))
            .then_some(&text[..at])
    })
}

/// The text below the last question that the model asks itself, if that is the one that was asked.
pub(super) fn below_question<'a>(text: &'a str, question: &str) -> Option<&'a str> {
    let heads = |line: &str| {
        let line = line.trim_start_matches([' ', '#', '*']);
        is_heading(
            &line
                .chars()
                .take(32)
                .flat_map(char::to_lowercase)
                .collect::<String>(),
        )
    };
    let mut begins = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1));
    let line = |at: usize| text[at..].split('\n').next().unwrap_or_default();
    let at = begins.rfind(|at| heads(line(*at)))?;
    let wanted = words(asking_sentence(question));
    let short = wanted.split_whitespace().count() < 3 && wanted.chars().count() < 12;
    let asks = words(ending(line(at), 1000)).ends_with(&wanted);
    let below = text[at..].split_once('\n').map_or("", |(_, below)| below);
    // "Q: ... A: ...": this A is no letter of an option.
    let first = line(at).trim_start_matches([' ', '#', '*']);
    let answers = below
        .strip_prefix("A:")
        .filter(|_| first.starts_with(['q', 'Q']));
    let below = answers.unwrap_or(below);
    (!short && asks && !below.trim().is_empty()).then_some(below)
}

/// The beginning of the next line with words, in lowercase.
fn first_words(text: &str) -> String {
    let near = text
        .char_indices()
        .nth(232)
        .map_or(text, |(end, _)| &text[..end]);
    let line = near
        .trim_start_matches([' ', '\n', '#', '*'])
        .split('\n')
        .next()
        .unwrap_or_default();
    line.chars()
        .take(200)
        .flat_map(char::to_lowercase)
        .collect()
}

/// Whether a line begins with a word for a question and a colon.
fn is_heading(line: &str) -> bool {
    let near = line
        .char_indices()
        .nth(32)
        .map_or(line, |(end, _)| &line[..end]);
    let begins = |word: &&str| {
        let rest = near
            .strip_prefix(*word)
            .map(|rest| rest.trim_start_matches(|c: char| " *".contains(c) || c.is_ascii_digit()));
        rest.is_some_and(|rest| rest.starts_with([':', '：']))
    };
    ASKS.iter().any(begins)
}

/// Whether a question with options follows a letter: "D", "Which year was it?", "A. 1903".
fn is_next(head: &str, line: &str, rest: &str) -> bool {
    let options = || {
        rest.trim_start()
            .split_once('\n')
            .map_or("", |(_, options)| options.trim_start())
    };
    line.trim_end().ends_with('?')
        && head.trim_matches([' ', '.', '*', '(', ')']).chars().count() == 1
        && ["A.", "A)", "(A"]
            .iter()
            .any(|label| options().starts_with(label))
}

/// Whether a line is a question about the picture and not about the answer.
fn asks_anew(line: &str) -> bool {
    let plain = words(line.split('?').next().unwrap_or_default());
    let first = plain.split_whitespace().next().unwrap_or_default();
    if line.trim_end().ends_with('?') || line.contains("? please") || line.contains("? answer") {
        return plain.split_whitespace().count() > 3
            && INTERROGATIVES.contains(&first)
            && !ABOUT
                .iter()
                .any(|word| plain.contains(&format!(" {word} ")));
    }
    ENDINGS.iter().any(|end| line.trim_end().ends_with(end)) && plain.chars().count() > 7
}
