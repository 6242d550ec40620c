//! WebSockets: passed through as they are.

use std::sync::Arc;

use foveal_listening::ConnectionSlot;
use hyper::body::Incoming;
use hyper::header::{CONNECTION, HeaderMap, HeaderValue, UPGRADE};
use hyper::{Request, Response, StatusCode, Uri};
use hyper_util::client::legacy;
use hyper_util::rt::TokioIo;
use tokio_util::sync::CancellationToken;

use crate::activity::ConnectionActivity;
use crate::body;
use crate::client::Upward;
use crate::headers;

/// What a connection holds and heeds that outlasts the request by which it became one of another
/// kind.
#[derive(Debug, Clone)]
pub(crate) struct Lasting {
    /// Its place among the connections that may be open.
    #[expect(dead_code, reason = "the place is free once this is dropped")]
    pub(crate) slot: Arc<ConnectionSlot<ConnectionActivity>>,
    /// The requests on it.
    pub(crate) activity: ConnectionActivity,
    /// Cancelled when it is over, whatever still passes.
    pub(crate) over: CancellationToken,
}

/// Asks the upstream for the same connection, and where it agrees joins the two until either side
/// closes. `None` in place of a body: the connection is no longer one of HTTP.
pub(crate) async fn pass(
    upward: &Upward,
    request: Request<Incoming>,
    uri: Uri,
    host: &str,
) -> Result<Response<Option<Incoming>>, legacy::Error> {
    let (mut parts, body) = request.into_parts();
    let wanted = parts.headers.get(UPGRADE).cloned();
    let lasting = parts.extensions.remove::<Lasting>();
    let client_side = hyper::upgrade::on(Request::from_parts(parts.clone(), body::whole("")));
    let mut passed = headers::passed_on(std::mem::take(&mut parts.headers), host);
    ask_for(&mut passed, wanted);
    drop(body);
    let mut asked = Request::new(body::whole(""));
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
                Some(lasting) => lasting.over.cancelled().await,
                None => std::future::pending().await,
            }
        };
        // However it ends, both sides are closed then.
        tokio::select! {
            ended = tokio::io::copy_bidirectional(&mut client, &mut upstream) => drop(ended),
            () = over => {}
        }
        drop((working, lasting));
    });
    let agreed = response.headers().get(UPGRADE).cloned();
    headers::remove_hop_by_hop(response.headers_mut());
    ask_for(response.headers_mut(), agreed);
    Ok(response.map(|_| None))
}

fn ask_for(headers: &mut HeaderMap, protocol: Option<HeaderValue>) {
    if let Some(protocol) = protocol {
        headers.insert(UPGRADE, protocol);
        headers.insert(CONNECTION, HeaderValue::from_static("upgrade"));
    }
}
