use super::*;
use crate::action::Action;
use crate::panes::metadata::preview::compute;
use crate::panes::metadata::session::tests::state;
use crate::panes::metadata::worker::Done;
use crate::panes::metadata::{ChoiceFor, RuleKind, Side, TextFor};
use crate::theme::{Look, Theme};
use benchtop_compose::fixtures::small;
use benchtop_model::usage::Tally;
use benchtop_model::{ColorLevel, Error, MetaFile, Rule, Status};
use benchtop_protocol::wire::{AnyRequest, request};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

/// An edit session with the small metadata, and the pane with the focus on the terms of `name`.
fn at(name: &str) -> (EditSession, VocabularyPane) {
    let (mut edit_session, mut pane) = (EditSession::new(), VocabularyPane::new());
    assert!(matches!(
        &pane.start(&mut edit_session)[..],
        [Effect::Ask(
            ReplyFor::State,
            AnyRequest::Metadata(request::Metadata)
        )]
    ));
    carry_out(&mut edit_session, None);
    let effects = edit_session.on_state(Ok(state(&small())));
    follow(&mut edit_session, effects);
    let effects = pane.refreshed(&mut edit_session);
    follow(&mut edit_session, effects);
    let file = file_of(name);
    pane.jump(&mut edit_session, &file, 1).unwrap();
    (edit_session, pane)
}

fn carry_out(
    edit_session: &mut EditSession,
    request: Option<&crate::panes::metadata::preview::PreviewRequest>,
) {
    if let Some(r) = request {
        let preview = compute(&r.base, &r.edited, &r.selection, r.seed);
        assert!(edit_session.preview(Done {
            ticket: r.ticket,
            preview
        }));
    }
}

/// Computes the requested previews, as the program would. Returns the other effects.
fn follow(edit_session: &mut EditSession, effects: Vec<Effect>) -> Vec<Effect> {
    let mut rest = Vec::new();
    for effect in effects {
        match effect {
            Effect::Preview(request) => carry_out(edit_session, Some(&request)),
            other => rest.push(other),
        }
    }
    rest
}

fn act(pane: &mut VocabularyPane, edit_session: &mut EditSession, action: Action) -> Vec<Effect> {
    let effects = pane.act(action, edit_session);
    follow(edit_session, effects)
}

fn text<'d>(edit_session: &'d EditSession, name: &str) -> &'d str {
    edit_session.session().text(&file_of(name)).unwrap()
}

fn refused(effects: &[Effect]) -> &str {
    match effects {
        [Effect::Refuse(why)] => why,
        other => panic!("{other:?}"),
    }
}

fn drawn(
    pane: &mut VocabularyPane,
    edit_session: &EditSession,
    width: u16,
    height: u16,
    level: ColorLevel,
) -> String {
    let look = Look::new(&Theme::shipped("dark").unwrap(), level, false);
    let mut buf = Buffer::empty(Rect::new(0, 0, width, height));
    pane.draw(edit_session, buf.area, &mut buf, &look);
    let line = |l: &[ratatui::buffer::Cell]| {
        l.iter()
            .map(|c| c.symbol())
            .collect::<String>()
            .trim_end()
            .to_string()
    };
    buf.content
        .chunks(usize::from(width))
        .map(line)
        .collect::<Vec<_>>()
        .join("\n")
}

#[test]
fn terms_are_added_renamed_disabled_moved_and_removed() {
    let (mut edit_session, mut pane) = at("color");
    act(&mut pane, &mut edit_session, Action::Down);
    assert!(matches!(
        &act(&mut pane, &mut edit_session, Action::AddTerm)[..],
        [Effect::AskText {
            purpose: TextFor::Add,
            ..
        }]
    ));
    let effects = pane.typed(&TextFor::Add, " green ", &mut edit_session);
    follow(&mut edit_session, effects);
    assert_eq!(
        (
            text(&edit_session, "color"),
            pane.entry().unwrap().text.as_str()
        ),
        ("red\ngreen\nblue\nwhite\n", "green")
    );
    act(&mut pane, &mut edit_session, Action::TermUp);
    assert_eq!(
        (
            text(&edit_session, "color"),
            pane.entry().unwrap().text.as_str()
        ),
        ("green\nred\nblue\nwhite\n", "green")
    );
    act(&mut pane, &mut edit_session, Action::TermDown);
    let effects = act(&mut pane, &mut edit_session, Action::Open);
    assert!(
        matches!(&effects[..], [Effect::AskText { purpose: TextFor::Rename, text, .. }] if text == "green")
    );
    pane.typed(&TextFor::Rename, "teal", &mut edit_session);
    act(&mut pane, &mut edit_session, Action::ToggleTerm);
    assert_eq!(text(&edit_session, "color"), "red\n#- teal\nblue\nwhite\n");
    act(&mut pane, &mut edit_session, Action::ToggleTerm);
    act(&mut pane, &mut edit_session, Action::RemoveTerm);
    assert_eq!(text(&edit_session, "color"), "red\nblue\nwhite\n");
    for _ in 0..7 {
        act(&mut pane, &mut edit_session, Action::Undo);
    }
    assert!(edit_session.session().changed().is_empty());
    refused(&act(&mut pane, &mut edit_session, Action::Undo));
}

