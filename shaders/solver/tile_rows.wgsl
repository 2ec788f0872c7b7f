// Rows of tiles of the Hessian: its lower triangle is cut into tiles of 4 x 4, and every tree begins a new row of them,
// so that trees that nothing couples share none. Tiles inside the skyline are numbered from the last row of tiles up,
// each row from its first tile to the diagonal. On the CPU, islands are solved one by one instead:
// crates/cpu/src/constraint/islands.rs.

import package::constraint::cone::{self, heads_cone, in_cone};
import package::constraint::constraint_cost::constraint_update;
import package::constraint::row_place::{ROW_PARTS, part_begin, part_end, row_at, row_begin, row_end, row_has, row_width};
import package::runtime::group::{group_max, lane, slot, sync};
import package::solver::hessian::row_weight;
import package::solver::skyline::first_in_metric;
import package::solver::state::rows;

//#if TILES
// Row of tiles: its degrees of freedom, its tree among those of the group, its first tile, the number of that tile less
// its column, and the rows of tiles that are coupled with it.
struct TileRow {
    dof: u32,
    dof_end: u32,
    tree: u32,
    first: u32,
    origin: u32,
    begin: u32,
    end: u32,
}

// bits of runs of `rows_per_bit` rows: those that touch a row of tiles, those with a weight in the Hessian that has
// changed, with a force, and with the head of a sliding contact
var<workgroup> touching: array<array<atomic<u32>, row_words>, tile_rows_length>;
var<workgroup> changed: array<atomic<u32>, row_words_length>;
var<workgroup> pushing: array<atomic<u32>, row_words_length>;
//#if ELLIPTIC
var<workgroup> sliding: array<atomic<u32>, row_words_length>;
//#if LANE_TILES
// by world: normal rows of some sliding contacts, and how many rows each adds to the Hessian; elements of these rows at
// the places of degrees of freedom
var<workgroup> sliding_contacts: array<vec2u, sliding_length>;
var<workgroup> sliding_rows: array<vec4f, sliding_rows_length>;
//#endif
//#endif

// rows of tiles of the largest part of the Hessian that is coupled
var<private> most_coupled: u32;

//#if STORED_TILES
// Rows of tiles that are coupled with each other, and with no others.
struct TilePart {
    begin: u32,
    end: u32,
}
//#endif

//#if SPARSE
var<workgroup> tile_rows_of: array<TileRow, tile_rows_length>;
// by world and tree: its first row of tiles, and the first tree coupled with it
var<workgroup> tree_tiles: array<u32, tree_length>;
var<workgroup> coupled: array<atomic<u32>, tree_length>;
//#if STORED_TILES
// by world: its parts, and how many there are
var<workgroup> tile_parts: array<TilePart, tree_length>;
var<workgroup> part_count: array<u32, worlds_per_group>;
//#endif
//#endif

// Place of degree of freedom i among the elements of all rows of tiles.
//#if SPARSE
fn place(i: u32) -> u32 {
    let t = u32(dof_treeid(i));
    return 4u * tree_tiles[slot * ntree + t] + i - u32(tree_dofadr(t));
}

// First place of the tree of degree of freedom i.
fn tree_place(i: u32) -> u32 {
    return 4u * tree_tiles[slot * ntree + u32(dof_treeid(i))];
}
//#else
fn place(i: u32) -> u32 {
    return i;
}

fn tree_place(i: u32) -> u32 {
    return 0u;
}
//#endif

