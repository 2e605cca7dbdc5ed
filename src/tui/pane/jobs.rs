//! What panes do with jobs.

use super::{Ask, Context, Pane};
use benchtop_model::Result;
use benchtop_model::job::{JobAct, JobState};
use benchtop_model::trust::PendingConsent;
use benchtop_protocol::wire::request;

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
