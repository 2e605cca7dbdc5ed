//! Key bindings.
//!
//! | file | what it does |
//! |---|---|
//! | [`chord`] | key notation |
//! | [`macros`] | user-defined keys for a verdict with reasons and a note |
//! | [`live`] | which scopes are active together, and which keys an action may not use |
//! | [`file`] | the user's `keys.toml` |

pub mod chord;
pub mod file;
pub mod live;
pub mod macros;

use std::collections::HashMap;

use crossterm::event::KeyModifiers;

use super::action::{Action, Scope};
use benchtop_model::{Error, ErrorKind, Result};

pub use chord::{Chord, Press};
pub use macros::Macro;

/// The target of a key binding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Target {
    Action(Action),
    /// The index of a macro in [`Keymap::macros`].
    Macro(usize),
}

/// The result of looking up pressed keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lookup {
    Action(Action),
    /// The index of a macro in [`Keymap::macros`].
    Macro(usize),
    /// A prefix of longer chords, with each chord and the name of its target.
    Pending(Vec<(String, String)>),
    /// Not bound in these scopes. Lists the actions bound to it in other scopes, for the error
    /// message.
    Elsewhere(Vec<Action>),
}

/// All bindings.
#[derive(Clone, Debug, Default)]
pub struct Keymap {
    bindings: HashMap<Scope, Vec<(Chord, Target)>>,
    macros: Vec<Macro>,
}

impl Keymap {
    /// The default keys of the action table.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Conflict`] if two actions of one scope share a key, or one key is a prefix of
    /// another's chord.
    pub fn defaults() -> Result<Keymap> {
        let mut map = Keymap::default();
        for action in Action::ALL {
            for key in action.keys() {
                map.bind(action.scope(), Target::Action(*action), Chord::parse(key)?)?;
            }
        }
        Ok(map)
    }

    pub fn macros(&self) -> &[Macro] {
        &self.macros
    }

    /// The target's name in messages.
    pub fn name(&self, target: Target) -> String {
        match target {
            Target::Action(action) => action.name().to_string(),
            Target::Macro(at) => self
                .macros
                .get(at)
                .map_or(String::new(), |m| m.name.clone()),
        }
    }

    /// Adds a key for a target.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Conflict`] if the key is taken in this scope, or is a prefix of a chord or vice
    /// versa.
    fn bind(&mut self, scope: Scope, target: Target, chord: Chord) -> Result<()> {
        let taken = self
            .bindings
            .get(&scope)
            .and_then(|b| b.iter().find(|(other, _)| other.hides(&chord)));
        if let Some((other, taken)) = taken {
            let (label, taken, other) = (chord.label(), self.name(*taken), other.label());
            let what = match other == label {
                true => format!(
                    "`{label}` is bound to both `{taken}` and `{}`",
                    self.name(target)
                ),
                false => format!(
                    "`{label}` of `{}` overlaps `{other}` of `{taken}`",
                    self.name(target)
                ),
            };
            return Err(Error::new(ErrorKind::Conflict, what));
        }
        self.bindings
            .entry(scope)
            .or_default()
            .push((chord, target));
        Ok(())
    }

    /// Looks up `keys` in `scopes`, nearest scope first. A key with an unbound SHIFT falls back to
    /// the key without it.
    pub fn lookup(&self, scopes: &[Scope], keys: &[Press]) -> Lookup {
        let found = self.find(scopes, keys);
        let shifted = keys
            .iter()
            .any(|k| k.modifiers.contains(KeyModifiers::SHIFT));
        if !(shifted && matches!(found, Lookup::Elsewhere(_))) {
            return found;
        }
        let plain: Vec<Press> = keys
            .iter()
            .map(|k| Press {
                code: k.code,
                modifiers: k.modifiers - KeyModifiers::SHIFT,
            })
            .collect();
        self.find(scopes, &plain)
    }

    fn find(&self, scopes: &[Scope], keys: &[Press]) -> Lookup {
        let mut longer: Vec<(String, String)> = Vec::new();
        for scope in scopes {
            let Some(bindings) = self.bindings.get(scope) else {
                continue;
            };
            // A nearer scope with a longer chord takes the key.
            let exact = bindings.iter().find(|(c, _)| c.0 == keys);
            match exact.filter(|_| longer.is_empty()) {
                Some((_, Target::Action(action))) => return Lookup::Action(*action),
                Some((_, Target::Macro(at))) => return Lookup::Macro(*at),
                None => {}
            }
            let here = bindings
                .iter()
                .filter(|(c, _)| c.0 != keys && c.0.starts_with(keys));
            for (label, name) in here.map(|(c, t)| (c.label(), self.name(*t))) {
                if longer.iter().all(|(near, _)| *near != label) {
                    longer.push((label, name));
                }
            }
        }
        if !longer.is_empty() {
            return Lookup::Pending(longer);
        }
        let action = |target: &Target| match target {
            Target::Action(action) => Some(*action),
            Target::Macro(_) => None,
        };
        let mut elsewhere: Vec<Action> = self
            .bindings
            .values()
            .flatten()
            .filter(|(c, _)| c.0 == keys)
            .filter_map(|(_, t)| action(t))
            .collect();
        elsewhere.sort();
        Lookup::Elsewhere(elsewhere)
    }

