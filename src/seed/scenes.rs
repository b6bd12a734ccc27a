//! Draws the pictures of the demo by code: skies, hills, water, rain, a window, leaves, and photos of people.
//!
//! Each picture is a JPEG of moderate size. The same name and seed make the same picture.

use crate::pictures;
use crate::seeded_random::SeededRandom;

/// Returns the colour of a point. The arguments are x from 0 to 1.5, y from 0 to 1, and a seed. Another seed makes
/// another picture of the same scene.
pub(super) type Draw = fn(f32, f32, f32) -> Color;

/// All scenes by their names.
pub(super) const SCENES: [(&str, Draw); 9] = [
    ("lake", lake),
    ("hills", hills),
    ("sea", sea),
    ("canal", canal),
    ("night", night),
    ("window", window),
    ("leaves", leaves),
    ("rain", rain),
    ("wave", wave),
];

const WIDTH: u16 = 1200;
const HEIGHT: u16 = 800;
/// The side of a photo, in pixels.
const PHOTO: u16 = 320;

type Color = [f32; 3];

/// Draws a scene.
///
/// # Errors
/// There is no such scene, or the picture cannot be encoded.
pub fn scene(name: &str, random: &mut SeededRandom) -> Result<Vec<u8>, String> {
    let (_, draw) = SCENES.iter().find(|(known, _)| *known == name).ok_or("there is no such scene")?;
    let seed = random.share() as f32 * 100.0;
    encode(WIDTH, HEIGHT, |x, y| grain(draw(x * 1.5, y, seed), x, y))
}

/// Draws a photo: a simple portrait in random colours.
///
/// # Errors
/// The picture cannot be encoded.
pub fn photo(random: &mut SeededRandom) -> Result<Vec<u8>, String> {
    let hue = random.share() as f32;
    let (ground, skin, shirt) = (
        hsl(hue, 0.35, 0.82),
        hsl(0.07, 0.45, 0.35 + 0.4 * random.share() as f32),
        hsl(hue + 0.45, 0.4, 0.45),
    );
    let hair = hsl(0.08, 0.35 * random.share() as f32, 0.12 + 0.5 * random.share() as f32);
    // The lower end of the hair above the face, and its lower end at the sides.
    let (fringe, sides) = (0.3 + 0.08 * random.share() as f32, 0.45 + 0.35 * random.share() as f32);
    encode(PHOTO, PHOTO, |x, y| {
        let mut color = ground;
        color = mix(color, shirt, inside((x - 0.5).hypot((y - 1.08) * 0.9), 0.36));
        let (dx, dy) = (x - 0.5, y - 0.42);
        let hair_here = inside(dx.hypot(dy * 0.9), 0.25) + step(dx.abs(), 0.235, 0.01) * step(0.42, y, 0.01);
        color = mix(color, hair, hair_here.min(1.0) * step(y, sides, 0.02));
        color = mix(color, skin, step(dx.abs(), 0.07, 0.01) * step(0.5, y, 0.01) * step(y, 0.78, 0.02));
        color = mix(color, skin, inside((dx * 1.15).hypot((y - 0.48) * 0.9), 0.2));
        mix(color, hair, inside(dx.hypot(dy * 0.9), 0.25) * step(y, fringe + dx * 0.25, 0.015))
    })
}

fn lake(x: f32, y: f32, seed: f32) -> Color {
    let shore = 0.56;
    let mirror =
        if y > shore { 2.0 * shore - y + 0.006 * (y * 260.0 + x * 9.0).sin() * (y - shore) * 8.0 } else { y };
    let sky = mix([0.98, 0.83, 0.72], [0.56, 0.68, 0.83], 1.0 - mirror / shore);
    let far = ridge(x, seed, 2.0, 0.43, 0.06);
    let near = ridge(x, seed + 7.0, 3.1, 0.5, 0.05);
    let mut color = mix(sky, [0.66, 0.68, 0.76], step(far, mirror, 0.004));
    color = mix(color, [0.34, 0.42, 0.45], step(near, mirror, 0.004));
    // Mist above the water.
    let mist = (-((y - shore) * 18.0).powi(2)).exp() * (0.75 + 0.25 * wavy(x * 2.0, seed));
    color = mix(color, [0.97, 0.94, 0.92], mist);
    if y > shore { mix(color, [0.45, 0.55, 0.66], 0.22) } else { color }
}

