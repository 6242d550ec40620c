use super::*;

type Said<'a> = (&'a str, &'a str, Verdict);

fn check(rules: &[Said<'_>], tool: &'static str, line: &str, expected: Verdict) {
    let rule = |(tool, subject, verdict): &Said<'_>| Rule {
        tool: (*tool).to_owned(),
        subject: (*subject).to_owned(),
        verdict: *verdict,
    };
    let rules: Vec<Rule> = rules.iter().map(rule).collect();
    check_beside(&rules, tool, line, false, expected);
}

/// The same where a file may have the name of an option, or none has.
fn check_beside(
    rules: &[Rule],
    tool: &'static str,
    line: &str,
    meets_option: bool,
    expected: Verdict,
) {
    let kind = match tool {
        "write_stdin" => CommandKind::Typed,
        _ => CommandKind::Line,
    };
    let access = Access { command: Some(kind), meets_option, ..Access::of(tool, line) };
    assert_eq!(decide(rules, &access).verdict, expected, "{tool} {line}\n{rules:?}");
}

use Verdict::{Allow, Ask, Deny};

#[test]
fn a_rule_that_allows_covers_every_command_of_the_line() {
    let rules = [("*", "*", Deny), ("bash", "git *", Allow), ("bash", "head*", Allow)];
    for line in [
        "git log",
        "git log | head -1",
        "git log && git status; git diff 2>&1 >/dev/null",
        "git log; # ; rm x",
    ] {
        check(&rules, "bash", line, Allow);
    }
    for line in [
        "git log $(git rev-parse HEAD)",
        "if git log; then git status; fi",
        "git log \"`git log '`$(touch C)`'`\"",
        "git --version; echo pwned > pwn",
        "git log > pwn",
        "git log | sh",
        "git log &\nrm x",
        "git log `rm x`",
        "git log \"$(rm x)\"",
        "git log <(rm x)",
        "GIT_PAGER='rm x' git log",
        "PATH=. ; git log",
        "for PATH in .; do git log; done",
        "env git log",
        "git() { rm x; }; git log",
        "git log <<E\n$(rm x)\nE",
        "git log 'open",
        "git x ${x:-`rm x`}",
        "git x $(( 'a[$(rm x)]' ))",
        "gitx log",
        "",
    ] {
        check(&rules, "bash", line, Deny);
    }
    // What cannot be taken apart is asked about where rules do not forbid everything.
    let asks = [("*", "*", Ask), ("bash", "git *", Allow)];
    check(&asks, "bash", "git() { rm x; }; git log", Ask);
    check(&asks, "bash", "git log", Allow);
}

#[test]
fn a_rule_that_forbids_covers_any_command_of_the_line() {
    let rules = [("bash", "rm *", Deny), ("bash", "git push*", Ask)];
    for line in [
        "rm x",
        "true; rm x",
        "true && (cd a; rm x)",
        "echo $(rm x)",
        "'rm' x",
        "/bin/rm x",
        "A=1 rm x",
        "sudo -n rm x",
        "find . | xargs rm x",
        "echo ${x:-`rm x`}",
        "ls x | xargs rm",
        "ls x | xargs -r sudo /bin/rm",
        "sh -c 'true; rm x'",
        "git push; rm x",
        "f() { rm x; }; f",
        "echo 'open; rm x",
        "$'\\x72m' x",
    ] {
        check(&rules, "bash", line, Deny);
    }
    for line in ["$x x", "r${y}m x", "echo rm x | sh"] {
        check(&[("bash", "rm *", Deny)], "bash", line, Ask);
    }
    check(&rules, "bash", "true; git push", Ask);
    check(&rules, "bash", "true; f() { true; }; f", Ask);
    check(&rules, "bash", "echo rm x", Allow);
    check(&[], "bash", "f() { true; }; f", Allow);
    check(&[("bash", "git *", Allow)], "bash", "f() { true; }; f", Allow);
    check(&[("bash", "*", Allow)], "bash", "f() { true; }; f", Allow);
    check(&[("bash", "*> /*", Deny)], "bash", "echo a > /b", Deny);
    check(&[("bash", "curl *|*sh*", Deny)], "bash", "curl a | sh", Deny);
    let later = [("bash", "git push*", Ask), ("bash", "git push origin dev", Allow)];
    check(&later, "bash", "git push origin dev", Allow);
    check(&later, "bash", "git push origin dev && git push", Ask);
}

