//! Meshes and height fields of scaled geoms and sites: an asset has the scale of its first user, and a copy for every
//! other scale.

use std::collections::HashMap;

use glam::DVec3;

use super::factors::Factors;
use super::work::Work;
use crate::spec::{Base, Kind, Ref, Spec};

/// An asset, and a scale in single precision, in which copies are told apart.
type Key = (usize, [u32; 3]);

/// Scales that users of assets of one kind need.
#[derive(Default)]
struct Scales {
    /// Numbers of the copies that have them; zero is the asset itself.
    numbers: HashMap<Key, usize>,
    /// Number of scales of each asset.
    counts: HashMap<usize, usize>,
    /// Assets, numbers and scales in the order of first uses.
    order: Vec<(usize, usize, DVec3)>,
}

impl Scales {
    /// Number of the copy of an asset with a scale.
    fn number(&mut self, asset: usize, scale: DVec3) -> usize {
        let key = (asset, scale.to_array().map(|x| (x as f32).to_bits()));
        let count = self.counts.entry(asset).or_default();
        *self.numbers.entry(key).or_insert_with(|| {
            self.order.push((asset, *count, scale));
            *count += 1;
            *count - 1
        })
    }
}

/// Name of a copy.
fn numbered(name: &str, number: usize) -> String {
    if number == 0 { name.to_owned() } else { format!("{name}@{number}") }
}

/// Scales meshes and height fields for geoms and sites, in the order of the compiled model.
pub(super) fn assets(work: &Work<'_>, spec: &mut Spec) {
    let (mut meshes, mut hfields) = (Scales::default(), Scales::default());
    let mut order: Vec<usize> = (0..spec.geoms.len()).collect();
    order.sort_by_key(|&g| spec.geoms[g].body);
    for g in order {
        let (geom, factors) = (&mut spec.geoms[g], &work.geoms[g]);
        user(work, &mut meshes, (Kind::Mesh, &mut geom.mesh), &geom.base, factors);
        user(work, &mut hfields, (Kind::HField, &mut geom.hfield), &geom.base, factors);
    }
    let mut order: Vec<usize> = (0..spec.sites.len()).collect();
    order.sort_by_key(|&s| spec.sites[s].body);
    for s in order {
        let (site, factors) = (&mut spec.sites[s], &work.sites[s]);
        user(work, &mut meshes, (Kind::Mesh, &mut site.mesh), &site.base, factors);
    }
    for (asset, number, scale) in meshes.order {
        let mut mesh = work.old.meshes[asset].clone();
        mesh.settings.scale *= scale;
        mesh.base.name = numbered(&mesh.base.name, number);
        put(&mut spec.meshes, asset, number, mesh);
    }
    for (asset, number, scale) in hfields.order {
        let mut hfield = work.old.hfields[asset].clone();
        let by = [scale.x, scale.y, scale.z, scale.z];
        hfield.size.iter_mut().zip(by).for_each(|(size, factor)| *size *= factor);
        hfield.base.name = numbered(&hfield.base.name, number);
        put(&mut spec.hfields, asset, number, hfield);
    }
}

/// Replaces an asset, or adds a copy.
fn put<T>(list: &mut Vec<T>, asset: usize, number: usize, value: T) {
    if number == 0 {
        list[asset] = value;
    } else {
        list.push(value);
    }
}

/// Notes the scale of one user, whose reference becomes one to the asset with this scale.
fn user(
    work: &Work<'_>,
    scales: &mut Scales,
    (kind, target): (Kind, &mut Ref),
    base: &Base,
    factors: &Factors,
) {
    let Some(asset) = work.find(kind, target, base.scope) else {
        return;
    };
    let scale = factors.diagonal().unwrap_or_else(|| {
        let message =
            format!("{} would be stretched obliquely", work.called(kind.word(), base_of(work, kind, asset)));
        let help = "turn its geom or the frame by quarter turns, or write a scale of one number";
        work.wrong(&base.at, kind.name(), message, help);
        DVec3::ONE
    });
    target.name = numbered(&target.name, scales.number(asset, scale));
}

/// Common part of an asset.
fn base_of<'a>(work: &Work<'a>, kind: Kind, asset: usize) -> &'a Base {
    if kind == Kind::Mesh { &work.old.meshes[asset].base } else { &work.old.hfields[asset].base }
}
