// Newton's method with the tiles of the Hessian (tile_rows.wgsl) in storage: for worlds that have more of them than the
// variables of lanes hold. Lanes take turns with the tiles that are inside the skyline, so that a world pays for what
// its rows couple and not for what they could. The first factors are in workgroup memory, as many as fit. What nothing
// couples is factored side by side. From one iteration to the next only the rows are added whose weights have changed.
// Twin: crates/cpu/src/solver/hessian.rs.

import package::constraint::cone::curvature;
import package::runtime::group::{lane, slot, sync};
import package::solver::hessian::cone_end;
import package::solver::state::rows;
import package::solver::tile_rows::{
    changed, factored_diagonal, find_parts, find_tile_rows, find_touching_rows, least_pivots, most_coupled, part_of,
    parts_of_world, place, row_of_tile, rows_between, rows_of_bit, set_tile_origin, sliding, solved_row, terms_of_tile, tile_row_of,
    touching, used_words, weigh_rows,
};

//#if STORED_TILES
// A tile: its rows.
struct Tile {
    r0: vec4f,
    r1: vec4f,
    r2: vec4f,
    r3: vec4f,
}

// tiles inside the skyline
var<private> tile_total: u32;

// Lanes that share the tiles of a part of the Hessian, this lane among them, its first part, and how far the next is.
struct PartLanes {
    count: u32,
    own: u32,
    part: u32,
    stride: u32,
}

// by world and row of tiles: inverse pivots, and the right-hand side of the Newton step
var<workgroup> inverse_pivot: array<vec4f, tile_rows_length>;
var<workgroup> rhs: array<vec4f, tile_rows_length>;
// the first factors by tile number; the others are in storage
var<workgroup> near_factors: array<array<vec4f, 4>, near_tiles_length>;

// Tile t of the Hessian.
fn hessian_tile(t: u32) -> Tile {
    let at = 4u * t;
    return Tile(
        solver_tiles_vec4(at),
        solver_tiles_vec4(at + 1u),
        solver_tiles_vec4(at + 2u),
        solver_tiles_vec4(at + 3u),
    );
}

// Tile t of the factors.
fn factor_tile(t: u32) -> Tile {
    if (t < near_tiles) {
        let near = slot * near_tiles + t;
        return Tile(near_factors[near][0], near_factors[near][1], near_factors[near][2], near_factors[near][3]);
    }
    let at = 4u * t;
    return Tile(
        solver_tile_factors_vec4(at),
        solver_tile_factors_vec4(at + 1u),
        solver_tile_factors_vec4(at + 2u),
        solver_tile_factors_vec4(at + 3u),
    );
}

// Stores tile t of the factors.
fn set_factor_tile(t: u32, tile: Tile) {
    if (t < near_tiles) {
        near_factors[slot * near_tiles + t] = array<vec4f, 4>(tile.r0, tile.r1, tile.r2, tile.r3);
        return;
    }
    let at = 4u * t;
    set_solver_tile_factors_vec4(at, tile.r0);
    set_solver_tile_factors_vec4(at + 1u, tile.r1);
    set_solver_tile_factors_vec4(at + 2u, tile.r2);
    set_solver_tile_factors_vec4(at + 3u, tile.r3);
}

// Lanes of a part in which `tiles` tiles are due at most.
fn share_parts(tiles: u32) -> PartLanes {
    var count = 1u;
    while (count < min(tiles, lanes)) {
        count *= 2u;
    }
    return PartLanes(count, lane % count, lane / count, lanes / count);
}

// A tile plus x times y'.
fn plus_outer(tile: Tile, x: vec4f, y: vec4f) -> Tile {
    return Tile(tile.r0 + x.x * y, tile.r1 + x.y * y, tile.r2 + x.z * y, tile.r3 + x.w * y);
}

// Places of the tiles, and the Hessian without constraints: the inertia.
fn begin_tiles() {
    find_tile_rows();
    find_parts();
    tile_total = 0u;
    for (var up = 0u; up < tile_rows; up++) {
        let b = tile_rows - 1u - up;
        let first = tile_row_of(b).first;
        set_tile_origin(b, tile_total - first);
        tile_total += b + 1u - first;
    }
    sync();
    // places, and zeros
    for (var b = lane; b < tile_rows; b += lanes) {
        let row = tile_row_of(b);
        for (var c = row.first; c <= b; c++) {
            set_solver_tile_place(row.origin + c, i32(b << 16u | c));
        }
        for (var w = 0u; w < row_words; w++) {
            atomicStore(&touching[slot * tile_rows + b][w], 0u);
        }
        // no row sets the elements past the end of a tree
        rhs[slot * tile_rows + b] = vec4f(0.0);
    }
    for (var k = lane; k < 4u * tile_total; k += lanes) {
        set_solver_tiles_vec4(k, vec4f(0.0));
    }
    for (var r = lane; r < rows; r += lanes) {
        set_solver_weight(r, 0.0);
    }
    sync();
    for (var i = lane; i < nv; i += lanes) {
        let own = place(i);
        let origin = tile_row_of(own / 4u).origin;
        let adr = u32(M_rowadr(i));
        for (var k = adr; k < adr + u32(M_rownnz(i)); k++) {
            let other = own + u32(M_colind(k)) - i;
//#if DISCRETE
            set_solver_tiles(16u * (origin + other / 4u) + 4u * (own % 4u) + other % 4u, metric_M(k));
//#else
            set_solver_tiles(16u * (origin + other / 4u) + 4u * (own % 4u) + other % 4u, M(k));
//#endif
        }
    }
//#if METRIC_TERMS
    sync();
    for (var t = lane; t < tile_total; t += lanes) {
        add_terms(t);
    }
//#endif
    find_touching_rows();
}

