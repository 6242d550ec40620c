//! Broken input: the reader reports the faults and reads the rest.

use std::collections::BTreeSet;

use foveal_protocols::problem::PROBLEMS_MAX;
use foveal_session_readers::{
    ReadError, SessionFormat, detect_and_read_sessions, read_all_sessions,
};
use foveal_testkit::session_text::render_session;

use crate::samples::SAMPLES;

/// Reads `input` and compares sessions and problems, or the error.
fn check(format: SessionFormat, input: &[u8], expected: &str) {
    let text = match read_all_sessions(format, "file", input) {
        Ok((sessions, problems)) => {
            let mut text: String = sessions.iter().map(render_session).collect();
            for problem in problems {
                text += &format!("problem {problem}\n");
            }
            text
        }
        Err(error) => format!("error {error}"),
    };
    assert_eq!(text.trim_end(), expected.trim());
}

#[test]
fn broken_lines() {
    let mut input = Vec::new();
    input.extend_from_slice(b"\xEF\xBB\xBF{\"type\":\"user\",\"sessionId\":\"s\",\"uuid\":\"a\",\"message\":{\"content\":\"one\"}}\n");
    input.extend_from_slice(b"{\"type\":\"user\",\"sess\n");
    input.extend_from_slice(
        b"{\"type\":\"user\",\"sessionId\":\"s\",\"message\":{\"content\":\"\xFF\"}}\n",
    );
    input.extend_from_slice(b"[1]\n\n   \n");
    input.extend_from_slice(b"{\"type\":\"user\",\"sessionId\":\"s\",\"uuid\":\"a\",\"message\":{\"content\":\"again\"}}\n");
    input.extend_from_slice(
        b"{\"type\":\"user\",\"sessionId\":\"s\",\"message\":7,\"timestamp\":\"noon\"}\n",
    );
    input.extend_from_slice(b"{\"sessionId\":\"s\"}\r\n");
    input.extend_from_slice(
        b"{\"type\":\"user\",\"sessionId\":\"s\",\"message\":{\"content\":\"two\"}}\n",
    );
    input.extend_from_slice(b"{\"type\":\"user\",\"sessionId\":\"s\",\"message\":{\"cont");
    check(
        SessionFormat::ClaudeCode,
        &input,
        "
session s
conversation s by Claude Code
1 user
  text one
2 user
  text two
problem file:2: not valid JSON: EOF while parsing a string at column 20
problem file:3: not valid UTF-8
problem file:4: not a record of this format
problem file:7: duplicate record id `a`, skipped
problem file:8: `noon` is not a valid time
problem file:8: `message` is not an object
problem file:9: not a record of this format
problem file:11: not valid JSON: EOF while parsing a string at column 47",
    );
}

#[test]
fn results_and_calls_that_do_not_match() {
    let input = r#"
{"model":"m","messages":[
{"role":"user","content":[{"type":"tool_result","tool_use_id":"gone","content":"early"}]},
{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"A","input":{}},{"type":"tool_use","id":"t","name":"B","input":{}}]},
{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"1"},{"type":"tool_result","tool_use_id":"t","content":"2"}]},
{"role":"nobody","content":"?"}, 7]}"#;
    check(
        SessionFormat::AnthropicMessages,
        input.as_bytes(),
        "
session file
conversation file
1.0 tool
  result gone early
2 assistant
  call t A {}
  call t B {}
2.0 tool
  result t 1
2.1 tool
  result t 2
problem file:2: result for the unknown call `gone`
problem file:2: duplicate call id `t`
problem file:2: `role` is not a known role
problem file:2: `messages[]` is not an object",
    );
}

