//! Shared code of the benches: medians, a small table, and arguments.

/// Returns the median of these figures; NaN if there are none.
pub fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    match figures.len() {
        0 => f64::NAN,
        count if count % 2 == 1 => figures[count / 2],
        count => f64::midpoint(figures[count / 2 - 1], figures[count / 2]),
    }
}

/// Returns the smallest and the largest of these figures.
fn range(figures: &[f64]) -> (f64, f64) {
    figures.iter().fold((f64::INFINITY, 0.0), |(low, high), figure| (low.min(*figure), high.max(*figure)))
}

/// Returns the ratio of each figure to the figure of the other side in the same turn.
fn ratios(ours: &[f64], theirs: &[f64]) -> Vec<f64> {
    ours.iter().zip(theirs).map(|(ours, theirs)| ours / theirs).collect()
}

/// Returns the median and the range of the ratios of the same turns, as text; `-` if the other side was not measured.
pub fn ratio(ours: &[f64], theirs: &[f64]) -> (String, String) {
    let ratios = ratios(ours, theirs);
    if ratios.is_empty() {
        return ("-".into(), "-".into());
    }
    let (low, high) = range(&ratios);
    (format!("{:.2}", median(ratios)), format!("{low:.2} to {high:.2}"))
}

/// Prints a table. The first column is aligned to the left, the others to the right.
pub fn print_table(heads: &[&str], rows: &[Vec<String>]) {
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count());
        cells.chain([heads[column].chars().count()]).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..heads.len()).map(width).collect();
    let line = |cells: Vec<&str>| {
        let mut out = String::new();
        for (place, (cell, width)) in cells.iter().zip(&widths).enumerate() {
            if place == 0 {
                out.push_str(&format!("{cell:<width$}"));
            } else {
                out.push_str(&format!("  {cell:>width$}"));
            }
        }
        println!("{}", out.trim_end());
    };
    line(heads.to_vec());
    for row in rows {
        line(row.iter().map(String::as_str).collect());
    }
    println!();
}

/// Returns the arguments of this run, without those that cargo adds.
pub fn arguments() -> Vec<String> {
    std::env::args().skip(1).filter(|argument| argument != "--bench").collect()
}

/// Returns whether this run should take about a second, to check that the bench works.
pub fn is_trial(arguments: &[String]) -> bool {
    arguments.iter().any(|word| word == "second")
}
