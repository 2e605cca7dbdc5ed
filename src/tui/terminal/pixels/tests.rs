use image::Rgba;
use ratatui::buffer::CellDiffOption;

use super::*;

const CELL: (u16, u16) = (10, 20);

fn terminal(protocol: Protocol) -> Pixels {
    let found = Capabilities {
        answers: true,
        kitty: protocol == Protocol::Kitty,
        iterm: protocol == Protocol::Iterm,
        sixel: protocol == Protocol::Sixel,
        cell: Some(CELL),
        ..Capabilities::default()
    };
    Pixels::new(&found, 25)
}

fn picture(width: u32, height: u32) -> RgbaImage {
    RgbaImage::from_fn(width, height, |x, y| {
        Rgba([(x * 3 % 256) as u8, (y * 5 % 256) as u8, (x ^ y) as u8, 255])
    })
}

fn payload(pixels: &Pixels, area: Rect, width: u32, height: u32) -> Payload {
    pixels
        .plan(area)
        .unwrap()
        .encode(&picture(width, height), [0; 3])
        .unwrap()
}

/// A frame as the program draws it: text everywhere, then the picture's marks. Returns the bytes
/// after the cells.
fn frame(
    pixels: &mut Pixels,
    wanted: Option<(&Payload, Rect)>,
    popups: &[Rect],
) -> (Buffer, Vec<u8>) {
    let mut buffer = Buffer::filled(Rect::new(0, 0, 80, 24), ratatui::buffer::Cell::new("."));
    pixels.mark(&mut buffer, wanted, popups);
    let mut out = Vec::new();
    pixels.finish(&mut out, wanted).unwrap();
    (buffer, out)
}

fn options(buffer: &Buffer, at: Rect) -> Vec<CellDiffOption> {
    let mut all: Vec<_> = at.positions().map(|p| buffer[p].diff_option).collect();
    all.dedup();
    all
}

#[test]
fn the_protocol_is_chosen_in_order() {
    let all = Capabilities {
        answers: true,
        kitty: true,
        sixel: true,
        iterm: true,
        ..Capabilities::default()
    };
    assert_eq!(Protocol::choose(&all), Some(Protocol::Kitty));
    let no_kitty = Capabilities {
        kitty: false,
        ..all.clone()
    };
    assert_eq!(Protocol::choose(&no_kitty), Some(Protocol::Iterm));
    let sixel = Capabilities {
        iterm: false,
        ..no_kitty
    };
    assert_eq!(Protocol::choose(&sixel), None, "no cell size");
    assert_eq!(
        Protocol::choose(&Capabilities {
            cell: Some(CELL),
            ..sixel
        }),
        Some(Protocol::Sixel)
    );
    let tmux = Capabilities {
        tmux: true,
        ..all.clone()
    };
    assert_eq!(Protocol::choose(&tmux), Some(Protocol::Placeholders));
    assert_eq!(
        Protocol::choose(&Capabilities {
            kitty: false,
            ..tmux
        }),
        None
    );
    assert_eq!(
        Protocol::choose(&Capabilities {
            answers: false,
            ..all
        }),
        None
    );
}

#[test]
fn kitty_uploads_once_in_chunks_and_switches_cheaply() {
    use base64::Engine;
    let mut pixels = terminal(Protocol::Kitty);
    let area = Rect::new(2, 1, 40, 20);
    let (first, second) = (
        payload(&pixels, area, 395, 300),
        payload(&pixels, area, 395, 300),
    );
    let (_, out) = frame(&mut pixels, Some((&first, area)), &[]);
    let text = String::from_utf8(out).unwrap();
    let mut png = String::new();
    for piece in text.split("\x1b\\").filter(|p| p.contains("m=")) {
        let data = piece.split_once(';').unwrap().1;
        assert!(data.len() <= 4096);
        png.push_str(data);
    }
    assert!(text.contains("m=1,") || text.contains("m=1;"));
    let png = base64::engine::general_purpose::STANDARD
        .decode(png)
        .unwrap();
    let sent = image::load_from_memory(&png).unwrap().to_rgba8();
    // Whole cells, with the picture centered.
    assert_eq!(sent.dimensions(), (400, 300));
    assert_eq!(sent[(2 + 50, 60)], picture(395, 300)[(50, 60)]);
    assert_eq!(sent[(0, 0)].0[3], 0);
    assert!(
        text.contains(&format!("a=p,i={},p=1,c=40,r=15,", first.id)),
        "{}",
        &text[text.len() - 80..]
    );

    frame(&mut pixels, Some((&second, area)), &[]);
    let (_, again) = frame(&mut pixels, Some((&first, area)), &[]);
    assert!(again.len() <= 126, "{}", again.len());
    assert!(frame(&mut pixels, Some((&first, area)), &[]).1.is_empty());
}

#[test]
fn kitty_uploads_again_after_a_resize_and_hides_under_a_popup() {
    let mut pixels = terminal(Protocol::Kitty);
    let area = Rect::new(0, 0, 40, 20);
    let p = payload(&pixels, area, 400, 400);
    let (_, first) = frame(&mut pixels, Some((&p, area)), &[]);
    pixels.resized(30, None);
    let (_, again) = frame(&mut pixels, Some((&p, area)), &[]);
    assert_eq!(first, again);
    let popup = [Rect::new(5, 5, 10, 3)];
    let (_, out) = frame(&mut pixels, Some((&p, area)), &popup);
    assert!(
        String::from_utf8(out)
            .unwrap()
            .starts_with("\x1b_Ga=d,d=i,")
    );
    assert!(frame(&mut pixels, Some((&p, area)), &popup).1.is_empty());
    let (_, back) = frame(&mut pixels, Some((&p, area)), &[]);
    assert!(!back.is_empty() && back.len() < 126);
    let mut out = Vec::new();
    pixels.forget(&mut out).unwrap();
    assert!(String::from_utf8(out).unwrap().contains("d=I"));
}

