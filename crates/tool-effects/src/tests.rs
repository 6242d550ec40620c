//! Effects of calls, each as one line of text.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{Effect, EffectKind, OutputPart, ReadSpan, WriteChange, call_effect};
use foveal_transcript::ToolCall;

fn effect(name: &str, arguments: Value) -> Effect {
    call_effect(&ToolCall { id: "1".into(), name: name.into(), arguments }, Some("/w"))
}

/// `Read* a.rs[1-5] <b.rs: gone "x"> in src out 0 "---" ? cd /x`: kind (`*` if cacheable), reads,
/// writes, scopes, output, and the directory afterwards; `verbatim` in front.
fn render(effect: &Effect) -> String {
    let mut text = if effect.verbatim { "verbatim ".to_owned() } else { String::new() };
    text.push_str(&format!("{:?}", effect.kind));
    text.push_str(if effect.cacheable { "*" } else { "" });
    for read in &effect.reads {
        text.push_str(&format!(" {}{}", read.path, span(read.span)));
    }
    for write in &effect.writes {
        text.push_str(&format!(" <{}: {}>", write.path, change(&write.change)));
    }
    if !effect.scopes.is_empty() {
        text.push_str(&format!(" in {}", effect.scopes.join(",")));
    }
    for part in &effect.output {
        match part {
            OutputPart::Lines(index) => text.push_str(&format!(" #{index}")),
            OutputPart::Text(said) => text.push_str(&format!(" {said:?}")),
            OutputPart::Unknown => text.push_str(" ?"),
        }
    }
    if let Some(directory) = &effect.directory_after {
        text.push_str(&format!(" cd {directory}"));
    }
    text
}

fn span(span: ReadSpan) -> String {
    match span {
        ReadSpan::All => String::new(),
        ReadSpan::Lines(first, Some(last)) => format!("[{}-{}]", first.0, last.0),
        ReadSpan::Lines(first, None) => format!("[{}-]", first.0),
        ReadSpan::Tail(count) => format!("[-{count}]"),
        ReadSpan::Unknown => "[?]".to_owned(),
    }
}

fn change(change: &WriteChange) -> String {
    match change {
        WriteChange::Replace { old, new, all } => {
            format!("{old:?} -> {new:?}{}", if *all { " all" } else { "" })
        }
        WriteChange::Lines { first, last, new } => format!("{}-{} = {new:?}", first.0, last.0),
        WriteChange::Insert { after, new } => format!("after {after} {new:?}"),
        WriteChange::Content(text) => format!("= {text:?}"),
        WriteChange::Append(text) => format!("+= {text:?}"),
        WriteChange::Remove => "gone".to_owned(),
        WriteChange::Unknown => "?".to_owned(),
    }
}

