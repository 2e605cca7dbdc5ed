//! A step of a generation job: one batch.

use std::collections::HashMap;
use std::sync::Arc;

use super::job::{GenerationJob, load};
use super::session::{NextWork, Session};
use crate::context::OwnerContext;
use crate::engine::{Kind, Slot, Step};
use crate::trust;
use benchtop_inference::ImageGenerator;
use benchtop_model::config::Config;
use benchtop_model::job::GenerationOverrides;
use benchtop_model::{ErrorKind, Result};
use benchtop_pipeline::generate::build;
use benchtop_pipeline::generate::image_index::RequestedImages;
use benchtop_pipeline::generate::remaining::Target;
use benchtop_protocol::wire::{Request, request};

/// The kind of generation jobs.
pub static GENERATION: Kind<OwnerContext> = Kind {
    name: "generation",
    unit: "picture",
    access: request::Generate::ACCESS,
    load,
    step,
};

/// Backend and model. Jobs with the same text share a generator.
pub fn generator(config: &Config, wishes: &GenerationOverrides) -> String {
    let GenerationOverrides { backend, model, .. } = build::complete_overrides(config, wishes);
    [backend, model]
        .into_iter()
        .flatten()
        .collect::<Vec<_>>()
        .join(" ")
}

/// Everything a generator is built from. If `benchtop.toml` changes it, the generator is rebuilt.
fn built_from(config: &Config, wishes: &GenerationOverrides) -> String {
    format!("{} {:?}", generator(config, wishes), config.generate)
}

/// What the thread of a device keeps: a generator, and the jobs in progress with it.
struct Loaded {
    which: String,
    /// `None` after it panicked.
    generator: Option<Box<dyn ImageGenerator>>,
    sessions: HashMap<u32, Session>,
}

/// Makes one batch of a job, or only the picture that was requested.
pub fn step(shared: &Arc<OwnerContext>, id: u32, slot: &mut Slot) -> Result<Step> {
    let done = batch(shared, id, slot);
    if let (Err(_), Some(loaded)) = (&done, held(slot)) {
        loaded.sessions.remove(&id);
    }
    done
}

fn held(slot: &mut Slot) -> Option<&mut Loaded> {
    slot.as_mut()?.downcast_mut()
}

fn batch(shared: &Arc<OwnerContext>, id: u32, slot: &mut Slot) -> Result<Step> {
    let config = &*shared.config();
    let of_job = shared.jobs.with(id, |_, job: &mut GenerationJob| {
        (job.spec.wishes.clone(), job.wants.pop_front())
    });
    let Some((wishes, wanted)) = of_job else {
        return Ok(Step::More);
    };
    trust::check(shared, &trust::of_generation(config, &wishes)?)?;
    let which = built_from(config, &wishes);
    if held(slot).is_none_or(|loaded| loaded.which != which) {
        // Two models may not fit on one device, so the old generator is dropped first, together with
        // the sessions that depend on it.
        *slot = None;
        *slot = Some(Box::new(Loaded {
            which,
            generator: None,
            sessions: HashMap::new(),
        }));
    }
    let Some(Loaded {
        generator,
        sessions,
        ..
    }) = held(slot)
    else {
        return Ok(Step::More);
    };
    let maker = match generator {
        Some(maker) => maker,
        None => generator.insert(shared.requested.generator(config, &wishes)?),
    };
    let maker = maker.as_mut();
    // Jobs share the generator, but each counts its own requests.
    if let Some(meter) = shared.jobs.meter(id) {
        maker.count_requests(meter);
    }
    let session = match sessions
        .remove(&id)
        .filter(|session| session.is_current(shared))
    {
        Some(session) => session,
        None => match Session::begin(shared, id, maker)? {
            Some(session) => session,
            None => return Ok(Step::More),
        },
    };
    let session = sessions.entry(id).or_insert(session);
    session.refresh_fingerprint(maker);
    let only = wanted.and_then(|(_, row)| only(shared, session, row));
    let work = match session.next_batch(shared, only) {
        // The items have changed since the request; the next session uses the new ones.
        Err(problem) if problem.kind == ErrorKind::Conflict && !session.is_current(shared) => {
            NextWork::Nothing
        }
        work => work?,
    };
    match work {
        NextWork::Batch(tasks) => {
            let made = session.make(shared, maker, tasks)?;
            if made.panicked {
                *generator = None;
            }
            Ok(made.outage.map_or(Step::More, Step::Outage))
        }
        NextWork::Nothing => Ok(Step::More),
        NextWork::End => {
            sessions.remove(&id);
            Ok(Step::Done)
        }
    }
}

/// The picture of the item in `row`.
fn only(shared: &OwnerContext, session: &Session, row: u32) -> Option<Target> {
    // Uses the copy that was read for the request.
    let named: Arc<RequestedImages> = shared.requested.named.lock().clone()?;
    let picture = named.of_row(row).filter(|_| session.matches(&named))?;
    Some(Target { picture, sample: 1 })
}
