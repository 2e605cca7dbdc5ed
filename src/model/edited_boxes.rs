//! The boxes that a derivation records, as marks on the picture of its item.

use serde_json::{Map, Value};

use crate::derivation::{BOXES, EDITS, PLACE, SIZE};
use crate::mark::{LABEL_CHARS, MOST_MARKS};
use crate::{Derivation, Mark, PixelBox};

/// Most edits of a picture, one after another.
const MOST_EDITS: usize = 16;

impl Derivation {
    /// The boxes that were repainted, and the place of the source where the picture was extended. They
    /// are on the first picture of the item. Parameters can come from outside: what cannot be is left
    /// out.
    pub fn boxes(&self) -> Vec<Mark> {
        let alone = std::slice::from_ref(&self.parameters);
        let several: Vec<Map<String, Value>>;
        let edits = match self.parameters.get(EDITS).and_then(Value::as_array) {
            Some(list) => {
                let maps = list.iter().filter_map(Value::as_object);
                several = maps.take(MOST_EDITS).cloned().collect();
                &several
            }
            None => alone,
        };
        let Some([width, height]) = edits.last().and_then(|last| pair(last, SIZE)) else {
            return Vec::new();
        };
        if width == 0 || height == 0 {
            return Vec::new();
        }
        let mut marks = Vec::new();
        // From the last edit: its source is at this place of the picture.
        let mut place = [0u32; 2];
        for edit in edits.iter().rev() {
            let Some(own) = pair(edit, PLACE) else { break };
            let text = |name: &str| edit.get(name).and_then(Value::as_str).unwrap_or_default();
            let strategy = text("strategy");
            let label = |what: &str| {
                let text = format!("{strategy} {what}");
                let text: String = text.trim().chars().take(LABEL_CHARS).collect();
                Some(text).filter(|text| !text.is_empty())
            };
            if let Some([wide, high]) = pair(edit, SIZE)
                && own != [0, 0]
            {
                // The frame is as wide on both sides.
                let edges = [
                    own[0],
                    own[1],
                    wide.saturating_sub(own[0]),
                    high.saturating_sub(own[1]),
                ];
                let source = PixelBox::new(edges).and_then(|of| moved(of, place));
                marks.extend(source.map(|of| (of, label("source"))));
            }
            place = [0, 1].map(|at| place[at].saturating_add(own[at]));
            let boxes = edit
                .get(BOXES)
                .and_then(Value::as_array)
                .into_iter()
                .flatten();
            let boxes = boxes.filter_map(|of| serde_json::from_value::<PixelBox>(of.clone()).ok());
            let boxes = boxes.filter_map(|of| moved(of, place));
            marks.extend(boxes.map(|of| (of, label(text("object")))));
            marks.truncate(MOST_MARKS);
        }
        let (wide, high) = (f64::from(width), f64::from(height));
        marks
            .into_iter()
            .filter(|(of, _)| of.is_inside((width, height)))
            .map(|(of, label)| {
                let [x0, y0, x1, y1] = of.sides().map(f64::from);
                let corner = |x: f64, y: f64| (x / wide, y / high);
                Mark::area(1, corner(x0, y0), corner(x1, y1)).labeled(label)
            })
            .collect()
    }
}

fn moved(of: PixelBox, [right, down]: [u32; 2]) -> Option<PixelBox> {
    let [x0, y0, x1, y1] = of.sides();
    PixelBox::new([
        x0.checked_add(right)?,
        y0.checked_add(down)?,
        x1.checked_add(right)?,
        y1.checked_add(down)?,
    ])
}

fn pair(edit: &Map<String, Value>, name: &str) -> Option<[u32; 2]> {
    serde_json::from_value(edit.get(name)?.clone()).ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn boxes(parameters: Value) -> Vec<(String, [f64; 4])> {
        let derivation = Derivation {
            parameters: parameters.as_object().unwrap().clone(),
            ..Derivation::default()
        };
        let named = |mark: Mark| (mark.label.clone().unwrap_or_default(), mark.bounds());
        derivation.boxes().into_iter().map(named).collect()
    }

    #[test]
    fn boxes_are_in_the_picture_that_is_shown() {
        let add = json!({"strategy": "V1", "object": "a ball", "boxes": [[10, 20, 30, 60]],
            "place": [0, 0], "size": [100, 100]});
        assert_eq!(
            boxes(add.clone()),
            [("V1 a ball".to_string(), [0.1, 0.2, 0.3, 0.6])]
        );
        let extend = json!({"strategy": "V3", "ratio": 2.0, "place": [50, 50], "size": [200, 200]});
        assert_eq!(
            boxes(json!({"edits": [add, extend], "seed": 3})),
            [
                ("V3 source".to_string(), [0.25, 0.25, 0.75, 0.75]),
                ("V1 a ball".to_string(), [0.3, 0.35, 0.4, 0.55]),
            ]
        );
    }

    #[test]
    fn parameters_of_others_have_no_boxes() {
        for odd in [
            json!({}),
            json!({"boxes": [[10, 20, 30, 60]]}),
            json!({"boxes": [[10, 20, 30, 60]], "place": [0, 0], "size": [0, 0]}),
            json!({"boxes": [[10, 20, 30, 60]], "place": [0, 0], "size": [20, 20]}),
            json!({"boxes": [[30, 20, 10, 60], "x", [1, 2]], "place": [0, 0], "size": [99, 99]}),
            json!({"boxes": 7, "place": [0, 0], "size": [99, 99]}),
            json!({"edits": 7, "size": [99, 99]}),
            json!({"edits": [7, {"boxes": [[1, 1, 2, 2]]}], "size": [99, 99]}),
            json!({"edits": [{"boxes": [[1, 1, 2, 2]], "place": [u32::MAX, 0], "size": [9, 9]},
                {"place": [9, 9], "size": [9, 9]}]}),
        ] {
            assert_eq!(boxes(odd.clone()), [], "{odd}");
        }
        let many = json!({"boxes": vec![[1, 1, 2, 2]; 5000], "place": [0, 0], "size": [9, 9]});
        assert_eq!(boxes(many).len(), MOST_MARKS);
    }
}
