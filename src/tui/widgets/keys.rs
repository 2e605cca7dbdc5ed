//! The key bar, the help page, and the key reference, generated from the action table and the
//! keymap.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::menu::Choice;
use super::page::Page;
use super::text;
use crate::action::{Action, OLD_NAMES, Scope};
use crate::keymap::Keymap;
use crate::pane::PaneId;
use crate::theme::{Look, Role};

/// The actions of a scope for the key bar, most useful first.
fn key_bar_actions(scope: Scope) -> &'static [Action] {
    use Action as A;
    match scope {
        Scope::Table => &[
            A::Open,
            A::SortDescending,
            A::Select,
            A::ShowSelected,
            A::Frequency,
            A::Hide,
            A::CopyTable,
        ],
        Scope::Global => &[A::Help, A::Undo, A::Find, A::Palette, A::Back],
        Scope::Overlay => &[A::MenuConfirm, A::MenuCancel],
        own => {
            let mut bars = PaneId::ALL.into_iter().flat_map(|pane| pane.info().bar);
            bars.find(|(scope, _)| *scope == own)
                .map_or(&[], |(_, bar)| bar)
        }
    }
}

/// The hints of the key bar for these scopes (nearest first): keys with names, as many as fit in
/// `width` columns. Help comes right after the pane's two most useful keys.
pub fn hints(keymap: &Keymap, scopes: &[Scope], width: usize) -> Vec<(String, Action)> {
    let mut wanted: Vec<Action> = Vec::new();
    let near = scopes
        .iter()
        .filter(|s| **s != Scope::Global)
        .flat_map(|s| key_bar_actions(*s))
        .copied();
    wanted.extend(near);
    if scopes.contains(&Scope::Global) {
        wanted.splice(wanted.len().min(2)..wanted.len().min(2), [Action::Help]);
        wanted.extend(key_bar_actions(Scope::Global));
    }
    let mut out: Vec<(String, Action)> = Vec::new();
    let mut used = 0;
    for action in wanted {
        let (key, name) = (keymap.hint(action), action.name());
        let wide = text::width(&key) + 1 + text::width(name) + if out.is_empty() { 0 } else { 2 };
        if key.is_empty() || used + wide > width || out.iter().any(|(_, a)| a.name() == name) {
            continue;
        }
        used += wide;
        out.push((key, action));
    }
    out
}

/// Draws the key bar in the first row of `area`.
pub fn draw_bar(keymap: &Keymap, scopes: &[Scope], area: Rect, buf: &mut Buffer, look: &Look) {
    let hints = hints(keymap, scopes, usize::from(area.width));
    let keys: Vec<_> = hints
        .iter()
        .map(|(key, action)| (key.clone(), action.name()))
        .collect();
    let ends = draw_keys(&keys, Role::Hint, area, buf, look);
    let mut x = area.x;
    for ((_, action), end) in hints.iter().zip(ends) {
        let width = end.saturating_sub(x + GAP);
        look.hits.click(
            Rect {
                x,
                width,
                height: 1,
                ..area
            },
            *action,
        );
        x = end;
    }
}

/// Draws the possible continuations of the keys `pressed` so far, those that go to panes first, in
/// the last rows of `area`: as many as they need. Returns these rows.
pub fn draw_pending(
    pressed: &str,
    pending: &[(String, String)],
    area: Rect,
    buf: &mut Buffer,
    look: &Look,
) -> Rect {
    let (panes, others): (Vec<_>, Vec<_>) = pending
        .iter()
        .map(|(key, name)| (key.strip_prefix(pressed).unwrap_or(key), name.as_str()))
        .partition(|(_, name)| name.starts_with(GO));
    let panes = panes
        .into_iter()
        .map(|(key, name)| (key, &name[GO.len()..]));
    let keys: Vec<(String, &str)> = panes
        .chain(others)
        .map(|(key, name)| (key.to_string(), name))
        .collect();
    let rows = in_rows(&keys, usize::from(area.width));
    let height = u16::try_from(rows.len().max(PENDING_ROWS)).unwrap_or(u16::MAX);
    let height = height.min(area.height);
    let area = Rect {
        y: area.bottom() - height,
        height,
        ..area
    };
    buf.set_style(area, look.theme.base());
    let blank = " ".repeat(usize::from(area.width));
    for y in area.y..area.bottom() {
        buf.set_string(area.x, y, &blank, look.theme.base());
    }
    for (y, here) in (area.y..area.bottom()).zip(rows) {
        let row = Rect {
            y,
            height: 1,
            ..area
        };
        draw_keys(here, Role::Text, row, buf, look);
    }
    area
}

