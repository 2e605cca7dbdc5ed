//! Vocabularies, templates and coverage over the shipped metadata.

use benchtop::model::metafile;
use benchtop::model::usage::{FailingTerm, FileState, Grid, MetadataState, Tally, TermUse};
use benchtop::model::{Error, Status};
use benchtop::protocol::wire::request;
use benchtop::tui::action::Action;
use benchtop::tui::pane::recorder::Recorder;
use benchtop::tui::panes::coverage::CoveragePane;
use benchtop::tui::panes::metadata::preview::compute;
use benchtop::tui::panes::metadata::worker::Done;
use benchtop::tui::panes::metadata::{EditSession, MetadataEffect, TextFor};
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

/// Makes the previews that the effects ask for.
pub(super) fn follow(desk: &mut EditSession, effects: Vec<MetadataEffect>) {
    for effect in effects {
        if let MetadataEffect::Preview(r) = effect {
            desk.preview(Done {
                ticket: r.ticket,
                preview: compute(&r.base, &r.edited, &r.selection, r.seed),
            });
        }
    }
}

pub(super) fn desk() -> EditSession {
    let mut desk = EditSession::new();
    let effects = desk.on_state(Ok(state()));
    follow(&mut desk, effects);
    desk
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
pub(super) fn animals(desk: &mut EditSession, line: u32) -> VocabularyPane {
    let mut pane = VocabularyPane::new();
    let effects = pane.jump(desk, "vocabularies/animal.txt", line).unwrap();
    follow(desk, effects);
    let terms = desk
        .session()
        .edited()
        .enabled("animal")
        .into_iter()
        .enumerate();
    let used = |(i, t): (usize, &str)| TermUse {
        term: t.into(),
        items: tally(i as u64 % 7, i as u64 % 3, 4),
        answers: Tally::default(),
    };
    let used = terms.map(used).collect();
    pane.on_terms("animal", Ok(used));
    pane
}

fn act(pane: &mut VocabularyPane, desk: &mut EditSession, action: Action) {
    let effects = pane.act(action, desk);
    follow(desk, effects);
}

#[test]
fn vocabulary_as_on_disk_and_edited() {
    for size in SIZES {
        let mut desk = desk();
        let mut pane = animals(&mut desk, 1);
        check(
            "vocabulary",
            size,
            &frame(size, |area, buf| pane.draw(&desk, area, buf, &look())),
        );
        act(&mut pane, &mut desk, Action::Down);
        let effects = pane.typed(&TextFor::Rename, "axolotl", &mut desk);
        follow(&mut desk, effects);
        act(&mut pane, &mut desk, Action::Down);
        act(&mut pane, &mut desk, Action::ToggleTerm);
        let effects = pane.typed(&TextFor::Add, "okapi", &mut desk);
        follow(&mut desk, effects);
        check(
            "vocabulary_edited",
            size,
            &frame(size, |area, buf| pane.draw(&desk, area, buf, &look())),
        );
        check_narrow(
            "vocabulary_edited_accessible",
            size,
            &frame(size, |area, buf| pane.draw(&desk, area, buf, &accessible())),
        );
    }
}

#[test]
fn vocabulary_in_conflict_with_findings() {
    for size in SIZES {
        let mut desk = desk();
        let mut pane = animals(&mut desk, 1);
        let effects = pane.typed(&TextFor::Add, "okapi", &mut desk);
        follow(&mut desk, effects);
        let mut theirs = state();
        for file in &mut theirs.files {
            match file.name.as_str() {
                "vocabularies/animal.txt" => file.text = "wolf\n".into(),
                "vocabularies/color.txt" => file.text = "red\n{blue}\n".into(),
                _ => {}
            }
        }
        let effects = desk.on_state(Ok(theirs));
        follow(&mut desk, effects);
        act(&mut pane, &mut desk, Action::ToggleSidebar);
        act(&mut pane, &mut desk, Action::NextArea);
        check(
            "vocabulary_conflict",
            size,
            &frame(size, |area, buf| pane.draw(&desk, area, buf, &look())),
        );
    }
}

#[test]
fn vocabulary_without_terms_to_show() {
    let size = SIZES[0];
    let mut failed = EditSession::new();
    failed.on_state(Err(Error::input(
        "metadata/ cannot be read: permission denied",
    )));
    for (name, desk) in [("loading", EditSession::new()), ("failed", failed)] {
        let mut pane = VocabularyPane::new();
        check(
            &format!("vocabulary_{name}"),
            size,
            &frame(size, |area, buf| pane.draw(&desk, area, buf, &look())),
        );
    }
    let mut desk = desk();
    let mut pane = animals(&mut desk, 1);
    pane.typed(&TextFor::Search, "zzz", &mut desk);
    act(&mut pane, &mut desk, Action::ToggleSidebar);
    act(&mut pane, &mut desk, Action::ToggleSidebar);
    check(
        "vocabulary_filtered_out",
        size,
        &frame(size, |area, buf| pane.draw(&desk, area, buf, &look())),
    );
}

pub(super) fn templates(desk: &mut EditSession) -> TemplatesPane {
    let mut pane = TemplatesPane::new();
    pane.jump(desk, "templates.toml", 1, 1).unwrap();
    let effects = pane.typed(&TextFor::Find, "delicious {food}", desk);
    follow(desk, effects);
    pane
}

#[test]
fn templates_read_and_edited() {
    for size in SIZES {
        let mut desk = desk();
        let mut pane = templates(&mut desk);
        check(
            "templates",
            size,
            &frame(size, |area, buf| {
                pane.draw(&desk, area, buf, &look());
            }),
        );
        pane.act(Action::TypeText, &mut desk);
        let effects = pane.paste("{colr} ", &mut desk);
        follow(&mut desk, effects);
        pane.act(Action::ToggleSidebar, &mut desk);
        check(
            "templates_misspelt",
            size,
            &frame(size, |area, buf| {
                pane.draw(&desk, area, buf, &look());
            }),
        );
        pane.act(Action::UndoText, &mut desk);
        let effects = pane.paste("fresh and ", &mut desk);
        follow(&mut desk, effects);
        pane.act(Action::ToggleSidebar, &mut desk);
        pane.act(Action::ToggleSidebar, &mut desk);
        let picture = frame(size, |area, buf| {
            pane.draw(&desk, area, buf, &accessible());
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
    let (rec, mut pane) = (recorder(), CoveragePane::new());
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
