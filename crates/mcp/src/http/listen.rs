//! Listens, and serves who connects.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use foveal_listening::{Peer, Vacancy};
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::TcpListener;
use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;

use super::connections::Connections;
use super::endpoint::{Endpoint, From};
use super::hosts::Hosts;
use super::line::{Line, LineStream};
use super::settings::{HttpError, HttpSettings};
use super::{auth, heads, hosts};
use crate::runtime;
use crate::server::Server;

/// How often it is looked whether a client takes too long.
const SWEEP_PAUSE: Duration = Duration::from_millis(500);

/// How long a new connection waits for room, and how often it is looked for.
const ROOM_PATIENCE: Duration = Duration::from_secs(2);
const ROOM_PAUSE: Duration = Duration::from_millis(5);

/// What a connection is told for which there is no room.
const BUSY: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\nretry-after: 1\r\n\
                      content-length: 0\r\nconnection: close\r\n\r\n";

/// Serves clients over HTTP until the program is asked to end. `ready` is called with the
/// address once clients can connect. Blocks.
///
/// # Errors
/// [`HttpError`].
pub fn serve(
    server: &Server,
    settings: &HttpSettings,
    ready: impl FnOnce(SocketAddr),
) -> Result<(), HttpError> {
    auth::check_address(settings)?;
    hosts::check(settings)?;
    let runtime = runtime::build(server.shared.settings.calls_max).map_err(HttpError::Start)?;
    let served = runtime.block_on(async {
        let stop = foveal_listening::when_asked_to_end();
        let listener = bind(settings).await?;
        ready(listener.local_addr().unwrap_or(settings.address));
        serve_on(server, settings, listener, stop).await;
        Ok(())
    });
    runtime.shutdown_timeout(runtime::END_PATIENCE);
    served
}

async fn bind(settings: &HttpSettings) -> Result<TcpListener, HttpError> {
    let address = settings.address;
    TcpListener::bind(address).await.map_err(|source| HttpError::Listen { address, source })
}

/// Serves who connects to `listener` until `stop` is cancelled. Who may connect is not asked
/// here: [`serve`] checks the address.
pub async fn serve_on(
    server: &Server,
    settings: &HttpSettings,
    listener: TcpListener,
    stop: CancellationToken,
) {
    let port = listener.local_addr().unwrap_or(settings.address).port();
    let hosts = Hosts::of(settings, port);
    let endpoint = Arc::new(Endpoint::new(server, settings, hosts, &stop));
    let connections = Arc::new(Connections::new(settings.connections_max, settings.patience));
    let graceful = GracefulShutdown::new();
    let mut sweep = tokio::time::interval(SWEEP_PAUSE);
    sweep.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            _ = sweep.tick() => {
                connections.sweep();
                continue;
            }
            () = stop.cancelled() => break,
        };
        let Ok((stream, address)) = accepted else {
            // Out of file descriptors, say: trying again at once would only burn time.
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        let peer = Peer::from_address(address);
        if !has_room(&connections, peer, &stop).await {
            // What it is told is of use only if it is there at once.
            drop(stream.try_write(BUSY));
            continue;
        }
        // Small messages, each waited for: collecting them only delays.
        drop(stream.set_nodelay(true));
        let line = Line::new(stream);
        let slot = connections.enter(peer, &line);
        let head = settings.patience.head;
        let connection = connection(&endpoint, &connections, (peer, line), head);
        tokio::spawn(slot.serve(graceful.watch(connection)));
    }
    drop(tokio::time::timeout(runtime::END_PATIENCE, graceful.shutdown()).await);
}

/// Whether a connection of `peer` can be let in, now or shortly.
async fn has_room(connections: &Connections, peer: Peer, stop: &CancellationToken) -> bool {
    let began = Instant::now();
    loop {
        match connections.make_room(peer) {
            Vacancy::Free => return true,
            Vacancy::None => return false,
            Vacancy::Soon if began.elapsed() > ROOM_PATIENCE || stop.is_cancelled() => {
                return false;
            }
            Vacancy::Soon => tokio::time::sleep(ROOM_PAUSE).await,
        }
    }
}

fn connection(
    endpoint: &Arc<Endpoint>,
    connections: &Arc<Connections>,
    (peer, line): (Peer, Line),
    head_patience: Duration,
) -> impl hyper_util::server::graceful::GracefulConnection<Error = hyper::Error> + Send + 'static {
    let (endpoint, connections) = (Arc::clone(endpoint), Arc::clone(connections));
    let stream = LineStream(line.clone());
    let service = service_fn(move |request| {
        let (endpoint, connections) = (Arc::clone(&endpoint), Arc::clone(&connections));
        let from = From { peer, line: line.clone(), connections };
        async move { Ok::<_, Infallible>(endpoint.answer(request, from).await) }
    });
    heads::reader()
        .timer(TokioTimer::new())
        .header_read_timeout(head_patience)
        .serve_connection(TokioIo::new(stream), service)
}
