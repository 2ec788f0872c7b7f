// Values of the model's enumerations and the bits that kernels test. Twins: the modules of src/model/mod.rs and
// src/model/data.rs.

// jnt_type
const FREE: i32 = 0;
const BALL: i32 = 1;
const SLIDE: i32 = 2;
const HINGE: i32 = 3;

// geom_type
const PLANE: i32 = 0;
const SPHERE: i32 = 2;
const HFIELD: i32 = 1;
const CAPSULE: i32 = 3;
const ELLIPSOID: i32 = 4;
const CYLINDER: i32 = 5;
const BOX: i32 = 6;
const MESH: i32 = 7;

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
const TRN_SO3: i32 = 6;

// actuator_dyntype
const DYN_NONE: i32 = 0;
const DYN_INTEGRATOR: i32 = 1;
const DYN_FILTER: i32 = 2;
const DYN_FILTEREXACT: i32 = 3;
const DYN_MUSCLE: i32 = 4;
const DYN_DCMOTOR: i32 = 5;
const DYN_PID: i32 = 6;

// actuator_gaintype
const GAIN_FIXED: i32 = 0;
const GAIN_AFFINE: i32 = 1;
const GAIN_MUSCLE: i32 = 2;
const GAIN_DCMOTOR: i32 = 3;
const GAIN_SO3: i32 = 4;
const GAIN_PID: i32 = 5;

// actuator_biastype
const BIAS_AFFINE: i32 = 1;
const BIAS_MUSCLE: i32 = 2;
const BIAS_DCMOTOR: i32 = 3;

// actuator_ctrlspec; of an orientation servo that takes quaternions INPUT_QUAT
const INPUT_POS: i32 = 1;
const INPUT_VEL: i32 = 2;
const INPUT_FF: i32 = 4;
const INPUT_QUAT: i32 = 2;

// eq_type
const CONNECT: i32 = 0;
const WELD: i32 = 1;
const TENDON: i32 = 3;

// efc_type
const EQUALITY: i32 = 0;
const FRICTION_DOF: i32 = 1;
const FRICTION_TENDON: i32 = 2;
const LIMIT_JOINT: i32 = 3;
const LIMIT_TENDON: i32 = 4;
const CONTACT_FRICTIONLESS: i32 = 5;
const CONTACT_PYRAMIDAL: i32 = 6;
const CONTACT_ELLIPTIC: i32 = 7;

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
const DISABLE_SENSOR: i32 = 8192;

// opt_enableflags
const ENABLE_OVERRIDE: i32 = 1;

// sensor_type
const SENS_TOUCH: i32 = 0;
const SENS_ACCELEROMETER: i32 = 1;
const SENS_VELOCIMETER: i32 = 2;
const SENS_GYRO: i32 = 3;
const SENS_FORCE: i32 = 4;
const SENS_TORQUE: i32 = 5;
const SENS_MAGNETOMETER: i32 = 6;
const SENS_RANGEFINDER: i32 = 7;
const SENS_CAMPROJECTION: i32 = 8;
const SENS_JOINTPOS: i32 = 9;
const SENS_JOINTVEL: i32 = 10;
const SENS_TENDONPOS: i32 = 11;
const SENS_TENDONVEL: i32 = 12;
const SENS_ACTUATORPOS: i32 = 13;
const SENS_ACTUATORVEL: i32 = 14;
const SENS_ACTUATORFRC: i32 = 15;
const SENS_JOINTACTUATORFRC: i32 = 16;
const SENS_TENDONACTUATORFRC: i32 = 17;
const SENS_BALLQUAT: i32 = 18;
const SENS_BALLANGVEL: i32 = 19;
const SENS_JOINTLIMITPOS: i32 = 20;
const SENS_JOINTLIMITVEL: i32 = 21;
const SENS_TENDONLIMITPOS: i32 = 23;
const SENS_TENDONLIMITVEL: i32 = 24;
const SENS_TENDONLIMITFRC: i32 = 25;
const SENS_FRAMEPOS: i32 = 26;
const SENS_FRAMEQUAT: i32 = 27;
const SENS_FRAMEXAXIS: i32 = 28;
const SENS_FRAMEZAXIS: i32 = 30;
const SENS_FRAMELINVEL: i32 = 31;
const SENS_FRAMELINACC: i32 = 33;
const SENS_FRAMEANGACC: i32 = 34;
const SENS_SUBTREECOM: i32 = 35;
const SENS_SUBTREELINVEL: i32 = 36;
const SENS_SUBTREEANGMOM: i32 = 37;
const SENS_INSIDESITE: i32 = 38;
const SENS_DISTANCE: i32 = 39;
const SENS_NORMAL: i32 = 40;
const SENS_FROMTO: i32 = 41;
const SENS_CONTACT: i32 = 42;
const SENS_E_POTENTIAL: i32 = 43;
const SENS_E_KINETIC: i32 = 44;
const SENS_CLOCK: i32 = 45;

// sensor_objtype, sensor_reftype
const OBJ_NONE: i32 = 0;
const OBJ_BODY: i32 = 1;
const OBJ_XBODY: i32 = 2;
const OBJ_GEOM: i32 = 5;
const OBJ_SITE: i32 = 6;
const OBJ_CAMERA: i32 = 7;

fn disabled(bit: i32) -> bool {
    return (opt_disableflags(0u) & bit) != 0;
}
