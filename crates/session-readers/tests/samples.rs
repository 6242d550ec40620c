//! Small hand-written recordings, which are also the fuzz targets' seeds, and the expected result
//! of each reader.

use foveal_session_readers::{SessionFormat, detect_format, read_all_sessions};
use foveal_testkit::session_text::render_session;

/// Every sample and its format.
pub(crate) const SAMPLES: [(SessionFormat, &str); 30] = [
    (SessionFormat::ClaudeCode, include_str!("../../../fuzz/corpus/claude_code/session.jsonl")),
    (SessionFormat::ClaudeCode, include_str!("../../../fuzz/corpus/claude_code/sidechain.jsonl")),
    (SessionFormat::ClaudeCode, include_str!("../../../fuzz/corpus/claude_code/rewind.jsonl")),
    (SessionFormat::ClaudeCode, include_str!("../../../fuzz/corpus/claude_code/compaction.jsonl")),
    (SessionFormat::ClaudeCode, include_str!("../../../fuzz/corpus/claude_code/requests.jsonl")),
    (SessionFormat::Codex, include_str!("../../../fuzz/corpus/codex/rollout.jsonl")),
    (SessionFormat::Codex, include_str!("../../../fuzz/corpus/codex/bare.jsonl")),
    (SessionFormat::Atif, include_str!("../../../fuzz/corpus/atif/trajectory.json")),
    (SessionFormat::Atif, include_str!("../../../fuzz/corpus/atif/array.json")),
    (SessionFormat::SweAgent, include_str!("../../../fuzz/corpus/swe_agent/windowed.traj")),
    (SessionFormat::SweAgent, include_str!("../../../fuzz/corpus/swe_agent/function_calling.traj")),
    (
        SessionFormat::MiniSweAgent,
        include_str!("../../../fuzz/corpus/mini_swe_agent/text.traj.json"),
    ),
    (
        SessionFormat::MiniSweAgent,
        include_str!("../../../fuzz/corpus/mini_swe_agent/tool_calls.traj.json"),
    ),
    (SessionFormat::OpenHands, include_str!("../../../fuzz/corpus/openhands/output.jsonl")),
    (SessionFormat::OpenHands, include_str!("../../../fuzz/corpus/openhands/kinds.json")),
    (SessionFormat::OpenCode, include_str!("../../../fuzz/corpus/opencode/export.json")),
    (SessionFormat::Pi, include_str!("../../../fuzz/corpus/pi/list.jsonl")),
    (SessionFormat::Pi, include_str!("../../../fuzz/corpus/pi/tree.jsonl")),
    (SessionFormat::QwenCode, include_str!("../../../fuzz/corpus/qwen_code/session.jsonl")),
    (SessionFormat::QwenCode, include_str!("../../../fuzz/corpus/qwen_code/agent.jsonl")),
    (SessionFormat::GeminiCli, include_str!("../../../fuzz/corpus/gemini_cli/session.jsonl")),
    (SessionFormat::GeminiCli, include_str!("../../../fuzz/corpus/gemini_cli/session.json")),
    (SessionFormat::Cline, include_str!("../../../fuzz/corpus/cline/messages.json")),
    (SessionFormat::AnthropicMessages, include_str!("../../../fuzz/corpus/anthropic/body.json")),
    (
        SessionFormat::AnthropicMessages,
        include_str!("../../../fuzz/corpus/anthropic/system_role.json"),
    ),
    (
        SessionFormat::AnthropicMessages,
        include_str!("../../../fuzz/corpus/detect/anthropic_list.json"),
    ),
    (SessionFormat::OpenAiChat, include_str!("../../../fuzz/corpus/openai_chat/body.json")),
    (SessionFormat::OpenAiChat, include_str!("../../../fuzz/corpus/detect/openai_chat_list.json")),
    (
        SessionFormat::OpenAiResponses,
        include_str!("../../../fuzz/corpus/openai_responses/body.json"),
    ),
    (
        SessionFormat::OpenAiResponses,
        include_str!("../../../fuzz/corpus/detect/openai_responses_list.json"),
    ),
];

/// Reads `sample` as `format`, which must be detected, and compares the sessions and the
/// problems below them.
pub(crate) fn check(format: SessionFormat, sample: &str, expected: &str) {
    assert_eq!(detect_format(sample.as_bytes(), true), Some(format), "detected format");
    let (sessions, problems) =
        read_all_sessions(format, "sample", sample.as_bytes()).expect("it reads");
    let mut text: String = sessions.iter().map(render_session).collect();
    for problem in problems {
        text += &format!("problem {problem}\n");
    }
    assert_eq!(text.trim_end(), expected.trim());
}

