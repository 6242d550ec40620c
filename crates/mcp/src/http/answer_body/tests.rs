use std::task::Waker;

use http_body_util::BodyExt;
use tokio::net::{TcpListener, TcpStream};

use super::*;

const QUESTION: &str = r#"data: {"jsonrpc":"2.0","id":7,"method":"ping"}"#;
const ANSWER: &str = r#"data: {"jsonrpc":"2.0","id":1,"result":{}}"#;

/// Yields all its events, and then stays pending.
struct Events(Vec<&'static str>);

impl Body for Events {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        match self.0.is_empty() {
            true => Poll::Pending,
            false => Poll::Ready(Some(Ok(Frame::data(format!("{}\n\n", self.0.remove(0)).into())))),
        }
    }
}

/// Sends these events and waits for more. Returns those that came through, and whether the body
/// ended.
async fn check(has_one_answer: bool, events: &[&'static str], through: usize, ends: bool) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let (near, _far) = tokio::join!(listener.accept(), TcpStream::connect(address));
    let line = TrackedConnection::new(near.expect("a client").0);
    let passage = DeliveryTracker::new(&std::sync::Arc::default());
    let body = Events(events.to_vec()).boxed();
    let mut body = AnswerBody::new(body, has_one_answer, passage, line);
    let mut context = Context::from_waker(Waker::noop());
    let mut came = 0;
    while let Poll::Ready(Some(_)) = Pin::new(&mut body).poll_frame(&mut context) {
        came += 1;
    }
    assert_eq!((came, body.is_end_stream()), (through, ends), "{events:?}");
}

#[tokio::test]
async fn a_body_ends_with_the_answer_it_is_for() {
    check(true, &[QUESTION, ANSWER], 2, true).await;
    check(true, &[ANSWER, QUESTION], 1, true).await;
    check(true, &[QUESTION, QUESTION], 2, false).await;
    // Who listens to all that is said goes on.
    check(false, &[ANSWER, QUESTION], 2, false).await;
}