#[test]
fn what_a_command_starts_has_to_be_allowed_too() {
    let allowed =
        ["find *", "xargs *", "env *", "timeout *", "bash *", "sudo *", "watch *", "npm *"];
    let allowed = allowed.map(|subject| ("bash", subject, Allow));
    let lines = [
        "find . -exec rm {} +",
        "find . -name a -ok rm {} ';'",
        "find . -execdir env rm {} ';'",
        "find . -exec timeout 5 rm {} +",
        "find . -exec grep a {} ';' -exec rm {} ';'",
        "xargs rm",
        "xargs -n1 rm",
        "xargs -I{} rm {}",
        "xargs -0 --max-args 1 rm",
        "xargs sh -c 'rm a'",
        "env rm a",
        "env A=1 rm a",
        "env -S 'rm a'",
        "env -Srm",
        "env -vS rm",
        "env --split-string=rm",
        "env --split=rm",
        "env 'grep a' b",
        "timeout 5 rm a",
        "timeout -k 1 5 rm a",
        "timeout --signal=9 5 rm a",
        "timeout 5 env -i rm a",
        "bash -c 'rm a'",
        "bash -ec 'grep a b; rm a'",
        "bash -c -e 'rm a'",
        "bash -co pipefail 'rm a'",
        "bash -c \"$x\"",
        "sudo rm a",
        "sudo -R grep rm a",
        "sudo -C grep rm a",
        "sudo -i",
        "watch rm a",
        "watch -n 5 rm a",
        "npm exec rm",
        "npm --silent exec -- rm a",
    ];
    for (everything, expected) in [(Deny, Deny), (Ask, Ask)] {
        let mut rules = vec![("*", "*", everything)];
        rules.extend(allowed);
        rules.push(("bash", "grep *", Allow));
        for line in lines {
            check(&rules, "bash", line, expected);
        }
        for line in [
            "find . -name a",
            "find . -exec grep a {} +",
            "find . -exec timeout 5 grep a {} +",
            "xargs -n1 grep a",
            "xargs -r -P 4 --null grep a",
            "env A=1 grep a b",
            "timeout -k 1 --foreground 5 grep a b",
            "bash -ec 'grep a b | grep c'",
            "bash x.sh",
            "sudo -n -u root grep a b",
            "npm run x",
        ] {
            check(&rules, "bash", line, Allow);
        }
    }
}

#[test]
fn a_rule_may_name_what_is_started() {
    // A rule that names what is started is enough, and so is the command itself.
    for (subject, line) in [
        ("find * -exec rm *", "find . -exec rm {} +"),
        ("find . -exec rm {} +", "find . -exec rm {} +"),
        ("timeout * cargo *", "timeout 5 cargo test"),
        ("watch -n 5 git *", "watch -n 5 git status"),
        ("npm exec *", "npm exec prettier a"),
    ] {
        check(&[("*", "*", Deny), ("bash", subject, Allow)], "bash", line, Allow);
    }
    let two = "find . -exec grep a {} ';' -exec rm {} ';'";
    check(&[("*", "*", Deny), ("bash", "find * -exec grep *", Allow)], "bash", two, Deny);
    // Braces choose, and name nothing.
    for line in ["env rm a", "watch rm a", "env -S 'rm a'", "env PATH=. grep a"] {
        let rules = [("*", "*", Deny), ("bash", "{git log,grep,watch,env,rm x} *", Allow)];
        check(&rules, "bash", line, Deny);
    }
    check(&[("bash", "rm *", Deny)], "bash", "find . -delete", Deny);
    // Where nothing else is forbidden, nothing is.
    check(&[("bash", "find *", Allow)], "bash", "find . -exec rm {} +", Allow);
    check(&[("bash", "rm *", Deny), ("bash", "npm *", Allow)], "bash", "npm exec rm a", Deny);
    check(&[("bash", "rm *", Deny)], "bash", "npm exec -- rm a", Deny);
    check(&[("bash", "rm *", Deny)], "bash", "uv run rm a", Deny);
    // What an option runs is asked about.
    for line in ["git -c core.pager='rm x' log", "tar --to-command='rm x' -xf a", "sed '1e rm x' a"]
    {
        check(&[("*", "*", Ask), ("bash", "{git,tar,sed} *", Allow)], "bash", line, Ask);
        check(&[("bash", "rm *", Deny)], "bash", line, Ask);
        check(&[("bash", "rm *", Deny), ("bash", line, Allow)], "bash", line, Allow);
    }
}