#[test]
fn a_vocabulary_is_created_and_undone() {
    let (mut edit_session, mut pane) = at("color");
    let before = pane.names.clone();
    assert!(matches!(
        &act(&mut pane, &mut edit_session, Action::NewVocabulary)[..],
        [Effect::AskText {
            purpose: TextFor::NewVocabulary,
            ..
        }]
    ));
    for wrong in ["Color Wheel", "../x", "color"] {
        let effects = pane.typed(&TextFor::NewVocabulary, wrong, &mut edit_session);
        assert!(!refused(&effects).is_empty(), "{wrong}");
    }
    assert!(edit_session.session().changed().is_empty());
    let effects = pane.typed(&TextFor::NewVocabulary, " weather ", &mut edit_session);
    assert!(
        matches!(
            effects.last(),
            Some(Effect::AskText {
                purpose: TextFor::Add,
                ..
            })
        ),
        "{effects:?}"
    );
    pane.typed(&TextFor::Add, "fog", &mut edit_session);
    assert_eq!(
        text(&edit_session, "weather"),
        "# weather: one term per line\nfog\n"
    );
    assert_eq!(pane.entry().unwrap().text, "fog");
    assert_eq!(edit_session.session().saves().len(), 1);
    act(&mut pane, &mut edit_session, Action::Undo);
    act(&mut pane, &mut edit_session, Action::Undo);
    assert_eq!(pane.names, before);
    assert!(
        edit_session.session().saves().is_empty(),
        "no empty file is saved"
    );
    act(&mut pane, &mut edit_session, Action::Redo);
    assert!(pane.names.contains(&"weather".to_string()));
}

#[test]
fn undo_goes_to_the_change() {
    let (mut edit_session, mut pane) = at("color");
    pane.jump(&mut edit_session, "vocabularies/color.txt", 3);
    pane.typed(&TextFor::Rename, "ivory", &mut edit_session);
    pane.jump(&mut edit_session, "vocabularies/animal.txt", 1);
    act(&mut pane, &mut edit_session, Action::Undo);
    assert_eq!(
        (pane.current(), pane.entry().unwrap().text.as_str()),
        (Some("color"), "white")
    );
    pane.jump(&mut edit_session, "vocabularies/animal.txt", 1);
    act(&mut pane, &mut edit_session, Action::Redo);
    assert_eq!(
        (pane.current(), pane.entry().unwrap().text.as_str()),
        (Some("color"), "ivory")
    );
}

#[test]
fn invalid_edits_are_refused_and_change_nothing() {
    let (mut edit_session, mut pane) = at("color");
    refused(&pane.typed(&TextFor::Add, "RED", &mut edit_session));
    refused(&pane.typed(&TextFor::Rename, "a {slot}", &mut edit_session));
    let effects = pane.typed(
        &TextFor::ReplaceWith("zebra".into()),
        "x",
        &mut edit_session,
    );
    assert!(refused(&effects).contains("zebra"));
    refused(&act(&mut pane, &mut edit_session, Action::TermUp));
    assert!(edit_session.session().changed().is_empty());
}

#[test]
fn several_terms_change_in_one_step() {
    let (mut edit_session, mut pane) = at("animal");
    for _ in 0..3 {
        act(&mut pane, &mut edit_session, Action::Select);
    }
    act(&mut pane, &mut edit_session, Action::ToggleTerm);
    assert_eq!(
        text(&edit_session, "animal"),
        "#- owl\n#- cat\n#- horse\nsalmon\nbeetle\nwolf\n"
    );
    assert_eq!(pane.marked().len(), 3, "they stay selected");
    let effects = act(&mut pane, &mut edit_session, Action::MoveTerms);
    let [Effect::AskChoice { purpose, lines, .. }] = &effects[..] else {
        panic!("{effects:?}")
    };
    assert_eq!(
        lines.iter().map(|l| l.0.as_str()).collect::<Vec<_>>(),
        ["background", "color", "text"]
    );
    let effects = pane.chosen(purpose, 1, &mut edit_session).unwrap();
    follow(&mut edit_session, effects);
    assert_eq!(
        text(&edit_session, "color"),
        "red\nblue\nwhite\n#- owl\n#- cat\n#- horse\n"
    );
    assert_eq!(text(&edit_session, "animal"), "salmon\nbeetle\nwolf\n");
    act(&mut pane, &mut edit_session, Action::Undo);
    act(&mut pane, &mut edit_session, Action::Undo);
    assert!(edit_session.session().changed().is_empty());
    pane.typed(&TextFor::ReplaceWith("l".into()), "L", &mut edit_session);
    assert_eq!(
        text(&edit_session, "animal"),
        "owL\ncat\nhorse\nsaLmon\nbeetLe\nwoLf\n"
    );
}

