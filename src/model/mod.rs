//! The compiled model: flat arrays under MuJoCo's names, made from the table of fields.

pub mod data;
pub mod plan;
pub(crate) mod unsupported;

use crate::error::Problem;
use crate::real::Real;
use crate::schema::{Column, Field, Sizes, Values, ValuesMut, column, dim, elem, model_table};

pub use crate::schema::kinds::Names;

macro_rules! define_model {
    ($($name:ident: $elem:ident [$($d:tt)*] $unit:literal $doc:literal;)*) => {
        /// A compiled model. Constant while worlds step.
        #[allow(non_snake_case)]
        pub struct Model<T: Real = f64> {
            /// Lengths of the axes.
            pub sizes: Sizes,
            /// Names of the objects of each kind.
            pub names: Names,
            /// What was questionable when it was compiled.
            pub warnings: Vec<Problem>,
            $(
                #[doc = $doc]
                #[doc = concat!("\n\nUnit: ", $unit, ". Shape: `[", stringify!($($d),*), "]`.")]
                pub $name: column!($elem, T),
            )*
        }

        // By hand: derives do not take types that macros make. A field at a time: an expression that makes all of them
        // would have to know at each one how to drop those before it, and take minutes to compile.
        impl<T: Real> Clone for Model<T> {
            fn clone(&self) -> Self {
                let mut model = Self { sizes: self.sizes, ..Self::default() };
                model.names.clone_from(&self.names);
                model.warnings.clone_from(&self.warnings);
                $(model.$name.clone_from(&self.$name);)*
                model
            }
        }

        impl<T: Real> Default for Model<T> {
            fn default() -> Self {
                Self { sizes: Sizes::default(), names: Default::default(), warnings: Default::default(), $($name: Vec::new(),)* }
            }
        }

        impl<T: Real> PartialEq for Model<T> {
            fn eq(&self, other: &Self) -> bool {
                self.sizes == other.sizes && self.names == other.names && self.warnings == other.warnings $(&& self.$name == other.$name)*
            }
        }

        impl<T: Real> std::fmt::Debug for Model<T> {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.debug_struct("Model").field("sizes", &self.sizes).finish_non_exhaustive()
            }
        }

        impl<T: Real> Model<T> {
            /// What the table says of every Model field.
            pub const FIELDS: &'static [Field] = &[$(Field {
                name: stringify!($name), elem: elem!($elem), dims: &[$(dim!($d)),*],
                unit: $unit, doc: $doc, stage: "",
            },)*];

            /// A model of the given sizes with every element zero.
            pub fn zeroed(sizes: Sizes) -> Self {
                let mut fields = Self::FIELDS.iter().map(|f| f.len(&sizes));
                let mut next = move || fields.next().unwrap_or(0);
                let mut model = Self { sizes, ..Self::default() };
                $(model.$name = <column!($elem, T) as Column<T>>::zeroed(next());)*
                model
            }

            /// One field by name.
            pub fn get(&self, name: &str) -> Option<Values<'_, T>> {
                match name { $(stringify!($name) => Some(Column::<T>::values(&self.$name)),)* _ => None }
            }

            /// One field by name, to be written.
            pub fn get_mut(&mut self, name: &str) -> Option<ValuesMut<'_, T>> {
                match name { $(stringify!($name) => Some(Column::<T>::values_mut(&mut self.$name)),)* _ => None }
            }

            /// The same model in another precision.
            pub fn cast<U: Real>(&self) -> Model<U> {
                let mut model = Model::<U> { sizes: self.sizes, ..Model::default() };
                model.names.clone_from(&self.names);
                model.warnings.clone_from(&self.warnings);
                $(model.$name = Column::<T>::cast::<U>(&self.$name);)*
                model
            }
        }
    };
}
model_table!(define_model);

/// Bits of `opt_disableflags`.
#[allow(missing_docs)]
pub mod disable {
    pub const CONSTRAINT: i32 = 1 << 0;
    pub const EQUALITY: i32 = 1 << 1;
    pub const FRICTIONLOSS: i32 = 1 << 2;
    pub const LIMIT: i32 = 1 << 3;
    pub const CONTACT: i32 = 1 << 4;
    pub const SPRING: i32 = 1 << 5;
    pub const DAMPER: i32 = 1 << 6;
    pub const GRAVITY: i32 = 1 << 7;
    pub const CLAMPCTRL: i32 = 1 << 8;
    pub const WARMSTART: i32 = 1 << 9;
    pub const FILTERPARENT: i32 = 1 << 10;
    pub const ACTUATION: i32 = 1 << 11;
    pub const REFSAFE: i32 = 1 << 12;
    pub const SENSOR: i32 = 1 << 13;
    pub const MIDPHASE: i32 = 1 << 14;
    pub const EULERDAMP: i32 = 1 << 15;
    pub const AUTORESET: i32 = 1 << 16;
    pub const NATIVECCD: i32 = 1 << 17;
    pub const ISLAND: i32 = 1 << 18;
    pub const MULTICCD: i32 = 1 << 19;
}

