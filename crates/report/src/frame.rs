//! The frame around a plot: labels as text of the page, so that the plot can be stretched to
//! any width while its text keeps its size.

use crate::axis::Axis;
use crate::markup::Html;

/// Width and height of a plot's own coordinates; the page stretches them.
pub(crate) const SIZE: f64 = 1000.0;

/// A line's place in the legend.
pub(crate) struct Key<'a> {
    /// Class of the swatch; says its colour.
    pub(crate) class: &'a str,
    /// What it stands for.
    pub(crate) text: &'a str,
}

/// A label that stands to the right of the plot, at the height of a line's end.
pub(crate) struct EndLabel {
    /// Class; says its colour.
    pub(crate) class: String,
    pub(crate) text: String,
    /// Height from 0 (bottom) to 1.
    pub(crate) place: f64,
}

/// Everything around and in one plot.
pub(crate) struct Frame<'a> {
    /// The heading.
    pub(crate) title: &'a str,
    /// What is to be seen, for those who cannot.
    pub(crate) summary: &'a str,
    /// The legend.
    pub(crate) keys: &'a [Key<'a>],
    /// The horizontal scale.
    pub(crate) x: &'a Axis,
    /// What the horizontal scale counts.
    pub(crate) x_name: &'a str,
    /// The vertical scale.
    pub(crate) y: &'a Axis,
    /// Writes a vertical tick.
    pub(crate) y_text: fn(f64) -> String,
    /// The marks, in coordinates of [`SIZE`].
    pub(crate) marks: &'a Html,
    /// Labels at the ends of lines.
    pub(crate) ends: Vec<EndLabel>,
    /// Lanes of short marks below the plot: class and places from 0 to 1.
    pub(crate) lanes: Vec<Lane<'a>>,
    /// What a tooltip shows.
    pub(crate) tips: Option<Tips>,
}

/// Short marks below a plot.
pub(crate) struct Lane<'a> {
    /// Class; says the colour.
    pub(crate) class: &'a str,
    /// Places from 0 to 1.
    pub(crate) places: Vec<f64>,
}

/// What a tooltip shows at each point of the horizontal scale.
pub(crate) struct Tips {
    /// Names of the rows.
    pub(crate) names: Vec<String>,
    /// The points, from left to right.
    pub(crate) points: Vec<Tip>,
}

/// What a tooltip shows at one point.
pub(crate) struct Tip {
    /// Where it stands, from 0 to 1.
    pub(crate) place: f64,
    /// Its first line.
    pub(crate) title: String,
    /// A text for each row.
    pub(crate) texts: Vec<String>,
}

impl Tips {
    /// Lines of cells with tabs between: the names, then for each point its place, its title
    /// and its texts. JSON would be twice as long once its quotes are escaped.
    fn encode(&self) -> String {
        // A tab or a line break in a name would shift all that follows.
        let cell = |text: &String| text.replace(['\t', '\n', '\r'], " ");
        let cells = |texts: &[String]| texts.iter().map(cell).collect::<Vec<_>>().join("\t");
        let mut text = cells(&self.names);
        for tip in &self.points {
            let place = (tip.place * 1000.0).round() / 1000.0;
            let title = cell(&tip.title);
            text.push_str(&format!("\n{place}\t{title}\t{}", cells(&tip.texts)));
        }
        text
    }
}

/// Height of a plot in pixels, as the style sheet sets it.
const PLOT_HEIGHT: f64 = 240.0;
/// Least distance of two end labels, in pixels.
const LABEL_HEIGHT: f64 = 17.0;

