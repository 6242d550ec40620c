use super::*;
use crate::curation::data::{CurationCurve, CurationPoint};

fn report() -> CurationReport {
    let point = |lines, recall| CurationPoint { lines, recall };
    let curve =
        |name: &str, points, adaptive| CurationCurve { name: name.to_owned(), points, adaptive };
    CurationReport {
        command: "foveal bench".into(),
        title: "Recall".into(),
        about: "2 cases of <a & b>".into(),
        curves: vec![
            curve("first", vec![point(0.1, 0.5), point(0.5, 1.0)], Some(point(0.3, 0.75))),
            curve("<b>", vec![point(0.1, f64::NAN)], None),
            curve("none", vec![], None),
        ],
        tables: vec![CurationTable {
            title: "By language".into(),
            columns: vec!["language".into(), "10 %".into()],
            rows: vec![vec!["<i>".into(), ".5".into()]],
        }],
        measures: vec![("recall".into(), "kept & touched".into())],
    }
}

#[test]
fn texts_are_escaped_on_the_page() {
    let page = render_curation(&report());
    for expected in [
        "<p>2 cases of &lt;a &amp; b&gt;</p>",
        "<th scope=\"row\">&lt;i&gt;</th><td>.5</td>",
        "<dd>kept &amp; touched</dd>",
        "&lt;b&gt;</li>",
    ] {
        assert!(page.contains(expected), "{expected} in {page}");
    }
    assert!(!page.contains("NaN") && !page.contains("<b>"));
}

#[test]
fn the_drawing_has_a_line_and_marks_for_each_curve() {
    let svg = draw_curation(&report());
    assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"), "{svg}");
    let count = |part: &str| svg.matches(part).count();
    assert_eq!((count("class=\"line"), count("<circle"), count("<rect class=\"mark")), (1, 2, 1));
    assert!(svg.contains("<title>first: 50 % recall at 10 % of lines</title>"), "{svg}");
    assert!(svg.contains("<title>first: 75 % recall at 30 % of lines, adaptive</title>"));
}
