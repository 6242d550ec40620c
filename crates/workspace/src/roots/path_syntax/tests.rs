use super::*;

fn check(path: &str, expected: &str) {
    let said = parse_path(path).map_or_else(|error| error.to_string(), |_| "taken".to_owned());
    assert_eq!(said, expected, "{path:?}");
}

#[test]
fn names_of_files_are_taken() {
    for path in ["a", "a/b.rs", "/a", "..", "a:b", "a\\b", "~a", "a~", "%2e%2e/a", "x:", "…"] {
        check(path, "taken");
    }
}

#[test]
fn what_can_name_no_file_here_is_refused() {
    check("", "the path is empty; give a path relative to the workspace");
    check("a\0b", r"the path `a\u{0}b` contains a control character (escaped here)");
    check("a\n", r"the path `a\n` contains a control character (escaped here)");
    check(
        "~/.ssh/id_rsa",
        "`~/.ssh/id_rsa` names a home folder, which is not expanded here; use a path in the \
             workspace",
    );
    for path in [r"C:\a", "c:/a", r"\\server\share", r"\\?\C:\a"] {
        let expected =
            format!("`{path}` is a Windows path; use a path relative to the workspace, with `/`");
        check(path, &expected);
    }
    check(
        "file:///etc/passwd",
        "`file:///etc/passwd` is an address, not a path; use a path relative to the workspace",
    );
}

#[test]
fn long_paths_are_refused_and_quoted_in_part() {
    let name = "é".repeat(200);
    let said = parse_path(&name).expect_err("400 bytes").to_string();
    assert_eq!(
        said,
        format!("the path `{}…` is too long: 400 bytes, at most 255 are allowed", "é".repeat(100))
    );
    let path = "a/".repeat(3000);
    let said = parse_path(&path).expect_err("6000 bytes").to_string();
    assert!(said.ends_with("is too long: 6000 bytes, at most 4096 are allowed"), "{said}");
}
