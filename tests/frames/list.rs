use benchtop::model::table::{Frequency, Summary};
use benchtop::model::{Error, Field, QuestionKind, Status};
use benchtop::protocol::wire::{AnyRequest, Page, PageRequest, Request, Row, request};
use benchtop::tui::action::Action;
use benchtop::tui::panes::list::{ListEffect, ListPane, ReplyFor};

use super::{SIZES, accessible, check, check_narrow, frame, look};

const QUESTIONS: [&str; 4] = [
    "What is the colour of the traffic light at the crossing in front of the old town hall, seen from the left?",
    "Is there a cat?",
    "画像に写っている動物は何ですか？ 次の選択肢から一つ選んでください。",
    "Which of the two people looks more\nlike the leader of the group?",
];

fn row(at: u64, found: bool) -> Row {
    let i = at as usize;
    let status = Status::ALL[[0, 1, 0, 2, 4, 0, 3, 5][i % 8]];
    let judged = if status == Status::Pending {
        String::new()
    } else {
        format!("2026-03-01T10:{:02}:00", i % 60)
    };
    let number = at as u32 * 7 + 1;
    let cell = |field| match field {
        Field::Number => number.to_string(),
        Field::Status => status.name().into(),
        Field::Id => format!("dysca/{:06}", at * 131),
        Field::Dataset => "dysca".into(),
        Field::Subtask => ["landmark", "celebrity and crowd", "tv show"][i % 3].into(),
        Field::Type => QuestionKind::ALL[i % 4].name().into(),
        Field::Style => ["iconographic", "pixel art"][i % 2].into(),
        Field::Judged => judged.clone(),
        Field::Question => QUESTIONS[i % 4].into(),
        _ => String::new(),
    };
    Row {
        number,
        status,
        cells: Field::ALL.map(cell).into(),
        marks: if found { vec![0, 1, 4, 5] } else { vec![] },
    }
}

fn page(ask: &PageRequest, total: u64) -> Page {
    let end = total.min(ask.offset + u64::from(ask.count));
    let found = !ask.filter.text.is_empty();
    let rows = (ask.offset..end).map(|at| row(at, found)).collect();
    Page {
        generation: ask.generation,
        offset: ask.offset,
        rows,
        total,
        of: 617_000,
        partial: false,
    }
}

/// Answers pages until none is asked for; what else was asked is left.
fn settle(
    pane: &mut ListPane,
    effects: Vec<ListEffect>,
    total: u64,
) -> Vec<(ReplyFor, AnyRequest)> {
    let mut other = vec![];
    for effect in effects {
        match effect {
            ListEffect::Ask(want, AnyRequest::Page(request::Page(ask))) => {
                let more = pane.answer(want, Ok(request::Page::pack(page(&ask, total))));
                other.extend(settle(pane, more, total));
            }
            ListEffect::Ask(want, ask) => other.push((want, ask)),
            _ => {}
        }
    }
    other
}

fn act(pane: &mut ListPane, action: Action, total: u64) -> Vec<(ReplyFor, AnyRequest)> {
    let effects = pane.act(action);
    settle(pane, effects, total)
}

/// Every item, the first page at hand.
pub(super) fn list() -> ListPane {
    let mut pane = ListPane::new();
    let effects = pane.start();
    settle(&mut pane, effects, 617_000);
    pane
}

fn shown(pane: &mut ListPane, size: (u16, u16)) -> String {
    frame(size, |area, buf| pane.draw(area, buf, &look()))
}

#[test]
fn list_page() {
    for size in SIZES {
        let mut pane = list();
        shown(&mut pane, size);
        let keys = [
            Action::Right,
            Action::SortAscending,
            Action::Right,
            Action::ThenDescending,
            Action::PageDown,
        ];
        for action in keys {
            act(&mut pane, action, 617_000);
        }
        let picture = shown(&mut pane, size);
        check("list", size, &picture);
    }
}

#[test]
fn list_found_and_selected() {
    for size in SIZES {
        let mut pane = list();
        shown(&mut pane, size);
        let effects = pane.find("status:pending,flagged what the").unwrap();
        settle(&mut pane, effects, 12_345);
        for action in [Action::Down, Action::Select, Action::Select, Action::Down] {
            act(&mut pane, action, 12_345);
        }
        let picture = shown(&mut pane, size);
        check("list_found", size, &picture);
    }
}

