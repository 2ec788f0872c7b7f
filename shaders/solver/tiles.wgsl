// Newton's method with the tiles of the Hessian (tile_rows.wgsl) in the variables of lanes. What nothing couples is
// factored side by side. Pivots and factors pass between lanes through workgroup memory, in vectors of four. From one
// iteration to the next only the rows are added whose weights have changed, so that sums are rounded otherwise than in
// hessian.wgsl. Twin: crates/cpu/src/solver/hessian.rs.

import package::runtime::group::{group_max, lane, slot};
import package::solver::state::rows;
import package::solver::tile_rows::{
    changed, factored_diagonal, find_tile_rows, find_touching_rows, least_pivots, list_sliding_contacts, most_coupled, place,
    row_of_tile, rows_between, set_sliding_rows, set_tile_origin, sliding, sliding_contacts, sliding_count, sliding_rows,
    solved_row, terms_of_tile, tile_row_of, TileRow, touching, tree_place, weigh_rows,
};

//#if LANE_TILES
// tiles of this lane: their rows of four numbers, those of what is left of them during elimination, and their places.
// Tile t is the slot t / lanes of lane t % lanes. A slot without a tile has the row `tile_rows`.
var<private> hessian: array<vec4f, tile_vectors>;
var<private> reduced: array<vec4f, tile_vectors>;
var<private> tile_row: array<u32, tiles_per_lane>;
var<private> tile_col: array<u32, tiles_per_lane>;
// one past the last row of tiles that is coupled with a tile
var<private> coupled_end: array<u32, tiles_per_lane>;

// by world and row of tiles
// (arrays in an array: the compilers of drivers fold known indices of the inner one into addresses)
// least pivots, inverse pivots, right-hand side of the Newton step, and the vector of a product
var<workgroup> least_pivot: array<vec4f, tile_rows_length>;
var<workgroup> inverse_pivot: array<vec4f, tile_rows_length>;
var<workgroup> rhs: array<vec4f, tile_rows_length>;
var<workgroup> operand: array<vec4f, tile_rows_length>;
// factors of the Hessian by tile number
var<workgroup> factor: array<array<vec4f, 4>, tile_count_length>;
// rows of the inertia within their tree, both triangles
var<workgroup> inertia_rows: array<array<vec4f, inertia_tiles>, inertia_length>;

// Places of the tiles, inertia and least pivots: what stays the same in all iterations.
fn begin_tiles() {
    find_tile_rows();
    //#unroll
    for (var s = 0u; s < tiles_per_lane; s++) {
        tile_row[s] = tile_rows;
        coupled_end[s] = 0u;
    }
    var number = 0u;
    for (var up = 0u; up < tile_rows; up++) {
        let b = tile_rows - 1u - up;
        let row = tile_row_of(b);
        let end = number + b + 1u - row.first;
        //#unroll
        for (var s = 0u; s < tiles_per_lane; s++) {
            let t = lane + s * lanes;
            if (t >= number && t < end) {
                tile_row[s] = b;
                tile_col[s] = row.first + t - number;
                coupled_end[s] = row.end;
            }
        }
        set_tile_origin(b, number - row.first);
        number = end;
    }
    load_inertia();
    find_touching_rows();
    init_tiles();
}

