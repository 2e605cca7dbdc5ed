//! The requests to writers and judges, and what is read from their answers.

use std::sync::Arc;

use benchtop_compose::grounding::{AskedBoxes, read_boxes};
use benchtop_compose::metadata::judge::{Fields, fields_of};
use benchtop_compose::metadata::{Judging, Metadata, Writing};
use benchtop_metrics::vlb::Strategy;
use benchtop_metrics::written::{self, Unusable};
use benchtop_model::hash::{first_bytes, of_texts};
use benchtop_model::judge::{AnswerForm, Word};
use benchtop_model::vlm::{Finish, Sampling, VlmRequest};
use benchtop_model::writing::WrittenForm;
use benchtop_model::{Error, Item, Result};
use benchtop_store::jobs::Candidate;

use super::painting;
use super::progress::Wording;
use super::state::{Made, Unread};

/// Parameter with the role in which a writer put the question (L2).
pub const ROLE: &str = "role";
/// Greatest number of characters of an answer that a repair quotes.
const QUOTED: usize = 4000;

/// The name of the writing and of the judging of a strategy.
pub fn prompt_name(strategy: Strategy) -> &'static str {
    match strategy {
        Strategy::V1 => "vlb-v1-add-object",
        Strategy::V2 => "vlb-v2-remove-object",
        Strategy::V3 => "vlb-v3-outpaint",
        Strategy::L1 => "vlb-l1-word-substitution",
        Strategy::L2 => "vlb-l2-rephrase",
        Strategy::L3 => "vlb-l3-relevant-context",
        Strategy::L4 => "vlb-l4-irrelevant-context",
    }
}

/// Whether a strategy puts text before the question.
pub fn adds_context(strategy: Strategy) -> bool {
    matches!(strategy, Strategy::L3 | Strategy::L4)
}

/// The prompts of one strategy.
#[derive(Clone, Debug)]
pub struct Prompts {
    pub strategy: Strategy,
    /// `None` for V3, which asks nobody.
    pub writing: Option<Arc<Writing>>,
    pub judging: Arc<Judging>,
    pass: Word,
}

impl Prompts {
    /// The prompts of a strategy in the metadata of a project.
    ///
    /// # Errors
    /// A file that cannot be used.
    pub fn of(metadata: &Metadata, strategy: Strategy) -> Result<Prompts> {
        let name = prompt_name(strategy);
        let unusable = |folder: &str| {
            Error::input(format!("{folder}/{name}.toml cannot be used"))
                .file(format!("metadata/{folder}/{name}.toml"))
                .help("run `benchtop lint` for what is wrong with it")
        };
        let writing = match strategy {
            Strategy::V3 => None,
            _ => Some(metadata.writing(name).ok_or_else(|| unusable("write"))?),
        };
        let is_right = writing.as_ref().is_none_or(|writing| match writing.reads {
            WrittenForm::Text { .. } => !strategy.is_of_picture(),
            WrittenForm::Boxes { .. } => strategy.is_of_picture(),
            // Nothing draws marks on pictures.
            WrittenForm::Marks { .. } => false,
        });
        if !is_right {
            let reads = if strategy.is_of_picture() {
                "boxes"
            } else {
                "text"
            };
            let what = format!("write/{name}.toml must read {reads}");
            return Err(unusable("write").field("answer.read").help(what));
        }
        let judging = metadata.judging(name).ok_or_else(|| unusable("judge"))?;
        let AnswerForm::YesNo { pass } = judging.reads else {
            return Err(unusable("judge").field("answer.read"));
        };
        Ok(Prompts {
            strategy,
            writing,
            judging,
            pass,
        })
    }

    /// Revisions of the prompts, which change with their texts.
    pub fn revision(&self) -> String {
        let writing = self
            .writing
            .as_ref()
            .map_or("", |writing| &writing.revision);
        format!("{writing} {}", self.judging.revision).trim().into()
    }

    /// Request number `ask` to the writer or grounder, without pictures. `size` is that of the picture,
    /// which grounders are told.
    ///
    /// # Errors
    /// Why the item cannot be asked about, as text.
    pub fn write(
        &self,
        item: &Item,
        wording: &Wording,
        size: Option<(u32, u32)>,
        (ask, seed): (u32, u32),
        max_tokens: u32,
    ) -> std::result::Result<VlmRequest, String> {
        let Some(writing) = &self.writing else {
            return Err("nobody is asked for this strategy".into());
        };
        let about = (item, &*wording.question);
        write_request(writing, about, size, (ask, seed), max_tokens)
    }

    /// What an answer of the writer or grounder offers. `size` is that of the picture that a grounder saw.
    ///
    /// # Errors
    /// Why it cannot be used.
    pub fn read(
        &self,
        item: &Item,
        wording: &Wording,
        size: Option<(u32, u32)>,
        unread: &Unread,
    ) -> std::result::Result<Vec<Candidate>, Unusable> {
        let form = self.writing.as_ref().map(|writing| writing.reads);
        let words = match (form, size) {
            (Some(WrittenForm::Text { words }), _) => words,
            (Some(WrittenForm::Boxes { count }), Some(size)) => return boxes(unread, count, size),
            _ => return Err(Unusable::Refused("the answer cannot be read".into())),
        };
        let text = written::text(&unread.reply, &unread.finish, words)?;
        written::check(self.strategy, item, &wording.question, &text)?;
        Ok(vec![Candidate {
            text,
            ..Candidate::default()
        }])
    }

