//! A body that is written by a task.

use std::pin::Pin;
use std::task::{Context, Poll};

use hyper::body::{Body, Bytes, Frame};
use tokio::sync::mpsc::{self, Receiver, Sender};

use crate::body::Broken;

/// What a task writes its body to. It waits as long as the client does not read; once that has left
/// nothing can be written.
pub(super) type Writing = Sender<Part>;

/// What a task writes.
pub(super) enum Part {
    Bytes(Bytes),
    /// All of it was written. Where this does not come, the task came to no good end.
    End,
    Broken(Broken),
}

/// The body.
pub(super) struct Written {
    parts: Receiver<Part>,
    is_over: bool,
}

/// A body and its end for who writes it: one part at a time.
pub(super) fn channel() -> (Writing, Written) {
    let (writing, parts) = mpsc::channel(1);
    (writing, Written { parts, is_over: false })
}

impl Body for Written {
    type Data = Bytes;
    type Error = Broken;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Broken>>> {
        if self.is_over {
            return Poll::Ready(None);
        }
        let part = std::task::ready!(self.parts.poll_recv(context));
        self.is_over = !matches!(part, Some(Part::Bytes(_)));
        Poll::Ready(match part {
            Some(Part::Bytes(bytes)) => Some(Ok(Frame::data(bytes))),
            Some(Part::End) => None,
            Some(Part::Broken(error)) => Some(Err(error)),
            None => Some(Err("the answer was not put together to its end".into())),
        })
    }
}

#[cfg(test)]
mod tests {
    use http_body_util::BodyExt;
    use hyper::body::Bytes;

    use super::{Part, channel};

    #[tokio::test]
    async fn a_body_whose_task_ends_early_is_broken() {
        for is_whole in [true, false] {
            let (writing, written) = channel();
            tokio::spawn(async move {
                writing.send(Part::Bytes(Bytes::from_static(b"some"))).await.ok();
                if is_whole {
                    writing.send(Part::End).await.ok();
                }
            });
            assert_eq!(written.collect().await.is_ok(), is_whole);
        }
    }
}