// Elements of the inertia, both triangles, and least pivots.
fn load_inertia() {
    for (var i = lane; i < nv; i += lanes) {
        for (var k = 0u; k < inertia_tiles; k++) {
            inertia_rows[slot * nv + i][k] = vec4f(0.0);
        }
    }
    workgroupBarrier();
    for (var i = lane; i < nv; i += lanes) {
        let first = tree_place(i);
        let own = place(i) - first;
        let adr = u32(M_rowadr(i));
        for (var k = adr; k < adr + u32(M_rownnz(i)); k++) {
//#if DISCRETE
            let x = metric_M(k);
//#else
            let x = M(k);
//#endif
            let j = u32(M_colind(k));
            let other = own + j - i;
            inertia_rows[slot * nv + i][other / 4u][other % 4u] = x;
            inertia_rows[slot * nv + j][own / 4u][own % 4u] = x;
        }
    }
    for (var b = lane; b < tile_rows; b += lanes) {
        least_pivot[slot * tile_rows + b] = least_pivots(tile_row_of(b));
        for (var w = 0u; w < row_words; w++) {
            atomicStore(&touching[slot * tile_rows + b][w], 0u);
        }
        // no row sets the elements past the end of a tree
        operand[slot * tile_rows + b] = vec4f(0.0);
        rhs[slot * tile_rows + b] = vec4f(0.0);
    }
//#if ELLIPTIC
    for (var k = lane; k < sliding_at_once * cone_rows * tile_rows; k += lanes) {
        sliding_rows[slot * sliding_at_once * cone_rows * tile_rows + k] = vec4f(0.0);
    }
//#endif
    workgroupBarrier();
}

// The Hessian without constraints: the inertia.
fn init_tiles() {
    for (var r = lane; r < rows; r += lanes) {
        set_solver_weight(r, 0.0);
    }
    //#unroll
    for (var s = 0u; s < tiles_per_lane; s++) {
        //#unroll
        for (var q = 0u; q < 4u; q++) {
            hessian[4u * s + q] = vec4f(0.0);
        }
        let row = tile_row_of(min(tile_row[s], tile_rows - 1u));
        if (tile_row[s] < tile_rows && row.tree == tile_row_of(tile_col[s]).tree) {
            let k = tile_col[s] - tree_place(row.dof) / 4u;
            //#unroll
            for (var q = 0u; q < 4u; q++) {
                if (row.dof + q < row.dof_end) {
                    hessian[4u * s + q] = inertia_rows[slot * nv + row.dof + q][k];
                }
            }
        }
//#if METRIC_TERMS
        if (tile_row[s] < tile_rows) {
            let across = tile_row_of(tile_col[s]);
            //#unroll
            for (var q = 0u; q < 4u; q++) {
                if (row.dof + q < row.dof_end) {
                    hessian[4u * s + q] += terms_of_tile(row.dof + q, across);
                }
            }
        }
//#endif
    }
}

// Y = M V.
fn mul_inertia__V__Y() {
    for (var i = lane; i < nv; i += lanes) {
        let at = place(i);
        operand[slot * tile_rows + at / 4u][at % 4u] = V(i);
    }
    workgroupBarrier();
    for (var i = lane; i < nv; i += lanes) {
        let first = tree_place(i) / 4u;
        var sum = 0.0;
        for (var k = 0u; k < min(inertia_tiles, tile_rows - first); k++) {
            let m = inertia_rows[slot * nv + i][k];
            let v = operand[slot * tile_rows + first + k];
            sum += m.x * v.x;
            sum += m.y * v.y;
            sum += m.z * v.z;
            sum += m.w * v.w;
        }
        set_Y(i, sum);
    }
    workgroupBarrier();
}

// Row forces, constraint force, and Hessian: the rows whose weights have changed.
fn update_rows() {
    weigh_rows();
    //#unroll
    for (var s = 0u; s < tiles_per_lane; s++) {
        if (tile_row[s] < tile_rows) {
            let down = tile_row_of(tile_row[s]);
            let across = tile_row_of(tile_col[s]);
            for (var w = 0u; 32u * w < rows; w++) {
                var left = rows_between(atomicLoad(&changed[slot * row_words + w]), tile_row[s], tile_col[s], w);
                while (left != 0u) {
                    let r = 32u * w + firstTrailingBit(left);
                    left &= left - 1u;
                    let x = row_of_tile(r, down) * solver_weight_change(r);
                    let y = row_of_tile(r, across);
                    hessian[4u * s] += x.x * y;
                    hessian[4u * s + 1u] += x.y * y;
                    hessian[4u * s + 2u] += x.z * y;
                    hessian[4u * s + 3u] += x.w * y;
                }
            }
        }
    }
}

