use crossterm::event::KeyCode;

use super::*;
use crate::pane::recorder::Recorder;
use crate::pane::testing::{drawn, lines, only, recorder, refused, said};
use crate::pane::{CommandSetting, Effect};
use crate::widgets::toast::Severity;
use benchtop_model::ColorLevel;
use benchtop_model::export::{Existing, ExportFormat, ExportPlan, ExportReport};
use benchtop_model::import::Progress;

pub(super) fn rec() -> Recorder {
    let format = |name, is_file, has_pictures, takes_answers| ExportFormat {
        name,
        summary: "one item per line",
        is_file,
        has_pictures,
        takes_answers,
    };
    let mut rec = recorder();
    rec.commands = CommandSetting {
        export_formats: vec![
            format("dysca", true, false, false),
            format("jsonl", true, false, false),
            format("vlmevalkit", false, true, true),
        ],
        ..rec.commands
    };
    rec
}

pub(super) fn shown<P: Pane>(rec: &Recorder, pane: &mut P) -> String {
    drawn(rec, pane, (80, 20), ColorLevel::True)
}

pub(super) fn press<P: Pane>(rec: &Recorder, pane: &mut P, code: KeyCode) -> Vec<Effect> {
    rec.call(pane, |pane, cx| pane.key(KeyEvent::from(code), cx))
}

pub(super) fn write<P: Pane>(rec: &Recorder, pane: &mut P, text: &str) {
    for c in text.chars() {
        press(rec, pane, KeyCode::Char(c));
    }
}

/// The work among these effects.
#[track_caller]
pub(super) fn work(effects: Vec<Effect>) -> Effect {
    let is_work = |effect: &Effect| matches!(effect, Effect::Work(_));
    effects.into_iter().find(is_work).expect("no work")
}

fn has_work(effects: &[Effect]) -> bool {
    effects
        .iter()
        .any(|effect| matches!(effect, Effect::Work(_)))
}

/// Opens the form of an export from the board with this filter.
fn opened(rec: &Recorder, words: &str) -> (ExportPane, Effect) {
    let mut pane = ExportPane::default();
    let target = Target::Form(PaneId::Export, Some(words.into()));
    let effects = rec.call(&mut pane, |pane, cx| {
        pane.show(target, PaneId::Board, cx);
    });
    (pane, work(effects))
}

fn plan() -> ExportPlan {
    ExportPlan {
        items: 12,
        left_out: 2,
        datasets: vec!["kites".into()],
        out: Some("exports/items.jsonl".into()),
        ..ExportPlan::default()
    }
}

fn is_toast(effect: &Effect, severity: Severity, part: &str) -> bool {
    matches!(effect, Effect::Say(toast) if toast.severity == severity && toast.text.contains(part))
}