#[test]
fn search_and_filters_narrow_the_terms_and_back_shows_all() {
    let (mut edit_session, mut pane) = at("animal");
    pane.typed(&TextFor::Search, "L", &mut edit_session);
    assert_eq!(
        pane.entries
            .iter()
            .map(|e| e.text.as_str())
            .collect::<Vec<_>>(),
        ["owl", "salmon", "beetle", "wolf"]
    );
    refused(&act(&mut pane, &mut edit_session, Action::TermDown));
    act(&mut pane, &mut edit_session, Action::Down);
    act(&mut pane, &mut edit_session, Action::ToggleTerm);
    assert!(
        text(&edit_session, "animal").contains("#- salmon\n"),
        "the visible term changes"
    );
    act(&mut pane, &mut edit_session, Action::Back);
    assert_eq!(pane.act(Action::ToggleSidebar, &mut edit_session).len(), 0);
    for (pick, left) in [(1, vec!["salmon"]), (2, vec![]), (3, vec!["salmon"])] {
        pane.chosen(&ChoiceFor::Show, pick, &mut edit_session)
            .unwrap();
        assert_eq!(
            pane.entries
                .iter()
                .map(|e| e.text.as_str())
                .collect::<Vec<_>>(),
            left,
            "{pick}"
        );
    }
    pane.chosen(&ChoiceFor::Show, 2, &mut edit_session).unwrap();
    assert!(pane.entries.is_empty());
    act(&mut pane, &mut edit_session, Action::Back);
    assert_eq!(pane.entries.len(), 6);
    act(&mut pane, &mut edit_session, Action::Back);
    assert!(matches!(
        &act(&mut pane, &mut edit_session, Action::Back)[..],
        [Effect::Leave]
    ));
}

#[test]
fn a_term_just_written_stays_visible() {
    let (mut edit_session, mut pane) = at("animal");
    pane.typed(&TextFor::Search, "salmon", &mut edit_session);
    pane.typed(&TextFor::Rename, "trout", &mut edit_session);
    assert_eq!(
        pane.entry().unwrap().text,
        "trout",
        "the search does not match its new name"
    );
    pane.typed(&TextFor::Search, "owl", &mut edit_session);
    assert_eq!(pane.entries.len(), 1);
}

#[test]
fn keys_pressed_while_the_metadata_loads_count() {
    let (mut edit_session, mut pane) = (EditSession::new(), VocabularyPane::new());
    pane.start(&mut edit_session);
    act(&mut pane, &mut edit_session, Action::Down);
    act(&mut pane, &mut edit_session, Action::Down);
    let effects = edit_session.on_state(Ok(state(&small())));
    follow(&mut edit_session, effects);
    pane.refreshed(&mut edit_session);
    assert_eq!(pane.current(), Some("color"));
    let (mut edit_session, mut pane) = (EditSession::new(), VocabularyPane::new());
    act(&mut pane, &mut edit_session, Action::Bottom);
    edit_session.on_state(Ok(state(&small())));
    pane.refreshed(&mut edit_session);
    assert_eq!(pane.current(), Some(STYLE));
}

#[test]
fn the_preview_follows_the_vocabulary_and_the_edit() {
    let (mut edit_session, mut pane) = at("animal");
    act(&mut pane, &mut edit_session, Action::Back);
    let effects = pane.act(Action::Down, &mut edit_session);
    assert_eq!(pane.current(), Some("background"));
    assert!(
        effects
            .iter()
            .any(|e| matches!(e, Effect::Ask(ReplyFor::Terms(name), _) if name == "background"))
    );
    assert!(
        effects
            .iter()
            .any(|e| matches!(e, Effect::Preview(r) if r.selection == Selection::Vocabulary("background".into())))
    );
    let (mut edit_session, mut pane) = at("animal");
    pane.go_to_line(4);
    act(&mut pane, &mut edit_session, Action::RemoveTerm);
    let shown = drawn(&mut pane, &edit_session, 160, 40, ColorLevel::True);
    assert!(shown.contains("gone: animal `salmon`"), "{shown}");
    assert!(shown.contains("vocabularies/animal.txt"), "{shown}");
}