//#if SPARSE
// Rows of tiles by tree, and what the rows of the Jacobian couple.
fn find_tile_rows() {
    for (var t = lane; t < ntree; t += lanes) {
        var first = 0u;
        for (var before = 0u; before < t; before++) {
            first += (u32(tree_dofnum(before)) + 3u) / 4u;
        }
        tree_tiles[slot * ntree + t] = first;
        atomicStore(&coupled[slot * ntree + t], t);
    }
    workgroupBarrier();
    for (var r = lane; r < rows; r += lanes) {
        if (row_begin(r) < row_end(r)) {
            let first = u32(dof_treeid(row_begin(r)));
            let last = u32(dof_treeid(row_end(r) - 1u));
            atomicMin(&coupled[slot * ntree + last], first);
        }
    }
//#if METRIC_TERMS
    for (var t = lane; t < ntree; t += lanes) {
        atomicMin(&coupled[slot * ntree + t], u32(dof_treeid(first_in_metric(t))));
    }
//#endif
    workgroupBarrier();
    // trees between two coupled ones count as coupled with the first as well, so that there is no fill-in outside the
    // skyline
    var most = 0u;
    if (lane == 0u) {
        var first = ntree;
        var end = tile_rows;
        for (var up = 0u; up < ntree; up++) {
            let t = ntree - 1u - up;
            let at = slot * ntree + t;
            first = min(first, atomicLoad(&coupled[at]));
            atomicStore(&coupled[at], first);
            let rows_end = tree_tiles[at] + (u32(tree_dofnum(t)) + 3u) / 4u;
            for (var b = tree_tiles[at]; b < rows_end; b++) {
                tile_rows_of[slot * tile_rows + b].end = end;
            }
            if (first == t) {
                most = max(most, end - tree_tiles[at]);
                end = tree_tiles[at];
            }
        }
    }
    most_coupled = group_max(most);
    // rows of tiles of each tree
    for (var t = lane; t < ntree; t += lanes) {
        let at = slot * ntree + t;
        let adr = u32(tree_dofadr(t));
        let end = adr + u32(tree_dofnum(t));
        let first = tree_tiles[slot * ntree + atomicLoad(&coupled[at])];
        var start = t;
        while (atomicLoad(&coupled[slot * ntree + start]) < start) {
            start = atomicLoad(&coupled[slot * ntree + start]);
        }
        let begin = tree_tiles[slot * ntree + start];
        var b = slot * tile_rows + tree_tiles[at];
        for (var i = adr; i < end; i += 4u) {
            tile_rows_of[b] = TileRow(i, min(i + 4u, end), at, first, 0u, begin, tile_rows_of[b].end);
            b++;
        }
    }
    workgroupBarrier();
}

// Row of tiles b.
fn tile_row_of(b: u32) -> TileRow {
    return tile_rows_of[slot * tile_rows + b];
}

// Stores the number of the first tile of row b, less its column.
fn set_tile_origin(b: u32, origin: u32) {
    if (lane == 0u) {
        tile_rows_of[slot * tile_rows + b].origin = origin;
    }
}
//#else
// The rows of tiles of a single tree are known: all are coupled.
fn find_tile_rows() {
    most_coupled = tile_rows;
}

// Row of tiles b.
fn tile_row_of(b: u32) -> TileRow {
    return TileRow(4u * b, min(4u * b + 4u, nv), 0u, 0u, tile_count - (b + 1u) * (b + 2u) / 2u, 0u, tile_rows);
}

// The numbers of the tiles of a single tree are known.
fn set_tile_origin(b: u32, origin: u32) {
}
//#endif

//#if STORED_TILES
//#if SPARSE
// Parts of the Hessian: trees that are coupled with none before them begin one.
fn find_parts() {
    if (lane == 0u) {
        var count = 0u;
        for (var t = 0u; t < ntree; t++) {
            let at = slot * ntree + t;
            if (atomicLoad(&coupled[at]) == t) {
                let first = tree_tiles[at];
                tile_parts[slot * ntree + count] = TilePart(first, tile_row_of(first).end);
                count++;
            }
        }
        part_count[slot] = count;
    }
    workgroupBarrier();
}

// Number of parts.
fn parts_of_world() -> u32 {
    return part_count[slot];
}

// Part p.
fn part_of(p: u32) -> TilePart {
    return tile_parts[slot * ntree + p];
}
//#else
// A single tree is one part.
fn find_parts() {
}

fn parts_of_world() -> u32 {
    return 1u;
}

fn part_of(p: u32) -> TilePart {
    return TilePart(0u, tile_rows);
}
//#endif
//#endif

// Part of row r of the Jacobian in a row of tiles.
fn row_of_tile(r: u32, b: TileRow) -> vec4f {
    if (rows_per_bit > 1u && !row_has(r, b.dof)) {
        return vec4f(0.0);
    }
    let at = row_at(r, b.dof);
    let yzw = vec3f(efc_J(at + 1u), efc_J(at + 2u), efc_J(at + 3u));
    let inside = vec3u(b.dof) + vec3u(1u, 2u, 3u) < vec3u(b.dof_end);
    return vec4f(efc_J(at), select(vec3f(0.0), yzw, inside));
}

