//! Elements of other sections that refer into a replicate are replicated with it.

use std::collections::HashMap;

use super::Reader;
use super::body::MAX_ELEMENTS;
use super::index::{Index, Kind, Refers, bases};
use super::spec::Spec;

/// For every name inside a replicate, as it is without suffixes, the name spaces of its copies.
type Copies = HashMap<(Kind, String), Vec<usize>>;

/// Replaces every element that refers into replicates by one for each copy, behind all others.
pub(super) fn expand(reader: &mut Reader<'_>) {
    if reader.spec.scopes.iter().all(|s| s.suffix.is_empty()) {
        return;
    }
    let spec = &mut reader.spec;
    let mut ok = true;
    let tendons = std::mem::take(&mut spec.tendons);
    spec.tendons = copy_all(spec, tendons, &mut ok);
    let actuators = std::mem::take(&mut spec.actuators);
    spec.actuators = copy_all(spec, actuators, &mut ok);
    let pairs = std::mem::take(&mut spec.pairs);
    spec.pairs = copy_all(spec, pairs, &mut ok);
    let excludes = std::mem::take(&mut spec.excludes);
    spec.excludes = copy_all(spec, excludes, &mut ok);
    if !ok {
        let span = spec.bodies[0].base.at.element;
        reader.log.add(
            span,
            format!("the model has more than {MAX_ELEMENTS} elements"),
            "lower the count of replicate",
        );
    }
}

fn copy_all<T: Refers + Clone>(spec: &Spec, items: Vec<T>, ok: &mut bool) -> Vec<T> {
    let index = Index::new(spec);
    let copies = copies(spec);
    let (mut plain, mut copied) = (Vec::new(), Vec::new());
    for item in items {
        // the first reference that only copies have decides
        let scope = item.base().scope;
        let inside = item.refs().into_iter().find_map(|(kind, target)| {
            if index.resolve(spec, kind, &target.name, scope).is_some() {
                return None;
            }
            copies.get(&(kind, spec.full_name(&target.name, scope)))
        });
        match inside {
            None => plain.push(item),
            Some(scopes) if plain.len() + copied.len() + scopes.len() > MAX_ELEMENTS => {
                *ok = false;
                return plain;
            }
            Some(scopes) => copied.extend(scopes.iter().map(|&scope| {
                let mut copy = item.clone();
                copy.base_mut().scope = scope;
                (scope, copy)
            })),
        }
    }
    // copy by copy, in the order of the name spaces
    copied.sort_by_key(|c| c.0);
    plain.extend(copied.into_iter().map(|c| c.1));
    plain
}

fn copies(spec: &Spec) -> Copies {
    let mut copies = Copies::new();
    for kind in [Kind::Body, Kind::Joint, Kind::Geom, Kind::Site, Kind::Tendon] {
        for base in bases(spec, kind).filter(|b| !b.name.is_empty()) {
            // walk out to the nearest suffix; prefixes on the way belong to the name
            let mut name = base.name.clone();
            let mut nearest = None;
            let mut at = Some(base.scope);
            while let Some(s) = at {
                let scope = &spec.scopes[s];
                if nearest.is_none() && !scope.suffix.is_empty() {
                    nearest = Some(s);
                }
                name = format!("{}{name}", scope.prefix);
                at = scope.parent;
            }
            if let Some(scope) = nearest {
                copies.entry((kind, name)).or_default().push(scope);
            }
        }
    }
    copies
}
