// Options of the model. Values of enumerations (`JOINT_HINGE`) and bits (`DISABLE_SENSOR`) come from the table in
// src/schema/enums.rs.

fn disabled(bit: i32) -> bool {
    return (opt_disableflags(0u) & bit) != 0;
}
