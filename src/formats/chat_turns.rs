//! Numbers the rows of a table that are rotations of one question.

use std::collections::HashMap;

use benchtop_model::{Key, Rotation};

/// VLMEvalKit adds this to a question's index for each rotation of its options.
pub(super) const ROTATION: i64 = 1_000_000;

/// Counts the rows of each rotation set.
#[derive(Default)]
pub(super) struct Turns {
    rows: HashMap<Key, u32>,
}

impl Turns {
    /// The rotation of the next row, from its set, its key, and its number of options. Uses
    /// VLMEvalKit's numbering of keys if it applies, else the row's position in its set, because
    /// other tools name rows freely.
    pub(super) fn next(&mut self, set: Key, key: &Key, options: usize) -> Option<Rotation> {
        let row = self.rows.entry(set.clone()).or_default();
        *row += 1;
        let index = match (key, &set) {
            (Key::Int(n), Key::Int(first)) if *n >= 0 && n % ROTATION == *first => {
                u32::try_from(n / ROTATION).ok()? + 1
            }
            _ => *row,
        };
        let of = u32::try_from(options).unwrap_or(u32::MAX).max(index);
        Some(Rotation {
            set: set.to_string(),
            index,
            of,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rotation_follows_the_key_or_the_position_in_the_file() {
        let turns = |rows: &[(Key, Key)]| -> Vec<u32> {
            let mut turns = Turns::default();
            rows.iter()
                .map(|(set, key)| turns.next(set.clone(), key, 2).unwrap().index)
                .collect()
        };
        let int = Key::Int;
        let text = |text: &str| Key::Text(text.into());
        let vlm = [
            (int(3), int(1_000_003)),
            (int(3), int(3)),
            (int(4), int(4)),
            (int(4), int(2_000_004)),
        ];
        assert_eq!(turns(&vlm), [2, 1, 1, 3]);
        let named = [
            (text("q"), text("q-a")),
            (text("r"), text("r-a")),
            (text("q"), text("q-b")),
        ];
        assert_eq!(turns(&named), [1, 1, 2]);
        let counted = [
            (int(0), int(0)),
            (int(0), int(1)),
            (int(1), int(2)),
            (int(1), int(3)),
        ];
        assert_eq!(turns(&counted), [1, 2, 1, 2]);
    }
}
