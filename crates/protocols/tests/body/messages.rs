//! Messages of each API and the positions of their slots.

use foveal_protocols::Protocol;

use super::check::{check, render};

/// Reads a single message and compares its entries and the strings of its slots.
fn one(protocol: Protocol, message: &str, entries: &str, strings: &[&str]) {
    let name = match protocol {
        Protocol::Messages | Protocol::Chat => "messages",
        Protocol::Responses => "input",
        Protocol::Gemini => "contents",
    };
    let text = format!("{{\"{name}\": [ {message} ]}}");
    let (body, messages) = check(protocol, text.as_bytes()).expect("the body can be read");
    assert_eq!(render(&messages[0].entries), entries);
    let own = &text[body.messages[0].clone()];
    let slots: Vec<_> = messages[0].slots.iter().map(|slot| &own[slot.string.clone()]).collect();
    assert_eq!(slots, strings);
}

#[test]
fn results_of_messages() {
    one(
        Protocol::Messages,
        r#"{"role":"user","content":[
            {"type":"tool_result","tool_use_id":"a","content":"one\n"},
            {"tool_use_id":"b","is_error":true,"content":[{"type":"text","text":"x"},
                {"type":"image","source":{}},{"text":"y","type":"text"}],"type":"tool_result"},
            {"type":"tool_result","tool_use_id":"c"},
            {"type":"tool_result","tool_use_id":"d","content":[{"type":"tool_reference","tool_name":"t"}]},
            {"type":"text","text":"hurry"}]}"#,
        r#"1 tool None
  result a "one\n"
1 tool None
  error b "x\ny"
  opaque image {"type":"image","source":{}}
1 tool None
  result c ""
1 tool None
  result d ""
  opaque tool_reference {"type":"tool_reference","tool_name":"t"}
1 user None
  text "hurry"
"#,
        &[r#""one\n""#, "\"x\"", "\"y\""],
    );
}

#[test]
fn what_is_no_result_has_no_slot() {
    one(
        Protocol::Messages,
        r#"{"role":"assistant","content":[
            {"type":"thinking","thinking":"hm","signature":"c2ln"},
            {"type":"redacted_thinking","data":"xx"},
            {"type":"server_tool_use","id":"s","name":"web_search","input":{}},
            {"type":"web_search_tool_result","tool_use_id":"s","content":[{"type":"text","text":"w"}]},
            {"type":"mcp_tool_result","tool_use_id":"m","content":[{"type":"text","text":"n"}]},
            {"type":"tool_result","tool_use_id":"z","content":"odd"}]}"#,
        r#"1 assistant None
  reasoning "hm"
  opaque redacted_thinking {"type":"redacted_thinking","data":"xx"}
  call s web_search {}
  opaque web_search_tool_result {"type":"web_search_tool_result","tool_use_id":"s","content":[{"type":"text","text":"w"}]}
  opaque mcp_tool_result {"type":"mcp_tool_result","tool_use_id":"m","content":[{"type":"text","text":"n"}]}
  opaque tool_result {"type":"tool_result","tool_use_id":"z","content":"odd"}
"#,
        &[],
    );
}

#[test]
fn halves_of_characters_and_odd_numbers_are_read() {
    one(
        Protocol::Messages,
        r#"{"role":"user","n":[1e400,-0.0,-1E+999],"content":[
            {"type":"tool_result","tool_use_id":"a","content":"\ud83d\ude00 \ud83d|\ude00\\ud83d"},
            {"type":"tool_result","tool_use_id":"b","content":[{"type":"text","text":"\ud83d"},{"type":"text","text":"z"}]},
            {"type":"tool_result","tool_use_id":"c","content":"\u00e9\/\b\f"}]}"#,
        "1 tool None\n  result a \"😀 \u{FFFD}|\u{FFFD}\\\\ud83d\"\n1 tool None\n  result b \"\u{FFFD}\\nz\"\n1 tool None\n  result c \"é/\\u{8}\\u{c}\"\n",
        &[r#""\u00e9\/\b\f""#],
    );
}

