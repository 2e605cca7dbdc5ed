//! A worked-out plan: every question has a slot, so each can be composed independently.
//!
//! Blocks of different subjects alternate, so any part of a composition is a mixture too.

use std::collections::HashMap;

use super::compiled_metadata::CompiledMetadata;
use super::metadata::STYLE;
use super::plan::{BEYOND, KNOW, LOW, MAX_SIZE, Pictures, Plan, Shape};
use super::possible::{Allowed, Asks, Class, classes, left, prune, shares, terms_of};
use benchtop_model::{Error, QuestionKind, Result};

/// Number of options of a question across two pictures: (first, second), (second, first), (first,
/// first), (second, second).
pub const CROSS_OPTIONS: u8 = 4;

/// Maximum number of pictures of a plan with compatibility rules, whose terms are held in memory to
/// avoid repeats.
pub const MAX_PICTURES_WITH_RULES: u64 = 4_000_000;

/// A question about every picture (or pair) of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuestionSlot {
    /// Position of the subtask in the compiled metadata.
    pub subtask: usize,
    /// How the question is asked.
    pub ask: QuestionForm,
    /// Number of questions in earlier blocks that share its samplers, which continue from there.
    pub base: u64,
}

/// How a question is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum QuestionForm {
    /// Multiple choice.
    Choice,
    /// A true/false statement.
    Claim,
    /// Free form.
    Free,
    /// Multiple choice with a refusal option that is not the keyed one.
    Refusal,
    /// Multiple choice where only the refusal option is right.
    Beyond,
    /// Yes/no question about one picture of a pair.
    PairClaim {
        /// The picture that the question is about: 0 or 1.
        side: u8,
        /// The picture that the claim is true of: 0 or 1.
        fits: u8,
    },
    /// Multiple choice about one picture of a pair, as one rotation of a set (CircularEval).
    PairChoice {
        /// The picture that the question is about: 0 or 1.
        side: u8,
        /// Index of the rotation.
        rotation: u8,
    },
    /// Multiple choice across both pictures, as one rotation of a set (CircularEval).
    Cross {
        /// Index of the rotation.
        rotation: u8,
    },
}

impl QuestionForm {
    /// The question type.
    pub fn kind(self) -> QuestionKind {
        match self {
            QuestionForm::Choice
            | QuestionForm::Refusal
            | QuestionForm::Beyond
            | QuestionForm::PairChoice { .. }
            | QuestionForm::Cross { .. } => QuestionKind::MultipleChoice,
            QuestionForm::Claim => QuestionKind::TrueFalse,
            QuestionForm::Free => QuestionKind::FreeForm,
            QuestionForm::PairClaim { .. } => QuestionKind::YesNo,
        }
    }

    /// Sizes of the samplers for `options` options: what must occur equally often.
    pub fn sampler_sizes(self, options: usize) -> (usize, usize) {
        match self {
            QuestionForm::Choice => (options, 1),
            // Position of the right option, and distance of the refusal option behind it.
            QuestionForm::Refusal => (options + 1, options),
            QuestionForm::Beyond => (options + 1, 1),
            // Label, and which of the two options is first.
            QuestionForm::Claim => (2, 2),
            // Every pair gets all rotations and both answers.
            QuestionForm::Free
            | QuestionForm::PairClaim { .. }
            | QuestionForm::PairChoice { .. }
            | QuestionForm::Cross { .. } => (1, 1),
        }
    }
}

/// Pictures (or pairs) of one subject with the same questions.
#[derive(Clone, Debug)]
pub struct Block {
    /// Position of the subject in the compiled metadata.
    pub subject: usize,
    /// A unique name for random draws.
    pub name: String,
    /// Number of pictures or pairs.
    pub units: u64,
    /// The questions about each.
    pub slots: Vec<QuestionSlot>,
    /// The allowed terms of each list, as positions: the subject's lists, and lists that questions
    /// beyond the picture ask about.
    pub allowed: Allowed,
    /// Lists whose pictures use only some of the allowed terms, because the others hide what is
    /// asked here. All allowed terms can be wrong answers.
    pub drawn: Allowed,
    /// Maximum number of options of a multiple-choice question.
    pub options: usize,
    /// For pairs: the list that differs.
    pub differs: Option<usize>,
    /// Level of its questions.
    pub level: Option<String>,
}

