//! Who judged how much, and when.

use std::collections::HashSet;

use super::agreement::collect::walk;
use crate::clock::now;
use crate::visibility::AnnotatorView;
use benchtop_metrics::agreement::pace::median;
use benchtop_model::annotator::Step;
use benchtop_model::cancel::Cancel;
use benchtop_model::home::{ACTIVITY_DAYS, PersonActivity};
use benchtop_model::sorting::sort_by_key;
use benchtop_model::{Result, Verdict};

/// Milliseconds of a day.
const DAY: i64 = 86_400_000;

/// What the verdicts tell about the annotators.
pub struct Activity {
    /// Items with a verdict of the reader that counts for the status.
    pub own_items: u64,
    /// Median seconds of the reader's verdicts with a known duration.
    pub median_seconds: Option<f64>,
    /// Most active first.
    pub people: Vec<PersonActivity>,
    /// Time of the reader's last verdict before the session.
    pub since: Option<i64>,
}

/// The activity of all annotators, as far as the reader may see it. Their session began at `before`
/// (milliseconds since 1970).
///
/// # Errors
/// [`Cancelled`](benchtop_model::ErrorKind::Cancelled).
pub fn activity(view: &AnnotatorView, before: i64, cancel: Cancel<'_>) -> Result<Activity> {
    let (mut items, mut steps) = (HashSet::new(), Vec::new());
    let mut given: Vec<(u16, i64)> = Vec::new();
    walk(view, cancel, &mut |ledger, places| {
        let names: Vec<&str> = ledger.names().collect();
        for verdict in ledger.counted_verdicts(places) {
            let who = names[usize::from(verdict.person)];
            if !view.sees(verdict.row, who) {
                continue;
            }
            let judgement = verdict.judgement;
            if who == view.who() && super::verdicts::part(judgement).decides() {
                items.insert(verdict.row);
            }
            if judgement.verdict == Verdict::Skip {
                continue;
            }
            given.push((verdict.person, verdict.at));
            if who == view.who()
                && let Some(ms) = judgement.ms
            {
                steps.push(Step {
                    at: verdict.at,
                    ms,
                    verdict: 0,
                });
            }
        }
    })?;
    let names: Vec<String> = (view.items.ledger().names()).map(String::from).collect();
    let me = names.iter().position(|name| name == view.who());
    let own = |person: u16| Some(usize::from(person)) == me;
    let since = given
        .iter()
        .filter(|(person, at)| own(*person) && *at < before)
        .map(|(_, at)| *at)
        .max();
    let mut people: Vec<PersonActivity> = names
        .into_iter()
        .map(|who| PersonActivity {
            who,
            days: vec![0; ACTIVITY_DAYS],
            since: 0,
        })
        .collect();
    let today = now().div_euclid(DAY);
    for (person, at) in given {
        let Some(activity) = people.get_mut(usize::from(person)) else {
            continue;
        };
        let age = usize::try_from(today - at.div_euclid(DAY)).unwrap_or(0);
        if let Some(day) = (ACTIVITY_DAYS - 1).checked_sub(age) {
            activity.days[day] += 1;
        }
        activity.since += u64::from(!own(person) && since.is_some_and(|since| at > since));
    }
    people.retain(|person| person.since > 0 || person.days.iter().any(|n| *n > 0));
    sort_by_key(&mut people, |person| {
        std::cmp::Reverse(person.days.iter().sum::<u64>())
    });
    Ok(Activity {
        own_items: items.len() as u64,
        median_seconds: median(&steps),
        people,
        since,
    })
}
