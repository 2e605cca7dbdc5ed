//! Frames: a 4-byte big-endian length and a postcard body.

use std::io::{self, Read, Write};

use serde::Serialize;
use serde::de::DeserializeOwned;

/// Maximum size of a body in bytes. An initial image with its mask takes at most 16 MiB. Any text
/// read as a length gives a larger number, so text that a library prints is detected by its first
/// four bytes.
pub const LIMIT: usize = 64 << 20;

/// An invalid frame.
#[derive(Debug)]
pub enum Broken {
    Io(io::Error),
    /// The pipe ended in the middle of a frame: received and expected number of bytes.
    Torn(usize, usize),
    /// The first four bytes of something that is not a frame.
    NoFrame([u8; 4]),
    /// The body is not the expected value.
    Body(String),
    /// The body of this many bytes exceeds [`LIMIT`].
    TooLarge(usize),
}

impl std::fmt::Display for Broken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Broken::Io(error) => write!(f, "{error}"),
            Broken::Torn(came, of) => write!(f, "the frame is incomplete: {came} of {of} bytes"),
            Broken::NoFrame(bytes) => {
                let shown: String = bytes
                    .iter()
                    .flat_map(|b| b.escape_ascii())
                    .map(char::from)
                    .collect();
                write!(
                    f,
                    "expected a frame, got `{shown}`, which was probably printed by a library"
                )
            }
            Broken::Body(why) => write!(f, "the frame cannot be decoded: {why}"),
            Broken::TooLarge(bytes) => {
                write!(
                    f,
                    "the frame would have {bytes} bytes; the limit is {LIMIT}"
                )
            }
        }
    }
}

/// Encodes a value as a frame.
///
/// # Errors
/// [`Broken::TooLarge`], and [`Broken::Body`] if postcard cannot encode the value.
pub fn encode(value: &impl Serialize) -> Result<Vec<u8>, Broken> {
    let mut frame =
        postcard::to_extend(value, vec![0; 4]).map_err(|e| Broken::Body(e.to_string()))?;
    let length = frame.len() - 4;
    let prefix = u32::try_from(length)
        .ok()
        .filter(|_| length <= LIMIT)
        .ok_or(Broken::TooLarge(length))?;
    if let Some(place) = frame.first_chunk_mut() {
        *place = prefix.to_be_bytes();
    }
    Ok(frame)
}

/// Writes a value as one frame.
pub fn write(out: &mut impl Write, value: &impl Serialize) -> Result<(), Broken> {
    let frame = encode(value)?;
    out.write_all(&frame)
        .and_then(|()| out.flush())
        .map_err(Broken::Io)
}

/// Reads the body of the next frame. `None` if the pipe ends between two frames.
///
/// Memory is allocated only as bytes arrive, so a wrong length does no harm.
pub fn body(input: &mut impl Read) -> Result<Option<Vec<u8>>, Broken> {
    let mut prefix = [0; 4];
    match fill(input, &mut prefix)? {
        0 => return Ok(None),
        4 => {}
        came => return Err(Broken::Torn(came, 4)),
    }
    let length = u32::from_be_bytes(prefix) as usize;
    if length > LIMIT {
        return Err(Broken::NoFrame(prefix));
    }
    let mut body = Vec::new();
    input
        .take(length as u64)
        .read_to_end(&mut body)
        .map_err(Broken::Io)?;
    if body.len() < length {
        return Err(Broken::Torn(4 + body.len(), 4 + length));
    }
    Ok(Some(body))
}

/// Reads bytes until `room` is full or the input ends. Returns the number of bytes.
fn fill(input: &mut impl Read, room: &mut [u8]) -> Result<usize, Broken> {
    let mut came = 0;
    while let Some(rest) = room.get_mut(came..).filter(|rest| !rest.is_empty()) {
        match input.read(rest) {
            Ok(0) => break,
            Ok(n) => came += n,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(Broken::Io(error)),
        }
    }
    Ok(came)
}

/// Decodes a body.
///
/// # Errors
/// [`Broken::Body`] if the body is not exactly one value.
pub fn decode<T: DeserializeOwned>(body: &[u8]) -> Result<T, Broken> {
    match postcard::take_from_bytes(body) {
        Ok((value, [])) => Ok(value),
        Ok((_, rest)) => Err(Broken::Body(format!("{} extra bytes", rest.len()))),
        Err(error) => Err(Broken::Body(error.to_string())),
    }
}

/// Reads one value. `None` if the pipe ends between two frames.
pub fn read<T: DeserializeOwned>(input: &mut impl Read) -> Result<Option<T>, Broken> {
    body(input)?.map(|body| decode(&body)).transpose()
}