//#if METRIC_TERMS
// Elements of row i of the metric that tendons and actuators couple with the degrees of freedom of a row of tiles.
fn terms_of_tile(i: u32, b: TileRow) -> vec4f {
    // without a branch: SwiftShader loses sums of vectors in branches within loops
    var sum = vec4f(0.0);
//#if TENDON
    for (var ten = 0u; ten < ntendon; ten++) {
        var own = 0.0;
        var others = vec4f(0.0);
        let adr = u32(ten_J_rowadr(ten));
        for (var l = adr; l < adr + u32(ten_J_rownnz(ten)); l++) {
            let j = u32(ten_J_colind(l));
            own += select(0.0, ten_J(l), j == i);
            others += element_of_tile(j, b, ten_J(l));
        }
        sum += metric_tendon(4u * ten + 2u) * own * others;
    }
//#endif
//#if ACTUATION
    for (var k = u32(dof_momentbegin(i)); k < u32(dof_momentend(i)); k++) {
        let out = u32(moment_rowind(k));
        let own = select(0.0, actuator_moment(k), u32(moment_colind(k)) == i);
        var others = vec4f(0.0);
        let adr = u32(moment_rowadr(out));
        for (var l = adr; l < adr + u32(moment_rownnz(out)); l++) {
            others += element_of_tile(u32(moment_colind(l)), b, actuator_moment(l));
        }
        sum += metric_actuator(4u * out + 2u) * own * others;
    }
//#endif
    return sum;
}

// A number at the place of a degree of freedom in a row of tiles; zeros if it is in another one.
fn element_of_tile(j: u32, b: TileRow, x: f32) -> vec4f {
    let places = vec4u(b.dof) + vec4u(0u, 1u, 2u, 3u);
    return select(vec4f(0.0), vec4f(x), (places == vec4u(j)) & (places < vec4u(b.dof_end)));
}
//#endif

// Word of the bit of row r, and the bit.
fn bit_of_row(r: u32) -> vec2u {
    let run = r / rows_per_bit;
    return vec2u(run / 32u, 1u << (run % 32u));
}

// First row of bit `k` of word w, and the number of its rows.
fn rows_of_bit(w: u32, k: u32) -> vec2u {
    let first = (32u * w + k) * rows_per_bit;
    return vec2u(first, select(min(rows_per_bit, rows - first), 1u, rows_per_bit == 1u));
}

// Words of bits that this world uses.
fn used_words() -> u32 {
    return (rows + 32u * rows_per_bit - 1u) / (32u * rows_per_bit);
}

// Bits of word w, of those given, whose rows touch both rows of tiles.
fn rows_between(given: u32, a: u32, b: u32, w: u32) -> u32 {
    if (given == 0u) {
        return 0u;
    }
    return given & atomicLoad(&touching[slot * tile_rows + a][w]) & atomicLoad(&touching[slot * tile_rows + b][w]);
}

// Rows of tiles in which a row of the Jacobian is not zero.
fn find_touching_rows() {
    for (var r = lane; r < rows; r += lanes) {
        for (var part = 0u; part < ROW_PARTS; part++) {
            let begin = part_begin(r, part);
            let end = part_end(r, part);
            if (begin < end) {
                let bit = bit_of_row(r);
//#if ELLIPTIC
                var first = bit;
                if (in_cone(r)) {
                    first = bit_of_row(u32(contact_efc_address(u32(efc_id(r)))));
                }
//#endif
                let last = place(end - 1u) / 4u;
                for (var b = place(begin) / 4u; b <= last; b++) {
                    let x = row_of_tile(r, tile_row_of(b));
                    if (x.x != 0.0 || x.y != 0.0 || x.z != 0.0 || x.w != 0.0) {
                        atomicOr(&touching[slot * tile_rows + b][bit.x], bit.y);
//#if ELLIPTIC
                        // the normal row of a cone stands for all of its rows
                        atomicOr(&touching[slot * tile_rows + b][first.x], first.y);
//#endif
                    }
                }
            }
        }
    }
    sync();
}

