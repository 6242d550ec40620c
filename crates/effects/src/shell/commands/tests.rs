//! Command lines and what they consist of.

use super::{CommandLine, SimpleCommand};
use crate::effect::EffectKind;

/// The commands in alphabetical order, or those that were found where there may be others.
fn check(line: &str, expected: &[&str]) {
    let found = CommandLine::of(line);
    let mut texts: Vec<&str> = found.commands.iter().map(|one| one.text.as_str()).collect();
    texts.sort_unstable();
    assert!(found.is_clear, "{line}: unclear, {texts:?}");
    assert_eq!(texts, expected, "{line}");
}

#[test]
fn a_line_is_all_that_it_runs() {
    for (line, expected) in [
        ("git log", &["git log"][..]),
        ("  git   log \\\n -1 ", &["git log -1"]),
        ("", &[]),
        ("# git log", &[]),
        ("git log # ; rm", &["git log"]),
        ("git --version; echo pwned > pwn", &["> pwn", "echo pwned", "git --version"]),
        ("git log && make || false", &["false", "git log", "make"]),
        ("git log | head -1 |& tee x", &["git log", "head -1", "tee x"]),
        ("git log & make", &["git log", "make"]),
        ("git log\nmake", &["git log", "make"]),
        ("git log $(make)", &["git log $(make)", "make"]),
        ("git log `make`", &["git log `make`", "make"]),
        ("git log \"a $(make b) c\"", &["git log \"a $(make b) c\"", "make b"]),
        ("git log ${x:-$(make)}", &["git log ${x:-$(make)}", "make"]),
        ("git log $(( $(make) + 1 ))", &["git log $(( $(make) + 1 ))", "make"]),
        ("diff <(make a) <(make b)", &["diff <(make a) <(make b)", "make a", "make b"]),
        ("git log '; rm' \"; rm\" \\; x", &["git log '; rm' \"; rm\" \\; x"]),
        ("git log --format='%h (%s)'", &["git log --format='%h (%s)'"]),
        ("(git log; make)", &["git log", "make"]),
        ("{ git log; make; }", &["git log", "make"]),
        ("! git log", &["git log"]),
        ("if git log; then make; else rm x; fi", &["git log", "make", "rm x"]),
        ("while true; do make; done", &["make", "true"]),
        ("for x in a $(ls); do make $x; done", &["for x in a $(ls)", "ls", "make $x"]),
        ("case $x in a) make;; esac", &["make"]),
        ("GIT_PAGER=cat git log", &["GIT_PAGER=cat git log"]),
        ("PATH=/evil; git log", &["PATH=/evil", "git log"]),
        ("export PLACE=$(make)", &["export PLACE=$(make)", "make"]),
        ("env A=b git log", &["env A=b git log"]),
        ("git log 2>&1 >/dev/null </dev/null", &["git log"]),
        ("git log 2>> errors", &[">> errors", "git log"]),
        ("> a git log", &["> a", "git log"]),
        ("git apply < patch", &["< patch", "git apply"]),
        ("(git log) > a", &["> a", "git log"]),
        ("[[ -f a && -f b ]] && make", &["[[ -f a && -f b ]]", "make"]),
        ("git commit -F x <<'END'\n$(make)\nEND", &["git commit -F x"]),
        ("git commit <<END && rm x\n$(make)\nEND", &["git commit", "make", "rm x"]),
        ("git log <<< $(make)", &["git log", "make"]),
        ("résumé é", &["résumé é"]),
    ] {
        check(line, expected);
    }
    let long = "git log && ".repeat(3_000) + "make";
    let found = CommandLine::of(&long);
    assert!(found.is_clear && found.commands.len() == 3_001);
}

#[test]
fn what_may_run_more_is_unclear() {
    for line in [
        "git() { make; }; git log",
        "function git { make; }",
        "git log 'open",
        "git log \"open",
        "git log $(make",
        "git log )",
        "git log; )",
        "git log > a b",
        "git log <<END b\nx\nEND",
        // The grammar loses the dash.
        "git log - <<END\nx\nEND",
        "git log <<END\nx",
        "git log <<\"E D\"\nx\nE D",
        "git log\r\nmake",
        "git log; \\ make",
        "if git log; then",
        "git log <<END\n`make\nEND",
        "git x ${x:-`rm a`}",
        "git x \"${x:=`rm a`}\"",
        "git x ${x+`rm a`}",
        "git x ${x?`rm a`}",
        "git x ${x#`rm a`}",
        "git x ${x%%`rm a`}",
        "git x ${x/a/`rm a`}",
        "git x ${x//`rm a`/b}",
        "git x ${x^^`rm a`}",
        "git x ${x,,`rm a`}",
        "git x ${x:-${y:-`rm a`}}",
        "git x <<< ${x:-`rm a`}",
        "git x <<E\n${x:-`rm a`}\nE",
        "git x ${x:-<(rm a)}",
        "git x ${HOME##>(rm a)}",
        "git x $(( 'a[$(rm a)]' ))",
        "[[ 'a[$(rm a)]' -eq 1 ]]",
        "$x a",
        "r${x}m a",
        "rm${IFS}a",
        "$(echo rm) a",
        "`echo rm` a",
        "\"$@\"",
        "\"${a[@]}\"",
        "$'\\x72m' a",
        "/bin/r? a",
        "r[m] a",
        "{rm,a}",
        "env $x a",
        "sudo -n env $x a",
        "sh -c \"$x\"",
        "sh -c '$x a'",
        "sh -c $'\\x72m a'",
        "eval \"$x\"",
        "echo rm a | sh",
        "bash <<E\nrm a\nE",
        "bash <<< 'rm a'",
        "bash <(echo rm a)",
        "echo rm a | env bash",
        ". <(echo rm a)",
        "alias g=rm",
        "rx\u{7f}m a\n",
        "zz\u{15}rm a\n",
        "zz\u{17}rm a\n",
        "r\u{16}m a\n",
        &"x".repeat(70_000),
    ] {
        let found = CommandLine::of(line);
        assert!(!found.is_clear, "{line}: {found:?}");
    }
}