/// Bits of `opt_enableflags`.
#[allow(missing_docs)]
pub mod enable {
    pub const OVERRIDE: i32 = 1 << 0;
    pub const ENERGY: i32 = 1 << 1;
    pub const FWDINV: i32 = 1 << 2;
    pub const INVDISCRETE: i32 = 1 << 3;
    pub const SLEEP: i32 = 1 << 4;
    pub const DIAGEXACT: i32 = 1 << 5;
    pub const IPC: i32 = 1 << 6;
}

/// Values of `opt_integrator`.
#[allow(missing_docs)]
pub mod integrator {
    pub const EULER: i32 = 0;
    pub const RK4: i32 = 1;
    pub const IMPLICIT: i32 = 2;
    pub const IMPLICITFAST: i32 = 3;
    pub const DISCRETE: i32 = 4;
}

/// Values of `jnt_type`.
#[allow(missing_docs)]
pub mod joint {
    pub const FREE: i32 = 0;
    pub const BALL: i32 = 1;
    pub const SLIDE: i32 = 2;
    pub const HINGE: i32 = 3;
}

/// Values of `geom_type`.
#[allow(missing_docs)]
pub mod geom {
    pub const PLANE: i32 = 0;
    pub const HFIELD: i32 = 1;
    pub const SPHERE: i32 = 2;
    pub const CAPSULE: i32 = 3;
    pub const ELLIPSOID: i32 = 4;
    pub const CYLINDER: i32 = 5;
    pub const BOX: i32 = 6;
    pub const MESH: i32 = 7;
    pub const SDF: i32 = 8;
}

/// Values of `wrap_type`.
#[allow(missing_docs)]
pub mod wrap {
    pub const JOINT: i32 = 1;
    pub const PULLEY: i32 = 2;
    pub const SITE: i32 = 3;
    pub const SPHERE: i32 = 4;
    pub const CYLINDER: i32 = 5;
}

/// Values of `actuator_trntype`.
#[allow(missing_docs)]
pub mod transmission {
    pub const JOINT: i32 = 0;
    pub const JOINTINPARENT: i32 = 1;
    pub const SLIDERCRANK: i32 = 2;
    pub const TENDON: i32 = 3;
    pub const SITE: i32 = 4;
    pub const BODY: i32 = 5;
    pub const SO3: i32 = 6;
}

/// Values of `actuator_dyntype`.
#[allow(missing_docs)]
pub mod dynamics {
    pub const NONE: i32 = 0;
    pub const INTEGRATOR: i32 = 1;
    pub const FILTER: i32 = 2;
    pub const FILTEREXACT: i32 = 3;
    pub const MUSCLE: i32 = 4;
    pub const DCMOTOR: i32 = 5;
    pub const PID: i32 = 6;
    pub const USER: i32 = 7;
}

/// Values of `actuator_gaintype`.
#[allow(missing_docs)]
pub mod gain {
    pub const FIXED: i32 = 0;
    pub const AFFINE: i32 = 1;
    pub const MUSCLE: i32 = 2;
    pub const DCMOTOR: i32 = 3;
    pub const SO3: i32 = 4;
    pub const PID: i32 = 5;
    pub const USER: i32 = 6;
}

/// Values of `actuator_biastype`.
#[allow(missing_docs)]
pub mod bias {
    pub const NONE: i32 = 0;
    pub const AFFINE: i32 = 1;
    pub const MUSCLE: i32 = 2;
    pub const DCMOTOR: i32 = 3;
    pub const SO3: i32 = 4;
    pub const USER: i32 = 5;
}

/// Bits of `actuator_ctrlspec`; of an orientation servo, one of the first two values.
#[allow(missing_docs)]
pub mod input {
    pub const EXPMAP: i32 = 1;
    pub const QUAT: i32 = 2;
    pub const POS: i32 = 1;
    pub const VEL: i32 = 2;
    pub const FF: i32 = 4;
    pub const VOLTAGE: i32 = 8;
    pub const NONE: i32 = 16;
    pub const PRESSURE: i32 = 32;
    /// Those that are controls.
    pub const COUNTED: i32 = POS | VEL | FF | VOLTAGE;
}

