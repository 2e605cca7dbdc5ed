//! The forms of people, models, and scoring, without an owner.

use crossterm::event::KeyCode;

use super::tests::{press, rec, shown, work, write};
use super::*;
use crate::pane::testing::{only, refused};
use crate::pane::{CommandSetting, Effect};
use benchtop_model::Error;
use benchtop_model::scoring::queries::ScorerState;
use benchtop_model::scoring::{ScoreState, Scorer};
use benchtop_model::settings::{
    ChangedSetting, ModelSettings, ModelsPlan, PeoplePlan, RoundPerson, UsedServer,
};
use benchtop_model::trust::{DataKind, Destination};
use benchtop_protocol::wire::{AnyRequest, request};

fn opened<T: Task>(rec: &crate::pane::recorder::Recorder) -> (FormPane<T>, Vec<Effect>) {
    let mut pane = FormPane::<T>::default();
    let effects = rec.call(&mut pane, |pane, cx| pane.open(cx));
    (pane, effects)
}

fn changed(name: &str, after: &str) -> ChangedSetting {
    ChangedSetting {
        name: name.into(),
        before: None,
        after: Some(after.into()),
    }
}

#[test]
fn the_form_of_people_reads_pairs_and_prints_the_command() {
    let rec = rec();
    let (mut pane, effects) = opened::<people::People>(&rec);
    let mut preview = work(effects);
    let behind = RoundPerson {
        round: "pilot".into(),
        who: "bob".into(),
        judged: 3,
        share: 24,
        idle_days: Some(5),
    };
    let mut plan = PeoplePlan::default();
    plan.people.rounds.push(behind);
    rec.made(&mut pane, &mut preview, Ok(plan));
    let text = shown(&rec, &mut pane);
    assert!(text.contains("bob 3 of 24 in pilot"), "{text}");
    assert!(text.contains("$ benchtop people"), "{text}");
    refused(&rec.act(&mut pane, Action::FormSubmit));
    rec.act(&mut pane, Action::FormNext);
    press(&rec, &mut pane, KeyCode::Right);
    rec.act(&mut pane, Action::FormNext);
    write(&rec, &mut pane, "staff");
    rec.act(&mut pane, Action::FormNext);
    for (typed, part) in [
        ("alice", "no pair"),
        ("=x", "no pair"),
        (" a=../b", "annotator"),
    ] {
        write(&rec, &mut pane, typed);
        let text = shown(&rec, &mut pane);
        assert!(text.contains(part), "{part}\n{text}");
        for _ in typed.chars() {
            press(&rec, &mut pane, KeyCode::Backspace);
        }
    }
    write(&rec, &mut pane, "alice=ann, robert=bob");
    let text = shown(&rec, &mut pane);
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let line = "people set --group staff --user alice=ann --user robert=bob";
    assert!(flat.contains(line), "{text}");
}

#[test]
fn an_agreement_and_a_download_are_one_question() {
    let mut rec = rec();
    rec.commands = CommandSetting {
        models: ModelSettings {
            backend: "http".into(),
            model: "m".into(),
            endpoint: "https://a.example/v1".into(),
            clip: "clip-vit-l-14".into(),
            ..ModelSettings::default()
        },
        ..rec.commands
    };
    let (mut pane, effects) = opened::<models::Models>(&rec);
    let mut preview = work(effects);
    let server = UsedServer {
        setting: "generate.endpoints",
        url: "https://a.example/v1".into(),
        model: "m".into(),
        destination: Destination::new("https://a.example/v1", None, DataKind::Texts).unwrap(),
        agreed: false,
        has_key: None,
    };
    let plan = ModelsPlan {
        project: vec![changed("generate.model", "\"m\"")],
        servers: vec![server],
        ..ModelsPlan::default()
    };
    rec.made(&mut pane, &mut preview, Ok(plan.clone()));
    refused(&rec.act(&mut pane, Action::FormSubmit));
    rec.act(&mut pane, Action::FormPrevious);
    press(&rec, &mut pane, KeyCode::Char('y'));
    let mut preview = work(rec.act(&mut pane, Action::FormSubmit));
    let effects = rec.made(&mut pane, &mut preview, Ok(plan));
    let mut menu = effects
        .into_iter()
        .find(|e| matches!(e, Effect::Menu(..)))
        .unwrap();
    let (title, _) = crate::pane::testing::lines(&menu);
    assert!(title.contains("https://a.example"), "{title}");
    assert!(
        rec.choose(&mut pane, &mut menu, 1).is_empty(),
        "the safe answer"
    );
}

fn state(scorer: Scorer, not_ready: Option<&str>) -> ScorerState {
    ScorerState {
        what: scorer.help().into(),
        doubt: scorer.suspicious_end(),
        scorer,
        not_ready: not_ready.map(str::to_string),
        version: String::new(),
        items: [0; ScoreState::ALL.len()],
        job: None,
    }
}

