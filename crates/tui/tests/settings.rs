//! The settings view.

use foveal_tui::{
    ChatAction, ChatInput, EditableSetting, SettingInput, SettingOrigin, SettingsList,
};

use crate::script::Screen;

fn setting(
    name: &str,
    value: Option<&str>,
    origin: SettingOrigin,
    takes: SettingInput,
) -> EditableSetting {
    let expected = match &takes {
        SettingInput::Toggle => "true or false".to_owned(),
        SettingInput::Choice(all) => all.join(", "),
        SettingInput::Text => "a whole number".to_owned(),
        SettingInput::Unavailable(_) => "tables".to_owned(),
    };
    EditableSetting {
        name: name.to_owned(),
        value: value.map(str::to_owned),
        origin,
        default_value: Some("8000".to_owned()),
        input: takes,
        expected,
        description: format!("what {name} is for"),
    }
}

fn settings() -> SettingsList {
    let choices = ["extractive", "model", "auto"].map(str::to_owned).to_vec();
    let elsewhere = SettingInput::Unavailable("it is written in tables".to_owned());
    SettingsList {
        file: "~/.config/foveal/config.toml".to_owned(),
        settings: vec![
            setting("keep_contents", Some("true"), SettingOrigin::Default, SettingInput::Toggle),
            setting("curator", Some("auto"), SettingOrigin::Project, SettingInput::Choice(choices)),
            setting("answers.tokens", Some("9000"), SettingOrigin::File, SettingInput::Text),
            setting("permissions", None, SettingOrigin::Default, elsewhere),
            setting(
                "gateway.otel",
                None,
                SettingOrigin::Environment("OTEL".to_owned()),
                SettingInput::Text,
            ),
        ],
    }
}

fn opened(columns: u16, rows: u16) -> Screen {
    let mut screen = Screen::new(columns, rows);
    screen.play("type /config\nkey enter").has("reading the settings");
    assert_eq!(screen.done(), [ChatAction::RequestSettings]);
    screen.take(ChatInput::Settings(settings()));
    screen
}

fn set(name: &str, value: &str) -> ChatAction {
    ChatAction::ChangeSetting { name: name.to_owned(), value: Some(value.to_owned()) }
}

fn changed(screen: &mut Screen, is_done: bool, text: &str) {
    screen.take(ChatInput::SettingChanged { is_success: is_done, message: text.to_owned() });
}

#[test]
fn settings_stand_by_group_with_value_and_origin() {
    opened(80, 18).shows(
        "
Settings in ~/.config/foveal/config.toml
────────────────────────────────────────────────────────────────────────────────
general
  keep_contents   true                                                   default
* curator         auto                                                   project
  permissions     -                                                      default
answers
* answers.tokens  9000                                                      file
gateway
* gateway.otel    -                                                  environment


────────────────────────────────────────────────────────────────────────────────
what keep_contents is for
expects: true or false
not set · default: 8000
Enter change  x unset  u undo  Esc back
small · run 12ab
",
    );
}

#[test]
fn they_fit_fifty_columns() {
    opened(50, 12).play("key end").shows(
        "
Settings in ~/.config/foveal/config.toml
──────────────────────────────────────────────────
* answers.tokens  9000
gateway
* gateway.otel    -
──────────────────────────────────────────────────
what gateway.otel is for
expects: a whole number
set by OTEL in the environment, which overrides
  the file · default: 8000
Enter change  x unset  u undo  Esc back
small · run 12ab
",
    );
}

#[test]
fn yes_and_no_toggle_and_choices_cycle() {
    let mut screen = opened(80, 18);
    screen.play("key enter down enter");
    assert_eq!(screen.done(), [set("keep_contents", "false"), set("curator", "extractive")]);
    changed(&mut screen, true, "curator is set");
    screen.has("curator is set").play("key u");
    assert_eq!(screen.done(), [ChatAction::UndoSettingChange]);
    screen.play("key x");
    assert_eq!(
        screen.done(),
        [ChatAction::ChangeSetting { name: "curator".to_owned(), value: None }],
        "the chosen one is taken out"
    );
    screen.play("key down enter").has("it is written in tables");
    assert_eq!(screen.done(), []);
}

#[test]
fn a_value_is_typed_in_place_and_stays_until_it_passes() {
    let mut screen = opened(80, 18);
    screen.play("key down down down enter").has("Enter save");
    screen.play("key backspace backspace backspace\ntype q").has("* answers.tokens  9q");
    screen.play("key enter");
    assert_eq!(screen.done(), [set("answers.tokens", "9q")]);
    changed(&mut screen, false, "`9q` is no value");
    screen.has("`9q` is no value").has("* answers.tokens  9q").has("Enter save");
    // The mouse wheel does not change the selection while a value is edited.
    screen.play("scroll 3\nkey backspace\npaste 0\\n0\nkey enter");
    assert_eq!(screen.done(), [set("answers.tokens", "90")]);
    changed(&mut screen, true, "it is set");
    screen.has_not("Enter save").has("it is set");
    screen.play("key enter\ntype 1\nkey esc").has("* answers.tokens  9000").has("expects: a whole");
    screen.play("key esc").has_not("Settings in").has("\n>");
    assert_eq!(screen.done(), []);
}

#[test]
fn what_is_chosen_stays_and_a_question_waits() {
    let mut screen = opened(80, 18);
    screen.play("key end");
    screen.take(ChatInput::Settings(settings()));
    screen.has("what gateway.otel is for");
    screen.play("ask bash ls").has("a question is waiting").has("what gateway.otel is for");
    screen
        .play("wait 1000\nkey y")
        .has("a question is waiting")
        .play("over 7")
        .has_not("a question");
    screen.play("key home").has("what keep_contents is for").play("key ctrl-c").has("\n>");
}

#[test]
fn a_name_and_a_value_go_to_who_keeps_them() {
    let mut screen = Screen::new(80, 18);
    screen.play("type /config answers.tokens 5\nkey enter").has_not("Settings in");
    let argument = "answers.tokens 5".to_owned();
    let command = foveal_tui::SlashCommand::Config;
    assert_eq!(screen.done(), [ChatAction::RunCommand { command, argument }]);
}

#[test]
fn settings_that_cannot_be_read_say_why() {
    let mut screen = Screen::new(80, 8);
    screen.play("type /config\nkey enter");
    changed(&mut screen, false, "`config.toml` cannot be used: correct it, or remove it: line 2");
    screen.has("correct it, or remove it: line 2").play("key x enter u esc").has("\n>");
    assert_eq!(screen.done(), [ChatAction::RequestSettings, ChatAction::UndoSettingChange]);
}
