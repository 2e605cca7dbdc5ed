use super::*;
use crate::action::Action;
use crate::panes::metadata::preview::compute;
use crate::panes::metadata::session::tests::state;
use crate::panes::metadata::worker::Done;
use crate::panes::metadata::{ChoiceFor, RuleKind, Side, TextFor};
use crate::theme::{Look, Theme};
use benchtop_compose::fixtures::small;
use benchtop_model::usage::Tally;
use benchtop_model::{ColourLevel, Error, MetaFile, Rule, Status};
use benchtop_protocol::wire::{AnyRequest, request};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

/// A desk with the small metadata, this pane on the vocabulary `name`, its terms in hand.
fn at(name: &str) -> (EditSession, VocabularyPane) {
    let (mut desk, mut pane) = (EditSession::new(), VocabularyPane::new());
    assert!(matches!(
        &pane.start(&mut desk)[..],
        [Effect::Ask(
            Want::State,
            AnyRequest::Metadata(request::Metadata)
        )]
    ));
    carry_out(&mut desk, None);
    let effects = desk.take(Ok(state(&small())));
    follow(&mut desk, effects);
    let effects = pane.refreshed(&mut desk);
    follow(&mut desk, effects);
    let file = file_of(name);
    pane.jump(&mut desk, &file, 1).unwrap();
    (desk, pane)
}

fn carry_out(
    desk: &mut EditSession,
    request: Option<&crate::panes::metadata::preview::PreviewRequest>,
) {
    if let Some(r) = request {
        let preview = compute(&r.base, &r.edited, &r.selection, r.seed);
        assert!(desk.preview(Done {
            ticket: r.ticket,
            preview
        }));
    }
}

/// Does what the effects ask of the worker, as the program would; gives the others.
fn follow(desk: &mut EditSession, effects: Vec<Effect>) -> Vec<Effect> {
    let mut rest = Vec::new();
    for effect in effects {
        match effect {
            Effect::Preview(request) => carry_out(desk, Some(&request)),
            other => rest.push(other),
        }
    }
    rest
}

fn act(pane: &mut VocabularyPane, desk: &mut EditSession, action: Action) -> Vec<Effect> {
    let effects = pane.act(action, desk);
    follow(desk, effects)
}

fn text<'d>(desk: &'d EditSession, name: &str) -> &'d str {
    desk.session().text(&file_of(name)).unwrap()
}

fn refused(effects: &[Effect]) -> &str {
    match effects {
        [Effect::Refuse(why)] => why,
        other => panic!("{other:?}"),
    }
}

fn drawn(
    pane: &mut VocabularyPane,
    desk: &EditSession,
    width: u16,
    height: u16,
    level: ColourLevel,
) -> String {
    let look = Look::new(&Theme::shipped("dark").unwrap(), level, false);
    let mut buf = Buffer::empty(Rect::new(0, 0, width, height));
    pane.draw(desk, buf.area, &mut buf, &look);
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
    let (mut desk, mut pane) = at("color");
    act(&mut pane, &mut desk, Action::Down);
    assert!(matches!(
        &act(&mut pane, &mut desk, Action::AddTerm)[..],
        [Effect::AskText {
            purpose: TextFor::Add,
            ..
        }]
    ));
    let effects = pane.typed(&TextFor::Add, " green ", &mut desk);
    follow(&mut desk, effects);
    assert_eq!(
        (text(&desk, "color"), pane.entry().unwrap().text.as_str()),
        ("red\ngreen\nblue\nwhite\n", "green")
    );
    act(&mut pane, &mut desk, Action::TermUp);
    assert_eq!(
        (text(&desk, "color"), pane.entry().unwrap().text.as_str()),
        ("green\nred\nblue\nwhite\n", "green")
    );
    act(&mut pane, &mut desk, Action::TermDown);
    let effects = act(&mut pane, &mut desk, Action::Open);
    assert!(
        matches!(&effects[..], [Effect::AskText { purpose: TextFor::Rename, text, .. }] if text == "green")
    );
    pane.typed(&TextFor::Rename, "teal", &mut desk);
    act(&mut pane, &mut desk, Action::ToggleTerm);
    assert_eq!(text(&desk, "color"), "red\n#- teal\nblue\nwhite\n");
    act(&mut pane, &mut desk, Action::ToggleTerm);
    act(&mut pane, &mut desk, Action::RemoveTerm);
    assert_eq!(text(&desk, "color"), "red\nblue\nwhite\n");
    for _ in 0..7 {
        act(&mut pane, &mut desk, Action::Undo);
    }
    assert!(desk.session().changed().is_empty());
    assert!(refused(&act(&mut pane, &mut desk, Action::Undo)).contains("no edit"));
}

