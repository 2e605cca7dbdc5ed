//! Text whose width terminals disagree on: every update ends in the same screen as a fresh start.

use benchtop::model::{Choice, Item, Role, Status};
use benchtop::protocol::wire::{AnyRequest, ItemView, Page, Request, Row, request};
use benchtop::tui::action::Action;
use benchtop::tui::pane::context::Receiver;
use benchtop::tui::pane::recorder::Recorder;
use benchtop::tui::panes::review::{Queue, ReviewPane};
use benchtop::tui::terminal::Tty;
use benchtop::tui::terminal::frame::{UncertainRows, draw_frame};
use benchtop::tui::widgets::text;
use proptest::prelude::*;
use ratatui::Terminal;
use ratatui::buffer::Buffer;
use ratatui::layout::{Rect, Size};
use ratatui::style::{Modifier, Style};

use super::list::Listed;
use super::look;
use crate::support::emulator::Emulator;
use crate::support::rounds;
use crate::tui::support::question;

/// Texts that terminals show in columns of their own.
pub(super) const ODD: [&str; 43] = [
    "plain text",
    "an astronaut 👩‍🚀 and a farmer 👨🏿‍🌾",
    "a family 👨‍👩‍👧‍👦 of four",
    "families 👨‍👨‍👧👩‍👩‍👦‍👦 side by side",
    "a couple 👩🏽‍❤️‍💋‍👨🏻 kissing",
    "the flags 🇩🇪🇫🇷🇯🇵 in a row",
    "an odd number of letters 🇩🇪🇫",
    "England 🏴󠁧󠁢󠁥󠁮󠁧󠁿 and Wales 🏴󠁧󠁢󠁷󠁬󠁳󠁿",
    "the rainbow 🏳️‍🌈 and the pirates 🏴‍☠️",
    "keycaps 1️⃣ 2️⃣ #️⃣ *️⃣",
    "a heart ❤️ and a heart ❤ and ❤︎",
    "a phone ☎️ and a sun ☀️, an umbrella ☔️",
    "thumbs 👍👍🏻👍🏽👍🏿",
    "a waving hand 👋🏽 and nobody 🏽",
    "faces 😀😃😄 and 🫨🫠🥹",
    "a clock ⌚ and a scale ⚖️",
    "cafe\u{301} and e\u{301}\u{302}\u{303}\u{304} stacked",
    "z\u{335}\u{321}\u{34b}\u{311}\u{305} a\u{336}\u{30a}\u{317} l\u{337}\u{33f}\u{32b} g\u{334} o\u{338}\u{344}",
    "\u{301}a mark that begins",
    "กำลังกินข้าวอยู่ที่บ้าน",
    "ภาษาไทยน้ำท่วมทุ่งผักบุ้งโหรงเหรง",
    "ශ්‍රී ලංකාව සිංහල ක්‍රමය",
    "क्षत्रिय और ज्ञान की भाषा हिन्दी",
    "प्रार्थना र्‍क क्‍ष स्त्री",
    "தமிழ் மொழி கொடுத்தது ஸ்ரீ",
    "বাংলা ক্ষুদ্র র‍্যাব",
    "മലയാളം ന്‍റെ ക്ഷ",
    "తెలుగు క్ష్మ",
    "ខ្មែរ ស្ត្រី",
    "မြန်မာ ဘာသာ",
    "བོད་སྐད་ རྒྱལ",
    "می‌خواهم فارسی بنویسم",
    "العربية مُشَكَّلَةٌ لا",
    "עִבְרִית מְנֻקֶּדֶת",
    "left שלום right",
    "画像に写っている動物は何ですか",
    "한글과 한글 자모",
    "か\u{3099}き\u{3099} ｶﾞｷﾞ ﾊﾟ",
    "葛\u{e0100}城市 辻\u{fe00}",
    "ambiguous ± × ÷ ° § ① ⅷ α Ж ─ … ‘’ “”",
    "full ＡＢＣ half ｱｲｳ",
    "pass\u{200d}word and\u{200c}then",
    "👩‍🚀👩‍🚀👩‍🚀👩‍🚀👩‍🚀👩‍🚀👩‍🚀👩‍🚀👩‍🚀👩‍🚀👩‍🚀👩‍🚀👩‍🚀👩‍🚀👩‍🚀👩‍🚀👩‍🚀👩‍🚀👩‍🚀👩‍🚀👩‍🚀👩‍🚀👩‍🚀👩‍🚀👩‍🚀👩‍🚀👩‍🚀👩‍🚀👩‍🚀👩‍🚀👩‍🚀",
];

