use std::collections::HashMap;
use std::ops::{Deref, DerefMut};

use super::*;
use crate::pane::context::Receiver;
use crate::pane::recorder::Recorder;
use crate::pane::{Effect, testing};
use crate::widgets::menu::Menu;
use crate::widgets::prompt::Prompt;
use crate::widgets::table::{CopyFormat, CopyWhat, Empty};
use crate::widgets::toast::Severity;
use benchtop_model::table::{Frequency, Match, Summary};
use benchtop_model::{ColorLevel, Error, ErrorKind, Filter, Result, Sort, Status};
use benchtop_protocol::wire::{
    AnyReply, AnyRequest, Lines, Page, PageRequest, Request, Row, request,
};

const AREA: (u16, u16) = (90, 13);

/// An effect of the list, with the receiver of its reply.
#[derive(Debug)]
enum ListEffect {
    Ask(Receiver, AnyRequest),
    Open {
        number: u32,
        filter: Filter,
        sort: Vec<Sort>,
    },
    Menu(Menu),
    Prompt(Prompt),
    Copy {
        text: String,
        what: String,
    },
    Say(String),
    Refuse(String),
    Leave,
}

/// A list and a program that records.
struct Listed {
    pane: ListPane,
    rec: Recorder,
    /// The receivers of pages, by generation.
    pages: HashMap<u64, Receiver>,
}

impl Deref for Listed {
    type Target = ListPane;

    fn deref(&self) -> &ListPane {
        &self.pane
    }
}

impl DerefMut for Listed {
    fn deref_mut(&mut self) -> &mut ListPane {
        &mut self.pane
    }
}

impl Listed {
    fn new() -> Listed {
        Listed {
            pane: ListPane::default(),
            rec: testing::recorder(),
            pages: HashMap::new(),
        }
    }

