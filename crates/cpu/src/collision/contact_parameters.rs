//! Contact parameters: those of an explicit pair, or the mix of two geoms (MuJoCo documentation, Modeling, "Contact
//! parameters").

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

/// Contact parameters of a candidate: the explicit pair's or mixed, then the global override, then the lower bound on
/// friction.
pub(crate) fn parameters<T: Real>(m: &Model<T>, candidate: Candidate) -> ContactParameters<T> {
    let pair = candidate.pair;
    let mut p = if pair >= 0 { pair_parameters(m, pair as usize) } else { mixed_parameters(m, candidate) };
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

/// Mixing weight of the first geom: zero or one if priorities differ.
fn mix_weight<T: Real>(m: &Model<T>, g1: usize, g2: usize) -> T {
    if m.geom_priority[g1] > m.geom_priority[g2] {
        return T::ONE;
    }
    if m.geom_priority[g1] < m.geom_priority[g2] {
        return T::ZERO;
    }
    let (s1, s2) = (m.geom_solmix[g1], m.geom_solmix[g2]);
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

/// Contact parameters mixed from the two geoms.
fn mixed_parameters<T: Real>(m: &Model<T>, candidate: Candidate) -> ContactParameters<T> {
    let (g1, g2) = (candidate.geom1 as usize, candidate.geom2 as usize);
    let share = mix_weight(m, g1, g2);
    let equal = m.geom_priority[g1] == m.geom_priority[g2];
    // the geom of higher priority
    let dominant = if m.geom_priority[g1] > m.geom_priority[g2] { g1 } else { g2 };
    let mut p = ContactParameters {
        dim: m.geom_condim[dominant],
        friction: [T::ZERO; 5],
        solref: [T::ZERO; 2],
        solreffriction: [T::ZERO; 2],
        solimp: [T::ZERO; 5],
        adhesion: m.geom_adhesion[dominant],
    };
    if equal {
        p.dim = m.geom_condim[g1].max(m.geom_condim[g2]);
        p.adhesion = m.geom_adhesion[g1] + m.geom_adhesion[g2];
    }
    // sliding, torsional and rolling friction; sliding and rolling have two directions each
    for k in 0..5 {
        let kind = FRICTION_KIND[k];
        let (f1, f2) = (m.geom_friction[3 * g1 + kind], m.geom_friction[3 * g2 + kind]);
        p.friction[k] = if equal { f1.max(f2) } else { m.geom_friction[3 * dominant + kind] };
    }
    // the direct form of solref cannot be averaged
    let direct = m.geom_solref[2 * g1] <= T::ZERO || m.geom_solref[2 * g2] <= T::ZERO;
    for k in 0..2 {
        let (a, b) = (m.geom_solref[2 * g1 + k], m.geom_solref[2 * g2 + k]);
        p.solref[k] = if equal && direct { a.min(b) } else { mix(a, b, share) };
    }
    for k in 0..5 {
        let (a, b) = (m.geom_solimp[5 * g1 + k], m.geom_solimp[5 * g2 + k]);
        p.solimp[k] = mix(a, b, share);
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
