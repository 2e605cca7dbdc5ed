//! An item and its derivation together: what a derivation records of its source, and the original of
//! an item.

use super::{Derivation, Item, SourceItem};

impl Derivation {
    /// A derivation of `source`, which must have its pictures located, by a method without
    /// parameters. It records the source picture and the chance level.
    pub fn of(source: &Item, method: &str, version: &str) -> Derivation {
        Derivation {
            method: method.into(),
            version: version.into(),
            source: SourceItem {
                id: source.id.clone(),
                digest: source.digest(),
            },
            picture: source.images.first().and_then(|image| image.hash.clone()),
            chance: source.chance(),
            ..Derivation::default()
        }
    }
}

impl Item {
    /// Id of the item that this one is a variant of or, if that is not recorded, was derived from.
    pub fn original(&self) -> Option<&str> {
        let of = self.variant.as_ref().and_then(|v| v.of.as_deref());
        of.or_else(|| Some(self.derivation.as_ref()?.source.id.as_str()))
            .filter(|id| *id != self.id)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::derivation::{
        DEPTH_LIMIT, NAME_LIMIT, PARAMETERS_LIMIT, PRINT_ATTACK, SEED, TEXT_LIMIT, TRIES_LIMIT,
        WORD,
    };
    use crate::{Choice, ImageRef, JudgeRuling, Key, QuestionKind, Role};

    fn source() -> Item {
        Item {
            question: "Which animal is it?".into(),
            kind: QuestionKind::MultipleChoice,
            options: Choice::list(vec!["cat".into(), "dog".into()], |at| Role::of(at == 0)),
            answer: "cat".into(),
            images: vec![ImageRef {
                hash: Some("0a".repeat(32)),
                ..ImageRef::named("1.png")
            }],
            ..Item::blank("d", Key::Int(1))
        }
    }

    fn full() -> Derivation {
        let made = Derivation::of(&source(), PRINT_ATTACK, "1");
        Derivation {
            parameters: json!({WORD: "dog", "size": 0.25, "seed": u64::MAX, "at": [4, 2]})
                .as_object()
                .unwrap()
                .clone(),
            edit: Some("the word dog".into()),
            context: Some("A line.\nAnother.".into()),
            tries: 3,
            ruling: Some(JudgeRuling {
                judge: "vlb-v1-add-object".into(),
                model: "m".into(),
                pass: Some(true),
                reason: Some("still a cat".into()),
            }),
            transcript: Some("runs/0007.jsonl#12".into()),
            ..made
        }
    }

    #[test]
    fn a_derivation_round_trips_in_the_order_of_its_parameters() {
        let item = Item {
            derivation: Some(Box::new(full())),
            ..Item::blank("d", Key::Int(2))
        };
        let line = serde_json::to_string(&item).unwrap();
        let back: Item = serde_json::from_str(&line).unwrap();
        assert_eq!(back, item);
        assert_eq!(serde_json::to_string(&back).unwrap(), line);
        let derivation = back.derivation.unwrap();
        let names: Vec<&String> = derivation.parameters.keys().collect();
        assert_eq!(names, ["word", "size", "seed", "at"]);
        assert_eq!(derivation.seed(), Some(u64::MAX));
        assert_eq!(derivation.source.digest, source().digest());
        assert_eq!(derivation.picture.as_deref(), Some(&*"0a".repeat(32)));
        assert_eq!(derivation.chance, Some(0.5));
        assert!(derivation.check("d/2").is_ok());
    }

    #[test]
    fn hostile_values_are_refused_with_their_field() {
        let refused = |change: &dyn Fn(&mut Derivation)| {
            let mut derivation = full();
            change(&mut derivation);
            let problem = derivation.check("d/2").unwrap_err();
            problem.place.field.unwrap()
        };
        let mut deep = json!(1);
        for _ in 0..DEPTH_LIMIT {
            deep = json!([deep]);
        }
        let found = [
            refused(&|d| d.method = " ".into()),
            refused(&|d| d.method = "x\u{1b}[2J".into()),
            refused(&|d| d.version = "x".repeat(NAME_LIMIT + 1)),
            refused(&|d| d.source.id = "d/2".into()),
            refused(&|d| d.source.digest = "xyz".into()),
            refused(&|d| d.picture = Some("../../etc/passwd".into())),
            refused(&|d| {
                let long = "x".repeat(PARAMETERS_LIMIT).into();
                d.parameters.insert("a".into(), long);
            }),
            refused(&|d| drop(d.parameters.insert("a".into(), deep.clone()))),
            refused(&|d| drop(d.parameters.insert(SEED.into(), json!(-1)))),
            refused(&|d| d.edit = Some("x".repeat(TEXT_LIMIT + 1))),
            refused(&|d| d.context = Some("x".repeat(TEXT_LIMIT + 1))),
            refused(&|d| d.tries = TRIES_LIMIT + 1),
            refused(&|d| d.ruling.as_mut().unwrap().judge = String::new()),
            refused(&|d| d.transcript = Some("a\nb".into())),
            refused(&|d| d.chance = Some(f64::NAN)),
        ];
        let fields = [
            "method",
            "method",
            "version",
            "source.id",
            "source.digest",
            "picture",
            "parameters",
            "parameters",
            "parameters.seed",
            "edit",
            "context",
            "tries",
            "ruling.judge",
            "transcript",
            "chance",
        ];
        assert_eq!(found.to_vec(), fields.map(|f| format!("derivation.{f}")));
    }

    #[test]
    fn only_a_print_attack_has_an_attack_word() {
        let word = |method: &str| {
            let made = Derivation {
                method: method.into(),
                ..full()
            };
            made.attack_word().map(str::to_string)
        };
        assert_eq!(word(PRINT_ATTACK).as_deref(), Some("dog"));
        assert_eq!(word("corruption"), None);
    }

    #[test]
    fn the_original_is_that_of_the_variant_before_the_source() {
        let mut item = Item {
            derivation: Some(Box::new(full())),
            ..Item::blank("d", Key::Int(2))
        };
        assert_eq!(item.original(), Some("d/1"));
        item.variant = Some(crate::Variant {
            of: Some("d/0".into()),
            ..Default::default()
        });
        assert_eq!(item.original(), Some("d/0"));
        item.derivation = None;
        item.variant = None;
        assert_eq!(item.original(), None);
    }

    #[test]
    fn the_recorded_chance_level_counts_until_the_options_change() {
        let mut item = Item {
            derivation: Some(Box::new(Derivation {
                chance: Some(0.4),
                ..full()
            })),
            ..source()
        };
        assert_eq!(item.chance(), Some(0.4));
        item.derivation.as_mut().unwrap().chance = None;
        assert_eq!(item.chance(), Some(0.5));
        // Declining is a good answer to a question that needs knowledge (MM-SAP).
        item.level = Some(crate::item::KNOW.into());
        item.options.push(Choice {
            text: "I cannot tell".into(),
            role: Role::Refusal,
        });
        assert_eq!(item.chance(), Some(2.0 / 3.0));
    }
}
