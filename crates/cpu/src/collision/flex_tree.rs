//! Which elements of deformable bodies are near each other, or near a geom: pairs of leaves of their hierarchies of bounding
//! boxes whose boxes, and those of all nodes above them, are near (Ericson, *Real-Time Collision Detection*, chapter 6).

use crate::math::{Vec3, vec3};
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::model::flex_tree::FlexTree;
use manyworlds_model::real::Real;

/// Marks all hierarchies as those of other positions.
pub(super) fn forget_boxes<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    d.flex_trees.resize_with(m.sizes.nflex, FlexTree::default);
    d.flex_trees.iter_mut().for_each(|tree| tree.is_current = false);
}

/// Takes the hierarchy of a flex out of the world, with the boxes of the present positions; whoever takes it puts it back.
pub(super) fn take_tree<T: Real>(m: &Model<T>, d: &mut Data<T>, f: usize) -> FlexTree<T> {
    let mut tree = std::mem::take(&mut d.flex_trees[f]);
    let (first, count) = (m.flex_elemadr[f] as usize, m.flex_elemnum[f] as usize);
    if tree.order.len() != count || tree.boxes.is_empty() {
        tree.resize(count);
        let leaves = tree.leaves();
        sort_elements(&mut tree, &d.flexelem_aabb[6 * first..], 0..leaves);
    }
    if !tree.is_current {
        refit(&mut tree, &d.flexelem_aabb[6 * first..]);
        tree.is_current = true;
    }
    tree
}

/// Sorts the elements of some leaves, so that each half of them is on a side of the other, and each half of these.
fn sort_elements<T: Real>(tree: &mut FlexTree<T>, bounds: &[T], leaves: std::ops::Range<usize>) {
    if leaves.len() < 2 {
        return;
    }
    let middle = leaves.start + leaves.len() / 2;
    let [begin, half, end] = [leaves.start, middle, leaves.end].map(|leaf| tree.first_of(leaf));
    let centre = |elem: u32| vec3(bounds, 2 * elem as usize);
    let elements = &mut tree.order[begin..end];
    // along the axis in which the centres lie farthest apart
    let (mut low, mut high) = (Vec3([T::of(f64::INFINITY); 3]), Vec3([T::of(f64::NEG_INFINITY); 3]));
    for &mut elem in &mut *elements {
        let centre = centre(elem);
        low = Vec3::from_fn(|k| low[k].min(centre[k]));
        high = Vec3::from_fn(|k| high[k].max(centre[k]));
    }
    let extent = high - low;
    let axis = (1..3).fold(0, |axis, k| if extent[k] > extent[axis] { k } else { axis });
    if (1..elements.len()).contains(&(half - begin)) {
        let along = |elem: u32| centre(elem)[axis].f64();
        elements.select_nth_unstable_by(half - begin, |a, b| along(*a).total_cmp(&along(*b)).then(a.cmp(b)));
    }
    sort_elements(tree, bounds, leaves.start..middle);
    sort_elements(tree, bounds, middle..leaves.end);
}

/// Boxes of all nodes, from the leaves up, a little larger than those of the elements, for rounding.
fn refit<T: Real>(tree: &mut FlexTree<T>, bounds: &[T]) {
    let leaves = tree.leaves();
    let (infinity, slack) = (T::of(f64::INFINITY), T::of(4.0) * T::EPSILON);
    let bounds = bounds.as_chunks::<6>().0;
    for leaf in 0..leaves {
        let (mut low, mut high) = ([infinity; 3], [-infinity; 3]);
        for &elem in &tree.order[tree.first_of(leaf)..tree.first_of(leaf + 1)] {
            let [x, y, z, half @ ..] = bounds[elem as usize];
            for (k, centre) in [x, y, z].into_iter().enumerate() {
                let half = half[k] + slack * (half[k] + centre.abs());
                low[k] = lesser(low[k], centre - half);
                high[k] = greater(high[k], centre + half);
            }
        }
        tree.boxes[leaves + leaf] = [low[0], low[1], low[2], high[0], high[1], high[2]];
    }
    for node in (1..leaves).rev() {
        let [a, b] = [tree.boxes[2 * node], tree.boxes[2 * node + 1]];
        let side = |k: usize| if k < 3 { lesser(a[k], b[k]) } else { greater(a[k], b[k]) };
        tree.boxes[node] = std::array::from_fn(side);
    }
}

/// The lesser of two numbers, by one comparison.
#[inline(always)]
fn lesser<T: Real>(a: T, b: T) -> T {
    if b < a { b } else { a }
}

/// The greater of two numbers, by one comparison.
#[inline(always)]
fn greater<T: Real>(a: T, b: T) -> T {
    if b > a { b } else { a }
}

/// True if two boxes are farther from each other than a distance along some axis.
#[inline(always)]
fn is_apart<T: Real>(a: &[T; 6], b: &[T; 6], distance: T) -> bool {
    let gap = |k: usize| greater(a[k] - b[3 + k], b[k] - a[3 + k]) > distance;
    gap(0) || gap(1) || gap(2)
}

/// Hands each pair of elements in near leaves of a hierarchy to a function.
pub(super) fn pairs_within<T: Real>(tree: &FlexTree<T>, distance: T, each: &mut impl FnMut(u32, u32)) {
    pairs_below(tree, 1, distance, each);
}

