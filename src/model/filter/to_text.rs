//! Writes filters as text.

use super::lexer::{quote, quoted};
use super::{FUZZY, Field, Filter, OUTCOME, PICTURE, ROTATION, SCORE, SHOWS, STALE, SUBJECT, TERM};
use crate::scoring::rules::Condition;

impl Filter {
    /// The text that both [`parse`](Self::parse) and [`typed`](Self::typed) read back. Selected
    /// item numbers are written in full.
    pub fn to_text(&self) -> String {
        let fuzzy =
            Some(format!("{FUZZY}:{}", quote(&self.text))).filter(|_| !self.text.is_empty());
        self.joined(fuzzy)
    }

    /// The text that [`typed`](Self::typed) reads back, with fuzzy text as bare words.
    pub fn to_typed_text(&self) -> String {
        self.joined(Some(self.text.clone()).filter(|text| !text.is_empty()))
    }

    fn joined(&self, text: Option<String>) -> String {
        let mut out = Vec::new();
        let mut names = |word: &str, names: Vec<&str>| {
            if !names.is_empty() {
                out.push(format!("{word}:{}", names.join(",")));
            }
        };
        names(
            Field::Status.name(),
            self.status.iter().map(|s| s.name()).collect(),
        );
        names(
            Field::Type.name(),
            self.kind.iter().map(|s| s.name()).collect(),
        );
        names(STALE, self.fresh.iter().map(|f| f.name()).collect());
        names(PICTURE, self.picture.iter().map(|p| p.name()).collect());
        names(OUTCOME, self.outcome.iter().map(|o| o.name()).collect());
        let scores: Vec<String> = self.scores.iter().map(Condition::to_filter_text).collect();
        names(SCORE, scores.iter().map(String::as_str).collect());
        names(
            "verdict",
            self.verdicts.verdict.iter().map(|v| v.name()).collect(),
        );
        names(
            "seen",
            self.verdicts.seen.iter().map(|s| s.name()).collect(),
        );
        names(
            Field::Judged.name(),
            self.judged.iter().map(|j| j.text.as_str()).collect(),
        );
        let mut values = |word: &str, values: Vec<String>| {
            if values == [""] {
                out.push(format!("{word}:"));
            } else if !values.is_empty() {
                out.push(format!(
                    "{word}:{}",
                    values
                        .iter()
                        .map(|v| quote(v))
                        .collect::<Vec<_>>()
                        .join(",")
                ));
            }
        };
        let pairs =
            |list: &[(String, String)]| list.iter().map(|(v, t)| format!("{v}/{t}")).collect();
        values("who", self.verdicts.who.clone());
        values("reason", self.verdicts.reason.clone());
        values("note", self.verdicts.note.clone());
        values("round", self.verdicts.round.clone());
        values(SUBJECT, self.subjects.clone());
        values(SHOWS, pairs(&self.shows));
        values(TERM, pairs(&self.terms));
        values(ROTATION, self.rotation.clone());
        for (field, wanted) in &self.values {
            values(field.name(), wanted.clone());
        }
        if let Some(only) = &self.only {
            let numbers: Vec<String> = only.iter().map(u32::to_string).collect();
            out.push(format!("{}:{}", Field::Number.name(), numbers.join(",")));
        }
        for contains in &self.contains {
            let needles: Vec<String> = contains.needles.iter().map(|n| quoted(n)).collect();
            match contains.field {
                super::TextField::Any => out.extend(needles),
                field => out.push(format!("{}:{}", field.name(), needles.join(","))),
            }
        }
        out.extend(
            self.not
                .iter()
                .map(|not| format!("NOT {}", not.joined(None))),
        );
        out.extend(text);
        out.join(" ")
    }
}
