use std::ffi::OsStr;

use proptest::prelude::*;

use super::*;

fn check(path: &[u8], told: &str) {
    let path = Path::new(OsStr::from_bytes(path));
    assert_eq!(escape_path(path), told);
    assert_eq!(unescape_path(told).as_deref(), Some(path));
}

#[test]
fn names_that_are_no_plain_text_are_spelled() {
    check(b"a/b.rs", "a/b.rs");
    check("\u{e9}t\u{e9} 1".as_bytes(), "\u{e9}t\u{e9} 1");
    check(b"a\nb/c", "$'a\\nb'/c");
    check(b"/w/caf\xe9", "/w/$'caf\\xe9'");
    check(b"$'x'", "$'$\\'x\\''");
    check("\u{85}".as_bytes(), "$'\\xc2\\x85'");
    check(b"it's$", "it's$");
}

#[test]
fn no_spelling_leads_into_another_folder() {
    for text in ["$'..\\x2f..'", "$'a\\x00'", "$''", "$'\\q'", "$'\\x4'", "$'\\x+1'", "$'\\'"] {
        assert_eq!(unescape_path(text), None, "{text}");
    }
    assert_eq!(unescape_path("$'a").as_deref(), Some(Path::new("$'a")));
}

proptest! {
    #[test]
    fn what_is_told_leads_back(name in prop::collection::vec(prop::sample::select(
        vec![b'a', b'$', b'\'', b'\\', b'\n', b'x', b'2', b'f', 0xe9, 0xc3, 0xa9, b'/', 0x7f]), 1..12)) {
        let path: PathBuf = Path::new(OsStr::from_bytes(&name)).components().collect();
        let told = escape_path(&path);
        prop_assert!(!told.chars().any(char::is_control));
        let back = unescape_path(&told);
        prop_assert_eq!(back.as_deref(), Some(&*path));
    }
}
