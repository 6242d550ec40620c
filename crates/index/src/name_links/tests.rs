use super::*;
use crate::chunker::{TextLines, split_into_chunks};

const TEXT: &str = "/// Reads.\npub fn read_settings(place: &Place) -> Settings {\n    let \
    text = open_file(place);\n    let lines = text.lines();\n    parse_settings(lines)\n}\n\n\
    fn parse_settings(lines: Lines) -> Settings {\n    let mut all = Settings::new();\n    \
    all.extend(lines);\n    all.sort();\n    all.dedup();\n    all.shrink();\n    all\n}\n\nfn other() {\n    \
    let one = 1;\n    let two = 2;\n    let three = 3;\n    let four = 4;\n    let five = 5;\n    \
    let six = 6;\n}\n";

#[test]
fn who_uses_and_who_defines_are_neighbours() {
    let parsed = foveal_syntax::parse_file("a.rs", TEXT);
    let chunks = split_into_chunks(&parsed, &TextLines::new(TEXT));
    let links = NameLinks::from_symbols(&FileSymbols::from_parsed("a.rs", &parsed, TEXT), &chunks);
    let firsts: Vec<u32> = chunks.iter().map(|chunk| chunk.lines.first.0).collect();
    assert_eq!(firsts, [1, 8, 17]);
    let scored = |scores: [f32; 3]| {
        let candidate = |(part, score)| LinkCandidate { links: &links, chunk: part, score };
        let candidates: Vec<LinkCandidate<'_>> =
            scores.into_iter().enumerate().map(candidate).collect();
        neighbour_scores(&candidates)
    };
    // One name, so each has one tie.
    let root = 2.0_f32.sqrt();
    assert_eq!(scored([1.0, 0.5, 0.9]), [0.5 / root, 1.0 / root, 0.0]);
}
