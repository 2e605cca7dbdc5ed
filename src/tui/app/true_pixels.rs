//! When pictures are drawn in true pixels.

use crate::terminal::Capabilities;
use crate::terminal::pixels::Protocol;
use crate::user_settings::PixelMode;

/// How long no key must be pressed before a picture is drawn in true pixels, in milliseconds.
const IDLE_MS: u64 = 300;

/// What pictures are drawn with at this moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sharpness {
    /// Half-blocks.
    Cells,
    /// True pixels if they are prepared, else half-blocks.
    PixelsIfReady,
    /// True pixels. Half-blocks until they are prepared.
    Pixels,
}

/// Whether pictures are drawn in true pixels, as far as the annotator and the terminal want it.
#[derive(Debug)]
pub(super) struct TruePixels {
    mode: PixelMode,
    /// No key was pressed for [`IDLE_MS`].
    is_idle: bool,
    /// The time of the last key.
    key_at: u64,
    /// The next picture's size is to be said.
    pub(super) says_cost: bool,
    /// Bytes that were written before the cells of the frame.
    pub(super) uploaded: usize,
}

impl TruePixels {
    /// `mode` as set by the annotator. Over SSH, `auto` means half-blocks: a picture has hundreds of
    /// kilobytes.
    pub(super) fn new(mode: PixelMode, found: &Capabilities, now: u64) -> TruePixels {
        let mode = match mode {
            _ if Protocol::choose(found).is_none() => PixelMode::Off,
            PixelMode::Auto if found.ssh => PixelMode::Off,
            mode => mode,
        };
        TruePixels {
            mode,
            is_idle: false,
            key_at: now,
            says_cost: false,
            uploaded: 0,
        }
    }

    pub(super) fn now(&self) -> Sharpness {
        match self.mode {
            PixelMode::Off => Sharpness::Cells,
            PixelMode::Auto if !self.is_idle => Sharpness::PixelsIfReady,
            PixelMode::Auto | PixelMode::On => Sharpness::Pixels,
        }
    }

    /// Whether pictures that are likely needed next are prepared in true pixels too.
    pub(super) fn are_always_on(&self) -> bool {
        self.mode == PixelMode::On
    }

    /// A key was pressed.
    pub(super) fn key(&mut self, at: u64) {
        (self.is_idle, self.key_at) = (false, at);
    }

    /// When to call [`tick`](Self::tick).
    pub(super) fn due(&self) -> Option<u64> {
        (self.mode == PixelMode::Auto && !self.is_idle).then_some(self.key_at + IDLE_MS)
    }

    /// Returns whether a frame is due.
    pub(super) fn tick(&mut self, now: u64) -> bool {
        let is_due = self.due().is_some_and(|at| at <= now);
        self.is_idle |= is_due;
        is_due
    }

    /// Turns true pixels on or off.
    pub(super) fn toggle(&mut self) {
        let is_on = self.mode == PixelMode::On;
        self.mode = if is_on { PixelMode::Off } else { PixelMode::On };
        self.says_cost = !is_on;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(ssh: bool) -> Capabilities {
        Capabilities {
            answers: true,
            kitty: true,
            cell: Some((9, 18)),
            ssh,
            ..Capabilities::default()
        }
    }

    #[test]
    fn pictures_become_sharp_once_no_key_is_pressed() {
        let mut pixels = TruePixels::new(PixelMode::Auto, &found(false), 1_000);
        assert_eq!(
            (pixels.now(), pixels.due()),
            (Sharpness::PixelsIfReady, Some(1_300))
        );
        assert!(!pixels.tick(1_299));
        pixels.key(1_200);
        assert!(!pixels.tick(1_300));
        assert!(pixels.tick(1_500));
        assert_eq!((pixels.now(), pixels.due()), (Sharpness::Pixels, None));
        assert!(!pixels.tick(9_000));
        pixels.key(9_001);
        assert_eq!(
            (pixels.now(), pixels.due()),
            (Sharpness::PixelsIfReady, Some(9_301))
        );
    }

    #[test]
    fn a_slow_line_and_a_terminal_without_protocol_show_half_blocks() {
        for (mode, found, expected) in [
            (PixelMode::Auto, found(true), Sharpness::Cells),
            (PixelMode::On, found(true), Sharpness::Pixels),
            (PixelMode::Off, found(false), Sharpness::Cells),
            (PixelMode::On, Capabilities::default(), Sharpness::Cells),
        ] {
            let pixels = TruePixels::new(mode, &found, 0);
            assert_eq!((pixels.now(), pixels.due()), (expected, None), "{mode:?}");
        }
    }

    #[test]
    fn a_key_turns_them_on_for_good_and_off_again() {
        let mut pixels = TruePixels::new(PixelMode::Auto, &found(false), 0);
        pixels.toggle();
        assert_eq!((pixels.now(), pixels.due()), (Sharpness::Pixels, None));
        assert!(pixels.says_cost && pixels.are_always_on());
        pixels.toggle();
        assert_eq!(pixels.now(), Sharpness::Cells);
        assert!(!pixels.says_cost);
    }
}
