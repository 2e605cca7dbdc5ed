use super::*;
use crate::keymap::{Lookup, Press};
use benchtop_model::config::Reason;
use benchtop_model::{Judgement, Seen};

const FILE: &str = "keys.toml";

fn reasons() -> Vec<Reason> {
    ["wrong-answer", "low-quality", "other"]
        .map(|k| Reason {
            key: k.into(),
            label: k.into(),
        })
        .to_vec()
}

fn taken(text: &str) -> Keymap {
    let reasons = reasons();
    let known = Known {
        project: "kites",
        reasons: &reasons,
    };
    read(text, Path::new(FILE), Some(&known))
        .map(|(keymap, _)| keymap)
        .unwrap()
}

/// The errors of a key file as `line field:` and the names quoted in the message. Each error must
/// have help and the file's name.
fn refused(text: &str) -> Vec<String> {
    let reasons = reasons();
    let known = Known {
        project: "kites",
        reasons: &reasons,
    };
    let problems = read(text, Path::new(FILE), Some(&known)).unwrap_err();
    let line = |p: &Error| {
        assert_eq!(p.place.file.as_deref(), Some(Path::new(FILE)), "{p}");
        assert!(
            p.help.as_ref().is_some_and(|h| !h.is_empty()),
            "no help: {p}"
        );
        let quoted: Vec<&str> = p.what.split('`').skip(1).step_by(2).collect();
        let (line, field) = (p.place.line.unwrap(), p.place.field.as_deref().unwrap());
        format!("{line} {field}: {}", quoted.join(" "))
            .trim_end()
            .to_string()
    };
    problems.iter().map(line).collect()
}

fn keys(text: &str) -> Vec<Press> {
    Chord::parse(text).unwrap().0
}

#[test]
fn action_names_are_unique_with_dashes_for_spaces() {
    let mut names: Vec<String> = Action::ALL.iter().map(|a| plain(a.name())).collect();
    names.sort();
    let all = names.len();
    names.dedup();
    assert_eq!(names.len(), all);
    assert!(!names.contains(&MACROS.to_string()));
    assert_eq!(action_named("first-item"), Some(Action::FirstItem));
    assert_eq!(action_named("edit in $EDITOR"), Some(Action::EditOutside));
}

#[test]
fn old_action_names_are_still_accepted() {
    use crate::action::OLD_NAMES;
    for (old, action) in OLD_NAMES {
        assert_eq!(action_named(old), Some(*action), "{old}");
    }
    let map = taken("how-sure = \"ctrl-e\"\n\"line left\" = [\"left\"]\n");
    assert_eq!(map.keys(Action::ShowInterval), ["ctrl-e"]);
    assert_eq!(map.keys(Action::ThresholdLeft), ["left"]);
    let twice = "how-sure = \"ctrl-e\"\nshow-interval = \"ctrl-g\"\n";
    assert!(refused(twice)[0].starts_with("2 show-interval: "));
}

#[test]
fn a_file_replaces_the_keys_of_the_actions_it_names() {
    let map = taken(
        "accept = \"y\"\nfirst-item = [\";\", \"home\"]\n\"next pending\" = \"\"\nsample = []\n",
    );
    let review = [Scope::Review, Scope::Global];
    assert_eq!(
        map.lookup(&review, &keys("y")),
        Lookup::Action(Action::Accept)
    );
    let elsewhere = vec![
        Action::SheetAccept,
        Action::AnswerA,
        Action::BoardCurated,
        Action::AddTerm,
        Action::AdjudicateAccept,
    ];
    assert_eq!(
        map.lookup(&review, &keys("a")),
        Lookup::Elsewhere(elsewhere)
    );
    assert_eq!(
        map.lookup(&review, &keys("x")),
        Lookup::Action(Action::Reject)
    );
    assert_eq!(map.keys(Action::FirstItem), [";", "home"]);
    assert_eq!(
        (map.hint(Action::NextPending), map.press(Action::Sample)),
        (String::new(), ":load sample".into())
    );
    assert!(map.keys(Action::Skip) == ["s"] && map.macros().is_empty());
}

#[test]
fn the_default_keys_round_trip_through_a_file() {
    let line = |a: &Action| format!("\"{}\" = {:?}\n", a.name(), a.keys());
    let text: String = Action::ALL.iter().map(line).collect();
    let map = taken(&text);
    for action in Action::ALL {
        assert_eq!(map.keys(*action), action.keys(), "{}", action.name());
    }
}

#[test]
fn all_errors_are_reported_with_line_and_field() {
    let text = "acept = \"y\"\nreject = \"ctrl-i\"\nskip = 7\nflag = [\"f\", \"abc\"]\nnext = [\"n\", \"n\"]\nmacros = 1\n";
    assert_eq!(
        refused(text),
        [
            "1 acept:",
            "2 reject: ctrl-i tab",
            "3 skip:",
            "4 flag: abc",
            "5 next: n",
            "6 macros:",
        ]
    );
    let problems = read("accept = ", Path::new(FILE), None).unwrap_err();
    assert_eq!((problems.len(), problems[0].place.line), (1, Some(1)));
    let problems = read("acept = \"y\"\n", Path::new(FILE), None).unwrap_err();
    assert!(problems[0].help.as_ref().unwrap().contains("`accept`"));
    assert_eq!(
        refused("\"first item\" = \";\"\nfirst-item = \"1\"\n"),
        ["2 first-item: first item"]
    );
}