const RULES: &str = "compatibility.toml";

fn rules(edit_session: &EditSession) -> &str {
    edit_session.session().text(RULES).unwrap_or_default()
}

/// Picks the menu line that starts with `label` and returns the effects.
fn pick(pane: &mut VocabularyPane, edit_session: &mut EditSession, label: &str) -> Vec<Effect> {
    let effects = act(pane, edit_session, Action::TermRules);
    let [Effect::AskChoice { purpose, lines, .. }] = &effects[..] else {
        panic!("{effects:?}")
    };
    let at = lines.iter().position(|l| l.0.starts_with(label));
    let at = at.unwrap_or_else(|| panic!("no {label} in {lines:?}"));
    pane.chosen(purpose, at, edit_session).unwrap()
}

#[test]
fn a_rule_is_added_previewed_followed_and_undone() {
    let (mut edit_session, mut pane) = at("animal");
    let effects = pick(&mut pane, &mut edit_session, "add: not with");
    let [Effect::AskText { purpose, .. }] = &effects[..] else {
        panic!("{effects:?}")
    };
    assert_eq!(*purpose, TextFor::Rule(RuleKind::NotWith));
    for wrong in [
        "",
        "by the sea",
        "background: by the see",
        "backgruond: by the sea",
        "animal: cat",
        "background:",
    ] {
        assert!(
            !refused(&pane.typed(purpose, wrong, &mut edit_session)).is_empty(),
            "{wrong}"
        );
        assert_eq!(rules(&edit_session), "", "{wrong}");
    }
    let effects = pane.typed(
        purpose,
        "background: BY THE SEA, on a lawn",
        &mut edit_session,
    );
    follow(&mut edit_session, effects);
    assert!(rules(&edit_session).ends_with(
        "[[not-with]]\nanimal = [\"owl\"]\nbackground = [\"by the sea\", \"on a lawn\"]\n"
    ));
    let gone = |edit_session: &EditSession| {
        let shown = edit_session.shown().unwrap().shown.iter();
        shown
            .filter(|s| {
                s.gone
                    .as_deref()
                    .is_some_and(|g| g.contains("`owl`") && g.contains("`by the sea`"))
            })
            .count()
    };
    assert!(gone(&edit_session) > 0, "{:?}", edit_session.shown());
    assert!(drawn(&mut pane, &edit_session, 160, 40, ColorLevel::True).contains("1 rule"));
    // The other side of the rule leads to the same line.
    pane.jump(&mut edit_session, "vocabularies/background.txt", 4);
    let effects = pick(&mut pane, &mut edit_session, "not with animal: owl");
    assert!(
        matches!(&effects[..], [Effect::Jump { file, line: 3, .. }] if file == RULES),
        "{effects:?}"
    );
    for (kind, said, wanted) in [
        (
            RuleKind::Hides,
            "color",
            "[[hides]]\nbackground = [\"by the sea\"]\nhides = [\"color\"]\n",
        ),
        (
            RuleKind::Shows,
            "animal: salmon",
            "shows = { animal = [\"salmon\"] }\n",
        ),
        (
            RuleKind::LookAlike,
            "in a street",
            "[[look-alike]]\nbackground = [\"by the sea\", \"in a street\"]\n",
        ),
    ] {
        pane.typed(&TextFor::Rule(kind), said, &mut edit_session);
        assert!(
            rules(&edit_session).ends_with(wanted),
            "{}",
            rules(&edit_session)
        );
    }
    pane.typed(&TextFor::Rule(RuleKind::Group), "place", &mut edit_session);
    assert!(
        rules(&edit_session).contains("[groups.background]\nplace = [\"by the sea\"]"),
        "{}",
        rules(&edit_session)
    );
    assert!(drawn(&mut pane, &edit_session, 160, 40, ColorLevel::True).contains("place, 4 rules"));
    pane.typed(&TextFor::Rename, "by the ocean", &mut edit_session);
    assert!(
        rules(&edit_session).contains("by the ocean")
            && !rules(&edit_session).contains("by the sea"),
        "{}",
        rules(&edit_session)
    );
    for _ in 0..6 {
        act(&mut pane, &mut edit_session, Action::Undo);
    }
    assert!(edit_session.session().changed().is_empty());
}

