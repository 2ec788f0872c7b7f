//! Many worlds in one window: which are seen, where, and in what colours.

use manyworlds::error::Result;

use super::session::Session;

/// Most worlds in one picture.
pub(super) const MOST: usize = 64;

/// How worlds are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Arrangement {
    /// The chosen one.
    One,
    /// A grid of tiles.
    Grid,
    /// The chosen one, with the others as ghosts.
    Ghosts,
}

impl Arrangement {
    /// All with their names.
    pub(super) const ALL: [(&str, Arrangement); 3] =
        [("one", Arrangement::One), ("grid", Arrangement::Grid), ("ghosts", Arrangement::Ghosts)];
}

/// What worlds are coloured by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Colour {
    /// Nothing.
    None,
    /// Their status: red where it is not clean.
    Status,
    /// What they cost, with a task.
    Cost,
    /// Their reward, with a task of reinforcement learning.
    Reward,
    /// A number of a field.
    Field,
}

impl Colour {
    /// All with their names.
    pub(super) const ALL: [(&str, Colour); 5] = [
        ("none", Colour::None),
        ("status", Colour::Status),
        ("cost", Colour::Cost),
        ("reward", Colour::Reward),
        ("field", Colour::Field),
    ];
}

/// View of many worlds.
#[derive(Clone, Debug)]
pub(super) struct Many {
    /// How they are shown.
    pub(super) layout: Arrangement,
    /// First world in a picture of several.
    pub(super) first: usize,
    /// Number of worlds in a picture of several.
    pub(super) count: usize,
    /// What they are coloured by.
    pub(super) colour: Colour,
    /// Field to colour by, and the place of the number in it.
    pub(super) field: String,
    /// See `field`.
    pub(super) place: usize,
    /// A number of each world, and why there is none.
    pub(super) values: Vec<f64>,
    /// See `values`.
    pub(super) problem: Option<String>,
}

impl Many {
    /// A view of some worlds: one, or a grid of several.
    pub(super) fn new(worlds: usize) -> Self {
        Self {
            layout: if worlds > 1 { Arrangement::Grid } else { Arrangement::One },
            first: 0,
            count: worlds.min(16),
            colour: if worlds > 1 { Colour::Status } else { Colour::None },
            field: "qpos".to_owned(),
            place: 0,
            values: Vec::new(),
            problem: None,
        }
    }

    /// The worlds in the picture; the chosen one is among them.
    pub(super) fn shown(&self, session: &Session) -> Vec<usize> {
        let (worlds, chosen) = (session.worlds(), session.chosen());
        if self.layout == Arrangement::One {
            return vec![chosen];
        }
        let count = self.count.clamp(1, MOST.min(worlds));
        let first = self.first.min(worlds - count);
        let mut shown: Vec<usize> = (first..first + count).collect();
        if !shown.contains(&chosen) {
            shown[0] = chosen;
        }
        shown
    }

    /// Reads the numbers that colours come from.
    pub(super) fn read(&mut self, session: &mut Session) {
        let values = match self.colour {
            Colour::None => Ok(Vec::new()),
            Colour::Status => session.numbers("status", 0),
            Colour::Cost => costs(session),
            Colour::Reward => session.numbers("reward", 0),
            Colour::Field => session.numbers(self.field.trim(), self.place),
        };
        match values {
            Ok(values) => (self.values, self.problem) = (values, None),
            Err(why) => (self.values, self.problem) = (Vec::new(), Some(why.to_string())),
        }
    }

    /// Colour of a world and how much of it.
    pub(super) fn tint(&self, world: usize) -> [f32; 4] {
        let Some(&value) = self.values.get(world) else { return [0.0; 4] };
        if self.colour == Colour::Status {
            return if value == 0.0 { [0.0; 4] } else { [0.9, 0.1, 0.1, 0.7] };
        }
        let [low, high] = range(&self.values);
        if !value.is_finite() {
            return [1.0, 0.0, 1.0, 0.7];
        }
        let share = if high > low { ((value - low) / (high - low)) as f32 } else { 0.5 };
        let [r, g, b] = ramp(share);
        [r, g, b, 0.6]
    }

    /// The world with the largest number, infinite ones first.
    pub(super) fn worst(&self) -> Option<usize> {
        let key = |x: f64| if x.is_nan() { f64::INFINITY } else { x };
        let all = self.values.iter().enumerate();
        all.max_by(|a, b| key(*a.1).total_cmp(&key(*b.1))).map(|(w, _)| w)
    }
}

/// What each world costs.
fn costs(session: &mut Session) -> Result<Vec<f64>> {
    let Some(objective) = session.mpc.as_ref().map(|mpc| mpc.objective().clone()) else {
        return Err(manyworlds::error::Error::Argument("the model is no task: there is no cost".to_owned()));
    };
    let worlds = session.worlds();
    let all = session.batch().get("sensordata", ..)?.data.to_f64();
    all.chunks(all.len() / worlds).map(|row| objective.value(row, false)).collect()
}

