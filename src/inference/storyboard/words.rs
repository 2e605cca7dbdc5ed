//! What a card shows, read from a task's terms or, without terms, from the words of its prompt.

use std::collections::BTreeMap;

use super::shapes::{Rgb, hash, wheel};
use benchtop_model::generation::Task;

/// What a card shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Words {
    /// Subject of the templates: `animal`, `face`; empty when it is not known.
    pub(super) kind: String,
    /// What is drawn large, or written on a box.
    pub(super) title: String,
    /// Term of the colour, or empty.
    pub(super) color: String,
    /// Term of the background, or empty.
    pub(super) background: String,
    /// Name of the style, or empty.
    pub(super) style: String,
    /// All other terms: slot and term.
    pub(super) others: Vec<(String, String)>,
}

/// Words that a clause about the place begins with.
const PLACES: [&str; 14] = [
    "in ", "on ", "at ", "under ", "inside ", "beside ", "against ", "among ", "near ", "by ",
    "over ", "behind ", "above ", "within ",
];

/// Colours by name: the shipped vocabulary and what people add first.
const COLOURS: [(&str, Rgb); 22] = [
    ("red", [214, 56, 52]),
    ("orange", [238, 138, 40]),
    ("yellow", [245, 205, 60]),
    ("green", [66, 160, 84]),
    ("blue", [58, 112, 206]),
    ("purple", [132, 82, 178]),
    ("violet", [132, 82, 178]),
    ("pink", [240, 138, 176]),
    ("brown", [136, 92, 58]),
    ("white", [246, 245, 240]),
    ("black", [44, 44, 50]),
    ("gray", [142, 146, 152]),
    ("grey", [142, 146, 152]),
    ("gold", [214, 172, 62]),
    ("golden", [214, 172, 62]),
    ("silver", [192, 198, 206]),
    ("cyan", [70, 190, 206]),
    ("turquoise", [64, 190, 180]),
    ("teal", [38, 130, 130]),
    ("magenta", [204, 62, 152]),
    ("beige", [226, 208, 176]),
    ("navy", [40, 56, 112]),
];

impl Words {
    /// Reads a task.
    pub(super) fn of(task: &Task) -> Words {
        if task.terms.is_empty() {
            Self::of_prompt(&task.prompt)
        } else {
            Self::of_terms(&task.terms)
        }
    }

    fn of_terms(terms: &BTreeMap<String, String>) -> Words {
        let get = |slot: &str| terms.get(slot).cloned().unwrap_or_default();
        let kind = get("subject");
        let color = if terms.contains_key("color") {
            get("color")
        } else {
            get("colour")
        };
        let taken = ["subject", "color", "colour", "background", "style"];
        let mut others: Vec<_> = terms
            .iter()
            .filter(|(slot, _)| !taken.contains(&slot.as_str()))
            .map(|(s, t)| (s.clone(), t.clone()))
            .collect();
        let title = match others.iter().position(|(slot, _)| *slot == kind) {
            Some(at) => others.remove(at).1,
            // Of a face every term is a trait, and so the answer to a question.
            None if others.len() == 1 && kind != "face" => others.remove(0).1,
            None => kind.clone(),
        };
        Words {
            kind,
            title,
            color,
            background: get("background"),
            style: get("style"),
            others,
        }
    }

    /// The clause before the first comma is the subject, one that begins with a preposition the place, what comes
    /// first after these the style.
    fn of_prompt(prompt: &str) -> Words {
        let prompt: String = prompt
            .chars()
            .take(600)
            .map(|c| if c.is_control() { ' ' } else { c })
            .collect();
        let mut words = Words::default();
        let clauses = prompt
            .split([',', '.', ';'])
            .map(str::trim)
            .filter(|c| !c.is_empty());
        for (i, clause) in clauses.enumerate() {
            // ASCII alone: places found in `low` must be places of `clause`, and lower case may be longer elsewhere.
            let low = clause.to_ascii_lowercase();
            if i == 0 {
                let colour = low
                    .split_whitespace()
                    .find(|w| COLOURS.iter().any(|(name, _)| name == w));
                words.color = colour.unwrap_or_default().to_string();
                // `1 red owl in a forest`: number, article and colour are not the subject, the place is not either.
                let place = PLACES
                    .iter()
                    .filter_map(|p| low.find(&format!(" {p}")).map(|at| at + 1))
                    .min();
                let (subject, place) = match place {
                    Some(at) => clause.split_at(at),
                    None => (clause, ""),
                };
                let skip = |w: &&str| {
                    !["a", "an", "the", "1", "one"].contains(w) && w.to_lowercase() != words.color
                };
                words.title = subject
                    .split_whitespace()
                    .filter(skip)
                    .collect::<Vec<_>>()
                    .join(" ");
                words.background = place.to_string();
            } else if words.background.is_empty() && PLACES.iter().any(|p| low.starts_with(p)) {
                words.background = clause.to_string();
            } else if words.style.is_empty() {
                words.style = clause.to_string();
            }
        }
        words
    }

    /// The subject's colour; a colour of the title's own where no term names one.
    pub(super) fn colour(&self) -> Rgb {
        let low = self.color.to_lowercase();
        let known = low
            .split([' ', '-'])
            .rev()
            .find_map(|w| COLOURS.iter().find(|(name, _)| *name == w));
        match known {
            Some((_, rgb)) => *rgb,
            None if low.is_empty() => wheel(hash(&self.title)),
            None => wheel(hash(&low)),
        }
    }
}