#[test]
fn an_export_previews_then_runs_and_goes_back_with_a_receipt() {
    let rec = rec();
    let (mut pane, mut preview) = opened(&rec, "subtask:odd");
    let (what, done, of) = ("counting".to_string(), 5, Some(12));
    rec.progress(&mut pane, &mut preview, Progress { what, done, of });
    assert!(shown(&rec, &mut pane).contains("counting: 5 of 12"));
    rec.made(&mut pane, &mut preview, Ok(plan()));
    let text = shown(&rec, &mut pane);
    for part in [
        "10 items",
        "kites",
        "to exports/items.jsonl",
        "2 items left out",
        "$ benchtop export --format jsonl --filter subtask:odd --out exports/items.jsonl",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    let mut run = work(rec.act(&mut pane, Action::FormSubmit));
    refused(&rec.act(&mut pane, Action::FormSubmit));
    let (what, done, of) = ("exporting".to_string(), 6, Some(12));
    rec.progress(&mut pane, &mut run, Progress { what, done, of });
    let text = shown(&rec, &mut pane);
    assert!(
        text.contains("exporting: 6 of 12") && text.contains("esc cancels"),
        "{text}"
    );
    let report = ExportReport {
        items: 10,
        ..ExportReport::default()
    };
    let effects = rec.made(&mut pane, &mut run, Ok(report));
    assert!(matches!(
        effects[0],
        Effect::Open(Target::Back(PaneId::Board))
    ));
    assert!(is_toast(
        &effects[1],
        Severity::Done,
        "10 items to exports/items.jsonl"
    ));
}

#[test]
fn what_was_left_out_is_a_page_after_the_export() {
    let rec = rec();
    let (mut pane, mut preview) = opened(&rec, "");
    rec.made(&mut pane, &mut preview, Ok(plan()));
    let mut run = work(rec.act(&mut pane, Action::FormSubmit));
    let aside = vec![("kites/3".to_string(), Error::input("the picture is gone"))];
    let report = ExportReport {
        items: 10,
        set_aside: 1,
        aside,
        ..ExportReport::default()
    };
    let effects = rec.made(&mut pane, &mut run, Ok(report));
    assert!(
        effects
            .iter()
            .any(|effect| matches!(effect, Effect::Page(_))),
        "{effects:?}"
    );
}

#[test]
fn a_file_is_replaced_only_after_a_question() {
    let rec = rec();
    let (mut pane, mut preview) = opened(&rec, "");
    let existing = Existing::File(1234);
    rec.made(
        &mut pane,
        &mut preview,
        Ok(ExportPlan { existing, ..plan() }),
    );
    assert!(shown(&rec, &mut pane).contains("1,234 bytes"));
    let mut menu = only(rec.act(&mut pane, Action::FormSubmit));
    let (title, rows) = lines(&menu);
    assert!(
        title.contains("exports/items.jsonl") && rows[0].1.contains("1,234"),
        "{title}"
    );
    assert!(matches!(&menu, Effect::Menu(menu, _) if menu.cursor() == 1));
    assert!(rec.choose(&mut pane, &mut menu, 1).is_empty());
    let mut menu = only(rec.act(&mut pane, Action::FormSubmit));
    assert!(has_work(&rec.choose(&mut pane, &mut menu, 0)));
}

#[test]
fn further_files_are_named_and_replaced_only_after_a_question() {
    let rec = rec();
    let (mut pane, mut preview) = opened(&rec, "");
    let more_files = ["/x/d-V3.json", "/x/d-V4.json"].map(Into::into).to_vec();
    let more = ExportPlan {
        more_files,
        more_replaced: 1,
        ..plan()
    };
    rec.made(&mut pane, &mut preview, Ok(more));
    let text = shown(&rec, &mut pane);
    assert!(
        text.contains("d-V3.json") && text.contains("d-V4.json"),
        "{text}"
    );
    let menu = only(rec.act(&mut pane, Action::FormSubmit));
    assert!(lines(&menu).1[0].1.contains("1 further file"));
}

#[test]
fn enter_before_the_preview_waits_for_it_and_a_key_takes_it_back() {
    let rec = rec();
    let (mut pane, _) = opened(&rec, "");
    let mut preview = work(rec.act(&mut pane, Action::FormSubmit));
    assert!(
        has_work(&rec.made(&mut pane, &mut preview, Ok(plan()))),
        "it runs"
    );
    let (mut pane, _) = opened(&rec, "");
    let mut preview = work(rec.act(&mut pane, Action::FormSubmit));
    rec.act(&mut pane, Action::FormNext);
    write(&rec, &mut pane, "x");
    assert!(!has_work(&rec.made(&mut pane, &mut preview, Ok(plan()))));
}

#[test]
fn a_canceled_export_stays_in_the_form_and_an_error_goes_to_its_field() {
    let rec = rec();
    let (mut pane, mut preview) = opened(&rec, "");
    rec.made(&mut pane, &mut preview, Ok(plan()));
    let mut run = work(rec.act(&mut pane, Action::FormSubmit));
    let effects = rec.act(&mut pane, Action::FormClose);
    assert!(matches!(effects[0], Effect::Cancel(RUN)), "{effects:?}");
    assert!(shown(&rec, &mut pane).contains("loading"));
    // What the thread still says changes nothing.
    let refusal = Error::conflict("3 of 12 items show a draft").field("drafts");
    let effects = rec.made::<ExportReport>(&mut pane, &mut run, Err(refusal));
    assert!(said(&effects).text.contains("show a draft"));
    let text = shown(&rec, &mut pane);
    assert!(
        text.lines()
            .any(|line| line.starts_with("▌drafts") && line.contains("✗ 3 of 12")),
        "{text}"
    );
    let effects = rec.act(&mut pane, Action::FormClose);
    assert!(
        effects
            .iter()
            .any(|e| matches!(e, Effect::Open(Target::Back(PaneId::Board))))
    );
}

#[test]
fn fields_follow_the_format_and_paths_are_as_people_write_them() {
    let rec = rec();
    let (mut pane, _) = opened(&rec, "");
    let text = shown(&rec, &mut pane);
    assert!(
        text.contains("pictures") && !text.contains("answers"),
        "{text}"
    );
    write(&rec, &mut pane, "vlm");
    let text = shown(&rec, &mut pane);
    assert!(
        !text.contains("pictures ") && text.contains("answers"),
        "{text}"
    );
    assert!(
        text.contains("--format vlmevalkit --out exports/vlmevalkit"),
        "{text}"
    );
    rec.act(&mut pane, Action::FormNext);
    write(&rec, &mut pane, "status:odd");
    assert!(shown(&rec, &mut pane).contains("✗ "));
    refused(&rec.act(&mut pane, Action::FormSubmit));
    (0..10).for_each(|_| drop(press(&rec, &mut pane, KeyCode::Backspace)));
    rec.act(&mut pane, Action::FormNext);
    rec.call(&mut pane, |pane, cx| pane.paste("'/tmp/my set'\n", cx));
    rec.act(&mut pane, Action::FormNext);
    press(&rec, &mut pane, KeyCode::Char(' '));
    let copied = only(rec.act(&mut pane, Action::FormCommand));
    let line = "benchtop export --format vlmevalkit --out '/tmp/my set' --with-predictions";
    assert!(
        matches!(&copied, Effect::Copy { text, .. } if text == line),
        "{copied:?}"
    );
}

#[test]
fn no_item_is_no_export() {
    let rec = rec();
    let (mut pane, mut preview) = opened(&rec, "");
    let nothing = ExportPlan {
        items: 2,
        left_out: 2,
        ..ExportPlan::default()
    };
    rec.made(&mut pane, &mut preview, Ok(nothing));
    assert!(!refused(&rec.act(&mut pane, Action::FormSubmit)).is_empty());
}

mod evaluate {
    use super::*;
    use crate::pane::KnownEndpoint;
    use crate::pane::testing::request as asked;
    use benchtop_model::evaluation::{NewRun, OptionOrders, StartedRun};
    use benchtop_model::trust::{DataKind, Destination, PendingConsent, RequestedDestination};
    use benchtop_protocol::wire::{AnyRequest, ConsentedRequest, request};

    fn rec() -> Recorder {
        let mut rec = super::rec();
        rec.commands.endpoint = KnownEndpoint {
            url: "https://api.example.com/v1".into(),
            model: "large".into(),
            key_env: "A_KEY".into(),
        };
        rec
    }

    #[track_caller]
    fn ask(effects: Vec<Effect>) -> Effect {
        let is_ask = |effect: &Effect| matches!(effect, Effect::Ask(_));
        effects.into_iter().find(is_ask).expect("no request")
    }

    fn run(effect: &Effect) -> NewRun {
        match asked(effect) {
            AnyRequest::Evaluate(request::Evaluate(new, _)) => (**new).clone(),
            other => panic!("{other:?}"),
        }
    }

    fn opened(rec: &Recorder) -> (EvaluatePane, Effect) {
        let mut pane = EvaluatePane::default();
        let effects = rec.open(&mut pane);
        (pane, ask(effects))
    }

    fn started() -> StartedRun {
        StartedRun {
            label: "large".into(),
            items: 60,
            asks: 120,
            ..StartedRun::default()
        }
    }

    fn reply(rec: &Recorder, pane: &mut EvaluatePane, ask: Effect, run: StartedRun) -> Vec<Effect> {
        rec.reply::<request::Evaluate>(pane, ask, Ok(run))
    }

    /// Moves the cursor to a field and replaces its text.
    fn fill(rec: &Recorder, pane: &mut EvaluatePane, down: usize, text: &str) {
        (0..down).for_each(|_| drop(rec.act(pane, Action::FormNext)));
        (0..60).for_each(|_| drop(press(rec, pane, KeyCode::Backspace)));
        write(rec, pane, text);
    }

    #[test]
    fn the_server_of_the_project_is_offered_and_the_preview_says_what_goes_where() {
        let rec = rec();
        let (mut pane, preview) = opened(&rec);
        let new = run(&preview);
        assert!(new.dry && !new.blind && new.filter == "status:accepted");
        assert_eq!(new.servers[0].key_env.as_deref(), Some("A_KEY"));
        reply(
            &rec,
            &mut pane,
            preview,
            StartedRun {
                without: 3,
                ..started()
            },
        );
        let text = shown(&rec, &mut pane);
        for part in [
            "120 questions about 60",
            "https://api.example.com",
            "with $A_KEY",
            "named `large`",
            "3 items without",
            "4 requests at once",
        ] {
            assert!(text.contains(part), "{part}\n{text}");
        }
        let ask = ask(rec.act(&mut pane, Action::FormSubmit));
        assert!(!run(&ask).dry);
        let effects = reply(&rec, &mut pane, ask, started());
        assert!(matches!(
            effects[0],
            Effect::Open(Target::Pane(PaneId::Generate))
        ));
        assert!(is_toast(&effects[1], Severity::Done, "120 questions"));
    }

    #[test]
    fn a_server_that_was_not_agreed_to_is_asked_about_as_on_the_command_line() {
        let rec = rec();
        let (mut pane, preview) = opened(&rec);
        let to = Destination::new(
            "https://api.example.com/v1",
            Some("A_KEY"),
            DataKind::Pictures,
        );
        let waits = PendingConsent {
            what: "120 questions with their pictures".into(),
            count: 120,
            to: vec![RequestedDestination {
                destination: to.unwrap(),
                agreed: false,
            }],
            ..PendingConsent::default()
        };
        let (title, yes) = (waits.description(), waits.choices().remove(0));
        let waits = Some(Box::new(waits));
        reply(&rec, &mut pane, preview, StartedRun { waits, ..started() });
        assert!(shown(&rec, &mut pane).contains("not agreed"));
        let mut menu = only(rec.act(&mut pane, Action::FormSubmit));
        let (shown, rows) = lines(&menu);
        assert_eq!(
            (shown, rows[0]),
            (title.as_str(), (yes.0.as_str(), yes.1.as_str()))
        );
        assert!(rec.choose(&mut pane, &mut menu, 1).is_empty());
        let mut menu = only(rec.act(&mut pane, Action::FormSubmit));
        let ask = only(rec.choose(&mut pane, &mut menu, 0));
        let AnyRequest::Agree(agree) = asked(&ask) else {
            panic!("{ask:?}")
        };
        assert_eq!(agree.to.len(), 1);
        assert!(matches!(&agree.then, Some(ConsentedRequest::Evaluate(ask)) if !ask.0.dry));
    }

    #[test]
    fn fields_are_checked_and_written_as_options() {
        let rec = rec();
        let mut pane = EvaluatePane::default();
        rec.open(&mut pane);
        fill(&rec, &mut pane, 0, "");
        refused(&rec.act(&mut pane, Action::FormSubmit));
        fill(&rec, &mut pane, 0, "mine");
        fill(&rec, &mut pane, 1, "nowhere");
        assert!(shown(&rec, &mut pane).contains("✗ "));
        fill(
            &rec,
            &mut pane,
            0,
            "http://127.0.0.1:1/v1, http://127.0.0.1:2/v1",
        );
        fill(&rec, &mut pane, 1, "PATH");
        assert!(
            shown(&rec, &mut pane).contains("✗ "),
            "not the variable of a key"
        );
        fill(&rec, &mut pane, 0, "");
        fill(&rec, &mut pane, 2, "subtask:odd");
        fill(&rec, &mut pane, 1, "20");
        rec.act(&mut pane, Action::FormNext);
        press(&rec, &mut pane, KeyCode::Right);
        rec.act(&mut pane, Action::FormNext);
        rec.act(&mut pane, Action::FormNext);
        press(&rec, &mut pane, KeyCode::Char(' '));
        let new = run(&ask(rec.act(&mut pane, Action::FormSubmit)));
        assert!(new.blind && new.servers.len() == 2 && new.sample == Some(20));
        assert_eq!(new.orders, OptionOrders::Shuffles(5));
        let copied = only(rec.act(&mut pane, Action::FormCommand));
        let line = "benchtop eval --model mine --endpoint http://127.0.0.1:1/v1 --endpoint http://127.0.0.1:2/v1 \
                    --filter subtask:odd --sample 20 --shuffles 5 --blind";
        assert!(
            matches!(&copied, Effect::Copy { text, .. } if text == line),
            "{copied:?}"
        );
    }

    #[test]
    fn drafts_are_refused_and_a_lost_connection_ends_the_wait() {
        let mut rec = rec();
        let (mut pane, preview) = opened(&rec);
        reply(
            &rec,
            &mut pane,
            preview,
            StartedRun {
                drafts: 2,
                ..started()
            },
        );
        assert!(refused(&rec.act(&mut pane, Action::FormSubmit)).contains("2 items"));
        let (mut pane, preview) = opened(&rec);
        reply(&rec, &mut pane, preview, started());
        ask(rec.act(&mut pane, Action::FormSubmit));
        assert!(shown(&rec, &mut pane).contains("esc cancels"));
        rec.notify(&mut pane, Notice::Reconnected);
        assert!(!shown(&rec, &mut pane).contains("esc cancels"));
        rec.is_connected = false;
        refused(&rec.act(&mut pane, Action::FormSubmit));
    }
}

mod import {
    use super::*;
    use crate::pane::testing::request as asked;
    use crate::widgets::form::picker::{Entry, EntryKind, Listing};
    use benchtop_formats::inspect::{FileInspection, FolderInspection, Inspection};
    use benchtop_model::import::Report;
    use benchtop_protocol::wire::{AnyRequest, request};

    fn listing() -> Listing {
        let entry = |(kind, name): (EntryKind, &str)| Entry {
            kind,
            name: name.into(),
        };
        let entries = [
            (EntryKind::File, "kites.csv"),
            (EntryKind::Folder, "sets"),
            (EntryKind::Link, "alias"),
        ];
        let entries = entries.map(entry).into();
        Listing {
            entries,
            more: false,
        }
    }

    fn named(effects: Vec<Effect>, name: &str) -> Effect {
        let is_it = |effect: &Effect| matches!(effect, Effect::Work(work) if work.name == name);
        effects.into_iter().find(is_it).expect(name)
    }

    /// The pane with its folder listed, at this path.
    fn opened(rec: &Recorder, path: Option<&str>) -> ImportPane {
        let mut pane = ImportPane::default();
        let target = Target::Form(PaneId::Import, path.map(str::to_string));
        let effects = rec.call(&mut pane, |pane, cx| pane.show(target, PaneId::Home, cx));
        let mut list = named(effects, LIST);
        rec.made(&mut pane, &mut list, Ok(listing()));
        pane
    }

    /// What the pause after a key asks for.
    fn preview(rec: &mut Recorder, pane: &mut ImportPane) -> Effect {
        rec.now = pane.due().unwrap();
        named(rec.tick(pane), PREVIEW)
    }

    fn kites() -> Inspection {
        Inspection::File(FileInspection {
            format: "table",
            title: "CSV table",
            items: 24,
            pictures: 24,
            more: true,
            first: vec!["Is kite 1 red?".into(), "\u{1b}[2Jx".into()],
            notes: vec!["2 texts were cut".into()],
            ..FileInspection::default()
        })
    }

    #[test]
    fn files_are_recognized_as_the_cursor_moves_and_enter_imports() {
        let mut rec = rec();
        let mut pane = opened(&rec, None);
        let text = shown(&rec, &mut pane);
        assert!(
            text.contains("▌sets/") && text.contains("alias (a link"),
            "{text}"
        );
        // A preview tells how far it is, until it is there.
        let (what, done, of) = ("reading".to_string(), 12_000, Some(617_000));
        rec.call(&mut pane, |pane, _| {
            let progress = Progress { what, done, of };
            assert!(!pane.on_progress("other", &progress));
            assert!(!pane.on_progress(RUN, &progress), "nothing runs");
            assert!(pane.on_progress(PREVIEW, &progress));
        });
        // Links are sorted among the files.
        rec.act(&mut pane, Action::FormDown);
        let mut link = preview(&mut rec, &mut pane);
        let to = "/etc".into();
        rec.made(&mut pane, &mut link, Ok(Inspection::Link { to }));
        assert!(refused(&rec.act(&mut pane, Action::FormSubmit)).contains("link"));
        rec.act(&mut pane, Action::FormDown);
        let mut found = preview(&mut rec, &mut pane);
        rec.made(&mut pane, &mut found, Ok(kites()));
        let text = shown(&rec, &mut pane);
        for part in [
            "CSV table",
            "24 items or more",
            "1. Is kite 1 red?",
            "note: 2 texts were cut",
            "$ benchtop import /here/kites.csv --keep-going",
        ] {
            assert!(text.contains(part), "{part}\n{text}");
        }
        assert!(!text.contains('\u{1b}'));
        let ask = only(rec.act(&mut pane, Action::FormSubmit));
        let AnyRequest::Import(import) = asked(&ask) else {
            panic!("{ask:?}")
        };
        assert_eq!(import.0.paths, [Path::new("/here/kites.csv")]);
        let (what, done, of) = ("kites.csv".to_string(), 2049, None);
        rec.call(&mut pane, |pane, _| {
            assert!(pane.on_progress(RUN, &Progress { what, done, of }));
        });
        assert!(shown(&rec, &mut pane).contains("kites.csv: 2,049"));
        let report = Report {
            items: 24,
            pictures: 24,
            already: 3,
            ..Report::default()
        };
        let effects = rec.reply::<request::Import>(&mut pane, ask, Ok(report));
        assert!(matches!(
            effects[0],
            Effect::Open(Target::Back(PaneId::Home))
        ));
        assert!(
            matches!(effects[1], Effect::Page(_)),
            "3 records were there already"
        );
        assert!(is_toast(
            &effects[2],
            Severity::Done,
            "24 items, 24 pictures"
        ));
    }

    #[test]
    fn a_variant_needs_its_name_and_the_data_set_of_the_originals() {
        let mut rec = rec();
        let mut pane = opened(&rec, Some("/data/kites.csv"));
        let mut found = preview(&mut rec, &mut pane);
        rec.made(&mut pane, &mut found, Ok(kites()));
        for _ in 0..5 {
            rec.act(&mut pane, Action::FormNext);
        }
        write(&rec, &mut pane, "corruption");
        assert!(
            shown(&rec, &mut pane).contains("✗ "),
            "the originals are missing"
        );
        refused(&rec.act(&mut pane, Action::FormSubmit));
        // The field that is wrong has the cursor.
        write(&rec, &mut pane, "dysca");
        let text = shown(&rec, &mut pane);
        assert!(!text.contains("✗ "), "{text}");
        assert!(
            text.contains("--variant corruption") && text.contains("--of dysca"),
            "{text}"
        );
        let mut again = preview(&mut rec, &mut pane);
        rec.made(&mut pane, &mut again, Ok(kites()));
        let ask = only(rec.act(&mut pane, Action::FormSubmit));
        let AnyRequest::Import(import) = asked(&ask) else {
            panic!("{ask:?}")
        };
        let of = import.0.variant_of.as_ref().unwrap();
        assert_eq!(
            (of.variant.as_str(), of.dataset.as_str()),
            ("corruption", "dysca")
        );
    }

    #[test]
    fn a_dropped_path_is_jumped_to_and_arrows_leave_the_list_with_tab_only() {
        let mut rec = rec();
        let mut pane = opened(&rec, Some("'/data/kites.csv'"));
        let text = shown(&rec, &mut pane);
        assert!(
            text.contains("▌kites.csv") && text.contains("import /data/kites.csv"),
            "{text}"
        );
        rec.act(&mut pane, Action::FormUp);
        rec.act(&mut pane, Action::FormUp);
        assert!(shown(&rec, &mut pane).contains("▌sets/"));
        let effects = press(&rec, &mut pane, KeyCode::Right);
        let mut list = named(effects, LIST);
        rec.made(&mut pane, &mut list, Ok(Listing::default()));
        assert!(shown(&rec, &mut pane).contains("an empty folder"));
        let mut found = preview(&mut rec, &mut pane);
        let folder = FolderInspection {
            files: vec![("a.csv".into(), "CSV table")],
            ..FolderInspection::default()
        };
        rec.made(&mut pane, &mut found, Ok(Inspection::Folder(folder)));
        assert!(shown(&rec, &mut pane).contains("a.csv: CSV table"));
        rec.act(&mut pane, Action::FormNext);
        write(&rec, &mut pane, "a/b");
        assert!(shown(&rec, &mut pane).contains("✗ "));
        refused(&rec.act(&mut pane, Action::FormSubmit));
        rec.act(&mut pane, Action::FormDown);
        rec.act(&mut pane, Action::FormDown);
        press(&rec, &mut pane, KeyCode::Char(' '));
        assert!(shown(&rec, &mut pane).contains("[x] yes"));
    }

    #[test]
    fn a_file_that_is_not_recognized_is_not_imported() {
        let mut rec = rec();
        let mut pane = opened(&rec, None);
        let mut found = preview(&mut rec, &mut pane);
        let why = "unknown table format".into();
        rec.made(&mut pane, &mut found, Ok(Inspection::Unknown { why }));
        assert!(shown(&rec, &mut pane).contains("not recognized"));
        assert!(refused(&rec.act(&mut pane, Action::FormSubmit)).contains("unknown table"));
        let mut lost = named(press(&rec, &mut pane, KeyCode::Left), LIST);
        let denied = Error::denied("cannot list");
        rec.made::<Listing>(&mut pane, &mut lost, Err(denied));
        let text = shown(&rec, &mut pane);
        assert!(text.contains("✗ cannot list"), "{text}");
    }

    #[test]
    fn every_size_has_the_list_and_the_preview() {
        let mut rec = rec();
        let mut pane = opened(&rec, None);
        let mut found = preview(&mut rec, &mut pane);
        rec.made(&mut pane, &mut found, Ok(kites()));
        for (width, height) in [(60, 12), (80, 20), (160, 46), (300, 76)] {
            let text = drawn(&rec, &mut pane, (width, height), ColorLevel::True);
            for part in ["sets/", "CSV table", "$ benchtop import"] {
                assert!(text.contains(part), "{width}x{height}: {part}\n{text}");
            }
        }
        for size in [(0, 0), (1, 1), (20, 5), (59, 8)] {
            drawn(&rec, &mut pane, size, ColorLevel::Mono);
        }
    }
}
