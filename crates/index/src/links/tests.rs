use super::*;
use crate::chunk::{Rows, chunks};

const TEXT: &str = "/// Reads.\npub fn read_settings(place: &Place) -> Settings {\n    let \
    text = open_file(place);\n    let lines = text.lines();\n    parse_settings(lines)\n}\n\n\
    fn parse_settings(lines: Lines) -> Settings {\n    let mut all = Settings::new();\n    \
    all.extend(lines);\n    all.sort();\n    all.dedup();\n    all.shrink();\n    all\n}\n\nfn other() {\n    \
    let one = 1;\n    let two = 2;\n    let three = 3;\n    let four = 4;\n    let five = 5;\n    \
    let six = 6;\n}\n";

#[test]
fn who_uses_and_who_defines_are_neighbours() {
    let parsed = foveal_code::parse("a.rs", TEXT);
    let chunks = chunks(&parsed, &Rows::of(TEXT));
    let links = Links::of(&FileSymbols::of("a.rs", &parsed, TEXT), &chunks);
    let firsts: Vec<u32> = chunks.iter().map(|chunk| chunk.lines.first.0).collect();
    assert_eq!(firsts, [1, 8, 17]);
    let scored = |scores: [f32; 3]| {
        let candidate = |(part, score)| Candidate { links: &links, part, score };
        let candidates: Vec<Candidate<'_>> =
            scores.into_iter().enumerate().map(candidate).collect();
        neighbours(&candidates)
    };
    // One name, so each has one tie.
    let root = 2.0_f32.sqrt();
    assert_eq!(scored([1.0, 0.5, 0.9]), [0.5 / root, 1.0 / root, 0.0]);
}
