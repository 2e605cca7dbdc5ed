//! What is wrong with questions, one after the other: composed here, or imported in whatever form.

use std::collections::{BTreeMap, HashMap};

use super::counts::Counts;
use super::scenes::{self, Repeats};
use crate::ambiguity::{Overlap, Terms, Words, holds, plain};
use crate::compiled_metadata::{CompiledMetadata, List};
use crate::metadata::template::Template;
use crate::metadata::vocabulary::fold;
use crate::metadata::{STYLE, file_of};
use benchtop_model::{Error, Finding, Item, QuestionKind, Role, Rule, Side};

/// Findings of one rule that are listed; the others are counted.
pub const LISTED: usize = 50;
/// Options that are compared with each other, at most.
const COMPARED: usize = 26;
/// Terms of a list up to which each is looked for in a text.
const LOOKED_FOR: usize = 500;
/// Subtasks of imported questions that are kept apart, at most.
const SUBTASKS: usize = 1_000;
/// Shortest answer in bytes that can be said to stand in its question.
const ANSWER: usize = 3;

/// Looks at questions one after the other; what it keeps of each is a few bytes, of at most four million.
///
/// A question composed here is held against its own provenance. An imported one is judged only where the words of its
/// prompt tell: whoever wrote "a man" and asks about "male" is not contradicted. Balance is exact for composed sets (a
/// deck is dealt to the end) and a matter of chance for imported ones: there a skew counts when chance alone shows
/// it less than once in 10,000 sets.
#[derive(Debug)]
pub struct ItemLint<'g> {
    grammar: Option<&'g CompiledMetadata>,
    file: String,
    kept: BTreeMap<Rule, (Vec<Finding>, u64)>,
    counts: Counts,
    /// Imported questions whose prompt does not hold the answer, by subtask.
    doubts: HashMap<String, Doubt>,
    /// For each list of the grammar which of its terms were asked about.
    uses: Vec<Use>,
    repeats: Repeats,
}

/// How the terms of a list were asked about.
#[derive(Debug, Default)]
struct Use {
    /// Pictures whose term was asked about: several questions about one are one draw.
    pictures: u64,
    /// The last of them.
    last: u64,
    seen: Vec<bool>,
}

/// Questions whose answer is or is not in the prompt, word by word.
#[derive(Debug, Default)]
struct Doubt {
    held: u64,
    missing: u64,
    first: Vec<Finding>,
}

/// What provenance says about the term that a question is about.
enum Shown<'i> {
    /// The picture shows this term.
    Term(&'i str),
    /// The prompt had no slot for it.
    Nothing,
    /// It cannot be told.
    Unknown,
}

