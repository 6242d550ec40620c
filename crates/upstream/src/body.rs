//! The body of an answer: its parts with whatever happens between them.

use std::collections::VecDeque;
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use hyper::body::{Body, Bytes, Frame, SizeHint};
use tokio::time::{Sleep, sleep};

use crate::fault::Fault;
use crate::head::Wire;
use crate::seen::Tell;

/// Time for what was written to be sent before the connection is reset.
const BEFORE_RESET: Duration = Duration::from_millis(20);

/// One thing that happens while a body is sent.
#[derive(Debug)]
pub(crate) enum Piece {
    Bytes(Bytes),
    Pause(Duration),
    Reset,
    Silence,
    /// These bytes after each pause, for ever.
    Repeat(Duration, Bytes),
}

/// The parts of a body, one an event, with what `fault` makes of them.
pub(crate) fn pieces(
    parts: &[Vec<u8>],
    fault: Fault,
    error_event: Vec<u8>,
    keep_alive: Vec<u8>,
) -> VecDeque<Piece> {
    let count = parts.len();
    let bytes = |part: Vec<u8>| Piece::Bytes(Bytes::from(part));
    let take = |at: usize| parts.iter().take(at.min(count)).cloned().map(bytes);
    let mut pieces: VecDeque<Piece> = match fault {
        Fault::ResetBeforeHead | Fault::ResetAfterHead => VecDeque::new(),
        Fault::ResetInEvent(at)
        | Fault::TruncatedBefore(at)
        | Fault::ErrorEvent(at)
        | Fault::Silent(at)
        | Fault::Endless { before: at, .. } => take(at).collect(),
        Fault::Slow { bytes: size, pause } => {
            let all = parts.concat();
            let slow = all.chunks(size.max(1)).map(|chunk| bytes(chunk.to_vec()));
            slow.flat_map(|chunk| [Piece::Pause(pause), chunk]).collect()
        }
        Fault::None | Fault::Late(_) | Fault::Status { .. } => take(count).collect(),
    };
    match fault {
        Fault::ResetAfterHead => pieces.extend([Piece::Pause(BEFORE_RESET), Piece::Reset]),
        Fault::ResetInEvent(at) => {
            if let Some(part) = parts.get(at) {
                pieces.push_back(bytes(part[..part.len() / 2].to_vec()));
            }
            pieces.extend([Piece::Pause(BEFORE_RESET), Piece::Reset]);
        }
        Fault::ErrorEvent(_) => pieces.push_back(bytes(error_event)),
        Fault::Silent(_) => pieces.push_back(Piece::Silence),
        Fault::Endless { pause, .. } => {
            pieces.push_back(Piece::Repeat(pause, Bytes::from(keep_alive)));
        }
        _ => {}
    }
    pieces
}

/// A body that is sent piece by piece.
#[derive(Debug)]
pub(crate) struct Paced {
    pieces: VecDeque<Piece>,
    /// The length that is announced, where nothing goes wrong that would change it.
    length: Option<u64>,
    sleep: Option<Pin<Box<Sleep>>>,
    wire: Wire,
    tell: Option<Tell>,
}

impl Paced {
    pub(crate) fn new(
        pieces: VecDeque<Piece>,
        length: Option<u64>,
        wire: Wire,
        tell: Option<Tell>,
    ) -> Self {
        Paced { pieces, length, sleep: None, wire, tell }
    }

    /// A body that is there at once.
    pub(crate) fn whole(bytes: Vec<u8>, wire: Wire, tell: Option<Tell>) -> Self {
        let length = Some(bytes.len() as u64);
        Paced::new(VecDeque::from([Piece::Bytes(Bytes::from(bytes))]), length, wire, tell)
    }

    fn sent(&self) {
        if let Some(tell) = &self.tell {
            tell.sent();
        }
    }

    /// Whether the pause is over.
    fn has_slept(&mut self, pause: Duration, context: &mut Context<'_>) -> bool {
        let sleep = self.sleep.get_or_insert_with(|| Box::pin(sleep(pause)));
        let is_over = sleep.as_mut().poll(context).is_ready();
        if is_over {
            self.sleep = None;
        }
        is_over
    }
}

impl Body for Paced {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        loop {
            let Some(piece) = self.pieces.pop_front() else {
                self.sent();
                return Poll::Ready(None);
            };
            match piece {
                Piece::Bytes(bytes) if bytes.is_empty() => {}
                Piece::Bytes(bytes) => {
                    // With a length announced, nobody asks for the end behind the last byte.
                    if self.pieces.is_empty() && self.length.is_some() {
                        self.sent();
                    }
                    return Poll::Ready(Some(Ok(Frame::data(bytes))));
                }
                Piece::Pause(pause) => {
                    if !self.has_slept(pause, context) {
                        self.pieces.push_front(Piece::Pause(pause));
                        return Poll::Pending;
                    }
                }
                Piece::Reset => {
                    self.sent();
                    self.wire.reset();
                    return Poll::Ready(Some(Err(io::ErrorKind::ConnectionReset.into())));
                }
                Piece::Silence => {
                    self.pieces.push_front(Piece::Silence);
                    return Poll::Pending;
                }
                Piece::Repeat(pause, bytes) => {
                    let is_over = self.has_slept(pause, context);
                    self.pieces.push_front(Piece::Repeat(pause, bytes.clone()));
                    if !is_over {
                        return Poll::Pending;
                    }
                    return Poll::Ready(Some(Ok(Frame::data(bytes))));
                }
            }
        }
    }

    fn size_hint(&self) -> SizeHint {
        self.length.map_or_else(SizeHint::default, SizeHint::with_exact)
    }
}
