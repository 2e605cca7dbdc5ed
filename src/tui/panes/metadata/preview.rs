//! The preview of a metadata edit: twenty questions from a fixed seed, before and after the edit.
//! Questions that change come first.

use std::sync::Arc;

use super::diff::{Terms, by_terms};
use crate::widgets::word_diff::{Change, Piece, by_words};
use benchtop_compose::compiled_metadata::CompiledMetadata;
use benchtop_compose::engine::{
    Choices, Composer, DrawnAnswer, MissingMetadata, WrittenQuestion, choices_of, write,
};
use benchtop_compose::lint::{Linter, violation};
use benchtop_compose::metadata::{Metadata, STYLE};
use benchtop_compose::plan::{Pictures, Plan};
use benchtop_compose::schedule::Schedule;
use benchtop_model::Finding;
use benchtop_model::rng::key;
use benchtop_model::sorting::sort_by_key;

/// Questions in a preview.
pub const SHOWN: usize = 20;
/// Questions drawn to find those that change.
const DRAWN: u64 = 120;
/// Changed terms per vocabulary that get a question of their own.
const TERMS: usize = 6;
const OPTIONS: usize = 4;

/// The questions that a preview is about.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum Selection {
    #[default]
    All,
    /// Pictures whose prompt has a slot of this vocabulary, with a question about it where
    /// possible.
    Vocabulary(String),
    Subject(String),
    Subtask(String),
    /// Subjects that use this fragment.
    Fragment(String),
    Style(String),
}

/// A request for a preview.
#[derive(Clone, Debug)]
pub struct PreviewRequest {
    /// Rises with every request, to recognize late replies.
    pub ticket: u64,
    /// The metadata before the edit.
    pub base: Metadata,
    /// The metadata after the edit.
    pub edited: Metadata,
    pub selection: Selection,
    pub seed: u64,
}

/// One question, before and after the edit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    pub head: String,
    /// Texts with a letter for each: P prompt, Q question; A answer, N negative prompt, and I
    /// instruction where they matter.
    pub texts: Vec<(&'static str, Vec<Piece>)>,
    /// What the edit removed, if the question is gone. Its texts are then the old ones.
    pub gone: Option<String>,
}

