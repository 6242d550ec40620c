//! Listens, and serves who connects.

use std::convert::Infallible;
use std::error::Error;
use std::net::SocketAddr;
use std::num::NonZero;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use foveal_listening::{ConnectionPool, Peer, Vacancy};
use hyper::Request;
use hyper::body::Incoming;
use hyper::header::UPGRADE;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use hyper_util::server::graceful::{GracefulConnection, GracefulShutdown};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Runtime;
use tokio_util::sync::CancellationToken;

use crate::activity::ConnectionActivity;
use crate::client;
use crate::gate;
use crate::service::Service;
use crate::settings::{ServeError, Settings};
use crate::speaking;
use crate::websocket::Lasting;

/// Bytes of the longest head of a request.
const HEAD_BYTES_MAX: usize = 256 << 10;

/// How long answers that are under way are waited for at the end.
const END_PATIENCE: Duration = Duration::from_secs(5);

/// How long the body of a request may be waited for while others find no room.
const BODY_PATIENCE: Duration = Duration::from_secs(5);

/// How long a connection waits for room, and how often it is looked for.
const ROOM_PATIENCE: Duration = Duration::from_secs(60);
const ROOM_PAUSE: Duration = Duration::from_millis(10);

/// What a client is told that finds no room.
const BUSY: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\n\
                      retry-after: 1\r\nconnection: close\r\n\r\n";

/// A gateway that listens.
pub struct Gateway {
    listener: TcpListener,
    service: Arc<Service>,
    settings: Settings,
}

impl Gateway {
    /// Listens where the settings say. Needs a runtime of tokio.
    ///
    /// # Errors
    /// [`ServeError`].
    pub async fn bind(settings: Settings) -> Result<Self, ServeError> {
        gate::check_address(&settings)?;
        let address = settings.address;
        let listener = TcpListener::bind(address).await;
        let listener = listener.map_err(|source| ServeError::Listen { address, source })?;
        let service =
            Arc::new(Service::new(settings.clone(), client::client(None, &settings.proxies)?));
        Ok(Self { listener, service, settings })
    }

    /// Serves until the program is asked to end. `ready` is called with the address once clients
    /// can connect. Blocks.
    ///
    /// # Errors
    /// [`ServeError`].
    pub fn run(settings: Settings, ready: impl FnOnce(SocketAddr)) -> Result<(), ServeError> {
        runtime()?.block_on(async {
            let stop = foveal_listening::when_asked_to_end();
            let gateway = Self::bind(settings).await?;
            ready(gateway.address());
            gateway.serve(stop).await;
            Ok(())
        })
    }

    /// Serves beside `work`, which is told the address, until that is done. Answers that are under
    /// way then have a few seconds. No signal ends it. Blocks.
    ///
    /// # Errors
    /// [`ServeError`].
    pub fn beside<T>(
        settings: Settings,
        work: impl FnOnce(SocketAddr) -> T,
    ) -> Result<T, ServeError> {
        let runtime = runtime()?;
        let gateway = runtime.block_on(Self::bind(settings))?;
        let (address, stop) = (gateway.address(), CancellationToken::new());
        let serving = runtime.spawn(gateway.serve(stop.clone()));
        let done = work(address);
        stop.cancel();
        drop(runtime.block_on(serving));
        Ok(done)
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.listener.local_addr().unwrap_or(self.settings.address)
    }

    /// Serves until `stop` is cancelled. Answers that are under way then have a few seconds.
    pub async fn serve(self, stop: CancellationToken) {
        let connections = self.settings.limits.connections;
        let pool = Arc::new(ConnectionPool::new(connections, BODY_PATIENCE));
        let graceful = GracefulShutdown::new();
        let over = CancellationToken::new();
        while let Some(accepted) = stop.run_until_cancelled(accept(&self.listener)).await {
            let Some((stream, address)) = accepted else { continue };
            let peer = Peer::from_address(address);
            match stop.run_until_cancelled(has_room(&pool, peer)).await {
                None => break,
                Some(false) => drop(stream.try_write(BUSY)),
                Some(true) => {
                    let activity = ConnectionActivity::default();
                    let slot = pool.enter(peer, activity.clone());
                    let slot = Arc::new(slot);
                    let lasting = Lasting { slot: Arc::clone(&slot), activity, over: over.clone() };
                    let connection = graceful.watch(self.connection(stream, lasting));
                    tokio::spawn(async move { slot.serve(connection).await });
                }
            }
        }
        self.service.rest();
        // Those that have become connections of another kind have their places still.
        let ended = async {
            graceful.shutdown().await;
            while !pool.is_empty() {
                tokio::time::sleep(ROOM_PAUSE).await;
            }
        };
        drop(tokio::time::timeout(END_PATIENCE, ended).await);
        over.cancel();
    }

    /// A connection as it is served.
    fn connection(
        &self,
        stream: TcpStream,
        lasting: Lasting,
    ) -> impl GracefulConnection<Error = Box<dyn Error + Send + Sync>> + Send + 'static {
        let stream = speaking::speaking(stream, self.settings.limits.head);
        let service = Arc::clone(&self.service);
        let answer = service_fn(move |mut request: Request<Incoming>| {
            let service = Arc::clone(&service);
            let activity = lasting.activity.clone();
            if request.headers().contains_key(UPGRADE) {
                request.extensions_mut().insert(lasting.clone());
            }
            async move { Ok::<_, Infallible>(service.answer(request, &activity).await) }
        });
        let mut builder = auto::Builder::new(TokioExecutor::new());
        let has_date = foveal_listening::is_date_header_safe(SystemTime::now());
        builder
            .http1()
            .timer(TokioTimer::new())
            .header_read_timeout(self.settings.limits.head)
            .max_buf_size(HEAD_BYTES_MAX)
            .auto_date_header(has_date)
            .preserve_header_case(true);
        builder.http2().auto_date_header(has_date);
        builder.serve_connection_with_upgrades(TokioIo::new(stream), answer).into_owned()
    }
}

/// Whether a connection of `peer` can be let in, now or after a while.
async fn has_room(pool: &ConnectionPool<ConnectionActivity>, peer: Peer) -> bool {
    let began = Instant::now();
    while pool.make_room(peer) != Vacancy::Free {
        if began.elapsed() > ROOM_PATIENCE {
            return false;
        }
        tokio::time::sleep(ROOM_PAUSE).await;
    }
    true
}

/// What connections are served by: half of the processors, since decisions have threads of their
/// own. With more of them each wakes another one for every piece of a body, which then finds nothing
/// to do and has a decision wait.
fn runtime() -> Result<Runtime, ServeError> {
    let processors = std::thread::available_parallelism().map_or(1, NonZero::get);
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    let runtime = runtime.worker_threads((processors / 2).max(1)).enable_all().build();
    runtime.map_err(ServeError::Start)
}

/// The next connection, and where it comes from.
async fn accept(listener: &TcpListener) -> Option<(TcpStream, SocketAddr)> {
    match listener.accept().await {
        Ok((stream, address)) => {
            // Events are small, and each is waited for: collecting them only delays.
            drop(stream.set_nodelay(true));
            Some((stream, address))
        }
        Err(_) => {
            // Out of file descriptors, say: trying again at once would only burn time.
            tokio::time::sleep(Duration::from_millis(50)).await;
            None
        }
    }
}
