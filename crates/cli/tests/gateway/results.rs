//! Results as clients really pass them on: without ids, with lines of their own around them, in
//! documents, cut, or shaped by foveal already. What the model is told of them is true.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use foveal_mock_provider::{MockProvider, Settings};
use serde_json::{Value, json};

use super::served::{Served, ask};
use crate::mcp::called_by;
use crate::world::World;

const MESSAGES: &str = "/v1/messages";
const CHAT: &str = "/v1/chat/completions";
const RESPONSES: &str = "/v1/responses";
const GEMINI: &str = "/v1beta/models/gemini-3-pro:generateContent";

/// The line of the file with this number.
fn line(number: usize) -> String {
    format!("    value_{number} = compute(row[{number}], column={})", number * 37 % 101)
}

/// Some lines of it.
fn lines(first: usize, last: usize) -> String {
    (first..=last).map(line).collect::<Vec<_>>().join("\n")
}

/// A gateway, and what goes on to the model.
struct Gateway {
    served: Served,
    upstream: MockProvider,
}

impl Gateway {
    fn start(world: &World) -> Self {
        let settings = Settings { refuses_violations: false, ..Settings::default() };
        let upstream = MockProvider::start(settings).expect("loopback");
        Self { served: Served::start(world, &[upstream.url()], None), upstream }
    }

    /// The bytes that the model's server gets for these.
    fn sent(&self, path: &str, body: &str) -> String {
        let got = ask(self.served.address, path, &[], body.as_bytes(), Duration::ZERO);
        let got = got.expect("an answer");
        assert_eq!(got.status, 200, "{}", got.text());
        let seen = self.upstream.received_requests();
        String::from_utf8(seen.last().expect("a request").body.to_vec()).expect("text")
    }

    fn sent_json(&self, path: &str, body: &Value) -> Value {
        serde_json::from_str(&self.sent(path, &body.to_string())).expect("JSON")
    }
}

/// A conversation of Chat in which a tool is called with each of these arguments, one call after
/// the other, and answers so.
fn chat(tool: &str, calls: &[(Value, String)]) -> Value {
    let mut messages = vec![json!({"role": "user", "content": "work"})];
    for (at, (arguments, result)) in calls.iter().enumerate() {
        let function = json!({"name": tool, "arguments": arguments.to_string()});
        messages.push(json!({"role": "assistant", "content": null,
            "tool_calls": [{"id": format!("c{at}"), "type": "function", "function": function}]}));
        messages.push(json!({"role": "tool", "tool_call_id": format!("c{at}"), "content": result}));
    }
    json!({"model": "gpt-5", "messages": messages})
}

/// The last result of a conversation of Chat as it goes on.
fn last_result(sent: &Value) -> String {
    let last = sent["messages"].as_array().expect("messages").last().expect("a result");
    last["content"].as_str().expect("text").to_owned()
}

/// The lines of a text that are notes on ranges, such as `[3-9: as above]`.
fn notes(text: &str) -> Vec<&str> {
    let is_note = |line: &&str| {
        let inner = line.strip_prefix('[').and_then(|line| line.strip_suffix(']'));
        let range = inner.and_then(|inner| inner.split_once(": ")).map(|(range, _)| range);
        let ends = range.and_then(|range| range.split_once('-'));
        ends.is_some_and(|(first, last)| [first, last].iter().all(|end| end.parse::<u32>().is_ok()))
    };
    text.lines().filter(is_note).collect()
}

