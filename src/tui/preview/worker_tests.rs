use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use image::{DynamicImage, Rgb, RgbImage};
use tempfile::TempDir;

use super::*;
use crate::preview::cache::weight;
use benchtop_model::ErrorKind;

const PATIENCE: Duration = Duration::from_secs(30);

fn view() -> View {
    View {
        pane: (20, 10),
        cell: (1, 2),
        level: ColorLevel::True,
        background: [0; 3],
        pixels: None,
        part: Part::default(),
    }
}

fn start() -> (Previews, Receiver<Done>) {
    let (send, done) = channel();
    let send = Mutex::new(send);
    (
        Previews::new(move |d| drop(send.lock().unwrap().send(d))).unwrap(),
        done,
    )
}

fn write(dir: &TempDir, name: &str, red: u8, side: u32) -> PathBuf {
    let path = dir.path().join(name);
    DynamicImage::from(RgbImage::from_pixel(side, side, Rgb([red, 0, 0])))
        .save(&path)
        .unwrap();
    path
}

#[test]
fn a_request_notifies_and_is_then_cached() {
    let dir = TempDir::new().unwrap();
    let path = write(&dir, "a.png", 7, 64);
    let (previews, done) = start();
    assert!(previews.want("a", &path, view()).is_none());
    let told = done.recv_timeout(PATIENCE).unwrap();
    assert_eq!(&*told.key, "a");
    let ready = previews.want("a", &path, view()).unwrap();
    assert!(Arc::ptr_eq(&ready, &told.ready));
    let picture = ready.as_ref().as_ref().unwrap();
    assert_eq!((picture.size, picture.cells.size()), ((64, 64), (20, 10)));
    // Another size is another picture.
    assert!(
        previews
            .want(
                "a",
                &path,
                View {
                    pane: (30, 12),
                    ..view()
                }
            )
            .is_none()
    );
    assert_eq!(done.recv_timeout(PATIENCE).unwrap().view.pane, (30, 12));
}

#[test]
fn failures_are_reported_and_cached() {
    let dir = TempDir::new().unwrap();
    let text = dir.path().join("text.png");
    std::fs::write(&text, "hello").unwrap();
    let (previews, done) = start();
    for (key, path, kind, what) in [
        ("text", text.as_path(), ErrorKind::Input, "not an image"),
        (
            "gone",
            Path::new("/nowhere/at/all.png"),
            ErrorKind::NotFound,
            "cannot read the picture",
        ),
        ("dir", dir.path(), ErrorKind::Input, "not a regular file"),
    ] {
        assert!(previews.want(key, path, view()).is_none());
        done.recv_timeout(PATIENCE).unwrap();
        let ready = previews.want(key, path, view()).unwrap();
        let problem = ready.as_ref().as_ref().unwrap_err();
        assert_eq!(problem.kind, kind);
        assert!(problem.what.starts_with(what), "{problem}");
        assert_eq!(problem.place.file.as_deref(), Some(path));
    }
    previews.forget("text");
    assert!(previews.want("text", &text, view()).is_none());
}

#[test]
fn neighbors_are_prefetched() {
    let dir = TempDir::new().unwrap();
    let paths: Vec<PathBuf> = (0..6)
        .map(|i| write(&dir, &format!("{i}.png"), i * 20, 64))
        .collect();
    let keys: Vec<String> = (0..6).map(|i| i.to_string()).collect();
    let (previews, done) = start();
    previews.want("2", &paths[2], view());
    let near = neighbors(2, 6, true);
    assert_eq!(near, [3, 4, 5, 1, 0]);
    previews.ahead(
        near.iter()
            .map(|i| (keys[*i].as_str(), paths[*i].as_path())),
        view(),
    );
    for _ in 0..6 {
        done.recv_timeout(PATIENCE).unwrap();
    }
    for i in 0..6 {
        assert!(previews.want(&keys[i], &paths[i], view()).is_some(), "{i}");
    }
    assert!(done.try_recv().is_err(), "each was prepared once");
}

#[test]
fn the_newest_request_replaces_older_ones() {
    let dir = TempDir::new().unwrap();
    let paths: Vec<PathBuf> = (0..40)
        .map(|i| write(&dir, &format!("{i}.png"), i, 256))
        .collect();
    let (previews, done) = start();
    for (i, path) in paths.iter().enumerate() {
        previews.want(&i.to_string(), path, view());
    }
    let mut made = 0;
    loop {
        made += 1;
        if &*done.recv_timeout(PATIENCE).unwrap().key == "39" {
            break;
        }
    }
    assert!(made < 40, "{made}");
}

