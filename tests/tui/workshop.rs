//! Vocabularies, templates and coverage, from the key to the file on disk and back to the items.

use std::path::PathBuf;

use benchtop::owner::wire::request;

use super::support::Bench;

/// A project with composed items.
fn composed(count: u64) -> Bench {
    let bench = Bench::empty();
    let client = bench.client("maker");
    client.ask(request::Compose { plan: None, seed: 3, count: Some(count), allow_impossible: false }).unwrap();
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
fn a_term_is_renamed_saved_with_counts_first_and_its_items_are_composed_again() {
    let bench = composed(1200);
    let before = text(&bench, ANIMAL);
    let mut seat = bench.seat("ann");
    seat.keys("4");
    seat.wait_for("tv-show");
    seat.keys("jj<tab>");
    seat.wait_for("term");
    let terms: Vec<&str> = before.lines().filter(|l| !l.starts_with('#') && !l.is_empty()).collect();
    let alone = |term: &&&str| terms.iter().filter(|t| t.contains(**term)).count() == 1;
    let old = terms.iter().find(alone).unwrap().to_string();
    seat.keys("/");
    for c in old.chars() {
        seat.keys(&c.to_string());
    }
    seat.keys("<enter>r");
    seat.wait_for("rename");
    seat.keys("<ctrl-u>zebra fish<enter>");
    seat.wait_for("not saved: vocabularies/animal.txt");
    // The search hides it: it does not hold the old words any more.
    seat.keys("<esc>");
    seat.wait_for("zebra fish");
    assert_eq!(text(&bench, ANIMAL), before, "nothing is written before it is saved");
    seat.keys("<ctrl-s>");
    seat.wait_for("save 1 file");
    seat.keys("<enter>");
    seat.wait_for("read differently now");
    assert_eq!(text(&bench, ANIMAL), before.replacen(&format!("{old}\n"), "zebra fish\n", 1));
    seat.keys("<enter>");
    seat.wait_for("composed again");
    let client = bench.client("ann");
    let numbers =
        client.ask(request::Numbers(benchtop::model::Filter::parse("stale:yes,gone").unwrap(), vec![])).unwrap();
    assert!(numbers.is_empty());
}

#[test]
fn an_edit_made_elsewhere_is_seen_and_never_merged() {
    let bench = composed(60);
    let mut seat = bench.seat("ann");
    seat.keys("4");
    seat.wait_for("tv-show");
    seat.keys("jj");
    seat.wait_for("camel");
    let path = file(&bench, ANIMAL);
    let shipped = text(&bench, ANIMAL);
    std::fs::write(&path, format!("{shipped}quagga\n")).unwrap();
    seat.wait_for("changed on disk: read again");
    seat.wait_for("animal        68");
    seat.keys("<tab>d");
    seat.wait_for("not saved: vocabularies/animal.txt");
    std::fs::write(&path, format!("{shipped}thylacine\n")).unwrap();
    seat.wait_for("nothing was merged");
    assert_eq!(text(&bench, ANIMAL), format!("{shipped}thylacine\n"));
    seat.keys("M");
    seat.wait_for("theirs");
    // The person's own editor, which adds a term.
    seat.keys("<down><enter>");
    seat.wait_gone("not saved");
    seat.keys("e");
    seat.wait_until("the editor", |_| text(&bench, ANIMAL).ends_with("thylacine\naardvark\n"));
}

#[test]
fn leaving_with_unsaved_edits_asks() {
    let bench = composed(60);
    let mut seat = bench.seat("ann");
    seat.keys("4<tab>");
    seat.wait_for("preview");
    seat.keys("d");
    seat.wait_for("not saved");
    seat.keys("q");
    seat.wait_for("not saved");
    seat.keys("1q");
    seat.wait_for("quit without saving");
    seat.keys("<down><down><enter>");
    seat.wait_gone("quit without saving");
    seat.keys("q");
    seat.wait_for("quit without saving");
    seat.leave("<down><enter>");
}

#[test]
fn templates_are_typed_into_and_their_errors_shown_where_they_are() {
    let bench = composed(60);
    let mut seat = bench.seat("ann");
    seat.keys("5");
    seat.wait_for("templates.toml 1:1");
    seat.keys("i{colour<esc>v");
    seat.wait_for("not saved: templates.toml");
    seat.keys("u");
    seat.wait_gone("not saved: templates.toml");
    seat.keys("o");
    seat.wait_for("styles.toml 1:1");
}

#[test]
fn the_coverage_view_leads_to_the_items_of_a_cell() {
    let bench = composed(600);
    let mut seat = bench.seat("ann");
    seat.keys("6");
    seat.wait_for("animal");
    seat.keys("ll<enter>");
    seat.wait_for("style:");
}
