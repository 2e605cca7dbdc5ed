//! Checks of questions one by one, composed or imported in any format.

use std::collections::{BTreeMap, HashMap};

use super::composed_questions::{self, Repeats};
use super::counts::Counts;
use crate::ambiguity::{ComparableTerm, Overlap, TermKind, contains_words, plain};
use crate::compiled_metadata::{CompiledMetadata, List};
use crate::metadata::template::Template;
use crate::metadata::vocabulary::fold;
use crate::metadata::{STYLE, file_of};
use benchtop_model::sorting::sort_by;
use benchtop_model::{Error, Finding, Item, QuestionKind, Role, Rule, Side};

/// Maximum number of listed findings per rule. The others are counted.
pub const LISTED: usize = 50;
/// Maximum number of options to compare with each other.
const COMPARED: usize = 26;
/// Maximum size of a list whose terms are searched in a text.
const LOOKED_FOR: usize = 500;
/// Maximum number of subtasks of imported questions to distinguish.
const SUBTASKS: usize = 1_000;
/// Minimum length in bytes of an answer to search in its question.
const ANSWER: usize = 3;

/// A linter for a stream of questions. It keeps a few bytes per question, for at most four million
/// questions.
///
/// Composed questions are checked against their own provenance. Imported ones are judged only if
/// the prompt uses the same words: "a man" does not contradict "male". Composed sets must be
/// exactly balanced. Imported sets are reported if chance alone would produce the imbalance less
/// than once in 10,000 sets.
#[derive(Debug)]
pub struct ItemLint<'g> {
    compiled: Option<&'g CompiledMetadata>,
    file: String,
    kept: BTreeMap<Rule, (Vec<Finding>, u64)>,
    counts: Counts,
    /// Imported questions whose prompt does not contain the answer, by subtask.
    doubts: HashMap<String, Doubt>,
    /// Per list, which terms were asked about.
    uses: Vec<Use>,
    repeats: Repeats,
}

/// Questions about the terms of a list.
#[derive(Debug, Default)]
struct Use {
    /// Number of pictures whose term was asked about. Several questions about one picture count
    /// once.
    pictures: u64,
    /// The last of them.
    last: u64,
    seen: Vec<bool>,
}

/// Counts of questions whose answer is or is not in the prompt.
#[derive(Debug, Default)]
struct Doubt {
    held: u64,
    missing: u64,
    first: Vec<Finding>,
}

/// What the provenance says about the term that a question asks about.
enum Shown<'i> {
    /// The picture shows this term.
    Term(&'i str),
    /// The prompt had no slot for it.
    Nothing,
    Unknown,
}

impl<'g> ItemLint<'g> {
    /// A linter for questions. `compiled` identifies synonyms and the claims of statements.
    pub fn new(compiled: Option<&'g CompiledMetadata>) -> ItemLint<'g> {
        let lists = compiled.map_or(&[][..], |g| &g.lists);
        ItemLint {
            compiled,
            file: "items".into(),
            kept: BTreeMap::new(),
            counts: Counts::default(),
            doubts: HashMap::new(),
            repeats: Repeats::default(),
            uses: lists
                .iter()
                .map(|l| Use {
                    seen: vec![false; l.terms.len()],
                    ..Use::default()
                })
                .collect(),
        }
    }

    /// Sets the file name in findings. The default is `items`.
    pub fn named(mut self, file: impl Into<String>) -> ItemLint<'g> {
        self.file = file.into();
        self
    }

