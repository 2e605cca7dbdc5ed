//! Compositions of strategies: `V3(V1)+L4` adds an object, extends the picture, and adds context.

use super::{Strategy, strategies};

/// The factor by which V3 extends a picture if none is given, in hundredths.
pub const RATIO: u32 = 150;
/// The factors that VLB uses, in hundredths.
pub const RATIOS: [u32; 4] = [125, 150, 175, 200];

/// A strategy of a composition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Applied {
    pub strategy: Strategy,
    /// The factor of V3, in hundredths; 0 for other strategies.
    pub ratio: u32,
}

impl Applied {
    /// Its name: `V1`, `V3`, or `V3@1.25`.
    pub fn name(self) -> String {
        match self.ratio {
            0 | RATIO => self.strategy.name().into(),
            ratio => {
                let digits = format!("{}.{:02}", ratio / 100, ratio % 100);
                let digits = digits.trim_end_matches('0').trim_end_matches('.');
                format!("{}@{digits}", self.strategy.name())
            }
        }
    }

    fn parse(text: &str) -> Result<Applied, String> {
        let (name, ratio) = match text.split_once('@') {
            Some((name, ratio)) => (name.trim(), Some(ratio.trim())),
            None => (text.trim(), None),
        };
        let strategy = Strategy::from_name(name).ok_or_else(|| {
            let known = Strategy::ALL.map(Strategy::name).join(", ");
            format!("unknown strategy `{name}`; use one of: {known}")
        })?;
        let ratio = match (strategy, ratio) {
            (Strategy::V3, None) => RATIO,
            (Strategy::V3, Some(ratio)) => {
                let found = RATIOS
                    .into_iter()
                    .find(|of| ratio.parse::<f64>() == Ok(f64::from(*of) / 100.0));
                found.ok_or_else(|| {
                    format!("V3 cannot extend by `{ratio}`; use 1.25, 1.5, 1.75, or 2")
                })?
            }
            (_, None) => 0,
            (_, Some(_)) => return Err(format!("`{name}` has no ratio; only V3 has one")),
        };
        Ok(Applied { strategy, ratio })
    }
}

/// Strategies in the order in which they are applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Composition {
    /// Those that change the picture.
    pub picture: Vec<Applied>,
    /// Those that change the question.
    pub text: Vec<Applied>,
}

/// The difficulty of a composition, known before anything is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Difficulty {
    Harder,
    Easier,
    /// Some strategies are meant to make it harder, some easier.
    Mixed,
}

benchtop_model::named!(Difficulty {
    Harder: "harder",
    Easier: "easier",
    Mixed: "mixed",
});

impl Composition {
    /// Parses `L1`, `V1+L4`, `V3(V1)+L4`, or `V3@1.25`. Inner strategies come first.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(text: &str) -> Result<Composition, String> {
        let wrong = |why: String| format!("`{text}` is not a composition of strategies: {why}");
        let mut applied: Vec<Applied> = Vec::new();
        for term in text.split('+') {
            let mut inner = Vec::new();
            let mut rest = term.trim();
            while let Some((outer, within)) = rest.split_once('(') {
                let within = within
                    .strip_suffix(')')
                    .ok_or_else(|| wrong("a parenthesis is not closed".into()))?;
                inner.push(Applied::parse(outer).map_err(wrong)?);
                rest = within.trim();
            }
            inner.push(Applied::parse(rest).map_err(wrong)?);
            let is_picture = |one: &Applied| one.strategy.is_of_picture();
            if inner.iter().any(is_picture) && !inner.iter().all(is_picture) {
                let why = "a strategy of pictures and one of questions are joined with `+`";
                return Err(wrong(why.into()));
            }
            inner.reverse();
            applied.extend(inner);
        }
        for (at, one) in applied.iter().enumerate() {
            if applied[..at].iter().any(|o| o.strategy == one.strategy) {
                return Err(wrong(format!("{} occurs twice", one.strategy.name())));
            }
        }
        let (picture, text) = applied
            .into_iter()
            .partition(|one| one.strategy.is_of_picture());
        Ok(Composition { picture, text })
    }

    /// The twelve pairs of a strategy of pictures and one of questions (VLB, Table 3).
    pub fn pairs() -> Vec<Composition> {
        let one = |strategy: Strategy| Applied {
            strategy,
            ratio: if strategy == Strategy::V3 { RATIO } else { 0 },
        };
        let is_picture = |s: &Strategy| s.is_of_picture();
        let (pictures, texts): (Vec<Strategy>, Vec<Strategy>) =
            Strategy::ALL.into_iter().partition(is_picture);
        let pairs = pictures
            .iter()
            .flat_map(|v| texts.iter().map(|l| (one(*v), one(*l))));
        pairs
            .map(|(v, l)| Composition {
                picture: vec![v],
                text: vec![l],
            })
            .collect()
    }

    /// All strategies, those of pictures first.
    pub fn applied(&self) -> impl Iterator<Item = Applied> {
        self.picture.iter().chain(&self.text).copied()
    }

    /// The name of its column on the board, in the order of the paper: `V1+V3+L4`.
    pub fn name(&self) -> String {
        let mut all: Vec<Applied> = self.applied().collect();
        all.sort_unstable();
        let names: Vec<String> = all.into_iter().map(Applied::name).collect();
        names.join("+")
    }

    /// The difficulty that its strategies are meant to have.
    pub fn difficulty(&self) -> Difficulty {
        let harder = |one: Applied| one.strategy.is_harder();
        match (self.applied().all(harder), self.applied().any(harder)) {
            (true, _) => Difficulty::Harder,
            (_, false) => Difficulty::Easier,
            _ => Difficulty::Mixed,
        }
    }
}

