//! The protocol over two streams, a message a line. It begins with the client's first request,
//! and notes when requests arrive and answers are delivered.
//!
//! What is under way is bounded. Where it is too much, requests wait; cancellations and answers
//! to questions still pass. Where the client does not read, it is not read either.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use foveal_tools::session::Arrivals;
use rmcp::RoleServer;
use rmcp::model::{ClientNotification, GetExtensions, JsonRpcMessage, RequestId};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _};
use tokio::sync::Mutex;
use tokio::time::Instant;

use crate::lines::{Line, Lines};
use crate::message::{Parsed, Refusal, parse};
use crate::office::Office;
use crate::passage::Passage;

/// Messages that wait because too much is under way.
const WAITING_MAX: usize = 256;

/// Bytes of those messages.
const WAITING_BYTES_MAX: usize = 32 << 20;

/// How long nothing may be done about what waits before more requests are refused. Until then,
/// what comes faster than it is done stays with the client.
const FULL_PATIENCE: Duration = Duration::from_secs(1);

/// How long messages may wait once the client has said all that it has to say.
const END_PATIENCE: Duration = Duration::from_secs(5);

/// How long the end waits for what is being written.
const CLOSE_PATIENCE: Duration = Duration::from_millis(200);

/// Two streams.
pub(crate) struct Streams<R, W> {
    lines: Lines<R>,
    output: Arc<Mutex<W>>,
    arrivals: Arc<Arrivals>,
    office: Office,
    waiting: VecDeque<Waiting>,
    waiting_bytes: usize,
    /// Since when too much waits and nothing of it is begun.
    full_since: Option<Instant>,
    /// Whether the client's first request has come.
    is_open: bool,
    has_ended: bool,
}

/// A message that waits.
struct Waiting {
    message: RxJsonRpcMessage<RoleServer>,
    passage: Option<Passage>,
    bytes: usize,
}

impl Waiting {
    fn id(&self) -> Option<&RequestId> {
        match &self.message {
            JsonRpcMessage::Request(request) => Some(&request.id),
            _ => None,
        }
    }
}