    /// Treats the questions as a part of a composition, such as a preview, which need not be
    /// balanced.
    pub fn sampled(mut self) -> ItemLint<'g> {
        self.counts.sample = true;
        self
    }

    /// Checks a question. `line` is its line or number, from 1.
    pub fn check(&mut self, item: &Item, line: u64) {
        self.empty(item, line);
        self.options(item, line);
        self.hint(item, line);
        self.leak(item, line);
        let holds = label(item);
        match item.kind {
            QuestionKind::TrueFalse | QuestionKind::YesNo => match &item.provenance {
                Some(_) => self.composed_claim(item, line, holds),
                None => self.imported_claim(item, line, holds),
            },
            QuestionKind::MultipleChoice | QuestionKind::FreeForm => match &item.provenance {
                Some(_) => self.composed_answer(item, line),
                None => self.imported_answer(item, line),
            },
        }
        self.marked(item, line);
        self.scene(item, line);
        self.used(item);
        self.counts.see(item, holds);
    }

    /// Records that the question in this line could not be read.
    pub fn refused(&mut self, problem: &Error, line: u64) {
        let field = problem.place.field.as_deref().unwrap_or_default();
        let named = |name: &str| field == name || field.ends_with(&format!(".{name}"));
        let empty = problem.what.contains("empty")
            && (named("question") || named("options") || named("answer"));
        let rule = if empty {
            Rule::EmptyQuestion
        } else {
            Rule::Unreadable
        };
        let what = if field.is_empty() {
            problem.what.clone()
        } else {
            format!("field `{field}`: {}", problem.what)
        };
        let help = problem.help.clone().unwrap_or_default();
        self.keep(rule, line, "", &help, || what);
    }

    /// All findings: questions by line, then sets and terms, then the numbers of unlisted findings.
    pub fn finish(mut self) -> Vec<Finding> {
        for doubt in std::mem::take(&mut self.doubts).into_values() {
            // If most prompts of a subtask contain the answer, the others are errors.
            if doubt.held >= doubt.missing {
                let more = doubt.missing - doubt.first.len() as u64;
                let kept = self.kept.entry(Rule::Unanswerable).or_default();
                kept.1 += more;
                for finding in doubt.first {
                    if kept.0.len() < LISTED {
                        kept.0.push(finding)
                    } else {
                        kept.1 += 1
                    }
                }
            }
        }
        for skew in std::mem::take(&mut self.counts).finish() {
            self.keep(skew.rule, 0, &skew.of, skew.help, || skew.what);
        }
        self.unused();
        let mut found = Vec::new();
        let mut more = Vec::new();
        for (rule, (kept, left)) in self.kept {
            found.extend(kept);
            if left > 0 {
                let what = format!("{left} more besides the {LISTED} listed: {}", rule.about());
                more.push(
                    Finding::new(rule, self.file.as_str(), what)
                        .help("correct these first and run the linter again"),
                );
            }
        }
        sort_by(&mut found, |a, b| {
            (a.line == 0).cmp(&(b.line == 0)).then_with(|| a.cmp(b))
        });
        found.extend(more);
        found
    }

    fn keep(
        &mut self,
        rule: Rule,
        line: u64,
        term: &str,
        help: &str,
        what: impl FnOnce() -> String,
    ) {
        let (kept, left) = self.kept.entry(rule).or_default();
        if kept.len() == LISTED {
            *left += 1;
            return;
        }
        kept.push(finding(rule, &self.file, line, term, what(), help));
    }

    fn empty(&mut self, item: &Item, line: u64) {
        let none = |text: &str| text.trim().is_empty();
        let what = if none(&item.question) {
            "the question is empty"
        } else if item.options.iter().any(|o| none(&o.text)) {
            "an option is empty"
        } else if item.kind == QuestionKind::MultipleChoice && item.options.is_empty() {
            "there are no options"
        } else if none(&item.answer) {
            "the answer is empty"
        } else {
            return;
        };
        let help = "fill it in, or remove the question";
        self.keep(Rule::EmptyQuestion, line, &item.id, help, || what.into());
    }

    fn options(&mut self, item: &Item, line: u64) {
        if item.options.len() < 2 {
            return;
        }
        let mut folded: Vec<String> = item.options.iter().map(|o| fold(o.text.trim())).collect();
        folded.sort_unstable();
        if let Some(twice) = folded.windows(2).find(|w| w[0] == w[1] && !w[0].is_empty()) {
            let help =
                "draw another distractor; answers to this question are right or wrong by luck";
            let what = || format!("duplicate option `{}`", twice[0]);
            self.keep(Rule::DuplicateOption, line, &item.id, help, what);
            return;
        }
        let joined = item.rotation.is_some() && item.provenance.is_some();
        let read = item
            .task
            .as_deref()
            .is_some_and(|t| t.eq_ignore_ascii_case("ocr"));
        if item.kind != QuestionKind::MultipleChoice || joined {
            return;
        }
        let list = self.list(item);
        let asked = item
            .options
            .iter()
            .filter(|o| o.role != Role::Refusal)
            .take(COMPARED);
        // Only vocabulary terms are known to have a head noun.
        let known = |text: &str| {
            list.and_then(|l| l.words.get(l.position(text)? as usize))
                .cloned()
        };
        let words: Vec<_> = asked
            .map(|o| {
                (
                    &o.text,
                    known(&o.text)
                        .unwrap_or_else(|| ComparableTerm::new(&o.text, TermKind::Phrases)),
                )
            })
            .collect();
        // A shared last word is the topic of the list: "red color", "blue color".
        let head = |w: &ComparableTerm| w.folded().rsplit(' ').next().map(str::to_string);
        let common = words.windows(2).all(|w| head(&w[0].1) == head(&w[1].1));
        for (at, (one, own)) in words.iter().enumerate() {
            for (two, other) in &words[..at] {
                let near = own.overlap(other).filter(|n| !read || *n == Overlap::Same);
                let near = near.filter(|n| *n != Overlap::Head || !common);
                // 1950 and 1960 differ by one digit and are different answers.
                let figures = |text: &str| text.contains(|c: char| c.is_ascii_digit());
                let Some(near) =
                    near.filter(|n| *n != Overlap::Edit || !(figures(one) || figures(two)))
                else {
                    continue;
                };
                let what = || format!("the options `{two}` and `{one}` {}", near.description());
                let help = "draw another distractor, or disable one of the terms";
                self.keep(Rule::NearSynonym, line, &item.id, help, what);
                return;
            }
        }
    }

    /// Reports letters in the hint beyond the options.
    fn hint(&mut self, item: &Item, line: u64) {
        let Some(instruction) = &item.instruction else {
            return;
        };
        let Some(start) = instruction
            .rfind("Hint:")
            .or_else(|| instruction.rfind("e.g."))
        else {
            return;
        };
        let hint = &instruction[start..];
        let letters = hint.match_indices('(').filter_map(|(at, _)| {
            let mut rest = hint[at + 1..].chars();
            let letter = rest.next().filter(char::is_ascii_uppercase)?;
            (rest.next() == Some(')')).then_some(usize::from(letter as u8 - b'A'))
        });
        let beyond: Vec<_> = letters
            .filter(|l| *l >= item.options.len())
            .map(Item::letter)
            .collect();
        if !beyond.is_empty() {
            let help = "list only the letters of the options";
            self.keep(Rule::WrongLetters, line, &item.id, help, || {
                let has = match item.options.len() {
                    0 => "no options".into(),
                    n => format!("{n} options"),
                };
                let listed = beyond.join(", ");
                format!("the hint lists {listed}, but the question has {has}")
            });
        }
    }

    fn leak(&mut self, item: &Item, line: u64) {
        let answer = match (item.kind, item.correct()) {
            (QuestionKind::MultipleChoice, Some(at)) => item.options[at].text.as_str(),
            (QuestionKind::FreeForm, _) => item.answer.as_str(),
            _ => return,
        };
        let answer = plain(answer);
        if answer.len() < ANSWER {
            return;
        }
        let question = plain(&item.question);
        let leaks = |text: &str| contains_words(&question, text);
        // A question that names several options asks to choose between them.
        let others = || {
            item.options
                .iter()
                .filter(|o| o.role == Role::Distractor)
                .take(COMPARED)
        };
        if leaks(&answer) && !others().any(|o| leaks(&plain(&o.text))) {
            let what = || format!("the question contains the answer `{answer}`");
            self.keep(
                Rule::AnswerLeak,
                line,
                &item.id,
                "reword the question",
                what,
            );
        }
    }

    /// Checks compatibility rules and repeats.
    fn scene(&mut self, item: &Item, line: u64) {
        if let Some((rule, what, help)) = self
            .compiled
            .and_then(|g| composed_questions::check(g, item))
        {
            self.keep(rule, line, &item.id, help, || what);
        }
        if self.repeats.see(item) {
            let what = "another picture has the same prompt, question, and options";
            let help = "add wordings or terms to its prompt, or ask fewer questions of this kind";
            self.keep(Rule::RepeatedQuestion, line, &item.id, help, || what.into());
        }
    }

    /// Checks that the option marked as right matches the answer.
    fn marked(&mut self, item: &Item, line: u64) {
        let (Some(at), false) = (item.correct(), item.answer.trim().is_empty()) else {
            return;
        };
        let (text, answer) = (item.options[at].text.trim(), item.answer.trim());
        let letter = answer.trim_start_matches('(').trim_end_matches([')', '.']);
        if answer != text && letter != Item::letter(at) {
            self.keep(Rule::WrongLabel, line, &item.id, "", || {
                format!("the answer is `{answer}`, but the option marked as right is `{text}`")
            });
        }
    }

    /// The list that a question asks about.
    fn list(&self, item: &Item) -> Option<&'g List> {
        let compiled = self.compiled?;
        let subtask = compiled.subtask(item.subtask.as_deref()?)?;
        compiled.lists.get(compiled.subtasks[subtask].list)
    }

    fn shown<'i>(&self, item: &'i Item) -> Shown<'i> {
        let Some(provenance) = item.provenance.as_deref() else {
            return Shown::Unknown;
        };
        let subtask = item.subtask.as_deref().unwrap_or_default();
        let name = match self.list(item) {
            Some(list) => list.name.clone(),
            None => subtask.replace(' ', "-"),
        };
        match provenance.terms.get(&name) {
            Some(term) => Shown::Term(term),
            None if self.list(item).is_some() => Shown::Nothing,
            None => Shown::Unknown,
        }
    }

    fn contradicts(&mut self, item: &Item, line: u64, what: impl FnOnce() -> String) {
        let help = "compose the question again, or invert its label";
        self.keep(Rule::WrongLabel, line, &item.id, help, what);
    }

    fn unanswerable(&mut self, item: &Item, line: u64, what: impl FnOnce() -> String) {
        self.keep(Rule::Unanswerable, line, &item.id, NOT_IN_PROMPT, what);
    }

    fn composed_claim(&mut self, item: &Item, line: u64, says: Option<bool>) {
        let claim = item.provenance.as_deref().and_then(|p| p.claim.as_deref());
        let (Some(claim), Some(says)) = (claim, says) else {
            return;
        };
        match self.shown(item) {
            Shown::Term(term) => {
                let prompt = item.prompt.as_deref().map(plain).unwrap_or_default();
                if (term == claim) != says {
                    self.contradicts(item, line, || {
                        format!(
                            "the picture shows `{term}`, but `{claim}` is labeled {}",
                            word(says)
                        )
                    });
                } else if !says && item.pair.is_none() && contains_words(&prompt, &plain(claim)) {
                    self.contradicts(item, line, || {
                        format!(
                            "the prompt contains `{claim}`, which is labeled {}",
                            word(says)
                        )
                    });
                }
            }
            Shown::Nothing => self.unanswerable(item, line, || {
                format!("the prompt has no slot for `{claim}`")
            }),
            Shown::Unknown => {}
        }
    }

    fn composed_answer(&mut self, item: &Item, line: u64) {
        let cross =
            item.rotation.is_some() || item.pair.as_ref().is_some_and(|p| p.side == Side::Cross);
        if cross {
            return;
        }
        let declines = item
            .options
            .iter()
            .any(|o| o.role == Role::Refusal && o.text == item.answer);
        let right = item.correct().map(|at| item.options[at].text.as_str());
        if right.is_none() && item.kind == QuestionKind::MultipleChoice {
            match self.shown(item) {
                Shown::Term(term) if declines && item.options.iter().any(|o| o.text == term) => {
                    self.contradicts(item, line, || {
                        format!("refusing is marked as right, but the picture shows `{term}`")
                    });
                }
                _ if !declines => {
                    self.contradicts(item, line, || "no option is marked as right".into())
                }
                _ => {}
            }
            return;
        }
        match self.shown(item) {
            Shown::Term(term) => {
                if let Some(right) = right.filter(|r| *r != term) {
                    self.contradicts(item, line, || {
                        format!("the picture shows `{term}`, but `{right}` is marked as right")
                    });
                    return;
                }
                // Prompts contain the wording of a style, not its name.
                let style = self
                    .list(item)
                    .map_or(item.subtask.as_deref() == Some(STYLE), |l| l.name == STYLE);
                let prompt = item.prompt.as_deref().map(plain).unwrap_or_default();
                if !style && !contains_words(&prompt, &plain(term)) {
                    self.unanswerable(item, line, || {
                        format!("the prompt does not contain `{term}`")
                    });
                }
            }
            Shown::Nothing => {
                let answer = right.unwrap_or(&item.answer);
                self.unanswerable(item, line, || {
                    format!("the prompt has no slot for `{answer}`")
                });
            }
            Shown::Unknown => {}
        }
    }

    /// Checks an imported statement against its prompt, if both use the same words.
    fn imported_claim(&mut self, item: &Item, line: u64, says: Option<bool>) {
        let (Some(prompt), Some(says)) = (
            item.prompt.as_deref().filter(|p| !p.trim().is_empty()),
            says,
        ) else {
            return;
        };
        let (prompt, question) = (plain(prompt), plain(&item.question));
        if ["not", "no", "isn't"]
            .iter()
            .any(|w| contains_words(&question, w))
        {
            return;
        }
        let claim = self.claim(item, &question);
        let claim = claim.or_else(|| {
            // A part of the prompt that the question repeats, such as "art nouveau style". A single
            // word is not enough.
            let parts = prompt.split(',').map(str::trim).filter(|p| p.contains(' '));
            parts
                .filter(|p| contains_words(&question, p))
                .max_by_key(|p| p.len())
                .map(String::from)
        });
        let Some(claim) = claim else { return };
        let held = contains_words(&prompt, &claim);
        if held && !says {
            self.contradicts(item, line, || {
                format!(
                    "the prompt contains `{claim}`, which is labeled {}",
                    word(says)
                )
            });
        } else if !held && says {
            let other = self
                .list(item)
                .filter(|l| l.terms.len() <= LOOKED_FOR && l.name != STYLE)
                .and_then(|list| {
                    list.words
                        .iter()
                        .map(ComparableTerm::folded)
                        .find(|w| contains_words(&prompt, w))
                });
            if let Some(other) = other {
                self.contradicts(item, line, || {
                    format!(
                        "the prompt contains `{other}` instead of `{claim}`, which is labeled {}",
                        word(says)
                    )
                });
            }
        }
    }

    /// The claim of an imported statement in plain words, if it can be determined.
    fn claim(&self, item: &Item, question: &str) -> Option<String> {
        let compiled = self.compiled?;
        let subtask = &compiled.subtasks[compiled.subtask(item.subtask.as_deref()?)?];
        let list = &compiled.lists[subtask.list];
        let worded = [&subtask.statement, &subtask.yes_no]
            .into_iter()
            .find_map(|t| filled(t, &item.question));
        if let Some(term) = worded.filter(|t| list.position(t).is_some()) {
            return Some(plain(term));
        }
        if list.terms.len() > LOOKED_FOR {
            return None;
        }
        let held = list
            .words
            .iter()
            .map(ComparableTerm::folded)
            .filter(|w| contains_words(question, w));
        held.max_by_key(|w| w.len()).map(String::from)
    }

    /// Searches an imported answer in the prompt.
    fn imported_answer(&mut self, item: &Item, line: u64) {
        let (QuestionKind::MultipleChoice, Some(at), Some(subtask)) =
            (item.kind, item.correct(), &item.subtask)
        else {
            return;
        };
        let Some(prompt) = item.prompt.as_deref().filter(|p| !p.trim().is_empty()) else {
            return;
        };
        let list = self.list(item);
        // Prompts contain the wording of a style, not its name.
        if list.map_or(subtask == STYLE, |l| l.name == STYLE) {
            return;
        }
        let (prompt, answer) = (plain(prompt), plain(&item.options[at].text));
        let held = contains_words(&prompt, &answer);
        // A common prefix is enough: "pancake", "pancakes".
        let somewhere = answer
            .split(' ')
            .any(|word| match word.char_indices().nth(4) {
                Some((end, _)) => prompt.split(' ').any(|p| p.starts_with(&word[..end])),
                None => word.chars().count() > 2 && contains_words(&prompt, word),
            });
        if held || somewhere || answer.is_empty() {
            if let Some(doubt) = self.doubts.get_mut(subtask) {
                doubt.held += u64::from(held);
            } else if held && self.doubts.len() < SUBTASKS {
                self.doubts.insert(
                    subtask.clone(),
                    Doubt {
                        held: 1,
                        ..Doubt::default()
                    },
                );
            }
            return;
        }
        let what = || format!("the prompt does not contain the answer `{answer}`");
        if list.is_some_and(|l| l.position(&item.options[at].text).is_some()) {
            self.unanswerable(item, line, what);
            return;
        }
        if self.doubts.len() >= SUBTASKS && !self.doubts.contains_key(subtask) {
            return;
        }
        let doubt = self.doubts.entry(subtask.clone()).or_default();
        doubt.missing += 1;
        if doubt.first.len() < LISTED {
            let (rule, file) = (Rule::Unanswerable, &self.file);
            let finding = finding(rule, file, line, &item.id, what(), NOT_IN_PROMPT);
            doubt.first.push(finding);
        }
    }

    /// Records the term that a composed question asks about.
    fn used(&mut self, item: &Item) {
        let Some(compiled) = self.compiled.filter(|_| item.provenance.is_some()) else {
            return;
        };
        let Some(subtask) = item.subtask.as_deref().and_then(|s| compiled.subtask(s)) else {
            return;
        };
        let list = compiled.subtasks[subtask].list;
        let Shown::Term(term) = self.shown(item) else {
            return;
        };
        let (Some(uses), Some(provenance)) = (self.uses.get_mut(list), &item.provenance) else {
            return;
        };
        if uses.pictures == 0 || uses.last != provenance.picture {
            uses.pictures += 1;
            uses.last = provenance.picture;
        }
        let position = compiled.lists[list].position(term);
        if let Some(seen) = position.and_then(|p| uses.seen.get_mut(p as usize)) {
            *seen = true;
        }
    }

    /// Reports terms that are no question's answer, if there are enough questions to expect each.
    fn unused(&mut self) {
        let (Some(compiled), false) = (self.compiled, self.counts.sample) else {
            return;
        };
        for (list, Use { pictures, seen, .. }) in
            compiled.lists.iter().zip(std::mem::take(&mut self.uses))
        {
            let n = seen.len() as f64;
            // Of n terms drawn m times, about n exp(-m/n) do not occur: here less than one in a
            // hundred.
            if (pictures as f64) < n * (n.ln() + 5.0) {
                continue;
            }
            for (term, _) in list.terms.iter().zip(&seen).filter(|(_, seen)| !**seen) {
                let file = std::mem::replace(&mut self.file, file_of(&list.name));
                let help =
                    "check whether the plan excludes it; otherwise compose more, or disable it";
                self.keep(Rule::UnusedTerm, 0, term, help, || {
                    format!(
                        "`{term}` is not asked about in any of {pictures} pictures with questions about their {}",
                        list.name
                    )
                });
                self.file = file;
            }
        }
    }
}

