//! What counts where: of which data sets, variants and models.

use super::*;

const MC: QuestionKind = QuestionKind::MultipleChoice;
const TF: QuestionKind = QuestionKind::TrueFalse;

/// An item of a data set.
fn of(set: &str, n: usize, kind: QuestionKind, variant: &str) -> Item {
    Item { id: format!("{set}/{n}"), dataset: set.into(), ..item(n, kind, "s1", "", variant) }
}

/// The right answer to these questions, the first option's in all others.
fn right(of: impl IntoIterator<Item = bool>) -> Vec<Mark> {
    of.into_iter().map(|right| Mark::option(usize::from(right))).collect()
}

fn names(ruled: &Ruled) -> Vec<&str> {
    ruled.columns().map(|c| c.name.as_str()).collect()
}

#[test]
fn what_was_never_clean_is_not_called_so() {
    let mut sheet = Sheet::default();
    for n in 0..40 {
        let variant = if n < 20 { "blind" } else { "corruption" };
        sheet.push(&of("d", n, if n % 2 == 0 { MC } else { TF }, variant)).unwrap();
    }
    let ruled = Ruled::new(Arc::new(sheet), vec![model("m", right((0..40).map(|n| n >= 20)))]);
    let board = ruled.board(&ruled.choose(None));
    assert_eq!(names(&ruled), ["MC+TF.blind", "MC+TF.corruption"], "nothing is the base, so there is no other column");
    assert_eq!(cell(&board, "m", "MC+TF.blind"), Some(Cell::Mean { value: 0.0, n: 20 }));
    assert_eq!(cell(&board, "m", "MC+TF.corruption"), Some(Cell::Mean { value: 1.0, n: 20 }));
}

#[test]
fn orders_of_the_same_questions_count_whatever_other_data_sets_hold() {
    let mut sheet = Sheet::default();
    for n in 0..10 {
        let level = if n % 2 == 0 { "basic" } else { "know" };
        sheet.push(&Item { level: Some(level.into()), ..of("sap", n, MC, &format!("shuffle-{}", n / 2 + 1)) }).unwrap();
    }
    let marks = right((0..10).map(|n| n < 3));
    let alone = Ruled::new(Arc::new(sheet.clone()), vec![model("m", marks.clone())]);
    let of_sap = Some(Cell::Share { k: 3, n: 10 });
    let shares = |ruled: &Ruled, columns: &[&str]| {
        let board = ruled.board(&ruled.choose(None));
        columns.iter().map(|column| cell(&board, "m", column)).collect::<Vec<_>>()
    };
    let levels = [Some(Cell::Share { k: 2, n: 5 }), Some(Cell::Share { k: 1, n: 5 })];
    assert_eq!(shares(&alone, &["Acc", "Acc.level.basic", "Acc.level.know"]), [of_sap, levels[0], levels[1]]);
    // Five questions of another set come beside them: they are added, and take nothing away.
    (10..15).for_each(|n| sheet.push(&of("oth", n, MC, "")).unwrap());
    let marks = marks.into_iter().chain(right([true; 5])).collect();
    let beside = Ruled::new(Arc::new(sheet), vec![model("m", marks)]);
    let want = [Some(Cell::Share { k: 8, n: 15 }), of_sap, levels[0], levels[1]];
    assert_eq!(shares(&beside, &["Acc", "Acc.dataset.sap", "Acc.level.basic", "Acc.level.know"]), want);
}

#[test]
fn a_variant_of_one_type_keeps_its_accuracy_beside_final_scores() {
    let mut sheet = Sheet::default();
    (0..4).for_each(|n| sheet.push(&of("dysca", n, [MC, TF][n % 2], "")).unwrap());
    (4..6).for_each(|n| sheet.push(&of("vlb", n, MC, "V1")).unwrap());
    let ruled = Ruled::new(Arc::new(sheet), vec![model("m", right([true, true, true, true, true, false]))]);
    let board = ruled.board(&ruled.choose(None));
    assert_eq!(cell(&board, "m", "Acc.variant.V1"), Some(Cell::Share { k: 1, n: 2 }));
    assert_eq!(cell(&board, "m", "MC+TF.clean"), Some(Cell::Mean { value: 1.0, n: 4 }));
    assert!(!names(&ruled).iter().any(|name| name.starts_with("MC+TF.V1")), "it has no true or false");
}
