//! The display of messages, calls and notices.

use foveal_transcript::{
    ContentBlock, EntryMark, MessageRole, RecordingPosition, ToolCall, TranscriptEntry,
};
use foveal_tui::{ChatInput, ColourSupport};
use ratatui_core::style::{Color, Modifier};

use crate::script::{Screen, check};

#[test]
fn an_answer_streams_and_ends() {
    check(
        (70, 13),
        "type say it
         key enter
         sent 1200 1000
         text # Said\\n\\nIt is **so**:\\n\\n```rust\\nfn a()
         text  {}\\n```
         done",
        "
· foveal · small · /w
  /help lists keys and commands

> say it

Said

It is so:

  fn a() {}
──────────────────────────────────────────────────────────────────────
>
small · 1.0k of 1.2k tokens · cache 75 % · $0.25 · saved 16 %
",
    );
}

#[test]
fn the_end_is_followed_until_one_scrolls() {
    let mut screen = Screen::new(40, 8);
    screen.play("type go\nkey enter\nsent 10 10\ntext - 1\\n- 2\\n- 3\\n- 4\\n- 5\\n- 6");
    screen.has("- 6").has_not("- 1");
    screen.play("scroll -3").has_not("- 6").has("more below");
    screen.play("text \\n- 7\\n- 8").has_not("- 8");
    screen.play("key esc").has("- 8").has_not("more below");
    screen.play("key pgup pgup pgup pgup").has("· foveal");
    screen.play("key pgdn pgdn pgdn pgdn").has("- 8").has_not("more below");
}

#[test]
fn thoughts_stand_in_a_box_and_collapse() {
    let mut screen = Screen::new(40, 12);
    screen.play("type go\nkey enter\nsent 10 10\nthink First I look.\\nThen I say.\nwait 1200");
    screen.has("⠋ thinking, 1.2 s").has("│ First I look.").has("│ Then I say.");
    screen.play("wait 800\ntext Done.").has("∴ thought for 2.0 s").has_not("│ First").has("Done.");
    screen.play("key ctrl-o").has("│ First I look.");
    screen.play("key ctrl-o").has_not("│ First I look.");
}

/// An indexing model has a progress line while it works; a summary remains.
#[test]
fn a_model_that_reads_into_the_index_is_one_line_at_the_end() {
    let mut screen = Screen::new(60, 12);
    screen.play("indexes qwen3 2 0 0 0 src/a.rs");
    screen.has("⠋ qwen3 is indexing src/a.rs, 2 more, 0.0 s");
    screen.play("wait 1500\nindexes qwen3 1 1 0 400 src/b.rs\ntype hello");
    screen.has("qwen3 is indexing src/b.rs, 1 more, 1.5 s").has("> hello");
    screen.play("wait 1500\nindexes qwen3 0 2 1 600");
    screen.has_not("is indexing").has("qwen3 indexed 2 files, 1 failed: 3.0 s, 600 tokens");
    // The next period of work has its own counts, and does not interrupt a streaming answer.
    screen
        .play("type !\nkey enter\nsent 10 10\ntext One \nindexes qwen3 0 2 1 600 a.rs\ntext word.");
    screen.has("One word.").has("is indexing a.rs, 0.0 s");
    screen.play("wait 200\nindexes qwen3 0 3 1 940").has("indexed 1 file: 0.2 s, 340");
    // Escape sequences in foreign names are not obeyed.
    screen.play("indexes q\u{1b}[2J 0 3 1 940 a.rs").has_not("\u{1b}");
}

/// An indexing model thinks in a box like that of the curator, and beside the main model.
#[test]
fn an_indexing_model_thinks_in_a_box_that_opens_again() {
    let mut screen = Screen::new(60, 20);
    let thoughts: Vec<String> = (1..=9).map(|at| format!("thought {at}")).collect();
    screen.play(&format!(
        "type go
         key enter
         index-thinks qwen3 {}\\n
         text Hello.
         index-thinks qwen3 It doubles.
         wait 1500",
        thoughts.join("\\n")
    ));
    screen.has("qwen3 is indexing a.rs, 1.5 s\n│ thought 5\n");
    screen.has("│ thought 9\n│ It doubles.\n").has_not("thought 4");
    screen.play("indexes qwen3 0 1 0 600").has("∴ qwen3 indexed 1 file: 1.5 s, 600 tokens");
    screen.has_not("│").play("key ctrl-o").has("600 tokens\n│ thought 1\n").has("│ It doubles.");
    screen.play("key ctrl-o").has_not("│");
    // The next file has its own.
    screen.play("index-thinks qwen3 Another.\nindexes qwen3 0 2 0 800\nkey ctrl-o");
    screen.has("200 tokens\n│ Another.");
}

/// The reasoning of a curating model is shown in a box like that of the main model.
#[test]
fn a_curator_thinks_in_a_box_that_opens_again() {
    let mut screen = Screen::new(60, 16);
    screen.play(
        "type go
         key enter
         call a read_file {\"path\":\"a.rs\"}
         result a File: a.rs
         helps a It is about step_12.
         wait 1200",
    );
    screen.has("the curator is thinking, 1.2 s").has("│ It is about step_12.");
    screen.has("a model is selecting what to show");
    screen.play("helped a a.rs curated by m: 10 of 300 lines, 1.2 s");
    screen.has("a.rs curated by m: 10 of 300 lines").has("∴ the curator thought for 1.2 s");
    screen.has_not("│ It is about").play("key ctrl-o").has("│ It is about step_12.");
}

/// A curated call opens to the text that the model is sent, with the reasoning behind the choice.
#[test]
fn a_curated_call_opens_to_what_the_model_is_sent() {
    let mut screen = Screen::new(80, 24);
    screen.play(
        "type go
         key enter
         call a read_file {\"path\":\"a.rs\"}
         result a 7→the step\\n8→hidden
         helps a It is about step_12.
         helped a a.rs curated by m: 10 of 300 lines, 1.2 s
         sent 1 1
         reduced a 4100
         done",
    );
    screen.has("curated: 4 100 of 16 000 bytes sent to the model");
    screen.play("key alt-up alt-up alt-up ctrl-o");
    screen.has("    7→the step\n    [8-99 left out]").has_not("hidden");
    screen.has("    It is about step_12.");
}

/// The lines of a file are counted without the heading of the answer.
#[test]
fn a_read_counts_the_lines_of_the_file() {
    let mut screen = Screen::new(60, 12);
    let header = "File: a.rs (full)\\nTotal lines: 2 | Preserved: 2 (100 %)\\n";
    screen.play(&format!(
        "type go
         key enter
         call a read_file {{\"path\":\"a.rs\"}}
         result a {header}1→one\\n2→two"
    ));
    screen.has("└ 2 lines");
    screen.play("call b read_lines {\"path\":\"a.rs\"}\nresult b File: a.rs\\n 9→nine");
    screen.has("└ 1 line").has_not("1 lines");
}

#[test]
fn a_call_shows_what_it_is_about_and_how_much_came() {
    let mut screen = Screen::new(60, 16);
    screen.play(
        "type go
         key enter
         sent 10 10
         start a read_file
         arguments a {\"path\":
         call a read_file {\"path\":\"src/a.rs\"}
         result a File: src/a.rs (curated)\\nTotal lines: 1200 | Preserved: 140 (11.7 %)\\nx
         start b bash
         call b bash {\"command\":\"cargo test\"}
         progress b Compiling\\nRunning 3 tests
         wait 2000",
    );
    screen.has("✓ read_file src/a.rs").has("└ curated 140 of 1 200 lines");
    screen.has("bash cargo test").has("    Running 3 tests").has("└ 2.0 s");
    screen.play("error b exit code 101\\nmore").has("✗ bash cargo test").has("└ exit code 101");
    screen.has_not("Running 3 tests");
    screen.play("call c list {}\ncached c a.rs\\nb.rs").has("└ 2 lines, cached");
    screen.play("key alt-up alt-up alt-up ctrl-o").has("Total lines: 1200");
    screen.play("key alt-down alt-down alt-down").has("└ 2 lines, cached");
}

#[test]
fn a_result_that_goes_shorter_says_so() {
    let mut screen = Screen::new(80, 16);
    screen
        .play("type go\nkey enter\nsent 1 1\ncall a read_file {\"path\":\"a.rs\"}\nresult a 1\\n2");
    screen.has("└ 2 lines").play("sent 1 1\nreduced a 4100");
    screen.has("└ 2 lines, curated: 4 100 of 16 000 bytes sent to the model");
}

#[test]
fn a_change_is_shown_as_a_diff() {
    let mut screen = Screen::new(60, 14);
    screen.play(
        "type go
         key enter
         sent 10 10
         call a edit_file {\"path\":\"a.rs\",\"old_str\":\"let a = 2;\",\"new_str\":\"let a = 3;\"}
         result a edited",
    );
    screen.shows(
        "
· foveal · small · /w
  /help lists keys and commands

> go

✓ edit_file a.rs
  └ +1 −1
    -let a = 2;
    +let a = 3;

⠋ running edit_file, 0.0 s · Ctrl+C to stop
────────────────────────────────────────────────────────────
>
small · 10 tokens · run 12ab
",
    );
    let buffer = screen.buffer();
    let colour = |sign: &str, y: u16| {
        let row = (0..60).map(|x| &buffer[(x, y)]);
        row.filter(|cell| cell.symbol() == sign).map(|cell| cell.fg).next()
    };
    assert_eq!((colour("-", 7), colour("+", 8)), (Some(Color::Red), Some(Color::Green)));
}

#[test]
fn what_is_asked_again_is_forgotten() {
    let mut screen = Screen::new(60, 12);
    screen.play(
        "type go\nkey enter\nsent 10 10\ntext half an ans\nstart a bash\nagain the server is busy",
    );
    screen.has_not("half an ans").has_not("bash").has("! retrying in 1.5 s: the server is busy");
    screen.play("text All of it.\ndone").has("All of it.");
    screen
        .play("type go\nkey enter\nrepeated grep\nfailed no such model")
        .has("! grep: same call and same result 3 times")
        .has("! no such model");
}

#[test]
fn a_call_that_nobody_waits_for_is_left() {
    let mut screen = Screen::new(60, 12);
    screen.play(
        "type go\nkey enter\nsent 1 1\nstart a bash\ncall a bash {\"command\":\"ls\"}\nstopped",
    );
    screen.has("- bash ls").has("└ not run").has("· stopped");
}

/// Calls that ran when a session broke off may have done their work.
#[test]
fn what_became_of_a_call_is_told_when_its_session_goes_on() {
    let call = |id: &str, command: &str| {
        let arguments = serde_json::json!({ "command": command });
        ContentBlock::Call(ToolCall { id: id.to_owned(), name: "bash".to_owned(), arguments })
    };
    let mut screen = Screen::new(60, 14);
    screen.take(ChatInput::EarlierMessages(vec![TranscriptEntry {
        source: RecordingPosition { step: 1, result: None },
        role: MessageRole::Assistant,
        time: None,
        mark: EntryMark::None,
        model: None,
        usage: None,
        blocks: vec![call("a", "make"), call("b", "make all")],
    }]));
    screen.has("- bash make").has("└ interrupted: the result is unknown").has_not("not run");
    screen.play("type go on\nkey enter\nerror a its answer is not known\nerror b not made");
    screen.has("✗ bash make").has("└ its answer is not known").has("└ not made");
    screen.has_not("interrupted");
}

/// A call with unreadable arguments never runs, but is answered.
#[test]
fn a_call_that_cannot_be_read_is_shown_with_its_answer() {
    let mut screen = Screen::new(60, 12);
    screen.play("type go\nkey enter\nsent 1 1\nstart a bash\narguments a {\"com");
    screen.play("error a the call was not made: its arguments are no JSON\ndone");
    screen.has("✗ bash").has("└ the call was not made").has_not("not run");
}

#[test]
fn nothing_foreign_is_obeyed() {
    let mut screen = Screen::new(70, 16);
    screen.play(
        "type go
         key enter
         sent 1 1
         text a\u{1b}[31mred \u{202e}turned
         think \u{7}bell
         call a ba\u{9b}sh {\"command\":\"echo \\u001b]0;x\\u0007\"}
         progress a \u{1b}[2Jgone
         ask ba\u{1b}s\u{202e}h \u{202e}x / +\u{1b}[0m",
    );
    let shown = screen.text();
    assert!(
        !shown.chars().any(|sign| sign != '\n' && foveal_screen::is_hidden_char(sign)),
        "{shown}"
    );
    screen.has("\\u001b[31mred").has("\\u202e");
    screen.play("wait 1000\nkey n\nerror a \u{1b}c\nkey ctrl-o").has("\\u001bc");
}

#[test]
fn without_colours_there_are_none() {
    let script = "type go\nkey enter\nsent 1 1\ntext `a` [b](c)\\n\\n```rust\\nfn x() {}\\n```
        call a edit_file {\"path\":\"a\",\"old_str\":\"1\",\"new_str\":\"2\"}\nerror a no\nask bash ls";
    for (colours, has) in
        [(ColourSupport::None, false), (ColourSupport::Basic, true), (ColourSupport::Indexed, true)]
    {
        let mut screen = Screen::with(70, 24, colours);
        let buffer = screen.play(script).buffer();
        let coloured =
            buffer.content.iter().any(|cell| cell.fg != Color::Reset || cell.bg != Color::Reset);
        assert_eq!(coloured, has);
        assert!(buffer.content.iter().any(|cell| cell.modifier.contains(Modifier::BOLD)));
    }
}

/// A cell: its character, text colour and background.
type Looks = (char, Color, Color);

/// Returns the cells of the row that contains `words`.
fn row_with(screen: &mut Screen, words: &str) -> Vec<Looks> {
    let at = screen.text().lines().position(|line| line.contains(words)).expect("it is shown");
    let buffer = screen.buffer();
    let row = buffer.content.chunks(usize::from(buffer.area.width)).nth(at).expect("a row");
    let sign = |symbol: &str| symbol.chars().next().unwrap_or(' ');
    row.iter().map(|cell| (sign(cell.symbol()), cell.fg, cell.bg)).collect()
}

/// With 256 colours, diffs have quiet backgrounds to the end of the row, and code, reasoning and
/// the gauge have their own colours. Ordinary text keeps the terminal's colour.
#[test]
fn with_256_colours_what_sixteen_cannot_tell_has_its_own() {
    let script = "type go\nkey enter\nsent 40 30\nthink so it is
        text `a` plain\\n\\n```rust\\nfn x() {} // y\\n```
        call a edit_file {\"path\":\"a\",\"old_str\":\"1\",\"new_str\":\"2\"}\nresult a done
        key alt-up alt-up alt-up ctrl-o esc";
    let mut screens =
        [ColourSupport::Indexed, ColourSupport::Basic, ColourSupport::None].map(|colours| {
            let mut screen = Screen::with(50, 30, colours);
            screen.play(script);
            screen
        });
    let texts = screens.each_mut().map(|screen| screen.text());
    assert!(texts.iter().all(|text| *text == texts[0]), "colours change no text: {texts:?}");
    let [indexed, basic, none] = &mut screens;
    let added = row_with(indexed, "    +2");
    assert_eq!(added[3], (' ', Color::Reset, Color::Reset));
    for (_, fg, bg) in &added[4..] {
        assert_eq!((*fg, *bg), (Color::Indexed(194), Color::Indexed(22)));
    }
    let removed = row_with(indexed, "    -1");
    assert_eq!(removed[49], (' ', Color::Indexed(224), Color::Indexed(52)));
    let colour = |row: &[Looks], sign: char| {
        row.iter().find(|cell| cell.0 == sign).map(|cell| cell.1).expect("it is there")
    };
    let line = row_with(indexed, "fn x");
    assert_eq!(
        ['n', 'x', '(', 'y'].map(|sign| colour(&line, sign)),
        [Color::Indexed(133), Color::Indexed(32), Color::Reset, Color::Indexed(243)]
    );
    assert_eq!(colour(&row_with(indexed, "a plain"), 'p'), Color::Reset);
    assert_eq!(colour(&row_with(indexed, "so it is"), 'o'), Color::Indexed(243));
    let status = row_with(indexed, "30 of 40 tokens");
    assert_eq!((colour(&status, '3'), status[0].1), (Color::Indexed(66), Color::Indexed(243)));
    // With sixteen colours no text has a background.
    let added = row_with(basic, "    +2");
    assert_eq!(
        (added[4], added[49]),
        (('+', Color::Green, Color::Reset), (' ', Color::Reset, Color::Reset))
    );
    assert_eq!(colour(&row_with(basic, "fn x"), 'n'), Color::Magenta);
    assert!(
        row_with(none, "    +2")
            .iter()
            .all(|cell| (cell.1, cell.2) == (Color::Reset, Color::Reset))
    );
}

#[test]
fn a_click_chooses_a_block_and_opens_it() {
    let mut screen = Screen::new(60, 16);
    screen.play(
        "type go\nkey enter\nsent 1 1
         call a bash {\"command\":\"one\"}\nresult a first\\nsecond
         call b bash {\"command\":\"two\"}\nresult b third
         text So it is.\ndone",
    );
    let row = |screen: &mut Screen, words: &str| {
        let text = screen.text();
        text.lines().position(|line| line.contains(words)).expect("it is shown")
    };
    let one = row(&mut screen, "bash one");
    screen.has_not("second");
    // Messages and the rows below the transcript do not expand.
    let said = row(&mut screen, "So it is.");
    screen.play(&format!("click {said}\nclick 14\nclick 15\nclick 99")).has_not("second");
    screen.play(&format!("click {one}")).has("second").has_not("third");
    assert_eq!(row(&mut screen, "bash one"), one, "it stays where it is");
    // Ctrl+O collapses the selected block; the lines of its result belong to it.
    screen.play("key ctrl-o").has_not("second");
    screen.play(&format!("click {}", one + 1)).has("second");
    screen.play("ask bash ls").play("click 1").has("? bash");
}

/// A sub-agent shows its activity while it runs, one line afterwards, and all of its calls on
/// demand.
#[test]
fn a_sub_agent_is_one_block() {
    let mut screen = Screen::new(60, 24);
    screen.play(
        "type go
         key enter
         sent 10 10
         start a start_agent
         call a start_agent {\"task\":\"Where is it?\",\"label\":\"look for it\"}
         agent a start s/1
         agent a sent",
    );
    screen.has("⠋ start_agent look for it").has("    waiting for the model");
    screen.play("agent a think Hm.").has("    thinking").has_not("Hm.");
    screen.play("agent a text I look.\nagent a usage\nagent a call b grep {\"pattern\":\"it\"}");
    screen.has("    grep it").has_not("I look.");
    screen.play("agent a error b none\nagent a call c read_file {\"path\":\"a.rs\"}\nwait 2000");
    screen.has("    read_file a.rs").has("└ 1 request, 2 calls, 1.0k tokens, 2.0 s");
    screen.play("ask-of-agent bash make\nwait 1000\nkey y");
    screen.play("agent a result c x\nagent a text It is in a.rs.\nresult a It is in a.rs.");
    screen.has("✓ start_agent look for it").has("└ 1 request, 2 calls, 1.0k tokens, 3.0 s");
    screen.has_not("read_file").has_not("It is in a.rs.");
    screen.play("key ctrl-o").has("Where is it?").has("✗ grep it").has("· read_file a.rs");
    screen.has("It is in a.rs.").play("key ctrl-o").has_not("read_file");
    // The calls of a sub-agent do not count as the agent's, but its files do.
    screen.play("type /stats\nkey enter").has("calls           1").has_not("failed calls");
    screen.play("type /files\nkey enter").has("a.rs: read 1 time");
}

#[test]
fn a_sub_agent_that_fails_says_why() {
    let mut screen = Screen::new(70, 12);
    screen.play(
        "type go
         key enter
         call a start_agent {\"task\":\"Where is it?\",\"label\":\"look\\nfor\\u001b it\"}
         agent a start s/1
         agent a call b bash {\"command\":\"x\\u001b[2J\"}
         error a it was stopped",
    );
    screen.has("✗ start_agent").has("└ 0 requests, 1 call, 0 tokens: it was stopped");
    screen.has_not("\u{1b}").play("key ctrl-o").has("bash").has_not("\u{1b}");
}
