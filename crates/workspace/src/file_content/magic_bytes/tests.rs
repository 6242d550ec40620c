use super::*;

fn check(bytes: &[u8], expected: &str) {
    let said =
        BinaryFile::detect(bytes, true).map_or("text".to_owned(), |binary| binary.to_string());
    assert_eq!(said, expected);
}

#[test]
fn bytes_are_told_from_text() {
    check(b"fn main() {}\n", "text");
    check(b"BM is how this begins\n", "text");
    check(b"GGUF and MZ are words here\n", "text");
    check(b"%PDF-1.7\n%", "PDF document beginning with 25 50 44 46 2d 31 2e 37 0a 25");
    check(b"\x7FELF\x02\0", "ELF program or library beginning with 7f 45 4c 46 02 00");
    check(b"BM\x00\x01\x02\x03", "BMP image beginning with 42 4d 00 01 02 03");
    check(b"a\0b\xFF", "binary file beginning with 61 00 62 ff");
    check(
        b"\0\0\0\x18ftypmp42",
        "MP4, QuickTime or HEIF media beginning with 00 00 00 18 66 74 79 70 6d 70 34 32",
    );
}

#[test]
fn a_part_may_end_within_a_character() {
    let text = "é".repeat(9);
    assert_eq!(BinaryFile::detect(&text.as_bytes()[..17], false), None);
    assert_eq!(BinaryFile::detect(&[text.as_bytes(), b"\n\xE3"].concat(), false), None);
}
