use super::*;

type Said<'a> = (&'a str, &'a str, Verdict);

fn check(rules: &[Said<'_>], tool: &'static str, line: &str, expected: Verdict) {
    let rule = |(tool, subject, verdict): &Said<'_>| PermissionRule {
        tool: (*tool).to_owned(),
        subject: (*subject).to_owned(),
        verdict: *verdict,
    };
    let rules: Vec<PermissionRule> = rules.iter().map(rule).collect();
    let kind = match tool {
        "write_stdin" => CommandKind::Typed,
        _ => CommandKind::Line,
    };
    let access = Access { command: Some(kind), ..Access::new(tool, line) };
    assert_eq!(decide_command(&rules, &access).verdict, expected, "{tool} {line}\n{rules:?}");
}

use Verdict::{Allow, Ask, Deny};

#[test]
fn a_rule_that_allows_covers_every_command_of_the_line() {
    let rules = [("*", "*", Deny), ("bash", "git *", Allow), ("bash", "head*", Allow)];
    let asks = [("*", "*", Ask), ("bash", "git *", Allow), ("bash", "head*", Allow)];
    for line in [
        "git log",
        "git log | head -1",
        "git log && git status; git diff 2>&1 >/dev/null",
        "git log; # ; rm x",
        "git commit -m \"$(cat <<'E'\nwhat\n\n- why\nE\n)\"",
        "git apply - <<'E'\n$(x) `y`\nE",
        // A rule that allows a program trusts it.
        "git -c core.pager='rm x' log",
        "git add *",
    ] {
        check(&rules, "bash", line, Allow);
        check(&asks, "bash", line, Allow);
    }
    for line in [
        "git log $(git rev-parse HEAD)",
        "git log $x",
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
        "export PATH=.; git log",
        "for PATH in .; do git log; done",
        "env git log",
        "git() { rm x; }; git log",
        "git log <<E\n$(rm x)\nE",
        "git log 'open",
        "git x ${x:-`rm x`}",
        "git x $(( 'a[$(rm x)]' ))",
        "gitx log",
        "./git log",
        "evil/git log",
        "\"git log\" x",
        "git\\ log",
        "",
    ] {
        check(&rules, "bash", line, Deny);
        check(&asks, "bash", line, Ask);
    }
}

#[test]
fn a_rule_that_forbids_covers_any_command_of_the_line() {
    let rules = [("bash", "rm *", Deny), ("bash", "git push*", Ask)];
    for line in [
        "rm x",
        "true; rm x",
        "'rm' x",
        "r\\m \"x\"",
        "/bin/rm x",
        "rm *",
        "true &\nrm x",
        "git push; rm x",
        // Programs that run other commands.
        "sudo -n rm x",
        "find . | xargs rm x",
        "ls x | xargs -r sudo /bin/rm y",
        "sh -c 'rm x'",
        "timeout 5 nice -n 5 rm x",
        // Lines that are not plain.
        "true && (cd a; rm x)",
        "echo $(rm x)",
        "A=1 rm x",
        "echo ${x:-`rm x`}",
        "if true; then rm x; fi",
        "f() { rm x; }; f",
        "echo 'open; rm x",
    ] {
        check(&rules, "bash", line, Deny);
    }
    for line in [
        "$x x",
        "r${y}m x",
        "rm${IFS}x",
        "$'\\x72m' x",
        "echo rm x | sh",
        "sudo ls",
        "sh -c 'true; rm x'",
        "env -S 'true'",
        "eval \"r\"m x",
        "alias g=r''m; g x",
        "for x in a; do $x; done",
        "echo \"`echo '`$(touch C)`'`\"",
        "true; git push",
        "true; 'git' push",
        "git pus?",
        "git {push,x}",
        "/usr/bin/git push",
        "true; f() { true; }; f",
    ] {
        check(&rules, "bash", line, Ask);
    }
    for line in ["echo rm x", "ls *", "git add *.rs", "find . -delete", "git log | head -1"] {
        check(&rules, "bash", line, Allow);
    }
    for rules in [&[][..], &[("bash", "git *", Allow)], &[("bash", "*", Allow)]] {
        check(rules, "bash", "f() { true; }; f; sudo x", Allow);
    }
    check(&[("bash", "*> /*", Deny)], "bash", "echo a > /b", Deny);
    check(&[("bash", "*> /*", Deny)], "bash", "echo a >'/b'", Deny);
    check(&[("bash", "curl *|*sh*", Deny)], "bash", "curl a | sh", Deny);
    let later = [("bash", "git push*", Ask), ("bash", "git push origin dev", Allow)];
    check(&later, "bash", "git push origin dev", Allow);
    check(&later, "bash", "git push origin dev && git push", Ask);
}

