//! Requests that succeed.

use foveal_mock_provider::{BodyEncoding, ModelReply, ReplyScript, ScriptedOutcome};
use foveal_protocols::prompt::{ApiDialect, Prompt, ToolSpec, encode_prompt};
use foveal_protocols::response::StopReason;
use foveal_transcript::{ContentBlock, MessageRole, ToolCall};
use serde_json::json;

use crate::world::{World, run, say};

#[test]
fn an_answer_is_told_as_it_comes_and_as_a_whole() {
    let reply = ModelReply {
        thinking: "I have to think about that.".to_owned(),
        text: "Here is an answer of some words.".to_owned(),
        calls: vec![
            foveal_mock_provider::ReplyCall {
                name: "read_file".to_owned(),
                arguments: json!({"path": "a.rs"}),
            },
            foveal_mock_provider::ReplyCall {
                name: "grep".to_owned(),
                arguments: json!({"pattern": "x"}),
            },
        ],
    };
    for dialect in ApiDialect::ALL {
        let world = World::new(ReplyScript::always(reply.clone()));
        let came = run(world.ask(dialect));
        let said = came.said.expect("an answer");
        assert_eq!(came.text, reply.text);
        assert_eq!(said.stop_reason, StopReason::ToolCalls);
        let calls: Vec<&ToolCall> = said.calls().collect();
        assert_eq!(
            (calls[0].name.as_str(), &calls[1].arguments),
            ("read_file", &json!({"pattern": "x"}))
        );
        assert!(
            said.metadata.billed.prompt_tokens() > Some(0) && said.metadata.billed.output > Some(0)
        );
        assert!(came.again.is_empty());
        let seen = world.upstream.received_requests();
        assert!(seen[0].violations.is_empty(), "{:?}", seen[0].violations);
    }
}

/// The answer of the model goes back with results in the form of each API: the provider rejects a
/// conversation whose calls and results do not pair.
#[test]
fn what_was_said_goes_back_to_the_model() {
    for dialect in ApiDialect::ALL {
        let call = ModelReply {
            thinking: "hm".to_owned(),
            ..ModelReply::from_call("read_file", json!({"path": "a"}))
        };
        let world = World::new(ReplyScript::by_turn([call, ModelReply::from_text("done")]));
        let said = run(world.ask(dialect)).said.expect("an answer");
        let mut entries = vec![say(MessageRole::System, "Be brief."), say(MessageRole::User, "go")];
        let mut answer = say(MessageRole::Assistant, "");
        answer.blocks = said.blocks.clone();
        entries.push(answer);
        for call in said.calls() {
            let mut result = say(MessageRole::Tool, "");
            let (call, content) = (call.id.clone(), "1→x".to_owned());
            let given = foveal_transcript::ToolResult { call, content, is_error: false };
            result.blocks = vec![ContentBlock::Result(given)];
            entries.push(result);
        }
        let tools = [ToolSpec {
            name: "read_file".to_owned(),
            description: "Reads.".to_owned(),
            schema: json!({"type": "object", "properties": {"path": {"type": "string"}}}),
        }];
        let prompt = Prompt {
            model: "some-model",
            entries: &entries,
            tools: &tools,
            output_tokens_max: None,
            drops_bound_thinking: false,
        };
        let body = encode_prompt(dialect, &prompt);
        let server = world.server(dialect);
        let said =
            run(world.client.stream_answer(&server, body, 1, &mut |_| {})).expect("an answer");
        assert_eq!(said.blocks, [ContentBlock::Text("done".to_owned())]);
        let seen = world.upstream.received_requests();
        assert!(seen.iter().all(|seen| seen.violations.is_empty()), "{:?}", seen[1].violations);
    }
}

#[test]
fn a_key_stands_where_its_api_wants_it() {
    for dialect in ApiDialect::ALL {
        let world = World::new(ReplyScript::always(ModelReply::from_text("hi")));
        run(world.ask(dialect)).said.expect("an answer");
        let seen = &world.upstream.received_requests()[0];
        let (bearer, own) = (seen.header("authorization"), seen.header("x-api-key"));
        match dialect {
            ApiDialect::Messages => {
                assert_eq!((bearer, own), (None, Some("the-key")));
                assert!(seen.header("anthropic-version").is_some());
            }
            ApiDialect::Chat | ApiDialect::Responses => {
                assert_eq!((bearer, own), (Some("Bearer the-key"), None));
            }
        }
        assert!(!format!("{:?}", world.server(dialect)).contains("the-key"));
    }
}

/// The client did not ask for compression: a compressed answer is not a readable stream.
#[test]
fn an_answer_that_cannot_be_read_is_no_answer() {
    let play = ScriptedOutcome {
        encoding: BodyEncoding::Gzip,
        ..ScriptedOutcome::from(ModelReply::from_text("hi"))
    };
    let world = World::new(ReplyScript::always(play));
    assert!(run(world.ask(ApiDialect::Chat)).said.is_err());
}
