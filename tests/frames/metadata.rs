//! Vocabularies, templates and coverage over the shipped metadata.

use benchtop::model::metafile;
use benchtop::model::usage::{FailingTerm, FileState, Grid, MetadataState, Tally, TermUse};
use benchtop::model::{Error, Status};
use benchtop::protocol::wire::request;
use benchtop::tui::action::Action;
use benchtop::tui::pane::recorder::Recorder;
use benchtop::tui::pane::{Effect, Pane};
use benchtop::tui::panes::coverage::CoveragePane;
use benchtop::tui::panes::metadata::Place;
use benchtop::tui::panes::metadata::preview::compute;
use benchtop::tui::panes::metadata::worker::Done;
use benchtop::tui::panes::templates::TemplatesPane;
use benchtop::tui::panes::vocabulary::VocabularyPane;

use super::{SIZES, accessible, check, check_narrow, frame, look};

fn state() -> MetadataState {
    let file = |f: metafile::MetaFile| FileState {
        revision: format!("{:016x}", f.text.len()),
        name: f.name,
        text: f.text,
    };
    MetadataState {
        files: metafile::shipped().map(file).collect(),
        ..MetadataState::default()
    }
}

/// Makes the wanted preview, as the program would.
pub(super) fn settle(rec: &Recorder) {
    let mut metadata = rec.metadata.borrow_mut();
    if let Some(r) = metadata.take_wanted() {
        metadata.preview(Done {
            ticket: r.ticket,
            preview: compute(&r.base, &r.edited, &r.selection, r.seed),
        });
    }
}

/// A program that has read the shipped metadata.
pub(super) fn with_metadata() -> Recorder {
    let rec = recorder();
    rec.metadata.borrow_mut().on_state(Ok(state()));
    settle(&rec);
    rec
}

/// Opens the pane at a line of a file.
fn open_at(rec: &Recorder, pane: &mut dyn Pane, file: &str, line: u32) -> Vec<Effect> {
    rec.metadata.borrow_mut().set_goal(Place {
        file: file.into(),
        line,
        column: 1,
    });
    let effects = rec.open(pane);
    settle(rec);
    effects
}

pub(super) fn act(rec: &Recorder, pane: &mut dyn Pane, action: Action) -> Vec<Effect> {
    let effects = rec.act(pane, action);
    settle(rec);
    effects
}

/// Runs an action and submits a text to its prompt.
fn write(rec: &Recorder, pane: &mut dyn Pane, action: Action, text: &str) {
    let mut prompt = act(rec, pane, action).remove(0);
    rec.write(pane, &mut prompt, text).unwrap();
    settle(rec);
}

fn paste(rec: &Recorder, pane: &mut TemplatesPane, text: &str) {
    rec.call(pane, |pane, cx| pane.paste(text, cx));
    settle(rec);
}

fn tally(accepted: u64, rejected: u64, pending: u64) -> Tally {
    let mut tally = Tally::default();
    for (status, n) in [
        (Status::Accepted, accepted),
        (Status::Rejected, rejected),
        (Status::Pending, pending),
    ] {
        (0..n).for_each(|_| tally.add(status));
    }
    tally
}

/// The animals, with the cursor on the one in line `line`.
pub(super) fn animals(rec: &Recorder, line: u32) -> VocabularyPane {
    let mut pane = VocabularyPane::default();
    let ask = open_at(rec, &mut pane, "vocabularies/animal.txt", line).remove(0);
    let used = |(i, t): (usize, &str)| TermUse {
        term: t.into(),
        items: tally(i as u64 % 7, i as u64 % 3, 4),
        answers: Tally::default(),
    };
    let used = {
        let metadata = rec.metadata.borrow();
        let terms = metadata.session().edited().enabled("animal");
        terms.into_iter().enumerate().map(used).collect()
    };
    rec.reply::<request::Terms>(&mut pane, ask, Ok(used));
    pane
}

