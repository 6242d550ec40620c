//! Searches compared with a simple reference that tests every file line by line.

use std::collections::BTreeMap;
use std::path::Path;

use foveal_transcript::CancelToken;
use foveal_workspace::file_search::{CaseSensitivity, GrepMode, GrepQuery, grep};
use proptest::prelude::*;
use regex::RegexBuilder;

use super::{open_in, tree};

/// Files by path, with their lines.
fn files() -> impl Strategy<Value = BTreeMap<String, String>> {
    let name = prop::sample::select(vec!["a", "b.txt", "c/d", "c/e.rs", "c.rs", "f/g/h.rs", "f/i"]);
    let line =
        prop::sample::select(vec!["", "ab", "abc", "b a", "Ab", "xyz", "a.b", "é", "(a", "aa aa"]);
    let ending = prop::sample::select(vec!["\n", "\n", "\r\n"]);
    let text =
        (prop::collection::vec((line, ending), 0..12), any::<bool>()).prop_map(|(lines, open)| {
            let text: String =
                lines.into_iter().flat_map(|(line, ending)| [line, ending]).collect();
            if open { text.trim_end_matches(['\r', '\n']).to_owned() } else { text }
        });
    prop::collection::btree_map(name.prop_map(str::to_owned), text, 0..7)
}

fn query() -> impl Strategy<Value = GrepQuery> {
    let pattern = prop::sample::select(vec![
        "a", "ab", "^a", "b$", "a.b", "[a-c]+c", "É", "^$", r"\(a", "x|z", r"\ba\b",
    ]);
    let case = prop::sample::select(vec![CaseSensitivity::Sensitive, CaseSensitivity::Insensitive]);
    (pattern, any::<bool>(), case, 0..3usize, 0..3usize, 0..12usize, 1..12usize).prop_map(
        |(pattern, fixed, case, before, after, offset, limit)| GrepQuery {
            fixed,
            case,
            before,
            after,
            offset,
            limit,
            ..GrepQuery::new(pattern)
        },
    )
}

/// Path, number and text of every matching line, in order.
fn reference(files: &BTreeMap<String, String>, query: &GrepQuery) -> Vec<(String, u32, String)> {
    let pattern = if query.fixed { regex::escape(&query.pattern) } else { query.pattern.clone() };
    let insensitive = query.case == CaseSensitivity::Insensitive;
    let regex =
        RegexBuilder::new(&pattern).case_insensitive(insensitive).build().expect("it is valid");
    let mut paths: Vec<&String> = files.keys().collect();
    paths.sort_by(|one, other| Path::new(one).cmp(Path::new(other)));
    let lines = paths.into_iter().flat_map(|path| {
        files[path]
            .lines()
            .zip(1..)
            .map(move |(line, number)| (path.clone(), number, line.to_owned()))
    });
    lines.filter(|(_, _, line)| regex.is_match(line)).collect()
}

/// Patterns whose matches span lines, occur many times in one line, or are empty.
fn pattern_over_lines() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "a",
        "",
        "b*",
        r"\s*",
        r"b\s+a",
        r"(?s)a.*c",
        r"(?s)a.*?b|c",
        r"\n",
        r"\n\n",
        "^",
        "$",
        "a$",
        r"c\n^",
        r"(?s).*",
        r"\z",
        r"a\n|a",
    ])
}