/// A program's way out, and the terminals that watch it.
struct Watched {
    terminal: Terminal<Tty<Vec<u8>>>,
    uncertain: UncertainRows,
    size: (u16, u16),
    screens: [Emulator; 2],
}

fn terminal((width, height): (u16, u16)) -> Terminal<Tty<Vec<u8>>> {
    Terminal::new(Tty::new(Vec::new(), Size { width, height })).unwrap()
}

/// The bytes of a frame that is drawn on what was drawn before.
fn bytes(
    terminal: &mut Terminal<Tty<Vec<u8>>>,
    uncertain: &mut UncertainRows,
    draw: &mut dyn FnMut(&mut Buffer),
) -> Vec<u8> {
    terminal.backend_mut().inner_mut().clear();
    terminal.backend_mut().begin_frame().unwrap();
    draw_frame(terminal, uncertain, |buf| {
        draw(buf);
        None
    })
    .unwrap();
    terminal.backend_mut().end_frame().unwrap();
    std::mem::take(terminal.backend_mut().inner_mut())
}

impl Watched {
    fn new(size: (u16, u16)) -> Watched {
        let screens = [true, false].map(|joins| Emulator::new(size, joins));
        Watched {
            terminal: terminal(size),
            uncertain: UncertainRows::default(),
            size,
            screens,
        }
    }

    /// Draws a frame; the screens are then as a terminal that sees nothing but this frame.
    fn frame(&mut self, what: &str, mut draw: impl FnMut(&mut Buffer)) {
        let out = bytes(&mut self.terminal, &mut self.uncertain, &mut draw);
        let fresh = bytes(
            &mut terminal(self.size),
            &mut UncertainRows::default(),
            &mut draw,
        );
        for (screen, joins) in self.screens.iter_mut().zip([true, false]) {
            screen.feed(&out);
            let mut wanted = Emulator::new(self.size, joins);
            wanted.feed(&fresh);
            let differences = screen.differences(&wanted);
            let rows = |e: &Emulator| differences.first().map(|(_, y, ..)| e.rows()[*y].clone());
            assert!(
                differences.is_empty(),
                "{what}, joins {joins}: {:?}\nis     {:?}\nwanted {:?}",
                &differences[..differences.len().min(6)],
                rows(screen),
                rows(&wanted)
            );
        }
        // What did not change is not written again.
        let again = bytes(&mut self.terminal, &mut self.uncertain, &mut draw);
        assert!(
            again.is_empty(),
            "{what}: {} bytes for nothing",
            again.len()
        );
    }
}

fn odd_item(at: usize) -> Item {
    let choice = |n: usize, role| Choice {
        text: ODD[(at + n) % ODD.len()].into(),
        role,
    };
    Item {
        question: format!("{} {}?", ODD[at], ODD[(at + 7) % ODD.len()]),
        options: vec![
            choice(0, Role::Correct),
            choice(1, Role::Distractor),
            choice(2, Role::Distractor),
        ],
        prompt: Some(ODD[(at + 3) % ODD.len()].into()),
        ..question(at as i64 + 1)
    }
}

fn answered(list: &mut Listed, asked: Vec<(Receiver, AnyRequest)>) {
    for (want, ask) in asked {
        if let AnyRequest::Page(request::Page(ask)) = ask {
            let end = (ODD.len() as u64).min(ask.offset + u64::from(ask.count));
            let row = |at: u64| Row::of(at as u32 + 1, &odd_item(at as usize), Status::Pending, "");
            let rows = (ask.offset..end).map(row).collect();
            let total = ODD.len() as u64;
            let page = Page {
                generation: ask.generation,
                offset: ask.offset,
                rows,
                total,
                of: total,
                partial: false,
            };
            let more = list.answer(&want, Ok(request::Page::pack(page)));
            answered(list, more);
        }
    }
}

#[test]
fn the_item_list_stepped_through_up_and_down() {
    for size in [(80, 24), (47, 12), (160, 50)] {
        let mut watched = Watched::new(size);
        let mut list = Listed::new();
        let asked = list.open();
        answered(&mut list, asked);
        let (down, up) = (vec![Action::Down; 45], vec![Action::Up; 45]);
        let pages = [
            Action::PageDown,
            Action::PageUp,
            Action::Bottom,
            Action::Top,
        ];
        for (step, action) in down.into_iter().chain(up).chain(pages).enumerate() {
            let asked = list.act(action);
            answered(&mut list, asked);
            watched.frame(&format!("{size:?} step {step}"), |buf| {
                list.draw(buf.area, buf, &look())
            });
        }
    }
}

