//! The sending half of a connection to a client.

use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::SinkExt;
use tokio::net::unix::OwnedWriteHalf;
use tokio::sync::Mutex;
use tokio_util::bytes::{Bytes, BytesMut};
use tokio_util::codec::{Encoder, FramedWrite, LengthDelimitedCodec};

use benchtop_model::Error;
use benchtop_protocol::wire::{FRAME_LIMIT, FromOwner};

/// Codec of both ends.
pub(super) fn codec() -> LengthDelimitedCodec {
    LengthDelimitedCodec::builder()
        .max_frame_length(FRAME_LIMIT)
        .new_codec()
}

pub(super) struct Outgoing {
    sink: Mutex<FramedWrite<OwnedWriteHalf, LengthDelimitedCodec>>,
    /// Number of receipts that wait for the session of the connection.
    pub(super) waiting: AtomicUsize,
}

/// What became of a message that was to be sent at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SentNow {
    Whole,
    /// The session must [`flush`](Outgoing::flush) the rest.
    Part,
    /// The session must send it.
    Nothing,
}

impl Outgoing {
    pub(super) fn new(write: OwnedWriteHalf) -> Outgoing {
        Outgoing {
            sink: Mutex::new(FramedWrite::new(write, codec())),
            waiting: AtomicUsize::new(0),
        }
    }

    /// Sends a message from any thread, without waiting and without waking the session, unless others
    /// are before it. Waking the session takes as long as a third of a sync of the journal.
    pub(super) fn send_now(&self, message: &FromOwner) -> SentNow {
        let Ok(mut sink) = self.sink.try_lock() else {
            return SentNow::Nothing;
        };
        if self.waiting.load(Ordering::SeqCst) > 0 || !sink.write_buffer().is_empty() {
            return SentNow::Nothing;
        }
        let mut frame = BytesMut::new();
        let bytes = encode(message).map(Bytes::from);
        if bytes.is_none_or(|bytes| codec().encode(bytes, &mut frame).is_err()) {
            return SentNow::Nothing;
        }
        match sink.get_ref().try_write(&frame) {
            Ok(n) if n == frame.len() => SentNow::Whole,
            Ok(n) if n > 0 => {
                sink.write_buffer_mut()
                    .extend_from_slice(frame.get(n..).unwrap_or_default());
                SentNow::Part
            }
            // Its buffer is full, or the client is gone, which the session finds out.
            Ok(_) | Err(_) => SentNow::Nothing,
        }
    }

    /// Sends messages in one write. Returns `false` if the client is gone.
    pub(super) async fn send(&self, messages: &[FromOwner]) -> bool {
        let mut sink = self.sink.lock().await;
        for message in messages {
            let Some(bytes) = encode(message).or_else(|| too_large(message)) else {
                return false;
            };
            if sink.feed(Bytes::from(bytes)).await.is_err() {
                return false;
            }
        }
        SinkExt::<Bytes>::flush(&mut *sink).await.is_ok()
    }
}

fn encode(message: &FromOwner) -> Option<Vec<u8>> {
    postcard::to_stdvec(message)
        .ok()
        .filter(|b| b.len() <= FRAME_LIMIT)
}

/// An error in place of a reply that is too large for a frame.
fn too_large(message: &FromOwner) -> Option<Vec<u8>> {
    let FromOwner::Reply(number, _) = message else {
        return None;
    };
    let problem = Error::input("the reply is larger than a frame").help("request less at once");
    encode(&FromOwner::Reply(*number, Box::new(Err(problem))))
}

#[cfg(test)]
mod tests {
    use futures_util::StreamExt as _;
    use tokio::net::UnixStream;
    use tokio_util::codec::FramedRead;

    use super::*;

    fn message(number: u64) -> FromOwner {
        let problem = Error::failed("x".repeat(300));
        FromOwner::Reply(number, Box::new(Err(problem)))
    }

    fn frame(number: u64) -> BytesMut {
        let mut frame = BytesMut::new();
        let bytes = Bytes::from(encode(&message(number)).unwrap());
        codec().encode(bytes, &mut frame).unwrap();
        frame
    }

    fn number(frame: &[u8]) -> u64 {
        match postcard::from_bytes(frame).unwrap() {
            FromOwner::Reply(number, _) => number,
            other => panic!("{other:?}"),
        }
    }

    #[tokio::test]
    async fn messages_arrive_whole_and_in_order_however_they_were_sent() {
        let (own, other) = UnixStream::pair().unwrap();
        let outgoing = Outgoing::new(own.into_split().1);
        assert!(outgoing.send(&[message(0)]).await);
        // The client reads nothing until the socket is full.
        let mut next = 1;
        while outgoing.send_now(&message(next)) == SentNow::Whole {
            next += 1;
        }
        assert!(next > 10, "{next}");
        let part = outgoing.send_now(&message(next));
        if part == SentNow::Part {
            next += 1;
        }
        assert_eq!(outgoing.send_now(&message(next)), SentNow::Nothing);
        let mut source = FramedRead::new(other, codec());
        let last = next + 2;
        let rest: Vec<FromOwner> = (next..last).map(message).collect();
        let read = async {
            for expected in 0..last {
                let frame = source.next().await.unwrap().unwrap();
                assert_eq!(number(&frame), expected);
            }
        };
        let (sent, ()) = tokio::join!(outgoing.send(&rest), read);
        assert!(sent);
        // Receipts that wait for the session are not overtaken, although the socket is empty.
        outgoing.waiting.store(1, Ordering::SeqCst);
        assert_eq!(outgoing.send_now(&message(last)), SentNow::Nothing);
        outgoing.waiting.store(0, Ordering::SeqCst);
        assert_eq!(outgoing.send_now(&message(last)), SentNow::Whole);
        drop(source);
        assert_eq!(outgoing.send_now(&message(last + 1)), SentNow::Nothing);
        assert!(!outgoing.send(&[message(last + 1)]).await);
    }

    #[tokio::test]
    async fn the_rest_of_a_message_is_sent_by_the_next_flush() {
        let (own, other) = UnixStream::pair().unwrap();
        let outgoing = Outgoing::new(own.into_split().1);
        assert!(outgoing.send(&[message(0)]).await);
        outgoing
            .sink
            .lock()
            .await
            .write_buffer_mut()
            .extend_from_slice(&frame(1));
        assert_eq!(outgoing.send_now(&message(2)), SentNow::Nothing);
        assert!(outgoing.send(&[]).await);
        let mut source = FramedRead::new(other, codec());
        for expected in 0..2 {
            let frame = source.next().await.unwrap().unwrap();
            assert_eq!(number(&frame), expected);
        }
    }
}
