//! The prompt map.

use foveal_agent::{
    PromptBlock, PromptBlockKind, PromptBlockPosition, PromptBlockState, PromptMap, PromptMapChange,
};
use foveal_tui::ChatAction;

use crate::script::Screen;

fn block(
    entry: usize,
    kind: PromptBlockKind,
    path: Option<&str>,
    title: &str,
    sizes: (u64, u64),
) -> PromptBlock {
    let (tokens_whole, tokens_sent) = sizes;
    let is_whole = tokens_whole == tokens_sent;
    PromptBlock {
        place: PromptBlockPosition::Message { entry, block: 0 },
        kind,
        path: path.map(str::to_owned),
        title: title.to_owned(),
        tokens_whole,
        tokens_sent,
        cost: tokens_sent as f64 * 0.001,
        state: if is_whole { PromptBlockState::Whole } else { PromptBlockState::Reduced },
        why: if is_whole { "as it was said" } else { "it stands above" }.to_owned(),
        restore_cost: (!is_whole).then_some(0.5),
        drop_cost: is_whole.then_some(-0.25),
    }
}

fn map() -> PromptMap {
    let fixed = PromptBlock {
        place: PromptBlockPosition::Tools,
        drop_cost: None,
        ..block(9, PromptBlockKind::Tools, None, "23 tools", (3_000, 3_000))
    };
    PromptMap {
        blocks: vec![
            fixed,
            block(1, PromptBlockKind::User, None, "fix it", (10, 10)),
            block(3, PromptBlockKind::Read, Some("src/a.rs"), "read_file src/a.rs", (8_000, 1_200)),
            block(5, PromptBlockKind::Run, None, "bash cargo test", (900, 900)),
            block(7, PromptBlockKind::Read, Some("src/a.rs"), "read_lines src/a.rs", (200, 200)),
        ],
        tokens_billed: Some(5_290),
        window: Some(200_000),
        has_unknown_cost: false,
    }
}

fn opened(columns: u16, rows: u16) -> Screen {
    let mut screen = Screen::new(columns, rows);
    screen.play("type /context\nkey enter").has("reading the prompt");
    assert_eq!(screen.done(), [ChatAction::RequestPromptMap]);
    screen.map(map());
    screen
}

#[test]
fn the_map_is_sorted_by_file_and_kind() {
    opened(80, 18).shows(
        "
Context: 5 310 tokens of 12 110 · last billed 5 290 (+0.4 %) · 2 % of 200.0k
────────────────────────────────────────────────────────────────────────────────
tools                                                             3.0k     $3.00
    23 tools                                                      3.0k     $3.00
src/a.rs                                                  1.4k of 8.2k     $1.40
  ~ read_file src/a.rs                                    1.2k of 8.0k     $1.20
    read_lines src/a.rs                                            200     $0.20
commands                                                           900     $0.90
    bash cargo test                                                900     $0.90
your messages                                                       10   $0.0100
    fix it                                                          10   $0.0100


────────────────────────────────────────────────────────────────────────────────
whole: as it was said
cost $3.00 so far
d drop  p pin  r restore  u undo  s sort (size)  Esc back
small · run 12ab
",
    );
}

#[test]
fn an_unknown_price_is_not_called_free() {
    let mut screen = opened(80, 18);
    screen.map(PromptMap { has_unknown_cost: true, ..map() });
    screen.has("unknown").has("cost unknown").has_not("$");
}

#[test]
fn it_fits_fifty_columns() {
    opened(50, 16).shows(
        "
Context: 5 310 tokens of 12 110 · last billed
  5 290 (+0.4 %) · 2 % of 200.0k
──────────────────────────────────────────────────
tools                                         3.0k
    23 tools                                  3.0k
src/a.rs                              1.4k of 8.2k
  ~ read_file src/a.rs                1.2k of 8.0k
    read_lines src/a.rs                        200
commands                                       900
    bash cargo test                            900
your messages                                   10
──────────────────────────────────────────────────
whole: as it was said
cost $3.00 so far
d drop  p pin  r restore  u undo  s sort (size)  …
small · run 12ab
",
    );
}

#[test]
fn the_last_answer_is_not_billed_yet() {
    let mut answered = map();
    answered.blocks.push(block(8, PromptBlockKind::Assistant, None, "It is so.", (500, 500)));
    let mut screen = opened(80, 18);
    screen.map(answered).has("Context: 5 810 tokens").has("last billed 5 290 (+0.4 %)");
}

#[test]
fn a_result_tells_how_much_of_it_the_model_is_sent() {
    let mut screen = Screen::new(80, 18);
    screen.play(
        "type go\nkey enter\nsent 1 1
         call a read_file {\"path\":\"src/a.rs\"}\nresult a 1\\n2
         call b bash {\"command\":\"cargo test\"}\nresult b ok",
    );
    // A map with another number of results belongs to another conversation, so no reduction is
    // shown.
    screen.map(map()).has_not("sent to the model");
    let mut fits = map();
    fits.blocks.pop();
    screen.map(fits).has("└ 2 lines, 1.2k of 8.0k tokens sent to the model").has("└ 1 line\n");
}

#[test]
fn keys_change_the_prompt() {
    let mut screen = opened(80, 18);
    screen.play("key d").has("this part of the prompt cannot be changed");
    assert_eq!(screen.done(), []);
    let place = |entry| PromptBlockPosition::Message { entry, block: 0 };
    screen.play("key down").has("reduced: it stands above").has("restoring it: +$0.50");
    screen.play("key r p down d u");
    let changes = [
        PromptMapChange::Restore(place(3)),
        PromptMapChange::Pin(place(3)),
        PromptMapChange::Drop(place(7)),
        PromptMapChange::Undo,
    ];
    assert_eq!(screen.done(), changes.map(ChatAction::ChangePrompt));
    screen.play("key r").has("already sent whole");
    // The selection stays when a new map arrives.
    let mut next = map();
    next.blocks[4].state = PromptBlockState::Dropped;
    next.blocks[4].why = "you dropped it".to_owned();
    screen.map(next).has("dropped: you dropped it");
    screen.play("note nothing to take back").has("nothing to take back");
    screen.play("key esc").has_not("Context:").has("· nothing to take back");
}

#[test]
fn the_list_scrolls_and_is_sorted_anew() {
    let mut screen = opened(80, 12);
    screen.has_not("fix it").play("key end").has("fix it").has_not("23 tools");
    screen.play("key home").has("23 tools");
    screen.play("key s").has("sort (cost)").play("key s").has("sort (position)").has("fix it");
}