impl Block {
    /// The allowed terms of a list.
    pub fn allowed(&self, list: usize) -> &[u32] {
        terms_of(&self.allowed, list).unwrap_or_default()
    }

    /// The terms of a list that pictures use.
    pub fn drawn(&self, list: usize) -> &[u32] {
        terms_of(&self.drawn, list).unwrap_or_else(|| self.allowed(list))
    }

    /// Number of pictures per unit.
    pub fn pictures(&self) -> u64 {
        if self.differs.is_some() { 2 } else { 1 }
    }
}

/// Consecutive rounds in which the same blocks take a turn.
#[derive(Clone, Debug)]
struct Segment {
    first_round: u64,
    first_question: u64,
    first_picture: u64,
    /// Blocks that take a turn, with the numbers of questions and pictures before them in a round.
    turns: Vec<(usize, u64, u64)>,
    questions: u64,
    pictures: u64,
}

/// A worked-out plan.
#[derive(Clone, Debug)]
pub struct Schedule {
    pub name: String,
    /// Maximum number of options of a multiple-choice question.
    pub options: usize,
    pub blocks: Vec<Block>,
    segments: Vec<Segment>,
    questions: u64,
    pictures: u64,
}

/// The place of one question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// Index of its block.
    pub block: usize,
    /// Its picture or pair within the block, from 0.
    pub unit: u64,
    /// Index of its question in the block.
    pub slot: usize,
    /// Number of its (first) picture, from 1.
    pub picture: u64,
}

impl Schedule {
    /// Works out `plan`.
    ///
    /// # Errors
    /// [`benchtop_model::ErrorKind::Input`] with the field: an unknown subject, subtask, style, or
    /// term, a subtask that the prompt does not support, a vocabulary with fewer than two terms
    /// left, or more than 2^31 questions.
    pub fn new(compiled: &CompiledMetadata, plan: &Plan) -> Result<Schedule> {
        let mut blocks = Vec::new();
        let mut asked: HashMap<(usize, QuestionForm, (usize, usize)), u64> = HashMap::new();
        for (at, pictures) in plan.pictures.iter().enumerate() {
            for mut block in self::blocks(compiled, pictures, plan.options, at)? {
                for at in 0..block.slots.len() {
                    let QuestionSlot { subtask, ask, .. } = block.slots[at];
                    // Questions with fewer options have their own samplers.
                    let options = block
                        .options
                        .min(block.allowed(compiled.subtasks[subtask].list).len());
                    let before = asked
                        .entry((subtask, ask, ask.sampler_sizes(options)))
                        .or_default();
                    block.slots[at].base = *before;
                    *before += block.units;
                }
                blocks.push(block);
            }
        }
        let mut schedule = Schedule {
            name: plan.name.clone(),
            options: plan.options,
            blocks,
            segments: Vec::new(),
            questions: 0,
            pictures: 0,
        };
        schedule.lay_out();
        if schedule.questions > MAX_SIZE || schedule.pictures > MAX_SIZE {
            return Err(Error::input(format!(
                "the plan has {} questions; the limit is {MAX_SIZE}",
                schedule.questions
            )));
        }
        if compiled.compatibility.is_some() && schedule.pictures > MAX_PICTURES_WITH_RULES {
            let what = format!(
                "the plan has {} pictures; the limit with compatibility rules is {MAX_PICTURES_WITH_RULES}",
                schedule.pictures
            );
            return Err(Error::input(what).help("split the plan into several with different names"));
        }
        Ok(schedule)
    }

