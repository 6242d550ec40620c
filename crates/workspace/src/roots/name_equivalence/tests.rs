use super::*;

fn check(names: &[&str], linked: Option<(&str, &str)>) -> bool {
    let folder = tempfile::tempdir().expect("a folder");
    let dir = Dir::open_ambient_dir(folder.path(), cap_std::ambient_authority()).expect("it");
    for name in names {
        dir.write(name, "").expect("written");
    }
    if let Some((from, to)) = linked {
        dir.hard_link(from, &dir, to).expect("linked");
    }
    let NameEquivalence { ignores_case, ignores_form } = NameEquivalence::detect(&dir);
    ignores_case || ignores_form
}

/// File systems with temporary folders distinguish spellings, except on macOS.
#[test]
#[cfg(target_os = "linux")]
fn linux_tells_spellings_apart() {
    assert!(!check(&[], None));
    assert!(!check(&["1", "2"], None));
    assert!(!check(&["1", "a"], None));
    assert!(!check(&["a", "A"], None));
    // One file under both names: not a sign of ignored case if both are listed.
    assert!(!check(&["a"], Some(("a", "A"))));
    assert!(!check(&["\u{e9}"], None));
    assert!(!check(&["\u{e9}", "e\u{301}"], None));
}

#[test]
fn other_cases_are_of_every_letter() {
    assert_eq!(invert_case("Cargo.toml-1"), "cARGO.TOML-1");
}

#[test]
fn other_forms_are_of_every_letter() {
    assert_eq!(invert_normal_form("caf\u{e9}"), "cafe\u{301}");
    assert_eq!(invert_normal_form("cafe\u{301}"), "caf\u{e9}");
    assert_eq!(invert_normal_form("cafe"), "cafe");
}
