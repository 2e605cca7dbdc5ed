//! Faces, drawn as mannequins in the card's color: a draft does not guess what anybody looks like.

use super::parts::{Figure, Tone};
use crate::storyboard::content::Words;
use crate::storyboard::shapes::Draws;

/// A bust, with an expression if a term names one.
pub(super) fn face(f: &mut Figure, words: &Words, draws: &mut Draws) {
    let expression: String = words
        .others
        .iter()
        .filter(|(slot, _)| slot == "expression")
        .map(|(_, term)| term.to_lowercase())
        .collect();
    let long = draws.below(2) == 0;
    if long {
        f.oval(0.0, -0.22, 0.56, 0.66, Tone::Dark)
            .block(-0.56, -0.2, 1.12, 0.56, Tone::Dark);
    }
    f.limb(&[(-0.5, 0.86), (0.5, 0.86)], 0.5, Tone::Dark).limb(
        &[(0.0, 0.2), (0.0, 0.7)],
        0.3,
        Tone::Light,
    );
    f.oval(0.0, -0.2, 0.46, 0.58, Tone::Light);
    if !long {
        f.oval(0.0, -0.62, 0.48, 0.24, Tone::Dark);
    }
    f.oval(-0.18, -0.26, 0.06, 0.08, Tone::Black)
        .oval(0.18, -0.26, 0.06, 0.08, Tone::Black);
    f.limb(&[(0.0, -0.16), (0.04, 0.0), (0.0, 0.02)], 0.035, Tone::Dark);
    if holds(&expression, &["smil", "happ", "joy", "laugh"]) {
        f.limb(
            &[(-0.2, 0.1), (-0.1, 0.18), (0.1, 0.18), (0.2, 0.1)],
            0.06,
            Tone::Black,
        );
    } else if holds(&expression, &["shout", "angr", "scream", "surpris"]) {
        f.oval(0.0, 0.18, 0.13, 0.12, Tone::Black);
        f.limb(&[(-0.3, -0.46), (-0.1, -0.38)], 0.05, Tone::Black)
            .limb(&[(0.3, -0.46), (0.1, -0.38)], 0.05, Tone::Black);
    } else if holds(&expression, &["sad", "cry", "frown"]) {
        f.limb(
            &[(-0.18, 0.2), (-0.08, 0.13), (0.08, 0.13), (0.18, 0.2)],
            0.06,
            Tone::Black,
        );
    } else {
        f.limb(&[(-0.14, 0.15), (0.14, 0.15)], 0.055, Tone::Black);
    }
}

/// True if a word in `text` starts with one of `stems`.
fn holds(text: &str, stems: &[&str]) -> bool {
    stems.iter().any(|stem| text.contains(stem))
}
