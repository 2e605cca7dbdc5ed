//! Vocabularies, templates, and coverage: from the key to the file on disk and back to the items.

use std::path::PathBuf;

use benchtop::model::{Filter, Judgement, Seen, Verdict};
use benchtop::protocol::wire::{Decide, request};

use super::support::{Bench, Terminal};
use crate::support::wording;

/// A project with composed items.
fn composed(count: u64) -> Bench {
    let bench = Bench::empty();
    let client = bench.client("maker");
    client
        .ask(request::Compose {
            plan: None,
            seed: 3,
            count: Some(count),
            allow_impossible: false,
        })
        .unwrap();
    bench
}

fn file(bench: &Bench, name: &str) -> PathBuf {
    bench.project().metadata().join(name)
}

fn text(bench: &Bench, name: &str) -> String {
    std::fs::read_to_string(file(bench, name)).unwrap()
}

const ANIMAL: &str = "vocabularies/animal.txt";

#[test]
fn renaming_a_term_previews_counts_and_recomposes_items() {
    let bench = composed(1200);
    let before = text(&bench, ANIMAL);
    let mut seat = bench.seat("ann");
    seat.keys("gw");
    seat.wait_for("tv-show");
    seat.keys("jj<tab>");
    seat.wait_for("term");
    let terms: Vec<&str> = before
        .lines()
        .filter(|l| !l.starts_with('#') && !l.is_empty())
        .collect();
    let alone = |term: &&&str| terms.iter().filter(|t| t.contains(**term)).count() == 1;
    let old = terms.iter().find(alone).unwrap().to_string();
    seat.keys("/");
    for c in old.chars() {
        seat.keys(&c.to_string());
    }
    seat.keys("<enter>r");
    seat.wait_for("rename");
    seat.keys("<ctrl-u>zebra fish<enter>");
    seat.wait_for(&wording::unsaved("vocabularies/animal.txt"));
    // The search hides it: it does not hold the old words any more.
    seat.keys("<esc>");
    seat.wait_for("zebra fish");
    assert_eq!(
        text(&bench, ANIMAL),
        before,
        "nothing is written before it is saved"
    );
    seat.keys("<ctrl-s>");
    seat.wait_for(wording::SAVE_FILES);
    seat.keys("<enter>");
    seat.wait_for(wording::OTHER_PROMPTS);
    assert_eq!(
        text(&bench, ANIMAL),
        before.replacen(&format!("{old}\n"), "zebra fish\n", 1)
    );
    seat.keys("<enter>");
    seat.wait_for(wording::RECOMPOSED);
    let client = bench.client("ann");
    let numbers = client
        .ask(request::Numbers(
            Filter::parse("stale:yes,gone").unwrap(),
            vec![],
        ))
        .unwrap();
    assert!(numbers.is_empty());
}

#[test]
fn an_external_edit_is_shown_and_never_merged() {
    let bench = composed(60);
    let mut seat = bench.seat("ann");
    seat.keys("gw");
    seat.wait_for("tv-show");
    seat.keys("jj");
    seat.wait_for("camel");
    let path = file(&bench, ANIMAL);
    let shipped = text(&bench, ANIMAL);
    std::fs::write(&path, format!("{shipped}quagga\n")).unwrap();
    seat.wait_for("animal        68");
    seat.keys("<tab>d");
    seat.wait_for(&wording::unsaved("vocabularies/animal.txt"));
    std::fs::write(&path, format!("{shipped}thylacine\n")).unwrap();
    seat.wait_for(wording::NOT_MERGED);
    assert_eq!(text(&bench, ANIMAL), format!("{shipped}thylacine\n"));
    seat.keys("M");
    seat.wait_for("theirs");
    // The person's own editor, which adds a term.
    seat.keys("<down><enter>");
    seat.wait_gone(wording::NOT_SAVED);
    seat.keys("e");
    seat.wait_until("the editor", |_| {
        text(&bench, ANIMAL).ends_with("thylacine\naardvark\n")
    });
}

