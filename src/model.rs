//! The compiled model: flat arrays under MuJoCo's names, made from the table of fields.

use crate::fields::{Column, ColumnOf, Field, Sizes, Values, ValuesMut, dim, elem, kind, model_table};
use crate::real::Real;

macro_rules! define_model {
    ($($name:ident: $elem:ident [$($d:tt)*] $unit:literal $doc:literal;)*) => {
        /// A compiled model. Constant while worlds step.
        #[allow(non_snake_case)]
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct Model<T: Real = f64> {
            /// Lengths of the axes.
            pub sizes: Sizes,
            /// Names of the objects of each kind.
            pub names: Names,
            $(
                #[doc = $doc]
                #[doc = concat!("\n\nUnit: ", $unit, ". Shape: `[", stringify!($($d),*), "]`.")]
                pub $name: ColumnOf<kind::$elem, T>,
            )*
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
                Self {
                    sizes,
                    names: Names::default(),
                    $($name: <ColumnOf<kind::$elem, T> as Column<T>>::zeroed(next()),)*
                }
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
                Model {
                    sizes: self.sizes,
                    names: self.names.clone(),
                    $($name: Column::<T>::cast::<U>(&self.$name),)*
                }
            }
        }
    };
}
model_table!(define_model);

/// Names of a model's objects, by id; an empty string where an object has none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names {
    /// The model's own name.
    pub model: String,
    /// Bodies; the first is `world`.
    pub body: Vec<String>,
    /// Joints.
    pub joint: Vec<String>,
    /// Geoms.
    pub geom: Vec<String>,
    /// Sites.
    pub site: Vec<String>,
    /// Cameras.
    pub camera: Vec<String>,
    /// Lights.
    pub light: Vec<String>,
    /// Tendons.
    pub tendon: Vec<String>,
    /// Actuators.
    pub actuator: Vec<String>,
    /// Custom numeric fields.
    pub numeric: Vec<String>,
    /// Keyframes.
    pub key: Vec<String>,
}

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

impl<T: Real> Model<T> {
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