//#if ELLIPTIC
// Adds the rows of the sliding contacts to the reduced tiles, of a few contacts after the other.
fn add_sliding_contacts() {
    let most = group_max(sliding_count());
    for (var first = 0u; first < most; first += sliding_at_once) {
        set_sliding_rows(list_sliding_contacts(first));
        //#unroll
        for (var s = 0u; s < tiles_per_lane; s++) {
            if (tile_row[s] < tile_rows) {
                var before = 0u;
                for (var w = 0u; 32u * w < rows; w++) {
                    let bits = atomicLoad(&sliding[slot * row_words + w]);
                    var left = rows_between(bits, tile_row[s], tile_col[s], w);
                    while (left != 0u) {
                        let number = before + countOneBits(bits & ((left & (~left + 1u)) - 1u)) - first;
                        left &= left - 1u;
                        if (number < sliding_at_once) {
                            let own = slot * sliding_at_once + number;
                            for (var q = 0u; q < sliding_contacts[own].y; q++) {
                                let at = (own * cone_rows + q) * tile_rows;
                                let x = sliding_rows[at + tile_row[s]];
                                let y = sliding_rows[at + tile_col[s]];
                                reduced[4u * s] += x.x * y;
                                reduced[4u * s + 1u] += x.y * y;
                                reduced[4u * s + 2u] += x.z * y;
                                reduced[4u * s + 3u] += x.w * y;
                            }
                        }
                    }
                    before += countOneBits(bits);
                }
            }
        }
        workgroupBarrier();
    }
}
//#endif

// Factors H = L' D L from the last row of tiles up, and solves H x = -grad on the way: the search direction.
fn factor_and_solve() {
    for (var i = lane; i < nv; i += lanes) {
        let at = place(i);
        rhs[slot * tile_rows + at / 4u][at % 4u] = -solver_grad(i);
    }
    //#unroll
    for (var s = 0u; s < tiles_per_lane; s++) {
        //#unroll
        for (var q = 0u; q < 4u; q++) {
            reduced[4u * s + q] = hessian[4u * s + q];
        }
    }
//#if ELLIPTIC
    add_sliding_contacts();
//#endif
    workgroupBarrier();
    for (var up = 0u; up < most_coupled; up++) {
        factor_diagonal_tiles(up);
        workgroupBarrier();
        finish_tile_rows(up);
        workgroupBarrier();
        reduce_tiles(up);
    }
    solve_lower();
    workgroupBarrier();
}

// Row of tiles that is eliminated as number `up`, from the last one of what is coupled with slot s; below zero for
// none.
fn pivot_row(s: u32, up: u32) -> i32 {
    return i32(coupled_end[s]) - 1 - i32(up);
}

// Factors the diagonal tiles of the rows that are due, from the last pivot up.
fn factor_diagonal_tiles(up: u32) {
    //#unroll
    for (var s = 0u; s < tiles_per_lane; s++) {
        if (tile_row[s] == tile_col[s] && i32(tile_row[s]) == pivot_row(s, up)) {
            let row = slot * tile_rows + tile_row[s];
            let done = factored_diagonal(
                reduced[4u * s],
                reduced[4u * s + 1u],
                reduced[4u * s + 2u],
                reduced[4u * s + 3u],
                least_pivot[row],
                rhs[row],
            );
            let at = slot * tile_count + tile_row_of(tile_row[s]).origin + tile_row[s];
            factor[at] = array<vec4f, 4>(done.r0, done.r1, done.r2, done.r3);
            rhs[row] = done.rhs;
            inverse_pivot[row] = done.inverse;
        }
    }
}