// Row forces, the constraint force, and which rows have other weights in the Hessian than before.
fn weigh_rows() {
//#if ELLIPTIC
    for (var r = lane; r < rows; r += lanes) {
        if (heads_cone(r)) {
            cone::set_state__solver_Jaref(r);
        }
    }
//#endif
    for (var w = lane; w < row_words; w += lanes) {
        atomicStore(&changed[slot * row_words + w], 0u);
        atomicStore(&pushing[slot * row_words + w], 0u);
//#if ELLIPTIC
        atomicStore(&sliding[slot * row_words + w], 0u);
//#endif
    }
    sync();
    for (var r = lane; r < rows; r += lanes) {
        let bit = bit_of_row(r);
        let word = slot * row_words + bit.x;
//#if ELLIPTIC
        var weight = 0.0;
        if (in_cone(r)) {
            let head = u32(contact_efc_address(u32(efc_id(r))));
            cone::set_force__solver_Jaref(head, r - head);
            // the terms of a sliding contact change with every step
            let slides = solver_quad_vec3(head).z != 0.0;
            weight = select(row_weight(r), 0.0, slides);
            if (slides && r == head) {
                atomicOr(&sliding[word], bit.y);
            }
        } else {
            constraint_update__solver_Jaref(r);
            weight = row_weight(r);
        }
//#else
        constraint_update__solver_Jaref(r);
        let weight = row_weight(r);
//#endif
        let change = weight - solver_weight(r);
        set_solver_weight(r, weight);
        set_solver_weight_change(r, change);
        if (change != 0.0) {
            atomicOr(&changed[word], bit.y);
        }
        if (efc_force(r) != 0.0) {
            atomicOr(&pushing[word], bit.y);
        }
    }
    sync();
    for (var i = lane; i < nv; i += lanes) {
        let own = slot * tile_rows + place(i) / 4u;
        var sum = 0.0;
        for (var w = 0u; w < used_words(); w++) {
            var left = atomicLoad(&pushing[slot * row_words + w]) & atomicLoad(&touching[own][w]);
            while (left != 0u) {
                let run = rows_of_bit(w, firstTrailingBit(left));
                left &= left - 1u;
                for (var q = 0u; q < run.y; q++) {
                    let r = run.x + q;
                    if (rows_per_bit == 1u || row_has(r, i)) {
                        sum += efc_J(row_at(r, i)) * efc_force(r);
                    }
                }
            }
        }
        set_solver_JTf(i, sum);
    }
}

//#if ELLIPTIC
//#if LANE_TILES
// Number of sliding contacts.
fn sliding_count() -> u32 {
    var count = 0u;
    for (var w = 0u; 32u * w < rows; w++) {
        count += countOneBits(atomicLoad(&sliding[slot * row_words + w]));
    }
    return count;
}

// Lists the sliding contacts from number `first` on that have room at once; returns how many these are.
fn list_sliding_contacts(first: u32) -> u32 {
    for (var r = lane; r < rows; r += lanes) {
        let bit = bit_of_row(r);
        let bits = atomicLoad(&sliding[slot * row_words + bit.x]);
        if ((bits & bit.y) != 0u) {
            var number = countOneBits(bits & (bit.y - 1u)) - first;
            for (var w = 0u; w < bit.x; w++) {
                number += countOneBits(atomicLoad(&sliding[slot * row_words + w]));
            }
            if (number < sliding_at_once) {
                let rows_after = u32(contact_dim(u32(efc_id(r)))) - 1u;
                sliding_contacts[slot * sliding_at_once + number] = vec2u(r, rows_after);
            }
        }
    }
    workgroupBarrier();
    return min(max(sliding_count(), first) - first, sliding_at_once);
}

// The Hessian of the sliding contacts that are listed as rows of weight one: what a contact adds is the sum of their
// squares. A lane finds a column of them.
fn set_sliding_rows(count: u32) {
    for (var k = lane; k < count * nv; k += lanes) {
        let own = slot * sliding_at_once + k / nv;
        let i = k % nv;
        let at = place(i);
        let bit = bit_of_row(sliding_contacts[own].x);
        if ((atomicLoad(&touching[slot * tile_rows + at / 4u][bit.x]) & bit.y) != 0u) {
            set_sliding_column(own, i, own * cone_rows * tile_rows + at / 4u, at % 4u);
        }
    }
    workgroupBarrier();
}

