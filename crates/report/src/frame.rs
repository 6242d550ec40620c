//! The frame around a plot. Its labels are text of the page, so that the plot can be stretched to
//! any width while the text keeps its size.

use crate::axis::Axis;
use crate::markup::HtmlWriter;

/// Width and height of a plot's coordinate system; the page stretches it.
pub(crate) const SIZE: f64 = 1000.0;

/// An entry of the legend.
pub(crate) struct LegendKey<'a> {
    /// The class of the swatch, which sets its colour.
    pub(crate) class: &'a str,
    /// The name of the line or area.
    pub(crate) text: &'a str,
}

/// A label to the right of the plot, at the height of a line's end.
pub(crate) struct EndLabel {
    /// The class, which sets the colour.
    pub(crate) class: String,
    pub(crate) text: String,
    /// Height from 0 (bottom) to 1.
    pub(crate) place: f64,
}

/// One plot with everything around it.
pub(crate) struct PlotFrame<'a> {
    /// The heading.
    pub(crate) title: &'a str,
    /// A description of the plot for screen readers.
    pub(crate) summary: &'a str,
    /// The legend.
    pub(crate) keys: &'a [LegendKey<'a>],
    /// The horizontal scale.
    pub(crate) x: &'a Axis,
    /// The name of the horizontal scale.
    pub(crate) x_name: &'a str,
    /// The vertical scale.
    pub(crate) y: &'a Axis,
    /// Formats a vertical tick.
    pub(crate) y_text: fn(f64) -> String,
    /// The marks, in coordinates of [`SIZE`].
    pub(crate) marks: &'a HtmlWriter,
    /// Labels at the ends of lines.
    pub(crate) ends: Vec<EndLabel>,
    /// The lanes below the plot.
    pub(crate) mark_lanes: Vec<MarkLane<'a>>,
    /// The tooltips, if any.
    pub(crate) tips: Option<PlotTooltips>,
}

/// A row of short marks below a plot.
pub(crate) struct MarkLane<'a> {
    /// The class, which sets the colour.
    pub(crate) class: &'a str,
    /// Positions from 0 to 1.
    pub(crate) places: Vec<f64>,
}

/// The tooltips at the points of the horizontal scale.
pub(crate) struct PlotTooltips {
    /// The names of the rows.
    pub(crate) names: Vec<String>,
    /// The points, from left to right.
    pub(crate) points: Vec<Tooltip>,
}

/// The tooltip at one point.
pub(crate) struct Tooltip {
    /// The position, from 0 to 1.
    pub(crate) place: f64,
    /// The first line.
    pub(crate) title: String,
    /// The text of each row.
    pub(crate) texts: Vec<String>,
}

