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
    /// The states of the products by source.
    states: Vec<Vec<State>>,
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
                self.states = vec![vec![State::default(); self.products.all.len()]; sources];
            }
            StepLine::Done { n, product, done } => {
                let product = self.products.position(&product);
                self.answers += u64::from(matches!(done, Done::Answer(_)));
                self.painted += u64::from(matches!(done, Done::Painted { .. }));
                let most = self.most;
                if let Some(state) = product.and_then(|k| self.states.get_mut(n)?.get_mut(k)) {
                    state.take(done, most);
                }
            }
            StepLine::Retry => self.states.iter_mut().flatten().for_each(State::retry),
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
        let (mut done, mut kept, mut failed) = (0, 0, 0);
        for n in 0..self.states.len() {
            for composition in &self.products.compositions {
                if self.is_complete(n, composition) {
                    done += 1;
                    kept += u64::from(!self.is_modified(n, composition));
                } else {
                    failed += u64::from(self.failure(n, composition).is_some());
                }
            }
        }
        (done, kept, failed)
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