    /// The request to the judge about what was made, without pictures.
    ///
    /// # Errors
    /// Why it cannot be judged, as text.
    pub fn judge(
        &self,
        item: &Item,
        wording: &Wording,
        made: &Made,
        max_tokens: u32,
    ) -> std::result::Result<VlmRequest, String> {
        let text = made.candidate.text.clone();
        let fields = judge_fields(self.strategy, (item, &wording.question), text);
        self.judging.ask(&fields, max_tokens).map_err(lacks)
    }

    /// The ruling in an answer of the judge: whether it passes, and why.
    pub fn ruling(&self, unread: &Unread) -> (Option<bool>, Option<String>) {
        let reading = match unread.finish {
            Finish::Refused => return (None, Some(unread.reply.trim().to_string())),
            _ => benchtop_metrics::judge::understood(&unread.reply, self.pass),
        };
        let reason = reading.reason.or_else(|| {
            let none = reading.pass.is_none();
            none.then(|| "the judge gave no answer that can be read".to_string())
        });
        (reading.pass, reason)
    }
}

/// The objects in an answer of a grounder, each with its box. An answer with some that cannot be used
/// is repaired once; then the others count.
fn boxes(
    unread: &Unread,
    count: u32,
    picture: (u32, u32),
) -> std::result::Result<Vec<Candidate>, Unusable> {
    let said = written::said(&unread.reply, &unread.finish)?;
    let asked = AskedBoxes {
        count: count as usize,
        picture,
        notation: None,
    };
    let reading = read_boxes(said, &asked);
    if reading.entries.is_empty() || !(unread.repair || reading.is_complete()) {
        let faults = reading.faults_as_lines().replace('\n', "; ");
        return Err(Unusable::Wrong(faults));
    }
    let all = reading.entries.into_iter();
    Ok(all
        .map(|one| painting::candidate(one.name, one.area))
        .collect())
}

/// A request to a writer or grounder about `item` with the question as it is before the strategy.
///
/// # Errors
/// Why the item cannot be asked about, as text.
pub fn write_request(
    writing: &Writing,
    (item, question): (&Item, &str),
    size: Option<(u32, u32)>,
    (ask, seed): (u32, u32),
    max_tokens: u32,
) -> std::result::Result<VlmRequest, String> {
    let mut fields = fields_of(item, None);
    fields.insert("question", question.to_string());
    if let Some((width, height)) = size {
        fields.insert("width", width.to_string());
        fields.insert("height", height.to_string());
    }
    writing.ask(&fields, (ask, seed), max_tokens).map_err(lacks)
}

/// The slots of the judge of a strategy. `made` is the new question, the context, or the edit.
pub fn judge_fields(strategy: Strategy, (item, question): (&Item, &str), made: String) -> Fields {
    let mut fields = fields_of(item, None);
    fields.insert("question", question.to_string());
    fields.insert("original-question", question.to_string());
    let slot = match strategy {
        Strategy::L1 | Strategy::L2 => "question",
        Strategy::L3 | Strategy::L4 => "context",
        Strategy::V1 | Strategy::V2 | Strategy::V3 => "edit",
    };
    fields.insert(slot, made);
    fields
}

pub(crate) fn lacks(slot: &str) -> String {
    format!("the item has no value for `{{{slot}}}`")
}

/// The seed of a request: another one for each item, product, request, and repair.
pub fn seed(plan: u64, item: &str, product: &str, ask: u32, repair: bool) -> u32 {
    let kind = if repair { "repair" } else { "ask" };
    seed_of(kind, (plan, item, product), ask)
}

/// The seed of a painting: another one for each item, product, and try.
pub fn paint_seed(plan: u64, item: &str, product: &str, try_number: u32) -> u32 {
    seed_of("paint", (plan, item, product), try_number)
}

fn seed_of(kind: &str, (plan, item, product): (u64, &str, &str), number: u32) -> u32 {
    let (plan, number) = (plan.to_string(), number.to_string());
    let hash = of_texts(["bootstrap", &plan, item, product, &number, kind]);
    // Some servers read seeds as signed numbers.
    (first_bytes(&hash) & 0x7fff_ffff) as u32
}

/// The request that has an answer repaired: the first one, with the answer and what is wrong.
pub fn repair(first: VlmRequest, reply: &str, problem: &str, seed: u32) -> VlmRequest {
    let quoted: String = reply.chars().take(QUOTED).collect();
    let quoted = match quoted.trim() {
        "" => "(nothing)",
        quoted => quoted,
    };
    let prompt = format!(
        "{}\n\nYour answer was:\n{quoted}\n\nIt cannot be used: {problem}. Answer again, in the form that is asked for and with nothing else.",
        first.prompt
    );
    VlmRequest {
        sampling: first.sampling.map(|sampling| Sampling { seed, ..sampling }),
        prompt,
        ..first
    }
}
