//! Tests of the pane against an owner that counts a few hundred made-up items one by one.

use std::path::Path;

use super::*;
use crate::pane::testing::{self, lines, only, recorder, refused, request as asked_for, said};
use crate::pane::{EditAt, Effect, PaneId, Target};
use crate::theme::{Look, Theme};
use crate::widgets::toast::Severity;
use benchtop_model::job::JobAct;
use benchtop_model::scoring::Outcome;
use benchtop_model::scoring::job::Phase;
use benchtop_model::scoring::queries::{CrossTable, Tally};
use benchtop_model::scoring::rules::Threshold;
use benchtop_model::trust::{DataKind, Destination, PendingConsent, RequestedDestination};
use benchtop_model::{ColorLevel, Error, ErrorKind};
use benchtop_protocol::wire::{AnyRequest, ConsentedRequest, request};

/// Cosine, subtask, and verdict: accepted, rejected, or none.
type Scored = (f32, &'static str, Option<bool>);

fn world() -> Vec<Scored> {
    let one = |n: u32| {
        let cosine = 0.10 + 0.30 * (n as f32 / 600.0);
        let subtask = if n.is_multiple_of(3) {
            "text"
        } else {
            "animal"
        };
        let said = n.is_multiple_of(7).then_some(n > 260 || n % 2 == 1);
        (cosine, subtask, said)
    };
    (0..600).map(one).collect()
}

/// The outcomes of the items, counted one by one.
fn tally<'s>(items: impl Iterator<Item = &'s Scored>, ask: &TuningQuery) -> Tally {
    let mut tally = Tally::default();
    for (cosine, _, said) in items {
        let value = ask.measure.shown(*cosine, 100.0);
        let beyond = |line: Option<f32>| line.is_some_and(|line| value < line);
        let outcome = if beyond(ask.park) {
            2
        } else {
            usize::from(beyond(ask.flag))
        };
        tally.items[outcome] += 1;
        match said {
            Some(true) => tally.accepted[outcome] += 1,
            Some(false) => tally.rejected[outcome] += 1,
            None => {}
        }
    }
    tally
}

fn answer(ask: &TuningQuery) -> ThresholdTuning {
    let world = world();
    let only: Vec<&Scored> = world
        .iter()
        .filter(|s| ask.value.as_deref().is_none_or(|v| v == s.1))
        .collect();
    let value = |s: &Scored| ask.measure.shown(s.0, 100.0);
    let low = only.iter().map(|s| value(s)).fold(f32::INFINITY, f32::min);
    let high = only
        .iter()
        .map(|s| value(s))
        .fold(f32::NEG_INFINITY, f32::max);
    let count = usize::from(ask.bars);
    let (mut bars, mut rejected) = (vec![0; count], vec![0; count]);
    for s in &only {
        let at = (((value(s) - low) / (high - low) * count as f32) as usize).min(count - 1);
        bars[at] += 1;
        rejected[at] += u64::from(s.2 == Some(false));
    }
    let group = |name: &str| {
        (
            name.to_string(),
            tally(world.iter().filter(|s| s.1 == name), ask),
        )
    };
    let sample = |number, value| Sample {
        number,
        value,
        picture: None,
        text: "an owl".into(),
    };
    ThresholdTuning {
        measure: ask.measure.clone(),
        logit: 100.0,
        range: Some((low, high)),
        ends: (low, high),
        bars,
        rejected,
        tally: tally(only.iter().copied(), ask),
        groups: vec![group("animal"), group("text")],
        precision: None,
        recall: None,
        percentile: None,
        pair: ask.other.as_ref().map(|_| [[5, 1], [2, 8]]),
        good: vec![sample(11, 25.1), sample(12, 25.2)],
        bad: vec![sample(21, 24.9)],
        cross: ask.across.map(|_| CrossTable {
            values: vec!["ink".into(), String::new()],
            items: vec![vec![[1, 2, 3], [0; 3]], vec![[7, 0, 0], [0, 1234, 1]]],
        }),
    }
}

fn scorer(scorer: Scorer) -> ScorerState {
    ScorerState {
        what: scorer.help().into(),
        doubt: scorer.suspicious_end(),
        not_ready: None,
        version: String::new(),
        items: [10, 600, 0, 0, 0, 3],
        job: None,
        scorer,
    }
}

fn state(rules: RuleSet, revision: &str) -> RulesState {
    let tally = Tally {
        items: [400, 200, 0],
        ..Tally::default()
    };
    RulesState {
        hits: vec![200; rules.rules.len()],
        rules,
        revision: revision.into(),
        tally,
        history: 1,
        problem: None,
    }
}

fn at_25() -> RuleSet {
    RuleSet::default().with(
        &"clip".parse().unwrap(),
        RuleAction::Flag,
        None,
        Threshold::new(25.0),
    )
}

