//! Finds items that would be composed differently, or not at all, under other metadata.

use std::collections::HashMap;

use super::count::CountedSlots;
use super::item_line::Asked;
use super::{CODE, Class, NONE, Names, OFFERED, Space, Usage};
use benchtop_compose::compiled_metadata::CompiledMetadata;
use benchtop_compose::engine::{self, Choices};
use benchtop_model::sorting::sort_by;
use benchtop_model::usage::{Freshness, Impact};
use benchtop_store::StatusColumns;

/// Maximum number of causes to list.
const CAUSES: usize = 100;

/// The staleness of each class and code.
struct Judged {
    /// By class: what is gone, if anything, or else whether it is stale.
    classes: Vec<(u32, bool)>,
    /// By code: what is gone.
    codes: Vec<u32>,
    causes: usize,
    /// By subject: the spaces of its prompt's slots; [`NONE`] for a space without items.
    needs: HashMap<u32, Vec<u32>>,
}

impl Usage {
    /// A code of [`Freshness`] for each item.
    pub fn freshness(&self, grammar: &CompiledMetadata) -> Vec<u8> {
        let (judged, _) = self.judge(grammar);
        let of = |row| self.fresh(&judged, row, &mut |_| ()).code();
        (0..self.len()).map(of).collect()
    }

