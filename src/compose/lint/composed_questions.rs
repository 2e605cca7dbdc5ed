//! Checks composed questions against compatibility rules: impossible pictures, hidden answers, and
//! second right answers.

use std::collections::HashMap;

use crate::ambiguity::{contains_words, plain};
use crate::compatibility::{Compatibility, TermAt};
use crate::compiled_metadata::CompiledMetadata;
use crate::engine::{Choices, DrawnAnswer, choices_of};
use benchtop_model::hash::{first_bytes, of_texts};
use benchtop_model::{Item, Rule};

/// Maximum number of questions to check for repeats, with 12 bytes each.
const KEPT: usize = 4_000_000;

/// A violation: the rule, a description, and advice.
pub type Violation = (Rule, String, &'static str);

/// The first violation of a composed question.
pub(super) fn check(compiled: &CompiledMetadata, item: &Item) -> Option<Violation> {
    compiled.compatibility.as_ref()?;
    violation(
        compiled,
        &choices_of(compiled, item)?.ok()?,
        item.prompt.as_deref().unwrap_or_default(),
    )
}

/// The first violation of a question, given its content and the prompt of its picture.
pub fn violation(
    compiled: &CompiledMetadata,
    choices: &Choices,
    prompt: &str,
) -> Option<Violation> {
    let rules = compiled.compatibility.as_deref()?;
    let scene = Scene {
        compiled,
        rules,
        choices,
        list: compiled.subtasks[choices.subtask].list,
    };
    scene
        .impossible()
        .or_else(|| scene.hidden())
        .or_else(|| scene.options(prompt))
}

/// A question with the rules.
struct Scene<'g> {
    compiled: &'g CompiledMetadata,
    rules: &'g Compatibility,
    choices: &'g Choices,
    list: usize,
}

impl Scene<'_> {
    fn name(&self, term: TermAt) -> &str {
        &self.compiled.lists[term.0].terms[term.1 as usize]
    }

    fn impossible(&self) -> Option<Violation> {
        let Choices { terms, second, .. } = self.choices;
        let (a, b) = [terms, second]
            .into_iter()
            .find_map(|terms| self.rules.impossible(terms))?;
        let why = self.rules.reason(a, b);
        let why = if why.is_empty() {
            String::new()
        } else {
            format!(": {why}")
        };
        let what = format!(
            "`{}` and `{}` cannot appear in one picture{why}",
            self.name(a),
            self.name(b)
        );
        Some((
            Rule::ImpossibleScene,
            what,
            "compose it again with the rules, or relax compatibility.toml",
        ))
    }

    fn hidden(&self) -> Option<Violation> {
        let subject = &self.compiled.subjects[self.choices.subject];
        // Questions beyond the picture are about hidden things on purpose.
        if !subject.lists.contains(&self.list) {
            return None;
        }
        let subtask = &self.compiled.subtasks[self.choices.subtask];
        let asked = self.compiled.lists_of_question(
            subject,
            subtask,
            self.choices.asked == DrawnAnswer::Free,
        );
        let hides = |term: &TermAt| {
            let hidden = asked.iter().find(|l| self.rules.hides(*term, **l))?;
            Some((*term, *hidden))
        };
        let (term, hidden) = self
            .choices
            .terms
            .iter()
            .chain(&self.choices.second)
            .find_map(hides)?;
        let what = format!(
            "`{}` hides the {} that the question asks about",
            self.name(term),
            self.compiled.lists[hidden].name
        );
        Some((
            Rule::HiddenAnswer,
            what,
            "ask about another picture, or remove the question",
        ))
    }

    /// Checks the wrong answers: the options, or the term of a false statement.
    fn options(&self, prompt: &str) -> Option<Violation> {
        let list = &self.compiled.lists[self.list];
        let text = |term: u32| &list.terms[term as usize];
        let right = self
            .choices
            .terms
            .iter()
            .find(|t| t.0 == self.list)
            .map(|t| t.1);
        let wrong = self.choices.asked.wrong(right)?;
        let shows = |term: u32| {
            let by = |t: &TermAt| self.rules.shown(*t, self.list).binary_search(&term).is_ok();
            self.choices.terms.iter().any(by)
        };
        if let Some(shown) = wrong.iter().find(|w| shows(**w)) {
            let what = format!(
                "the picture also shows `{}`, which is offered as wrong",
                text(*shown)
            );
            return Some((Rule::ShownAnyway, what, "draw another wrong answer"));
        }
        let right = right?;
        if let Some(other) = wrong
            .iter()
            .find(|w| self.rules.can_both_be_right(self.list, right, **w))
        {
            let what = format!(
                "`{}` can be right together with `{}`, because they are in different groups",
                text(*other),
                text(right)
            );
            return Some((
                Rule::SecondAnswer,
                what,
                "draw wrong answers from the group of the right one",
            ));
        }
        if let Some(other) = wrong
            .iter()
            .find(|w| self.rules.look_alike(self.list, right, **w))
        {
            let what = format!("`{}` and `{}` look alike", text(*other), text(right));
            return Some((Rule::LookAlike, what, "draw another wrong answer"));
        }
        self.far(prompt, right, &wrong)
    }

    /// A wrong answer that is easy to tell from the right word, although a more similar word is
    /// available.
    fn far(&self, prompt: &str, right: u32, wrong: &[u32]) -> Option<Violation> {
        let near = self.rules.letters(self.list, right)?;
        let list = &self.compiled.lists[self.list];
        let far = *wrong.iter().find(|w| near.binary_search(w).is_err())?;
        let prompt = plain(prompt);
        let words = |term: u32| &list.words[term as usize];
        let left = |term: &&u32| {
            let others = wrong.iter().copied().filter(|w| *w != far).chain([right]);
            !wrong.contains(term)
                && !contains_words(&prompt, words(**term).folded())
                && others
                    .into_iter()
                    .all(|other| words(other).overlap(words(**term)).is_none())
        };
        let nearer = near.iter().find(left)?;
        let text = |term: u32| &list.terms[term as usize];
        let what = format!(
            "`{}` is easy to tell from `{}`; `{}` is more similar",
            text(far),
            text(right),
            text(*nearer)
        );
        Some((
            Rule::FarDistractor,
            what,
            "draw wrong answers that differ from the word by a few letters",
        ))
    }
}

/// Detects questions that repeat on another picture.
#[derive(Debug, Default)]
pub(super) struct Repeats {
    /// The picture of each question, both as hashes.
    seen: HashMap<u64, u32>,
}

impl Repeats {
    /// Whether another picture has the same prompt, question, and options. Questions without a
    /// prompt are ignored.
    pub fn see(&mut self, item: &Item) -> bool {
        let (Some(prompt), Some(image)) = (item.prompt.as_deref(), item.images.first()) else {
            return false;
        };
        if prompt.trim().is_empty() {
            return false;
        }
        let mut options: Vec<&str> = item.options.iter().map(|o| o.text.as_str()).collect();
        options.sort_unstable();
        // Questions about a pair and about a single picture differ in wording.
        let form = if item.pair.is_some() { "pair" } else { "" };
        let head = [
            item.dataset.as_str(),
            item.kind.name(),
            form,
            prompt,
            &item.question,
        ];
        let (question, picture) = (
            first_bytes(&of_texts(head.into_iter().chain(options))),
            first_bytes(&blake3::hash(image.name.as_bytes())) as u32,
        );
        match self.seen.get(&question) {
            Some(other) => *other != picture,
            None => {
                if self.seen.len() < KEPT {
                    self.seen.insert(question, picture);
                }
                false
            }
        }
    }
}
