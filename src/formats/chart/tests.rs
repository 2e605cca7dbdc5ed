use super::scene::{Anchor, BAR, INK, Shape};
use super::*;
use benchtop_model::board::Better;

fn bars() -> Bars {
    let bar = |label: &str, value, interval| Bar {
        label: label.into(),
        value,
        interval,
        note: if value.is_finite() {
            format!("{value:.1} <n=40>")
        } else {
            String::new()
        },
        is_reference: label == "paper",
    };
    let bars = vec![
        bar("alpha & co", 62.5, Some((50.0, 75.0))),
        bar("beta", -3.0, None),
        bar("paper", f64::NAN, None),
    ];
    Bars {
        title: "Acc".into(),
        unit: "percent".into(),
        bars,
        most: 100.0,
        footer: "95 % Wilson".into(),
    }
}

fn text(scene: &Scene) -> String {
    let mut out = Vec::new();
    scene.svg(&mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn picture(scene: &Scene) -> image::RgbImage {
    let mut out = Vec::new();
    scene.png(&mut out).unwrap();
    image::load_from_memory(&out).unwrap().to_rgb8()
}

fn grid(rows: usize, columns: usize, scales: Scales) -> Grid {
    let cell = |row: usize, column: usize| {
        Some((
            row as f64 - column as f64,
            format!("{}", row as f64 - column as f64),
        ))
    };
    Grid {
        title: "T".into(),
        rows: (0..rows).map(|n| format!("row {n}")).collect(),
        columns: (0..columns).map(|n| format!("c{n}")).collect(),
        cells: (0..rows)
            .map(|row| (0..columns).map(|column| cell(row, column)).collect())
            .collect(),
        scales,
        footer: "so many questions".into(),
    }
}

/// The fills of a scene's rectangles, in order.
fn fills(scene: &Scene) -> Vec<Color> {
    let fill = |shape: &Shape| {
        if let Shape::Rect { color, .. } = shape {
            Some(*color)
        } else {
            None
        }
    };
    scene.shapes.iter().filter_map(fill).collect()
}

fn said(scene: &Scene) -> Vec<&str> {
    scene
        .shapes
        .iter()
        .filter_map(|s| {
            if let Shape::Text { text, .. } = s {
                Some(text.as_str())
            } else {
                None
            }
        })
        .collect()
}

fn light(Color(r, g, b): Color) -> u32 {
    u32::from(r) + u32::from(g) + u32::from(b)
}

#[test]
fn svg_has_all_bars_and_the_axis_and_escapes_text() {
    let scenes = bars().scenes(None);
    let [scene] = &scenes[..] else {
        panic!("{scenes:?}")
    };
    let svg = text(scene);
    assert!(svg.starts_with("<svg ") && svg.trim_end().ends_with("</svg>"));
    assert!(
        svg.contains("alpha &amp; co")
            && svg.contains("62.5 &lt;n=40&gt;")
            && svg.contains("95 % Wilson")
    );
    assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    let said = said(scene);
    assert!(
        ["0", "20", "40", "60", "80", "100", "percent"]
            .iter()
            .all(|tick| said.contains(tick)),
        "{said:?}"
    );
    // A line at every tick, two bars, an interval with two ends, and the two axes.
    assert_eq!(fills(scene).len(), 6 + 2 + 3 + 2);
}

#[test]
fn better_cells_are_darker_in_every_direction() {
    for (better, darker_is_more) in [(Better::More, true), (Better::Less, false)] {
        let scenes = grid(2, 1, Scales::Columns(vec![better])).scenes(None);
        let cells = fills(&scenes[0]);
        assert_eq!(
            light(cells[1]) < light(cells[0]),
            darker_is_more,
            "{better:?} {cells:?}"
        );
        let less = said(&scenes[0])
            .iter()
            .any(|line| line.contains(" better in c0"));
        assert_eq!(less, !darker_is_more);
    }
    // If neither direction is better, colors show the side of 0, or nothing.
    let signed = grid(
        2,
        2,
        Scales::Columns(vec![Better::Neither, Better::Neither]),
    )
    .scenes(None);
    let shades = fills(&signed[0]);
    let is_orange = |Color(r, _, b): &Color| r > b;
    assert_eq!(
        shades.len() - 6,
        2,
        "the column without a side has no shade: {shades:?}"
    );
    assert_eq!(shades[..2].iter().filter(|c| is_orange(c)).count(), 1);
    // A single scale shows its ends.
    let one = grid(3, 2, Scales::One(Better::More)).scenes(None);
    assert!(
        said(&one[0]).contains(&"-1.0 worse") && said(&one[0]).contains(&"better 2.0"),
        "{:?}",
        said(&one[0])
    );
}

#[test]
fn large_charts_are_split_without_loss() {
    let grid = grid(200, 60, Scales::One(Better::Less));
    assert_eq!(grid.scenes(None).len(), 1);
    let parts = grid.scenes(Some(LONGEST));
    let widths: Vec<f64> = parts.iter().map(|part| part.size().0).collect();
    assert!(
        widths.iter().all(|w| *w > widths[0] * 0.6),
        "about as much in each: {widths:?}"
    );
    assert!(parts.len() > 1);
    let mut cells = 0;
    for part in &parts {
        assert!(
            part.size().0 <= LONGEST && part.size().1 <= LONGEST,
            "{:?}",
            part.size()
        );
        cells += fills(part).len() - 6;
        assert!(
            said(part)
                .iter()
                .any(|line| line.starts_with("part ") && line.contains("of 200, columns "))
        );
    }
    assert_eq!(cells, 200 * 60);
    let bar = |n: usize| Bar {
        label: format!("m{n}"),
        value: n as f64,
        interval: None,
        note: n.to_string(),
        is_reference: false,
    };
    let many = Bars {
        bars: (0..300).map(bar).collect(),
        most: 1.0,
        unit: "points".into(),
        ..Bars::default()
    };
    let parts = many.scenes(Some(LONGEST));
    assert!(parts.iter().all(|part| part.size().1 <= LONGEST) && parts.len() > 1);
    let labels = parts
        .iter()
        .flat_map(said)
        .filter(|text| text.starts_with('m'))
        .count();
    assert_eq!(labels, 300);
}

#[test]
fn long_names_are_rotated_and_truncated() {
    let mut grid = grid(2, 3, Scales::One(Better::More));
    grid.columns[1] = "a model with a long name".into();
    let scene = grid.scenes(None).remove(0);
    assert!(
        scene
            .shapes
            .iter()
            .any(|s| matches!(s, Shape::Text { up: true, .. }))
            && text(&scene).contains("rotate(-90")
    );
    grid.rows[0] = "x".repeat(300);
    let scene = grid.scenes(Some(LONGEST)).remove(0);
    let texts = said(&scene).join(" ");
    assert!(texts.contains("40 characters"), "{texts}");
    assert!(scene.size().0 < LONGEST);
}

#[test]
fn png_has_at_most_2000_pixels_per_side_and_is_not_empty() {
    let scene = bars().scenes(Some(LONGEST)).remove(0);
    let small = picture(&scene);
    let (width, height) = scene.size();
    assert_eq!(
        small.dimensions(),
        ((width * 2.0).ceil() as u32, (height * 2.0).ceil() as u32)
    );
    let blue = small
        .pixels()
        .filter(|p| p.0 == [BAR.0, BAR.1, BAR.2])
        .count();
    let dark = small
        .pixels()
        .filter(|p| p.0.iter().all(|c| *c < 0x60))
        .count();
    assert!(blue > 5000 && dark > 500, "{blue} {dark}");
    // A scene at the limit, with few letters to keep the test fast.
    let mut wide = Scene::new(LONGEST, 90.0);
    wide.text((20.0, 40.0), Anchor::Start, INK, "letters stay dark");
    let large = picture(&wide);
    assert_eq!(large.dimensions(), (2000, 90));
    assert!(
        large
            .pixels()
            .filter(|p| p.0.iter().all(|c| *c < 0x70))
            .count()
            > 100
    );
    let huge = Scene::new(1e6, 1e6);
    assert_eq!(
        huge.png(&mut Vec::new()).unwrap_err().kind,
        benchtop_model::ErrorKind::Usage
    );
    Bars::default().scenes(None)[0]
        .png(&mut Vec::new())
        .unwrap();
    grid(0, 0, Scales::One(Better::More)).scenes(Some(LONGEST))[0]
        .png(&mut Vec::new())
        .unwrap();
}