    /// The keys of an action. The first one is shown in hints.
    pub fn keys(&self, action: Action) -> Vec<String> {
        let bindings = self.bindings.get(&action.scope()).into_iter().flatten();
        bindings
            .filter(|(_, t)| *t == Target::Action(action))
            .map(|(c, _)| c.label())
            .collect()
    }

    /// The first key of an action for the key bar, or an empty string if it has none.
    pub fn hint(&self, action: Action) -> String {
        self.keys(action).into_iter().next().unwrap_or_default()
    }

    /// The key for an action as shown in messages. An action without a key is named by its palette
    /// entry.
    pub fn press(&self, action: Action) -> String {
        match (self.hint(action), self.hint(Action::Palette)) {
            (key, _) if !key.is_empty() => key,
            (_, palette) if !palette.is_empty() => format!("{palette}{}", action.name()),
            _ => format!("`{}`", action.name()),
        }
    }
}

#[cfg(test)]
mod tests {
    use crossterm::event::{KeyCode, KeyEvent};

    use super::*;
    use crate::pane::PaneId;

    fn press(c: char) -> Press {
        Press {
            code: KeyCode::Char(c),
            modifiers: KeyModifiers::NONE,
        }
    }

    #[test]
    fn default_keys_do_not_conflict_and_round_trip() {
        Keymap::defaults().unwrap();
        for action in Action::ALL {
            for key in action.keys() {
                assert_eq!(Chord::parse(key).unwrap().label(), *key);
            }
        }
    }

    #[test]
    fn no_verdict_uses_a_key_that_a_split_escape_sequence_can_produce() {
        for action in Action::ALL.iter().filter(|a| a.undoable()) {
            for key in action.keys() {
                assert!(
                    !["[", "O", "A", "B", "C", "D", "~"].contains(key),
                    "{} on {key}",
                    action.name()
                );
            }
        }
    }

    #[test]
    fn shift_matters_only_where_it_is_bound() {
        let map = Keymap::defaults().unwrap();
        let arrow = |code| Press::from(KeyEvent::new(code, KeyModifiers::SHIFT));
        let bench = [Scope::Filters, Scope::Table, Scope::Global];
        assert_eq!(
            map.lookup(&bench, &[arrow(KeyCode::Left)]),
            Lookup::Action(Action::ThresholdFarLeft)
        );
        assert_eq!(
            map.lookup(&bench, &[arrow(KeyCode::Down)]),
            Lookup::Action(Action::Down)
        );
        assert_eq!(
            map.lookup(&[Scope::Review], &[arrow(KeyCode::Left)]),
            Lookup::Action(Action::PanLeft)
        );
        assert_eq!(
            map.lookup(&[Scope::Review], &[arrow(KeyCode::PageDown)]),
            Lookup::Action(Action::ScrollDown)
        );
        assert_eq!(
            Press::from(KeyEvent::new(KeyCode::Char('H'), KeyModifiers::SHIFT)),
            press('H')
        );
        for wrong in ["shift-a", "shift-space", "shift-"] {
            assert!(Chord::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn no_pane_hides_the_keys_that_open_panes() {
        let map = Keymap::defaults().unwrap();
        for pane in PaneId::ALL {
            let scopes = pane.info().live.iter();
            // Forms and prompts take keys as text.
            for scopes in scopes.filter(|scopes| scopes.contains(&Scope::Global)) {
                for opened in PaneId::ALL {
                    for key in opened.info().go.2 {
                        let chord = Chord::parse(key).unwrap().0;
                        let found = map.lookup(scopes, &chord);
                        assert_eq!(
                            found,
                            Lookup::Action(Action::Go(opened)),
                            "{key} in {pane:?}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn a_prefix_is_pending_and_an_unbound_key_names_other_scopes() {
        let map = Keymap::defaults().unwrap();
        let table = [Scope::Table, Scope::Global];
        assert!(matches!(map.lookup(&table, &[press('z')]), Lookup::Pending(p) if p.len() == 2));
        // The panes are offered beside what the table binds.
        let Lookup::Pending(after_g) = map.lookup(&table, &[press('g')]) else {
            panic!("g is not a prefix");
        };
        let offers = |key: &str| after_g.iter().any(|(offered, _)| offered == key);
        assert!(offers("gv") && offers("gh") && offers("gn"), "{after_g:?}");
        assert_eq!(
            map.lookup(&table, &[press('z'), press('[')]),
            Lookup::Action(Action::ThenAscending)
        );
        assert_eq!(
            map.lookup(&table, &[press('s')]),
            Lookup::Elsewhere(vec![
                Action::Skip,
                Action::ShowInterval,
                Action::StartScoring,
                Action::ShowAdjudicated
            ])
        );
    }
}
