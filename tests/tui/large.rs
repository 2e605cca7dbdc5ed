//! Windows of every size: each pane of the sample uses the room that it has.

use benchtop::tui::pane::PaneId;

use super::support::{Bench, Seat, Terminal};

const SIZES: [(u16, u16); 5] = [(60, 16), (80, 24), (120, 40), (200, 60), (300, 80)];
/// Longer lines are hard to read.
const READABLE: usize = 100;

fn sample() -> Bench {
    let bench = Bench::empty();
    let mut seat = bench.seat_at("ann", HOME);
    seat.wait_for("Three ways to begin");
    seat.keys("S");
    seat.wait_for("removes it again");
    bench
}

const HOME: Terminal = Terminal {
    stays_home: true,
    ..Terminal::DEFAULT
};

/// Goes to every pane at every size.
fn visit(bench: &Bench, mut each: impl FnMut(PaneId, (u16, u16), &mut Seat, &str)) {
    for size in SIZES {
        let mut seat = bench.seat_at("ann", Terminal { size, ..HOME });
        seat.wait_for("Next");
        for id in PaneId::ALL {
            seat.keys(id.info().go.2[0]);
            seat.wait_for(id.info().name);
            let mut shown = seat.settled();
            while shown.to_lowercase().contains("loading") {
                shown = seat.settled();
            }
            each(id, size, &mut seat, &shown);
            if id.is_form() {
                seat.keys("<esc>");
            }
        }
    }
}

#[test]
fn every_pane_uses_its_room_at_every_size() {
    let bench = sample();
    visit(&bench, |id, (width, height), _, shown| {
        let at = format!("{id:?} at {width}x{height}:\n{shown}");
        let rows: Vec<&str> = shown.lines().collect();
        assert_eq!(rows.len(), usize::from(height), "{at}");
        for tab in ["Home", "Build", "Make", "Check", "Judge", "Score"] {
            assert!(rows[0].contains(tab), "{tab} in {at}");
        }
        let wide = |row: &&str| row.chars().count();
        assert!(
            rows.iter().all(|row| wide(row) <= usize::from(width)),
            "{at}"
        );
        // Neither the pane nor its lower half is void where there is content.
        let pane = &rows[2..usize::from(height) - 2];
        let filled = |rows: &[&str]| rows.iter().filter(|row| !row.trim().is_empty()).count();
        assert!(filled(pane) >= 3, "{at}");
        // The key bar uses the width, and ends with a whole name.
        let bar = rows[rows.len() - 1];
        let last = bar.trim_end().rsplit("  ").next().unwrap();
        let name = last.split_once(' ').map_or(last, |(_, name)| name);
        let names = benchtop::tui::action::Action::ALL.iter().map(|a| a.name());
        assert!(names.into_iter().any(|n| n == name), "{name:?} in {at}");
    });
}

#[test]
fn text_stays_readable_in_wide_windows() {
    let bench = sample();
    for size in [(200, 60), (300, 80)] {
        let mut seat = bench.seat_at("ann", Terminal { size, ..HOME });
        seat.wait_for("Next");
        // The help page.
        seat.keys("gr?");
        let page = seat.wait_for("Accept the item");
        let longest = page
            .lines()
            .skip(2)
            .map(|line| line.trim().chars().count())
            .max();
        assert!(longest.unwrap() <= READABLE + 26, "{page}");
        seat.keys("<esc>");
        let shown = seat.on(1);
        // The text beside the picture.
        let (_, _, right, _) = seat.picture_cells();
        let beside = shown.lines().skip(2).take(usize::from(size.1) - 4);
        for line in beside {
            let text: String = line.chars().skip(right.into()).collect();
            assert!(text.trim().chars().count() <= READABLE, "{shown}");
        }
    }
}

#[test]
fn pictures_grow_with_the_window() {
    let bench = sample();
    let mut before = 0;
    for size in SIZES {
        let mut seat = bench.seat_at("ann", Terminal { size, ..HOME });
        seat.wait_for("Next");
        seat.keys("gr");
        seat.on(1);
        let (left, top, right, bottom) = seat.picture_cells();
        let area = u32::from(right - left) * u32::from(bottom - top);
        assert!(area > before, "{area} cells at {size:?}");
        before = area;
        // As high as its pane, or as wide as its share of it.
        let (width, height) = size;
        assert!(
            width < 64 || bottom - top + 6 >= height || (right - left) * 2 >= width,
            "{size:?}: {}x{}",
            right - left,
            bottom - top
        );
    }
}