/// Least and largest finite number.
pub(super) fn range(values: &[f64]) -> [f64; 2] {
    let finite = values.iter().copied().filter(|x| x.is_finite());
    finite.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], x| [low.min(x), high.max(x)])
}

/// Blue over white to red, for a share from 0 to 1.
fn ramp(share: f32) -> [f32; 3] {
    let s = share.clamp(0.0, 1.0);
    if s < 0.5 { [2.0 * s, 2.0 * s, 1.0] } else { [1.0, 2.0 - 2.0 * s, 2.0 - 2.0 * s] }
}

/// Rows and columns of a grid of tiles in a picture of some width over height: tiles are as nearly square as they can be.
pub(super) fn grid(count: usize, aspect: f32) -> (usize, usize) {
    let count = count.max(1);
    let uneven = |columns: usize| {
        let rows = count.div_ceil(columns);
        let tile = aspect * rows as f32 / columns as f32;
        (tile.ln().abs(), rows * columns)
    };
    let best = (1..=count).min_by(|a, b| {
        let (a, b) = (uneven(*a), uneven(*b));
        a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))
    });
    let columns = best.unwrap_or(1);
    (count.div_ceil(columns), columns)
}

/// Rectangle `[x, y, width, height]` of a tile in a picture of some pixels.
pub(super) fn tile(k: usize, count: usize, size: [u32; 2]) -> [u32; 4] {
    let (rows, columns) = grid(count, size[0] as f32 / size[1].max(1) as f32);
    let (row, column) = (k / columns, k % columns);
    let at = |place: usize, of: usize, length: u32| (place as u64 * u64::from(length) / of as u64) as u32;
    let (x, y) = (at(column, columns, size[0]), at(row, rows, size[1]));
    // a line between tiles
    let gap = u32::from(count > 1);
    let width = at(column + 1, columns, size[0]).saturating_sub(x + gap).max(1);
    let height = at(row + 1, rows, size[1]).saturating_sub(y + gap).max(1);
    [x, y, width, height]
}

/// The tile at a pixel.
pub(super) fn tile_at(count: usize, size: [u32; 2], x: f32, y: f32) -> Option<usize> {
    (0..count).find(|k| {
        let [left, top, width, height] = tile(*k, count, size).map(|n| n as f32);
        (left..left + width).contains(&x) && (top..top + height).contains(&y)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_fill_a_picture_without_overlapping() {
        for (count, size) in
            [(1, [800, 600]), (16, [1600, 900]), (7, [300, 900]), (64, [1000, 1000]), (3, [2, 2])]
        {
            let mut covered = 0;
            for k in 0..count {
                let [x, y, w, h] = tile(k, count, size);
                assert!(x + w <= size[0] && y + h <= size[1] || size == [2, 2], "{count} {k}");
                covered += w * h;
                if size != [2, 2] {
                    let middle = (x as f32 + 0.5 * w as f32, y as f32 + 0.5 * h as f32);
                    assert_eq!(tile_at(count, size, middle.0, middle.1), Some(k));
                }
            }
            if count != 7 && size != [2, 2] {
                let (rows, columns) = grid(count, size[0] as f32 / size[1] as f32);
                let share = count as f32 / (rows * columns) as f32;
                assert!(
                    covered as f32 > 0.95 * share * (size[0] * size[1]) as f32,
                    "{count} in {size:?}: {covered}"
                );
            }
        }
        assert_eq!(grid(16, 16.0 / 9.0), (3, 6));
        assert_eq!(grid(4, 1.0), (2, 2));
        assert_eq!(grid(6, 6.0), (1, 6));
        assert_eq!(tile_at(4, [100, 100], -1.0, 5.0), None);
    }

    #[test]
    fn colours_run_from_the_least_to_the_largest_and_the_worst_world_is_found() {
        let mut many = Many { colour: Colour::Field, values: vec![1.0, 3.0, 2.0, f64::NAN], ..Many::new(4) };
        assert_eq!(many.tint(0)[..3], [0.0, 0.0, 1.0]);
        assert_eq!(many.tint(1)[..3], [1.0, 0.0, 0.0]);
        assert_eq!(many.tint(2)[..3], [1.0, 1.0, 1.0]);
        assert_eq!((many.tint(3)[1], many.worst()), (0.0, Some(3)));
        many.values.pop();
        assert_eq!((many.worst(), many.tint(9)), (Some(1), [0.0; 4]));
        many.colour = Colour::Status;
        many.values = vec![0.0, 4.0];
        assert_eq!((many.tint(0)[3], many.tint(1)[0]), (0.0, 0.9));
        assert_eq!(range(&[]), [f64::INFINITY, f64::NEG_INFINITY]);
    }
}
