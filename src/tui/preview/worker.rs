//! Pictures made ready on two threads: the newest wish first, the neighbours in the direction of travel after it, and
//! what was made remembered up to a number of bytes.
//!
//! The calling thread never touches a file. One of the two threads works on wishes only, so that a prefetch never makes
//! anybody wait. Failures are remembered like pictures: the review goes on and shows the reason.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use super::cache::Cache;
use super::decode::{DecodedImage, decode};
use super::halfblock::{Cells, stretch};
use super::pair::{self, Part, Room, Show};
use crate::palette::Rgb;
use crate::terminal::pixels::{Payload, Plan};
use crate::terminal::{ColourLevel, guard};
use benchtop_files::picture_file::PictureFile;
use benchtop_model::image::FILE_LIMIT;
use benchtop_model::{Error, Result};

/// Memory kept for ready pictures, in bytes.
pub const KEPT: usize = 64 * 1024 * 1024;
/// How far ahead, and how far behind, the neighbours are made ready.
pub const AHEAD: usize = 3;
/// See [`AHEAD`].
pub const BEHIND: usize = 2;
/// Columns between two pictures.
pub const GAP: u16 = 2;

/// How a picture is to be shown. Part of what it is remembered by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct View {
    /// Columns and rows of the pane.
    pub pane: (u16, u16),
    /// Width and height of a cell, in pixels or any other unit; (1, 2) where nobody says.
    pub cell: (u16, u16),
    /// Colours to draw with.
    pub level: ColourLevel,
    /// What shows through transparent pixels.
    pub background: Rgb,
    /// Set when true pixels are wanted too: [`crate::terminal::pixels::Pixels::plan`] of the pane.
    pub pixels: Option<Plan>,
    /// Which region, and what of two pictures.
    pub part: Part,
}

impl View {
    /// Height over width of a cell.
    pub fn aspect(&self) -> f64 {
        f64::from(self.cell.1.max(1)) / f64::from(self.cell.0.max(1))
    }
}

/// A picture ready to be shown.
#[derive(Debug)]
pub struct Picture {
    /// Width and height of the file's picture in pixels, upright.
    pub size: (u32, u32),
    /// It as cells.
    pub cells: Cells,
    /// It as the terminal's own pixels, when the view asked for them.
    pub pixels: Option<Payload>,
    /// For the difference of two: the share of the pixels of the region that differ by [`pair::NOISE`] or more.
    pub differs: Option<f64>,
}

/// A picture, or why there is none.
pub type Ready = Result<Picture>;

/// Told when a picture is ready.
#[derive(Clone, Debug)]
pub struct Done {
    /// The key it was wanted by.
    pub key: Arc<str>,
    /// The view it was wanted in.
    pub view: View,
    /// The picture or the reason.
    pub ready: Arc<Ready>,
}

/// What a made picture is remembered by: what names its content, and the view.
pub(super) type CacheKey = (Arc<str>, View);

/// What names a picture's content (its hash), and its file.
pub type Source = (Arc<str>, PathBuf);

#[derive(Clone, Debug)]
struct Job {
    key: CacheKey,
    sources: Vec<Source>,
    cancelled: Arc<AtomicBool>,
}

#[derive(Default)]
struct State {
    wanted: Option<Job>,
    ahead: VecDeque<Job>,
    running: Vec<Job>,
    cache: Cache,
    closed: bool,
}

struct Shared {
    state: Mutex<State>,
    wake: Condvar,
    done: Box<dyn Fn(Done) + Send + Sync>,
}

/// The pictures of a program. Dropping it stops the threads.
pub struct Previews {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
}

impl Previews {
    /// Starts the two threads. `done` is called on them, after the picture can be had from [`want`](Self::want).
    ///
    /// # Errors
    /// When no thread can be made.
    pub fn new(done: impl Fn(Done) + Send + Sync + 'static) -> io::Result<Self> {
        let shared = Arc::new(Shared {
            state: Mutex::default(),
            wake: Condvar::new(),
            done: Box::new(done),
        });
        let mut previews = Previews {
            shared,
            threads: Vec::new(),
        };
        for (name, prefetches) in [("preview", false), ("preview-ahead", true)] {
            let shared = Arc::clone(&previews.shared);
            let thread = thread::Builder::new()
                .name(name.into())
                .spawn(move || work(&shared, prefetches))?;
            previews.threads.push(thread);
        }
        Ok(previews)
    }

