// The rows of the constraint Jacobian that have elements for a tree, listed once for a solve. Then J' times the row forces
// is a sum for each degree of freedom; row after row, only as many lanes work as a row has elements. For conjugate
// gradients in worlds of many trees, but on drivers that end long loops.

import package::constraint::row_place::{ROW_PARTS, part_at, part_begin, part_end, row_width};
import package::runtime::group::{exclusive_sum, lane, sync};
import package::solver::state::rows;

// Pieces of the list of all rows, of which a lane visits one at a time, and places in the list for each row slot.
const PIECES: u32 = 32u;
const PLACES: u32 = 4u;
// Most degrees of freedom of a tree whose rows are listed.
const MOST_DOFS: u32 = 0x10000u;

// Lists the rows of each tree, in their order.
fn list_tree_rows() {
    for (var k = lane; k < PIECES * ntree; k += lanes) {
        set_tree_row_before(k, 0);
    }
    sync();
    for (var piece = lane; piece < PIECES; piece += lanes) {
        visit_rows(piece, false);
    }
    sync();
    // numbers of rows to places: of a tree in the list, and of a piece among the tree's
    var total = 0u;
    for (var first = 0u; first < ntree; first += lanes) {
        let tree = first + lane;
        var count = 0u;
        for (var piece = 0u; piece < PIECES && tree < ntree; piece++) {
            let own = u32(tree_row_before(piece * ntree + tree));
            set_tree_row_before(piece * ntree + tree, i32(count));
            count += own;
        }
        // of larger trees no range fits a word: nothing is listed
        if (tree < ntree && u32(tree_dofnum(tree)) > MOST_DOFS) {
            count = PLACES * njmax + 1u;
        }
        let places = exclusive_sum(count);
        if (tree < ntree) {
            set_tree_row_adr(tree, i32(total + places.x));
            set_tree_row_num(tree, i32(count));
        }
        total += places.y;
    }
    if (lane == 0u) {
        set_tree_row_count(0u, i32(total));
    }
    sync();
    if (are_listed()) {
        for (var piece = lane; piece < PIECES; piece += lanes) {
            visit_rows(piece, true);
        }
    }
    sync();
}

// True if there was room for all rows of all trees.
fn are_listed() -> bool {
    return u32(tree_row_count(0u)) <= PLACES * njmax;
}

// Counts the rows of a piece for each tree that they have elements for, or lists where these are: what a degree of freedom
// is added to, and the first and the last of them, counted within the tree, as halves of a word.
fn visit_rows(piece: u32, lists: bool) {
    let size = (rows + PIECES - 1u) / PIECES;
    for (var r = piece * size; r < min(piece * size + size, rows); r++) {
        for (var part = 0u; part < ROW_PARTS; part++) {
            let at = part_at(r, part);
            let end = part_end(r, part);
            var i = part_begin(r, part);
            while (i < end) {
                // between the vertices of an element are trees for which a row has zeros
                let tree = u32(dof_treeid(i));
                let first = u32(tree_dofadr(tree));
                let last = min(end, first + u32(tree_dofnum(tree)));
                let range = (i - first) | ((last - first - 1u) << 16u);
                var has = false;
                for (; i < last; i++) {
                    has = has | (efc_J(at + i) != 0.0);
                }
                if (has) {
                    let before = tree_row_before(piece * ntree + tree);
                    set_tree_row_before(piece * ntree + tree, before + 1);
                    if (lists) {
                        let place = 2u * u32(tree_row_adr(tree) + before);
                        set_tree_row(place, i32(at));
                        set_tree_row(place + 1u, i32(range));
                    }
                }
            }
        }
    }
}

// Joint-space constraint force of the lane's degrees of freedom.
fn sum_tree_forces() {
    for (var i = lane; i < nv; i += lanes) {
        let tree = u32(dof_treeid(i));
        let within = i - u32(tree_dofadr(tree));
        let adr = u32(tree_row_adr(tree));
        let end = adr + u32(tree_row_num(tree));
        var sum = 0.0;
        for (var k = adr; k < end; k++) {
            let range = u32(tree_row(2u * k + 1u));
            let has = within >= (range & 0xffffu) && within <= (range >> 16u);
            let place = select(0u, u32(tree_row(2u * k)) + i, has);
            sum += select(0.0, efc_J(place) * efc_force(place / row_width()), has);
        }
        set_solver_JTf(i, sum);
    }
}
