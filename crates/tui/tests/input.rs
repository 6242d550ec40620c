//! The message editor and the commands.

use foveal_tui::{ChatAction, SlashCommand};

use crate::script::{Screen, check};

fn said(text: &str) -> ChatAction {
    ChatAction::SendMessage(text.to_owned())
}

#[test]
fn enter_sends_and_other_enters_do_not() {
    let mut screen = Screen::new(40, 10);
    screen.play("type one\nkey alt-enter\ntype two\nkey shift-enter\ntype three\nkey enter");
    assert_eq!(screen.done(), [said("one\ntwo\nthree")]);
    screen.has("> one").has("  two");
    screen.play("key enter");
    assert_eq!(screen.done(), []);
}

#[test]
fn what_is_said_while_it_works_waits() {
    let mut screen = Screen::new(40, 10);
    screen.play("type one\nkey enter\ntype two\nkey enter").has("queued: two");
    assert_eq!(screen.done(), [said("one")]);
    screen.play("sent 1 1\ntext 1\ndone").has_not("queued: two");
    assert_eq!(screen.done(), [ChatAction::RequestPromptMap, said("two")]);
    screen.play("type three\nkey enter\nkey ctrl-c\nstopped").has("> three");
    assert_eq!(screen.done(), [ChatAction::StopAgent, ChatAction::RequestPromptMap]);
}

#[test]
fn control_c_clears_then_stops_then_quits() {
    let mut screen = Screen::new(44, 10);
    screen.play("type one\nkey enter\ntype two\nkey ctrl-c").has_not("two");
    assert_eq!(screen.done(), [said("one")]);
    screen.play("key ctrl-c").has("stopping");
    assert_eq!(screen.done(), [ChatAction::StopAgent]);
    screen.play("stopped\nkey ctrl-c").has("press Ctrl+C again to quit");
    assert_eq!(screen.done(), [ChatAction::RequestPromptMap]);
    screen.play("wait 3000").has_not("again to quit");
    screen.play("key ctrl-c x ctrl-c ctrl-c");
    assert_eq!(screen.done(), []);
    screen.play("key ctrl-c");
    assert_eq!(screen.done(), [ChatAction::Quit]);
}

#[test]
fn control_d_quits_where_nothing_is_typed() {
    let mut screen = Screen::new(40, 10);
    screen.play("type ab\nkey home ctrl-d").has("> b");
    assert_eq!(screen.done(), []);
    screen.play("key ctrl-d ctrl-d");
    assert_eq!(screen.done(), [ChatAction::Quit]);
}

#[test]
fn what_was_said_before_comes_back() {
    let mut screen = Screen::new(40, 10);
    screen.play("key up").has("> earlier");
    screen.play("key down").has_not("> earlier");
}

#[test]
fn a_paste_has_its_lines_and_sends_nothing() {
    let mut screen = Screen::new(40, 10);
    screen.play("paste /quit\\ny\\n").has("> /quit").has("  y");
    assert_eq!(screen.done(), []);
}

#[test]
fn commands_are_completed() {
    check(
        (60, 9),
        "type /co",
        "
· foveal · small · /w
  /help lists keys and commands

  /context   contents of the prompt and their cost
  /compact   make the prompt smaller
  /config    [KEY [VALUE]] show or change settings
────────────────────────────────────────────────────────────
> /co
small · run 12ab
",
    );
    let mut screen = Screen::new(60, 14);
    screen.play("type /co\nkey down tab").has("> /compact");
    screen.play("key enter");
    let run =
        |command, argument: &str| ChatAction::RunCommand { command, argument: argument.to_owned() };
    assert_eq!(screen.done(), [run(SlashCommand::Compact, "")]);
    screen.play("type /model a:b\nkey enter");
    assert_eq!(screen.done(), [run(SlashCommand::Model, "a:b")]);
    screen.play("type /undo\nkey enter");
    assert_eq!(screen.done(), [run(SlashCommand::Undo, "")]);
    screen.play("type /qu\nkey esc enter");
    assert_eq!(screen.done(), [ChatAction::Quit]);
}