/// The least rows of continuations: those of the message and the key bar.
const PENDING_ROWS: usize = 2;

/// Splits keys with names into rows of this width. A row has at least one.
fn in_rows<'k>(keys: &'k [(String, &'k str)], width: usize) -> Vec<&'k [(String, &'k str)]> {
    let mut rows = Vec::new();
    let mut rest = keys;
    while !rest.is_empty() {
        let mut used = 0;
        let fits = rest.iter().take_while(|(key, name)| {
            used += text::width(key) + text::width(name) + 3;
            used <= width + 2
        });
        let (here, later) = rest.split_at(fits.count().max(1));
        rows.push(here);
        rest = later;
    }
    rows
}

/// The beginning of the names of actions that go to panes.
const GO: &str = "go to ";

/// Columns between two keys.
const GAP: u16 = 2;

/// Draws keys with names in the first row of `area`. Returns where each ends, with the gap.
fn draw_keys<N: std::fmt::Display>(
    keys: &[(String, N)],
    role: Role,
    area: Rect,
    buf: &mut Buffer,
    look: &Look,
) -> Vec<u16> {
    let mut x = area.x;
    let mut ends = Vec::new();
    for (key, name) in keys {
        let room = |x: u16| usize::from(area.right().saturating_sub(x));
        (x, _) = buf.set_stringn(x, area.y, key, room(x), look.style(Role::Key));
        let name = format!(" {name}  ");
        (x, _) = buf.set_stringn(x, area.y, name, room(x), look.style(role));
        ends.push(x);
    }
    ends
}

/// The help page: the keys of these scopes under their headings, after the paragraphs `before`.
pub fn help_page(keymap: &Keymap, scopes: &[Scope], before: &[String]) -> Page {
    let mut page = before
        .iter()
        .fold(Page::new("Keys"), |page, text| page.paragraph(text.clone()));
    for scope in scopes {
        let actions = Action::ALL.iter().filter(|a| a.scope() == *scope);
        // A pane may have no actions of its own.
        if actions.clone().next().is_some() {
            page = page.heading(scope.title());
        }
        for action in actions {
            let undo = if action.undoable() { " (undoable)" } else { "" };
            let help = format!("{}{undo}", action.help());
            page = page.entry(keymap.keys(*action).join(" "), 25, help, Role::Text);
        }
        if *scope == Scope::Review && !keymap.macros().is_empty() {
            page = page.heading("Your macros");
            for made in keymap.macros() {
                let help = format!("{}: {} (undoable)", made.name, made.help());
                page = page.entry(made.chord.label(), 25, help, Role::Text);
            }
        }
    }
    page
}

/// The palette for these scopes: the lines with names and keys, and their actions in the same
/// order. Actions are also found by their names in earlier versions.
pub fn palette(keymap: &Keymap, scopes: &[Scope]) -> (Vec<Choice>, Vec<Action>) {
    let live = |a: &&Action| {
        scopes.contains(&a.scope()) && a.scope() != Scope::Overlay && **a != Action::Palette
    };
    let actions: Vec<Action> = Action::ALL.iter().filter(live).copied().collect();
    let line = |a: &Action| {
        let old = OLD_NAMES.iter().filter(|(_, action)| action == a);
        Choice::new(a.name())
            .help(a.help())
            .aliases(old.map(|(name, _)| *name))
            .key(keymap.hint(*a))
    };
    (actions.iter().map(line).collect(), actions)
}

/// Generates the key reference in Markdown, `docs/keys.md`.
pub fn key_reference(keymap: &Keymap) -> String {
    let mut out = String::from(
        "# Keys\n\nGenerated from the action table in `src/tui/action.rs`; a test checks that this file is up to date.\n\
         If several scopes bind a key, the nearest one wins: the pane, then tables, then everywhere. These are the defaults.\n\
         `keys.toml` rebinds actions by these names ([cli.md](cli.md), `benchtop keys`).\n",
    );
    let mut scopes: Vec<Scope> = Action::ALL.iter().map(|a| a.scope()).collect();
    scopes.dedup();
    for scope in scopes {
        out += &format!(
            "\n## {}\n\n| keys | action | what it does | undo |\n|---|---|---|---|\n",
            scope.title()
        );
        for action in Action::ALL.iter().filter(|a| a.scope() == scope) {
            let keys: Vec<String> = keymap.keys(*action).iter().map(|k| code(k)).collect();
            let undo = if action.undoable() { "yes" } else { "" };
            out += &format!(
                "| {} | {} | {} | {undo} |\n",
                keys.join(" "),
                action.name(),
                action.help()
            );
        }
    }
    out
}

fn code(key: &str) -> String {
    format!("`{}`", key.replace('|', "\\|"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::widgets::menu::{Menu, MenuOutcome};
    use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

    #[test]
    fn the_palette_finds_actions_by_their_old_names() {
        let keymap = Keymap::defaults().unwrap();
        // Actions of the palette itself are not in it.
        let listed = |(_, action): &&(&str, Action)| action.scope() != Scope::Overlay;
        for (old, action) in OLD_NAMES.iter().filter(listed) {
            let scopes = [action.scope(), Scope::Table, Scope::Global];
            let (choices, actions) = palette(&keymap, &scopes);
            let mut menu = Menu::new("Do", choices).filtering();
            for c in old.chars() {
                menu.key(KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE));
            }
            let outcome = menu.key(KeyEvent::new(KeyCode::Enter, KeyModifiers::NONE));
            let MenuOutcome::Chosen { picks, .. } = outcome else {
                panic!("{old}: {outcome:?}");
            };
            assert_eq!(actions[picks[0]], *action, "{old}");
        }
    }

    #[test]
    fn the_committed_key_reference_is_up_to_date() {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/keys.md");
        let made = key_reference(&Keymap::defaults().unwrap());
        if std::env::var_os("BENCHTOP_BLESS").is_some() {
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, &made).unwrap();
        }
        let committed = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(
            made == committed,
            "docs/keys.md is out of date: BENCHTOP_BLESS=1 cargo test key_reference rewrites it"
        );
    }

    #[test]
    fn every_action_is_in_the_reference_and_on_its_help_page() {
        let keymap = Keymap::defaults().unwrap();
        let reference = key_reference(&keymap);
        for action in Action::ALL {
            assert!(
                reference.contains(&format!("| {} | {} |", action.name(), action.help())),
                "{}",
                action.name()
            );
            let help = help_page(&keymap, &[action.scope()], &[]).text();
            for key in action.keys() {
                assert!(
                    help.lines().any(|l| l.split(' ').any(|w| w == *key)),
                    "{key} of {}",
                    action.name()
                );
            }
        }
    }

    #[test]
    fn the_bar_fits_and_always_names_help() {
        let keymap = Keymap::defaults().unwrap();
        for scopes in [
            [Scope::Review, Scope::Global],
            [Scope::Table, Scope::Global],
        ] {
            for width in 40..200 {
                let hints = hints(&keymap, &scopes, width);
                let used: usize = hints
                    .iter()
                    .map(|(k, a)| text::width(k) + 1 + a.name().len())
                    .sum();
                assert!(used + 2 * (hints.len() - 1) <= width);
                assert!(
                    hints
                        .iter()
                        .any(|(key, action)| key == "?" && *action == Action::Help),
                    "{width}: {hints:?}"
                );
            }
        }
        let narrow = hints(&keymap, &[Scope::Review, Scope::Global], 20);
        assert_eq!(narrow[0], ("a".to_string(), Action::Accept));
    }

    #[test]
    fn the_palette_lists_each_live_action_once() {
        let keymap = Keymap::defaults().unwrap();
        let (lines, actions) = palette(&keymap, &[Scope::Board, Scope::Table, Scope::Global]);
        assert_eq!(lines.len(), actions.len());
        assert!(actions.contains(&Action::NextMeasure) && !actions.contains(&Action::Accept));
        assert_eq!(lines[0].key, keymap.hint(actions[0]));
    }
}