/// [`pairs_within`] a node.
fn pairs_below<T: Real>(tree: &FlexTree<T>, node: usize, distance: T, each: &mut impl FnMut(u32, u32)) {
    if node < tree.leaves() {
        pairs_below(tree, 2 * node, distance, each);
        pairs_below(tree, 2 * node + 1, distance, each);
        return pairs_of_nodes((tree, 2 * node), (tree, 2 * node + 1), distance, each);
    }
    let elements = tree.elements(node);
    for (k, &elem) in elements.iter().enumerate() {
        elements[k + 1..].iter().for_each(|&other| each(elem, other));
    }
}

/// Hands each pair of elements in near leaves of two hierarchies to a function.
pub(super) fn pairs_between<T: Real>(
    one: &FlexTree<T>,
    two: &FlexTree<T>,
    distance: T,
    each: &mut impl FnMut(u32, u32),
) {
    pairs_of_nodes((one, 1), (two, 1), distance, each);
}

/// [`pairs_between`] the elements below two nodes.
fn pairs_of_nodes<T: Real>(
    (one, a): (&FlexTree<T>, usize),
    (two, b): (&FlexTree<T>, usize),
    distance: T,
    each: &mut impl FnMut(u32, u32),
) {
    if is_apart(&one.boxes[a], &two.boxes[b], distance) {
        return;
    }
    let children =
        |tree: &FlexTree<T>, node| if node < tree.leaves() { 2 * node..2 * node + 2 } else { node..node + 1 };
    let (parts, others) = (children(one, a), children(two, b));
    if parts.start == a && others.start == b {
        for &elem in one.elements(a) {
            two.elements(b).iter().for_each(|&other| each(elem, other));
        }
        return;
    }
    for part in parts {
        others.clone().for_each(|other| pairs_of_nodes((one, part), (two, other), distance, each));
    }
}

/// Hands each element in leaves near a box, of which centre and half sizes are given, to a function.
pub(super) fn elements_near<T: Real>(
    tree: &FlexTree<T>,
    bounds: &[T; 6],
    distance: T,
    each: &mut impl FnMut(u32),
) {
    let [x, y, z, half @ ..] = *bounds;
    let centre = [x, y, z];
    let corner = |k: usize| if k < 3 { centre[k] - half[k] } else { centre[k - 3] + half[k - 3] };
    elements_below(tree, 1, &std::array::from_fn(corner), distance, each);
}

/// [`elements_near`] of a node.
fn elements_below<T: Real>(
    tree: &FlexTree<T>,
    node: usize,
    bounds: &[T; 6],
    distance: T,
    each: &mut impl FnMut(u32),
) {
    if is_apart(&tree.boxes[node], bounds, distance) {
        return;
    }
    if node < tree.leaves() {
        elements_below(tree, 2 * node, bounds, distance, each);
        elements_below(tree, 2 * node + 1, bounds, distance, each);
    } else {
        tree.elements(node).iter().for_each(|&elem| each(elem));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::random::Random;

    /// True if two boxes, of which centre and half sizes are given, are within a distance along all axes.
    fn are_near(a: &[f64; 6], b: &[f64; 6], distance: f64) -> bool {
        (0..3).all(|k| (a[k] - b[k]).abs() <= a[3 + k] + b[3 + k] + distance)
    }

    /// A hierarchy of so many boxes, and the boxes.
    fn forest(random: &mut Random, count: usize) -> (FlexTree<f64>, Vec<[f64; 6]>) {
        let boxes: Vec<[f64; 6]> = (0..count)
            .map(|_| {
                let (Vec3([x, y, z]), Vec3([a, b, c])) = (random.vector(), random.vector() * 0.05);
                [x, y, z, a.abs(), b.abs(), c.abs()]
            })
            .collect();
        let mut tree = FlexTree::default();
        tree.resize(count);
        let leaves = tree.leaves();
        sort_elements(&mut tree, boxes.as_flattened(), 0..leaves);
        refit(&mut tree, boxes.as_flattened());
        (tree, boxes)
    }

    #[test]
    fn each_near_pair_is_found_once() {
        let (mut random, distance) = (Random(5), 0.1);
        for count in [1, 2, 5, 64, 301] {
            let (tree, boxes) = forest(&mut random, count);
            let (other, others) = forest(&mut random, count + 3);
            let (mut within, mut between) = (Vec::new(), Vec::new());
            pairs_within(&tree, distance, &mut |a, b| within.push((a.min(b), a.max(b))));
            pairs_between(&tree, &other, distance, &mut |a, b| between.push((a, b)));
            for (found, boxes, others, same) in
                [(&mut within, &boxes, &boxes, true), (&mut between, &boxes, &others, false)]
            {
                found.sort_unstable();
                let all = found.len();
                found.dedup();
                assert_eq!(found.len(), all);
                for (k, a) in boxes.iter().enumerate() {
                    let first = if same { k + 1 } else { 0 };
                    for (l, b) in others.iter().enumerate().skip(first) {
                        let is_found = found.binary_search(&(k as u32, l as u32)).is_ok();
                        assert!(is_found || !are_near(a, b, distance), "{k} {l} of {count}");
                    }
                }
            }
            // far pairs are left out
            assert!(count < 300 || within.len() < count * count / 8, "{}", within.len());
            let mut near = Vec::new();
            elements_near(&tree, &others[0], distance, &mut |elem| near.push(elem as usize));
            let missed = |k: &usize| are_near(&boxes[*k], &others[0], distance) && !near.contains(k);
            assert_eq!((0..count).find(missed), None);
        }
    }
}
