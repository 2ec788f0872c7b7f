//! Worlds of a rollout over time, and in the end: what a report reads while they step.

use std::time::Instant;

use manyworlds::batch::Batch;
use manyworlds::error::Result;
use manyworlds::model::Model;
use manyworlds::schema::Field;
use manyworlds::schema::enums::enable;

use super::panels::{Panel, panels};

/// Moments at which worlds are read, at most, beside the first.
const MOMENTS: usize = 120;
/// Worlds whose values are summarised at a moment; of more, some at equal distances.
const WORLDS: usize = 4096;
/// Most panels of a field that are followed.
pub(super) const PANELS: usize = 24;
/// Most elements of recorded fields and sensors that are followed: what a page of a few hundred KB holds.
const TRACKS: usize = 64;
/// Ends of a band, as shares of the worlds.
const BAND: [f64; 2] = [0.05, 0.95];

/// What a line over time is about.
#[derive(Clone, Debug, PartialEq)]
enum Measure {
    /// An element of a field.
    Element(&'static str, usize),
    /// The Euclidean norm of a field.
    Norm(&'static str),
}

/// A quantity over time: its mean over the worlds, and the ends of the band that holds nine of ten.
#[derive(Clone, Debug)]
pub(super) struct Track {
    source: Measure,
    pub(super) mean: Vec<f64>,
    pub(super) low: Vec<f64>,
    pub(super) high: Vec<f64>,
}

/// A field by panels, with the tracks of their elements.
pub(super) struct Followed {
    /// Name of the field.
    pub(super) field: &'static str,
    /// Panels and, for each, where its tracks are.
    pub(super) panels: Vec<(Panel, std::ops::Range<usize>)>,
    /// Panels that are left out.
    pub(super) hidden: usize,
}

/// Samples of a rollout.
pub(crate) struct Samples {
    /// Time of each moment since the first, in s.
    pub(super) times: Vec<f64>,
    /// Steps a second of all worlds from each moment to the next.
    pub(super) speed: Vec<f64>,
    pub(super) tracks: Vec<Track>,
    /// Titles and places of the quantities that every model has.
    pub(super) always: Vec<(&'static str, usize)>,
    pub(super) sensors: Option<Followed>,
    pub(super) recorded: Vec<Followed>,
    /// Recorded fields that have no panels: rows of contacts or constraints.
    pub(super) skipped: Vec<&'static str>,
    /// Worlds that were summarised.
    pub(super) worlds: usize,
    /// True if the model computes energies.
    pub(super) has_energy: bool,
    /// Seconds for reading.
    pub(crate) seconds: f64,
    every: usize,
    last: (usize, Instant),
}

/// Steps between two moments of a report over so many steps.
pub(crate) fn interval(steps: usize) -> usize {
    steps.div_ceil(MOMENTS).max(1)
}

impl Samples {
    /// Samples at about [`interval`] steps, at stops that are `stops` steps apart; `recorded` are shown beside what always makes
    /// sense. The first is taken at once.
    ///
    /// # Errors
    /// As [`Batch::get`].
    pub(crate) fn new(
        batch: &mut Batch,
        first: usize,
        steps: usize,
        stops: usize,
        recorded: &[&'static Field],
    ) -> Result<Self> {
        let mut samples = Self {
            times: Vec::new(),
            speed: Vec::new(),
            tracks: Vec::new(),
            always: Vec::new(),
            sensors: None,
            recorded: Vec::new(),
            skipped: Vec::new(),
            worlds: batch.worlds().min(WORLDS),
            has_energy: measures_energy(batch.model()),
            seconds: 0.0,
            every: interval(steps).next_multiple_of(stops.max(1)),
            last: (first, Instant::now()),
        };
        let has_energy = samples.has_energy;
        for (title, source, shown) in [
            ("speed |qvel| (m/s, rad/s)", Measure::Norm("qvel"), true),
            ("contacts", Measure::Element("ncon", 0), true),
            ("constraint rows", Measure::Element("nefc", 0), true),
            ("solver iterations", Measure::Element("solver_niter", 0), true),
            ("potential energy (J)", Measure::Element("energy", 0), has_energy),
            ("kinetic energy (J)", Measure::Element("energy", 1), has_energy),
        ] {
            let (Measure::Norm(field) | Measure::Element(field, _)) = source;
            if shown && batch.has(field) {
                samples.always.push((title, samples.tracks.len()));
                samples.tracks.push(Track::of(source));
            }
        }
        let width = batch.sizes().nsensordata;
        if width > 0 && batch.has("sensordata") && !recorded.iter().any(|f| f.name == "sensordata") {
            samples.sensors = Some(samples.follow("sensordata", width, batch.model()));
        }
        for field in recorded.iter().filter(|field| field.name != "time") {
            if field.counted_by().is_some() {
                samples.skipped.push(field.name);
                continue;
            }
            let followed = samples.follow(field.name, field.len(batch.sizes()), batch.model());
            samples.recorded.push(followed);
        }
        samples.read(batch, first, first)?;
        Ok(samples)
    }

    /// Adds tracks for the panels of a field.
    fn follow(&mut self, field: &'static str, len: usize, model: &Model) -> Followed {
        let all = panels(model, field, len);
        let (count, mut own) = (all.len(), Vec::new());
        for panel in all.into_iter().take(PANELS) {
            if self.tracks.len() + panel.elements.len() > TRACKS {
                break;
            }
            let first = self.tracks.len();
            self.tracks.extend(panel.elements.iter().map(|e| Track::of(Measure::Element(field, *e))));
            own.push((panel, first..self.tracks.len()));
        }
        Followed { field, hidden: count - own.len(), panels: own }
    }

    /// Reads the worlds after a step, if it is time to, or the last one.
    ///
    /// # Errors
    /// As [`Batch::get`].
    pub(crate) fn take(&mut self, batch: &mut Batch, step: usize, is_last: bool) -> Result<()> {
        if (is_last || step.is_multiple_of(self.every)) && step > self.last.0 {
            let first = self.last.0;
            self.read(batch, first, step)?;
        }
        Ok(())
    }

    fn read(&mut self, batch: &mut Batch, from: usize, step: usize) -> Result<()> {
        // what was asked for is done before the clock of the report runs
        batch.wait()?;
        let begin = Instant::now();
        if step > from {
            let seconds = (begin - self.last.1).as_secs_f64();
            self.speed.push(batch.worlds() as f64 * (step - from) as f64 / seconds.max(1e-9));
        }
        self.times.push(step as f64 * batch.model().opt_timestep[0]);
        let (worlds, all) = (self.worlds, batch.worlds());
        let mut known: Option<(&str, Vec<f64>)> = None;
        let mut values = Vec::with_capacity(worlds);
        for track in &mut self.tracks {
            let (Measure::Norm(field) | Measure::Element(field, _)) = track.source;
            // tracks of a field follow each other
            if known.as_ref().is_none_or(|(name, _)| *name != field) {
                known = Some((field, batch.get(field, ..)?.data.to_f64()));
            }
            let Some((_, data)) = &known else { continue };
            let width = data.len() / all;
            values.clear();
            for world in 0..worlds {
                let row = world * all / worlds * width;
                values.push(match track.source {
                    Measure::Element(_, element) => data[row + element],
                    Measure::Norm(_) => norm(&data[row..row + width]),
                });
            }
            track.push(&mut values);
        }
        self.last = (step, Instant::now());
        self.seconds += begin.elapsed().as_secs_f64();
        Ok(())
    }
}

impl Track {
    fn of(source: Measure) -> Self {
        Self { source, mean: Vec::new(), low: Vec::new(), high: Vec::new() }
    }

    /// Adds a moment; values that are not finite do not count.
    fn push(&mut self, values: &mut Vec<f64>) {
        values.retain(|x| x.is_finite());
        let count = values.len() as f64;
        self.mean.push(if values.is_empty() { f64::NAN } else { values.iter().sum::<f64>() / count });
        self.low.push(quantile(values, BAND[0]));
        self.high.push(quantile(values, BAND[1]));
    }
}

/// A quantile, as the value of the world at that place in their order; NaN without values.
pub(super) fn quantile(values: &mut [f64], share: f64) -> f64 {
    if values.is_empty() {
        return f64::NAN;
    }
    let place = (share * (values.len() - 1) as f64).round() as usize;
    *values.select_nth_unstable_by(place, f64::total_cmp).1
}

/// True if a step computes energies.
fn measures_energy(model: &Model) -> bool {
    model.opt_enableflags[0] & enable::ENERGY != 0
}

fn norm(row: &[f64]) -> f64 {
    row.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// What every world has come to.
pub(crate) struct Finals {
    /// Quantities, each with a value for each world.
    pub(super) quantities: Vec<Quantity>,
    /// Status of each world.
    pub(super) status: Vec<i32>,
}

/// A quantity of each world.
pub(super) struct Quantity {
    pub(super) id: &'static str,
    pub(super) title: &'static str,
    /// What those worlds are that have the most of it; empty where nobody asks.
    pub(super) worst: &'static str,
    pub(super) values: Vec<f64>,
    /// Room or limit, where there is one.
    pub(super) limit: Option<(f64, &'static str)>,
    /// True for counts.
    pub(super) whole: bool,
}

impl Finals {
    /// Reads the worlds.
    ///
    /// # Errors
    /// As [`Batch::get`].
    pub(crate) fn read(batch: &mut Batch) -> Result<Self> {
        let mut quantities = Vec::new();
        let (worlds, sizes) = (batch.worlds(), *batch.sizes());
        let mut add = |id, title, worst, values: Vec<f64>, limit, whole| {
            quantities.push(Quantity { id, title, worst, values, limit, whole });
        };
        if sizes.nv > 0 {
            let qvel = batch.get("qvel", ..)?.data.to_f64();
            let speed = qvel.chunks(sizes.nv).map(norm).collect();
            add("speed", "speed |qvel| (m/s, rad/s)", "fastest, by |qvel|", speed, None, false);
        }
        if measures_energy(batch.model()) && batch.has("energy") {
            let energy = batch.get("energy", ..)?.data.to_f64();
            let of = |k: usize| energy.iter().skip(k).step_by(2).copied().collect::<Vec<f64>>();
            add("potential", "potential energy (J)", "", of(0), None, false);
            add("kinetic", "kinetic energy (J)", "", of(1), None, false);
        }
        let ncon = batch.get("ncon", ..)?.data.to_f64();
        if sizes.nconmax > 0 && batch.has("contact_dist") {
            let distances = batch.get("contact_dist", ..)?.data.to_f64();
            let rows = distances.chunks(sizes.nconmax).zip(&ncon);
            // rows beyond the last contact hold what was there before
            let deepest = |(row, count): (&[f64], &f64)| {
                let own = row.iter().take(*count as usize);
                1e3 * own.fold(0.0f64, |deepest, distance| deepest.max(-distance))
            };
            let depths = rows.map(deepest).collect();
            add("penetration", "deepest penetration (mm)", "deepest penetration (mm)", depths, None, false);
        }
        let limit = (sizes.nconmax > 0).then_some((sizes.nconmax as f64, "room"));
        add("contacts", "contacts", "", ncon, limit, true);
        let limit = (sizes.njmax > 0).then_some((sizes.njmax as f64, "room"));
        add("rows", "constraint rows", "", batch.get("nefc", ..)?.data.to_f64(), limit, true);
        if batch.has("solver_niter") {
            let limit = Some((f64::from(batch.model().opt_iterations[0]), "limit"));
            let iterations = batch.get("solver_niter", ..)?.data.to_f64();
            add("iterations", "solver iterations", "most solver iterations", iterations, limit, true);
        }
        let status = batch.status()?;
        debug_assert!(quantities.iter().all(|q| q.values.len() == worlds), "a value for each world");
        Ok(Self { quantities, status })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_values_of_worlds() {
        let mut values: Vec<f64> = (0..=100).rev().map(f64::from).collect();
        assert_eq!(
            [0.0, 0.05, 0.5, 0.95, 1.0].map(|q| quantile(&mut values, q)),
            [0.0, 5.0, 50.0, 95.0, 100.0]
        );
        assert!(quantile(&mut [], 0.5).is_nan());
        let mut track = Track::of(Measure::Norm("qvel"));
        track.push(&mut vec![1.0, f64::NAN, 3.0]);
        assert_eq!((track.mean[0], track.low[0], track.high[0]), (2.0, 1.0, 3.0));
    }
}
