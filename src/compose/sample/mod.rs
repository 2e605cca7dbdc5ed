//! The sample: two dozen pictures that the program draws itself, with questions whose answers are
//! certain.
//!
//! It lets people review pictures right after the first start without any other data. Every item is
//! marked as a sample (data set and task `sample`, `extra.sample`).
//!
//! One item in eight has a planted defect: a wrong marked answer or a duplicate option.
//! `extra.planted` names the defect (`"wrong answer"`, `"same option twice"`) and must stay hidden
//! from annotators until they judge the item. All other items are right, and the prompt always
//! describes the picture correctly.
//!
//! What a finished project has beside items is made up from [`SEED`]: answers of models ([`models`]),
//! verdicts of a round ([`round`]), and scores ([`scores`]). All names say `sample`.

use benchtop_model::{ImageRef, Item, Result};

mod items;
pub mod models;
mod paint;
pub mod round;
mod scene;
pub mod scores;

use scene::Scene;

/// The data set of the sample items.
pub const DATASET: &str = "sample";
/// Begins every name that the sample makes up.
pub const MARK: &str = "sample-";
/// Seed of everything that is made up.
pub const SEED: u64 = 1;

/// The defect that was planted in `item`.
fn planted(item: &Item) -> Option<&str> {
    item.extra.get("planted").and_then(|p| p.as_str())
}

/// A picture with its items.
#[derive(Clone, Debug, PartialEq)]
pub struct Drawn {
    /// File name, such as `shape-01.png`, which is also the [`ImageRef::name`] of its items.
    pub name: String,
    /// The picture: PNG, 512 by 512, the same bytes in every run on one machine.
    pub png: Vec<u8>,
    /// Two or three items. Their image has the BLAKE3 hash of `png` and the extension `png`.
    pub items: Vec<Item>,
}