#[test]
fn leaving_with_unsaved_edits_asks() {
    let bench = composed(60);
    let mut seat = bench.seat("ann");
    seat.keys("gw<tab>");
    seat.wait_for("preview");
    seat.keys("d");
    seat.wait_for(wording::NOT_SAVED);
    seat.keys("q");
    seat.wait_for(wording::NOT_SAVED);
    seat.keys("grq");
    seat.wait_for(wording::QUIT_UNSAVED);
    seat.keys("<down><down><enter>");
    seat.wait_gone(wording::QUIT_UNSAVED);
    seat.keys("q");
    seat.wait_for(wording::QUIT_UNSAVED);
    seat.leave("<down><enter>");
}

#[test]
fn keys_typed_before_the_count_of_a_save_neither_confirm_nor_drop_it() {
    let bench = composed(60);
    let mut seat = bench.seat("ann");
    seat.keys("gw");
    seat.wait_for("tv-show");
    seat.keys("jj<tab>a");
    seat.wait_for("new term");
    seat.keys("axolotl<enter>");
    seat.wait_for(&wording::unsaved(ANIMAL));
    let before = text(&bench, ANIMAL);
    bench.freeze_owner();
    // A term typed at once, and the key of another pane.
    seat.keys("waquagga<enter>1");
    seat.wait_for(wording::COUNTING);
    bench.thaw_owner();
    seat.wait_for(wording::SAVE_FILES);
    assert_eq!(text(&bench, ANIMAL), before);
    seat.keys("1");
    seat.wait_gone(wording::NOT_SAVED);
    assert!(text(&bench, ANIMAL).contains("\naxolotl\n"));
    assert!(!text(&bench, ANIMAL).contains("quagga"));
}

#[test]
fn the_quit_question_leaves_an_open_prompt_as_it_was() {
    let bench = composed(60);
    let mut seat = bench.seat("ann");
    seat.keys("gw<tab>");
    seat.wait_for("preview");
    seat.keys("d");
    seat.wait_for(wording::NOT_SAVED);
    seat.keys("gr");
    seat.on(1);
    seat.keys("Nhalf a");
    seat.wait_row(&["#1", "half a"]);
    for cancel in ["<esc>", "3"] {
        seat.keys("<ctrl-c>");
        seat.wait_for(wording::QUIT_UNSAVED);
        seat.keys(cancel);
        seat.wait_gone(wording::QUIT_UNSAVED);
        seat.wait_row(&["#1", "half a"]);
    }
    seat.keys(" note<enter>");
    seat.wait_for("half a note");
}

#[test]
fn saving_and_quitting_goes_on_after_a_lost_connection() {
    let bench = composed(60);
    let mut seat = bench.seat("ann");
    seat.keys("gw<tab>");
    seat.wait_for("preview");
    seat.keys("d");
    seat.wait_for(wording::NOT_SAVED);
    bench.freeze_owner();
    seat.keys("grq");
    seat.wait_for(wording::QUIT_UNSAVED);
    seat.keys("1");
    seat.wait_gone(wording::QUIT_UNSAVED);
    bench.kill_owner();
    bench.start_owner();
    // It asks again rather than forget it.
    seat.wait_for(wording::QUIT_UNSAVED);
    seat.leave("1");
    let lists = std::fs::read_dir(file(&bench, "vocabularies")).unwrap();
    let mut texts = lists.map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap());
    assert!(texts.any(|text| text.contains("\n#- ")));
}

#[test]
fn retiring_without_a_connection_edits_nothing() {
    let bench = composed(1200);
    let (term, _) = failing(&bench);
    let mut seat = bench.seat("ann");
    seat.keys("gc");
    seat.wait_for("animal");
    seat.keys("f");
    seat.wait_for(&term);
    seat.keys("d");
    seat.wait_row(&["animal", "7 items"]);
    bench.stop_owner();
    seat.wait_for(wording::OWNER_STOPPED);
    bench.start_owner();
    // The key restarts the connection. It comes too late for the edit.
    seat.keys("<enter>");
    seat.wait_for(wording::CONNECTED_AGAIN);
    seat.keys("gw");
    seat.wait_for("tv-show");
    assert!(!seat.text().contains(wording::NOT_SAVED), "{}", seat.text());
}

