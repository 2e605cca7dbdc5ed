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

/// What is said of a file, as `line field: what`; each with help and the file's name.
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
        format!(
            "{} {}: {}",
            p.place.line.unwrap(),
            p.place.field.as_deref().unwrap(),
            p.what
        )
    };
    problems.iter().map(line).collect()
}

fn keys(text: &str) -> Vec<Press> {
    Chord::parse(text).unwrap().0
}

#[test]
fn names_of_actions_are_unique_with_dashes_for_blanks() {
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
fn a_file_replaces_the_keys_of_what_it_names_and_leaves_the_rest() {
    let map = taken(
        "accept = \"y\"\nfirst-item = [\";\", \"home\"]\n\"next pending\" = \"\"\nsample = []\n",
    );
    let review = [Scope::Review, Scope::Global];
    assert_eq!(
        map.lookup(&review, &keys("y")),
        Lookup::Action(Action::Accept)
    );
    let elsewhere = vec![
        Action::AnswerA,
        Action::BoardCurated,
        Action::AddTerm,
        Action::SettleAccept,
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
        (String::new(), ":sample".into())
    );
    assert!(map.keys(Action::Skip) == ["s"] && map.macros().is_empty());
}

#[test]
fn the_default_keys_written_out_are_taken_as_they_are() {
    let line = |a: &Action| format!("\"{}\" = {:?}\n", a.name(), a.keys());
    let text: String = Action::ALL.iter().map(line).collect();
    let map = taken(&text);
    for action in Action::ALL {
        assert_eq!(map.keys(*action), action.keys(), "{}", action.name());
    }
}

#[test]
fn what_cannot_be_read_is_told_with_line_and_field_all_at_once() {
    let text = "acept = \"y\"\nreject = \"ctrl-i\"\nskip = 7\nflag = [\"f\", \"abc\"]\nnext = [\"n\", \"n\"]\nmacros = 1\n";
    assert_eq!(
        refused(text),
        [
            "1 acept: no action is called so",
            "2 reject: `ctrl-i` cannot be typed in every terminal: it sends what `tab` sends",
            "3 skip: must be a key in quotes, or a list of keys",
            "4 flag: `abc` names no key",
            "5 next: `n` is given twice",
            "6 macros: must be a table of macros",
        ]
    );
    let problems = read("accept = ", Path::new(FILE), None).unwrap_err();
    assert_eq!((problems.len(), problems[0].place.line), (1, Some(1)));
    let problems = read("acept = \"y\"\n", Path::new(FILE), None).unwrap_err();
    assert_eq!(
        problems[0].help.as_deref(),
        Some("is it `accept`? `benchtop keys` lists every action")
    );
    assert!(
        refused("\"first item\" = \";\"\nfirst-item = \"1\"\n")[0].contains("its keys already")
    );
}

#[test]
fn two_actions_on_one_key_are_refused_where_both_are_live() {
    // In one scope, with an action that the file leaves alone.
    assert_eq!(
        refused("\naccept = \"x\"\n"),
        ["2 accept: `x` is claimed by `reject` and `accept`"]
    );
    assert_eq!(
        refused("skip = \"g\"\n"),
        ["1 skip: `g` of `skip` cannot be told from `gg` of `first item`"]
    );
    // A nearer scope that hides a farther one: told at the line that did it.
    assert_eq!(
        refused("accept = \"u\"\n"),
        ["1 accept: `u` of `accept` hides `u` of `undo`: both are live at once"]
    );
    assert_eq!(
        refused("undo = \"a\"\n").len(),
        5,
        "in the review, among answers, boards, vocabularies and disputes"
    );
    assert_eq!(
        refused("down = \"n\"\n").len(),
        5,
        "hidden by answers, metadata, jobs, filters and rounds"
    );
    // Not live at once: free.
    taken("accept = \"w\"\n");
    // Both moved: free again.
    taken("accept = \"u\"\nundo = \"ctrl-w\"\n");
    taken("accept = \"x\"\nreject = \"a\"\n");
}

#[test]
fn what_the_default_keys_hide_on_purpose_is_no_clash() {
    // `-` hides a column in tables and takes a line away on the filter bench.
    taken("remove-line = [\"-\", \"ctrl-w\"]\nhide = \"-\"\n");
}

#[test]
fn typing_is_never_remapped_away() {
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
            said.len() == 1 && said[0].contains("is part of typing a text"),
            "{text}: {said:?}"
        );
    }
    for text in ["close = []", "take = \"\"", "stop-typing = []"] {
        assert!(refused(text)[0].contains("nobody comes out of"), "{text}");
    }
    let map = taken("close = [\"esc\", \"ctrl-g\"]\n");
    assert_eq!(
        map.lookup(&[Scope::Overlay], &keys("ctrl-g")),
        Lookup::Action(Action::MenuCancel)
    );
}