    fn lay_out(&mut self) {
        let mut ends: Vec<u64> = self
            .blocks
            .iter()
            .map(|b| b.units)
            .filter(|u| *u > 0)
            .collect();
        ends.sort_unstable();
        ends.dedup();
        let mut round = 0;
        for end in ends {
            let (mut questions, mut pictures) = (0, 0);
            let mut turns = Vec::new();
            for (at, block) in self
                .blocks
                .iter()
                .enumerate()
                .filter(|(_, b)| b.units > round)
            {
                turns.push((at, questions, pictures));
                questions += block.slots.len() as u64;
                pictures += block.pictures();
            }
            self.segments.push(Segment {
                first_round: round,
                first_question: self.questions,
                first_picture: self.pictures,
                turns,
                questions,
                pictures,
            });
            self.questions = self
                .questions
                .saturating_add(questions.saturating_mul(end - round));
            self.pictures = self
                .pictures
                .saturating_add(pictures.saturating_mul(end - round));
            round = end;
        }
    }

    /// Number of questions.
    pub fn questions(&self) -> u64 {
        self.questions
    }

    /// Number of pictures.
    pub fn pictures(&self) -> u64 {
        self.pictures
    }

    /// The slot of question `n` (from 0, below [`questions`](Self::questions)).
    pub fn slot(&self, n: u64) -> Option<Slot> {
        let at = self
            .segments
            .partition_point(|s| s.first_question <= n)
            .checked_sub(1)?;
        let segment = self.segments.get(at).filter(|_| n < self.questions)?;
        let (round, within) = (
            (n - segment.first_question) / segment.questions,
            (n - segment.first_question) % segment.questions,
        );
        let turn = segment
            .turns
            .partition_point(|(_, before, _)| *before <= within)
            .checked_sub(1)?;
        let (block, before, pictures) = *segment.turns.get(turn)?;
        Some(Slot {
            block,
            unit: segment.first_round + round,
            slot: (within - before) as usize,
            picture: segment.first_picture + round * segment.pictures + pictures + 1,
        })
    }
}

