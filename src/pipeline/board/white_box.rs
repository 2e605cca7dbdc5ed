//! Marks cells of models whose own vision encoder the adversarial pictures were computed against.

use std::collections::{BTreeMap, BTreeSet};

use benchtop_model::board::Board;
use benchtop_model::board::model_names::same;

/// Marks the rows of the models that `shared` (`[white_box]` of `benchtop.toml`) lists for a proxy of
/// the adversarial pictures. `proxies` has these with the variants of the pictures. A row with an
/// instruction, `MODEL+INSTRUCTION`, and one with a mode, `MODEL (blind)`, are of the model.
pub fn mark(
    board: &mut Board,
    proxies: &BTreeSet<(String, String)>,
    shared: &BTreeMap<String, Vec<String>>,
) {
    let mut marked: BTreeSet<&str> = BTreeSet::new();
    for (proxy, variant) in proxies {
        let own = shared.iter().filter(|(name, _)| same(name, proxy));
        let models: Vec<&String> = own.flat_map(|(_, models)| models).collect();
        let columns = &board.columns;
        let has_column = columns.iter().any(|c| c.variant.as_ref() == Some(variant));
        for row in board.rows.iter_mut().filter(|_| has_column) {
            let base = row.model.split(['+', '(']).next().unwrap_or_default();
            let is_own = |model: &&String| same(model, &row.model) || same(model, base);
            if models.iter().any(is_own) && !row.white_box.contains(variant) {
                row.white_box.push(variant.clone());
                marked.insert(proxy);
            }
        }
    }
    for proxy in marked {
        board.notes.push(format!(
            "w: white box, the pictures were computed against {proxy}, which has the model's vision encoder"
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use benchtop_model::board::{Column, Counts, Row};

    #[test]
    fn rows_of_the_listed_models_are_marked_in_columns_of_the_variant() {
        let row = |model: &str| Row {
            model: model.into(),
            cells: vec![None; 2],
            counts: Counts::default(),
            reference: None,
            white_box: Vec::new(),
        };
        let models = [
            "LLaVA-1.5",
            "llava_1.5+vc",
            "LLaVA 1.5 (blind)",
            "llava-1.6",
        ];
        let board = Board {
            columns: vec![
                Column::share("Final.clean", "Final", "").of_variant("clean"),
                Column::share("Final.adversarial", "Final", "").of_variant("adversarial"),
            ],
            rows: models.map(row).to_vec(),
            ..Board::default()
        };
        let shared = |proxy: &str| {
            let models = vec!["llava-1.5".to_string()];
            BTreeMap::from([(proxy.to_string(), models)])
        };
        let proxies =
            |variant: &str| BTreeSet::from([("clip-vit-l-14".to_string(), variant.to_string())]);
        let marks = |variant: &str, proxy: &str| {
            let mut board = board.clone();
            mark(&mut board, &proxies(variant), &shared(proxy));
            let of = |row: &Row| board.columns.iter().map(|c| row.is_white_box(c)).collect();
            let marks: Vec<Vec<bool>> = board.rows.iter().map(of).collect();
            (marks, board.notes.len())
        };
        let (yes, no) = (vec![false, true], vec![false, false]);
        let marked = vec![yes.clone(), yes.clone(), yes, no.clone()];
        assert_eq!(marks("adversarial", "CLIP-ViT-L-14"), (marked, 1));
        // Another proxy, and a variant that has no column.
        let none = (vec![no; 4], 0);
        assert_eq!(marks("adversarial", "clip-vit-b-32"), none);
        assert_eq!(marks("other", "clip-vit-l-14"), none);
    }
}
