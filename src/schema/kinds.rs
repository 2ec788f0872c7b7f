//! The kinds of named objects: one table.

/// Kind, field of [`Names`], list of [`Spec`](crate::spec::Spec), `mjtObj` number, word for messages.
macro_rules! object_table {
    ($with:ident) => {
        $with! {
            Body body bodies 1 "body";
            Joint joint joints 3 "joint";
            Geom geom geoms 5 "geom";
            Site site sites 6 "site";
            Camera camera cameras 7 "camera";
            Light light lights 8 "light";
            Flex flex flexes 9 "flex";
            Mesh mesh meshes 10 "mesh";
            Skin skin skins 11 "skin";
            HField hfield hfields 12 "hfield";
            Texture texture textures 13 "texture";
            Material material materials 14 "material";
            Pair pair pairs 15 "pair";
            Exclude exclude excludes 16 "exclude";
            Equality equality equalities 17 "equality";
            Tendon tendon tendons 18 "tendon";
            Actuator actuator actuators 19 "actuator";
            Sensor sensor sensors 20 "sensor";
            Numeric numeric numerics 21 "numeric";
            Text text texts 22 "text";
            Tuple tuple tuples 23 "tuple";
            Key key keys 24 "keyframe";
            Plugin plugin plugins 25 "plugin instance";
            Frame frame frames 100 "frame";
        }
    };
}
pub(crate) use object_table;

macro_rules! define_kinds {
    ($($kind:ident $field:ident $list:ident $number:literal $word:literal;)*) => {
        /// Kinds of elements that have names.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Kind {
            $(#[doc = concat!("A ", $word, ".")] $kind,)*
        }

        impl Kind {
            /// Every kind.
            pub const ALL: &[Kind] = &[$(Kind::$kind,)*];

            /// The word for messages.
            pub fn word(self) -> &'static str {
                match self { $(Kind::$kind => $word,)* }
            }

            /// MuJoCo's number of the kind (`mjtObj`).
            pub fn number(self) -> i32 {
                match self { $(Kind::$kind => $number,)* }
            }

            /// The kind of a number; 2 is a body too: its frame instead of its inertial frame.
            pub fn of_number(number: i32) -> Option<Kind> {
                match number { 2 => Some(Kind::Body), $($number => Some(Kind::$kind),)* _ => None }
            }
        }

        /// Names of a model's objects, by id; an empty string where an object has none.
        #[derive(Clone, Debug, Default, PartialEq, Eq)]
        pub struct Names {
            /// The model's own name.
            pub model: String,
            $(#[doc = concat!("Names of every ", $word, ".")] pub $field: Vec<String>,)*
        }

        impl Names {
            /// Names of one kind.
            pub fn of(&self, kind: Kind) -> &[String] {
                match kind { $(Kind::$kind => &self.$field,)* }
            }

            /// Names of one kind, to be written.
            pub fn of_mut(&mut self, kind: Kind) -> &mut Vec<String> {
                match kind { $(Kind::$kind => &mut self.$field,)* }
            }
        }
    };
}
object_table!(define_kinds);
