//! The person's theme, chosen in the program.

use super::support::Bench;

#[test]
fn a_theme_chosen_from_the_menu_holds_at_once() {
    let bench = Bench::plain(2);
    let mut seat = bench.seat("ann");
    seat.on(1);
    seat.keys("<ctrl-t>");
    seat.wait_for("your theme, in every project");
    // auto, dark, light, mono.
    seat.keys("3");
    seat.wait_for("your theme is `light` now");
    seat.wait_gone("your theme, in every project");
    // The light ground: white.
    let white = b"48;5;231";
    assert!(memchr::memmem::find(&seat.raw(), white).is_some());
    seat.keys(":theme");
    seat.wait_for("choose your theme");
}
