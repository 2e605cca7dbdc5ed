//! The text beside the picture: status, question, and provenance.

use ratatui::buffer::Buffer;
use ratatui::style::Modifier;

use super::draw::status_words;
use super::{Phase, Work, derived};
use crate::item::Loaded;
use crate::panes::filters::role;
use crate::panes::outcome_word;
use crate::theme::{Look, Role};
use crate::widgets::text::{self, clean};
use crate::widgets::word_diff::{Word, by_words, put, styled, wrap};
use benchtop_model::scoring::queries::MatchingRule;
use benchtop_model::{Item, PictureSeen, QuestionKind, Role as Part, Verdict, history};

/// The field with the question before it was rewritten (VLB, section 3.2: rephrased or given more
/// context).
pub const ORIGINAL: &str = "original_question";

/// The question that the item's question was rewritten from, if it differs: the one in the field of
/// its source, or that of the item it is a variant of.
pub fn original(loaded: &Loaded) -> Option<&str> {
    let (item, of) = (&loaded.item, loaded.original.as_ref());
    let stated = item.extra.get(ORIGINAL).and_then(|value| value.as_str());
    stated
        .or_else(|| of.map(|original| original.question.as_str()))
        .filter(|original| *original != item.question)
}

pub(super) struct Line {
    text: String,
    role: Role,
    modifier: Modifier,
    /// Styled words in place of the text.
    words: Vec<Word>,
}

impl Line {
    fn new(text: String, role: Role) -> Line {
        Line {
            text,
            role,
            modifier: Modifier::empty(),
            words: Vec::new(),
        }
    }

    /// Draws the line in at most `room` columns.
    pub(super) fn draw(&self, (x, y): (u16, u16), room: usize, buf: &mut Buffer, look: &Look) {
        if self.words.is_empty() {
            let style = look.style(self.role).add_modifier(self.modifier);
            buf.set_stringn(x, y, &self.text, room, style);
        } else {
            put(&self.words, x, y, room, buf);
        }
    }

    fn is_gap(&self) -> bool {
        self.text.is_empty() && self.words.is_empty()
    }
}

/// Lines wrapped to a width.
pub(super) struct Lines {
    width: usize,
    pub(super) lines: Vec<Line>,
}

impl Lines {
    pub(super) fn new(width: u16) -> Lines {
        Lines {
            width: usize::from(width),
            lines: Vec::new(),
        }
    }

    pub(super) fn say(&mut self, text: &str, role: Role) {
        let lines = text
            .split('\n')
            .flat_map(|line| text::wrap(line, self.width));
        self.lines.extend(lines.map(|text| Line::new(text, role)));
    }

    /// As [`say`](Self::say), in bold.
    pub(super) fn bold(&mut self, text: &str, role: Role) {
        let from = self.lines.len();
        self.say(text, role);
        self.lines[from..]
            .iter_mut()
            .for_each(|line| line.modifier = Modifier::BOLD);
    }

    /// Inserts text below the first line, which names the item.
    pub(super) fn first(&mut self, text: &str, role: Role) {
        let lines = text::wrap(text, self.width)
            .into_iter()
            .map(|text| Line::new(text, role));
        let at = self.lines.len().min(1);
        self.lines.splice(at..at, lines);
    }

    fn gap(&mut self) {
        self.lines.push(Line::new(String::new(), Role::Text));
    }

    /// Adds `label  value` with further lines of the value indented.
    fn field(&mut self, label: &str, value: &str, role: Role) {
        if value.is_empty() {
            return;
        }
        self.hanging(label, 9, value, role);
    }

    /// Adds text behind a label, with the indent of its first line.
    pub(super) fn hanging(&mut self, label: &str, indent: usize, text: &str, role: Role) {
        let wrapped = text::wrap(text, self.width.saturating_sub(indent).max(8));
        let labels = std::iter::once(label).chain(std::iter::repeat(""));
        let lines = labels.zip(wrapped);
        let lines = lines.map(|(label, text)| Line::new(format!("{label:<indent$}{text}"), role));
        self.lines.extend(lines);
    }
}

