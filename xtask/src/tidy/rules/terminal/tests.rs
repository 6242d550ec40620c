use super::check;
use crate::tidy::rules::printed::findings_in;

const BAD: &str = "\
use std::io::stdout;
fn a() {
    println!(\"{}\", 1);
    let _ = writeln!(io::stderr(), \"a\");
    eprint!(\"b\");
    dbg!(1);
    console::Term::stdout();
    command.stderr(Stdio::inherit());
}
";

const GOOD: &str = "\
/// Calls println!() with `stdout()`.
fn a(stdout: &str) {
    command.stdout(Stdio::piped()).stderr(Stdio::null());
    let _ = \"println!\";
    part.stdout.clear();
}
fn stdout() {}

#[cfg(test)]
mod tests {
    fn b() { println!(); }
}
";

#[test]
fn only_one_place_writes() {
    let told = |name, line| {
        format!(
            "crates/a/src/b.rs:{line}: `{name}`; print with `output` or `notice` of the program\n"
        )
    };
    let expected = [("eprint", 5), ("println", 3), ("dbg", 6)];
    let found = findings_in(check, &[("crates/a/src/b.rs", BAD), ("crates/c/src/d.rs", GOOD)]);
    for (name, line) in
        expected.into_iter().chain([("stdout", 1), ("stderr", 4), ("stdout", 7), ("inherit", 8)])
    {
        assert!(found.contains(&told(name, line)), "{name} {line}: {found}");
    }
    assert_eq!(found.lines().count(), 7, "{found}");
    for path in ["crates/cli/src/output.rs", "crates/a/tests/b.rs", "xtask/src/main.rs"] {
        assert_eq!(findings_in(check, &[(path, BAD)]), "");
    }
}
