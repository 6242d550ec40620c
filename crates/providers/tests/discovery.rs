//! Discovery of models on local servers.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::thread;

use foveal_mock_provider::{ModelReply, ReplyScript};
use foveal_providers::{LlmError, ModelSpec, Provider, find_local_servers};

use crate::world::{World, run};

fn local(provider: &str, address: &str) -> ModelSpec {
    let provider = Provider::find_by_name(provider).expect("it is known");
    ModelSpec::new(provider, "any").with_address(address).expect("an address")
}

/// A server that gives the same answer to each request.
fn answering(answer: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { return };
            let _ = stream.read(&mut [0; 4096]);
            let _ = stream.write_all(answer.as_bytes());
        }
    });
    format!("http://{address}")
}

#[test]
fn servers_that_answer_are_found_with_their_models() {
    let world = World::new(ReplyScript::always(ModelReply::from_text("hi")));
    let page = answering("HTTP/1.1 200 OK\r\nContent-Length: 6\r\nConnection: close\r\n\r\n<html>");
    let empty = answering(
        "HTTP/1.1 200 OK\r\nContent-Length: 13\r\nConnection: close\r\n\r\n{\"data\":null}",
    );
    let closed = answering("HTTP/1.1 401 No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    let mute = TcpListener::bind("127.0.0.1:0").expect("a port");
    let mute_address = format!("http://{}", mute.local_addr().expect("an address"));
    let locals = [
        local("ollama", &world.upstream.url()),
        local("lmstudio", "http://127.0.0.1:1"),
        local("llamacpp", &page),
        local("vllm", &closed),
        local("lmstudio", &empty),
        local("vllm", &mute_address),
    ];
    let found = run(find_local_servers(&world.client, &locals));
    let names: Vec<&str> = found.iter().map(|found| found.server.name).collect();
    assert_eq!(names, ["ollama", "vllm", "lmstudio"]);
    assert_eq!(found[0].models.as_ref().expect("a list"), &["scripted"]);
    assert!(matches!(found[1].models, Err(LlmError::KeyMissing { .. })));
    assert!(found[2].models.as_ref().expect("a list").is_empty());
}
