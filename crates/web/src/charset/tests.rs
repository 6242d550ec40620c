use super::*;

#[track_caller]
fn check(bytes: &[u8], header: Option<&str>, expected: (&str, &str)) {
    let (text, charset) = decode_page(bytes, header, true);
    assert_eq!((text.as_str(), charset), expected);
}

#[test]
fn charsets() {
    check("grün".as_bytes(), None, ("grün", "UTF-8"));
    check(b"gr\xfcn", Some("iso-8859-1"), ("grün", "windows-1252"));
    check(b"gr\xfcn", Some("klingon"), ("grün", "windows-1252"));
    check(b"\xef\xbb\xbfx", Some("iso-8859-1"), ("x", "UTF-8"));
    check(b"<meta charset=koi8-r>\xc1", None, ("<meta charset=koi8-r>а", "KOI8-R"));
    check(
        b"<?xml version='1.0' encoding='windows-1251'?>\xe0",
        None,
        ("<?xml version='1.0' encoding='windows-1251'?>а", "windows-1251"),
    );
    check(b"<meta charset=utf-16>x", None, ("<meta charset=utf-16>x", "UTF-8"));
    check(b"a\xff\xfeb", Some("utf-8"), ("a\u{fffd}\u{fffd}b", "UTF-8"));
}

#[test]
fn charsets_of_headers() {
    for (header, expected) in [
        ("text/html", None),
        ("text/html; charset=utf-8", Some("utf-8")),
        ("text/html;boundary=x; Charset = \"UTF-8\"", Some("UTF-8")),
        ("text/html; charset=", None),
    ] {
        assert_eq!(charset_parameter(header), expected, "{header}");
    }
}