#[test]
fn a_program_that_runs_others_is_allowed_by_its_name_alone() {
    for everything in [Ask, Deny] {
        for line in ["timeout 5 make", "sudo -u root make", "bash -c 'make $x; rm y'", "xargs rm"] {
            let program = line.split(' ').next().expect("a word");
            let named = format!("{program} *");
            check(&[("*", "*", everything), ("bash", &named, Allow)], "bash", line, Allow);
            check(&[("*", "*", everything), ("bash", line, Allow)], "bash", line, Allow);
            for other in ["{timeout,sudo,bash,xargs} *", "?*", "make *", "[a-z]* *"] {
                let rules = [("*", "*", everything), ("bash", other, Allow)];
                check(&rules, "bash", line, everything);
            }
        }
    }
    check(&[("bash", "rm *", Deny), ("bash", "timeout *", Allow)], "bash", "timeout 5 make", Allow);
    check(&[("bash", "timeout *", Allow), ("bash", "rm *", Deny)], "bash", "timeout 5 rm x", Deny);
    check(&[("bash", "timeout *", Allow), ("bash", "rm *", Deny)], "bash", "timeout 5 ls", Allow);
    check(&[("*", "*", Ask), ("bash", "env *", Allow)], "bash", "/tmp/env x", Ask);
}

#[test]
fn what_is_not_plain_is_allowed_as_a_whole_alone() {
    let line = "for x in a; do echo $x; done";
    for everything in [Ask, Deny] {
        let named = [("*", "*", everything), ("bash", "{for,echo} *", Allow)];
        check(&named, "bash", line, everything);
        check(&[("*", "*", everything), ("bash", line, Allow)], "bash", line, Allow);
        check(&[("*", "*", everything), ("bash", "*", Allow)], "bash", line, Allow);
    }
    check(&[("bash", "*", Allow), ("bash", "rm *", Deny)], "bash", line, Ask);
}

#[test]
fn what_only_reads_passes_where_nothing_names_it() {
    let decided = |rules: &[Said<'_>], line: &str, harmless: &[bool]| {
        let rule = |(tool, subject, verdict): &Said<'_>| PermissionRule {
            tool: (*tool).to_owned(),
            subject: (*subject).to_owned(),
            verdict: *verdict,
        };
        let rules: Vec<PermissionRule> = rules.iter().map(rule).collect();
        let command = Some(CommandKind::Line);
        let access = Access {
            command,
            harmless_parts: harmless,
            asks_unnamed: true,
            ..Access::new("bash", line)
        };
        (decide_command(&rules, &access).verdict, ask_reason(&rules, &access))
    };
    let both = [true, true];
    assert_eq!(decided(&[], "ls > x", &both).0, Allow);
    assert_eq!(decided(&[("bash", "ls *", Deny)], "ls a", &both).0, Deny);
    assert_eq!(decided(&[("bash", "*", Ask)], "ls > x", &both).0, Ask);
    // A redirection goes with its command.
    let asks_all = [("*", "*", Ask), ("bash", "make *", Allow)];
    assert_eq!(decided(&asks_all, "make all > x", &[false, true]).0, Allow);
    assert_eq!(decided(&asks_all, "make all > x", &[false, false]).0, Ask);
    let forbids = [("*", "*", Deny), ("bash", "make *", Allow)];
    assert_eq!(decided(&forbids, "make all > x", &[false, true]).0, Deny);
    for (rules, line, reason) in [
        (&[][..], "ls && npm test -w a", "no rule allows `npm test*`"),
        (&[], "ls; sudo -n ls", "no rule allows `sudo *`"),
        (&[], "ls; git -C a x", "no rule allows `git *`"),
        (&[], "ls; make", "no rule allows `make`"),
        (&[], "ls; > a", "no rule allows `> a`"),
        (&asks_all, "make all; rm x", "no rule allows `rm *`"),
        (&[("bash", "npm p*", Ask)], "ls; npm publish", "permission rule 1 asks about \"npm p*\""),
        (
            &[],
            "ls $x",
            "it has shell syntax beyond plain commands, so only a rule for the whole line can \
             allow it",
        ),
    ] {
        assert_eq!(decided(rules, line, &[true]), (Ask, reason.to_owned()), "{line}");
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
        ["r", "m x", "r\\\n", "./r\tx\n", "rx\u{7f}m x\n", "zz\u{15}rm x\n", "r\u{16}m x\n", "!!\n"]
    {
        check(&forbids, "write_stdin", typed, Ask);
    }
    for typed in ["make\n", "\n", "\u{3}", "make\nmake test\n"] {
        check(&forbids, "write_stdin", typed, Allow);
    }
    check(&forbids, "write_stdin", "make; rm x", Deny);
    check(&forbids, "write_stdin", "make # ; rm x\n", Deny);
    check(&[], "write_stdin", "r", Allow);
    let own = [&rules[..], &[("{exec,write_stdin}", "*", Allow)]].concat();
    check(&own, "exec", "make; rm x", Allow);
    check(&own, "write_stdin", "rm x\n", Allow);
    check(&[("write_stdin", "*", Deny)], "write_stdin", "", Deny);
    check(&[("exec", "*", Deny)], "bash", "make", Allow);
}