#[test]
fn two_actions_on_one_key_conflict_while_both_are_active() {
    // In one scope, with an action that the file does not mention.
    assert_eq!(refused("\naccept = \"x\"\n"), ["2 accept: x reject accept"]);
    assert_eq!(refused("skip = \"g\"\n"), ["1 skip: g skip gg first item"]);
    // A nearer scope hides a farther one: reported at the line that causes it.
    assert_eq!(refused("accept = \"u\"\n"), ["1 accept: u accept u undo"]);
    assert_eq!(
        refused("undo = \"a\"\n").len(),
        6,
        "hidden in Review, Contact sheet, Answers, Board, Vocabulary, and Adjudicate"
    );
    assert_eq!(
        refused("down = \"n\"\n").len(),
        5,
        "hidden by Answers, Metadata, Generate, Filters, and Rounds"
    );
    // Not active at the same time.
    taken("accept = \"|\"\n");
    // Both keys moved.
    taken("accept = \"u\"\nundo = \"ctrl-w\"\n");
    taken("accept = \"x\"\nreject = \"a\"\n");
}

#[test]
fn keys_hidden_by_the_defaults_are_no_conflict() {
    // `-` hides a column in tables and removes a threshold in Filters.
    taken("remove-line = [\"-\", \"ctrl-w\"]\nhide = \"-\"\n");
}

#[test]
fn typing_keys_cannot_be_remapped() {
    for text in [
        "close = \"x\"",
        "take = \"space\"",
        "stop-typing = \"q\"",
        "line-down = \"backspace\"",
        "mark = \"ctrl-u\"",
        "save-text = \"ctrl-a\"",
        "find-again = \"left\"",
        "cut-text = \"enter\"",
    ] {
        let said = refused(text);
        assert!(
            said.len() == 1 && said[0].starts_with("1 "),
            "{text}: {said:?}"
        );
    }
    for name in ["close", "confirm", "stop-typing"] {
        assert_eq!(refused(&format!("{name} = []")), [format!("1 {name}:")]);
        assert_eq!(refused(&format!("{name} = \"\"")), [format!("1 {name}:")]);
    }
    let map = taken("close = [\"esc\", \"ctrl-g\"]\n");
    assert_eq!(
        map.lookup(&[Scope::Overlay], &keys("ctrl-g")),
        Lookup::Action(Action::MenuCancel)
    );
}

#[test]
fn reserved_keys_and_escape_sequence_remnants_are_refused() {
    for text in [
        "accept = \"ctrl-c\"",
        "help = \"ctrl-z\"",
        "accept = \"A\"",
        "reject = \"[x\"",
        "undo-text = \"ctrl-z\"",
    ] {
        assert_eq!(refused(text).len(), 1, "{text}");
    }
    taken("help = \"A\"\n");
    assert_eq!(taken("quit = \"Q\"\n").keys(Action::Quit), ["Q", "ctrl-c"]);
}

#[test]
fn a_key_that_the_terminal_may_intercept_is_a_warning() {
    let (_, notes) = read(
        "accept = \"ctrl-b\"\nskip = \"shift-home\"\nflag = \"y\"\n",
        Path::new(FILE),
        None,
    )
    .unwrap();
    let found: Vec<_> = notes
        .iter()
        .map(|note| (note.place.line, note.place.field.as_deref()))
        .collect();
    assert_eq!(found, [(Some(1), Some("accept")), (Some(2), Some("skip"))]);
    assert!(notes[0].what.contains("`ctrl-b`"), "{}", notes[0]);
}

#[test]
fn a_macro_gives_verdict_reasons_and_note() {
    let map = taken(
        "[macros]\nwrong = { key = \"W\", verdict = \"reject\", reasons = [\"wrong-answer\"], note = \" #key checked \" }\n\
         fine = { key = \"gQ\", verdict = \"accept\" }\nelse = { key = \"W\", verdict = \"skip\", project = \"owls\" }\n",
    );
    let review = [Scope::Review, Scope::Global];
    let Lookup::Macro(at) = map.lookup(&review, &keys("W")) else {
        panic!("no macro")
    };
    let made = &map.macros()[at];
    assert_eq!(made.help(), "reject: wrong-answer “#key checked”");
    let judged = made.judgement(Judgement {
        ms: Some(7),
        ..Judgement::new(Verdict::Skip, Seen::Painted)
    });
    assert_eq!(
        (judged.verdict, judged.ms, judged.reasons),
        (Verdict::Reject, Some(7), vec!["wrong-answer".to_string()])
    );
    assert_eq!(judged.note.as_deref(), Some("#key checked"));
    let pending = map.lookup(&review, &keys("g"));
    assert!(matches!(pending, Lookup::Pending(p) if p.contains(&("gQ".into(), "fine".into()))));
    assert_eq!(
        map.macros().len(),
        2,
        "macros of other projects are left out"
    );
    assert_eq!(
        map.lookup(&[Scope::Table, Scope::Global], &keys("W")),
        Lookup::Elsewhere(vec![Action::TermRules])
    );
}