impl<R, W> Streams<R, W>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    pub(crate) fn new(input: R, output: W, arrivals: &Arc<Arrivals>) -> Self {
        Self {
            lines: Lines::new(input),
            output: Arc::new(Mutex::new(output)),
            arrivals: Arc::clone(arrivals),
            office: Office::default(),
            waiting: VecDeque::new(),
            waiting_bytes: 0,
            full_since: None,
            is_open: false,
            has_ended: false,
        }
    }

    fn is_full(&self) -> bool {
        self.waiting.len() >= WAITING_MAX || self.waiting_bytes >= WAITING_BYTES_MAX
    }

    /// The next message that has waited, if there is room for it.
    fn next_waiting(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        if !self.office.has_room() {
            return None;
        }
        let Waiting { mut message, passage, bytes } = self.waiting.pop_front()?;
        self.waiting_bytes -= bytes;
        self.full_since = None;
        if let (JsonRpcMessage::Request(request), Some(passage)) = (&mut message, passage) {
            request.request.extensions_mut().insert(passage.clone());
            self.office.open(request.id.clone(), passage, bytes);
        }
        Some(message)
    }

    /// Takes a line; the message that is to be passed on before those that wait.
    fn take(&mut self, line: Line) -> Option<RxJsonRpcMessage<RoleServer>> {
        let (message, bytes) = match line {
            Line::TooLong => return self.refuse(Refusal::too_long()),
            Line::Whole(line) => match parse(&line) {
                Parsed::Message(message) => (*message, line.len()),
                Parsed::Nothing => return None,
                Parsed::Refused(refusal) => return self.refuse(refusal),
            },
        };
        // A server that has nothing to answer yet has no reason to end because of what comes
        // before the first request.
        self.is_open |= matches!(message, JsonRpcMessage::Request(_));
        if !self.is_open {
            return None;
        }
        match &message {
            JsonRpcMessage::Request(request) => {
                let id = &request.id;
                let waits = self.waiting.iter().any(|waiting| waiting.id() == Some(id));
                if waits || self.office.is_open(id) {
                    return self.refuse(Refusal::id_in_use(id.clone()));
                }
                if self.is_full() {
                    return self.refuse(Refusal::too_many(id.clone()));
                }
                let passage = Some(Passage::arriving(&self.arrivals));
                self.wait(Waiting { message, passage, bytes });
                None
            }
            JsonRpcMessage::Notification(notification) => match &notification.notification {
                ClientNotification::CancelledNotification(cancelled) => {
                    let is_known = cancelled.params.request_id.as_ref();
                    is_known.is_none_or(|id| self.is_cancelled(id)).then_some(message)
                }
                // In its place among the requests, as far as there is room.
                _ if !self.waiting.is_empty() && !self.is_full() => {
                    self.wait(Waiting { message, passage: None, bytes });
                    None
                }
                _ => Some(message),
            },
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => Some(message),
        }
    }

    fn wait(&mut self, waiting: Waiting) {
        self.waiting_bytes += waiting.bytes;
        self.waiting.push_back(waiting);
        if self.is_full() {
            self.full_since = Some(Instant::now());
        }
    }

    /// A request is to have no answer; whether it is under way.
    fn is_cancelled(&mut self, id: &RequestId) -> bool {
        if let Some(at) = self.waiting.iter().position(|waiting| waiting.id() == Some(id))
            && let Some(waiting) = self.waiting.remove(at)
        {
            self.waiting_bytes -= waiting.bytes;
            return false;
        }
        drop(self.office.close(id));
        true
    }

    /// Answers what is refused. That is not waited for: whoever waits for a message may stop
    /// waiting.
    fn refuse<T>(&mut self, refusal: Refusal) -> Option<T> {
        tokio::spawn(self.write(&refusal.answer(), None));
        None
    }

    /// Writes a message, and says that it was delivered, if it is an answer.
    fn write(
        &self,
        message: &TxJsonRpcMessage<RoleServer>,
        answered: Option<Passage>,
    ) -> impl Future<Output = io::Result<()>> + Send + use<R, W> {
        let line = serde_json::to_vec(message).map(|mut line| {
            line.push(b'\n');
            line
        });
        let writing = self.office.write(line.as_ref().map_or(0, Vec::len));
        let output = Arc::clone(&self.output);
        async move {
            let line = line?;
            let mut output = output.lock().await;
            output.write_all(&line).await?;
            output.flush().await?;
            drop(writing);
            if let Some(delivery) = answered.and_then(|passage| passage.take_delivery()) {
                delivery.delivered();
            }
            Ok(())
        }
    }
}

impl<R, W> Transport<RoleServer> for Streams<R, W>
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
            JsonRpcMessage::Response(response) => self.office.close(&response.id),
            JsonRpcMessage::Error(error) => error.id.as_ref().and_then(|id| self.office.close(id)),
            JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => None,
        };
        self.write(&item, answered)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            if let Some(message) = self.next_waiting() {
                return Some(message);
            }
            if self.has_ended {
                if self.waiting.is_empty() {
                    return None;
                }
                let changed = tokio::time::timeout(END_PATIENCE, self.office.changed());
                if changed.await.is_err() {
                    return None;
                }
                continue;
            }
            // A client that reads may always say more, in the end: it may be what others wait for.
            let is_full = self.is_full();
            let full_until = self.full_since.filter(|_| is_full).map(|since| since + FULL_PATIENCE);
            let is_due = full_until.is_none_or(|until| Instant::now() >= until);
            let hears = !self.office.is_stuck() && is_due && (!is_full || self.office.is_read());
            let wait = full_until.unwrap_or_else(Instant::now);
            tokio::select! {
                line = self.lines.next(), if hears => match line {
                    Ok(Some(line)) => {
                        if let Some(message) = self.take(line) {
                            return Some(message);
                        }
                    }
                    Ok(None) | Err(_) => self.has_ended = true,
                },
                () = self.office.changed() => {}
                () = tokio::time::sleep_until(wait), if !is_due => {}
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        // Who does not read what is being written is not waited for.
        let output = tokio::time::timeout(CLOSE_PATIENCE, self.output.lock()).await;
        match output {
            Ok(mut output) => output.shutdown().await,
            Err(_) => Ok(()),
        }
    }
}