#[test]
fn a_vocabulary_is_made_and_taken_back() {
    let (mut desk, mut pane) = at("color");
    let before = pane.names.clone();
    assert!(matches!(
        &act(&mut pane, &mut desk, Action::NewVocabulary)[..],
        [Effect::AskText {
            purpose: TextFor::NewVocabulary,
            ..
        }]
    ));
    for (wrong, why) in [
        ("Color Wheel", "cannot be the name"),
        ("../x", "cannot be the name"),
        ("color", "already"),
    ] {
        assert!(
            refused(&pane.typed(&TextFor::NewVocabulary, wrong, &mut desk)).contains(why),
            "{wrong}"
        );
    }
    assert!(desk.session().changed().is_empty());
    let effects = pane.typed(&TextFor::NewVocabulary, " weather ", &mut desk);
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
    pane.typed(&TextFor::Add, "fog", &mut desk);
    assert_eq!(text(&desk, "weather"), "# weather: one term a line\nfog\n");
    assert_eq!(pane.entry().unwrap().text, "fog");
    assert_eq!(desk.session().saves().len(), 1);
    act(&mut pane, &mut desk, Action::Undo);
    act(&mut pane, &mut desk, Action::Undo);
    assert_eq!(pane.names, before);
    assert!(
        desk.session().saves().is_empty(),
        "an empty file would be saved"
    );
    act(&mut pane, &mut desk, Action::Redo);
    assert!(pane.names.contains(&"weather".to_string()));
}

#[test]
fn undo_goes_to_what_it_changed() {
    let (mut desk, mut pane) = at("color");
    pane.jump(&mut desk, "vocabularies/color.txt", 3);
    pane.typed(&TextFor::Rename, "ivory", &mut desk);
    pane.jump(&mut desk, "vocabularies/animal.txt", 1);
    act(&mut pane, &mut desk, Action::Undo);
    assert_eq!(
        (pane.current(), pane.entry().unwrap().text.as_str()),
        (Some("color"), "white")
    );
    pane.jump(&mut desk, "vocabularies/animal.txt", 1);
    act(&mut pane, &mut desk, Action::Redo);
    assert_eq!(
        (pane.current(), pane.entry().unwrap().text.as_str()),
        (Some("color"), "ivory")
    );
}

#[test]
fn what_cannot_be_is_refused_and_nothing_changes() {
    let (mut desk, mut pane) = at("color");
    assert!(refused(&pane.typed(&TextFor::Add, "RED", &mut desk)).contains("already"));
    assert!(refused(&pane.typed(&TextFor::Rename, "a {slot}", &mut desk)).contains("slot"));
    assert!(
        refused(&pane.typed(&TextFor::ReplaceWith("zebra".into()), "x", &mut desk))
            .contains("no term has")
    );
    assert!(refused(&act(&mut pane, &mut desk, Action::TermUp)).contains("end of the list"));
    assert!(desk.session().changed().is_empty());
}

