//! Prepares pictures on two threads: the newest request first, then the neighbors in the direction
//! of travel. Prepared pictures are cached up to a number of bytes.
//!
//! The calling thread never touches a file. One thread handles requests only, so that a prefetch
//! never delays them. Failures are cached like pictures: the review shows the reason and continues.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use super::cache::Cache;
use super::halfblock::{Cells, stretch};
use super::pair::{self, Part, Room, Show};
use crate::palette::Rgb;
use crate::terminal::pixels::{Payload, Plan};
use crate::terminal::{ColorLevel, guard};
use benchtop_files::picture_file::PictureFile;
use benchtop_model::image::FILE_LIMIT;
use benchtop_model::{Error, Result};
use benchtop_raster::decode::{DecodedImage, decode};

/// Size of the picture cache in bytes.
pub const CACHE_BYTES: usize = 64 * 1024 * 1024;
/// Number of neighbors to prefetch ahead.
pub const AHEAD: usize = 3;
/// Number of neighbors to prefetch behind.
pub const BEHIND: usize = 2;
/// Columns between two pictures.
pub const GAP: u16 = 2;

/// How to show a picture. Part of the cache key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct View {
    /// Columns and rows of the pane.
    pub pane: (u16, u16),
    /// Width and height of a cell, in pixels or any other unit; (1, 2) if unknown.
    pub cell: (u16, u16),
    pub level: ColorLevel,
    /// Shows through transparent pixels.
    pub background: Rgb,
    /// Set if true pixels are needed too: [`crate::terminal::pixels::Pixels::plan`] of the pane.
    pub pixels: Option<Plan>,
    /// The region, and the view of a pair.
    pub part: Part,
}

impl View {
    /// Height of a cell divided by its width.
    pub fn aspect(&self) -> f64 {
        f64::from(self.cell.1.max(1)) / f64::from(self.cell.0.max(1))
    }
}

/// A prepared picture.
#[derive(Debug)]
pub struct Picture {
    /// Width and height of the picture in the file, in pixels, upright.
    pub size: (u32, u32),
    /// The picture as text cells.
    pub cells: Cells,
    /// The picture in the terminal's pixel protocol, if requested.
    pub pixels: Option<Payload>,
    /// For a difference: the share of pixels in the region that differ by at least [`pair::NOISE`].
    pub differs: Option<f64>,
}

/// A prepared picture, or why it cannot be shown.
pub type Ready = Result<Picture>;

/// The notification that a picture is ready.
#[derive(Clone, Debug)]
pub struct Done {
    /// The key of the request.
    pub key: Arc<str>,
    /// The view of the request.
    pub view: View,
    pub ready: Arc<Ready>,
}

/// The cache key: content keys and the view.
pub(super) type CacheKey = (Arc<str>, View);

/// The key of a picture's content (its hash), and its file.
pub type Source = (Arc<str>, PathBuf);

#[derive(Clone, Debug)]
struct Job {
    key: CacheKey,
    sources: Vec<Source>,
    cancelled: Arc<AtomicBool>,
}

#[derive(Default)]
struct State {
    wanted: VecDeque<Job>,
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

/// The prepared pictures. Dropping it stops the threads.
pub struct Previews {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
}

impl Previews {
    /// Starts the two threads. They call `done` once [`want`](Self::want) can return the picture.
    ///
    /// # Errors
    ///
    /// If a thread cannot be started.
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

    /// Returns the picture of `path` if it is ready. Otherwise requests it in place of an older
    /// request, and `done` is called later. `key` identifies the content (its hash), so that two
    /// items with the same picture share it. Returns at once.
    pub fn want(&self, key: &str, path: &Path, view: View) -> Option<Arc<Ready>> {
        self.want_of(&[(key.into(), path.to_path_buf())], view)
    }

    /// Like [`want`](Self::want), for one or two pictures, depending on the view.
    pub fn want_of(&self, sources: &[Source], view: View) -> Option<Arc<Ready>> {
        let job = Job::new(sources, view);
        let key = job.key.clone();
        let mut state = self.shared.lock();
        if let Some(ready) = state.cache.get(&key) {
            state.wanted.clear();
            return Some(ready);
        }
        let running = state.runs(&key);
        state.cancel_running(|job| job.key != key);
        state.ahead.retain(|job| job.key != key);
        state.wanted.clear();
        if !running {
            state.wanted.push_back(job);
        }
        drop(state);
        self.shared.wake.notify_all();
        None
    }

