//! A transport that begins with the client's first request.

use rmcp::RoleServer;
use rmcp::model::JsonRpcMessage;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;

/// Skips what comes before the first request: a server that has nothing to answer yet has no
/// reason to end because of it.
pub(crate) struct FromFirstRequest<T> {
    transport: T,
    is_open: bool,
}

impl<T> FromFirstRequest<T> {
    pub(crate) fn new(transport: T) -> Self {
        Self { transport, is_open: false }
    }
}

impl<T: Transport<RoleServer>> Transport<RoleServer> for FromFirstRequest<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.transport.send(item)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            let message = self.transport.receive().await?;
            self.is_open |= matches!(message, JsonRpcMessage::Request(_));
            if self.is_open {
                return Some(message);
            }
        }
    }

    fn close(&mut self) -> impl Future<Output = Result<(), Self::Error>> + Send {
        self.transport.close()
    }
}