#[test]
fn vocabulary_as_on_disk_and_edited() {
    for size in SIZES {
        let rec = with_metadata();
        let mut pane = animals(&rec, 1);
        let picture = frame(size, |area, buf| rec.draw(&mut pane, area, buf, &look()));
        check("vocabulary", size, &picture);
        act(&rec, &mut pane, Action::Down);
        write(&rec, &mut pane, Action::RenameTerm, "axolotl");
        act(&rec, &mut pane, Action::Down);
        act(&rec, &mut pane, Action::ToggleTerm);
        write(&rec, &mut pane, Action::AddTerm, "okapi");
        let picture = frame(size, |area, buf| rec.draw(&mut pane, area, buf, &look()));
        check("vocabulary_edited", size, &picture);
        let picture = frame(size, |area, buf| {
            rec.draw(&mut pane, area, buf, &accessible());
        });
        check_narrow("vocabulary_edited_accessible", size, &picture);
    }
}

#[test]
fn vocabulary_in_conflict_with_findings() {
    for size in SIZES {
        let rec = with_metadata();
        let mut pane = animals(&rec, 1);
        write(&rec, &mut pane, Action::AddTerm, "okapi");
        let mut theirs = state();
        for file in &mut theirs.files {
            match file.name.as_str() {
                "vocabularies/animal.txt" => file.text = "wolf\n".into(),
                "vocabularies/color.txt" => file.text = "red\n{blue}\n".into(),
                _ => {}
            }
        }
        rec.metadata.borrow_mut().on_state(Ok(theirs));
        settle(&rec);
        act(&rec, &mut pane, Action::ToggleSidebar);
        act(&rec, &mut pane, Action::NextArea);
        let picture = frame(size, |area, buf| rec.draw(&mut pane, area, buf, &look()));
        check("vocabulary_conflict", size, &picture);
    }
}

#[test]
fn vocabulary_without_terms_to_show() {
    let size = SIZES[0];
    let failed = recorder();
    let denied = Error::input("metadata/ cannot be read: permission denied");
    failed.metadata.borrow_mut().on_state(Err(denied));
    for (name, rec) in [("loading", recorder()), ("failed", failed)] {
        let mut pane = VocabularyPane::default();
        let picture = frame(size, |area, buf| rec.draw(&mut pane, area, buf, &look()));
        check(&format!("vocabulary_{name}"), size, &picture);
    }
    let rec = with_metadata();
    let mut pane = animals(&rec, 1);
    write(&rec, &mut pane, Action::Find, "zzz");
    act(&rec, &mut pane, Action::ToggleSidebar);
    act(&rec, &mut pane, Action::ToggleSidebar);
    let picture = frame(size, |area, buf| rec.draw(&mut pane, area, buf, &look()));
    check("vocabulary_filtered_out", size, &picture);
}

pub(super) fn templates(rec: &Recorder) -> TemplatesPane {
    let mut pane = TemplatesPane::default();
    open_at(rec, &mut pane, "templates.toml", 1);
    write(rec, &mut pane, Action::Find, "delicious {food}");
    pane
}

#[test]
fn templates_read_and_edited() {
    for size in SIZES {
        let rec = with_metadata();
        let mut pane = templates(&rec);
        let picture = frame(size, |area, buf| rec.draw(&mut pane, area, buf, &look()));
        check("templates", size, &picture);
        act(&rec, &mut pane, Action::TypeText);
        paste(&rec, &mut pane, "{colr} ");
        act(&rec, &mut pane, Action::ToggleSidebar);
        let picture = frame(size, |area, buf| rec.draw(&mut pane, area, buf, &look()));
        check("templates_misspelt", size, &picture);
        act(&rec, &mut pane, Action::UndoText);
        paste(&rec, &mut pane, "fresh and ");
        act(&rec, &mut pane, Action::ToggleSidebar);
        act(&rec, &mut pane, Action::ToggleSidebar);
        let picture = frame(size, |area, buf| {
            rec.draw(&mut pane, area, buf, &accessible());
        });
        check_narrow("templates_edited_accessible", size, &picture);
    }
}

