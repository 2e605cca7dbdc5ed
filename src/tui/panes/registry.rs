//! The panes of a running program.

use super::panes;
use crate::pane::{Pane, PaneId};

macro_rules! pane_types {
    ($($pane:ident($module:ident $type:ident) $row:tt)*) => {
        fn new(id: PaneId) -> Box<dyn Pane> {
            match id {
                $(PaneId::$pane => Box::<super::$module::$type>::default(),)*
            }
        }
    };
}

panes!(pane_types);

/// The panes of a running program.
pub struct Panes(Vec<(PaneId, Box<dyn Pane>)>);

impl Default for Panes {
    fn default() -> Panes {
        Panes(PaneId::ALL.map(|id| (id, new(id))).into())
    }
}

impl Panes {
    pub fn get(&self, id: PaneId) -> Option<&dyn Pane> {
        let (_, pane) = self.0.iter().find(|(own, _)| *own == id)?;
        Some(pane.as_ref())
    }

    pub fn get_mut(&mut self, id: PaneId) -> Option<&mut (dyn Pane + 'static)> {
        let (_, pane) = self.0.iter_mut().find(|(own, _)| *own == id)?;
        Some(pane.as_mut())
    }

    pub fn all(&self) -> impl Iterator<Item = (PaneId, &dyn Pane)> {
        self.0.iter().map(|(id, pane)| (*id, pane.as_ref()))
    }
}

#[cfg(test)]
mod tests {
    use ratatui::buffer::Buffer;
    use ratatui::layout::Rect;

    use super::*;
    use crate::action::Action;
    use crate::pane::testing::recorder;
    use crate::theme::{Look, Theme};
    use benchtop_model::ColorLevel;

    fn words(buf: &Buffer) -> String {
        let text: String = buf.content.iter().map(|cell| cell.symbol()).collect();
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn every_empty_pane_says_what_it_is_for_and_which_key_begins() {
        let look = Look::new(&Theme::shipped("mono").unwrap(), ColorLevel::Mono, true);
        let mut rec = recorder();
        for id in PaneId::ALL {
            let info = id.info();
            for items in [0, 24] {
                rec.items = items;
                let (action, does) = match items == 0 && info.needs_items {
                    true => (Action::HomeTab, "opens Home"),
                    false => info.begin,
                };
                let live = info.live[0].contains(&action.scope());
                assert!(live, "{id:?}: the key of {action:?} does nothing here");
                let key = rec.keymap.press(action);
                assert!(!key.is_empty(), "{id:?}");
                for (width, height) in [(60, 16), (80, 24), (160, 50)] {
                    // Without the tab row, the status line, and the key bar.
                    let mut buf = Buffer::empty(Rect::new(0, 0, width, height - 4));
                    let area = buf.area;
                    rec.with_scene(&look, |scene| scene.draw_purpose(id, area, &mut buf));
                    let shown = words(&buf);
                    let sentence = info.purpose.about;
                    assert!(
                        sentence.ends_with('.') && shown.contains(sentence),
                        "{shown}"
                    );
                    assert!(shown.contains(&format!("{key} {does}")), "{shown}");
                    let example = info.purpose.example.first().unwrap().trim();
                    let example: Vec<&str> = example.split_whitespace().take(2).collect();
                    assert!(shown.contains(&example.join(" ")), "{shown}");
                }
            }
        }
    }
}
