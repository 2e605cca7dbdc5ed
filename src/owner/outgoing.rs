//! The sending half of a connection to a client, and the queue of its receipts.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use futures_util::SinkExt;
use tokio::net::unix::OwnedWriteHalf;
use tokio::sync::Mutex;
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};
use tokio_util::bytes::{Bytes, BytesMut};
use tokio_util::codec::{Encoder, FramedWrite, LengthDelimitedCodec};

use super::latency::{Latency, Step};
use benchtop_model::Error;
use benchtop_protocol::wire::{FRAME_LIMIT, FromOwner};

/// Codec of both ends.
pub(super) fn codec() -> LengthDelimitedCodec {
    LengthDelimitedCodec::builder()
        .max_frame_length(FRAME_LIMIT)
        .new_codec()
}

/// A receipt that the session of the connection must send.
pub(super) struct QueuedReceipt {
    /// Time of the request.
    asked: Instant,
    /// Time of the acknowledgment.
    given: Instant,
    /// `None` if only its rest must be flushed.
    message: Option<FromOwner>,
}

impl QueuedReceipt {
    fn record(&self, latency: &Latency) {
        latency.record(Step::Send, self.given.elapsed());
        latency.record(Step::Total, self.asked.elapsed());
    }
}

pub(super) struct Outgoing {
    sink: Mutex<FramedWrite<OwnedWriteHalf, LengthDelimitedCodec>>,
    /// Receipts have their own unbounded queue: the writer must neither wait for a client nor lose
    /// a receipt.
    queue: UnboundedSender<QueuedReceipt>,
    /// Number of receipts in the queue.
    waiting: AtomicUsize,
}

/// What became of a message that was to be sent at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SentNow {
    Whole,
    /// Its rest is in the buffer of the sink.
    Part,
    Nothing,
}

impl Outgoing {
    /// The sending half, and the queue that the session must empty.
    pub(super) fn new(write: OwnedWriteHalf) -> (Outgoing, UnboundedReceiver<QueuedReceipt>) {
        let (queue, queued) = mpsc::unbounded_channel();
        let outgoing = Outgoing {
            sink: Mutex::new(FramedWrite::new(write, codec())),
            queue,
            waiting: AtomicUsize::new(0),
        };
        (outgoing, queued)
    }

    /// Sends the receipt of a request that was made at `asked`, or queues it for the session.
    pub(super) fn give(&self, message: FromOwner, asked: Instant, latency: &Latency) {
        let given = Instant::now();
        let sent = self.send_now(&message);
        let receipt = QueuedReceipt {
            asked,
            given,
            message: (sent == SentNow::Nothing).then_some(message),
        };
        if sent == SentNow::Whole {
            return receipt.record(latency);
        }
        self.waiting.fetch_add(1, Ordering::SeqCst);
        // If the client is gone, the decision still counts. The client gets its receipt when it
        // repeats the request.
        let _ = self.queue.send(receipt);
    }

    /// Sends queued receipts. Returns `false` if the client is gone.
    pub(super) async fn send_queued(
        &self,
        mut receipts: Vec<QueuedReceipt>,
        latency: &Latency,
    ) -> bool {
        let messages = receipts.iter_mut().filter_map(|r| r.message.take());
        if !self.send(&messages.collect::<Vec<_>>()).await {
            return false;
        }
        self.waiting.fetch_sub(receipts.len(), Ordering::SeqCst);
        receipts.iter().for_each(|receipt| receipt.record(latency));
        true
    }

    /// Sends a message from any thread, without waiting and without waking the session, unless others
    /// are before it. Waking the session takes as long as a third of a sync of the journal.
    fn send_now(&self, message: &FromOwner) -> SentNow {
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
        let (outgoing, mut queued) = Outgoing::new(own.into_split().1);
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
        let latency = Latency::default();
        (next..last).for_each(|n| outgoing.give(message(n), Instant::now(), &latency));
        let receipts: Vec<_> = std::iter::from_fn(|| queued.try_recv().ok()).collect();
        assert_eq!(receipts.len(), 2);
        let read = async {
            for expected in 0..last {
                let frame = source.next().await.unwrap().unwrap();
                assert_eq!(number(&frame), expected);
            }
        };
        let (sent, ()) = tokio::join!(outgoing.send_queued(receipts, &latency), read);
        assert!(sent);
        // Receipts that wait for the session are not overtaken, although the socket is empty.
        outgoing.waiting.store(1, Ordering::SeqCst);
        assert_eq!(outgoing.send_now(&message(last)), SentNow::Nothing);
        outgoing.waiting.store(0, Ordering::SeqCst);
        outgoing.give(message(last), Instant::now(), &latency);
        assert!(queued.try_recv().is_err(), "it was sent at once");
        let counted = latency.read().into_iter().find(|step| step.step == "send");
        assert_eq!(counted.map(|send| send.count()), Some(3));
        drop(source);
        assert_eq!(outgoing.send_now(&message(last + 1)), SentNow::Nothing);
        assert!(!outgoing.send(&[message(last + 1)]).await);
    }

    #[tokio::test]
    async fn the_rest_of_a_message_is_sent_by_the_next_flush() {
        let (own, other) = UnixStream::pair().unwrap();
        let (outgoing, _queued) = Outgoing::new(own.into_split().1);
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
