use super::rules::RuleKind;
use super::*;
use crate::pane::recorder::Recorder;
use crate::pane::testing::{self, lines, only, recorder, refused, request as asked_for};
use crate::pane::{Effect, PaneId, Target};
use crate::panes::metadata::preview::compute;
use crate::panes::metadata::session::tests::state;
use crate::panes::metadata::worker::Done;
use crate::panes::metadata::{Place, Side};
use crate::theme::{Look, Theme};
use benchtop_compose::fixtures::small;
use benchtop_compose::metadata::Metadata;
use benchtop_model::usage::Tally;
use benchtop_model::{ColorLevel, Error, MetaFile, Rule, Status};
use benchtop_protocol::wire::{AnyRequest, request};

/// A pane over the small metadata, with the focus on the terms of `name`.
fn at(name: &str) -> (Recorder, VocabularyPane) {
    let (rec, mut pane) = (recorder(), VocabularyPane::default());
    assert!(matches!(only(rec.open(&mut pane)), Effect::ReadMetadata));
    read(&rec, &mut pane, &small());
    go(&rec, &mut pane, &file_of(name), 1);
    (rec, pane)
}

/// Reads these files.
fn read(rec: &Recorder, pane: &mut VocabularyPane, disk: &Metadata) {
    rec.metadata.borrow_mut().on_state(Ok(state(disk)));
    settle(rec);
    rec.notify(pane, Notice::Metadata);
    settle(rec);
}

/// Makes the wanted preview, as the program would.
fn settle(rec: &Recorder) {
    let mut metadata = rec.metadata.borrow_mut();
    if let Some(r) = metadata.take_wanted() {
        let preview = compute(&r.base, &r.edited, &r.selection, r.seed);
        assert!(metadata.preview(Done {
            ticket: r.ticket,
            preview
        }));
    }
}

fn go(rec: &Recorder, pane: &mut VocabularyPane, file: &str, line: u32) {
    rec.call(pane, |pane, cx| assert!(pane.jump(file, line, cx)));
    settle(rec);
}

fn act(rec: &Recorder, pane: &mut VocabularyPane, action: Action) -> Vec<Effect> {
    let effects = rec.act(pane, action);
    settle(rec);
    effects
}

/// Submits a text to a prompt.
fn submit(
    rec: &Recorder,
    pane: &mut VocabularyPane,
    prompt: Vec<Effect>,
    text: &str,
) -> Vec<Effect> {
    let effects = rec.write(pane, &mut only(prompt), text).unwrap();
    settle(rec);
    effects
}

/// Runs an action and submits a text to its prompt.
fn write(rec: &Recorder, pane: &mut VocabularyPane, action: Action, text: &str) -> Vec<Effect> {
    let prompt = act(rec, pane, action);
    assert!(matches!(&prompt[..], [Effect::Prompt(..)]), "{prompt:?}");
    submit(rec, pane, prompt, text)
}

/// Submits a text that the prompt refuses.
fn wrongly(rec: &Recorder, pane: &mut VocabularyPane, action: Action, text: &str) {
    let mut prompt = only(act(rec, pane, action));
    assert!(rec.write(pane, &mut prompt, text).is_err(), "{text}");
}

fn replace(rec: &Recorder, pane: &mut VocabularyPane, from: &str, to: &str) -> Vec<Effect> {
    let prompt = write(rec, pane, Action::ReplaceText, from);
    submit(rec, pane, prompt, to)
}

/// Shows the terms of this line of the menu.
fn show(rec: &Recorder, pane: &mut VocabularyPane, pick: usize) {
    let mut menu = only(act(rec, pane, Action::ShowTerms));
    assert!(rec.choose(pane, &mut menu, pick).is_empty());
}

fn text(rec: &Recorder, name: &str) -> String {
    let metadata = rec.metadata.borrow();
    metadata.session().text(&file_of(name)).unwrap().to_string()
}

fn unchanged(rec: &Recorder) -> bool {
    rec.metadata.borrow().session().changed().is_empty()
}

fn drawn(
    rec: &Recorder,
    pane: &mut VocabularyPane,
    width: u16,
    height: u16,
    level: ColorLevel,
) -> String {
    testing::drawn(rec, pane, (width, height), level)
}

