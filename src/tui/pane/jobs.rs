//! What panes do with jobs.

use super::{Ask, Context, Pane};
use benchtop_model::Result;
use benchtop_model::job::{JobAct, JobState};
use benchtop_model::trust::{Destination, PendingConsent};
use benchtop_protocol::wire::{NeedsConsent, request};

/// The servers that a job needs consent for. `title` names them too.
pub fn missing_consent(waits: Option<&PendingConsent>, title: &mut String) -> Vec<Destination> {
    let to = waits.map(PendingConsent::missing).unwrap_or_default();
    if let Some(waits) = waits.filter(|_| !to.is_empty()) {
        *title += &format!("; {}", waits.description());
    }
    to
}

/// Starts a job. `to` lists the servers that the annotator consents to.
pub fn start<P: Pane, R: NeedsConsent>(
    to: Vec<Destination>,
    request: R,
    cx: &mut Context<'_>,
    then: fn(&mut P, Result<R::Reply>, &mut Context<'_>),
) {
    let ask = match to.is_empty() {
        true => Ask::new(request, then),
        false => Ask::consenting(to, request, then),
    };
    cx.send(ask.for_key());
}

/// Acts on a job, or says why not. A job that waits for consent to what it sends goes on after the
/// consent.
pub fn act<P: Pane>(
    id: u32,
    act: std::result::Result<JobAct, String>,
    waits: Option<&PendingConsent>,
    cx: &mut Context<'_>,
    then: fn(&mut P, Result<Option<JobState>>, &mut Context<'_>),
) {
    let ask = match act {
        Ok(act) => request::JobAct { id, act },
        Err(why) => return cx.refuse(why),
    };
    match waits.filter(|_| matches!(ask.act, JobAct::Resume | JobAct::Retry)) {
        None => cx.ask_now(ask, then),
        Some(waits) => {
            let (title, to) = (format!("Resume? {}", waits.description()), waits.missing());
            cx.choose(title, waits.choices(), move |_: &mut P, pick, cx| {
                if pick == 0 {
                    cx.send(Ask::consenting(to, ask, then).for_key());
                }
            });
        }
    }
}
