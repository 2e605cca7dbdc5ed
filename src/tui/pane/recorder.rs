//! A program that only records what a pane asks of it, for tests of panes.

use std::cell::RefCell;
use std::path::Path;
use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::context::{Chosen, Context, Effect, Env, Picked, Typed};
use super::id::PaneId;
use super::scene::{Pictures, Scene};
use super::seen::Viewed;
use super::work::{CommandSetting, WorkMessage};
use super::{Notice, Pane};
use crate::action::Action;
use crate::item::{Loaded, Picture, Sides};
use crate::keymap::Keymap;
use crate::panes::metadata::edit_session::EditSession;
use crate::preview::worker::{self, Source};
use crate::preview::{Part, View};
use crate::theme::Look;
use benchtop_model::config::Reason;
use benchtop_model::import::Progress;
use benchtop_model::{ColorLevel, Result};
use benchtop_protocol::wire::Request;

/// A program without an owner and a terminal. Each call returns the effects that the pane queued;
/// the test answers them.
pub struct Recorder {
    pub keymap: Keymap,
    pub who: String,
    pub reasons: Vec<Reason>,
    pub verdict_tags: Vec<Reason>,
    pub error_labels: Vec<Reason>,
    pub metadata: RefCell<EditSession>,
    /// Number of items in the project.
    pub items: u32,
    pub now: u64,
    pub is_shown: bool,
    pub is_connected: bool,
    /// Whether several pictures at once are ready at once. Others never load.
    pub has_pictures: bool,
    pub commands: CommandSetting,
}

impl Recorder {
    /// A program with the default keys, connected, with the pane on screen.
    ///
    /// # Errors
    ///
    /// If the default keys conflict.
    pub fn new() -> Result<Recorder> {
        Ok(Recorder {
            keymap: Keymap::defaults()?,
            who: "ann".into(),
            reasons: Vec::new(),
            verdict_tags: Vec::new(),
            error_labels: Vec::new(),
            metadata: RefCell::default(),
            items: 1,
            now: 0,
            is_shown: true,
            is_connected: true,
            has_pictures: false,
            commands: CommandSetting {
                program: vec!["benchtop".into()],
                folder: "/here".into(),
                exports: "exports".into(),
                ..CommandSetting::default()
            },
        })
    }

    /// Calls a pane.
    pub fn call<P: Pane + ?Sized>(
        &self,
        pane: &mut P,
        call: impl FnOnce(&mut P, &mut Context<'_>),
    ) -> Vec<Effect> {
        let env = Env {
            keymap: &self.keymap,
            who: &self.who,
            reasons: &self.reasons,
            verdict_tags: &self.verdict_tags,
            error_labels: &self.error_labels,
            tags: &[],
            history: &[],
            item: None,
            now: self.now,
            key_at: self.now,
            columns: 80,
            is_shown: self.is_shown,
            is_covered: false,
            is_still: false,
            is_connected: self.is_connected,
            commands: &self.commands,
        };
        let mut metadata = self.metadata.borrow_mut();
        let mut cx = Context::new(env, &mut metadata);
        call(pane, &mut cx);
        cx.into_effects()
    }

    pub fn open(&self, pane: &mut dyn Pane) -> Vec<Effect> {
        self.call(pane, |pane, cx| pane.open(cx))
    }

    pub fn act(&self, pane: &mut dyn Pane, action: Action) -> Vec<Effect> {
        self.call(pane, |pane, cx| pane.act(action, cx))
    }

    pub fn notify(&self, pane: &mut dyn Pane, notice: Notice<'_>) -> Vec<Effect> {
        self.call(pane, |pane, cx| pane.on_notice(notice, cx))
    }

    pub fn tick(&self, pane: &mut dyn Pane) -> Vec<Effect> {
        self.call(pane, |pane, cx| pane.tick(cx))
    }

    /// Replies to an [`Effect::Ask`]. Other effects get nothing.
    pub fn reply<R: Request>(
        &self,
        pane: &mut dyn Pane,
        effect: Effect,
        reply: Result<R::Reply>,
    ) -> Vec<Effect> {
        let Effect::Ask(ask) = effect else {
            return Vec::new();
        };
        let (_, receiver) = ask.into_parts(PaneId::Review);
        self.call(pane, |pane, cx| {
            receiver.receive(pane, reply.map(R::pack), cx);
        })
    }

    /// Says that an [`Effect::Work`] made this. Other effects get nothing.
    pub fn made<T: Send + 'static>(
        &self,
        pane: &mut dyn Pane,
        effect: &mut Effect,
        made: Result<T>,
    ) -> Vec<Effect> {
        let made = made.map(|made| Box::new(made) as Box<dyn std::any::Any + Send>);
        self.says(pane, effect, WorkMessage::Made(made))
    }

    /// Says how far an [`Effect::Work`] is. Other effects get nothing.
    pub fn progress(
        &self,
        pane: &mut dyn Pane,
        effect: &mut Effect,
        progress: Progress,
    ) -> Vec<Effect> {
        self.says(pane, effect, WorkMessage::Progress(progress))
    }

