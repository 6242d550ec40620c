//! A client at standard input and output. Nothing but the protocol goes to standard output.

use std::io;

use rmcp::ServiceExt;
use rmcp::service::{QuitReason, ServerInitializeError};
use rmcp::transport::stdio_pipes;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::CancellationToken;

use crate::server::Server;
use crate::streams::Streams;
use crate::{input, runtime};

/// Why serving ended before the client left.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say what variants and fields are")]
pub enum ServeError {
    /// The machine has no means for it.
    #[error("cannot begin to serve: {0}")]
    Start(#[source] io::Error),
    #[error("the client did not begin as the protocol wants it: {0}")]
    Handshake(#[source] Box<ServerInitializeError>),
    #[error("the server broke: {0}")]
    Broken(#[source] tokio::task::JoinError),
}

/// Serves the client at standard input and output until it leaves or the program is asked to
/// end. Blocks.
///
/// # Errors
/// [`ServeError`].
pub fn serve(server: &Server) -> Result<(), ServeError> {
    let runtime = runtime::build(server.shared.settings.calls_max).map_err(ServeError::Start)?;
    let served = runtime.block_on(async {
        let stop = foveal_listening::when_asked_to_end();
        let (pipe, output) = stdio_pipes();
        match input::is_pipe() {
            true => serve_on(server, pipe, output, stop).await,
            false => serve_on(server, input::of_thread(), output, stop).await,
        }
    });
    runtime.shutdown_timeout(runtime::END_PATIENCE);
    served
}

/// Serves the client at the other end of two streams, until it leaves or `stop` is cancelled.
///
/// # Errors
/// [`ServeError`].
pub async fn serve_on<R, W>(
    server: &Server,
    input: R,
    output: W,
    stop: CancellationToken,
) -> Result<(), ServeError>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let transport = Streams::new(input, output, &server.shared.arrivals);
    let running = match server.connection().serve_with_ct(transport, stop).await {
        Ok(running) => running,
        Err(ServerInitializeError::ConnectionClosed(_) | ServerInitializeError::Cancelled) => {
            return Ok(());
        }
        Err(error) => return Err(ServeError::Handshake(Box::new(error))),
    };
    match running.waiting().await {
        Ok(QuitReason::JoinError(error)) | Err(error) => Err(ServeError::Broken(error)),
        Ok(_) => Ok(()),
    }
}