impl Shown {
    pub fn changed(&self) -> bool {
        self.gone.is_some()
            || self
                .texts
                .iter()
                .any(|(_, t)| t.iter().any(|p| p.change != Change::Same))
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Preview {
    /// At most [`SHOWN`] questions plus those of new terms. Changed ones come first.
    pub shown: Vec<Shown>,
    pub found: Vec<Finding>,
}

impl Preview {
    /// The number of changed questions.
    pub fn changed(&self) -> usize {
        self.shown.iter().filter(|s| s.changed()).count()
    }
}

/// Makes previews. It caches the compiled base and the linter's findings in unchanged files.
#[derive(Debug, Default)]
pub struct Maker {
    base: Option<(String, String, Arc<CompiledMetadata>)>,
    linter: Linter,
}

impl Maker {
    /// Makes a preview. The result depends on the arguments alone, not on earlier calls.
    pub fn make(
        &mut self,
        base: &Metadata,
        edited: &Metadata,
        selection: &Selection,
        seed: u64,
    ) -> Preview {
        let compiled = self.compiled(base);
        let (grammar, found) = CompiledMetadata::compile(edited);
        let grammar = Arc::new(grammar);
        let pair = Pair {
            base: &compiled,
            edited: &grammar,
            terms: terms(base, edited),
            seed,
        };
        let mut all = pair.drawn(selection, base);
        // The sort is stable: changed and unchanged questions keep their order.
        sort_by_key(&mut all, |s| !s.changed());
        all.truncate(SHOWN);
        let mut shown = pair.of_new_terms(selection, edited);
        shown.extend(all);
        let mut found = self.linter.lint_compiled(edited, &found);
        // Stable again: findings stay in order of file and line.
        sort_by_key(&mut found, |f| std::cmp::Reverse(f.severity()));
        Preview { shown, found }
    }

    fn compiled(&mut self, base: &Metadata) -> Arc<CompiledMetadata> {
        let (vocabulary, template) = (base.vocabulary_revision(), base.template_revision());
        match &self.base {
            Some((v, t, grammar)) if (v, t) == (&vocabulary, &template) => Arc::clone(grammar),
            _ => {
                let grammar = Arc::new(CompiledMetadata::compile(base).0);
                self.base = Some((vocabulary, template, Arc::clone(&grammar)));
                grammar
            }
        }
    }
}

pub fn compute(base: &Metadata, edited: &Metadata, selection: &Selection, seed: u64) -> Preview {
    Maker::default().make(base, edited, selection, seed)
}

/// The changed terms of each changed vocabulary.
fn terms(base: &Metadata, edited: &Metadata) -> Vec<(String, Terms)> {
    let mut out = Vec::new();
    let names = base
        .vocabularies()
        .keys()
        .map(String::as_str)
        .chain([STYLE]);
    for name in names {
        let same = match (
            base.vocabularies().get(name),
            edited.vocabularies().get(name),
        ) {
            (Some(a), Some(b)) => Arc::ptr_eq(a, b),
            _ => false,
        };
        if !same {
            let mut terms = by_terms(&base.enabled(name), &edited.enabled(name));
            // A disabled term was not renamed to its new neighbor.
            let kept = |m: &Metadata, t: &str| {
                m.vocabularies()
                    .get(name)
                    .is_some_and(|v| v.terms().iter().any(|o| o.text == t))
            };
            let (renamed, apart): (Vec<_>, Vec<_>) = terms
                .renamed
                .drain(..)
                .partition(|(old, new)| !kept(edited, old) && !kept(base, new));
            terms.renamed = renamed;
            for (old, new) in apart {
                terms.gone.push(old);
                terms.new.push(new);
            }
            if terms != Terms::default() {
                out.push((name.to_string(), terms));
            }
        }
    }
    out
}

/// The compiled metadata before and after the edit.
struct Pair<'g> {
    base: &'g Arc<CompiledMetadata>,
    edited: &'g Arc<CompiledMetadata>,
    terms: Vec<(String, Terms)>,
    seed: u64,
}

impl Pair<'_> {
    /// Questions drawn from the base, with their text in the edited metadata.
    fn drawn(&self, selection: &Selection, base: &Metadata) -> Vec<Shown> {
        let drawn = draw(self.base, &plan(self.base, selection, base), self.seed);
        let mut out: Vec<Shown> = Vec::new();
        for (name, terms) in &self.terms {
            let Some(list) = self.base.list(name) else {
                continue;
            };
            let changed = terms
                .renamed
                .iter()
                .map(|(old, _)| old)
                .chain(&terms.gone)
                .take(TERMS);
            for (n, term) in changed.enumerate() {
                let Some(position) = self.base.lists[list].position(term) else {
                    continue;
                };
                let with_list = drawn
                    .iter()
                    .filter(|c| c.terms.iter().any(|(l, _)| *l == list))
                    .cycle();
                if let Some(choices) = with_list.skip(n).take(1).next() {
                    out.push(self.show(&with_term(self.base, choices, list, position)));
                }
            }
        }
        out.extend(self.of_new_rules(&drawn));
        out.extend(drawn.iter().map(|c| self.show(c)));
        out.dedup();
        out
    }

    /// Questions that new rules exclude: terms that cannot appear together now, and vocabularies
    /// that a term now hides.
    fn of_new_rules(&self, drawn: &[Choices]) -> Vec<Shown> {
        let (base, edited) = (self.base, self.edited);
        let Some(rules) = edited.compatibility.as_deref() else {
            return Vec::new();
        };
        let old = base.compatibility.as_deref();
        let at = |(list, term): (usize, u32)| {
            let own = base.list(&edited.lists[list].name)?;
            Some((
                own,
                base.lists[own].position(&edited.lists[list].terms[term as usize])?,
            ))
        };
        let mut out = Vec::new();
        for (a, b) in rules.clashes() {
            if out.len() >= TERMS {
                break;
            }
            let (Some(a), Some(b)) = (at(a), at(b)) else {
                continue;
            };
            let has = |c: &&Choices| {
                [a, b]
                    .iter()
                    .all(|(list, _)| c.terms.iter().any(|t| t.0 == *list))
            };
            if old.is_some_and(|old| old.clash(a, b)) {
                continue;
            }
            if let Some(choices) = drawn.iter().find(has) {
                let with_list = with_term(base, choices, a.0, a.1);
                out.push(self.show(&with_term(base, &with_list, b.0, b.1)));
            }
        }
        for (term, list) in rules.all_hidden() {
            let (Some(term), Some(list)) = (at(term), base.list(&edited.lists[list].name)) else {
                continue;
            };
            let asks = |c: &&Choices| {
                base.subtasks[c.subtask].list == list && c.terms.iter().any(|t| t.0 == term.0)
            };
            if out.len() >= 2 * TERMS || old.is_some_and(|old| old.hides(term, list)) {
                continue;
            }
            if let Some(choices) = drawn.iter().find(asks) {
                out.push(self.show(&with_term(base, choices, term.0, term.1)));
            }
        }
        out
    }

