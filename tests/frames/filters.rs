//! The Filters pane over made-up scores.

use benchtop::model::Error;
use benchtop::model::scoring::job::{Phase, ScoringState};
use benchtop::model::scoring::queries::{
    RulesDiff, RulesState, Sample, ScorerState, Tally, ThresholdTuning, TuningQuery,
};
use benchtop::model::scoring::rules::RuleSet;
use benchtop::model::scoring::{Scorer, SuspiciousEnd};
use benchtop::protocol::wire::{AnyRequest, request};
use benchtop::tui::action::Action;
use benchtop::tui::pane::recorder::Recorder;
use benchtop::tui::pane::{Effect, Notice};
use benchtop::tui::panes::filters::FiltersPane;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{SIZES, accessible, check, check_narrow, frame, look};

const RULES: &str = r#"
[[rules]]
name = "weak match"
then = "flag"
all = [{ score = "clip", below = 25.0, subtasks = { text = 22.5 } }]
[[rules]]
name = "unsafe"
then = "park"
any = [{ score = "safety", above = 0 }, { score = "judge/fits", is = "refused" }]
"#;

fn rules(text: &str) -> RuleSet {
    #[derive(serde::Deserialize)]
    struct File {
        rules: RuleSet,
    }
    toml::from_str::<File>(text).unwrap().rules
}

fn job(phase: Phase, scorer: Scorer) -> ScoringState {
    ScoringState {
        id: 3,
        scorer,
        filter: String::new(),
        phase,
        done: 5_200,
        of: Some(12_000),
        without: 31,
        per_minute: Some(1_180.0),
        why: None,
        device: "clip-vit-l-14 on CPU (f32)".into(),
        tokens: None,
        cost_micros: None,
        waits: None,
        drafts: 0,
    }
}

fn scorers() -> Vec<ScorerState> {
    let state = |scorer: Scorer, items: [u64; 6]| ScorerState {
        what: scorer.help().into(),
        doubt: scorer.suspicious_end(),
        not_ready: None,
        version: "1f3a".into(),
        items,
        job: None,
        scorer,
    };
    let mut all = vec![
        state(Scorer::Clip, [800, 11_169, 0, 0, 27, 4]),
        state(Scorer::Siglip, [12_000, 0, 0, 0, 0, 0]),
        state(Scorer::Safety, [0, 12_000, 0, 0, 0, 0]),
        state(Scorer::Flatness, [0, 12_000, 0, 0, 0, 0]),
        state(Scorer::Judge("fits".into()), [6_800, 5_100, 69, 31, 0, 0]),
    ];
    all[0].job = Some(job(Phase::Running, Scorer::Clip));
    all[1].not_ready =
        Some("no SigLIP model is here; `benchtop models pull siglip` gets one".into());
    all[4].job = Some(ScoringState {
        why: Some("the server at 127.0.0.1:8000 does not answer; is it running?".into()),
        ..job(Phase::Blocked, Scorer::Judge("fits".into()))
    });
    all
}

