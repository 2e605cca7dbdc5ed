//! The theme menu.

use super::support::Bench;
use crate::support::wording;

#[test]
fn a_theme_from_the_menu_applies_at_once() {
    let bench = Bench::plain(2);
    let mut seat = bench.seat("ann");
    seat.on(1);
    seat.keys("<ctrl-t>");
    seat.wait_for(wording::THEME_SCOPE);
    // auto, dark, light, mono.
    seat.keys("3");
    seat.wait_row(&["`light`"]);
    seat.wait_gone(wording::THEME_SCOPE);
    // The light ground: white.
    let white = b"48;5;231";
    assert!(memchr::memmem::find(&seat.raw(), white).is_some());
    seat.keys(":theme");
    seat.wait_for(wording::THEME_MENU);
}
