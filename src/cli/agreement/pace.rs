//! `benchtop pace`: how one's own work goes. The owner tells nobody else's.

use super::value;
use crate::context::Context;
use crate::out;
use crate::out::print;
use benchtop_metrics::agreement::pace::LAST;
use benchtop_model::Result;
use benchtop_model::agreement::analysis::OwnPace;
use benchtop_protocol::wire::request;

/// Arguments of `pace`.
#[derive(clap::Args)]
pub struct Args {
    /// Only in this round
    #[arg(long, value_name = "NAME")]
    round: Option<String>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Runs it.
///
/// # Errors
/// When the owner cannot be reached, or there is no such round.
pub fn run(context: &Context, args: &Args) -> Result<u8> {
    let own = context.client()?.ask(request::Pace(args.round.clone()))?;
    let text = if args.json {
        out::json_text(&value::pace(&own))
    } else {
        text(&own)
    };
    print(&text).map(|()| 0)
}

fn text(own: &OwnPace) -> String {
    let p = &own.pace;
    if p.items == 0 {
        return "you have judged nothing here yet\n".into();
    }
    let minutes = p.worked_ms as f64 / 60_000.0;
    let mut out = format!(
        "{} items in {minutes:.1} minutes of work, {} breaks\n",
        p.items, p.breaks
    );
    // Less than a minute is no pace: verdicts of a script take none.
    if let Some(rate) = p.items_an_hour.filter(|_| minutes >= 1.0) {
        out.push_str(&format!("{rate:.0} items an hour\n"));
    }
    if let Some(seconds) = p.median_seconds {
        out.push_str(&format!(
            "{seconds:.1} seconds an item, in the middle of {}\n",
            own.timed
        ));
    }
    out.push_str(&format!(
        "{} equal verdicts in a row now, {} at most\n",
        p.current_run, p.longest_run
    ));
    match p.drift {
        None => {
            out.push_str(&format!(
                "whether you work differently than before is told after {} items\n",
                2 * LAST
            ));
        }
        Some(drift) => {
            out.push_str(&format!(
                "the last {LAST} against the first half: {:.1} seconds (before {:.1}), {:.0} % accepted (before {:.0} %)\n",
                drift.seconds.now,
                drift.seconds.before,
                drift.accepts.now * 100.0,
                drift.accepts.before * 100.0
            ));
            if drift.offers_break() {
                out.push_str("that is not chance: this may be a good time for a break\n");
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
    fn a_break_is_offered_only_where_work_has_changed() {
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
        let said = text(&own(pace(&steady, 0)));
        assert!(
            said.contains("items an hour")
                && said.contains("the last 50")
                && !said.contains("break\n"),
            "{said}"
        );
        let mut hurried = steady;
        hurried.iter_mut().skip(250).for_each(|s| s.ms /= 3);
        assert!(text(&own(pace(&hurried, 0))).contains("good time for a break"));
        assert!(text(&own(pace(&[], 0))).contains("nothing here yet"));
    }
}