#[test]
fn parallel_calls_without_ids_or_with_one_id_are_paired_in_order() {
    let world = World::new("gateway_pairing");
    let gateway = Gateway::start(&world);
    let long: String =
        (0..900).map(|at| format!("test case_{at} ... ok at {}\n", at * 7919)).collect();
    let read = lines(1, 200);
    let results = [
        ("read_file", json!({"path": "a.py"}), &read),
        ("bash", json!({"command": "make test"}), &long),
    ];
    let is_cut = |text: &str| text.contains("left out");
    for order in [[0, 1], [1, 0]] {
        for (id, key) in [(Some("x"), "tool_call_id"), (None, "tool_call_id"), (None, "name")] {
            let mut calls = Vec::new();
            let mut messages =
                vec![json!({"role": "user", "content": format!("work {order:?} {id:?} {key}")})];
            let mut answers = Vec::new();
            for at in order {
                let (tool, arguments, result) = &results[at];
                let mut call = json!({"type": "function", "function": {"name": tool, "arguments": arguments.to_string()}});
                let mut answer = json!({"role": "tool", "content": result});
                if let Some(id) = id {
                    (call["id"], answer[key]) = (json!(id), json!(id));
                } else if key == "name" {
                    answer["name"] = json!(tool);
                }
                calls.push(call);
                answers.push(answer);
            }
            messages.push(json!({"role": "assistant", "content": null, "tool_calls": calls}));
            messages.extend(answers);
            let sent = gateway.sent_json(CHAT, &json!({"model": "gpt-5", "messages": messages}));
            for (place, at) in order.into_iter().enumerate() {
                let text = sent["messages"][2 + place]["content"].as_str().expect("text");
                assert_eq!(is_cut(text), at == 1, "{order:?} {id:?} {key} {at}: {text}");
            }
        }
        // Gemini's calls have no ids.
        let part = |at: usize| {
            let (tool, arguments, _) = &results[at];
            json!({"functionCall": {"name": tool, "args": arguments}})
        };
        let answer = |at: usize| {
            let (tool, _, result) = &results[at];
            json!({"functionResponse": {"name": tool, "response": {"output": result}}})
        };
        let contents = json!([
            {"role": "user", "parts": [{"text": format!("work {order:?}")}]},
            {"role": "model", "parts": order.map(part)},
            {"role": "user", "parts": order.map(answer)}]);
        let sent = gateway.sent_json(GEMINI, &json!({"contents": contents}));
        for (place, at) in order.into_iter().enumerate() {
            let output =
                &sent["contents"][2]["parts"][place]["functionResponse"]["response"]["output"];
            assert_eq!(is_cut(output.as_str().expect("text")), at == 1, "{order:?} {at}");
        }
    }
}

#[test]
fn each_result_of_a_tool_called_twice_is_one_of_its_own_call() {
    let world = World::new("gateway_pairing_of_one_tool");
    let gateway = Gateway::start(&world);
    let call =
        |command: &str| json!({"functionCall": {"name": "read_file", "args": {"path": command}}});
    let answer = |text: String| json!({"functionResponse": {"name": "read_file", "response": {"output": text}}});
    let contents = json!([
        {"role": "user", "parts": [{"text": "work"}]},
        {"role": "model", "parts": [call("a.py"), call("b.py")]},
        {"role": "user", "parts": [answer(lines(1, 60)), answer(lines(501, 560))]},
        {"role": "model", "parts": [call("a.py")]},
        {"role": "user", "parts": [answer(lines(1, 60))]}]);
    let sent = gateway.sent_json(GEMINI, &json!({"contents": contents}));
    let output = &sent["contents"][4]["parts"][0]["functionResponse"]["response"]["output"];
    let output = output.as_str().expect("text");
    assert!(output.contains("[1-60: unchanged, as above]") && output.len() < 200, "{output}");
}

/// The number of repeated results, as the page for Prometheus tells it.
fn repeats(gateway: &Gateway) -> String {
    let mut stream = TcpStream::connect(gateway.served.address).expect("loopback");
    let asked = "GET /metrics HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
    stream.write_all(asked.as_bytes()).expect("a request");
    let mut page = String::new();
    stream.read_to_string(&mut page).expect("an answer");
    let count = page.lines().find_map(|line| line.strip_prefix("foveal_repeated_results_total "));
    count.unwrap_or(&page).to_owned()
}

