//! Documents are split the same for all chunk sizes.

use super::*;

/// Returns every document, fault and line of `text`, read in chunks of `size` bytes.
fn split(text: &str, size: usize, bytes_max: usize) -> Vec<String> {
    let input = io::BufReader::with_capacity(size, text.as_bytes());
    let mut documents = DocumentReader::new(input, bytes_max);
    let mut told = Vec::new();
    while let Some((line, document)) = documents.next_document().expect("memory does not fail") {
        told.push(match document {
            FramedDocument::Bytes(bytes) => {
                format!("{} {}", line.0, String::from_utf8_lossy(bytes))
            }
            FramedDocument::EndsEarly => format!("{} ends early", line.0),
            FramedDocument::TooLong => format!("{} too long", line.0),
            FramedDocument::Stray => format!("{} stray", line.0),
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
