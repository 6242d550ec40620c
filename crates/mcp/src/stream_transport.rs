//! The protocol over two streams, one message per line. Serving starts with the client's first
//! request; arrivals of requests and deliveries of answers are tracked.
//!
//! Requests in flight are bounded. Beyond the bounds, requests are queued, while cancellations and
//! answers to questions still pass. If the client does not read its responses, its input is not
//! read either.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use foveal_tools::session::LogicalClock;
use rmcp::RoleServer;
use rmcp::model::{ClientNotification, GetExtensions, JsonRpcMessage, RequestId};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _};
use tokio::sync::Mutex;
use tokio::time::Instant;

use crate::delivery_tracker::DeliveryTracker;
use crate::in_flight_requests::InFlightRequests;
use crate::line_reader::{BoundedLineReader, InputLine};
use crate::message::{JsonRpcRefusal, ParsedMessage, parse_message};

/// Messages in the queue.
const QUEUED_MESSAGES_MAX: usize = 256;

/// Bytes of the queued messages.
const QUEUED_BYTES_MAX: usize = 32 << 20;

/// How long a full queue may make no progress before further requests are refused. Until then,
/// input is not read (backpressure).
const QUEUE_FULL_TIMEOUT: Duration = Duration::from_secs(1);

/// How long queued messages may wait after the end of the input.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(5);

/// How long closing waits for a write in progress.
const CLOSE_TIMEOUT: Duration = Duration::from_millis(200);

/// A transport of the MCP SDK over an input and an output stream.
pub(crate) struct StreamTransport<R, W> {
    line_reader: BoundedLineReader<R>,
    output: Arc<Mutex<W>>,
    logical_clock: Arc<LogicalClock>,
    in_flight: InFlightRequests,
    queue: VecDeque<QueuedMessage>,
    queued_bytes: usize,
    /// When the queue became full, if it has made no progress since.
    queue_full_since: Option<Instant>,
    /// Whether the client's first request has arrived.
    has_first_request: bool,
    has_input_ended: bool,
}

/// A queued message.
struct QueuedMessage {
    message: RxJsonRpcMessage<RoleServer>,
    tracker: Option<DeliveryTracker>,
    bytes: usize,
}

impl QueuedMessage {
    fn id(&self) -> Option<&RequestId> {
        match &self.message {
            JsonRpcMessage::Request(request) => Some(&request.id),
            _ => None,
        }
    }
}