/// How much of an item is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shown {
    All,
    /// No status and no verdicts, for a blind round. The flag tells whether the item is judged.
    Blind(bool),
    /// The question and its unmarked options only, for a round that asks for answers. Prompts,
    /// picture names, and provenance can give the answer away.
    Question(bool),
}

impl Shown {
    /// What a round shows of its item.
    pub(super) fn of(work: &Work) -> Shown {
        let judged = matches!(work.phase, Phase::Feedback(..) | Phase::Asking);
        match (work.asks_answers(), work.state.blind) {
            (true, _) => Shown::Question(judged),
            (false, true) => Shown::Blind(judged),
            (false, false) => Shown::All,
        }
    }
}

pub(super) fn write(
    number: u32,
    loaded: &Loaded,
    pending: Option<Verdict>,
    shown: Shown,
    look: &Look,
    lines: &mut Lines,
) {
    let item = loaded.item.as_ref();
    let (words, role) = match shown {
        Shown::All => status_words(loaded.status),
        Shown::Blind(true) | Shown::Question(true) => ("judged", Role::Dim),
        Shown::Blind(false) | Shown::Question(false) => ("to judge", Role::Pending),
    };
    match pending {
        Some(verdict) => {
            let text = format!("#{number}  … {}, saving", verdict.name());
            lines.say(&text, Role::Warn);
        }
        None => lines.bold(&format!("#{number}  {words}"), role),
    }
    if matches!(shown, Shown::Question(_)) {
        lines.gap();
        lines.bold(&item.question, Role::Text);
        unmarked(item, lines);
        lines.gap();
        return lines.field("kind", item.kind.name(), Role::Dim);
    }
    if shown == Shown::All {
        standing(loaded, look, lines);
    }
    lines.gap();
    match original(loaded) {
        None => lines.bold(&item.question, Role::Text),
        Some(original) => {
            lines.say("rewritten:", Role::Dim);
            let pieces = by_words(original, &item.question);
            for words in wrap(styled(&pieces, false, look), lines.width.max(1)) {
                lines.lines.push(Line {
                    words,
                    ..Line::new(String::new(), Role::Text)
                });
            }
        }
    }
    options(item, lines);
    lines.gap();
    for (label, text, role) in derived::fields(item) {
        lines.field(label, &text, role);
    }
    lines.field(
        "prompt",
        item.prompt.as_deref().unwrap_or_default(),
        Role::Text,
    );
    lines.field(
        "negative",
        item.negative_prompt.as_deref().unwrap_or_default(),
        Role::Dim,
    );
    if lines.lines.last().is_some_and(|l| !l.is_gap()) {
        lines.gap();
    }
    if let Some((label, what)) = loaded.stale.as_deref().and_then(|s| s.split_once(": ")) {
        lines.field(label, what, Role::Warn);
    }
    provenance(item, lines);
}

/// Writes the rules that apply and the effective verdicts.
fn standing(loaded: &Loaded, look: &Look, lines: &mut Lines) {
    chips(&loaded.chips, look.accessible, lines);
    for standing in &loaded.standing {
        let j = &standing.judgement;
        let mut line = format!(
            "{} by {}, {}",
            j.verdict.name(),
            standing.who,
            history::to_the_second(standing.at).replace('T', " ")
        );
        if !j.reasons.is_empty() {
            line.push_str(&format!(": {}", j.reasons.join(", ")));
        }
        if !j.tags.is_empty() {
            line.push_str(&format!(" [{}]", j.tags.join(", ")));
        }
        if !j.marks.is_empty() {
            let marks = text::counted(j.marks.len() as u64, "mark");
            line.push_str(&format!(" ({marks})"));
        }
        if let Some(note) = &j.note {
            line.push_str(&format!(" “{note}”"));
        }
        if let Some(unseen) = PictureSeen::describe_unseen(&j.pictures) {
            line.push_str(&format!(" ({unseen})"));
        }
        lines.say(&line, Role::Dim);
    }
}

