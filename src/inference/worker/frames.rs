//! Frames: a 4-byte big-endian length and a postcard body.

use std::io::{self, Read, Write};

use serde::Serialize;
use serde::de::DeserializeOwned;

/// Largest body in bytes. A start image with its mask at the largest size takes 16 MiB. It is also less than any text
/// taken for a length gives, so that what a library prints is told from a frame by its first four bytes.
pub const LIMIT: usize = 64 << 20;

/// Why there is no frame.
#[derive(Debug)]
pub enum Broken {
    /// The pipe's error.
    Io(io::Error),
    /// The other side ended in the middle of a frame: bytes that came, and that should have.
    Torn(usize, usize),
    /// Something that is no frame began with these bytes.
    NoFrame([u8; 4]),
    /// A body that holds something else than was expected.
    Body(String),
    /// A body of so many bytes is too large to be sent.
    TooLarge(usize),
}

impl std::fmt::Display for Broken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Broken::Io(error) => write!(f, "{error}"),
            Broken::Torn(came, of) => write!(
                f,
                "it ended in the middle of a frame, after {came} of {of} bytes"
            ),
            Broken::NoFrame(bytes) => {
                let shown: String = bytes
                    .iter()
                    .flat_map(|b| b.escape_ascii())
                    .map(char::from)
                    .collect();
                write!(
                    f,
                    "it wrote `{shown}` where a frame should begin: a library that prints, most likely"
                )
            }
            Broken::Body(why) => write!(f, "a frame holds something else than was expected: {why}"),
            Broken::TooLarge(bytes) => {
                write!(f, "it takes {bytes} bytes, and at most {LIMIT} are sent")
            }
        }
    }
}

/// The frame of a value.
///
/// # Errors
/// [`Broken::TooLarge`], and [`Broken::Body`] for what postcard cannot hold.
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
///
/// # Errors
/// As [`encode`], and the pipe's.
pub fn write(out: &mut impl Write, value: &impl Serialize) -> Result<(), Broken> {
    let frame = encode(value)?;
    out.write_all(&frame)
        .and_then(|()| out.flush())
        .map_err(Broken::Io)
}

/// Reads the body of the next frame; none where the other side has ended between two frames.
///
/// # Errors
/// Whatever is no whole frame. Nothing is set aside for a length before its bytes come.
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

/// Reads as many bytes as there is room for, or as come before the end.
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

/// The value of a whole body.
///
/// # Errors
/// [`Broken::Body`] where it is none, or more than one.
pub fn decode<T: DeserializeOwned>(body: &[u8]) -> Result<T, Broken> {
    match postcard::take_from_bytes(body) {
        Ok((value, [])) => Ok(value),
        Ok((_, rest)) => Err(Broken::Body(format!("{} bytes follow it", rest.len()))),
        Err(error) => Err(Broken::Body(error.to_string())),
    }
}

/// Reads one value.
///
/// # Errors
/// As [`body`] and [`decode`].
pub fn read<T: DeserializeOwned>(input: &mut impl Read) -> Result<Option<T>, Broken> {
    body(input)?.map(|body| decode(&body)).transpose()
}