    /// The pictures in this view, if they are ready. Starts nothing.
    pub fn ready(&self, sources: &[Source], view: View) -> Option<Arc<Ready>> {
        let job = Job::new(sources, view);
        self.shared.lock().cache.get(&job.key)
    }

    /// Like [`want_of`](Self::want_of), for pictures that are on screen together, each with its own
    /// view.
    pub fn want_all(&self, wishes: &[(Vec<Source>, View)]) -> Vec<Option<Arc<Ready>>> {
        let jobs: Vec<Job> = wishes
            .iter()
            .map(|(sources, view)| Job::new(sources, *view))
            .collect();
        let mut state = self.shared.lock();
        let found = jobs.iter().map(|job| state.cache.get(&job.key)).collect();
        if jobs.iter().any(|job| !state.cache.has(&job.key)) {
            state.cancel_running(|run| jobs.iter().all(|job| job.key != run.key));
        }
        let mut wanted: VecDeque<Job> = VecDeque::new();
        for job in jobs {
            state.ahead.retain(|ahead| ahead.key != job.key);
            let is_new = !state.cache.has(&job.key) && !state.runs(&job.key);
            if is_new && wanted.iter().all(|other| other.key != job.key) {
                wanted.push_back(job);
            }
        }
        state.wanted = wanted;
        drop(state);
        self.shared.wake.notify_all();
        found
    }

    /// Replaces the list of pictures to prefetch, most likely first; see [`neighbors`]. Call it
    /// after [`want`](Self::want). Returns at once.
    pub fn ahead<'a>(&self, pictures: impl IntoIterator<Item = (&'a str, &'a Path)>, view: View) {
        self.ahead_of(
            pictures
                .into_iter()
                .map(|(key, path)| (vec![(key.into(), path.to_path_buf())], view)),
        );
    }

    /// Like [`ahead`](Self::ahead), for one or two pictures, each with its own view.
    pub fn ahead_of(&self, wishes: impl IntoIterator<Item = (Vec<Source>, View)>) {
        let mut state = self.shared.lock();
        let jobs: VecDeque<Job> = wishes
            .into_iter()
            .map(|(sources, view)| Job::new(&sources, view))
            .filter(|job| !state.cache.has(&job.key))
            .filter(|job| state.wanted.iter().all(|wanted| wanted.key != job.key))
            .filter(|job| !state.runs(&job.key))
            .collect();
        state.ahead = jobs;
        drop(state);
        self.shared.wake.notify_all();
    }

    /// Drops the cached pictures of `key`, because its file changed.
    pub fn forget(&self, key: &str) {
        self.shared.lock().cache.forget(key);
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

/// Positions to prefetch around `position` of `len`: [`AHEAD`] in the direction of travel, nearest
/// first, then [`BEHIND`] in the other direction.
pub fn neighbors(position: usize, len: usize, forward: bool) -> Vec<usize> {
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
    /// One picture of a pair is cached like a single one.
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

    /// The file to report for a failure of the whole job.
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
    fn runs(&self, key: &CacheKey) -> bool {
        let mut running = self.running.iter();
        running.any(|job| job.key == *key && !job.cancelled())
    }

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
        let job = state.wanted.pop_front().or_else(|| {
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
        // Keep a finished picture even if its request was replaced.
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

/// `None` if the job was canceled.
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

/// Reads the file that `key` refers to. If the key is a blake3 hash, checks it: a verdict must be
/// about the recorded picture.
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

/// Prepares a decoded picture for a view.
///
/// # Errors
///
/// If resizing or encoding fails.
pub fn picture(image: &DecodedImage, view: &View) -> std::result::Result<Picture, String> {
    picture_of(std::slice::from_ref(image), view)
}

/// Prepares one or two decoded pictures for a view.
///
/// # Errors
///
/// If resizing or encoding fails.
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

/// Reads a file.
///
/// # Errors
///
/// If it does not exist, is not a regular file, or is too large.
pub fn read(path: &Path) -> Result<Vec<u8>> {
    let fail = |error: io::Error| Error::io(&error, "cannot read the picture", path);
    let meta = std::fs::metadata(path).map_err(fail)?;
    if !meta.is_file() {
        return Err(Error::input("not a regular file").file(path));
    }
    if meta.len() > FILE_LIMIT {
        return Err(
            Error::input(format!("file is too large: {} MB", meta.len() / 1_000_000)).file(path),
        );
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