#[test]
fn several_terms_are_changed_as_one_step() {
    let (mut desk, mut pane) = at("animal");
    for _ in 0..3 {
        act(&mut pane, &mut desk, Action::Select);
    }
    act(&mut pane, &mut desk, Action::ToggleTerm);
    assert_eq!(
        text(&desk, "animal"),
        "#- owl\n#- cat\n#- horse\nsalmon\nbeetle\nwolf\n"
    );
    assert_eq!(pane.marked().len(), 3, "they stay selected");
    let effects = act(&mut pane, &mut desk, Action::MoveTerms);
    let [Effect::AskChoice { purpose, lines, .. }] = &effects[..] else {
        panic!("{effects:?}")
    };
    assert_eq!(
        lines.iter().map(|l| l.0.as_str()).collect::<Vec<_>>(),
        ["background", "color", "text"]
    );
    let effects = pane.chosen(purpose, 1, &mut desk).unwrap();
    follow(&mut desk, effects);
    assert_eq!(
        text(&desk, "color"),
        "red\nblue\nwhite\n#- owl\n#- cat\n#- horse\n"
    );
    assert_eq!(text(&desk, "animal"), "salmon\nbeetle\nwolf\n");
    act(&mut pane, &mut desk, Action::Undo);
    act(&mut pane, &mut desk, Action::Undo);
    assert!(desk.session().changed().is_empty());
    pane.typed(&TextFor::ReplaceWith("l".into()), "L", &mut desk);
    assert_eq!(
        text(&desk, "animal"),
        "owL\ncat\nhorse\nsaLmon\nbeetLe\nwoLf\n"
    );
}

#[test]
fn search_and_filters_narrow_the_terms_and_back_shows_all() {
    let (mut desk, mut pane) = at("animal");
    pane.typed(&TextFor::Search, "L", &mut desk);
    assert_eq!(
        pane.entries
            .iter()
            .map(|e| e.text.as_str())
            .collect::<Vec<_>>(),
        ["owl", "salmon", "beetle", "wolf"]
    );
    assert!(refused(&act(&mut pane, &mut desk, Action::TermDown)).contains("all terms"));
    act(&mut pane, &mut desk, Action::Down);
    act(&mut pane, &mut desk, Action::ToggleTerm);
    assert!(
        text(&desk, "animal").contains("#- salmon\n"),
        "the term shown is the one that is changed"
    );
    act(&mut pane, &mut desk, Action::Back);
    assert_eq!(pane.act(Action::Side, &mut desk).len(), 0);
    for (pick, left) in [(1, vec!["salmon"]), (2, vec![]), (3, vec!["salmon"])] {
        pane.chosen(&ChoiceFor::Show, pick, &mut desk).unwrap();
        assert_eq!(
            pane.entries
                .iter()
                .map(|e| e.text.as_str())
                .collect::<Vec<_>>(),
            left,
            "{pick}"
        );
    }
    pane.chosen(&ChoiceFor::Show, 2, &mut desk).unwrap();
    assert!(
        drawn(&mut pane, &desk, 80, 24, ColourLevel::True).contains("No row passes the filter")
    );
    act(&mut pane, &mut desk, Action::Back);
    assert_eq!(pane.entries.len(), 6);
    act(&mut pane, &mut desk, Action::Back);
    assert!(matches!(
        &act(&mut pane, &mut desk, Action::Back)[..],
        [Effect::Leave]
    ));
}

#[test]
fn a_term_just_written_stays_in_view() {
    let (mut desk, mut pane) = at("animal");
    pane.typed(&TextFor::Search, "salmon", &mut desk);
    pane.typed(&TextFor::Rename, "trout", &mut desk);
    assert_eq!(
        pane.entry().unwrap().text,
        "trout",
        "though the search was for what it was before"
    );
    pane.typed(&TextFor::Search, "owl", &mut desk);
    assert_eq!(pane.entries.len(), 1);
}

#[test]
fn keys_pressed_while_the_metadata_is_on_its_way_count() {
    let (mut desk, mut pane) = (EditSession::new(), VocabularyPane::new());
    pane.start(&mut desk);
    act(&mut pane, &mut desk, Action::Down);
    act(&mut pane, &mut desk, Action::Down);
    let effects = desk.take(Ok(state(&small())));
    follow(&mut desk, effects);
    pane.refreshed(&mut desk);
    assert_eq!(pane.current(), Some("color"));
    let (mut desk, mut pane) = (EditSession::new(), VocabularyPane::new());
    act(&mut pane, &mut desk, Action::Bottom);
    desk.take(Ok(state(&small())));
    pane.refreshed(&mut desk);
    assert_eq!(pane.current(), Some(STYLE));
}