impl<R, W> StreamTransport<R, W>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    pub(crate) fn new(input: R, output: W, arrivals: &Arc<LogicalClock>) -> Self {
        Self {
            line_reader: BoundedLineReader::new(input),
            output: Arc::new(Mutex::new(output)),
            logical_clock: Arc::clone(arrivals),
            in_flight: InFlightRequests::default(),
            queue: VecDeque::new(),
            queued_bytes: 0,
            queue_full_since: None,
            has_first_request: false,
            has_input_ended: false,
        }
    }

    fn is_queue_full(&self) -> bool {
        self.queue.len() >= QUEUED_MESSAGES_MAX || self.queued_bytes >= QUEUED_BYTES_MAX
    }

    /// Takes the next queued message if there is capacity for it.
    fn pop_queued(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        if !self.in_flight.has_capacity() {
            return None;
        }
        let QueuedMessage { mut message, tracker: passage, bytes } = self.queue.pop_front()?;
        self.queued_bytes -= bytes;
        self.queue_full_since = None;
        if let (JsonRpcMessage::Request(request), Some(passage)) = (&mut message, passage) {
            request.request.extensions_mut().insert(passage.clone());
            self.in_flight.add_request(request.id.clone(), passage, bytes);
        }
        Some(message)
    }

    /// Handles an input line. Returns a message that bypasses the queue, if it is one.
    fn accept_line(&mut self, line: InputLine) -> Option<RxJsonRpcMessage<RoleServer>> {
        let (message, bytes) = match line {
            InputLine::TooLong => return self.send_refusal(JsonRpcRefusal::too_long()),
            InputLine::Complete(line) => match parse_message(&line) {
                ParsedMessage::Message(message) => (*message, line.len()),
                ParsedMessage::Ignored => return None,
                ParsedMessage::Refused(refusal) => return self.send_refusal(refusal),
            },
        };
        // Before the first request there is nothing to answer, so that a stray message is no reason
        // to end.
        self.has_first_request |= matches!(message, JsonRpcMessage::Request(_));
        if !self.has_first_request {
            return None;
        }
        match &message {
            JsonRpcMessage::Request(request) => {
                let id = &request.id;
                let waits = self.queue.iter().any(|waiting| waiting.id() == Some(id));
                if waits || self.in_flight.contains(id) {
                    return self.send_refusal(JsonRpcRefusal::id_in_use(id.clone()));
                }
                if self.is_queue_full() {
                    return self.send_refusal(JsonRpcRefusal::too_many_requests(id.clone()));
                }
                let passage = Some(DeliveryTracker::new(&self.logical_clock));
                self.enqueue(QueuedMessage { message, tracker: passage, bytes });
                None
            }
            JsonRpcMessage::Notification(notification) => match &notification.notification {
                ClientNotification::CancelledNotification(cancelled) => {
                    let is_known = cancelled.params.request_id.as_ref();
                    is_known.is_none_or(|id| self.cancel_request(id)).then_some(message)
                }
                // Keeps its order relative to the queued requests, if there is room.
                _ if !self.queue.is_empty() && !self.is_queue_full() => {
                    self.enqueue(QueuedMessage { message, tracker: None, bytes });
                    None
                }
                _ => Some(message),
            },
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => Some(message),
        }
    }

    fn enqueue(&mut self, waiting: QueuedMessage) {
        self.queued_bytes += waiting.bytes;
        self.queue.push_back(waiting);
        if self.is_queue_full() {
            self.queue_full_since = Some(Instant::now());
        }
    }

    /// Cancels a request. Returns whether it is in flight or unknown; a queued one is removed.
    fn cancel_request(&mut self, id: &RequestId) -> bool {
        if let Some(at) = self.queue.iter().position(|waiting| waiting.id() == Some(id))
            && let Some(waiting) = self.queue.remove(at)
        {
            self.queued_bytes -= waiting.bytes;
            return false;
        }
        drop(self.in_flight.remove_request(id));
        true
    }

    /// Sends a refusal in the background: a caller that waits for a message may be dropped.
    fn send_refusal<T>(&mut self, refusal: JsonRpcRefusal) -> Option<T> {
        tokio::spawn(self.write_message(&refusal.into_error_response(), None));
        None
    }

    /// Writes a message. If it is an answer, confirms its delivery.
    fn write_message(
        &self,
        message: &TxJsonRpcMessage<RoleServer>,
        answered: Option<DeliveryTracker>,
    ) -> impl Future<Output = io::Result<()>> + Send + use<R, W> {
        let line = serde_json::to_vec(message).map(|mut line| {
            line.push(b'\n');
            line
        });
        let writing = self.in_flight.add_pending_output(line.as_ref().map_or(0, Vec::len));
        let output = Arc::clone(&self.output);
        async move {
            let line = line?;
            let mut output = output.lock().await;
            output.write_all(&line).await?;
            output.flush().await?;
            drop(writing);
            if let Some(delivery) = answered.and_then(|passage| passage.take_delivery()) {
                delivery.confirm();
            }
            Ok(())
        }
    }
}

impl<R, W> Transport<RoleServer> for StreamTransport<R, W>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let answered = match &item {
            JsonRpcMessage::Response(response) => self.in_flight.remove_request(&response.id),
            JsonRpcMessage::Error(error) => {
                error.id.as_ref().and_then(|id| self.in_flight.remove_request(id))
            }
            JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => None,
        };
        self.write_message(&item, answered)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            if let Some(message) = self.pop_queued() {
                return Some(message);
            }
            if self.has_input_ended {
                if self.queue.is_empty() {
                    return None;
                }
                let changed =
                    tokio::time::timeout(DRAIN_TIMEOUT, self.in_flight.capacity_changed());
                if changed.await.is_err() {
                    return None;
                }
                continue;
            }
            // A slow client may still send: its message may be the answer that others wait for.
            let is_full = self.is_queue_full();
            let full_until =
                self.queue_full_since.filter(|_| is_full).map(|since| since + QUEUE_FULL_TIMEOUT);
            let is_due = full_until.is_none_or(|until| Instant::now() >= until);
            let hears = !self.in_flight.is_client_stalled()
                && is_due
                && (!is_full || self.in_flight.is_client_reading());
            let wait = full_until.unwrap_or_else(Instant::now);
            tokio::select! {
                line = self.line_reader.read_line(), if hears => match line {
                    Ok(Some(line)) => {
                        if let Some(message) = self.accept_line(line) {
                            return Some(message);
                        }
                    }
                    Ok(None) | Err(_) => self.has_input_ended = true,
                },
                () = self.in_flight.capacity_changed() => {}
                () = tokio::time::sleep_until(wait), if !is_due => {}
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        // A write that the client does not read is not awaited.
        let output = tokio::time::timeout(CLOSE_TIMEOUT, self.output.lock()).await;
        match output {
            Ok(mut output) => output.shutdown().await,
            Err(_) => Ok(()),
        }
    }
}
