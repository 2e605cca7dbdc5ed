//! Plans the pictures of a scenario: which items get one, and with which parameters.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde_json::Value;

use super::kind::{Dealer, Dealt, Parameters, Per, Scenario};
use super::registry;
use benchtop_compose::compiled_metadata::CompiledMetadata;
use benchtop_metrics::score::is_base;
use benchtop_model::derivation::SEED;
use benchtop_model::rng;
use benchtop_model::scenario::{ScenarioPlan, StartedScenario};
use benchtop_model::{Item, Key, Result};
use benchtop_store::jobs::PlannedPicture;

/// Finds an item of the project by its id.
pub type Find<'f> = dyn Fn(&str) -> Result<Option<Item>> + 'f;

/// A plan in the making. It sees the items in the order of their numbers.
pub struct Planner<'p> {
    plan: &'p ScenarioPlan,
    scenario: &'static dyn Scenario,
    metadata: &'p CompiledMetadata,
    find: &'p Find<'p>,
    dealer: Box<dyn Dealer>,
    /// The suffixes of one source.
    suffixes: Vec<String>,
    sources: Vec<Source>,
    /// Position in `sources` of each picture, for scenarios of pictures.
    of_picture: HashMap<String, usize>,
    /// Parameters that a picture got before, by picture and suffix.
    before: HashMap<(String, String), Parameters>,
    excluded: BTreeMap<String, u64>,
    counts: StartedScenario,
    datasets: BTreeSet<String>,
    included: Vec<u32>,
}

/// What pictures are made from: a picture, or the picture of a question.
struct Source {
    picture: String,
    /// Its items, with the suffixes that are not derived yet.
    items: Vec<(u32, String, Vec<bool>)>,
    parameters: Parameters,
    /// Identifies it for the seed of its pictures.
    name: String,
}

/// What is planned.
#[derive(Debug)]
pub struct Planned {
    pub pictures: Vec<PlannedPicture>,
    /// Numbers of the items that decide the plan: those that are derived, and those that share their
    /// pictures and were derived before.
    pub numbers: Vec<u32>,
    /// Without the job and the estimate of bytes.
    pub counts: StartedScenario,
}