/// The blocks of a plan entry. There are several if some pictures hide what is asked of the others.
pub(super) fn blocks(
    compiled: &CompiledMetadata,
    pictures: &Pictures,
    options: usize,
    at: usize,
) -> Result<Vec<Block>> {
    let wrong = |what: String, field: &str| Error::input(what).field(format!("pictures.{field}"));
    let names = |list: Vec<&str>| list.join(", ");
    let subject = compiled.subject(&pictures.subject).ok_or_else(|| {
        let known = names(compiled.subjects.iter().map(|s| s.name.as_str()).collect());
        wrong(format!("unknown subject `{}`", pictures.subject), "subject")
            .help(format!("use one of: {known}"))
    })?;
    let rules = &compiled.subjects[subject];
    let differs = match &pictures.differs {
        None => None,
        Some(name) => Some(
            compiled
                .list(name)
                .filter(|l| rules.lists.contains(l))
                .ok_or_else(|| {
                    wrong(
                        format!("the prompt of {} has no slot `{name}`", rules.name),
                        "differs",
                    )
                })?,
        ),
    };
    let beyond = pictures.shape == Shape::Beyond;
    let mut about = Vec::new();
    for name in &pictures.about {
        let subtask = compiled.subtask(name).ok_or_else(|| {
            let known = names(compiled.subtasks.iter().map(|s| s.name.as_str()).collect());
            wrong(format!("unknown subtask `{name}`"), "about").help(format!("use one of: {known}"))
        })?;
        if beyond == rules.lists.contains(&compiled.subtasks[subtask].list) {
            let not = if beyond { "" } else { " not" };
            return Err(wrong(
                format!(
                    "cannot ask about {name} here, because its term is{not} in the prompt of {}",
                    rules.name
                ),
                "about",
            ));
        }
        if beyond && uses_subject(compiled, subtask) {
            let what = format!(
                "the question of {name} names what the picture shows, so it cannot be beyond it"
            );
            return Err(wrong(what, "about"));
        }
        if differs.is_some_and(|list| list != compiled.subtasks[subtask].list) {
            let what = format!(
                "{name} has the same answer for both pictures of a pair; ask about the vocabulary in `differs`"
            );
            return Err(wrong(what, "about"));
        }
        if !beyond && !rules.supports.contains(&subtask) {
            return Err(wrong(
                format!("cannot ask about {name} of {}", rules.name),
                "about",
            )
            .help("run `benchtop lint` to see what is wrong with its templates"));
        }
        about.push(subtask);
    }
    if about.is_empty() {
        about = match (differs, beyond) {
            (Some(list), _) => rules
                .supports
                .iter()
                .copied()
                .filter(|s| compiled.subtasks[*s].list == list)
                .collect(),
            (None, false) => rules.supports.clone(),
            (None, true) => {
                let absent = |s: &usize| !rules.lists.contains(&compiled.subtasks[*s].list);
                (0..compiled.subtasks.len())
                    .filter(absent)
                    .filter(|s| !uses_subject(compiled, *s))
                    .collect()
            }
        };
    }
    if about.is_empty() {
        return Err(wrong(
            format!("no question is possible about {} here", rules.name),
            "about",
        ));
    }
    let mut lists = rules.lists.clone();
    lists.extend(about.iter().map(|s| compiled.subtasks[*s].list));
    lists.sort_unstable();
    lists.dedup();
    let mut allowed = allowed(compiled, pictures, &lists)?;
    let rules_of = compiled.compatibility.as_deref().filter(|_| !beyond);
    let before: Vec<usize> = allowed.iter().map(|(_, terms)| terms.len()).collect();
    if let Some(compatible) = compiled.compatibility.as_deref() {
        prune(compatible, &rules.lists, &mut allowed);
    }
    for ((list, terms), before) in allowed.iter().zip(before) {
        let name = &compiled.lists[*list].name;
        let help = |p: Error| {
            if terms.len() < before {
                p.help(EXCLUDED)
            } else {
                p
            }
        };
        if terms.len() < 2 && about.iter().any(|s| compiled.subtasks[*s].list == *list) {
            let what = format!(
                "only {} terms of {name} are left; a question needs 2",
                terms.len()
            );
            return Err(help(wrong(what, "exclude")));
        }
        if terms.is_empty() {
            return Err(help(wrong(
                format!("no term of {name} is left for the prompt of {}", rules.name),
                "exclude",
            )));
        }
    }
    let level = match pictures.shape {
        Shape::Single => pictures.level.clone(),
        Shape::Pair => Some(pictures.level.clone().unwrap_or_else(|| LOW.into())),
        Shape::Refusal => Some(pictures.level.clone().unwrap_or_else(|| KNOW.into())),
        Shape::Beyond => Some(BEYOND.into()),
    };
    let of = |list: usize| terms_of(&allowed, list).unwrap_or_default();
    let most = |subtask: usize| options.min(of(compiled.subtasks[subtask].list).len());
    let all = seats(compiled, pictures, subject, &about, &most)?;
    let classes = match rules_of {
        None => Vec::new(),
        Some(compatible) => {
            let asks: Vec<Asks> = all
                .iter()
                .map(|seat| asks(compiled, subject, seat))
                .collect();
            // The two terms of a pair are in one group, so each is wrong for the other's picture.
            let sorted = |list: usize, term: u32| {
                if differs == Some(list) {
                    compatible.group(list, term)
                } else {
                    0
                }
            };
            let mut classes = classes(compatible, &rules.lists, &allowed, &asks, &sorted);
            if let Some(list) = differs {
                paired(compatible, list, of(list), &mut classes);
            }
            if classes.is_empty() {
                let what = format!(
                    "no question is possible about {} here, because every picture hides the answer",
                    rules.name
                );
                return Err(wrong(what, "about").help(EXCLUDED));
            }
            classes
        }
    };
    let count = |list: usize| {
        if classes.is_empty() {
            of(list).len() as u64
        } else {
            left(&classes, list, of(list)).len() as u64
        }
    };
    let units = match (pictures.count, pictures.per_term, pictures.per_style) {
        (Some(n), _, _) => n,
        (_, Some(n), _) => {
            let main = rules.main.ok_or_else(|| {
                wrong(format!("{} has no main vocabulary", rules.name), "per-term")
            })?;
            n.saturating_mul(count(main))
        }
        (_, _, n) => n
            .unwrap_or(0)
            .saturating_mul(count(compiled.list(STYLE).unwrap_or(usize::MAX))),
    };
    let units = units.min(MAX_SIZE + 1);
    let name = format!("{at}/{}", rules.name);
    if classes.is_empty() {
        return Ok(vec![Block {
            subject,
            name,
            units,
            slots: all,
            allowed,
            drawn: Vec::new(),
            options,
            differs,
            level,
        }]);
    }
    let mut blocks = Vec::new();
    for (nth, (class, units)) in classes
        .iter()
        .zip(shares(&classes, units))
        .enumerate()
        .filter(|(_, (_, u))| *u > 0)
    {
        let fewest = match (rules_of, differs) {
            (Some(compatible), Some(list)) => {
                let terms = terms_of(&class.terms, list).unwrap_or(of(list));
                1 + terms
                    .iter()
                    .map(|t| compatible.wrong_answers(list, *t, of(list), options - 1))
                    .min()
                    .unwrap_or(0)
            }
            _ => options,
        };
        let seats: Vec<QuestionSlot> = match differs {
            Some(_) => seats(compiled, pictures, subject, &about, &|subtask| {
                fewest.min(most(subtask))
            })?,
            None => all
                .iter()
                .zip(&class.asked)
                .filter(|(_, asked)| **asked)
                .map(|(seat, _)| seat.clone())
                .collect(),
        };
        blocks.push(Block {
            subject,
            name: if nth == 0 {
                name.clone()
            } else {
                format!("{name}/{nth}")
            },
            units,
            slots: seats,
            allowed: allowed.clone(),
            drawn: class.terms.clone(),
            options: fewest,
            differs,
            level: level.clone(),
        });
    }
    Ok(blocks)
}