#[test]
fn terms_are_added_renamed_disabled_moved_and_removed() {
    let (rec, mut pane) = at("color");
    act(&rec, &mut pane, Action::Down);
    write(&rec, &mut pane, Action::AddTerm, " green ");
    assert_eq!(
        (text(&rec, "color"), pane.entry().unwrap().text.clone()),
        ("red\ngreen\nblue\nwhite\n".to_string(), "green".to_string())
    );
    act(&rec, &mut pane, Action::TermUp);
    assert_eq!(
        (text(&rec, "color"), pane.entry().unwrap().text.clone()),
        ("green\nred\nblue\nwhite\n".to_string(), "green".to_string())
    );
    act(&rec, &mut pane, Action::TermDown);
    let prompt = act(&rec, &mut pane, Action::Open);
    assert!(matches!(&prompt[..], [Effect::Prompt(prompt, _)] if prompt.value() == "green"));
    submit(&rec, &mut pane, prompt, "teal");
    act(&rec, &mut pane, Action::ToggleTerm);
    assert_eq!(text(&rec, "color"), "red\n#- teal\nblue\nwhite\n");
    act(&rec, &mut pane, Action::ToggleTerm);
    act(&rec, &mut pane, Action::RemoveTerm);
    assert_eq!(text(&rec, "color"), "red\nblue\nwhite\n");
    for _ in 0..7 {
        act(&rec, &mut pane, Action::Undo);
    }
    assert!(unchanged(&rec));
    refused(&act(&rec, &mut pane, Action::Undo));
}

#[test]
fn a_vocabulary_is_created_and_undone() {
    let (rec, mut pane) = at("color");
    let before = pane.names.clone();
    for wrong in ["Color Wheel", "../x", "color"] {
        wrongly(&rec, &mut pane, Action::NewVocabulary, wrong);
    }
    assert!(unchanged(&rec));
    let mut effects = write(&rec, &mut pane, Action::NewVocabulary, " weather ");
    let first_term = effects.pop().unwrap();
    submit(&rec, &mut pane, vec![first_term], "fog");
    assert_eq!(text(&rec, "weather"), "# weather: one term per line\nfog\n");
    assert_eq!(pane.entry().unwrap().text, "fog");
    assert_eq!(rec.metadata.borrow().session().saves().len(), 1);
    act(&rec, &mut pane, Action::Undo);
    act(&rec, &mut pane, Action::Undo);
    assert_eq!(pane.names, before);
    assert!(
        rec.metadata.borrow().session().saves().is_empty(),
        "no empty file is saved"
    );
    act(&rec, &mut pane, Action::Redo);
    assert!(pane.names.contains(&"weather".to_string()));
}

#[test]
fn undo_goes_to_the_change() {
    let (rec, mut pane) = at("color");
    go(&rec, &mut pane, "vocabularies/color.txt", 3);
    write(&rec, &mut pane, Action::RenameTerm, "ivory");
    go(&rec, &mut pane, "vocabularies/animal.txt", 1);
    act(&rec, &mut pane, Action::Undo);
    assert_eq!(
        (pane.current(), pane.entry().unwrap().text.as_str()),
        (Some("color"), "white")
    );
    go(&rec, &mut pane, "vocabularies/animal.txt", 1);
    act(&rec, &mut pane, Action::Redo);
    assert_eq!(
        (pane.current(), pane.entry().unwrap().text.as_str()),
        (Some("color"), "ivory")
    );
}

#[test]
fn invalid_edits_are_refused_and_change_nothing() {
    let (rec, mut pane) = at("color");
    wrongly(&rec, &mut pane, Action::AddTerm, "RED");
    wrongly(&rec, &mut pane, Action::RenameTerm, "a {slot}");
    wrongly(&rec, &mut pane, Action::ReplaceText, "");
    let prompt = write(&rec, &mut pane, Action::ReplaceText, "zebra");
    let why = rec.write(&mut pane, &mut only(prompt), "x").unwrap_err();
    assert!(why.contains("zebra"));
    refused(&act(&rec, &mut pane, Action::TermUp));
    assert!(unchanged(&rec));
}