/// Answers the pane's requests until there are none, and returns the other effects.
fn settle(pane: &mut FiltersPane, effects: Vec<Effect>) -> Vec<Effect> {
    let (rec, mut rest) = (recorder(), Vec::new());
    for effect in effects {
        let Effect::Ask(ask) = &effect else {
            rest.push(effect);
            continue;
        };
        let more = match ask.request.clone() {
            AnyRequest::Scorers(_) => {
                let scorers = [Scorer::Clip, Scorer::Safety, Scorer::Siglip].map(scorer);
                rec.reply::<request::Scorers>(pane, effect, Ok(scorers.to_vec()))
            }
            AnyRequest::Rules(_) => {
                rec.reply::<request::Rules>(pane, effect, Ok(state(at_25(), "one")))
            }
            AnyRequest::ThresholdTuning(request::ThresholdTuning(asked)) => {
                rec.reply::<request::ThresholdTuning>(pane, effect, Ok(answer(&asked)))
            }
            AnyRequest::TryRules(_) => {
                let tally = Tally {
                    items: [712, 159, 0],
                    ..Tally::default()
                };
                let diff = RulesDiff {
                    tally,
                    hits: vec![159],
                    lines: vec!["~ clip low: flag if clip < 24".into()],
                    ..RulesDiff::default()
                };
                rec.reply::<request::TryRules>(pane, effect, Ok(diff))
            }
            _ => {
                rest.push(effect);
                continue;
            }
        };
        rest.extend(settle(pane, more));
    }
    rest
}

fn ready() -> FiltersPane {
    let mut pane = FiltersPane::default();
    let effects = recorder().open(&mut pane);
    settle(&mut pane, effects);
    drawn(&mut pane, 100, 30, ColorLevel::True, false);
    let effects = recorder().tick(&mut pane);
    settle(&mut pane, effects);
    pane
}

fn act(pane: &mut FiltersPane, action: Action) -> Vec<Effect> {
    recorder().act(pane, action)
}

fn press(pane: &mut FiltersPane, action: Action) -> Vec<Effect> {
    let effects = act(pane, action);
    settle(pane, effects)
}

/// Runs an action that asks for a text, and types it.
fn write(pane: &mut FiltersPane, action: Action, text: &str) -> Vec<Effect> {
    let mut prompt = only(act(pane, action));
    recorder().write(pane, &mut prompt, text).unwrap()
}

/// Runs an action that opens a menu, and chooses a line.
fn choose(pane: &mut FiltersPane, action: Action, pick: usize) -> Vec<Effect> {
    let mut menu = only(act(pane, action));
    recorder().choose(pane, &mut menu, pick)
}

/// Receives the rules, as after a change of the file.
fn on_rules(pane: &mut FiltersPane, state: Result<RulesState>) -> Vec<Effect> {
    recorder().call(pane, |pane, cx| pane.on_rules(state, cx))
}

fn on_tuning(
    pane: &mut FiltersPane,
    asked: TuningQuery,
    tuning: Result<ThresholdTuning>,
) -> Vec<Effect> {
    recorder().call(pane, |pane, cx| pane.on_tuning(asked, tuning, cx))
}

fn on_scorers(pane: &mut FiltersPane, scorers: Result<Vec<ScorerState>>) -> Vec<Effect> {
    recorder().call(pane, |pane, cx| pane.on_scorers(scorers, cx))
}

fn on_scoring(pane: &mut FiltersPane, job: &ScoringState) -> Vec<Effect> {
    recorder().notify(pane, Notice::Scoring(job))
}

/// The request for a histogram.
fn bench_asked(effect: &Effect) -> &TuningQuery {
    match asked_for(effect) {
        AnyRequest::ThresholdTuning(request::ThresholdTuning(asked)) => asked,
        other => panic!("{other:?}"),
    }
}

/// The filter of the item list that was opened.
fn items_opened(effects: &[Effect]) -> &str {
    match effects {
        [Effect::Open(Target::Items(words))] => words,
        other => panic!("{other:?}"),
    }
}

fn is_done(effects: &[Effect]) -> bool {
    let is = |e: &Effect| matches!(e, Effect::Say(toast) if toast.severity == Severity::Done);
    effects.iter().any(is)
}

fn is_left(effects: &[Effect]) -> bool {
    matches!(effects, [Effect::Open(Target::Review)])
}

fn drawn(
    pane: &mut FiltersPane,
    width: u16,
    height: u16,
    level: ColorLevel,
    accessible: bool,
) -> String {
    let look = Look::new(&Theme::shipped("dark").unwrap(), level, accessible);
    testing::drawn_in(&recorder(), pane, (width, height), &look)
}

