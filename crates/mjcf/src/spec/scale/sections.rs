//! Contact pairs, tendons and equality constraints.

use glam::DVec3;

use super::factors::{Factors, Units, mean, scale_all};
use super::work::Work;
use crate::spec::{Equality, Kind, Pair, Ref, Spec, Tendon, WrapKind};
use manyworlds_model::schema::enums::{EqualityType, JointType};

/// Numbers of a pair that are lengths from the given index on, with the values of a pair that has none; `None` for
/// zeros.
const LENGTHS: [(&str, usize, usize, Option<[f64; 5]>); 4] = [
    ("friction", 2, 5, Some([1.0, 1.0, 0.005, 0.0001, 0.0001])),
    ("solimp", 2, 3, Some([0.9, 0.95, 0.001, 0.5, 2.0])),
    ("margin", 0, 1, None),
    ("gap", 0, 1, None),
];

/// Scales pairs by the geometric mean of both geoms.
pub(super) fn pairs(work: &Work<'_>, spec: &mut Spec) {
    for pair in &mut spec.pairs {
        let factors = [&pair.geom1, &pair.geom2].map(|geom| work.factors(Kind::Geom, geom, pair.base.scope));
        if factors.iter().any(|f| f.frame.is_some()) {
            scale_pair(pair, &factors);
        }
    }
}

fn scale_pair(pair: &mut Pair, [a, b]: &[Factors; 2]) {
    let length = mean(a.length(), b.length());
    for (name, first, end, default) in LENGTHS {
        let place = pair.real.iter().position(|r| r.0 == name);
        let Some(place) = place.or_else(|| {
            default.map(|_| {
                pair.real.push((name, Vec::new()));
                pair.real.len() - 1
            })
        }) else {
            continue;
        };
        let numbers = &mut pair.real[place].1;
        // what is not written has the default
        let missing: Vec<f64> = default.iter().flatten().skip(numbers.len()).copied().collect();
        numbers.extend(missing);
        let end = end.min(numbers.len());
        scale_all(&mut numbers[first.min(end)..end], length);
    }
    let force = mean(a.force(), b.force());
    pair.real.iter_mut().filter(|r| r.0 == "adhesion").for_each(|r| scale_all(&mut r.1, force));
}

/// Scales tendons by the innermost scaled frame around all of their paths, and notes their units. The coordinate of one
/// along hinges alone is an angle.
pub(super) fn tendons(work: &mut Work<'_>, spec: &mut Spec) {
    for tendon in &mut spec.tendons {
        let factors = work.places.common(&frames(work, tendon));
        let is_angle = is_angle(work, tendon);
        let along = || Units::of_length(&factors, factors.length());
        let units = if is_angle { Units::of_angle(&factors) } else { along() };
        scale_tendon(work, tendon, &units);
        tendon.width *= factors.length();
        work.tendons.push(units);
    }
}

/// Innermost scaled frames of the path.
fn frames(work: &Work<'_>, tendon: &Tendon) -> Vec<Option<usize>> {
    let scope = tendon.base.scope;
    let of = |kind: &WrapKind| match kind {
        WrapKind::Joint(joint, _) => {
            let joint = work.find(Kind::Joint, joint, scope).and_then(|j| work.old.joints.get(j))?;
            Some(work.places.of(joint.body, joint.frame).0.frame)
        }
        WrapKind::Site(site) => Some(work.factors(Kind::Site, site, scope).frame),
        WrapKind::Geom(geom, _) => Some(work.factors(Kind::Geom, geom, scope).frame),
        WrapKind::Pulley(_) => None,
    };
    tendon.path.iter().filter_map(|wrap| of(&wrap.kind)).collect()
}

/// True if the path is of hinges and balls alone.
fn is_angle(work: &Work<'_>, tendon: &Tendon) -> bool {
    let turns = |joint: &Ref| {
        let joint = work.find(Kind::Joint, joint, tendon.base.scope).and_then(|j| work.old.joints.get(j));
        joint.is_some_and(|j| matches!(j.kind, JointType::HINGE | JointType::BALL))
    };
    !tendon.path.is_empty()
        && tendon.path.iter().all(|wrap| matches!(&wrap.kind, WrapKind::Joint(joint, _) if turns(joint)))
}