/// The small metadata with another first line in a vocabulary.
fn with_line(name: &str, line: &str) -> Metadata {
    let (mut metadata, name) = (small(), file_of(name));
    let text = format!("{line}\n{}", metadata.text(&name).unwrap());
    metadata.insert(MetaFile { name, text });
    metadata
}

#[test]
fn a_prompt_is_about_the_term_it_was_opened_on() {
    let typed = "crimson";
    for (action, expected) in [
        (Action::RenameTerm, "grey\ncrimson\nblue\nwhite\n"),
        (Action::AddTerm, "grey\ncrimson\nred\nblue\nwhite\n"),
    ] {
        let (rec, mut pane) = at("color");
        let prompt = act(&rec, &mut pane, action);
        // Meanwhile the file gets another first term.
        read(&rec, &mut pane, &with_line("color", "grey"));
        submit(&rec, &mut pane, prompt, typed);
        assert_eq!(text(&rec, "color"), expected, "{action:?}");
    }
    let (rec, mut pane) = at("color");
    let prompt = write(&rec, &mut pane, Action::ReplaceText, "re");
    read(&rec, &mut pane, &with_line("color", "grey"));
    submit(&rec, &mut pane, prompt, "b");
    assert_eq!(text(&rec, "color"), "grey\nbd\nblue\nwhite\n");
    // A menu too: the first term is moved, whatever is under the cursor now.
    let (rec, mut pane) = at("color");
    let mut menu = only(act(&rec, &mut pane, Action::MoveTerms));
    read(&rec, &mut pane, &with_line("color", "grey"));
    rec.choose(&mut pane, &mut menu, 0);
    settle(&rec);
    assert_eq!(text(&rec, "color"), "grey\nblue\nwhite\n");
    // The term is gone: the text stays in the prompt.
    let (rec, mut pane) = at("color");
    let mut prompt = only(act(&rec, &mut pane, Action::RenameTerm));
    act(&rec, &mut pane, Action::RemoveTerm);
    assert!(rec.write(&mut pane, &mut prompt, typed).is_err());
    assert_eq!(text(&rec, "color"), "blue\nwhite\n");
}

#[test]
fn several_terms_change_in_one_step() {
    let (rec, mut pane) = at("animal");
    for _ in 0..3 {
        act(&rec, &mut pane, Action::Select);
    }
    act(&rec, &mut pane, Action::ToggleTerm);
    assert_eq!(
        text(&rec, "animal"),
        "#- owl\n#- cat\n#- horse\nsalmon\nbeetle\nwolf\n"
    );
    assert_eq!(pane.marked().len(), 3, "they stay selected");
    let mut menu = only(act(&rec, &mut pane, Action::MoveTerms));
    let names: Vec<&str> = lines(&menu).1.iter().map(|line| line.0).collect();
    assert_eq!(names, ["background", "color", "text"]);
    rec.choose(&mut pane, &mut menu, 1);
    settle(&rec);
    assert_eq!(
        text(&rec, "color"),
        "red\nblue\nwhite\n#- owl\n#- cat\n#- horse\n"
    );
    assert_eq!(text(&rec, "animal"), "salmon\nbeetle\nwolf\n");
    act(&rec, &mut pane, Action::Undo);
    act(&rec, &mut pane, Action::Undo);
    assert!(unchanged(&rec));
    replace(&rec, &mut pane, "l", "L");
    assert_eq!(
        text(&rec, "animal"),
        "owL\ncat\nhorse\nsaLmon\nbeetLe\nwoLf\n"
    );
}

