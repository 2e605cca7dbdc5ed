//! Corruptions: one of eleven at one severity for each picture, or the whole grid.

use benchtop_model::cancel::Cancel;
use benchtop_model::config::Config;
use benchtop_model::derivation::SEED;
use benchtop_model::scenario::ScenarioPlan;
use benchtop_model::{Error, Result};
use benchtop_raster::corrupt::{self, Corruption, Severity};
use benchtop_raster::decode::DecodedImage;

use super::kind::{Dealer, Dealt, Painter, Parameters, Scenario};
use super::layout::Layout;

const CORRUPTION: &str = "corruption";
const SEVERITY: &str = "severity";

pub(super) struct Corruptions;

impl Scenario for Corruptions {
    fn name(&self) -> &'static str {
        "corruption"
    }

    fn version(&self) -> String {
        corrupt::VERSION.to_string()
    }

    fn dealer(&self, plan: &ScenarioPlan) -> Result<Box<dyn Dealer>> {
        Ok(Box::new(Deal {
            dealer: dealer(plan)?,
            is_grid: plan.is_on("grid"),
        }))
    }

    fn painter(&self, _: &ScenarioPlan, _: Option<&Config>) -> Result<Box<dyn Painter>> {
        Ok(Box::new(Corruptions))
    }

    /// Severity x corruption.
    fn sheet(&self, plan: &ScenarioPlan, _: &Parameters) -> Result<Layout> {
        let mut layout = Layout::default();
        let severities = severities(plan);
        layout.columns = severities.iter().map(|s| s.number().to_string()).collect();
        for corruption in Corruption::ALL {
            let of = |severity: &Severity| Some(parameters(corruption, *severity));
            let row = severities.iter().map(of).collect();
            layout.rows.push((corruption.name().into(), row));
        }
        Ok(layout)
    }
}

fn severities(plan: &ScenarioPlan) -> Vec<Severity> {
    let chosen = plan.several("severities");
    let number = |text: &&str| Severity::new(text.parse().ok()?);
    chosen.iter().filter_map(number).collect()
}

fn dealer(plan: &ScenarioPlan) -> Result<corrupt::Dealer> {
    corrupt::Dealer::new(plan.seed, &severities(plan))
        .ok_or_else(|| Error::usage("no severity is chosen").field("severities"))
}

fn parameters(corruption: Corruption, severity: Severity) -> Parameters {
    Parameters::from_iter([
        (CORRUPTION.to_string(), corruption.name().into()),
        (SEVERITY.to_string(), severity.number().into()),
    ])
}

struct Deal {
    dealer: corrupt::Dealer,
    is_grid: bool,
}

impl Dealer for Deal {
    fn at(&mut self, at: u64) -> Vec<Dealt> {
        let dealt = |suffix, (corruption, severity)| Dealt {
            suffix,
            parameters: parameters(corruption, severity),
        };
        match self.is_grid {
            false => vec![dealt(String::new(), self.dealer.at(at))],
            true => {
                let name =
                    |of: (Corruption, Severity)| format!("{}-{}", of.0.name(), of.1.number());
                self.dealer.grid().map(|of| dealt(name(of), of)).collect()
            }
        }
    }
}

impl Painter for Corruptions {
    fn paint(
        &self,
        picture: &DecodedImage,
        parameters: &Parameters,
        _: Cancel<'_>,
    ) -> Result<(DecodedImage, Parameters)> {
        let wrong = |field: &str| Error::corrupt("the plan has no such value").field(field);
        let name = parameters.get(CORRUPTION).and_then(|v| v.as_str());
        let corruption = name.and_then(Corruption::named);
        let number = parameters.get(SEVERITY).and_then(|v| v.as_u64());
        let severity = number.and_then(|n| Severity::new(u8::try_from(n).ok()?));
        let seed = parameters.get(SEED).and_then(|v| v.as_u64());
        let made = corrupt::corrupt(
            picture,
            corruption.ok_or_else(|| wrong(CORRUPTION))?,
            severity.ok_or_else(|| wrong(SEVERITY))?,
            seed.ok_or_else(|| wrong(SEED))?,
        );
        Ok((made, Parameters::new()))
    }
}