fn hills(x: f32, y: f32, seed: f32) -> Color {
    let sun = inside((x - 1.05).hypot(y - 0.24), 0.06);
    let mut color = mix(mix([0.99, 0.93, 0.8], [0.73, 0.84, 0.9], 1.0 - y * 1.4), [1.0, 0.98, 0.9], sun);
    for layer in 0..5 {
        let depth = layer as f32 / 4.0;
        let top = ridge(x, seed + depth * 11.0, 1.3 + depth, 0.4 + depth * 0.13, 0.08);
        let green = mix([0.68, 0.77, 0.72], [0.24, 0.38, 0.24], depth);
        color = mix(color, green, step(top, y, 0.003));
    }
    color
}

fn sea(x: f32, y: f32, seed: f32) -> Color {
    let horizon = 0.48;
    if y < horizon {
        let cloud = wavy(x * 2.4 + y * 5.0, seed) * wavy(y * 14.0, seed + 3.0);
        let light = (-((y - horizon) * 26.0).powi(2)).exp();
        return mix(mix([0.72, 0.77, 0.8], [0.85, 0.87, 0.88], cloud), [1.0, 0.97, 0.88], light);
    }
    let near = (y - horizon) / (1.0 - horizon);
    let ripple = ((x * 30.0 / (0.2 + near) + seed).sin() * (y * 210.0 / (0.4 + near)).sin()) * 0.5 + 0.5;
    mix([0.62, 0.69, 0.72], mix([0.32, 0.44, 0.5], [0.44, 0.55, 0.6], ripple * 0.5), near.sqrt())
}

fn canal(x: f32, y: f32, seed: f32) -> Color {
    let (middle, top) = (0.75, 0.42);
    let sky = mix([0.95, 0.9, 0.8], [0.66, 0.78, 0.88], 1.0 - y * 1.6);
    let aside = (x - middle).abs();
    let bank = 0.03 + (y - top).max(0.0) * 0.75;
    let crown = 0.06 + aside * 0.55 + 0.05 * wavy(x * 12.0 + y * 9.0, seed);
    let trees = step((y - top).abs(), crown * 0.7, 0.02) * step(0.02, aside, 0.03);
    let mut color = mix(sky, [0.45, 0.52, 0.28], step(top, y, 0.004));
    color = mix(color, mix([0.36, 0.46, 0.24], [0.72, 0.55, 0.24], wavy(x * 5.0, seed)), trees * 0.9);
    let is_water = step(aside, bank, 0.004) * step(top + 0.01, y, 0.004);
    let water = mix([0.5, 0.6, 0.62], [0.8, 0.82, 0.78], wavy(y * 60.0, seed) * 0.4);
    color = mix(color, water, is_water);
    let arch = step((aside - 0.0).hypot((y - top - 0.035) * 1.4), 0.085, 0.004)
        - step(aside.hypot((y - top - 0.045) * 1.4), 0.062, 0.004);
    mix(color, [0.48, 0.4, 0.36], arch.max(0.0) * step(y, top + 0.045, 0.004))
}

fn night(x: f32, y: f32, seed: f32) -> Color {
    let (horizon, moon) = (0.6, (0.95, 0.26));
    let mut color = mix([0.16, 0.2, 0.34], [0.05, 0.07, 0.16], 1.0 - y / horizon);
    let star = noise((x * 180.0).floor(), (y * 180.0).floor() + seed);
    if y < horizon && star > 0.9965 {
        color = [0.85, 0.87, 0.95];
    }
    let distance = (x - moon.0).hypot(y - moon.1);
    color =
        mix(color, [0.98, 0.96, 0.86], inside(distance, 0.055) + 0.35 * (-(distance * 7.0).powi(2)).exp());
    if y > horizon {
        let near = (y - horizon) / (1.0 - horizon);
        let path = (-((x - moon.0) / (0.03 + 0.16 * near)).powi(2)).exp();
        let ripple = ((y * 260.0 / (0.5 + near)).sin() * (x * 40.0 + seed).sin()).abs();
        color = mix([0.05, 0.08, 0.16], [0.9, 0.88, 0.74], path * ripple * 0.8);
    }
    color
}

