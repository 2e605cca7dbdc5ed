//! Writes drawn content as text. The same content with other templates gives the same question in
//! other words.

use super::choose_content::{self, Choices, DrawnAnswer, term};
use crate::compiled_metadata::{CompiledMetadata, write_prompt};
use crate::metadata::Template;
use crate::plan::KNOW;
use benchtop_model::rng::key;
use benchtop_model::{Choice, Item, Provenance, QuestionKind, Role, Side};

/// The two options of a true/false question, as in Dysca.
const TRUE: &str = "True";
const FALSE: &str = "False";

/// A written question.
#[derive(Clone, Debug, PartialEq)]
pub struct WrittenQuestion {
    /// Prompt P; for a question across two pictures, both prompts on a line each.
    pub prompt: String,
    pub negative: String,
    /// The whole text for the model.
    pub instruction: String,
    pub question: String,
    pub kind: QuestionKind,
    /// Options in order.
    pub options: Vec<Choice>,
    pub answer: String,
    /// Chance level.
    pub chance: Option<f64>,
}

/// The metadata that an item needs and that no longer exists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MissingMetadata {
    /// A subject, or the wording of its prompt.
    Subject(String),
    /// A subtask, or its free-form template.
    Subtask(String),
    /// A slot that the prompt has now but the item has no term for.
    Slot(String),
    /// An enabled term: vocabulary and term.
    Term(String, String),
}

impl std::fmt::Display for MissingMetadata {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            MissingMetadata::Subject(name) => write!(f, "subject {name}"),
            MissingMetadata::Subtask(name) => write!(f, "subtask {name}"),
            MissingMetadata::Slot(name) => write!(f, "slot {name}"),
            MissingMetadata::Term(vocabulary, term) => write!(f, "{vocabulary} `{term}`"),
        }
    }
}

/// Writes `choices` with the templates of the compiled metadata.
///
/// # Errors
/// The first part that no longer exists.
pub fn write(
    compiled: &CompiledMetadata,
    choices: &Choices,
) -> Result<WrittenQuestion, MissingMetadata> {
    let mut prompt = prompt(compiled, choices, &choices.terms)?;
    let subject = &compiled.subjects[choices.subject];
    let subtask = &compiled.subtasks[choices.subtask];
    let style = term(&choices.terms, compiled.style).and_then(|t| compiled.styles.get(t as usize));
    let negative = style.map_or(String::new(), |s| s.1.clone());
    let list = &compiled.lists[subtask.list];
    let name = |term: u32| list.terms[term as usize].as_str();
    let own = term(&choices.terms, subtask.list).map(name);
    let fill = |template: &Template, claimed: Option<&str>| {
        let mut out = String::with_capacity(64);
        template.render(&mut out, |slot| match slot {
            "term" => claimed.or(own),
            "subject" => named(compiled, &choices.terms, subject.main?),
            slot => named(compiled, &choices.terms, compiled.list(slot)?),
        });
        out
    };
    let option = |text: &str, role| Choice {
        text: text.to_string(),
        role,
    };
    let layouts = &compiled.layouts;
    // Questions about pairs have MVP-Bench's format, with letters as answers.
    let pair = !choices.second.is_empty();
    let choice_layout = if pair {
        &layouts.pair_choice.template
    } else {
        &layouts.multiple_choice.template
    };
    let (kind, layout, question, options, answer, chance) = match &choices.asked {
        DrawnAnswer::Options {
            options: terms,
            correct,
            refusal,
            may_decline,
        } => {
            let role = |i| Role::of(Some(i) == *correct);
            let mut options: Vec<_> = terms
                .iter()
                .enumerate()
                .map(|(i, t)| option(name(*t), role(i)))
                .collect();
            if let Some(at) = refusal {
                options.insert(*at, option(&layouts.refusal, Role::Refusal));
            }
            let answer = match correct {
                Some(i) if pair => Item::letter(*i),
                Some(i) => name(terms[*i]).to_string(),
                None => layouts.refusal.clone(),
            };
            let right = 1 + usize::from(correct.is_some() && refusal.is_some() && *may_decline);
            let chance = right as f64 / options.len() as f64;
            let question = fill(&subtask.question, None);
            (
                QuestionKind::MultipleChoice,
                choice_layout,
                question,
                options,
                answer,
                Some(chance),
            )
        }
        DrawnAnswer::Claim {
            term,
            holds,
            false_first,
        } => {
            let role = |says: bool| Role::of(says == *holds);
            let mut options = vec![option(TRUE, role(true)), option(FALSE, role(false))];
            if *false_first {
                options.reverse();
            }
            let answer = if *holds { TRUE } else { FALSE };
            let question = fill(&subtask.statement, Some(name(*term)));
            (
                QuestionKind::TrueFalse,
                &layouts.true_false.template,
                question,
                options,
                answer.to_string(),
                Some(0.5),
            )
        }
        DrawnAnswer::YesNo { term, holds } => {
            let answer = if *holds { "yes" } else { "no" };
            let question = fill(&subtask.yes_no, Some(name(*term)));
            (
                QuestionKind::YesNo,
                &layouts.yes_no.template,
                question,
                Vec::new(),
                answer.to_string(),
                Some(0.5),
            )
        }
        DrawnAnswer::Free => {
            let texts = compiled.free_form(subject, subtask);
            let (describe, answer) =
                texts.ok_or_else(|| MissingMetadata::Subtask(subtask.name.clone()))?;
            let answer = fill(answer, None);
            (
                QuestionKind::FreeForm,
                &layouts.free_form.template,
                fill(describe, None),
                Vec::new(),
                answer,
                None,
            )
        }
        DrawnAnswer::Cross {
            options: pairs,
            correct,
        } => {
            prompt.push('\n');
            prompt.push_str(&self::prompt(compiled, choices, &choices.second)?);
            let text = |(first, second): &(u32, u32)| {
                let mut out = String::new();
                layouts
                    .cross_option
                    .template
                    .render(&mut out, |slot| match slot {
                        "first" => Some(name(*first)),
                        "second" => Some(name(*second)),
                        _ => None,
                    });
                out
            };
            let role = |i| Role::of(i == *correct);
            let options: Vec<_> = pairs
                .iter()
                .enumerate()
                .map(|(i, p)| option(&text(p), role(i)))
                .collect();
            let answer = Item::letter(*correct);
            let chance = 1.0 / options.len() as f64;
            let question = layouts.cross.template.source().to_string();
            (
                QuestionKind::MultipleChoice,
                choice_layout,
                question,
                options,
                answer,
                Some(chance),
            )
        }
    };
    let instruction = instruction(layout, &question, &options, pair);
    Ok(WrittenQuestion {
        prompt,
        negative,
        instruction,
        question,
        kind,
        options,
        answer,
        chance,
    })
}

