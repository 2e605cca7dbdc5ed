//! The content of a card, from a task's terms or, without terms, from its prompt.

use std::collections::BTreeMap;

use super::shapes::{Rgb, hash, wheel};
use benchtop_model::generation::Task;

/// The content of a card.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Words {
    /// Subject of the templates, such as `animal` or `face`; may be empty.
    pub(super) kind: String,
    /// The term that is drawn, or written on a box.
    pub(super) title: String,
    /// Term of the color; may be empty.
    pub(super) color: String,
    /// Term of the background; may be empty.
    pub(super) background: String,
    /// Name of the style; may be empty.
    pub(super) style: String,
    /// Slot and term of all other terms.
    pub(super) others: Vec<(String, String)>,
}

/// The first words of clauses about the place.
const PLACES: [&str; 14] = [
    "in ", "on ", "at ", "under ", "inside ", "beside ", "against ", "among ", "near ", "by ",
    "over ", "behind ", "above ", "within ",
];

/// Colors by name: the shipped vocabulary and other common names.
const COLORS: [(&str, Rgb); 22] = [
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
            // Every term of a face is a trait, which is the answer to a question.
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

    /// The clause before the first comma is the subject, a clause that begins with a preposition is
    /// the place, and the next clause is the style.
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
            // Only ASCII, because other lowercase letters may have other lengths, and positions in
            // `low` must be positions in `clause`.
            let low = clause.to_ascii_lowercase();
            if i == 0 {
                let color = low
                    .split_whitespace()
                    .find(|w| COLORS.iter().any(|(name, _)| name == w));
                words.color = color.unwrap_or_default().to_string();
                // `1 red owl in a forest`: number, article, color, and place do not belong to the
                // subject.
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

    /// The subject's color, or a color derived from the title if no term names one.
    pub(super) fn color(&self) -> Rgb {
        let low = self.color.to_lowercase();
        let known = low
            .split([' ', '-'])
            .rev()
            .find_map(|w| COLORS.iter().find(|(name, _)| *name == w));
        match known {
            Some((_, rgb)) => *rgb,
            None if low.is_empty() => wheel(hash(&self.title)),
            None => wheel(hash(&low)),
        }
    }
}
