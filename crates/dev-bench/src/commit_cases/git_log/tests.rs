use super::*;

#[test]
fn logs_are_parsed() {
    let id = "0123456789012345678901234567890123456789";
    let log = format!(
        "\u{1e}{id}\u{1f}subject\n\nbody\n\u{1f}\0\n:100644 100755 a b M\0src/a b.rs\0\
         :100644 100644 c d R087\0old.rs\0new.rs\0:000000 120000 0 e A\0link\0\
         \u{1e}{id}\u{1f}empty\n\u{1f}\0\u{1e}broken"
    );
    let commits = parse_log(log.as_bytes());
    let lines: Vec<String> = commits
        .iter()
        .map(|commit| {
            let files: Vec<String> = commit
                .files
                .iter()
                .map(|f| format!("{} {} {}>{} {}", f.status, f.path, f.old, f.new, f.ordinary))
                .collect();
            format!("{:?} {}", commit.message, files.join(", "))
        })
        .collect();
    assert_eq!(
        lines,
        [
            "\"subject\\n\\nbody\\n\" M src/a b.rs a>b true, R new.rs c>d true, A link 0>e false",
            "\"empty\\n\" "
        ]
    );
}
