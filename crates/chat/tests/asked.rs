//! What the person is asked.

use foveal_chat::{ChatAction, Permission};

use crate::script::Screen;

fn answer(number: u64, permission: Permission) -> ChatAction {
    ChatAction::Answer { number, permission }
}

#[test]
fn a_question_shows_the_change_and_its_answers() {
    let mut screen = Screen::new(50, 15);
    screen.play("ask edit_file src/a.rs / @@ -1 +1 @@\\n-let a = 2;\\n+let a = 3;");
    screen.shows(
        "
· foveal · small · /w
  /help tells keys and commands






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
        ("y", Permission::Once),
        ("s", Permission::Session),
        ("a", Permission::Always),
        ("n", Permission::Deny),
        ("esc", Permission::Deny),
    ];
    for (key, permission) in all {
        let mut screen = Screen::new(50, 14);
        screen.play("ask bash ls").play(&format!("key {key}")).has_not("? bash");
        assert_eq!(screen.done(), [answer(7, permission)]);
    }
}

#[test]
fn nothing_but_its_keys_answers_a_question() {
    let mut screen = Screen::new(50, 14);
    screen.play("ask bash ls\nkey x enter tab ctrl-d ctrl-y\npaste y\\n").has("? bash");
    assert_eq!(screen.done(), []);
}

#[test]
fn questions_wait_for_each_other() {
    let mut screen = Screen::new(50, 14);
    screen.play("ask bash one\nask bash two").has("`one`").has_not("`two`");
    screen.play("key y").has("`two`");
    screen.play("over 7").has_not("`two`");
    assert_eq!(screen.done(), [answer(7, Permission::Once)]);
}

#[test]
fn control_c_says_no_and_stops() {
    let mut screen = Screen::new(50, 14);
    screen.play("ask bash ls\nkey ctrl-c");
    assert_eq!(screen.done(), [answer(7, Permission::Deny), ChatAction::Stop]);
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
    screen.play("key y\nask bash make").has("? bash `make`").has_not("sub-agent");
}