    /// Questions about terms that only the edited metadata has.
    fn of_new_terms(&self, selection: &Selection, edited: &Metadata) -> Vec<Shown> {
        let mut out = Vec::new();
        for (name, terms) in self.terms.iter().filter(|(_, t)| !t.new.is_empty()) {
            let Some(list) = self.edited.list(name) else {
                continue;
            };
            let about = match selection {
                Selection::Vocabulary(_) | Selection::All => Selection::Vocabulary(name.clone()),
                other => other.clone(),
            };
            let drawn = draw(self.edited, &plan(self.edited, &about, edited), self.seed);
            let with_list: Vec<_> = drawn
                .iter()
                .filter(|c| c.terms.iter().any(|(l, _)| *l == list))
                .collect();
            for (term, choices) in terms.new.iter().take(TERMS).zip(with_list) {
                let Some(position) = self.edited.lists[list].position(term) else {
                    continue;
                };
                let choices = with_term(self.edited, choices, list, position);
                if let Ok(written) = write(self.edited, &choices) {
                    out.push(Shown {
                        head: format!("{}  new: {name} `{term}`", head(self.edited, &choices)),
                        texts: texts(None, &written),
                        gone: None,
                    });
                }
            }
        }
        out
    }

    fn show(&self, choices: &Choices) -> Shown {
        let head = head(self.base, choices);
        let gone = |what: String, before: Option<&WrittenQuestion>| {
            let texts = before.map_or(Vec::new(), |w| texts(Some(w), w));
            Shown {
                head: head.clone(),
                texts,
                gone: Some(what),
            }
        };
        let before = match write(self.base, choices) {
            Ok(written) => written,
            Err(what) => return gone(what.to_string(), None),
        };
        let after = self
            .translate(choices)
            .and_then(|c| Ok((write(self.edited, &c)?, c)));
        let breaks =
            |(written, c): &(WrittenQuestion, Choices)| violation(self.edited, c, &written.prompt);
        if let Some((_, what, _)) = after.as_ref().ok().and_then(breaks) {
            return gone(what, Some(&before));
        }
        match after.map(|(written, _)| written) {
            Ok(after) => Shown {
                head,
                texts: texts(Some(&before), &after),
                gone: None,
            },
            Err(what) => gone(what.to_string(), Some(&before)),
        }
    }

    /// The same choices as positions in the edited metadata. It follows renamed terms and fills
    /// slots that are new in the prompt.
    fn translate(&self, choices: &Choices) -> Result<Choices, MissingMetadata> {
        let (base, edited) = (self.base, self.edited);
        let list = |list: usize| {
            let name = &base.lists[list].name;
            edited
                .list(name)
                .ok_or_else(|| MissingMetadata::Slot(name.clone()))
        };
        let term = |from: usize, term: u32| -> Result<u32, MissingMetadata> {
            let list_of = &base.lists[from];
            let (name, text) = (&list_of.name, &list_of.terms[term as usize]);
            let renamed = self.terms.iter().find(|(n, _)| n == name);
            let renamed = renamed.and_then(|(_, t)| t.renamed.iter().find(|(old, _)| old == text));
            let now = renamed.map_or(text.as_str(), |(_, new)| new.as_str());
            let position = edited.lists[list(from)?].position(now);
            position.ok_or_else(|| MissingMetadata::Term(name.clone(), text.clone()))
        };
        let pairs = |terms: &[(usize, u32)]| -> Result<Vec<(usize, u32)>, MissingMetadata> {
            let mut out = Vec::with_capacity(terms.len());
            for (from, at) in terms {
                out.push((list(*from)?, term(*from, *at)?));
            }
            out.sort_unstable();
            Ok(out)
        };
        let subject_name = &base.subjects[choices.subject].name;
        let subject = edited
            .subject(subject_name)
            .ok_or_else(|| MissingMetadata::Subject(subject_name.clone()))?;
        let subtask_name = &base.subtasks[choices.subtask].name;
        let subtask = edited
            .subtask(subtask_name)
            .ok_or_else(|| MissingMetadata::Subtask(subtask_name.clone()))?;
        let of = base.subtasks[choices.subtask].list;
        let mut terms = pairs(&choices.terms)?;
        for &needed in &edited.subjects[subject].lists {
            let many = edited.lists[needed].terms.len() as u64;
            if many > 0 && !terms.iter().any(|(l, _)| *l == needed) {
                let drawn = key(
                    self.seed,
                    &["preview", &edited.lists[needed].name, subject_name],
                ) % many;
                terms.push((needed, drawn as u32));
            }
        }
        terms.sort_unstable();
        let wording = choices
            .wording
            .min(edited.subjects[subject].prompts.len().saturating_sub(1));
        let mut asked = choices.asked.clone();
        match &mut asked {
            DrawnAnswer::Options { options, .. } => {
                for option in options {
                    *option = term(of, *option)?;
                }
            }
            DrawnAnswer::Claim { term: claimed, .. } | DrawnAnswer::YesNo { term: claimed, .. } => {
                *claimed = term(of, *claimed)?;
            }
            _ => {}
        }
        Ok(Choices {
            subject,
            wording,
            terms,
            second: pairs(&choices.second)?,
            subtask,
            asked,
        })
    }
}