#[test]
fn counts_follow_the_threshold_at_once_and_become_exact() {
    let mut pane = ready();
    let (.., before) = pane.shown().unwrap();
    assert!(before.exact);
    assert_eq!(before.items.iter().sum::<u64>(), 600);
    for action in [
        Action::ThresholdLeft,
        Action::ThresholdFarRight,
        Action::NudgeLeft,
        Action::ThresholdFarLeft,
    ] {
        let effects = act(&mut pane, action);
        // Before the reply, the counts are those of the new threshold, give or take a bar.
        let (.., about) = pane.shown().unwrap();
        assert!(!about.exact);
        settle(&mut pane, effects);
        let (.., exact) = pane.shown().unwrap();
        assert!(exact.exact);
        for (a, b) in about.items.iter().zip(exact.items) {
            assert!(a.abs_diff(b) <= 3, "{action:?}: {about:?} {exact:?}");
        }
        assert!(about.recall.k.abs_diff(exact.recall.k) <= 1);
        assert_ne!(exact.items, before.items, "{action:?}");
    }
}

#[test]
fn only_the_newest_of_many_moves_is_requested() {
    let mut pane = ready();
    let first = act(&mut pane, Action::ThresholdLeft);
    let asks = |effects: &[Effect]| {
        effects
            .iter()
            .filter(|e| matches!(e, Effect::Ask(..)))
            .count()
    };
    assert_eq!(
        asks(&first),
        2,
        "the histogram and the effect of the rules: {first:?}"
    );
    for _ in 0..20 {
        assert_eq!(asks(&act(&mut pane, Action::ThresholdLeft)), 0);
    }
    let line = pane.line(RuleAction::Flag);
    let asked = bench_asked(&first[0]).clone();
    let first = first.into_iter().next().unwrap();
    let next =
        only(recorder().reply::<request::ThresholdTuning>(&mut pane, first, Ok(answer(&asked))));
    let asked = bench_asked(&next).clone();
    assert_eq!(asked.flag, line);
    let after = recorder().reply::<request::ThresholdTuning>(&mut pane, next, Ok(answer(&asked)));
    assert!(after.is_empty());
}

/// The pane asks before it is first drawn, so its width can be known after the first reply.
#[test]
fn bars_for_another_width_are_requested_again() {
    let mut pane = ready();
    let asked = pane.tuning.as_ref().unwrap().0.clone();
    assert_eq!(pane.due(), None);
    drawn(&mut pane, 160, 50, ColorLevel::True, false);
    assert_eq!(pane.due(), Some(0));
    // Without a score to ask for, the pane would be due for ever.
    let scorers = pane.scorers.take();
    assert_eq!(pane.due(), None);
    pane.scorers = scorers;
    let again = only(recorder().tick(&mut pane));
    assert_eq!(pane.due(), None, "the reply is on its way");
    let now = bench_asked(&again).bars;
    assert_eq!(
        (now, now == asked.bars),
        (histogram::bars(pane.width), false)
    );
}

#[test]
fn a_press_on_a_threshold_takes_it_and_dragging_moves_it() {
    let mut pane = ready();
    let slide = |pane: &mut FiltersPane, column, begins| {
        let effects = recorder().call(pane, |pane, cx| pane.slide((column, 60), begins, cx));
        settle(pane, effects)
    };
    let lines = |pane: &FiltersPane| [RuleAction::Flag, RuleAction::Park].map(|a| pane.line(a));
    let (low, high) = pane.shown().unwrap().1.ends;
    let in_column = |line: f32| ((line - low) / (high - low) * 60.0) as u16;
    slide(&mut pane, 20, true);
    let flag = lines(&pane)[0].unwrap();
    assert_eq!(in_column(flag), 20);
    press(&mut pane, Action::SwitchThreshold);
    slide(&mut pane, 40, true);
    let [first, park] = lines(&pane);
    assert_eq!((first, park.map(in_column)), (Some(flag), Some(40)));
    // A press on a threshold keeps its value.
    assert!(slide(&mut pane, 20, true).is_empty());
    assert_eq!(
        (lines(&pane), pane.active),
        ([Some(flag), park], RuleAction::Flag)
    );
    // While the mouse moves, the one that was taken passes the other one.
    for column in [30, 40, 50] {
        slide(&mut pane, column, false);
    }
    assert_eq!(pane.active, RuleAction::Flag);
    assert_eq!(
        (lines(&pane)[0].map(in_column), lines(&pane)[1]),
        (Some(50), park)
    );
    let mut empty = FiltersPane::default();
    refused(&recorder().call(&mut empty, |pane, cx| pane.slide((1, 60), true, cx)));
}