#[test]
fn what_always_means_the_same_and_what_half_an_arrow_leaves_are_kept_free() {
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
fn a_key_that_others_may_take_is_noted() {
    let (_, notes) = read(
        "accept = \"ctrl-b\"\nskip = \"shift-home\"\nflag = \"y\"\n",
        Path::new(FILE),
        None,
    )
    .unwrap();
    let said: Vec<String> = notes.iter().map(ToString::to_string).collect();
    assert_eq!(said.len(), 2);
    assert!(
        said[0].starts_with("keys.toml:1: field `accept`: `ctrl-b`: tmux takes"),
        "{said:?}"
    );
    assert!(
        said[1].contains("many terminals scroll back with it"),
        "{said:?}"
    );
}

#[test]
fn a_macro_gives_verdict_reasons_and_note() {
    let map = taken(
        "[macros]\nwrong = { key = \"W\", verdict = \"reject\", reasons = [\"wrong-answer\"], note = \" #key checked \" }\n\
         fine = { key = \"gy\", verdict = \"accept\" }\nelse = { key = \"W\", verdict = \"skip\", project = \"owls\" }\n",
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
    assert!(matches!(pending, Lookup::Pending(p) if p.contains(&("gy".into(), "fine".into()))));
    assert_eq!(
        map.macros().len(),
        2,
        "the one of another project is not taken"
    );
    assert_eq!(
        map.lookup(&[Scope::Table, Scope::Global], &keys("W")),
        Lookup::Elsewhere(vec![Action::TermRules])
    );
}

#[test]
fn a_wrong_macro_is_told_where_it_is_wrong() {
    for (entry, said) in [
        (
            "m = { key = \"a\", verdict = \"skip\" }",
            "macros.m.key: `a` is claimed by `accept` and `m`",
        ),
        (
            "m = { key = \"u\", verdict = \"skip\" }",
            "macros.m.key: `u` of `m` hides `u` of `undo`: both are live at once",
        ),
        (
            "m = { key = \"W\", verdict = \"maybe\" }",
            "macros.m.verdict: no verdict that a macro can give",
        ),
        (
            "m = { key = \"W\", verdict = \"answer\" }",
            "macros.m.verdict: no verdict that a macro can give",
        ),
        ("m = { verdict = \"skip\" }", "macros.m: it has no key"),
        ("m = { key = \"W\" }", "macros.m: it gives no verdict"),
        (
            "m = { key = [\"W\", \"V\"], verdict = \"skip\" }",
            "macros.m.key: must be one key",
        ),
        (
            "m = { key = \"W\", verdict = \"skip\", colour = 1 }",
            "macros.m.colour: a macro has no `colour`",
        ),
        (
            "m = { key = \"W\", verdict = \"skip\", note = 1 }",
            "macros.m.note: must be a text of one line",
        ),
        (
            "m = { key = \"W\", verdict = \"reject\" }",
            "macros.m.reasons: a rejection needs a reason",
        ),
        (
            "m = { key = \"W\", verdict = \"reject\", reasons = [\"wrong\"] }",
            "macros.m.reasons: `wrong` is not a reason of the project `kites`",
        ),
        (
            "m = { key = \"W\", verdict = \"reject\", reasons = [\"other\"] }",
            "macros.m.reasons: `other` says nothing without a note",
        ),
        (
            "m = { key = \"W\", verdict = \"accept\", reasons = [\"low-quality\"] }",
            "macros.m.reasons: only a rejection has reasons",
        ),
        (
            "m = { key = \"W\", verdict = \"fix\" }",
            "macros.m.reasons: what is to be fixed is said in the note",
        ),
        (
            "m = { key = \"W\", verdict = \"reject\", reasons = \"x\" }",
            "macros.m.reasons: must be a list of reasons",
        ),
        (
            "m = { key = \"D\", verdict = \"skip\" }",
            "macros.m.key: `D` can be what a slow line leaves of an arrow key, so nothing that changes an item may stand on it",
        ),
        ("m = 1", "macros.m: must be a macro"),
        (
            "accept = { key = \"W\", verdict = \"accept\" }",
            "macros.accept: an action is called so",
        ),
    ] {
        assert_eq!(
            refused(&format!("[macros]\n{entry}\n")),
            [format!("2 {said}")],
            "{entry}"
        );
    }
    // Where the project is not known its reasons are not either.
    let text = "[macros]\nm = { key = \"W\", verdict = \"reject\", reasons = [\"wrong\"] }\n";
    assert!(read(text, Path::new(FILE), None).is_ok());
}

#[test]
fn the_file_is_where_the_environment_says() {
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
        of(&[("HOME", "/h"), (ELSEWHERE, "k.toml")]),
        Some("k.toml".into())
    );
    assert_eq!(
        (of(&[("HOME", "/h"), (ELSEWHERE, "")]), of(&[])),
        (None, None)
    );
    let gone = [(ELSEWHERE.to_string(), "/nowhere/keys.toml".to_string())].into();
    assert_eq!(load(&gone, None).unwrap_err()[0].kind, ErrorKind::NotFound);
    let none = [("HOME".to_string(), "/nowhere".to_string())].into();
    assert!(load(&none, None).unwrap().file.is_none());
}

#[test]
fn every_panes_scopes_are_among_those_that_are_checked_together() {
    let panes = [
        crate::panes::list::ListPane::new().scopes(),
        crate::panes::filters::FiltersPane::new().scopes(),
        crate::panes::generate::GeneratePane::new().scopes(),
    ];
    for scopes in panes {
        assert!(live::LIVE.contains(&scopes), "{scopes:?}");
    }
    let named: std::collections::HashSet<Scope> =
        live::LIVE.iter().flat_map(|s| s.iter().copied()).collect();
    assert!(Action::ALL.iter().all(|a| named.contains(&a.scope())));
}