#[test]
fn a_file_that_is_read_again_counts_as_one_repeat() {
    let world = World::new("gateway_repeats");
    let gateway = Gateway::start(&world);
    let read = || (json!({"path": "a.py"}), lines(1, 60));
    let other = (json!({"path": "b.py"}), lines(501, 560));
    let body = chat("read_file", &[read(), other.clone(), read()]);
    assert!(last_result(&gateway.sent_json(CHAT, &body)).contains("[1-60: unchanged, as above]"));
    // The next requests hold that result too.
    for after in [vec![read(), other.clone(), read(), other.clone()], vec![read(), other]] {
        gateway.sent_json(CHAT, &chat("read_file", &after));
    }
    let is_counted = || repeats(&gateway) == "2";
    let waits = (0..100).any(|_| {
        std::thread::sleep(Duration::from_millis(50));
        is_counted()
    });
    assert!(waits, "{}", repeats(&gateway));
}

#[test]
fn notes_name_lines_of_the_file_whatever_a_client_puts_around_them() {
    let world = World::new("gateway_wrapped_output");
    let gateway = Gateway::start(&world);
    let qwen = |text: &str| {
        format!(
            "Command: x\nDirectory: (root)\nOutput: {text}\nError: (none)\nExit Code: 0\n\
                 Signal: (none)\nProcess Group PGID: 7"
        )
    };
    let gemini = |text: &str| {
        format!("<untrusted_context>\nOutput: {text}\nProcess Group PGID: 7\n</untrusted_context>")
    };
    let codex = |text: &str| {
        format!(
            "Chunk ID: {:x}\nWall time: 0.0000 seconds\nProcess exited with code 0\n\
                 Original token count: 9999\nOutput:\n{text}",
            text.len()
        )
    };
    let warned = |text: &str| {
        codex(&format!(
            "Warning: truncated output (original token count: 9999)\n\
                        Total output lines: 600\n\n{text}"
        ))
    };
    let plain = |text: &str| text.to_owned();
    let pi = |first: usize| {
        move |text: &str| {
            format!(
                "{text}\n\n[Showing lines {first}-1200 of 1200 (50.0KB limit). Full output: /tmp/pi.log]"
            )
        }
    };
    type Wrap<'a> = &'a dyn Fn(&str) -> String;
    let whole = ("cat src/rows.py", (1, 600));
    let part = ("sed -n '300,400p' src/rows.py", (300, 400));
    let tail = ("cat src/rows.py", (601, 1200));
    let late = ("sed -n '900,1000p' src/rows.py", (900, 1000));
    let cases: [(&str, Wrap<'_>, _, Wrap<'_>, _); 6] = [
        ("qwen", &qwen, part, &qwen, whole),
        ("gemini", &gemini, part, &gemini, whole),
        ("codex", &codex, part, &warned, whole),
        ("plain", &plain, part, &plain, whole),
        ("pi", &pi(601), tail, &plain, late),
        ("pi, whole again", &plain, late, &pi(601), tail),
    ];
    for (name, before, first, after, second) in cases {
        let call = |(command, (from, to)): (&str, (usize, usize)), wrap: Wrap<'_>| {
            (json!({"command": command}), wrap(&lines(from, to)))
        };
        let mut body = chat("run_shell_command", &[call(first, before), call(second, after)]);
        body["messages"][0]["content"] = json!(name);
        let sent = last_result(&gateway.sent_json(CHAT, &body));
        let both = (first.1.0.max(second.1.0), first.1.1.min(second.1.1));
        let is_whole = both == second.1;
        let state = if is_whole { "unchanged, as above" } else { "as above" };
        let range = format!("[{}-{}: {state}]", both.0, both.1);
        assert_eq!(notes(&sent), [range], "{name}: {sent}");
    }
}