/// Values of `sensor_type`: indices into [`crate::spec::SENSORS`].
#[allow(missing_docs)]
pub mod sensor {
    pub const TOUCH: i32 = 0;
    pub const ACCELEROMETER: i32 = 1;
    pub const VELOCIMETER: i32 = 2;
    pub const GYRO: i32 = 3;
    pub const FORCE: i32 = 4;
    pub const TORQUE: i32 = 5;
    pub const MAGNETOMETER: i32 = 6;
    pub const RANGEFINDER: i32 = 7;
    pub const CAMPROJECTION: i32 = 8;
    pub const JOINTPOS: i32 = 9;
    pub const JOINTVEL: i32 = 10;
    pub const TENDONPOS: i32 = 11;
    pub const TENDONVEL: i32 = 12;
    pub const ACTUATORPOS: i32 = 13;
    pub const ACTUATORVEL: i32 = 14;
    pub const ACTUATORFRC: i32 = 15;
    pub const JOINTACTUATORFRC: i32 = 16;
    pub const TENDONACTUATORFRC: i32 = 17;
    pub const BALLQUAT: i32 = 18;
    pub const BALLANGVEL: i32 = 19;
    pub const JOINTLIMITPOS: i32 = 20;
    pub const JOINTLIMITVEL: i32 = 21;
    pub const JOINTLIMITFRC: i32 = 22;
    pub const TENDONLIMITPOS: i32 = 23;
    pub const TENDONLIMITVEL: i32 = 24;
    pub const TENDONLIMITFRC: i32 = 25;
    pub const FRAMEPOS: i32 = 26;
    pub const FRAMEQUAT: i32 = 27;
    pub const FRAMEXAXIS: i32 = 28;
    pub const FRAMEYAXIS: i32 = 29;
    pub const FRAMEZAXIS: i32 = 30;
    pub const FRAMELINVEL: i32 = 31;
    pub const FRAMEANGVEL: i32 = 32;
    pub const FRAMELINACC: i32 = 33;
    pub const FRAMEANGACC: i32 = 34;
    pub const SUBTREECOM: i32 = 35;
    pub const SUBTREELINVEL: i32 = 36;
    pub const SUBTREEANGMOM: i32 = 37;
    pub const INSIDESITE: i32 = 38;
    pub const DISTANCE: i32 = 39;
    pub const NORMAL: i32 = 40;
    pub const FROMTO: i32 = 41;
    pub const CONTACT: i32 = 42;
    pub const E_POTENTIAL: i32 = 43;
    pub const E_KINETIC: i32 = 44;
    pub const CLOCK: i32 = 45;
    pub const TACTILE: i32 = 46;
    pub const PLUGIN: i32 = 47;
    pub const USER: i32 = 48;
}

/// Values of `tree_sleep_policy` that something depends on: chosen by the compiler, written.
#[allow(missing_docs)]
pub mod sleep {
    pub const AUTO_NEVER: i32 = 1;
    pub const AUTO_ALLOWED: i32 = 2;
    pub const NEVER: i32 = 3;
    pub const INIT: i32 = 5;
}

/// Values of `opt_solver`.
#[allow(missing_docs)]
pub mod solver {
    pub const PGS: i32 = 0;
    pub const CG: i32 = 1;
    pub const NEWTON: i32 = 2;
}

/// Values of `opt_cone`.
#[allow(missing_docs)]
pub mod cone {
    pub const PYRAMIDAL: i32 = 0;
    pub const ELLIPTIC: i32 = 1;
}

/// Values of `eq_type`.
#[allow(missing_docs)]
pub mod equality {
    pub const CONNECT: i32 = 0;
    pub const WELD: i32 = 1;
    pub const JOINT: i32 = 2;
    pub const TENDON: i32 = 3;
    pub const FLEXSTRAIN: i32 = 6;
}

/// Values of `sensor_objtype` and `sensor_reftype` (`mjtObj`): what has a frame.
#[allow(missing_docs)]
pub mod object {
    pub const NONE: i32 = 0;
    pub const BODY: i32 = 1;
    pub const XBODY: i32 = 2;
    pub const JOINT: i32 = 3;
    pub const GEOM: i32 = 5;
    pub const SITE: i32 = 6;
    pub const CAMERA: i32 = 7;
}

impl<T: Real> Model<T> {
    /// Whether forces of constraints are changed row by row: by the solver, or after it.
    pub fn has_dual(&self) -> bool {
        self.opt_solver[0] == solver::PGS || self.opt_noslip_iterations[0] > 0
    }

    /// Whether some geom or pair pulls at what it touches.
    pub fn has_adhesion(&self) -> bool {
        self.geom_adhesion.iter().chain(&self.pair_adhesion).any(|force| *force != T::ZERO)
    }

    /// Whether trees that have come to rest may sleep. They do in islands.
    pub fn has_sleep(&self) -> bool {
        self.enabled(enable::SLEEP) && !self.disabled(disable::ISLAND) && self.sizes.ntree > 0
    }

    /// Whether a bit of `opt_disableflags` is set.
    #[inline]
    pub fn disabled(&self, bit: i32) -> bool {
        self.opt_disableflags[0] & bit != 0
    }

    /// Whether a bit of `opt_enableflags` is set.
    #[inline]
    pub fn enabled(&self, bit: i32) -> bool {
        self.opt_enableflags[0] & bit != 0
    }
}
