use super::*;

/// Describes the result of parsing a line: `message`, `nothing`, or the code and the id of the
/// refusal.
fn told(line: impl AsRef<[u8]>) -> String {
    match parse_message(line.as_ref()) {
        ParsedMessage::Message(_) => "message".to_owned(),
        ParsedMessage::Ignored => "nothing".to_owned(),
        ParsedMessage::Refused(JsonRpcRefusal { id, error }) => {
            let id = id.map_or("null".to_owned(), |id| id.to_string());
            format!("{} {id}", error.code.0)
        }
    }
}

#[test]
fn messages_are_read() {
    for line in [
        r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#,
        "\u{feff}{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"tools/list\",\"params\":{}}",
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/of/others","params":{"a":1}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":7}}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"a","params":{"a":{"a":[1.5,-1,true,null,"a",{"a":2},{"a":3}]}}}"#,
        r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"m"}}"#,
    ] {
        assert_eq!(told(line), "message", "{line}");
    }
}

#[test]
fn what_is_no_json_is_told_so() {
    for line in ["{", "nonsense", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"", "1 2"] {
        assert_eq!(told(line), "-32700 null", "{line}");
    }
    assert_eq!(told(b"{\"method\":\"\xff\"}"), "-32700 null");
}

#[test]
fn what_is_not_clear_is_refused() {
    let deep = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}1{}}}"#,
        "[".repeat(10_000),
        "]".repeat(10_000)
    );
    let long = format!(r#"{{"jsonrpc":"2.0","id":"{}","method":"ping"}}"#, "a".repeat(5_000));
    for (line, answer) in [
        ("[]", "-32600 null"),
        (r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, "-32600 null"),
        ("null", "-32600 null"),
        ("7", "-32600 null"),
        ("{}", "-32600 null"),
        (r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}"#, "-32600 null"),
        (r#"{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/list"}"#, "-32600 null"),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"bash","arguments":{"command":"ls","command":"rm a"}}}"#,
            "-32600 1",
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"a":[{"b":1,"\u0062":2}]}}"#,
            "-32600 1",
        ),
        // Nor is it an answer: of two words one may be a no.
        (
            r#"{"jsonrpc":"2.0","id":1,"result":{"action":"accept","content":{"allow":"no","allow":"always"}}}"#,
            "nothing",
        ),
        (r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, "-32600 null"),
        (r#"{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}"#, "-32600 null"),
        (r#"{"jsonrpc":"2.0","id":true,"method":"ping"}"#, "-32600 null"),
        (r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, "-32600 null"),
        (r#"{"jsonrpc":"2.0","id":99999999999999999999,"method":"ping"}"#, "-32600 null"),
        (&long, "-32600 null"),
        (&deep, "-32600 1"),
        (r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[1]}"#, "-32600 1"),
        (r#"{"jsonrpc":"1.0","id":3,"method":"ping"}"#, "-32600 3"),
        (r#"{"id":"x","method":"ping"}"#, "-32600 x"),
        (r#"{"jsonrpc":"2.0","id":4,"method":5}"#, "-32600 4"),
        (r#"{"jsonrpc":"2.0","method":5}"#, "nothing"),
        (r#"{"id":1,"result":{}}"#, "nothing"),
    ] {
        assert_eq!(told(line), answer, "{line}");
    }
}
