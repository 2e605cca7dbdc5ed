use proptest::prelude::*;

use super::*;
use crate::terminal::mouse::MouseKind;

fn feed(parser: &mut Parser, bytes: &[u8]) -> Vec<Input> {
    parser.push(bytes, 0)
}

fn all(bytes: &[u8]) -> Vec<Input> {
    let mut parser = Parser::default();
    let mut out = feed(&mut parser, bytes);
    out.extend(parser.timeout(1_000_000));
    out
}

fn plain_key(code: KeyCode) -> Input {
    key(code, KeyModifiers::NONE)
}

fn chars(inputs: &[Input]) -> String {
    inputs
        .iter()
        .filter_map(|i| match i {
            Input::Key(KeyEvent {
                code: KeyCode::Char(c),
                ..
            }) => Some(*c),
            _ => None,
        })
        .collect()
}

fn mouse(kind: MouseKind, column: u16, row: u16) -> Vec<Input> {
    let at = (column, row);
    vec![Input::Mouse(Mouse { kind, at })]
}

/// Every kind of sequence a terminal sends, and its meaning.
fn vocabulary() -> Vec<(&'static [u8], Vec<Input>)> {
    use KeyCode::*;
    let with = |code, modifiers| vec![key(code, modifiers)];
    let reply = |r| vec![Input::Reply(r)];
    vec![
        (b"a", vec![plain_key(Char('a'))]),
        (b"U", vec![plain_key(Char('U'))]),
        (b"[", vec![plain_key(Char('['))]),
        (b"\xc3\xa9", vec![plain_key(Char('é'))]),
        ("図".as_bytes(), vec![plain_key(Char('図'))]),
        ("😀".as_bytes(), vec![plain_key(Char('😀'))]),
        (b"\r", vec![plain_key(Enter)]),
        (b"\x7f", vec![plain_key(Backspace)]),
        (b"\x03", with(Char('c'), KeyModifiers::CONTROL)),
        (b"\x1bx", with(Char('x'), KeyModifiers::ALT)),
        (b"\x1b[A", vec![plain_key(Up)]),
        (b"\x1bOB", vec![plain_key(Down)]),
        (b"\x1b[1;5A", with(Up, KeyModifiers::CONTROL)),
        (b"\x1b[1;2H", with(Home, KeyModifiers::SHIFT)),
        (b"\x1b[5~", vec![plain_key(PageUp)]),
        (b"\x1b[6;3~", with(PageDown, KeyModifiers::ALT)),
        (b"\x1bOP", vec![plain_key(F(1))]),
        (b"\x1b[15~", vec![plain_key(F(5))]),
        (b"\x1b[24~", vec![plain_key(F(12))]),
        (b"\x1b[[C", vec![plain_key(F(3))]),
        (b"\x1b[Z", with(BackTab, KeyModifiers::SHIFT)),
        (b"\x1b[97;5u", with(Char('a'), KeyModifiers::CONTROL)),
        (b"\x1b[27;5;105~", with(Char('i'), KeyModifiers::CONTROL)),
        (b"\x1b[I", vec![Input::Focus(true)]),
        (
            b"\x1b[200~x\x1b[Ay\r\xc3\xa9\x1b[201~",
            vec![Input::Paste("x\x1b[Ay\né".into())],
        ),
        (b"\x1b[M !!", vec![]),
        (b"\x1b[<0;10;20M", mouse(MouseKind::Press, 9, 19)),
        (b"\x1b[<32;300;20M", mouse(MouseKind::Drag, 299, 19)),
        (b"\x1b[<0;1;1m", mouse(MouseKind::Release, 0, 0)),
        (b"\x1b[<64;10;20M", mouse(MouseKind::WheelUp, 9, 19)),
        // With control.
        (b"\x1b[<81;10;20M", mouse(MouseKind::WheelDown, 9, 19)),
        // The right button, motion without a button, no place, and places beyond any screen.
        (b"\x1b[<2;10;20M", vec![]),
        (b"\x1b[<35;10;20M", vec![]),
        (b"\x1b[<0;0;20M", vec![]),
        (b"\x1b[<0;10M", vec![]),
        (b"\x1b[<0;99999999;20M", vec![]),
        (b"\x1b[<0;1;2;3M", vec![]),
        (b"\x1b[32;10;20M", vec![]),
        (b"\x1b[0n", reply(Reply::Status)),
        (
            b"\x1b[?64;4;22c",
            reply(Reply::DeviceAttributes(vec![64, 4, 22])),
        ),
        (b"\x1b[6;20;10t", reply(Reply::CellPixels(20, 10))),
        (b"\x1b[4;480;800t", reply(Reply::TextAreaPixels(480, 800))),
        (b"\x1b[12;40R", reply(Reply::CursorPosition(12, 40))),
        (
            b"\x1b[?2026;0$y",
            reply(Reply::Mode {
                mode: 2026,
                state: 0,
            }),
        ),
        (
            b"\x1bP>|XTerm(379)\x1b\\",
            reply(Reply::Version("XTerm(379)".into())),
        ),
        (
            b"\x1b_Gi=31;OK\x1b\\",
            reply(Reply::Kitty {
                id: 31,
                ok: true,
                message: "OK".into(),
            }),
        ),
        (
            b"\x1b]11;rgb:00/80/ff\x07",
            reply(Reply::Background([0, 128, 255])),
        ),
        (
            b"\x1b]11;rgb:0000/8080/ffff\x1b\\",
            reply(Reply::Background([0, 128, 255])),
        ),
        (b"\x1b]10;rgb:00/00/00\x07", reply(Reply::Other)),
    ]
}

