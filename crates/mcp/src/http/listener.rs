//! The HTTP listener.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use foveal_http_guard::{Admission, Peer};
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::TcpListener;
use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;

use super::allowed_hosts::AllowedHosts;
use super::connections::HttpConnections;
use super::endpoint::{HttpEndpoint, RequestOrigin};
use super::settings::{HttpError, HttpSettings};
use super::tracked_connection::{TrackedConnection, TrackedStream};
use super::{allowed_hosts, auth, request_head};
use crate::runtime;
use crate::server::McpServer;

/// How often slow clients are looked for.
const SWEEP_INTERVAL: Duration = Duration::from_millis(500);

/// How long a new connection waits for admission, and how often it asks.
const ADMISSION_TIMEOUT: Duration = Duration::from_secs(2);
const ADMISSION_CHECK_INTERVAL: Duration = Duration::from_millis(5);

/// The response to a connection that is not admitted.
const BUSY_RESPONSE: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\nretry-after: 1\r\n\
                      content-length: 0\r\nconnection: close\r\n\r\n";

/// Serves clients over HTTP until the program is asked to end. Calls `ready` with the address once
/// clients can connect. Blocks.
///
/// # Errors
/// [`HttpError`].
pub fn serve(
    server: &McpServer,
    settings: &HttpSettings,
    ready: impl FnOnce(SocketAddr),
) -> Result<(), HttpError> {
    auth::check_address(settings)?;
    allowed_hosts::check_host_settings(settings)?;
    let runtime =
        runtime::build_runtime(server.shared.settings.calls_max).map_err(HttpError::Start)?;
    let served = runtime.block_on(async {
        let stop = foveal_http_guard::shutdown_token();
        let listener = bind(settings).await?;
        ready(listener.local_addr().unwrap_or(settings.address));
        serve_listener(server, settings, listener, stop).await;
        Ok(())
    });
    runtime.shutdown_timeout(runtime::SHUTDOWN_TIMEOUT);
    served
}

async fn bind(settings: &HttpSettings) -> Result<TcpListener, HttpError> {
    let address = settings.address;
    TcpListener::bind(address).await.map_err(|source| HttpError::Listen { address, source })
}

/// Serves the clients of `listener` until `stop` is cancelled. Does not check the address;
/// [`serve`] does.
pub async fn serve_listener(
    server: &McpServer,
    settings: &HttpSettings,
    listener: TcpListener,
    stop: CancellationToken,
) {
    let port = listener.local_addr().unwrap_or(settings.address).port();
    let hosts = AllowedHosts::from_settings(settings, port);
    let endpoint = Arc::new(HttpEndpoint::new(server, settings, hosts, &stop));
    let connections = Arc::new(HttpConnections::new(settings.connections_max, settings.timeouts));
    let graceful = GracefulShutdown::new();
    let mut sweep = tokio::time::interval(SWEEP_INTERVAL);
    sweep.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            _ = sweep.tick() => {
                connections.close_slow();
                continue;
            }
            () = stop.cancelled() => break,
        };
        let Ok((stream, address)) = accepted else {
            // For example out of file descriptors: retrying at once would spin.
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        let peer = Peer::from_address(address);
        if !wait_for_admission(&connections, peer, &stop).await {
            // Written without waiting: the response is of use only if the socket accepts it at
            // once.
            drop(stream.try_write(BUSY_RESPONSE));
            continue;
        }
        // Nagle's algorithm would only delay these small messages.
        drop(stream.set_nodelay(true));
        let line = TrackedConnection::new(stream);
        let slot = connections.add(peer, &line);
        let head = settings.timeouts.head;
        let connection = serve_connection(&endpoint, &connections, peer, line, head);
        tokio::spawn(slot.serve(graceful.watch(connection)));
    }
    drop(tokio::time::timeout(runtime::SHUTDOWN_TIMEOUT, graceful.shutdown()).await);
}

/// Waits briefly for the admission of a connection of `peer`. Returns whether it is admitted.
async fn wait_for_admission(
    connections: &HttpConnections,
    peer: Peer,
    stop: &CancellationToken,
) -> bool {
    let began = Instant::now();
    loop {
        match connections.admit(peer) {
            Admission::Accepted => return true,
            Admission::Full => return false,
            Admission::RetrySoon if began.elapsed() > ADMISSION_TIMEOUT || stop.is_cancelled() => {
                return false;
            }
            Admission::RetrySoon => tokio::time::sleep(ADMISSION_CHECK_INTERVAL).await,
        }
    }
}

fn serve_connection(
    endpoint: &Arc<HttpEndpoint>,
    connections: &Arc<HttpConnections>,
    peer: Peer,
    line: TrackedConnection,
    head_patience: Duration,
) -> impl hyper_util::server::graceful::GracefulConnection<Error = hyper::Error> + Send + 'static {
    let (endpoint, connections) = (Arc::clone(endpoint), Arc::clone(connections));
    let stream = TrackedStream(line.clone());
    let service = service_fn(move |request| {
        let (endpoint, connections) = (Arc::clone(&endpoint), Arc::clone(&connections));
        let from = RequestOrigin { peer, connection: line.clone(), connections };
        async move { Ok::<_, Infallible>(endpoint.handle_request(request, from).await) }
    });
    request_head::connection_builder()
        .timer(TokioTimer::new())
        .header_read_timeout(head_patience)
        .serve_connection(TokioIo::new(stream), service)
}