#[test]
fn a_wrong_macro_reports_its_field() {
    for (entry, said) in [
        (
            "m = { key = \"a\", verdict = \"skip\" }",
            "macros.m.key: a accept m",
        ),
        (
            "m = { key = \"u\", verdict = \"skip\" }",
            "macros.m.key: u m u undo",
        ),
        (
            "m = { key = \"W\", verdict = \"maybe\" }",
            "macros.m.verdict:",
        ),
        (
            "m = { key = \"W\", verdict = \"answer\" }",
            "macros.m.verdict:",
        ),
        ("m = { verdict = \"skip\" }", "macros.m: key"),
        ("m = { key = \"W\" }", "macros.m: verdict"),
        (
            "m = { key = [\"W\", \"V\"], verdict = \"skip\" }",
            "macros.m.key:",
        ),
        (
            "m = { key = \"W\", verdict = \"skip\", colour = 1 }",
            "macros.m.colour: colour",
        ),
        (
            "m = { key = \"W\", verdict = \"skip\", note = 1 }",
            "macros.m.note:",
        ),
        (
            "m = { key = \"W\", verdict = \"reject\" }",
            "macros.m.reasons:",
        ),
        (
            "m = { key = \"W\", verdict = \"reject\", reasons = [\"wrong\"] }",
            "macros.m.reasons: wrong kites",
        ),
        (
            "m = { key = \"W\", verdict = \"reject\", reasons = [\"other\"] }",
            "macros.m.reasons: other",
        ),
        (
            "m = { key = \"W\", verdict = \"accept\", reasons = [\"low-quality\"] }",
            "macros.m.reasons: reject",
        ),
        (
            "m = { key = \"W\", verdict = \"fix\" }",
            "macros.m.reasons:",
        ),
        (
            "m = { key = \"W\", verdict = \"reject\", reasons = \"x\" }",
            "macros.m.reasons:",
        ),
        ("m = { key = \"D\", verdict = \"skip\" }", "macros.m.key: D"),
        ("m = 1", "macros.m:"),
        (
            "accept = { key = \"W\", verdict = \"accept\" }",
            "macros.accept:",
        ),
    ] {
        assert_eq!(
            refused(&format!("[macros]\n{entry}\n")),
            [format!("2 {said}")],
            "{entry}"
        );
    }
    // Without a project, reasons are not checked.
    let text = "[macros]\nm = { key = \"W\", verdict = \"reject\", reasons = [\"wrong\"] }\n";
    assert!(read(text, Path::new(FILE), None).is_ok());
}

#[test]
fn the_environment_determines_the_key_file() {
    let of = |vars: &[(&str, &str)]| {
        path(
            &vars
                .iter()
                .map(|(k, v)| (k.to_string(), v.to_string()))
                .collect(),
        )
    };
    assert_eq!(
        of(&[("HOME", "/home/ann")]),
        Some("/home/ann/.config/benchtop/keys.toml".into())
    );
    assert_eq!(
        of(&[("HOME", "/h"), ("XDG_CONFIG_HOME", "/c")]),
        Some("/c/benchtop/keys.toml".into())
    );
    assert_eq!(
        of(&[("HOME", "/h"), ("XDG_CONFIG_HOME", "c")]),
        Some("/h/.config/benchtop/keys.toml".into())
    );
    assert_eq!(
        of(&[("HOME", "/h"), (KEYS_VARIABLE, "k.toml")]),
        Some("k.toml".into())
    );
    assert_eq!(
        (of(&[("HOME", "/h"), (KEYS_VARIABLE, "")]), of(&[])),
        (None, None)
    );
    let gone = [(KEYS_VARIABLE.to_string(), "/nowhere/keys.toml".to_string())].into();
    assert_eq!(load(&gone, None).unwrap_err()[0].kind, ErrorKind::NotFound);
    let none = [("HOME".to_string(), "/nowhere".to_string())].into();
    assert!(load(&none, None).unwrap().file.is_none());
}

#[test]
fn the_scopes_of_every_pane_are_checked_together() {
    let panes = crate::panes::registry::Panes::default();
    for (id, pane) in panes.all() {
        assert!(
            pane.scopes().is_none() && !id.info().live.is_empty(),
            "{id:?}"
        );
    }
    let named: std::collections::HashSet<Scope> = live::sets().flatten().copied().collect();
    assert!(Action::ALL.iter().all(|a| named.contains(&a.scope())));
}