//#if METRIC_TERMS
// Adds to tile t of the Hessian what tendons and actuators couple.
fn add_terms(t: u32) {
    let at = u32(solver_tile_place(t));
    let down = tile_row_of(at >> 16u);
    let across = tile_row_of(at & 0xffffu);
    for (var i = down.dof; i < down.dof_end; i++) {
        let to = 4u * t + i - down.dof;
        set_solver_tiles_vec4(to, solver_tiles_vec4(to) + terms_of_tile(i, across));
    }
}
//#endif

// Row forces, constraint force, and Hessian: the rows whose weights have changed.
fn update_rows() {
    weigh_rows();
    for (var t = lane; t < tile_total; t += lanes) {
        add_changed_rows(t);
    }
}

// Adds to tile t of the Hessian the rows whose weights have changed.
fn add_changed_rows(t: u32) {
    let at = u32(solver_tile_place(t));
    let down = tile_row_of(at >> 16u);
    let across = tile_row_of(at & 0xffffu);
    var sum = Tile(vec4f(0.0), vec4f(0.0), vec4f(0.0), vec4f(0.0));
    var any_row = false;
    for (var w = 0u; w < used_words(); w++) {
        var left = rows_between(atomicLoad(&changed[slot * row_words + w]), at >> 16u, at & 0xffffu, w);
        any_row = any_row || left != 0u;
        while (left != 0u) {
            let run = rows_of_bit(w, firstTrailingBit(left));
            left &= left - 1u;
            for (var q = 0u; q < run.y; q++) {
                let r = run.x + q;
                sum = plus_outer(sum, row_of_tile(r, down) * solver_weight_change(r), row_of_tile(r, across));
            }
        }
    }
    if (any_row) {
        let tile = hessian_tile(t);
        let to = 4u * t;
        set_solver_tiles_vec4(to, tile.r0 + sum.r0);
        set_solver_tiles_vec4(to + 1u, tile.r1 + sum.r1);
        set_solver_tiles_vec4(to + 2u, tile.r2 + sum.r2);
        set_solver_tiles_vec4(to + 3u, tile.r3 + sum.r3);
    }
}

//#if ELLIPTIC
// A tile plus the terms of the sliding contacts: a diagonal and two rank-one terms each.
fn plus_sliding_contacts(old: Tile, b: u32, c: u32) -> Tile {
    let down = tile_row_of(b);
    let across = tile_row_of(c);
    var tile = old;
    for (var w = 0u; w < used_words(); w++) {
        var left = rows_between(atomicLoad(&sliding[slot * row_words + w]), b, c, w);
        while (left != 0u) {
            let run = rows_of_bit(w, firstTrailingBit(left));
            left &= left - 1u;
            for (var q = 0u; q < run.y; q++) {
                let head = run.x + q;
                let end = cone_end(head);
                var more_x = vec4f(0.0);
                var more_y = vec4f(0.0);
                var less_x = vec4f(0.0);
                var less_y = vec4f(0.0);
                for (var r = head; r < end; r++) {
                    let x = row_of_tile(r, down);
                    let y = row_of_tile(r, across);
                    let factors = curvature(head, r);
                    more_x += factors.y * x;
                    more_y += factors.y * y;
                    less_x += factors.z * x;
                    less_y += factors.z * y;
                    tile = plus_outer(tile, x * factors.x, y);
                }
                tile = plus_outer(plus_outer(tile, more_x, more_y), -less_x, less_y);
            }
        }
    }
    return tile;
}
//#endif

