//! A scripted embedding server on this machine.
//!
//! It speaks Ollama's and OpenAI's protocols on a port that the system chooses, and stops when its
//! value is dropped. Its model sums vectors of words: texts with common words are near each other,
//! and results are deterministic.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// The time that a client may take to send a request.
const READ_TIMEOUT: Duration = Duration::from_secs(10);

/// The number of attempts to bind a port that is still in use.
const BIND_ATTEMPTS: u32 = 200;

/// The interval between two checks while waiting.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// The most bytes of a request.
const REQUEST_BYTES_MAX: u64 = 4 << 20;

/// A received request for embeddings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmbeddingRequest {
    /// The number of requests before this one.
    pub number: usize,
    /// The path, such as `/api/embed`.
    pub path: String,
    /// The `Authorization` header.
    pub authorization: Option<String>,
    /// The model's name.
    pub model: String,
    /// The texts to embed.
    pub texts: Vec<String>,
}

/// The scripted reply to a request.
#[derive(Debug, Clone, PartialEq)]
pub enum EmbeddingReply {
    /// Embeddings of the texts.
    Vectors {
        /// The number of components of each.
        dimensions: usize,
        /// The number of the model; another number gives other vectors.
        model: u64,
    },
    /// This status, these headers (each ended by `\r\n`) and this body.
    Raw(u16, String, String),
    /// No reply for this long, or until the server stops; then the connection closes.
    Silence(Duration),
    /// The first half of a valid response.
    Truncated,
}

/// A running server.
pub struct EmbeddingServer {
    address: SocketAddr,
    requests: Arc<Mutex<Vec<EmbeddingRequest>>>,
    ended: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl EmbeddingServer {
    /// Starts a server that replies by `script`.
    pub fn start(
        script: impl Fn(&EmbeddingRequest) -> EmbeddingReply + Send + Sync + 'static,
    ) -> Self {
        Self::start_at_address("127.0.0.1:0", script)
    }

    /// Starts a server at the address of an earlier one that has stopped.
    pub fn start_at_address(
        address: &str,
        script: impl Fn(&EmbeddingRequest) -> EmbeddingReply + Send + Sync + 'static,
    ) -> Self {
        let listener = bind_listener(address);
        let address = listener.local_addr().expect("it was bound");
        let (requests, ended) =
            (Arc::<Mutex<Vec<EmbeddingRequest>>>::default(), Arc::<AtomicBool>::default());
        let (log, end) = (Arc::clone(&requests), Arc::clone(&ended));
        let thread = thread::spawn(move || {
            thread::scope(|scope| {
                for stream in listener.incoming().map_while(Result::ok) {
                    if end.load(Ordering::SeqCst) {
                        return;
                    }
                    let (script, log, end) = (&script, &log, &*end);
                    // Some tests let the client disconnect.
                    scope.spawn(move || drop(serve(&stream, script, log, end)));
                }
            });
        });
        Self { address, requests, ended, thread: Some(thread) }
    }

    /// Returns the address as `127.0.0.1:PORT`.
    pub fn address(&self) -> String {
        self.address.to_string()
    }

    /// Returns all requests so far.
    pub fn requests(&self) -> Vec<EmbeddingRequest> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for EmbeddingServer {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::SeqCst);
        // Wakes the thread that waits for a connection.
        drop(TcpStream::connect(self.address));
        if let Some(thread) = self.thread.take() {
            // It fails only if the test fails, too.
            drop(thread.join());
        }
    }
}

/// Replies with vectors of 16 components.
pub fn vectors_reply(_: &EmbeddingRequest) -> EmbeddingReply {
    EmbeddingReply::Vectors { dimensions: 16, model: 0 }
}

/// Binds `address`. Retries, because a process that another test is about to start holds this one's
/// sockets for a moment.
fn bind_listener(address: &str) -> TcpListener {
    for _ in 0..BIND_ATTEMPTS {
        match TcpListener::bind(address) {
            Ok(listener) => return listener,
            Err(_) => thread::sleep(POLL_INTERVAL),
        }
    }
    TcpListener::bind(address).expect("a port on this machine")
}

