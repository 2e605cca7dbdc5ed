//! The pictures that a plan can have under compatibility rules, and the questions about each.

use std::collections::BTreeMap;

use super::compatibility::Compatibility;
use benchtop_model::sorting::sort_by_key;

/// Maximum number of classes per plan entry. Beyond it, terms that hide anything asked about are
/// left out.
const MOST: usize = 64;

/// Terms of some lists, as positions.
pub type Allowed = Vec<(usize, Vec<u32>)>;

/// The terms of a list; `None` if it is not among `of`.
pub fn terms_of(of: &[(usize, Vec<u32>)], list: usize) -> Option<&[u32]> {
    of.iter()
        .find(|(l, _)| *l == list)
        .map(|(_, terms)| &terms[..])
}

/// Pictures that support the same set of questions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Class {
    /// The lists that are restricted to some of their terms.
    pub terms: Allowed,
    /// Whether each question can be asked.
    pub asked: Vec<bool>,
    /// Number of term combinations.
    weight: u128,
}

/// A question, as far as compatibility matters.
#[derive(Clone, Debug)]
pub struct Asks {
    /// The lists that it is about.
    pub lists: Vec<usize>,
    /// The list of its options, if it has wrong answers.
    pub options: Option<usize>,
}

/// Removes terms from `allowed` that are incompatible with all partners.
pub fn prune(rules: &Compatibility, lists: &[usize], allowed: &mut Allowed) {
    let pairs: Vec<_> = rules
        .clashing()
        .filter(|(a, b)| lists.contains(a) && lists.contains(b))
        .collect();
    loop {
        let mut left_out = false;
        for &(a, b) in pairs
            .iter()
            .flat_map(|&(a, b)| [(a, b), (b, a)])
            .collect::<Vec<_>>()
            .iter()
        {
            let others = terms_of(allowed, b).unwrap_or_default().to_vec();
            let Some((_, own)) = allowed.iter_mut().find(|(l, _)| *l == a) else {
                continue;
            };
            let before = own.len();
            own.retain(|term| {
                others
                    .iter()
                    .any(|other| !rules.clash((a, *term), (b, *other)))
            });
            left_out |= own.len() < before;
        }
        if !left_out {
            return;
        }
    }
}

/// Groups the possible pictures with terms of `lists` by the questions that they support. `sorted`
/// splits the terms of a list further, where they must not be mixed. Empty if no question is
/// possible.
pub fn classes(
    rules: &Compatibility,
    lists: &[usize],
    allowed: &Allowed,
    asks: &[Asks],
    sorted: &dyn Fn(usize, u32) -> usize,
) -> Vec<Class> {
    let of = |list: usize| terms_of(allowed, list).unwrap_or_default();
    let asked = |list: usize, term: u32| -> Vec<bool> {
        let can = |ask: &Asks| {
            let hidden = ask.lists.iter().any(|l| rules.hides((list, term), *l));
            !hidden
                && (ask.options != Some(list) || rules.wrong_answers(list, term, of(list), 1) > 0)
        };
        asks.iter().map(can).collect()
    };
    let mut all = vec![Class {
        terms: Vec::new(),
        asked: vec![true; asks.len()],
        weight: 1,
    }];
    for &list in lists {
        if !rules.is_hiding(list) && !rules.is_uneven(list) {
            let many = of(list).len() as u128;
            all.iter_mut()
                .for_each(|c| c.weight = c.weight.saturating_mul(many));
            continue;
        }
        let mut kinds: BTreeMap<(Vec<bool>, usize), Vec<u32>> = BTreeMap::new();
        for &term in of(list) {
            // Classes that support every question come first.
            let not = asked(list, term).iter().map(|can| !can).collect();
            kinds
                .entry((not, sorted(list, term)))
                .or_default()
                .push(term);
        }
        if all.len().saturating_mul(kinds.len()) > MOST {
            kinds.retain(|(not, _), _| !not.contains(&true));
        }
        let whole = kinds.len() == 1;
        let mut next = Vec::new();
        for class in &all {
            for ((not, _), terms) in &kinds {
                let asked: Vec<bool> = class.asked.iter().zip(not).map(|(a, b)| *a && !b).collect();
                if !asked.contains(&true) && !asks.is_empty() {
                    continue;
                }
                let mut own = class.terms.clone();
                if !whole || terms.len() < of(list).len() {
                    own.push((list, terms.clone()));
                }
                next.push(Class {
                    terms: own,
                    asked,
                    weight: class.weight.saturating_mul(terms.len() as u128),
                });
            }
        }
        all = next;
    }
    all.retain(|c| c.weight > 0);
    all
}

