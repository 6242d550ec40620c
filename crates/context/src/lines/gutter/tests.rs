use super::*;

#[test]
fn gutters_are_read() {
    let rows = [
        ("     1→a", Some((Style::Arrow, 1, "a"))),
        ("12→\tb", Some((Style::Arrow, 12, "\tb"))),
        ("     7\t  x", Some((Style::Tab, 7, "  x"))),
        ("12:  x", Some((Style::ColonSpace, 12, " x"))),
        ("12:x", Some((Style::Colon, 12, "x"))),
        ("12-x", Some((Style::Dash, 12, "x"))),
        ("  3 | x", Some((Style::Bar, 3, "x"))),
        ("  3 |", Some((Style::Bar, 3, ""))),
        ("00012| x", Some((Style::TightBar, 12, "x"))),
        ("L12: x", Some((Style::Letter, 12, "x"))),
        ("99999999999:x", None),
        ("12 x", None),
        ("x12:", None),
        ("", None),
    ];
    for (line, expected) in rows {
        let found = parse(line).map(|found| (found.style, found.number, &line[found.skip..]));
        assert_eq!(found, expected, "{line:?}");
    }
}
