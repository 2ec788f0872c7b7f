// Options of the model. Enumeration values (`JOINT_HINGE`) and bits (`DISABLE_SENSOR`) come from the table in
// crates/model/src/schema/enums.rs.

// True if a feature is disabled in opt.disableflags.
fn disabled(bit: i32) -> bool {
    return (opt_disableflags(0u) & bit) != 0;
}

// Gravity; zero if disabled.
fn gravity() -> vec3f {
    return select(opt_gravity_vec3(0u), vec3f(0.0), disabled(DISABLE_GRAVITY));
}
