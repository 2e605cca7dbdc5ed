//! From keys to actions.

use std::collections::HashMap;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::action::{Action, Scope};
use crate::model::{Kind, Problem, Result};

/// One key with its modifiers, normalised: a character carries no SHIFT.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Press {
    /// The key.
    pub code: KeyCode,
    /// CONTROL and ALT, and SHIFT where the key is no character.
    pub modifiers: KeyModifiers,
}

impl From<KeyEvent> for Press {
    fn from(key: KeyEvent) -> Self {
        let mut kept = KeyModifiers::CONTROL | KeyModifiers::ALT;
        if !matches!(key.code, KeyCode::Char(_)) {
            kept |= KeyModifiers::SHIFT;
        }
        Press { code: key.code, modifiers: key.modifiers & kept }
    }
}

/// One or more presses in a row: `a`, `ctrl-r`, `gg`, `z[`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Chord(pub Vec<Press>);

impl Chord {
    /// Reads `a`, `U`, `esc`, `enter`, `tab`, `space`, `pgdn`, `f1`, `shift-left`, `ctrl-r`, `gg`, `z[`.
    ///
    /// # Errors
    /// [`Kind::Usage`] when the text names no key.
    pub fn parse(text: &str) -> Result<Chord> {
        let plain = |code| Press { code, modifiers: KeyModifiers::NONE };
        let bad = || Problem::new(Kind::Usage, format!("`{text}` names no key"));
        let named = |name: &str| {
            Some(match name {
                "esc" => KeyCode::Esc,
                "enter" => KeyCode::Enter,
                "tab" => KeyCode::Tab,
                "space" => KeyCode::Char(' '),
                "backspace" => KeyCode::Backspace,
                "up" => KeyCode::Up,
                "down" => KeyCode::Down,
                "left" => KeyCode::Left,
                "right" => KeyCode::Right,
                "home" => KeyCode::Home,
                "end" => KeyCode::End,
                "pgup" => KeyCode::PageUp,
                "pgdn" => KeyCode::PageDown,
                "f1" => KeyCode::F(1),
                _ => return None,
            })
        };
        if let Some(code) = named(text) {
            return Ok(Chord(vec![plain(code)]));
        }
        if let Some(code) = text.strip_prefix("shift-").and_then(named).filter(|c| !matches!(c, KeyCode::Char(_))) {
            return Ok(Chord(vec![Press { code, modifiers: KeyModifiers::SHIFT }]));
        }
        if let Some(rest) = text.strip_prefix("ctrl-") {
            let mut chars = rest.chars();
            return match (chars.next(), chars.next()) {
                (Some(c), None) => Ok(Chord(vec![Press { code: KeyCode::Char(c), modifiers: KeyModifiers::CONTROL }])),
                _ => Err(bad()),
            };
        }
        if text.is_empty() || text.chars().count() > 2 {
            return Err(bad());
        }
        Ok(Chord(text.chars().map(|c| plain(KeyCode::Char(c))).collect()))
    }

    /// The text [`parse`](Self::parse) reads back, as the key bar prints it.
    pub fn label(&self) -> String {
        self.0.iter().map(|p| label(*p)).collect()
    }
}

fn label(press: Press) -> String {
    let key = match press.code {
        KeyCode::Char(' ') => "space".into(),
        KeyCode::Char(c) => c.to_string(),
        KeyCode::Esc => "esc".into(),
        KeyCode::Enter => "enter".into(),
        KeyCode::Tab => "tab".into(),
        KeyCode::Backspace => "backspace".into(),
        KeyCode::Up => "up".into(),
        KeyCode::Down => "down".into(),
        KeyCode::Left => "left".into(),
        KeyCode::Right => "right".into(),
        KeyCode::Home => "home".into(),
        KeyCode::End => "end".into(),
        KeyCode::PageUp => "pgup".into(),
        KeyCode::PageDown => "pgdn".into(),
        KeyCode::F(n) => format!("f{n}"),
        other => format!("{other:?}").to_lowercase(),
    };
    match press.modifiers {
        m if m.contains(KeyModifiers::CONTROL) => format!("ctrl-{key}"),
        m if m.contains(KeyModifiers::SHIFT) => format!("shift-{key}"),
        _ => key,
    }
}

/// What a key led to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lookup {
    /// An action.
    Action(Action),
    /// The first key of longer chords; the actions it can still become.
    Pending(Vec<(String, Action)>),
    /// Nothing here; the actions it stands for in other scopes, so that the program can say why not.
    Elsewhere(Vec<Action>),
}

/// All bindings.
pub struct Keymap {
    bindings: HashMap<Scope, Vec<(Chord, Action)>>,
}