impl std::fmt::Display for Composition {
    /// The text that [`Composition::parse`] reads.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let nested = |chain: &[Applied]| {
            let mut text = String::new();
            for one in chain {
                text = match text.is_empty() {
                    true => one.name(),
                    false => format!("{}({text})", one.name()),
                };
            }
            text
        };
        let parts = [nested(&self.picture), nested(&self.text)];
        let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
        let parts: Vec<&str> = parts.into_iter().filter(|p| !p.is_empty()).collect();
        f.write_str(&parts.join("+"))
    }
}

/// Whether a variant of this name is meant to be harder; `None` for other variants.
pub fn difficulty(variant: &str) -> Option<Difficulty> {
    strategies(variant)?;
    Composition::parse(variant).ok().map(|c| c.difficulty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compositions_are_read_in_the_order_in_which_they_apply() {
        let of = |text: &str| Composition::parse(text).unwrap();
        let nested = of("V3(V1)+L4");
        let order = |chain: &[Applied]| -> Vec<String> { chain.iter().map(|a| a.name()).collect() };
        assert_eq!(order(&nested.picture), ["V1", "V3"]);
        assert_eq!(order(&nested.text), ["L4"]);
        assert_eq!(nested.name(), "V1+V3+L4");
        assert_eq!(of("L4 + V3( V1 )").to_string(), "V3(V1)+L4");
        assert_eq!(of("V1(V3@2)").name(), "V1+V3@2");
        assert_eq!(of("V3@1.5").name(), "V3");
        assert_eq!(of("V3@1.25+L2").name(), "V3@1.25+L2");
        for text in ["V3(V1)+L4", "L1", "V3@1.75+L3(L1)", "V2+L4"] {
            assert_eq!(of(&of(text).to_string()), of(text), "{text}");
        }
    }

    #[test]
    fn what_is_no_composition_is_refused() {
        for (text, why) in [
            ("", "``"),
            ("X1", "`X1`"),
            ("V1+", "``"),
            ("V1+V1", "twice"),
            ("V3(V3@2)", "twice"),
            ("V3(V1", "parenthesis"),
            ("V3(V1)x", "parenthesis"),
            ("V3(L1)", "`+`"),
            ("V3@3", "`3`"),
            ("V3@1.25@2", "`1.25@2`"),
            ("L1@1.25", "ratio"),
        ] {
            let problem = Composition::parse(text).unwrap_err();
            assert!(problem.contains(why), "{text}: {problem}");
        }
    }

    #[test]
    fn the_pairs_are_the_twelve_of_the_paper_with_their_difficulty() {
        let pairs = Composition::pairs();
        assert_eq!(pairs.len(), 12);
        let names: Vec<String> = pairs.iter().map(Composition::name).collect();
        assert_eq!((&*names[0], &*names[11]), ("V1+L1", "V3+L4"));
        assert_eq!(difficulty("V1+L4"), Some(Difficulty::Harder));
        assert_eq!(difficulty("V2+L3"), Some(Difficulty::Easier));
        assert_eq!(difficulty("V1+L3"), Some(Difficulty::Mixed));
        assert_eq!(difficulty("V3@1.25"), Some(Difficulty::Harder));
        assert_eq!(difficulty("corruption"), None);
    }
}