fn chips(chips: &[MatchingRule], accessible: bool, lines: &mut Lines) {
    for chip in chips {
        let role = role(chip.then.outcome());
        let outcome = outcome_word(chip.then.outcome());
        let line = match accessible {
            true => format!("{outcome} by the rule {} because {}", chip.rule, chip.words),
            false => format!("{outcome}: {}  ({})", chip.words, chip.rule),
        };
        lines.say(&line, role);
    }
}

fn option((at, option): (usize, &str), mark: &str, role: Role, lines: &mut Lines) {
    let head = format!("{mark} {}. ", Item::letter(at));
    lines.hanging(&head, 5, option, role);
}

/// Writes the options without marking the correct one.
fn unmarked(item: &Item, lines: &mut Lines) {
    item.options
        .iter()
        .enumerate()
        .for_each(|(at, o)| option((at, &o.text), " ", Role::Text, lines));
}

fn options(item: &Item, lines: &mut Lines) {
    for (at, each) in item.options.iter().enumerate() {
        let (mark, role) = match each.role {
            Part::Correct => ("✓", Role::Good),
            Part::Distractor => (" ", Role::Text),
            Part::Refusal => ("?", Role::Dim),
        };
        option((at, &each.text), mark, role, lines);
    }
    if item.options.is_empty() || item.correct().is_none() {
        let label = if item.kind == QuestionKind::FreeForm {
            "expected"
        } else {
            "answer"
        };
        lines.field(label, &item.answer, Role::Good);
    }
}

fn provenance(item: &Item, lines: &mut Lines) {
    lines.field("id", &item.id, Role::Dim);
    if item.task.as_deref() == Some("sample") {
        lines.field("sample", "drawn by benchtop as a sample", Role::Warn);
    }
    let known = |parts: &[Option<&str>]| {
        parts
            .iter()
            .flatten()
            .copied()
            .collect::<Vec<_>>()
            .join(", ")
    };
    let kind = known(&[
        Some(item.kind.name()),
        item.subtask.as_deref(),
        item.level.as_deref(),
        item.style.as_deref(),
        item.pair.as_ref().map(|p| p.side.name()),
    ]);
    lines.field("kind", &kind, Role::Dim);
    if let Some(pair) = &item.pair {
        lines.field("pair", &pair.id.to_string(), Role::Dim);
    }
    if let Some(rotation) = &item.rotation {
        lines.field(
            "rotation",
            &format!(
                "{} of {}, set {}",
                rotation.index, rotation.of, rotation.set
            ),
            Role::Dim,
        );
    }
    for image in &item.images {
        let hash = image.hash.as_deref().map_or(String::new(), |h| {
            format!("  blake3 {}", &h[..12.min(h.len())])
        });
        let broken = image
            .unreadable
            .as_deref()
            .map_or(String::new(), |why| format!("  (cannot show: {why})"));
        lines.field(
            "picture",
            &format!("{}{hash}{broken}", image.name),
            Role::Dim,
        );
        if let Some(rights) = &image.rights {
            let license = rights.license.as_deref().unwrap_or_default();
            lines.field("license", &clean(license), Role::Dim);
            lines.field(
                "sensitive",
                &clean(&rights.sensitivity.join("; ")),
                Role::Warn,
            );
        }
    }
    if let Some(made) = &item.provenance {
        let from = format!(
            "{} {}, seed {}, metadata {} {}",
            made.subject, made.picture, made.seed, made.vocabulary, made.templates
        );
        lines.field("made", &from, Role::Dim);
    }
    if let Some(chance) = item.chance() {
        lines.field("chance", &format!("{:.1} %", 100.0 * chance), Role::Dim);
    }
}