#[test]
fn thresholds_are_typed_removed_and_set_again() {
    let mut pane = ready();
    assert_eq!(pane.line(RuleAction::Flag), Some(25.0));
    let mut prompt = only(act(&mut pane, Action::TypeThreshold));
    assert!(matches!(&prompt, Effect::Prompt(prompt, _) if prompt.value() == "25.0"));
    let effects = recorder().write(&mut pane, &mut prompt, " 24.0 ").unwrap();
    settle(&mut pane, effects);
    assert_eq!(pane.line(RuleAction::Flag), Some(24.0));
    let picture = drawn(&mut pane, 100, 30, ColorLevel::Mono, false);
    assert!(
        picture.contains("at 24.0: 312 more kept, 41 fewer flagged"),
        "{picture}"
    );
    assert!(picture.contains("▼flag 24.0"), "{picture}");
    for wrong in ["many", "inf", "NaN", "1e99"] {
        let mut prompt = only(act(&mut pane, Action::TypeThreshold));
        let why = recorder().write(&mut pane, &mut prompt, wrong);
        assert!(why.unwrap_err().contains(wrong), "{wrong}");
    }
    press(&mut pane, Action::RemoveThreshold);
    assert_eq!(pane.line(RuleAction::Flag), None);
    refused(&act(&mut pane, Action::RemoveThreshold));
    press(&mut pane, Action::ThresholdRight);
    assert_eq!(
        pane.line(RuleAction::Flag),
        Some(25.0),
        "an arrow key sets it to the default"
    );
    press(&mut pane, Action::SwitchThreshold);
    let effects = write(&mut pane, Action::TypeThreshold, "20");
    settle(&mut pane, effects);
    assert_eq!(
        (pane.line(RuleAction::Park), pane.line(RuleAction::Flag)),
        (Some(20.0), Some(25.0))
    );
    let words: Vec<String> = pane
        .rules
        .edited()
        .rules
        .iter()
        .map(|r| r.describe())
        .collect();
    assert_eq!(words, ["flag if clip < 25", "park if clip < 20"]);
    let (.., counted) = pane.shown().unwrap();
    assert!(counted.items[2] > 0 && counted.items[1] > 0);
}

#[test]
fn another_scale_shows_the_same_threshold() {
    let mut pane = ready();
    press(&mut pane, Action::NextScale);
    assert_eq!(pane.line(RuleAction::Flag), Some(0.25));
    let picture = drawn(&mut pane, 100, 30, ColorLevel::True, false);
    assert!(
        picture.contains("CLIP cosine of picture and prompt"),
        "{picture}"
    );
    press(&mut pane, Action::NextScale);
    assert_eq!(pane.line(RuleAction::Flag), Some(0.625));
    let effects = write(&mut pane, Action::TypeThreshold, "0.6");
    settle(&mut pane, effects);
    assert_eq!(
        pane.rules.edited().rules[0].describe(),
        "flag if clip < 24",
        "the rule keeps its scale"
    );
    press(&mut pane, Action::NextScore);
    refused(&act(&mut pane, Action::NextScale));
    assert_eq!(pane.line(RuleAction::Flag), None, "safety has no threshold");
    press(&mut pane, Action::PreviousScore);
    assert_eq!(pane.measure().unwrap().name(), "clip.clipscore");
}

#[test]
fn a_subtask_can_have_its_own_threshold() {
    let mut pane = ready();
    press(&mut pane, Action::Bottom);
    let mut prompt = only(act(&mut pane, Action::OwnThreshold));
    assert!(recorder().write(&mut pane, &mut prompt, "many").is_err());
    let effects = write(&mut pane, Action::OwnThreshold, "22.5");
    settle(&mut pane, effects);
    assert_eq!(
        pane.rules.edited().rules[0].describe(),
        "flag if clip < 25 (text 22.5)"
    );
    let picture = drawn(&mut pane, 160, 47, ColorLevel::True, false);
    assert!(picture.contains("flag 22.5"), "{picture}");
    // Enter shows the items beyond this group's own threshold.
    let effects = act(&mut pane, Action::Open);
    assert_eq!(items_opened(&effects), "score:clip<22.5 subtask:text");
    press(&mut pane, Action::OnlyGroup);
    assert_eq!(
        (pane.line(RuleAction::Flag), pane.line(RuleAction::Park)),
        (Some(22.5), None)
    );
    let (_, tuning, _) = pane.shown().unwrap();
    assert_eq!(tuning.tally.all(), 200);
    let effects = write(&mut pane, Action::TypeThreshold, "21");
    settle(&mut pane, effects);
    assert_eq!(
        pane.rules.edited().rules[0].describe(),
        "flag if clip < 25 (text 21)"
    );
    press(&mut pane, Action::RemoveThreshold);
    assert_eq!(pane.rules.edited().rules[0].describe(), "flag if clip < 25");
    refused(&act(&mut pane, Action::RemoveThreshold));
    press(&mut pane, Action::SwitchThreshold);
    refused(&act(&mut pane, Action::ThresholdLeft).split_off(1));
    assert!(
        press(&mut pane, Action::Back).is_empty(),
        "back shows all items first"
    );
    assert_eq!(pane.line(RuleAction::Flag), Some(25.0));
    press(&mut pane, Action::GroupBy);
    refused(&act(&mut pane, Action::OwnThreshold));
    assert!(is_left(&act(&mut pane, Action::Back)));
}

