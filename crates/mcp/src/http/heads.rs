//! Which heads of requests are taken.

use std::convert::Infallible;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::SystemTime;

use foveal_listening::{Ear, Overheard, Token};
use http_body_util::Empty;
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};

use super::auth::{self, Rejection};
use super::hosts::Hosts;
use super::read_last::{HEAD_BYTES_MAX, ReadLast};
use super::{clear, coding};

/// Bytes that are under way at most in [`taken_heads`].
const UNDER_WAY_BYTES: usize = 64 << 10;

/// That a request may go on; `read` holds its head as it came.
///
/// # Errors
/// [`Rejection`].
pub(super) fn admit<Body>(
    request: &Request<Body>,
    read: &[u8],
    hosts: &Hosts,
    token: Option<&Token>,
) -> Result<(), Rejection> {
    let host = clear::check(request, read).map_err(Rejection::Unclear)?;
    if !hosts.has(&host) {
        return Err(Rejection::OtherName);
    }
    auth::authorise(token, request.uri().path(), request.headers())?;
    coding::check(request.headers()).map_err(Rejection::Undecoded)
}

/// What reads requests from a connection.
pub(super) fn reader() -> http1::Builder {
    let mut builder = http1::Builder::new();
    // The buffer alone is no bound: what comes at once may be twice as much.
    builder.max_buf_size(HEAD_BYTES_MAX).max_header_size(HEAD_BYTES_MAX);
    builder.auto_date_header(foveal_listening::is_date_header_safe(SystemTime::now()));
    builder
}

/// Of each request that a connection hands on which sends `bytes` in pieces of so many, whether it
/// is taken, whatever name it asks under. Bodies are passed over. For tests.
pub async fn taken_heads(bytes: &[u8], piece: usize, token: Option<&Token>) -> Vec<bool> {
    let (near, far) = tokio::io::duplex(UNDER_WAY_BYTES);
    let (read, taken) = (Recorded::default(), Arc::new(Mutex::new(Vec::new())));
    let stream = Overheard::new(near, read.clone());
    let service = service_fn(|request: Request<Incoming>| {
        let read = read.lock().take();
        let is_taken = admit(&request, &read, &Hosts::Any, token).is_ok();
        taken.lock().unwrap_or_else(PoisonError::into_inner).push(is_taken);
        async { Ok::<_, Infallible>(Response::new(Empty::<Bytes>::new())) }
    });
    let served = reader().serve_connection(TokioIo::new(stream), service);
    let (mut answers, mut requests) = tokio::io::split(far);
    let send = async {
        for part in bytes.chunks(piece.max(1)) {
            if requests.write_all(part).await.is_err() {
                break;
            }
            tokio::task::yield_now().await;
        }
        drop(requests.shutdown().await);
    };
    let listen = async {
        let mut all = Vec::new();
        drop(answers.read_to_end(&mut all).await);
    };
    // A head that cannot be read ends the connection.
    let (ended, (), ()) = tokio::join!(served, send, listen);
    drop(ended);
    std::mem::take(&mut taken.lock().unwrap_or_else(PoisonError::into_inner))
}

/// What was read last from a stream, as it is kept of a connection.
#[derive(Clone, Default)]
struct Recorded(Arc<Mutex<ReadLast>>);

impl Recorded {
    fn lock(&self) -> MutexGuard<'_, ReadLast> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Ear<DuplexStream> for Recorded {
    fn heard(&mut self, read: Poll<&[u8]>, _: &mut Context<'_>) -> io::Result<()> {
        if let Poll::Ready(bytes) = read {
            self.lock().add(bytes);
        }
        Ok(())
    }
}
