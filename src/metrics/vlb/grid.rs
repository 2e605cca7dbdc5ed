//! VLB's variants as a grid of visual and language strategies, and by their number.

use super::{Strategy, strategies};

benchtop_model::named! {
    /// Whether a composition is meant to make questions harder.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum Difficulty {
        /// All of its strategies are.
        Harder = "harder",
        /// None of them is.
        Easier = "easier",
        Mixed = "mixed",
    }
}

/// A variant's place in the grid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The visual strategies, such as `V1+V3@2`; empty for none.
    pub visual: String,
    /// The language strategies; empty for none.
    pub language: String,
    /// Number of strategies.
    pub count: usize,
    pub difficulty: Difficulty,
}

/// The place of a variant. `None` if its name is not one of strategies.
pub fn place(variant: &str) -> Option<Place> {
    let all = strategies(variant)?;
    let parts: Vec<&str> = variant.split('+').map(str::trim).collect();
    let side = |is_visual: bool| {
        let own = all.iter().zip(&parts);
        let own = own.filter(|(strategy, _)| is_of_picture(**strategy) == is_visual);
        own.map(|(_, part)| *part).collect::<Vec<_>>().join("+")
    };
    let harder = all.iter().filter(|strategy| strategy.is_harder()).count();
    Some(Place {
        visual: side(true),
        language: side(false),
        count: all.len(),
        difficulty: match harder {
            0 => Difficulty::Easier,
            n if n == all.len() => Difficulty::Harder,
            _ => Difficulty::Mixed,
        },
    })
}

fn is_of_picture(strategy: Strategy) -> bool {
    matches!(strategy, Strategy::V1 | Strategy::V2 | Strategy::V3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variant_has_a_place_by_its_strategies() {
        let of = |variant: &str| {
            let place = place(variant)?;
            Some((place.visual, place.language, place.count, place.difficulty))
        };
        let at = |visual: &str, language: &str, count, difficulty| {
            Some((visual.to_string(), language.to_string(), count, difficulty))
        };
        assert_eq!(of("V1"), at("V1", "", 1, Difficulty::Harder));
        assert_eq!(of("L3"), at("", "L3", 1, Difficulty::Easier));
        assert_eq!(of("V1+V3@2+L4"), at("V1+V3@2", "L4", 3, Difficulty::Harder));
        assert_eq!(of("V2+L3"), at("V2", "L3", 2, Difficulty::Easier));
        assert_eq!(of("V2 + L4"), at("V2", "L4", 2, Difficulty::Mixed));
        assert_eq!((of("corruption"), of("V1+V1"), of("")), (None, None, None));
    }
}
