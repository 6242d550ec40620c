//! Results and the file and number of their lines.

use proptest::prelude::*;

use super::{ResultLines, parse_result_lines, parse_working_directory};
use foveal_tool_effects::{Effect, EffectKind, call_effect};
use foveal_transcript::ToolCall;

/// The effect of a tool call (`Read {…}`), or of a command line.
fn effect(call: &str) -> Effect {
    let (name, arguments) = match call.split_once(" {") {
        Some((name, rest)) if !name.contains(' ') => {
            (name, serde_json::from_str(&format!("{{{rest}")).expect("arguments are JSON"))
        }
        _ => ("bash", serde_json::json!({ "command": call })),
    };
    call_effect(&ToolCall { id: "1".into(), name: name.into(), arguments }, Some("/w"))
}

/// One line each: `/w/a.rs 12|text` with a number, `/w/a.rs ?|text` without, `|text` for
/// lines of no file.
fn render(content: &str, printed: &ResultLines) -> String {
    let lines = printed.lines.iter().map(|line| {
        let path = line.path.map(|path| printed.paths[usize::from(path)].as_str());
        let place = match (path, line.number) {
            (Some(path), Some(number)) => format!("{path} {}", number.0),
            (Some(path), None) => format!("{path} ?"),
            (None, _) => String::new(),
        };
        format!("{place}|{}\n", line.file_text(content))
    });
    lines.collect()
}

fn check(call: &str, content: &str, expected: &str) {
    let found = render(content, &parse_result_lines(content, &effect(call)));
    assert_eq!(found, expected, "{call}");
}