    /// The picture of `path`, if it is ready; otherwise it becomes the one wish, in place of an older one, and `done`
    /// will tell. `key` names its content (its hash), so that two items with one picture share it. Returns at once.
    pub fn want(&self, key: &str, path: &Path, view: View) -> Option<Arc<Ready>> {
        self.want_of(&[(key.into(), path.to_path_buf())], view)
    }

    /// The same of one picture or of two, as the part of the view says.
    pub fn want_of(&self, sources: &[Source], view: View) -> Option<Arc<Ready>> {
        let job = Job::new(sources, view);
        let key = job.key.clone();
        let mut state = self.shared.lock();
        if let Some(ready) = state.cache.get(&key) {
            state.wanted = None;
            return Some(ready);
        }
        let running = state
            .running
            .iter()
            .any(|job| job.key == key && !job.cancelled());
        state.cancel_running(|job| job.key != key);
        state.ahead.retain(|job| job.key != key);
        state.wanted = (!running).then_some(job);
        drop(state);
        self.shared.wake.notify_all();
        None
    }

    /// Replaces the list of pictures to make ready when there is nothing better to do, the most likely first; see
    /// [`neighbours`]. To be called after [`want`](Self::want). Returns at once.
    pub fn ahead<'a>(&self, pictures: impl IntoIterator<Item = (&'a str, &'a Path)>, view: View) {
        self.ahead_of(
            pictures
                .into_iter()
                .map(|(key, path)| (vec![(key.into(), path.to_path_buf())], view)),
        );
    }

    /// The same of one picture or of two each, each in a view of its own.
    pub fn ahead_of(&self, wishes: impl IntoIterator<Item = (Vec<Source>, View)>) {
        let mut state = self.shared.lock();
        let jobs: VecDeque<Job> = wishes
            .into_iter()
            .map(|(sources, view)| Job::new(&sources, view))
            .filter(|job| !state.cache.has(&job.key))
            .filter(|job| {
                state
                    .wanted
                    .as_ref()
                    .is_none_or(|wanted| wanted.key != job.key)
            })
            .filter(|job| {
                !state
                    .running
                    .iter()
                    .any(|r| r.key == job.key && !r.cancelled())
            })
            .collect();
        state.ahead = jobs;
        drop(state);
        self.shared.wake.notify_all();
    }

    /// Forgets what was made of `key`: its file has changed.
    pub fn forget(&self, key: &str) {
        self.shared.lock().cache.forget(key);
    }

    /// Memory that the ready pictures take, in bytes.
    pub fn bytes(&self) -> usize {
        self.shared.lock().cache.bytes
    }
}