const NOT_IN_PROMPT: &str = "ask only about what the prompt contains, or remove the question";

fn finding(rule: Rule, file: &str, line: u64, term: &str, what: String, help: &str) -> Finding {
    let line = u32::try_from(line).unwrap_or(u32::MAX);
    let finding = Finding::new(rule, file, what).line(line);
    finding.term(term).help(help)
}

/// The label of a statement, or the answer to a yes/no question.
fn label(item: &Item) -> Option<bool> {
    let text = item
        .correct()
        .map_or(item.answer.as_str(), |at| item.options[at].text.as_str());
    match fold(text.trim().trim_end_matches('.')).as_str() {
        "true" | "yes" => Some(true),
        "false" | "no" => Some(false),
        _ => None,
    }
}

fn word(holds: bool) -> &'static str {
    if holds { "true" } else { "false" }
}

/// The text in place of a template's `{term}`, if the rest of `text` matches the template.
fn filled<'t>(template: &Template, text: &'t str) -> Option<&'t str> {
    let source = template.source();
    let (slot, article) = match source.find("{term}") {
        Some(at) => (at..at + 6, false),
        None => source.find("{a term}").map(|at| (at..at + 8, true))?,
    };
    let inside = text
        .strip_prefix(&source[..slot.start])?
        .strip_suffix(&source[slot.end..])?;
    if article {
        inside
            .strip_prefix("a ")
            .or_else(|| inside.strip_prefix("an "))
    } else {
        Some(inside)
    }
}
