use super::*;
use foveal_syntax::parse_file;

/// Assigns each row its statements by painting every block over all its rows.
fn painted(parsed: &ParsedFile, owners: &mut [RowOwner]) {
    let (mut statement, count) = (None, owners.len());
    for (place, block) in parsed.blocks.iter().enumerate() {
        if block.depth == 0 || statement.is_none() {
            statement = Some(place);
        }
        for row in line_rows(block.lines).take_while(|row| *row < count) {
            let owner = &mut owners[row];
            if owner.entity == block.inside
                && matches!(owner.part, UnitPart::Body | UnitPart::Outside)
            {
                owner.block = Some(place);
                let outer = statement.filter(|at| {
                    let outer = parsed.blocks[*at];
                    outer.inside == block.inside && outer.lines.covers(block.lines)
                });
                owner.statement = outer.or(owner.statement).or(Some(place));
            }
        }
    }
}

fn check(path: &str, text: &str) {
    let parsed = parse_file(path, text);
    let swept = row_owners(&parsed, text.lines().count());
    let mut expected: Vec<RowOwner> =
        swept.iter().map(|owner| RowOwner { block: None, statement: None, ..*owner }).collect();
    painted(&parsed, &mut expected);
    for (row, (one, other)) in swept.iter().zip(&expected).enumerate() {
        assert!(one == other, "{path}, row {row} of {:?}", text.get(..60).unwrap_or(text));
    }
}

#[test]
fn rows_belong_to_the_innermost_statement() {
    for (path, text) in [
        ("a.rs", include_str!("../piece_selection.rs")),
        ("a.rs", include_str!("../curator.rs")),
        ("a.rs", include_str!("../../../../syntax/src/tree_walk/walker.rs")),
        (
            "a.py",
            "def f(a):\n    if a:\n        for b in a:\n            g(\n                b,\n            )\n    def h():\n        i()\n    return h\n",
        ),
        (
            "a.js",
            "f(() => {\n  if (a) {\n    b();\n  }\n  function c() {\n    d({\n      e,\n    });\n  }\n}); g(\n  1,\n)\nh()\n",
        ),
        ("a.txt", "a\nb\n\nc\n  d\n\n  e\nf\n"),
        ("a.json", "{\n  \"a\": [\n    1,\n    2\n  ],\n  \"b\": {\n    \"c\": 3\n  }\n}\n"),
    ] {
        check(path, text);
    }
    for path in ["a.rs", "a.js", "a.py", "a.go", "a.java", "a.json", "a.md"] {
        for (open, close) in [("{\n", "}\n"), ("[\n", "]\n"), ("f(\n", ")\n"), ("if a {\n", "}\n")]
        {
            check(path, &(open.repeat(40) + &close.repeat(40)).repeat(3));
            check(path, &format!("{}{}", open.repeat(60), close.repeat(20)));
        }
    }
}
