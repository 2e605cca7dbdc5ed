//! Paints the candidates of V1, V2, and V3. A picture is on disk before the line of its step is.

use super::job::BootstrapJob;
use super::painter::Painted;
use super::session::Session;
use crate::engine::{Live, Step};
use crate::trust;
use benchtop_model::generation::{Failure, FailureKind};
use benchtop_model::job::JobStatus;
use benchtop_model::{Error, ImageRef, Result};
use benchtop_pipeline::bootstrap::state::Next;
use benchtop_pipeline::bootstrap::{painting, requests};
use benchtop_pipeline::evaluate::server_errors::is_of_question;
use benchtop_pipeline::picture_edit::{Edit, EditEvent, PictureEdit, edit_pictures};
use benchtop_store::jobs::{Done, StepLine};

/// A picture to paint.
struct Order {
    n: usize,
    k: usize,
    source: ImageRef,
    folder: String,
    edit: Edit,
    seed: u32,
}

impl Session<'_> {
    /// Paints the candidates that are next. What cannot be painted is a spent try, or a failure if
    /// another candidate would fail as well.
    pub(super) fn paint(&mut self, active: &[usize]) -> Result<Painted> {
        let (orders, failed) = self.orders(active)?;
        let found = !orders.is_empty() || !failed.is_empty();
        self.record(failed)?;
        if orders.is_empty() {
            return Ok(match found {
                true => Painted::Some,
                false => Painted::Nothing,
            });
        }
        trust::check(self.shared, &self.to)?;
        let before = self.progress.painted;
        let lost = self.paint_all(&orders)?;
        let outage = lost.iter().find(|(_, failure)| failure.is_outage());
        if let Some((_, failure)) = outage {
            return Ok(Painted::Ends(Step::Outage(failure.reason.clone())));
        }
        if !self.shared.jobs.goes_on(self.id) {
            return Ok(Painted::Ends(Step::More));
        }
        let painted = self.progress.painted;
        let mut lines = Vec::new();
        for (at, failure) in lost {
            let is_of_candidate = match failure.kind {
                FailureKind::Cancelled => continue,
                FailureKind::BadOutput => true,
                FailureKind::Refused => painted > 0 && is_of_question(&failure.reason),
                _ => false,
            };
            let done = match (is_of_candidate, failure.kind) {
                (true, _) => Done::Unread {
                    problem: failure.reason,
                    repair: false,
                },
                (false, FailureKind::Input) => Done::Failed(failure),
                // The painter works, so it is not its fault.
                (false, _) if painted > before => Done::Failed(failure),
                (false, _) => {
                    let what = format!("the painter does not paint: {}", failure.reason);
                    return Err(Error::unreachable(what).help(format!(
                        "check [generate] in benchtop.toml, then run: benchtop jobs resume {}",
                        self.id
                    )));
                }
            };
            let Some(order) = orders.get(at) else {
                continue;
            };
            lines.push(self.line((order.n, order.k), done));
        }
        self.record(lines)?;
        Ok(Painted::Some)
    }

    /// The pictures to paint, and what cannot be.
    fn orders(&mut self, active: &[usize]) -> Result<(Vec<Order>, Vec<StepLine>)> {
        let (mut orders, mut failed) = (Vec::new(), Vec::new());
        for n in active {
            let ready: Vec<usize> = self.progress.ready(*n).collect();
            for k in ready {
                let Next::Paint(candidate) = self.next(*n, k) else {
                    continue;
                };
                let item = match self.item(*n)? {
                    Ok(item) => item,
                    Err(failure) => {
                        failed.push(self.line((*n, k), Done::Failed(failure)));
                        continue;
                    }
                };
                let product = self.progress.products.all.get(k);
                let source = self.picture_before(*n, k, &item);
                let Some((product, source)) = product.zip(source) else {
                    let failure = Failure::new(FailureKind::Input, "the item has no picture");
                    failed.push(self.line((*n, k), Done::Failed(failure)));
                    continue;
                };
                let tries = self.progress.state(*n, k).map_or(0, |state| state.tries);
                let plan = self.spec.plan.seed;
                orders.push(Order {
                    n: *n,
                    k,
                    source,
                    folder: product.key.replace('>', "-"),
                    edit: painting::edit(product.applied, &candidate)?,
                    seed: requests::paint_seed(plan, &item.id, &product.key, tries + 1),
                });
            }
        }
        Ok((orders, failed))
    }

    /// Paints, and returns the failures by the number of the order.
    fn paint_all(&mut self, orders: &[Order]) -> Result<Vec<(usize, Failure)>> {
        let (shared, id) = (self.shared.clone(), self.id);
        let prompts: Vec<_> = orders.iter().map(|o| painting::prompt(&o.edit)).collect();
        let each = orders.iter().zip(&prompts);
        let edits = each.map(|(order, (prompt, negative))| PictureEdit {
            source: &order.source,
            folder: &order.folder,
            edit: order.edit.clone(),
            prompt,
            negative_prompt: negative.as_deref(),
            seed: order.seed.into(),
        });
        let edits: Vec<PictureEdit<'_>> = edits.collect();
        let (mut lost, mut problem) = (Vec::new(), None);
        let Session {
            painter,
            journal,
            progress,
            ..
        } = self;
        let painter = painter.get(&shared, id)?;
        let settings = painter.capabilities().recommended.clone();
        edit_pictures(&shared.project, painter, &settings, &edits, &mut |event| {
            if let EditEvent::Done { index, result } = event {
                match (result, orders.get(index)) {
                    (Ok(edited), Some(order)) => {
                        let product = progress.products.all.get(order.k);
                        let line = StepLine::Done {
                            n: order.n,
                            product: product.map_or(String::new(), |p| p.key.clone()),
                            done: Done::Painted {
                                hash: edited.image.hash.clone().unwrap_or_default(),
                                found: painting::found(&edited),
                            },
                        };
                        match journal.lock().append(std::slice::from_ref(&line)) {
                            Ok(()) => progress.take(line),
                            Err(failed) => problem = Some(failed),
                        }
                    }
                    (Err(failure), _) => lost.push((index, failure)),
                    (Ok(_), None) => {}
                }
            }
            let standing = |live: &mut Live, _: &mut BootstrapJob| live.header.standing;
            let standing = shared.jobs.with(id, standing);
            problem.is_none()
                && standing.is_some_and(|standing| standing != JobStatus::Cancelled)
                && !shared.jobs.is_ending()
        })?;
        match problem {
            Some(problem) => Err(problem),
            None => Ok(lost),
        }
    }
}
