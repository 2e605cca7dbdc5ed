//! A plan worked out: every question has its place, and any of them can be composed by itself.
//!
//! Pictures of different subjects take turns, so that a part of a composition is a mixture too.

use std::collections::HashMap;

use super::compiled_metadata::CompiledMetadata;
use super::metadata::STYLE;
use super::plan::{BEYOND, KNOW, LOW, MOST, Pictures, Plan, Shape};
use super::possible::{Allowed, Asks, Class, classes, left, prune, shares};
use benchtop_model::{Error, QuestionKind, Result};

/// Options of a question across two pictures: first and second, the other way round, both the one, both the other.
pub const CROSS: u8 = 4;

/// Most pictures of a plan under rules of compatibility: what they show is held in memory, so that none comes twice.
pub const DEALT: u64 = 4_000_000;

/// What is asked at one place of a picture (or pair).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuestionSlot {
    /// Position of the subtask in the grammar.
    pub subtask: usize,
    /// How it is asked.
    pub ask: Ask,
    /// How many questions that the same decks are dealt for stand in blocks before this one: deals continue there.
    pub base: u64,
}

/// How a question is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Ask {
    /// Which of the options.
    Choice,
    /// Whether a statement is true.
    Claim,
    /// In free form.
    Free,
    /// Which of the options, declining being one and wrong.
    Refusal,
    /// The same where declining is right.
    Beyond,
    /// Yes or no, of one picture of a pair: the claim fits the first picture or the second.
    PairClaim {
        /// Which picture is asked about: 0 or 1.
        side: u8,
        /// Which picture the claim fits: 0 or 1.
        fits: u8,
    },
    /// Which of the options, of one picture of a pair: one row of a rotation set (CircularEval).
    PairChoice {
        /// Which picture is asked about: 0 or 1.
        side: u8,
        /// Position of the rotation, from 0.
        rotation: u8,
    },
    /// Which of the options, of both pictures: one row of a rotation set (CircularEval).
    Cross {
        /// Position of the rotation, from 0.
        rotation: u8,
    },
}

impl Ask {
    /// The type of question that it makes.
    pub fn kind(self) -> QuestionKind {
        match self {
            Ask::Choice
            | Ask::Refusal
            | Ask::Beyond
            | Ask::PairChoice { .. }
            | Ask::Cross { .. } => QuestionKind::MultipleChoice,
            Ask::Claim => QuestionKind::TrueFalse,
            Ask::Free => QuestionKind::FreeForm,
            Ask::PairClaim { .. } => QuestionKind::YesNo,
        }
    }

    /// Cards of the decks that are dealt where `options` terms can be offered: what must come equally often.
    pub fn cards(self, options: usize) -> (usize, usize) {
        match self {
            Ask::Choice => (options, 1),
            // Where the right option stands, and how far behind it the refusal.
            Ask::Refusal => (options + 1, options),
            Ask::Beyond => (options + 1, 1),
            // True or false, and which of the two stands first.
            Ask::Claim => (2, 2),
            // All rotations, and both answers, come for every pair.
            Ask::Free | Ask::PairClaim { .. } | Ask::PairChoice { .. } | Ask::Cross { .. } => {
                (1, 1)
            }
        }
    }
}

/// Pictures (or pairs) of one subject with the same questions.
#[derive(Clone, Debug)]
pub struct Block {
    /// Position of the subject in the grammar.
    pub subject: usize,
    /// A name of its own for its draws.
    pub name: String,
    /// Pictures or pairs.
    pub units: u64,
    /// What is asked about each.
    pub seats: Vec<QuestionSlot>,
    /// The terms each list of the subject may give here, as positions in it; and of what is asked beyond it.
    pub allowed: Allowed,
    /// The lists that pictures take only some of the allowed terms from: others hide what is asked here, and are wrong
    /// answers all the same.
    pub drawn: Allowed,
    /// Options of a multiple-choice question here, at most.
    pub options: usize,
    /// For pairs: the list that differs.
    pub differs: Option<usize>,
    /// Level of its questions.
    pub level: Option<String>,
}

impl Block {
    /// The terms of a list that may be drawn here.
    pub fn allowed(&self, list: usize) -> &[u32] {
        self.allowed
            .iter()
            .find(|(l, _)| *l == list)
            .map_or(&[], |(_, terms)| terms)
    }

    /// The terms of a list that pictures have here.
    pub fn drawn(&self, list: usize) -> &[u32] {
        self.drawn
            .iter()
            .find(|(l, _)| *l == list)
            .map_or_else(|| self.allowed(list), |(_, terms)| terms)
    }

