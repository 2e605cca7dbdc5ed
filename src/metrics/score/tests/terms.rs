use std::collections::BTreeMap;

use super::*;
use crate::score::basis::Basis;
use crate::score::term_codes::MOST_TERMS;
use benchtop_model::Provenance;
use benchtop_model::agreement::Bootstrap;
use benchtop_model::board::CHANCE;

/// A composed item about picture `picture` with a term of the vocabulary `animal`.
fn composed(n: usize, kind: QuestionKind, picture: usize, animal: &str) -> Item {
    let mut of = item(n, kind, "animal", "", "");
    of.images[0].name = format!("{picture}.png");
    let terms = [("animal", animal), ("style", "oil")];
    let chance = match kind {
        QuestionKind::MultipleChoice => Some(1.0 / 3.0),
        QuestionKind::TrueFalse => Some(0.5),
        _ => None,
    };
    of.provenance = Some(Box::new(Provenance {
        terms: terms.map(|(k, v)| (k.into(), v.into())).into(),
        chance,
        ..Provenance::default()
    }));
    of
}

fn engine(items: &[Item], models: Vec<Arc<ModelAnswers>>) -> BoardEngine {
    let mut sheet = QuestionTable::default();
    items.iter().for_each(|item| sheet.push(item).unwrap());
    BoardEngine::new(Arc::new(sheet), models)
}

/// Option 1 is right in every question of these tests.
fn marks(right: &[bool]) -> Vec<ParsedAnswer> {
    let mark = |right: &bool| ParsedAnswer::option(usize::from(*right));
    right.iter().map(mark).collect()
}

#[test]
fn terms_have_columns_on_demand_and_intervals_by_picture() {
    // Ten pictures of two questions each; both answers about a picture are equally right.
    let kind = QuestionKind::MultipleChoice;
    let animal = |n: usize| if n < 12 { "cat" } else { "owl" };
    let mut items: Vec<Item> = (0..20)
        .map(|n| composed(n, kind, n / 2, animal(n)))
        .collect();
    // Free form and other variants do not count.
    items.push(composed(20, QuestionKind::FreeForm, 0, "cat"));
    let mut variant = composed(21, kind, 1, "cat");
    variant.variant = Some(Variant {
        name: "corruption".into(),
        ..Variant::default()
    });
    items.push(variant);
    let mut right: Vec<bool> = (0..20).map(|n| (n / 2) % 3 != 0).collect();
    right.extend([true, true]);
    let engine = engine(&items, vec![model("m", marks(&right))]);
    let board = engine.count(&engine.choose(None));
    let names: Vec<&str> = board.columns.iter().map(|c| &*c.name).collect();
    assert_eq!(
        names[names.len() - 2..],
        ["Acc.term.animal.cat", "Acc.term.animal.owl"]
    );
    assert!(
        board
            .columns
            .iter()
            .all(|c| c.on_demand == c.name.contains(".term."))
    );
    assert_eq!(
        cell(&board, "m", "Acc.term.animal.cat"),
        Some(Cell::Share { k: 8, n: 12 })
    );
    assert_eq!(
        cell(&board, "m", "Acc.term.animal.owl"),
        Some(Cell::Share { k: 4, n: 8 })
    );
    let column = engine.column("Acc.term.animal.cat").unwrap();
    let all = engine.choose(None);
    let sums = engine.bootstrap(column, &[(0, &all)]).unwrap();
    assert_eq!((sums.cluster(), sums.clusters()), ("image", 6));
    let plan = Bootstrap {
        draws: 400,
        seed: 1,
    };
    let interval = sums.interval(plan).unwrap();
    let independent = (8.0f64 / 12.0 * (4.0 / 12.0) / 12.0).sqrt();
    assert!(interval.standard_error > 1.15 * independent, "{interval:?}");
    // The units are the answers of the cell, also in a selection.
    let some = engine.choose(Some(&|row| row < 4));
    let board = engine.count(&some);
    assert_eq!(
        cell(&board, "m", "Acc.term.animal.cat"),
        Some(Cell::Share { k: 2, n: 4 })
    );
    assert_eq!(cell(&board, "m", "Acc.term.animal.owl"), None);
    let rights = column
        .units(&engine, 0, &some)
        .into_iter()
        .filter(|(_, right)| *right);
    assert_eq!(rights.count(), 2);
}

