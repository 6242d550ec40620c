//! Documents are split the same, whatever the size of the chunks.

use super::*;

/// Every document, fault and line of `text`, read through chunks of `size` bytes.
fn split(text: &str, size: usize, bytes_max: usize) -> Vec<String> {
    let input = io::BufReader::with_capacity(size, text.as_bytes());
    let mut documents = Documents::new(input, bytes_max);
    let mut told = Vec::new();
    while let Some((line, document)) = documents.next().expect("memory does not fail") {
        told.push(match document {
            Document::Bytes(bytes) => format!("{} {}", line.0, String::from_utf8_lossy(bytes)),
            Document::EndsEarly => format!("{} ends early", line.0),
            Document::TooLong => format!("{} too long", line.0),
            Document::Stray => format!("{} stray", line.0),
        });
    }
    told
}

#[test]
fn documents_of_a_stream() {
    let cases: [(&str, &[&str]); 11] = [
        ("", &[]),
        ("{}", &["1 {}"]),
        ("\u{feff}{}\n", &["1 {}"]),
        (
            "{\"a\":\"}\\\"\"}\n{\n\"b\": [\n{\n}]\n}",
            &["1 {\"a\":\"}\\\"\"}", "2 {\n\"b\": [\n{\n}]\n}"],
        ),
        ("[{\"a\":1},\n {}]", &["1 {\"a\":1}", "2 {}"]),
        ("{\"a\":\"b\n{\"c\":1}", &["1 ends early", "2 {\"c\":1}"]),
        ("{\"a\":[1\n{\"c\":1}", &["1 ends early", "2 {\"c\":1}"]),
        ("{\"a\":[1", &["1 ends early"]),
        ("oops {}\n{\"c\":1}", &["1 stray", "2 {\"c\":1}"]),
        ("[[{}]]", &["1 stray"]),
        ("{\"long\":\"0123456789012345678901234567890123456789\"}\n{}", &["1 too long", "2 {}"]),
    ];
    for (text, expected) in cases {
        for size in [1, 2, 7, 16] {
            assert_eq!(split(text, size, 40), expected, "{text:?} by {size}");
        }
    }
}
