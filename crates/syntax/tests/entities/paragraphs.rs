//! Texts in unknown languages.

use super::check;

#[test]
fn unknown_languages_are_told_by_blank_lines_and_indentation() {
    check(
        "notes.xyz",
        r#"
program engine;

procedure Run(limit: integer);
  var part: Part;

  begin
    Start(part)
  end;

procedure Stop;
begin
end;
"#,
        r#"
1 section program engine;
3-8 section procedure Run(limit: integer);, signature 3, body 4-8
10-12 section procedure Stop;, signature 10, body 11-12
blocks: program engine;:1 procedure Run(limit: integer);:3-4 procedure Run(limit: integer);:6-8 procedure Stop;:10-12
"#,
    );
}

#[test]
fn squeezed_files_are_not_parsed() {
    check(
        "lib/jquery.min.js",
        r#"
function a(){return 1}function b(){return 2}
"#,
        r#"
1 section function a(){return 1}function b(){return 2}
blocks: function a(){return 1}function b(){return 2}:1
"#,
    );
}

#[test]
fn lock_files_are_not_parsed() {
    check(
        "Cargo.lock",
        r#"
[[package]]
name = "engine"

[[package]]
name = "part"
"#,
        r#"
1-2 section [[package]], signature 1, body 2
4-5 section [[package]], signature 4, body 5
blocks: [[package]]:1-2 [[package]]:4-5
"#,
    );
}

#[test]
fn broken_syntax_gives_what_can_be_had() {
    check(
        "src/broken.rs",
        r#"
fn before() {
    run();
}

fn broken( {
    let x = ;

struct After {
    part: Part,
}

fn last() -> usize {
    1
}
"#,
        r#"
1-3 function before private, signature 1
8-10 type After private, signature 8
  9 field part private
12-14 function last private, signature 12
blocks: before:2 :5 :6 last:13
names: run() broken() <Part>
broken
"#,
    );
}
