//! A transport that begins with the client's first request, and notes when requests arrive and
//! answers are delivered.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use foveal_tools::session::Arrivals;
use rmcp::RoleServer;
use rmcp::model::{ClientNotification, ErrorData, GetExtensions, JsonRpcMessage, RequestId};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;

use crate::passage::Passage;

/// Skips what comes before the first request: a server that has nothing to answer yet has no
/// reason to end because of it.
pub(crate) struct Tracked<T> {
    transport: T,
    is_open: bool,
    arrivals: Arc<Arrivals>,
    open: Open,
}

/// The requests that are not answered yet.
#[derive(Debug, Clone, Default)]
struct Open(Arc<Mutex<HashMap<RequestId, Passage>>>);

impl Open {
    fn lock(&self) -> MutexGuard<'_, HashMap<RequestId, Passage>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T: Transport<RoleServer>> Tracked<T> {
    pub(crate) fn new(transport: T, arrivals: &Arc<Arrivals>) -> Self {
        Self { transport, is_open: false, arrivals: Arc::clone(arrivals), open: Open::default() }
    }

    /// Notes that a message has come; the answer to one that is refused.
    fn take_note(
        &self,
        message: &mut RxJsonRpcMessage<RoleServer>,
    ) -> Option<TxJsonRpcMessage<RoleServer>> {
        let mut open = self.open.lock();
        match message {
            JsonRpcMessage::Request(request) if open.contains_key(&request.id) => {
                let what = "a request with this id is not answered yet; choose another id";
                let error = ErrorData::invalid_request(what, None);
                return Some(JsonRpcMessage::error(error, Some(request.id.clone())));
            }
            JsonRpcMessage::Request(request) => {
                let passage = Passage::arriving(&self.arrivals);
                request.request.extensions_mut().insert(passage.clone());
                open.insert(request.id.clone(), passage);
            }
            JsonRpcMessage::Notification(notification) => {
                if let ClientNotification::CancelledNotification(cancelled) =
                    &notification.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    // It is not answered any more.
                    open.remove(id);
                }
            }
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => {}
        }
        None
    }
}

impl<T: Transport<RoleServer>> Transport<RoleServer> for Tracked<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let answered = match &item {
            JsonRpcMessage::Response(response) => self.open.lock().remove(&response.id),
            JsonRpcMessage::Error(error) => {
                error.id.as_ref().and_then(|id| self.open.lock().remove(id))
            }
            JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => None,
        };
        let sent = self.transport.send(item);
        async move {
            sent.await?;
            if let Some(delivery) = answered.and_then(|passage| passage.take_delivery()) {
                delivery.delivered();
            }
            Ok(())
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            let mut message = self.transport.receive().await?;
            self.is_open |= matches!(message, JsonRpcMessage::Request(_));
            if !self.is_open {
                continue;
            }
            match self.take_note(&mut message) {
                None => return Some(message),
                // Not waited for: whoever waits for a message may stop waiting.
                Some(refusal) => drop(tokio::spawn(self.transport.send(refusal))),
            }
        }
    }

    fn close(&mut self) -> impl Future<Output = Result<(), Self::Error>> + Send {
        self.transport.close()
    }
}
