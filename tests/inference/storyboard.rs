//! The storyboard meets the contract of all generators, and marks what an edit would repaint.

use std::collections::BTreeSet;

use benchtop::inference::storyboard::Storyboard;
use benchtop::inference::{ImageGenerator as _, generate_all};
use benchtop::model::generation::{Init, Pixels, Settings, Task};

use super::conformance::conforms;

#[test]
fn the_storyboard_conforms() {
    let mut storyboard = Storyboard::new();
    let settings = Settings {
        width: 96,
        height: 64,
        ..storyboard.capabilities().recommended.clone()
    };
    conforms(&mut storyboard, &settings);
}

fn drawn(task: Task) -> Pixels {
    let mut storyboard = Storyboard::new();
    let settings = Settings {
        width: 256,
        height: 192,
        ..storyboard.capabilities().recommended.clone()
    };
    let picture = generate_all(&mut storyboard, &settings, &[task]).remove(0);
    picture.unwrap().pixels
}

/// A task that edits a picture of one color, in the box from 100, 80 to 180, 140 or everywhere.
fn edit(seed: u64, prompt: &str, masked: bool) -> Task {
    let mask = (0..256 * 192).map(|i| {
        let inside = (100..180).contains(&(i % 256)) && (80..140).contains(&(i / 256));
        if inside { 255 } else { 0 }
    });
    Task {
        prompt: prompt.into(),
        seed,
        init: Some(Init {
            image: Pixels {
                width: 256,
                height: 192,
                rgb: [20, 120, 60].repeat(256 * 192),
            },
            mask: masked.then(|| mask.collect()),
            strength: 1.0,
        }),
        ..Task::default()
    }
}

#[test]
fn the_draft_of_an_edit_is_marked_within_its_mask() {
    let draft = drawn(edit(1, "a red ball", true));
    let at = |x: usize, y: usize| -> [u8; 3] {
        let i = (y * 256 + x) * 3;
        draft.rgb[i..i + 3].try_into().unwrap()
    };
    let start = [20, 120, 60];
    let ink = at(100, 80);
    assert_ne!(ink, start);
    // The frame is six pixels thick, and its outer edge is that of the mask.
    for (x, y) in [(179, 139), (140, 85), (105, 110), (174, 110), (140, 134)] {
        assert_eq!(at(x, y), ink, "{x} {y}");
    }
    let inside: Vec<_> = (86..134)
        .flat_map(|y| (106..174).map(move |x| (x, y)))
        .map(|(x, y)| at(x, y))
        .collect();
    let lines = inside.iter().filter(|p| **p == ink).count();
    assert!(lines * 100 / inside.len() > 8 && lines * 100 / inside.len() < 40);
    assert!(inside.iter().all(|p| *p != start));
    // Outside, there is only the stamp, in the upper right corner.
    let changed = (0..192).flat_map(|y| (0..256).map(move |x| (x, y)));
    let changed: Vec<(usize, usize)> = changed
        .filter(|(x, y)| !((100..180).contains(x) && (80..140).contains(y)))
        .filter(|(x, y)| at(*x, *y) != start)
        .collect();
    assert!(changed.len() > 200);
    assert!(changed.iter().all(|(x, y)| *x > 190 && *y < 30));
}

#[test]
fn the_draft_of_an_edit_depends_on_its_task_alone() {
    let one = drawn(edit(1, "a red ball", true));
    assert_eq!(one, drawn(edit(1, "a red ball", true)));
    let mut others: BTreeSet<_> = (2..40)
        .map(|seed| drawn(edit(seed, "a red ball", true)).rgb)
        .collect();
    assert_eq!(others.len(), 38);
    others.insert(drawn(edit(1, "a blue ball", true)).rgb);
    others.insert(drawn(edit(1, "a red ball", false)).rgb);
    assert!(!others.contains(&one.rgb));
    // Without a mask, all of the picture is repainted.
    let whole = drawn(edit(1, "a red ball", false));
    let start = whole
        .rgb
        .as_chunks::<3>()
        .0
        .iter()
        .filter(|p| **p == [20, 120, 60]);
    assert_eq!(start.count(), 0);
}