impl Frame<'_> {
    /// Draws the figure.
    pub(crate) fn draw(&self, html: &mut Html) {
        let tips = self.tips.as_ref().map(Tips::encode);
        html.open("figure", &[("class", "chart")]);
        html.leaf("figcaption", &[], self.title);
        legend(html, self.keys);
        html.open("div", &[("class", if self.ends.is_empty() { "plot" } else { "plot ended" })]);
        self.vertical_labels(html);
        let mut attributes = vec![("class", "area")];
        if let Some(tips) = &tips {
            attributes.extend([("data-tips", tips.as_str()), ("tabindex", "0")]);
        }
        html.open("div", &attributes);
        let view = format!("0 0 {SIZE} {SIZE}");
        html.open(
            "svg",
            &[
                ("viewBox", &view),
                ("preserveAspectRatio", "none"),
                ("role", "img"),
                ("aria-label", self.summary),
            ],
        );
        grid(html, self.y);
        html.append(self.marks);
        html.close("svg");
        html.close("div");
        self.end_labels(html);
        for lane in &self.lanes {
            draw_lane(html, lane);
        }
        self.horizontal_labels(html);
        html.close("div");
        html.close("figure");
    }

    fn vertical_labels(&self, html: &mut Html) {
        html.open("div", &[("class", "y"), ("aria-hidden", "true")]);
        for tick in self.y.ticks() {
            let style = format!("bottom:{:.2}%", self.y.place(*tick) * 100.0);
            html.leaf("span", &[("style", &style)], &(self.y_text)(*tick));
        }
        html.close("div");
    }

    fn horizontal_labels(&self, html: &mut Html) {
        html.open("div", &[("class", "x"), ("aria-hidden", "true")]);
        for (at, tick) in self.x.ticks().iter().enumerate() {
            let style = format!("left:{:.2}%", self.x.place(*tick) * 100.0);
            let class = if at % 2 == 0 { "tick" } else { "tick odd" };
            html.leaf("span", &[("class", class), ("style", &style)], &format!("{tick}"));
        }
        html.close("div");
        html.leaf("div", &[("class", "x-name")], self.x_name);
    }

    fn end_labels(&self, html: &mut Html) {
        if self.ends.is_empty() {
            return;
        }
        html.open("div", &[("class", "ends")]);
        let wanted: Vec<f64> = self.ends.iter().map(|end| end.place * PLOT_HEIGHT).collect();
        for (end, bottom) in self.ends.iter().zip(spread(&wanted, LABEL_HEIGHT, PLOT_HEIGHT)) {
            let style = format!("bottom:{bottom:.1}px");
            html.leaf("span", &[("class", &end.class), ("style", &style)], &end.text);
        }
        html.close("div");
    }
}

/// The legend of a figure.
pub(crate) fn legend(html: &mut Html, keys: &[Key<'_>]) {
    if keys.is_empty() {
        return;
    }
    html.open("ul", &[("class", "legend")]);
    for key in keys {
        html.open("li", &[]);
        html.leaf("i", &[("class", key.class)], "");
        html.text(key.text);
        html.close("li");
    }
    html.close("ul");
}

fn grid(html: &mut Html, y: &Axis) {
    let mut path = String::new();
    for tick in y.ticks() {
        path.push_str(&format!("M0 {}H{SIZE}", down(y.place(*tick))));
    }
    html.empty("path", &[("class", "grid"), ("d", &path)]);
}

fn draw_lane(html: &mut Html, lane: &Lane<'_>) {
    html.open("div", &[("class", "lane")]);
    html.open(
        "svg",
        &[("viewBox", "0 0 1000 10"), ("preserveAspectRatio", "none"), ("aria-hidden", "true")],
    );
    let path: String =
        lane.places.iter().map(|place| format!("M{} 0V10", across(*place))).collect();
    html.empty("path", &[("class", lane.class), ("d", &path)]);
    html.close("svg");
    html.close("div");
}

/// A place from 0 (bottom) to 1 as a coordinate that grows downwards.
pub(crate) fn down(place: f64) -> String {
    short((1.0 - place) * SIZE)
}

/// A place from 0 (left) to 1 as a coordinate.
pub(crate) fn across(place: f64) -> String {
    short(place * SIZE)
}

fn short(number: f64) -> String {
    let text = format!("{number:.1}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}

/// A line through places, as path data.
pub(crate) fn line(places: &[(f64, f64)]) -> String {
    let mut path = String::new();
    for (at, (x, y)) in places.iter().enumerate() {
        let command = if at == 0 { 'M' } else { 'L' };
        path.push_str(&format!("{command}{} {}", across(*x), down(*y)));
    }
    // A single point would not be drawn: give it the least length.
    if places.len() == 1 {
        path.push_str("h0.01");
    }
    path
}

/// The area between two lines over the same horizontal places, as path data.
pub(crate) fn area(upper: &[(f64, f64)], lower: &[(f64, f64)]) -> String {
    if upper.is_empty() {
        return String::new();
    }
    let mut path = line(upper);
    for (x, y) in lower.iter().rev() {
        path.push_str(&format!("L{} {}", across(*x), down(*y)));
    }
    path.push('Z');
    path
}

/// Moves places apart until neighbours are `gap` apart, as little as that takes, and keeps
/// them between 0 and `high` as far as there is room.
pub(crate) fn spread(wanted: &[f64], gap: f64, high: f64) -> Vec<f64> {
    let mut order: Vec<usize> = (0..wanted.len()).collect();
    order.sort_by(|a, b| wanted[*a].total_cmp(&wanted[*b]));
    let mut places = wanted.to_vec();
    let mut least = f64::NEG_INFINITY;
    for at in &order {
        places[*at] = places[*at].max(least);
        least = places[*at] + gap;
    }
    let mut most = high;
    for at in order.iter().rev() {
        places[*at] = places[*at].min(most);
        most = places[*at] - gap;
    }
    places
}

#[cfg(test)]
mod tests;
