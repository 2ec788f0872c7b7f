//! Contact parameters: those of an explicit pair, or the mix of two geoms (MuJoCo documentation, Modeling, "Contact
//! parameters").

use std::array::from_fn;

use manyworlds_model::model::Model;
use manyworlds_model::model::candidates::Candidate;
use manyworlds_model::real::Real;
use manyworlds_model::schema::enums::enable;

/// Lower bound on every friction coefficient (`mjMINMU`).
pub(super) const MIN_FRICTION: f64 = 1e-5;

/// Friction coefficient of a geom that acts in each tangential dimension.
const FRICTION_KIND: [usize; 5] = [0, 0, 1, 2, 2];

/// Contact parameters of a pair of geoms.
pub(crate) struct ContactParameters<T> {
    pub dim: i32,
    pub(crate) friction: [T; 5],
    pub(crate) solref: [T; 2],
    pub(crate) solreffriction: [T; 2],
    pub(crate) solimp: [T; 5],
    pub(crate) adhesion: T,
}

/// Contact parameters of a candidate: the explicit pair's or mixed.
pub(crate) fn parameters<T: Real>(m: &Model<T>, candidate: Candidate) -> ContactParameters<T> {
    let Candidate { geom1, geom2, pair } = candidate;
    if let Ok(pair) = usize::try_from(pair) {
        return bounded(m, pair_parameters(m, pair));
    }
    surface_parameters(m, &Surface::of_geom(m, geom1 as usize), &Surface::of_geom(m, geom2 as usize))
}

/// Contact parameters of two surfaces.
pub(super) fn surface_parameters<T: Real>(
    m: &Model<T>,
    one: &Surface<T>,
    two: &Surface<T>,
) -> ContactParameters<T> {
    bounded(m, mixed_parameters(one, two))
}

/// Parameters after the global override, and then the lower bound on friction.
#[inline(always)]
fn bounded<T: Real>(m: &Model<T>, mut p: ContactParameters<T>) -> ContactParameters<T> {
    if m.enabled(enable::OVERRIDE) {
        p.solref.copy_from_slice(&m.opt_o_solref);
        p.solreffriction.copy_from_slice(&m.opt_o_solref);
        p.solimp.copy_from_slice(&m.opt_o_solimp);
        p.friction.copy_from_slice(&m.opt_o_friction);
    }
    for k in 0..5 {
        p.friction[k] = p.friction[k].max(T::of(MIN_FRICTION));
    }
    p
}

/// Contact parameters of an explicit pair.
fn pair_parameters<T: Real>(m: &Model<T>, pair: usize) -> ContactParameters<T> {
    let mut p = ContactParameters {
        dim: m.pair_dim[pair],
        friction: [T::ZERO; 5],
        solref: [T::ZERO; 2],
        solreffriction: [T::ZERO; 2],
        solimp: [T::ZERO; 5],
        adhesion: m.pair_adhesion[pair],
    };
    p.friction.copy_from_slice(&m.pair_friction[5 * pair..5 * pair + 5]);
    p.solref.copy_from_slice(&m.pair_solref[2 * pair..2 * pair + 2]);
    p.solreffriction.copy_from_slice(&m.pair_solreffriction[2 * pair..2 * pair + 2]);
    p.solimp.copy_from_slice(&m.pair_solimp[5 * pair..5 * pair + 5]);
    p
}

/// Contact parameters of a geom, or of a flex.
pub(super) struct Surface<T> {
    priority: i32,
    dim: i32,
    solmix: T,
    friction: [T; 3],
    solref: [T; 2],
    solimp: [T; 5],
    adhesion: T,
}