/// Removes terms of a pair's list that no other term of their class differs from.
fn paired(
    rules: &super::compatibility::Compatibility,
    list: usize,
    all: &[u32],
    classes: &mut Vec<Class>,
) {
    for class in classes.iter_mut() {
        if !class.terms.iter().any(|(l, _)| *l == list) {
            class.terms.push((list, all.to_vec()));
        }
        for (_, terms) in class.terms.iter_mut().filter(|(l, _)| *l == list) {
            let others = terms.clone();
            terms.retain(|t| {
                others
                    .iter()
                    .any(|o| o != t && !rules.look_alike(list, *t, *o))
            });
        }
    }
    classes.retain(|class| class.terms.iter().all(|(_, terms)| !terms.is_empty()));
}

/// Explains why fewer terms are left than the plan names.
const EXCLUDED: &str =
    "compatibility.toml excludes the others; use `--allow-impossible` to ignore it";

/// The lists that a question is about.
fn asks(compiled: &CompiledMetadata, subject: usize, seat: &QuestionSlot) -> Asks {
    let subtask = &compiled.subtasks[seat.subtask];
    let free = seat.ask == QuestionForm::Free;
    Asks {
        lists: compiled.lists_of_question(&compiled.subjects[subject], subtask, free),
        options: (!free).then_some(subtask.list),
    }
}

/// Whether a subtask's question has slots, which only the subject's own prompt can fill.
fn uses_subject(compiled: &CompiledMetadata, subtask: usize) -> bool {
    compiled.subtasks[subtask].question.slots().next().is_some()
}

