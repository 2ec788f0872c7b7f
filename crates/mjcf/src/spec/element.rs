//! Traits common to all kinds of elements, for generic code over their lists.

use super::*;
use manyworlds_model::schema::kinds::object_table;

/// An element in one of the lists of a [`Spec`].
pub trait Element: Refers + Clone + Default {
    /// Kind of the element.
    const KIND: Kind;
    /// The list of this kind.
    fn list(spec: &Spec) -> &Vec<Self>;
    /// The list of this kind, mutable.
    fn list_mut(spec: &mut Spec) -> &mut Vec<Self>;
}

macro_rules! define_elements {
    ($($kind:ident $field:ident $list:ident $number:literal $word:literal $size:ident;)*) => {
        $(
            impl Element for $kind {
                const KIND: Kind = Kind::$kind;
                fn list(spec: &Spec) -> &Vec<Self> {
                    &spec.$list
                }
                fn list_mut(spec: &mut Spec) -> &mut Vec<Self> {
                    &mut spec.$list
                }
            }
        )*
    };
}
object_table!(define_elements);

/// An element of a body.
pub trait InBody: Element {
    /// Its body and enclosing frame.
    fn place(&self) -> (usize, Option<usize>);
    /// Moves it to another body and frame.
    fn put(&mut self, body: usize, frame: Option<usize>);
    /// Transforms its pose: `outer` is the pose of its old parent in the new body.
    fn shift(&mut self, outer: &Pose);
}

macro_rules! in_body {
    ($type:ty, |$x:ident, $outer:ident| $shift:expr) => {
        impl InBody for $type {
            fn place(&self) -> (usize, Option<usize>) {
                (self.body, self.frame)
            }
            fn put(&mut self, body: usize, frame: Option<usize>) {
                (self.body, self.frame) = (body, frame);
            }
            fn shift(&mut self, $outer: &Pose) {
                let $x = self;
                $shift;
            }
        }
    };
}

in_body!(Joint, |j, outer| {
    j.pos = outer.pos + outer.quat * j.pos;
    j.axis = outer.quat * j.axis;
});
in_body!(Geom, |g, outer| g.outer = outer.then(&g.outer));
in_body!(Site, |s, outer| s.outer = outer.then(&s.outer));
in_body!(Camera, |c, outer| c.pose = outer.then(&c.pose));
in_body!(Light, |l, outer| {
    l.pos = outer.pos + outer.quat * l.pos;
    l.dir = outer.quat * l.dir;
});

/// Calls a generic method for each of several types.
macro_rules! each {
    ([$($type:ident),*] $receiver:ident.$method:ident $arguments:tt) => {
        $($receiver.$method::<$crate::spec::$type>$arguments;)*
    };
}
pub(crate) use each;
