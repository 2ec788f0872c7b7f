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
const ELLIPSOID: i32 = 4;
const CYLINDER: i32 = 5;
const BOX: i32 = 6;

// wrap_type
const WRAP_JOINT: i32 = 1;
const WRAP_PULLEY: i32 = 2;
const WRAP_SITE: i32 = 3;
const WRAP_CYLINDER: i32 = 5;

// actuator_trntype
const TRN_JOINT: i32 = 0;
const TRN_JOINTINPARENT: i32 = 1;
const TRN_SLIDERCRANK: i32 = 2;
const TRN_TENDON: i32 = 3;
const TRN_SITE: i32 = 4;
const TRN_BODY: i32 = 5;

// actuator_dyntype
const DYN_NONE: i32 = 0;
const DYN_INTEGRATOR: i32 = 1;
const DYN_FILTER: i32 = 2;
const DYN_FILTEREXACT: i32 = 3;
const DYN_MUSCLE: i32 = 4;
const DYN_DCMOTOR: i32 = 5;

// actuator_gaintype
const GAIN_FIXED: i32 = 0;
const GAIN_AFFINE: i32 = 1;
const GAIN_MUSCLE: i32 = 2;
const GAIN_DCMOTOR: i32 = 3;

// actuator_biastype
const BIAS_AFFINE: i32 = 1;
const BIAS_MUSCLE: i32 = 2;
const BIAS_DCMOTOR: i32 = 3;

// actuator_ctrlspec
const INPUT_POS: i32 = 1;
const INPUT_VEL: i32 = 2;
const INPUT_FF: i32 = 4;

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
const SINGULAR_INERTIA: i32 = 128;

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
