//! The server: a listener on loopback with a thread of its own.

use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use foveal_listening::Overheard;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::runtime;
use tokio::sync::oneshot;

use crate::head::Wire;
use crate::reply::{Reply, Script};
use crate::seen::Seen;
use crate::service::{Shared, answer, lock};
use crate::settings::Settings;

/// A model provider on loopback. Ends with the value that stands for it.
#[derive(Debug)]
pub struct Upstream {
    address: SocketAddr,
    shared: Arc<Shared>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Upstream {
    /// Starts one on a free port.
    ///
    /// # Errors
    /// What the system says where no port, thread or runtime can be had.
    pub fn start(settings: Settings) -> io::Result<Upstream> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let script = Script::always(Reply::text(settings.text.clone()));
        let shared = Arc::new(Shared::new(settings, script));
        let (stop, stopped) = oneshot::channel();
        let runtime = runtime::Builder::new_current_thread().enable_all().build()?;
        let serving = shared.clone();
        let thread = thread::Builder::new().name("upstream".to_owned()).spawn(move || {
            runtime.block_on(async {
                tokio::select! {
                    () = serve(listener, serving) => {}
                    _ = stopped => {}
                }
            });
        })?;
        Ok(Upstream { address, shared, stop: Some(stop), thread: Some(thread) })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The base URL, without a path and without a slash at its end.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// From now on answers by this script; requests are counted from 0 again.
    pub fn play(&self, script: Script) {
        *lock(&self.shared.script) = script;
        self.shared.asked.store(0, Ordering::SeqCst);
    }

    /// Moves the clock by which the cache forgets.
    pub fn advance(&self, by: Duration) {
        let by = u64::try_from(by.as_millis()).unwrap_or(u64::MAX);
        self.shared.now_ms.fetch_add(by, Ordering::SeqCst);
    }

    /// All requests so far, in the order in which they were read to their end.
    pub fn seen(&self) -> Vec<Arc<Seen>> {
        lock(&self.shared.seen).clone()
    }

    /// Takes the requests so far, so that they are told of no more. Cache and conversations stay.
    pub fn take_seen(&self) -> Vec<Arc<Seen>> {
        std::mem::take(&mut *lock(&self.shared.seen))
    }

    /// Waits until there are `count` requests; gives those that there are after `patience`.
    pub fn wait_for(&self, count: usize, patience: Duration) -> Vec<Arc<Seen>> {
        let end = Instant::now() + patience;
        let mut seen = lock(&self.shared.seen);
        while seen.len() < count {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            seen = match self.shared.has_seen.wait_timeout(seen, left) {
                Ok((seen, _)) => seen,
                Err(poisoned) => poisoned.into_inner().0,
            };
        }
        seen.clone()
    }

    /// How many connections are open.
    pub fn connections(&self) -> usize {
        self.shared.connections.load(Ordering::SeqCst)
    }

    /// How many requests there were, also where nothing is kept of them.
    pub fn requests(&self) -> usize {
        self.shared.requests.load(Ordering::SeqCst)
    }
}

impl Drop for Upstream {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

async fn serve(listener: TcpListener, shared: Arc<Shared>) {
    let Ok(listener) = tokio::net::TcpListener::from_std(listener) else { return };
    loop {
        // A client that gave up while it was taken in is no reason to stop.
        let Ok((stream, _)) = listener.accept().await else {
            tokio::time::sleep(Duration::from_millis(5)).await;
            continue;
        };
        let _ = stream.set_nodelay(true);
        let open = OpenConnection::new(shared.clone());
        let shared = shared.clone();
        tokio::spawn(async move {
            let wire = Wire::default();
            let line = TokioIo::new(Overheard::new(stream, wire.clone()));
            let service = service_fn(move |request| answer(shared.clone(), wire.clone(), request));
            // A failure is what a script asked for, or a client that left.
            let _ = http1::Builder::new().serve_connection(line, service).await;
            drop(open);
        });
    }
}

/// Counts a connection as long as it is there.
struct OpenConnection(Arc<Shared>);

impl OpenConnection {
    fn new(shared: Arc<Shared>) -> Self {
        shared.connections.fetch_add(1, Ordering::SeqCst);
        OpenConnection(shared)
    }
}

impl Drop for OpenConnection {
    fn drop(&mut self) {
        self.0.connections.fetch_sub(1, Ordering::SeqCst);
    }
}