#[test]
fn groups_are_split_by_a_second_property() {
    let mut pane = ready();
    press(&mut pane, Action::GroupAcross);
    let picture = drawn(&mut pane, 220, 47, ColorLevel::True, false);
    let line = |name: &str| {
        picture
            .lines()
            .find(|l| l.contains(name))
            .unwrap_or_default()
            .to_string()
    };
    assert!(
        line("animal").contains("5/6") && line(" text ").contains("1,235/1,235"),
        "{picture}"
    );
    for _ in 0..6 {
        press(&mut pane, Action::GroupRight);
    }
    let effects = act(&mut pane, Action::Open);
    let words = items_opened(&effects);
    for part in ["style:ink", "subtask:animal", "clip<25"] {
        assert!(words.contains(part), "{part} in {words}");
    }
    // The key cycles through the others and none, never the property itself.
    press(&mut pane, Action::GroupAcross);
    assert_eq!(pane.across, Some(Field::Type));
    press(&mut pane, Action::GroupBy);
    press(&mut pane, Action::GroupBy);
    assert_eq!((pane.by, pane.across), (Field::Type, None));
    press(&mut pane, Action::GroupAcross);
    press(&mut pane, Action::GroupAcross);
    press(&mut pane, Action::GroupAcross);
    assert_eq!(pane.across, None);
    assert!(!drawn(&mut pane, 220, 47, ColorLevel::True, false).contains("1,235/1,235"));
}

#[test]
fn rules_are_saved_with_exact_counts_and_restored() {
    let mut pane = ready();
    refused(&act(&mut pane, Action::SaveRules));
    let effects = write(&mut pane, Action::TypeThreshold, "24");
    // Saving waits for the exact counts.
    assert_eq!(
        said(&act(&mut pane, Action::SaveRules)).severity,
        Severity::Info
    );
    let mut rest = settle(&mut pane, effects);
    let mut menu = rest.pop().unwrap();
    let (title, shown) = lines(&menu);
    assert!(title.contains("312 more kept, 41 fewer flagged"));
    assert!(shown[0].1.contains("clip < 24"));
    assert!(
        recorder().choose(&mut pane, &mut menu, 1).is_empty() && pane.rules.is_edited(),
        "cancel keeps the edits"
    );
    let ask = only(choose(&mut pane, Action::SaveRules, 0));
    let AnyRequest::ApplyRules(request::ApplyRules { rules, revision }) = asked_for(&ask) else {
        panic!("{ask:?}")
    };
    assert_eq!(
        (rules.rules[0].describe().as_str(), revision.as_str()),
        ("flag if clip < 24", "one")
    );
    refused(&act(&mut pane, Action::RestoreRules));
    let saved = state(rules.clone(), "two");
    let effects = recorder().reply::<request::ApplyRules>(&mut pane, ask, Ok(saved));
    assert!(is_done(&effects), "{effects:?}");
    assert!(!pane.rules.is_edited());
    assert!(choose(&mut pane, Action::RestoreRules, 1).is_empty());
    let ask = only(choose(&mut pane, Action::RestoreRules, 0));
    let AnyRequest::RevertRules(request::RevertRules { revision }) = asked_for(&ask) else {
        panic!("{ask:?}")
    };
    assert_eq!(revision, "two");
    let before = state(at_25(), "three");
    let effects = recorder().reply::<request::RevertRules>(&mut pane, ask, Ok(before));
    assert!(is_done(&effects), "{effects:?}");
    assert_eq!(pane.line(RuleAction::Flag), Some(25.0));
}

