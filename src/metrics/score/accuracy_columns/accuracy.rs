//! Accuracy columns by type, subtask, level, data set, and variant, and by two of them.

use super::{AccuracyColumns, Source, StratumLabels, named};
use crate::autobench::{DIFFICULTIES, place};
use crate::score::question_table::QuestionTable;
use benchtop_model::board::Scale;
use benchtop_model::{Field, QuestionKind};

/// Whether a stratum belongs to the unchanged benchmark and has right and wrong answers.
fn graded(stratum: &StratumLabels) -> bool {
    stratum.is_base && stratum.kind != QuestionKind::FreeForm
}

impl AccuracyColumns {
    /// Adds a column over the strata for which `is` holds: a share, or a mean if they are
    /// free-form. Adds nothing if there are no such strata.
    fn over(&mut self, name: String, group: &str, help: &str, is: impl Fn(&StratumLabels) -> bool) {
        let of = |free: bool| {
            let chosen = (0u32..)
                .zip(&self.strata)
                .filter(|(_, s)| is(s) && (s.kind == QuestionKind::FreeForm) == free);
            chosen.map(|(at, _)| at).collect::<Vec<u32>>()
        };
        let (graded, free) = (of(false), of(true));
        if !graded.is_empty() {
            self.add(name, group, help, Scale::Share, Source::Share(graded));
        } else if !free.is_empty() {
            self.add(name, group, help, Scale::Share, Source::Mean(free));
        }
    }

    pub(super) fn accuracies(&mut self, sheet: &QuestionTable, levels: &[(u16, u16)]) {
        self.over(
            "Acc".into(),
            "Acc",
            "accuracy on questions with options or with yes and no",
            graded,
        );
        for kind in QuestionKind::ALL {
            let name = format!("Acc.type.{}", kind.name());
            let help = match kind {
                QuestionKind::FreeForm => {
                    "mean cosine similarity of MiniLM embeddings of a free-form answer and its reference"
                }
                _ => "accuracy on questions of this type",
            };
            self.over(name, "Acc by type", help, |s| s.is_base && s.kind == kind);
        }
        let subtasks = self.named(|s| graded(s).then_some(s.subtask), &self.subtasks.clone());
        for (code, name) in &subtasks {
            let help = "accuracy on questions of this subtask";
            self.over(format!("Acc.{name}"), "Acc by subtask", help, |s| {
                graded(s) && s.subtask == *code
            });
        }
        let kinds: Vec<QuestionKind> = QuestionKind::ALL
            .into_iter()
            .filter(|k| self.strata.iter().any(|s| graded(s) && s.kind == *k))
            .collect();
        if kinds.len() > 1 {
            for kind in kinds {
                for (code, name) in &subtasks {
                    let group = format!("{} by subtask", kind.name());
                    let help = "accuracy on questions of this subtask and type";
                    let is = |s: &StratumLabels| s.is_base && s.kind == kind && s.subtask == *code;
                    self.over(format!("Acc.{}.{name}", kind.name()), &group, help, is);
                }
            }
        }
        for (property, field, group) in [
            (0, Field::Level, "Acc by level"),
            (1, Field::Dataset, "Acc by data set"),
        ] {
            let pick = |at: usize| {
                if property == 0 {
                    levels[at].0
                } else {
                    levels[at].1
                }
            };
            let mut codes: Vec<(String, u16)> = (0..self.strata.len())
                .filter(|at| graded(&self.strata[*at]) && pick(*at) != 0)
                .map(|at| (named(sheet, field, pick(at)), pick(at)))
                .collect();
            codes.sort();
            codes.dedup();
            // Levels sort from easy to hard, everything else by name.
            if field == Field::Level {
                codes.sort_by_key(|(name, _)| place(name));
            }
            if codes.len() < 2 {
                continue;
            }
            for (name, code) in codes {
                let chosen = (0..self.strata.len())
                    .filter(|at| graded(&self.strata[*at]) && pick(*at) == code);
                let source = Source::Share(chosen.map(|at| at as u32).collect());
                let help = format!("accuracy on questions of this {}", field.name());
                self.add(
                    format!("Acc.{}.{name}", field.name()),
                    group,
                    &help,
                    Scale::Share,
                    source,
                );
            }
        }
        self.by_difficulty(sheet, levels, &subtasks);
    }

    /// Accuracy by aspect and difficulty (AutoBench-V, section 4), if the questions have several of
    /// both.
    fn by_difficulty(
        &mut self,
        sheet: &QuestionTable,
        levels: &[(u16, u16)],
        aspects: &[(u16, String)],
    ) {
        let level = |at: usize| named(sheet, Field::Level, levels[at].0);
        let is_of =
            |at: usize, difficulty: &str| graded(&self.strata[at]) && level(at) == difficulty;
        let strata = 0..self.strata.len();
        let has = |difficulty: &&str| strata.clone().any(|at| is_of(at, difficulty));
        let difficulties: Vec<&str> = DIFFICULTIES.into_iter().filter(has).collect();
        if aspects.len() < 2 || difficulties.len() < 2 {
            return;
        }
        let mut found = Vec::new();
        for (code, aspect) in aspects {
            for difficulty in &difficulties {
                let is = |at: &usize| is_of(*at, difficulty) && self.strata[*at].subtask == *code;
                let of: Vec<u32> = strata.clone().filter(is).map(|at| at as u32).collect();
                found.push((format!("Acc.{aspect}.{difficulty}"), of));
            }
        }
        for (name, of) in found.into_iter().filter(|(_, of)| !of.is_empty()) {
            let help =
                "accuracy on questions of this aspect and difficulty (AutoBench-V, section 4)";
            self.add(
                name,
                "Acc by aspect and difficulty",
                help,
                Scale::Share,
                Source::Share(of),
            );
        }
    }

    /// The codes and names of a property in the strata, sorted by name.
    pub(super) fn named(
        &self,
        code: impl Fn(&StratumLabels) -> Option<u16>,
        names: &[String],
    ) -> Vec<(u16, String)> {
        let mut found: Vec<(u16, String)> = Vec::new();
        for code in self
            .strata
            .iter()
            .filter_map(code)
            .filter(|code| *code != 0)
        {
            if !found.iter().any(|(c, _)| *c == code) {
                found.push((
                    code,
                    names.get(usize::from(code)).cloned().unwrap_or_default(),
                ));
            }
        }
        found.sort_by(|a, b| a.1.cmp(&b.1));
        found
    }

    /// Accuracy by variant, for variants that no final score of these scenarios covers.
    pub(super) fn variants(&mut self, scored: &[String]) {
        let variants = self.variants.clone();
        let is = |s: &StratumLabels| {
            s.kind != QuestionKind::FreeForm && !scored.iter().any(|name| name == self.scenario(s))
        };
        for (code, name) in self.named(|s| is(s).then_some(s.variant), &variants) {
            let help = "accuracy on questions of this variant";
            let is = |s: &StratumLabels| s.variant == code && s.kind != QuestionKind::FreeForm;
            self.over(format!("Acc.variant.{name}"), "Acc by variant", help, is);
        }
    }
}