#[test]
fn list_while_searching() {
    let size = SIZES[0];
    let mut pane = list();
    shown(&mut pane, size);
    let effects = pane.find("owl").unwrap();
    let waiting = shown(&mut pane, size);
    check("list_waiting", size, &waiting);
    let [ListEffect::Ask(want, AnyRequest::Page(request::Page(ask)))] = &effects[..] else {
        panic!("{effects:?}")
    };
    pane.answer(
        want.clone(),
        Ok(request::Page::pack(Page {
            partial: true,
            ..page(ask, 12)
        })),
    );
    let partial = shown(&mut pane, size);
    check("list_partial", size, &partial);
}

#[test]
fn list_frequencies() {
    for size in SIZES {
        let mut pane = list();
        pane.go_to_column(4);
        let asked = act(&mut pane, Action::Frequency, 617_000);
        assert!(matches!(
            asked[0].1,
            AnyRequest::Frequency(request::Frequency(_, Field::Subtask))
        ));
        let rows = [
            ("landmark", 300_000),
            ("animal", 200_500),
            ("tv show", 100_000),
            ("", 16_000),
            ("plant", 500),
        ];
        let rows = rows.map(|(v, n)| (v.to_string(), n)).to_vec();
        let frequency = Frequency {
            column: "subtask".into(),
            rows,
            total: 617_000,
            more: 0,
        };
        pane.answer(asked[0].0.clone(), Ok(request::Frequency::pack(frequency)));
        let picture = shown(&mut pane, size);
        check("list_frequency", size, &picture);
    }
}

#[test]
fn list_summaries() {
    for size in SIZES {
        let mut pane = list();
        let asked = act(&mut pane, Action::Describe, 617_000);
        let summary = |field: Field| Summary {
            column: field.name().into(),
            present: 600_000,
            missing: 17_000,
            distinct: 57,
            min: "animal".into(),
            max: "tv show".into(),
            mean: (field == Field::Number).then_some(308_500.5),
            top: "landmark".into(),
        };
        let summaries = Field::ALL.into_iter().map(summary).collect();
        pane.answer(asked[0].0.clone(), Ok(request::Describe::pack(summaries)));
        let picture = shown(&mut pane, size);
        check("list_describe", size, &picture);
    }
}

#[test]
fn list_without_rows() {
    for size in SIZES {
        let mut pane = ListPane::new();
        let picture = shown(&mut pane, size);
        check_narrow("list_loading", size, &picture);

        let effects = pane.start();
        let [ListEffect::Ask(want, AnyRequest::Page(request::Page(ask)))] = &effects[..] else {
            panic!("{effects:?}")
        };
        let problem =
            Error::input("block 7 does not match its checksum").help("run `benchtop doctor`");
        let mut failing = ListPane::new();
        let first = failing.start();
        let [ListEffect::Ask(wanted, _)] = &first[..] else {
            panic!("{first:?}")
        };
        failing.answer(wanted.clone(), Err(problem));
        let picture = shown(&mut failing, size);
        check_narrow("list_failed", size, &picture);

        pane.answer(
            want.clone(),
            Ok(request::Page::pack(Page {
                of: 0,
                ..page(ask, 0)
            })),
        );
        let picture = shown(&mut pane, size);
        check_narrow("list_nothing", size, &picture);

        let mut pane = list();
        let effects = pane.find("status:flagged zebra").unwrap();
        settle(&mut pane, effects, 0);
        let picture = shown(&mut pane, size);
        check_narrow("list_filtered_out", size, &picture);
    }
}

#[test]
fn list_for_a_screen_reader() {
    let size = SIZES[0];
    let mut pane = list();
    pane.act(Action::Select);
    let picture = frame(size, |area, buf| pane.draw(area, buf, &accessible()));
    assert!(!picture.contains(|c| ('\u{2500}'..='\u{25ff}').contains(&c)));
    check("list_accessible", size, &picture);
}