#[test]
fn sixel_is_printed_once_and_its_cells_are_skipped() {
    let mut pixels = terminal(Protocol::Sixel);
    let area = Rect::new(0, 0, 20, 10);
    let (a, b) = (
        payload(&pixels, area, 200, 120),
        payload(&pixels, area, 200, 120),
    );
    let at = a.place(area);
    assert_eq!(at, Rect::new(0, 2, 20, 6));
    let (buffer, out) = frame(&mut pixels, Some((&a, area)), &[]);
    let text = String::from_utf8(out).unwrap();
    assert!(text.starts_with("\x1b[3;1H\x1bP") && text.ends_with("\x1b\\"));
    assert!(
        text.contains("200;120"),
        "exact pixels in the raster attributes"
    );
    assert_eq!(
        options(&buffer, at),
        [CellDiffOption::None],
        "the printing frame skips no cells"
    );
    let (buffer, out) = frame(&mut pixels, Some((&a, area)), &[]);
    assert_eq!(
        (options(&buffer, at), out.len()),
        (vec![CellDiffOption::Skip], 0)
    );
    // A new picture in the same place is printed over the old one.
    let (buffer, out) = frame(&mut pixels, Some((&b, area)), &[]);
    assert_eq!(options(&buffer, at), [CellDiffOption::Skip]);
    assert!(!out.is_empty());
}

#[test]
fn a_moved_or_removed_sixel_has_its_old_cells_written() {
    let mut pixels = terminal(Protocol::Sixel);
    let (left, right) = (Rect::new(0, 0, 20, 10), Rect::new(10, 0, 20, 10));
    let p = payload(&pixels, left, 200, 200);
    frame(&mut pixels, Some((&p, left)), &[]);
    frame(&mut pixels, Some((&p, left)), &[]);
    let (buffer, out) = frame(&mut pixels, Some((&p, right)), &[]);
    assert_eq!(options(&buffer, left), [CellDiffOption::AlwaysUpdate]);
    assert_eq!(
        options(&buffer, Rect::new(20, 0, 10, 10)),
        [CellDiffOption::None]
    );
    assert!(!out.is_empty());
    let (buffer, out) = frame(&mut pixels, None, &[]);
    assert_eq!(options(&buffer, right), [CellDiffOption::AlwaysUpdate]);
    assert_eq!(
        buffer[(12, 3)].symbol(),
        ".",
        "the present cells are written"
    );
    assert!(out.is_empty());
    assert_eq!(
        options(&frame(&mut pixels, None, &[]).0, right),
        [CellDiffOption::None]
    );
}

#[test]
fn a_sixel_is_printed_again_when_a_popup_closes() {
    let mut pixels = terminal(Protocol::Sixel);
    let area = Rect::new(0, 0, 20, 10);
    let (a, b) = (
        payload(&pixels, area, 200, 200),
        payload(&pixels, area, 200, 200),
    );
    frame(&mut pixels, Some((&a, area)), &[]);
    frame(&mut pixels, Some((&a, area)), &[]);
    let popup = Rect::new(5, 5, 5, 2);
    let (buffer, out) = frame(&mut pixels, Some((&a, area)), &[popup]);
    assert!(out.is_empty());
    assert_eq!(options(&buffer, popup), [CellDiffOption::None]);
    assert_eq!(buffer[(5, 5)].symbol(), ".");
    assert_eq!(buffer[(0, 0)].diff_option, CellDiffOption::Skip);
    let (buffer, out) = frame(&mut pixels, Some((&a, area)), &[]);
    assert!(!out.is_empty());
    assert_eq!(options(&buffer, area), [CellDiffOption::Skip]);
    // Another picture under the popup: the old one is removed, the new one appears when the popup
    // closes.
    frame(&mut pixels, Some((&a, area)), &[popup]);
    let (buffer, out) = frame(&mut pixels, Some((&b, area)), &[popup]);
    assert_eq!(
        (options(&buffer, area), out.len()),
        (vec![CellDiffOption::AlwaysUpdate], 0)
    );
    assert!(!frame(&mut pixels, Some((&b, area)), &[]).1.is_empty());
}

#[test]
fn the_last_row_is_left_free_and_too_large_is_refused() {
    let pixels = terminal(Protocol::Sixel);
    let plan = pixels.plan(Rect::new(0, 0, 80, 25)).unwrap();
    assert_eq!(plan.cells, (80, 24));
    assert!(plan.encode(&picture(801, 10), [0; 3]).is_err());
    assert!(plan.encode(&picture(10, 481), [0; 3]).is_err());
    assert_eq!(pixels.plan(Rect::new(0, 24, 80, 1)), None);
    let wide = Plan {
        cells: (200, 80),
        ..plan
    };
    assert_eq!(wide.room(), (1000, 1000));
}

#[test]
fn without_pixels_nothing_is_planned_marked_or_written() {
    let mut pixels = Pixels::new(&Capabilities::default(), 25);
    assert_eq!(pixels.plan(Rect::new(0, 0, 40, 20)), None);
    let (buffer, out) = frame(&mut pixels, None, &[]);
    assert!(out.is_empty());
    assert_eq!(buffer[(0, 0)].symbol(), ".");
    assert_eq!(pixels.hide(&mut Vec::new()).unwrap(), 0);
}