#[test]
fn term_usage_is_shown_once_it_arrives() {
    let (mut edit_session, mut pane) = at("color");
    assert!(drawn(&mut pane, &edit_session, 160, 30, ColorLevel::True).contains("…"));
    let mut items = Tally::default();
    (0..3).for_each(|_| items.add(Status::Accepted));
    items.add(Status::Rejected);
    let used = vec![TermUse {
        term: "blue".into(),
        items,
        answers: Tally::default(),
    }];
    assert!(pane.on_terms("color", Ok(used)).is_empty());
    let shown = drawn(&mut pane, &edit_session, 200, 30, ColorLevel::True);
    assert!(shown.contains("75 % of 4"), "{shown}");
    assert!(
        pane.start(&mut edit_session).is_empty(),
        "known usage is not requested again"
    );
    assert!(
        matches!(&pane.changed()[..], [Effect::Ask(ReplyFor::Terms(name), _)] if name == "color")
    );
    assert!(refused(&pane.on_terms("color", Err(Error::input("gone")))).contains("gone"));
}

#[test]
fn findings_are_marked_and_enter_goes_to_the_term() {
    let (mut edit_session, mut pane) = at("color");
    let mut disk = small();
    disk.insert(MetaFile {
        name: file_of("animal"),
        text: "owl\ncat\nbad {slot}\nhorse\nwolf # allow: nothing\n".into(),
    });
    let effects = edit_session.on_state(Ok(state(&disk)));
    follow(&mut edit_session, effects);
    assert_eq!(
        edit_session
            .found()
            .filter(|f| f.rule == Rule::BadTerm)
            .count(),
        2
    );
    pane.side.shows = Side::Findings;
    act(&mut pane, &mut edit_session, Action::NextArea);
    assert!(
        drawn(&mut pane, &edit_session, 80, 24, ColorLevel::Mono).contains("findings: 2 errors")
    );
    act(&mut pane, &mut edit_session, Action::Bottom);
    act(&mut pane, &mut edit_session, Action::Open);
    assert_eq!(
        (pane.current(), pane.entry().unwrap().text.as_str()),
        (Some("animal"), "wolf")
    );
    let shown = drawn(&mut pane, &edit_session, 80, 24, ColorLevel::True);
    assert!(
        shown.contains(" ! ") || shown.contains("!animal"),
        "{shown}"
    );
    act(&mut pane, &mut edit_session, Action::Top);
    act(&mut pane, &mut edit_session, Action::NextFinding);
    assert_eq!(
        pane.entry().unwrap().text,
        "horse",
        "a line without a term leads to the next term"
    );
}

#[test]
fn styles_are_switched_here_and_edited_as_text() {
    let (mut edit_session, mut pane) = at(STYLE);
    assert_eq!(pane.current(), Some(STYLE));
    act(&mut pane, &mut edit_session, Action::ToggleTerm);
    assert!(
        !edit_session
            .session()
            .edited()
            .enabled(STYLE)
            .contains(&"woodcut")
    );
    act(&mut pane, &mut edit_session, Action::Down);
    let effects = act(&mut pane, &mut edit_session, Action::RenameTerm);
    assert!(
        matches!(&effects[..], [_, Effect::Jump { file, line, .. }] if file == "styles.toml" && *line > 0),
        "{effects:?}"
    );
}

#[test]
fn every_state_is_drawn_at_every_size() {
    let look = Look::new(&Theme::shipped("dark").unwrap(), ColorLevel::True, false);
    let mut failed = EditSession::new();
    failed.on_state(Err(Error::input("the owner is gone")));
    let mut empty = EditSession::new();
    empty.on_state(Ok(state(&benchtop_compose::metadata::Metadata::default())));
    let (full, _) = at("animal");
    for (edit_session, says) in [
        (&EditSession::new(), ""),
        (&failed, "the owner is gone"),
        (&empty, "metadata/vocabularies/"),
    ] {
        let mut pane = VocabularyPane::new();
        assert!(drawn(&mut pane, edit_session, 80, 24, ColorLevel::True).contains(says));
        refused(&pane.act(Action::AddTerm, &mut edit_session.clone()));
    }
    for side in [Side::Preview, Side::Findings, Side::Nothing] {
        for (width, height) in [
            (1, 1),
            (5, 3),
            (20, 5),
            (40, 8),
            (80, 24),
            (119, 12),
            (300, 100),
        ] {
            let (_, mut pane) = at("animal");
            pane.side.shows = side;
            let mut buf = Buffer::empty(Rect::new(0, 0, width, height));
            pane.draw(&full, buf.area, &mut buf, &look);
        }
    }
}
