//! Draws plots as SVG elements of a page.

use std::fmt::Write;

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 220.0;
const LEFT: f64 = 56.0;
const RIGHT: f64 = 12.0;
const TOP: f64 = 12.0;
const BOTTOM: f64 = 28.0;

/// One line of a plot.
pub struct Series {
    pub name: &'static str,
    /// The points, as x and y.
    pub points: Vec<(f64, f64)>,
}

/// The scale of the x axis.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    Even,
    /// Each doubling has the same width.
    Doubling,
}

/// A plot of one or two series.
pub struct Plot {
    pub title: &'static str,
    pub x_name: &'static str,
    pub y_name: &'static str,
    pub x_scale: Scale,
    pub series: Vec<Series>,
}

/// Returns the next larger round number.
fn round_up(number: f64) -> f64 {
    if number <= 0.0 {
        return 1.0;
    }
    let ten = 10_f64.powf(number.log10().floor());
    [1.0, 2.0, 4.0, 10.0].iter().map(|step| step * ten).find(|round| *round >= number).unwrap_or(number)
}

/// Returns a number as the label of an axis.
fn label(number: f64) -> String {
    match number.abs() {
        large if large >= 1e6 => format!("{}M", trimmed(number / 1e6)),
        large if large >= 10_000.0 => format!("{}k", trimmed(number / 1e3)),
        _ => trimmed(number),
    }
}

fn trimmed(number: f64) -> String {
    let text = format!("{number:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

impl Plot {
    fn x(&self, x: f64, from: f64, to: f64) -> f64 {
        let share = match self.x_scale {
            Scale::Even => (x - from) / (to - from),
            Scale::Doubling => (x / from).log2() / (to / from).log2(),
        };
        LEFT + share.clamp(0.0, 1.0) * (WIDTH - LEFT - RIGHT)
    }

    /// Returns the plot as an element of a page.
    #[must_use]
    pub fn svg(&self) -> String {
        let points = || self.series.iter().flat_map(|series| &series.points);
        let (mut from, mut to) =
            points().fold((f64::MAX, f64::MIN), |(from, to), (x, _)| (from.min(*x), to.max(*x)));
        match self.x_scale {
            Scale::Even => from = 0.0,
            Scale::Doubling => from = from.max(0.01),
        }
        if from.partial_cmp(&to) != Some(std::cmp::Ordering::Less) {
            to = from + 1.0;
        }
        let top = round_up(points().map(|(_, y)| *y).fold(0.0, f64::max));
        let y_of = |y: f64| HEIGHT - BOTTOM - y / top * (HEIGHT - TOP - BOTTOM);
        let mut out = format!(
            "<figure><figcaption>{}</figcaption><svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{}\">",
            self.title, self.title
        );
        for step in 0..=4 {
            let y = top * f64::from(step) / 4.0;
            let at = y_of(y);
            let _ = write!(
                out,
                "<path class=\"grid\" d=\"M{LEFT} {at:.1}H{}\"/><text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
                WIDTH - RIGHT,
                LEFT - 8.0,
                at + 4.0,
                label(y)
            );
        }
        for x in self.ticks(from, to) {
            let at = self.x(x, from, to);
            let _ = write!(
                out,
                "<text x=\"{at:.1}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
                HEIGHT - BOTTOM + 20.0,
                label(x)
            );
        }
        for (number, series) in self.series.iter().enumerate() {
            let path = series.points.iter().enumerate().map(|(place, (x, y))| {
                let letter = if place == 0 { 'M' } else { 'L' };
                format!("{letter}{:.1} {:.1}", self.x(*x, from, to), y_of(*y))
            });
            let path: String = path.collect();
            let _ = write!(
                out,
                "<path class=\"line{number}\" d=\"{path}\"><title>{}</title></path>",
                series.name
            );
        }
        out.push_str("</svg><p class=\"legend\">");
        for (number, series) in self.series.iter().enumerate() {
            let _ = write!(out, "<span class=\"key{number}\"></span>{} ", series.name);
        }
        let _ = write!(out, "<small>{}; across: {}</small></p></figure>", self.y_name, self.x_name);
        out
    }

    fn ticks(&self, from: f64, to: f64) -> Vec<f64> {
        match self.x_scale {
            Scale::Even => {
                let step = round_up((to - from) / 8.0);
                (0..=8).map(|tick| f64::from(tick) * step).filter(|x| *x <= to).collect()
            }
            Scale::Doubling => {
                let powers = (-2..7).flat_map(|power| [1.0, 3.0].map(|first| first * 10_f64.powi(power)));
                powers.filter(|x| (from..=to).contains(x)).collect()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_have_round_numbers() {
        assert_eq!([0.0, 0.3, 1.0, 3.0, 2_100.0].map(round_up), [1.0, 0.4, 1.0, 4.0, 4_000.0]);
        assert_eq!([0.0, 2.5, 12_000.0, 1_500_000.0].map(label), ["0", "2.5", "12k", "1.5M"]);
    }

    #[test]
    fn a_plot_stays_inside_its_frame_even_without_points() {
        for points in [vec![], vec![(1.0, 5.0)], vec![(0.5, 0.0), (4.0, 1e9), (80.0, 3.0)]] {
            for x_scale in [Scale::Even, Scale::Doubling] {
                let series = vec![Series { name: "p99", points: points.clone() }];
                let svg = Plot { title: "t", x_name: "s", y_name: "ms", x_scale, series }.svg();
                assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
            }
        }
    }
}