/// The terms of `all` that occur in some class.
pub fn left(classes: &[Class], list: usize, all: &[u32]) -> Vec<u32> {
    let has = |class: &Class, term: &u32| {
        terms_of(&class.terms, list).is_none_or(|terms| terms.contains(term))
    };
    all.iter()
        .copied()
        .filter(|term| classes.iter().any(|c| has(c, term)))
        .collect()
}

/// Distributes `units` pictures over the classes in proportion to their number of combinations.
pub fn shares(classes: &[Class], units: u64) -> Vec<u64> {
    let total = classes
        .iter()
        .fold(0_u128, |sum, c| sum.saturating_add(c.weight))
        .max(1);
    // Scale the weights down, since larger ones would overflow.
    let scale = (total >> 64) + 1;
    let total = (total / scale).max(1);
    let exact: Vec<u128> = classes
        .iter()
        .map(|c| (c.weight / scale).saturating_mul(u128::from(units)))
        .collect();
    let mut out: Vec<u64> = exact
        .iter()
        .map(|e| u64::try_from(e / total).unwrap_or(u64::MAX))
        .collect();
    let mut order: Vec<usize> = (0..classes.len()).collect();
    sort_by_key(&mut order, |at| {
        (std::cmp::Reverse(exact[*at] % total), *at)
    });
    let left = units.saturating_sub(out.iter().sum());
    for at in order
        .into_iter()
        .cycle()
        .take(usize::try_from(left).unwrap_or(0).min(classes.len()))
    {
        out[at] += 1;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compatibility::tests::ruled;
    use crate::compiled_metadata::CompiledMetadata;

    #[test]
    fn classes_follow_hidden_lists_and_shares_follow_weights() {
        let (compiled, _) = CompiledMetadata::compile(&ruled(
            "[[hides]]\nstyle = [\"comic\", \"sketch\"]\nhides = [\"color\"]\n",
        ));
        let rules = compiled.compatibility.as_ref().unwrap();
        let (color, style) = (
            compiled.list("color").unwrap(),
            compiled.list("style").unwrap(),
        );
        let allowed: Allowed = vec![(color, vec![0, 1, 2]), (style, vec![0, 1, 2, 3, 4])];
        let ask = |list: usize| Asks {
            lists: vec![list],
            options: Some(list),
        };
        let of = |asks: &[Asks]| classes(rules, &[color, style], &allowed, asks, &|_, _| 0);
        let both = of(&[ask(color), ask(style)]);
        assert_eq!(
            both.iter().map(|c| &c.asked[..]).collect::<Vec<_>>(),
            [[true, true], [false, true]]
        );
        assert_eq!(both[0].terms, [(style, vec![0, 1, 4])]);
        assert_eq!(shares(&both, 10), [6, 4]);
        assert_eq!(shares(&both, 1), [1, 0]);
        let one = of(&[ask(color)]);
        assert_eq!(
            (one.len(), left(&one, style, &[0, 1, 2, 3, 4])),
            (1, vec![0, 1, 4])
        );
        assert_eq!(
            of(&[ask(style)]),
            [Class {
                terms: vec![],
                asked: vec![true],
                weight: 15
            }]
        );
    }

    #[test]
    fn terms_without_partners_are_pruned() {
        let (compiled, _) = CompiledMetadata::compile(&ruled(
            "[[not-with]]\nanimal = [\"owl\"]\nbackground = [\"by the sea\", \"on a lawn\"]\n",
        ));
        let rules = compiled.compatibility.as_ref().unwrap();
        let list = |name: &str| compiled.list(name).unwrap();
        let at = |name: &str, term: &str| compiled.lists[list(name)].position(term).unwrap();
        let (owl, sea, lawn) = (
            at("animal", "owl"),
            at("background", "by the sea"),
            at("background", "on a lawn"),
        );
        let cat = at("animal", "cat");
        let mut allowed: Allowed = vec![
            (list("animal"), vec![owl, cat]),
            (list("background"), vec![lawn, sea]),
        ];
        prune(rules, &[list("animal"), list("background")], &mut allowed);
        assert_eq!(allowed[0].1, [cat]);
    }
}
