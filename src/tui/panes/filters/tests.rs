//! Tests of the pane against an owner that counts a few hundred made-up items one by one.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::*;
use crate::action::Action;
use crate::theme::{Look, Theme};
use benchtop_model::job::JobAct;
use benchtop_model::scoring::Outcome;
use benchtop_model::scoring::bench::{CrossTable, Tally};
use benchtop_model::scoring::job::{NewScoring, Phase};
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
fn tally<'s>(items: impl Iterator<Item = &'s Scored>, ask: &BenchQuery) -> Tally {
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

fn answer(ask: &BenchQuery) -> Bench {
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
    Bench {
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
    let mut rest = Vec::new();
    for effect in effects {
        let more = match effect {
            Effect::Ask(ReplyFor::Scorers, _) => pane.on_scorers(Ok(vec![
                scorer(Scorer::Clip),
                scorer(Scorer::Safety),
                scorer(Scorer::Siglip),
            ])),
            Effect::Ask(ReplyFor::Rules, _) => pane.on_rules(Ok(state(at_25(), "one"))),
            Effect::Ask(ReplyFor::Bench(asked), _) => {
                let bench = answer(&asked);
                pane.on_bench(*asked, Ok(bench))
            }
            Effect::Ask(ReplyFor::Try(of), _) => {
                let tally = Tally {
                    items: [712, 159, 0],
                    ..Tally::default()
                };
                let lines = vec!["~ clip low: flag if clip < 24".into()];
                pane.on_diff(
                    of,
                    Ok(RulesDiff {
                        tally,
                        hits: vec![159],
                        lines,
                        ..RulesDiff::default()
                    }),
                )
            }
            other => {
                rest.push(other);
                vec![]
            }
        };
        rest.extend(settle(pane, more));
    }
    rest
}

fn ready() -> FiltersPane {
    let mut pane = FiltersPane::new();
    let effects = pane.start();
    settle(&mut pane, effects);
    drawn(&mut pane, 100, 30, ColorLevel::True, false);
    let effects = pane.resized();
    settle(&mut pane, effects);
    pane
}

fn press(pane: &mut FiltersPane, action: Action) -> Vec<Effect> {
    let effects = pane.act(action);
    settle(pane, effects)
}

fn drawn(
    pane: &mut FiltersPane,
    width: u16,
    height: u16,
    level: ColorLevel,
    accessible: bool,
) -> String {
    let look = Look::new(&Theme::shipped("dark").unwrap(), level, accessible);
    let mut buf = Buffer::empty(Rect::new(0, 0, width, height));
    pane.draw(buf.area, &Shown::default(), &mut buf, &look);
    let line = |l: &[ratatui::buffer::Cell]| {
        l.iter()
            .map(|c| c.symbol())
            .collect::<String>()
            .trim_end()
            .to_string()
    };
    buf.content
        .chunks(usize::from(width.max(1)))
        .map(line)
        .collect::<Vec<_>>()
        .join("\n")
}

fn refused(effects: &[Effect]) -> &str {
    match effects {
        [Effect::Refuse(why)] => why,
        other => panic!("{other:?}"),
    }
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
        let effects = pane.act(action);
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
    let first = pane.act(Action::ThresholdLeft);
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
        assert_eq!(asks(&pane.act(Action::ThresholdLeft)), 0);
    }
    let line = pane.line(RuleAction::Flag);
    let Some(Effect::Ask(ReplyFor::Bench(asked), _)) = first.into_iter().next() else {
        panic!()
    };
    let next = pane.on_bench((*asked).clone(), Ok(answer(&asked)));
    let [Effect::Ask(ReplyFor::Bench(asked), AnyRequest::Bench(request::Bench(sent)))] = &next[..]
    else {
        panic!("{next:?}")
    };
    assert_eq!((asked, asked.flag), (sent, line));
    assert!(
        pane.on_bench((**asked).clone(), Ok(answer(asked)))
            .is_empty()
    );
}

#[test]
fn thresholds_are_typed_removed_and_set_again() {
    let mut pane = ready();
    assert_eq!(pane.line(RuleAction::Flag), Some(25.0));
    let effects = pane.act(Action::TypeLine);
    assert!(
        matches!(&effects[..], [Effect::AskText { purpose: TextFor::Line, text, .. }] if text == "25.0")
    );
    let effects = pane.typed(&TextFor::Line, " 24.0 ");
    settle(&mut pane, effects);
    assert_eq!(pane.line(RuleAction::Flag), Some(24.0));
    let picture = drawn(&mut pane, 100, 30, ColorLevel::Mono, false);
    assert!(
        picture.contains("at 24.0: 312 more kept, 41 fewer flagged"),
        "{picture}"
    );
    assert!(picture.contains("▼flag 24.0"), "{picture}");
    for wrong in ["many", "inf", "NaN", "1e99"] {
        assert!(
            refused(&pane.typed(&TextFor::Line, wrong)).contains(wrong),
            "{wrong}"
        );
    }
    press(&mut pane, Action::RemoveThreshold);
    assert_eq!(pane.line(RuleAction::Flag), None);
    refused(&pane.act(Action::RemoveThreshold));
    press(&mut pane, Action::ThresholdRight);
    assert_eq!(
        pane.line(RuleAction::Flag),
        Some(25.0),
        "an arrow key sets it to the default"
    );
    press(&mut pane, Action::SwitchThreshold);
    let effects = pane.typed(&TextFor::Line, "20");
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
    let effects = pane.typed(&TextFor::Line, "0.6");
    settle(&mut pane, effects);
    assert_eq!(
        pane.rules.edited().rules[0].describe(),
        "flag if clip < 24",
        "the rule keeps its scale"
    );
    press(&mut pane, Action::NextScore);
    refused(&pane.act(Action::NextScale));
    assert_eq!(pane.line(RuleAction::Flag), None, "safety has no threshold");
    press(&mut pane, Action::PreviousScore);
    assert_eq!(pane.measure().unwrap().name(), "clip.clipscore");
}

#[test]
fn a_subtask_can_have_its_own_threshold() {
    let mut pane = ready();
    press(&mut pane, Action::Bottom);
    let effects = pane.act(Action::OwnThreshold);
    assert!(
        matches!(&effects[..], [Effect::AskText { purpose: TextFor::OwnLine(of), .. }] if of == "text"),
        "{effects:?}"
    );
    let effects = pane.typed(&TextFor::OwnLine("text".into()), "22.5");
    settle(&mut pane, effects);
    assert_eq!(
        pane.rules.edited().rules[0].describe(),
        "flag if clip < 25 (text 22.5)"
    );
    let picture = drawn(&mut pane, 160, 47, ColorLevel::True, false);
    assert!(picture.contains("flag 22.5"), "{picture}");
    // Enter shows the items beyond this group's own threshold.
    let effects = pane.act(Action::Open);
    assert!(
        matches!(&effects[..], [Effect::Filter(words)] if words == "score:clip<22.5 subtask:text"),
        "{effects:?}"
    );
    press(&mut pane, Action::OnlyGroup);
    assert_eq!(
        (pane.line(RuleAction::Flag), pane.line(RuleAction::Park)),
        (Some(22.5), None)
    );
    let (_, bench, _) = pane.shown().unwrap();
    assert_eq!(bench.tally.all(), 200);
    let effects = pane.typed(&TextFor::Line, "21");
    settle(&mut pane, effects);
    assert_eq!(
        pane.rules.edited().rules[0].describe(),
        "flag if clip < 25 (text 21)"
    );
    press(&mut pane, Action::RemoveThreshold);
    assert_eq!(pane.rules.edited().rules[0].describe(), "flag if clip < 25");
    refused(&pane.act(Action::RemoveThreshold));
    press(&mut pane, Action::SwitchThreshold);
    refused(&pane.act(Action::ThresholdLeft).split_off(1));
    assert!(
        press(&mut pane, Action::Back).is_empty(),
        "back shows all items first"
    );
    assert_eq!(pane.line(RuleAction::Flag), Some(25.0));
    press(&mut pane, Action::GroupBy);
    refused(&pane.act(Action::OwnThreshold));
    assert!(matches!(&pane.act(Action::Back)[..], [Effect::Leave]));
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
    let effects = pane.act(Action::Open);
    let wanted = |words: &str| {
        words.contains("style:ink") && words.contains("subtask:animal") && words.contains("clip<25")
    };
    assert!(
        matches!(&effects[..], [Effect::Filter(words)] if wanted(words)),
        "{effects:?}"
    );
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
    refused(&pane.act(Action::SaveRules));
    let effects = pane.typed(&TextFor::Line, "24");
    // Saving waits for the exact counts.
    let said = pane.act(Action::SaveRules);
    assert!(matches!(&said[..], [Effect::Say(_)]));
    let rest = settle(&mut pane, effects);
    let Some(Effect::AskChoice {
        purpose,
        title,
        lines,
    }) = rest.last()
    else {
        panic!("{rest:?}")
    };
    assert!(title.contains("312 more kept, 41 fewer flagged"));
    assert!(lines[0].1.contains("clip < 24"));
    assert!(
        pane.chosen(purpose, 1).is_empty() && pane.rules.is_edited(),
        "cancel keeps the edits"
    );
    let effects = pane.chosen(purpose, 0);
    let [
        Effect::Ask(
            ReplyFor::Applied,
            AnyRequest::ApplyRules(request::ApplyRules { rules, revision }),
        ),
    ] = &effects[..]
    else {
        panic!("{effects:?}")
    };
    assert_eq!(
        (rules.rules[0].describe().as_str(), revision.as_str()),
        ("flag if clip < 24", "one")
    );
    refused(&pane.act(Action::RestoreRules));
    let effects = pane.on_applied(Ok(state(rules.clone(), "two")));
    assert!(
        effects.iter().any(|e| matches!(e, Effect::Done(_))),
        "{effects:?}"
    );
    assert!(!pane.rules.is_edited());
    let effects = pane.act(Action::RestoreRules);
    let [Effect::AskChoice { purpose, .. }] = &effects[..] else {
        panic!("{effects:?}")
    };
    assert!(pane.chosen(purpose, 1).is_empty());
    let effects = pane.chosen(purpose, 0);
    assert!(
        matches!(&effects[..], [Effect::Ask(ReplyFor::Reverted, AnyRequest::RevertRules(request::RevertRules { revision }))] if revision == "two")
    );
    let effects = pane.on_reverted(Ok(state(at_25(), "three")));
    assert!(effects.iter().any(|e| matches!(e, Effect::Done(_))));
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
        let effects = pane.typed(&TextFor::Line, "24");
        settle(&mut pane, effects);
        let conflict = Error::new(
            ErrorKind::Conflict,
            "benchtop.toml changed since its rules were read",
        );
        let effects = pane.on_applied(Err(conflict));
        assert!(
            effects.iter().any(|e| matches!(
                e,
                Effect::Ask(ReplyFor::Rules, AnyRequest::Rules(request::Rules))
            )),
            "{effects:?}"
        );
        let effects = pane.on_rules(Ok(state(theirs(), "two")));
        let Some(Effect::AskChoice {
            purpose: ChoiceFor::Settle,
            title,
            ..
        }) = effects.first()
        else {
            panic!("{effects:?}")
        };
        assert!(!title.is_empty());
        settle(&mut pane, effects);
        assert!(matches!(
            &pane.act(Action::SaveRules)[..],
            [Effect::AskChoice {
                purpose: ChoiceFor::Settle,
                ..
            }]
        ));
        let effects = pane.chosen(&ChoiceFor::Settle, usize::from(!mine));
        settle(&mut pane, effects);
        assert_eq!(
            pane.line(RuleAction::Flag),
            Some(if mine { 24.0 } else { 25.0 })
        );
        assert_eq!(pane.rules.is_edited(), mine);
        if mine {
            let effects = pane.chosen(&ChoiceFor::Save, 0);
            assert!(
                matches!(&effects[..], [Effect::Ask(_, AnyRequest::ApplyRules(request::ApplyRules { revision, .. }))] if revision == "two")
            );
        }
    }
    // The same rules saved elsewhere are no conflict. Without edits the file's rules are simply
    // shown.
    let mut pane = ready();
    let effects = pane.on_rules(Ok(state(theirs(), "two")));
    assert!(
        !effects
            .iter()
            .any(|e| matches!(e, Effect::Say(_) | Effect::AskChoice { .. })),
        "{effects:?}"
    );
    assert_eq!(pane.rules.edited(), &theirs());
}

