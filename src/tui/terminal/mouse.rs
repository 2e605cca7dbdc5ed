//! Mouse reports in SGR form (mode 1006): `ESC [ < BUTTON ; COLUMN ; ROW M`, with `m` on release.

/// Turns reports on: presses, releases, and motion while a button is down (1002), in SGR form.
pub const ON: &[u8] = b"\x1b[?1002h\x1b[?1006h";
/// Turns reports off.
pub const OFF: &[u8] = b"\x1b[?1006l\x1b[?1002l";

/// The bit of motion in a button code.
const MOTION: u16 = 32;
/// The bits of shift, alt, and control.
const MODIFIERS: u16 = 4 + 8 + 16;
/// The button codes of the wheel.
const WHEEL: u16 = 64;

/// What the mouse did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MouseKind {
    /// The left button went down.
    Press,
    /// The mouse moved while the left button was down.
    Drag,
    /// The left button went up.
    Release,
    WheelUp,
    WheelDown,
}

/// A mouse report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mouse {
    pub kind: MouseKind,
    /// Column and row, from 0.
    pub at: (u16, u16),
}

/// A report from its three numbers and its last byte. `None` for other buttons.
pub(super) fn of(numbers: &[u16], last: u8) -> Option<Mouse> {
    let [button, column, row] = *numbers else {
        return None;
    };
    let at = (column.checked_sub(1)?, row.checked_sub(1)?);
    let kind = match (button & !MODIFIERS, last) {
        (WHEEL, b'M') => MouseKind::WheelUp,
        (code, b'M') if code == WHEEL + 1 => MouseKind::WheelDown,
        (0, b'M') => MouseKind::Press,
        (MOTION, b'M') => MouseKind::Drag,
        (0 | MOTION, b'm') => MouseKind::Release,
        _ => return None,
    };
    Some(Mouse { kind, at })
}