#[test]
fn what_foveal_shaped_stays_as_it_is_and_counts_as_what_it_shows() {
    let world = World::new("gateway_own_results");
    let gateway = Gateway::start(&world);
    let numbered = |first: usize, last: usize| {
        (first..=last).map(|at| format!("{at}→{}\n", line(at))).collect::<String>()
    };
    let heading = "File: src/rows.py (curated)\nTotal lines: 1200 | Preserved: 120 (10 %)\n";
    let first = format!(
        "{heading}{}[61-300 left out: compute; foveal expand b79047c479d5]\n{}[361-1200 left out]\n",
        numbered(1, 60),
        numbered(301, 360),
    );
    let second = format!(
        "{heading}[1-60: as above]\n[61-100 left out: compute]\n{}[121-1200 left out]\n",
        numbered(101, 120)
    );
    for tool in ["mcp__foveal__read_file", "foveal__read_file", "mcp_files_read_file"] {
        let read = json!({"path": "src/rows.py"});
        let results = [(read.clone(), first.clone()), (read.clone(), second.clone())];
        let body = chat(tool, &results);
        let sent = gateway.sent_json(CHAT, &body);
        assert_eq!(sent["messages"], body["messages"], "{tool}");
        // What it showed is above, under its numbers.
        let native = (json!({"path": "src/rows.py"}), lines(1, 600));
        let mut body = chat(tool, &[results[0].clone(), native]);
        body["messages"][3]["tool_calls"][0]["function"] = json!({
            "name": "bash", "arguments": json!({"command": "cat src/rows.py"}).to_string()});
        let sent = last_result(&gateway.sent_json(CHAT, &body));
        assert_eq!(notes(&sent), ["[1-60: as above]", "[301-360: as above]"], "{tool}: {sent}");
    }
    // What a hook made of an output.
    let hook = format!(
        "[1-143: shown above]\n{}\n[161-400: as above]\n{}\n[421-1200: shown above]",
        lines(144, 160),
        lines(401, 420)
    );
    let bash = |command: &str, text: String| (json!({"command": command}), text);
    let body = chat(
        "Bash",
        &[
            bash("sed -n '120,170p' src/rows.py", lines(120, 170)),
            bash("cat src/rows.py", hook.clone()),
        ],
    );
    assert_eq!(last_result(&gateway.sent_json(CHAT, &body)), hook);
    let body = chat(
        "Bash",
        &[bash("cat src/rows.py", hook), bash("sed -n '390,430p' src/rows.py", lines(390, 430))],
    );
    let sent = last_result(&gateway.sent_json(CHAT, &body));
    assert_eq!(notes(&sent), ["[401-420: as above]"], "{sent}");
}

/// What stands in place of the result of a command, `result`, once the prompt is too long for the
/// model, of which nothing is learnt yet.
fn note_in_place(world: &World, command: &str, result: &str) -> String {
    let gateway = Gateway::start(world);
    let call = (json!({"command": command}), result.to_owned());
    let mut body = chat("mcp__foveal__bash", &[call]);
    body["model"] = json!("gpt-4o");
    let mut sent = gateway.sent_json(CHAT, &body);
    assert_eq!(sent["messages"], body["messages"]);
    for turn in 0..10 {
        let words = (0..4_000).map(|at| format!("word{} {at} ", at % 977)).collect::<String>();
        let messages = body["messages"].as_array_mut().expect("messages");
        messages.push(json!({"role": "assistant", "content": format!("{command}: {turn}")}));
        messages.push(json!({"role": "user", "content": words}));
        sent = gateway.sent_json(CHAT, &body);
    }
    sent["messages"][2]["content"].as_str().expect("text").to_owned()
}

/// The handle in a text with one.
fn handle(text: &str) -> &str {
    text.split_once("expand ").expect("a handle").1.split([',', ']', ';']).next().expect("one")
}

