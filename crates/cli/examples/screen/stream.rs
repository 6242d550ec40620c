//! A model's server that streams pieces by the clock, and notes when each went.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use anyhow::Context;
use serde_json::{Value, json};

/// What goes in an answer.
#[derive(Debug, Clone)]
pub(crate) struct Stream {
    /// How long the server waits before it answers.
    pub(crate) waits: Duration,
    pub(crate) pieces: Vec<String>,
    /// The time between two pieces.
    pub(crate) every: Duration,
}

/// A server that answers each request with the same stream.
pub(crate) struct Server {
    pub(crate) url: String,
    /// When the first piece of each answer went.
    pub(crate) first: Receiver<Instant>,
}

impl Server {
    /// Starts it.
    ///
    /// # Errors
    /// If there is no port for it.
    pub(crate) fn start(stream: Stream) -> anyhow::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let url = format!("http://{}", listener.local_addr()?);
        let (sender, first) = channel();
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let (stream, sender) = (stream.clone(), sender.clone());
                // Who went away needs no answer.
                std::thread::spawn(move || drop(answer(&client, &stream, &sender)));
            }
        });
        Ok(Self { url, first })
    }
}

fn answer(client: &TcpStream, stream: &Stream, sent: &Sender<Instant>) -> anyhow::Result<()> {
    client.set_nodelay(true)?;
    let mut reader = BufReader::new(client);
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        if line.trim().is_empty() {
            break;
        }
        if let Some(count) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = count.trim().parse().context("a length")?;
        }
    }
    reader.read_exact(&mut vec![0; length])?;
    let mut client = client;
    client.write_all(
        b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n",
    )?;
    let usage = json!({"input_tokens": 10, "output_tokens": 1});
    let message = json!({"id": "m", "type": "message", "role": "assistant", "content": [],
        "model": "claude-sonnet-4-5", "stop_reason": null, "usage": usage});
    event(client, &json!({"type": "message_start", "message": message}))?;
    let block = json!({"type": "text", "text": ""});
    event(client, &json!({"type": "content_block_start", "index": 0, "content_block": block}))?;
    std::thread::sleep(stream.waits);
    let begun = Instant::now();
    for (piece, at) in stream.pieces.iter().zip(0_u32..) {
        std::thread::sleep((stream.every * at).saturating_sub(begun.elapsed()));
        let delta = json!({"type": "text_delta", "text": piece});
        if at == 0 {
            sent.send(Instant::now())?;
        }
        event(client, &json!({"type": "content_block_delta", "index": 0, "delta": delta}))?;
    }
    event(client, &json!({"type": "content_block_stop", "index": 0}))?;
    let delta = json!({"stop_reason": "end_turn", "stop_sequence": null});
    event(client, &json!({"type": "message_delta", "delta": delta, "usage": usage}))?;
    event(client, &json!({"type": "message_stop"}))
}

fn event(mut client: &TcpStream, value: &Value) -> anyhow::Result<()> {
    let kind = value["type"].as_str().unwrap_or_default();
    client.write_all(format!("event: {kind}\ndata: {value}\n\n").as_bytes())?;
    Ok(client.flush()?)
}
