use super::*;

fn check(text: &str, expected: &str) {
    let vocabulary = ["file", "path", "name", "filename", "le", "pa", "th", "größe"];
    let pieces = SubwordTokenizer::new(&vocabulary);
    let tokens = pieces.tokenize(text);
    let words: Vec<&str> = tokens.iter().map(|t| vocabulary[t.0 as usize]).collect();
    assert_eq!(words.join(" "), expected, "{text}");
}

#[test]
fn known_words_are_whole_and_others_come_in_pieces() {
    check("FilePath", "file path");
    check("filename", "filename");
    check("filepath", "file path");
    check("xfilepathy", "file path");
    check("pathname_le", "path name le");
    check("Größe", "größe");
    check("日本 größefile", "größe file");
    check("zzz", "");
    check("", "");
    check(&"file".repeat(13), "");
}