#[test]
fn the_preview_follows_the_vocabulary_and_the_edit() {
    let (mut desk, mut pane) = at("animal");
    act(&mut pane, &mut desk, Action::Back);
    let effects = pane.act(Action::Down, &mut desk);
    assert_eq!(pane.current(), Some("background"));
    assert!(
        effects
            .iter()
            .any(|e| matches!(e, Effect::Ask(Want::Terms(name), _) if name == "background"))
    );
    assert!(
        effects
            .iter()
            .any(|e| matches!(e, Effect::Preview(r) if r.selection == Selection::Vocabulary("background".into())))
    );
    let (mut desk, mut pane) = at("animal");
    pane.go_to_line(4);
    act(&mut pane, &mut desk, Action::RemoveTerm);
    let shown = drawn(&mut pane, &desk, 160, 40, ColourLevel::True);
    assert!(shown.contains("gone: animal `salmon`"), "{shown}");
    assert!(
        shown.contains("● not saved: vocabularies/animal.txt"),
        "{shown}"
    );
}

const RULES: &str = "compatibility.toml";

fn rules(desk: &EditSession) -> &str {
    desk.session().text(RULES).unwrap_or_default()
}

/// Picks a line of the menu of rules by what it begins with; gives what it asks for.
fn pick(pane: &mut VocabularyPane, desk: &mut EditSession, label: &str) -> Vec<Effect> {
    let effects = act(pane, desk, Action::TermRules);
    let [Effect::AskChoice { purpose, lines, .. }] = &effects[..] else {
        panic!("{effects:?}")
    };
    let at = lines.iter().position(|l| l.0.starts_with(label));
    let at = at.unwrap_or_else(|| panic!("no {label} in {lines:?}"));
    pane.chosen(purpose, at, desk).unwrap()
}

#[test]
fn a_rule_is_added_to_a_term_seen_in_the_preview_found_again_and_taken_back() {
    let (mut desk, mut pane) = at("animal");
    let effects = pick(&mut pane, &mut desk, "add: not with");
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
            !refused(&pane.typed(purpose, wrong, &mut desk)).is_empty(),
            "{wrong}"
        );
        assert_eq!(rules(&desk), "", "{wrong}");
    }
    let effects = pane.typed(purpose, "background: BY THE SEA, on a lawn", &mut desk);
    follow(&mut desk, effects);
    assert!(rules(&desk).ends_with(
        "[[not-with]]\nanimal = [\"owl\"]\nbackground = [\"by the sea\", \"on a lawn\"]\n"
    ));
    let gone = |desk: &EditSession| {
        let shown = desk.shown().unwrap().shown.iter();
        shown
            .filter(|s| {
                s.gone
                    .as_deref()
                    .is_some_and(|g| g.contains("`owl`") && g.contains("`by the sea`"))
            })
            .count()
    };
    assert!(gone(&desk) > 0, "{:?}", desk.shown());
    assert!(drawn(&mut pane, &desk, 160, 40, ColourLevel::True).contains("1 rule"));
    // From the other side too, and a line of the menu goes there.
    pane.jump(&mut desk, "vocabularies/background.txt", 4);
    let effects = pick(&mut pane, &mut desk, "not with animal: owl");
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
        pane.typed(&TextFor::Rule(kind), said, &mut desk);
        assert!(rules(&desk).ends_with(wanted), "{}", rules(&desk));
    }
    pane.typed(&TextFor::Rule(RuleKind::Group), "place", &mut desk);
    assert!(
        rules(&desk).contains("[groups.background]\nplace = [\"by the sea\"]"),
        "{}",
        rules(&desk)
    );
    assert!(drawn(&mut pane, &desk, 160, 40, ColourLevel::True).contains("place, 4 rules"));
    pane.typed(&TextFor::Rename, "by the ocean", &mut desk);
    assert!(
        rules(&desk).contains("by the ocean") && !rules(&desk).contains("by the sea"),
        "{}",
        rules(&desk)
    );
    for _ in 0..6 {
        act(&mut pane, &mut desk, Action::Undo);
    }
    assert!(desk.session().changed().is_empty());
}

