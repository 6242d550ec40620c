use super::*;

#[test]
fn gutters_are_read() {
    let rows = [
        ("     1→a", Some((GutterStyle::Arrow, 1, "a"))),
        ("12→\tb", Some((GutterStyle::Arrow, 12, "\tb"))),
        ("     7\t  x", Some((GutterStyle::Tab, 7, "  x"))),
        ("12:  x", Some((GutterStyle::ColonSpace, 12, " x"))),
        ("12:x", Some((GutterStyle::Colon, 12, "x"))),
        ("12-x", Some((GutterStyle::Dash, 12, "x"))),
        ("  3 | x", Some((GutterStyle::Bar, 3, "x"))),
        ("  3 |", Some((GutterStyle::Bar, 3, ""))),
        ("00012| x", Some((GutterStyle::TightBar, 12, "x"))),
        ("L12: x", Some((GutterStyle::Letter, 12, "x"))),
        ("99999999999:x", None),
        ("12 x", None),
        ("x12:", None),
        ("", None),
    ];
    for (line, expected) in rows {
        let found =
            parse_gutter(line).map(|found| (found.style, found.number, &line[found.skip..]));
        assert_eq!(found, expected, "{line:?}");
    }
}
