//! Bodies of requests: read within limits, and decoded.

use std::io::Read;
use std::pin::Pin;
use std::task::{Context, Poll};

use foveal_http_guard::MemoryReservation;
use http_body_util::BodyExt;
use hyper::body::{Body, Bytes, Frame, Incoming, SizeHint};
use hyper::header::{CONTENT_ENCODING, HeaderMap};

use crate::settings::GatewayLimits;

/// A body after reading.
pub(crate) enum ReadBody {
    /// All of it.
    Complete(Bytes),
    /// The body exceeds the limit: its beginning, and the unread rest.
    TooLong(PrefixedBody),
}

/// The reasons why a body was not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum BodyReadError {
    #[error("the body ended before it was complete")]
    BrokenOff,
    #[error("timed out while reading the body")]
    Late,
    #[error("too many requests are in progress; try again in a moment")]
    Busy,
}

/// Reads a body up to the size limit.
///
/// # Errors
/// [`BodyReadError`].
pub(crate) async fn read_body(
    mut body: Incoming,
    limits: &GatewayLimits,
    share: &MemoryReservation,
) -> Result<ReadBody, BodyReadError> {
    let told = body.size_hint().lower();
    if told > limits.body_bytes as u64 {
        return Ok(ReadBody::TooLong(PrefixedBody { first: None, rest: body }));
    }
    // The declared length is allocated at once, so that the buffer never exceeds it.
    let mut whole = Vec::with_capacity(usize::try_from(told).unwrap_or_default());
    let mut counted = 0;
    loop {
        let frame = tokio::time::timeout(limits.body_idle_timeout, body.frame()).await;
        let Some(frame) = frame.map_err(|_| BodyReadError::Late)? else { break };
        let frame = frame.map_err(|_| BodyReadError::BrokenOff)?;
        let Ok(part) = frame.into_data() else { continue };
        let room = match whole.len() + part.len() > whole.capacity() {
            // The buffer doubles, and its bytes are copied then.
            true => (whole.capacity() * 2).max(whole.len() + part.len()),
            false => whole.len() + part.len(),
        };
        if !share.reserve(room.saturating_sub(counted), limits.all_bodies_bytes) {
            return Err(BodyReadError::Busy);
        }
        counted = counted.max(room);
        if whole.is_empty() && body.is_end_stream() {
            // Most small bodies arrive as one chunk.
            return Ok(ReadBody::Complete(part));
        }
        whole.extend_from_slice(&part);
        if whole.len() > limits.body_bytes {
            return Ok(ReadBody::TooLong(PrefixedBody { first: Some(whole.into()), rest: body }));
        }
    }
    Ok(ReadBody::Complete(whole.into()))
}

/// A body whose beginning has been read.
pub(crate) struct PrefixedBody {
    first: Option<Bytes>,
    rest: Incoming,
}

impl Body for PrefixedBody {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        match self.first.take() {
            Some(first) => Poll::Ready(Some(Ok(Frame::data(first)))),
            None => Pin::new(&mut self.rest).poll_frame(context),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.first.is_none() && self.rest.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        if self.first.is_some() { SizeHint::default() } else { self.rest.size_hint() }
    }
}

/// The error of an unknown, repeated or broken encoding, or of a decoded body that is too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct UnreadableEncoding;

/// Decodes a body; `None` if it has no encoding. The decoded body has at most `bytes_max` bytes.
///
/// # Errors
/// [`UnreadableEncoding`].
pub(crate) fn decode_body(
    headers: &HeaderMap,
    body: &Bytes,
    bytes_max: usize,
) -> Result<Option<Vec<u8>>, UnreadableEncoding> {
    let mut names = headers.get_all(CONTENT_ENCODING).iter();
    let Some(name) = names.next() else { return Ok(None) };
    if names.next().is_some() {
        return Err(UnreadableEncoding);
    }
    let bytes: &[u8] = body;
    match name.to_str().map(|name| name.trim().to_ascii_lowercase()).as_deref() {
        Ok("" | "identity") => Ok(None),
        // A gzip body may have several members.
        Ok("gzip" | "x-gzip") => read_bounded(flate2::read::MultiGzDecoder::new(bytes), bytes_max),
        Ok("deflate") => read_bounded(flate2::read::ZlibDecoder::new(bytes), bytes_max),
        Ok("br") => {
            read_bounded(brotli_decompressor::Decompressor::new(bytes, 16 << 10), bytes_max)
        }
        Ok("zstd") => match zstd::stream::read::Decoder::with_buffer(bytes) {
            Ok(decoder) => read_bounded(decoder, bytes_max),
            Err(_) => Err(UnreadableEncoding),
        },
        Ok(_) | Err(_) => Err(UnreadableEncoding),
    }
}

/// Returns all output of a decoder, if it has at most `bytes_max` bytes.
fn read_bounded(
    decoder: impl Read,
    bytes_max: usize,
) -> Result<Option<Vec<u8>>, UnreadableEncoding> {
    let mut bytes = Vec::new();
    let read = decoder.take(bytes_max as u64 + 1).read_to_end(&mut bytes);
    match read {
        Ok(count) if count <= bytes_max => Ok(Some(bytes)),
        Ok(_) | Err(_) => Err(UnreadableEncoding),
    }
}

#[cfg(test)]
mod tests;
