//! Questions to the user.

use foveal_tui::{ChatAction, PermissionAnswer};

use crate::script::Screen;

fn answer(number: u64, permission: PermissionAnswer) -> ChatAction {
    ChatAction::AnswerQuestion { number, permission }
}

#[test]
fn a_question_shows_the_change_and_its_answers() {
    let mut screen = Screen::new(50, 15);
    screen.play("ask edit_file src/a.rs / @@ -1 +1 @@\\n-let a = 2;\\n+let a = 3;\nwait 1000");
    screen.shows(
        "
· foveal · small · /w
  /help lists keys and commands






──────────────────────────────────────────────────
? edit_file `src/a.rs`
  @@ -1 +1 @@
  -let a = 2;
  +let a = 3;
  y once  s this session  a always  n no
small · run 12ab
",
    );
}

#[test]
fn each_answer_has_its_key() {
    let all = [
        ("y", PermissionAnswer::Once),
        ("s", PermissionAnswer::Session),
        ("n", PermissionAnswer::Deny),
        ("esc", PermissionAnswer::Deny),
    ];
    for (key, permission) in all {
        let mut screen = Screen::new(50, 14);
        screen.play("ask bash ls\nwait 1000").play(&format!("key {key}")).has_not("? bash");
        assert_eq!(screen.done(), [answer(7, permission)]);
    }
}

#[test]
fn nothing_but_its_keys_answers_a_question() {
    let mut screen = Screen::new(50, 14);
    screen.play("ask bash ls\nwait 1000\nkey enter tab ctrl-y pgdn\npaste y").has("? bash");
    screen.play("wait 1000").has("> y").has("? bash");
    assert_eq!(screen.done(), []);
}

/// A question appears between two key presses. The second one belongs to the message, whichever key
/// it is.
#[test]
fn keys_typed_for_a_message_answer_nothing() {
    for typed in ["nay", "say yes", "any", "yes"] {
        let mut screen = Screen::new(60, 14);
        let (first, rest) = typed.split_at(1);
        screen.play("type go\nkey enter").done();
        screen.play(&format!("type {first}\nwait 60\nask bash ls\nwait 70"));
        for letter in rest.chars() {
            screen.take(foveal_tui::ChatInput::Key(foveal_tui::KeyPress::from_code(
                foveal_tui::KeyCode::Char(letter),
            )));
            screen.play("wait 2000");
        }
        screen.has("? bash `ls`").has(&format!("> {typed}")).has("Tab to answer");
        assert_eq!(screen.done(), [], "{typed}");
        // The message is queued, and the question stays open.
        screen.play("key enter").has("? bash `ls`");
        assert_eq!(screen.done(), [], "{typed}");
    }
}

#[test]
fn a_question_takes_keys_after_a_pause() {
    let mut screen = Screen::new(60, 14);
    screen.play("ask bash ls\nwait 700").has("… y once");
    screen.play("key y").has("> y").has("? bash");
    screen.play("key backspace\nwait 700").has("… y once").play("wait 100").has_not("…");
    assert_eq!(screen.done(), []);
    screen.play("key y");
    assert_eq!(screen.done(), [answer(7, PermissionAnswer::Once)]);
    // The next question has its own pause.
    screen.play("ask bash one\nask bash two\nwait 1000\nkey y y y").has("? bash `two`");
    assert_eq!(screen.done(), [answer(7, PermissionAnswer::Once)]);
}

#[test]
fn tab_turns_to_a_question_while_a_message_is_typed() {
    let mut screen = Screen::new(60, 14);
    screen.play("type do it\nask bash ls\nkey tab y").has("? bash").has("> do ity");
    screen.play("wait 1000\nkey tab").has("y once").play("key y").has("> do ity");
    assert_eq!(screen.done(), [answer(7, PermissionAnswer::Once)]);
    // Any other key continues the message.
    screen.play("ask bash ls\nwait 1000\nkey tab x y").has("? bash").has("> do ityxy");
    screen.play("key ctrl-c").has_not("> do").has("? bash");
    assert_eq!(screen.done(), []);
}

#[test]
fn always_is_confirmed_with_what_it_allows() {
    let mut screen = Screen::new(60, 14);
    screen.play("ask bash ls\nwait 1000\nkey a").has("always allows the same in /w");
    // An immediate `y` may be the next letter of a word.
    screen.play("key y").has("always allows the same");
    assert_eq!(screen.done(), []);
    screen.play("key n").has_not("always allows").has("y once");
    screen.play("key a\nwait 1000\nkey y").has_not("? bash");
    assert_eq!(screen.done(), [answer(7, PermissionAnswer::Always)]);
    screen.play("ask bash ls\nwait 1000\nkey a l\nwait 1000").has("> l").has_not("always allows");
    screen.play("key backspace\nwait 1000\nkey esc");
    assert_eq!(screen.done(), [answer(7, PermissionAnswer::Deny)]);
    screen.play("ask-of-terminal write_stdin 1\nwait 1000\nkey a").has("> a");
    assert_eq!(screen.done(), []);
}

#[test]
fn a_question_waits_until_what_hides_it_is_closed() {
    let mut screen = Screen::new(60, 14);
    screen.play("type /context\nkey enter\nask bash ls\nwait 1000").has("a question is waiting");
    screen.play("key s y a").has("a question is waiting").has_not("? bash");
    screen.done();
    screen.play("key esc y").has("? bash").has("> y").play("key backspace\nwait 1000\nkey n");
    assert_eq!(screen.done(), [answer(8, PermissionAnswer::Deny)]);
}

#[test]
fn questions_wait_for_each_other() {
    let mut screen = Screen::new(50, 14);
    screen.play("ask bash one\nask bash two").has("`one`").has_not("`two`");
    screen.play("wait 1000\nkey y").has("`two`");
    screen.play("over 7").has_not("`two`");
    assert_eq!(screen.done(), [answer(7, PermissionAnswer::Once)]);
}

#[test]
fn control_c_says_no_and_stops() {
    let mut screen = Screen::new(50, 14);
    screen.play("ask bash ls\nkey ctrl-c");
    assert_eq!(screen.done(), [answer(7, PermissionAnswer::Deny), ChatAction::StopAgent]);
}

#[test]
fn all_of_a_long_change_can_be_looked_at() {
    let mut screen = Screen::new(50, 14);
    let lines: String = (1..=30).map(|n| format!("+line {n}\\n")).collect();
    screen.play(&format!("ask write_file a / {lines}"));
    screen.has("+line 1").has_not("+line 30").has("more lines").has("n no");
    screen.play("key pgdn pgdn pgdn pgdn pgdn pgdn").has("+line 30").has("↓ 0 more").has("n no");
    screen.play("scroll -100").has("+line 1\n");
}

#[test]
fn who_asks_is_told_where_that_is_a_sub_agent() {
    let mut screen = Screen::new(60, 10);
    screen.play("ask-of-agent bash make").has("? sub-agent `look for it`: bash `make`");
    screen.play("wait 1000\nkey y\nask bash make").has("? bash `make`").has_not("sub-agent");
}
