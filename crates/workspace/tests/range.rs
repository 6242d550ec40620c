//! Ranges of lines, compared with the lines of the whole file.

use std::fs;
use std::io::{Seek, SeekFrom, Write};

use foveal_transcript::{CancelToken, LineNumber};
use foveal_workspace::{FileReadError, LineBatch, LineLimits, LineRangeReader, WorkspaceRoots};
use tempfile::TempDir;

fn workspace(content: &[u8]) -> (TempDir, WorkspaceRoots) {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a"), content).unwrap();
    let roots = WorkspaceRoots::open(&[folder.path()]).unwrap();
    (folder, roots)
}

fn line(number: u32) -> LineNumber {
    LineNumber(number)
}

/// Lines as `number:text`, with the omissions.
fn shown(lines: &LineBatch) -> Vec<String> {
    let line = |line: &foveal_workspace::RangeLine| match line.left_out_bytes {
        0 => format!("{}:{}", line.number, line.text),
        left_out => format!("{}:{}+{left_out}", line.number, line.text),
    };
    lines.lines.iter().map(line).collect()
}

fn check(content: &[u8], (first, last): (u32, u32), expected: &[&str], count: u64) {
    let (_folder, roots) = workspace(content);
    let mut reader = LineRangeReader::open(&roots.resolve("a").unwrap()).unwrap();
    let limits = LineLimits { line_bytes_max: 8, bytes_max: 20 };
    let lines = reader.read_lines(line(first), line(last), &limits, &CancelToken::NEVER).unwrap();
    assert_eq!(shown(&lines), expected);
    assert_eq!(reader.count_lines(&CancelToken::NEVER).unwrap(), count);
}

#[test]
fn lines_are_given_by_number() {
    check(b"", (1, 9), &[], 0);
    check(b"\xEF\xBB\xBF", (1, 9), &[], 0);
    check(b"a", (1, 9), &["1:a"], 1);
    check(b"a\nb\n", (1, 9), &["1:a", "2:b"], 2);
    check(b"a\r\nb\r\n\r\nd", (2, 4), &["2:b", "3:", "4:d"], 4);
    check(b"a\nb\n", (3, 9), &[], 2);
    check(b"a\nb\n", (2, 1), &[], 2);
    check("\u{feff}a\nb".as_bytes(), (1, 1), &["1:a"], 2);
    let utf16 = |text: &str| text.encode_utf16().flat_map(u16::to_be_bytes).collect::<Vec<_>>();
    check(&utf16("\u{feff}a\r\n\u{a0a}é\n"), (1, 2), &["1:a", "2:\u{a0a}é"], 2);
    check(b"caf\xE9\ncr\xE8me\n", (2, 2), &["2:crème"], 2);
}

#[test]
fn long_lines_and_many_lines_are_cut() {
    check(b"123456789\nab\n", (1, 2), &["1:12345678+1", "2:ab"], 2);
    check("1234567éa\nab\n".as_bytes(), (1, 1), &["1:1234567+3"], 2);
    let (_folder, roots) = workspace("1234567\n".repeat(5).as_bytes());
    let mut reader = LineRangeReader::open(&roots.resolve("a").unwrap()).unwrap();
    let limits = LineLimits { line_bytes_max: 8, bytes_max: 20 };
    let lines = reader.read_lines(line(2), line(5), &limits, &CancelToken::NEVER).unwrap();
    assert_eq!(shown(&lines), ["2:1234567", "3:1234567"]);
    assert_eq!(lines.next, Some(line(4)));
}