fn grid() -> Grid {
    let names = |list: &[&str]| {
        list.iter()
            .map(|n| (n.to_string(), Tally::default()))
            .collect::<Vec<_>>()
    };
    let mut rows = names(&[
        "animal",
        "plant",
        "object",
        "food",
        "clothes",
        "landmark",
        "face",
        "celebrity",
        "text",
    ]);
    let mut columns = names(&[
        "woodcut",
        "oil painting",
        "comic",
        "ink wash",
        "mosaic",
        "stained glass",
        "low poly",
        "pixel art",
        "pastel",
        "fresco",
        "etching",
        "watercolor",
        "charcoal drawing",
        "paper cut",
    ]);
    let mut cells = Vec::new();
    for (r, row) in rows.iter_mut().enumerate() {
        for (c, column) in columns.iter_mut().enumerate() {
            let n = (r as u64 * 7 + c as u64 * 13) % 23;
            let cell = if (r + c) % 6 == 5 {
                Tally::default()
            } else {
                tally(n * 3, n % 5, n * 2)
            };
            for total in [&mut row.1, &mut column.1] {
                total.0.iter_mut().zip(cell.0).for_each(|(a, b)| *a += b);
            }
            cells.push(cell);
        }
    }
    Grid {
        rows,
        columns,
        cells,
        ..Grid::default()
    }
}

pub(super) fn coverage() -> CoveragePane {
    let (rec, mut pane) = (recorder(), CoveragePane::default());
    let ask = rec.open(&mut pane).remove(0);
    rec.reply::<request::Grid>(&mut pane, ask, Ok(grid()));
    pane
}

pub(super) fn recorder() -> Recorder {
    Recorder::new().unwrap()
}

#[test]
fn coverage_in_color_and_without() {
    for size in SIZES {
        let mut pane = coverage();
        frame(size, |area, buf| {
            recorder().draw(&mut pane, area, buf, &look())
        });
        for action in [Action::Right, Action::Right, Action::Right, Action::Down] {
            recorder().act(&mut pane, action);
        }
        check(
            "coverage",
            size,
            &frame(size, |area, buf| {
                recorder().draw(&mut pane, area, buf, &look())
            }),
        );
        check_narrow(
            "coverage_accessible",
            size,
            &frame(size, |area, buf| {
                recorder().draw(&mut pane, area, buf, &accessible())
            }),
        );
        recorder().act(&mut pane, Action::NextCount);
        recorder().act(&mut pane, Action::NextCount);
        let mono = super::Look::new(
            &super::Theme::shipped("mono").unwrap(),
            super::ColorLevel::Mono,
            false,
        );
        check_narrow(
            "coverage_rate_mono",
            size,
            &frame(size, |area, buf| {
                recorder().draw(&mut pane, area, buf, &mono)
            }),
        );
    }
}

#[test]
fn failing_terms() {
    for size in SIZES {
        let mut pane = coverage();
        let ask = recorder().act(&mut pane, Action::FailingTerms).remove(0);
        let one = |(i, (vocabulary, term)): (usize, &(&str, &str))| FailingTerm {
            vocabulary: vocabulary.to_string(),
            term: term.to_string(),
            items: tally(3 + i as u64 * 4, 20 - i as u64 * 4, 12),
            at_least: 0.7 - 0.15 * i as f64,
        };
        let terms = [
            ("animal", "sea urchin"),
            ("style", "ink wash"),
            ("action", "untying a shoelace"),
            ("race", "Asian"),
        ];
        let failing = terms.iter().enumerate().map(one).collect();
        recorder().reply::<request::Failing>(&mut pane, ask, Ok(failing));
        recorder().act(&mut pane, Action::Select);
        check(
            "failing_terms",
            size,
            &frame(size, |area, buf| {
                recorder().draw(&mut pane, area, buf, &look())
            }),
        );
    }
}