/// Draws the sample picture by picture, in review order.
///
/// An element is an error only if memory runs out.
pub fn draw() -> impl Iterator<Item = Result<Drawn>> {
    let mut counter = items::Counter::default();
    Scene::ALL.iter().enumerate().map(move |(place, scene)| {
        let name = format!("{}-{:02}.png", scene.sort(), place + 1);
        let png = paint::png(scene, place)?;
        let hash = blake3::hash(&png).to_hex().to_string();
        let image = ImageRef {
            name: name.clone(),
            hash: Some(hash),
            ext: Some("png".into()),
            ..ImageRef::default()
        };
        Ok(Drawn {
            items: items::about(scene, place, &image, &mut counter),
            name,
            png,
        })
    })
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;
    use benchtop_model::{QuestionKind, Role};

    fn all() -> Vec<Drawn> {
        draw().collect::<Result<_>>().unwrap()
    }

    #[test]
    fn pictures_decode_and_differ() {
        let all = all();
        assert_eq!(all.len(), 24);
        let mut hashes = BTreeSet::new();
        for drawn in &all {
            let picture = image::load_from_memory(&drawn.png).unwrap();
            assert_eq!((picture.width(), picture.height()), (512, 512));
            let hash = blake3::hash(&drawn.png).to_hex().to_string();
            assert!((2..=3).contains(&drawn.items.len()));
            for item in &drawn.items {
                assert_eq!(item.images[0].name, drawn.name);
                assert_eq!(item.images[0].hash.as_ref(), Some(&hash));
            }
            assert!(hashes.insert(hash), "{} is drawn twice", drawn.name);
        }
    }

    #[test]
    fn bytes_are_stable() {
        let hash = |drawn: &Drawn| blake3::hash(&drawn.png);
        let first = draw().next().unwrap().unwrap();
        let last = draw().last().unwrap().unwrap();
        let again = all();
        assert_eq!(hash(&first), hash(&again[0]));
        assert_eq!(hash(&last), hash(&again[23]));
        assert_eq!(again, all());
    }

    #[test]
    fn items_are_marked_and_have_unique_ids() {
        let mut ids = BTreeSet::new();
        let mut kinds = BTreeSet::new();
        for item in all().iter().flat_map(|d| &d.items) {
            assert_eq!(item.id, format!("sample/{}", item.key));
            assert_eq!(item.extra["sample"], true);
            assert_eq!(item.task.as_deref(), Some("sample"));
            assert!(
                item.prompt.as_ref().is_some_and(|p| !p.is_empty()) && !item.question.is_empty()
            );
            assert!(ids.insert(item.id.clone()), "{} is duplicated", item.id);
            kinds.insert(item.kind);
        }
        assert!(ids.contains("sample/shape-01-color"));
        assert_eq!(kinds.len(), 4, "all question types");
    }

    #[test]
    fn one_item_in_eight_has_a_planted_defect() {
        let all = all();
        let items: Vec<&Item> = all.iter().flat_map(|d| &d.items).collect();
        let wrong: Vec<&str> = items.iter().filter_map(|i| planted(i)).collect();
        assert!(
            (items.len() / 9..=items.len() / 7).contains(&wrong.len()),
            "{} of {}",
            wrong.len(),
            items.len()
        );
        assert!(
            wrong.contains(&"wrong answer") && wrong.contains(&"same option twice"),
            "{wrong:?}"
        );
        for item in items {
            let texts: BTreeSet<_> = item.options.iter().map(|o| &o.text).collect();
            let twice = texts.len() < item.options.len();
            assert_eq!(
                twice,
                planted(item) == Some("same option twice"),
                "{}",
                item.id
            );
            if item.kind == QuestionKind::MultipleChoice {
                assert_eq!(item.options.len(), 4, "{}", item.id);
                assert_eq!(
                    item.options
                        .iter()
                        .filter(|o| o.role == Role::Correct)
                        .count(),
                    1,
                    "{}",
                    item.id
                );
                assert_eq!(
                    item.options[item.correct().unwrap()].text,
                    item.answer,
                    "{}",
                    item.id
                );
            }
        }
    }

    /// Derives the right answer from the prompt.
    fn truth(item: &Item) -> Option<String> {
        let prompt = item.prompt.as_deref()?.split(", flat").next()?;
        let words = |text: &str| {
            text.split([' ', ',', '.', '?'])
                .map(str::to_string)
                .collect::<Vec<_>>()
        };
        let (left, right) = prompt
            .split_once(" on the left, ")
            .unwrap_or((prompt, prompt));
        let colors: Vec<&str> = scene::ShapeColor::ALL.map(scene::ShapeColor::name).into();
        let color = |text: &str| {
            words(text)
                .into_iter()
                .find(|w| colors.contains(&w.as_str()))
        };
        let yes = |holds: bool, yes: &str, no: &str| Some(if holds { yes } else { no }.to_string());
        Some(match item.key.to_string().rsplit('-').next()? {
            "color" => color(right)?,
            "shape" => prompt.split(' ').next_back()?.to_string(),
            "count" => prompt.split(' ').next()?.to_string(),
            "letter" => prompt
                .split("letter ")
                .nth(1)?
                .split(' ')
                .next()?
                .to_string(),
            "describe" => prompt.to_string(),
            "is" => {
                let letter = item.question.trim_end_matches('.').split(' ').next_back()?;
                return yes(
                    prompt.contains(&format!("letter {letter} ")),
                    "True",
                    "False",
                );
            }
            "side" => {
                let named = item.question.strip_prefix("The ")?.split(" is on").next()?;
                return yes(right.contains(named), "True", "False");
            }
            "position" => {
                let named = item
                    .question
                    .strip_prefix("Is the ")?
                    .split(" to the")
                    .next()?;
                return yes(left.contains(named), "yes", "no");
            }
            "more" => {
                let least: u32 = words(&item.question).iter().find_map(|w| w.parse().ok())?;
                return yes(
                    prompt.split(' ').next()?.parse::<u32>().ok()? >= least,
                    "yes",
                    "no",
                );
            }
            _ => return None,
        })
    }

    #[test]
    fn answers_match_the_prompt_unless_planted() {
        for item in all().iter().flat_map(|d| &d.items) {
            let truth = truth(item).unwrap_or_else(|| panic!("{} cannot be checked", item.id));
            assert_eq!(
                truth == item.answer,
                planted(item) != Some("wrong answer"),
                "{}: {truth}",
                item.id
            );
        }
    }

    #[test]
    fn positions_and_labels_are_balanced() {
        let mut seen: BTreeMap<String, usize> = BTreeMap::new();
        for item in all().iter().flat_map(|d| &d.items) {
            match item.kind {
                QuestionKind::FreeForm => continue,
                QuestionKind::MultipleChoice => {
                    *seen
                        .entry(format!("at {}", item.correct().unwrap()))
                        .or_default() += 1
                }
                _ => *seen.entry(item.answer.to_lowercase()).or_default() += 1,
            }
        }
        let counts = |names: &[&str]| names.iter().map(|n| seen[*n]).collect::<Vec<_>>();
        for group in [
            counts(&["at 0", "at 1", "at 2", "at 3"]),
            counts(&["yes", "no"]),
            counts(&["true", "false"]),
        ] {
            let spread = group.iter().max().unwrap() - group.iter().min().unwrap();
            assert!(spread <= 3, "{seen:?}");
        }
    }
}