#[test]
fn gutters_of_reads() {
    let read = r#"Read {"file_path":"a","offset":9}"#;
    check(
        read,
        "     9→\tx\n    10→\n    11→  12: y\n\n<system-reminder>\nBe good.\n</system-reminder>\n",
        "/w/a 9|\tx\n/w/a 10|\n/w/a 11|  12: y\n|\n|<system-reminder>\n|Be good.\n|</system-reminder>\n|\n",
    );
    check("cat -n a", "     1\tx\n     2\t\n", "/w/a 1|x\n/w/a 2|\n|\n");
    // The largest number, so that counting on from it overflows.
    let last = r#"Read {"file_path":"a","offset":4294967294}"#;
    check(last, "4294967294→x\n4294967295→y\n", "/w/a ?|x\n/w/a ?|y\n|\n");
    check("nl -ba a | sed -n '7,8p'", "     7\t x\n     8\ty", "/w/a 7| x\n/w/a 8|y\n");
    check(
        r#"read_file {"file_path":"a","offset":7,"limit":2}"#,
        "L7:   x\nL8: y",
        "/w/a 7|  x\n/w/a 8|y\n",
    );
    check(r#"read_file {"path":"a"}"#, "1 | x\n2 |  y\n3 |\n", "/w/a 1|x\n/w/a 2| y\n/w/a 3|\n|\n");
    check(
        r#"read {"filePath":"/w/a"}"#,
        "<file>\n00001| x\n00002|   y\n\n(End of file - total 2 lines)\n</file>",
        "|<file>\n/w/a 1|x\n/w/a 2|  y\n|\n|(End of file - total 2 lines)\n|</file>\n",
    );
    check(
        r#"read {"filePath":"/w/a"}"#,
        "<path>/w/a</path>\n<type>file</type>\n<content>\n1: x\n2:   y\n\n(End of file - total 2 lines)\n</content>",
        "|<path>/w/a</path>\n|<type>file</type>\n|<content>\n/w/a 1|x\n/w/a 2|  y\n|\n|(End of file - total 2 lines)\n|</content>\n",
    );
    check("awk 'NR>=3&&NR<=4 {print NR\": \"$0}' a", "3: x\n4:  y\n", "/w/a 3|x\n/w/a 4| y\n|\n");
}

#[test]
fn announced_excerpts() {
    check(
        r#"open {"path":"a"}"#,
        "[File: /w/a (9 lines total)]\n(2 more lines above)\n3: x\n4:\n(5 more lines below)\n(Open file: /w/a)\nbash-$",
        "|[File: /w/a (9 lines total)]\n|(2 more lines above)\n/w/a 3| x\n/w/a 4|\n|(5 more lines below)\n|(Open file: /w/a)\n|bash-$\n",
    );
    check(
        r#"edit {"start_line":1,"end_line":1,"replacement_text":"x"}"#,
        "This is how your edit would have looked if applied\n[File: /w/a (1 lines total)]\n1:bad\n\nThis is the original code before your edit\n[File: /w/a (1 lines total)]\n1:good\n",
        "|This is how your edit would have looked if applied\n|[File: /w/a (1 lines total)]\n|1:bad\n|\n|This is the original code before your edit\n|[File: /w/a (1 lines total)]\n/w/a 1|good\n|\n",
    );
    check(
        r#"Edit {"file_path":"a","old_string":"x","new_string":"y"}"#,
        "The file a has been updated. Here's the result of running `cat -n` on a snippet of the edited file:\n     2→y\n     3→z",
        "|The file a has been updated. Here's the result of running `cat -n` on a snippet of the edited file:\n/w/a 2|y\n/w/a 3|z\n",
    );
    check(
        r#"str_replace_editor {"command":"view","path":"/w/a","view_range":[5,6]}"#,
        "Here's the result of running `cat -n` on /w/a:\n     5\tx\n     6\ty\n",
        "|Here's the result of running `cat -n` on /w/a:\n/w/a 5|x\n/w/a 6|y\n|\n",
    );
}

#[test]
fn bare_lines_are_counted() {
    check("cat a", "x\n\ny\n", "/w/a 1|x\n/w/a 2|\n/w/a 3|y\n|\n");
    check("sed -n '5,9p' a", "x\ny\n", "/w/a 5|x\n/w/a 6|y\n|\n");
    check("sed -n '5,6p' a", "x\ny\nz\n", "|x\n|y\n|z\n|\n");
    check("tail -2 a", "x\ny\n", "/w/a ?|x\n/w/a ?|y\n|\n");
    check("cat a; echo '---'; cat b", "x\n---\ny\n", "/w/a 1|x\n|---\n/w/b 1|y\n|\n");
    check(
        "sed -n 1,2p a; sed -n 5,6p b",
        "p\nq\nr\ns\n",
        "/w/a 1|p\n/w/a 2|q\n/w/b 5|r\n/w/b 6|s\n|\n",
    );
    check("sed -n 1,2p a; sed -n 5,6p b", "p\nq\nr\n", "|p\n|q\n|r\n|\n");
    check("cat a b", "x\ny\n", "|x\n|y\n|\n");
    check(
        "head -n 2 a b",
        "==> a <==\nx\ny\n\n==> b <==\nz\n",
        "|==> a <==\n/w/a 1|x\n/w/a 2|y\n|\n|==> b <==\n/w/b 1|z\n|\n",
    );
    check(
        "cat a",
        "<returncode>0</returncode>\n<output>\nx\n\n</output>",
        "|<returncode>0</returncode>\n|<output>\n/w/a 1|x\n/w/a 2|\n|</output>\n",
    );
    check(
        "cat a",
        "<returncode>1</returncode>\n<output>\ncat: a: No such file or directory\n</output>",
        "|<returncode>1</returncode>\n|<output>\n|cat: a: No such file or directory\n|</output>\n",
    );
    check("cat a", "cat: a: No such file or directory", "|cat: a: No such file or directory\n");
    check(
        r#"read {"path":"a","offset":4,"limit":2}"#,
        "x\ny\n\n[461 more lines in file. Use offset=6 to continue]",
        "/w/a 4|x\n/w/a 5|y\n|\n|[461 more lines in file. Use offset=6 to continue]\n",
    );
    check(
        "cat a",
        "x\n... [100 characters truncated] ...\ny",
        "/w/a 1|x\n|... [100 characters truncated] ...\n/w/a ?|y\n",
    );
    let head = "<returncode>0</returncode>\n<warning>\nToo long.\n</warning><output_head>";
    let shown = format!("{}\n", head.replace('\n', "\n|"));
    let gap = "</output_head>\n<elided_chars>\n9 characters elided\n</elided_chars>\n<output_tail>";
    check(
        "cat a",
        &format!("{head}\nx\nhal\n{gap}\nlf\ny\n</output_tail>"),
        &format!(
            "|{shown}/w/a 1|x\n|hal\n|{}\n|lf\n/w/a ?|y\n|</output_tail>\n",
            gap.replace('\n', "\n|")
        ),
    );
    check(
        "nl -ba a",
        &format!("{head}\n     1\tx\n     2\n{gap}\n7\tlf\n     8\ty\n</output_tail>"),
        &format!(
            "|{shown}/w/a 1|x\n|     2\n|{}\n|7\tlf\n/w/a 8|y\n|</output_tail>\n",
            gap.replace('\n', "\n|")
        ),
    );
    check("Read {\"file_path\":\"a\"}", "File does not exist.", "|File does not exist.\n");
    check("cat a && make", "x\n", "|x\n|\n");
}

/// Results that show lines of `/w/a`: the text before them, the lines, and the text after them.
fn check_wrapped(call: &str, before: &str, first: u32, after: &str) {
    let lines: Vec<String> = (first..first + 3).map(|number| format!("line {number}")).collect();
    let content = format!("{before}{}{after}", lines.join("\n"));
    let printed = parse_result_lines(&content, &effect(call));
    let numbered = printed.lines.iter().filter_map(|line| {
        let path = printed.paths.get(usize::from(line.path?))?;
        Some((path.as_str(), line.number?.0, line.file_text(&content).to_owned()))
    });
    let expected = (first..).zip(lines).map(|(number, line)| ("/w/a", number, line));
    let (found, expected): (Vec<_>, Vec<_>) = (numbered.collect(), expected.collect());
    assert_eq!(found, expected, "{content}");
}

#[test]
fn lines_are_counted_from_where_the_output_of_a_client_begins() {
    let shell = |command: &str| format!(r#"run_shell_command {{"command":"{command}"}}"#);
    let (cat, sed) = (shell("cat a"), shell("sed -n '5,7p' a"));
    for (call, first) in [(&*cat, 1), (&*sed, 5), ("cat a", 1), ("sed -n '5,9p' a", 5)] {
        check_wrapped(call, "", first, "");
        let end = "\nError: (none)\nExit Code: 0\nSignal: (none)\nProcess Group PGID: 7";
        check_wrapped(call, "Command: x\nDirectory: (root)\nOutput: ", first, end);
        check_wrapped(call, "Directory: (root)\nOutput: ", first, end);
        let script = "Command: cat <<E\n1\nE\ncat a\nDirectory: b\nOutput: ";
        check_wrapped(call, script, first, end);
        let end = "\nProcess Group PGID: 7\n</untrusted_context>";
        check_wrapped(call, "<untrusted_context>\nOutput: ", first, end);
        let codex = "Chunk ID: a\nWall time: 0.1 seconds\nProcess exited with code 0\n\
                     Original token count: 9\nOutput:\n";
        check_wrapped(call, codex, first, "\n");
        let warning = "Warning: truncated output (original token count: 9)\n\
                       Total output lines: 3\n\n";
        check_wrapped(call, &format!("{codex}{warning}"), first, "");
        check_wrapped(call, warning, first, "");
        check_wrapped(call, "Exit code: 0\nWall time: 1 seconds\nOutput:\n", first, "");
    }
    check("cat a", "[Command exited with code 3]\nx\n", "|[Command exited with code 3]\n|x\n|\n");
    // If the client's heading ends without an empty line, the empty line is part of the output.
    check(
        "sed -n '5,6p' a",
        "Wall time: 0.1 seconds\nOutput:\n\nx\n",
        "|Wall time: 0.1 seconds\n|Output:\n/w/a 5|\n/w/a 6|x\n|\n",
    );
    // Lines that the client omitted before the output, as pi reports them.
    let left_out = "\n\n[Showing lines 4-6 of 6 (50.0KB limit). Full output: /tmp/x]";
    check_wrapped("cat a", "", 4, left_out);
    check_wrapped("sed -n '11,99p' a", "", 14, left_out);
    let part = "Showing lines 7-9 of 9 total lines.\n\n---\n\n";
    check_wrapped(r#"read_file {"file_path":"/w/a","offset":6}"#, part, 7, "");
    let file = "\nIMPORTANT: The file content has been truncated.\n\
                Status: Showing lines 7-9 of 9 total lines.\nAction: x\n\n\
                --- FILE CONTENT (truncated) ---\n";
    check_wrapped(r#"read_file {"file_path":"/w/a"}"#, file, 7, "");
}

#[test]
fn numbers_are_known_behind_what_a_client_cut_only_where_it_says_them() {
    check(
        "cat a",
        "Chunk ID: a\nOutput:\nWarning: truncated output (original token count: 9)\n\
         Total output lines: 9\n\nx\nhal…40 tokens truncated…lf\ny\nz\n",
        "|Chunk ID: a\n|Output:\n|Warning: truncated output (original token count: 9)\n\
         |Total output lines: 9\n|\n/w/a 1|x\n|hal…40 tokens truncated…lf\n/w/a 8|y\n/w/a 9|z\n|\n",
    );
    // A line of the file that reads like a client's mark.
    check(
        "cat a",
        "Chunk ID: a\nOutput:\nTotal output lines: 9\n\nx\n(truncated)\nhal…40 tokens truncated…lf\ny\n",
        "|Chunk ID: a\n|Output:\n|Total output lines: 9\n|\n/w/a 1|x\n|(truncated)\n/w/a ?|hal…40 tokens truncated…lf\n\
         /w/a 9|y\n|\n",
    );
    let qwen =
        "Command: cat a\nDirectory: (root)\nOutput: x\nOutput:\ny\nError: (none)\nExit Code: 0";
    check(
        r#"run_shell_command {"command":"cat a"}"#,
        qwen,
        "|Command: cat a\n|Directory: (root)\n/w/a 1|x\n/w/a 2|Output:\n/w/a 3|y\n|Error: (none)\n\
         |Exit Code: 0\n",
    );
    check(
        r#"run_shell_command {"command":"cat a"}"#,
        "Output too large. Showing first 8,000 and last 32,000 characters. For full output see: x\n\
         <untrusted_context>\nOutput: x\nha\n\n... [9 characters omitted] ...\n\nlf\ny\n\
         </untrusted_context>",
        "|Output too large. Showing first 8,000 and last 32,000 characters. For full output see: x\n\
         |<untrusted_context>\n/w/a 1|x\n/w/a 2|ha\n/w/a 3|\n|... [9 characters omitted] ...\n\
         /w/a ?|\n/w/a ?|lf\n/w/a ?|y\n|</untrusted_context>\n",
    );
    check(
        "cat a",
        "x\n\n[Showing last 9KB of line 7 (line is 9KB). Full output: /tmp/x]",
        "/w/a ?|x\n|\n|[Showing last 9KB of line 7 (line is 9KB). Full output: /tmp/x]\n",
    );
    check(
        "cat a; cat b",
        "x\n\n[Showing lines 4-4 of 4. Full output: /tmp/x]",
        "|x\n|\n|[Showing lines 4-4 of 4. Full output: /tmp/x]\n",
    );
}

#[test]
fn what_foveal_shaped_counts_as_what_it_shows() {
    let read = r#"mcp__foveal__read_file {"path":"a"}"#;
    let curated = "File: a (curated)\nTotal lines: 9 | Preserved: 3 (33 %)\n1→x\n\
                   [2-6 left out: f; expand b79047c479d5]\n7→y\n8→ [2-6 left out]\n[9: 1 line of f]";
    let shown = "|File: a (curated)\n|Total lines: 9 | Preserved: 3 (33 %)\n/w/a 1|x\n\
                 |[2-6 left out: f; expand b79047c479d5]\n/w/a 7|y\n/w/a 8| [2-6 left out]\n\
                 |[9: 1 line of f]\n";
    check(read, curated, shown);
    check(r#"server_read {"path":"a"}"#, curated, shown);
    check(
        "cat a",
        "[1-3: shown above]\nx\n[5-9: as above]\ny\n",
        "|[1-3: shown above]\n/w/a 4|x\n|[5-9: as above]\n/w/a 10|y\n|\n",
    );
    check(
        r#"Read {"file_path":"/w/a"}"#,
        "[1-3: as above]\n     4→x\n[5-20: as above]\n    21→y",
        "|[1-3: as above]\n/w/a 4|x\n|[5-20: as above]\n/w/a 21|y\n",
    );
    check(
        r#"read_file {"path":"a"}"#,
        "[every 10th line numbered]\n1→x\ny\nz\n",
        "|[every 10th line numbered]\n/w/a 1|x\n/w/a 2|y\n/w/a 3|z\n|\n",
    );
    check(
        r#"foveal_read_files {"paths":["a","b"]}"#,
        "File: a (full)\nTotal lines: 1 | Preserved: 1 (100 %)\n1→x\n\n\
         File: b (full)\nTotal lines: 1 | Preserved: 1 (100 %)\n1→y\n",
        "|File: a (full)\n|Total lines: 1 | Preserved: 1 (100 %)\n/w/a 1|x\n|\n\
         |File: b (full)\n|Total lines: 1 | Preserved: 1 (100 %)\n/w/b 1|y\n|\n",
    );
    // The lines after a note are unknown if other lines may precede it.
    check(
        "echo '== a'; cat a",
        "== a\nx\n[2-30: as above]\ny\n",
        "|== a\n|x\n|[2-30: as above]\n|y\n|\n",
    );
    check("cat a b", "x\n[b.rs 2-30: as above]\ny\n", "|x\n|[b.rs 2-30: as above]\n|y\n|\n");
    // A file that quotes notes is not shaped by foveal.
    check("cat a", "x\n[9-12: as above]\ny\n", "/w/a 1|x\n/w/a 2|[9-12: as above]\n/w/a 3|y\n|\n");
}

#[test]
fn notes_with_handles_are_found() {
    use super::has_note_handle;
    assert!(has_note_handle("a\n[30-73 left out: f; expand b79047c479d5]\nb"));
    assert!(has_note_handle("[9 lines, 80 bytes left out; foveal expand b79047c479d5, start 3]"));
    assert!(!has_note_handle("expand b79047c479d5 to see it; expand all; [expand b7]"));
}

#[test]
fn a_sentence_of_a_client_is_no_line_of_the_file() {
    let call = r#"read_file {"file_path":"a"}"#;
    let sentence = "File path must be absolute, but was relative: a.";
    check(call, sentence, &format!("|{sentence}\n"));
    check(call, "x\n", "/w/a 1|x\n|\n");
}

#[test]
fn digits_in_text_are_no_gutter() {
    // The file's own text: numbers that do not start where the read does, or have gaps.
    check("cat a", "7: x\n8: y\n", "/w/a 1|7: x\n/w/a 2|8: y\n|\n");
    check("cat a", "1: x\n3: y\n", "/w/a 1|1: x\n/w/a 2|3: y\n|\n");
    check("cat a", "1\tx\n2\ty\nz\n", "/w/a 1|1\tx\n/w/a 2|2\ty\n/w/a 3|z\n|\n");
    check("cat a", "2024-01-29 x\n", "/w/a 1|2024-01-29 x\n|\n");
    check(
        "cat a",
        "# A\n     1\tx\n     2\ty\nb\nc\nd\ne\n",
        "/w/a 1|# A\n/w/a 2|     1\tx\n/w/a 3|     2\ty\n/w/a 4|b\n/w/a 5|c\n/w/a 6|d\n/w/a 7|e\n|\n",
    );
    check("make", "     1→x\n12:y\na.rs:1:z\n", "|     1→x\n|12:y\n|a.rs:1:z\n|\n");
}

#[test]
fn hits_of_searches() {
    check("grep -n x a", "3:  x\n9:x: 1:\n", "/w/a 3|  x\n/w/a 9|x: 1:\n|\n");
    check(
        "grep -n -C1 x a",
        "2-p\n3:x\n4- 5:q\n--\n9:x\n",
        "/w/a 2|p\n/w/a 3|x\n/w/a 4| 5:q\n|--\n/w/a 9|x\n|\n",
    );
    check("nl -ba a | grep -A1 x", "     3\tx\n     4\ty\n", "/w/a 3|x\n/w/a 4|y\n|\n");
    check("sed -n 5,9p a | grep -n x", "1:x\n", "|1:x\n|\n");
    check(
        "rg -n x",
        "src/a.rs:3:  x:4:\n./b-1.rs:4:x\n",
        "/w/src/a.rs 3|  x:4:\n/w/b-1.rs 4|x\n|\n",
    );
    check(
        "rg -n -C1 x src",
        "src/a-1-b.rs-2-p\nsrc/a-1-b.rs:3:x\nsrc/a-1-b.rs-4-q-5-\n--\nsrc/c.rs:1:x\n",
        "/w/src/a-1-b.rs 2|p\n/w/src/a-1-b.rs 3|x\n/w/src/a-1-b.rs 4|q-5-\n|--\n/w/src/c.rs 1|x\n|\n",
    );
    check(
        r#"Grep {"pattern":"x","path":"src","output_mode":"content","-C":1}"#,
        "src/a.rs:3:x\n/w/src/a.rs-4-y\n",
        "/w/src/a.rs 3|x\n/w/src/a.rs 4|y\n|\n",
    );
    check(
        "rg --heading -n x",
        "src/a.rs\n3:x\n4-y\n\nb.rs\n1:x\n",
        "|src/a.rs\n/w/src/a.rs 3|x\n/w/src/a.rs 4|y\n|\n|b.rs\n/w/b.rs 1|x\n|\n",
    );
    // A folder of which one file has hits, and of which several have.
    let hits: String = (1..=9).map(|number| format!("{number}:x\n")).collect();
    let of = |file: &str| hits.lines().map(|hit| format!("{file} {}|x\n", &hit[..1])).collect();
    let (of_one, of_other): (String, String) = (of("/w/src/a.rs"), of("/w/src/b.rs"));
    let call = r#"grep {"pattern":"x","path":"src"}"#;
    check(call, &format!("src/a.rs\n{hits}"), &format!("|src/a.rs\n{of_one}|\n"));
    check(
        call,
        &format!("src/a.rs\n{hits}\nsrc/b.rs\n{hits}"),
        &format!("|src/a.rs\n{of_one}|\n|src/b.rs\n{of_other}|\n"),
    );
    let of_none: String = hits.lines().map(|hit| format!("|{hit}\n")).collect();
    check("grep -rhn x src", &format!("{hits}{hits}"), &format!("{of_none}{of_none}|\n"));
    check(call, &format!("Makefile\n{hits}"), &format!("|Makefile\n{of_none}|\n"));
    check(
        r#"grep {"pattern":"x"}"#,
        "Found 1 matches\n/w/a.rs:\n  Line 12:   x\n",
        "|Found 1 matches\n|/w/a.rs:\n/w/a.rs 12|  x\n|\n",
    );
    check(
        r#"search_file_content {"pattern":"x"}"#,
        "Found 1 match\n---\nFile: src/a.rs\nL12:   x\n---",
        "|Found 1 match\n|---\n|File: src/a.rs\n/w/src/a.rs 12|  x\n|---\n",
    );
    check("awk '/x/{print NR\": \"$0}' a", "3: x\n9: x\n", "/w/a ?|3: x\n/w/a ?|9: x\n|\n");
    check(
        r#"LSP {"operation":"findReferences","filePath":"/w/a"}"#,
        "Found 1 references:\na.rs:\n  Line 12:6\n",
        "|Found 1 references:\n|a.rs:\n|  Line 12:6\n|\n",
    );
    check("rg x", "12:30:11 noon\n", "|12:30:11 noon\n|\n");
}

#[test]
fn directories_are_read_off() {
    let rows = [
        ("x\n(Open file: n/a)\n(Current directory: /w)\nbash-$", Some("/w")),
        ("x\n[Current working directory: /w/a]\n[Command finished with exit code 0]", Some("/w/a")),
        ("x\nShell cwd was reset to /w", Some("/w")),
        ("x", None),
        ("", None),
    ];
    for (content, expected) in rows {
        assert_eq!(parse_working_directory(content), expected, "{content}");
    }
}

/// Fragments of results that the parsers recognise.
const FRAGMENTS: &[&str] = &[
    "\n",
    "     1→",
    "     2→",
    "     1\t",
    "1:",
    "2:",
    "3-",
    "a.rs:1:",
    "a.rs-2-",
    "a.rs",
    "--\n",
    "[File: a (3 lines total)]\n",
    "(2 more lines above)\n",
    "<returncode>0</returncode>\n",
    "<output>\n",
    "</output>",
    "<system-reminder>\n",
    "==> a <==\n",
    "L1: ",
    "00001| ",
    "é",
    "→",
    "\r",
    "  Line 1:",
    "`cat -n` on a:\n",
    "4294967295:",
    "... [9 characters truncated] ...\n",
    "<file>\n",
    "</file>\n",
    "x\n",
    "---\n",
    "a.rs:\n",
    "\n\n",
    "Output: ",
    "<untrusted_context>\n",
    "Directory: x\n",
    "Total output lines: 9\n",
    "[1-3: as above]\n",
    "[2-3 left out]\n",
    "File: a (full)\n",
    "Total lines: 3\n",
    "[every 10th line numbered]\n",
    "[Showing lines 3-9 of 9]",
];
const CALLS: &[&str] = &[
    "cat a",
    "head -n 3 a b",
    "sed -n '4294967290,4294967295p' a",
    "nl -ba a",
    "rg -n x",
    "make",
    "grep -n x a",
    "cat a; echo '---'; cat b",
    "tail -5 a",
    "sed -n 1,2p a; sed -n 1,2p b",
    r#"open {"path":"a"}"#,
    r#"Read {"file_path":"a","offset":4294967295}"#,
    r#"Edit {"file_path":"a","old_string":"x","new_string":"y"}"#,
];

proptest! {
    #[test]
    fn ranges_are_lines(picks in proptest::collection::vec(0..FRAGMENTS.len(), 0..40), rest in ".{0,20}", call in 0..CALLS.len()) {
        let content: String = picks.iter().map(|at| FRAGMENTS[*at]).chain([rest.as_str()]).collect();
        let printed = parse_result_lines(&content, &effect(CALLS[call]));
        let lines: Vec<&str> = content.split('\n').collect();
        prop_assert_eq!(printed.lines.len(), lines.len());
        for (line, expected) in printed.lines.iter().zip(lines) {
            let whole = content.get(line.whole.start as usize..line.whole.end as usize);
            prop_assert_eq!(whole, Some(expected));
            let text = content.get(line.text.start as usize..line.text.end as usize);
            prop_assert!(text.is_some_and(|text| expected.ends_with(text)));
            prop_assert!(line.path.is_none_or(|path| usize::from(path) < printed.paths.len()));
            prop_assert!(line.number.is_none() || line.path.is_some());
        }
    }

    #[test]
    fn gutters_do_not_change_what_a_line_is(lines in proptest::collection::vec("[ -~é]{0,12}", 2..9), first in 1u32..2000) {
        let last = first + lines.len() as u32 - 1;
        let call = format!("nl -ba a | sed -n '{first},{last}p'");
        let numbered: String = (first..).zip(&lines).map(|(number, line)| format!("{number:6}\t{line}\n")).collect();
        let printed = parse_result_lines(&numbered, &effect(&call));
        prop_assert_eq!(effect(&call).kind, EffectKind::Read);
        for ((number, text), line) in (first..).zip(&lines).zip(&printed.lines) {
            prop_assert_eq!(line.number.map(|line| line.0), Some(number));
            prop_assert_eq!(line.file_text(&numbered), text.as_str());
        }
    }
}