impl Keymap {
    /// The default keys of the action table.
    ///
    /// # Errors
    /// [`Kind::Conflict`] when two actions of one scope claim one key, or one's key begins another's chord.
    pub fn defaults() -> Result<Keymap> {
        let mut map = Keymap { bindings: HashMap::new() };
        for action in Action::ALL {
            for key in action.keys() {
                map.bind(*action, Chord::parse(key)?)?;
            }
        }
        Ok(map)
    }

    fn bind(&mut self, action: Action, chord: Chord) -> Result<()> {
        let scope = self.bindings.entry(action.scope()).or_default();
        for (other, taken) in scope.iter() {
            let shared = other.0.len().min(chord.0.len());
            if other.0[..shared] == chord.0[..shared] {
                return Err(Problem::new(
                    Kind::Conflict,
                    format!("`{}` is claimed by `{}` and `{}`", chord.label(), taken.name(), action.name()),
                ));
            }
        }
        scope.push((chord, action));
        Ok(())
    }

    /// What `keys` mean in `scopes`, the nearest scope first. A key with SHIFT that means nothing by itself means what it
    /// means without.
    pub fn lookup(&self, scopes: &[Scope], keys: &[Press]) -> Lookup {
        let found = self.find(scopes, keys);
        let shifted = keys.iter().any(|k| k.modifiers.contains(KeyModifiers::SHIFT));
        if !(shifted && matches!(found, Lookup::Elsewhere(_))) {
            return found;
        }
        let plain: Vec<Press> =
            keys.iter().map(|k| Press { code: k.code, modifiers: k.modifiers - KeyModifiers::SHIFT }).collect();
        self.find(scopes, &plain)
    }

    fn find(&self, scopes: &[Scope], keys: &[Press]) -> Lookup {
        for scope in scopes {
            let Some(bindings) = self.bindings.get(scope) else { continue };
            if let Some((_, action)) = bindings.iter().find(|(c, _)| c.0 == keys) {
                return Lookup::Action(*action);
            }
            let longer: Vec<_> =
                bindings.iter().filter(|(c, _)| c.0.starts_with(keys)).map(|(c, a)| (c.label(), *a)).collect();
            if !longer.is_empty() {
                return Lookup::Pending(longer);
            }
        }
        let mut elsewhere: Vec<Action> =
            self.bindings.values().flatten().filter(|(c, _)| c.0 == keys).map(|(_, a)| *a).collect();
        elsewhere.sort();
        Lookup::Elsewhere(elsewhere)
    }

    /// The first key of an action, as the key bar prints it.
    pub fn hint(&self, action: Action) -> String {
        self.bindings
            .get(&action.scope())
            .and_then(|b| b.iter().find(|(_, a)| *a == action))
            .map(|(c, _)| c.label())
            .unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn press(c: char) -> Press {
        Press { code: KeyCode::Char(c), modifiers: KeyModifiers::NONE }
    }

    #[test]
    fn default_keys_do_not_clash_and_read_back() {
        Keymap::defaults().unwrap();
        for action in Action::ALL {
            for key in action.keys() {
                assert_eq!(Chord::parse(key).unwrap().label(), *key);
            }
        }
    }

    #[test]
    fn no_verdict_sits_on_a_key_that_a_cut_escape_sequence_leaves_behind() {
        for action in Action::ALL.iter().filter(|a| a.undoable()) {
            for key in action.keys() {
                assert!(!["[", "O", "A", "B", "C", "D", "~"].contains(key), "{} on {key}", action.name());
            }
        }
    }

    #[test]
    fn shift_is_told_apart_only_where_it_means_something() {
        let map = Keymap::defaults().unwrap();
        let arrow = |code| Press::from(KeyEvent::new(code, KeyModifiers::SHIFT));
        let bench = [Scope::Filters, Scope::Table, Scope::Global];
        assert_eq!(map.lookup(&bench, &[arrow(KeyCode::Left)]), Lookup::Action(Action::LineFarLeft));
        assert_eq!(map.lookup(&bench, &[arrow(KeyCode::Down)]), Lookup::Action(Action::Down));
        assert_eq!(map.lookup(&[Scope::Review], &[arrow(KeyCode::Left)]), Lookup::Action(Action::Previous));
        assert_eq!(Press::from(KeyEvent::new(KeyCode::Char('H'), KeyModifiers::SHIFT)), press('H'));
        for wrong in ["shift-a", "shift-space", "shift-"] {
            assert!(Chord::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_prefix_waits_and_a_stray_key_says_where_it_works() {
        let map = Keymap::defaults().unwrap();
        let table = [Scope::Table, Scope::Global];
        assert!(matches!(map.lookup(&table, &[press('z')]), Lookup::Pending(p) if p.len() == 2));
        assert_eq!(map.lookup(&table, &[press('z'), press('[')]), Lookup::Action(Action::ThenAscending));
        assert_eq!(map.lookup(&table, &[press('s')]), Lookup::Elsewhere(vec![Action::Skip, Action::StartScoring]));
    }
}
