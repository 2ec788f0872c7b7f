//! Conflicting options and sizes of attached models.

use super::Spec;
use super::settings::Opt;
use manyworlds_model::schema::enums::{disable, enable};

/// Conflict policy, `compiler/conflict`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Conflict {
    /// The parent's values are kept.
    #[default]
    Warning,
    /// Values given only by the child are taken over; contradictions are errors.
    Merge,
    /// Contradictions are errors.
    Error,
}

/// MJCF keywords of the policies.
pub(crate) const POLICIES: &[(&str, i32)] = &[("warning", 0), ("merge", 1), ("error", 2)];

impl Conflict {
    /// The policy of a number in `POLICIES`.
    pub fn of(number: i32) -> Self {
        [Self::Warning, Self::Merge, Self::Error].get(number as usize).copied().unwrap_or_default()
    }
}

/// Reconciles the options of a model and of one attached to it; returns the contradictions. Under
/// [`Conflict::Warning`] these are all values of the child that are not taken over.
pub(crate) fn settle(spec: &mut Spec, sub: &Spec, policy: Conflict) -> Vec<String> {
    let mut fights = Vec::new();
    reals(spec, sub, policy, &mut fights);
    ints(spec, sub, policy, &mut fights);
    flags(spec, sub, policy, &mut fights);
    clips(spec, sub, policy, &mut fights);
    if policy == Conflict::Merge {
        spec.size.join(&sub.size);
    }
    fights
}

/// True for each model that gives an option.
fn writers(spec: &Spec, sub: &Spec, name: &str) -> (bool, bool) {
    (spec.option.at.has(name), sub.option.at.has(name))
}

fn reals(spec: &mut Spec, sub: &Spec, policy: Conflict, fights: &mut Vec<String>) {
    for i in 0..spec.option.real.len().min(sub.option.real.len()) {
        let name = spec.option.real[i].0;
        let (ours, theirs) = writers(spec, sub, name);
        let child = &sub.option.real[i].1;
        let parent = &mut spec.option.real[i].1;
        if !theirs || parent == child {
            continue;
        }
        match (ours, policy) {
            (false, Conflict::Merge) => parent.clone_from(child),
            (false, Conflict::Error) => {}
            // the finer of two timesteps or tolerances serves both
            (true, Conflict::Merge) if name == "timestep" || name.ends_with("tolerance") => {
                parent[0] = parent[0].min(child[0]);
            }
            _ => fights.push(format!("{name} is {} here and {} there", words(parent), words(child))),
        }
    }
}

fn words(numbers: &[f64]) -> String {
    numbers.iter().map(f64::to_string).collect::<Vec<_>>().join(" ")
}

fn ints(spec: &mut Spec, sub: &Spec, policy: Conflict, fights: &mut Vec<String>) {
    for i in 0..spec.option.int.len().min(sub.option.int.len()) {
        let name = spec.option.int[i].0;
        let (ours, theirs) = writers(spec, sub, name);
        let child = sub.option.int[i].1;
        let parent = &mut spec.option.int[i].1;
        if !theirs || *parent == child {
            continue;
        }
        let counts = !matches!(name, "integrator" | "cone" | "jacobian" | "solver");
        match (ours, policy) {
            (false, Conflict::Merge) => *parent = child,
            (false, Conflict::Error) => {}
            (true, Conflict::Merge) if counts => *parent = child.max(*parent),
            _ => fights.push(format!("{name} differs")),
        }
    }
}

/// Flags and actuator groups: disabled or enabled by either model.
fn flags(spec: &mut Spec, sub: &Spec, policy: Conflict, fights: &mut Vec<String>) {
    let (to, from) = (&mut spec.option, &sub.option);
    if policy == Conflict::Merge {
        to.disable |= from.disable;
        to.enable |= from.enable;
        to.disableactuator |= from.disableactuator;
        return;
    }
    let groups = "actuatorgroupdisable";
    let strict = policy == Conflict::Error;
    if (to.at.has(groups) || !strict) && from.at.has(groups) && to.disableactuator != from.disableactuator {
        fights.push(format!("{groups} differs"));
    }
    for (name, ours, theirs) in flag_bits(to, from) {
        let key = format!("flag {name}");
        if (to.at.has(&key) || !strict) && from.at.has(&key) && theirs && !ours {
            fights.push(format!("flag {name} differs"));
        }
    }
}

/// Near and far clipping planes: the widest range serves both.
fn clips(spec: &mut Spec, sub: &Spec, policy: Conflict, fights: &mut Vec<String>) {
    for name in ["map_znear", "map_zfar"] {
        let ours = spec.visual.written.contains(&name);
        let theirs = sub.visual.reals(name).to_vec();
        let Some((_, parent)) = spec.visual.real.iter_mut().find(|r| r.0 == name) else {
            continue;
        };
        if !sub.visual.written.contains(&name) || *parent == theirs {
            continue;
        }
        match (ours, policy) {
            (false, Conflict::Merge) => *parent = theirs,
            (false, Conflict::Error) => {}
            (true, Conflict::Merge) if name == "map_znear" => parent[0] = parent[0].min(theirs[0]),
            (true, Conflict::Merge) => parent[0] = parent[0].max(theirs[0]),
            _ => fights.push(format!("{name} is {} here and {} there", words(parent), words(&theirs))),
        }
    }
}

/// Every flag with its state in two options.
fn flag_bits(a: &Opt, b: &Opt) -> Vec<(&'static str, bool, bool)> {
    let disable =
        disable::WORDS.iter().map(|&(name, bit)| (name, a.disable & bit != 0, b.disable & bit != 0));
    let enable = enable::WORDS.iter().map(|&(name, bit)| (name, a.enable & bit != 0, b.enable & bit != 0));
    disable.chain(enable).collect()
}