#[test]
fn every_sequence_is_parsed() {
    for (bytes, wanted) in vocabulary() {
        assert_eq!(all(bytes), wanted, "{}", bytes.escape_ascii());
    }
}

#[test]
fn a_sequence_split_within_the_guard_is_joined() {
    for (bytes, wanted) in vocabulary() {
        for cut in 1..bytes.len() {
            let mut parser = Parser::default();
            let mut got = parser.push(&bytes[..cut], 0);
            got.extend(parser.push(&bytes[cut..], parser.guard() - 1));
            got.extend(parser.timeout(1_000_000));
            assert_eq!(got, wanted, "{} cut at {cut}", bytes.escape_ascii());
        }
    }
}

#[test]
fn a_sequence_split_beyond_the_guard_never_becomes_letters() {
    for (bytes, _) in vocabulary()
        .into_iter()
        .filter(|(b, _)| b.starts_with(b"\x1b[") || b.starts_with(b"\x1bO"))
    {
        for cut in 1..bytes.len() {
            let mut parser = Parser::default();
            let mut got = parser.push(&bytes[..cut], 0);
            got.extend(parser.push(&bytes[cut..], 300));
            got.extend(parser.timeout(1_000_000));
            assert_eq!(
                chars(&got).replace(['a', 'i'], ""),
                "",
                "{} cut at {cut}: {got:?}",
                bytes.escape_ascii()
            );
        }
    }
}

#[test]
fn a_reply_split_after_its_escape_never_becomes_letters() {
    let answers: [&[u8]; 4] = [
        b"\x1bP>|foot(1.16.2)\x1b\\",
        b"\x1bP>|Alacritty\x1b\\",
        b"\x1b_Gi=31;OK\x1b\\",
        b"\x1b]11;rgb:a/f/x\x07",
    ];
    for bytes in answers {
        for cut in 1..bytes.len() {
            let mut parser = Parser::default();
            let mut got = parser.push(&bytes[..cut], 0);
            got.extend(parser.push(&bytes[cut..], 300));
            got.extend(parser.timeout(1_000_000));
            assert_eq!(
                chars(&got),
                "",
                "{} cut at {cut}: {got:?}",
                bytes.escape_ascii()
            );
        }
    }
}

#[test]
fn a_mouse_report_that_a_slow_line_splits_never_becomes_keys() {
    let report = b"\x1b[<0;15;6M";
    for cut in 1..report.len() {
        for pause in [60, 600, 3_000, 9_000] {
            let mut parser = Parser::default();
            let mut got = parser.push(&report[..cut], 0);
            // Nobody waits for a late byte: what is due is resolved before it comes.
            while let Some(due) = parser.deadline().filter(|due| *due < pause) {
                got.extend(parser.timeout(due));
            }
            got.extend(parser.push(&report[cut..], pause));
            got.retain(|input| *input != plain_key(KeyCode::Esc));
            let whole = got == mouse(MouseKind::Press, 14, 5);
            assert!(whole || got.is_empty(), "cut at {cut}, {pause} ms: {got:?}");
            assert!(whole || cut < 3, "cut at {cut}, {pause} ms");
            // Later keys and reports work.
            let after = parser.push(b"j\x1b[<0;15;6M", pause + 20_000);
            assert_eq!(after[0], plain_key(KeyCode::Char('j')));
            assert_eq!(after[1..], mouse(MouseKind::Press, 14, 5));
        }
    }
}

#[test]
fn a_lone_escape_is_a_key_only_after_the_guard() {
    let mut parser = Parser::new(40);
    assert_eq!(parser.push(b"\x1b", 100), []);
    assert_eq!(parser.deadline(), Some(140));
    assert_eq!(parser.timeout(139), []);
    assert_eq!(parser.timeout(140), [plain_key(KeyCode::Esc)]);
    assert_eq!(parser.deadline(), None);
    // The bracket key may then be a real key.
    assert_eq!(parser.push(b"[", 400), []);
    assert_eq!(
        (parser.deadline(), chars(&parser.timeout(550))),
        (Some(550), "[".into())
    );
    // Followed at once by other keys.
    parser.push(b"\x1b", 1_000);
    assert_eq!(parser.timeout(1_100), [plain_key(KeyCode::Esc)]);
    assert_eq!(parser.push(b"]", 1_110), []);
    assert_eq!(chars(&parser.push(b"a", 1_120)), "]a");
}