    /// The effect of `grammar` on the items.
    pub fn impact(&self, grammar: &CompiledMetadata, overlay: &StatusColumns) -> Impact {
        let (judged, causes) = self.judge(grammar);
        let mut impact = Impact::default();
        let mut counts = vec![0u64; causes.len()];
        for row in 0..self.len() {
            impact.composed += u64::from(self.classes[self.class[row] as usize].composed);
            let fresh = self.fresh(&judged, row, &mut |cause| counts[cause as usize] += 1);
            match fresh {
                Freshness::Fresh => {}
                Freshness::Stale => impact.stale.add(overlay.status(row)),
                Freshness::Gone => impact.gone.add(overlay.status(row)),
            }
        }
        impact.causes = causes
            .into_iter()
            .zip(counts)
            .filter(|(_, n)| *n > 0)
            .collect();
        sort_by(&mut impact.causes, |a, b| {
            b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0))
        });
        impact.causes.truncate(CAUSES);
        impact
    }

    /// The staleness of classes and codes, and the causes as text.
    fn judge(&self, grammar: &CompiledMetadata) -> (Judged, Vec<String>) {
        let mut causes = Names::default();
        let lists: Vec<Option<usize>> = self
            .vocabularies(grammar)
            .iter()
            .map(|v| grammar.list(v))
            .collect();
        let code = |(space, term): &(u32, String)| {
            let list = lists[*space as usize];
            match (&self.spaces[*space as usize].space, list) {
                (_, Some(list)) if grammar.lists[list].position(term).is_some() => NONE,
                (_, Some(list)) => causes.place(&format!("{} `{term}`", grammar.lists[list].name)),
                (Space::Vocabulary(name), None) => causes.place(&format!("{name} `{term}`")),
                // The subtask is gone: its class reports that.
                (Space::Subtask(_), None) => NONE,
            }
        };
        let codes = self.terms.iter().map(code).collect();
        let classes = self
            .classes
            .iter()
            .map(|c| self.judge_class(grammar, c, &mut causes))
            .collect();
        let space = |list: &usize| {
            let own =
                |s: &super::Terms| s.space == Space::Vocabulary(grammar.lists[*list].name.clone());
            self.spaces
                .iter()
                .position(own)
                .map_or(NONE, |at| at as u32)
        };
        let needs = grammar.subjects.iter().filter_map(|subject| {
            let name = self.names.at.get(&subject.name)?;
            Some((*name, subject.lists.iter().map(space).collect()))
        });
        (
            Judged {
                classes,
                codes,
                causes: causes.list.len(),
                needs: needs.collect(),
            },
            causes.list,
        )
    }

    fn judge_class(
        &self,
        grammar: &CompiledMetadata,
        class: &Class,
        causes: &mut Names,
    ) -> (u32, bool) {
        if !class.composed {
            return (NONE, false);
        }
        let (subject, subtask) = (
            &self.names.list[class.subject as usize],
            &self.names.list[class.subtask as usize],
        );
        let Some(of) = grammar.subject(subject) else {
            return (causes.place(&format!("subject {subject}")), false);
        };
        let Some(asks) = grammar.subtask(subtask) else {
            return (causes.place(&format!("subtask {subtask}")), false);
        };
        if grammar.subjects[of].prompts.len() <= class.wording as usize {
            return (causes.place(&format!("subject {subject}")), false);
        }
        let free = || grammar.free_form(&grammar.subjects[of], &grammar.subtasks[asks]);
        if class.asked == Asked::Free && free().is_none() {
            return (causes.place(&format!("subtask {subtask}")), false);
        }
        let style = self
            .terms
            .get(class.style as usize)
            .and_then(|(_, s)| grammar.lists[grammar.style].position(s));
        let choices = Choices {
            subject: of,
            wording: class.wording as usize,
            terms: style.map(|s| (grammar.style, s)).into_iter().collect(),
            // Only whether there are terms matters, not which.
            second: if matches!(class.asked, Asked::PairOptions | Asked::Cross) {
                vec![(0, 0)]
            } else {
                Vec::new()
            },
            subtask: asks,
            asked: asked(class.asked),
        };
        let recipe = u64::from_str_radix(&engine::recipe(grammar, &choices), 16);
        (NONE, recipe != Ok(class.recipe))
    }

    /// The freshness of an item. `cause` receives what is gone.
    fn fresh(&self, judged: &Judged, row: usize, cause: &mut dyn FnMut(u32)) -> Freshness {
        let class = &self.classes[self.class[row] as usize];
        if !class.composed {
            return Freshness::Fresh;
        }
        let (of_class, stale) = judged.classes[self.class[row] as usize];
        if judged.causes == 0 && !stale {
            return Freshness::Fresh;
        }
        let mut seen = CountedSlots::default();
        let mut gone = false;
        let of_codes = self
            .codes_of(row)
            .iter()
            .map(|code| judged.codes[(code & CODE) as usize]);
        for found in of_codes.chain([of_class]).filter(|c| *c != NONE) {
            gone = true;
            if seen.first(found) {
                cause(found);
            }
        }
        match (gone, stale) {
            (true, _) => Freshness::Gone,
            // A changed prompt may have a slot for which the item has no term.
            (false, true) if !self.fills(judged, class, row) => Freshness::Gone,
            (false, true) => Freshness::Stale,
            (false, false) => Freshness::Fresh,
        }
    }

    /// Whether the item has a term for each slot of its subject's prompt.
    fn fills(&self, judged: &Judged, class: &Class, row: usize) -> bool {
        let has = |space: &u32| {
            let mut own = self.codes_of(row).iter().filter(|c| **c & OFFERED == 0);
            own.any(|code| self.terms[(code & CODE) as usize].0 == *space)
        };
        judged
            .needs
            .get(&class.subject)
            .is_some_and(|needs| needs.iter().all(has))
    }
}

/// A way of asking, with the parts left empty that its recipe does not depend on.
fn asked(asked: Asked) -> engine::DrawnAnswer {
    let options = |refusal| engine::DrawnAnswer::Options {
        options: Vec::new(),
        correct: None,
        refusal,
        may_decline: false,
    };
    match asked {
        Asked::Options | Asked::PairOptions => options(None),
        Asked::Refusal | Asked::Beyond => options(Some(0)),
        Asked::Claim => engine::DrawnAnswer::Claim {
            term: 0,
            holds: true,
            false_first: false,
        },
        Asked::YesNo => engine::DrawnAnswer::YesNo {
            term: 0,
            holds: true,
        },
        Asked::Free => engine::DrawnAnswer::Free,
        Asked::Cross => engine::DrawnAnswer::Cross {
            options: Vec::new(),
            correct: 0,
        },
    }
}
