//! A stream that goes on with other answers.

use std::time::Duration;

use foveal_wire::response::RoundStream;
use http_body_util::BodyExt;
use hyper::Response;
use hyper::body::{Bytes, Incoming};

use super::channel::{self, Part, Writing};
use super::next::{can_be_read, drain, streams};
use super::rounds::{After, Rounds};
use crate::body::{self, Broken, Passed};
use crate::decoding::Decoding;
use crate::exchange::End;
use crate::told::Told;

/// How long is waited for what an upstream says in place of an answer.
const ERROR_PATIENCE: Duration = Duration::from_secs(10);

impl Rounds {
    /// The answer's body: its own events, and those of the answers behind it.
    pub(crate) fn stream(self: Box<Self>, first: (Incoming, Decoding), told: Told) -> Passed {
        let (writing, written) = channel::channel();
        let stream = RoundStream::new(self.offering.asked.protocol);
        let course = Course { rounds: *self, stream, writing, told };
        tokio::spawn(course.run(first));
        body::coming(written)
    }
}

/// A stream while it runs.
struct Course {
    rounds: Rounds,
    stream: RoundStream,
    writing: Writing,
    told: Told,
}

/// Why a stream is over.
enum Over {
    /// As the upstream ended it.
    Ended,
    /// The upstream broke off, or an event is too long to be read.
    Broken(Broken),
    /// Nobody reads any longer.
    Left,
    /// The answer cannot go on: this event says so.
    Failed(Vec<u8>),
}

impl Course {
    async fn run(mut self, first: (Incoming, Decoding)) {
        let over = self.pass(first).await;
        let mut rest = Vec::new();
        let shown = match over {
            Over::Ended => self.stream.shown(),
            // The client may go on with a part of it.
            Over::Left | Over::Failed(_) | Over::Broken(_) => Vec::new(),
        };
        self.rounds.keep_first(shown).await;
        let end = match over {
            Over::Left => End::ClientLeft,
            Over::Ended => {
                self.stream.finish(&mut rest);
                self.write_last(rest).await.err().map_or(End::Whole, |()| End::ClientLeft)
            }
            Over::Failed(event) => {
                self.count_held();
                self.write_last(event).await.err().map_or(End::UpstreamBroke, |()| End::ClientLeft)
            }
            Over::Broken(error) => {
                self.count_held();
                drop(self.writing.send(Part::Broken(error)).await);
                End::UpstreamBroke
            }
        };
        self.told.tell(end);
    }

    /// What was billed for a turn counts, though the client does not see its end.
    fn count_held(&mut self) {
        let mut held = Vec::new();
        self.stream.release(false, &mut held);
        self.told.passed(&held);
    }

    /// Passes what comes, until it is over.
    async fn pass(&mut self, (mut body, mut decoding): (Incoming, Decoding)) -> Over {
        loop {
            let frame = {
                let closed = self.writing.closed();
                tokio::pin!(closed);
                tokio::select! {
                    () = &mut closed => return Over::Left,
                    frame = body.frame() => frame,
                }
            };
            let mut out = Vec::new();
            let is_last = frame.is_none();
            match frame {
                None if !decoding.is_whole() => {
                    return Over::Broken("the upstream's answer broke off in its encoding".into());
                }
                None => self.stream.close(&mut out),
                Some(Err(error)) => return Over::Broken(error.into()),
                Some(Ok(frame)) => {
                    let part = frame.into_data().unwrap_or_default();
                    decoding.push(&part, |plain| self.stream.push(plain, &mut out));
                    if matches!(decoding, Decoding::Unreadable) {
                        return Over::Broken("the upstream's answer cannot be decoded".into());
                    }
                }
            }
            if self.stream.is_too_long() {
                return Over::Broken("an event is longer than foveal reads".into());
            }
            if self.write(out).await.is_err() {
                return Over::Left;
            }
            match self.go_on().await {
                Ok(None) if is_last => return Over::Ended,
                Ok(None) => {}
                Ok(Some(response)) => {
                    self.stream.next();
                    self.told.exchange().rounds += 1;
                    let other = (Decoding::of(response.headers()), response.into_body());
                    decoding = other.0;
                    drain(std::mem::replace(&mut body, other.1));
                }
                Err(over) => return over,
            }
        }
    }

    /// Where a turn has ended: the next answer, if there is to be one.
    async fn go_on(&mut self) -> Result<Option<Response<Incoming>>, Over> {
        let Some(turn) = self.stream.ended() else { return Ok(None) };
        match self.rounds.after(turn).await {
            After::Over { ends } => {
                let mut out = Vec::new();
                self.stream.release(ends, &mut out);
                self.write(out).await.map_err(|()| Over::Left)?;
                Ok(None)
            }
            After::Failed(why) => Err(Over::Failed(self.error("api_error", why))),
            After::Ask(body) => {
                let asked = {
                    let closed = self.writing.closed();
                    tokio::pin!(closed);
                    tokio::select! {
                        () = &mut closed => return Err(Over::Left),
                        asked = self.rounds.next.ask(body) => asked,
                    }
                };
                match asked {
                    Err(error) => Err(Over::Failed(self.error("api_error", &error.to_string()))),
                    Ok(response) if can_be_read(&response) && streams(response.headers()) => {
                        Ok(Some(response))
                    }
                    Ok(response) => {
                        let closed = self.writing.closed();
                        tokio::pin!(closed);
                        tokio::select! {
                            () = &mut closed => Err(Over::Left),
                            refused = self.refused(response) => Err(Over::Failed(refused)),
                        }
                    }
                }
            }
        }
    }

    /// What an upstream said in place of an answer, as an event.
    async fn refused(&self, response: Response<Incoming>) -> Vec<u8> {
        /// Longer errors are told by their status alone.
        const BYTES_MAX: usize = 64 << 10;
        let status = response.status();
        let body = http_body_util::Limited::new(response.into_body(), BYTES_MAX).collect();
        let body = tokio::time::timeout(ERROR_PATIENCE, body).await;
        let body = body.ok().and_then(Result::ok).map(|body| body.to_bytes()).unwrap_or_default();
        let told: serde_json::Value = serde_json::from_slice(&body).unwrap_or_default();
        let text = |key: &str| told["error"][key].as_str().map(str::to_owned);
        let kind = text("type").or_else(|| text("status"));
        let kind = kind.unwrap_or_else(|| "api_error".to_owned());
        let message = text("message").unwrap_or_else(|| format!("the upstream answered {status}"));
        self.error(&kind, &message)
    }

    fn error(&self, kind: &str, message: &str) -> Vec<u8> {
        RoundStream::error(self.rounds.offering.asked.protocol, kind, message)
    }

    /// Writes what there is, and that it was all.
    async fn write_last(&mut self, out: Vec<u8>) -> Result<(), ()> {
        self.write(out).await?;
        self.writing.send(Part::End).await.map_err(drop)
    }

    /// Writes what there is; an error where nobody reads any longer.
    async fn write(&mut self, out: Vec<u8>) -> Result<(), ()> {
        if out.is_empty() {
            return Ok(());
        }
        self.told.passed(&out);
        self.writing.send(Part::Bytes(Bytes::from(out))).await.map_err(drop)
    }
}
