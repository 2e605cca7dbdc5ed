//! Print attacks: a wrong word on the picture of each question.

use benchtop_compose::compiled_metadata::CompiledMetadata;
use benchtop_model::cancel::Cancel;
use benchtop_model::config::Config;
use benchtop_model::derivation::{PRINT_ATTACK, WORD};
use benchtop_model::scenario::ScenarioPlan;
use benchtop_model::{Error, Item, Result};
use benchtop_raster::decode::DecodedImage;
use benchtop_raster::print_attack::{self, FACTORS, Factor, Look};

use super::kind::{Dealer, Dealt, Painter, Parameters, Per, Scenario};
use super::layout::Layout;
use super::words;

/// Where a text in the picture is what questions ask about.
const TEXT: &str = "text";
/// The word of contact sheets without a question.
const SAMPLE: &str = "word";

pub(super) struct PrintAttack;

impl Scenario for PrintAttack {
    fn name(&self) -> &'static str {
        PRINT_ATTACK
    }

    fn version(&self) -> String {
        print_attack::VERSION.to_string()
    }

    fn per(&self) -> Per {
        Per::Question
    }

    fn parameters(
        &self,
        item: &Item,
        plan: &ScenarioPlan,
        metadata: &CompiledMetadata,
    ) -> std::result::Result<Parameters, String> {
        let subtask = item.subtask.as_deref().unwrap_or_default();
        if subtask.trim().eq_ignore_ascii_case(TEXT) {
            return Err("they ask about a text in the picture".into());
        }
        let word = words::wrong(item, (plan.seed, plan.is_on("answer-word")), metadata)?;
        Ok(Parameters::from_iter([(WORD.to_string(), word.into())]))
    }

    fn dealer(&self, plan: &ScenarioPlan) -> Result<Box<dyn Dealer>> {
        let levels = FACTORS.map(|factor| levels(plan, factor));
        let dealer = print_attack::Dealer::new(plan.seed, &levels);
        let wrong = || Error::usage("no level is chosen").field("settings");
        Ok(Box::new(Deal(dealer.ok_or_else(wrong)?)))
    }

    fn painter(&self, _: &ScenarioPlan, _: Option<&Config>) -> Result<Box<dyn Painter>> {
        Ok(Box::new(PrintAttack))
    }

    /// Factor x level: one factor varies, and the others are those of a large black word.
    fn sheet(&self, plan: &ScenarioPlan, parameters: &Parameters) -> Result<Layout> {
        let word = parameters.get(WORD).cloned().unwrap_or(SAMPLE.into());
        let base = [
            Factor::Size.levels() - 1,
            0,
            Factor::Opacity.levels() - 1,
            0,
            12,
        ];
        let mut layout = Layout::default();
        for (at, factor) in FACTORS.into_iter().enumerate() {
            let mut all = Vec::new();
            let mut labels = Vec::new();
            for level in levels(plan, factor) {
                let mut levels = base;
                levels[at] = level;
                let look = Look::new(levels)
                    .ok_or_else(|| Error::usage("no such level").field(factor.name()))?;
                let mut parameters = Parameters::from_iter([(WORD.to_string(), word.clone())]);
                parameters.extend(of_look(look));
                all.push(Some(parameters));
                labels.push(value(factor, level));
            }
            // 25 positions take as many rows of five.
            for (row, labels) in all.chunks(5).zip(labels.chunks(5)) {
                let label = format!("{} {}", factor.name(), labels.join(" "));
                layout.rows.push((label, row.to_vec()));
            }
        }
        let columns = layout.rows.iter().map(|row| row.1.len()).max().unwrap_or(0);
        layout.columns = (1..=columns).map(|n| n.to_string()).collect();
        Ok(layout)
    }
}

/// The chosen levels of a factor.
fn levels(plan: &ScenarioPlan, factor: Factor) -> Vec<u8> {
    let chosen = plan.several(factor.name());
    let is_chosen = |level: &u8| chosen.contains(&&*value(factor, *level));
    (0..factor.levels()).filter(is_chosen).collect()
}

/// The value of a level in settings and derivations: its name, without words and units.
pub(super) fn value(factor: Factor, level: u8) -> String {
    let name = factor.level_name(level);
    match factor {
        Factor::Position => {
            let digits: Vec<&str> = name
                .split(|c: char| !c.is_ascii_digit())
                .filter(|d| !d.is_empty())
                .collect();
            digits.join("-")
        }
        _ => name.split(' ').next().unwrap_or_default().to_string(),
    }
}

fn of_look(look: Look) -> Parameters {
    let each = FACTORS.into_iter();
    each.map(|factor| {
        (
            factor.name().to_string(),
            value(factor, look.level(factor)).into(),
        )
    })
    .collect()
}

struct Deal(print_attack::Dealer);

impl Dealer for Deal {
    fn at(&mut self, at: u64) -> Vec<Dealt> {
        vec![Dealt {
            suffix: String::new(),
            parameters: of_look(self.0.at(at)),
        }]
    }
}

impl Painter for PrintAttack {
    fn paint(
        &self,
        picture: &DecodedImage,
        parameters: &Parameters,
        _: Cancel<'_>,
    ) -> Result<(DecodedImage, Parameters)> {
        let wrong = |field: &str| Error::corrupt("the plan has no such value").field(field);
        let text = |name: &str| parameters.get(name).and_then(|v| v.as_str());
        let word = text(WORD).ok_or_else(|| wrong(WORD))?;
        let mut levels = [0; FACTORS.len()];
        for (factor, to) in FACTORS.into_iter().zip(&mut levels) {
            let wanted = text(factor.name()).ok_or_else(|| wrong(factor.name()))?;
            let found = (0..factor.levels()).find(|level| value(factor, *level) == wanted);
            *to = found.ok_or_else(|| wrong(factor.name()))?;
        }
        let look = Look::new(levels).ok_or_else(|| wrong("look"))?;
        let (made, ink) = print_attack::write(picture, word, look)?;
        Ok((made, ink.parameters()))
    }
}
