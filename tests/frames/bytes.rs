//! What a key costs on the line: ratatui's own writer into a buffer, counted. The budget for moving the cursor inside
//! a page is 300 bytes at 120x40, at every color level.

use std::cell::RefCell;
use std::io::{self, Write};
use std::rc::Rc;

use benchtop::model::ColorLevel;
use benchtop::tui::action::Action;
use benchtop::tui::panes::board::BoardPane;
use benchtop::tui::theme::{Look, Theme};
use benchtop::tui::widgets::table::{Empty, Extent, TableState, TableView};
use ratatui::backend::CrosstermBackend;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::Widget;
use ratatui::{Terminal, TerminalOptions, Viewport};

const AREA: Rect = Rect::new(0, 0, 120, 40);
const BUDGET: usize = 300;

#[derive(Clone, Default)]
struct Wire(Rc<RefCell<Vec<u8>>>);

impl Write for Wire {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

struct Screen {
    terminal: Terminal<CrosstermBackend<Wire>>,
    wire: Wire,
    look: Look,
}

impl Screen {
    fn new(theme: &str, level: ColorLevel) -> Screen {
        crossterm::style::force_color_output(true);
        let wire = Wire::default();
        let options = TerminalOptions {
            viewport: Viewport::Fixed(AREA),
        };
        let terminal =
            Terminal::with_options(CrosstermBackend::new(wire.clone()), options).unwrap();
        Screen {
            terminal,
            wire,
            look: Look::new(&Theme::shipped(theme).unwrap(), level, false),
        }
    }

