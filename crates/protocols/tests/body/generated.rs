//! Generated bodies: every kind of member, part and item, in any order, with unusual numbers,
//! duplicate names, all kinds of escapes, unknown members, and white space anywhere.

use std::cell::Cell;

use foveal_protocols::Protocol;
use foveal_protocols::request_body::RequestBody;
use proptest::prelude::*;

use super::check::check;
use super::whole_body::check_alike;

type Text = BoxedStrategy<String>;

/// Generates a JSON string without lone surrogates.
fn string() -> Text {
    let unit = prop_oneof![
        8 => "[a-z \\[\\]{}:,/é漢]{1,8}",
        1 => Just(r#"\""#.to_owned()),
        1 => Just(r"\\".to_owned()),
        2 => Just(r"\n".to_owned()),
        1 => Just(r"\/\b\f\r\t".to_owned()),
        1 => Just(r"\u00e9\u0000\u2028".to_owned()),
        1 => Just(r"\ud83d\ude00".to_owned()),
        1 => Just(r#"\"cache_control\":"#.to_owned()),
    ];
    prop::collection::vec(unit, 0..5).prop_map(|units| format!("\"{}\"", units.concat())).boxed()
}

fn space() -> Text {
    prop_oneof![6 => Just(String::new()), 1 => "[ \n\t\r]{1,3}".prop_map(|space| space)].boxed()
}

/// Generates a JSON value. `odd` allows numbers and strings that strict parsers reject.
fn value(odd: bool) -> Text {
    let number = prop_oneof![
        Just("0"),
        Just("-0.0"),
        Just("1E+5"),
        Just("12345678901234567890123"),
        Just("-1.5e-9"),
    ];
    let too_odd = prop_oneof![
        Just("1e400"),
        Just("-1E999"),
        Just(r#""\ud83d""#),
        Just(r#""\ude00 \ud83dx""#),
    ];
    let plain = prop_oneof![
        3 => string(),
        2 => number.prop_map(str::to_owned),
        1 => prop_oneof![Just("null"), Just("true"), Just("false")].prop_map(str::to_owned),
    ];
    let leaf = if odd {
        prop_oneof![4 => plain, 1 => too_odd.prop_map(str::to_owned)].boxed()
    } else {
        plain.boxed()
    };
    leaf.prop_recursive(3, 12, 4, |inner| {
        let element = (space(), inner.clone(), space()).prop_map(|(a, value, b)| a + &value + &b);
        let list =
            prop::collection::vec(element, 0..4).prop_map(|all| format!("[{}]", all.join(",")));
        prop_oneof![list, members(vec![], inner)]
    })
    .boxed()
}

/// Generates an object with these members in any order, and others.
fn members(known: Vec<(&'static str, Text)>, other: Text) -> Text {
    let named = |(name, value): (&'static str, Text)| {
        prop_oneof![
            24 => value.clone().prop_map(|value| vec![value]),
            1 => prop::collection::vec(value, 2),
            1 => Just(Vec::new()),
        ]
        .prop_map(move |values| {
            values.into_iter().map(|value| (format!("\"{name}\""), value)).collect::<Vec<_>>()
        })
    };
    let known = known.into_iter().map(named).collect::<Vec<_>>();
    let name = prop_oneof![
        3 => string(),
        1 => Just(r#""cache_control""#.to_owned()),
        1 => Just(r#""t\u0079pe""#.to_owned()),
    ];
    let others = prop::collection::vec((name, other), 0..2);
    (known, others, space(), space())
        .prop_map(|(known, others, a, b)| (known.concat(), others, a, b))
        .prop_flat_map(|(known, others, a, b)| {
            let all = [known, others].concat();
            (Just(all).prop_shuffle(), Just(a), Just(b))
        })
        .prop_map(|(all, a, b)| {
            let all: Vec<_> =
                all.iter().map(|(name, value)| format!("{a}{name}{b}:{a}{value}{b}")).collect();
            format!("{{{}}}", all.join(","))
        })
        .boxed()
}

fn words(words: &[&str]) -> Text {
    let quoted: Vec<_> = words.iter().map(|word| format!("\"{word}\"")).collect();
    prop::sample::select(quoted).boxed()
}

fn list_of(element: Text) -> Text {
    let element = (space(), element).prop_map(|(space, element)| space + &element);
    prop::collection::vec(element, 0..6).prop_map(|all| format!("[{}]", all.join(","))).boxed()
}

/// Generates a list of parts, plain text, or another value.
fn content(part: Text, odd: bool) -> Text {
    prop_oneof![4 => list_of(part), 3 => string(), 1 => value(odd)].boxed()
}

fn text_part(odd: bool) -> Text {
    let kinds = ["text", "text", "input_text", "output_text", "image", "tool_reference"];
    let part = members(vec![("type", words(&kinds)), ("text", string())], value(odd));
    prop_oneof![6 => part, 1 => string(), 1 => value(odd)].boxed()
}

fn id() -> Text {
    words(&["a", "b", "c"])
}

/// Generates a message or item of an API.
fn message(protocol: Protocol, odd: bool) -> Text {
    match protocol {
        Protocol::Messages => message_of_blocks(odd),
        Protocol::Chat => chat_message(odd),
        Protocol::Responses => item(odd),
        Protocol::Gemini => message_of_parts(odd),
    }
}

/// Generates a message of Anthropic's Messages.
fn message_of_blocks(odd: bool) -> Text {
    let other = value(odd);
    let part = text_part(odd);
    let kinds = [
        "text",
        "tool_result",
        "tool_result",
        "tool_result",
        "tool_use",
        "thinking",
        "redacted_thinking",
        "server_tool_use",
        "web_search_tool_result",
    ];
    let block = members(
        vec![
            ("type", words(&kinds)),
            ("text", string()),
            ("thinking", string()),
            ("id", id()),
            ("name", string()),
            ("input", value(odd)),
            ("tool_use_id", id()),
            ("is_error", words(&["no"]).prop_map(|_| "true".to_owned()).boxed()),
            ("content", content(part, odd)),
        ],
        other.clone(),
    );
    let roles = words(&["user", "user", "assistant", "system"]);
    members(vec![("role", roles), ("content", content(block, odd))], other)
}

/// Generates a message of Chat Completions.
fn chat_message(odd: bool) -> Text {
    let other = value(odd);
    let part = text_part(odd);
    let function = members(vec![("name", string()), ("arguments", string())], other.clone());
    let call = members(vec![("id", id()), ("function", function)], other.clone());
    let roles = words(&["user", "assistant", "tool", "tool", "system", "function"]);
    let told = r#""[{\"query\":\"q\",\"result\":\"one\\ntwo é\\\"\"},{\"query\":\"\",\"result\":\"\",\"error\":\"\\\\no\"}]""#;
    let server =
        r#""{\"content\":[{\"type\":\"text\",\"text\":\"\u00e9\\u00e9\\ud83d\\ude00x\"}]}""#;
    let content = prop_oneof![5 => content(part, odd), 1 => Just(told.to_owned()), 1 => Just(server.to_owned())];
    let known = vec![
        ("role", roles),
        ("content", content.boxed()),
        ("tool_calls", list_of(call)),
        ("tool_call_id", id()),
        ("reasoning_content", string()),
    ];
    members(known, other)
}

/// Generates an item of Responses.
fn item(odd: bool) -> Text {
    let other = value(odd);
    let part = text_part(odd);
    let kinds = [
        "message",
        "reasoning",
        "function_call",
        "custom_tool_call",
        "web_search_call",
        "function_call_output",
        "function_call_output",
        "local_shell_call_output",
        "custom_tool_call_output",
        "compaction",
    ];
    let older = members(vec![("content", content(part.clone(), odd))], other.clone());
    let known = vec![
        ("type", words(&kinds)),
        ("role", words(&["user", "assistant", "developer"])),
        ("content", content(part.clone(), odd)),
        ("call_id", id()),
        ("name", string()),
        ("arguments", string()),
        ("output", prop_oneof![4 => content(part, odd), 1 => older].boxed()),
        ("encrypted_content", string()),
    ];
    members(known, other)
}

/// Generates a message of Gemini's.
fn message_of_parts(odd: bool) -> Text {
    let other = value(odd);
    let response = prop_oneof![
        3 => members(vec![("output", string())], other.clone()),
        1 => members(vec![("error", string())], other.clone()),
        1 => string().prop_map(|text| format!("{{\"other\":{text}}}")),
        1 => value(odd),
    ];
    let answer = members(
        vec![("id", id()), ("name", string()), ("response", response.boxed())],
        other.clone(),
    );
    let call = members(vec![("id", id()), ("name", string()), ("args", value(odd))], other.clone());
    let part = prop_oneof![
        3 => answer.prop_map(|answer| format!("{{\"functionResponse\":{answer}}}")),
        1 => call.prop_map(|call| format!("{{\"thoughtSignature\":\"x\",\"functionCall\":{call}}}")),
        2 => members(vec![("text", string())], other.clone()),
    ];
    let roles = words(&["user", "user", "model"]);
    members(vec![("role", roles), ("parts", content(part.boxed(), odd))], other)
}

fn body(protocol: Protocol, odd: bool) -> Text {
    let (list, system) = match protocol {
        Protocol::Messages | Protocol::Chat => ("messages", "system"),
        Protocol::Responses => ("input", "instructions"),
        Protocol::Gemini => ("contents", "systemInstruction"),
    };
    let messages = list_of(message(protocol, odd));
    let known = vec![
        (list, messages),
        (system, prop_oneof![string(), value(odd)].boxed()),
        ("model", string()),
        ("tools", value(odd)),
        ("stream", value(odd)),
        ("metadata", value(odd)),
        ("thinking", value(odd)),
        ("reasoning", value(odd)),
        ("context_management", value(odd)),
    ];
    members(known, value(odd))
}

fn any_body() -> impl Strategy<Value = (Protocol, String)> {
    let one = |protocol| {
        let body = prop_oneof![3 => body(protocol, false), 1 => body(protocol, true)];
        body.prop_map(move |body| (protocol, body))
    };
    let [messages, chat, responses, gemini] = Protocol::ALL.map(one);
    prop_oneof![2 => messages, 1 => chat, 1 => responses, 1 => gemini]
}

fn config(cases: u32) -> ProptestConfig {
    let max_shrink_iters = 300;
    ProptestConfig { cases, failure_persistence: None, max_shrink_iters, ..Default::default() }
}

thread_local! {
    /// The bodies read by the running test, and their slots.
    static SEEN: Cell<(usize, usize)> = const { Cell::new((0, 0)) };
}

#[test]
fn generated_bodies_are_read_alike() {
    SEEN.set((0, 0));
    let mut runner = proptest::test_runner::TestRunner::new(config(600));
    let ran = runner.run(&any_body(), |(protocol, text)| {
        if let Some((_, messages)) = check(protocol, text.as_bytes()) {
            let slots: usize = messages.iter().map(|message| message.slots.len()).sum();
            let (bodies, known) = SEEN.get();
            SEEN.set((bodies + 1, known + slots));
        }
        check_alike(protocol, text.as_bytes());
        Ok(())
    });
    if let Err(error) = ran {
        panic!("{error}");
    }
    let (bodies, slots) = SEEN.get();
    assert!(bodies > 300 && slots > 300, "{slots} slots in {bodies} bodies that were read");
}

proptest! {
    #![proptest_config(config(200))]

    #[test]
    fn cut_bodies_are_refused((protocol, text) in any_body(), at in any::<prop::sample::Index>()) {
        let end = at.index(text.trim_end().len());
        prop_assert!(RequestBody::scan(protocol, &text.as_bytes()[..end]).is_err());
    }

    #[test]
    fn any_change_of_bytes_is_survived(
        (protocol, text) in any_body(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
    ) {
        let mut bytes = text.into_bytes();
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        check(protocol, &bytes);
    }

    #[test]
    fn any_json_like_text_is_survived(
        protocol in prop::sample::select(Protocol::ALL.to_vec()),
        text in "([\\[\\]{}:,\"\\\\ 0]|\"type\":|\"messages\":|\"input\":|\"role\":\"user\"|\"cache_control\"){0,60}",
    ) {
        check(protocol, text.as_bytes());
    }
}

#[test]
fn deep_bodies_are_refused_or_read() {
    for depth in [100, 1_000, 100_000] {
        for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
            let nested = format!("{}0{}", open.repeat(depth), close.repeat(depth));
            for text in [
                format!("{{\"messages\":[{{\"role\":\"user\",\"content\":[{nested}]}}]}}"),
                format!("{{\"messages\":[{nested}],\"tools\":{nested}}}"),
                open.repeat(depth),
            ] {
                check(Protocol::Messages, text.as_bytes());
            }
        }
    }
}
