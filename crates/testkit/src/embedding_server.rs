//! An embedding server on this machine that answers as a test says.
//!
//! It speaks Ollama's and OpenAI's protocols on a port that the system chooses, and ends
//! with the value that stands for it. Its model is a sum of words: texts that share words
//! are near each other, and everything is the same each time.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// How long a client may take to send a request.
const READ_TIME: Duration = Duration::from_secs(10);

/// How often a port that is still in use is tried again.
const BIND_ATTEMPTS: u32 = 200;

/// After which time something is looked at again.
const WAIT_TIME: Duration = Duration::from_millis(20);

/// Bytes of a request's head and of its body.
const REQUEST_BYTES_MAX: u64 = 4 << 20;

/// A request for vectors, as it came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmbeddingRequest {
    /// How many requests came before.
    pub number: usize,
    /// Such as `/api/embed`.
    pub path: String,
    /// The header of that name.
    pub authorization: Option<String>,
    /// The model's name.
    pub model: String,
    /// The texts whose vectors are wanted.
    pub texts: Vec<String>,
}

/// What it gets.
#[derive(Debug, Clone, PartialEq)]
pub enum Reply {
    /// Vectors of the texts with so many components, by the model of this number.
    Vectors {
        /// Components of each.
        dimensions: usize,
        /// Another number is another model.
        model: u64,
    },
    /// This status, these headers (each ended by `\r\n`) and this body.
    Raw(u16, String, String),
    /// Nothing for this long, or until the server ends, and then nothing.
    Silence(Duration),
    /// The beginning of a good answer.
    Half,
}

/// A server that runs.
pub struct EmbeddingServer {
    address: SocketAddr,
    asked: Arc<Mutex<Vec<EmbeddingRequest>>>,
    ended: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl EmbeddingServer {
    /// One that answers as `script` says.
    pub fn start(script: impl Fn(&EmbeddingRequest) -> Reply + Send + Sync + 'static) -> Self {
        Self::start_at("127.0.0.1:0", script)
    }

    /// One that stands where another stood, which has ended.
    pub fn start_at(
        address: &str,
        script: impl Fn(&EmbeddingRequest) -> Reply + Send + Sync + 'static,
    ) -> Self {
        let listener = listen(address);
        let address = listener.local_addr().expect("it was bound");
        let (asked, ended) =
            (Arc::<Mutex<Vec<EmbeddingRequest>>>::default(), Arc::<AtomicBool>::default());
        let (log, end) = (Arc::clone(&asked), Arc::clone(&ended));
        let thread = thread::spawn(move || {
            thread::scope(|scope| {
                for stream in listener.incoming().map_while(Result::ok) {
                    if end.load(Ordering::SeqCst) {
                        return;
                    }
                    let (script, log, end) = (&script, &log, &*end);
                    // A client that goes away is what some tests are about.
                    scope.spawn(move || drop(serve(&stream, script, log, end)));
                }
            });
        });
        Self { address, asked, ended, thread: Some(thread) }
    }

    /// `127.0.0.1:PORT`.
    pub fn address(&self) -> String {
        self.address.to_string()
    }

    /// All requests so far.
    pub fn asked(&self) -> Vec<EmbeddingRequest> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for EmbeddingServer {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::SeqCst);
        // Wakes the thread that waits for somebody to come.
        drop(TcpStream::connect(self.address));
        if let Some(thread) = self.thread.take() {
            // It has failed only where the test has, too.
            drop(thread.join());
        }
    }
}

/// Answers with vectors of 16 components.
pub fn good(_: &EmbeddingRequest) -> Reply {
    Reply::Vectors { dimensions: 16, model: 0 }
}

/// A process that another test is about to start holds this one's sockets for a moment.
fn listen(address: &str) -> TcpListener {
    for _ in 0..BIND_ATTEMPTS {
        match TcpListener::bind(address) {
            Ok(listener) => return listener,
            Err(_) => thread::sleep(WAIT_TIME),
        }
    }
    TcpListener::bind(address).expect("a port on this machine")
}

fn serve(
    mut stream: &TcpStream,
    script: &(dyn Fn(&EmbeddingRequest) -> Reply + Sync),
    log: &Mutex<Vec<EmbeddingRequest>>,
    ended: &AtomicBool,
) -> std::io::Result<()> {
    stream.set_read_timeout(Some(READ_TIME))?;
    let mut reader = BufReader::new(stream.take(REQUEST_BYTES_MAX));
    let (mut asked, length) = head(&mut reader)?;
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
        Reply::Vectors { dimensions, model } => {
            send(stream, 200, "", &answer(&asked, dimensions, model))
        }
        Reply::Raw(status, headers, body) => send(stream, status, &headers, &body),
        Reply::Silence(time) => {
            let until = Instant::now() + time;
            while Instant::now() < until && !ended.load(Ordering::SeqCst) {
                thread::sleep(WAIT_TIME);
            }
            Ok(())
        }
        Reply::Half => {
            let body = answer(&asked, 16, 0);
            let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", body.len());
            stream.write_all(format!("{head}{}", &body[..body.len() / 2]).as_bytes())
        }
    }
}

/// The lines before the body, and the bytes of that.
fn head(reader: &mut impl BufRead) -> std::io::Result<(EmbeddingRequest, usize)> {
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

fn send(mut stream: &TcpStream, status: u16, headers: &str, body: &str) -> std::io::Result<()> {
    let length = body.len();
    let head = format!("HTTP/1.1 {status} X\r\nContent-Length: {length}\r\nConnection: close\r\n");
    stream.write_all(format!("{head}{headers}\r\n{body}").as_bytes())
}

fn answer(asked: &EmbeddingRequest, dimensions: usize, model: u64) -> String {
    let vectors: Vec<Vec<f32>> =
        asked.texts.iter().map(|text| words_vector(text, dimensions, model)).collect();
    if asked.path == "/api/embed" {
        return json!({ "model": asked.model, "embeddings": vectors }).to_string();
    }
    let data = vectors.iter().enumerate().rev();
    let data: Vec<Value> =
        data.map(|(index, vector)| json!({ "index": index, "embedding": vector })).collect();
    json!({ "object": "list", "data": data, "model": asked.model }).to_string()
}

/// A sum over the words of `text`, each in a direction of its own in the model `model`.
pub fn words_vector(text: &str, dimensions: usize, model: u64) -> Vec<f32> {
    let mut sum = vec![0.0; dimensions];
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    for word in words {
        // FNV-1a, and xorshift from there.
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