impl<'g> ItemLint<'g> {
    /// A linter for questions; `grammar` tells which terms mean the same and which statement claims what.
    pub fn new(grammar: Option<&'g CompiledMetadata>) -> ItemLint<'g> {
        let lists = grammar.map_or(&[][..], |g| &g.lists);
        ItemLint {
            grammar,
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

    /// With this name for the file in findings; `items` otherwise.
    pub fn named(mut self, file: impl Into<String>) -> ItemLint<'g> {
        self.file = file.into();
        self
    }

    /// For a part of a composition (a preview, a selection): balance is not expected to be exact there.
    pub fn sampled(mut self) -> ItemLint<'g> {
        self.counts.sample = true;
        self
    }

    /// Looks at a question; `line` is where it stands, from 1, or its number.
    pub fn see(&mut self, item: &Item, line: u64) {
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

    /// Takes in that the question in this line could not be read.
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
        self.keep(rule, line, "", || (what, help));
    }

    /// Everything that was found: questions first, by line, then sets and terms; what was not listed is counted last.
    pub fn finish(mut self) -> Vec<Finding> {
        for doubt in std::mem::take(&mut self.doubts).into_values() {
            // Where the prompts of this subtask hold the answers as a rule, one that does not is an error.
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
            self.keep(skew.rule, 0, &skew.of, || (skew.what, skew.help.into()));
        }
        self.unused();
        let mut found = Vec::new();
        let mut more = Vec::new();
        for (rule, (kept, left)) in self.kept {
            found.extend(kept);
            if left > 0 {
                let what = format!("{left} more like the {LISTED} listed: {}", rule.about());
                more.push(
                    Finding::new(rule, self.file.as_str(), what)
                        .help("mend these first and look again"),
                );
            }
        }
        found.sort_by(|a, b| (a.line == 0).cmp(&(b.line == 0)).then_with(|| a.cmp(b)));
        found.extend(more);
        found
    }

    fn keep(&mut self, rule: Rule, line: u64, term: &str, say: impl FnOnce() -> (String, String)) {
        let (kept, left) = self.kept.entry(rule).or_default();
        if kept.len() == LISTED {
            *left += 1;
            return;
        }
        let (what, help) = say();
        let line = u32::try_from(line).unwrap_or(u32::MAX);
        kept.push(
            Finding::new(rule, self.file.as_str(), what)
                .line(line)
                .term(term)
                .help(help),
        );
    }

    fn empty(&mut self, item: &Item, line: u64) {
        let none = |text: &str| text.trim().is_empty();
        let what = if none(&item.question) {
            "the question is empty"
        } else if item.options.iter().any(|o| none(&o.text)) {
            "an option is empty"
        } else if item.kind == QuestionKind::MultipleChoice && item.options.is_empty() {
            "there is no option to choose"
        } else if none(&item.answer) {
            "the answer is empty"
        } else {
            return;
        };
        self.keep(Rule::EmptyQuestion, line, &item.id, || {
            (what.into(), "write it, or leave the question out".into())
        });
    }

    fn options(&mut self, item: &Item, line: u64) {
        if item.options.len() < 2 {
            return;
        }
        let mut folded: Vec<String> = item.options.iter().map(|o| fold(o.text.trim())).collect();
        folded.sort_unstable();
        if let Some(twice) = folded.windows(2).find(|w| w[0] == w[1] && !w[0].is_empty()) {
            let help =
                "draw another distractor: whoever picks one of the two is right or wrong by luck";
            self.keep(Rule::DuplicateOption, line, &item.id, || {
                (
                    format!("the option `{}` is offered twice", twice[0]),
                    help.into(),
                )
            });
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
        // Of a term that no vocabulary has nothing tells whether its last word is a head noun.
        let known = |text: &str| {
            list.and_then(|l| l.words.get(l.position(text)? as usize))
                .cloned()
        };
        let words: Vec<_> = asked
            .map(|o| {
                (
                    &o.text,
                    known(&o.text).unwrap_or_else(|| Words::new(&o.text, Terms::Phrases)),
                )
            })
            .collect();
        // A noun that every option ends in tells what the list is about: "red color", "blue color".
        let head = |w: &Words| w.folded().rsplit(' ').next().map(str::to_string);
        let common = words.windows(2).all(|w| head(&w[0].1) == head(&w[1].1));
        for (at, (one, own)) in words.iter().enumerate() {
            for (two, other) in &words[..at] {
                let near = own.near(other).filter(|n| !read || *n == Overlap::Same);
                let near = near.filter(|n| *n != Overlap::Head || !common);
                // 1950 and 1960 are one figure apart and different answers.
                let figures = |text: &str| text.contains(|c: char| c.is_ascii_digit());
                let Some(near) =
                    near.filter(|n| *n != Overlap::Edit || !(figures(one) || figures(two)))
                else {
                    continue;
                };
                self.keep(Rule::NearSynonym, line, &item.id, || {
                    (
                        format!("the options `{two}` and `{one}` {}", near.why()),
                        "draw another distractor, or disable one of the two terms".into(),
                    )
                });
                return;
            }
        }
    }

    /// Letters that the hint lists beyond the options.
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
            self.keep(Rule::WrongLetters, line, &item.id, || {
                let what = format!(
                    "the hint lists {} and the question offers {}",
                    beyond.join(", "),
                    match item.options.len() {
                        0 => "no options".into(),
                        n => format!("{n} options"),
                    }
                );
                (
                    what,
                    "list the letters of the options that are offered".into(),
                )
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
        let leaks = |text: &str| holds(&question, text);
        // A question that names another option too asks which of them it is.
        let others = || {
            item.options
                .iter()
                .filter(|o| o.role == Role::Distractor)
                .take(COMPARED)
        };
        if leaks(&answer) && !others().any(|o| leaks(&plain(&o.text))) {
            self.keep(Rule::AnswerLeak, line, &item.id, || {
                (
                    format!("the answer `{answer}` stands in the question"),
                    "word the question otherwise".into(),
                )
            });
        }
    }

    /// The rules of compatibility hold of it, and it was not asked of another picture.
    fn scene(&mut self, item: &Item, line: u64) {
        if let Some((rule, what, help)) = self.grammar.and_then(|g| scenes::check(g, item)) {
            self.keep(rule, line, &item.id, || (what, help.into()));
        }
        if self.repeats.see(item) {
            self.keep(Rule::RepeatedQuestion, line, &item.id, || {
                let what = "another picture has the same prompt, question and options";
                (
                    what.into(),
                    "give its prompt more wordings or terms, or ask fewer questions of this kind"
                        .into(),
                )
            });
        }
    }

    /// The option marked right is the one that the answer names.
    fn marked(&mut self, item: &Item, line: u64) {
        let (Some(at), false) = (item.correct(), item.answer.trim().is_empty()) else {
            return;
        };
        let (text, answer) = (item.options[at].text.trim(), item.answer.trim());
        let letter = answer.trim_start_matches('(').trim_end_matches([')', '.']);
        if answer != text && letter != Item::letter(at) {
            self.keep(Rule::WrongLabel, line, &item.id, || {
                (
                    format!("the answer is `{answer}` and the option marked right is `{text}`"),
                    String::new(),
                )
            });
        }
    }

    /// The list that a question asks about.
    fn list(&self, item: &Item) -> Option<&'g List> {
        let grammar = self.grammar?;
        let subtask = grammar.subtask(item.subtask.as_deref()?)?;
        grammar.lists.get(grammar.subtasks[subtask].list)
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
        let help = "compose the question again, or turn its label round";
        self.keep(Rule::WrongLabel, line, &item.id, || (what(), help.into()));
    }

    fn unanswerable(&mut self, item: &Item, line: u64, what: impl FnOnce() -> String) {
        let help =
            "ask only about what the prompt puts into the picture, or leave the question out";
        self.keep(Rule::Unanswerable, line, &item.id, || (what(), help.into()));
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
                            "the picture shows `{term}` and `{claim}` is labelled {}",
                            word(says)
                        )
                    });
                } else if !says && item.pair.is_none() && holds(&prompt, &plain(claim)) {
                    self.contradicts(item, line, || {
                        format!(
                            "the prompt holds `{claim}`, which is labelled {}",
                            word(says)
                        )
                    });
                }
            }
            Shown::Nothing => self.unanswerable(item, line, || {
                format!("nothing was put into the picture for `{claim}`")
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
                        format!("declining is marked right and the picture shows `{term}`")
                    });
                }
                _ if !declines => {
                    self.contradicts(item, line, || "no option is marked right".into())
                }
                _ => {}
            }
            return;
        }
        match self.shown(item) {
            Shown::Term(term) => {
                if let Some(right) = right.filter(|r| *r != term) {
                    self.contradicts(item, line, || {
                        format!("the picture shows `{term}` and `{right}` is marked right")
                    });
                    return;
                }
                // A style is in the prompt by its wording, not by its name.
                let style = self
                    .list(item)
                    .map_or(item.subtask.as_deref() == Some(STYLE), |l| l.name == STYLE);
                let prompt = item.prompt.as_deref().map(plain).unwrap_or_default();
                if !style && !holds(&prompt, &plain(term)) {
                    self.unanswerable(item, line, || format!("the prompt does not hold `{term}`"));
                }
            }
            Shown::Nothing => {
                let answer = right.unwrap_or(&item.answer);
                self.unanswerable(item, line, || {
                    format!("nothing was put into the picture for `{answer}`")
                });
            }
            Shown::Unknown => {}
        }
    }

    /// An imported statement is held against its prompt where the same words stand in both.
    fn imported_claim(&mut self, item: &Item, line: u64, says: Option<bool>) {
        let (Some(prompt), Some(says)) = (
            item.prompt.as_deref().filter(|p| !p.trim().is_empty()),
            says,
        ) else {
            return;
        };
        let (prompt, question) = (plain(prompt), plain(&item.question));
        if ["not", "no", "isn't"].iter().any(|w| holds(&question, w)) {
            return;
        }
        let claim = self.claim(item, &question);
        let claim = claim.or_else(|| {
            // A part of the prompt that the question repeats: "art nouveau style". One word alone says too little.
            let parts = prompt.split(',').map(str::trim).filter(|p| p.contains(' '));
            parts
                .filter(|p| holds(&question, p))
                .max_by_key(|p| p.len())
                .map(String::from)
        });
        let Some(claim) = claim else { return };
        let held = holds(&prompt, &claim);
        if held && !says {
            self.contradicts(item, line, || {
                format!(
                    "the prompt holds `{claim}`, which is labelled {}",
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
                        .map(Words::folded)
                        .find(|w| holds(&prompt, w))
                });
            if let Some(other) = other {
                self.contradicts(item, line, || {
                    format!(
                        "the prompt holds `{other}` and not `{claim}`, which is labelled {}",
                        word(says)
                    )
                });
            }
        }
    }

    /// The term that an imported statement claims, in plain words, where the grammar knows it.
    fn claim(&self, item: &Item, question: &str) -> Option<String> {
        let grammar = self.grammar?;
        let subtask = &grammar.subtasks[grammar.subtask(item.subtask.as_deref()?)?];
        let list = &grammar.lists[subtask.list];
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
            .map(Words::folded)
            .filter(|w| holds(question, w));
        held.max_by_key(|w| w.len()).map(String::from)
    }

    /// An imported answer is looked for in the prompt, word by word.
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
        // A style is in the prompt by its wording, not by its name.
        if list.map_or(subtask == STYLE, |l| l.name == STYLE) {
            return;
        }
        let (prompt, answer) = (plain(prompt), plain(&item.options[at].text));
        let held = holds(&prompt, &answer);
        // A word that is nearly there ("pancake", "pancakes") is there.
        let somewhere = answer
            .split(' ')
            .any(|word| match word.char_indices().nth(4) {
                Some((end, _)) => prompt.split(' ').any(|p| p.starts_with(&word[..end])),
                None => word.chars().count() > 2 && holds(&prompt, word),
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
        let what = || format!("the prompt does not hold the answer `{answer}`");
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
            let help =
                "ask only about what the prompt puts into the picture, or leave the question out";
            let finding = Finding::new(Rule::Unanswerable, self.file.as_str(), what());
            let line = u32::try_from(line).unwrap_or(u32::MAX);
            doubt
                .first
                .push(finding.line(line).term(item.id.as_str()).help(help));
        }
    }

    /// Which term a composed question is about.
    fn used(&mut self, item: &Item) {
        let Some(grammar) = self.grammar.filter(|_| item.provenance.is_some()) else {
            return;
        };
        let Some(subtask) = item.subtask.as_deref().and_then(|s| grammar.subtask(s)) else {
            return;
        };
        let list = grammar.subtasks[subtask].list;
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
        let position = grammar.lists[list].position(term);
        if let Some(seen) = position.and_then(|p| uses.seen.get_mut(p as usize)) {
            *seen = true;
        }
    }

    /// Terms that were no question's answer although there were so many that chance would have taken each.
    fn unused(&mut self) {
        let (Some(grammar), false) = (self.grammar, self.counts.sample) else {
            return;
        };
        for (list, Use { pictures, seen, .. }) in
            grammar.lists.iter().zip(std::mem::take(&mut self.uses))
        {
            let n = seen.len() as f64;
            // Of n terms drawn m times, n exp(-m/n) are expected to be missing: here less than one in a hundred.
            if (pictures as f64) < n * (n.ln() + 5.0) {
                continue;
            }
            for (term, _) in list.terms.iter().zip(&seen).filter(|(_, seen)| !**seen) {
                let file = std::mem::replace(&mut self.file, file_of(&list.name));
                self.keep(Rule::UnusedTerm, 0, term, || {
                    let what = format!(
                        "`{term}` is asked about in none of {pictures} pictures that are asked about their {}",
                        list.name
                    );
                    (what, "see whether the plan leaves it out; else compose more, or disable it".into())
                });
                self.file = file;
            }
        }
    }
}

/// Whether the label says that the statement holds, or the question is answered by yes.
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

/// What stands in the place of the `{term}` of a template in `text`, where the rest of it is the template's.
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
