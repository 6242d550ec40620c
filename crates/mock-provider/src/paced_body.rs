//! The body of an answer as a sequence of events: bytes, pauses and faults.

use std::collections::VecDeque;
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use hyper::body::{Body, Bytes, Frame, SizeHint};
use tokio::time::{Sleep, sleep};

use crate::connection_tap::ConnectionTap;
use crate::received_request::DeliveryReporter;
use crate::scripted_fault::ScriptedFault;

/// The time for written bytes to be sent before the connection is reset.
const RESET_DELAY: Duration = Duration::from_millis(20);

/// One event of a body.
#[derive(Debug)]
pub(crate) enum BodyEvent {
    Bytes(Bytes),
    Pause(Duration),
    Reset,
    Silence,
    /// Sends these bytes after each pause, without end.
    Repeat(Duration, Bytes),
}

/// Returns the events of a body with one part per stream event, changed by `fault`.
pub(crate) fn body_events(
    parts: &[Vec<u8>],
    fault: ScriptedFault,
    error_event: Vec<u8>,
    keep_alive: Vec<u8>,
) -> VecDeque<BodyEvent> {
    let count = parts.len();
    let bytes = |part: Vec<u8>| BodyEvent::Bytes(Bytes::from(part));
    let take = |at: usize| parts.iter().take(at.min(count)).cloned().map(bytes);
    let mut pieces: VecDeque<BodyEvent> = match fault {
        ScriptedFault::ResetBeforeHead | ScriptedFault::ResetAfterHead => VecDeque::new(),
        ScriptedFault::ResetInEvent(at)
        | ScriptedFault::TruncatedBefore(at)
        | ScriptedFault::ErrorEvent(at)
        | ScriptedFault::SilentBefore(at)
        | ScriptedFault::EndlessKeepAlives { before: at, .. } => take(at).collect(),
        ScriptedFault::Slow { bytes: size, pause } => {
            let all = parts.concat();
            let slow = all.chunks(size.max(1)).map(|chunk| bytes(chunk.to_vec()));
            slow.flat_map(|chunk| [BodyEvent::Pause(pause), chunk]).collect()
        }
        ScriptedFault::None | ScriptedFault::DelayedHead(_) | ScriptedFault::Status { .. } => {
            take(count).collect()
        }
    };
    match fault {
        ScriptedFault::ResetAfterHead => {
            pieces.extend([BodyEvent::Pause(RESET_DELAY), BodyEvent::Reset]);
        }
        ScriptedFault::ResetInEvent(at) => {
            if let Some(part) = parts.get(at) {
                pieces.push_back(bytes(part[..part.len() / 2].to_vec()));
            }
            pieces.extend([BodyEvent::Pause(RESET_DELAY), BodyEvent::Reset]);
        }
        ScriptedFault::ErrorEvent(_) => pieces.push_back(bytes(error_event)),
        ScriptedFault::SilentBefore(_) => pieces.push_back(BodyEvent::Silence),
        ScriptedFault::EndlessKeepAlives { pause, .. } => {
            pieces.push_back(BodyEvent::Repeat(pause, Bytes::from(keep_alive)));
        }
        _ => {}
    }
    pieces
}

/// A body that is sent event by event.
#[derive(Debug)]
pub(crate) struct PacedBody {
    pieces: VecDeque<BodyEvent>,
    /// The announced length, if no fault changes it.
    length: Option<u64>,
    sleep: Option<Pin<Box<Sleep>>>,
    connection: ConnectionTap,
    delivery: Option<DeliveryReporter>,
}

impl PacedBody {
    pub(crate) fn new(
        pieces: VecDeque<BodyEvent>,
        length: Option<u64>,
        connection: ConnectionTap,
        delivery: Option<DeliveryReporter>,
    ) -> Self {
        PacedBody { pieces, length, sleep: None, connection, delivery }
    }

    /// Creates a body that is complete at once.
    pub(crate) fn from_bytes(
        bytes: Vec<u8>,
        wire: ConnectionTap,
        tell: Option<DeliveryReporter>,
    ) -> Self {
        let length = Some(bytes.len() as u64);
        PacedBody::new(VecDeque::from([BodyEvent::Bytes(Bytes::from(bytes))]), length, wire, tell)
    }

    fn report_sent(&self) {
        if let Some(tell) = &self.delivery {
            tell.mark_delivered();
        }
    }

    /// Returns whether the pause is over.
    fn is_pause_over(&mut self, pause: Duration, context: &mut Context<'_>) -> bool {
        let sleep = self.sleep.get_or_insert_with(|| Box::pin(sleep(pause)));
        let is_over = sleep.as_mut().poll(context).is_ready();
        if is_over {
            self.sleep = None;
        }
        is_over
    }
}

impl Body for PacedBody {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        loop {
            let Some(piece) = self.pieces.pop_front() else {
                self.report_sent();
                return Poll::Ready(None);
            };
            match piece {
                BodyEvent::Bytes(bytes) if bytes.is_empty() => {}
                BodyEvent::Bytes(bytes) => {
                    // With an announced length, hyper does not poll for the end after the last
                    // byte.
                    if self.pieces.is_empty() && self.length.is_some() {
                        self.report_sent();
                    }
                    return Poll::Ready(Some(Ok(Frame::data(bytes))));
                }
                BodyEvent::Pause(pause) => {
                    if !self.is_pause_over(pause, context) {
                        self.pieces.push_front(BodyEvent::Pause(pause));
                        return Poll::Pending;
                    }
                }
                BodyEvent::Reset => {
                    self.report_sent();
                    self.connection.request_reset();
                    return Poll::Ready(Some(Err(io::ErrorKind::ConnectionReset.into())));
                }
                BodyEvent::Silence => {
                    self.pieces.push_front(BodyEvent::Silence);
                    return Poll::Pending;
                }
                BodyEvent::Repeat(pause, bytes) => {
                    let is_over = self.is_pause_over(pause, context);
                    self.pieces.push_front(BodyEvent::Repeat(pause, bytes.clone()));
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