#[test]
fn an_unknown_command_says_so() {
    let mut screen = Screen::new(60, 9);
    screen.play("type /contxt\nkey enter").has("unknown command /contxt: did you mean /context?");
    screen.play("type /xyzzy\nkey enter").has("/xyzzy: /help lists all commands");
    assert_eq!(screen.done(), []);
    screen.play("type /usr/bin/env is a path\nkey enter");
    assert_eq!(screen.done(), [said("/usr/bin/env is a path")]);
}

#[test]
fn commands_tell() {
    let mut screen = Screen::new(60, 34);
    screen.play("type /help\nkey enter").has("Ctrl+O").has("/context").has("/rewind [N");
    screen.play(
        "type go\nkey enter\nsent 1000 750\nusage
         call a read_file {\"path\":\"src/a.rs\"}\nresult a x
         call b multi_edit {\"edits\":[{\"path\":\"b.rs\"}]}\nresult b x",
    );
    screen.play("type /files\nkey enter").has("src/a.rs: read 1 time").has("b.rs: changed 1 time");
    screen.play("type /stats\nkey enter").has("cache reads     750 tokens (75 %)");
    screen.has("left out        250 tokens (25 %)").has("cost            $0.25");
    // Side models have their own line and count in the total; the cache share is that of the main
    // model.
    screen.play("side small 400\ntype /stats\nkey enter").has("prompts         1 000 tokens");
    screen
        .has("side models     1 request, 400 tokens, $0.13")
        .has("cost            $0.38 including side models");
    screen.has("cache reads     750 tokens (75 %)").has("· cache 75 % · $0.38");
    screen.has_not("estimated");
    screen.play("usage by-estimate\ntype /stats\nkey enter").has("tokens, partly estimated");
}

#[test]
fn files_are_completed() {
    let mut screen = Screen::new(60, 12);
    screen.play("type see @sr");
    let wanted = |word: &str| ChatAction::RequestCompletions(word.to_owned());
    assert_eq!(screen.done(), [wanted(""), wanted("s"), wanted("sr")]);
    screen.play("files s s.txt").has_not("s.txt");
    screen.play("files sr src/a.rs src/b.rs").has("@src/a.rs").has("@src/b.rs");
    screen.play("key down enter").has("> see @src/b.rs").has_not("@src/a.rs");
    assert_eq!(screen.done(), []);
    screen.play("type now\nkey enter");
    assert_eq!(screen.done(), [said("see @src/b.rs now")]);
}

#[test]
fn the_gauge_tells_what_matters_most_where_room_is_short() {
    let mut screen = Screen::new(80, 8);
    screen.play("type go\nkey enter\nsent 45000 31200\nusage");
    screen.has("small · 31.2k of 45.0k tokens · cache 75 % · $0.25 · saved 30 % · run 12ab");
    screen.play("resize 40 8").has("31.2k of 45.0k tokens").has_not("run 12ab");
    screen.play("resize 24 8").has("31.2k of 45.0k tokens").has_not("small");
}

#[test]
fn who_goes_back_may_say_it_otherwise() {
    let mut screen = Screen::new(60, 12);
    screen.play("type one\nkey enter\nsent 1 1\ntext First.\ndone");
    let (entries, text) = (Vec::new(), "one".to_owned());
    screen.take(foveal_tui::ChatInput::Rewound { entries, text });
    screen.has_not("First.").has("> one").play("note it went back").has("it went back");
}

#[test]
fn what_is_broken_stands_below_what_it_is_of() {
    let mut screen = Screen::new(50, 34);
    screen.play("type /help\nkey enter");
    screen.has(
        "\n    Ctrl+C                 clear the input, or\n                           stop; \
         twice: quit\n",
    );
}

#[test]
fn what_comes_later_for_a_word_leaves_what_is_chosen() {
    let mut screen = Screen::new(60, 12);
    screen.play("type @sr\nfiles sr src/a.rs src/b.rs\nkey down");
    screen.play("files sr lib/sr.rs src/a.rs src/b.rs src/c.rs:7\nkey tab").has("> @src/b.rs");
}