#[test]
fn search_and_filters_narrow_the_terms_and_back_shows_all() {
    let (rec, mut pane) = at("animal");
    write(&rec, &mut pane, Action::Find, "L");
    assert_eq!(
        pane.entries
            .iter()
            .map(|e| e.text.as_str())
            .collect::<Vec<_>>(),
        ["owl", "salmon", "beetle", "wolf"]
    );
    refused(&act(&rec, &mut pane, Action::TermDown));
    act(&rec, &mut pane, Action::Down);
    act(&rec, &mut pane, Action::ToggleTerm);
    assert!(
        text(&rec, "animal").contains("#- salmon\n"),
        "the visible term changes"
    );
    act(&rec, &mut pane, Action::Back);
    assert!(act(&rec, &mut pane, Action::ToggleSidebar).is_empty());
    for (pick, left) in [(1, vec!["salmon"]), (2, vec![]), (3, vec!["salmon"])] {
        show(&rec, &mut pane, pick);
        assert_eq!(
            pane.entries
                .iter()
                .map(|e| e.text.as_str())
                .collect::<Vec<_>>(),
            left,
            "{pick}"
        );
    }
    show(&rec, &mut pane, 2);
    assert!(pane.entries.is_empty());
    act(&rec, &mut pane, Action::Back);
    assert_eq!(pane.entries.len(), 6);
    act(&rec, &mut pane, Action::Back);
    assert!(matches!(
        &act(&rec, &mut pane, Action::Back)[..],
        [Effect::Open(Target::Review)]
    ));
}

#[test]
fn a_term_just_written_stays_visible() {
    let (rec, mut pane) = at("animal");
    write(&rec, &mut pane, Action::Find, "salmon");
    write(&rec, &mut pane, Action::RenameTerm, "trout");
    assert_eq!(
        pane.entry().unwrap().text,
        "trout",
        "the search does not match its new name"
    );
    write(&rec, &mut pane, Action::Find, "owl");
    assert_eq!(pane.entries.len(), 1);
}

#[test]
fn keys_pressed_while_the_metadata_loads_count() {
    for (keys, wanted) in [
        (&[Action::Down, Action::Down][..], "color"),
        (&[Action::Bottom], STYLE),
    ] {
        let (rec, mut pane) = (recorder(), VocabularyPane::default());
        rec.open(&mut pane);
        for key in keys {
            act(&rec, &mut pane, *key);
        }
        read(&rec, &mut pane, &small());
        assert_eq!(pane.current(), Some(wanted));
    }
}

#[test]
fn the_preview_follows_the_vocabulary_and_the_edit() {
    let (rec, mut pane) = at("animal");
    act(&rec, &mut pane, Action::Back);
    let asked = only(rec.act(&mut pane, Action::Down));
    assert_eq!(pane.current(), Some("background"));
    assert!(
        matches!(asked_for(&asked), AnyRequest::Terms(request::Terms(name)) if name == "background")
    );
    let wanted = rec.metadata.borrow_mut().take_wanted().unwrap();
    assert_eq!(wanted.selection, Selection::Vocabulary("background".into()));
    let (rec, mut pane) = at("animal");
    pane.go_to_line(4);
    act(&rec, &mut pane, Action::RemoveTerm);
    let shown = drawn(&rec, &mut pane, 160, 40, ColorLevel::True);
    assert!(shown.contains("gone: animal `salmon`"), "{shown}");
    assert!(shown.contains("vocabularies/animal.txt"), "{shown}");
}

const RULES: &str = "compatibility.toml";

fn rules(rec: &Recorder) -> String {
    let metadata = rec.metadata.borrow();
    metadata
        .session()
        .text(RULES)
        .unwrap_or_default()
        .to_string()
}

/// Chooses the line of the rules menu that starts with `label`.
fn pick(rec: &Recorder, pane: &mut VocabularyPane, label: &str) -> Vec<Effect> {
    let mut menu = only(act(rec, pane, Action::TermRules));
    let at = lines(&menu)
        .1
        .iter()
        .position(|line| line.0.starts_with(label));
    let at = at.unwrap_or_else(|| panic!("no {label} in {menu:?}"));
    rec.choose(pane, &mut menu, at)
}

/// Adds a rule of this kind.
fn add(rec: &Recorder, pane: &mut VocabularyPane, kind: RuleKind, value: &str) -> Vec<Effect> {
    let prompt = pick(rec, pane, kind.about().0);
    submit(rec, pane, prompt, value)
}

