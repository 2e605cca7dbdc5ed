//! Which scopes are live at once, and which keys may not be bound to what.

use crossterm::event::{KeyCode, KeyModifiers};

use super::{Chord, Keymap, Press, Target};
use crate::action::{Action, Scope};

/// The scopes that have the keys together, nearest first: of each pane, its layers and its overlays.
pub const LIVE: [&[Scope]; 20] = [
    &[Scope::Review, Scope::Global],
    &[Scope::Round, Scope::Review, Scope::Global],
    // Where answers are asked for letters are answers, whatever they mean in the review.
    &[Scope::Answers, Scope::Global],
    &[Scope::List, Scope::Table, Scope::Global],
    &[Scope::Table, Scope::Global],
    &[Scope::Board, Scope::Table, Scope::Global],
    &[Scope::Behind, Scope::Table, Scope::Global],
    &[Scope::Answer, Scope::Behind, Scope::Table, Scope::Global],
    &[
        Scope::Vocabulary,
        Scope::Metadata,
        Scope::Table,
        Scope::Global,
    ],
    &[
        Scope::Templates,
        Scope::Metadata,
        Scope::Table,
        Scope::Global,
    ],
    &[Scope::Editor],
    &[Scope::Coverage, Scope::Table, Scope::Global],
    &[Scope::Generate, Scope::Table, Scope::Global],
    &[Scope::Filters, Scope::Table, Scope::Global],
    &[Scope::Agreement, Scope::Table, Scope::Global],
    &[Scope::Adjudicate, Scope::Global],
    &[Scope::Rounds, Scope::Table, Scope::Global],
    &[Scope::Form],
    &[Scope::Overlay, Scope::Table, Scope::Global],
    &[Scope::Overlay],
];

/// Without these nobody comes out of a text or a menu again.
pub const NEEDED: [Action; 4] = [
    Action::StopTyping,
    Action::FormClose,
    Action::MenuOk,
    Action::MenuCancel,
];

/// What one action hides from another: both are live, the nearer one has the key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hidden {
    /// The nearer target, which has the key.
    pub near: (Target, Chord),
    /// The one that its key cannot reach there any more.
    pub far: (Target, Chord),
}

impl Keymap {
    /// Every target that a nearer one hides, where both are live at once.
    pub fn hidden(&self) -> Vec<Hidden> {
        let mut out: Vec<Hidden> = Vec::new();
        let none = Vec::new();
        let of = |scope: &Scope| self.bindings.get(scope).unwrap_or(&none);
        for scopes in LIVE {
            for (at, near) in scopes.iter().enumerate() {
                for far in &scopes[at + 1..] {
                    let pairs = of(near)
                        .iter()
                        .flat_map(|a| of(far).iter().map(move |b| (a, b)));
                    for (a, b) in pairs.filter(|(a, b)| a.0.hides(&b.0)) {
                        let hidden = Hidden {
                            near: (a.1, a.0.clone()),
                            far: (b.1, b.0.clone()),
                        };
                        if !out.contains(&hidden) {
                            out.push(hidden);
                        }
                    }
                }
            }
        }
        out
    }
}

/// Why a key may not stand for a target, and what to do: what always means the same, what is typed as text, and what
/// half an arrow key on a slow line leaves behind. `changes` tells whether the target changes something.
pub fn refusal(
    scope: Scope,
    quits: bool,
    changes: bool,
    chord: &Chord,
) -> Option<(String, String)> {
    let label = chord.label();
    let first = *chord.0.first()?;
    let no = |why: &str, help: &str| Some((format!("`{label}` {why}"), help.to_string()));
    match first.control() {
        Some('c') if !quits => return no("always quits", "take another key"),
        Some('z') => return no("always suspends the program", "take another key"),
        _ => {}
    }
    let texts = matches!(scope, Scope::Editor | Scope::Form | Scope::Overlay);
    if texts && (first.types().is_some() || edits(scope, first)) {
        return no(
            "is part of typing a text, which this action is live in",
            "take a key with ctrl, or a function key",
        );
    }
    let alone = chord.single().and_then(Press::types);
    let left_behind = matches!(
        (first.types(), alone),
        (Some('[' | 'O'), _) | (_, Some('A'..='D' | '~'))
    );
    if changes && left_behind {
        let why = "can be what a slow line leaves of an arrow key, so nothing that changes an item may stand on it";
        return no(why, "take another key");
    }
    None
}

/// Whether a key edits the line or the text that is typed.
fn edits(scope: Scope, press: Press) -> bool {
    if matches!(press.code, KeyCode::Backspace | KeyCode::Delete) {
        return true;
    }
    let moves = matches!(
        press.code,
        KeyCode::Left | KeyCode::Right | KeyCode::Home | KeyCode::End
    );
    if matches!(scope, Scope::Form | Scope::Overlay) {
        return moves || press.control().is_some_and(|c| "aebfhwuky".contains(c));
    }
    let lines = matches!(
        press.code,
        KeyCode::Up | KeyCode::Down | KeyCode::PageUp | KeyCode::PageDown
    );
    let writes = matches!(press.code, KeyCode::Enter | KeyCode::Tab);
    moves || lines || writes || press.control().is_some_and(|c| "aewk".contains(c))
}

/// What is worth knowing of a key that may be bound: somebody between the keyboard and the program may take it.
pub fn warning(chord: &Chord) -> Option<&'static str> {
    let press = chord.single()?;
    match press.control() {
        Some('b') => return Some("tmux takes ctrl-b for itself unless its prefix is another"),
        Some('a') => return Some("screen takes ctrl-a for itself"),
        Some('j') => return Some("some terminals send ctrl-j for enter"),
        Some('s' | 'q') => {
            return Some("a terminal with flow control takes ctrl-s and ctrl-q for itself");
        }
        _ => {}
    }
    let pages = matches!(
        press.code,
        KeyCode::PageUp | KeyCode::PageDown | KeyCode::Home | KeyCode::End
    );
    if press.modifiers.contains(KeyModifiers::SHIFT) && pages {
        return Some("many terminals scroll back with it and do not pass it on");
    }
    if press
        .modifiers
        .intersects(KeyModifiers::SHIFT | KeyModifiers::CONTROL)
    {
        return Some("the Linux console and some terminals do not tell it from the key alone");
    }
    (press.code == KeyCode::F(1) || press.code == KeyCode::F(11) || press.code == KeyCode::F(10))
        .then_some("many terminals take f1, f10 and f11 for themselves")
}
