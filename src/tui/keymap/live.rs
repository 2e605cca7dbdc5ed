//! Which scopes are active together, and which keys an action may not use.

use crossterm::event::{KeyCode, KeyModifiers};

use super::{Chord, Keymap, Press, Target};
use crate::action::{Action, Scope};
use crate::pane::PaneId;

/// The sets of scopes that are active together, nearest first: those of the panes, and those of
/// overlays.
pub fn sets() -> impl Iterator<Item = &'static [Scope]> {
    let overlays: [&[Scope]; 2] = [
        &[Scope::Overlay, Scope::Table, Scope::Global],
        &[Scope::Overlay],
    ];
    let panes = PaneId::ALL.into_iter().flat_map(|pane| pane.info().live);
    panes.copied().chain(overlays)
}

/// Actions that must keep a key, or there is no way out of a text or menu.
pub const NEEDED: [Action; 4] = [
    Action::StopTyping,
    Action::FormClose,
    Action::MenuConfirm,
    Action::MenuCancel,
];

/// A key of one action that hides the key of another while both are active.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hidden {
    /// The nearer target, which receives the key.
    pub near: (Target, Chord),
    /// The target that no longer receives its key.
    pub far: (Target, Chord),
}

impl Keymap {
    /// All targets hidden by a nearer one while both are active.
    pub fn hidden(&self) -> Vec<Hidden> {
        let mut out: Vec<Hidden> = Vec::new();
        let none = Vec::new();
        let of = |scope: &Scope| self.bindings.get(scope).unwrap_or(&none);
        for scopes in sets() {
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

/// Why a key cannot be bound to an action, and what to do: keys with a fixed meaning, keys that
/// type text, and keys that a split arrow-key sequence can produce. `changes` says whether the
/// action changes something.
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
        Some('c') if !quits => return no("always quits", "use another key"),
        Some('z') => return no("always suspends the program", "use another key"),
        _ => {}
    }
    let texts = matches!(scope, Scope::Editor | Scope::Form | Scope::Overlay);
    if texts && (first.types().is_some() || edits(scope, first)) {
        return no(
            "types or edits text where this action applies",
            "use a key with ctrl, or a function key",
        );
    }
    let alone = chord.single().and_then(Press::types);
    let left_behind = matches!(
        (first.types(), alone),
        (Some('[' | 'O'), _) | (_, Some('A'..='D' | '~'))
    );
    if changes && left_behind {
        let why = "can be the rest of a split arrow-key sequence, so it cannot change items";
        return no(why, "use another key");
    }
    None
}

/// Whether the key edits the text.
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

/// A warning about a key that the terminal or a multiplexer may intercept.
pub fn warning(chord: &Chord) -> Option<&'static str> {
    let press = chord.single()?;
    match press.control() {
        Some('b') => return Some("tmux uses ctrl-b as its prefix by default"),
        Some('a') => return Some("screen uses ctrl-a as its prefix"),
        Some('j') => return Some("some terminals send ctrl-j for enter"),
        Some('s' | 'q') => {
            return Some("terminals with flow control use ctrl-s and ctrl-q");
        }
        _ => {}
    }
    let pages = matches!(
        press.code,
        KeyCode::PageUp | KeyCode::PageDown | KeyCode::Home | KeyCode::End
    );
    if press.modifiers.contains(KeyModifiers::SHIFT) && pages {
        return Some("many terminals use it to scroll and do not pass it on");
    }
    if press
        .modifiers
        .intersects(KeyModifiers::SHIFT | KeyModifiers::CONTROL)
    {
        return Some(
            "the Linux console and some terminals do not distinguish it from the plain key",
        );
    }
    (press.code == KeyCode::F(1) || press.code == KeyCode::F(11) || press.code == KeyCode::F(10))
        .then_some("many terminals use f1, f10, and f11 themselves")
}
