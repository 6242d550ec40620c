//! Listens, and serves who connects.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::num::NonZero;
use std::sync::Arc;
use std::time::Duration;

use hyper::Request;
use hyper::body::Incoming;
use hyper::header::UPGRADE;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

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
        let service = Arc::new(Service::new(settings.clone(), client::client(None)?));
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
        let room = Arc::new(Semaphore::new(self.settings.limits.connections));
        let graceful = GracefulShutdown::new();
        let over = CancellationToken::new();
        loop {
            // Who finds no room waits before the door, where the system keeps a queue.
            let accepted = tokio::select! {
                accepted = accept(&self.listener, &room) => accepted,
                () = stop.cancelled() => break,
            };
            let Some((stream, place)) = accepted else { continue };
            let lasting = Lasting { _place: Arc::new(place), over: over.clone() };
            let held = lasting.clone();
            let stream = speaking::speaking(stream, self.settings.limits.head);
            let service = Arc::clone(&self.service);
            let answer = service_fn(move |mut request: Request<Incoming>| {
                let service = Arc::clone(&service);
                if request.headers().contains_key(UPGRADE) {
                    request.extensions_mut().insert(lasting.clone());
                }
                async move { Ok::<_, Infallible>(service.answer(request).await) }
            });
            let mut builder = auto::Builder::new(TokioExecutor::new());
            builder
                .http1()
                .timer(TokioTimer::new())
                .header_read_timeout(self.settings.limits.head)
                .max_buf_size(HEAD_BYTES_MAX)
                .preserve_header_case(true);
            let connection =
                builder.serve_connection_with_upgrades(TokioIo::new(stream), answer).into_owned();
            let connection = graceful.watch(connection);
            tokio::spawn(async move {
                // A client that breaks off has ended its connection, and nothing else.
                drop(connection.await);
                drop(held);
            });
        }
        self.service.rest();
        // Those that have become connections of another kind have their places still.
        let all = u32::try_from(self.settings.limits.connections).unwrap_or(u32::MAX);
        let ended = async {
            graceful.shutdown().await;
            drop(room.acquire_many(all).await);
        };
        drop(tokio::time::timeout(END_PATIENCE, ended).await);
        over.cancel();
    }
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

/// The next connection and its place among those that may be open.
async fn accept(
    listener: &TcpListener,
    room: &Arc<Semaphore>,
) -> Option<(tokio::net::TcpStream, tokio::sync::OwnedSemaphorePermit)> {
    let place = Arc::clone(room).acquire_owned().await.ok()?;
    match listener.accept().await {
        Ok((stream, _)) => {
            // Events are small, and each is waited for: collecting them only delays.
            drop(stream.set_nodelay(true));
            Some((stream, place))
        }
        Err(_) => {
            // Out of file descriptors, say: trying again at once would only burn time.
            tokio::time::sleep(Duration::from_millis(50)).await;
            None
        }
    }
}