#[test]
fn pictures_on_screen_together_do_not_replace_each_other() {
    let dir = TempDir::new().unwrap();
    let (previews, done) = start();
    let wishes: Vec<(Vec<Source>, View)> = (0..12)
        .map(|n| {
            let name = format!("{n}.png");
            let path = write(&dir, &name, n, 64);
            (vec![source(&name, &path)], view())
        })
        .collect();
    // Every frame asks for all of them again.
    let mut told = Vec::new();
    while told.len() < wishes.len() {
        previews.want_all(&wishes);
        told.push(done.recv_timeout(PATIENCE).unwrap().key);
    }
    let ready = previews.want_all(&wishes);
    assert!(
        ready
            .iter()
            .all(|ready| ready.as_ref().is_some_and(|r| r.is_ok()))
    );
    // None was prepared twice.
    told.sort_unstable();
    told.dedup();
    assert_eq!(told.len(), wishes.len());
    // The same file twice on a sheet is one picture.
    let twice = [&wishes[..1], &wishes[..1]].concat();
    let [a, b] = previews.want_all(&twice).try_into().unwrap();
    assert!(Arc::ptr_eq(&a.unwrap(), &b.unwrap()));
}

#[test]
fn a_replaced_request_can_be_repeated() {
    let dir = TempDir::new().unwrap();
    let (a, b) = (write(&dir, "a.png", 1, 512), write(&dir, "b.png", 2, 512));
    for _ in 0..50 {
        let (previews, done) = start();
        previews.want("a", &a, view());
        previews.want("b", &b, view());
        if previews.want("a", &a, view()).is_none() {
            while &*done.recv_timeout(PATIENCE).unwrap().key != "a" {}
        }
    }
}

#[test]
fn neighbors_stay_within_the_queue_and_follow_the_direction() {
    assert_eq!(neighbors(0, 10, true), [1, 2, 3]);
    assert_eq!(neighbors(5, 10, false), [4, 3, 2, 6, 7]);
    assert_eq!(neighbors(9, 10, true), [8, 7]);
    assert_eq!(neighbors(0, 1, true), [] as [usize; 0]);
    assert_eq!(neighbors(usize::MAX, 0, true), [] as [usize; 0]);
}

#[test]
fn the_cache_evicts_least_recently_used() {
    let image = DecodedImage::new(RgbImage::new(40, 40).into());
    let ready = |pane| Arc::new(Ok(picture(&image, &View { pane, ..view() }).unwrap()));
    let one = weight(&ready((20, 10)));
    let mut cache = Cache {
        kept: one * 3,
        ..Cache::default()
    };
    let key = |name: &str| -> CacheKey { (name.into(), view()) };
    for name in ["a", "b", "c"] {
        cache.put(key(name), ready((20, 10)));
    }
    assert!(cache.get(&key("a")).is_some());
    cache.put(key("d"), ready((20, 10)));
    assert!(cache.has(&key("a")) && !cache.has(&key("b")) && cache.bytes <= one * 3);
    cache.put(key("a"), ready((20, 10)));
    assert_eq!(cache.bytes, one * 3);
    cache.forget("a");
    cache.forget("c");
    cache.forget("d");
    assert_eq!(cache.bytes, 0);
}

#[test]
fn true_pixels_are_encoded_if_the_view_asks() {
    use crate::terminal::pixels::Protocol;
    let image = DecodedImage::new(RgbImage::from_pixel(500, 300, Rgb([200, 10, 10])).into());
    let plan = Plan {
        protocol: Protocol::Sixel,
        cells: (20, 10),
        cell: (10, 20),
    };
    let made = picture(
        &image,
        &View {
            pixels: Some(plan),
            ..view()
        },
    )
    .unwrap();
    let payload = made.pixels.unwrap();
    assert_eq!(
        payload.place(ratatui::layout::Rect::new(0, 0, 20, 10)),
        ratatui::layout::Rect::new(0, 2, 20, 6)
    );
}

