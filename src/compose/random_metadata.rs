//! Random metadata, rules, and plans for property tests.

use std::sync::Arc;

use super::ambiguity::plain;
use super::compiled_metadata::CompiledMetadata;
use super::engine::Composer;
use super::metadata::{Metadata, STYLE, VOCABULARIES, styles, templates};
use super::plan::{Pictures, Plan, Shape};
use super::schedule::Schedule;
use benchtop_model::rng::Stream;
use benchtop_model::{MetaFile, QuestionKind, Rule};

pub(super) const NAMES: [&str; 6] = ["animal", "color", "place", "mood", "tool", STYLE];
const WORDS: [&str; 14] = [
    "red", "owl", "old", "sea", "ice", "oak", "hour", "unit", "Egg", "grand", "piano", "wine",
    "ash", "elm",
];

/// Random metadata with a random plan.
pub(super) struct World {
    draw: Stream,
    /// Whether no term occurs in other terms or in templates. Otherwise terms overlap with and
    /// equal each other.
    apart: bool,
}

impl World {
    fn pick<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.draw.below(of.len())]
    }

    fn coin(&mut self) -> bool {
        self.draw.below(2) == 0
    }

    fn terms(&mut self, list: usize) -> Vec<String> {
        let many = 2 + self.draw.below(9);
        let mut terms: Vec<String> = Vec::new();
        while terms.len() < many {
            let mut words: Vec<String> = (0..self.draw.below(3))
                .map(|_| (*self.pick(&WORDS)).to_string())
                .collect();
            if self.apart || words.is_empty() {
                words.push(format!(
                    "{}{}",
                    ["q", "an", "zu"][terms.len() % 3],
                    list * 100 + terms.len()
                ));
            }
            let term = words.join(if self.coin() { " " } else { "-" });
            // Duplicate terms would be a linter error.
            if !terms.iter().any(|t| plain(t) == plain(&term)) {
                terms.push(term);
            }
        }
        terms
    }

    fn metadata(&mut self) -> Metadata {
        let mut files = Vec::new();
        for (at, name) in NAMES.iter().enumerate() {
            let terms = self.terms(at);
            if *name == STYLE {
                let style = |t: &String| {
                    format!("[[style]]\nname = \"{t}\"\nprompt = \"drawn\"\nnegative = \"bad\"\n")
                };
                files.push(MetaFile {
                    name: styles::FILE.into(),
                    text: terms.iter().map(style).collect(),
                });
            } else {
                let text = terms.iter().map(|t| format!("{t}\n")).collect();
                files.push(MetaFile {
                    name: format!("{VOCABULARIES}{name}.txt"),
                    text,
                });
            }
        }
        let text = self.templates();
        files.push(MetaFile {
            name: templates::FILE.into(),
            text,
        });
        Metadata::parse(files)
    }

    fn slot(&mut self, name: &str) -> String {
        if self.coin() {
            format!("{{{name}}}")
        } else {
            format!("{{a {name}}}")
        }
    }

    fn templates(&mut self) -> String {
        let mut text = crate::fixtures::SMALL
            .split("[subject.animal]")
            .next()
            .unwrap_or_default()
            .to_string();
        text = text.replace("thing = \"1 {color} {animal}\"", "thing = \"seen {color}\"");
        for subject in 0..3 {
            let mut held: Vec<&str> = NAMES[..5]
                .iter()
                .copied()
                .filter(|_| self.draw.below(3) > 0)
                .collect();
            held.push(STYLE);
            let wordings = 1 + self.draw.below(3);
            let prompts: Vec<String> = (0..wordings)
                .map(|_| {
                    let mut order = held.clone();
                    self.draw.shuffle(&mut order);
                    let slots: Vec<String> = order
                        .iter()
                        .map(|n| {
                            if *n == "color" && self.coin() {
                                "{thing}".into()
                            } else {
                                self.slot(n)
                            }
                        })
                        .collect();
                    format!("\"shown {}\"", slots.join(" with "))
                })
                .collect();
            text.push_str(&format!(
                "[subject.s{subject}]\nprompt = [{}]\n",
                prompts.join(", ")
            ));
            text.push_str(&format!("main = \"{}\"\n", self.pick(&held)));
            text.push_str(&format!(
                "describe = \"Describe s{subject}.\"\nanswer = \"{{{}}} here\"\n",
                self.pick(&held)
            ));
        }
        for name in NAMES {
            let (own, of) = (
                self.coin(),
                if self.coin() { " of the {subject}" } else { "" },
            );
            text.push_str(&format!(
                "[subtask.{name}]\nvocabulary = \"{name}\"\nphrases = {}\n",
                self.coin()
            ));
            text.push_str(&format!(
                "question = \"Which {name}{of} is it?\"\nstatement = \"It is {}.\"\n",
                self.slot("term")
            ));
            text.push_str(&format!("yes-no = \"Is it {}?\"\n", self.slot("term")));
            if own {
                text.push_str(&format!(
                    "describe = \"Say the {name}.\"\nanswer = \"{{term}}{of}\"\n"
                ));
            }
        }
        text
    }

    /// Random rules. `shows` rules are left out, because their effect on the number of wrong
    /// answers depends on the picture.
    fn rules(&mut self, metadata: &Metadata) -> String {
        let mut text = String::new();
        for _ in 0..self.draw.below(4) {
            let (a, b) = (*self.pick(&NAMES), *self.pick(&NAMES));
            if a != b {
                let (one, other) = (self.some(metadata, a), self.some(metadata, b));
                text.push_str(&format!("[[not-with]]\n{a} = {one:?}\n{b} = {other:?}\n"));
            }
        }
        for _ in 0..self.draw.below(4) {
            let (a, b) = (*self.pick(&NAMES), *self.pick(&NAMES));
            text.push_str(&format!(
                "[[hides]]\n{a} = {:?}\nhides = [{b:?}]\n",
                self.some(metadata, a)
            ));
        }
        for _ in 0..self.draw.below(3) {
            let name = *self.pick(&NAMES);
            let alike = self.some(metadata, name);
            if alike.len() > 1 {
                text.push_str(&format!("[[look-alike]]\n{name} = {alike:?}\n"));
            }
        }
        for name in NAMES {
            if self.draw.below(3) == 0 {
                let terms = metadata.enabled(name);
                let (one, other) = terms.split_at(terms.len() / 2);
                text.push_str(&format!(
                    "[groups.{name}]\none = {one:?}\nother = {other:?}\n"
                ));
            }
        }
        text
    }

    fn some<'m>(&mut self, metadata: &'m Metadata, name: &str) -> Vec<&'m str> {
        let mut terms = metadata.enabled(name);
        self.draw.shuffle(&mut terms);
        terms.truncate(1 + self.draw.below(3));
        terms
    }

    fn plan(&mut self, compiled: &CompiledMetadata) -> Plan {
        let options = 2 + self.draw.below(5);
        let blocks = 1 + self.draw.below(4);
        let pictures = (0..blocks).map(|_| self.pictures(compiled)).collect();
        Plan {
            name: "world".into(),
            options,
            pictures,
            shares: Default::default(),
        }
    }

    fn pictures(&mut self, compiled: &CompiledMetadata) -> Pictures {
        let subject = &compiled.subjects[self.draw.below(compiled.subjects.len())];
        let shape = *self.pick(&[
            Shape::Single,
            Shape::Single,
            Shape::Pair,
            Shape::Refusal,
            Shape::Beyond,
        ]);
        let differs =
            (shape == Shape::Pair).then(|| compiled.lists[*self.pick(&subject.lists)].name.clone());
        let mut pictures = Pictures {
            subject: subject.name.clone(),
            shape,
            differs,
            ..Pictures::default()
        };
        let many = self.draw.below(30) as u64;
        match self.draw.below(3) {
            0 => pictures.per_term = Some(many % 5),
            1 => pictures.per_style = Some(many % 5),
            _ => pictures.count = Some(many),
        }
        if shape == Shape::Single && self.coin() {
            pictures.kinds =
                vec![*self.pick(&[QuestionKind::MultipleChoice, QuestionKind::TrueFalse])];
        }
        if self.coin() {
            let list = &compiled.lists[self.draw.below(compiled.lists.len())];
            pictures.exclude = vec![list.terms[0].clone()];
        }
        if shape == Shape::Refusal && self.coin() {
            pictures.level = Some("basic".into());
        }
        pictures
    }
}

