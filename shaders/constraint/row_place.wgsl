// What the rows of the constraint Jacobian have elements for, and where these are. Loops over a row skip its
// structural zeros in worlds of several trees; in worlds of many, rows have elements for nothing else: in one part
// or, where their two sides are trees with others between them, in two. Twin: crates/model/src/model/jacobian.rs.
// The schedule differs: the twin keeps the place of each row, and rows of different widths follow each other.

// Range of degrees of freedom: the first, and one past the last.
struct DofRange {
    first: u32,
    end: u32,
}

//#if SPARSE
// First degree of freedom of a row.
fn row_begin(r: u32) -> u32 {
    return u32(efc_dof_begin(r));
}

// One past the last degree of freedom of a row.
fn row_end(r: u32) -> u32 {
    return u32(efc_dof_end(r));
}

//#else
// Single tree: every row spans all degrees of freedom.
fn row_begin(r: u32) -> u32 {
    return 0u;
}

// One past the last degree of freedom of a row.
fn row_end(r: u32) -> u32 {
    return nv;
}
//#endif

//#if NARROW_ROWS
// Degrees of freedom between two trees that a row leaves out; at its end if there are none.
fn row_gap(r: u32) -> DofRange {
    return DofRange(u32(efc_gap_begin(r)), u32(efc_gap_end(r)));
}

// Parts of a row; the second one may be empty.
const ROW_PARTS: u32 = 2u;

// First degree of freedom of a part.
fn part_begin(r: u32, part: u32) -> u32 {
    if (part == 0u) {
        return row_begin(r);
    }
    return u32(efc_gap_end(r));
}

// One past the last degree of freedom of a part.
fn part_end(r: u32, part: u32) -> u32 {
    if (part == 0u) {
        return u32(efc_gap_begin(r));
    }
    return row_end(r);
}

// Place in efc_J of a part, less its first degree of freedom.
fn part_at(r: u32, part: u32) -> u32 {
    let gap = row_gap(r);
    return r * nvrow - row_begin(r) - select(0u, gap.end - gap.first, part > 0u);
}

// Place in efc_J of a row's element for a degree of freedom that it has.
fn row_at(r: u32, i: u32) -> u32 {
    return part_at(r, select(0u, 1u, i >= u32(efc_gap_end(r)))) + i;
}

// True if a row has an element for a degree of freedom.
fn row_has(r: u32, i: u32) -> bool {
    let gap = row_gap(r);
    return i >= row_begin(r) && i < row_end(r) && (i < gap.first || i >= gap.end);
}

// Elements of efc_J from one row to the next.
fn row_width() -> u32 {
    return nvrow;
}
//#else
// Parts of a row.
const ROW_PARTS: u32 = 1u;

//#if SPARSE
// First degree of freedom of a part.
fn part_begin(r: u32, part: u32) -> u32 {
    return row_begin(r);
}

// One past the last degree of freedom of a part.
fn part_end(r: u32, part: u32) -> u32 {
    return row_end(r);
}
//#else
// First degree of freedom of a part.
fn part_begin(r: u32, part: u32) -> u32 {
    return 0u;
}

// One past the last degree of freedom of a part.
fn part_end(r: u32, part: u32) -> u32 {
    return nv;
}
//#endif

// Place in efc_J of a part, less its first degree of freedom: rows are whole.
fn part_at(r: u32, part: u32) -> u32 {
    return r * nv;
}

// Place in efc_J of a row's element for a degree of freedom.
fn row_at(r: u32, i: u32) -> u32 {
    return r * nv + i;
}

// Every row has an element for each degree of freedom.
fn row_has(r: u32, i: u32) -> bool {
    return true;
}

// Elements of efc_J from one row to the next.
fn row_width() -> u32 {
    return nv;
}
//#endif