#[test]
fn sequences_byte_by_byte_with_pauses_never_become_letters() {
    let answers: [&[u8]; 4] = [
        b"\x1bP>|foot(1.16.2)\x1b\\",
        b"\x1b_Gi=31;OK\x1b\\",
        b"\x1b[?62;22c",
        b"\x1b]11;rgb:a/f/x\x07",
    ];
    let keys = vocabulary().into_iter().map(|(bytes, _)| bytes.to_vec());
    let keys = keys
        .filter(|b| b.starts_with(b"\x1b[") || b.starts_with(b"\x1bO"))
        .filter(|b| !b.starts_with(b"\x1b[2") && !b.ends_with(b"u"));
    for bytes in answers.into_iter().map(<[u8]>::to_vec).chain(keys) {
        for pause in [20, 60, 120] {
            let mut parser = Parser::default();
            let mut got = Vec::new();
            for (n, byte) in bytes.iter().enumerate() {
                got.extend(parser.push(&[*byte], n as u64 * pause));
            }
            got.extend(parser.timeout(1_000_000));
            assert_eq!(
                chars(&got),
                "",
                "{} {pause} ms apart: {got:?}",
                bytes.escape_ascii()
            );
        }
    }
}

#[test]
fn an_unfinished_sequence_is_dropped_and_later_keys_work() {
    let mut parser = Parser::default();
    assert_eq!(parser.push(b"\x1b[1;", 0), []);
    assert_eq!(parser.timeout(499), []);
    assert_eq!(parser.timeout(500), []);
    assert_eq!(chars(&parser.push(b"a", 501)), "a");
}

#[test]
fn a_late_kitty_reply_among_keys_leaves_only_the_keys() {
    assert_eq!(
        chars(&all(b"j\x1b_Gi=31;OK\x1b\\k\x1bP>|kitty(0.26)\x1b\\l")),
        "jkl"
    );
}

#[test]
fn an_unterminated_string_holds_keys_for_at_most_two_seconds() {
    let mut parser = Parser::default();
    parser.push(b"\x1b_Gi=31;", 0);
    let mut typed = String::new();
    for at in (100..3_000).step_by(100) {
        typed.push_str(&chars(&parser.push(b"j", at)));
    }
    assert_eq!(typed.len(), 10, "the keys from 2000 on");
}

#[test]
fn an_endless_string_is_bounded_and_swallowed() {
    let mut parser = Parser::default();
    for _ in 0..64 {
        assert_eq!(parser.push(&[b'x'; 4096], 0).len(), 4096);
    }
    parser.push(b"\x1bP", 0);
    for _ in 0..64 {
        assert_eq!(parser.push(&[b'x'; 4096], 0), []);
        assert!(parser.pending.len() <= MAX_SEQUENCE);
    }
    assert_eq!(chars(&parser.push(b"\x1b\\a", 0)), "a");
}

#[test]
fn a_long_paste_is_truncated() {
    let mut parser = Parser::default();
    parser.push(b"\x1b[200~", 0);
    for _ in 0..300 {
        assert_eq!(parser.push(&[b'x'; 4096], 0), []);
    }
    let got = parser.push(b"\x1b[201~a", 0);
    assert!(matches!(&got[..], [Input::Paste(text), Input::Key(_)] if text.len() == MAX_PASTE));
}

#[test]
fn invalid_utf8_is_no_key() {
    assert_eq!(all(b"\xff\xfe\x80"), []);
    assert_eq!(chars(&all(b"\xe5\x9bA")), "A");
}

proptest! {
    #[test]
    fn any_split_gives_the_same_inputs(
        words in proptest::collection::vec(0..vocabulary().len(), 1..12),
        cuts in proptest::collection::vec(0usize..400, 0..12),
    ) {
        let vocabulary = vocabulary();
        let bytes: Vec<u8> = words.iter().flat_map(|w| vocabulary[*w].0.iter().copied()).collect();
        let wanted: Vec<Input> = words.iter().flat_map(|w| vocabulary[*w].1.clone()).collect();
        let mut cuts: Vec<usize> = cuts.into_iter().map(|c| c % (bytes.len() + 1)).collect();
        cuts.push(bytes.len());
        cuts.sort_unstable();
        let mut parser = Parser::default();
        let mut got = Vec::new();
        let mut from = 0;
        for (i, to) in cuts.into_iter().enumerate() {
            got.extend(parser.push(&bytes[from..to], i as u64));
            from = to;
        }
        prop_assert_eq!(got, wanted);
    }

    #[test]
    fn arbitrary_bytes_parse_the_same_however_split(bytes in proptest::collection::vec(any::<u8>(), 0..200), cut in 0usize..200) {
        let cut = cut.min(bytes.len());
        let mut parser = Parser::default();
        let mut got = parser.push(&bytes[..cut], 0);
        got.extend(parser.push(&bytes[cut..], 1));
        got.extend(parser.timeout(1_000_000));
        prop_assert_eq!(got, all(&bytes));
    }
}
