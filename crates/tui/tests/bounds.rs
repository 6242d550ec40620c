//! Screen sizes and the limits of held content.

use crate::script::Screen;

const COURSE: &str = "type please look at the file and tell what it does\nkey enter\nsent 1200 900
    think I will read it.\nwait 900
    start a read_file\ncall a read_file {\"path\":\"src/a/very/long/path/to/some/file.rs\"}
    result a 1\\n2\\n3
    text ## It\\n\\n| a | b |\\n|---|---|\\n| one and two | three and four and five |\\n\\n1. first of all it does this and that\\n   - and more\\n\\n```\\nlet x = \"a long line that does not fit into fifty columns\";\\n```\\n
    usage\ndone\ntype what next";

#[test]
fn every_size_can_be_drawn() {
    for (columns, rows) in [(1, 1), (2, 3), (10, 4), (50, 24), (80, 24), (300, 100), (80, 2)] {
        let mut screen = Screen::new(columns, rows);
        screen.play(COURSE).text();
        screen.play("ask bash ls -l / +a\\n-b").text();
        screen.play("wait 1000\nkey n\ntype /context\nkey enter").text();
        screen.play("key esc ctrl-o alt-up ctrl-o pgup pgdn").text();
    }
}

#[test]
fn a_smaller_screen_shows_the_same() {
    let mut screen = Screen::new(80, 24);
    screen.play(COURSE).has("> what next").has("one and two");
    screen.play("resize 50 24").has("> what next").has("and more");
    screen.play("resize 80 24").has("> what next");
}

#[test]
fn there_may_be_much() {
    let mut screen = Screen::new(80, 24);
    for at in 0..45_000 {
        screen.play(&format!("note line {at}"));
    }
    screen.has("line 44999").play("key ctrl-home").has_not("line 0\n").has("more below");
    screen.play("scroll 100000").has("line 44999");
}