impl<'p> Planner<'p> {
    /// A plan without items.
    ///
    /// # Errors
    /// Wrong settings.
    pub fn new(
        plan: &'p ScenarioPlan,
        metadata: &'p CompiledMetadata,
        find: &'p Find<'p>,
    ) -> Result<Planner<'p>> {
        let scenario = registry::of(plan)?;
        let mut dealer = scenario.dealer(plan)?;
        let suffixes = dealer.at(0).into_iter().map(|dealt| dealt.suffix).collect();
        Ok(Planner {
            plan,
            scenario,
            metadata,
            find,
            dealer,
            suffixes,
            sources: Vec::new(),
            of_picture: HashMap::new(),
            before: HashMap::new(),
            excluded: BTreeMap::new(),
            counts: StartedScenario::default(),
            datasets: BTreeSet::new(),
            included: Vec::new(),
        })
    }

    /// Adds an item with its pictures located, or counts why not.
    ///
    /// # Errors
    /// Errors of reading an item that was derived before.
    pub fn see(&mut self, number: u32, item: &Item) -> Result<()> {
        match self.take(number, item)? {
            Ok(()) => {}
            Err(why) => *self.excluded.entry(why).or_default() += 1,
        }
        Ok(())
    }

    fn take(&mut self, number: u32, item: &Item) -> Result<std::result::Result<(), String>> {
        let variant = item.variant.as_ref().map_or("", |variant| &variant.name);
        if item.derivation.is_some() || !is_base(variant) {
            return Ok(Err("variants of other items".into()));
        }
        let picture = match &*item.images {
            [] => return Ok(Err("no picture".into())),
            [image] => image.hash.clone(),
            _ => return Ok(Err("several pictures".into())),
        };
        let Some(picture) = picture else {
            return Ok(Err("their picture is not generated yet".into()));
        };
        let parameters = match self.scenario.parameters(item, self.plan, self.metadata) {
            Ok(parameters) => parameters,
            Err(why) => return Ok(Err(why)),
        };
        let dataset = self.plan.dataset(&item.dataset);
        let mut is_new = Vec::new();
        for suffix in self.suffixes.clone() {
            let key = match &*suffix {
                "" => item.key.clone(),
                suffix => Key::Text(format!("{}~{suffix}", item.key)),
            };
            let there = (self.find)(&format!("{dataset}/{key}"))?;
            is_new.push(there.is_none());
            let Some(there) = there else { continue };
            let Some(made) = there.derivation else {
                return Ok(Err(format!(
                    "data set {dataset} has other items with their keys"
                )));
            };
            if (&made.source.id, &made.source.digest) != (&item.id, &item.digest()) {
                return Ok(Err("derived before, and changed since".into()));
            }
            self.before
                .insert((picture.clone(), suffix), made.parameters);
        }
        if !is_new.contains(&true) {
            self.counts.already += 1;
            // Questions that are asked later about its picture get what it has.
            if self.scenario.per() == Per::Picture {
                self.included.push(number);
            }
            return Ok(Ok(()));
        }
        let (digest, is_draft) = (item.digest(), item.images.iter().any(|image| image.draft));
        self.counts.drafts += u64::from(is_draft);
        self.counts.items += is_new.iter().filter(|is_new| **is_new).count() as u64;
        self.datasets.insert(dataset);
        self.included.push(number);
        let of_picture = match self.scenario.per() {
            Per::Picture => self.of_picture.get(&picture).copied(),
            Per::Question => None,
        };
        let own = (number, digest, is_new);
        match of_picture {
            Some(at) => self.sources[at].items.push(own),
            None => {
                self.of_picture.insert(picture.clone(), self.sources.len());
                let name = match self.scenario.per() {
                    Per::Picture => picture.clone(),
                    Per::Question => item.id.clone(),
                };
                self.sources.push(Source {
                    picture,
                    items: vec![own],
                    parameters,
                    name,
                });
            }
        }
        Ok(Ok(()))
    }

    /// Deals the parameters.
    pub fn finish(mut self) -> Planned {
        let mut pictures = Vec::new();
        let mut dealt: BTreeMap<(String, String), u64> = BTreeMap::new();
        for (at, source) in std::mem::take(&mut self.sources).into_iter().enumerate() {
            for (n, Dealt { suffix, parameters }) in
                self.dealer.at(at as u64).into_iter().enumerate()
            {
                let new = source.items.iter().filter(|(_, _, is_new)| is_new[n]);
                let items: Vec<(u32, String)> = new
                    .map(|(number, digest, _)| (*number, digest.clone()))
                    .collect();
                if items.is_empty() {
                    continue;
                }
                let before = match self.scenario.per() {
                    // Another question about the picture has its result already.
                    Per::Picture => self
                        .before
                        .remove(&(source.picture.clone(), suffix.clone())),
                    Per::Question => None,
                };
                let parameters = before.unwrap_or_else(|| {
                    let seed = [self.scenario.name(), &*source.name, &*suffix];
                    let mut all = source.parameters.clone();
                    all.extend(parameters);
                    all.insert(SEED.into(), rng::key(self.plan.seed, &seed).into());
                    all
                });
                let own = |name: &&String| source.parameters.contains_key(*name);
                for (name, value) in parameters.iter().filter(|(name, _)| !own(name)) {
                    if let Some(value) = counted(name, value) {
                        *dealt.entry((name.clone(), value)).or_default() += 1;
                    }
                }
                pictures.push(PlannedPicture {
                    items,
                    picture: source.picture.clone(),
                    suffix,
                    parameters,
                });
            }
        }
        let by_picture: BTreeSet<&str> = pictures.iter().map(|p| &*p.picture).collect();
        let counts = StartedScenario {
            pictures: pictures.len() as u64,
            sources: by_picture.len() as u64,
            datasets: self.datasets.into_iter().collect(),
            excluded: self.excluded.into_iter().collect(),
            dealt: dealt
                .into_iter()
                .map(|((name, value), count)| (name, value, count))
                .collect(),
            ..self.counts
        };
        Planned {
            pictures,
            numbers: self.included,
            counts,
        }
    }
}

/// The value of a parameter that is dealt, not drawn.
fn counted(name: &str, value: &Value) -> Option<String> {
    match value {
        _ if name == SEED => None,
        Value::String(text) => Some(text.clone()),
        Value::Number(number) if number.is_u64() => Some(number.to_string()),
        _ => None,
    }
}
