//! The products of the compositions of a plan.

use benchtop_metrics::vlb::{Applied, Composition};
use benchtop_model::bootstrap::{BootstrapPlan, PlannedComposition};
use benchtop_model::{Error, Result};

/// A chain of strategies of pictures or of questions, which compositions share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Product {
    /// Names in the order in which they are applied: `V1>V3`.
    pub key: String,
    /// The last strategy of the chain.
    pub applied: Applied,
    /// The product that it is applied to; `None` for the source.
    pub parent: Option<usize>,
}

/// A composition and the products that it joins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Joined {
    pub composition: Composition,
    pub name: String,
    pub picture: Option<usize>,
    pub text: Option<usize>,
}

/// The compositions of a plan with their products. A parent comes before its children.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Products {
    pub all: Vec<Product>,
    pub compositions: Vec<Joined>,
}

impl Products {
    /// The products of a plan.
    ///
    /// # Errors
    /// [`Error::usage`] for what is no composition, and for two with one name.
    pub fn of(plan: &BootstrapPlan) -> Result<Products> {
        plan.check()?;
        let mut products = Products::default();
        for text in &plan.strategies {
            let wrong = |what: String| Error::usage(what).field("strategies");
            let composition = Composition::parse(text).map_err(wrong)?;
            let name = composition.name();
            if let Some(other) = products.compositions.iter().find(|c| c.name == name) {
                let what = format!(
                    "`{composition}` and `{}` have the same name on the board, {name}",
                    other.composition
                );
                let help = "leave one of them out, or make it in another project";
                return Err(Error::usage(what).field("strategies").help(help));
            }
            let joined = Joined {
                picture: products.chain(&composition.picture),
                text: products.chain(&composition.text),
                composition,
                name,
            };
            products.compositions.push(joined);
        }
        Ok(products)
    }

    /// The product at the end of a chain. `None` for an empty one.
    fn chain(&mut self, chain: &[Applied]) -> Option<usize> {
        let mut parent = None;
        let mut key = String::new();
        for applied in chain {
            let separator = if key.is_empty() { "" } else { ">" };
            key = format!("{key}{separator}{}", applied.name());
            let found = self.all.iter().position(|product| product.key == key);
            parent = Some(found.unwrap_or_else(|| {
                self.all.push(Product {
                    key: key.clone(),
                    applied: *applied,
                    parent,
                });
                self.all.len() - 1
            }));
        }
        parent
    }

    /// The product with this key.
    pub fn position(&self, key: &str) -> Option<usize> {
        self.all.iter().position(|product| product.key == key)
    }

    /// A product and those before it, the first one first.
    pub fn lineage(&self, product: Option<usize>) -> Vec<usize> {
        let of = |at: &usize| self.all.get(*at).and_then(|product| product.parent);
        let mut all: Vec<usize> = std::iter::successors(product, of).collect();
        all.reverse();
        all
    }

    /// The products that a composition joins, those of the picture first.
    pub fn joined(&self, composition: &Joined) -> Vec<usize> {
        let mut all = self.lineage(composition.picture);
        all.extend(self.lineage(composition.text));
        all
    }

    /// The compositions, for people.
    pub fn planned(&self) -> Vec<PlannedComposition> {
        let one = |joined: &Joined| PlannedComposition {
            text: joined.composition.to_string(),
            name: joined.name.clone(),
            difficulty: joined.composition.difficulty().name().into(),
        };
        self.compositions.iter().map(one).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(strategies: &[&str]) -> Result<Products> {
        Products::of(&BootstrapPlan {
            strategies: strategies.iter().map(|s| (*s).into()).collect(),
            ..BootstrapPlan::default()
        })
    }

    #[test]
    fn compositions_share_their_products() {
        let products = of(&["L1", "L4", "V1+L4", "V3(V1)+L4", "V3"]).unwrap();
        let keys: Vec<&str> = products.all.iter().map(|p| &*p.key).collect();
        assert_eq!(keys, ["L1", "L4", "V1", "V1>V3", "V3"]);
        let last = &products.compositions[3];
        assert_eq!(products.joined(last), [2, 3, 1]);
        let names: Vec<String> = products.planned().into_iter().map(|c| c.name).collect();
        assert_eq!(names, ["L1", "L4", "V1+L4", "V1+V3+L4", "V3"]);
    }

    #[test]
    fn two_compositions_of_one_name_are_refused() {
        for wrong in [&["V3(V1)", "V1(V3)"][..], &["L1", "L1"], &["L9"], &[]] {
            let problem = of(wrong).unwrap_err();
            assert_eq!(
                problem.place.field.as_deref(),
                Some("strategies"),
                "{wrong:?}"
            );
        }
        assert!(of(&["V3", "V3@1.25"]).is_ok());
    }
}