#[test]
fn the_last_of_two_members_counts() {
    one(
        Protocol::Messages,
        r#"{"role":"assistant","content":"no","role":"user","content":[{"type":"text","\u0074ype":"tool_result",
            "tool_use_id":"x","tool_use_id":"a","content":"one","content":["two",{"text":"three"}]}]}"#,
        "1 tool None\n  result a \"two\\nthree\"\n",
        &["\"two\"", "\"three\""],
    );
}

#[test]
fn system_messages_among_others_are_put_in() {
    let text = br#"{"system":"s","messages":[{"role":"system","content":"first"},
        {"role":"user","content":"x"},{"role":"system","content":[{"type":"text","text":"later"}]}]}"#;
    let (body, messages) = check(Protocol::Messages, text).expect("the body can be read");
    let system = body.decode_system_prompt(text).expect("it can be read").expect("there is one");
    assert_eq!(render(&[system]), "1 system None\n  text \"s\"\n");
    let entries: Vec<_> = messages.into_iter().flat_map(|message| message.entries).collect();
    assert_eq!(
        render(&entries),
        "2 system None\n  text \"first\"\n3 user None\n  text \"x\"\n4 system Injected\n  text \"later\"\n"
    );
}

#[test]
fn fingerprints_do_not_see_marks() {
    let mark = r#""cache_control":{"type":"ephemeral","x":[","]}"#;
    let with = |text: &str| {
        let body = format!("{{\"messages\":[{text}]}}").into_bytes();
        let (scanned, _) = check(Protocol::Messages, &body).expect("the body can be read");
        scanned.message_fingerprint(&body, 0)
    };
    let plain = r#"{"role":"user","content":[{"type":"text","text":"a"},{"type":"tool_result","content":[{}]}]}"#;
    for marked in [
        format!(
            r#"{{"role":"user","content":[{{"type":"text","text":"a",{mark}}},{{"type":"tool_result","content":[{{}}]}}]}}"#
        ),
        format!(
            r#"{{"role":"user","content":[{{{mark},"type":"text","text":"a"}},{{"type":"tool_result","content":[{{}}]}}]}}"#
        ),
        format!(
            r#"{{"role":"user","content":[{{"type":"text",{mark}, {mark},"text":"a"}},{{"type":"tool_result","content":[{{{mark}}}]}}]}}"#
        ),
        format!(
            r#"{{{mark},{mark},"role":"user","content":[{{"type":"text","text":"a"}},{{"type":"tool_result",{mark},"content":[{{{mark} , {mark}}}]}}]}}"#
        ),
    ] {
        assert_eq!(with(&marked), with(plain), "{marked}");
    }
    // A marked content may be a list only for the sake of the mark.
    let text = r#"{"role":"user","content":"a\n"}"#;
    let listed = [
        format!(r#"{{"role":"user","content":[{{"type":"text","text":"a\n",{mark}}}]}}"#),
        r#"{"role":"user","content":[ {"text":"a\n", "type":"text"} ]}"#.to_owned(),
    ];
    for listed in listed {
        assert_eq!(with(&listed), with(text), "{listed}");
    }
    for other in [
        r#"{"role":"user","content":[{"type":"text","text":"a\n","x":1}]}"#,
        r#"{"role":"user","content":[{"type":"image","text":"a\n"}]}"#,
        r#"{"role":"user","content":[{"text":"a\n"}]}"#,
        r#"{"role":"user","content":[{"type":"text","text":"a\n"},{"type":"text","text":"a\n"}]}"#,
        r#"{"role":"user","content":["a\n"]}"#,
        r#"{"role":"user","content":[]}"#,
    ] {
        assert_ne!(with(other), with(text), "{other}");
    }
    // Inside of call arguments and texts, the word is part of the message.
    for other in [
        plain.replace("\"a\"", &format!("\"a\",\"input\":{{{mark}}}")),
        plain.replace("\"a\"", r#""\"cache_control\":{}""#),
    ] {
        assert_ne!(with(&other), with(plain), "{other}");
    }
}

#[test]
fn fingerprints_of_a_prefix_are_those_of_its_messages() {
    let prints = |text: &str| {
        let (body, _) = check(Protocol::Messages, text.as_bytes()).expect("the body can be read");
        let prefixes =
            (0..=body.messages.len()).map(|at| body.prefix_fingerprint(text.as_bytes(), at));
        prefixes.collect::<Vec<_>>()
    };
    let mark = r#""cache_control":{"type":"ephemeral"}"#;
    let first = format!(
        r#"{{"messages":[{{"role":"user","content":[{{"type":"text","text":"a",{mark}}}]}}]}}"#
    );
    let next = |text: &str| {
        format!(
            r#"{{"stream":true,"messages": [{{"role":"user","content":"{text}"}},{{"role":"user",{mark},"content":"b"}}]}}"#
        )
    };
    let [first, same, other] = [prints(&first), prints(&next("a")), prints(&next("c"))];
    assert_eq!(first, same[..2]);
    assert_eq!(first[0], other[0]);
    assert!(other[1..].iter().all(|print| !same.contains(print)));
    assert_ne!(same[2], same[1]);
}

#[test]
fn results_of_chat() {
    let tool = r#"{"role":"tool","tool_call_id":"a","content":[{"type":"text","text":"x"},{"type":"image_url"}]}"#;
    one(
        Protocol::Chat,
        tool,
        "1 tool None\n  result a \"x\"\n  opaque image_url {\"type\":\"image_url\"}\n",
        &["\"x\""],
    );
    let plain = r#"{"role":"function","name":"f","content":"x\ny"}"#;
    one(Protocol::Chat, plain, "1 tool None\n  result f \"x\\ny\"\n", &[r#""x\ny""#]);
}

#[test]
fn documents_in_strings_have_slots_of_their_own() {
    one(
        Protocol::Chat,
        r#"{"role":"tool","tool_call_id":"a","content":"[{\"query\":\"ls é\\\\\",\"result\":\"a\\nb \\\"c\\\"\",\"success\":true},\u007b\"query\":\"\",\"result\":\"\",\"error\":\"no\"}]"}"#,
        "1 tool None\n  result a \"a\\nb \\\"c\\\"\\nno\"\n",
        &[r#"\"a\\nb \\\"c\\\"\""#, r#"\"no\""#],
    );
    one(
        Protocol::Chat,
        r#"{"role":"tool","content":"{\"query\":\"\u00e9\/\ud83d\ude00漢\",\"result\":\"\u0078\\u0079\"}"}"#,
        "1 tool None\n  result  \"xy\"\n",
        // The strings could not be encoded with the same bytes again.
        &[],
    );
    one(
        Protocol::Chat,
        r#"{"role":"tool","content":"{\"query\":\"\u00e9\",\"result\":\"x \\u2192 y\"}"}"#,
        "1 tool None\n  result  \"x → y\"\n",
        &[r#"\"x \\u2192 y\""#],
    );
    // If the quotes are escaped in another way, the document is one text.
    let odd =
        r#"{"role":"tool","content":"{\"query\":\"\",\"result\":\u0022x\",\"success\":false}"}"#;
    one(Protocol::Chat, odd, "1 tool None\n  error  \"x\"\n", &[]);
    let of_server = r#"{\"content\":[{\"type\":\"text\",\"text\":\"a\\nb\"}],\"_meta\":{\"x\":1}}"#;
    let slot = [r#"\"a\\nb\""#];
    let said = "1 tool None\n  result a \"a\\nb\"\n";
    let call = r#"{"type":"tool_result","tool_use_id":"a","content":"#;
    let messages = format!(
        r#"{{"role":"user","content":[{call}[{{"type":"text","text":"{of_server}"}}]}}]}}"#
    );
    one(Protocol::Messages, &messages, said, &slot);
    let responses =
        format!(r#"{{"type":"function_call_output","call_id":"a","output":"{of_server}"}}"#);
    one(Protocol::Responses, &responses, said, &slot);
    let gemini = format!(
        r#"{{"role":"user","parts":[{{"functionResponse":{{"id":"a","response":{{"output":"{of_server}"}}}}}}]}}"#
    );
    one(Protocol::Gemini, &gemini, said, &slot);
    let other = r#"{"role":"tool","content":"{\"result\":\"x\"}"}"#;
    let entries = "1 tool None\n  result  \"{\\\"result\\\":\\\"x\\\"}\"\n";
    one(Protocol::Chat, other, entries, &[r#""{\"result\":\"x\"}""#]);
}

#[test]
fn items_of_responses() {
    let output = r#"{"type":"custom_tool_call_output","call_id":"a","output":[{"type":"input_text","text":"x"},
        {"type":"input_image","image_url":"data:"}]}"#;
    one(
        Protocol::Responses,
        output,
        "1 tool None\n  result a \"x\"\n  opaque input_image {\"type\":\"input_image\",\"image_url\":\"data:\"}\n",
        &["\"x\""],
    );
    let older = r#"{"type":"local_shell_call_output","call_id":"a","output":{"content":"x","success":false}}"#;
    one(Protocol::Responses, older, "1 tool None\n  error a \"x\"\n", &["\"x\""]);
    let screen =
        r#"{"type":"computer_call_output","call_id":"a","output":{"type":"computer_screenshot"}}"#;
    let entries = "1 tool None\n  result a \"{\\\"type\\\":\\\"computer_screenshot\\\"}\"\n";
    one(Protocol::Responses, screen, entries, &[]);
}

#[test]
fn items_of_one_response_continue_it() {
    let text = br#"{"input":[{"role":"user","content":"x"},
        {"type":"reasoning","summary":[],"encrypted_content":"e"},
        {"type":"function_call","call_id":"a","name":"f","arguments":"{}"},
        {"type":"function_call","call_id":"b","name":"f","arguments":"{}"},
        {"type":"function_call_output","call_id":"a","output":"1"},
        {"type":"function_call_output","call_id":"b","output":"2"},
        {"type":"compaction","encrypted_content":"z"}]}"#;
    let (_, messages) = check(Protocol::Responses, text).expect("the body can be read");
    let continues: Vec<_> = messages.iter().map(|message| message.continues_response).collect();
    assert_eq!(continues, [false, false, true, true, false, false, false]);
    let compacts: Vec<_> = messages.iter().map(|message| message.is_compaction).collect();
    assert_eq!(compacts, [false, false, false, false, false, false, true]);
    // Parallel results belong to one step.
    let steps: Vec<_> = messages.iter().map(|message| message.entries[0].source.step).collect();
    assert_eq!(steps, [1, 2, 3, 4, 4, 4, 7]);
}

#[test]
fn parts_of_gemini() {
    one(
        Protocol::Gemini,
        r#"{"role":"user","parts":[
            {"functionResponse":{"id":"a","name":"f","response":{"output":"x"}}},
            {"functionResponse":{"id":"b","name":"f","response":{"error":"y"}}},
            {"functionResponse":{"name":"g","response":{"result":"z\n"}}},
            {"functionResponse":{"id":"d","name":"f","response":{"a":"1","b":2}}},
            {"text":"hurry"}]}"#,
        "1 tool None\n  result a \"x\"\n1 tool None\n  error b \"y\"\n1 tool None\n  result g \"z\\n\"\n1 tool None\n  result d \"{\\\"a\\\":\\\"1\\\",\\\"b\\\":2}\"\n1 user None\n  text \"hurry\"\n",
        &["\"x\"", "\"y\"", r#""z\n""#],
    );
    one(
        Protocol::Gemini,
        r#"{"role":"model","parts":[{"text":"hm","thought":true},{"text":"Look."},
            {"functionCall":{"id":"a","name":"f","args":{"p":1}},"thoughtSignature":"c2ln"}]}"#,
        "1 assistant None\n  reasoning \"hm\"\n  text \"Look.\"\n  call a f {\"p\":1}\n",
        &[],
    );
    let text = br#"{"systemInstruction":{"parts":[{"text":"be good"}]},"contents":[]}"#;
    let (body, _) = check(Protocol::Gemini, text).expect("the body can be read");
    let system = body.decode_system_prompt(text).expect("it can be read").expect("there is one");
    assert_eq!(system.text(), "be good");
}
