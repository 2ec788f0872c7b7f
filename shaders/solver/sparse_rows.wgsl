// Which degrees of freedom a constraint row can touch, and which of them the Hessian couples: the rest of a row is zero, and
// loops leave it out. Kernels only, where a world has several trees (its twin solves islands by themselves: src/cpu/constraint/islands.rs).

//#if SPARSE
// First degree of freedom of a row, and one past the last.
struct Span {
    first: u32,
    end: u32,
}

// Notes the span of each row.
fn span_rows() {
    for (var r = lane; r < u32(nefc(0u)); r += lanes) {
        let span = span_of(r);
        set_efc_first(r, i32(span.first));
        set_efc_end(r, i32(max(span.end, span.first)));
    }
}

// Span of a row by its type.
fn span_of(r: u32) -> Span {
    let kind = efc_type(r);
    let id = u32(efc_id(r));
    if (kind == CONSTRAINT_FRICTION_DOF) {
        return Span(id, id + 1u);
    }
    if (kind == CONSTRAINT_LIMIT_JOINT) {
        return joint_span(i32(id));
    }
//#if EQUALITY
    if (kind == CONSTRAINT_EQUALITY) {
        return equality_span(id);
    }
//#endif
//#if TENDON
    if (kind == CONSTRAINT_FRICTION_TENDON || kind == CONSTRAINT_LIMIT_TENDON) {
        return tendon_span(i32(id));
    }
//#endif
//#if CONTACT
    let b1 = u32(geom_bodyid(u32(contact_geom(2u * id))));
    let b2 = u32(geom_bodyid(u32(contact_geom(2u * id + 1u))));
    return both_spans(body_span(b1), body_span(b2));
//#else
    return Span(0u, nv);
//#endif
}

// Least span that holds two.
fn both_spans(a: Span, b: Span) -> Span {
    return Span(min(a.first, b.first), max(a.end, b.end));
}

// What moves a body: from the first of its tree to its own last one.
fn body_span(body: u32) -> Span {
    let end = last_dof(body) + 1;
    if (end <= 0) {
        return Span(nv, 0u);
    }
    return Span(u32(tree_dofadr(u32(dof_treeid(u32(end) - 1u)))), u32(end));
}

fn joint_span(jnt: i32) -> Span {
    if (jnt < 0) {
        return Span(nv, 0u);
    }
    let adr = u32(jnt_dofadr(u32(jnt)));
    // only a ball's limit has more than one
    return Span(adr, adr + select(1u, 3u, jnt_type(u32(jnt)) == JOINT_BALL));
}

//#if TENDON
fn tendon_span(ten: i32) -> Span {
    var span = Span(nv, 0u);
    if (ten >= 0) {
        let adr = u32(ten_J_rowadr(u32(ten)));
        for (var k = adr; k < adr + u32(ten_J_rownnz(u32(ten))); k++) {
            let dof = u32(ten_J_colind(k));
            span = both_spans(span, Span(dof, dof + 1u));
        }
    }
    return span;
}
//#endif

//#if EQUALITY
fn equality_span(eq: u32) -> Span {
//#if HOLD
    if (holds_bodies(eq)) {
        let held = held_by(eq);
        return both_spans(body_span(held.body1), body_span(held.body2));
    }
//#endif
//#if COUPLE_TENDON
    if (eq_type(eq) == EQUALITY_TENDON) {
        return both_spans(tendon_span(eq_obj1id(eq)), tendon_span(eq_obj2id(eq)));
    }
//#endif
    return both_spans(joint_span(eq_obj1id(eq)), joint_span(eq_obj2id(eq)));
}
//#endif

// The span of a row with all of the trees in it: what its product with the inverse inertia touches.
fn reach_of(r: u32) -> Span {
    let first = u32(efc_first(r));
    let end = u32(efc_end(r));
    if (first >= end) {
        return Span(0u, 0u);
    }
    let last = u32(dof_treeid(end - 1u));
    return Span(u32(tree_dofadr(u32(dof_treeid(first)))), u32(tree_dofadr(last) + tree_dofnum(last)));
}

// Notes for each degree of freedom the first one that the Hessian couples it with. Whatever lies between two that are coupled
// is taken as coupled with the first of them too, so that the factors have no other elements.
fn couple_trees() {
    if (lane == 0u) {
        for (var t = 0u; t < ntree; t++) {
            set_dof_first(u32(tree_dofadr(t)), tree_dofadr(t));
        }
        // the last tree of a row with its first
        for (var r = 0u; r < rows; r++) {
            let reach = reach_of(r);
            if (reach.first < reach.end) {
                let last = u32(tree_dofadr(u32(dof_treeid(reach.end - 1u))));
                set_dof_first(last, min(dof_first(last), i32(reach.first)));
            }
        }
        // those between them
        for (var up = 1u; up < ntree; up++) {
            let t = ntree - up;
            let least = dof_first(u32(tree_dofadr(t)));
            let before = u32(tree_dofadr(t - 1u));
            if (least < tree_dofadr(t)) {
                set_dof_first(before, min(dof_first(before), least));
            }
        }
    }
    sync();
    for (var i = lane; i < nv; i += lanes) {
        let first = u32(tree_dofadr(u32(dof_treeid(i))));
        if (i != first) {
            set_dof_first(i, dof_first(first));
        }
    }
    sync();
}

// The first degree of freedom from `first` on that is this lane's.
fn own_from(first: u32) -> u32 {
    return first + (lane + lanes - first % lanes) % lanes;
}
//#endif