#[test]
fn a_conflict_with_the_file_offers_both_versions() {
    let theirs = || {
        at_25().with(
            &"safety".parse().unwrap(),
            RuleAction::Park,
            None,
            Threshold::new(0.0),
        )
    };
    for mine in [true, false] {
        let mut pane = ready();
        let effects = write(&mut pane, Action::TypeThreshold, "24");
        settle(&mut pane, effects);
        let conflict = Error::new(
            ErrorKind::Conflict,
            "benchtop.toml changed since its rules were read",
        );
        let ask = only(choose(&mut pane, Action::SaveRules, 0));
        let mut effects = recorder().reply::<request::ApplyRules>(&mut pane, ask, Err(conflict));
        assert_eq!(said(&effects[..1]).severity, Severity::Warning);
        // The tuning is in flight again after the rules.
        let ask = effects.remove(1);
        assert!(matches!(asked_for(&ask), AnyRequest::Rules(_)), "{ask:?}");
        settle(&mut pane, effects);
        let theirs = state(theirs(), "two");
        let mut effects = recorder().reply::<request::Rules>(&mut pane, ask, Ok(theirs));
        assert!(!lines(&effects[0]).0.is_empty());
        let rest = effects.split_off(1);
        settle(&mut pane, rest);
        let effects = choose(&mut pane, Action::SaveRules, usize::from(!mine));
        settle(&mut pane, effects);
        assert_eq!(
            pane.line(RuleAction::Flag),
            Some(if mine { 24.0 } else { 25.0 })
        );
        assert_eq!(pane.rules.is_edited(), mine);
        if mine {
            let ask = only(choose(&mut pane, Action::SaveRules, 0));
            assert!(
                matches!(asked_for(&ask), AnyRequest::ApplyRules(request::ApplyRules { revision, .. }) if revision == "two"),
                "{ask:?}"
            );
        }
    }
    // The same rules saved elsewhere are no conflict. Without edits the file's rules are simply
    // shown.
    let mut pane = ready();
    let effects = on_rules(&mut pane, Ok(state(theirs(), "two")));
    assert!(
        !effects
            .iter()
            .any(|e| matches!(e, Effect::Say(_) | Effect::Menu(..))),
        "{effects:?}"
    );
    assert_eq!(pane.rules.edited(), &theirs());
}

#[test]
fn a_broken_file_is_reported_and_opened_at_its_line() {
    let mut pane = ready();
    press(&mut pane, Action::ShowRules);
    let edits = |pane: &mut FiltersPane| match only(act(pane, Action::EditRules)) {
        Effect::Edit(file, at) if file == Path::new("benchtop.toml") => at,
        other => panic!("{other:?}"),
    };
    assert_eq!(edits(&mut pane), EditAt::Start("[[rules]]"));
    let problem = Some("benchtop.toml:12: rules[0].then: there is no `drop`".into());
    let broken = RulesState {
        problem,
        ..state(at_25(), "two")
    };
    let effects = on_rules(&mut pane, Ok(broken));
    settle(&mut pane, effects);
    let picture = drawn(&mut pane, 160, 30, ColorLevel::True, false);
    assert!(
        picture.contains("benchtop.toml:12: rules[0].then"),
        "{picture}"
    );
    assert_eq!(edits(&mut pane), EditAt::Line(12));
    let effects = act(&mut pane, Action::Open);
    assert_eq!(items_opened(&effects), "score:clip<25");
    press(&mut pane, Action::RemoveThreshold);
    assert!(pane.rules.edited().rules.is_empty());
    refused(&act(&mut pane, Action::SaveRules));
}

/// The fields of the form that the key of a scoring job opens.
fn form(pane: &mut FiltersPane) -> Vec<(&'static str, String)> {
    match only(act(pane, Action::StartScoring)) {
        Effect::Open(Target::Fields(PaneId::Scoring, fields)) => fields,
        other => panic!("{other:?}"),
    }
}