// Factors H = L' D L from the last row of tiles up, and solves H x = -grad on the way: the search direction.
fn factor_and_solve() {
    for (var i = lane; i < nv; i += lanes) {
        let at = place(i);
        rhs[slot * tile_rows + at / 4u][at % 4u] = -solver_grad(i);
    }
    sync();
    for (var up = 0u; up < most_coupled; up++) {
        let share = share_parts(most_coupled - up);
        // what is left of the tiles of a row after the rows below it, and its diagonal tile factored
        for (var p = share.part; p < parts_of_world(); p += share.stride) {
            let part = part_of(p);
            if (part.begin + up < part.end) {
                let k = part.end - 1u - up;
                let row = tile_row_of(k);
                for (var c = row.first + share.own; c <= k; c += share.count) {
                    let tile = reduced_tile(k, c, part.end);
                    if (c == k) {
                        factor_diagonal_tile(k, tile);
                    } else {
                        set_factor_tile(row.origin + c, tile);
                    }
                }
            }
        }
        sync();
        for (var p = share.part; p < parts_of_world(); p += share.stride) {
            let part = part_of(p);
            if (part.begin + up < part.end) {
                let k = part.end - 1u - up;
                for (var c = tile_row_of(k).first + share.own; c < k; c += share.count) {
                    finish_tile(k, c);
                }
            }
        }
        sync();
    }
    solve_lower();
}

// Tile (k, c) of the Hessian less what the rows of tiles from k + 1 to `end` eliminate of it.
fn reduced_tile(k: u32, c: u32, end: u32) -> Tile {
    var tile = hessian_tile(tile_row_of(k).origin + c);
//#if ELLIPTIC
    tile = plus_sliding_contacts(tile, k, c);
//#endif
    for (var below = k + 1u; below < end; below++) {
        let row = tile_row_of(below);
        if (row.first <= c) {
            let inv = inverse_pivot[slot * tile_rows + below];
            let x = factor_tile(row.origin + k);
            let y = factor_tile(row.origin + c);
            tile = plus_outer(tile, -(x.r3 * inv.w), y.r3);
            tile = plus_outer(tile, -(x.r2 * inv.z), y.r2);
            tile = plus_outer(tile, -(x.r1 * inv.y), y.r1);
            tile = plus_outer(tile, -(x.r0 * inv.x), y.r0);
        }
    }
    return tile;
}

// Factors the diagonal tile of row k.
fn factor_diagonal_tile(k: u32, tile: Tile) {
    let own = slot * tile_rows + k;
    let row = tile_row_of(k);
    let done = factored_diagonal(tile.r0, tile.r1, tile.r2, tile.r3, least_pivots(row), rhs[own]);
    set_factor_tile(row.origin + k, Tile(done.r0, done.r1, done.r2, done.r3));
    rhs[own] = done.rhs;
    inverse_pivot[own] = done.inverse;
}

// Divides tile (k, c) by the factored diagonal tile of its row, and takes the row from the right-hand side of row c.
fn finish_tile(k: u32, c: u32) {
    let own = slot * tile_rows + k;
    let origin = tile_row_of(k).origin;
    let diagonal = factor_tile(origin + k);
    let inv = inverse_pivot[own];
    var tile = factor_tile(origin + c);
    tile.r2 -= (diagonal.r3.z * inv.w) * tile.r3;
    tile.r1 -= (diagonal.r3.y * inv.w) * tile.r3 + (diagonal.r2.y * inv.z) * tile.r2;
    tile.r0 -= (diagonal.r3.x * inv.w) * tile.r3 + (diagonal.r2.x * inv.z) * tile.r2;
    tile.r0 -= (diagonal.r1.x * inv.y) * tile.r1;
    set_factor_tile(origin + c, tile);
    let y = rhs[own] * inv;
    let to = slot * tile_rows + c;
    rhs[to] = rhs[to] - tile.r3 * y.w - tile.r2 * y.z - tile.r1 * y.y - tile.r0 * y.x;
}

// Solves with the lower triangle, from the first row of tiles down: what is known of a row goes to the rows below it.
fn solve_lower() {
    for (var down = 0u; down < most_coupled; down++) {
        let share = share_parts(most_coupled - down);
        for (var p = share.part; p < parts_of_world(); p += share.stride) {
            let part = part_of(p);
            let k = part.begin + down;
            if (k < part.end) {
                let row = tile_row_of(k);
                let d = factor_tile(row.origin + k);
                let own = slot * tile_rows + k;
                let x = solved_row(d.r1, d.r2, d.r3, inverse_pivot[own], rhs[own]);
                for (var i = row.dof + share.own; i < row.dof_end; i += share.count) {
                    set_solver_search(i, x[i - row.dof]);
                }
                for (var below = k + 1u + share.own; below < part.end; below += share.count) {
                    let other = tile_row_of(below);
                    if (other.first <= k) {
                        let l = factor_tile(other.origin + k);
                        let at = slot * tile_rows + below;
                        rhs[at] -= vec4f(dot(l.r0, x), dot(l.r1, x), dot(l.r2, x), dot(l.r3, x));
                    }
                }
            }
        }
        sync();
    }
}
//#endif