impl<T: Real> Surface<T> {
    /// Those of a geom.
    #[inline(always)]
    pub(super) fn of_geom(m: &Model<T>, g: usize) -> Self {
        Self {
            priority: m.geom_priority[g],
            dim: m.geom_condim[g],
            solmix: m.geom_solmix[g],
            friction: from_fn(|k| m.geom_friction[3 * g + k]),
            solref: from_fn(|k| m.geom_solref[2 * g + k]),
            solimp: from_fn(|k| m.geom_solimp[5 * g + k]),
            adhesion: m.geom_adhesion[g],
        }
    }

    /// Those of a flex.
    pub(super) fn of_flex(m: &Model<T>, f: usize) -> Self {
        Self {
            priority: m.flex_priority[f],
            dim: m.flex_condim[f],
            solmix: m.flex_solmix[f],
            friction: from_fn(|k| m.flex_friction[3 * f + k]),
            solref: from_fn(|k| m.flex_solref[2 * f + k]),
            solimp: from_fn(|k| m.flex_solimp[5 * f + k]),
            adhesion: T::ZERO,
        }
    }
}

/// Mixing weight of the first surface: zero or one if priorities differ.
fn mix_weight<T: Real>(one: &Surface<T>, two: &Surface<T>) -> T {
    if one.priority > two.priority {
        return T::ONE;
    }
    if one.priority < two.priority {
        return T::ZERO;
    }
    let (s1, s2) = (one.solmix, two.solmix);
    if s1 >= T::MINVAL && s2 >= T::MINVAL {
        s1 / (s1 + s2)
    } else if s1 < T::MINVAL && s2 < T::MINVAL {
        T::of(0.5)
    } else if s1 < T::MINVAL {
        T::ZERO
    } else {
        T::ONE
    }
}

/// Contact parameters mixed from two surfaces.
fn mixed_parameters<T: Real>(one: &Surface<T>, two: &Surface<T>) -> ContactParameters<T> {
    let share = mix_weight(one, two);
    let equal = one.priority == two.priority;
    // the surface of higher priority
    let dominant = if one.priority > two.priority { one } else { two };
    let mut p = ContactParameters {
        dim: dominant.dim,
        friction: [T::ZERO; 5],
        solref: [T::ZERO; 2],
        solreffriction: [T::ZERO; 2],
        solimp: [T::ZERO; 5],
        adhesion: dominant.adhesion,
    };
    if equal {
        p.dim = one.dim.max(two.dim);
        p.adhesion = one.adhesion + two.adhesion;
    }
    // sliding, torsional and rolling friction; sliding and rolling have two directions each
    for k in 0..5 {
        let kind = FRICTION_KIND[k];
        p.friction[k] =
            if equal { one.friction[kind].max(two.friction[kind]) } else { dominant.friction[kind] };
    }
    // the direct form of solref cannot be averaged
    let direct = one.solref[0] <= T::ZERO || two.solref[0] <= T::ZERO;
    for k in 0..2 {
        let (a, b) = (one.solref[k], two.solref[k]);
        p.solref[k] = if equal && direct { a.min(b) } else { mix(a, b, share) };
    }
    for k in 0..5 {
        p.solimp[k] = mix(one.solimp[k], two.solimp[k], share);
    }
    p
}

/// Weighted mean, exact at both ends.
fn mix<T: Real>(a: T, b: T, share: T) -> T {
    share * a + (T::ONE - share) * b
}

/// Margin and gap of a candidate: those of the explicit pair, or the sums over the two geoms.
#[inline(always)]
pub(super) fn margin_gap<T: Real>(m: &Model<T>, candidate: Candidate) -> (T, T) {
    let Candidate { geom1, geom2, pair } = candidate;
    let (g1, g2) = (geom1 as usize, geom2 as usize);
    let (mut margin, gap) = if pair >= 0 {
        (m.pair_margin[pair as usize], m.pair_gap[pair as usize])
    } else {
        (m.geom_margin[g1] + m.geom_margin[g2], m.geom_gap[g1] + m.geom_gap[g2])
    };
    if m.enabled(enable::OVERRIDE) {
        margin = m.opt_o_margin[0];
    }
    (margin, gap)
}