    fn call(&mut self, call: impl FnOnce(&mut ListPane, &mut Context<'_>)) -> Vec<ListEffect> {
        let effects = self.rec.call(&mut self.pane, call);
        effects
            .into_iter()
            .map(|effect| self.took(effect))
            .collect()
    }

    fn took(&mut self, effect: Effect) -> ListEffect {
        match effect {
            Effect::Ask(ask) => {
                let (request, receiver) = ask.into_parts(PaneId::List);
                if let AnyRequest::Page(request::Page(page)) = &request {
                    self.pages.insert(page.generation, receiver.clone());
                }
                ListEffect::Ask(receiver, request)
            }
            Effect::Open(Target::Queue {
                number,
                filter,
                sort,
            }) => ListEffect::Open {
                number,
                filter,
                sort,
            },
            Effect::Open(Target::Review) => ListEffect::Leave,
            Effect::Menu(menu, _) => ListEffect::Menu(menu),
            Effect::Prompt(prompt, _) => ListEffect::Prompt(prompt),
            Effect::Copy { text, what } => ListEffect::Copy { text, what },
            Effect::Say(toast) if toast.severity == Severity::Info => ListEffect::Say(toast.text),
            Effect::Say(toast) => ListEffect::Refuse(toast.text),
            other => panic!("{other:?}"),
        }
    }

    fn act(&mut self, action: Action) -> Vec<ListEffect> {
        self.call(|pane, cx| pane.act(action, cx))
    }

    fn start(&mut self) -> Vec<ListEffect> {
        self.call(ListPane::start)
    }

    fn changed(&mut self) -> Vec<ListEffect> {
        self.call(ListPane::changed)
    }

    fn find(&mut self, words: &str) -> Result<Vec<ListEffect>> {
        let mut found = Ok(());
        let effects = self.call(|pane, cx| found = pane.find(words, cx));
        found.map(|()| effects)
    }

    fn select_regex(&mut self, column: usize, pattern: &str, on: bool) -> Result<Vec<ListEffect>> {
        let mut done = Ok(());
        let effects = self.call(|pane, cx| done = pane.select_regex(column, pattern, on, cx));
        done.map(|()| effects)
    }

    fn filter_by(&mut self, field: Field, value: &str) -> Vec<ListEffect> {
        self.call(|pane, cx| pane.filter_by(field, value, cx))
    }

    fn go_to(&mut self, number: u32) -> Vec<ListEffect> {
        self.call(|pane, cx| pane.go_to(number, cx))
    }

    fn copy(&mut self, what: CopyWhat, format: CopyFormat) -> Vec<ListEffect> {
        self.call(|pane, cx| pane.copy(what, format, cx))
    }

    fn answer(&mut self, want: Receiver, reply: Result<AnyReply>) -> Vec<ListEffect> {
        self.call(|pane, cx| want.receive(pane, reply, cx))
    }
}

fn row(number: u32) -> Row {
    let cell = |field| match field {
        Field::Number => number.to_string(),
        Field::Status => "pending".into(),
        Field::Id => format!("set/{number}"),
        Field::Dataset => "set".into(),
        Field::Subtask => ["animal", "plant"][number as usize % 2].into(),
        Field::Type => "yes-no".into(),
        Field::Question => format!("Is this picture {number}?"),
        _ => String::new(),
    };
    Row {
        number,
        status: Status::Pending,
        cells: Field::ALL.map(cell).into(),
        marks: vec![],
    }
}

/// A page of a list of `total` out of 617,000 items, each in the row of its number.
fn page(ask: &PageRequest, total: u64) -> Page {
    let end = total.min(ask.offset + u64::from(ask.count));
    let rows = (ask.offset..end).map(|at| row(at as u32 + 1)).collect();
    Page {
        generation: ask.generation,
        offset: ask.offset,
        rows,
        total,
        of: 617_000,
        partial: false,
    }
}

fn asked(effects: &[ListEffect]) -> PageRequest {
    let pages: Vec<&PageRequest> = effects
        .iter()
        .filter_map(|e| match e {
            ListEffect::Ask(_, AnyRequest::Page(request::Page(ask))) => Some(ask),
            _ => None,
        })
        .collect();
    assert_eq!(pages.len(), 1, "{effects:?}");
    pages[0].clone()
}

fn give(pane: &mut Listed, page: Page) -> Vec<ListEffect> {
    let want = pane.pages[&page.generation].clone();
    pane.answer(want, Ok(request::Page::pack(page)))
}

fn fail(pane: &mut Listed, generation: u64, problem: Error) -> Vec<ListEffect> {
    let want = pane.pages[&generation].clone();
    pane.answer(want, Err(problem))
}

/// Answers page requests until there are none.
fn settle(pane: &mut Listed, mut effects: Vec<ListEffect>, total: u64) -> u32 {
    let mut pages = 0;
    while effects
        .iter()
        .any(|e| matches!(e, ListEffect::Ask(_, AnyRequest::Page(_))))
    {
        let ask = asked(&effects);
        effects = give(pane, page(&ask, total));
        pages += 1;
        assert!(pages < 5, "endless requests");
    }
    pages
}

fn drawn(pane: &mut Listed) -> String {
    drawn_at(pane, AREA)
}

fn drawn_at(pane: &mut Listed, size: (u16, u16)) -> String {
    testing::drawn(&pane.rec, &mut pane.pane, size, ColorLevel::True)
}

/// A list of `total` items, drawn once with ten rows per page.
fn list(total: u64) -> Listed {
    let mut pane = Listed::new();
    drawn(&mut pane);
    let effects = pane.start();
    settle(&mut pane, effects, total);
    assert_eq!(pane.state.page().1, 10);
    pane
}

fn refused(effects: &[ListEffect]) -> bool {
    matches!(effects, [ListEffect::Refuse(why)] if !why.is_empty())
}

#[test]
fn the_first_page_loads_and_empty_columns_are_hidden() {
    let mut pane = Listed::new();
    assert!(drawn(&mut pane).contains("Loading"));
    let ask = asked(&pane.start());
    assert!(ask.filter.is_empty() && ask.sort.is_empty() && ask.offset == 0 && ask.count >= 50);
    assert!(pane.changed().is_empty(), "the page in flight is awaited");
    let again = asked(&give(&mut pane, page(&ask, 617_000)));
    assert!(again.generation > ask.generation);
    settle_one(&mut pane, &again);
    let shown = drawn(&mut pane);
    assert!(
        shown.starts_with("all items") && shown.contains("617,000 items"),
        "{shown}"
    );
    assert!(
        shown.contains("Is this picture 1?")
            && !shown.contains("judged")
            && !shown.contains("dataset"),
        "{shown}"
    );

    // The first verdict shows the column with its time, if there is room.
    let ask = asked(&pane.changed());
    let mut with = page(&ask, 617_000);
    with.rows[3].cells[rows::column(Field::Judged)] = "2026-01-02T03:04:05".into();
    with.rows[3].cells[rows::column(Field::Status)] = "accepted".into();
    with.rows[3].status = Status::Accepted;
    give(&mut pane, with);
    let narrow = (80, AREA.1);
    let shown = drawn_at(&mut pane, narrow);
    assert!(
        shown.contains("accepted") && !shown.contains("judged") && shown.contains("9 hidden"),
        "{shown}"
    );
    let shown = drawn(&mut pane);
    assert!(
        shown.contains("judged") && shown.contains("2026-01-02") && !shown.contains("style"),
        "{shown}"
    );
    assert!(!drawn_at(&mut pane, narrow).contains("judged"));
    assert_eq!(
        (
            pane.state.column(),
            pane.state.order(&pane.columns)[..3].to_vec()
        ),
        (0, vec![0, 1, 2])
    );

    // A column that the annotator went to stays on any screen.
    pane.go_to_column(rows::column(Field::Judged));
    pane.act(Action::Top);
    drawn_at(&mut pane, (60, AREA.1));
    assert!(
        pane.state
            .order(&pane.columns)
            .contains(&rows::column(Field::Judged))
    );
    pane.act(Action::Unhide);
    drawn(&mut pane);
    assert_eq!(pane.state.order(&pane.columns).len(), Field::ALL.len());
}

fn settle_one(pane: &mut Listed, ask: &PageRequest) {
    assert!(give(pane, page(ask, 617_000)).is_empty());
}

#[test]
fn pages_are_prefetched_and_old_rows_stay_until_new_ones_arrive() {
    let mut pane = list(617_000);
    let effects = pane.act(Action::PageDown);
    assert!(
        drawn(&mut pane).contains("Is this picture 11?"),
        "the next page was prefetched"
    );
    assert!(settle(&mut pane, effects, 617_000) <= 1);
    let effects = pane.act(Action::Bottom);
    let ask = asked(&effects);
    assert_eq!((ask.offset, ask.count), (616_990, 10));
    let waiting = drawn(&mut pane);
    assert!(
        waiting.contains("Is this picture 11?") && waiting.contains("loading…"),
        "{waiting}"
    );
    assert!(
        refused(&pane.act(Action::Open)),
        "the row under the cursor is not loaded yet"
    );
    assert!(pane.number().is_none());
    let more = give(&mut pane, page(&ask, 617_000));
    assert!(drawn(&mut pane).contains("Is this picture 617000?"));
    assert_eq!(pane.number(), Some(617_000));
    let ask = asked(&more);
    assert_eq!((ask.offset, ask.count), (616_980, 20));
}

#[test]
fn moving_within_loaded_rows_requests_nothing() {
    let mut pane = list(25);
    for action in [
        Action::Down,
        Action::PageDown,
        Action::Bottom,
        Action::Up,
        Action::Top,
        Action::Right,
    ] {
        assert!(pane.act(action).is_empty(), "{action:?}");
    }
    assert!(refused(&pane.act(Action::Up)));
}

#[test]
fn a_stale_generation_is_dropped() {
    let mut pane = list(617_000);
    let first = asked(&pane.find("do").unwrap());
    let second = asked(&pane.find("dog").unwrap());
    assert!(second.generation > first.generation);
    assert!(give(&mut pane, page(&first, 3)).is_empty());
    let shown = drawn(&mut pane);
    assert!(
        shown.contains("617,000 items") && shown.contains("searching…") && shown.starts_with("dog"),
        "{shown}"
    );
    let failure = Error::new(ErrorKind::Cancelled, "a newer question came");
    let effects = fail(&mut pane, first.generation, failure);
    assert!(effects.is_empty());

    // Partial results are shown at once and marked as such.
    let part = Page {
        partial: true,
        ..page(&second, 4)
    };
    assert!(give(&mut pane, part).is_empty());
    let shown = drawn(&mut pane);
    assert!(
        shown.contains("4 so far of 617,000") && shown.contains("so far"),
        "{shown}"
    );
    assert!(pane.act(Action::Down).is_empty());
    give(&mut pane, page(&second, 7));
    let shown = drawn(&mut pane);
    assert!(
        shown.contains("7 of 617,000") && !shown.contains("searching"),
        "{shown}"
    );
    assert_eq!(pane.number(), Some(2));
}

#[test]
fn a_half_typed_filter_is_an_error_and_the_list_stays() {
    let mut pane = list(617_000);
    assert!(
        matches!(&pane.act(Action::Find)[..], [ListEffect::Prompt(prompt)] if prompt.value().is_empty())
    );
    assert_eq!(pane.find("status:").unwrap_err().kind, ErrorKind::Usage);
    assert!(
        pane.find("  ").unwrap().is_empty(),
        "the same filter requests nothing"
    );
    pane.act(Action::PageDown);
    let effects = pane.find("status:pending").unwrap();
    assert_eq!(asked(&effects).filter.status, [Status::Pending]);
    settle(&mut pane, effects, 5);
    assert!(
        matches!(&pane.act(Action::Find)[..], [ListEffect::Prompt(prompt)] if prompt.value() == "status:pending")
    );
    let effects = pane.find("status:pending owl").unwrap();
    settle(&mut pane, effects, 2);

    // Typing counts as one step. Typing the old words also undoes it.
    let effects = pane.act(Action::Back);
    assert!(asked(&effects).filter.is_empty());
    settle(&mut pane, effects, 617_000);
    assert_eq!(pane.state.row(), 10);
    assert!(matches!(&pane.act(Action::Back)[..], [ListEffect::Leave]));
    pane.find("owl").unwrap();
    let effects = pane.find("").unwrap();
    settle(&mut pane, effects, 617_000);
    assert_eq!(pane.state.row(), 10);
    assert!(matches!(&pane.act(Action::Back)[..], [ListEffect::Leave]));
}

#[test]
fn frequencies_lead_to_a_value_and_back() {
    let mut pane = list(617_000);
    let settled = pane.act(Action::PageDown);
    settle(&mut pane, settled, 617_000);
    pane.go_to_column(rows::column(Field::Subtask));
    let effects = pane.act(Action::Frequency);
    let [ListEffect::Ask(want, AnyRequest::Frequency(request::Frequency(filter, Field::Subtask)))] =
        &effects[..]
    else {
        panic!("{effects:?}")
    };
    assert!(filter.is_empty());
    let counts = vec![("animal".to_string(), 400_000), (String::new(), 217_000)];
    let frequency = Frequency {
        column: "subtask".into(),
        rows: counts,
        total: 617_000,
        more: 0,
    };
    assert!(
        pane.answer(want.clone(), Ok(request::Frequency::pack(frequency)))
            .is_empty()
    );
    assert_eq!(pane.scopes().unwrap()[0], Scope::Table);
    assert!(drawn(&mut pane).contains("frequency of"));

    // Selecting a value selects its rows. The owner finds them.
    let effects = pane.act(Action::Select);
    let [
        ListEffect::Ask(
            want,
            AnyRequest::Select(request::Select(_, Field::Subtask, Match::Equal(value))),
        ),
    ] = &effects[..]
    else {
        panic!("{effects:?}")
    };
    assert_eq!(value, "animal");
    let said = pane.answer(want.clone(), Ok(request::Select::pack(vec![2, 4, 6])));
    assert!(
        matches!(&said[..], [ListEffect::Say(text)] if text.matches('3').count() == 2),
        "{said:?}"
    );

    let effects = pane.act(Action::Open);
    let ask = asked(&effects);
    assert_eq!(ask.filter.values, [(Field::Subtask, vec![String::new()])]);
    settle(&mut pane, effects, 9);
    assert_eq!(pane.words(), "subtask:");
    assert!(drawn(&mut pane).starts_with("subtask:"));
    let effects = pane.act(Action::Back);
    assert!(asked(&effects).filter.is_empty());
    settle(&mut pane, effects, 617_000);
    assert_eq!(pane.state.row(), 10);
    assert_eq!(pane.state.selected().len(), 3);
}

#[test]
fn a_value_that_no_filter_can_express_is_shown_by_item_numbers() {
    let mut pane = list(617_000);
    let effects = pane.filter_by(Field::Question, "Is it?");
    let [
        ListEffect::Ask(
            want,
            AnyRequest::Select(request::Select(_, Field::Question, Match::Equal(_))),
        ),
    ] = &effects[..]
    else {
        panic!("{effects:?}")
    };
    let effects = pane.answer(want.clone(), Ok(request::Select::pack(vec![3, 5, 8])));
    assert_eq!(asked(&effects).filter.only, Some(vec![3, 5, 8]));
    assert!(drawn(&mut pane).starts_with("question `Is it?`"));
    assert_eq!(pane.words(), "", "no typed filter expresses it");
    pane.state.mark([5, 9], true);
    assert_eq!(
        asked(&pane.act(Action::ShowSelected)).filter.only,
        Some(vec![5]),
        "both conditions apply"
    );
    assert!(asked(&pane.act(Action::ClearFilter)).filter.is_empty());
}

#[test]
fn a_subset_and_back() {
    let mut pane = list(617_000);
    assert!(refused(&pane.act(Action::ShowSelected)));
    for _ in 0..3 {
        pane.act(Action::Select);
    }
    let effects = pane.act(Action::ShowSelected);
    assert_eq!(asked(&effects).filter.only, Some(vec![1, 2, 3]));
    settle(&mut pane, effects, 3);
    assert!(drawn(&mut pane).starts_with("selection"));
    let effects = pane.filter_by(Field::Subtask, "animal");
    assert_eq!(asked(&effects).filter.only, Some(vec![1, 2, 3]));
    settle(&mut pane, effects, 1);

    // Back undoes the steps in order, whichever key made them.
    let effects = pane.act(Action::Back);
    assert!(asked(&effects).filter.values.is_empty() && pane.state.in_subset());
    settle(&mut pane, effects, 3);
    let effects = pane.act(Action::Back);
    assert!(asked(&effects).filter.is_empty() && !pane.state.in_subset());
    settle(&mut pane, effects, 617_000);
    assert_eq!(pane.state.row(), 3);
    pane.act(Action::ShowSelected);
    assert!(asked(&pane.act(Action::ShowSelected)).filter.is_empty());
    assert!(matches!(&pane.act(Action::Back)[..], [ListEffect::Leave]));
}

#[test]
fn sorting_is_requested_and_rows_of_the_old_order_cannot_be_opened() {
    let mut pane = list(617_000);
    pane.go_to_column(rows::column(Field::Status));
    let effects = pane.act(Action::SortDescending);
    assert_eq!(
        asked(&effects).sort,
        [Sort {
            field: Field::Status,
            descending: true
        }]
    );
    assert!(drawn(&mut pane).contains("by status descending"));
    assert!(refused(&pane.act(Action::Open)) && refused(&pane.act(Action::Select)));
    pane.go_to_column(rows::column(Field::Id));
    let effects = pane.act(Action::ThenAscending);
    let ask = asked(&effects);
    assert_eq!(
        ask.sort[1],
        Sort {
            field: Field::Id,
            descending: false
        }
    );
    settle(&mut pane, effects, 617_000);
    let effects = pane.act(Action::Open);
    let [
        ListEffect::Open {
            number: 1,
            filter,
            sort,
        },
    ] = &effects[..]
    else {
        panic!("{effects:?}")
    };
    assert!(filter.is_empty() && *sort == ask.sort);
}

#[test]
fn changes_wait_for_the_page_in_flight_and_the_cursor_keeps_its_item() {
    let mut pane = list(617_000);
    for _ in 0..4 {
        pane.act(Action::Down);
    }
    let ask = asked(&pane.changed());
    assert!(pane.changed().is_empty() && pane.changed().is_empty());
    let mut moved = page(&ask, 616_999);
    moved.rows.remove(0);
    let effects = give(&mut pane, moved);
    assert_eq!((pane.state.row(), pane.number()), (3, Some(5)));
    assert_eq!(asked(&effects).offset, 0, "the change is requested now");
}

#[test]
fn clearing_keeps_the_item_under_the_cursor() {
    let mut pane = list(617_000);
    assert!(refused(&pane.act(Action::ClearFilter)));
    let ask = asked(&pane.find("owl").unwrap());
    let found = Page {
        rows: vec![row(4711), row(4712)],
        total: 2,
        ..page(&ask, 2)
    };
    give(&mut pane, found);
    pane.act(Action::Down);
    let effects = pane.act(Action::ClearFilter);
    assert!(asked(&effects).filter.is_empty());
    settle(&mut pane, effects, 617_000);
    assert_eq!(pane.number(), Some(4712));
    assert!(matches!(&pane.act(Action::Back)[..], [ListEffect::Leave]));
}

#[test]
fn choosing_a_value_counts_the_others_of_its_field_too() {
    let mut pane = list(617_000);
    let effects = pane.find("status:pending subtask:animal").unwrap();
    settle(&mut pane, effects, 50);
    let effects = pane.act(Action::FilterStatus);
    let [ListEffect::Ask(want, AnyRequest::Frequency(request::Frequency(filter, Field::Status)))] =
        &effects[..]
    else {
        panic!("{effects:?}")
    };
    assert!(filter.status.is_empty() && !filter.values.is_empty());
    let rows = vec![("pending".to_string(), 40), ("flagged".to_string(), 10)];
    let frequency = Frequency {
        column: "status".into(),
        rows,
        total: 50,
        more: 0,
    };
    let effects = pane.answer(want.clone(), Ok(request::Frequency::pack(frequency)));
    assert!(matches!(&effects[..], [ListEffect::Menu(menu)] if menu.choices().len() == 2));
    let ask = asked(&pane.filter_by(Field::Status, "flagged"));
    assert_eq!(
        (ask.filter.status, ask.filter.values.len()),
        (vec![Status::Flagged], 1)
    );
}

#[test]
fn select_like_and_by_pattern_send_requests() {
    let mut pane = list(617_000);
    pane.go_to_column(rows::column(Field::Subtask));
    let effects = pane.act(Action::SelectLike);
    assert!(
        matches!(&effects[..], [ListEffect::Ask(_, AnyRequest::Select(request::Select(_, Field::Subtask, Match::Equal(v))))] if v == "plant")
    );
    assert!(matches!(
        &pane.act(Action::SelectRegex)[..],
        [ListEffect::Prompt(_)]
    ));
    assert_eq!(
        pane.select_regex(4, "(", true).unwrap_err().kind,
        ErrorKind::Usage
    );
    let effects = pane.select_regex(4, "^an", true).unwrap();
    let [
        ListEffect::Ask(
            want,
            AnyRequest::Select(request::Select(_, Field::Subtask, Match::Regex(_))),
        ),
    ] = &effects[..]
    else {
        panic!("{effects:?}")
    };
    pane.answer(want.clone(), Ok(request::Select::pack((1..=300).collect())));
    assert!(drawn(&mut pane).contains("300 selected"));
    let effects = pane.select_regex(4, "x", false).unwrap();
    let [ListEffect::Ask(want, _)] = &effects[..] else {
        panic!("{effects:?}")
    };
    let said = pane.answer(want.clone(), Ok(request::Select::pack((1..=200).collect())));
    assert!(matches!(&said[..], [ListEffect::Say(text)] if text.contains("200")));
}

#[test]
fn loaded_rows_are_copied_at_once() {
    let mut pane = list(617_000);
    let effects = pane.act(Action::CopyTable);
    assert!(matches!(&effects[..], [ListEffect::Menu(_)]), "{effects:?}");
    // Too many rows for a clipboard: the page is copied, with a message.
    let effects = pane.copy(CopyWhat::All, CopyFormat::Markdown);
    let [ListEffect::Copy { text, what }, ListEffect::Say(said)] = &effects[..] else {
        panic!("{effects:?}")
    };
    assert_eq!(what, "10 rows");
    assert!(said.contains("rows 1-10 of 617,000"), "{said}");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(
        lines[0],
        "| number | status | id | subtask | type | question |"
    );
    assert_eq!(lines[1], "| ---: | --- | --- | --- | --- | --- |");
    assert_eq!(
        lines[2],
        "| 1 | pending | set/1 | plant | yes-no | Is this picture 1? |"
    );
    let effects = pane.act(Action::CopyRow);
    assert!(
        matches!(&effects[..], [ListEffect::Copy { text, what }] if what == "1 rows" && text.ends_with("\tIs this picture 1?\n"))
    );
}

#[test]
fn a_whole_table_is_fetched_and_copied_unless_it_is_too_long() {
    let json = |n: u32, text: &str| {
        format!(
            r#"{{"id":"set/{n}","dataset":"set","key":{n},"form":"plain","question":"{text}","kind":"yes-no","answer":"yes"}}"#
        ) + "\n"
    };
    for (long, whole) in [("short", true), (&*"long ".repeat(100), false)] {
        let mut pane = list(900);
        let effects = pane.copy(CopyWhat::All, CopyFormat::Csv);
        let [ListEffect::Ask(want, AnyRequest::Numbers(_))] = &effects[..] else {
            panic!("{effects:?}")
        };
        let effects = pane.answer(
            want.clone(),
            Ok(request::Numbers::pack((1..=900).rev().collect())),
        );
        let [ListEffect::Ask(want, AnyRequest::Items(request::Items(numbers)))] = &effects[..]
        else {
            panic!("{effects:?}")
        };
        let json = numbers.iter().map(|n| json(*n, long)).collect();
        let lines = Lines {
            json,
            statuses: vec![Status::Pending; numbers.len()],
            next: None,
        };
        let effects = pane.answer(want.clone(), Ok(request::Items::pack(lines)));
        match &effects[..] {
            [ListEffect::Copy { text, what }, ..] if whole => {
                assert_eq!(what, "900 rows");
                assert_eq!(text.lines().count(), 901);
                assert!(text.lines().nth(1).unwrap().starts_with("900,"), "{text}");
            }
            [ListEffect::Copy { what, .. }, ListEffect::Say(said)] if !whole => {
                assert_eq!(what, "10 rows");
                assert!(said.contains("rows 1-10 of 900"), "{said}");
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn rows_that_are_not_loaded_are_fetched_in_table_order() {
    let mut pane = list(617_000);
    pane.go_to_column(rows::column(Field::Judged));
    pane.act(Action::SortDescending);
    let what = CopyWhat::Selected(vec![2, 500_000, 600_000]);
    let effects = pane.copy(what.clone(), CopyFormat::Tsv);
    let [ListEffect::Ask(want, AnyRequest::Numbers(request::Numbers(filter, sort)))] = &effects[..]
    else {
        panic!("{effects:?}")
    };
    assert_eq!(
        (&filter.only, sort.len()),
        (&Some(vec![2, 500_000, 600_000]), 1)
    );
    let effects = pane.answer(
        want.clone(),
        Ok(request::Numbers::pack(vec![600_000, 2, 500_000])),
    );
    let [ListEffect::Ask(want, AnyRequest::Items(request::Items(numbers)))] = &effects[..] else {
        panic!("{effects:?}")
    };
    assert_eq!(*numbers, [600_000, 2, 500_000]);
    let json = |n: u32| {
        format!(
            r#"{{"id":"set/{n}","dataset":"set","key":{n},"form":"plain","question":"{}","kind":"yes-no","answer":"yes"}}"#,
            "long ".repeat(100)
        ) + "\n"
    };
    let lines = |of: &[u32], next| Lines {
        json: of.iter().map(|n| json(*n)).collect(),
        statuses: vec![Status::Flagged; of.len()],
        next,
    };
    let effects = pane.answer(
        want.clone(),
        Ok(request::Items::pack(lines(&[600_000, 2], Some(500_000)))),
    );
    let [ListEffect::Ask(want, AnyRequest::Items(request::Items(numbers)))] = &effects[..] else {
        panic!("{effects:?}")
    };
    assert_eq!(*numbers, [500_000]);
    let effects = pane.answer(
        want.clone(),
        Ok(request::Items::pack(lines(&[500_000], None))),
    );
    let [ListEffect::Copy { text, what }, ListEffect::Say(said)] = &effects[..] else {
        panic!("{effects:?}")
    };
    assert_eq!(what, "3 rows");
    assert!(said.contains("judged") && !text.contains("judged"));
    let numbers: Vec<&str> = text
        .lines()
        .skip(1)
        .map(|l| l.split('\t').next().unwrap())
        .collect();
    assert_eq!(numbers, ["600000", "2", "500000"]);
    assert!(
        text.lines()
            .nth(1)
            .unwrap()
            .ends_with(&"long ".repeat(100).trim_end()),
        "questions are complete"
    );

    // An empty or invalid reply ends the copy.
    let effects = pane.copy(CopyWhat::Row(9_999), CopyFormat::Tsv);
    let [ListEffect::Ask(want, AnyRequest::Items(_))] = &effects[..] else {
        panic!("{effects:?}")
    };
    assert!(refused(&pane.answer(
        want.clone(),
        Ok(request::Items::pack(lines(&[], None)))
    )));
    assert!(
        pane.answer(
            want.clone(),
            Ok(request::Items::pack(lines(&[9_999], None)))
        )
        .is_empty()
    );
    assert!(refused(&pane.copy(
        CopyWhat::Selected((1..=10_001).collect()),
        CopyFormat::Tsv
    )));
}

#[test]
fn back_cancels_a_request_and_the_late_reply_is_ignored() {
    let mut pane = list(617_000);
    let effects = pane.act(Action::Describe);
    let [ListEffect::Ask(want, AnyRequest::Describe(_))] = &effects[..] else {
        panic!("{effects:?}")
    };
    assert!(drawn(&mut pane).contains("summarizing…"));
    assert!(matches!(&pane.act(Action::Back)[..], [ListEffect::Say(_)]));
    let summaries = vec![Summary::default(); Field::ALL.len()];
    assert!(
        pane.answer(want.clone(), Ok(request::Describe::pack(summaries.clone())))
            .is_empty()
    );
    assert!(drawn(&mut pane).contains("Is this picture 1?"));

    let effects = pane.act(Action::Describe);
    let [ListEffect::Ask(want, _)] = &effects[..] else {
        panic!("{effects:?}")
    };
    pane.answer(want.clone(), Ok(request::Describe::pack(summaries)));
    assert!(drawn(&mut pane).contains("column summary"));
    assert!(
        refused(&pane.act(Action::Frequency)),
        "no frequencies of frequencies"
    );
    for _ in 0..4 {
        pane.act(Action::Down);
    }
    pane.act(Action::Open);
    assert_eq!(pane.state.column(), 4, "enter goes to the column");
}

#[test]
fn go_to_finds_an_item_on_any_page() {
    let mut pane = list(617_000);
    assert!(pane.go_to(7).is_empty());
    assert_eq!(pane.number(), Some(7));
    let effects = pane.go_to(300_000);
    let [
        ListEffect::Ask(
            want,
            AnyRequest::Locate(request::Locate {
                number: 300_000, ..
            }),
        ),
    ] = &effects[..]
    else {
        panic!("{effects:?}")
    };
    let effects = pane.answer(want.clone(), Ok(request::Locate::pack(Some(299_999))));
    settle(&mut pane, effects, 617_000);
    assert_eq!(pane.number(), Some(300_000));
    let effects = pane.go_to(1);
    let [ListEffect::Ask(want, _)] = &effects[..] else {
        panic!("{effects:?}")
    };
    assert!(refused(
        &pane.answer(want.clone(), Ok(request::Locate::pack(None)))
    ));
    assert_eq!(pane.number(), Some(300_000));
}

#[test]
fn a_late_reply_does_not_move_a_moved_cursor() {
    let late = |act: &mut dyn FnMut(&mut Listed)| {
        let mut pane = list(617_000);
        let effects = pane.go_to(300_000);
        let [ListEffect::Ask(want, _)] = &effects[..] else {
            panic!("{effects:?}")
        };
        act(&mut pane);
        let row = pane.state.row();
        assert!(
            pane.answer(want.clone(), Ok(request::Locate::pack(Some(299_999))))
                .is_empty()
        );
        assert_eq!(pane.state.row(), row);
    };
    for action in [
        Action::Down,
        Action::Bottom,
        Action::Open,
        Action::SortDescending,
    ] {
        late(&mut |pane| drop(pane.act(action)));
    }
    late(&mut |pane| drop(pane.find("kite").unwrap()));
    late(&mut |pane| drop(pane.filter_by(Field::Status, "pending")));
    // Going back does not wait for the reply.
    let mut pane = list(617_000);
    pane.go_to(300_000);
    assert!(matches!(pane.act(Action::Back)[..], [ListEffect::Leave]));
}

#[test]
fn an_empty_list_shows_one_of_three_reasons() {
    let mut pane = Listed::new();
    assert_eq!(pane.empty(), Empty::Loading);
    let ask = asked(&pane.start());
    give(
        &mut pane,
        Page {
            of: 0,
            ..page(&ask, 0)
        },
    );
    assert_eq!(
        pane.empty(),
        Empty::Loading,
        "the first items are on their way"
    );
    for action in Action::ALL
        .iter()
        .filter(|a| matches!(a.scope(), Scope::Table | Scope::List))
    {
        for effect in pane.act(*action) {
            assert!(
                !matches!(effect, ListEffect::Open { .. } | ListEffect::Copy { .. }),
                "{action:?}: {effect:?}"
            );
        }
    }

    let mut pane = list(617_000);
    let effects = pane.find("nothing like it").unwrap();
    settle(&mut pane, effects, 0);
    assert!(matches!(pane.empty(), Empty::Filtered(hint) if hint.contains("X shows")));
    let shown = drawn(&mut pane);
    assert!(shown.contains("0 of 617,000"), "{shown}");

    let ask = asked(&pane.find("something").unwrap());
    let failure = || {
        Error::new(ErrorKind::Corrupt, "block 7 does not match its checksum")
            .help("run benchtop doctor")
    };
    assert!(fail(&mut pane, ask.generation, failure()).is_empty());
    assert!(
        matches!(pane.empty(), Empty::Failed(why) if why.contains("block 7") && why.contains("doctor"))
    );
    let ask = asked(&pane.changed());
    assert_eq!(pane.empty(), Empty::Loading);
    give(&mut pane, page(&ask, 5));
    assert!(drawn(&mut pane).contains("Is this picture 5?"));

    // A failed page keeps the old rows.
    let mut pane = list(617_000);
    let ask = asked(&pane.act(Action::Bottom));
    assert!(refused(&fail(&mut pane, ask.generation, failure())));
    assert_eq!(pane.number(), Some(1));
}

#[test]
fn a_new_owner_gets_new_requests_and_old_ones_are_forgotten() {
    let mut pane = list(617_000);
    let lost = asked(&pane.find("dog").unwrap());
    give(
        &mut pane,
        Page {
            partial: true,
            ..page(&lost, 3)
        },
    );
    pane.act(Action::Describe);
    let ask = asked(&pane.start());
    assert_eq!(ask.filter.text, "dog");
    assert!(give(&mut pane, page(&lost, 9)).is_empty());
    give(&mut pane, page(&ask, 8));
    let shown = drawn(&mut pane);
    assert!(
        shown.contains("8 of 617,000")
            && !shown.contains("searching")
            && !shown.contains("summarizing"),
        "{shown}"
    );
}