#[test]
fn a_rule_is_added_previewed_followed_and_undone() {
    let (rec, mut pane) = at("animal");
    for wrong in [
        "",
        "by the sea",
        "background: by the see",
        "backgruond: by the sea",
        "animal: cat",
        "background:",
    ] {
        let prompt = pick(&rec, &mut pane, RuleKind::NotWith.about().0);
        assert!(
            rec.write(&mut pane, &mut only(prompt), wrong).is_err(),
            "{wrong}"
        );
        assert_eq!(rules(&rec), "", "{wrong}");
    }
    let value = "background: BY THE SEA, on a lawn";
    add(&rec, &mut pane, RuleKind::NotWith, value);
    assert!(rules(&rec).ends_with(
        "[[not-with]]\nanimal = [\"owl\"]\nbackground = [\"by the sea\", \"on a lawn\"]\n"
    ));
    let gone = |gone: &str| gone.contains("`owl`") && gone.contains("`by the sea`");
    let preview = rec.metadata.borrow().shown().cloned().unwrap();
    let excluded = |s: &crate::panes::metadata::preview::Shown| s.gone.as_deref().is_some_and(gone);
    assert!(preview.shown.iter().any(excluded), "{preview:?}");
    assert!(drawn(&rec, &mut pane, 160, 40, ColorLevel::True).contains("1 rule"));
    // The other side of the rule leads to the same line.
    go(&rec, &mut pane, "vocabularies/background.txt", 4);
    let effects = pick(&rec, &mut pane, "not with animal: owl");
    assert!(
        matches!(
            &effects[..],
            [Effect::Open(Target::Pane(PaneId::Templates))]
        ),
        "{effects:?}"
    );
    let goal = rec.metadata.borrow_mut().take_goal();
    assert!(matches!(goal, Some(Place { file, line: 3, .. }) if file == RULES));
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
        add(&rec, &mut pane, kind, said);
        assert!(rules(&rec).ends_with(wanted), "{}", rules(&rec));
    }
    add(&rec, &mut pane, RuleKind::Group, "place");
    assert!(
        rules(&rec).contains("[groups.background]\nplace = [\"by the sea\"]"),
        "{}",
        rules(&rec)
    );
    assert!(drawn(&rec, &mut pane, 160, 40, ColorLevel::True).contains("place, 4 rules"));
    write(&rec, &mut pane, Action::RenameTerm, "by the ocean");
    assert!(
        rules(&rec).contains("by the ocean") && !rules(&rec).contains("by the sea"),
        "{}",
        rules(&rec)
    );
    for _ in 0..6 {
        act(&rec, &mut pane, Action::Undo);
    }
    assert!(unchanged(&rec));
}

#[test]
fn term_usage_is_shown_once_it_arrives() {
    let (rec, mut pane) = at("color");
    assert!(drawn(&rec, &mut pane, 160, 30, ColorLevel::True).contains("…"));
    let mut items = Tally::default();
    (0..3).for_each(|_| items.add(Status::Accepted));
    items.add(Status::Rejected);
    let used = vec![TermUse {
        term: "blue".into(),
        items,
        answers: Tally::default(),
    }];
    let asked = only(rec.notify(&mut pane, Notice::Recount));
    assert!(
        rec.reply::<request::Terms>(&mut pane, asked, Ok(used))
            .is_empty()
    );
    let shown = drawn(&rec, &mut pane, 200, 30, ColorLevel::True);
    assert!(shown.contains("75 % of 4"), "{shown}");
    assert!(
        rec.open(&mut pane).is_empty(),
        "known usage is not requested again"
    );
    let asked = only(rec.notify(&mut pane, Notice::Recount));
    assert!(
        matches!(asked_for(&asked), AnyRequest::Terms(request::Terms(name)) if name == "color")
    );
    let failed = rec.reply::<request::Terms>(&mut pane, asked, Err(Error::input("gone")));
    assert!(refused(&failed).contains("gone"));
}

