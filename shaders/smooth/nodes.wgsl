// Nodes of interpolated flexes: a grid of equal cells, in which every vertex keeps its place. Twin:
// crates/cpu/src/smooth/nodes.rs, which explains the method.

import package::runtime::group::{lane, sync};

// Nodes of a shell with which one inside of it moves.
const OUTER_SHARES: u32 = 26u;

// The nodes of a flex.
struct NodeGrid {
    first: u32,
    order: u32,
    cells: vec3u,
    is_shell: bool,
}

// The cell of a point, and its coordinates there.
struct CellPoint {
    cell: vec3u,
    within: vec3f,
}

// Weights of the nodes of a cell: products of these along each axis.
struct Weights {
    cell: vec3u,
    along: mat3x3f,
}

// A node, or a body, with its weight.
struct Share {
    id: u32,
    weight: f32,
}

//#if FLEX_NODES
// The nodes of a flex whose vertices are between nodes.
fn node_grid(f: u32) -> NodeGrid {
    let cells = vec3u(u32(flex_cellnum(3u * f)), u32(flex_cellnum(3u * f + 1u)), u32(flex_cellnum(3u * f + 2u)));
    return NodeGrid(u32(flex_nodeadr(f)), u32(abs(flex_interp(f))), cells, flex_interp(f) < 0);
}

// Node at a place of the grid, the last axis the fastest.
fn node(grid: NodeGrid, at: vec3u) -> u32 {
    let size = last(grid) + vec3u(1u);
    return grid.first + (at.x * size.y + at.y) * size.z + at.z;
}

// Last place along each axis.
fn last(grid: NodeGrid) -> vec3u {
    return grid.cells * grid.order;
}

// Cell of a point of the bounding box, whose coordinates there are from 0 to 1, and its coordinates in the cell.
fn cell_at(grid: NodeGrid, point: vec3f) -> CellPoint {
    let scaled = point * vec3f(grid.cells);
    let cell = min(vec3u(max(scaled, vec3f(0.0))), grid.cells - vec3u(1u));
    return CellPoint(cell, scaled - vec3f(cell));
}

// Values and slopes of the Lagrange polynomials of an order at a place between 0 and 1.
fn polynomials(order: u32, x: f32) -> mat2x3f {
    if (order == 1u) {
        return mat2x3f(vec3f(1.0 - x, x, 0.0), vec3f(-1.0, 1.0, 0.0));
    }
    return mat2x3f(
        vec3f(2.0 * (x - 0.5) * (x - 1.0), 4.0 * x * (1.0 - x), 2.0 * x * (x - 0.5)),
        vec3f(4.0 * x - 3.0, 4.0 - 8.0 * x, 4.0 * x - 1.0),
    );
}

// Weights of the nodes of the cell of a point in its position.
fn weights(grid: NodeGrid, point: vec3f) -> Weights {
    let at = cell_at(grid, point);
    let x = polynomials(grid.order, at.within.x);
    let y = polynomials(grid.order, at.within.y);
    let z = polynomials(grid.order, at.within.z);
    return Weights(at.cell, mat3x3f(x[0], y[0], z[0]));
}

// Number of nodes of a cell.
fn cell_nodes(grid: NodeGrid) -> u32 {
    let side = grid.order + 1u;
    return side * side * side;
}

// Place in a cell of its node k.
fn place_within(grid: NodeGrid, k: u32) -> vec3u {
    let side = grid.order + 1u;
    return vec3u(k / (side * side), k / side % side, k % side);
}

// Node k of a cell and its weight.
fn weight_of(grid: NodeGrid, of_point: Weights, k: u32) -> Share {
    let at = place_within(grid, k);
    let weight = of_point.along[0][at.x] * of_point.along[1][at.y] * of_point.along[2][at.z];
    return Share(node(grid, of_point.cell * grid.order + at), weight);
}

// True if a place is inside of a shell: the node there has no motion of its own.
fn is_within_shell(grid: NodeGrid, at: vec3u) -> bool {
    return grid.is_shell && all(at > vec3u(0u)) && all(at < last(grid));
}

//#if FLEX_SHELL
// Place of a node.
fn node_place(grid: NodeGrid, id: u32) -> vec3u {
    let size = last(grid) + vec3u(1u);
    let at = id - grid.first;
    return vec3u(at / (size.y * size.z), at / size.z % size.y, at % size.z);
}

// Node on the outside of a shell, one of 26, with its weight in the position of a place inside: at the near end, at the
// far end, or where it is along each axis.
fn outer_share(grid: NodeGrid, at: vec3u, choice: u32) -> Share {
    let ends = vec3u(choice / 9u, choice / 3u % 3u, choice % 3u);
    let far = last(grid);
    let share = vec3f(at) / vec3f(far);
    let at_end = ends < vec3u(2u);
    let factors = select(vec3f(1.0), select(vec3f(1.0) - share, share, ends == vec3u(1u)), at_end);
    // edges and corners that sides share count less
    let count = u32(at_end.x) + u32(at_end.y) + u32(at_end.z);
    let weight = factors.x * factors.y * factors.z * select(-1.0, 1.0, count % 2u == 1u);
    let outside = select(at, select(vec3u(0u), far, ends == vec3u(1u)), at_end);
    return Share(node(grid, outside), weight);
}

// Position of a node inside a shell.
fn between_sides(grid: NodeGrid, at: vec3u) -> vec3f {
    var pos = vec3f(0.0);
    for (var choice = 0u; choice < OUTER_SHARES; choice++) {
        let share = outer_share(grid, at, choice);
        pos += flexnode_xpos_vec3(share.id) * share.weight;
    }
    return pos;
}
//#endif

// Positions of all nodes, by all lanes.
fn node_positions() {
    for (var id = lane; id < nflexnode; id += lanes) {
        let body = u32(flex_nodebodyid(id));
        set_flexnode_xpos_vec3(id, xpos_vec3(body) + xmat_mat3(body) * flex_node_vec3(id));
    }
    sync();
//#if FLEX_SHELL
    for (var f = 0u; f < nflex; f++) {
        if (flex_interp(f) >= 0) {
            continue;
        }
        let grid = node_grid(f);
        let end = grid.first + u32(flex_nodenum(f));
        for (var id = grid.first + lane; id < end; id += lanes) {
            if (is_within_shell(grid, node_place(grid, id))) {
                set_flexnode_xpos_vec3(id, between_sides(grid, node_place(grid, id)));
            }
        }
    }
    sync();
//#endif
}

// Position of a vertex between its nodes.
fn interpolated_position(f: u32, vert: u32) -> vec3f {
    let grid = node_grid(f);
    let of_point = weights(grid, flex_vert0_vec3(vert));
    var pos = vec3f(0.0);
    for (var k = 0u; k < cell_nodes(grid); k++) {
        let share = weight_of(grid, of_point, k);
        pos += flexnode_xpos_vec3(share.id) * share.weight;
    }
    return pos;
}
//#endif