#[test]
fn claude_code_session() {
    let sample = include_str!("../../../fuzz/corpus/claude_code/session.jsonl");
    check(
        SessionFormat::ClaudeCode,
        sample,
        r#"
session s1
conversation s1 by Claude Code in /work/app
1 user @1767323045000
  text why does the test fail?
2 assistant @1767323046000 claude-opus-4-5 in=3 read=0 write=900 out=70
  reasoning Two files to look at.
  call t1 Read {"file_path":"/work/app/a.rs"}
  call t2 Bash {"command":"cargo test"}
2.0 tool @1767323047500
  result t1      1→fn a() {}
2.1 tool @1767323049000
  error t2 1 failed\nexit code 101
  opaque image {"type":"image","source":{"type":"base64","media_type":"image/png","data":"AA=="}}
3 user [injected] @1767323049100
  text <system-reminder>be brief</system-reminder>
"#,
    );
}

#[test]
fn claude_code_sidechain() {
    let sample = include_str!("../../../fuzz/corpus/claude_code/sidechain.jsonl");
    check(
        SessionFormat::ClaudeCode,
        sample,
        r#"
session s2
conversation s2 by Claude Code in /w
1 user @1767323045000
  text find the parser
2 assistant @1767323046000
  call t1 Task {"prompt":"search"}
2.0 tool @1767323049000
  result t1 in parse.rs
conversation ag1 under s2 by Claude Code
1 user @1767323047000
  text search
2 assistant @1767323048000
  text in parse.rs
conversation y1 under s2 by Claude Code
1 user @1767323047000
  text an older side-chain
2 assistant @1767323048000
  text done
"#,
    );
}

