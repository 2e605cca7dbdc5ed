use crossterm::event::KeyCode;

use super::*;
use crate::pane::recorder::Recorder;
use crate::pane::testing::{drawn, lines, only, recorder, refused, said};
use crate::pane::{CommandSetting, Effect};
use crate::widgets::toast::Severity;
use benchtop_model::ColorLevel;
use benchtop_model::export::{Existing, ExportFormat, ExportPlan, ExportReport};
use benchtop_model::import::Progress;

fn rec() -> Recorder {
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

fn shown<P: Pane>(rec: &Recorder, pane: &mut P) -> String {
    drawn(rec, pane, (80, 20), ColorLevel::True)
}

fn press<P: Pane>(rec: &Recorder, pane: &mut P, code: KeyCode) -> Vec<Effect> {
    rec.call(pane, |pane, cx| pane.key(KeyEvent::from(code), cx))
}

fn write<P: Pane>(rec: &Recorder, pane: &mut P, text: &str) {
    for c in text.chars() {
        press(rec, pane, KeyCode::Char(c));
    }
}

/// The work among these effects.
#[track_caller]
fn work(effects: Vec<Effect>) -> Effect {
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