    /// Pictures in a unit.
    pub fn pictures(&self) -> u64 {
        if self.differs.is_some() { 2 } else { 1 }
    }
}

/// Rounds in which the same blocks have a turn each.
#[derive(Clone, Debug)]
struct Segment {
    first_round: u64,
    first_question: u64,
    first_picture: u64,
    /// Blocks that have a turn, with the questions and pictures of a round before theirs.
    turns: Vec<(usize, u64, u64)>,
    questions: u64,
    pictures: u64,
}

/// A plan worked out.
#[derive(Clone, Debug)]
pub struct Schedule {
    /// Name of the plan.
    pub name: String,
    /// Options of a multiple-choice question, at most.
    pub options: usize,
    /// Its blocks.
    pub blocks: Vec<Block>,
    stretches: Vec<Segment>,
    questions: u64,
    pictures: u64,
}

/// Where a question stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// Its block.
    pub block: usize,
    /// Its picture or pair within the block, from 0.
    pub unit: u64,
    /// Its seat there.
    pub seat: usize,
    /// Number of its (first) picture, from 1.
    pub picture: u64,
}

impl Schedule {
    /// Works `plan` out.
    ///
    /// # Errors
    /// [`benchtop_model::ErrorKind::Input`] with the field: an unknown subject, subtask, style or term, a subtask that the
    /// prompt does not support, a vocabulary with fewer than two terms left, more than 2^31 questions.
    pub fn new(grammar: &CompiledMetadata, plan: &Plan) -> Result<Schedule> {
        let mut blocks = Vec::new();
        let mut asked: HashMap<(usize, Ask, (usize, usize)), u64> = HashMap::new();
        for (at, pictures) in plan.pictures.iter().enumerate() {
            for mut block in self::blocks(grammar, pictures, plan.options, at)? {
                for at in 0..block.seats.len() {
                    let QuestionSlot { subtask, ask, .. } = block.seats[at];
                    // Questions with fewer options are dealt apart.
                    let options = block
                        .options
                        .min(block.allowed(grammar.subtasks[subtask].list).len());
                    let before = asked.entry((subtask, ask, ask.cards(options))).or_default();
                    block.seats[at].base = *before;
                    *before += block.units;
                }
                blocks.push(block);
            }
        }
        let mut course = Schedule {
            name: plan.name.clone(),
            options: plan.options,
            blocks,
            stretches: Vec::new(),
            questions: 0,
            pictures: 0,
        };
        course.lay_out();
        if course.questions > MOST || course.pictures > MOST {
            return Err(Error::input(format!(
                "{} questions: a plan has at most {MOST}",
                course.questions
            )));
        }
        if grammar.compatibility.is_some() && course.pictures > DEALT {
            let what = format!(
                "{} pictures: with rules of compatibility a plan has at most {DEALT}",
                course.pictures
            );
            return Err(
                Error::input(what).help("compose parts of it, each under a name of its own")
            );
        }
        Ok(course)
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
                questions += block.seats.len() as u64;
                pictures += block.pictures();
            }
            self.stretches.push(Segment {
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

    /// Questions in all.
    pub fn questions(&self) -> u64 {
        self.questions
    }

    /// Pictures in all.
    pub fn pictures(&self) -> u64 {
        self.pictures
    }

    /// Where question `n` (from 0, below [`questions`](Self::questions)) stands.
    pub fn seated(&self, n: u64) -> Option<Slot> {
        let at = self
            .stretches
            .partition_point(|s| s.first_question <= n)
            .checked_sub(1)?;
        let stretch = self.stretches.get(at).filter(|_| n < self.questions)?;
        let (round, within) = (
            (n - stretch.first_question) / stretch.questions,
            (n - stretch.first_question) % stretch.questions,
        );
        let turn = stretch
            .turns
            .partition_point(|(_, before, _)| *before <= within)
            .checked_sub(1)?;
        let (block, before, pictures) = *stretch.turns.get(turn)?;
        Some(Slot {
            block,
            unit: stretch.first_round + round,
            seat: (within - before) as usize,
            picture: stretch.first_picture + round * stretch.pictures + pictures + 1,
        })
    }
}

/// The blocks of an entry of a plan: one, or several where some pictures hide what is asked of the others.
pub(super) fn blocks(
    grammar: &CompiledMetadata,
    pictures: &Pictures,
    options: usize,
    at: usize,
) -> Result<Vec<Block>> {
    let wrong = |what: String, field: &str| Error::input(what).field(format!("pictures.{field}"));
    let names = |list: Vec<&str>| list.join(", ");
    let subject = grammar.subject(&pictures.subject).ok_or_else(|| {
        let known = names(grammar.subjects.iter().map(|s| s.name.as_str()).collect());
        wrong(
            format!("there is no subject `{}`", pictures.subject),
            "subject",
        )
        .help(format!("known are: {known}"))
    })?;
    let rules = &grammar.subjects[subject];
    let differs = match &pictures.differs {
        None => None,
        Some(name) => Some(
            grammar
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
        let subtask = grammar.subtask(name).ok_or_else(|| {
            let known = names(grammar.subtasks.iter().map(|s| s.name.as_str()).collect());
            wrong(format!("there is no subtask `{name}`"), "about")
                .help(format!("known are: {known}"))
        })?;
        if beyond == rules.lists.contains(&grammar.subtasks[subtask].list) {
            let not = if beyond { "" } else { " not" };
            return Err(wrong(
                format!(
                    "{name} cannot be asked here: its term is{not} in the prompt of {}",
                    rules.name
                ),
                "about",
            ));
        }
        if beyond && uses_subject(grammar, subtask) {
            let what = format!(
                "the question of {name} names what the picture shows, so it is not beyond it"
            );
            return Err(wrong(what, "about"));
        }
        if differs.is_some_and(|list| list != grammar.subtasks[subtask].list) {
            let what = format!(
                "{name} has the same answer for both pictures of a pair: it must ask about `differs`"
            );
            return Err(wrong(what, "about"));
        }
        if !beyond && !rules.supports.contains(&subtask) {
            return Err(wrong(
                format!("{name} cannot be asked about {}", rules.name),
                "about",
            )
            .help("`benchtop lint` says what is wrong with its templates"));
        }
        about.push(subtask);
    }
    if about.is_empty() {
        about = match (differs, beyond) {
            (Some(list), _) => rules
                .supports
                .iter()
                .copied()
                .filter(|s| grammar.subtasks[*s].list == list)
                .collect(),
            (None, false) => rules.supports.clone(),
            (None, true) => {
                let absent = |s: &usize| !rules.lists.contains(&grammar.subtasks[*s].list);
                (0..grammar.subtasks.len())
                    .filter(absent)
                    .filter(|s| !uses_subject(grammar, *s))
                    .collect()
            }
        };
    }
    if about.is_empty() {
        return Err(wrong(
            format!("nothing can be asked about {} here", rules.name),
            "about",
        ));
    }
    let mut lists = rules.lists.clone();
    lists.extend(about.iter().map(|s| grammar.subtasks[*s].list));
    lists.sort_unstable();
    lists.dedup();
    let mut allowed = allowed(grammar, pictures, &lists)?;
    let rules_of = grammar.compatibility.as_deref().filter(|_| !beyond);
    let before: Vec<usize> = allowed.iter().map(|(_, terms)| terms.len()).collect();
    if let Some(compatible) = grammar.compatibility.as_deref() {
        prune(compatible, &rules.lists, &mut allowed);
    }
    for ((list, terms), before) in allowed.iter().zip(before) {
        let name = &grammar.lists[*list].name;
        let help = |p: Error| {
            if terms.len() < before {
                p.help(EXCLUDED)
            } else {
                p
            }
        };
        if terms.len() < 2 && about.iter().any(|s| grammar.subtasks[*s].list == *list) {
            let what = format!(
                "{} terms of {name} are left: a question needs 2",
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
    let of = |list: usize| {
        allowed
            .iter()
            .find(|(l, _)| *l == list)
            .map_or(&[][..], |(_, t)| t)
    };
    let most = |subtask: usize| options.min(of(grammar.subtasks[subtask].list).len());
    let all = seats(grammar, pictures, subject, &about, &most)?;
    let classes = match rules_of {
        None => Vec::new(),
        Some(compatible) => {
            let asks: Vec<Asks> = all
                .iter()
                .map(|seat| asks(grammar, subject, seat))
                .collect();
            // The two terms of a pair are of one group: each is wrong of the other's picture.
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
                    "nothing can be asked about {} here: every picture hides it",
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
            .saturating_mul(count(grammar.list(STYLE).unwrap_or(usize::MAX))),
    };
    let units = units.min(MOST + 1);
    let name = format!("{at}/{}", rules.name);
    if classes.is_empty() {
        return Ok(vec![Block {
            subject,
            name,
            units,
            seats: all,
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
                let terms = class
                    .terms
                    .iter()
                    .find(|(l, _)| *l == list)
                    .map_or(of(list), |(_, t)| t);
                1 + terms
                    .iter()
                    .map(|t| compatible.wrong(list, *t, of(list), options - 1))
                    .min()
                    .unwrap_or(0)
            }
            _ => options,
        };
        let seats: Vec<QuestionSlot> = match differs {
            Some(_) => seats(grammar, pictures, subject, &about, &|subtask| {
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
            seats,
            allowed: allowed.clone(),
            drawn: class.terms.clone(),
            options: fewest,
            differs,
            level: level.clone(),
        });
    }
    Ok(blocks)
}

/// Leaves the terms of a pair's list that another one of their class differs from.
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
            terms.retain(|t| others.iter().any(|o| o != t && !rules.alike(list, *t, *o)));
        }
    }
    classes.retain(|class| class.terms.iter().all(|(_, terms)| !terms.is_empty()));
}

/// Why fewer terms are left than a plan names.
const EXCLUDED: &str =
    "compatibility.toml excludes the others: `--allow-impossible` composes without it";

/// What a question is about, for the rules of compatibility.
fn asks(grammar: &CompiledMetadata, subject: usize, seat: &QuestionSlot) -> Asks {
    let subtask = &grammar.subtasks[seat.subtask];
    let free = seat.ask == Ask::Free;
    Asks {
        lists: grammar.asks(&grammar.subjects[subject], subtask, free),
        options: (!free).then_some(subtask.list),
    }
}

/// Whether a subtask's question names the subject, which only its own prompt has.
fn uses_subject(grammar: &CompiledMetadata, subtask: usize) -> bool {
    grammar.subtasks[subtask].question.slots().next().is_some()
}

fn allowed(
    grammar: &CompiledMetadata,
    pictures: &Pictures,
    lists: &[usize],
) -> Result<Vec<(usize, Vec<u32>)>> {
    let wrong = |what: String, field: &str| Error::input(what).field(format!("pictures.{field}"));
    let style = grammar.list(STYLE);
    for name in &pictures.styles {
        if !style.is_some_and(|l| grammar.lists[l].terms.contains(name)) {
            return Err(wrong(
                format!("there is no enabled style `{name}`"),
                "styles",
            ));
        }
    }
    for term in &pictures.exclude {
        if !grammar.lists.iter().any(|l| l.terms.contains(term)) {
            return Err(wrong(format!("no vocabulary has `{term}`"), "exclude"));
        }
    }
    let of = |list: &usize| {
        let keep = |term: &String| {
            !pictures.exclude.contains(term)
                && (Some(*list) != style
                    || pictures.styles.is_empty()
                    || pictures.styles.contains(term))
        };
        let terms = grammar.lists[*list]
            .terms
            .iter()
            .enumerate()
            .filter(|(_, t)| keep(t));
        (*list, terms.map(|(i, _)| i as u32).collect())
    };
    Ok(lists.iter().map(of).collect())
}

fn seats(
    grammar: &CompiledMetadata,
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
        return Err(Error::input(format!(
            "{} questions do not come in this shape",
            kind.name()
        ))
        .field("pictures.kinds")
        .help(format!(
            "here: {}; yes/no questions come with `shape = \"pair\"`",
            names.join(", ")
        )));
    }
    let kinds = if pictures.kinds.is_empty() {
        known
    } else {
        &pictures.kinds
    };
    let mut seats = Vec::new();
    // Several subtasks may share one free-form question: it is asked once.
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
            Shape::Refusal => add(Ask::Refusal),
            Shape::Beyond => add(Ask::Beyond),
            Shape::Pair => {
                if kinds.contains(&YesNo) {
                    (0..2).for_each(|side| {
                        (0..2).for_each(|fits| add(Ask::PairClaim { side, fits }))
                    });
                }
                if kinds.contains(&MultipleChoice) {
                    let rotations = options(subtask) as u8;
                    for side in 0..2 {
                        (0..rotations).for_each(|rotation| add(Ask::PairChoice { side, rotation }));
                    }
                    (0..CROSS).for_each(|rotation| add(Ask::Cross { rotation }));
                }
            }
            Shape::Single => {
                for kind in kinds {
                    match kind {
                        MultipleChoice => add(Ask::Choice),
                        TrueFalse => add(Ask::Claim),
                        FreeForm | YesNo => {
                            let texts = grammar
                                .free_form(&grammar.subjects[subject], &grammar.subtasks[subtask]);
                            let Some((describe, _)) = texts else { continue };
                            if !described.contains(&describe.source()) {
                                described.push(describe.source());
                                add(Ask::Free);
                            }
                        }
                    }
                }
            }
        }
    }
    Ok(seats)
}
