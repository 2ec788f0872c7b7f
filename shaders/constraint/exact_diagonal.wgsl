// Exact diagonals of A = J M^-1 J', where flag diagexact wants them in place of what inverse weights at qpos0
// approximate. Twin: crates/cpu/src/constraint/exact_diagonal.rs, which states the half of a solve that gives them.

import package::constraint::cone::cone_mu;
import package::constraint::contact_jacobian::contact_row_count;
import package::constraint::row_parameters::{min_invweight, set_regulariser};
import package::constraint::row_place::{ROW_PARTS, part_at, part_begin, part_end};
import package::runtime::group::lane;

// Regularisers of all rows by exact diagonals, as many at once as lanes have memory for. Needs the factors A of the
// inertia matrix or of another on its pattern, with their inverse diagonal B.
fn exact_diagonals__A__B() {
    if (lane < nexact) {
        for (var r = lane; r < u32(nefc(0u)); r += min(lanes, nexact)) {
            if (heads_constraint(r)) {
                share_diagonal(r, exact_diagonal__A__B(r));
            }
        }
    }
}

// True for a row whose regulariser follows from its own diagonal: all but those of a contact after its first.
fn heads_constraint(r: u32) -> bool {
//#if CONTACT
    if (efc_type(r) >= CONSTRAINT_CONTACT_FRICTIONLESS) {
        return contact_efc_address(u32(efc_id(r))) == i32(r);
    }
//#endif
    return true;
}

// Diagonal element of J M^-1 J' of a row, by the memory of this lane.
fn exact_diagonal__A__B(r: u32) -> f32 {
    let own = lane * nv;
    // the row, with room for the ancestors
    for (var part = 0u; part < ROW_PARTS; part++) {
        let begin = part_begin(r, part);
        let end = part_end(r, part);
        if (begin < end) {
            for (var i = tree_begin(begin); i < end; i++) {
                set_exact_x(own + i, 0.0);
            }
        }
    }
    for (var part = 0u; part < ROW_PARTS; part++) {
        let at = part_at(r, part);
        let end = part_end(r, part);
        for (var i = part_begin(r, part); i < end; i++) {
            set_exact_x(own + i, efc_J(at + i));
        }
    }
    // L', from the leaves up; both parts may be of one tree
    var sum = 0.0;
    var above = nv;
    for (var part = ROW_PARTS; part > 0u; part--) {
        let begin = part_begin(r, part - 1u);
        let end = min(part_end(r, part - 1u), above);
        if (begin < end) {
            let first = tree_begin(begin);
            for (var up = first; up < end; up++) {
                sum += eliminate_dof__A__B(own, first + end - 1u - up);
            }
            above = first;
        }
    }
    return sum;
}

// Takes what degree of freedom k of the vector at `own` moves out of its ancestors; returns its share of the diagonal.
fn eliminate_dof__A__B(own: u32, k: u32) -> f32 {
    let x = exact_x(own + k);
    if (x == 0.0) {
        return 0.0;
    }
    let adr = u32(M_rowadr(k));
    let last = adr + u32(M_rownnz(k)) - 1u;
    for (var p = adr; p < last; p++) {
        let j = own + u32(M_colind(p));
        set_exact_x(j, exact_x(j) - A(p) * x);
    }
    return x * x * B(k);
}

//#if SPARSE
// First degree of freedom of the tree of another.
fn tree_begin(dof: u32) -> u32 {
    return u32(tree_dofadr(u32(dof_treeid(dof))));
}
//#else
// First degree of freedom of the only tree.
fn tree_begin(dof: u32) -> u32 {
    return 0u;
}
//#endif

// Sets the regulariser of a row by its diagonal; of the first row of a contact, also those of the others.
fn share_diagonal(r: u32, diag: f32) {
    let kind = efc_type(r);
    let imp = efc_KBIP(4u * r + 2u);
    let least = select(0.0, min_invweight(), kind >= CONSTRAINT_CONTACT_FRICTIONLESS);
    let regulariser = max((1.0 - imp) * max(diag, least) / imp, MINVAL);
    set_regulariser(r, regulariser);
//#if CONTACT
    if (kind == CONSTRAINT_CONTACT_PYRAMIDAL) {
        // the normal force seen through the first tangent's friction
        let mu = cone_mu(u32(efc_id(r)));
        let count = contact_row_count(u32(contact_dim(u32(efc_id(r)))));
        for (var k = 0u; k < count; k++) {
            set_regulariser(r + k, 2.0 * mu * mu * regulariser);
        }
    }
//#endif
//#if ELLIPTIC
    if (kind == CONSTRAINT_CONTACT_ELLIPTIC) {
        // a circular cone of scaled tangents
        let con = u32(efc_id(r));
        let mu = cone_mu(con);
        for (var k = 1u; k < u32(contact_dim(con)); k++) {
            let friction = contact_friction(5u * con + k - 1u);
            set_regulariser(r + k, regulariser * mu * mu / (friction * friction));
        }
    }
//#endif
}