/// Replaces the term of one list. If the question is about that list, the answer changes too.
fn with_term(grammar: &CompiledMetadata, choices: &Choices, list: usize, term: u32) -> Choices {
    let mut choices = choices.clone();
    let mut was = None;
    if let Some(slot) = choices.terms.iter_mut().find(|(l, _)| *l == list) {
        was = Some(std::mem::replace(&mut slot.1, term));
    }
    if grammar.subtasks[choices.subtask].list == list {
        match &mut choices.asked {
            DrawnAnswer::Options {
                options, correct, ..
            } => {
                // If the term was already an option, the two swap places.
                for option in options.iter_mut().filter(|o| **o == term) {
                    *option = was.unwrap_or(term);
                }
                if let Some(right) = correct.and_then(|c| options.get_mut(c)) {
                    *right = term;
                }
            }
            DrawnAnswer::Claim {
                term: claimed,
                holds,
                ..
            }
            | DrawnAnswer::YesNo {
                term: claimed,
                holds,
            } => {
                if *holds {
                    *claimed = term;
                } else if *claimed == term {
                    *claimed = was.unwrap_or(term);
                }
            }
            DrawnAnswer::Free | DrawnAnswer::Cross { .. } => {}
        }
    }
    choices
}

fn plan(grammar: &CompiledMetadata, selection: &Selection, metadata: &Metadata) -> Plan {
    let list = |name: &str| grammar.list(name);
    let mut styles = Vec::new();
    let mut about: Option<usize> = None;
    let subjects: Vec<&benchtop_compose::compiled_metadata::Subject> = match selection {
        Selection::All => grammar.subjects.iter().collect(),
        Selection::Vocabulary(name) => {
            let list = list(name);
            about = grammar.subtasks.iter().position(|t| Some(t.list) == list);
            grammar
                .subjects
                .iter()
                .filter(|s| list.is_some_and(|l| s.lists.contains(&l)))
                .collect()
        }
        Selection::Subject(name) => grammar
            .subjects
            .iter()
            .filter(|s| s.name == *name)
            .collect(),
        Selection::Subtask(name) => {
            about = grammar.subtask(name);
            grammar
                .subjects
                .iter()
                .filter(|s| about.is_some_and(|t| s.supports.contains(&t)))
                .collect()
        }
        Selection::Fragment(name) => {
            let uses = |s: &&benchtop_compose::compiled_metadata::Subject| {
                let raw = metadata.templates().subjects.get(&s.name);
                raw.is_some_and(|r| r.prompts.iter().any(|p| p.template.has(name)))
            };
            grammar.subjects.iter().filter(uses).collect()
        }
        Selection::Style(name) => {
            if grammar
                .lists
                .get(grammar.style)
                .is_some_and(|l| l.position(name).is_some())
            {
                styles.push(name.clone());
            }
            grammar.subjects.iter().collect()
        }
    };
    let many = subjects.len().max(1) as u64;
    let pictures = subjects
        .into_iter()
        .filter(|s| !s.supports.is_empty())
        .map(|subject| {
            let own = about
                .filter(|t| subject.supports.contains(t))
                .map(|t| grammar.subtasks[t].name.clone());
            let mut own: Vec<String> = own.into_iter().collect();
            if !styles.is_empty() {
                // A single style offers no distractors, so nobody can be asked which style it is.
                let other = subject
                    .supports
                    .iter()
                    .map(|t| &grammar.subtasks[*t])
                    .filter(|t| t.list != grammar.style);
                own = other.map(|t| t.name.clone()).collect();
            }
            Pictures {
                subject: subject.name.clone(),
                count: Some(DRAWN.div_ceil(many).max(2)),
                about: own,
                styles: styles.clone(),
                ..Pictures::default()
            }
        });
    Plan {
        name: "preview".into(),
        options: OPTIONS,
        pictures: pictures.collect(),
        shares: Default::default(),
    }
}

