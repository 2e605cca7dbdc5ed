//! What of an output is its answer: behind its thoughts, before the marks that end it.

/// Marks between which a model thinks.
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

/// Marks that end an answer.
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

/// How VLMEvalKit writes down that a server gave no answer.
const FAILED: &str = "Failed to obtain answer";

pub(super) enum Cut<'a> {
    Said(&'a str),
    Empty,
    Failed,
    /// It thinks, and never ends to.
    Thinking,
}

pub(super) fn cut(output: &str) -> Cut<'_> {
    let mut text = output;
    // Most outputs have no mark of any kind.
    if output.contains(['<', '[', '◁']) {
        let low = output.to_ascii_lowercase();
        let find = |mark: &str, from: usize| {
            memchr::memmem::find(&low.as_bytes()[from..], mark.as_bytes()).map(|at| from + at)
        };
        let ended = |mark: &str| memchr::memmem::rfind(low.as_bytes(), mark.as_bytes()).map(|at| at + mark.len());
        let mut start = THOUGHTS.iter().filter_map(|(_, end)| ended(end)).max().unwrap_or(0);
        if THOUGHTS.iter().any(|(begin, _)| find(begin, start).is_some()) {
            return Cut::Thinking;
        }
        loop {
            start += low[start..].bytes().take_while(|b| *b <= b' ').count();
            let Some(mark) = ENDS.iter().find(|mark| low[start..].starts_with(**mark)) else { break };
            start += mark.len();
        }
        let stop = ENDS.iter().filter_map(|mark| find(mark, start)).min().unwrap_or(output.len());
        text = &output[start..stop];
    }
    match text.trim() {
        "" => Cut::Empty,
        text if text.starts_with(FAILED) => Cut::Failed,
        text => Cut::Said(text),
    }
}

/// Words before a question that a model goes on to ask itself.
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

/// What stands before a line in which a model goes on with a question of its own; `None` where there is none.
pub(super) fn before_question(text: &str) -> Option<&str> {
    text.match_indices('\n').find_map(|(at, _)| {
        let line: String = text[at + 1..].chars().take(32).flat_map(char::to_lowercase).collect();
        let line = line.trim_start_matches([' ', '\n', '#', '*']);
        let begins = |word: &&str| {
            let rest = line
                .strip_prefix(*word)
                .map(|rest| rest.trim_start_matches(|c: char| " *".contains(c) || c.is_ascii_digit()));
            rest.is_some_and(|rest| rest.starts_with([':', '：']))
        };
        ASKS.iter().any(begins).then_some(&text[..at])
    })
}