impl PlotTooltips {
    /// Encodes lines of tab-separated cells: the names, then for each point its position, title and
    /// texts. JSON would be twice as long once its quotes are escaped.
    fn encode(&self) -> String {
        // A tab or a line break in a name would shift all following cells.
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

/// Height of a plot in pixels, as in the style sheet.
const PLOT_HEIGHT: f64 = 240.0;
/// Least distance of two end labels, in pixels.
const LABEL_HEIGHT: f64 = 17.0;

impl PlotFrame<'_> {
    /// Draws the figure.
    pub(crate) fn draw(&self, html: &mut HtmlWriter) {
        let tips = self.tips.as_ref().map(PlotTooltips::encode);
        html.open_element("figure", &[("class", "chart")]);
        html.text_element("figcaption", &[], self.title);
        write_legend(html, self.keys);
        html.open_element(
            "div",
            &[("class", if self.ends.is_empty() { "plot" } else { "plot ended" })],
        );
        self.draw_vertical_labels(html);
        let mut attributes = vec![("class", "area")];
        if let Some(tips) = &tips {
            attributes.extend([("data-tips", tips.as_str()), ("tabindex", "0")]);
        }
        html.open_element("div", &attributes);
        let view = format!("0 0 {SIZE} {SIZE}");
        html.open_element(
            "svg",
            &[
                ("viewBox", &view),
                ("preserveAspectRatio", "none"),
                ("role", "img"),
                ("aria-label", self.summary),
            ],
        );
        draw_grid(html, self.y);
        html.append(self.marks);
        html.close_element("svg");
        html.close_element("div");
        self.draw_end_labels(html);
        for lane in &self.mark_lanes {
            draw_lane(html, lane);
        }
        self.draw_horizontal_labels(html);
        html.close_element("div");
        html.close_element("figure");
    }

    fn draw_vertical_labels(&self, html: &mut HtmlWriter) {
        html.open_element("div", &[("class", "y"), ("aria-hidden", "true")]);
        for tick in self.y.ticks() {
            let style = format!("bottom:{:.2}%", self.y.position(*tick) * 100.0);
            html.text_element("span", &[("style", &style)], &(self.y_text)(*tick));
        }
        html.close_element("div");
    }

    fn draw_horizontal_labels(&self, html: &mut HtmlWriter) {
        html.open_element("div", &[("class", "x"), ("aria-hidden", "true")]);
        for (at, tick) in self.x.ticks().iter().enumerate() {
            let style = format!("left:{:.2}%", self.x.position(*tick) * 100.0);
            let class = if at % 2 == 0 { "tick" } else { "tick odd" };
            html.text_element("span", &[("class", class), ("style", &style)], &format!("{tick}"));
        }
        html.close_element("div");
        html.text_element("div", &[("class", "x-name")], self.x_name);
    }

    fn draw_end_labels(&self, html: &mut HtmlWriter) {
        if self.ends.is_empty() {
            return;
        }
        html.open_element("div", &[("class", "ends")]);
        let wanted: Vec<f64> = self.ends.iter().map(|end| end.place * PLOT_HEIGHT).collect();
        for (end, bottom) in
            self.ends.iter().zip(separate_labels(&wanted, LABEL_HEIGHT, PLOT_HEIGHT))
        {
            let style = format!("bottom:{bottom:.1}px");
            html.text_element("span", &[("class", &end.class), ("style", &style)], &end.text);
        }
        html.close_element("div");
    }
}

/// Draws the legend of a figure.
pub(crate) fn write_legend(html: &mut HtmlWriter, keys: &[LegendKey<'_>]) {
    if keys.is_empty() {
        return;
    }
    html.open_element("ul", &[("class", "legend")]);
    for key in keys {
        html.open_element("li", &[]);
        html.text_element("i", &[("class", key.class)], "");
        html.push_text(key.text);
        html.close_element("li");
    }
    html.close_element("ul");
}

fn draw_grid(html: &mut HtmlWriter, y: &Axis) {
    let mut path = String::new();
    for tick in y.ticks() {
        path.push_str(&format!("M0 {}H{SIZE}", y_coordinate(y.position(*tick))));
    }
    html.empty_element("path", &[("class", "grid"), ("d", &path)]);
}

fn draw_lane(html: &mut HtmlWriter, lane: &MarkLane<'_>) {
    html.open_element("div", &[("class", "lane")]);
    html.open_element(
        "svg",
        &[("viewBox", "0 0 1000 10"), ("preserveAspectRatio", "none"), ("aria-hidden", "true")],
    );
    let path: String =
        lane.places.iter().map(|place| format!("M{} 0V10", x_coordinate(*place))).collect();
    html.empty_element("path", &[("class", lane.class), ("d", &path)]);
    html.close_element("svg");
    html.close_element("div");
}

/// Returns a position from 0 (bottom) to 1 as a coordinate that grows downwards.
pub(crate) fn y_coordinate(place: f64) -> String {
    format_coordinate((1.0 - place) * SIZE)
}

/// Returns a position from 0 (left) to 1 as a coordinate.
pub(crate) fn x_coordinate(place: f64) -> String {
    format_coordinate(place * SIZE)
}

fn format_coordinate(number: f64) -> String {
    let text = format!("{number:.1}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}

/// Returns a line through positions as path data.
pub(crate) fn line_path(places: &[(f64, f64)]) -> String {
    let mut path = String::new();
    for (at, (x, y)) in places.iter().enumerate() {
        let command = if at == 0 { 'M' } else { 'L' };
        path.push_str(&format!("{command}{} {}", x_coordinate(*x), y_coordinate(*y)));
    }
    // A path of one point would not be drawn: give it the least length.
    if places.len() == 1 {
        path.push_str("h0.01");
    }
    path
}

/// Returns the area between two lines over the same horizontal positions as path data.
pub(crate) fn area_path(upper: &[(f64, f64)], lower: &[(f64, f64)]) -> String {
    if upper.is_empty() {
        return String::new();
    }
    let mut path = line_path(upper);
    for (x, y) in lower.iter().rev() {
        path.push_str(&format!("L{} {}", x_coordinate(*x), y_coordinate(*y)));
    }
    path.push('Z');
    path
}

/// Moves positions as little as needed until neighbours are `gap` apart, and keeps them between 0
/// and `high` if there is room.
pub(crate) fn separate_labels(wanted: &[f64], gap: f64, high: f64) -> Vec<f64> {
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
