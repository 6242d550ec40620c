//! A local server that answers each path as a test defines, and a fetcher that resolves it as
//! `site.test`.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{IpAddr, Ipv4Addr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use foveal_transcript::CancelToken;
use foveal_web::{
    AddressPolicy, FetchError, FetchLimits, FetchOutcome, FetchRequest, Fetcher, PageContent,
    RedirectFilter, WebPage,
};

/// Writes a response to the client, given the head of the request.
pub(crate) type Answer = Box<dyn Fn(&str, &mut TcpStream) + Send + Sync>;

pub(crate) struct Server {
    pub(crate) port: u16,
    /// The heads of all requests.
    pub(crate) asked: Arc<Mutex<Vec<String>>>,
    ended: Arc<AtomicBool>,
}

impl Server {
    pub(crate) fn start(answers: Vec<(&str, Answer)>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let asked = Arc::<Mutex<Vec<String>>>::default();
        let ended = Arc::<AtomicBool>::default();
        let answers: HashMap<String, Answer> =
            answers.into_iter().map(|(path, answer)| (path.to_owned(), answer)).collect();
        let (answers, log, end) = (Arc::new(answers), Arc::clone(&asked), Arc::clone(&ended));
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                if end.load(Ordering::SeqCst) {
                    return;
                }
                let (answers, log) = (Arc::clone(&answers), Arc::clone(&log));
                thread::spawn(move || serve(stream, &answers, &log));
            }
        });
        Self { port, asked, ended }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://site.test:{}{path}", self.port)
    }

    pub(crate) fn count(&self) -> usize {
        self.asked.lock().unwrap().len()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::SeqCst);
        drop(TcpStream::connect(("127.0.0.1", self.port)));
    }
}

/// Answers one request per connection, then closes it.
fn serve(mut stream: TcpStream, answers: &HashMap<String, Answer>, log: &Mutex<Vec<String>>) {
    stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    stream.set_write_timeout(Some(Duration::from_secs(10))).unwrap();
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut head = String::new();
    while reader.read_line(&mut head).is_ok_and(|count| count > 2) {}
    if head.starts_with("CONNECT ") {
        // As a proxy whose tunnels all lead here.
        log.lock().unwrap().push(head.clone());
        stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").unwrap();
        head.clear();
        while reader.read_line(&mut head).is_ok_and(|count| count > 2) {}
    }
    let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
    log.lock().unwrap().push(head.clone());
    match answers.get(&path) {
        Some(answer) => answer(&head, &mut stream),
        None => send(&mut stream, "404 Not Found", "content-type: text/html\r\n", b"<h1>Gone</h1>"),
    }
}

/// Returns a response with its length.
pub(crate) fn send(stream: &mut TcpStream, status: &str, headers: &str, body: &[u8]) {
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status}\r\n{headers}content-length: {length}\r\nconnection: close\r\n\r\n"
    );
    // A client that has gone away is what some tests are about.
    drop(stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body)));
}

/// Returns a handler that sends a successful response of this type.
pub(crate) fn good(content_type: &str, body: impl Into<Vec<u8>>) -> Answer {
    let (headers, body) = (format!("content-type: {content_type}\r\n"), body.into());
    Box::new(move |_, stream| send(stream, "200 OK", &headers, &body))
}

/// Returns a handler that sends a response of this status with these headers, each ended by `\r\n`.
pub(crate) fn answer(status: &str, headers: &str, body: impl Into<Vec<u8>>) -> Answer {
    let (status, headers, body) = (status.to_owned(), headers.to_owned(), body.into());
    Box::new(move |_, stream| send(stream, &status, &headers, &body))
}

pub(crate) fn redirect(status: &str, to: &str) -> Answer {
    answer(status, &format!("location: {to}\r\n"), "")
}

/// Returns a handler that sends these bytes only.
pub(crate) fn raw(bytes: impl Into<Vec<u8>>) -> Answer {
    let bytes = bytes.into();
    Box::new(move |_, stream| drop(stream.write_all(&bytes)))
}

/// Short time-outs, so that tests of slow servers are fast.
pub(crate) fn limits() -> FetchLimits {
    FetchLimits {
        connect_time: Duration::from_secs(5),
        read_time: Duration::from_secs(5),
        total_time: Duration::from_secs(20),
        ..FetchLimits::default()
    }
}

/// A fetcher that resolves every name to this machine and may fetch from `site.test`.
pub(crate) fn fetcher(limits: FetchLimits) -> Fetcher {
    let here = |_: &str| Ok(vec![IpAddr::V4(Ipv4Addr::LOCALHOST)]);
    Fetcher::new(AddressPolicy::new(["site.test"]), limits).with_name_lookup(Arc::new(here))
}

/// A redirect filter that allows every redirect.
pub(crate) fn anywhere() -> RedirectFilter {
    Arc::new(|_: &str| true)
}

pub(crate) fn fetch(fetcher: &Fetcher, url: &str) -> Result<WebPage, FetchError> {
    let request = FetchRequest { url: url.to_owned(), cached: None };
    match fetcher.fetch(&request, &anywhere(), &CancelToken::NEVER)? {
        FetchOutcome::Page(page) => Ok(*page),
        FetchOutcome::NotModified { .. } => panic!("nothing was known before"),
    }
}

/// Fetches the only page of a server with default limits.
pub(crate) fn page(answer: Answer) -> WebPage {
    let server = Server::start(vec![("/", answer)]);
    fetch(&fetcher(limits()), &server.url("/")).unwrap()
}

/// Returns the Markdown of an HTML page.
pub(crate) fn markdown(html: &str) -> String {
    match page(good("text/html; charset=utf-8", html)).content {
        PageContent::Markdown(text) => text,
        other => panic!("{other:?}"),
    }
}

/// Returns the error of a fetch that must fail.
pub(crate) fn failure(fetcher: &Fetcher, url: &str) -> FetchError {
    match fetch(fetcher, url) {
        Err(error) => error,
        Ok(page) => panic!("a page: {page:?}"),
    }
}
