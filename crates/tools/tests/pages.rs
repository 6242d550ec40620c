//! Pages that never end or grow when unpacked, and addresses that are nobody's business.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;
use std::thread;

use flate2::Compression;
use flate2::write::GzEncoder;
use foveal_tools::settings::ToolSettings;
use serde_json::json;

use crate::world::World;

/// Bytes of zeros that are sent packed, a thousand times fewer.
const UNPACKED: u64 = 200 << 20;

/// Serves `/endless`, `/bomb` and `/inward` to one caller after the other.
fn serve(listener: &TcpListener) {
    for stream in listener.incoming().map_while(Result::ok) {
        let mut lines = BufReader::new(&stream).lines().map_while(Result::ok);
        let Some(first) = lines.next() else { continue };
        while lines.next().is_some_and(|line| !line.is_empty()) {}
        let mut out = &stream;
        // Whoever has enough closes the connection.
        if first.contains("/endless") {
            let _ = out.write_all(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n");
            while out.write_all(&[b'x'; 8192]).is_ok() {}
        } else if first.contains("/bomb") {
            let mut packed = GzEncoder::new(Vec::new(), Compression::best());
            std::io::copy(&mut std::io::repeat(b' ').take(UNPACKED), &mut packed).unwrap();
            let packed = packed.finish().unwrap();
            let _ = write!(
                out,
                "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\n\
                 Content-Length: {}\r\n\r\n",
                packed.len()
            );
            let _ = out.write_all(&packed);
        } else {
            let _ = out.write_all(
                b"HTTP/1.1 302 Found\r\nLocation: http://169.254.169.254/latest/\r\n\
                  Content-Length: 0\r\n\r\n",
            );
        }
        if first.contains("-last") {
            return;
        }
    }
}

#[test]
fn pages_are_bounded() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let server = thread::spawn(move || serve(&listener));
    let settings = ToolSettings {
        private_hosts: vec![format!("127.0.0.1:{port}")],
        ..ToolSettings::default()
    };
    let world = World::with(settings);
    let fetch = |path: &str| {
        let answer =
            world.ask("web_fetch", json!({"url": format!("http://127.0.0.1:{port}{path}")}));
        println!("{path}: {} bytes", answer.text.len());
        answer
    };
    for path in ["/endless", "/bomb"] {
        let answer = fetch(path);
        assert!(answer.text.len() < 5 << 20, "{path}: {} bytes", answer.text.len());
        let end = &answer.text[answer.text.len().saturating_sub(200)..];
        let is_told = answer.is_error || end.contains("the page is longer; this is its beginning");
        assert!(is_told, "{path}: {end}");
    }
    // Where a page allowed leads is looked at again.
    let answer = fetch("/inward-last");
    assert!(answer.is_error && answer.text.contains("169.254.169.254"), "{}", answer.text);
    server.join().unwrap();
}

#[test]
fn addresses_of_this_machine_and_its_network_are_refused() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let port = listener.local_addr().unwrap().port();
    let world = World::new();
    let hosts = [
        "127.0.0.1",
        "localhost",
        "LOCALHOST.",
        "127.1",
        "0.0.0.0",
        "0",
        "2130706433",
        "0x7f000001",
        "0177.0.0.1",
        "[::1]",
        "[::]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[64:ff9b::7f00:1]",
        "10.0.0.1",
        "172.16.0.1",
        "192.168.1.1",
        "169.254.169.254",
        "100.64.0.1",
        "[fe80::1]",
        "[fd00::1]",
        "224.0.0.1",
        "255.255.255.255",
        "metadata.google.internal",
        "user:password@127.0.0.1",
        "example.org@127.0.0.1",
        "127.0.0.1%00.example.org",
        "①②⑦.⓪.⓪.①",
    ];
    for host in hosts {
        let answer = world.ask("web_fetch", json!({"url": format!("http://{host}:{port}/")}));
        assert!(answer.is_error, "{host}: {}", answer.text);
        assert!(answer.text.len() < 500, "{host}: {}", answer.text);
    }
    for url in [
        "file:///etc/passwd",
        "gopher://127.0.0.1:70/_x",
        "ftp://127.0.0.1/",
        "data:text/html,x",
        "javascript:alert(1)",
        "http:///etc/passwd",
        "//127.0.0.1/",
        "unix:/run/x.sock",
        "about:blank",
    ] {
        let answer = world.ask("web_fetch", json!({ "url": url }));
        assert!(answer.is_error, "{url}: {}", answer.text);
    }
    assert!(listener.accept().is_err(), "somebody connected");
}
