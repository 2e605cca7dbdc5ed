//! All products of a job, from the lines of its journal.

use benchtop_model::generation::Failure;
use benchtop_model::{ImageRef, Item};
use benchtop_store::jobs::{Done, StepLine, StepSource};

use super::painting::painted;
use super::products::{Joined, Products};
use super::state::{Made, State};

/// The progress of a job.
#[derive(Debug)]
pub struct Progress {
    pub products: Products,
    most: u32,
    pub sources: Vec<StepSource>,
    /// Number of sources of the finished plan.
    planned: Option<usize>,
    /// The states of the products by source. Empty before the plan is finished, and for a damaged one.
    states: Vec<Vec<State>>,
    /// Sum of what [`tally`](Self::tally) says of all sources.
    counts: [u64; 3],
    /// Number of answers of models.
    pub answers: u64,
    /// Number of painted pictures.
    pub painted: u64,
}

/// The text of an item after a chain of products.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wording {
    pub question: String,
    /// What goes before the question, in order.
    pub contexts: Vec<String>,
}

impl Wording {
    /// The whole text.
    pub fn text(&self) -> String {
        let parts = self.contexts.iter().chain([&self.question]);
        parts.map(String::as_str).collect::<Vec<&str>>().join("\n")
    }
}

impl Progress {
    /// Nothing was done yet. `most` is the number of tries.
    pub fn new(products: Products, most: u32) -> Progress {
        Progress {
            products,
            most,
            sources: Vec::new(),
            planned: None,
            states: Vec::new(),
            counts: [0; 3],
            answers: 0,
            painted: 0,
        }
    }

    /// Takes over a line.
    pub fn take(&mut self, line: StepLine) {
        match line {
            StepLine::Plan => {
                self.sources.clear();
                self.planned = None;
            }
            StepLine::Source { n, source } if n == self.sources.len() => self.sources.push(source),
            // A line before it is lost, so the plan is.
            StepLine::Source { .. } => {}
            StepLine::Planned { sources } => {
                self.planned = Some(sources);
                // The number can be any, so memory goes by what is there.
                let count = if self.is_damaged() { 0 } else { sources };
                self.states = vec![vec![State::default(); self.products.all.len()]; count];
                self.counts = [0; 3];
            }
            StepLine::Done { n, product, done } => {
                let product = self.products.position(&product);
                self.answers += u64::from(matches!(done, Done::Answer(_)));
                self.painted += u64::from(matches!(done, Done::Painted { .. }));
                let most = self.most;
                let before = self.tally(n);
                if let Some(state) = product.and_then(|k| self.states.get_mut(n)?.get_mut(k)) {
                    state.take(done, most);
                    let after = self.tally(n);
                    for (count, (before, after)) in
                        self.counts.iter_mut().zip(before.into_iter().zip(after))
                    {
                        *count = *count - before + after;
                    }
                }
            }
            StepLine::Retry => {
                self.states.iter_mut().flatten().for_each(State::retry);
                self.counts = (0..self.states.len())
                    .map(|n| self.tally(n))
                    .fold([0; 3], |sum, of| [0, 1, 2].map(|at| sum[at] + of[at]));
            }
        }
    }

    /// Whether a plan was written completely.
    pub fn is_planned(&self) -> bool {
        self.planned.is_some()
    }

    /// Whether a part of the plan is lost.
    pub fn is_damaged(&self) -> bool {
        self.planned
            .is_some_and(|planned| planned != self.sources.len())
    }

    pub fn state(&self, n: usize, product: usize) -> Option<&State> {
        self.states.get(n)?.get(product)
    }

    /// The products of a source that have a next step: those whose parent is settled without a
    /// failure.
    pub fn ready(&self, n: usize) -> impl Iterator<Item = usize> {
        let all = 0..self.products.all.len();
        all.filter(move |k| {
            let is_open = self.state(n, *k).is_some_and(|state| !state.is_settled());
            let parent = self.products.all.get(*k).and_then(|product| product.parent);
            is_open
                && parent.is_none_or(|parent| {
                    self.state(n, parent)
                        .is_some_and(|state| state.outcome.is_some())
                })
        })
    }

    /// The first failure that keeps a composition from being made.
    pub fn failure(&self, n: usize, composition: &Joined) -> Option<(usize, &Failure)> {
        let all = self.products.joined(composition);
        all.into_iter()
            .find_map(|k| Some((k, self.state(n, k)?.failure.as_ref()?)))
    }

    /// Whether all products of a composition are made or kept.
    pub fn is_complete(&self, n: usize, composition: &Joined) -> bool {
        let is_there = |k: &usize| {
            self.state(n, *k)
                .is_some_and(|state| state.outcome.is_some())
        };
        self.products.joined(composition).iter().all(is_there)
    }

    /// Number of complete, kept, and failed items.
    pub fn counts(&self) -> (u64, u64, u64) {
        let [done, kept, failed] = self.counts;
        (done, kept, failed)
    }

