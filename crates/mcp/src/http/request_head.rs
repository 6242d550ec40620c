//! Checks of request heads.

use std::convert::Infallible;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::SystemTime;

use foveal_http_guard::{AccessToken, InspectedStream, ReadObserver};
use http_body_util::Empty;
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};

use super::allowed_hosts::AllowedHosts;
use super::auth::{self, RequestRejection};
use super::recent_bytes::{HEAD_BYTES_MAX, RecentBytes};
use super::{ambiguity, body_encoding};

/// Bytes in the pipe of [`admitted_heads`].
const PIPE_BYTES: usize = 64 << 10;

/// Checks the head of a request; `read` holds it as received.
///
/// # Errors
/// [`RequestRejection`].
pub(super) fn admit_request<Body>(
    request: &Request<Body>,
    read: &[u8],
    hosts: &AllowedHosts,
    token: Option<&AccessToken>,
) -> Result<(), RequestRejection> {
    let host = ambiguity::check_unambiguous(request, read).map_err(RequestRejection::Ambiguous)?;
    if !hosts.contains(&host) {
        return Err(RequestRejection::UnknownHost);
    }
    auth::authorise(token, request.uri().path(), request.headers())?;
    body_encoding::check_encoding(request.headers()).map_err(RequestRejection::UnsupportedBody)
}

/// Builds the HTTP/1 connection builder with our limits.
pub(super) fn connection_builder() -> http1::Builder {
    let mut builder = http1::Builder::new();
    // The buffer size alone is no bound: a read may return twice as much.
    builder.max_buf_size(HEAD_BYTES_MAX).max_header_size(HEAD_BYTES_MAX);
    builder.auto_date_header(foveal_http_guard::is_date_header_safe(SystemTime::now()));
    builder
}

/// Returns for each request of a connection that sends `bytes` in pieces of `piece` bytes whether
/// it is admitted, under any host name. Bodies are skipped. For tests and fuzzing.
pub async fn admitted_heads(bytes: &[u8], piece: usize, token: Option<&AccessToken>) -> Vec<bool> {
    let (near, far) = tokio::io::duplex(PIPE_BYTES);
    let (read, taken) = (HeadRecorder::default(), Arc::new(Mutex::new(Vec::new())));
    let stream = InspectedStream::new(near, read.clone());
    let service = service_fn(|request: Request<Incoming>| {
        let read = read.lock().take();
        let is_taken = admit_request(&request, &read, &AllowedHosts::Any, token).is_ok();
        taken.lock().unwrap_or_else(PoisonError::into_inner).push(is_taken);
        async { Ok::<_, Infallible>(Response::new(Empty::<Bytes>::new())) }
    });
    let served = connection_builder().serve_connection(TokioIo::new(stream), service);
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
    // An unreadable head ends the connection.
    let (ended, (), ()) = tokio::join!(served, send, listen);
    drop(ended);
    std::mem::take(&mut taken.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Records the bytes read from a stream, as for a connection.
#[derive(Clone, Default)]
struct HeadRecorder(Arc<Mutex<RecentBytes>>);

impl HeadRecorder {
    fn lock(&self) -> MutexGuard<'_, RecentBytes> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ReadObserver<DuplexStream> for HeadRecorder {
    fn on_read(&mut self, read: Poll<&[u8]>, _: &mut Context<'_>) -> io::Result<()> {
        if let Poll::Ready(bytes) = read {
            self.lock().push(bytes);
        }
        Ok(())
    }
}