fn scale_tendon(work: &Work<'_>, tendon: &mut Tendon, units: &Units) {
    let scope = tendon.base.scope;
    // coefficients keep the tendon in its own unit
    for wrap in &mut tendon.path {
        if let WrapKind::Joint(joint, coefficient) = &mut wrap.kind {
            *coefficient *= units.length / work.joint(joint, scope).length;
        }
    }
    scale_all(&mut tendon.range, units.length);
    if tendon.springlength[0] >= 0.0 {
        scale_all(&mut tendon.springlength, units.length);
    }
    for length in [&mut tendon.margin, &mut tendon.solimp_limit[2], &mut tendon.solimp_friction[2]] {
        *length *= units.length;
    }
    units.scale_gains(&mut tendon.stiffness);
    units.scale_gains(&mut tendon.damping);
    tendon.armature *= units.gain();
    tendon.frictionloss *= units.force;
    scale_all(&mut tendon.actfrcrange, units.force);
}

/// Scales equality constraints.
pub(super) fn equalities(work: &Work<'_>, spec: &mut Spec) {
    for equality in &mut spec.equalities {
        let length = match equality.kind {
            EqualityType::CONNECT => connect(work, equality),
            EqualityType::WELD => weld(work, equality),
            EqualityType::JOINT | EqualityType::TENDON => coupling(work, equality),
            EqualityType::FLEX | EqualityType::FLEXVERT | EqualityType::FLEXSTRAIN => of_flex(work, equality),
        };
        equality.solimp[2] *= length;
    }
}

/// Factors of both objects; of one that is not given, those of the world.
fn both(work: &Work<'_>, equality: &Equality) -> [Factors; 2] {
    let of = |i: usize| {
        let target = equality.targets.get(i);
        target.map_or(Factors::NONE, |(kind, name)| work.factors(*kind, name, equality.base.scope))
    };
    [of(0), of(1)]
}

/// True if the constrained objects are sites, which have the anchors.
fn by_sites(equality: &Equality) -> bool {
    equality.targets.first().is_some_and(|t| t.0 == Kind::Site)
}

/// Maps three numbers.
fn map(numbers: &mut [f64], factors: &Factors) {
    if let [x, y, z] = numbers {
        [*x, *y, *z] = (factors.linear * DVec3::new(*x, *y, *z)).to_array();
    }
}

/// The anchor of a connection is in the first body.
fn connect(work: &Work<'_>, equality: &mut Equality) -> f64 {
    let [first, second] = both(work, equality);
    if by_sites(equality) {
        return mean(first.length(), second.length());
    }
    map(&mut equality.data[..3], &first);
    first.length()
}

/// The anchor of a weld is in the second body, the relative position in the first.
fn weld(work: &Work<'_>, equality: &mut Equality) -> f64 {
    let [first, second] = both(work, equality);
    let length = mean(first.length(), second.length());
    if !by_sites(equality) {
        map(&mut equality.data[..3], &second);
        map(&mut equality.data[3..6], &first);
        equality.data[10] *= length;
    }
    length
}

/// Coefficients of a polynomial that takes the second coordinate to the first.
fn coupling(work: &Work<'_>, equality: &mut Equality) -> f64 {
    let scope = equality.base.scope;
    let of = |i: usize| match equality.targets.get(i) {
        Some((Kind::Joint, name)) => work.joint(name, scope).length,
        Some((Kind::Tendon, name)) => work.tendon(name, scope).length,
        _ => 1.0,
    };
    let (first, second) = (of(0), of(1));
    let alone = equality.targets.len() < 2;
    let mut factor = first;
    for coefficient in &mut equality.data[..5] {
        *coefficient *= factor;
        if !alone {
            factor /= second;
        }
    }
    first
}

/// Factor of lengths of the frame around a flex.
fn of_flex(work: &Work<'_>, equality: &Equality) -> f64 {
    let Some((kind, name)) = equality.targets.first() else {
        return 1.0;
    };
    let flex = work.find(*kind, name, equality.base.scope).and_then(|f| work.old.flexes.get(f));
    let Some(flex) = flex else {
        return 1.0;
    };
    let bodies = flex.vert_body.iter().chain(&flex.node_body);
    let frames: Vec<Option<usize>> =
        bodies.map(|body| work.factors(Kind::Body, body, flex.base.scope).frame).collect();
    work.places.common(&frames).length()
}