#[test]
fn large_vocabularies_have_no_columns_and_revisions_replace_terms() {
    let kind = QuestionKind::MultipleChoice;
    let many: Vec<Item> = (0..MOST_TERMS + 2)
        .map(|n| composed(n, kind, n, &format!("term {n}")))
        .collect();
    let of = |items: &[Item]| {
        let right = vec![true; items.len()];
        let engine = engine(items, vec![model("m", marks(&right))]);
        engine.columns().filter(|c| c.on_demand).count()
    };
    assert_eq!((of(&many), of(&many[..MOST_TERMS])), (0, MOST_TERMS));
    let mut sheet = QuestionTable::default();
    sheet.push(&composed(0, kind, 0, "cat")).unwrap();
    sheet.push(&composed(1, kind, 1, "owl")).unwrap();
    sheet.put(0, &composed(0, kind, 0, "owl")).unwrap();
    let term = |sheet: &QuestionTable, row: usize| {
        let terms = &sheet.terms[0];
        terms.names[terms.code(row)].clone()
    };
    assert_eq!([term(&sheet, 0), term(&sheet, 1)], ["owl", "owl"]);
    sheet.put(1, &item(1, kind, "animal", "", "")).unwrap();
    assert_eq!(term(&sheet, 1), "");
}

#[test]
fn inconsistent_pictures_are_right_in_one_type_and_wrong_in_the_other() {
    let (choice, claim) = (QuestionKind::MultipleChoice, QuestionKind::TrueFalse);
    // Picture by picture: right in both, inconsistent, wrong in both, right in the claim only.
    let mut items = Vec::new();
    for picture in 0..4 {
        items.push(composed(2 * picture, choice, picture, "cat"));
        items.push(composed(2 * picture + 1, claim, picture, "cat"));
    }
    // A picture with one type, and another subtask of an inconsistent picture, do not pair up.
    items.push(composed(8, choice, 4, "cat"));
    let mut other = composed(9, claim, 2, "cat");
    other.subtask = Some("color".into());
    items.push(other);
    let right = [
        true, true, true, false, false, false, false, true, true, false,
    ];
    let engine = engine(&items, vec![model("m", marks(&right))]);
    let all = engine.choose(None);
    let board = engine.count(&all);
    assert_eq!(
        cell(&board, "m", "inconsistent"),
        Some(Cell::Share { k: 1, n: 4 })
    );
    let column = engine.column("inconsistent").unwrap();
    let listed = (0..items.len()).filter(|row| column.counts(&engine, 0, *row));
    assert_eq!(listed.collect::<Vec<_>>(), [2, 3]);
    assert!(
        column.head.describes,
        "a model that knows nothing is not better"
    );
    // Without the claim of the picture, there is no pair.
    let some = engine.choose(Some(&|row| row != 3));
    let board = engine.count(&some);
    assert_eq!(
        cell(&board, "m", "inconsistent"),
        Some(Cell::Share { k: 0, n: 3 })
    );
}

#[test]
fn the_chance_row_has_the_level_of_every_column_of_shares() {
    let (choice, claim) = (QuestionKind::MultipleChoice, QuestionKind::TrueFalse);
    let mut items: Vec<Item> = (0..6).map(|n| composed(n, choice, n, "cat")).collect();
    items.extend((6..8).map(|n| composed(n, claim, n, "cat")));
    let right = vec![true; 8];
    let engine = engine(&items, vec![model("m", marks(&right))]);
    let values = |chosen: &ItemSelection| {
        let row = engine.chance_row(chosen);
        assert!(row.is_chance() && row.reference.as_deref() == Some(CHANCE));
        let value = |(cell, column): (&Option<Cell>, &benchtop_model::board::Column)| {
            Some((column.name.clone(), cell.as_ref()?.value()?))
        };
        row.cells
            .iter()
            .zip(engine.columns())
            .filter_map(value)
            .collect::<BTreeMap<_, _>>()
    };
    let all = values(&engine.choose(None));
    let close = |found: Option<&f64>, wanted: f64| {
        assert!(
            found.is_some_and(|f| (f - wanted).abs() < 1e-12),
            "{found:?} {wanted}"
        );
    };
    close(all.get("Acc"), (6.0 / 3.0 + 2.0 / 2.0) / 8.0);
    close(all.get("Acc.type.true-false"), 0.5);
    close(all.get("MC+TF.clean"), (1.0 / 3.0 + 0.5) / 2.0);
    assert!(!all.contains_key("SQ"), "variances have none: {all:?}");
    let some = values(&engine.choose(Some(&|row| row < 6)));
    close(some.get("Acc"), 1.0 / 3.0);
    assert!(!some.contains_key("Acc.type.true-false"), "{some:?}");
    // One question without a level leaves its columns without one.
    items[0].provenance.as_mut().unwrap().chance = None;
    let engine = super::terms::engine(&items, vec![model("m", marks(&right))]);
    let row = engine.chance_row(&engine.choose(None));
    let at = |name: &str| engine.columns().position(|c| c.name == name).unwrap();
    assert_eq!(row.cells[at("Acc")], None);
    assert!(row.cells[at("Acc.type.true-false")].is_some());
    assert!(matches!(
        engine.column("Acc").unwrap().basis(&engine),
        Basis::Sums(_)
    ));
}
