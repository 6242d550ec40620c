//! The readers of Gemini CLI, Qwen Code, Cline and of bare messages on their samples.

use foveal_session_readers::SessionFormat;

use crate::samples::check;

#[test]
fn qwen_code_session() {
    let sample = include_str!("../../../fuzz/corpus/qwen_code/session.jsonl");
    check(
        SessionFormat::QwenCode,
        sample,
        r#"
session s9
conversation s9 by Qwen Code in /work/app
1 user @1767323045000
  text why does it fail?
  opaque inlineData {"inlineData":{"mimeType":"image/png","data":"AA=="}}
2 assistant @1767323046000 qwen3-coder in=500 read=400 write=0 out=30
  reasoning Two files.
  text Looking.
  call c1 read_file {"file_path":"/work/app/a.rs"}
  call c2 run_shell_command {"command":"cargo test"}
2.0 tool @1767323047000
  result c1 fn a() {}\n
2.1 tool @1767323048000
  error c2 1 failed
3 assistant @1767323049000 qwen3-coder
  text It is a.rs.
4 user @1767323050000
  text delete it
5 user [rewind to #5] @1767323052000
  text mend it
6 user [injected] @1767323053000
  text a task ended
7 assistant @1767323054000
  call c3 read_file {"file_path":"/work/app/b.rs"}
7.0 tool @1767323055000
  result c3 fn b() {}
8 system [compact, keep #8] @1767323056000
9 user [summary] @1767323056000
  text a.rs fails
10 user [summary] @1767323056000
  text Understood.
11 assistant @1767323057000
  text Done.
problem sample:14: refers to the unknown record `gone`
problem sample:15: unknown record type `system/holiday`, skipped
problem sample:16: unknown record type `holiday`, skipped
"#,
    );
}

#[test]
fn qwen_code_agent() {
    let sample = include_str!("../../../fuzz/corpus/qwen_code/agent.jsonl");
    check(
        SessionFormat::QwenCode,
        sample,
        r#"
session explore-1
conversation explore-1 under s9 by Qwen Code in /w
1 user @1767323045000
  text find it
2 assistant @1767323046000
  text in a.rs
"#,
    );
}

#[test]
fn gemini_cli_session() {
    let sample = include_str!("../../../fuzz/corpus/gemini_cli/session.jsonl");
    check(
        SessionFormat::GeminiCli,
        sample,
        r#"
session g1
conversation g1 by Gemini CLI in /work/app
1 user [injected] @1767323045000
  text <session_context>\nlinux\n</session_context>
2 user @1767323046000
  text why does it fail?
  opaque inlineData {"inlineData":{"mimeType":"image/png","data":"AA=="}}
3 assistant @1767323047000 gemini-2.5-pro in=500 read=400 write=0 out=30
  reasoning Files\ntwo of them
  text Looking.
  call c1 read_file {"file_path":"a.rs"}
  call c2 run_shell_command {"command":"cargo test"}
3.0 tool @1767323048000
  result c1 fn a() {}\n
3.1 tool @1767323049000
  error c2 1 failed
4 assistant @1767323050000 gemini-2.5-pro
  text It is a.rs.
5 user @1767323051000
  text delete it
6 user [rewind to #6] @1767323052000
  text mend it
7 assistant @1767323053000
  call c3 read_file {"file_path":"b.rs"}
8 system [compact, keep #7]
9 user [summary] @1767323055000
  text a.rs fails
10 user [summary] @1767323055000
  text Got it.
11 assistant @1767323056000
  text Done.
problem sample:17: unknown record type `holiday`, skipped
problem sample:18: not a record of this format
"#,
    );
}

#[test]
fn gemini_cli_document() {
    let sample = include_str!("../../../fuzz/corpus/gemini_cli/session.json");
    check(
        SessionFormat::GeminiCli,
        sample,
        r#"
session g0
conversation g0 by Gemini CLI
1 user @1767323045000
  text list
2 assistant @1767323046000
  call k1 list_directory {"dir_path":"."}
2.0 tool @1767323047000
  result k1 a.rs
3 assistant @1767323048000
  text One file.
"#,
    );
}

#[test]
fn cline_messages() {
    let sample = include_str!("../../../fuzz/corpus/cline/messages.json");
    check(
        SessionFormat::Cline,
        sample,
        r#"
session 1767_ab
conversation 1767_ab by Cline
1 system
  text You fix things.
2 user @1767323045000
  text fix it
  opaque image {"type":"image","data":"AA==","mediaType":"image/png"}
3 assistant @1767323046000 m in=10 read=60 write=30 out=9
  reasoning hm
  text Looking.
  call c1 read_files {"files":[{"path":"/w/a.rs"}]}
  call c2 run_commands {"commands":["cargo test","ls"]}
3.0 tool @1767323047000
  result c1 1 | fn a() {}
3.1 tool @1767323048000
  result c2 exit code 101\na.rs
4 assistant @1767323049000
  call c3 editor {"path":"/w/a.rs","old_text":"a","new_text":"b"}
4.0 tool @1767323050000
  error c3 No match
problem sample:1: `messages[].role` is not `user` or `assistant`
"#,
    );
}

#[test]
fn bare_messages_of_each_provider_are_one_conversation() {
    check(
        SessionFormat::OpenAiChat,
        include_str!("../../../fuzz/corpus/detect/openai_chat_list.json"),
        r#"
session sample
conversation sample
1 user
  text fix it
2 assistant
  text look
  call c1 bash {"command":"cat a.py"}
2.0 tool
  result c1 print(1)
3 assistant
  text done
"#,
    );
    check(
        SessionFormat::AnthropicMessages,
        include_str!("../../../fuzz/corpus/detect/anthropic_list.json"),
        r#"
session sample
conversation sample
1 user
  text fix it
2 assistant
  call c1 Read {"file_path":"a.py"}
2.0 tool
  result c1 print(1)
"#,
    );
    check(
        SessionFormat::OpenAiResponses,
        include_str!("../../../fuzz/corpus/detect/openai_responses_list.json"),
        r#"
session sample
conversation sample
1 user
  text fix it
2 assistant
  call c1 shell {"command":"cat a.py"}
2.0 tool
  result c1 print(1)
"#,
    );
}

#[test]
fn lines_that_the_model_never_received_are_no_problem() {
    for line in [
        r#"{"type":"frame-link","sessionId":"s","link":"x"}"#,
        r#"{"type":"system","subtype":"model_refusal_fallback","sessionId":"s","uuid":"u2","parentUuid":"u1","content":"Switched to another model."}"#,
    ] {
        let sample = format!(
            "{{\"type\":\"user\",\"sessionId\":\"s\",\"uuid\":\"u1\",\"parentUuid\":null,\
             \"message\":{{\"role\":\"user\",\"content\":\"hi\"}}}}\n{line}\n"
        );
        let expected = "session s\nconversation s by Claude Code\n1 user\n  text hi";
        check(SessionFormat::ClaudeCode, &sample, expected);
    }
}