#[test]
fn use_of_terms_is_shown_once_it_is_known() {
    let (mut desk, mut pane) = at("color");
    assert!(drawn(&mut pane, &desk, 160, 30, ColourLevel::True).contains("…"));
    let mut items = Tally::default();
    (0..3).for_each(|_| items.add(Status::Accepted));
    items.add(Status::Rejected);
    let used = vec![TermUse {
        term: "blue".into(),
        items,
        answers: Tally::default(),
    }];
    assert!(pane.take_terms("color", Ok(used)).is_empty());
    let shown = drawn(&mut pane, &desk, 200, 30, ColourLevel::True);
    assert!(
        shown.contains("75 % of 4") && shown.contains("not known yet"),
        "{shown}"
    );
    assert!(
        pane.start(&mut desk).is_empty(),
        "what is known is not asked again"
    );
    assert!(matches!(&pane.changed()[..], [Effect::Ask(Want::Terms(name), _)] if name == "color"));
    assert!(refused(&pane.take_terms("color", Err(Error::input("gone")))).contains("gone"));
}

#[test]
fn findings_are_marked_and_enter_goes_to_them() {
    let (mut desk, mut pane) = at("color");
    let mut disk = small();
    disk.put(MetaFile {
        name: file_of("animal"),
        text: "owl\ncat\nbad {slot}\nhorse\nwolf # allow: nothing\n".into(),
    });
    let effects = desk.take(Ok(state(&disk)));
    follow(&mut desk, effects);
    assert_eq!(desk.found().filter(|f| f.rule == Rule::BadTerm).count(), 2);
    pane.side.shows = Side::Findings;
    act(&mut pane, &mut desk, Action::NextArea);
    assert!(drawn(&mut pane, &desk, 80, 24, ColourLevel::Mono).contains("findings: 2 errors"));
    act(&mut pane, &mut desk, Action::Bottom);
    act(&mut pane, &mut desk, Action::Open);
    assert_eq!(
        (pane.current(), pane.entry().unwrap().text.as_str()),
        (Some("animal"), "wolf")
    );
    let shown = drawn(&mut pane, &desk, 80, 24, ColourLevel::True);
    assert!(
        shown.contains(" ! ") || shown.contains("!animal"),
        "{shown}"
    );
    act(&mut pane, &mut desk, Action::Top);
    act(&mut pane, &mut desk, Action::NextFinding);
    assert_eq!(
        pane.entry().unwrap().text,
        "horse",
        "a line without a term is met at the next one"
    );
}

#[test]
fn styles_are_switched_here_and_worded_elsewhere() {
    let (mut desk, mut pane) = at(STYLE);
    assert_eq!(pane.current(), Some(STYLE));
    act(&mut pane, &mut desk, Action::ToggleTerm);
    assert!(!desk.session().edited().enabled(STYLE).contains(&"woodcut"));
    act(&mut pane, &mut desk, Action::Down);
    let effects = act(&mut pane, &mut desk, Action::RenameTerm);
    assert!(
        matches!(&effects[..], [_, Effect::Jump { file, line, .. }] if file == "styles.toml" && *line > 0),
        "{effects:?}"
    );
}

#[test]
fn every_state_is_drawn_at_every_size() {
    let look = Look::new(&Theme::shipped("dark").unwrap(), ColourLevel::True, false);
    let mut failed = EditSession::new();
    failed.take(Err(Error::input("the owner is gone")));
    let mut empty = EditSession::new();
    empty.take(Ok(state(&benchtop_compose::metadata::Metadata::default())));
    let (full, _) = at("animal");
    for (desk, says) in [
        (&EditSession::new(), "Loading"),
        (&failed, "the owner is gone"),
        (&empty, "Nothing here yet"),
    ] {
        let mut pane = VocabularyPane::new();
        assert!(drawn(&mut pane, desk, 80, 24, ColourLevel::True).contains(says));
        assert!(refused(&pane.act(Action::AddTerm, &mut desk.clone())).contains("no vocabulary"));
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