fn check(rows: &[(&str, &str)], effect: impl Fn(&str) -> Effect) {
    let wrong: Vec<String> = rows
        .iter()
        .filter_map(|(input, expected)| {
            let found = render(&effect(input));
            (found != *expected)
                .then(|| format!("{input}\n  expected {expected}\n  found    {found}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Command lines, all started in `/w` by a persistent shell.
fn check_commands(rows: &[(&str, &str)]) {
    check(rows, |command| effect("Bash", json!({ "command": command })));
}

/// Tool calls: the name, a space, the arguments.
fn check_tools(rows: &[(&str, &str)]) {
    check(rows, |call| {
        let (name, arguments) = call.split_once(' ').expect("a name and arguments");
        effect(name, serde_json::from_str(arguments).expect("arguments are JSON"))
    });
}

#[rustfmt::skip]
const TOOLS: &[(&str, &str)] = &[
    (r#"Read {"file_path":"a.rs"}"#, "Read* /w/a.rs #0"),
    (r#"Read {"file_path":"/x/a.rs","offset":10,"limit":5}"#, "Read* /x/a.rs[10-14] #0"),
    (r#"read {"path":"a.rs","offset":10,"limit":5}"#, "Read* /w/a.rs[10-14] #0"),
    (r#"read {"filePath":"/x/a.rs","offset":10,"limit":5}"#, "Read* /x/a.rs[11-15] #0"),
    (r#"read {"path":"a.rs","limit":20}"#, "Read* /w/a.rs[1-20] #0"),
    (r#"Read {"file_path":"a.rs","offset":"7"}"#, "Read* /w/a.rs[7-] #0"),
    (r#"Read {"file_path":"a.rs","offset":-7,"limit":5}"#, "Read* /w/a.rs[?] #0"),
    ("Read {}", "Read ?"),
    (r#"Edit {"file_path":"a.rs","old_string":"x","new_string":"y","replace_all":true}"#, r#"Edit </w/a.rs: "x" -> "y" all>"#),
    (r#"edit {"path":"a.rs","oldText":"x","newText":"y"}"#, r#"Edit </w/a.rs: "x" -> "y">"#),
    (r#"MultiEdit {"file_path":"a.rs","edits":[{"old_string":"x","new_string":"y"},{"old_string":"p","new_string":"q","replace_all":true}]}"#, r#"Edit </w/a.rs: "x" -> "y"> </w/a.rs: "p" -> "q" all>"#),
    (r#"multi_edit {"edits":[{"path":"a.rs","old_text":"x","new_text":"y"},{"path":"b.rs","old_text":"p","new_text":"q"}]}"#, r#"Edit </w/a.rs: "x" -> "y"> </w/b.rs: "p" -> "q">"#),
    (r#"edit {"start_line":2,"end_line":3,"replacement_text":"x"}"#, "Edit"),
    (r#"Write {"file_path":"a.rs","content":"x\n"}"#, r#"Write </w/a.rs: = "x\n">"#),
    (r#"NotebookEdit {"notebook_path":"a.ipynb","new_source":"x"}"#, "Edit </w/a.ipynb: ?>"),
    (r#"Grep {"pattern":"x","path":"src","output_mode":"content"}"#, "Search* in /w/src ?"),
    (r#"Glob {"pattern":"**/*.rs"}"#, "List* ?"),
    (r#"Bash {"command":"cd src && cat a.rs","description":"Show a"}"#, "Read /w/src/a.rs #0 cd /w/src"),
    (r#"bash {"command":"cd src && cat a.rs"}"#, "Read* /w/src/a.rs #0"),
    (r#"Bash {"command":"cat a","run_in_background":true}"#, "Run /w/a ?"),
    (r#"BashOutput {"bash_id":"1"}"#, "Run"),
    (r#"Bash {"command":"foveal expand 0123456789ab"}"#, "verbatim Run ?"),
    (r#"Bash {"command":"cd x && /usr/local/bin/foveal expand 0123456789ab | head -5"}"#, "verbatim Run ? cd /w/x"),
    (r#"Bash {"command":"cargo test; foveal --version"}"#, "Run ? ?"),
    (r#"Bash {"command":"echo foveal"}"#, r#"Run "foveal""#),
    (r#"WebFetch {"url":"http://x"}"#, "Fetch*"),
    (r#"Task {"prompt":"x"}"#, "Other"),
    (r#"TodoWrite {"todos":[]}"#, "Other"),
    (r#"shell {"command":["bash","-lc","sed -n 1,5p a.rs"],"workdir":"sub"}"#, "Read* /w/sub/a.rs[1-5] #0"),
    (r#"shell {"command":["cat","a b.rs"]}"#, "Read* /w/a b.rs #0"),
    (r#"exec_command {"cmd":"cat a.rs","workdir":"/x"}"#, "Read* /x/a.rs #0"),
    (r#"local_shell {"action":{"command":["ls","src"]}}"#, "List* in /w/src ?"),
    (r#"apply_patch {"input":"*** Begin Patch\n*** Delete File: a.rs\n*** End Patch"}"#, "Edit </w/a.rs: gone>"),
    (r#"apply_patch "*** Begin Patch\n*** Add File: a.rs\n+x\n*** End Patch""#, r#"Edit </w/a.rs: = "x\n">"#),
    (r#"read_file {"path":"a.rs","start_line":3,"end_line":-1}"#, "Read* /w/a.rs[3-] #0"),
    (r#"read_file {"target_file":"a.rs","start_line_one_indexed":3,"end_line_one_indexed_inclusive":9}"#, "Read* /w/a.rs[3-9] #0"),
    (r#"read_files {"paths":["a.rs","b.rs"]}"#, "Read* /w/a.rs /w/b.rs ?"),
    (r#"open {"path":"a.rs","line_number":40}"#, "Read /w/a.rs[?] ?"),
    ("scroll_down {}", "Read ?"),
    (r#"str_replace_editor {"command":"view","path":"/w/a.rs","view_range":[3,-1]}"#, "Read* /w/a.rs[3-] #0"),
    (r#"str_replace_editor {"command":"create","path":"/w/a.rs","file_text":"x"}"#, r#"Write </w/a.rs: = "x">"#),
    (r#"str_replace_editor {"command":"str_replace","path":"/w/a.rs","old_str":"x"}"#, r#"Edit </w/a.rs: "x" -> "">"#),
    (r#"str_replace_editor {"command":"insert","path":"/w/a.rs","insert_line":3,"new_str":"x"}"#, r#"Edit </w/a.rs: after 3 "x">"#),
    (r#"str_replace_editor {"command":"undo_edit","path":"/w/a.rs"}"#, "Edit </w/a.rs: ?>"),
    (r#"str_replace_editor {"command":"dance"}"#, "Other"),
    (r#"write_to_file {"path":"a.rs","content":"x"}"#, r#"Write </w/a.rs: = "x">"#),
    (r#"replace_in_file {"path":"a.rs","diff":"------- SEARCH\nx\n=======\ny\n+++++++ REPLACE"}"#, r#"Edit </w/a.rs: "x\n" -> "y\n">"#),
    (r#"replace {"file_path":"/w/a.rs","old_string":"","new_string":"x"}"#, r#"Edit </w/a.rs: = "x">"#),
    (r#"search_file_content {"pattern":"x"}"#, "Search* ?"),
    (r#"run_shell_command {"command":"ls","directory":"/x"}"#, "List* ?"),
    (r#"edit_file {"target_file":"a.rs","instructions":"tidy","code_edit":"x"}"#, "Edit </w/a.rs: ?>"),
    (r#"delete_file {"target_file":"a.rs"}"#, "Edit </w/a.rs: gone>"),
    (r#"mcp__fs__read_file {"path":"/w/a.rs"}"#, "Read* /w/a.rs #0"),
    (r#"mcp__fs__write_file {"path":"/w/a.rs","content":"x"}"#, "Other </w/a.rs: ?>"),
    (r#"mcp__github__search_code {"query":"x"}"#, "Search ?"),
    (r#"mcp__linear__get_issue {"id":"x"}"#, "Other"),
    (r#"ReadFile {"path":"a.rs"}"#, "Read* /w/a.rs #0"),
    (r#"view_source {"path":"a.rs","offset":3}"#, "Read* /w/a.rs[3-] #0"),
    (r#"view_source {"path":"a.rs","question":"why"}"#, "Other"),
    (r#"delete_everything {"path":"a.rs"}"#, "Other"),
    (r#"read_file {"path":"a.rs"}"#, "Read* /w/a.rs #0"),
    (r#"read_file {"path":"a.rs","mode":"curated","question":"why"}"#, "Read* /w/a.rs #0"),
    (r#"read_file {"path":"a.rs","mode":"full"}"#, "verbatim Read* /w/a.rs #0"),
    (r#"view {"path":"a.rs","mode":"full"}"#, "Read* /w/a.rs #0"),
    (r#"read_lines {"path":"a.rs","start":3,"end":9}"#, "verbatim Read* /w/a.rs[3-9] #0"),
    (r#"expand {"handle":"0123456789ab"}"#, "verbatim Other"),
    (r#"edit_file {"path":"a.rs","old_str":"x","new_str":"y","intent":"z"}"#, r#"Edit </w/a.rs: "x" -> "y">"#),
    (r#"multi_edit {"edits":[{"path":"a.rs","old_str":"x","new_str":"y","replace_all":true},{"path":"b.rs","old_str":"p","new_str":"q"}]}"#, r#"Edit </w/a.rs: "x" -> "y" all> </w/b.rs: "p" -> "q">"#),
    (r#"write_file {"path":"a.rs","content":"x"}"#, r#"Write </w/a.rs: = "x">"#),
    (r#"grep {"pattern":"x","path":"src","glob":"*.rs"}"#, "Search* in /w/src ?"),
    (r#"list {"path":"src"}"#, "List* in /w/src ?"),
    (r#"bash {"command":"cat a.rs","timeout_s":3,"cwd":"sub"}"#, "Read* /w/sub/a.rs #0"),
    (r#"exec {"command":"cat a.rs"}"#, "Run"),
    (r#"write_stdin {"session":1,"text":"x"}"#, "Run"),
    (r#"close {"session":1}"#, "Run"),
    (r#"web_fetch {"url":"http://x"}"#, "Fetch*"),
    (r#"search_code {"query":"x"}"#, "Search* ?"),
    (r#"outline {"path":"a.rs"}"#, "Read* /w/a.rs[?] ?"),
    (r#"focus {"paths":["a.rs"]}"#, "Other"),
    (r#"unfocus {"paths":["a.rs"]}"#, "Other"),
    // The same tools with the prefixes of clients.
    (r#"mcp__foveal__read_file {"path":"a.rs","mode":"full"}"#, "verbatim Read* /w/a.rs #0"),
    (r#"foveal_read_file {"path":"a.rs"}"#, "Read* /w/a.rs #0"),
    (r#"mcp_foveal_read_lines {"path":"a.rs","start":3,"end":9}"#, "verbatim Read* /w/a.rs[3-9] #0"),
    (r#"mcp__plugin_foveal_foveal__read_files {"paths":["a.rs"]}"#, "Read* /w/a.rs ?"),
    (r#"mcp__foveal__write_file {"path":"a.rs","content":"x"}"#, r#"Write </w/a.rs: = "x">"#),
    (r#"foveal_edit_file {"path":"a.rs","old_str":"x","new_str":"y"}"#, r#"Edit </w/a.rs: "x" -> "y">"#),
    (r#"mcp__foveal__grep {"pattern":"x"}"#, "Search* ?"),
    (r#"foveal_bash {"command":"cd x && make"}"#, "Run ? cd /w/x"),
    (r#"bash {"command":"cd x && make"}"#, "Run ?"),
    (r#"mcp__foveal__expand {"handle":"0123456789ab"}"#, "verbatim Other"),
    (r#"mcp__foveal__close {"session":1}"#, "Run"),
    (r#"foveal_unknown {"path":"a.rs"}"#, "Other"),
    (r#"mcp__other__expand {"handle":"0123456789ab"}"#, "Other"),
    (r#"mcp__other__bash {"command":"cat a.rs"}"#, "Other"),
    // Plue's names.
    (r#"readFile {"filePath":"a.rs"}"#, "Read* /w/a.rs #0"),
    (r#"writeFile {"filePath":"a.rs","content":"x"}"#, r#"Write </w/a.rs: = "x">"#),
    (r#"webFetch {"url":"http://x"}"#, "Fetch*"),
    (r#"unifiedExec {"cmd":"cat a.rs"}"#, "Run"),
    ("read [1,2]", "Read ?"),
    ("Read null", "Read ?"),
];

#[rustfmt::skip]
const COMMANDS: &[(&str, &str)] = &[
    ("cd x && npm run check 2>&1 | tail -10", "Run ? cd /w/x"),
    ("cat f | head -50", "Read* /w/f[1-50] #0"),
    ("nl -ba f | sed -n '10,80p'", "Read* /w/f[10-80] #0"),
    ("cat f | grep x", "Search* in /w/f ?"),
    ("pytest | head", "Run ?"),
    ("cat a; cat b", "Read* /w/a /w/b #0 #1"),
    ("sed -n 1,80p a && echo '---' && sed -n '1,40p' b", r#"Read* /w/a[1-80] /w/b[1-40] #0 "---" #1"#),
    (r#"bash -lc "cd x && sed -n '1,5p' y""#, "Read* /w/x/y[1-5] #0"),
    ("timeout 30 cat f", "Read* /w/f #0"),
    ("sudo cat /etc/x", "Read* /etc/x #0"),
    ("env A=1 cat f", "Read* /w/f #0"),
    ("time cat f", "Read* /w/f #0"),
    ("find . -name '*.rs' | xargs grep -n foo", "Search* in /w ?"),
    ("find . | xargs rm", "Run in /w ?"),
    (r#"find . -exec cat {} \;"#, "Read in /w ?"),
    ("cat $F", "Read ?"),
    ("cat *.rs", "Read ?"),
    (r#"cat 'a b' "c d""#, "Read* /w/a b /w/c d #0 #1"),
    ("cat a > b", "Write </w/b: ?>"),
    ("cat <<'EOF' > f\na && $(x)\nEOF", r#"Write </w/f: = "a && $(x)\n">"#),
    ("cat >> f <<EOF\nhi $x\nEOF", "Write </w/f: ?>"),
    ("python - <<'EOF'\nprint(1)\nEOF", "Run ?"),
    ("cat <<'EOF' | python3 -\nprint(1)\nEOF", "Run ?"),
    ("sed -i 's/a/b/' f", "Edit </w/f: ?>"),
    ("sed -n '5,+3p' f", "Read* /w/f[5-8] #0"),
    ("sed -n '1,3p;7,9p' f", "Read* /w/f[1-3] /w/f[7-9] #0 #1"),
    ("sed -n '10,$p' f", "Read* /w/f[10-] #0"),
    ("sed 20q f", "Read* /w/f[1-20] #0"),
    ("sed -n '20p' f", "Read* /w/f[20-20] #0"),
    ("head -n 5 f", "Read* /w/f[1-5] #0"),
    ("head -5 f", "Read* /w/f[1-5] #0"),
    ("head -c 100 f", "Read* /w/f[?] #0"),
    ("tail -n +20 f", "Read* /w/f[20-] #0"),
    ("tail -20 f", "Read* /w/f[-20] #0"),
    ("tail -n +20 f | head -10", "Read* /w/f[20-29] #0"),
    ("awk 'NR>=3&&NR<=9' f", "Read* /w/f[3-9] #0"),
    (r#"awk 'NR>=3 && NR<=9 {print NR": "$0}' f"#, "Read* /w/f[3-9] #0"),
    ("awk '{print $1}' f", "Search* in /w/f ?"),
    ("git show HEAD:a.rs", "Read /w/HEAD:a.rs #0"),
    ("git show HEAD", "Run ?"),
    ("git show --stat HEAD:a.rs", "Run ?"),
    ("git show HEAD:src/", "Run ?"),
    ("git grep -n foo -- src", "Search* in /w/src ?"),
    ("git checkout -- a.rs", "Run </w/a.rs: ?> ?"),
    ("git stash", "Run ?"),
    ("git ls-files src", "List* in /w/src ?"),
    ("git -C sub grep x", "Search* ?"),
    ("ls -la src", "List* in /w/src ?"),
    ("tree", "List* ?"),
    ("fd foo src", "List* in /w/src ?"),
    ("rg -n foo src/a.rs", "Search* in /w/src/a.rs ?"),
    ("rg --files", "List* ?"),
    ("grep -rn 'a|b' src tests", "Search* in /w/src,/w/tests ?"),
    ("grep -e x -e y f", "Search* in /w/f ?"),
    ("mv a b", "Edit </w/a: gone> </w/b: ?>"),
    ("cp a b", "Edit </w/b: ?>"),
    ("rm -rf a b", "Edit </w/a: gone> </w/b: gone>"),
    ("touch a", r#"Edit </w/a: += "">"#),
    ("tee f <<< hi", r#"Write </w/f: = "hi\n"> "hi""#),
    ("echo hi > f", r#"Write </w/f: = "hi\n">"#),
    ("echo hi >> f", r#"Write </w/f: += "hi\n">"#),
    (r#"printf 'a\nb\n' > f"#, r#"Write </w/f: = "a\nb\n">"#),
    ("> f", r#"Write </w/f: = "">"#),
    ("curl -s http://x", "Fetch ?"),
    ("curl http://x | sh", "Run ?"),
    ("wget -O f http://x", "Fetch </w/f: ?> ?"),
    ("echo hi", r#"Run "hi""#),
    ("pwd", "Run ?"),
    ("true", "Run"),
    ("", "Run"),
    ("   ", "Run"),
    ("cat 'unterminated", "Run ?"),
    ("cat f && (cd y; cat g) ; cat h", "Read* /w/f /w/y/g /w/h #0 #1 #2"),
    ("cd - && cat f", "Read ?"),
    ("cd /a; cat b; cd ..; cat c", "Read /a/b /c #0 #1 cd /"),
    ("pushd z && cat f", "Read /w/z/f ? #0 cd /w/z"),
    ("cat f || echo none", r#"Read* /w/f #0 "none" ?"#),
    ("cat f 2>/dev/null", "Read* /w/f #0"),
    ("cat f 2>&1", "Read* /w/f #0"),
    ("cat f >/dev/null", "Read*"),
    ("grep -q x f && cat f", "Read* /w/f in /w/f #0"),
    ("for f in a b; do cat $f; done", "Read ? ? ?"),
    ("if [ -f x ]; then cat x; fi", "Read* /w/x[?] #0 ?"),
    ("cat ü/é.rs", "Read* /w/ü/é.rs #0"),
    ("cat <(sort f)", "Read ?"),
    ("cat `which x`", "Read ?"),
    ("diff a b", "Search* in /w/a,/w/b ?"),
    ("wc -l f", "Search* in /w/f ?"),
    ("sort f | uniq -c", "Search* in /w/f ?"),
    ("jq .a f.json", "Search* in /w/f.json ?"),
    ("gofmt -w a.go", "Run </w/a.go: ?> ?"),
    ("black src/a.py", "Run </w/src/a.py: ?> ?"),
    ("apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: a.rs\n@@\n-x\n+y\n*** End Patch\nEOF", r#"Edit </w/a.rs: "x\n" -> "y\n">"#),
    ("patch -p1 <<'EOF'\n--- a/x.c\n+++ b/x.c\n@@ -1 +1 @@\n-a\n+b\nEOF", "Edit </w/x.c: ?>"),
    ("git apply <<'EOF'\n--- a/x.c\n+++ b/x.c\nEOF", "Run </w/x.c: ?> ?"),
    ("cat f | tee g", "Write /w/f </w/g: ?> #0"),
    ("! cat f", "Read* /w/f[?] #0 ?"),
    ("A=b cat f", "Read* /w/f #0"),
    ("cat f &", "Read* /w/f #0"),
    ("{ cat a; cat b; } > c", "Write </w/c: ?>"),
    ("cat -A f", "Read* /w/f[?] #0"),
    ("cat -n f | sed -n '5,9p'", "Read* /w/f[5-9] #0"),
    ("sed -n 5,9p f | cat -n", "Read* in /w/f ?"),
    ("nl f", "Read* in /w/f ?"),
    ("less f", "Read* /w/f #0"),
    ("sed 's/a/b/' f", "Read* /w/f[?] #0"),
    ("cat f | sed -n '/a/,/b/p'", "Read* /w/f[?] #0"),
    ("xargs -0 cat < list", "Read ?"),
    ("cat < f", "Read* /w/f #0"),
    ("wc -l < f", "Search* in /w/f ?"),
    ("ssh host cat f", "Run ?"),
    ("docker exec c cat f", "Run ?"),
    ("cat f # comment && rm g", "Read* /w/f #0"),
    ("a=$(cat f); echo $a", "Run ?"),
    ("cat >> f <<-'E1' ; echo done\n\thi\n\tE1", "Run </w/f: ?> ?"),
    ("cat <<'A' > a; cat <<'B' > b\n1\nA\n2\nB", "Run </w/b: ?> ?"),
    ("mkdir -p x && cat > x/f <<'EOF'\nhi\nEOF\nls x", r#"Write </w/x/f: = "hi\n"> in /w/x ?"#),
    ("cat > x/f <<'EOF' && python x/f\nhi\nEOF", r#"Run </w/x/f: = "hi\n"> ?"#),
    ("dd if=a of=b", "Edit </w/b: ?>"),
    ("perl -pi -e 's/a/b/' f", "Edit </w/f: ?>"),
    ("perl -ne print f", "Run ?"),
    ("cd a/b && cat ../c", "Read /w/a/c #0 cd /w/a/b"),
    ("ls *.rs && cat Cargo.toml", "Read* /w/Cargo.toml ? #0"),
    ("head -20 a b", "Read* /w/a[1-20] /w/b[1-20] #0 #1 ?"),
    ("sed -n -e 1,5p -e 9p f", "Read* /w/f[1-5] /w/f[9-9] #0 #1"),
    ("cat f; git diff", "Run /w/f #0 ?"),
    ("ls | head", "List* ?"),
    ("ls | wc -l", "List* ?"),
    ("cat f | python -m json.tool", "Run in /w/f ?"),
    ("rg foo | head -20", "Search* ?"),
    ("grep -n x f | head; sed -n 1,9p f", "Read* /w/f[1-9] in /w/f ? #0"),
    ("test -f a && cat a || cat b", "Read* /w/a /w/b #0 #1 ?"),
    ("cat a.rs; echo '== b =='; cat b.rs", r#"Read* /w/a.rs /w/b.rs #0 "== b ==" #1"#),
    ("sed -n '1,80p' a.rs | head -20", "Read* /w/a.rs[1-20] #0"),
    ("cat a | head -50 | tail -n +10", "Read* /w/a[10-50] #0"),
    ("rg 'a && b' src | head", "Search* in /w/src ?"),
    (r#"grep -rn "fn $x" src"#, "Search in /w/src ?"),
    (r#"sed -n "1,5p" 'it'\''s.rs'"#, "Read* /w/it's.rs[1-5] #0"),
    ("echo $(rm -rf x)", "Edit </w/x: gone> ?"),
    ("cat $(git rev-parse --show-toplevel)/a", "Read ?"),
    ("python -c 'print(1)' > out.txt", "Run </w/out.txt: ?>"),
    ("make -j 2>&1 | tee log.txt", "Run </w/log.txt: ?> ?"),
    ("cat a.rs | while read l; do echo $l; done", "Read* in /w/a.rs ? ? ?"),
    ("xxd f | head", "Search* in /w/f ?"),
    ("ruff check --fix a.py", "Run </w/a.py: ?> ?"),
    ("cargo fmt", "Run ?"),
    ("prettier --write src/a.ts", "Run </w/src/a.ts: ?> ?"),
    ("npx prettier --write a.ts", "Run </w/a.ts: ?> ?"),
    ("ls -la && cat a.rs", "Read* /w/a.rs ? #0"),
    ("find . -name '*.tmp' -delete", "Run in /w ?"),
    ("find src -type f -exec grep -l foo {} +", "Search* in /w/src ?"),
    ("git diff > x.patch", "Run </w/x.patch: ?>"),
    ("git -C /x show HEAD:a.rs", "Read /x/HEAD:a.rs #0"),
    ("docker run x", "Run ?"),
    ("((((cat f))))", "Run ?"),
    ("sed -n '5,3p' f", "Read* /w/f[5-5] #0"),
    ("head -n -5 f", "Read* /w/f[?] #0"),
    ("tail -f log", "Run ?"),
    ("sed '1,10d' f", "Read* /w/f[11-] #0"),
    ("sed -n '10,20{p}' f", "Read* /w/f[10-20] #0"),
    ("cat /dev/null", "Read* ?"),
    ("cat -- -f", "Read* /w/-f #0"),
    ("command -v cat", "Run ?"),
    ("cat f |& head -5", "Read* /w/f[1-5] #0"),
    ("if grep -q x f; then sed -i 's/x/y/' f; fi", "Edit </w/f: ?> in /w/f"),
    ("install -m 644 a b", "Edit </w/b: ?>"),
    ("ln -s a b", "Edit </w/b: ?>"),
    ("mv *.rs dir", "Run </w/dir: ?> ?"),
    ("rm *.o", "Run ?"),
    (r#"echo -e 'a\nb'"#, r#"Run "a\nb""#),
    ("echo -n a; cat f", "Read* /w/f ? #0"),
    ("cat <<< 'x' > f", r#"Write </w/f: = "x\n">"#),
    ("cat a > $OUT", "Run"),
    ("cat a 2> err.txt", "Read /w/a </w/err.txt: ?> #0"),
    ("nl -ba f", "Read* /w/f #0"),
    ("bat -r 1:5 f", "Read* /w/f[?] #0"),
    ("sed -n '3p;q' f", "Read* /w/f[?] #0"),
];

#[test]
fn tools_of_cline_gemini_and_qwen() {
    let check = |name: &str, arguments: Value, expected: &str| {
        assert_eq!(render(&effect(name, arguments)), expected, "{name}");
    };
    let files = json!({ "files": [{ "path": "a.rs", "start_line": 2, "end_line": null }] });
    check("read_files", files, "Read* /w/a.rs[2-] ?");
    check("run_commands", json!({ "commands": ["cd x", "cat a.rs"] }), "Read* /w/x/a.rs #0");
    check("run_commands", json!({ "commands": ["cargo test", "ls"] }), "Run ? ?");
    check("run_commands", json!({ "commands": [7] }), "Run");
    check("search_codebase", json!({ "queries": ["def "] }), "Search* ?");
    let replaced = json!({ "path": "a.rs", "old_text": "x", "new_text": "y" });
    check("editor", replaced, "Edit </w/a.rs: \"x\" -> \"y\">");
    let inserted = json!({ "path": "a.rs", "old_text": null, "new_text": "y", "insert_line": 3 });
    check("editor", inserted, "Edit </w/a.rs: after 2 \"y\">");
    let created = json!({ "path": "a.rs", "new_text": "y" });
    check("editor", created, "Edit </w/a.rs: = \"y\">");
    let passed = json!({ "name": "read_file", "arguments": { "file_path": "a.rs" } });
    check("tool_call", passed, "Read* /w/a.rs #0");
    check("tool_call", json!({ "name": "read_file" }), "Other");
    let lines = json!({ "file_path": "a.rs", "start_line": 2, "end_line": 3 });
    check("read_file", lines, "Read* /w/a.rs[2-3] #0");
}

#[test]
fn tools_of_known_agents_have_effects() {
    check_tools(TOOLS);
}

#[test]
fn command_lines_have_effects() {
    check_commands(COMMANDS);
}

#[test]
fn a_reason_is_taken_over() {
    let call = json!({"path": "a", "old_text": "x", "new_text": "y", "intent": "fix it"});
    assert_eq!(effect("edit_file", call).intent.as_deref(), Some("fix it"));
}

#[test]
fn long_and_deep_commands_are_runs() {
    let long = format!("cat {}", "a ".repeat(50_000));
    let deep = format!("{}cat a{}", "( ".repeat(2_000), " )".repeat(2_000));
    let chained = format!("true{}", " && true".repeat(5_000));
    let quoted = format!("bash -c {}", "\"bash -c ".repeat(500));
    for command in [long, deep, chained, quoted] {
        let found = effect("Bash", json!({ "command": command }));
        assert_eq!(render(&Effect { output: vec![], ..found }), "Run");
    }
}

#[test]
fn rare_letters_after_a_variable_are_read() {
    for letter in ["\u{10ffff}", "é", "\u{1f600}", "\u{fffd}", "\0", "\u{7f}"] {
        let command = format!("cat a; head -n $x{{{letter}");
        assert_eq!(effect("Bash", json!({ "command": command })).reads[0].path, "/w/a");
        let named = format!("cat {letter}.rs");
        let found = effect("Bash", json!({ "command": named }));
        assert_eq!(found.reads[0].path, format!("/w/{letter}.rs"));
    }
}

/// Fragments of command lines with a meaning for a shell.
const FRAGMENTS: &[&str] = &[
    "cat ",
    "sed -n ",
    "'1,5p' ",
    "a.rs ",
    "| ",
    "&& ",
    "|| ",
    "; ",
    "\n",
    "(",
    ")",
    "{ ",
    "; }",
    "cd ",
    "'",
    "\"",
    "$x",
    "$(",
    "`",
    "<<EOF\n",
    "EOF\n",
    "> ",
    ">> ",
    "< ",
    "2>&1 ",
    "é→ ",
    "\\",
    "head -n ",
    "tail ",
    "+5 ",
    "-3 ",
    "xargs ",
    "find ",
    "-exec ",
    "{} ",
    "\\; ",
    "bash -c ",
    "~ ",
    "*",
    "for i in ",
    "do ",
    "done ",
    "if ",
    "then ",
    "fi ",
    "awk 'NR>=",
    "18446744073709551616",
    "tee ",
    "grep -n ",
    "nl -ba ",
    "git ",
    "echo ",
    "4294967295",
    "- ",
    "-- ",
    "#",
    "&",
    "!",
];

proptest! {
    #[test]
    fn only_looking_is_cacheable(picks in proptest::collection::vec(0..FRAGMENTS.len(), 0..24), rest in ".{0,12}") {
        let command: String = picks.iter().map(|at| FRAGMENTS[*at]).chain([rest.as_str()]).collect();
        let found = effect("Bash", json!({ "command": command }));
        let looks = matches!(found.kind, EffectKind::Read | EffectKind::Search | EffectKind::List);
        prop_assert!(!found.cacheable || looks);
        prop_assert!(!found.cacheable || found.writes.is_empty());
        for part in &found.output {
            prop_assert!(!matches!(part, OutputPart::Lines(index) if *index >= found.reads.len()));
        }
    }

    #[test]
    fn any_arguments_are_taken(name in "[a-zA-Z_]{0,12}", key in "(path|file_path|command|offset|limit|edits|view_range|diff)", text in ".{0,40}", number in any::<i64>()) {
        for value in [json!(text), json!(number), json!([text, number]), json!([{ key.clone(): text }]), Value::Null] {
            effect(&name, json!({ "path": text, key.clone(): value }));
        }
    }
}