#[test]
fn what_foveal_shortened_is_got_back_in_one_step() {
    let world = World::new("gateway_one_step");
    let output: String = (1..=3_000).map(|at| format!("case_{at} ... ok in {at} ms\n")).collect();
    world.write("rows.log", &output);
    let command = "cat rows.log";
    let params = json!({"name": "bash", "arguments": {"command": command}});
    let said = called_by(world.command("mcp"), &params, || ());
    let mut answers = said.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let answer = answers.find(|answer| answer["id"] == 1).expect("an answer");
    let result = answer["result"]["content"][0]["text"].as_str().expect("text");
    assert!(result.len() < output.len() / 2);
    // The note names the whole output and its size.
    let note = note_in_place(&world, command, result);
    let (lines, bytes) = (output.lines().count(), output.len());
    let told = format!("[{lines} lines, {bytes} bytes no longer shown; ");
    assert!(note.starts_with(&told) && handle(&note) == handle(result), "{note}");
    assert!(world.output(&format!("expand {}", handle(&note))) == output, "{note}");
    // What says more than that content is not lost.
    let result = format!("{result}\n[exit code 7]");
    let note = note_in_place(&world, "cat ./rows.log", &result);
    assert!(note.len() < 200, "it stays whole");
    let expanded = world.output(&format!("expand {}", handle(&note)));
    assert!(expanded.trim_end() == result, "{note}");
}