#[test]
fn a_broken_file_is_reported_and_opened_at_its_line() {
    let mut pane = ready();
    press(&mut pane, Action::ShowRules);
    assert!(matches!(
        &pane.act(Action::EditRules)[..],
        [Effect::EditRules(None)]
    ));
    let problem = Some("benchtop.toml:12: rules[0].then: there is no `drop`".into());
    let effects = pane.on_rules(Ok(RulesState {
        problem,
        ..state(at_25(), "two")
    }));
    settle(&mut pane, effects);
    let picture = drawn(&mut pane, 160, 30, ColorLevel::True, false);
    assert!(
        picture.contains("benchtop.toml:12: rules[0].then"),
        "{picture}"
    );
    assert!(matches!(
        &pane.act(Action::EditRules)[..],
        [Effect::EditRules(Some(12))]
    ));
    let effects = pane.act(Action::Open);
    assert!(
        matches!(&effects[..], [Effect::Filter(words)] if words == "score:clip<25"),
        "{effects:?}"
    );
    press(&mut pane, Action::RemoveThreshold);
    assert!(pane.rules.edited().rules.is_empty());
    refused(&pane.act(Action::SaveRules));
}

#[test]
fn scoring_is_counted_first_and_shows_progress() {
    let mut pane = ready();
    let effects = pane.act(Action::StartScoring);
    let [Effect::AskChoice { purpose, .. }] = &effects[..] else {
        panic!("{effects:?}")
    };
    let effects = pane.chosen(purpose, 0);
    let Some(Effect::Ask(ReplyFor::Count(wished), AnyRequest::Score(request::Score(asked)))) =
        effects.last()
    else {
        panic!("{effects:?}")
    };
    assert!(asked.dry && **wished == *asked);
    let job = ScoringState {
        id: 4,
        scorer: Scorer::Clip,
        filter: String::new(),
        phase: Phase::Running,
        done: 0,
        of: Some(10),
        without: 0,
        per_minute: None,
        why: None,
        device: "clip on CPU".into(),
        tokens: None,
        cost_micros: None,
        waits: None,
        drafts: 0,
    };
    let effects = pane.on_count((**wished).clone(), Ok(job.clone()));
    let [Effect::AskChoice { purpose, title, .. }] = &effects[..] else {
        panic!("{effects:?}")
    };
    assert!(title.contains("10 inputs") && title.contains("clip on CPU"));
    assert!(pane.chosen(purpose, 1).is_empty());
    let effects = pane.chosen(purpose, 0);
    assert!(
        matches!(&effects[..], [Effect::Ask(ReplyFor::Begun, AnyRequest::Score(request::Score(asked)))] if !asked.dry)
    );
    pane.on_started(Ok(job.clone()));
    assert!(refused(&pane.act(Action::StartScoring)).contains("running"));
    let act = |effects: &[Effect]| match effects {
        [Effect::Ask(ReplyFor::Act, AnyRequest::JobAct(request::JobAct { id: 4, act }))] => *act,
        other => panic!("{other:?}"),
    };
    assert_eq!(act(&pane.act(Action::PauseScoring)), JobAct::Pause);
    assert_eq!(act(&pane.act(Action::CancelScoring)), JobAct::Cancel);
    assert_eq!(act(&pane.act(Action::RetryScoring)), JobAct::Retry);
    let blocked = ScoringState {
        phase: Phase::Blocked,
        done: 5,
        why: Some("the disk is full".into()),
        ..job.clone()
    };
    assert!(pane.on_scoring(blocked).is_empty());
    let picture = drawn(&mut pane, 160, 47, ColorLevel::Mono, false);
    assert!(
        picture.contains("blocked: 5 of 10") && picture.contains("the disk is full"),
        "{picture}"
    );
    assert_eq!(act(&pane.act(Action::PauseScoring)), JobAct::Resume);
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
    assert!(pane.on_scoring(waiting).is_empty());
    let effects = pane.act(Action::PauseScoring);
    let [Effect::AskChoice { purpose, title, .. }] = &effects[..] else {
        panic!("{effects:?}")
    };
    assert!(
        title.contains("10 pictures or texts of items to https://a.example"),
        "{title}"
    );
    assert!(pane.chosen(purpose, 1).is_empty());
    let effects = pane.chosen(purpose, 0);
    let [
        Effect::Ask(
            ReplyFor::Act,
            AnyRequest::Agree(request::Agree {
                to,
                then: Some(then),
            }),
        ),
    ] = &effects[..]
    else {
        panic!("{effects:?}")
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
    let over = pane.on_scoring(ScoringState {
        phase: Phase::Done,
        done: 10,
        ..job
    });
    assert!(
        over.iter()
            .any(|e| matches!(e, Effect::Ask(ReplyFor::Scorers, _))),
        "a finished job updates the counts: {over:?}"
    );
    settle(&mut pane, over);
    press(&mut pane, Action::NextScore);
    refused(&pane.act(Action::PauseScoring));
    let nothing = ScoringState {
        of: Some(0),
        ..answer_of_count()
    };
    let job = NewScoring {
        scorer: Scorer::Safety,
        filter: String::new(),
        dry: true,
        drafts: false,
    };
    assert!(matches!(
        &pane.on_count(job, Ok(nothing))[..],
        [Effect::Say(_)]
    ));
    assert!(refused(&pane.typed(&TextFor::Score, "status:nonsense")).contains("nonsense"));
}

#[test]
fn drafts_are_counted_and_can_be_left_out() {
    let mut pane = ready();
    let job = NewScoring {
        scorer: Scorer::Safety,
        filter: "subtask:text".into(),
        dry: true,
        drafts: false,
    };
    let counted = ScoringState {
        of: Some(40),
        drafts: 7,
        ..answer_of_count()
    };
    let effects = pane.on_count(job, Ok(counted));
    let [
        Effect::AskChoice {
            purpose,
            title,
            lines,
        },
    ] = &effects[..]
    else {
        panic!("{effects:?}")
    };
    assert!(title.contains('7') && lines.len() == 3, "{title} {lines:?}");
    let begun = pane.chosen(purpose, 0);
    assert!(
        matches!(&begun[..], [Effect::Ask(ReplyFor::Begun, AnyRequest::Score(request::Score(job)))] if job.drafts && !job.dry),
        "{begun:?}"
    );
    let again = pane.chosen(purpose, 1);
    let Some(Effect::Ask(ReplyFor::Count(_), AnyRequest::Score(request::Score(asked)))) =
        again.last()
    else {
        panic!("{again:?}")
    };
    assert_eq!(
        (asked.filter.as_str(), asked.dry, asked.drafts),
        ("subtask:text NOT picture:draft", true, false)
    );
    assert!(pane.chosen(purpose, 2).is_empty());
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
    pane.on_scorers(Ok(vec![clip]));
    assert!(refused(&pane.act(Action::StartScoring)).contains("models pull clip"));
    let picture = drawn(&mut pane, 160, 47, ColorLevel::True, false);
    assert!(picture.contains("not ready: no model;"), "{picture}");
}

#[test]
fn samples_are_browsed_and_opened() {
    let mut pane = ready();
    refused(&pane.act(Action::OtherSample));
    press(&mut pane, Action::NextPart);
    assert!(matches!(&pane.act(Action::Open)[..], [Effect::Item(21)]));
    press(&mut pane, Action::OtherSample);
    assert!(matches!(&pane.act(Action::Open)[..], [Effect::Item(11)]));
    press(&mut pane, Action::Down);
    assert!(matches!(&pane.act(Action::Open)[..], [Effect::Item(12)]));
    refused(&pane.act(Action::Down));
    press(&mut pane, Action::OtherSample);
    refused(&pane.act(Action::Open));
    press(&mut pane, Action::NextPart);
    let effects = pane.act(Action::Open);
    let [Effect::AskChoice { purpose, lines, .. }] = &effects[..] else {
        panic!("{effects:?}")
    };
    assert_eq!(lines.len(), 2, "the current scorer is not offered");
    let effects = pane.chosen(purpose, 0);
    settle(&mut pane, effects);
    let picture = drawn(&mut pane, 80, 21, ColorLevel::True, false);
    assert!(picture.contains("against safety"), "{picture}");
    assert!(picture.contains("agree on 81.2 % of 16 items"), "{picture}");
}

#[test]
fn missing_verdicts_are_reported() {
    let mut pane = ready();
    let (asked, mut bench) = pane.bench.clone().unwrap();
    (bench.tally.accepted, bench.tally.rejected) = ([0; 3], [0; 3]);
    pane.on_bench(asked, Ok(bench));
    let picture = drawn(&mut pane, 100, 40, ColorLevel::True, false);
    assert!(
        picture.contains("precision: no") && picture.contains("recall: no"),
        "{picture}"
    );
}

#[test]
fn errors_are_shown_and_keep_the_last_histogram() {
    let mut pane = FiltersPane::new();
    refused(&pane.act(Action::ThresholdLeft));
    let problem = || Error::new(ErrorKind::Usage, "this is a command, not a question");
    pane.on_rules(Err(problem()));
    pane.on_scorers(Err(problem()));
    assert!(drawn(&mut pane, 80, 21, ColorLevel::True, false).contains("not a question"));
    refused(&pane.act(Action::SaveRules));
    let mut pane = ready();
    let effects = pane.act(Action::ThresholdLeft);
    let Some(Effect::Ask(ReplyFor::Bench(asked), _)) = effects.into_iter().next() else {
        panic!()
    };
    pane.on_bench(*asked, Err(problem()));
    let picture = drawn(&mut pane, 80, 21, ColorLevel::True, false);
    assert!(
        picture.contains("not a question") && picture.contains("kept ~"),
        "{picture}"
    );
    // A lost connection loses its requests; the next start repeats them.
    pane.act(Action::ThresholdLeft);
    let again = pane.start();
    assert!(
        again
            .iter()
            .any(|e| matches!(e, Effect::Ask(ReplyFor::Bench(_), _))),
        "{again:?}"
    );
    let again = pane.on_rules(Ok(state(at_25(), "one")));
    assert!(
        again
            .iter()
            .any(|e| matches!(e, Effect::Ask(ReplyFor::Try(_), _))),
        "{again:?}"
    );
}

#[test]
fn any_size_and_any_numbers_can_be_drawn() {
    let mut pane = ready();
    let (asked, bench) = pane.bench.clone().unwrap();
    let odd = [
        bench.clone(),
        Bench {
            bars: vec![],
            rejected: vec![],
            ..bench.clone()
        },
        Bench {
            bars: vec![7],
            rejected: vec![7],
            ends: (25.0, 25.0),
            ..bench.clone()
        },
        Bench {
            bars: vec![u64::from(u32::MAX); 3],
            rejected: vec![0; 2],
            ends: (-1e9, 1e9),
            ..bench.clone()
        },
        Bench {
            ends: (30.0, 40.0),
            ..bench
        },
    ];
    for bench in odd {
        pane.on_bench(asked.clone(), Ok(bench));
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
        pane.act(Action::ThresholdRight);
    }
    assert_eq!(Outcome::ALL.len(), 3);
}