#[test]
fn scoring_starts_in_a_form_and_shows_progress() {
    let mut pane = ready();
    let job = ScoringState {
        id: 4,
        scorer: Scorer::Clip,
        phase: Phase::Running,
        of: Some(10),
        device: "clip on CPU".into(),
        ..answer_of_count()
    };
    assert_eq!(form(&mut pane)[0], ("scorer", "clip".to_string()));
    assert!(on_scoring(&mut pane, &job).is_empty());
    assert!(refused(&act(&mut pane, Action::StartScoring)).contains("running"));
    let to_job = |pane: &mut FiltersPane, action| match asked_for(&only(act(pane, action))) {
        AnyRequest::JobAct(request::JobAct { id: 4, act }) => *act,
        other => panic!("{other:?}"),
    };
    assert_eq!(to_job(&mut pane, Action::PauseScoring), JobAct::Pause);
    assert_eq!(to_job(&mut pane, Action::CancelScoring), JobAct::Cancel);
    assert_eq!(to_job(&mut pane, Action::RetryScoring), JobAct::Retry);
    let blocked = ScoringState {
        phase: Phase::Blocked,
        done: 5,
        why: Some("the disk is full".into()),
        ..job.clone()
    };
    assert!(on_scoring(&mut pane, &blocked).is_empty());
    let picture = drawn(&mut pane, 160, 47, ColorLevel::Mono, false);
    assert!(
        picture.contains("blocked: 5 of 10") && picture.contains("the disk is full"),
        "{picture}"
    );
    assert_eq!(to_job(&mut pane, Action::PauseScoring), JobAct::Resume);
    // A job that waits for consent asks for it first.
    let destination = Destination::new("https://a.example", None, DataKind::Pictures).unwrap();
    let to = vec![RequestedDestination {
        destination,
        agreed: false,
    }];
    let waits = PendingConsent {
        elsewhere: true,
        what: "10 pictures or texts of items".into(),
        count: 10,
        to,
    };
    let waiting = ScoringState {
        phase: Phase::Paused,
        why: Some(waits.reason()),
        waits: Some(Box::new(waits)),
        ..job.clone()
    };
    assert!(on_scoring(&mut pane, &waiting).is_empty());
    let mut menu = only(act(&mut pane, Action::PauseScoring));
    let (title, _) = lines(&menu);
    assert!(
        title.contains("10 pictures or texts of items to https://a.example"),
        "{title}"
    );
    assert!(recorder().choose(&mut pane, &mut menu, 1).is_empty());
    let ask = only(choose(&mut pane, Action::PauseScoring, 0));
    let AnyRequest::Agree(request::Agree {
        to,
        then: Some(then),
    }) = asked_for(&ask)
    else {
        panic!("{ask:?}")
    };
    assert!(
        to.len() == 1
            && matches!(
                then,
                ConsentedRequest::JobAct(request::JobAct {
                    id: 4,
                    act: JobAct::Resume
                })
            ),
        "{then:?}"
    );
    let over = ScoringState {
        phase: Phase::Done,
        done: 10,
        ..job
    };
    let over = on_scoring(&mut pane, &over);
    assert!(
        over.iter()
            .any(|e| matches!(asked_for(e), AnyRequest::Scorers(_))),
        "a finished job updates the counts: {over:?}"
    );
    settle(&mut pane, over);
    press(&mut pane, Action::NextScore);
    refused(&act(&mut pane, Action::PauseScoring));
    let mut prompt = only(act(&mut pane, Action::Find));
    let wrong = recorder().write(&mut pane, &mut prompt, "status:nonsense");
    assert!(wrong.unwrap_err().contains("nonsense"));
}

#[test]
fn progress_recounts_once_a_second_while_the_pane_is_shown() {
    let mut pane = ready();
    let job = ScoringState {
        scorer: Scorer::Clip,
        phase: Phase::Running,
        ..answer_of_count()
    };
    assert_eq!(pane.due(), None);
    assert!(on_scoring(&mut pane, &job).is_empty());
    assert_eq!(pane.due(), Some(RECOUNT_MS));
    let mut rec = recorder();
    rec.now = RECOUNT_MS;
    let effects = rec.tick(&mut pane);
    assert_eq!(
        effects.len(),
        3,
        "rules, scorers, and histogram: {effects:?}"
    );
    rec.is_shown = false;
    assert!(rec.notify(&mut pane, Notice::Changed).is_empty());
    assert_eq!(
        pane.due(),
        None,
        "a pane that is not shown requests nothing"
    );
}

fn answer_of_count() -> ScoringState {
    ScoringState {
        id: 0,
        scorer: Scorer::Safety,
        filter: String::new(),
        phase: Phase::Queued,
        done: 0,
        of: None,
        without: 0,
        per_minute: None,
        why: None,
        device: String::new(),
        tokens: None,
        cost_micros: None,
        waits: None,
        drafts: 0,
    }
}

#[test]
fn a_scorer_that_is_not_ready_shows_the_reason() {
    let mut pane = ready();
    let mut clip = scorer(Scorer::Clip);
    clip.not_ready = Some("no model; `benchtop models pull clip` gets one".into());
    on_scorers(&mut pane, Ok(vec![clip]));
    assert_eq!(
        form(&mut pane)[0].1,
        "clip",
        "the form says why as well, and lists what can run"
    );
    let picture = drawn(&mut pane, 160, 47, ColorLevel::True, false);
    assert!(picture.contains("not ready: no model;"), "{picture}");
}

#[test]
fn files_that_are_missing_are_one_line_and_listed_on_a_page() {
    let mut pane = ready();
    let mut clip = scorer(Scorer::Clip);
    let why = "the model `clip` is not on this machine\n  help: run `benchtop models pull clip`, or download these files \
               by hand (from https://hub/clip):\n/cache/model.safetensors, 1710540580 bytes, sha256 c5a7";
    clip.not_ready = Some(why.into());
    on_scorers(&mut pane, Ok(vec![clip]));
    let picture = drawn(&mut pane, 160, 47, ColorLevel::True, false);
    assert!(!picture.contains("sha256"), "{picture}");
    assert!(picture.contains("not ready"), "{picture}");
}