#[test]
fn scoring_asks_for_the_scorers_and_the_count() {
    let mut rec = rec();
    rec.commands = CommandSetting {
        scorers: vec!["clip".into(), "flatness".into(), "judge/stands".into()],
        ..rec.commands
    };
    let (mut pane, effects) = opened::<scoring::Scoring>(&rec);
    let asks = effects.iter().filter(|e| matches!(e, Effect::Ask(_)));
    assert_eq!(asks.count(), 1);
    let mut effects = effects;
    effects.retain(|e| matches!(e, Effect::Ask(_)));
    let ask = only(effects);
    let why = "the model `clip` is not on this machine\n  help: run `benchtop models pull clip`, or download these \
               files by hand (from https://hub/clip):\n/cache/model.safetensors, sha256 c5a7";
    let states = vec![
        state(Scorer::Clip, Some(why)),
        state(Scorer::Flatness, None),
    ];
    let then = rec.reply::<request::Scorers>(&mut pane, ask, Ok(states));
    let ask = only(then);
    let AnyRequest::Score(score) = crate::pane::testing::request(&ask) else {
        panic!("{ask:?}")
    };
    assert!(score.0.dry && score.0.scorer.name() == "flatness");
    let failed = Err(Error::input("no items"));
    rec.reply::<request::Score>(&mut pane, ask, failed);
    let text = shown(&rec, &mut pane);
    assert!(text.contains("no items"), "{text}");
    let at = |word: &str| text.find(word).unwrap();
    assert!(at("flatness: can run") < at("clip: the model"), "{text}");
    assert!(!text.contains("sha256"), "{text}");
    assert!(text.contains("filter run flatness --flag"), "{text}");
    refused(&rec.act(&mut pane, Action::FormSubmit));
}

#[test]
fn a_taken_name_of_a_release_is_replaced_by_the_next_one_until_somebody_types() {
    use benchtop_model::release::ReleaseReport;

    let taken = || ReleaseReport {
        exists: true,
        ..ReleaseReport::default()
    };
    let name = |effects: Vec<Effect>| {
        let ask = effects.into_iter().find(|e| matches!(e, Effect::Ask(_)))?;
        let AnyRequest::ReleaseItems(request) = crate::pane::testing::request(&ask) else {
            return None;
        };
        Some((request.0.name.clone(), ask))
    };
    let rec = rec();
    let mut pane = FormPane::<release::Release>::default();
    let target = Target::Form(PaneId::Release, None);
    let opened = rec.call(&mut pane, |pane, cx| pane.show(target, PaneId::List, cx));
    let (first, ask) = name(opened).unwrap();
    let again = rec.reply::<request::ReleaseItems>(&mut pane, ask, Ok(taken()));
    let (second, ask) = name(again).unwrap();
    let again = rec.reply::<request::ReleaseItems>(&mut pane, ask, Ok(taken()));
    let (third, _) = name(again).unwrap();
    assert_eq!([first, second, third], ["v1", "v2", "v3"]);
    write(&rec, &mut pane, "b");
    let (typed, ask) = name(rec.act(&mut pane, Action::FormSubmit)).unwrap();
    assert_eq!(typed, "v3b");
    let again = rec.reply::<request::ReleaseItems>(&mut pane, ask, Ok(taken()));
    assert!(name(again).is_none(), "a typed name stays");
}

#[test]
fn a_release_is_previewed_by_the_owner_and_refused_where_a_folder_is() {
    use benchtop_model::release::{ReleaseReport, ReleaseRequest};

    let ask_of = |effects: Vec<Effect>| {
        let mut asks = effects.into_iter().filter(|e| matches!(e, Effect::Ask(_)));
        asks.next().unwrap()
    };
    let asked = |effect: &Effect| -> ReleaseRequest {
        match crate::pane::testing::request(effect) {
            AnyRequest::ReleaseItems(ask) => (*ask.0).clone(),
            other => panic!("{other:?}"),
        }
    };
    let rec = rec();
    let mut pane = FormPane::<release::Release>::default();
    let target = Target::Form(PaneId::Release, Some("subtask:odd".into()));
    let opened = rec.call(&mut pane, |pane, cx| pane.show(target, PaneId::List, cx));
    let ask = asked(&ask_of(opened));
    assert!(ask.dry && ask.name == "v1" && ask.filter == "subtask:odd");
    let would = ReleaseReport {
        name: "v1".into(),
        out: "/p/releases/v1".into(),
        items: 1234,
        pictures: 56,
        before: Some("v0".into()),
        added: 7,
        unanswered: vec!["purpose".into()],
        ..ReleaseReport::default()
    };
    let exists = ReleaseReport {
        exists: true,
        ..would.clone()
    };
    // A name that somebody typed stays.
    write(&rec, &mut pane, "b");
    let preview = ask_of(rec.act(&mut pane, Action::FormSubmit));
    assert_eq!(asked(&preview).name, "v1b");
    refused(&rec.reply::<request::ReleaseItems>(&mut pane, preview, Ok(exists)));
    let text = shown(&rec, &mut pane);
    for part in ["1,234 items", "56 pictures", "since v0: 7 added", "purpose"] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    write(&rec, &mut pane, "c");
    let preview = ask_of(rec.act(&mut pane, Action::FormSubmit));
    assert_eq!(asked(&preview).name, "v1bc");
    let run = rec.reply::<request::ReleaseItems>(&mut pane, preview, Ok(would));
    let text = shown(&rec, &mut pane);
    let line = "$ benchtop release v1bc --filter subtask:odd";
    assert!(text.contains(line), "{text}");
    let run = asked(&ask_of(run));
    assert!(!run.dry && run.name == "v1bc");
}