#[test]
fn text_in_documents_is_shaped_as_text_and_all_around_it_stays() {
    let world = World::new("gateway_documents");
    let gateway = Gateway::start(&world);
    // As an encoder writes it that leaves nothing but ASCII.
    let ascii = |text: &str| text.replace('→', "\\u2192");
    let numbered: String = (401..=510).map(|at| format!("{at}→{}\n", line(at))).collect();
    let document = |text: &str| {
        let text = ascii(&json!(text).to_string());
        format!(
            "{{\"content\": [{{\"type\":\"text\",\"text\":{text}}}],  \"isError\":false,\"_meta\":{{\"n\": 1.0}}}}"
        )
    };
    let read = json!({"path": "src/rows.py", "start": 401, "end": 510});
    // At first sight nothing of it is lost.
    let body = chat("files__read_text", &[(read.clone(), document(&numbered))]);
    let (bytes, sent) = (body.to_string(), gateway.sent(CHAT, &body.to_string()));
    assert!(!sent.contains("left out"), "{sent}");
    assert!(sent.len() <= bytes.len() && sent.contains(r#"\"_meta\":{\"n\": 1.0}}"#), "{sent}");
    // Afterwards what is known is pointed at, by its numbers.
    let more: String = (381..=530).map(|at| format!("{at}→{}\n", line(at))).collect();
    let wider = json!({"path": "src/rows.py", "start": 381, "end": 530});
    let calls = [(read, document(&numbered)), (wider, document(&more))];
    let body = chat("files__read_text", &calls);
    let sent = last_result(&gateway.sent_json(CHAT, &body));
    let (before, rest) = sent.split_once("\"text\":").expect("a document");
    assert_eq!(before, "{\"content\": [{\"type\":\"text\",");
    assert!(rest.ends_with("}],  \"isError\":false,\"_meta\":{\"n\": 1.0}}"), "{sent}");
    assert!(!sent.contains('→'), "what stays is spelled as before: {sent}");
    let inner: Value = serde_json::from_str(&sent).expect("JSON");
    let inner = inner["content"][0]["text"].as_str().expect("text");
    assert_eq!(notes(inner), ["[401-510: as above]"], "{inner}");
    // What Cline cut in the middle is no document any more, and goes whole.
    let long = document(&lines(1, 400));
    let cut = format!(
        "{}\n\n...[truncated 9999 chars]...\n\n{}",
        &long[..3950],
        &long[long.len() - 3950..]
    );
    for tool in ["files__read_text", "files__run"] {
        let body = chat(tool, &[(json!({"path": "src/rows.py"}), cut.clone())]);
        assert_eq!(last_result(&gateway.sent_json(CHAT, &body)), cut, "{tool}");
    }
}

#[test]
fn halves_of_characters_go_as_they_came_and_count_as_sent() {
    let world = World::new("gateway_surrogates");
    let gateway = Gateway::start(&world);
    let text: String = (0..400).map(|at| format!("row {at} value {}\\n", at * 7919)).collect();
    let text = text.replace("row 200", "row 200 \\ud83d");
    let call = |id: &str| {
        format!(
            r#"{{"role":"assistant","content":[{{"type":"tool_use","id":"{id}","name":"Bash","input":{{"command":"make test"}}}}]}},
           {{"role":"user","content":[{{"type":"tool_result","tool_use_id":"{id}","content":"{text}"}}]}}"#
        )
    };
    let body = format!(
        r#"{{"model":"claude-sonnet-4-5","max_tokens":9,"messages":[{{"role":"user","content":"work"}},{},{}]}}"#,
        call("a"),
        call("b")
    );
    let sent = gateway.sent(MESSAGES, &body);
    // Marks for the cache may come in; the results are as they came.
    assert_eq!(sent.matches(&text).count(), 2, "{sent}");
    gateway.served.stop();
    let told = world.read("requests.jsonl");
    let told: Value = serde_json::from_str(told.lines().last().expect("a line")).expect("JSON");
    assert_eq!(told["tokens_asked"], told["tokens_sent"], "{told:#}");
}

#[test]
fn a_message_spelled_otherwise_is_the_same_after_a_restart_too() {
    let world = World::new("gateway_spelled_otherwise");
    let output: String =
        (0..900).map(|at| format!("test case_{at} → ok at {}\n", at * 7919)).collect();
    let item = |name: &str, text: &str| {
        json!([
            {"type": "function_call", "call_id": name, "name": "exec_command",
             "arguments": json!({"cmd": "make test"}).to_string()},
            {"type": "function_call_output", "call_id": name, "output": text}])
    };
    let body = |calls: usize| {
        let mut input = vec![json!({"type": "message", "role": "user", "content": "work → on"})];
        for (call, text) in ["a", "b", "c"].into_iter().zip([&*output, "done", "done"]).take(calls)
        {
            input.extend(item(call, text).as_array().expect("items").clone());
        }
        json!({"model": "gpt-5.5-codex", "input": input}).to_string()
    };
    let replaced = |sent: &str| {
        let sent: Value = serde_json::from_str(sent).expect("JSON");
        sent["input"][2]["output"].as_str().expect("text").to_owned()
    };
    let gateway = Gateway::start(&world);
    let first = replaced(&gateway.sent(RESPONSES, &body(1)));
    // Once it was seen, less of it goes: who does not know that would send what went first.
    let before = replaced(&gateway.sent(RESPONSES, &body(2)));
    assert!(first.contains("left out") && before.len() < first.len() / 2, "{first}");
    let told = |world: &World| -> Value {
        let all = world.read("requests.jsonl");
        serde_json::from_str(all.lines().last().expect("a line")).expect("JSON")
    };
    let Gateway { served, upstream } = gateway;
    served.stop();
    let conversation = told(&world)["conversation"].clone();
    assert!(conversation.is_string(), "{}", told(&world));
    let served = Served::start(&world, &[upstream.url()], None);
    let gateway = Gateway { served, upstream };
    let after = gateway.sent(RESPONSES, &body(3).replace('→', "\\u2192"));
    assert_eq!(replaced(&after), before);
    // Without a restart, too.
    let again =
        gateway.sent(RESPONSES, &body(3).replace('→', "\\u2192").replace("done", "do\\u006ee"));
    assert_eq!(replaced(&again), before);
    gateway.served.stop();
    assert_eq!(told(&world)["conversation"], conversation);
}
