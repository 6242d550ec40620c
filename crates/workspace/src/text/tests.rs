use encoding_rs::Encoding as Charset;
use proptest::prelude::*;

use super::*;

/// The text and remarks of `bytes` on one line.
fn described(bytes: &[u8]) -> String {
    match TextFile::decode(bytes) {
        Ok(file) => format!("{:?} {}", file.text(), file.remarks().unwrap_or_default()),
        Err(error) => error.to_string(),
    }
}

fn check(bytes: &[u8], expected: &str) {
    assert_eq!(described(bytes), expected, "{bytes:?}");
}

fn utf16(text: &str, order: fn(u16) -> [u8; 2]) -> Vec<u8> {
    text.encode_utf16().flat_map(order).collect()
}

#[test]
fn encodings_are_told_apart() {
    check(b"", r#""" "#);
    check("a – b\n".as_bytes(), r#""a – b\n" "#);
    check(b"\xEF\xBB\xBFa\n", r#""a\n" UTF-8 with byte order mark"#);
    check(&utf16("\u{feff}hé\n", u16::to_le_bytes), r#""hé\n" UTF-16LE"#);
    check(&utf16("\u{feff}hé\n", u16::to_be_bytes), r#""hé\n" UTF-16BE"#);
    check(&utf16("plain words\r\n", u16::to_le_bytes), r#""plain words\n" UTF-16LE, CRLF"#);
    check(&utf16("plain words\n", u16::to_be_bytes), r#""plain words\n" UTF-16BE"#);
    check(b"caf\xE9 cr\xE8me, d\xE9j\xE0 vu\n", r#""café crème, déjà vu\n" windows-1252"#);
    let japanese = "これは日本語の文章です。\n";
    let (bytes, ..) = encoding_rs::SHIFT_JIS.encode(japanese);
    check(&bytes, &format!("{japanese:?} Shift_JIS"));
}

#[test]
fn a_few_words_in_shift_jis_are_no_western_text() {
    for text in ["# 日本語\nx = 1\n", "東京\n", "名前\n住所\n", "// 設定\n"] {
        let (bytes, ..) = encoding_rs::SHIFT_JIS.encode(text);
        check(&bytes, &format!("{text:?} Shift_JIS"));
    }
    let western = [
        ("// don\u{2019}t\nwon\u{2019}t\n", encoding_rs::WINDOWS_1252),
        ("\u{201c}Gr\u{f6}\u{df}e\u{201d}\n", encoding_rs::WINDOWS_1252),
        ("\u{17d}\u{e1}ba \u{160}\u{e1}rka\n", encoding_rs::WINDOWS_1250),
        ("\u{15a}\u{17a}d\u{17a}b\u{142}o \u{2013} \u{15b}\n", encoding_rs::WINDOWS_1250),
    ];
    for (text, charset) in western {
        let (bytes, ..) = charset.encode(text);
        let file = TextFile::decode(&bytes).expect("text");
        let is_japanese = file.encoding() == TextEncoding::Legacy(encoding_rs::SHIFT_JIS);
        assert!(!is_japanese, "{text:?} {:?}", file.text());
    }
}

#[test]
fn line_endings_are_told_and_taken_off() {
    check(b"a\r\nb\r\n", r#""a\nb\n" CRLF"#);
    check(b"a\r\nb\nc", r#""a\nb\nc" mixed line endings, no newline at the end"#);
    check(b"a\rb\n", r#""a\rb\n" "#);
    check(b"a\r\r\n", r#""a\r\n" CRLF"#);
}

#[test]
fn what_is_no_text_is_refused() {
    check(b"a\0b", "the file is not text");
    check(b"\xEF\xBB\xBFa\0b", "the file is not text");
    check(b"\xFF\xFE\0\0a\0\0\0", "the file is not text");
    check(b"\x7FELF\x02\x01\x01\0\0\0\0", "the file is not text");
    check(b"\x01\x02\x03\xF0\x9F\xFF\xFE\x05", "the file is not text");
}

#[test]
fn invalid_bytes_are_readable_and_refused_for_editing() {
    let invalid = "some bytes are invalid and shown as U+FFFD; it cannot be edited";
    check(b"d\xC3\xA9j\xC3\xA0 \xFF\n", &format!("\"déjà \u{fffd}\\n\" {invalid}"));
    check(b"\xFF\xFEa\0\0\xD8\n\0", &format!("\"a\u{fffd}\\n\" UTF-16LE, {invalid}"));
    check(
        b"\xFF\xFEa\0\n\0b",
        &format!("\"a\\n\u{fffd}\" UTF-16LE, no newline at the end, {invalid}"),
    );
    let file = TextFile::decode(b"d\xC3\xA9j\xC3\xA0 \xFF\n").expect("text");
    assert_eq!(
        file.encode_edited("x").expect_err("inexact").to_string(),
        "the file has bytes that are not valid UTF-8, which an edit here would change; convert \
         it first, or edit it with a program that works on bytes"
    );
}

/// Texts in code pages.
const OLD: [(&str, &str); 12] = [
    ("windows-1252", "Voil\u{e0} un caf\u{e9} tr\u{e8}s serr\u{e9}, d\u{e9}j\u{e0} pay\u{e9}"),
    ("windows-1252", "\u{201e}T\u{dc}\u{201c}"),
    ("windows-1252", "\u{ab}\u{a0}CAF\u{c9}\u{a0}\u{bb}"),
    ("windows-1252", "\u{e9}"),
    ("windows-1251", "Тёплый вечер, «Рёбра» и ещё №5"),
    ("KOI8-R", "Съешь же ещё этих мягких французских булок"),
    ("Shift_JIS", "これは日本語の文章です。カタカナも漢字も混ざる"),
    ("EUC-JP", "これは日本語の文章です。カタカナも漢字も混ざる"),
    ("GBK", "你好，这是一个中文句子，用来测试编码的识别"),
    ("Big5", "這是一個中文句子，用來測試編碼的識別"),
    ("EUC-KR", "한국어 문장을 시험하기 위한 글입니다"),
    ("windows-1250", "Zażółć gęślą jaźń, příliš žluťoučký kůň"),
];

#[test]
fn old_encodings_are_not_taken_for_utf8() {
    for (name, text) in OLD {
        let charset = Charset::for_label(name.as_bytes()).expect("a known name");
        let (bytes, _, lost) = charset.encode(text);
        assert!(!lost, "{name}");
        let file = TextFile::decode(&bytes).expect("text");
        assert_ne!(file.encoding(), TextEncoding::Utf8, "{name}: {:?}", file.text());
        assert_eq!(file.encode().expect("exact"), &*bytes, "{name}");
    }
}

#[test]
fn a_bad_byte_leaves_the_rest_of_a_file_as_it_is() {
    for text in ["caf\u{e9} ", "it\u{2019}s", "na\u{ef}ve\n", "ж", "日", "\u{1f600}"] {
        for at in (0..=text.len()).filter(|at| text.is_char_boundary(*at)) {
            for bad in [0xFF, 0xE9, 0x80] {
                let (before, after) = text.split_at(at);
                let bytes = [before.as_bytes(), &[bad], after.as_bytes()].concat();
                let file = TextFile::decode(&bytes).expect("text");
                assert_eq!(file.encoding(), TextEncoding::Utf8, "{bytes:x?}");
                assert_eq!(file.text(), format!("{before}\u{fffd}{after}"), "{bytes:x?}");
                assert!(file.encode().is_err(), "{bytes:x?}");
            }
        }
    }
}

#[test]
fn edits_keep_encoding_mark_and_endings() {
    let edit = |bytes: &[u8], from: &str, to: &str| {
        let file = TextFile::decode(bytes).expect("text");
        file.encode_edited(&file.text().replace(from, to)).map_err(|error| error.to_string())
    };
    assert_eq!(
        edit(b"\xEF\xBB\xBFa\r\nb\r\n", "a", "x\ny"),
        Ok(b"\xEF\xBB\xBFx\r\ny\r\nb\r\n".into())
    );
    assert_eq!(edit(b"caf\xE9 cr\xE8me\n", "a", "\u{e0}"), Ok(b"c\xE0f\xE9 cr\xE8me\n".into()));
    assert_eq!(
        edit(b"caf\xE9\ncr\xE8me\n", "cr", "\u{2192}"),
        Err("line 2: the file is windows-1252, which has no `→`".to_owned())
    );
    let utf16 = |text| utf16(text, u16::to_be_bytes);
    assert_eq!(edit(&utf16("\u{feff}a\r\nb"), "b", "c"), Ok(utf16("\u{feff}a\r\nc")));
    // Lines keep their ending, changed or not; new ones take that of the line before.
    assert_eq!(edit(b"a\nb\r\nc\nd\r\n", "c", "x\ny"), Ok(b"a\nb\r\nx\ny\nd\r\n".into()));
    assert_eq!(edit(b"a\r\nb\nc\r\n", "b", "x"), Ok(b"a\r\nx\nc\r\n".into()));
    assert_eq!(edit(b"a\r\nb\nc\r\n", "b", "b\nx"), Ok(b"a\r\nb\nx\nc\r\n".into()));
    assert_eq!(edit(b"a\r\nb\nc\nd\r\n", "c", "x\ny"), Ok(b"a\r\nb\nx\ny\nd\r\n".into()));
    assert_eq!(edit(b"a\r\nb\nc", "a", "new\na"), Ok(b"new\r\na\r\nb\nc".into()));
    assert_eq!(edit(b"a\r\nb\nc\r\n", "b\n", ""), Ok(b"a\r\nc\r\n".into()));
}

/// Texts in every encoding, and arbitrary bytes.
fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let text = proptest::collection::vec(
        proptest::sample::select(vec![
            "a", "b c", "é", "日本", "\n", "\r\n", "\r", "\u{feff}", "😀",
        ]),
        0..40,
    )
    .prop_map(|parts| parts.concat());
    let marked = |mark: &'static [u8]| {
        proptest::collection::vec(any::<u8>(), 0..40).prop_map(move |rest| [mark, &rest].concat())
    };
    prop_oneof![
        text.clone().prop_map(String::into_bytes),
        text.clone().prop_map(|text| utf16(&text, u16::to_le_bytes)),
        text.clone().prop_map(|text| utf16(&text, u16::to_be_bytes)),
        text.prop_map(|text| encoding_rs::SHIFT_JIS.encode(&text).0.into_owned()),
        proptest::collection::vec(prop_oneof![32_u8..=255, Just(b'\n'), Just(b'\r')], 0..60),
        marked(b""),
        marked(b"\xFF\xFE"),
        marked(b"\xFE\xFF"),
        marked(b"\xEF\xBB\xBF"),
    ]
}

proptest! {
    #[test]
    fn unchanged_texts_give_their_bytes_back(bytes in bytes()) {
        if let Ok(file) = TextFile::decode(&bytes) {
            match file.encode() {
                Ok(back) => prop_assert_eq!(back, bytes),
                Err(error) => prop_assert!(!file.is_exact(), "{}", error),
            }
        }
    }

    #[test]
    fn edited_texts_are_read_back(old in "[ab\r\n]{0,30}", new in "[abc\n]{0,30}") {
        let file = TextFile::decode(old.as_bytes()).expect("ASCII");
        let bytes = file.encode_edited(&new).expect("ASCII");
        let back = TextFile::decode(&bytes).expect("ASCII");
        prop_assert_eq!(back.text(), new);
    }
}
