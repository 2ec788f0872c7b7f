// Contact parameters: those of an explicit pair, or the mix of two geoms or flexes. Twin: crates/cpu/src/collision/contact_parameters.rs.

// Lower bound on every friction coefficient.
const MIN_FRICTION: f32 = 1e-5;

// Contact parameters of an explicit pair.
fn pair_parameters(slot: u32, pair: u32) {
    set_contact_dim(slot, pair_dim(pair));
//#if ADHESION
    set_contact_adhesion(slot, pair_adhesion(pair));
//#endif
    for (var k = 0u; k < 5u; k++) {
        set_contact_friction(5u * slot + k, max(pair_friction(5u * pair + k), MIN_FRICTION));
        set_contact_solimp(5u * slot + k, pair_solimp(5u * pair + k));
    }
    for (var k = 0u; k < 2u; k++) {
        set_contact_solref(2u * slot + k, pair_solref(2u * pair + k));
        set_contact_solreffriction(2u * slot + k, pair_solreffriction(2u * pair + k));
    }
}

// Mixing weight of the first geom: 0 or 1 where priorities differ, else from the solmix values.
fn mix_weight(g1: u32, g2: u32) -> f32 {
    if (geom_priority(g1) != geom_priority(g2)) {
        return select(0.0, 1.0, geom_priority(g1) > geom_priority(g2));
    }
    let s1 = geom_solmix(g1);
    let s2 = geom_solmix(g2);
    if (s1 >= MINVAL && s2 >= MINVAL) {
        return s1 / (s1 + s2);
    }
    if (s1 < MINVAL && s2 < MINVAL) {
        return 0.5;
    }
    return select(1.0, 0.0, s1 < MINVAL);
}

// Contact parameters mixed from the two geoms.
fn mixed_parameters(slot: u32, c: u32) {
    let g1 = u32(candidate_geom1(c));
    let g2 = u32(candidate_geom2(c));
    let share = mix_weight(g1, g2);
    let equal = geom_priority(g1) == geom_priority(g2);
    // the geom of higher priority decides alone
    let dominant = select(g2, g1, geom_priority(g1) > geom_priority(g2));
    set_contact_dim(slot, select(geom_condim(dominant), max(geom_condim(g1), geom_condim(g2)), equal));
//#if ADHESION
    set_contact_adhesion(slot, select(geom_adhesion(dominant), geom_adhesion(g1) + geom_adhesion(g2), equal));
//#endif
    // sliding, torsional and rolling friction; sliding and rolling each have two directions
    for (var k = 0u; k < 5u; k++) {
        let friction = max(geom_friction(3u * g1 + friction_kind(k)), geom_friction(3u * g2 + friction_kind(k)));
        let own = geom_friction(3u * dominant + friction_kind(k));
        set_contact_friction(5u * slot + k, max(select(own, friction, equal), MIN_FRICTION));
    }
    // the direct form of solref (negative stiffness and damping) cannot be averaged
    let direct = geom_solref(2u * g1) <= 0.0 || geom_solref(2u * g2) <= 0.0;
    for (var k = 0u; k < 2u; k++) {
        let a = geom_solref(2u * g1 + k);
        let b = geom_solref(2u * g2 + k);
        set_contact_solref(2u * slot + k, select(share * a + (1.0 - share) * b, min(a, b), equal && direct));
        set_contact_solreffriction(2u * slot + k, 0.0);
    }
    for (var k = 0u; k < 5u; k++) {
        let a = geom_solimp(5u * g1 + k);
        let b = geom_solimp(5u * g2 + k);
        set_contact_solimp(5u * slot + k, share * a + (1.0 - share) * b);
    }
}

//#if FLEX_CONTACT
// Contact parameters of a geom, or of a flex.
struct Surface {
    priority: i32,
    dim: i32,
    solmix: f32,
    adhesion: f32,
    friction: vec3f,
    solref: vec2f,
    solimp: array<f32, 5>,
}

// Those of a geom.
fn surface_of_geom(g: u32) -> Surface {
    let solref = vec2f(geom_solref(2u * g), geom_solref(2u * g + 1u));
    var surface = Surface(geom_priority(g), geom_condim(g), geom_solmix(g), 0.0, geom_friction_vec3(g), solref, array<f32, 5>());
//#if ADHESION
    surface.adhesion = geom_adhesion(g);
//#endif
    for (var k = 0u; k < 5u; k++) {
        surface.solimp[k] = geom_solimp(5u * g + k);
    }
    return surface;
}

// Those of a flex.
fn surface_of_flex(f: u32) -> Surface {
    let solref = vec2f(flex_solref(2u * f), flex_solref(2u * f + 1u));
    var surface = Surface(flex_priority(f), flex_condim(f), flex_solmix(f), 0.0, flex_friction_vec3(f), solref, array<f32, 5>());
    for (var k = 0u; k < 5u; k++) {
        surface.solimp[k] = flex_solimp(5u * f + k);
    }
    return surface;
}

// Contact parameters mixed from two surfaces, of which a flex is one.
fn surface_parameters(slot: u32, one: Surface, two: Surface) {
    let equal = one.priority == two.priority;
    var share = select(0.0, 1.0, one.priority > two.priority);
    if (equal) {
        share = one.solmix / max(one.solmix + two.solmix, MINVAL);
        if (one.solmix < MINVAL || two.solmix < MINVAL) {
            share = select(select(1.0, 0.0, one.solmix < MINVAL), 0.5, one.solmix < MINVAL && two.solmix < MINVAL);
        }
    }
    // the surface of higher priority decides alone
    let first = one.priority > two.priority;
    set_contact_dim(slot, select(select(two.dim, one.dim, first), max(one.dim, two.dim), equal));
//#if ADHESION
    set_contact_adhesion(slot, select(select(two.adhesion, one.adhesion, first), one.adhesion + two.adhesion, equal));
//#endif
    let friction = select(select(two.friction, one.friction, first), max(one.friction, two.friction), equal);
    for (var k = 0u; k < 5u; k++) {
        set_contact_friction(5u * slot + k, max(friction[friction_kind(k)], MIN_FRICTION));
    }
    // the direct form of solref (negative stiffness and damping) cannot be averaged
    let direct = one.solref.x <= 0.0 || two.solref.x <= 0.0;
    let solref = select(share * one.solref + (1.0 - share) * two.solref, min(one.solref, two.solref), equal && direct);
    for (var k = 0u; k < 2u; k++) {
        set_contact_solref(2u * slot + k, solref[k]);
        set_contact_solreffriction(2u * slot + k, 0.0);
    }
    for (var k = 0u; k < 5u; k++) {
        set_contact_solimp(5u * slot + k, share * one.solimp[k] + (1.0 - share) * two.solimp[k]);
    }
}
//#endif

// Geom friction coefficient of tangential dimension k: sliding twice, torsional, rolling twice.
fn friction_kind(k: u32) -> u32 {
    return select(select(2u, 1u, k == 2u), 0u, k < 2u);
}

// Margin and gap of a candidate: those of the explicit pair, or the sums over the two geoms.
fn margin_gap(c: u32) -> vec2f {
    let g1 = u32(candidate_geom1(c));
    let g2 = u32(candidate_geom2(c));
    var both = vec2f(geom_margin(g1) + geom_margin(g2), geom_gap(g1) + geom_gap(g2));
//#if PAIR
    let pair = candidate_pair(c);
    if (pair >= 0) {
        both = vec2f(pair_margin(u32(pair)), pair_gap(u32(pair)));
    }
//#endif
//#if OVERRIDE
    both.x = opt_o_margin(0u);
//#endif
    return both;
}
