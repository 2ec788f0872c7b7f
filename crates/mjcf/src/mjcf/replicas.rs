//! Replication of elements in other sections that refer into a replicate.

use std::collections::{HashMap, HashSet};

use super::Reader;
use super::context::MAX_ELEMENTS;
use crate::spec::Spec;
use crate::spec::{Index, Kind, Refers, bases};

/// Namespaces of the copies of every name inside a replicate, by its name without suffixes.
type Copies = HashMap<(Kind, String), Vec<Copy>>;

/// Namespaces of a copy.
#[derive(Clone, Copy)]
struct Copy {
    /// Innermost enclosing replicate.
    replicate: usize,
    /// Its own, possibly of an attached model.
    own: usize,
}

/// Replaces every element that refers into replicates by one per copy, appended after all others.
pub(super) fn expand(reader: &mut Reader<'_>) {
    if reader.spec.scopes.iter().all(|s| s.suffix.is_empty()) {
        return;
    }
    let spec = &mut reader.spec;
    let mut ok = true;
    macro_rules! lists {
        ($($list:ident)*) => {
            $(
                let items = std::mem::take(&mut spec.$list);
                spec.$list = copy_all(spec, items, &mut ok);
            )*
        };
    }
    // referenced kinds come first
    lists!(tendons actuators equalities sensors pairs excludes);
    // keyframes refer to the first copy of an actuator; the others are new
    let mut known = HashSet::new();
    for actuator in &mut spec.actuators {
        if !known.insert(actuator.uid) {
            actuator.uid = reader.uid;
            reader.uid += 1;
        }
    }
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
    let copies = copies(spec, &index);
    let (mut plain, mut copied) = (Vec::new(), Vec::new());
    for item in items {
        match copies_of(spec, &copies, &index, &item) {
            None => plain.push(item),
            Some(found) if plain.len() + copied.len() + found.len() > MAX_ELEMENTS => {
                *ok = false;
                return plain;
            }
            Some(found) => copied.extend(found.iter().map(|found| {
                let mut copy = item.clone();
                // an element of the attached model has the prefix of its target
                let scope = if item.base().scope == 0 { found.replicate } else { found.own };
                copy.base_mut().scope = scope;
                (found.replicate, copy)
            })),
        }
    }
    // copy by copy, in namespace order
    copied.sort_by_key(|c| c.0);
    plain.extend(copied.into_iter().map(|c| c.1));
    plain
}

/// Copies of the innermost replicate that an element refers into. All its references must be inside that replicate or
/// its ancestors, or to elements that are not replicated; spatial tendons may also pass through elements outside.
fn copies_of<'a>(spec: &Spec, copies: &'a Copies, index: &Index, item: &impl Refers) -> Option<&'a [Copy]> {
    let scope = item.base().scope;
    let mut found: Option<&[Copy]> = None;
    for (kind, target) in item.refs() {
        if target.name.is_empty() || !is_copied(kind) || (kind, target.name.as_str()) == (Kind::Body, "world")
        {
            continue;
        }
        let name = (kind, spec.full_name(&target.name, scope));
        let outside = index.resolve(spec, kind, &target.name, scope).is_some();
        if outside && item.passes_outside() {
            continue;
        }
        let here = copies.get(&name).filter(|_| !outside)?;
        found = match found {
            Some(inner) if all_inside(spec, inner, here) => Some(inner),
            Some(outer) if !all_inside(spec, here, outer) => return None,
            _ => Some(here),
        };
    }
    found
}

/// True if every copy is, or is nested in, one of the others.
fn all_inside(spec: &Spec, inner: &[Copy], outer: &[Copy]) -> bool {
    let outer: HashSet<usize> = outer.iter().map(|c| c.replicate).collect();
    inner.iter().all(|c| {
        let up = |s: &usize| spec.scopes.get(*s).and_then(|s| s.parent);
        std::iter::successors(Some(c.replicate), up).any(|s| outer.contains(&s))
    })
}

/// Kinds that replicates copy.
fn is_copied(kind: Kind) -> bool {
    !matches!(kind, Kind::Mesh | Kind::HField | Kind::Texture | Kind::Material | Kind::Plugin)
}

fn copies(spec: &Spec, index: &Index) -> Copies {
    let mut copies = Copies::new();
    for &kind in Kind::ALL.iter().filter(|k| is_copied(**k)) {
        for base in bases(spec, kind).filter(|b| !b.name.is_empty()) {
            // every enclosing replicate copies its contents, under the names made by nested ones
            let mut name = base.name.clone();
            let mut at = Some(base.scope);
            while let Some(s) = at {
                let scope = &spec.scopes[s];
                name.insert_str(0, &scope.prefix);
                if !scope.suffix.is_empty() {
                    let outside = scope.parent.map_or(String::new(), |p| prefixes(spec, p));
                    let name = format!("{outside}{name}");
                    if index.get(kind, &name).is_none() {
                        copies.entry((kind, name)).or_default().push(Copy { replicate: s, own: base.scope });
                    }
                }
                name.push_str(&scope.suffix);
                at = scope.parent;
            }
        }
    }
    copies
}

/// Concatenated prefixes of a namespace and its ancestors.
fn prefixes(spec: &Spec, scope: usize) -> String {
    let mut all = String::new();
    let mut at = Some(scope);
    while let Some(scope) = at.and_then(|s| spec.scopes.get(s)) {
        all.insert_str(0, &scope.prefix);
        at = scope.parent;
    }
    all
}
