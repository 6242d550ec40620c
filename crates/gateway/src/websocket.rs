//! WebSockets, which are forwarded unchanged.

use std::sync::Arc;

use foveal_http_guard::ConnectionSlot;
use hyper::body::Incoming;
use hyper::header::{CONNECTION, HeaderMap, HeaderValue, UPGRADE};
use hyper::{Request, Response, StatusCode, Uri};
use hyper_util::client::legacy;
use hyper_util::rt::TokioIo;
use tokio_util::sync::CancellationToken;

use crate::body;
use crate::client::HttpClient;
use crate::connection_activity::ConnectionActivity;
use crate::headers;

/// The resources of a connection that outlive the request by which it was upgraded.
#[derive(Debug, Clone)]
pub(crate) struct ConnectionLease {
    /// Its slot in the connection pool.
    #[expect(dead_code, reason = "the place is free once this is dropped")]
    pub(crate) slot: Arc<ConnectionSlot<ConnectionActivity>>,
    /// The requests on it.
    pub(crate) activity: ConnectionActivity,
    /// Cancelled when the gateway ends, whatever is still under way.
    pub(crate) shutdown: CancellationToken,
}

/// Asks the upstream for the same upgrade, and connects both sides until either closes. The
/// response has no body if the connection was upgraded.
///
/// # Errors
/// If the upstream cannot be asked.
pub(crate) async fn forward_upgrade(
    upward: &HttpClient,
    request: Request<Incoming>,
    uri: Uri,
    host: &str,
) -> Result<Response<Option<Incoming>>, legacy::Error> {
    let (mut parts, body) = request.into_parts();
    let wanted = parts.headers.get(UPGRADE).cloned();
    let lasting = parts.extensions.remove::<ConnectionLease>();
    let client_side = hyper::upgrade::on(Request::from_parts(parts.clone(), body::full_body("")));
    let mut passed = headers::forwarded_headers(std::mem::take(&mut parts.headers), host);
    set_upgrade(&mut passed, wanted);
    drop(body);
    let mut asked = Request::new(body::full_body(""));
    *asked.method_mut() = parts.method;
    *asked.uri_mut() = uri;
    *asked.headers_mut() = passed;
    let mut response = upward.upgrade(asked).await?;
    if response.status() != StatusCode::SWITCHING_PROTOCOLS {
        headers::remove_hop_by_hop(response.headers_mut());
        return Ok(response.map(Some));
    }
    let upstream_side = hyper::upgrade::on(&mut response);
    tokio::spawn(async move {
        let (Ok(client), Ok(upstream)) = (client_side.await, upstream_side.await) else { return };
        let working = lasting.as_ref().map(|lasting| lasting.activity.begin_request());
        let (mut client, mut upstream) = (TokioIo::new(client), TokioIo::new(upstream));
        let over = async {
            match &lasting {
                Some(lasting) => lasting.shutdown.cancelled().await,
                None => std::future::pending().await,
            }
        };
        // In both cases, both connections are closed.
        tokio::select! {
            ended = tokio::io::copy_bidirectional(&mut client, &mut upstream) => drop(ended),
            () = over => {}
        }
        drop((working, lasting));
    });
    let agreed = response.headers().get(UPGRADE).cloned();
    headers::remove_hop_by_hop(response.headers_mut());
    set_upgrade(response.headers_mut(), agreed);
    Ok(response.map(|_| None))
}

fn set_upgrade(headers: &mut HeaderMap, protocol: Option<HeaderValue>) {
    if let Some(protocol) = protocol {
        headers.insert(UPGRADE, protocol);
        headers.insert(CONNECTION, HeaderValue::from_static("upgrade"));
    }
}