#[test]
fn the_review_stepped_through_up_and_down() {
    for size in [(80, 24), (50, 14), (160, 50)] {
        let mut watched = Watched::new(size);
        let (mut pane, rec) = (ReviewPane::default(), Recorder::new().unwrap());
        rec.call(&mut pane, |pane, cx| {
            pane.set_queue(Queue::all(ODD.len() as u32), None, cx);
        });
        let there = (0..ODD.len()).chain((0..ODD.len()).rev());
        for at in there {
            rec.call(&mut pane, |pane, cx| {
                let _ = pane.go(at, cx);
            });
            let json = serde_json::to_string(&odd_item(at)).unwrap();
            let (number, status) = (at as u32 + 1, Status::Pending);
            let view = ItemView {
                number,
                json,
                status,
                rev: 0,
                text_rev: 0,
                standing: vec![],
                stale: None,
                original: None,
                chips: vec![],
                comments: 0,
            };
            rec.call(&mut pane, |pane, cx| pane.on_item(number, Ok(view), cx));
            watched.frame(&format!("{size:?} item {number}"), |buf| {
                rec.draw(&mut pane, buf.area, buf, &look());
            });
        }
    }
}

/// A wide glyph that covers the first half of another one: what is left of that one is rewritten.
#[test]
fn half_a_reversed_glyph_leaves_no_reversed_blank() {
    let mut watched = Watched::new((30, 1));
    let reversed = Style::new().add_modifier(Modifier::REVERSED);
    watched.frame("reversed, from an even column", |buf| {
        buf.set_style(buf.area, reversed);
        buf.set_string(0, 0, "画像に写っている", reversed);
    });
    watched.frame("plain, from an odd column, with a blank", |buf| {
        buf.set_string(0, 0, "a画像 写っている", Style::new());
    });
}

/// A cell below the second half of a wide glyph is not on the screen, and is written once it is free.
#[test]
fn a_cell_below_a_wide_glyph_appears_when_the_glyph_is_gone() {
    let mut watched = Watched::new((30, 1));
    watched.frame("the glyph covers a letter", |buf| {
        buf.set_string(0, 0, "画", Style::new());
        buf[(1, 0)].set_symbol("b");
    });
    watched.frame("the letter alone", |buf| {
        buf.set_string(1, 0, "b", Style::new());
    });
}

/// A terminal may draw a wide glyph in the cell before it, if that ends with a joiner.
#[test]
fn a_glyph_that_joins_the_one_before_it_leaves_nothing_behind() {
    let mut watched = Watched::new((30, 1));
    let reversed = Style::new().add_modifier(Modifier::REVERSED);
    watched.frame("reversed", |buf| buf.set_style(buf.area, reversed));
    watched.frame(
        "a joiner without anything to join, and a wide glyph",
        |buf| {
            buf[(3, 0)].set_symbol("ශ\u{dca}\u{200d}");
            buf.set_string(4, 0, "画像", Style::new());
        },
    );
}

/// A text at a place, reversed or not.
type Written = (u16, u16, usize, bool);

proptest! {
    // The usual number is smaller than proptest's.
    #![proptest_config(ProptestConfig::with_cases(rounds(64) as u32))]

    #[test]
    fn any_frame_after_any_other(
        frames in proptest::collection::vec(
            proptest::collection::vec((0u16..30, 0u16..4, 0..ODD.len(), any::<bool>()), 0..6), 1..8)
    ) {
        let mut watched = Watched::new((30, 4));
        for (n, frame) in frames.iter().enumerate() {
            let frame: &Vec<Written> = frame;
            watched.frame(&format!("frame {n} of {frames:?}"), |buf| {
                for (x, y, which, reversed) in frame {
                    let style = if *reversed { Style::new().add_modifier(Modifier::REVERSED) } else { Style::new() };
                    let shown = text::clean(ODD[*which]);
                    let room = usize::from(buf.area.width - x);
                    let area = Rect { x: *x, y: *y, width: room as u16, height: 1 };
                    buf.set_style(area, style);
                    text::draw_marked(buf, (*x, *y), room, &shown, &[], style, style);
                }
            });
        }
    }
}