#[test]
fn claude_code_rewind() {
    let sample = include_str!("../../../fuzz/corpus/claude_code/rewind.jsonl");
    check(
        SessionFormat::ClaudeCode,
        sample,
        r#"
session s3
conversation s3 by Claude Code
1 user @1767323045000
  text add a test
2 assistant @1767323046000
  text added
3 user @1767323047000
  text now delete it
4 assistant @1767323048000
  text deleted
5 user [rewind to #2] @1767323049000
  text now rename it
6 assistant @1767323050000
  text renamed
7 user @1767323051000
  text thanks
8 user @1767323052000
  text and run it
"#,
    );
}

#[test]
fn claude_code_compaction() {
    let sample = include_str!("../../../fuzz/corpus/claude_code/compaction.jsonl");
    check(
        SessionFormat::ClaudeCode,
        sample,
        r#"
session s4
conversation s4 by Claude Code
1 user @1767323045000
  text go on
2 assistant @1767323046000
  text on it
3 system [compact, keep #1] @1767323100000
  text Conversation compacted
4 user [summary] @1767323101000
  text The user said: go on
5 user @1767323102000
  text and hurry
6 user [injected] @1767323103000
  opaque attachment/task_status {"type":"task_status","tasks":[1]}
7 assistant @1767323104000
  text done
problem sample:8: unknown record type `holiday`, skipped
"#,
    );
}

#[test]
fn claude_code_requests() {
    let sample = include_str!("../../../fuzz/corpus/claude_code/requests.jsonl");
    check(
        SessionFormat::ClaudeCode,
        sample,
        r#"
session s5
conversation s5 by Claude Code in /w
1 system
  text You help.
  text [{"name":"Read"}]
2 user @1767323045000
  text fix it
3 user [injected] @1767323045100
  text <system-reminder>\nToday is 2026-01-02.\n</system-reminder>
4 assistant @1767323046000
  call t1 Read {"file_path":"/w/a.rs"}
4.0 tool @1767323047000
  result t1 3	let c = 3;
  opaque part of a file {"startLine":3,"numLines":1,"totalLines":9}
5 user [injected] @1767323047100
  text one\ntwo
6 assistant @1767323048000
  call t2 Bash {"command":"ls"}
6.0 tool @1767323049000
  result t2 a.rs …
7 assistant @1767323050000
  text Done.
"#,
    );
}

#[test]
fn codex_rollout() {
    let sample = include_str!("../../../fuzz/corpus/codex/rollout.jsonl");
    check(
        SessionFormat::Codex,
        sample,
        r#"
session c1
conversation c1 by Codex in /work/app
1 system @1770112800000
  text You are Codex.
2 user [injected] @1770112800100
  text <environment_context>\n<cwd>/work/app</cwd>\n</environment_context>
3 user @1770112801000
  text fix the build
4 assistant @1770112803000 gpt-5-codex in=1000 read=4000 write=0 out=120
  reasoning **Looking**
  call f1 shell {"command":["bash","-lc","cargo check"]}
  call f2 local_shell {"type":"exec","command":["ls"]}
4.0 tool @1770112805000
  error f1 {"output":"error[E0425]\n","metadata":{"exit_code":101,"duration_seconds":1.5}}
4.1 tool @1770112805100
  result f2 Exit code: 0\nWall time: 0 seconds\nOutput:\na.rs\n
5 assistant @1770112806000 gpt-5-codex
  call f3 apply_patch {"input":"*** Begin Patch\n*** End Patch\n"}
5.0 tool @1770112806100
  error f3 patch failed
6 assistant @1770112807000 gpt-5-codex
  text Fixed.
7 system [compact] @1770112808000
8 user [summary] @1770112808000
  text fix the build
9 user [summary] @1770112808000
  text Summary so far
10 user @1770112809000
  text one more thing
11 assistant @1770112810000 gpt-5-codex
  call web_search_call-10-0 web_search {"type":"search","query":"rust E0425"}
12 user [rewind to #12] @1770112811000
13 user @1770112812000
  text never mind
"#,
    );
}

#[test]
fn codex_bare() {
    let sample = include_str!("../../../fuzz/corpus/codex/bare.jsonl");
    check(
        SessionFormat::Codex,
        sample,
        r#"
session c0
conversation c0 by Codex
1 user
  text list files
2 assistant
  call k1 shell "not json"
2.0 tool
  result k1 a.rs
3 assistant
  text One file.
"#,
    );
}

#[test]
fn atif_trajectory() {
    let sample = include_str!("../../../fuzz/corpus/atif/trajectory.json");
    check(
        SessionFormat::Atif,
        sample,
        r#"
session run-7
conversation run-7 by tester
1 system
  text You fix bugs.
2 user [demonstration]
  text an example
3 user @1767323045000
  text see
  opaque image {"type":"image","source":{"media_type":"image/png","path":"a.png"}}
4 assistant @1767323046000 other-model in=200 read=800 write=0 out=20
  reasoning Where is it?
  text Reading.
  call c1 read_file {"path":"a.rs"}
  call c2 task {"prompt":"search"}
4.0 tool @1767323047000
  error c1 fn a() {}
4.1 tool
  result c2 
  opaque subagent_trajectory_ref [{"trajectory_id":"sub"}]
5 system [compact]
  text [context compacted here]
6 user [summary]
  text It was a.rs.
7 assistant some-model
conversation sub under run-7 by searcher
1 user
  text search
2 assistant
  text found
"#,
    );
}

#[test]
fn atif_array() {
    let sample = include_str!("../../../fuzz/corpus/atif/array.json");
    check(
        SessionFormat::Atif,
        sample,
        r#"
session one
conversation one by t
1 user
  text a
session two
conversation two by t
1 user
  text b
"#,
    );
}

#[test]
fn swe_agent_windowed() {
    let sample = include_str!("../../../fuzz/corpus/swe_agent/windowed.traj");
    check(
        SessionFormat::SweAgent,
        sample,
        r#"
session sample
conversation sample by SWE-agent
1 system
  text SETTING: fix it
2 user [demonstration]
  text --- DEMONSTRATION ---
3 user
  text ISSUE: x is wrong
4 assistant
  text Open it.\n```\nopen a.py 3\n```
  call call_00001 open {"path":"a.py","line_number":3}
4.0 tool
  result call_00001 [File: a.py (1 lines total)]\n1:x
5 assistant
  text Edit.\n```\nedit 1:1\ny\nend_of_edit\n```
  call call_00002 edit {"start_line":1,"end_line":1,"replacement_text":"y"}
5.0 tool
  error call_00002 Your proposed edit has introduced new syntax error(s). Please read
6 assistant
  text Done.\n```\nsubmit\n```
  call call_00003 submit {}
"#,
    );
}

#[test]
fn swe_agent_function_calling() {
    let sample = include_str!("../../../fuzz/corpus/swe_agent/function_calling.traj");
    check(
        SessionFormat::SweAgent,
        sample,
        r#"
session sample
conversation sample by SWE-agent
1 system
  text You are helpful.
2 user
  text fix it
3 assistant claude-sonnet-4
  text Look.
  call toolu_1 bash {"command":"ls"}
3.0 tool
  result toolu_1 a.py
"#,
    );
}

#[test]
fn mini_swe_agent_text() {
    let sample = include_str!("../../../fuzz/corpus/mini_swe_agent/text.traj.json");
    check(
        SessionFormat::MiniSweAgent,
        sample,
        r#"
session a__b-1
conversation a__b-1 by mini-swe-agent in /testbed
1 system
  text One bash block per answer.
2 user
  text fix it
3 assistant gemini-3 in=20 read=30 write=0 out=9
  text THOUGHT: look\n\n```bash\nls -F\n```
  call call_00001 bash {"command":"ls -F"}
3.0 tool
  error call_00001 <returncode>2</returncode>\n<output>\nno\n</output>
4 assistant gemini-3
  text THOUGHT: two at once\n\n```bash\nls\n```\n\n```bash\npwd\n```
5 user
  text Please always provide EXACTLY ONE action
"#,
    );
}

#[test]
fn mini_swe_agent_tool_calls() {
    let sample = include_str!("../../../fuzz/corpus/mini_swe_agent/tool_calls.traj.json");
    check(
        SessionFormat::MiniSweAgent,
        sample,
        r#"
session sample
conversation sample by mini-swe-agent
1 system
  text Use the tool.
2 assistant @1767323045250 m
  call k1 bash {"command":"ls"}
2.0 tool @1767323046500
  result k1 <returncode>0</returncode>\n<output>\na.py\n</output>
3 assistant m in=9 read=0 write=0 out=2
  opaque reasoning {"type":"reasoning","summary":[]}
  call k2 bash {"command":"pwd"}
3.0 tool
  result k2 /testbed
"#,
    );
}

#[test]
fn openhands_output() {
    let sample = include_str!("../../../fuzz/corpus/openhands/output.jsonl");
    check(
        SessionFormat::OpenHands,
        sample,
        r#"
session o__p-1
conversation o__p-1 by OpenHands
1 system @1746031541913
  text You are an agent.
2 user @1746031542000
  text fix it
3 assistant @1746031543000 llama in=10 read=0 write=0 out=2
  text Two looks.
  call t1 execute_bash {"command":"ls"}
  call t2 execute_bash {"command":"pwd"}
3.0 tool @1746031544000
  result t1 a.c
3.1 tool @1746031545000
  error t2 no
4 assistant @1746031546000
  call t1#8 str_replace_editor {"command":"view"}
4.0 tool @1746031546000
  error t1#8 no such file
5 system [compact, keep #5] @1746031547000
6 user [summary] @1746031547000
  text looked around
7 assistant @1746031548000
  text stuck
session o__p-2
conversation o__p-2 by OpenHands
1 user
  text old pairs
2 assistant
  text Look.
  call action-1 execute_bash {"command":"ls"}
2.0 tool
  result action-1 a.c
"#,
    );
}

#[test]
fn openhands_kinds() {
    let sample = include_str!("../../../fuzz/corpus/openhands/kinds.json");
    check(
        SessionFormat::OpenHands,
        sample,
        r#"
session sample
conversation sample by OpenHands
1 system @1767323045500
  text You are an agent.
2 user @1767323046000
  text fix it
3 assistant @1767323047000
  reasoning hm
  text Look.
  call t1 terminal {"command":"ls"}
3.0 tool @1767323048000
  result t1 a.c
"#,
    );
}

#[test]
fn opencode_export() {
    let sample = include_str!("../../../fuzz/corpus/opencode/export.json");
    check(
        SessionFormat::OpenCode,
        sample,
        r#"
session ses_1
conversation ses_1 by OpenCode in /work/app
1 user @1767323045000
  text fix it
  opaque file {"type":"file","mime":"image/png","url":"data:"}
2 assistant @1767323046000 claude-sonnet-4 in=3 read=5 write=6 out=4
  reasoning hm
  text Looking.
  call c1 read {"filePath":"a.rs"}
  call c2 bash {"command":"ls"}
2.0 tool @1767323047000
  result c1 <file>a</file>
2.1 tool @2
  error c2 denied
3 assistant @1767323046000 claude-sonnet-4
  call c3 bash {"command":"sleep 9"}
4 system [compact] @1767323049000
5 user [summary] @1767323049000
  text We looked at a.rs.
6 assistant @1767323050000 in=1 read=0 write=0 out=2
  text Going on.
"#,
    );
}

#[test]
fn pi_list() {
    let sample = include_str!("../../../fuzz/corpus/pi/list.jsonl");
    check(
        SessionFormat::Pi,
        sample,
        r#"
session p1
conversation p1 by pi in /work/app
1 user @1767323045000
  text read a.rs
2 assistant @1767323046000 claude-sonnet-4-5 in=1 read=3 write=4 out=2
  reasoning hm
  call t1 read {"path":"a.rs"}
2.0 tool @1767323047000
  error t1 fn a() {}
3 user [injected] @1767323049000
  text Ran `ls`\n```\na.rs\n\n```\n\nCommand exited with code 2
4 user @1767323050000
  text go on
5 system [compact, keep #4] @1767323051000
6 user [summary] @1767323051000
  text a.rs was read
7 assistant @1767323052000
  text ok
"#,
    );
}

#[test]
fn pi_tree() {
    let sample = include_str!("../../../fuzz/corpus/pi/tree.jsonl");
    check(
        SessionFormat::Pi,
        sample,
        r#"
session p2
conversation p2 by pi in /w
1 user @1767323045000
  text first
2 assistant @1767323046000
  text one
3 user @1767323047000
  text second
4 assistant @1767323048000
  text two
5 user [rewind to #2] @1767323049000
6 user [injected] @1767323049000
  text tried the second
7 user @1767323050000
  text third
8 system [compact, keep #6] @1767323051000
9 user [summary] @1767323051000
  text all of it
10 user @1767323052000
  text fourth
problem sample:9: refers to the unknown record `nowhere`
"#,
    );
}

#[test]
fn anthropic_body() {
    let sample = include_str!("../../../fuzz/corpus/anthropic/body.json");
    check(
        SessionFormat::AnthropicMessages,
        sample,
        r#"
session sample
conversation sample
1 system
  text You help.
2 user
  text fix it
3 assistant
  reasoning hm
  opaque redacted_thinking {"type":"redacted_thinking","data":"xx"}
  text Looking.
  call t1 Read {"file_path":"a.rs"}
  call t2 Bash {"command":"ls"}
3.0 tool
  error t1 gone
3.1 tool
  result t2 a.rs
4 user
  text hurry
"#,
    );
}

#[test]
fn anthropic_body_with_system_messages() {
    let sample = include_str!("../../../fuzz/corpus/anthropic/system_role.json");
    check(
        SessionFormat::AnthropicMessages,
        sample,
        r#"
session sample
conversation sample
1 system
  text You help.
2 user
  text fix it
3 system [injected]
  text # Environment\nlinux
4 assistant
  call t1 Read {"file_path":"a.rs"}
4.0 tool
  result t1 fn a() {}
5 system [injected]
  text Go on.
"#,
    );
}

#[test]
fn openai_chat_body() {
    let sample = include_str!("../../../fuzz/corpus/openai_chat/body.json");
    check(
        SessionFormat::OpenAiChat,
        sample,
        r#"
session sample
conversation sample
1 system
  text You help.
2 user
  text see
  opaque image_url {"type":"image_url","image_url":{"url":"data:"}}
3 assistant
  reasoning hm
  call t1 read {"path":"a.rs"}
  call t2 bash "{\"broken\""
3.0 tool
  result t1 fn a() {}
4.0 tool
  result lost whose?
5 assistant
  text Done.
problem sample:1: result for the unknown call `lost`
"#,
    );
}

#[test]
fn openai_responses_body() {
    let sample = include_str!("../../../fuzz/corpus/openai_responses/body.json");
    check(
        SessionFormat::OpenAiResponses,
        sample,
        r#"
session sample
conversation sample
1 system
  text You help.
2 user
  text fix it
3 assistant
  opaque reasoning {"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"xx"}
  call t1 read {"path":"a.rs"}
3.0 tool
  result t1 fn a() {}
4 assistant
  text Done.
  opaque item_reference {"type":"item_reference","id":"x"}
"#,
    );
}
