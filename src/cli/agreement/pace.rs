//! `benchtop pace`: the annotator's own pace. The owner never reports the pace of others.

use super::value;
use crate::context::Context;
use crate::out;
use benchtop_metrics::agreement::pace::LAST;
use benchtop_model::Result;
use benchtop_model::agreement::analysis::OwnPace;
use benchtop_protocol::wire::request;

#[derive(clap::Args)]
pub struct Args {
    /// Count only this round
    #[arg(long, value_name = "NAME")]
    round: Option<String>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub fn run(context: &Context, args: &Args) -> Result<u8> {
    let own = context.client()?.ask(request::Pace(args.round.clone()))?;
    out::report(args.json, &value::pace(&own), || text(&own))
}

fn text(own: &OwnPace) -> String {
    let p = &own.pace;
    if p.items == 0 {
        return "no verdicts yet\n".into();
    }
    let minutes = p.worked_ms as f64 / 60_000.0;
    let mut out = format!(
        "{} in {minutes:.1} minutes of work, {}\n",
        out::count(p.items, "item"),
        out::count(p.breaks, "break")
    );
    // Scripted verdicts take no time, so a rate over less than a minute means nothing.
    if let Some(rate) = p.items_an_hour.filter(|_| minutes >= 1.0) {
        out.push_str(&format!("{rate:.0} items per hour\n"));
    }
    if let Some(seconds) = p.median_seconds {
        out.push_str(&format!(
            "{seconds:.1} seconds per item (median of {})\n",
            own.timed
        ));
    }
    out.push_str(&format!(
        "equal verdicts in a row: {} now, {} at most\n",
        p.current_run, p.longest_run
    ));
    match p.drift {
        None => {
            out.push_str(&format!("drift: available after {} items\n", 2 * LAST));
        }
        Some(drift) => {
            out.push_str(&format!(
                "drift: last {LAST} items {:.1} seconds, {:.0} % accepted; first half {:.1} seconds, {:.0} % accepted\n",
                drift.seconds.now,
                drift.accepts.now * 100.0,
                drift.seconds.before,
                drift.accepts.before * 100.0
            ));
            if drift.offers_break() {
                out.push_str("The change is significant. This may be a good time for a break.\n");
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use benchtop_metrics::agreement::pace::pace;
    use benchtop_model::annotator::Step;

    #[test]
    fn suggests_a_break_only_after_a_significant_change() {
        let step = |i: i64, ms: u32| Step {
            at: i * 7000,
            ms,
            verdict: (i % 2) as u8,
        };
        let own = |pace| OwnPace {
            who: "ann".into(),
            round: None,
            pace,
            timed: 1,
        };
        let steady: Vec<Step> = (0..300)
            .map(|i| step(i, 6000 + (i * 37 % 2000) as u32))
            .collect();
        let report = text(&own(pace(&steady, 0)));
        assert!(
            report.contains("per hour")
                && report.contains("last 50")
                && !report.contains("time for a break"),
            "{report}"
        );
        let mut hurried = steady;
        hurried.iter_mut().skip(250).for_each(|s| s.ms /= 3);
        assert!(text(&own(pace(&hurried, 0))).contains("time for a break"));
        assert!(!text(&own(pace(&[], 0))).contains("per hour"));
    }
}