#[test]
fn documents_after_a_broken_one() {
    let good = |id: &str| {
        format!(r#"{{"schema_version":"ATIF-v1.6","session_id":"{id}","agent":{{}},"steps":[]}}"#)
    };
    let input =
        format!("{}\n{{\"schema_version\":\"ATI\n{{\"steps\":[1,2\n{}\n{{}}", good("a"), good("b"));
    check(
        SessionFormat::Atif,
        input.as_bytes(),
        "
session a
conversation a
session b
conversation b
problem file:2: the JSON ends early
problem file:3: the JSON ends early
problem file:5: not a record of this format",
    );
}

#[test]
fn nothing_to_read() {
    for format in SessionFormat::all() {
        check(format, b"", "error empty");
        check(format, b" \n\n", "error empty");
    }
    let atif = br#"{"schema_version":"ATIF-v1.6","steps":["#;
    check(SessionFormat::Atif, atif, "error not in the format `atif`: line 1: the JSON ends early");
    check(
        SessionFormat::Codex,
        b"# notes",
        "error not in the format `codex`: line 1: not valid JSON: expected value at column 1",
    );
    let detected = |input: &[u8]| {
        detect_and_read_sessions("file", input, &mut |_| {}).map(|(format, _)| format)
    };
    assert!(matches!(detected(b" \n"), Err(ReadError::Empty)));
    assert!(matches!(detected(b"# notes"), Err(ReadError::UnknownFormat)));
}

/// Other formats as which a sample can be read: several formats have the same messages.
const ALSO_READ_AS: [(SessionFormat, SessionFormat); 24] = [
    (SessionFormat::QwenCode, SessionFormat::ClaudeCode),
    (SessionFormat::GeminiCli, SessionFormat::ClaudeCode),
    (SessionFormat::GeminiCli, SessionFormat::AnthropicMessages),
    (SessionFormat::GeminiCli, SessionFormat::OpenAiChat),
    (SessionFormat::GeminiCli, SessionFormat::MiniSweAgent),
    (SessionFormat::GeminiCli, SessionFormat::OpenHands),
    (SessionFormat::Cline, SessionFormat::AnthropicMessages),
    (SessionFormat::Cline, SessionFormat::OpenAiChat),
    (SessionFormat::Cline, SessionFormat::MiniSweAgent),
    (SessionFormat::Cline, SessionFormat::Codex),
    (SessionFormat::AnthropicMessages, SessionFormat::OpenAiChat),
    (SessionFormat::AnthropicMessages, SessionFormat::MiniSweAgent),
    (SessionFormat::OpenAiChat, SessionFormat::AnthropicMessages),
    (SessionFormat::OpenAiChat, SessionFormat::MiniSweAgent),
    (SessionFormat::MiniSweAgent, SessionFormat::AnthropicMessages),
    (SessionFormat::MiniSweAgent, SessionFormat::OpenAiChat),
    (SessionFormat::OpenCode, SessionFormat::AnthropicMessages),
    (SessionFormat::OpenCode, SessionFormat::OpenAiChat),
    (SessionFormat::OpenCode, SessionFormat::MiniSweAgent),
    (SessionFormat::OpenHands, SessionFormat::SweAgent),
    (SessionFormat::SweAgent, SessionFormat::OpenHands),
    (SessionFormat::Pi, SessionFormat::Codex),
    (SessionFormat::Pi, SessionFormat::OpenAiResponses),
    (SessionFormat::Codex, SessionFormat::OpenAiResponses),
];

#[test]
fn the_wrong_format_is_an_error() {
    let mut also = BTreeSet::new();
    for (format, sample) in SAMPLES {
        for other in SessionFormat::all() {
            match read_all_sessions(other, "file", sample.as_bytes()) {
                Ok(_) if other == format => {}
                Ok(_) => {
                    also.insert((format, other));
                }
                Err(ReadError::WrongFormat { .. }) => assert_ne!(other, format),
                Err(error) => panic!("{format} as {other}: {error}"),
            }
        }
    }
    assert_eq!(also, BTreeSet::from(ALSO_READ_AS));
}

#[test]
fn deep_nesting_is_a_problem() {
    let deep = format!("{}{}", "[".repeat(200_000), "]".repeat(200_000));
    for format in SessionFormat::all() {
        let input = format!("{{\"type\":\"user\",\"messages\":{deep}}}");
        let error =
            read_all_sessions(format, "file", input.as_bytes()).expect_err("it is too deep");
        assert!(error.to_string().contains("recursion limit exceeded"), "{format}: {error}");
    }
}

#[test]
fn problems_are_bounded() {
    let mut input = "{\"type\":\"session\",\"id\":\"s\"}\n".to_owned();
    input.push_str(&"?\n".repeat(PROBLEMS_MAX + 500));
    let (_, problems) =
        read_all_sessions(SessionFormat::Pi, "file", input.as_bytes()).expect("it is recognised");
    assert_eq!(problems.len(), PROBLEMS_MAX + 1);
    let last = problems.last().expect("there are some").to_string();
    assert_eq!(last, format!("file:{}: 500 more problems", PROBLEMS_MAX + 501));
}
