//! Quantiles of measurements.

/// Returns the quantile of these figures at `share`, from 0 to 1; NaN if there are none.
pub fn quantile(figures: &mut [f64], share: f64) -> f64 {
    let place = (figures.len() as f64 * share) as usize;
    let Some(last) = figures.len().checked_sub(1) else { return f64::NAN };
    *figures.select_nth_unstable_by(place.min(last), f64::total_cmp).1
}
