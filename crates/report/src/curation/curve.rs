//! Gold recall over lines kept, a line for each curator.

use super::data::{CurationCurve, CurationPoint};
use crate::axis::Axis;
use crate::frame::spread;
use crate::markup::Html;

/// Width and height in pixels of the drawing for wide pages.
pub(super) const WIDE: (f64, f64) = (760.0, 420.0);
/// The same for narrow ones.
pub(super) const NARROW: (f64, f64) = (344.0, 320.0);

/// Left, top, right and bottom margins in pixels.
const MARGINS: (f64, f64, f64, f64) = (52.0, 14.0, 96.0, 42.0);
/// Least distance of two labels in pixels.
const LABEL_HEIGHT: f64 = 15.0;
/// Curves with a colour of their own.
const COLOURS: usize = 4;

/// The class of the curve at a place; says its colour.
pub(super) fn class(at: usize) -> String {
    if at < COLOURS { format!("series-{at}") } else { "baseline".to_owned() }
}

struct Scales {
    x: Axis,
    y: Axis,
    size: (f64, f64),
}

impl Scales {
    fn of(curves: &[CurationCurve], size: (f64, f64)) -> Self {
        let lines = curves.iter().flat_map(drawn).map(|point| point.lines);
        let ticks = if size.0 > 400.0 { 6 } else { 4 };
        let most = lines.fold(0.1, f64::max);
        Self { x: Axis::from_zero(most, ticks), y: Axis::from_zero(1.0, 5), size }
    }

    fn place(&self, point: CurationPoint) -> (f64, f64) {
        let (left, top, right, bottom) = MARGINS;
        let (width, height) = (self.size.0 - left - right, self.size.1 - top - bottom);
        let x = left + self.x.place(point.lines) * width;
        (x, top + (1.0 - self.y.place(point.recall)) * height)
    }
}

/// The points of a curve that have figures.
fn points(curve: &CurationCurve) -> impl Iterator<Item = CurationPoint> {
    curve.points.iter().copied().filter(is_known)
}

fn drawn(curve: &CurationCurve) -> impl Iterator<Item = CurationPoint> {
    points(curve).chain(curve.adaptive.filter(is_known))
}

fn is_known(point: &CurationPoint) -> bool {
    point.lines.is_finite() && point.recall.is_finite()
}

/// The drawing as an SVG element of this class, with `style` inside.
pub(super) fn draw(
    curves: &[CurationCurve],
    size: (f64, f64),
    class_name: &str,
    style: &str,
) -> Html {
    let mut html = Html::default();
    let view = format!("0 0 {} {}", size.0, size.1);
    let label = "Gold recall over the share of lines kept, a line for each curator";
    html.open(
        "svg",
        &[
            ("xmlns", "http://www.w3.org/2000/svg"),
            ("class", class_name),
            ("viewBox", &view),
            ("role", "img"),
            ("aria-label", label),
        ],
    );
    if !style.is_empty() {
        html.raw(&format!("<style>\n{style}</style>"));
    }
    let scales = Scales::of(curves, size);
    draw_scales(&mut html, &scales);
    // The first curve is drawn last, so that it lies on top.
    for (at, curve) in curves.iter().enumerate().rev() {
        draw_curve(&mut html, &scales, &class(at), curve);
    }
    draw_labels(&mut html, &scales, curves);
    html.close("svg");
    html
}

fn draw_curve(html: &mut Html, scales: &Scales, class: &str, curve: &CurationCurve) {
    let places: Vec<String> = points(curve)
        .map(|point| scales.place(point))
        .map(|(x, y)| format!("{x:.1} {y:.1}"))
        .collect();
    if !places.is_empty() {
        let data = format!("M{}", places.join("L"));
        html.empty("path", &[("class", &format!("line {class}")), ("d", &data)]);
    }
    html.open("g", &[("class", &format!("dot {class}"))]);
    for point in points(curve) {
        let (x, y) = scales.place(point);
        let (x, y) = (format!("{x:.1}"), format!("{y:.1}"));
        html.open("circle", &[("cx", &x), ("cy", &y), ("r", "4.5")]);
        html.leaf("title", &[], &tip(curve, point, ""));
        html.close("circle");
    }
    if let Some(point) = curve.adaptive.filter(is_known) {
        let (x, y) = scales.place(point);
        let (x, y) = (format!("{:.1}", x - 4.5), format!("{:.1}", y - 4.5));
        let sides = [("class", "mark"), ("x", &x), ("y", &y), ("width", "9"), ("height", "9")];
        html.open("rect", &sides);
        html.leaf("title", &[], &tip(curve, point, ", adaptive"));
        html.close("rect");
    }
    html.close("g");
}

fn tip(curve: &CurationCurve, point: CurationPoint, more: &str) -> String {
    let (recall, lines) = (point.recall * 100.0, point.lines * 100.0);
    format!("{}: {recall:.0} % recall at {lines:.0} % of lines{more}", curve.name)
}

/// Names at the right ends of the lines, moved apart where they would overlap.
fn draw_labels(html: &mut Html, scales: &Scales, curves: &[CurationCurve]) {
    let ends: Vec<(usize, (f64, f64))> = curves
        .iter()
        .enumerate()
        .filter_map(|(at, curve)| {
            Some((at, scales.place(drawn(curve).max_by(|a, b| a.lines.total_cmp(&b.lines))?)))
        })
        .collect();
    let floor = scales.size.1 - MARGINS.3;
    let wanted: Vec<f64> = ends.iter().map(|(_, (_, y))| *y).collect();
    let x = format!("{:.1}", scales.size.0 - MARGINS.2 + 10.0);
    for ((at, _), y) in ends.iter().zip(spread(&wanted, LABEL_HEIGHT, floor)) {
        let class = format!("label {}", class(*at));
        let y = format!("{:.1}", y + 4.0);
        html.leaf("text", &[("class", &class), ("x", &x), ("y", &y)], &curves[*at].name);
    }
}

fn draw_scales(html: &mut Html, scales: &Scales) {
    let (left, _, right, bottom) = MARGINS;
    let (width, height) = scales.size;
    let percent = |share: f64| format!("{:.0}\u{202f}%", share * 100.0);
    for tick in scales.y.ticks() {
        let (_, y) = scales.place(CurationPoint { lines: 0.0, recall: *tick });
        let data = format!("M{left} {y:.1}H{}", width - right);
        html.empty("path", &[("class", "grid"), ("d", &data)]);
        let (x, y) = (format!("{}", left - 8.0), format!("{:.1}", y + 4.0));
        html.leaf("text", &[("class", "tick end"), ("x", &x), ("y", &y)], &percent(*tick));
    }
    for tick in scales.x.ticks() {
        let (x, _) = scales.place(CurationPoint { lines: *tick, recall: 0.0 });
        let (x, y) = (format!("{x:.1}"), format!("{}", height - bottom + 17.0));
        html.leaf("text", &[("class", "tick middle"), ("x", &x), ("y", &y)], &percent(*tick));
    }
    let (x, y) = (format!("{}", (left + width - right) / 2.0), format!("{}", height - 6.0));
    let name = if width > 400.0 {
        "lines kept (across), gold recall (up); squares: adaptive"
    } else {
        "across: lines kept, up: gold recall"
    };
    html.leaf("text", &[("class", "axis middle"), ("x", &x), ("y", &y)], name);
}