    fn says(&self, pane: &mut dyn Pane, effect: &mut Effect, said: WorkMessage) -> Vec<Effect> {
        match effect {
            Effect::Work(work) => self.call(pane, |pane, cx| (work.then.0)(pane, said, cx)),
            _ => Vec::new(),
        }
    }

    /// Chooses a line of an [`Effect::Menu`]. Other effects get nothing.
    pub fn choose(&self, pane: &mut dyn Pane, effect: &mut Effect, pick: usize) -> Vec<Effect> {
        let Effect::Menu(_, then) = effect else {
            return Vec::new();
        };
        let (picks, note) = (vec![pick], String::new());
        self.call(pane, |pane, cx| {
            (then.0)(pane, Picked::Chosen(Chosen { picks, note }), cx)
        })
    }

    /// Submits the text of an [`Effect::Prompt`]. Other effects get nothing.
    ///
    /// # Errors
    ///
    /// If the pane refused the text.
    pub fn write(
        &self,
        pane: &mut dyn Pane,
        effect: &mut Effect,
        text: &str,
    ) -> std::result::Result<Vec<Effect>, String> {
        let mut taken = Ok(());
        let effects = self.call(pane, |pane, cx| {
            if let Effect::Prompt(_, then) = effect {
                taken = (then.0)(pane, Typed::Done(text), cx);
            }
        });
        taken.map(|()| effects)
    }

    /// Says that these items were seen so, for an [`Effect::WhenEachSeen`]. Other effects get
    /// nothing.
    pub fn see_each(
        &self,
        pane: &mut dyn Pane,
        effect: &mut Effect,
        viewed: Vec<Viewed>,
    ) -> Vec<Effect> {
        match effect {
            Effect::WhenEachSeen(_, _, then) => {
                self.call(pane, |pane, cx| (then.0)(pane, viewed, cx))
            }
            _ => Vec::new(),
        }
    }

    /// Says that the item was seen so, for an [`Effect::WhenSeen`], or confirms an
    /// [`Effect::Confirm`]. Other effects get nothing.
    pub fn see(&self, pane: &mut dyn Pane, effect: &mut Effect, viewed: Viewed) -> Vec<Effect> {
        match effect {
            Effect::WhenSeen(_, then) | Effect::Confirm(_, _, then) => {
                self.call(pane, |pane, cx| (then.0)(pane, viewed, cx))
            }
            _ => Vec::new(),
        }
    }

    /// Draws the pane, with the pictures of [`has_pictures`](Self::has_pictures).
    pub fn draw(&self, pane: &mut dyn Pane, area: Rect, buf: &mut Buffer, look: &Look) {
        self.draw_cursor(pane, area, buf, look);
    }

    /// As [`draw`](Self::draw). Returns the position of the terminal's cursor.
    pub fn draw_cursor(
        &self,
        pane: &mut dyn Pane,
        area: Rect,
        buf: &mut Buffer,
        look: &Look,
    ) -> Option<Position> {
        self.with_scene(look, |scene| pane.draw(area, buf, scene))
    }

    /// Calls with what a pane draws with.
    pub fn with_scene<T>(&self, look: &Look, call: impl FnOnce(&Scene<'_>) -> T) -> T {
        call(&Scene {
            look,
            keymap: &self.keymap,
            root: Path::new(""),
            pictures: &FakePictures(self.has_pictures),
            metadata: &self.metadata.borrow(),
            items: self.items,
            now: self.now,
            is_covered: false,
            program: &self.commands.program,
        })
    }
}

/// Pictures that never load, or a gray one for each place of several at once.
struct FakePictures(bool);

/// A gray picture of this view.
fn gray(view: &View) -> Picture {
    let size = (
        u32::from(view.pane.0).max(1),
        u32::from(view.pane.1).max(1) * 2,
    );
    let image = image::RgbImage::from_pixel(size.0, size.1, image::Rgb([128; 3]));
    let image = benchtop_raster::decode::DecodedImage::new(image.into());
    let ready = worker::picture(&image, view).map_err(benchtop_model::Error::input);
    Picture::Ready(Arc::new(ready))
}

impl Pictures for FakePictures {
    fn cells_in(&self, place: Rect) -> View {
        View {
            pane: (place.width, place.height),
            cell: (1, 2),
            level: ColorLevel::Mono,
            background: [0; 3],
            pixels: None,
            part: Part::default(),
        }
    }

    fn view_in(&self, place: Rect) -> View {
        self.cells_in(place)
    }

    fn one(&self, _key: &str, _path: &Path, _view: View) -> Picture {
        Picture::Loading
    }

    fn all(&self, wishes: &[(Vec<Source>, View)]) -> Vec<Picture> {
        let painted = |(_, view): &(Vec<Source>, View)| match self.0 {
            true => gray(view),
            false => Picture::Loading,
        };
        wishes.iter().map(painted).collect()
    }

    fn sides(&self, _loaded: &Loaded) -> Option<Sides> {
        None
    }

    fn one_of(&self, _sides: &mut Sides, _view: View) -> Picture {
        Picture::Loading
    }

    fn ahead(&self, _wishes: Vec<(Vec<Source>, View)>) {}
}