/// A composer for world number `world`; `None` if its plan cannot be worked out.
pub(super) fn composer(world: u64, apart: bool, seed: u64) -> Option<Composer> {
    made(world, apart, false, seed)
}

/// The same with random compatibility rules.
pub(super) fn ruled(world: u64, seed: u64) -> Option<Composer> {
    made(world, true, true, seed)
}

fn made(world: u64, apart: bool, rules: bool, seed: u64) -> Option<Composer> {
    let mut world = World {
        draw: Stream::new(world),
        apart,
    };
    let mut metadata = world.metadata();
    if rules {
        let text = world.rules(&metadata);
        metadata.insert(MetaFile {
            name: super::metadata::rules::FILE.into(),
            text,
        });
    }
    assert_eq!(
        metadata.found().count(),
        0,
        "{:?}",
        metadata.found().collect::<Vec<_>>()
    );
    let (compiled, found) = CompiledMetadata::compile(&metadata);
    let known = [Rule::UnsupportedSlot, Rule::Ungrouped];
    assert!(found.iter().all(|f| known.contains(&f.rule)), "{found:?}");
    let plan = world.plan(&compiled);
    let schedule = match Schedule::new(&compiled, &plan) {
        Ok(schedule) => schedule,
        Err(problem) => {
            assert!(
                problem
                    .place
                    .field
                    .is_some_and(|f| f.starts_with("pictures."))
            );
            return None;
        }
    };
    Some(Composer::new(Arc::new(compiled), Arc::new(schedule), seed))
}