fn allowed(
    compiled: &CompiledMetadata,
    pictures: &Pictures,
    lists: &[usize],
) -> Result<Vec<(usize, Vec<u32>)>> {
    let wrong = |what: String, field: &str| Error::input(what).field(format!("pictures.{field}"));
    let style = compiled.list(STYLE);
    for name in &pictures.styles {
        if !style.is_some_and(|l| compiled.lists[l].terms.contains(name)) {
            return Err(wrong(
                format!("unknown or disabled style `{name}`"),
                "styles",
            ));
        }
    }
    for term in &pictures.exclude {
        if !compiled.lists.iter().any(|l| l.terms.contains(term)) {
            return Err(wrong(format!("no vocabulary contains `{term}`"), "exclude"));
        }
    }
    let of = |list: &usize| {
        let keep = |term: &String| {
            !pictures.exclude.contains(term)
                && (Some(*list) != style
                    || pictures.styles.is_empty()
                    || pictures.styles.contains(term))
        };
        let terms = compiled.lists[*list]
            .terms
            .iter()
            .enumerate()
            .filter(|(_, t)| keep(t));
        (*list, terms.map(|(i, _)| i as u32).collect())
    };
    Ok(lists.iter().map(of).collect())
}

fn seats(
    compiled: &CompiledMetadata,
    pictures: &Pictures,
    subject: usize,
    about: &[usize],
    options: &dyn Fn(usize) -> usize,
) -> Result<Vec<QuestionSlot>> {
    use QuestionKind::{FreeForm, MultipleChoice, TrueFalse, YesNo};
    let known = match pictures.shape {
        Shape::Single => &[MultipleChoice, TrueFalse, FreeForm][..],
        Shape::Pair => &[YesNo, MultipleChoice],
        Shape::Refusal | Shape::Beyond => &[MultipleChoice],
    };
    if let Some(kind) = pictures.kinds.iter().find(|k| !known.contains(k)) {
        let names: Vec<_> = known.iter().map(|k| k.name()).collect();
        return Err(
            Error::input(format!("this shape has no {} questions", kind.name()))
                .field("pictures.kinds")
                .help(format!(
                    "use one of: {}; yes/no questions need `shape = \"pair\"`",
                    names.join(", ")
                )),
        );
    }
    let kinds = if pictures.kinds.is_empty() {
        known
    } else {
        &pictures.kinds
    };
    let mut seats = Vec::new();
    // Several subtasks can share a free-form question, which is asked once.
    let mut described: Vec<&str> = Vec::new();
    for &subtask in about {
        let mut add = |ask| {
            seats.push(QuestionSlot {
                subtask,
                ask,
                base: 0,
            })
        };
        match pictures.shape {
            Shape::Refusal => add(QuestionForm::Refusal),
            Shape::Beyond => add(QuestionForm::Beyond),
            Shape::Pair => {
                if kinds.contains(&YesNo) {
                    (0..2).for_each(|side| {
                        (0..2).for_each(|fits| add(QuestionForm::PairClaim { side, fits }))
                    });
                }
                if kinds.contains(&MultipleChoice) {
                    let rotations = options(subtask) as u8;
                    for side in 0..2 {
                        (0..rotations)
                            .for_each(|rotation| add(QuestionForm::PairChoice { side, rotation }));
                    }
                    (0..CROSS_OPTIONS).for_each(|rotation| add(QuestionForm::Cross { rotation }));
                }
            }
            Shape::Single => {
                for kind in kinds {
                    match kind {
                        MultipleChoice => add(QuestionForm::Choice),
                        TrueFalse => add(QuestionForm::Claim),
                        FreeForm | YesNo => {
                            let texts = compiled.free_form(
                                &compiled.subjects[subject],
                                &compiled.subtasks[subtask],
                            );
                            let Some((describe, _)) = texts else { continue };
                            if !described.contains(&describe.source()) {
                                described.push(describe.source());
                                add(QuestionForm::Free);
                            }
                        }
                    }
                }
            }
        }
    }
    Ok(seats)
}
