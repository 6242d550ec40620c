//! Properties that hold for any client input. `fuzz/src/lib.rs` includes this file unchanged.

use foveal_mcp::http::admitted_heads;
use foveal_mcp::{ParsedLine, parse_lines};
use serde_json::Value;

/// Checks the input of one target.
pub(crate) type Target = fn(&[u8]);

/// All targets by the name of their corpus.
pub(crate) const TARGETS: &[(&str, Target)] =
    &[("mcp_messages", mcp_messages), ("http_heads", http_heads)];

/// Bytes per write: all, and a few.
const PIECES: [usize; 2] = [64 << 10, 7];

fn run<T>(work: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    runtime.block_on(work)
}

/// Each line is parsed to a message equal to what was sent, or answered with an error under its id,
/// however the bytes are split.
pub(crate) fn mcp_messages(bytes: &[u8]) {
    let [taken, by_pieces] = PIECES.map(|piece| run(parse_lines(bytes, piece)));
    assert_eq!(taken, by_pieces);
    let ended = bytes.iter().rposition(|byte| *byte == b'\n').map_or(&[][..], |at| &bytes[..at]);
    let sent = ended.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii_end);
    let sent: Vec<_> = sent.filter(|line| !line.is_empty()).collect();
    assert_eq!(taken.len(), sent.len());
    for (taken, sent) in taken.iter().zip(sent) {
        let plain = sent.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(sent);
        let sent: Value = serde_json::from_slice(plain).unwrap_or_default();
        match taken {
            ParsedLine::Ignored => assert!(sent.is_object(), "{sent}"),
            ParsedLine::Message(read) => {
                let again = run(parse_lines(format!("{read}\n").as_bytes(), PIECES[0]));
                let read: Value = serde_json::from_str(read).expect("JSON");
                assert!(is_same(&read["id"], &sent["id"]), "{read} for {sent}");
                assert_eq!(read["method"], sent["method"], "{sent}");
                let [ParsedLine::Message(again)] = &*again else { panic!("{read}: {again:?}") };
                assert_eq!(serde_json::from_str::<Value>(again).ok(), Some(read), "{sent}");
            }
            ParsedLine::Refused(answer) => {
                assert!(!answer.contains('\n'), "{answer}");
                let answer: Value = serde_json::from_str(answer).expect("JSON");
                assert!(answer["error"]["code"].is_i64(), "{answer}");
                let id = &answer["id"];
                assert!(id.is_null() || is_same(id, &sent["id"]), "{answer} to {sent}");
            }
        }
    }
}

/// Returns whether two ids are equal: `-0` and `0` are one number.
fn is_same(one: &Value, other: &Value) -> bool {
    one == other || (other.is_f64() && one.as_f64() == other.as_f64())
}

/// A request is only admitted if its head can be read in one way, however the bytes are split.
pub(crate) fn http_heads(bytes: &[u8]) {
    let heads = plain_heads(bytes);
    for piece in PIECES {
        let taken = run(admitted_heads(bytes, piece, None));
        for (head, is_taken) in heads.iter().zip(taken) {
            assert!(!is_taken || is_clear(head), "{:?}", String::from_utf8_lossy(head));
        }
    }
}

/// Returns the pipelined heads of requests without bodies, and that of the first with a body.
fn plain_heads(bytes: &[u8]) -> Vec<Vec<u8>> {
    let mut heads = Vec::new();
    let mut rest = bytes;
    loop {
        while let Some(after) = rest.strip_prefix(b"\r").or(rest.strip_prefix(b"\n")) {
            rest = after;
        }
        let mut end = 0;
        let is_whole = loop {
            let Some(line) = rest[end..].iter().position(|byte| *byte == b'\n') else {
                break false;
            };
            let is_empty = rest[end..end + line].trim_ascii().is_empty();
            end += line + 1;
            if is_empty {
                break true;
            }
        };
        if !is_whole {
            return heads;
        }
        heads.push(rest[..end].to_ascii_lowercase());
        rest = &rest[end..];
        let head = heads.last().expect("one was put in");
        if !fields(head, b"content-length").is_empty()
            || !fields(head, b"transfer-encoding").is_empty()
        {
            return heads;
        }
    }
}

/// Returns the values of all fields with a name.
fn fields<'a>(head: &'a [u8], name: &[u8]) -> Vec<&'a [u8]> {
    let lines = head.split(|byte| *byte == b'\n').skip(1);
    let field = |line: &'a [u8]| {
        let colon = line.iter().position(|byte| *byte == b':')?;
        (line[..colon].trim_ascii() == name).then(|| line[colon + 1..].trim_ascii())
    };
    lines.filter_map(field).collect()
}

/// Returns whether a head can be read in one way only.
fn is_clear(head: &[u8]) -> bool {
    let single: [&[u8]; 7] = [
        b"authorization",
        b"content-type",
        b"host",
        b"origin",
        b"mcp-session-id",
        b"mcp-protocol-version",
        b"last-event-id",
    ];
    let [host] = *fields(head, b"host") else { return false };
    let named = head.split(u8::is_ascii_whitespace).nth(1).unwrap_or_default();
    let named = named.strip_prefix(b"http://").or(named.strip_prefix(b"https://"));
    let named = named.map(|address| {
        let end = address.iter().position(|byte| b"/?#".contains(byte)).unwrap_or(address.len());
        &address[..end]
    });
    let lengths = fields(head, b"content-length");
    let has_pieces = !fields(head, b"transfer-encoding").is_empty();
    single.iter().all(|name| fields(head, name).len() <= 1)
        && is_one_host(host)
        && fields(head, b"transfer-encoding").iter().all(|coding| *coding == b"chunked")
        && fields(head, b"content-encoding").iter().all(|coding| *coding == b"identity")
        && named.is_none_or(|named| named == host)
        && (lengths.is_empty() || !has_pieces)
        && lengths.windows(2).all(|two| two[0] == two[1])
}

/// Returns whether a host is one name or address, with one port at most.
fn is_one_host(host: &[u8]) -> bool {
    let address = host.strip_prefix(b"[");
    let end = if address.is_some() { b']' } else { b':' };
    let bare = address.unwrap_or(host);
    let at = bare.iter().position(|byte| *byte == end).unwrap_or(bare.len());
    let (name, rest) = bare.split_at(at);
    let port = match address {
        Some(_) => rest.strip_prefix(b"]").unwrap_or(b"?"),
        None => rest,
    };
    let is_port = port.is_empty()
        || port.strip_prefix(b":").is_some_and(|port| {
            (1..=5).contains(&port.len()) && port.iter().all(u8::is_ascii_digit)
        });
    let is_of_name = |byte: &u8| match address {
        Some(_) => byte.is_ascii_hexdigit() || b":.".contains(byte),
        None => byte.is_ascii_alphanumeric() || b"-_.".contains(byte),
    };
    !name.is_empty() && name.iter().all(is_of_name) && is_port
}