/// Scores in a bell around 30, the rejected ones around 22.
fn answer(ask: &TuningQuery) -> ThresholdTuning {
    let ends = (8.25f32, 41.5f32);
    let bell = |x: f32, middle: f32, wide: f32, high: f32| {
        (high * (-((x - middle) / wide).powi(2)).exp()) as u64
    };
    let count = f32::from(ask.bars);
    let value = |at: usize| ends.0 + (ends.1 - ends.0) * (at as f32 + 0.5) / count;
    let bars: Vec<u64> = (0..usize::from(ask.bars))
        .map(|at| bell(value(at), 30.0, 5.0, 30_000.0 / count))
        .collect();
    let rejected: Vec<u64> = (0..bars.len())
        .map(|at| bell(value(at), 22.0, 3.0, 2_500.0 / count).min(bars[at] / 2))
        .collect();
    let accepted: Vec<u64> = (0..bars.len())
        .map(|at| bell(value(at), 29.0, 6.0, 6_000.0 / count).min(bars[at] / 2))
        .collect();
    let tally = |share: u64| {
        let mut tally = Tally {
            without: 31 / share,
            ..Tally::default()
        };
        for at in 0..bars.len() {
            let beyond = |line: Option<f32>| match ask.measure.scorer.suspicious_end() {
                SuspiciousEnd::Low => line.is_some_and(|l| value(at) < l),
                SuspiciousEnd::High => line.is_some_and(|l| value(at) > l),
            };
            let outcome = if beyond(ask.park) {
                2
            } else {
                usize::from(beyond(ask.flag))
            };
            tally.items[outcome] += bars[at] / share;
            tally.rejected[outcome] += rejected[at] / share;
            tally.accepted[outcome] += accepted[at] / share;
        }
        tally.items[0] += tally.without;
        tally
    };
    let line = ask.flag.unwrap_or(25.0);
    let sample = |number, value: f32| Sample {
        number,
        value,
        // Only the doubtful side has pictures.
        picture: (value < line).then(|| ("0f".repeat(32), "png".to_string())),
        text: format!("an owl on a fence in the style of item {number}"),
    };
    ThresholdTuning {
        measure: ask.measure.clone(),
        logit: 100.0,
        range: Some(ends),
        ends,
        tally: tally(1),
        groups: [("animal", 2), ("text", 4), ("", 9)]
            .map(|(name, share)| (name.into(), tally(share)))
            .to_vec(),
        precision: None,
        recall: None,
        percentile: ask.flag.map(|_| 0.1712),
        pair: ask.other.as_ref().map(|_| [[9_876, 120], [840, 333]]),
        good: vec![sample(1423, line + 0.02), sample(77, line + 0.1)],
        bad: vec![sample(9, line - 0.04), sample(12_001, line - 0.3)],
        bars,
        rejected,
        cross: None,
    }
}

fn recorder() -> Recorder {
    Recorder::new().unwrap()
}

/// Answers what the pane asks, as long as it asks.
fn settle(pane: &mut FiltersPane, effects: Vec<Effect>) {
    let rec = recorder();
    for effect in effects {
        let Effect::Ask(ask) = &effect else { continue };
        let more = match ask.request.clone() {
            AnyRequest::Scorers(_) => rec.reply::<request::Scorers>(pane, effect, Ok(scorers())),
            AnyRequest::ThresholdTuning(request::ThresholdTuning(ask)) => {
                rec.reply::<request::ThresholdTuning>(pane, effect, Ok(answer(&ask)))
            }
            AnyRequest::Rules(_) => rec.reply::<request::Rules>(pane, effect, Ok(state())),
            AnyRequest::TryRules(_) => {
                let tally = Tally {
                    items: [9_900, 2_070, 30],
                    ..Tally::default()
                };
                let lines =
                    vec!["~ weak match: flag if clip < 24 (text 22.5), was clip < 25".into()];
                let diff = RulesDiff {
                    tally,
                    hits: vec![2_070, 30],
                    lines,
                    ..RulesDiff::default()
                };
                rec.reply::<request::TryRules>(pane, effect, Ok(diff))
            }
            _ => vec![],
        };
        settle(pane, more);
    }
}

fn state() -> RulesState {
    RulesState {
        rules: rules(RULES),
        revision: "r1".into(),
        tally: Tally {
            items: [9_588, 2_382, 30],
            ..Tally::default()
        },
        hits: vec![2_382, 30],
        history: 2,
        problem: None,
    }
}

fn draw(pane: &mut FiltersPane, area: Rect, buf: &mut Buffer, look: &benchtop::tui::theme::Look) {
    recorder().draw(pane, area, buf, look);
}

fn bench(size: (u16, u16)) -> FiltersPane {
    let mut pane = FiltersPane::default();
    frame(size, |area, buf| draw(&mut pane, area, buf, &look()));
    let effects = recorder().open(&mut pane);
    settle(&mut pane, effects);
    frame(size, |area, buf| draw(&mut pane, area, buf, &look()));
    let effects = recorder().notify(&mut pane, Notice::Resized);
    settle(&mut pane, effects);
    pane
}

fn press(pane: &mut FiltersPane, actions: &[Action]) {
    for action in actions {
        let effects = recorder().act(pane, *action);
        settle(pane, effects);
    }
}

