# Made by stubs.py from the tables of the schema. Do not edit.
from enum import IntEnum, IntFlag

class Disable(IntFlag):
    CONSTRAINT = 1
    EQUALITY = 2
    FRICTIONLOSS = 4
    LIMIT = 8
    CONTACT = 16
    SPRING = 32
    DAMPER = 64
    GRAVITY = 128
    CLAMPCTRL = 256
    WARMSTART = 512
    FILTERPARENT = 1024
    ACTUATION = 2048
    REFSAFE = 4096
    SENSOR = 8192
    MIDPHASE = 16384
    EULERDAMP = 32768
    AUTORESET = 65536
    NATIVECCD = 131072
    ISLAND = 262144
    MULTICCD = 524288

class Enable(IntFlag):
    OVERRIDE = 1
    ENERGY = 2
    FWDINV = 4
    INVDISCRETE = 8
    SLEEP = 16
    DIAGEXACT = 32
    IPC = 64

class Integrator(IntEnum):
    EULER = 0
    RK4 = 1
    IMPLICIT = 2
    IMPLICITFAST = 3
    DISCRETE = 4

class Joint(IntEnum):
    FREE = 0
    BALL = 1
    SLIDE = 2
    HINGE = 3

class Geom(IntEnum):
    PLANE = 0
    HFIELD = 1
    SPHERE = 2
    CAPSULE = 3
    ELLIPSOID = 4
    CYLINDER = 5
    BOX = 6
    MESH = 7
    SDF = 8

class Wrap(IntEnum):
    JOINT = 1
    PULLEY = 2
    SITE = 3
    SPHERE = 4
    CYLINDER = 5

class Transmission(IntEnum):
    JOINT = 0
    JOINTINPARENT = 1
    SLIDERCRANK = 2
    TENDON = 3
    SITE = 4
    BODY = 5
    SO3 = 6

class Dynamics(IntEnum):
    NONE = 0
    INTEGRATOR = 1
    FILTER = 2
    FILTEREXACT = 3
    MUSCLE = 4
    DCMOTOR = 5
    PID = 6
    USER = 7

class Gain(IntEnum):
    FIXED = 0
    AFFINE = 1
    MUSCLE = 2
    DCMOTOR = 3
    SO3 = 4
    PID = 5
    USER = 6

class Bias(IntEnum):
    NONE = 0
    AFFINE = 1
    MUSCLE = 2
    DCMOTOR = 3
    SO3 = 4
    USER = 5

class Input(IntFlag):
    EXPMAP = 1
    QUAT = 2
    POS = 1
    VEL = 2
    FF = 4
    VOLTAGE = 8
    NONE = 16
    PRESSURE = 32
    COUNTED = 15

class Sleep(IntEnum):
    AUTO_NEVER = 1
    AUTO_ALLOWED = 2
    NEVER = 3
    ALLOWED = 4
    INIT = 5

class Solver(IntEnum):
    PGS = 0
    CG = 1
    NEWTON = 2
    SMOOTH = 3

class Cone(IntEnum):
    PYRAMIDAL = 0
    ELLIPTIC = 1

class Equality(IntEnum):
    CONNECT = 0
    WELD = 1
    JOINT = 2
    TENDON = 3
    FLEX = 4
    FLEXVERT = 5
    FLEXSTRAIN = 6

class Edgeequality(IntEnum):
    NONE = 0
    EDGES = 1
    VERTICES = 2
    STRAIN = 3

class Selfcollide(IntEnum):
    NONE = 0
    NARROW = 1
    BVH = 2
    SAP = 3
    AUTO = 4

class Object(IntEnum):
    NONE = 0
    BODY = 1
    XBODY = 2
    JOINT = 3
    DOF = 4
    GEOM = 5
    SITE = 6
    CAMERA = 7

class State(IntFlag):
    TIME = 1
    QPOS = 2
    QVEL = 4
    ACT = 8
    HISTORY = 16
    WARMSTART = 32
    CTRL = 64
    QFRC_APPLIED = 128
    XFRC_APPLIED = 256
    EQ_ACTIVE = 512
    MOCAP_POS = 1024
    MOCAP_QUAT = 2048
    USERDATA = 4096
    PLUGIN = 8192
    PHYSICS = 30
    FULLPHYSICS = 8223
    USER = 8128
    INTEGRATION = 16383

class Status(IntFlag):
    CONTACT_OVERFLOW = 1
    CONSTRAINT_OVERFLOW = 2
    BAD_QPOS = 4
    BAD_QVEL = 8
    BAD_QACC = 16
    BAD_CTRL = 32
    LOOP_LIMIT = 64
    SINGULAR_INERTIA = 128

class Jacobian(IntEnum):
    DENSE = 0
    SPARSE = 1
    AUTO = 2

class Constraint(IntEnum):
    EQUALITY = 0
    FRICTION_DOF = 1
    FRICTION_TENDON = 2
    LIMIT_JOINT = 3
    LIMIT_TENDON = 4
    CONTACT_FRICTIONLESS = 5
    CONTACT_PYRAMIDAL = 6
    CONTACT_ELLIPTIC = 7

class Camera(IntEnum):
    FIXED = 0
    TRACK = 1
    TRACKCOM = 2
    TARGETBODY = 3
    TARGETBODYCOM = 4

class Projection(IntEnum):
    PERSPECTIVE = 0
    ORTHOGRAPHIC = 1

class ContactData(IntFlag):
    FOUND = 1
    FORCE = 2
    TORQUE = 4
    DIST = 8
    POS = 16
    NORMAL = 32
    TANGENT = 64
    LINVEL = 128
    ANGVEL = 256

class RayData(IntFlag):
    DIST = 1
    DIR = 2
    ORIGIN = 4
    POINT = 8
    NORMAL = 16
    DEPTH = 32

class Plugin(IntEnum):
    PID = 0
    CABLE = 1
    TOUCH_GRID = 2
    BOLT = 3
    BOWL = 4
    GEAR = 5
    NUT = 6
    TORUS = 7
    FORMULA = 8

class Texture(IntEnum):
    FLAT = 0
    CUBE = 1
    SKYBOX = 2

class Colorspace(IntEnum):
    AUTO = 0
    LINEAR = 1
    SRGB = 2

class Builtin(IntEnum):
    NONE = 0
    GRADIENT = 1
    CHECKER = 2
    FLAT = 3

class Mark(IntEnum):
    NONE = 0
    EDGE = 1
    CROSS = 2
    RANDOM = 3

class Light(IntEnum):
    SPOT = 0
    DIRECTIONAL = 1
    POINT = 2
    IMAGE = 3

class Lengthrange(IntEnum):
    NONE = 0
    MUSCLE = 1
    MUSCLEUSER = 2
    EVERY = 3

class Datatype(IntEnum):
    REAL = 0
    POSITIVE = 1
    AXIS = 2
    QUATERNION = 3

class Sameframe(IntEnum):
    NONE = 0
    BODY = 1
    INERTIA = 2
    BODYROT = 3
    INERTIAROT = 4

class Reduce(IntEnum):
    NONE = 0
    MINDIST = 1
    MAXFORCE = 2
    NETFORCE = 3
