use benchtop::model::table::{Frequency, Summary};
use benchtop::model::{Error, Field, QuestionKind, Result, Status};
use benchtop::protocol::wire::{AnyReply, AnyRequest, Page, PageRequest, Request, Row, request};
use benchtop::tui::action::Action;
use benchtop::tui::pane::context::Receiver;
use benchtop::tui::pane::recorder::Recorder;
use benchtop::tui::pane::{Context, Effect, PaneId};
use benchtop::tui::panes::list::ListPane;
use benchtop::tui::theme::Look;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

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

/// A list and a program that records.
pub(super) struct Listed {
    pub(super) pane: ListPane,
    rec: Recorder,
}

type Asked = (Receiver, AnyRequest);

impl Listed {
    pub(super) fn new() -> Listed {
        Listed {
            pane: ListPane::default(),
            rec: Recorder::new().unwrap(),
        }
    }

    pub(super) fn open(&mut self) -> Vec<Asked> {
        asked(self.rec.open(&mut self.pane))
    }

    fn find(&mut self, words: &str) -> Vec<Asked> {
        let find = |pane: &mut ListPane, cx: &mut Context<'_>| pane.find(words, cx).unwrap();
        asked(self.rec.call(&mut self.pane, find))
    }

    pub(super) fn answer(&mut self, to: &Receiver, reply: Result<AnyReply>) -> Vec<Asked> {
        let receive = |pane: &mut ListPane, cx: &mut Context<'_>| to.receive(pane, reply, cx);
        asked(self.rec.call(&mut self.pane, receive))
    }

    /// Answers pages until none is asked for; what else was asked is left.
    fn settle(&mut self, asked: Vec<Asked>, total: u64) -> Vec<Asked> {
        let mut other = vec![];
        for (to, ask) in asked {
            if let AnyRequest::Page(request::Page(ask)) = &ask {
                let more = self.answer(&to, Ok(request::Page::pack(page(ask, total))));
                other.extend(self.settle(more, total));
            } else {
                other.push((to, ask));
            }
        }
        other
    }

    pub(super) fn act(&mut self, action: Action) -> Vec<Asked> {
        asked(self.rec.act(&mut self.pane, action))
    }

    fn act_in(&mut self, action: Action, total: u64) -> Vec<Asked> {
        let asked = self.act(action);
        self.settle(asked, total)
    }

    pub(super) fn draw(&mut self, area: Rect, buf: &mut Buffer, look: &Look) {
        self.rec.draw(&mut self.pane, area, buf, look);
    }
}

fn asked(effects: Vec<Effect>) -> Vec<Asked> {
    let asked = effects.into_iter().filter_map(|effect| match effect {
        Effect::Ask(ask) => Some(ask.into_parts(PaneId::List)),
        _ => None,
    });
    asked.map(|(ask, to)| (to, ask)).collect()
}

/// Every item, the first page at hand.
pub(super) fn list() -> Listed {
    let mut list = Listed::new();
    let asked = list.open();
    list.settle(asked, 617_000);
    list
}

fn shown(list: &mut Listed, size: (u16, u16)) -> String {
    frame(size, |area, buf| list.draw(area, buf, &look()))
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
            pane.act_in(action, 617_000);
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
        let asked = pane.find("status:pending,flagged what the");
        pane.settle(asked, 12_345);
        for action in [Action::Down, Action::Select, Action::Select, Action::Down] {
            pane.act_in(action, 12_345);
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
    let asked = pane.find("owl");
    let waiting = shown(&mut pane, size);
    check("list_waiting", size, &waiting);
    let [(want, AnyRequest::Page(request::Page(ask)))] = &asked[..] else {
        panic!("{asked:?}")
    };
    pane.answer(
        want,
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
        pane.pane.go_to_column(4);
        let asked = pane.act_in(Action::Frequency, 617_000);
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
        pane.answer(&asked[0].0, Ok(request::Frequency::pack(frequency)));
        let picture = shown(&mut pane, size);
        check("list_frequency", size, &picture);
    }
}

#[test]
fn list_summaries() {
    for size in SIZES {
        let mut pane = list();
        let asked = pane.act_in(Action::Describe, 617_000);
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
        pane.answer(&asked[0].0, Ok(request::Describe::pack(summaries)));
        let picture = shown(&mut pane, size);
        check("list_describe", size, &picture);
    }
}

#[test]
fn list_without_rows() {
    for size in SIZES {
        let mut pane = Listed::new();
        let picture = shown(&mut pane, size);
        check_narrow("list_loading", size, &picture);

        let asked = pane.open();
        let [(want, AnyRequest::Page(request::Page(ask)))] = &asked[..] else {
            panic!("{asked:?}")
        };
        let problem =
            Error::input("block 7 does not match its checksum").help("run `benchtop doctor`");
        let mut failing = Listed::new();
        let first = failing.open();
        let [(wanted, _)] = &first[..] else {
            panic!("{first:?}")
        };
        failing.answer(wanted, Err(problem));
        let picture = shown(&mut failing, size);
        check_narrow("list_failed", size, &picture);

        pane.answer(
            want,
            Ok(request::Page::pack(Page {
                of: 0,
                ..page(ask, 0)
            })),
        );
        let picture = shown(&mut pane, size);
        check_narrow("list_nothing", size, &picture);

        let mut pane = list();
        let asked = pane.find("status:flagged zebra");
        pane.settle(asked, 0);
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
