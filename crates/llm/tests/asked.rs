//! Questions that are answered.

use foveal_transcript::{Block, Call, Role};
use foveal_upstream::{Encoding, Play, Reply, Script};
use foveal_wire::prompt::{Dialect, Prompt, ToolSpec, encode};
use foveal_wire::response::StopReason;
use serde_json::json;

use crate::world::{World, run, say};

#[test]
fn an_answer_is_told_as_it_comes_and_as_a_whole() {
    let reply = Reply {
        thinking: "I have to think about that.".to_owned(),
        text: "Here is an answer of some words.".to_owned(),
        calls: vec![
            foveal_upstream::Call {
                name: "read_file".to_owned(),
                arguments: json!({"path": "a.rs"}),
            },
            foveal_upstream::Call { name: "grep".to_owned(), arguments: json!({"pattern": "x"}) },
        ],
    };
    for dialect in Dialect::ALL {
        let world = World::new(Script::always(reply.clone()));
        let came = run(world.ask(dialect));
        let said = came.said.expect("an answer");
        assert_eq!(came.text, reply.text);
        assert_eq!(said.stop, StopReason::Calls);
        let calls: Vec<&Call> = said.calls().collect();
        assert_eq!(
            (calls[0].name.as_str(), &calls[1].arguments),
            ("read_file", &json!({"pattern": "x"}))
        );
        assert!(said.answer.billed.prompt() > Some(0) && said.answer.billed.output > Some(0));
        assert!(came.again.is_empty());
        let seen = world.upstream.seen();
        assert!(seen[0].broken.is_empty(), "{:?}", seen[0].broken);
    }
}

/// What the model said goes back, with results, as each API wants it: the provider refuses a
/// conversation whose calls and results do not pair.
#[test]
fn what_was_said_goes_back_to_the_model() {
    for dialect in Dialect::ALL {
        let call =
            Reply { thinking: "hm".to_owned(), ..Reply::call("read_file", json!({"path": "a"})) };
        let world = World::new(Script::by_turn([call, Reply::text("done")]));
        let said = run(world.ask(dialect)).said.expect("an answer");
        let mut entries = vec![say(Role::System, "Be brief."), say(Role::User, "go")];
        let mut answer = say(Role::Assistant, "");
        answer.blocks = said.blocks.clone();
        entries.push(answer);
        for call in said.calls() {
            let mut result = say(Role::Tool, "");
            let (call, content) = (call.id.clone(), "1→x".to_owned());
            let given = foveal_transcript::ToolResult { call, content, is_error: false };
            result.blocks = vec![Block::Result(given)];
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
        let body = encode(dialect, &prompt);
        let server = world.server(dialect);
        let said = run(world.client.ask(&server, body, 1, &mut |_| {})).expect("an answer");
        assert_eq!(said.blocks, [Block::Text("done".to_owned())]);
        let seen = world.upstream.seen();
        assert!(seen.iter().all(|seen| seen.broken.is_empty()), "{:?}", seen[1].broken);
    }
}

#[test]
fn a_key_stands_where_its_api_wants_it() {
    for dialect in Dialect::ALL {
        let world = World::new(Script::always(Reply::text("hi")));
        run(world.ask(dialect)).said.expect("an answer");
        let seen = &world.upstream.seen()[0];
        let (bearer, own) = (seen.header("authorization"), seen.header("x-api-key"));
        match dialect {
            Dialect::Messages => {
                assert_eq!((bearer, own), (None, Some("the-key")));
                assert!(seen.header("anthropic-version").is_some());
            }
            Dialect::Chat | Dialect::Responses => {
                assert_eq!((bearer, own), (Some("Bearer the-key"), None));
            }
        }
        assert!(!format!("{:?}", world.server(dialect)).contains("the-key"));
    }
}

/// Nobody asked for a compressed answer: what comes so is no stream that can be read.
#[test]
fn an_answer_that_cannot_be_read_is_no_answer() {
    let play = Play { encoding: Encoding::Gzip, ..Play::from(Reply::text("hi")) };
    let world = World::new(Script::always(play));
    assert!(run(world.ask(Dialect::Chat)).said.is_err());
}
