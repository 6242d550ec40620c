//! The server: accepts connections and serves them.

use std::convert::Infallible;
use std::error::Error;
use std::net::SocketAddr;
use std::num::NonZero;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use foveal_http_guard::{Admission, ConnectionPool, Peer};
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

use crate::access_control;
use crate::client;
use crate::connection_activity::ConnectionActivity;
use crate::first_byte_timeout;
use crate::service::Service;
use crate::settings::{ServeError, Settings};
use crate::websocket::ConnectionLease;

/// The size limit for the head of a request, in bytes.
const HEAD_BYTES_MAX: usize = 256 << 10;

/// The time that responses have to end at shutdown.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(5);

/// The time after which a connection that waits for a body may be closed for a new one.
const BODY_TIMEOUT: Duration = Duration::from_secs(5);

/// The time that a connection waits for room, and the interval of the checks.
const ROOM_TIMEOUT: Duration = Duration::from_secs(60);
const ROOM_POLL_INTERVAL: Duration = Duration::from_millis(10);

/// The response to a connection that found no room.
const BUSY_RESPONSE: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\n\
                      retry-after: 1\r\nconnection: close\r\n\r\n";

/// A gateway that is bound to its address.
pub struct Gateway {
    listener: TcpListener,
    service: Arc<Service>,
    settings: Settings,
}

impl Gateway {
    /// Binds the address of the settings. Needs a tokio runtime.
    ///
    /// # Errors
    /// [`ServeError`].
    pub async fn bind(settings: Settings) -> Result<Self, ServeError> {
        access_control::check_address(&settings)?;
        let address = settings.address;
        let listener = TcpListener::bind(address).await;
        let listener = listener.map_err(|source| ServeError::Listen { address, source })?;
        let service = Arc::new(Service::new(
            settings.clone(),
            client::build_http_client(None, &settings.proxies)?,
        ));
        Ok(Self { listener, service, settings })
    }

    /// Serves until the program receives a signal to end. Calls `ready` with the address once
    /// clients can connect. Blocks.
    ///
    /// # Errors
    /// [`ServeError`].
    pub fn run(settings: Settings, ready: impl FnOnce(SocketAddr)) -> Result<(), ServeError> {
        build_runtime()?.block_on(async {
            let stop = foveal_http_guard::shutdown_token();
            let gateway = Self::bind(settings).await?;
            ready(gateway.address());
            gateway.serve(stop).await;
            Ok(())
        })
    }

    /// Serves while `work` runs, which receives the address. Responses that are under way then have
    /// a few seconds. Signals do not end it. Blocks.
    ///
    /// # Errors
    /// [`ServeError`].
    pub fn serve_during<T>(
        settings: Settings,
        work: impl FnOnce(SocketAddr) -> T,
    ) -> Result<T, ServeError> {
        let runtime = build_runtime()?;
        let gateway = runtime.block_on(Self::bind(settings))?;
        let (address, stop) = (gateway.address(), CancellationToken::new());
        let serving = runtime.spawn(gateway.serve(stop.clone()));
        let done = work(address);
        stop.cancel();
        drop(runtime.block_on(serving));
        Ok(done)
    }

    /// Returns the bound address.
    pub fn address(&self) -> SocketAddr {
        self.listener.local_addr().unwrap_or(self.settings.address)
    }

    /// Serves until `stop` is cancelled. Responses that are under way then have a few seconds.
    pub async fn serve(self, stop: CancellationToken) {
        let connections = self.settings.limits.connections;
        let pool = Arc::new(ConnectionPool::new(connections, BODY_TIMEOUT));
        let graceful = GracefulShutdown::new();
        let over = CancellationToken::new();
        while let Some(accepted) = stop.run_until_cancelled(accept(&self.listener)).await {
            let Some((stream, address)) = accepted else { continue };
            let peer = Peer::from_address(address);
            match stop.run_until_cancelled(wait_for_slot(&pool, peer)).await {
                None => break,
                Some(false) => drop(stream.try_write(BUSY_RESPONSE)),
                Some(true) => {
                    let activity = ConnectionActivity::default();
                    let slot = pool.add_connection(peer, activity.clone());
                    let slot = Arc::new(slot);
                    let lasting = ConnectionLease {
                        slot: Arc::clone(&slot),
                        activity,
                        shutdown: over.clone(),
                    };
                    let connection = graceful.watch(self.serve_connection(stream, lasting));
                    tokio::spawn(async move { slot.serve(connection).await });
                }
            }
        }
        self.service.stop_keep_alive();
        // Upgraded connections still occupy their slots.
        let ended = async {
            graceful.shutdown().await;
            while !pool.is_empty() {
                tokio::time::sleep(ROOM_POLL_INTERVAL).await;
            }
        };
        drop(tokio::time::timeout(SHUTDOWN_TIMEOUT, ended).await);
        over.cancel();
    }

    /// Returns the future that serves a connection.
    fn serve_connection(
        &self,
        stream: TcpStream,
        lasting: ConnectionLease,
    ) -> impl GracefulConnection<Error = Box<dyn Error + Send + Sync>> + Send + 'static {
        let stream =
            first_byte_timeout::limit_first_bytes(stream, self.settings.limits.head_timeout);
        let service = Arc::clone(&self.service);
        let answer = service_fn(move |mut request: Request<Incoming>| {
            let service = Arc::clone(&service);
            let activity = lasting.activity.clone();
            if request.headers().contains_key(UPGRADE) {
                request.extensions_mut().insert(lasting.clone());
            }
            async move { Ok::<_, Infallible>(service.handle_request(request, &activity).await) }
        });
        let mut builder = auto::Builder::new(TokioExecutor::new());
        let has_date = foveal_http_guard::is_date_header_safe(SystemTime::now());
        builder
            .http1()
            .timer(TokioTimer::new())
            .header_read_timeout(self.settings.limits.head_timeout)
            .max_buf_size(HEAD_BYTES_MAX)
            .auto_date_header(has_date)
            .preserve_header_case(true);
        builder.http2().auto_date_header(has_date);
        builder.serve_connection_with_upgrades(TokioIo::new(stream), answer).into_owned()
    }
}

/// Waits for room for a connection of `peer`. Returns false after [`ROOM_TIMEOUT`].
async fn wait_for_slot(pool: &ConnectionPool<ConnectionActivity>, peer: Peer) -> bool {
    let began = Instant::now();
    while pool.admit(peer) != Admission::Accepted {
        if began.elapsed() > ROOM_TIMEOUT {
            return false;
        }
        tokio::time::sleep(ROOM_POLL_INTERVAL).await;
    }
    true
}

/// Builds the runtime for connections. It uses half of the processors, because decisions have
/// threads of their own. With more workers, each wakes another one for every chunk of a body, which
/// then finds nothing to do and delays a decision.
fn build_runtime() -> Result<Runtime, ServeError> {
    let processors = std::thread::available_parallelism().map_or(1, NonZero::get);
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    let runtime = runtime.worker_threads((processors / 2).max(1)).enable_all().build();
    runtime.map_err(ServeError::Start)
}

/// Accepts the next connection.
async fn accept(listener: &TcpListener) -> Option<(TcpStream, SocketAddr)> {
    match listener.accept().await {
        Ok((stream, address)) => {
            // Events are small, and the client waits for each: buffering them only adds latency.
            drop(stream.set_nodelay(true));
            Some((stream, address))
        }
        Err(_) => {
            // Probably out of file descriptors: an immediate retry would only burn time.
            tokio::time::sleep(Duration::from_millis(50)).await;
            None
        }
    }
}
