//! Whole answers put together to one.

use foveal_wire::response::RoundDocument;
use http_body_util::BodyExt;
use hyper::body::{Bytes, Incoming};
use hyper::header::{CONTENT_ENCODING, CONTENT_LENGTH};
use hyper::{Response, StatusCode};

use super::next::{can_be_read, streams};
use super::rounds::{After, Rounds};
use crate::decoding::Decoding;
use crate::headers;
use crate::service::Passing;
use crate::told::Told;

/// Longer answers are not put together.
const BYTES_MAX: usize = 64 << 20;

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failed {
    #[error("{0}")]
    Asked(#[from] hyper_util::client::legacy::Error),
    #[error("it broke off: {0}")]
    BrokeOff(#[from] hyper::Error),
    #[error("its answer cannot be decoded to its end")]
    Encoding,
    #[error("its answer is longer than {BYTES_MAX} bytes")]
    TooLong,
    #[error("{0}")]
    CannotGoOn(&'static str),
}

impl Rounds {
    /// The answer that the client gets: a stream that is still to come, or a document.
    pub(crate) async fn answer(
        mut self,
        response: Response<Incoming>,
        told: &mut Told,
    ) -> Result<Response<Passing>, Failed> {
        let protocol = self.offering.asked.protocol;
        let (mut head, body) = response.into_parts();
        let decoding = Decoding::of(&head.headers);
        headers::remove_hop_by_hop(&mut head.headers);
        head.headers.remove(CONTENT_ENCODING);
        head.headers.remove(CONTENT_LENGTH);
        told.begins(protocol, head.status.as_u16(), &head.headers);
        if streams(&head.headers) {
            return Ok(Response::from_parts(head, Passing::Rounds((body, decoding), self.into())));
        }
        let mut bytes = read(body, decoding).await?;
        let mut document = RoundDocument::new(protocol);
        loop {
            let untouched = (self.before() == 0).then(|| bytes.clone());
            let Some(turn) = document.take(bytes) else {
                // It is no answer of a model that is understood.
                let bytes = untouched.ok_or(Failed::CannotGoOn("its answer cannot be read"))?;
                return Ok(Response::from_parts(head, Passing::Whole(bytes.into())));
            };
            let has_calls = !turn.calls.is_empty();
            match self.after(turn).await {
                After::Over { ends } => {
                    let bytes = untouched.filter(|_| !has_calls);
                    let bytes = bytes.unwrap_or_else(|| document.told(ends));
                    return Ok(Response::from_parts(head, Passing::Whole(bytes.into())));
                }
                After::Failed(why) => return Err(Failed::CannotGoOn(why)),
                After::Ask(next) => {
                    let response = self.next.ask(next).await?;
                    if response.status() != StatusCode::OK || !can_be_read(&response) {
                        return Ok(refused(response, &self, told));
                    }
                    document.next();
                    told.exchange().rounds += 1;
                    let decoding = Decoding::of(response.headers());
                    bytes = read(response.into_body(), decoding).await?;
                }
            }
        }
    }
}

/// What an upstream said in place of a later answer: the client gets it as it is.
fn refused(
    mut response: Response<Incoming>,
    rounds: &Rounds,
    told: &mut Told,
) -> Response<Passing> {
    let protocol = rounds.offering.asked.protocol;
    told.begins(protocol, response.status().as_u16(), response.headers());
    headers::remove_hop_by_hop(response.headers_mut());
    response.map(Passing::Answer)
}

/// All of an answer, behind its encoding.
async fn read(mut body: Incoming, mut decoding: Decoding) -> Result<Vec<u8>, Failed> {
    let mut bytes = Vec::new();
    while let Some(frame) = body.frame().await {
        let part: Bytes = frame?.into_data().unwrap_or_default();
        decoding.push(&part, |plain| bytes.extend_from_slice(plain));
        if bytes.len() > BYTES_MAX {
            return Err(Failed::TooLong);
        }
    }
    if !decoding.is_whole() {
        return Err(Failed::Encoding);
    }
    Ok(bytes)
}
