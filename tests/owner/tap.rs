//! A connection to the owner that records every frame.

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;

use benchtop::model::Error;
use benchtop::protocol::wire::{
    AnyReply, AnyRequest, FromOwner, Hello, MAGIC, PROTOCOL, Request, ToOwner,
};

use crate::support::{Bench, PATIENCE};

/// Ann's own connection, of which every frame is kept.
pub(super) struct Tap {
    stream: UnixStream,
    pub(super) frames: Vec<String>,
    asked: u64,
}

impl Tap {
    pub(super) fn new(bench: &Bench) -> Tap {
        let stream = UnixStream::connect(bench.root().join(".owner/socket")).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let mut tap = Tap {
            stream,
            frames: Vec::new(),
            asked: 0,
        };
        let hello = Hello {
            magic: MAGIC,
            protocol: PROTOCOL,
            version: "test".into(),
            who: "ann".into(),
        };
        tap.say(&ToOwner::Hello(hello));
        assert!(matches!(tap.hear(), FromOwner::Welcome(_)));
        tap
    }

    fn say(&mut self, message: &ToOwner) {
        let body = postcard::to_stdvec(message).unwrap();
        self.stream
            .write_all(&[&(body.len() as u32).to_be_bytes(), body.as_slice()].concat())
            .unwrap();
    }

    fn hear(&mut self) -> FromOwner {
        let mut length = [0; 4];
        self.stream.read_exact(&mut length).unwrap();
        let mut body = vec![0; u32::from_be_bytes(length) as usize];
        self.stream.read_exact(&mut body).unwrap();
        let message = postcard::from_bytes(&body).unwrap();
        self.frames.push(format!("{message:?}"));
        message
    }

    pub(super) fn ask<R: Request>(&mut self, ask: R) -> Result<R::Reply, Error> {
        self.any(ask.into()).and_then(R::reply)
    }

    pub(super) fn any(&mut self, ask: AnyRequest) -> Result<AnyReply, Error> {
        self.asked += 1;
        let number = self.asked;
        self.say(&ToOwner::Request(number, ask));
        loop {
            if let FromOwner::Reply(of, answer) = self.hear()
                && of == number
                && !answer.as_ref().as_ref().is_ok_and(AnyReply::is_partial)
            {
                return *answer;
            }
        }
    }
}