// The other tiles of the rows that are due.
fn finish_tile_rows(up: u32) {
    //#unroll
    for (var s = 0u; s < tiles_per_lane; s++) {
        if (tile_row[s] != tile_col[s] && i32(tile_row[s]) == pivot_row(s, up)) {
            let row = slot * tile_rows + tile_row[s];
            let at = slot * tile_count + tile_row_of(tile_row[s]).origin;
            let d1 = factor[at + tile_row[s]][1];
            let d2 = factor[at + tile_row[s]][2];
            let d3 = factor[at + tile_row[s]][3];
            let inv = inverse_pivot[row];
            let t3 = reduced[4u * s + 3u];
            let t2 = reduced[4u * s + 2u] - (d3.z * inv.w) * t3;
            let t1 = reduced[4u * s + 1u] - (d3.y * inv.w) * t3 - (d2.y * inv.z) * t2;
            let t0 = reduced[4u * s] - (d3.x * inv.w) * t3 - (d2.x * inv.z) * t2 - (d1.x * inv.y) * t1;
            factor[at + tile_col[s]] = array<vec4f, 4>(t0, t1, t2, t3);
            let y = rhs[row] * inv;
            let to = slot * tile_rows + tile_col[s];
            rhs[to] = rhs[to] - t3 * y.w - t2 * y.z - t1 * y.y - t0 * y.x;
        }
    }
}

// The tiles above the rows that are due.
fn reduce_tiles(up: u32) {
    //#unroll
    for (var s = 0u; s < tiles_per_lane; s++) {
        let k = pivot_row(s, up);
        if (i32(tile_row[s]) < k) {
            let row = slot * tile_rows + u32(k);
            let above = tile_row_of(u32(k));
            if (tile_col[s] >= above.first) {
                let at = slot * tile_count + above.origin;
                let inv = inverse_pivot[row];
                //#unroll
                for (var down = 0u; down < 4u; down++) {
                    let x = -(factor[at + tile_row[s]][3u - down] * inv[3u - down]);
                    let y = factor[at + tile_col[s]][3u - down];
                    reduced[4u * s] += x.x * y;
                    reduced[4u * s + 1u] += x.y * y;
                    reduced[4u * s + 2u] += x.z * y;
                    reduced[4u * s + 3u] += x.w * y;
                }
            }
        }
    }
}

// Solves with the lower triangle, from the first row of tiles down.
fn solve_lower() {
    // this lane's elements of the right-hand side, and the rows of tiles that they are in
    var own_rhs: array<f32, rows_per_lane>;
    var own: array<TileRow, rows_per_lane>;
    var own_row: array<u32, rows_per_lane>;
    //#unroll
    for (var s = 0u; s < rows_per_lane; s++) {
        let at = place(min(lane + s * lanes, nv - 1u));
        own_row[s] = at / 4u;
        own[s] = tile_row_of(at / 4u);
        own_rhs[s] = rhs[slot * tile_rows + at / 4u][at % 4u];
    }
    for (var down = 0u; down < most_coupled; down++) {
        workgroupBarrier();
        //#unroll
        for (var s = 0u; s < rows_per_lane; s++) {
            let i = lane + s * lanes;
            let k = own[s].begin + down;
            if (i < nv && k <= own_row[s] && own[s].first <= k) {
                let row = slot * tile_rows + k;
                let at = slot * tile_count + tile_row_of(k).origin + k;
                let x = solved_row(factor[at][1], factor[at][2], factor[at][3], inverse_pivot[row], rhs[row]);
                let q = i - own[s].dof;
                if (k == own_row[s]) {
                    set_solver_search(i, select(select(x.x, x.y, q == 1u), select(x.z, x.w, q == 3u), q > 1u));
                } else {
                    let l = factor[slot * tile_count + own[s].origin + k][q];
                    own_rhs[s] = own_rhs[s] - l.x * x.x - l.y * x.y - l.z * x.z - l.w * x.w;
                    if (k + 1u == own_row[s]) {
                        rhs[row + 1u][q] = own_rhs[s];
                    }
                }
            }
        }
    }
}
//#endif