#[test]
fn a_picture_that_changed_since_it_was_imported_is_not_shown() {
    let dir = TempDir::new().unwrap();
    let path = write(&dir, "a.png", 7, 64);
    let hash = blake3::hash(&std::fs::read(&path).unwrap())
        .to_hex()
        .to_string();
    let (previews, done) = start();
    previews.want(&hash, &path, view());
    assert!(done.recv_timeout(PATIENCE).unwrap().ready.is_ok());
    write(&dir, "a.png", 200, 64);
    previews.forget(&hash);
    previews.want(&hash, &path, view());
    let told = done.recv_timeout(PATIENCE).unwrap();
    assert!(
        told.ready
            .as_ref()
            .as_ref()
            .unwrap_err()
            .what
            .starts_with("the picture does not match its hash")
    );
}

fn source(name: &str, path: &Path) -> Source {
    (name.into(), path.to_path_buf())
}

fn part(show: Show) -> View {
    View {
        part: Part {
            show,
            ..Part::default()
        },
        ..view()
    }
}

#[test]
fn a_pair_is_one_request_and_one_side_is_cached_as_single() {
    let dir = TempDir::new().unwrap();
    let (a, b) = (write(&dir, "a.png", 7, 64), write(&dir, "b.png", 200, 64));
    let pair = [source("a", &a), source("b", &b)];
    let (previews, done) = start();
    let made = |view: View| {
        if previews.want_of(&pair, view).is_none() {
            done.recv_timeout(PATIENCE).unwrap();
        }
        previews.want_of(&pair, view).unwrap()
    };
    let beside = made(part(Show::Beside));
    let beside = beside.as_ref().as_ref().unwrap();
    assert_eq!((beside.cells.size(), beside.differs), ((20, 5), None));
    // In true pixels a pair is one picture with a gap of two cells.
    let plan = Plan {
        protocol: crate::terminal::pixels::Protocol::Kitty,
        cells: (20, 10),
        cell: (8, 16),
    };
    let pixels = made(View {
        pixels: Some(plan),
        ..part(Show::Beside)
    });
    let payload = pixels.as_ref().as_ref().unwrap().pixels.as_ref().unwrap();
    assert_eq!(
        payload
            .place(ratatui::layout::Rect::new(0, 0, 20, 10))
            .width,
        18,
        "twice 64 pixels and two cells"
    );
    let difference = made(part(Show::Difference));
    assert_eq!(difference.as_ref().as_ref().unwrap().differs, Some(1.0));
    let second = made(part(Show::Second));
    assert!(Arc::ptr_eq(
        &second,
        &previews.want("b", &b, view()).unwrap()
    ));
    assert!(Arc::ptr_eq(
        &made(part(Show::First)),
        &previews.want("a", &a, view()).unwrap()
    ));
    // Forgetting one picture drops the pair too.
    previews.forget("b");
    assert!(previews.want_of(&pair, part(Show::Beside)).is_none());
}

#[test]
fn an_unreadable_side_reports_its_file() {
    let dir = TempDir::new().unwrap();
    let a = write(&dir, "a.png", 7, 64);
    let gone = dir.path().join("gone.png");
    let pair = [source("a", &a), source("gone", &gone)];
    let (previews, done) = start();
    assert!(previews.want_of(&pair, part(Show::Difference)).is_none());
    done.recv_timeout(PATIENCE).unwrap();
    let ready = previews.want_of(&pair, part(Show::Difference)).unwrap();
    assert_eq!(
        ready.as_ref().as_ref().unwrap_err().place.file.as_deref(),
        Some(gone.as_path())
    );
}

#[test]
fn true_pixels_and_cells_show_the_same_region() {
    use crate::terminal::pixels::Protocol;
    let halves = RgbImage::from_fn(400, 400, |x, _| Rgb([if x < 200 { 10 } else { 250 }, 0, 0]));
    let image = DecodedImage::new(halves.into());
    let plan = Plan {
        protocol: Protocol::Kitty,
        cells: (20, 10),
        cell: (10, 20),
    };
    let region = benchtop_model::Region::WHOLE.zoom(true).pan(1, 0).pan(1, 0);
    let near = View {
        part: Part {
            region,
            ..Part::default()
        },
        pixels: Some(plan),
        ..view()
    };
    let made = picture(&image, &near).unwrap();
    let shown = made
        .cells
        .lines()
        .flatten()
        .map(|c| c.fg)
        .collect::<std::collections::HashSet<_>>();
    assert_eq!(
        (made.size, shown.len()),
        ((400, 400), 1),
        "the right half alone"
    );
    assert!(made.pixels.is_some());
}
