//! Bodies of requests: read whole within bounds, and decoded.

use std::io::Read;
use std::pin::Pin;
use std::task::{Context, Poll};

use foveal_listening::Share;
use http_body_util::BodyExt;
use hyper::body::{Body, Bytes, Frame, Incoming, SizeHint};
use hyper::header::{CONTENT_ENCODING, HeaderMap};

use crate::settings::Limits;

/// What was read of a body.
pub(crate) enum Taken {
    /// All of it.
    Whole(Bytes),
    /// More than is looked at: what came of it, and the rest.
    TooLong(Prefixed),
}

/// Why a body was not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ReadError {
    #[error("the body was broken off")]
    BrokenOff,
    #[error("the body did not come")]
    Late,
    #[error("too much is under way; try again in a moment")]
    Busy,
}

/// Reads a body, as far as it is looked at.
pub(crate) async fn read(
    mut body: Incoming,
    limits: &Limits,
    share: &mut Share,
) -> Result<Taken, ReadError> {
    let told = body.size_hint().lower();
    if told > limits.body_bytes as u64 {
        return Ok(Taken::TooLong(Prefixed { first: None, rest: body }));
    }
    // Of the length that was told, so that what is collected never takes more than that.
    let mut whole = Vec::with_capacity(usize::try_from(told).unwrap_or_default());
    let mut counted = 0;
    loop {
        let frame = tokio::time::timeout(limits.body_pause, body.frame()).await;
        let Some(frame) = frame.map_err(|_| ReadError::Late)? else { break };
        let frame = frame.map_err(|_| ReadError::BrokenOff)?;
        let Ok(part) = frame.into_data() else { continue };
        let room = match whole.len() + part.len() > whole.capacity() {
            // It grows to twice its size, and is copied then.
            true => (whole.capacity() * 2).max(whole.len() + part.len()),
            false => whole.len() + part.len(),
        };
        if !share.take(room.saturating_sub(counted), limits.all_bodies_bytes) {
            return Err(ReadError::Busy);
        }
        counted = counted.max(room);
        if whole.is_empty() && body.is_end_stream() {
            // Most small bodies come as one part.
            return Ok(Taken::Whole(part));
        }
        whole.extend_from_slice(&part);
        if whole.len() > limits.body_bytes {
            return Ok(Taken::TooLong(Prefixed { first: Some(whole.into()), rest: body }));
        }
    }
    Ok(Taken::Whole(whole.into()))
}

/// A body of which the beginning was read already.
pub(crate) struct Prefixed {
    first: Option<Bytes>,
    rest: Incoming,
}

impl Body for Prefixed {
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

/// A body whose encoding cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Unreadable;

/// The body behind its encoding; `None` if it has none. No more than `bytes_max` bytes are made
/// of it.
pub(crate) fn decoded(
    headers: &HeaderMap,
    body: &Bytes,
    bytes_max: usize,
) -> Result<Option<Vec<u8>>, Unreadable> {
    let mut names = headers.get_all(CONTENT_ENCODING).iter();
    let Some(name) = names.next() else { return Ok(None) };
    if names.next().is_some() {
        return Err(Unreadable);
    }
    let bytes: &[u8] = body;
    match name.to_str().map(|name| name.trim().to_ascii_lowercase()).as_deref() {
        Ok("" | "identity") => Ok(None),
        // Several members may follow each other.
        Ok("gzip" | "x-gzip") => all(flate2::read::MultiGzDecoder::new(bytes), bytes_max),
        Ok("deflate") => all(flate2::read::ZlibDecoder::new(bytes), bytes_max),
        Ok("br") => all(brotli_decompressor::Decompressor::new(bytes, 16 << 10), bytes_max),
        Ok("zstd") => match zstd::stream::read::Decoder::with_buffer(bytes) {
            Ok(decoder) => all(decoder, bytes_max),
            Err(_) => Err(Unreadable),
        },
        Ok(_) | Err(_) => Err(Unreadable),
    }
}

/// The same on a thread that may be busy for long, where there is anything to do.
pub(crate) async fn decoded_apart(
    headers: &HeaderMap,
    body: &Bytes,
    bytes_max: usize,
) -> Result<Option<Vec<u8>>, Unreadable> {
    if !headers.contains_key(CONTENT_ENCODING) {
        return Ok(None);
    }
    let (headers, body) = (headers.clone(), body.clone());
    let decoding = tokio::task::spawn_blocking(move || decoded(&headers, &body, bytes_max));
    decoding.await.unwrap_or(Err(Unreadable))
}

/// All that a decoder gives, if it is no more than `bytes_max` bytes.
fn all(decoder: impl Read, bytes_max: usize) -> Result<Option<Vec<u8>>, Unreadable> {
    let mut bytes = Vec::new();
    let read = decoder.take(bytes_max as u64 + 1).read_to_end(&mut bytes);
    match read {
        Ok(count) if count <= bytes_max => Ok(Some(bytes)),
        Ok(_) | Err(_) => Err(Unreadable),
    }
}

#[cfg(test)]
mod tests;
