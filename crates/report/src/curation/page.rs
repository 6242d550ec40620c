//! Curated views as a page of their own.

use super::curve;
use super::data::{CurationReport, CurationTable};
use crate::frame::{Key, legend};
use crate::markup::Html;

/// The page as one HTML document that loads nothing.
///
/// ```
/// use foveal_report::{CurationCurve, CurationPoint, CurationReport, render_curation};
///
/// let points = vec![CurationPoint { lines: 0.1, recall: 0.5 }];
/// let curves = vec![CurationCurve { name: "mine".into(), points, adaptive: None }];
/// let report = CurationReport { curves, ..CurationReport::default() };
/// assert!(render_curation(&report).starts_with("<!DOCTYPE html>"));
/// ```
pub fn render_curation(report: &CurationReport) -> String {
    let mut html = Html::default();
    html.raw("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n");
    html.raw("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n");
    html.raw("<meta name=\"color-scheme\" content=\"light dark\"/>\n");
    html.leaf("title", &[], &report.command);
    html.raw("\n<style>\n");
    html.raw(include_str!("../style.css"));
    html.raw("</style>\n</head>\n<body>\n<main>\n<header>");
    html.leaf("h1", &[], &report.command);
    html.leaf("p", &[], &report.about);
    html.raw("</header>\n<section>");
    html.leaf("h2", &[], &report.title);
    let classes: Vec<String> = (0..report.curves.len()).map(curve::class).collect();
    let keys: Vec<Key<'_>> = classes
        .iter()
        .zip(&report.curves)
        .map(|(class, curve)| Key { class, text: &curve.name })
        .collect();
    legend(&mut html, &keys);
    html.open("figure", &[("class", "chart scatter")]);
    for (class, size) in [("wide", curve::WIDE), ("narrow", curve::NARROW)] {
        html.append(&curve::draw(&report.curves, size, class, ""));
    }
    html.raw("</figure></section>\n");
    for table in &report.tables {
        html.raw("<section>");
        html.leaf("h2", &[], &table.title);
        draw_table(&mut html, table);
        html.raw("</section>\n");
    }
    html.raw("<footer>");
    html.leaf("h2", &[], "What is measured");
    html.open("dl", &[]);
    for (name, about) in &report.measures {
        html.leaf("dt", &[], name);
        html.leaf("dd", &[], about);
    }
    html.raw("</dl></footer>\n</main>\n</body>\n</html>\n");
    html.finish()
}

/// The curve alone, as an SVG document for light and dark pages.
pub fn draw_curation(report: &CurationReport) -> String {
    let drawing = curve::draw(&report.curves, curve::WIDE, "curve", include_str!("curve.css"));
    let mut svg = drawing.finish();
    svg.push('\n');
    svg
}

fn draw_table(html: &mut Html, table: &CurationTable) {
    html.raw("<div class=\"scroll\" tabindex=\"0\"><table><thead><tr>");
    for column in &table.columns {
        html.leaf("th", &[("scope", "col")], column);
    }
    html.raw("</tr></thead><tbody>");
    for row in &table.rows {
        html.raw("<tr>");
        for (at, cell) in row.iter().enumerate() {
            match at {
                0 => html.leaf("th", &[("scope", "row")], cell),
                _ => html.leaf("td", &[], cell),
            }
        }
        html.raw("</tr>");
    }
    html.raw("</tbody></table></div>");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::curation::data::{CurationCurve, CurationPoint};

    fn report() -> CurationReport {
        let point = |lines, recall| CurationPoint { lines, recall };
        let curve = |name: &str, points, adaptive| CurationCurve {
            name: name.to_owned(),
            points,
            adaptive,
        };
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
        assert_eq!(
            (count("class=\"line"), count("<circle"), count("<rect class=\"mark")),
            (1, 2, 1)
        );
        assert!(svg.contains("<title>first: 50 % recall at 10 % of lines</title>"), "{svg}");
        assert!(svg.contains("<title>first: 75 % recall at 30 % of lines, adaptive</title>"));
    }
}