/// Choices of up to [`DRAWN`] questions, spread over the whole schedule. Parts of the plan that
/// are not possible are left out: the findings say why.
fn draw(grammar: &Arc<CompiledMetadata>, plan: &Plan, seed: u64) -> Vec<Choices> {
    let possible = |p: &Pictures| {
        let alone = Plan {
            pictures: vec![p.clone()],
            ..plan.clone()
        };
        Schedule::new(grammar, &alone).is_ok()
    };
    let course = Schedule::new(grammar, plan).or_else(|_| {
        let pictures = plan
            .pictures
            .iter()
            .filter(|p| possible(p))
            .cloned()
            .collect();
        Schedule::new(
            grammar,
            &Plan {
                pictures,
                ..plan.clone()
            },
        )
    });
    let Ok(course) = course else {
        return Vec::new();
    };
    let questions = course.questions();
    let mut composer = Composer::new(Arc::clone(grammar), Arc::new(course), seed);
    let many = questions.min(DRAWN);
    // A step coprime to the number of questions visits every subject and question type in turn.
    let common = |mut a: u64, mut b: u64| {
        while b > 0 {
            (a, b) = (b, a % b);
        }
        a
    };
    let step = (questions / many.max(1)..)
        .find(|s| common(*s, questions) == 1)
        .unwrap_or(1);
    let at = |i: u64| i * step % questions.max(1);
    let items = (0..many).filter_map(|i| composer.question(at(i)));
    items
        .filter_map(|item| choices_of(grammar, &item)?.ok())
        .collect()
}

fn head(grammar: &CompiledMetadata, choices: &Choices) -> String {
    let kind = match choices.asked {
        DrawnAnswer::Options { .. } | DrawnAnswer::Cross { .. } => "multiple choice",
        DrawnAnswer::Claim { .. } => "true/false",
        DrawnAnswer::YesNo { .. } => "yes/no",
        DrawnAnswer::Free => "free form",
    };
    let subject = &grammar.subjects[choices.subject].name;
    let subtask = &grammar.subtasks[choices.subtask].name;
    if subject == subtask {
        format!("{subject}, {kind}")
    } else {
        format!("{subject}: {subtask}, {kind}")
    }
}

/// The texts of a question. Without `before`, all of it is new.
fn texts(
    before: Option<&WrittenQuestion>,
    after: &WrittenQuestion,
) -> Vec<(&'static str, Vec<Piece>)> {
    let compare = |of: fn(&WrittenQuestion) -> String| {
        let new = of(after);
        match before {
            Some(before) => by_words(&of(before), &new),
            None if new.is_empty() => Vec::new(),
            None => vec![Piece::new(new, Change::Added)],
        }
    };
    let question = |w: &WrittenQuestion| {
        let mut text = w.question.clone();
        for (i, option) in w.options.iter().enumerate() {
            let letter = char::from(b'A' + (i % 26) as u8);
            text += &format!("  ({letter}) {}", option.text);
        }
        text
    };
    let differs = |pieces: &[Piece]| pieces.iter().any(|p| p.change != Change::Same);
    let mut out = vec![
        ("P", compare(|w| w.prompt.clone())),
        ("Q", compare(question)),
    ];
    let answer = compare(|w| w.answer.clone());
    if after.options.is_empty() || differs(&answer) {
        out.push(("A", answer));
    }
    if before.is_some() {
        let negative = compare(|w| w.negative.clone());
        if differs(&negative) {
            out.push(("N", negative));
        }
        // The instruction counts only if it is all that changed.
        let instruction = compare(|w| w.instruction.clone());
        if differs(&instruction)
            && !out
                .iter()
                .any(|(name, pieces)| *name == "Q" && differs(pieces))
        {
            out.push(("I", instruction));
        }
    }
    out
}

#[cfg(test)]
#[path = "preview_tests.rs"]
mod tests;