#[test]
fn a_long_line_comes_in_parts() {
    for (content, expected) in [
        ("ab\n1234567é9\nc\n".as_bytes().to_vec(), ["1234567", "é9"]),
        (b"ab\n1234567\xE99\nc\n".to_vec(), ["1234567é", "9"]),
    ] {
        let (_folder, roots) = workspace(&content);
        let mut reader = LineRangeReader::open(&roots.resolve("a").unwrap()).unwrap();
        let limits = LineLimits { line_bytes_max: 8, bytes_max: 20 };
        let mut from = 0;
        let mut parts = Vec::new();
        loop {
            let lines = reader
                .read_lines_from(line(2), from, line(2), &limits, &CancelToken::NEVER)
                .unwrap();
            let [part] = lines.lines.as_slice() else { panic!("one line: {lines:?}") };
            parts.push(part.text.clone());
            from += part.bytes;
            if part.left_out_bytes == 0 {
                break;
            }
        }
        assert_eq!(parts, expected);
        let next =
            reader.read_lines_from(line(2), from, line(3), &limits, &CancelToken::NEVER).unwrap();
        assert_eq!(shown(&next), ["2:", "3:c"]);
    }
}

#[test]
fn lines_of_large_files_are_those_of_the_whole() {
    let text: String = (0..90_000_u32).map(|n| "x".repeat((n % 23) as usize) + "\n").collect();
    let whole: Vec<_> = text.lines().collect();
    let (_folder, roots) = workspace(text.as_bytes());
    let located = roots.resolve("a").unwrap();
    // Includes the lines across the boundary of a chunk.
    let at_border = |chunks: usize| text[..chunks * 256 * 1024].matches('\n').count() as u32 + 1;
    let (one, three) = (at_border(1), at_border(3));
    let mut reader = LineRangeReader::open(&located).unwrap();
    for first in [89_990, 1, 30_000, one, one + 1, one - 1, three, three + 1, 90_000] {
        let lines = reader
            .read_lines(line(first), line(first + 4), &LineLimits::default(), &CancelToken::NEVER)
            .unwrap()
            .lines;
        let expected = whole.iter().skip(first as usize - 1).take(5);
        assert!(lines.iter().map(|line| &*line.text).eq(expected.copied()), "{first}");
    }
}

#[test]
fn lines_are_counted() {
    let (_folder, roots) = workspace(b"a\nb\n");
    let mut reader = LineRangeReader::open(&roots.resolve("a").unwrap()).unwrap();
    assert_eq!(reader.known_line_count(), None);
    assert_eq!(reader.count_lines(&CancelToken::NEVER).unwrap(), 2);
    assert_eq!(reader.known_line_count(), Some(2));
}

#[test]
fn reading_can_be_stopped_and_what_is_no_text_is_refused() {
    let (_folder, roots) = workspace(b"a\n");
    let mut reader = LineRangeReader::open(&roots.resolve("a").unwrap()).unwrap();
    let stopped = reader.count_lines(&CancelToken::from_fn(&|| true)).unwrap_err();
    assert!(matches!(stopped, FileReadError::Cancelled { .. }));
    let (_folder, roots) = workspace(b"a\0b");
    let refused = LineRangeReader::open(&roots.resolve("a").unwrap()).unwrap_err();
    assert_eq!(refused.to_string(), "`a` is not text");
}

/// A sparse file of a gigabyte: reading lines at its end in bounded memory.
#[test]
fn files_of_a_gigabyte_are_read_by_range() {
    let (folder, roots) = workspace(&b"a line of words\n".repeat(20_000));
    let mut file = fs::OpenOptions::new().write(true).open(folder.path().join("a")).unwrap();
    file.seek(SeekFrom::Start(1 << 30)).unwrap();
    file.write_all(b"\nlast but one\nlast\n").unwrap();
    let mut reader = LineRangeReader::open(&roots.resolve("a").unwrap()).unwrap();
    let limits = LineLimits { line_bytes_max: 20, bytes_max: 1000 };
    let lines =
        reader.read_lines(line(20_001), line(20_003), &limits, &CancelToken::NEVER).unwrap();
    let hole = (1 << 30) - 320_000 - 20;
    let expected = [
        format!("20001:{}+{hole}", "\0".repeat(20)),
        "20002:last but one".into(),
        "20003:last".into(),
    ];
    assert_eq!(shown(&lines), expected);
    assert_eq!(reader.count_lines(&CancelToken::NEVER).unwrap(), 20_003);
}