fn window(x: f32, y: f32, seed: f32) -> Color {
    let wall = mix([0.83, 0.74, 0.63], [0.62, 0.53, 0.47], x / 1.5);
    // The light falls on the wall at an angle.
    let lean = x - (y - 0.2) * 0.35;
    let pane = |left: f32, right: f32| step(left, lean, 0.006) * step(lean, right, 0.006);
    let on_wall = (pane(0.8, 0.93) + pane(0.95, 1.08)) * step(0.22, y, 0.006) * step(y, 0.78, 0.006);
    let bar = 1.0 - step((y - 0.5).abs(), 0.008, 0.003);
    let mut color = mix(wall, [1.0, 0.83, 0.55], on_wall * bar * 0.85);
    let is_window = step(0.14, x, 0.003) * step(x, 0.5, 0.003) * step(0.1, y, 0.003) * step(y, 0.86, 0.003);
    let outside = mix(
        mix([1.0, 0.8, 0.55], [0.65, 0.74, 0.86], 1.0 - y),
        [0.36, 0.42, 0.33],
        step(ridge(x * 3.0, seed, 2.0, 0.66, 0.05), y, 0.01),
    );
    color = mix(color, outside, is_window);
    let frame =
        is_window * (step((x - 0.32).abs(), 0.008, 0.002) + step((y - 0.45).abs(), 0.008, 0.002)).min(1.0);
    mix(color, [0.93, 0.9, 0.85], frame)
}

fn leaves(x: f32, y: f32, seed: f32) -> Color {
    let (middle, top) = (0.75 + 0.05 * (y * 4.0).sin(), 0.36);
    let mut color = mix([0.93, 0.9, 0.84], [0.78, 0.83, 0.86], 1.0 - y * 2.0);
    let trunk = (x * 9.0 + 0.3 * (y * 3.0 + seed).sin()).fract();
    let is_trunk = step((trunk - 0.5).abs(), 0.07 + 0.05 * y, 0.03) * step(0.1, (x - middle).abs(), 0.04);
    let mut ground =
        mix([0.76, 0.42, 0.16], [0.55, 0.3, 0.14], noise((x * 230.0).floor() + seed, (y * 300.0).floor()));
    ground =
        mix(ground, [0.9, 0.6, 0.2], step(0.8, noise((x * 150.0).floor(), (y * 190.0).floor() + seed), 0.05));
    color = mix(color, ground, step(top, y, 0.03));
    let path = step((x - middle).abs(), 0.03 + (y - top).max(0.0) * 0.5, 0.02) * step(top, y, 0.02);
    color = mix(color, mix([0.62, 0.5, 0.4], ground, 0.35), path * 0.8);
    mix(color, [0.3, 0.25, 0.22], is_trunk * step(y, 0.5 + 0.25 * (x - middle).abs(), 0.02))
}

fn rain(x: f32, y: f32, seed: f32) -> Color {
    let street = 0.5;
    let (fold, blur) = if y > street { (2.0 * street - y, 0.4 + (y - street)) } else { (y, 0.0) };
    let mut color = mix([0.1, 0.11, 0.17], [0.18, 0.17, 0.23], fold);
    for lamp in 0..7 {
        let number = lamp as f32;
        let at = (0.1 + 1.3 * noise(number, seed), 0.16 + 0.26 * noise(number, seed + 5.0));
        let hue = hsl([0.09, 0.12, 0.0, 0.55, 0.33, 0.1, 0.93][lamp], 0.75, 0.6);
        let wobble = 0.03 * blur * (y * 90.0 + number).sin();
        let distance = (x - at.0 + wobble).hypot((fold - at.1) / (1.0 + 2.2 * blur));
        color = mix(color, hue, (-(distance * 16.0).powi(2)).exp() * (1.0 - 0.35 * blur));
    }
    let ring = ((x * 7.0).fract() - 0.5).hypot(((y * 13.0).fract() - 0.5) * 0.7);
    let drop = step(0.72, noise((x * 7.0).floor(), (y * 13.0).floor() + seed), 0.01)
        * step((ring - 0.28).abs(), 0.02, 0.02);
    if y > street { mix(color, [0.6, 0.62, 0.72], drop * 0.35) } else { color }
}