#[test]
fn template_errors_are_shown_at_their_place() {
    let bench = composed(60);
    let mut seat = bench.seat("ann");
    seat.keys("gp");
    seat.wait_for("templates.toml 1:1");
    seat.keys("i{colour<esc>v");
    seat.wait_for(&wording::unsaved("templates.toml"));
    seat.keys("u");
    seat.wait_gone(&wording::unsaved("templates.toml"));
    seat.keys("o");
    seat.wait_for("styles.toml 1:1");
}

#[test]
fn a_coverage_cell_opens_its_items() {
    let bench = composed(600);
    let mut seat = bench.seat("ann");
    seat.keys("gc");
    seat.wait_for("animal");
    seat.keys("ll<enter>");
    seat.wait_for("style:");
}

/// Statuses and verdicts of a project, as a client sees them.
fn statuses(bench: &Bench, words: &str) -> Vec<u32> {
    let ask = request::Numbers(Filter::parse(words).unwrap(), vec![]);
    bench.client("ann").ask(ask).unwrap()
}

/// Five verdicts on items of one animal, most of them no: a term whose items fail.
fn failing(bench: &Bench) -> (String, Vec<u32>) {
    let client = bench.client("ann");
    let uses = client.ask(request::Terms("animal".into())).unwrap();
    let most = uses
        .iter()
        .max_by_key(|u| u.items.all())
        .unwrap()
        .term
        .clone();
    let own = statuses(bench, &format!("term:\"animal/{most}\""));
    assert!(own.len() > 6, "{most}: {own:?}");
    for (at, number) in own.iter().take(6).enumerate() {
        let verdict = if at < 1 {
            Verdict::Accept
        } else {
            Verdict::Reject
        };
        let judgement = Judgement::new(verdict, Seen::Script);
        let decide = Decide {
            uuid: uuid::Uuid::now_v7(),
            number: *number,
            expected: None,
            judgement,
        };
        client.ask(request::Decide(decide)).unwrap();
    }
    (most, own)
}

#[test]
fn one_undo_restores_retired_terms_and_verdicts() {
    for (pane, from_vocabulary) in [("coverage", false), ("vocabulary", true)] {
        let bench = composed(1200);
        let (term, own) = failing(&bench);
        let (before, accepted, pending) = (
            text(&bench, ANIMAL),
            statuses(&bench, "status:accepted"),
            statuses(&bench, "status:pending"),
        );
        let mut seat = bench.seat("ann");
        seat.keys("gc");
        seat.wait_for("animal");
        seat.keys("f");
        seat.wait_for(&term);
        // Surest failures first; the rejected items have other terms too.
        let at = seat
            .text()
            .lines()
            .filter(|l| l.contains(" judged ") || l.contains(" % "))
            .position(|l| l.contains(&term));
        let at = at.unwrap_or_else(|| panic!("{}", seat.text()));
        for _ in 0..at {
            seat.keys("j");
        }
        seat.keys("d");
        seat.wait_row(&["animal", "7 items"]);
        seat.keys("<enter>");
        seat.wait_row(&["metadata/vocabularies/animal.txt", "1"]);
        assert_eq!(
            text(&bench, ANIMAL),
            before.replacen(&format!("\n{term}\n"), &format!("\n#- {term}\n"), 1),
            "{pane}"
        );
        let rejected = statuses(&bench, "status:rejected");
        assert!(own.iter().all(|n| rejected.contains(n)), "{pane}");
        if from_vocabulary {
            seat.keys("gw");
            seat.wait_for("tv-show");
        }
        seat.keys("u");
        seat.wait_for(wording::ENABLED_AGAIN);
        assert_eq!(text(&bench, ANIMAL), before, "{pane}");
        assert_eq!(statuses(&bench, "status:accepted"), accepted, "{pane}");
        assert_eq!(statuses(&bench, "status:pending"), pending, "{pane}");
        // What is on the desk is what is on disk: nothing to save.
        seat.keys("gw");
        seat.wait_for("tv-show");
        assert!(!seat.text().contains(wording::NOT_SAVED), "{}", seat.text());
    }
}