fn item_opened(effects: &[Effect]) -> u32 {
    match effects {
        [Effect::Open(Target::Item(number))] => *number,
        other => panic!("{other:?}"),
    }
}

#[test]
fn samples_are_browsed_and_opened() {
    let mut pane = ready();
    refused(&act(&mut pane, Action::OtherSample));
    press(&mut pane, Action::NextPart);
    assert_eq!(item_opened(&act(&mut pane, Action::Open)), 21);
    press(&mut pane, Action::OtherSample);
    assert_eq!(item_opened(&act(&mut pane, Action::Open)), 11);
    press(&mut pane, Action::Down);
    assert_eq!(item_opened(&act(&mut pane, Action::Open)), 12);
    refused(&act(&mut pane, Action::Down));
    press(&mut pane, Action::OtherSample);
    refused(&act(&mut pane, Action::Open));
    press(&mut pane, Action::NextPart);
    let mut menu = only(act(&mut pane, Action::Open));
    assert_eq!(lines(&menu).1.len(), 2, "the current scorer is not offered");
    let effects = recorder().choose(&mut pane, &mut menu, 0);
    settle(&mut pane, effects);
    let picture = drawn(&mut pane, 80, 21, ColorLevel::True, false);
    assert!(picture.contains("against safety"), "{picture}");
    assert!(picture.contains("agree on 81.2 % of 16 items"), "{picture}");
}

#[test]
fn missing_verdicts_are_reported() {
    let mut pane = ready();
    let (asked, mut tuning) = pane.tuning.clone().unwrap();
    (tuning.tally.accepted, tuning.tally.rejected) = ([0; 3], [0; 3]);
    on_tuning(&mut pane, asked, Ok(tuning));
    let picture = drawn(&mut pane, 100, 40, ColorLevel::True, false);
    assert!(
        picture.contains("precision: no") && picture.contains("recall: no"),
        "{picture}"
    );
}

#[test]
fn errors_are_shown_and_keep_the_last_histogram() {
    let mut pane = FiltersPane::default();
    refused(&act(&mut pane, Action::ThresholdLeft));
    let problem = || Error::usage("this is a command, not a question");
    on_rules(&mut pane, Err(problem()));
    on_scorers(&mut pane, Err(problem()));
    assert!(drawn(&mut pane, 80, 21, ColorLevel::True, false).contains("not a question"));
    refused(&act(&mut pane, Action::SaveRules));
    let mut pane = ready();
    let ask = act(&mut pane, Action::ThresholdLeft).swap_remove(0);
    recorder().reply::<request::ThresholdTuning>(&mut pane, ask, Err(problem()));
    let picture = drawn(&mut pane, 80, 21, ColorLevel::True, false);
    assert!(
        picture.contains("not a question") && picture.contains("kept ~"),
        "{picture}"
    );
    // A lost connection loses its requests; the next one repeats them.
    act(&mut pane, Action::ThresholdLeft);
    let again = recorder().notify(&mut pane, Notice::Resync);
    assert!(
        again
            .iter()
            .any(|e| matches!(asked_for(e), AnyRequest::ThresholdTuning(_))),
        "{again:?}"
    );
    let again = on_rules(&mut pane, Ok(state(at_25(), "one")));
    assert!(
        again
            .iter()
            .any(|e| matches!(asked_for(e), AnyRequest::TryRules(_))),
        "{again:?}"
    );
}

#[test]
fn any_size_and_any_numbers_can_be_drawn() {
    let mut pane = ready();
    let (asked, tuning) = pane.tuning.clone().unwrap();
    let odd = [
        tuning.clone(),
        ThresholdTuning {
            bars: vec![],
            rejected: vec![],
            ..tuning.clone()
        },
        ThresholdTuning {
            bars: vec![7],
            rejected: vec![7],
            ends: (25.0, 25.0),
            ..tuning.clone()
        },
        ThresholdTuning {
            bars: vec![u64::from(u32::MAX); 3],
            rejected: vec![0; 2],
            ends: (-1e9, 1e9),
            ..tuning.clone()
        },
        ThresholdTuning {
            ends: (30.0, 40.0),
            ..tuning
        },
    ];
    for tuning in odd {
        on_tuning(&mut pane, asked.clone(), Ok(tuning));
        for (width, height) in [
            (0, 0),
            (1, 1),
            (13, 3),
            (20, 5),
            (59, 30),
            (80, 21),
            (119, 40),
            (160, 47),
            (400, 120),
        ] {
            for accessible in [false, true] {
                for level in [ColorLevel::Mono, ColorLevel::Ansi16, ColorLevel::True] {
                    drawn(&mut pane, width, height, level, accessible);
                }
            }
        }
        act(&mut pane, Action::ThresholdRight);
    }
    assert_eq!(Outcome::ALL.len(), 3);
}
