//! Results on VLB's variants as text.

use std::fmt::Write as _;

use crate::agreement::table::{Words, plain};
use crate::out::count;
use benchtop_model::analysis::variants::{ModelVariants, Right, VariantCell};
use benchtop_model::clean;
use benchtop_model::sorting::sort_by_key;

/// The grid, the curve, and the changed answers of each model.
pub(super) fn text(list: &[ModelVariants]) -> String {
    let models: Vec<String> = list.iter().map(of_model).collect();
    models.join("\n")
}

fn signed(value: Option<f64>) -> String {
    value.map_or("-".into(), |v| format!("{v:+.2}"))
}

fn of_model(found: &ModelVariants) -> String {
    let mut out = format!("{}\n\n", clean::line(&found.model));
    out.push_str(&plain(&grid(&found.variants)));
    let percent = |right: Right| right.percent().map_or("-".into(), |v| format!("{v:.2}"));
    let line = |cell: &VariantCell| {
        vec![
            cell.variant.clone(),
            cell.difficulty.clone(),
            percent(cell.before),
            percent(cell.after),
            signed(cell.delta),
            signed(cell.delta_modified),
            cell.modified.to_string(),
            cell.unmodified.to_string(),
            cell.right_to_wrong.to_string(),
            cell.wrong_to_right.to_string(),
        ]
    };
    let head = [
        "variant",
        "meant",
        "before",
        "after",
        "delta",
        "modified",
        "n",
        "unmodified",
        "lost",
        "gained",
    ];
    let rows = found.variants.iter().map(line).collect();
    let _ = write!(out, "\n{}", plain(&Words::new(&head, rows)));
    let head = [
        "strategies",
        "meant",
        "variants",
        "before",
        "after",
        "delta",
        "n",
    ];
    let rows = found.curve.iter().map(|point| {
        vec![
            point.strategies.to_string(),
            point.difficulty.clone(),
            point.variants.to_string(),
            percent(point.before),
            percent(point.after),
            signed(point.delta),
            point.after.n.to_string(),
        ]
    });
    let _ = write!(out, "\n{}", plain(&Words::new(&head, rows.collect())));
    if !found.changed.is_empty() {
        let answers = count(found.changed.len() as u64, "question");
        let _ = writeln!(out, "\nright before, wrong after: {answers}");
    }
    for changed in &found.changed {
        let (item, original) = (changed.item, changed.original);
        let _ = writeln!(out, "{}\t#{item}\tof #{original}", changed.variant);
    }
    out
}

/// The change that the grid shows. It is undefined if no question was modified, and over all questions
/// if none says whether it was.
fn counted(cell: &VariantCell) -> Option<f64> {
    match cell.modified + cell.unmodified {
        0 => cell.delta,
        _ => cell.delta_modified,
    }
}

/// Visual strategies in the rows, language strategies in the columns, and deltas of modified questions.
fn grid(cells: &[VariantCell]) -> Words {
    let sides = |of: fn(&VariantCell) -> &String| {
        let mut found: Vec<&String> = cells.iter().map(of).collect();
        sort_by_key(&mut found, |name| (name.contains('+'), name.to_string()));
        found.dedup();
        found
    };
    let (rows, columns) = (sides(|cell| &cell.visual), sides(|cell| &cell.language));
    let named = |name: &str| match name {
        "" => "-".to_string(),
        name => name.to_string(),
    };
    let mut head = vec!["V x L".to_string()];
    head.extend(columns.iter().map(|name| named(name)));
    let row = |visual: &&String| {
        let mut line = vec![named(visual)];
        line.extend(columns.iter().map(|language| {
            let cell = cells
                .iter()
                .find(|cell| cell.visual == **visual && cell.language == **language);
            cell.map_or("".into(), |cell| signed(counted(cell)))
        }));
        line
    };
    let rows = rows.iter().map(row).collect();
    Words { head, rows }
}
