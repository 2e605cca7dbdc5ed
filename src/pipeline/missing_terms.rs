//! Draws terms for slots that prompts gained after items were composed: one for each picture,
//! shared by all its questions.
//!
//! The terms depend on the seed, the data set, the picture's number, the metadata, and the
//! questions about the picture. So the same command on the same project draws the same terms.

use std::collections::HashMap;

use benchtop_compose::compiled_metadata::CompiledMetadata;
use benchtop_compose::engine::{Choices, Fitting, choices_of, fits, missing};
use benchtop_model::rng::{key, within};
use benchtop_model::{Item, Key};

/// The pictures that lack terms.
#[derive(Debug, Default)]
pub struct MissingTerms {
    pictures: HashMap<u64, Fitting>,
}

impl MissingTerms {
    /// Whether no picture lacks a term.
    pub fn is_empty(&self) -> bool {
        self.pictures.is_empty()
    }

    /// Adds a question whose picture lacks a term.
    pub fn add_missing(&mut self, grammar: &CompiledMetadata, item: &Item) {
        if let Some((picture, choices)) = of(grammar, item)
            && !missing(grammar, &choices).is_empty()
        {
            self.pictures
                .entry(picture)
                .or_default()
                .see(grammar, &choices);
        }
    }

    /// Adds a question with all terms. If its picture lacks terms for other questions, they get the
    /// same ones.
    pub fn add_known(&mut self, grammar: &CompiledMetadata, item: &Item) {
        let Some((picture, choices)) = of(grammar, item) else {
            return;
        };
        let Some(fitting) = self.pictures.get_mut(&picture) else {
            return;
        };
        if missing(grammar, &choices).is_empty() {
            choices
                .terms
                .iter()
                .for_each(|(list, term)| fitting.settle(*list, *term));
        }
    }

    /// Fills in the missing terms of an item. Returns whether terms were missing and could be
    /// drawn.
    pub fn fill(&self, grammar: &CompiledMetadata, item: &mut Item) -> bool {
        let Some((picture, choices)) = of(grammar, item) else {
            return false;
        };
        let lacks = missing(grammar, &choices);
        let drawn = self
            .pictures
            .get(&picture)
            .and_then(|fitting| fitting.draw(grammar, picture));
        let (Some(mut drawn), Some(provenance)) = (drawn, item.provenance.as_deref_mut()) else {
            return false;
        };
        drawn.retain(|(list, _)| lacks.contains(list));
        if lacks.is_empty()
            || drawn.len() < lacks.len()
            || !drawn.iter().all(|own| fits(grammar, &choices, *own))
        {
            return false;
        }
        for (list, term) in drawn {
            let (name, term) = (
                &grammar.lists[list].name,
                &grammar.lists[list].terms[term as usize],
            );
            provenance.terms.insert(name.clone(), term.clone());
            // The pictures of a pair differ in nothing else.
            if !provenance.second.is_empty() {
                provenance.second.insert(name.clone(), term.clone());
            }
        }
        true
    }
}

/// The key of an item's picture, and the choices it was composed from. The pictures of a pair share
/// a key.
fn of(grammar: &CompiledMetadata, item: &Item) -> Option<(u64, Choices)> {
    let choices = choices_of(grammar, item)?.ok()?;
    let provenance = item.provenance.as_deref()?;
    let number = match item.pair.as_ref().map(|pair| &pair.id) {
        Some(Key::Int(pair)) => pair.cast_unsigned(),
        _ => provenance.picture,
    };
    Some((
        within(key(provenance.seed, &["missing", &item.dataset]), number),
        choices,
    ))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::path::Path;
    use std::sync::Arc;

    use super::*;
    use benchtop_compose::engine::{Composer, write};
    use benchtop_compose::lint::violation;
    use benchtop_compose::metadata::Metadata;
    use benchtop_compose::plan::Plan;
    use benchtop_compose::schedule::Schedule;
    use benchtop_model::{MetaFile, metafile};

    #[test]
    fn pairs_and_all_their_questions_get_the_same_term() {
        let metadata = Metadata::parse(metafile::shipped());
        let old = Arc::new(CompiledMetadata::compile(&metadata).0);
        let plan = "name = \"pairs\"\n[[pictures]]\nsubject = \"action\"\ncount = 40\nshape = \"pair\"\ndiffers = \"action\"\n";
        let course =
            Schedule::new(&old, &Plan::parse(plan, Path::new("plan.toml")).unwrap()).unwrap();
        let mut composer = Composer::new(old, Arc::new(course), 5);
        let items: Vec<Item> = (0..composer.schedule().questions())
            .filter_map(|n| composer.question(n))
            .collect();
        let mut edited = metadata.clone();
        let text = metadata.text("templates.toml").unwrap();
        let section = text
            .split("[subject.action]")
            .nth(1)
            .unwrap()
            .split("\n[")
            .next()
            .unwrap();
        let new = section.replace("{style}", "beside {a animal}, {style}");
        edited.insert(MetaFile {
            name: "templates.toml".into(),
            text: text.replace(section, &new),
        });
        let (grammar, found) = CompiledMetadata::compile(&edited);
        assert_eq!(found, []);
        let mut lacking = MissingTerms::default();
        items
            .iter()
            .for_each(|item| lacking.add_missing(&grammar, item));
        let mut drawn: BTreeMap<String, String> = BTreeMap::new();
        for mut item in items {
            assert!(lacking.fill(&grammar, &mut item), "{}", item.id);
            let provenance = item.provenance.as_deref().unwrap();
            assert_eq!(provenance.terms["animal"], provenance.second["animal"]);
            let pair = item.pair.as_ref().unwrap().id.to_string();
            assert_eq!(
                drawn
                    .entry(pair)
                    .or_insert(provenance.terms["animal"].clone()),
                &provenance.terms["animal"]
            );
            let choices = choices_of(&grammar, &item).unwrap().unwrap();
            let prompt = write(&grammar, &choices).unwrap().prompt;
            assert_eq!(violation(&grammar, &choices, &prompt), None);
        }
        assert!(
            drawn
                .values()
                .collect::<std::collections::BTreeSet<_>>()
                .len()
                > 1
        );
    }
}