    /// Draws a frame; the bytes it took.
    fn draw(&mut self, draw: impl FnOnce(&mut Buffer, &Look)) -> usize {
        self.wire.0.borrow_mut().clear();
        let look = &self.look;
        self.terminal
            .draw(|frame| {
                frame.buffer_mut().set_style(AREA, look.theme.base());
                draw(frame.buffer_mut(), look);
            })
            .unwrap();
        self.wire.0.borrow().len()
    }
}

#[test]
fn a_cursor_move_in_the_item_list() {
    let (columns, window) = (super::table::columns(), super::table::window(60));
    for (theme, level) in [
        ("dark", ColorLevel::True),
        ("light", ColorLevel::Ansi256),
        ("dark", ColorLevel::Ansi16),
    ]
    .into_iter()
    .chain([("mono", ColorLevel::Mono)])
    {
        for column in 0..columns.len() {
            let mut screen = Screen::new(theme, level);
            let mut state = TableState::new(1);
            state.resize(AREA, &columns);
            state.go_to_column(column, &columns);
            let mut show = |state: &TableState| {
                screen.draw(|buf, look| {
                    let (columns, window, empty) = (&columns[..], &window, &Empty::Loading);
                    TableView {
                        columns,
                        window,
                        state,
                        empty,
                        note: "",
                        look,
                    }
                    .render(AREA, buf);
                })
            };
            assert!(show(&state) > 2000, "the first frame draws everything");
            for action in [
                Action::Down,
                Action::Down,
                Action::Up,
                Action::Down,
                Action::Down,
            ] {
                state.act(
                    action,
                    &Extent {
                        columns: &columns,
                        window: &window,
                    },
                );
                let bytes = show(&state);
                assert!(
                    (40..=BUDGET).contains(&bytes),
                    "{level:?} column {column} {action:?}: {bytes} B"
                );
            }
            let idle = show(&state);
            assert!(idle <= 30, "a frame without change: {idle} B");
        }
    }
}

#[test]
fn a_cursor_move_on_the_leaderboard() {
    for (theme, level) in [
        ("dark", ColorLevel::True),
        ("light", ColorLevel::Ansi256),
        ("mono", ColorLevel::Mono),
    ] {
        for column in 0..31 {
            let rec = super::board::recorder();
            let mut screen = Screen::new(theme, level);
            let mut pane = BoardPane::new(super::board::board(), super::board::margin);
            assert!(screen.draw(|buf, look| rec.draw(&mut pane, AREA, buf, look)) > 1000);
            pane.go_to_column(column);
            screen.draw(|buf, look| rec.draw(&mut pane, AREA, buf, look));
            for action in [
                Action::Down,
                Action::Down,
                Action::Up,
                Action::Down,
                Action::Down,
            ] {
                rec.act(&mut pane, action);
                let bytes = screen.draw(|buf, look| rec.draw(&mut pane, AREA, buf, look));
                assert!(
                    (40..=BUDGET).contains(&bytes),
                    "{level:?} column {column} {action:?}: {bytes} B"
                );
            }
        }
    }
}

#[test]
fn a_cursor_move_in_the_list_pane() {
    for (theme, level) in [
        ("dark", ColorLevel::True),
        ("light", ColorLevel::Ansi256),
        ("mono", ColorLevel::Mono),
    ] {
        for column in [0, 1, 2, 4, 5, 10] {
            let mut screen = Screen::new(theme, level);
            let mut pane = super::list::list();
            assert!(screen.draw(|buf, look| pane.draw(AREA, buf, look)) > 2000);
            pane.pane.go_to_column(column);
            screen.draw(|buf, look| pane.draw(AREA, buf, look));
            for action in [
                Action::Down,
                Action::Down,
                Action::Up,
                Action::Down,
                Action::Down,
            ] {
                assert!(pane.act(action).is_empty(), "the rows are at hand");
                let bytes = screen.draw(|buf, look| pane.draw(AREA, buf, look));
                assert!(
                    (40..=BUDGET).contains(&bytes),
                    "{level:?} column {column} {action:?}: {bytes} B"
                );
            }
            let idle = screen.draw(|buf, look| pane.draw(AREA, buf, look));
            assert!(idle <= 30, "a frame without change: {idle} B");
        }
    }
}

#[test]
fn a_cursor_move_among_terms_templates_and_coverage() {
    for (theme, level) in [
        ("dark", ColorLevel::True),
        ("light", ColorLevel::Ansi256),
        ("mono", ColorLevel::Mono),
    ] {
        let rec = super::metadata::with_metadata();
        let mut terms = super::metadata::animals(&rec, 1);
        let mut screen = Screen::new(theme, level);
        let first = screen.draw(|buf, look| rec.draw(&mut terms, AREA, buf, look));
        assert!(first > 2000);
        for action in [Action::Down, Action::Down, Action::Up, Action::Down] {
            rec.act(&mut terms, action);
            let bytes = screen.draw(|buf, look| rec.draw(&mut terms, AREA, buf, look));
            assert!(
                (20..=BUDGET).contains(&bytes),
                "terms {level:?} {action:?}: {bytes} B"
            );
        }
        let idle = screen.draw(|buf, look| rec.draw(&mut terms, AREA, buf, look));
        assert!(idle <= 30, "a frame without change: {idle} B");
        let mut templates = super::metadata::templates(&rec);
        let mut screen = Screen::new(theme, level);
        let first = screen.draw(|buf, look| rec.draw(&mut templates, AREA, buf, look));
        assert!(first > 2000);
        // Within one template: the preview and the slots stay.
        for action in [Action::Right, Action::Right, Action::Left] {
            assert!(rec.act(&mut templates, action).is_empty());
            let bytes = screen.draw(|buf, look| rec.draw(&mut templates, AREA, buf, look));
            assert!(
                (20..=BUDGET).contains(&bytes),
                "templates {level:?} {action:?}: {bytes} B"
            );
        }
        let rec = super::metadata::recorder();
        let mut coverage = super::metadata::coverage();
        let mut screen = Screen::new(theme, level);
        assert!(screen.draw(|buf, look| rec.draw(&mut coverage, AREA, buf, look)) > 1000);
        rec.act(&mut coverage, Action::Right);
        rec.act(&mut coverage, Action::Right);
        screen.draw(|buf, look| rec.draw(&mut coverage, AREA, buf, look));
        for action in [Action::Down, Action::Right, Action::Up, Action::Left] {
            rec.act(&mut coverage, action);
            let bytes = screen.draw(|buf, look| rec.draw(&mut coverage, AREA, buf, look));
            assert!(
                (20..=BUDGET).contains(&bytes),
                "coverage {level:?} {action:?}: {bytes} B"
            );
        }
    }
}
