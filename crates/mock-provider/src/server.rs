//! The server: a listener on loopback with its own thread.

use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use foveal_http_guard::InspectedStream;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::runtime;
use tokio::sync::oneshot;

use crate::connection_tap::ConnectionTap;
use crate::received_request::ReceivedRequest;
use crate::reply_script::{ModelReply, ReplyScript};
use crate::service::{ProviderState, lock_ignoring_poison, serve_request};
use crate::settings::Settings;

/// A mock model provider on loopback. It stops when the value is dropped.
#[derive(Debug)]
pub struct MockProvider {
    address: SocketAddr,
    shared: Arc<ProviderState>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl MockProvider {
    /// Starts a provider on a free port.
    ///
    /// # Errors
    /// If no port, thread or runtime is available.
    pub fn start(settings: Settings) -> io::Result<MockProvider> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let script = ReplyScript::always(ModelReply::from_text(settings.text.clone()));
        let shared = Arc::new(ProviderState::new(settings, script));
        let (stop, stopped) = oneshot::channel();
        let runtime = runtime::Builder::new_current_thread().enable_all().build()?;
        let serving = shared.clone();
        let thread = thread::Builder::new().name("upstream".to_owned()).spawn(move || {
            runtime.block_on(async {
                tokio::select! {
                    () = serve_connections(listener, serving) => {}
                    _ = stopped => {}
                }
            });
        })?;
        Ok(MockProvider { address, shared, stop: Some(stop), thread: Some(thread) })
    }

    /// Returns the address that it listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the base URL, without a path and a final slash.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Sets the script of all further requests, and counts requests from 0 again.
    pub fn set_script(&self, script: ReplyScript) {
        *lock_ignoring_poison(&self.shared.script) = script;
        self.shared.answer_requests.store(0, Ordering::SeqCst);
    }

    /// Advances the clock of the cache.
    pub fn advance_clock(&self, by: Duration) {
        let by = u64::try_from(by.as_millis()).unwrap_or(u64::MAX);
        self.shared.now_ms.fetch_add(by, Ordering::SeqCst);
    }

    /// Returns all requests so far, in the order in which they were completely read.
    pub fn received_requests(&self) -> Vec<Arc<ReceivedRequest>> {
        lock_ignoring_poison(&self.shared.received).clone()
    }

    /// Returns the requests so far and removes them from the record. Cache and conversations stay.
    pub fn take_received_requests(&self) -> Vec<Arc<ReceivedRequest>> {
        std::mem::take(&mut *lock_ignoring_poison(&self.shared.received))
    }

    /// Waits until there are `count` requests, at most for `patience`; returns all requests so far.
    pub fn wait_for_requests(&self, count: usize, patience: Duration) -> Vec<Arc<ReceivedRequest>> {
        let end = Instant::now() + patience;
        let mut seen = lock_ignoring_poison(&self.shared.received);
        while seen.len() < count {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            seen = match self.shared.request_received.wait_timeout(seen, left) {
                Ok((seen, _)) => seen,
                Err(poisoned) => poisoned.into_inner().0,
            };
        }
        seen.clone()
    }

    /// Returns the number of open connections.
    pub fn connection_count(&self) -> usize {
        self.shared.connections.load(Ordering::SeqCst)
    }

    /// Returns the number of all requests, recorded or not.
    pub fn request_count(&self) -> usize {
        self.shared.requests.load(Ordering::SeqCst)
    }
}

impl Drop for MockProvider {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

async fn serve_connections(listener: TcpListener, shared: Arc<ProviderState>) {
    let Ok(listener) = tokio::net::TcpListener::from_std(listener) else { return };
    loop {
        // A client that disconnected before its connection was accepted is no reason to stop.
        let Ok((stream, _)) = listener.accept().await else {
            tokio::time::sleep(Duration::from_millis(5)).await;
            continue;
        };
        let _ = stream.set_nodelay(true);
        let open = OpenConnection::new(shared.clone());
        let shared = shared.clone();
        tokio::spawn(async move {
            let wire = ConnectionTap::default();
            let line = TokioIo::new(InspectedStream::new(stream, wire.clone()));
            let service =
                service_fn(move |request| serve_request(shared.clone(), wire.clone(), request));
            // An error is a scripted fault or a client that disconnected.
            let _ = http1::Builder::new().serve_connection(line, service).await;
            drop(open);
        });
    }
}

/// Counts an open connection until it is dropped.
struct OpenConnection(Arc<ProviderState>);

impl OpenConnection {
    fn new(shared: Arc<ProviderState>) -> Self {
        shared.connections.fetch_add(1, Ordering::SeqCst);
        OpenConnection(shared)
    }
}

impl Drop for OpenConnection {
    fn drop(&mut self) {
        self.0.connections.fetch_sub(1, Ordering::SeqCst);
    }
}