/// The numbers of the lines of all matches, each match considered by itself.
fn lines_of_matches(text: &str, pattern: &str) -> Vec<u32> {
    let regex = RegexBuilder::new(pattern).multi_line(true).build().expect("it is valid");
    let mut starts = vec![0];
    starts.extend(text.match_indices('\n').map(|(at, _)| at + 1).filter(|at| *at < text.len()));
    let line_of = |at: usize| starts.partition_point(|start| *start <= at) as u32;
    let mut numbers: Vec<u32> = Vec::new();
    // A match after the end of the last line is on no line.
    let stands = |at: usize| at < text.len() || !text.ends_with('\n');
    for found in regex.find_iter(text).filter(|found| stands(found.start())) {
        let last = if found.is_empty() { found.start() } else { found.end() - 1 };
        numbers.extend(line_of(found.start())..=line_of(last));
    }
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn what_goes_over_lines_is_found_where_it_stands(
        parts in prop::collection::vec(prop::sample::select(vec!["a", "b", "c", " ", "\n", "\n"]), 1..16),
        pattern in pattern_over_lines(),
    ) {
        let text = parts.concat();
        let folder = tree(&[("a", &text)]);
        // An empty pattern is refused.
        let pattern = if pattern.is_empty() { "()" } else { pattern };
        let query = GrepQuery { multiline: true, ..GrepQuery::new(pattern) };
        let answer = grep(folder.path(), &open_in(folder.path()), &query, &CancelToken::NEVER).expect("an answer");
        let found: Vec<u32> = answer.files.iter().flat_map(|file| &file.lines).map(|line| line.number.0).collect();
        prop_assert_eq!(found, lines_of_matches(&text, &format!("(?s){pattern}")), "{:?} in {:?}", pattern, text);
    }

    #[test]
    fn what_is_found_is_what_a_plain_search_finds(files in files(), query in query()) {
        let pairs: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
        let folder = tree(&pairs);
        let base = folder.path();
        let all = reference(&files, &query);
        let answer = grep(base, &open_in(base), &query, &CancelToken::NEVER).expect("an answer");
        let found: Vec<(String, u32, String)> = answer.files.iter().flat_map(|file| {
            let hits = file.lines.iter().filter(|line| line.is_hit);
            hits.map(|line| (file.path.clone(), line.number.0, line.text.clone()))
        }).collect();
        let page: Vec<_> = all.iter().skip(query.offset).take(query.limit).cloned().collect();
        prop_assert_eq!(&found, &page);
        prop_assert_eq!(answer.total, all.len() as u64);
        prop_assert_eq!(answer.shown, page.len());
        prop_assert_eq!(answer.files_searched, files.len() as u64);
        // Context lines are lines of the file near a match on the page, and no matching line is
        // shown as context.
        for file in &answer.files {
            let lines: Vec<&str> = files[&file.path].lines().collect();
            let hits: Vec<u32> = file.lines.iter().filter(|line| line.is_hit).map(|line| line.number.0).collect();
            for line in &file.lines {
                prop_assert_eq!(lines[line.number.0 as usize - 1], &line.text);
                let is_found = all.iter().any(|(path, number, _)| *path == file.path && *number == line.number.0);
                prop_assert_eq!(is_found, line.is_hit);
                let near = hits.iter().any(|hit| {
                    *hit <= line.number.0 + query.before as u32 && line.number.0 <= *hit + query.after as u32
                });
                prop_assert!(near);
            }
            prop_assert!(file.lines.windows(2).all(|pair| pair[0].number < pair[1].number));
        }
    }

    #[test]
    fn counts_and_names_are_those_of_the_lines(files in files(), query in query()) {
        let pairs: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
        let folder = tree(&pairs);
        let base = folder.path();
        let mut counts: Vec<(String, u64)> = Vec::new();
        for (path, _, _) in reference(&files, &query) {
            match counts.last_mut() {
                Some((last, count)) if *last == path => *count += 1,
                _ => counts.push((path, 1)),
            }
        }
        let page: Vec<_> = counts.iter().skip(query.offset).take(query.limit).cloned().collect();
        for mode in [GrepMode::Count, GrepMode::Files] {
            let query = GrepQuery { mode, ..query.clone() };
            let answer = grep(base, &open_in(base), &query, &CancelToken::NEVER).expect("an answer");
            prop_assert_eq!(answer.total, counts.len() as u64);
            for (file, (path, count)) in answer.files.iter().zip(&page) {
                let count = if mode == GrepMode::Count { *count } else { 1 };
                prop_assert_eq!((&file.path, file.hits), (path, count));
            }
            prop_assert_eq!(answer.files.len(), page.len());
        }
    }

    /// Searches find the lines of a file as they are read, whatever bytes it has.
    #[test]
    fn files_are_searched_as_they_are_decoded(parts in prop::collection::vec(prop::sample::select(vec![
        "a".as_bytes(), b"b c", b"\n", b"\n", "\u{e9}".as_bytes(), "\u{65e5}".as_bytes(), b"\xE9", b"\xFF", b"\x80", b"a\0\n\0",
    ]), 0..12)) {
        let bytes = parts.concat();
        let folder = tree(&[("a", &bytes)]);
        let answer = grep(folder.path(), &open_in(folder.path()), &GrepQuery::new("^"), &CancelToken::NEVER).expect("an answer");
        let found: Vec<&str> = answer.files.iter().flat_map(|file| &file.lines).map(|line| &*line.text).collect();
        match foveal_workspace::TextFile::decode(&bytes) {
            Ok(text) => prop_assert_eq!(found, text.text().lines().collect::<Vec<_>>(), "{:x?}", bytes),
            Err(_) => prop_assert!(found.is_empty() || answer.skipped.as_bytes == 1, "{:x?}", bytes),
        }
    }
}
