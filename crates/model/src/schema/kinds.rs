//! Object table: the kinds of named objects.

use super::Size;

/// Kind, field of [`Names`], list of `Spec` of manyworlds-mjcf, `mjtObj` number, word in messages, size.
#[doc(hidden)]
#[macro_export]
macro_rules! object_table {
    ($with:ident) => {
        $with! {
            Body body bodies 1 "body" nbody;
            Joint joint joints 3 "joint" njnt;
            Geom geom geoms 5 "geom" ngeom;
            Site site sites 6 "site" nsite;
            Camera camera cameras 7 "camera" ncam;
            Light light lights 8 "light" nlight;
            Flex flex flexes 9 "flex" nflex;
            Mesh mesh meshes 10 "mesh" nmesh;
            Skin skin skins 11 "skin" nskin;
            HField hfield hfields 12 "hfield" nhfield;
            Texture texture textures 13 "texture" ntex;
            Material material materials 14 "material" nmat;
            Pair pair pairs 15 "pair" npair;
            Exclude exclude excludes 16 "exclude" nexclude;
            Equality equality equalities 17 "equality" neq;
            Tendon tendon tendons 18 "tendon" ntendon;
            Actuator actuator actuators 19 "actuator" nactuator;
            Sensor sensor sensors 20 "sensor" nsensor;
            Numeric numeric numerics 21 "numeric" nnumeric;
            Text text texts 22 "text" ntext;
            Tuple tuple tuples 23 "tuple" ntuple;
            Key key keys 24 "keyframe" nkey;
            Plugin plugin plugins 25 "plugin instance" nplugin;
            Frame frame frames 100 "frame" none;
        }
    };
}
pub use object_table;

macro_rules! size_of {
    (none) => {
        None
    };
    ($size:ident) => {
        Some(Size::$size)
    };
}

macro_rules! define_kinds {
    ($($kind:ident $field:ident $list:ident $number:literal $word:literal $size:ident;)*) => {
        /// Kinds of nameable elements.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Kind {
            $(#[doc = concat!("A ", $word, ".")] $kind,)*
        }

        impl Kind {
            /// Every kind.
            pub const ALL: &[Kind] = &[$(Kind::$kind,)*];

            /// Word in messages.
            pub fn word(self) -> &'static str {
                match self { $(Kind::$kind => $word,)* }
            }

            /// Name in code: `body`, `key`, `hfield`.
            pub fn name(self) -> &'static str {
                match self { $(Kind::$kind => stringify!($field),)* }
            }

            /// Plural in code, the name of the list in a `Spec`: `bodies`, `keys`, `hfields`.
            pub fn list(self) -> &'static str {
                match self { $(Kind::$kind => stringify!($list),)* }
            }

            /// The kind with a [name](Kind::name).
            pub fn from_name(name: &str) -> Option<Kind> {
                match name { $(stringify!($field) => Some(Kind::$kind),)* _ => None }
            }

            /// MuJoCo's object type (`mjtObj`).
            pub fn number(self) -> i32 {
                match self { $(Kind::$kind => $number,)* }
            }

            /// Size that counts the objects of this kind; `None` for frames, which are not compiled.
            pub fn size(self) -> Option<Size> {
                match self { $(Kind::$kind => size_of!($size),)* }
            }

            /// The kind of an object type; 2 is a body too: its body frame instead of its inertial frame.
            pub fn of_number(number: i32) -> Option<Kind> {
                match number { 2 => Some(Kind::Body), $($number => Some(Kind::$kind),)* _ => None }
            }
        }

        /// Names of a model's objects, by id; empty for unnamed objects.
        #[derive(Clone, Debug, Default, PartialEq, Eq)]
        pub struct Names {
            /// Name of the model.
            pub model: String,
            $(#[doc = concat!("Names of every ", $word, ".")] pub $field: Vec<String>,)*
        }

        impl Names {
            /// Names of one kind.
            pub fn of(&self, kind: Kind) -> &[String] {
                match kind { $(Kind::$kind => &self.$field,)* }
            }

            /// Mutable names of one kind.
            pub fn of_mut(&mut self, kind: Kind) -> &mut Vec<String> {
                match kind { $(Kind::$kind => &mut self.$field,)* }
            }
        }
    };
}
object_table!(define_kinds);