    /// Number of complete, kept, and failed items of one source.
    fn tally(&self, n: usize) -> [u64; 3] {
        let (mut done, mut kept, mut failed) = (0, 0, 0);
        for composition in &self.products.compositions {
            if self.is_complete(n, composition) {
                done += 1;
                kept += u64::from(!self.is_modified(n, composition));
            } else {
                failed += u64::from(self.failure(n, composition).is_some());
            }
        }
        [done, kept, failed]
    }

    /// Whether every strategy of a composition changed something.
    pub fn is_modified(&self, n: usize, composition: &Joined) -> bool {
        let is_made = |k: &usize| {
            self.state(n, *k)
                .is_some_and(|state| state.product().is_some())
        };
        self.products.joined(composition).iter().all(is_made)
    }

    /// What the products up to `product` made, in order; those that were kept changed nothing.
    pub fn made(&self, n: usize, product: Option<usize>) -> Vec<(usize, &Made)> {
        let all = self.products.lineage(product);
        all.into_iter()
            .filter_map(|k| Some((k, self.state(n, k)?.product()?)))
            .collect()
    }

    /// The picture of a source after `product`; strategies that were kept changed nothing. `None` for an
    /// item without pictures.
    pub fn picture(&self, n: usize, product: Option<usize>, item: &Item) -> Option<ImageRef> {
        let source = item.images.first()?;
        let made = self.made(n, product);
        let last = made.iter().rev().find(|(_, made)| !made.picture.is_empty());
        Some(match last {
            Some((k, made)) => {
                let key = self.products.all.get(*k).map_or("", |p| &p.key);
                painted(source, &key.replace('>', "-"), made)
            }
            None => source.clone(),
        })
    }

    /// The wording after `product` of a question.
    pub fn wording(&self, n: usize, product: Option<usize>, question: &str) -> Wording {
        let mut wording = Wording {
            question: question.into(),
            contexts: Vec::new(),
        };
        for (k, made) in self.made(n, product) {
            let text = made.candidate.text.clone();
            let strategy = self.products.all.get(k).map(|p| p.applied.strategy);
            match strategy {
                // The edit of a picture says nothing.
                Some(strategy) if strategy.is_of_picture() => {}
                Some(strategy) if super::requests::adds_context(strategy) => {
                    wording.contexts.insert(0, text);
                }
                _ => wording.question = text,
            }
        }
        wording
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use benchtop_model::bootstrap::BootstrapPlan;
    use benchtop_model::generation::FailureKind;

    fn progress(sources: usize) -> Progress {
        let plan = BootstrapPlan {
            strategies: vec!["L1".into(), "L4(L1)".into()],
            ..BootstrapPlan::default()
        };
        let mut progress = Progress::new(Products::of(&plan).unwrap(), 1);
        progress.take(StepLine::Plan);
        for n in 0..sources {
            let source = StepSource::default();
            progress.take(StepLine::Source { n, source });
        }
        progress.take(StepLine::Planned { sources });
        progress
    }

    fn done(n: usize, product: &str, done: Done) -> StepLine {
        StepLine::Done {
            n,
            product: product.into(),
            done,
        }
    }

    #[test]
    fn a_plan_with_lost_lines_is_damaged_whatever_number_it_tells() {
        let mut progress = progress(2);
        progress.take(StepLine::Planned {
            sources: usize::MAX,
        });
        assert!(progress.is_planned() && progress.is_damaged());
        progress.take(done(
            0,
            "L1",
            Done::Failed(Failure::new(FailureKind::Input, "no")),
        ));
        assert_eq!(progress.counts(), (0, 0, 0));
        assert_eq!(progress.ready(0).count(), 0);
    }

    #[test]
    fn items_are_counted_as_their_products_settle() {
        let mut progress = progress(2);
        let candidates = || Done::Read {
            candidates: vec![Default::default()],
        };
        let ruled = |pass| Done::Ruled {
            pass: Some(pass),
            reason: None,
        };
        let failed = || Done::Failed(Failure::new(FailureKind::Input, "no"));
        let mut after = |line: StepLine| {
            progress.take(line);
            progress.counts()
        };
        assert_eq!(after(done(0, "L1", candidates())), (0, 0, 0));
        assert_eq!(after(done(0, "L1", ruled(true))), (1, 0, 0));
        // L4 of both sources hangs on L1.
        assert_eq!(after(done(1, "L1", failed())), (1, 0, 2));
        assert_eq!(after(done(0, "L1>L4", failed())), (1, 0, 3));
        assert_eq!(after(StepLine::Retry), (1, 0, 0));
        assert_eq!(after(done(0, "L1>L4", candidates())), (1, 0, 0));
        // The only try is spent.
        assert_eq!(after(done(0, "L1>L4", ruled(false))), (2, 1, 0));
        assert_eq!(after(done(7, "L1", failed())), (2, 1, 0));
    }
}