#[test]
fn a_list_changed_on_disk_keeps_terms_retired() {
    let bench = composed(1200);
    let (term, _) = failing(&bench);
    let mut seat = bench.seat("ann");
    seat.keys("gc");
    seat.wait_for("animal");
    seat.keys("f");
    seat.wait_for(&term);
    seat.keys("d");
    seat.wait_row(&["animal", "7 items"]);
    seat.keys("<enter>");
    seat.wait_for(": 1 disabled");
    // Somebody adds a line elsewhere in the list: it stays, and the term comes back beside it.
    let retired = text(&bench, ANIMAL);
    std::fs::write(file(&bench, ANIMAL), format!("{retired}quagga\n")).unwrap();
    seat.wait_for(wording::READ_AGAIN);
    seat.keys("u");
    seat.wait_for(wording::ENABLED_AGAIN);
    let now = text(&bench, ANIMAL);
    assert!(
        now.ends_with("quagga\n") && now.lines().count() == retired.lines().count() + 1,
        "{now}"
    );
    assert_eq!(
        now.matches("#- ").count() + 1,
        retired.matches("#- ").count()
    );
}

#[test]
fn undoing_an_edit_names_its_file() {
    let bench = composed(60);
    let mut seat = bench.seat("ann");
    seat.keys("gw");
    seat.wait_for("tv-show");
    seat.keys("jj<tab>d");
    seat.wait_for(&wording::unsaved("vocabularies/animal.txt"));
    seat.keys("u");
    seat.wait_row(&["metadata/vocabularies/animal.txt"]);
}

#[test]
fn recompose_offers_to_draw_missing_terms() {
    let bench = composed(400);
    let signs = statuses(&bench, "subject:text");
    let templates = text(&bench, "templates.toml");
    let section = templates
        .split("[subject.text]")
        .nth(1)
        .unwrap()
        .split("\n[")
        .next()
        .unwrap()
        .to_string();
    let edited = templates.replace(
        &section,
        &section.replace("{style}", "beside a poster of {movie}, {style}"),
    );
    std::fs::write(file(&bench, "templates.toml"), edited).unwrap();
    let mut seat = bench.seat("ann");
    seat.keys("gw");
    seat.wait_for("tv-show");
    seat.keys("C");
    seat.wait_for(wording::DRAW_TERMS);
    assert_eq!(statuses(&bench, "stale:gone"), signs);
    seat.keys("<enter>");
    seat.wait_for(wording::TERM_DRAWN);
    assert_eq!(statuses(&bench, "stale:gone,yes"), Vec::<u32>::new());
    assert_eq!(statuses(&bench, "subject:text stale:no"), signs);
}

#[test]
fn an_unreadable_file_is_reported_in_every_pane() {
    let bench = composed(60);
    let sound = text(&bench, "templates.toml");
    let mut seat = bench.seat("ann");
    seat.on(1);
    std::fs::write(
        file(&bench, "templates.toml"),
        format!("{sound}\n[broken\n"),
    )
    .unwrap();
    let place = format!("metadata/templates.toml:{}", sound.lines().count() + 2);
    seat.wait_for(&place);
    // The notice stays until the first key.
    let mut late = bench.seat_at(
        "bob",
        Terminal {
            stays_home: true,
            ..Terminal::default()
        },
    );
    late.wait_for(&place);
    for pane in ["gw", "gp"] {
        late.keys(pane);
        late.wait_for(&format!("! {place}"));
    }
    std::fs::write(file(&bench, "templates.toml"), &sound).unwrap();
    seat.wait_for(wording::NO_ERRORS);
    seat.keys("gr");
    seat.on(1);
}
