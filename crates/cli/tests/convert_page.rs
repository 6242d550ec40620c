//! The process that turns pages into Markdown.

use std::io::Write as _;
use std::process::{Output, Stdio};
use std::time::{Duration, Instant};

use crate::world::World;

fn convert(html: &str) -> Output {
    let world = World::new("convert_page");
    let mut command = world.command("convert-page");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program starts");
    let mut input = child.stdin.take().expect("a pipe");
    // It may end before it has read everything.
    drop(input.write_all(format!("http://a.example/b\n{html}").as_bytes()));
    drop(input);
    child.wait_with_output().expect("it ends")
}

#[test]
fn a_page_becomes_markdown() {
    let html = "<title>A \u{1b}title</title><h1>One</h1><p>some <a href=c>words</a> \u{202e}";
    let told = convert(html);
    let text = String::from_utf8(told.stdout).expect("text");
    let (head, markdown) = text.split_once('\n').expect("a line");
    assert_eq!(head, format!("{} A \u{1b}title", markdown.len()));
    assert!(markdown.contains("some [words](http://a.example/c) \u{202e}"), "{markdown}");
    assert!(told.stderr.is_empty(), "{:?}", told.stderr);
    assert!(convert(&"<div>".repeat(100_000)).stdout.starts_with(b"- "));
}

#[test]
fn memory_is_bounded() {
    // Each paragraph has all the styles anew, which makes a tree of 75 million elements.
    let styles: String = (0..300).map(|at| format!("<b id=a{at}>")).collect();
    let begun = Instant::now();
    let told = convert(&format!("<p>{styles}{}", "</p><p>a".repeat(250_000)));
    assert!(told.stdout.is_empty());
    assert!(!told.status.success());
    assert!(begun.elapsed() < Duration::from_secs(60), "{:?}", begun.elapsed());
}
