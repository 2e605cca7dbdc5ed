//! Helpers for tests of panes.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{Effect, Pane};
use crate::pane::recorder::Recorder;
use crate::theme::{Look, Theme};
use crate::widgets::toast::{Severity, Toast};
use benchtop_model::ColorLevel;
use benchtop_protocol::wire::AnyRequest;

pub fn recorder() -> Recorder {
    Recorder::new().unwrap()
}

/// The only effect of a call.
#[track_caller]
pub fn only(mut effects: Vec<Effect>) -> Effect {
    assert_eq!(effects.len(), 1, "{effects:?}");
    effects.remove(0)
}

/// Why an action did nothing.
#[track_caller]
pub fn refused(effects: &[Effect]) -> &str {
    match effects {
        [Effect::Say(toast)] if toast.severity == Severity::Warning => &toast.text,
        other => panic!("{other:?}"),
    }
}

/// The message of a call, if it had no other effect.
#[track_caller]
pub fn said(effects: &[Effect]) -> &Toast {
    match effects {
        [Effect::Say(toast)] => toast,
        other => panic!("{other:?}"),
    }
}

#[track_caller]
pub fn request(effect: &Effect) -> &AnyRequest {
    match effect {
        Effect::Ask(ask) => &ask.request,
        other => panic!("{other:?}"),
    }
}

/// The title and the lines of a menu.
#[track_caller]
pub fn lines(effect: &Effect) -> (&str, Vec<(&str, &str)>) {
    let Effect::Menu(menu, _) = effect else {
        panic!("{effect:?}")
    };
    let lines = menu.choices().iter();
    let lines = lines.map(|choice| (choice.label.as_str(), choice.help.as_str()));
    (menu.title(), lines.collect())
}

/// The screen, a line a row, without trailing blanks.
pub fn drawn(rec: &Recorder, pane: &mut dyn Pane, size: (u16, u16), level: ColorLevel) -> String {
    let look = Look::new(&Theme::shipped("dark").unwrap(), level, false);
    drawn_in(rec, pane, size, &look)
}

/// The screen in this look.
pub fn drawn_in(rec: &Recorder, pane: &mut dyn Pane, size: (u16, u16), look: &Look) -> String {
    let mut buf = Buffer::empty(Rect::new(0, 0, size.0, size.1));
    rec.draw(pane, buf.area, &mut buf, look);
    let line = |row: &[ratatui::buffer::Cell]| {
        let row: String = row.iter().map(|cell| cell.symbol()).collect();
        row.trim_end().to_string()
    };
    let rows = buf.content.chunks(usize::from(size.0.max(1)));
    rows.map(line).collect::<Vec<_>>().join("\n")
}