#[test]
fn everyday_lines_are_clear() {
    for line in [
        "git commit -m \"$(cat <<'E'\nwhat `this` $(does)\n\n(and why)\nE\n)\"",
        "cargo test -- --nocapture",
        "echo $HOME ${x:-a} ${x%.*} \"${a[@]}\" ${#a} ${x//\\//_}",
        "for f in *; do echo \"$f\"; done",
        "a=(x $(ls) \"$y\"); echo $((1 + (2 * x))) $(( $(nproc) / 2 ))",
        "[ -f x ] && [[ $x == *.rs && ( -f y ) ]] && (( x < 3 ))",
        "find . -name '*.rs' -exec grep -n 'fn (' {} +",
        "find . -name \"$x\" | xargs -P \"$(nproc)\" grep -n \"$y\"",
        "sudo -u \"$USER\" make; timeout 5 make; env A=$b make; nohup ./x.sh \"$a\" &",
        "sh -c 'echo a | wc -l'; bash x.sh '(a'; bash --version | head -1; source .env",
        "printf 'a\\n' $'b\\n'; trap 'rm -f \"$x\"' EXIT; trap - EXIT",
        "bash",
        "python3 <<'E'\nprint(`a`)\nE\n",
        "cat <<< \"$x\"; x=$(cat <a); \\\nmake\tall\n",
        "./run {a,b} ~/bin/x; ~/bin/x y",
    ] {
        let found = CommandLine::of(line);
        assert!(found.is_clear, "{line}: {found:?}");
    }
}

#[test]
fn one_command_has_many_spellings() {
    for line in [
        "rm -rf x",
        "'rm' -rf x",
        "r\\m -rf \"x\"",
        "/bin/rm -rf x",
        "A=1 rm -rf x",
        "env -i A=1 rm -rf x",
        "sudo -u root /bin/rm -rf x",
        "nohup nice -n 5 rm -rf x",
        "sh -c 'rm -rf x'",
        "bash -ec \"true; sh -c 'rm -rf x'\"",
        "eval rm -rf x",
        "trap 'rm -rf x' EXIT",
        "$'rm' -rf x",
        "rm  -rf   x >log",
        "true; ( rm -rf x ) &",
        "f() { rm -rf x; }; f",
        "echo 'open; rm -rf x",
        "timeout 5 xargs rm -rf x",
        "taskset 1 rm -rf x",
        "chrt 1 setpriv prlimit nsenter -t 1 rm -rf x",
        "script -qc 'rm -rf x'",
        "su root -c'rm -rf x'",
        "flock f -c 'rm -rf x'",
        "env -S 'rm -rf x'",
        "rbash -c 'rm -rf x'",
    ] {
        let found = CommandLine::of(line);
        let is_there = found
            .commands
            .iter()
            .any(|one| one.text == "rm -rf x" || one.spellings.iter().any(|s| s == "rm -rf x"));
        assert!(is_there, "{line}: {found:#?}");
    }
}

#[test]
fn many_programs_may_start_one_another() {
    for line in ["npx rm -rf x", "gtimeout 5 rm -rf x", "unbuffer uvx rm -rf x"] {
        let found = CommandLine::of(line);
        let is_there = |one: &SimpleCommand| one.spellings.iter().any(|said| said == "rm -rf x");
        assert!(found.commands.iter().any(is_there), "{line}: {found:#?}");
    }
    assert!(CommandLine::of(&("env ".repeat(16) + "make")).is_clear);
    let many = "env ".repeat(16_000) + "cat a";
    assert!(!CommandLine::of(&many).is_clear);
    assert_eq!(crate::shell::effect(&many, None).kind, EffectKind::Read);
    // Each of them hands on what stands behind it, once.
    for handed in ["find . -exec ", "find -ok ", "find -exec find -execdir true ; -exec "] {
        assert!(!CommandLine::of(&(handed.repeat(2_000) + "rm {} +")).is_clear, "{handed}");
    }
    for many in ["sqlite3 a && ", "sqlite3 a; ", "psql <<< x | cat; ", "{ sqlite3 a; }; "] {
        assert!(!CommandLine::of(&(many.repeat(3_000) + "cat <<< x")).is_clear, "{many}");
    }
    let many = "true | ".to_owned() + &"xargs ".repeat(10_000) + "cat";
    assert!(!CommandLine::of(&many).is_clear);
    assert_eq!(crate::shell::effect(&many, None).kind, EffectKind::Run);
}