impl Drop for Previews {
    fn drop(&mut self) {
        let mut state = self.shared.lock();
        state.closed = true;
        state.cancel_running(|_| true);
        drop(state);
        self.shared.wake.notify_all();
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

/// Positions of the pictures to make ready around `position` of `len`: [`AHEAD`] in the direction of travel, nearest
/// first, then [`BEHIND`] in the other.
pub fn neighbours(position: usize, len: usize, forward: bool) -> Vec<usize> {
    let step = |distance: usize, up: bool| {
        if up {
            position.checked_add(distance)
        } else {
            position.checked_sub(distance)
        }
    };
    let ahead = (1..=AHEAD).map(|d| step(d, forward));
    ahead
        .chain((1..=BEHIND).map(|d| step(d, !forward)))
        .flatten()
        .filter(|p| *p < len)
        .collect()
}

impl Job {
    /// One of two alone is the same as that one by itself.
    fn new(sources: &[Source], mut view: View) -> Self {
        let alone = match (view.part.show, sources) {
            (Show::Second, [_, second, ..]) => Some(second),
            (Show::First | Show::Second, [first, ..]) | (_, [first]) => Some(first),
            _ => None,
        };
        let sources: Vec<Source> = match alone {
            Some(alone) => {
                view.part.show = Show::First;
                vec![alone.clone()]
            }
            None => sources.iter().take(2).cloned().collect(),
        };
        let key = sources
            .iter()
            .map(|(key, _)| &**key)
            .collect::<Vec<_>>()
            .join(" ");
        Job {
            key: (key.into(), view),
            sources,
            cancelled: Arc::default(),
        }
    }

    /// The file that a failure of the whole is told of.
    fn path(&self) -> PathBuf {
        self.sources
            .first()
            .map(|(_, path)| path.clone())
            .unwrap_or_default()
    }

    fn cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }
}

impl State {
    fn cancel_running(&mut self, which: impl Fn(&Job) -> bool) {
        for job in self.running.iter().filter(|job| which(job)) {
            job.cancelled.store(true, Ordering::Relaxed);
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn work(shared: &Shared, prefetches: bool) {
    let mut state = shared.lock();
    loop {
        if state.closed {
            return;
        }
        let job = state.wanted.take().or_else(|| {
            if prefetches {
                state.ahead.pop_front()
            } else {
                None
            }
        });
        let Some(job) = job else {
            state = shared
                .wake
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
            continue;
        };
        state.running.push(job.clone());
        drop(state);
        let ready = make(&job);
        state = shared.lock();
        state
            .running
            .retain(|r| !Arc::ptr_eq(&r.cancelled, &job.cancelled));
        // What is finished is kept even if nobody waits for it any more.
        if let Some(ready) = ready {
            let ready = Arc::new(ready);
            state.cache.put(job.key.clone(), Arc::clone(&ready));
            drop(state);
            let (key, view) = job.key;
            (shared.done)(Done { key, view, ready });
            state = shared.lock();
        }
    }
}

/// `None` when it was cancelled on the way.
fn make(job: &Job) -> Option<Ready> {
    let made = guard::contain(|| {
        let mut images = Vec::new();
        for (key, path) in &job.sources {
            let bytes = match named(key, path) {
                _ if job.cancelled() => return None,
                Ok(bytes) => bytes,
                Err(problem) => return Some(Err(problem)),
            };
            match decode(&bytes) {
                _ if job.cancelled() => return None,
                Ok(image) => images.push(image),
                Err(problem) => return Some(Err(problem.file(path))),
            }
        }
        Some(picture_of(&images, &job.key.1).map_err(|what| Error::input(what).file(job.path())))
    });
    made.unwrap_or_else(|panic| {
        Some(Err(
            Error::input(format!("damaged: {panic}")).file(job.path())
        ))
    })
}

/// The bytes of the file that `key` names, held against it where it is a blake3 hash: a verdict must be one on the picture
/// that was recorded.
fn named(key: &str, path: &Path) -> Result<Vec<u8>> {
    match blake3::Hash::from_hex(key) {
        Ok(_) => PictureFile {
            path: path.to_path_buf(),
            hash: key.to_string(),
        }
        .read(),
        Err(_) => read(path),
    }
}

/// Makes a decoded picture ready for a view.
///
/// # Errors
/// What the resizer or the encoder said.
pub fn picture(image: &DecodedImage, view: &View) -> std::result::Result<Picture, String> {
    picture_of(std::slice::from_ref(image), view)
}

/// Makes one decoded picture or two ready for a view.
///
/// # Errors
/// What the resizer or the encoder said.
fn picture_of(images: &[DecodedImage], view: &View) -> std::result::Result<Picture, String> {
    let size = images.first().map_or((0, 0), DecodedImage::size);
    let rows = (u32::from(view.pane.0), u32::from(view.pane.1) * 2);
    let room = Room {
        size: rows,
        stretch: stretch(view.aspect()),
        gap: GAP.into(),
    };
    let (cells, differs) = match rows.0 == 0 || rows.1 == 0 {
        true => (Default::default(), None),
        false => pair::draw(images, view.part, room, view.background)?,
    };
    let cells = Cells::of_pixels(&cells, view.level, view.background);
    let pixels = match view.pixels {
        Some(plan) => {
            let room = Room {
                size: plan.room(),
                stretch: 1.0,
                gap: u32::from(GAP) * u32::from(plan.cell.0),
            };
            let (drawn, _) = pair::draw(images, view.part, room, view.background)?;
            Some(plan.encode(&drawn, view.background)?)
        }
        None => None,
    };
    Ok(Picture {
        size,
        cells,
        pixels,
        differs,
    })
}

/// The bytes of a file.
///
/// # Errors
/// When it is not there, no regular file, or too long.
pub fn read(path: &Path) -> Result<Vec<u8>> {
    let fail = |error: io::Error| Error::io(&error, "cannot read the picture", path);
    let meta = std::fs::metadata(path).map_err(fail)?;
    if !meta.is_file() {
        return Err(Error::input("not a file").file(path));
    }
    if meta.len() > FILE_LIMIT {
        return Err(Error::input(format!("too large: {} MB", meta.len() / 1_000_000)).file(path));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(meta.len()).unwrap_or(0));
    File::open(path)
        .map_err(fail)?
        .take(FILE_LIMIT)
        .read_to_end(&mut bytes)
        .map_err(fail)?;
    Ok(bytes)
}

#[cfg(test)]
#[path = "worker_tests.rs"]
mod tests;
