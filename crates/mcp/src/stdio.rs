//! Serves one client over standard input and output. Standard output carries only the protocol.

use std::io;

use rmcp::ServiceExt;
use rmcp::service::{QuitReason, ServerInitializeError};
use rmcp::transport::stdio_pipes;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::CancellationToken;

use crate::server::McpServer;
use crate::stream_transport::StreamTransport;
use crate::{runtime, stdin};

/// Why serving failed before the client disconnected.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say what variants and fields are")]
pub enum StdioServeError {
    /// The runtime could not be built.
    #[error("cannot start the server: {0}")]
    Start(#[source] io::Error),
    #[error("the client did not initialize the connection as the protocol requires: {0}")]
    Handshake(#[source] Box<ServerInitializeError>),
    #[error("the server failed: {0}")]
    Broken(#[source] tokio::task::JoinError),
}

/// Serves the client at standard input and output until it disconnects or the program is asked to
/// end. Blocks.
///
/// # Errors
/// [`StdioServeError`].
pub fn serve(server: &McpServer) -> Result<(), StdioServeError> {
    let runtime =
        runtime::build_runtime(server.shared.settings.calls_max).map_err(StdioServeError::Start)?;
    let served = runtime.block_on(async {
        let stop = foveal_http_guard::shutdown_token();
        let (pipe, output) = stdio_pipes();
        match stdin::is_stdin_pipe() {
            true => serve_streams(server, pipe, output, stop).await,
            false => serve_streams(server, stdin::spawn_stdin_reader(), output, stop).await,
        }
    });
    runtime.shutdown_timeout(runtime::SHUTDOWN_TIMEOUT);
    served
}

/// Serves the client at the other end of two streams until it disconnects or `stop` is cancelled.
///
/// # Errors
/// [`StdioServeError`].
pub async fn serve_streams<R, W>(
    server: &McpServer,
    input: R,
    output: W,
    stop: CancellationToken,
) -> Result<(), StdioServeError>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let transport = StreamTransport::new(input, output, &server.shared.arrivals);
    let running = match server.open_connection().serve_with_ct(transport, stop).await {
        Ok(running) => running,
        Err(ServerInitializeError::ConnectionClosed(_) | ServerInitializeError::Cancelled) => {
            return Ok(());
        }
        Err(error) => return Err(StdioServeError::Handshake(Box::new(error))),
    };
    match running.waiting().await {
        Ok(QuitReason::JoinError(error)) | Err(error) => Err(StdioServeError::Broken(error)),
        Ok(_) => Ok(()),
    }
}
