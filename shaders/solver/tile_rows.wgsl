// Rows of tiles of the Hessian: its lower triangle is cut into tiles of 4 x 4, and every tree begins a new row of them, so
// that trees that nothing couples share none. Tiles inside the skyline are numbered from the last row of tiles up, each row
// from its first tile to the diagonal. On the CPU, islands are solved one by one instead:
// crates/cpu/src/constraint/islands.rs.

import package::constraint::row_span::{row_begin, row_end};
import package::runtime::group::{group_max, lane, slot};
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
    let at = r * nv + b.dof;
    let yzw = vec3f(efc_J(at + 1u), efc_J(at + 2u), efc_J(at + 3u));
    let inside = vec3u(b.dof) + vec3u(1u, 2u, 3u) < vec3u(b.dof_end);
    return vec4f(efc_J(at), select(vec3f(0.0), yzw, inside));
}
//#endif