fn named<'g>(
    compiled: &'g CompiledMetadata,
    terms: &[(usize, u32)],
    list: usize,
) -> Option<&'g str> {
    term(terms, list).map(|t| compiled.lists[list].terms[t as usize].as_str())
}

fn prompt(
    compiled: &CompiledMetadata,
    choices: &Choices,
    terms: &[(usize, u32)],
) -> Result<String, MissingMetadata> {
    let subject = &compiled.subjects[choices.subject];
    let parts = subject
        .prompts
        .get(choices.wording)
        .ok_or_else(|| MissingMetadata::Subject(subject.name.clone()))?;
    let missing = subject.lists.iter().find(|l| term(terms, **l).is_none());
    if let Some(list) = missing {
        return Err(MissingMetadata::Slot(compiled.lists[*list].name.clone()));
    }
    let mut prompt = String::with_capacity(160);
    write_prompt(parts, &mut prompt, |list| match term(terms, list) {
        Some(t) if list == compiled.style => {
            compiled.styles.get(t as usize).map_or("", |s| s.0.as_str())
        }
        Some(t) => &compiled.lists[list].terms[t as usize],
        None => "",
    });
    Ok(prompt)
}

/// The whole text for the model (Dysca section 3.4 and appendix H; options `A. ...` for pairs, as
/// in MVP-Bench).
fn instruction(layout: &Template, question: &str, options: &[Choice], pair: bool) -> String {
    let (mut lines, mut letters) = (String::with_capacity(96), String::new());
    let (open, close) = if pair { ("", ". ") } else { ("(", ") ") };
    for (at, option) in options.iter().enumerate() {
        let letter = Item::letter(at);
        let separator = if at == 0 { ("", "") } else { ("\n", ", ") };
        lines.extend([separator.0, open, &letter, close, &option.text]);
        letters.extend([separator.1, open, &letter, close.trim_end()]);
    }
    let mut out = String::with_capacity(layout.source().len() + question.len() + lines.len());
    layout.render(&mut out, |slot| match slot {
        "question" => Some(question),
        "options" => Some(&lines),
        "letters" => Some(&letters),
        _ => None,
    });
    out
}