fn serve(
    mut stream: &TcpStream,
    script: &(dyn Fn(&EmbeddingRequest) -> EmbeddingReply + Sync),
    log: &Mutex<Vec<EmbeddingRequest>>,
    ended: &AtomicBool,
) -> std::io::Result<()> {
    stream.set_read_timeout(Some(READ_TIMEOUT))?;
    let mut reader = BufReader::new(stream.take(REQUEST_BYTES_MAX));
    let (mut asked, length) = read_head(&mut reader)?;
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let body: Value = serde_json::from_slice(&body)?;
    asked.model = body["model"].as_str().unwrap_or_default().to_owned();
    let texts = body["input"].as_array().into_iter().flatten();
    asked.texts = texts.filter_map(|text| text.as_str().map(str::to_owned)).collect();
    {
        let mut log = log.lock().unwrap_or_else(PoisonError::into_inner);
        asked.number = log.len();
        log.push(asked.clone());
    }
    match script(&asked) {
        EmbeddingReply::Vectors { dimensions, model } => {
            send_response(stream, 200, "", &embeddings_body(&asked, dimensions, model))
        }
        EmbeddingReply::Raw(status, headers, body) => {
            send_response(stream, status, &headers, &body)
        }
        EmbeddingReply::Silence(time) => {
            let until = Instant::now() + time;
            while Instant::now() < until && !ended.load(Ordering::SeqCst) {
                thread::sleep(POLL_INTERVAL);
            }
            Ok(())
        }
        EmbeddingReply::Truncated => {
            let body = embeddings_body(&asked, 16, 0);
            let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", body.len());
            stream.write_all(format!("{head}{}", &body[..body.len() / 2]).as_bytes())
        }
    }
}

/// Reads the lines before the body, and the length of the body.
fn read_head(reader: &mut impl BufRead) -> std::io::Result<(EmbeddingRequest, usize)> {
    let mut line = String::new();
    reader.read_line(&mut line)?;
    let path = line.split(' ').nth(1).unwrap_or_default().to_owned();
    let (model, texts) = (String::new(), Vec::new());
    let mut asked = EmbeddingRequest { number: 0, path, authorization: None, model, texts };
    let mut length = 0;
    loop {
        line.clear();
        if reader.read_line(&mut line)? == 0 || line.trim().is_empty() {
            return Ok((asked, length));
        }
        let (name, value) = line.split_once(':').unwrap_or_default();
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.trim().parse().unwrap_or_default(),
            "authorization" => asked.authorization = Some(value.trim().to_owned()),
            _ => {}
        }
    }
}

fn send_response(
    mut stream: &TcpStream,
    status: u16,
    headers: &str,
    body: &str,
) -> std::io::Result<()> {
    let length = body.len();
    let head = format!("HTTP/1.1 {status} X\r\nContent-Length: {length}\r\nConnection: close\r\n");
    stream.write_all(format!("{head}{headers}\r\n{body}").as_bytes())
}

fn embeddings_body(asked: &EmbeddingRequest, dimensions: usize, model: u64) -> String {
    let vectors: Vec<Vec<f32>> =
        asked.texts.iter().map(|text| sum_word_vectors(text, dimensions, model)).collect();
    if asked.path == "/api/embed" {
        return json!({ "model": asked.model, "embeddings": vectors }).to_string();
    }
    let data = vectors.iter().enumerate().rev();
    let data: Vec<Value> =
        data.map(|(index, vector)| json!({ "index": index, "embedding": vector })).collect();
    json!({ "object": "list", "data": data, "model": asked.model }).to_string()
}

/// Returns the sum of the vectors of the words of `text`; each word has its own direction in
/// `model`.
pub fn sum_word_vectors(text: &str, dimensions: usize, model: u64) -> Vec<f32> {
    let mut sum = vec![0.0; dimensions];
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    for word in words {
        // FNV-1a, continued by xorshift.
        let start = 0xcbf2_9ce4_8422_2325 ^ model.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        let mut state = word.to_lowercase().bytes().fold(start, step) | 1;
        for component in &mut sum {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            *component += ((state >> 40) as f32 / (1 << 24) as f32) - 0.5;
        }
    }
    sum
}
