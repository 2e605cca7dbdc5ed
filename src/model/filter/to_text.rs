//! Writes filters as text.

use super::lexer::{quote, quoted};
use super::words::{FUZZY, WORDS, values_text};
use super::{Filter, TextField};
use crate::field::Field;

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
        let mut add = |word: &str, values: Option<String>| {
            out.extend(values.map(|values| format!("{word}:{values}")));
        };
        WORDS
            .iter()
            .for_each(|word| add(word.name, (word.text)(self)));
        for (field, wanted) in &self.values {
            add(field.name(), values_text(wanted));
        }
        if let Some(only) = &self.only {
            let numbers: Vec<String> = only.iter().map(u32::to_string).collect();
            out.push(format!("{}:{}", Field::Number.name(), numbers.join(",")));
        }
        for contains in &self.contains {
            let needles: Vec<String> = contains.needles.iter().map(|n| quoted(n)).collect();
            match contains.field {
                TextField::Any => out.extend(needles),
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
