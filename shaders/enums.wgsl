// Values of the model's enumerations and the bits that kernels test. Twins: the modules of src/model.rs and
// src/data.rs (a test compares them).

// jnt_type
const FREE: i32 = 0;
const BALL: i32 = 1;
const SLIDE: i32 = 2;
const HINGE: i32 = 3;

// geom_type
const PLANE: i32 = 0;
const SPHERE: i32 = 2;
const CAPSULE: i32 = 3;
const BOX: i32 = 6;

// efc_type
const FRICTION_DOF: i32 = 1;
const FRICTION_TENDON: i32 = 2;
const LIMIT_JOINT: i32 = 3;
const LIMIT_TENDON: i32 = 4;
const CONTACT_FRICTIONLESS: i32 = 5;
const CONTACT_PYRAMIDAL: i32 = 6;

// status
const CONTACT_OVERFLOW: i32 = 1;
const CONSTRAINT_OVERFLOW: i32 = 2;
const BAD_QPOS: i32 = 4;
const BAD_QVEL: i32 = 8;
const BAD_QACC: i32 = 16;
const BAD_CTRL: i32 = 32;
const LOOP_LIMIT: i32 = 64;

// opt_disableflags
const DISABLE_REFSAFE: i32 = 4096;
const DISABLE_CLAMPCTRL: i32 = 256;
const DISABLE_WARMSTART: i32 = 512;
const DISABLE_AUTORESET: i32 = 65536;
const DISABLE_GRAVITY: i32 = 128;

// opt_enableflags
const ENABLE_OVERRIDE: i32 = 1;
const ENABLE_ENERGY: i32 = 2;

fn disabled(bit: i32) -> bool {
    return (opt_disableflags(0u) & bit) != 0;
}