// Column i of the rows of a listed contact, at element q of tiles from `to` on. The first row is the distance to the cone.
// The others are the scaled tangential rows, reflected so that one of them, which is left out, is the derivative of
// their norm: the norm is curved in all directions but its own.
fn set_sliding_column(own: u32, i: u32, to: u32, q: u32) {
    let head = sliding_contacts[own].x;
    let count = sliding_contacts[own].y;
    let column = row_at(head, i);
    var norm = 0.0;
    for (var k = 1u; k <= count; k++) {
        norm += solver_hess_slope(head + k) * efc_J(column + k * row_width());
    }
    sliding_rows[to][q] = solver_quad_vec3(head).z * (efc_J(column) - norm);
    // the reflection takes the direction of the tangential rows to the first of them
    let root = solver_quad_vec3(head + 1u).z;
    let scale = sqrt(max(solver_hess_diag(head + 1u), MINVAL));
    let direction = root * solver_hess_slope(head + 1u) / scale;
    let tangent = scale * efc_J(column + row_width());
    let share = root * (root * norm + select(tangent, -tangent, direction < 0.0)) / (1.0 + abs(direction));
    for (var k = 2u; k <= count; k++) {
        let scale = sqrt(max(solver_hess_diag(head + k), MINVAL));
        let tangent = scale * efc_J(column + k * row_width());
        sliding_rows[to + (k - 1u) * tile_rows][q] = tangent - solver_hess_slope(head + k) / scale * share;
    }
}
//#endif
//#endif

// Least pivots of a row of tiles: constraint rows only add to the inertia, so rounding apart no pivot is below that of
// the inertia.
fn least_pivots(row: TileRow) -> vec4f {
    let last = row.dof_end - 1u;
    let inverse = vec4f(
        qLDiagInv(row.dof),
        qLDiagInv(min(row.dof + 1u, last)),
        qLDiagInv(min(row.dof + 2u, last)),
        qLDiagInv(min(row.dof + 3u, last)),
    );
    return 1.0 / max(inverse, vec4f(MINVAL));
}

// A diagonal tile with its factors, its inverse pivots, and what is left of its right-hand side.
struct FactoredDiagonal {
    r0: vec4f,
    r1: vec4f,
    r2: vec4f,
    r3: vec4f,
    inverse: vec4f,
    rhs: vec4f,
}

// Factors the diagonal tile of these rows, from the last pivot up.
fn factored_diagonal(r0: vec4f, r1: vec4f, r2: vec4f, d3: vec4f, least: vec4f, rhs: vec4f) -> FactoredDiagonal {
    var d2 = r2.xyz;
    var d1 = r1.xy;
    var d0 = r0.x;
    var b = rhs;
    var inv: vec4f;
    inv.w = 1.0 / max(d3.w, least.w);
    let f3 = -(d3.xyz * inv.w);
    b = vec4f(b.xyz - d3.xyz * (b.w * inv.w), b.w);
    d2 += f3.z * d3.xyz;
    d1 += f3.y * d3.xy;
    d0 += f3.x * d3.x;
    inv.z = 1.0 / max(d2.z, least.z);
    let f2 = -(d2.xy * inv.z);
    b = vec4f(b.xy - d2.xy * (b.z * inv.z), b.zw);
    d1 += f2.y * d2.xy;
    d0 += f2.x * d2.x;
    inv.y = 1.0 / max(d1.y, least.y);
    b.x -= d1.x * (b.y * inv.y);
    d0 -= d1.x * inv.y * d1.x;
    inv.x = 1.0 / max(d0, least.x);
    return FactoredDiagonal(vec4f(d0), vec4f(d1, d1), vec4f(d2, 0.0), d3, inv, b);
}

// Solution of a row of tiles with its factored diagonal tile: the rows d1 to d3, and inverse pivots.
fn solved_row(d1: vec4f, d2: vec4f, d3: vec4f, inv: vec4f, b: vec4f) -> vec4f {
    var x: vec4f;
    x.x = b.x * inv.x;
    x.y = (b.y - d1.x * x.x) * inv.y;
    x.z = (b.z - d2.x * x.x - d2.y * x.y) * inv.z;
    x.w = (b.w - d3.x * x.x - d3.y * x.y - d3.z * x.z) * inv.w;
    return x;
}
//#endif
