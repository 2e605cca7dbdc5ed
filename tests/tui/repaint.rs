//! ctrl-l repaints the whole screen.

use super::support::Bench;
use crate::support::{wait_until, wording};
use benchtop::tui::action::Action;

#[test]
fn ctrl_l_repaints_the_whole_screen() {
    let bench = Bench::plain(3);
    let mut seat = bench.seat("ann");
    seat.on(1);
    // The counts of the tab row come last.
    seat.wait_for("?3");
    let cleared = |raw: &[u8]| memchr::memmem::find_iter(raw, b"\x1b[2J").count();
    let before = cleared(&seat.raw());
    for (keys, shown) in [
        ("", "#1  "),
        ("x", &wording::reasons_asked(1)),
        ("<esc>/", "find:"),
        ("<esc>?", wording::help(Action::Accept)),
    ] {
        seat.keys(keys);
        seat.wait_for(shown);
        let wanted = seat.settled();
        let from = seat.raw().len();
        seat.keys("<ctrl-l>");
        wait_until("the screen is cleared", || {
            cleared(&seat.raw()[from..]) == 1
        });
        seat.wait_until("the screen again", |now| now == wanted);
    }
    assert!(
        memchr::memmem::find(&seat.raw(), b"\x1b[6n").is_none(),
        "the terminal was asked for its cursor"
    );
    assert!(cleared(&seat.raw()) >= before + 4);
}