fn wave(x: f32, y: f32, seed: f32) -> Color {
    let crest = 0.36 + 0.13 * ((x - 0.35) * 2.2).sin() + 0.012 * wavy(x * 9.0, seed);
    let sky = mix([0.98, 0.9, 0.78], [0.62, 0.78, 0.88], 1.0 - y * 1.5);
    let deep = ((y - crest) / 0.5).clamp(0.0, 1.0);
    let stripe = ((y - crest) * 46.0 + x * 5.0 + (x * 4.0).sin() * 2.0).sin() * 0.5 + 0.5;
    let water = mix(mix([0.5, 0.82, 0.7], [0.06, 0.36, 0.4], deep), [0.7, 0.92, 0.85], stripe * 0.18);
    let foam = (-((y - crest) * 38.0).powi(2)).exp()
        * (0.55 + 0.45 * noise((x * 150.0).floor(), (y * 150.0).floor()));
    mix(mix(sky, water, step(crest, y, 0.004)), [0.98, 0.99, 0.98], foam)
}

/// Returns the height of a line of hills at `x`.
fn ridge(x: f32, seed: f32, pace: f32, middle: f32, height: f32) -> f32 {
    let line = (x * pace * 2.3 + seed).sin()
        + 0.5 * (x * pace * 5.1 + seed * 1.7).sin()
        + 0.12 * (x * pace * 23.0 + seed).sin();
    middle - height * line / 1.6
}

/// Returns a value from 0 to 1 that changes slowly with `x`.
fn wavy(x: f32, seed: f32) -> f32 {
    0.5 + 0.25 * ((x * 1.7 + seed).sin() + (x * 3.9 + seed * 2.3).sin())
}

/// Returns a value from 0 to 1 that looks random.
fn noise(x: f32, y: f32) -> f32 {
    ((x * 12.9898 + y * 78.233).sin() * 43_758.547).abs().fract()
}

/// Returns 1 if `at` is beyond `edge`, 0 if it is before `edge`, and a value between them near `edge`.
fn step(edge: f32, at: f32, soft: f32) -> f32 {
    let share = ((at - edge) / soft + 0.5).clamp(0.0, 1.0);
    share * share * (3.0 - 2.0 * share)
}

/// Returns 1 inside a circle, 0 outside, and a value between them near its edge.
fn inside(distance: f32, radius: f32) -> f32 {
    step(distance, radius, radius * 0.06)
}

fn mix(from: Color, to: Color, share: f32) -> Color {
    let share = share.clamp(0.0, 1.0);
    std::array::from_fn(|channel| from[channel] + (to[channel] - from[channel]) * share)
}

fn grain(color: Color, x: f32, y: f32) -> Color {
    let grain = (noise(x * 911.0, y * 773.0) - 0.5) * 0.025;
    color.map(|channel| channel + grain)
}

/// Returns a colour by hue, saturation and lightness, all from 0 to 1.
fn hsl(hue: f32, saturation: f32, lightness: f32) -> Color {
    let reach = saturation * lightness.min(1.0 - lightness);
    [0.0, 8.0, 4.0].map(|offset| {
        let turn = (offset + hue.rem_euclid(1.0) * 12.0) % 12.0;
        lightness - reach * (turn - 3.0).min(9.0 - turn).clamp(-1.0, 1.0)
    })
}

/// Encodes a picture. `draw` returns the colour of a point, with x and y from 0 to 1.
fn encode(width: u16, height: u16, draw: impl Fn(f32, f32) -> Color) -> Result<Vec<u8>, String> {
    let mut pixels = Vec::with_capacity(usize::from(width) * usize::from(height) * 3);
    for row in 0..height {
        for column in 0..width {
            let color = draw(f32::from(column) / f32::from(width), f32::from(row) / f32::from(height));
            pixels.extend(color.map(|channel| (channel.clamp(0.0, 1.0) * 255.0) as u8));
        }
    }
    pictures::encode(&pixels, width, height).ok_or_else(|| "a picture could not be encoded".into())
}