#[test]
fn filters_as_saved_moved_and_before_the_owner_answers() {
    for size in SIZES {
        let mut pane = bench(size);
        check(
            "filters",
            size,
            &frame(size, |area, buf| draw(&mut pane, area, buf, &look())),
        );
        press(&mut pane, &[Action::ThresholdLeft, Action::ThresholdLeft]);
        check(
            "filters_moved",
            size,
            &frame(size, |area, buf| draw(&mut pane, area, buf, &look())),
        );
        // Nobody answers this one.
        recorder().act(&mut pane, Action::ThresholdFarLeft);
        check(
            "filters_waiting",
            size,
            &frame(size, |area, buf| draw(&mut pane, area, buf, &look())),
        );
    }
}

#[test]
fn filters_with_a_park_line_pictures_and_another_score() {
    for size in SIZES {
        let mut pane = bench(size);
        press(
            &mut pane,
            &[
                Action::SwitchThreshold,
                Action::ThresholdLeft,
                Action::ThresholdFarLeft,
                Action::NextPart,
            ],
        );
        check(
            "filters_samples",
            size,
            &frame(size, |area, buf| draw(&mut pane, area, buf, &look())),
        );
        let mut menu = recorder().act(&mut pane, Action::ChoosePair).swap_remove(0);
        let effects = recorder().choose(&mut pane, &mut menu, 1);
        settle(&mut pane, effects);
        check(
            "filters_pair",
            size,
            &frame(size, |area, buf| draw(&mut pane, area, buf, &look())),
        );
    }
}

#[test]
fn rules_saved_edited_and_broken() {
    for size in SIZES {
        let mut pane = bench(size);
        press(
            &mut pane,
            &[
                Action::ThresholdLeft,
                Action::ThresholdLeft,
                Action::ShowRules,
            ],
        );
        check(
            "filters_rules",
            size,
            &frame(size, |area, buf| draw(&mut pane, area, buf, &look())),
        );
        let problem = Some(
            "benchtop.toml:12: rules[0].then: there is no `drop`, expected flag or park".into(),
        );
        let broken = RulesState {
            problem,
            rules: RuleSet::default(),
            ..state()
        };
        let mut asked = recorder().notify(&mut pane, Notice::Rules);
        let asked = asked.swap_remove(0);
        let effects = recorder().reply::<request::Rules>(&mut pane, asked, Ok(broken));
        settle(&mut pane, effects);
        check(
            "filters_rules_broken",
            size,
            &frame(size, |area, buf| draw(&mut pane, area, buf, &look())),
        );
    }
}

#[test]
fn filters_without_scores_or_owner() {
    let size = SIZES[0];
    let mut pane = FiltersPane::default();
    check(
        "filters_loading",
        size,
        &frame(size, |area, buf| draw(&mut pane, area, buf, &look())),
    );
    // The second request is for the scorers.
    let asked = recorder().open(&mut pane).swap_remove(1);
    let problem = Error::input("this is a command, not a question");
    recorder().reply::<request::Scorers>(&mut pane, asked, Err(problem));
    check(
        "filters_failed",
        size,
        &frame(size, |area, buf| draw(&mut pane, area, buf, &look())),
    );
    let mut pane = bench(size);
    let effect = recorder().act(&mut pane, Action::NextScore).swap_remove(0);
    let Effect::Ask(ask) = &effect else {
        panic!("{effect:?}")
    };
    let AnyRequest::ThresholdTuning(request::ThresholdTuning(asked)) = &ask.request else {
        panic!("{effect:?}")
    };
    let nothing = ThresholdTuning {
        range: None,
        bars: vec![],
        rejected: vec![],
        ..answer(asked)
    };
    recorder().reply::<request::ThresholdTuning>(&mut pane, effect, Ok(nothing));
    check(
        "filters_nothing",
        size,
        &frame(size, |area, buf| draw(&mut pane, area, buf, &look())),
    );
}

#[test]
fn filters_for_a_screen_reader() {
    for size in SIZES {
        let mut pane = bench(size);
        press(&mut pane, &[Action::ThresholdLeft]);
        let picture = frame(size, |area, buf| draw(&mut pane, area, buf, &accessible()));
        assert!(
            !picture.contains(|c| ('\u{2500}'..='\u{25ff}').contains(&c)),
            "{picture}"
        );
        check_narrow("filters_accessible", size, &picture);
    }
}