/// Hash over all templates and wordings of these choices, 16 hex digits.
pub fn recipe(compiled: &CompiledMetadata, choices: &Choices) -> String {
    let subject = &compiled.subjects[choices.subject];
    let subtask = &compiled.subtasks[choices.subtask];
    let layouts = &compiled.layouts;
    let style = term(&choices.terms, compiled.style).and_then(|t| compiled.styles.get(t as usize));
    let (prompt, negative) = style.map_or(("", ""), |s| (s.0.as_str(), s.1.as_str()));
    let mut parts = vec![
        subject
            .sources
            .get(choices.wording)
            .map_or("", String::as_str),
        prompt,
        negative,
    ];
    let choice_layout = if choices.second.is_empty() {
        &layouts.multiple_choice.template
    } else {
        &layouts.pair_choice.template
    };
    match &choices.asked {
        DrawnAnswer::Options { refusal, .. } => {
            parts.extend([subtask.question.source(), choice_layout.source()]);
            parts.extend(refusal.map(|_| layouts.refusal.as_str()));
        }
        DrawnAnswer::Claim { .. } => parts.extend([
            subtask.statement.source(),
            layouts.true_false.template.source(),
        ]),
        DrawnAnswer::YesNo { .. } => {
            parts.extend([subtask.yes_no.source(), layouts.yes_no.template.source()])
        }
        DrawnAnswer::Free => {
            let (describe, answer) = compiled
                .free_form(subject, subtask)
                .map_or(("", ""), |(d, a)| (d.source(), a.source()));
            parts.extend([describe, answer, layouts.free_form.template.source()]);
        }
        DrawnAnswer::Cross { .. } => {
            parts.extend([
                layouts.cross.template.source(),
                layouts.cross_option.template.source(),
                choice_layout.source(),
            ]);
        }
    }
    format!("{:016x}", key(0, &parts))
}

/// The choices of a composed item, as positions in the compiled metadata; `None` if the item was
/// not composed.
///
/// # Errors
/// The first part that no longer exists.
pub fn choices_of(
    compiled: &CompiledMetadata,
    item: &Item,
) -> Option<Result<Choices, MissingMetadata>> {
    let provenance = item.provenance.as_deref()?;
    Some(found(compiled, item, provenance))
}

fn found(
    compiled: &CompiledMetadata,
    item: &Item,
    provenance: &Provenance,
) -> Result<Choices, MissingMetadata> {
    let subject = compiled
        .subject(&provenance.subject)
        .ok_or_else(|| MissingMetadata::Subject(provenance.subject.clone()))?;
    let name = item.subtask.as_deref().unwrap_or_default();
    let subtask = compiled
        .subtask(name)
        .ok_or_else(|| MissingMetadata::Subtask(name.to_string()))?;
    let terms = positions(compiled, provenance.terms.iter())?;
    let second = positions(compiled, provenance.second.iter())?;
    let list = &compiled.lists[compiled.subtasks[subtask].list];
    let position = |term: &str| {
        list.position(term)
            .ok_or_else(|| MissingMetadata::Term(list.name.clone(), term.to_string()))
    };
    let claim = || position(provenance.claim.as_deref().unwrap_or_default());
    let asked = match item.kind {
        QuestionKind::FreeForm => DrawnAnswer::Free,
        QuestionKind::YesNo => DrawnAnswer::YesNo {
            term: claim()?,
            holds: item.answer == "yes",
        },
        QuestionKind::TrueFalse => DrawnAnswer::Claim {
            term: claim()?,
            holds: item.answer == TRUE,
            false_first: item.options.first().is_some_and(|o| o.text == FALSE),
        },
        QuestionKind::MultipleChoice
            if item.pair.as_ref().is_some_and(|p| p.side == Side::Cross) =>
        {
            let own = |terms: &[(usize, u32)]| {
                term(terms, compiled.subtasks[subtask].list)
                    .ok_or_else(|| MissingMetadata::Slot(list.name.clone()))
            };
            let (a, b) = (own(&terms)?, own(&second)?);
            let rotation = item
                .rotation
                .as_ref()
                .map_or(0, |r| r.index.saturating_sub(1));
            choose_content::cross(provenance.seed, provenance.picture, rotation, (a, b))
        }
        QuestionKind::MultipleChoice => {
            let refusal = item.options.iter().position(|o| o.role == Role::Refusal);
            let asked = item.options.iter().filter(|o| o.role != Role::Refusal);
            let correct = asked.clone().position(|o| o.role == Role::Correct);
            let options = asked.map(|o| position(&o.text)).collect::<Result<_, _>>()?;
            let may_decline = item.level.as_deref() == Some(KNOW);
            DrawnAnswer::Options {
                options,
                correct,
                refusal,
                may_decline,
            }
        }
    };
    Ok(Choices {
        subject,
        wording: provenance.wording as usize,
        terms,
        second,
        subtask,
        asked,
    })
}

fn positions<'t>(
    compiled: &CompiledMetadata,
    terms: impl Iterator<Item = (&'t String, &'t String)>,
) -> Result<Vec<(usize, u32)>, MissingMetadata> {
    let mut found = Vec::new();
    for (vocabulary, term) in terms {
        let gone = || MissingMetadata::Term(vocabulary.clone(), term.clone());
        let list = compiled.list(vocabulary).ok_or_else(gone)?;
        found.push((list, compiled.lists[list].position(term).ok_or_else(gone)?));
    }
    found.sort_unstable();
    Ok(found)
}