#[test]
fn findings_are_marked_and_enter_goes_to_the_term() {
    let (rec, mut pane) = at("color");
    let mut disk = small();
    disk.insert(MetaFile {
        name: file_of("animal"),
        text: "owl\ncat\nbad {slot}\nhorse\nwolf # allow: nothing\n".into(),
    });
    read(&rec, &mut pane, &disk);
    assert_eq!(
        rec.metadata
            .borrow()
            .found()
            .filter(|f| f.rule == Rule::BadTerm)
            .count(),
        2
    );
    pane.side.shows = Side::Findings;
    act(&rec, &mut pane, Action::NextArea);
    assert!(drawn(&rec, &mut pane, 80, 24, ColorLevel::Mono).contains("findings: 2 errors"));
    act(&rec, &mut pane, Action::Bottom);
    act(&rec, &mut pane, Action::Open);
    assert_eq!(
        (pane.current(), pane.entry().unwrap().text.as_str()),
        (Some("animal"), "wolf")
    );
    let shown = drawn(&rec, &mut pane, 80, 24, ColorLevel::True);
    assert!(
        shown.contains(" ! ") || shown.contains("!animal"),
        "{shown}"
    );
    act(&rec, &mut pane, Action::Top);
    act(&rec, &mut pane, Action::NextFinding);
    assert_eq!(
        pane.entry().unwrap().text,
        "horse",
        "a line without a term leads to the next term"
    );
}

#[test]
fn styles_are_switched_here_and_edited_as_text() {
    let (rec, mut pane) = at(STYLE);
    assert_eq!(pane.current(), Some(STYLE));
    act(&rec, &mut pane, Action::ToggleTerm);
    let styles = rec
        .metadata
        .borrow()
        .session()
        .edited()
        .enabled(STYLE)
        .join(" ");
    assert!(!styles.contains("woodcut"));
    act(&rec, &mut pane, Action::Down);
    let effects = act(&rec, &mut pane, Action::RenameTerm);
    assert!(
        matches!(
            &effects[..],
            [
                Effect::Say(_),
                Effect::Open(Target::Pane(PaneId::Templates))
            ]
        ),
        "{effects:?}"
    );
    let goal = rec.metadata.borrow_mut().take_goal();
    assert!(matches!(goal, Some(Place { file, line, .. }) if file == "styles.toml" && line > 0));
}

#[test]
fn the_key_of_the_empty_pane_creates_a_vocabulary() {
    let (rec, mut pane) = (recorder(), VocabularyPane::default());
    let look = Look::new(&Theme::shipped("mono").unwrap(), ColorLevel::Mono, true);
    let is_empty = |pane: &VocabularyPane| rec.with_scene(&look, |scene| pane.is_empty(scene));
    assert!(!is_empty(&pane), "the metadata is not here yet");
    let empty = Ok(state(&Metadata::default()));
    rec.metadata.borrow_mut().on_state(empty);
    assert!(is_empty(&pane));
    let mut prompt = only(act(&rec, &mut pane, Action::AddTerm));
    assert!(rec.write(&mut pane, &mut prompt, "../x").is_err());
    rec.write(&mut pane, &mut prompt, "tree").unwrap();
    assert!(!is_empty(&pane));
    assert_eq!(pane.names, ["tree"]);
    let mut prompt = only(act(&rec, &mut pane, Action::AddTerm));
    rec.write(&mut pane, &mut prompt, "oak").unwrap();
    let saves = rec.metadata.borrow().session().saves();
    assert_eq!(saves.len(), 1);
    assert!(drawn(&rec, &mut pane, 80, 24, ColorLevel::True).contains("oak"));
}

#[test]
fn every_state_is_drawn_at_every_size() {
    let failed = Err(Error::input("the owner is gone"));
    let empty = Ok(state(&Metadata::default()));
    for (files, says) in [
        (None, ""),
        (Some(failed), "the owner is gone"),
        (Some(empty), "metadata/vocabularies/"),
    ] {
        let (rec, mut pane) = (recorder(), VocabularyPane::default());
        if let Some(files) = files {
            rec.metadata.borrow_mut().on_state(files);
        }
        assert!(drawn(&rec, &mut pane, 80, 24, ColorLevel::True).contains(says));
        refused(&act(&rec, &mut pane, Action::RenameTerm));
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
            let (rec, mut pane) = at("animal");
            pane.side.shows = side;
            drawn(&rec, &mut pane, width, height, ColorLevel::True);
        }
    }
}