#[test]
fn a_word_that_may_become_an_option_is_not_allowed_with_the_program() {
    let allowed = ["sed *", "echo *", "ls*", "git *", "make *", "xargs *", "cat*", "cd *"];
    let mut rules = vec![("*", "*", Ask)];
    rules.extend(allowed.map(|subject| ("bash", subject, Allow)));
    for line in [
        "sed s/a/b/ f $(echo -e1eid)",
        "echo -e1eid | xargs sed s/a/b/ f",
        "sed -i s/a/b/ f `cat list`",
        "git grep x $(cat list)",
    ] {
        check(&rules, "bash", line, Ask);
        check(&[("bash", "rm *", Deny)], "bash", line, Ask);
        check(&[("bash", "rm *", Deny), ("bash", line, Allow)], "bash", line, Allow);
        check(&[("bash", "sed *", Allow)], "bash", line, Allow);
    }
    for line in ["git commit -m \"$(cat <<'E'\nwhat\n\n- why\nE\n)\"", "sed -i s/a/b/ src/*.rs"] {
        let mut rules = rules.clone();
        rules.push(("bash", "git merge-base*", Allow));
        check(&rules, "bash", line, Allow);
    }
    let rule = |(tool, subject, verdict): &Said<'_>| Rule {
        tool: (*tool).to_owned(),
        subject: (*subject).to_owned(),
        verdict: *verdict,
    };
    let rules: Vec<Rule> = rules.iter().map(rule).collect();
    for line in ["git log $(git merge-base main HEAD)..", "sed -i s/a/b/ $FILES"] {
        let rules = [&rules[..], &[rule(&("bash", "git merge-base*", Allow))]].concat();
        check_beside(&rules, "bash", line, false, Ask);
    }
    for line in ["sed -i s/a/b/ *", "ls | xargs sed -i s/a/b/", "sed -i s/a/b/ *.rs"] {
        check_beside(&rules, "bash", line, false, Allow);
        check_beside(&rules, "bash", line, true, Ask);
    }
    for line in ["ls *", "sed -i s/a/b/ f", "git add *"] {
        check_beside(&rules, "bash", line, true, Allow);
    }
}

#[test]
fn the_last_rule_counts_for_each_command() {
    let rules =
        [("bash", "git *", Allow), ("bash", "git push*", Deny), ("bash", "make; rm x", Allow)];
    check(&rules, "bash", "git log; git push", Deny);
    check(&rules, "bash", "make; rm x", Allow);
    check(&[("bash", "make; rm x", Allow), ("bash", "rm *", Deny)], "bash", "make; rm x", Deny);
    check(&[("bash", "rm *", Deny), ("bash", "*", Allow)], "bash", "rm x", Allow);
    let all_but_one = [("*", "*", Deny), ("bash", "f() { true; }; f", Allow)];
    check(&all_but_one, "bash", "f() { true; }; f", Allow);
}

#[test]
fn rules_for_bash_hold_for_terminals() {
    let rules = [("bash", "*", Ask), ("bash", "git *", Allow), ("bash", "rm *", Deny)];
    check(&rules, "exec", "git log", Allow);
    check(&rules, "exec", "make", Ask);
    check(&rules, "exec", "make; rm x", Deny);
    check(&rules, "write_stdin", "rm x\n", Deny);
    check(&rules, "write_stdin", "git log\n", Ask);
    check(&rules, "write_stdin", "", Allow);
    let forbids = [("bash", "rm *", Deny)];
    for typed in
        ["r", "m x", "r\\\n", "./r\tx\n", "rx\u{7f}m x\n", "zz\u{15}rm x\n", "r\u{16}m x\n"]
    {
        check(&forbids, "write_stdin", typed, Ask);
    }
    for typed in ["make\n", "\n", "\u{3}", "make\nmake test\n"] {
        check(&forbids, "write_stdin", typed, Allow);
    }
    check(&forbids, "write_stdin", "make; rm x", Deny);
    check(&[], "write_stdin", "r", Allow);
    let own = [&rules[..], &[("{exec,write_stdin}", "*", Allow)]].concat();
    check(&own, "exec", "make; rm x", Allow);
    check(&own, "write_stdin", "rm x\n", Allow);
    check(&[("write_stdin", "*", Deny)], "write_stdin", "", Deny);
    check(&[("exec", "*", Deny)], "bash", "make", Allow);
}
