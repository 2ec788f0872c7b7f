//! Size table: number of elements along each kind of axis.

macro_rules! size_table {
    ($with:ident) => {
        $with! {
            nq "position coordinates";
            nv "degrees of freedom";
            nu "control inputs";
            nactuator "actuators";
            nout "actuator force outputs";
            na "activation states";
            nbody "bodies, world included";
            njnt "joints";
            ngeom "geoms";
            nsite "sites";
            ncam "cameras";
            nlight "lights";
            nflex "flexes";
            nflexvert "vertices of all flexes";
            nflexnode "nodes of all flexes";
            nflexedge "edges of all flexes";
            nflexelem "elements of all flexes";
            nflexelemdata "corners of all flex elements";
            nflexelemedge "edges of all flex elements";
            nflexshelldata "corners of all boundary faces of flexes";
            nflextexcoord "texture coordinates of all flexes";
            nflexstiffness "stiffness entries of all flexes";
            nflexbending "bending entries of all flexes";
            nflexend "ends of the edges of all flexes";
            nflexhinge "vertices of the hinges of all flexes";
            nflexpatch "cells of solids and outer faces of shells of all flexes between nodes";
            nflexpatchnode "nodes of all cells and faces of flexes";
            nflexfold "edges about which the faces of all shells between nodes bend";
            nflexpair "pairs of geoms and flexes, and of flexes, that can collide";
            nJfe "nonzeros of the Jacobian of flex edges";
            nJfv "nonzeros of the Jacobian of flex vertices, whose two rows have the same columns";
            ntendon "tendons";
            nwrap "path elements of all tendons";
            nJten "nonzeros of the tendon Jacobian";
            neq "equality constraints";
            nskin "skins";
            nskinvert "vertices of all skins";
            nskintexvert "texture coordinates of all skins";
            nskinface "faces of all skins";
            nskinbone "bones of all skins";
            nskinbonevert "vertices of all bones";
            ntex "textures";
            nmat "materials";
            npair "explicit contact pairs";
            nexclude "excluded body pairs";
            nsensor "sensors";
            nsensordata "sensor outputs";
            nuser_sensor "user data of a sensor";
            nhistory "numbers in the history buffers of actuators and sensors";
            nmocap "mocap bodies";
            nkey "keyframes";
            nmesh "meshes";
            nmeshvert "vertices of all meshes";
            nmeshnormal "normals of all meshes";
            nmeshtexcoord "texture coordinates of all meshes";
            nmeshface "triangles of all meshes";
            nmeshgraph "numbers of all convex hulls";
            nmeshsupport "numbers of all support vertices by direction";
            nmeshpoly "polygons of all meshes";
            nmeshpolyvert "vertices of all polygons";
            nmeshpolymap "polygon incidences of all vertices";
            nmeshbvh "nodes of the bounding volume hierarchies of all meshes";
            noct "cells of the octrees of all meshes";
            nhfield "height fields";
            nhfielddata "points of all height fields";
            nnumeric "custom numerics";
            nnumericdata "numbers of all custom numerics";
            ntext "custom texts";
            ntextdata "bytes of all custom texts";
            ntuple "custom tuples";
            ntupledata "objects of all custom tuples";
            ntree "kinematic trees";
            nC "nonzeros in the lower triangle of the inertia matrix";
            nF "nonzeros in both triangles of the inertia matrix";
            nD "nonzeros of velocity derivatives: both triangles, dense blocks per tree";
            nH "entries in the lower triangle of a dense matrix over the degrees of freedom";
            nJmom "nonzeros of the actuator moments";
            nlevel "levels of the body tree, world included";
            ncandidate "geom pairs that can collide; in a model of very many, those that are tested without a sweep";
            nbodypair "body pairs: runs of candidates between the same two bodies, and the groups between such runs";
            nsap "geoms that the CPU sweeps for near pairs; none if there are few candidates";
            nsaprest "candidates that are tested without a sweep";
            nplugin "plugin instances";
            npluginattr "bytes of the configurations of all plugin instances";
            ncable "pieces of elastic cables, each between two bodies";
            nconmax "contacts that a world has capacity for";
            njmax "constraint rows that a world has capacity for";
            ntile "tiles of 4 x 4 in the lower triangle of the Hessian, each tree in rows of its own; kernels only";
            nvrow "elements that kernels keep of a row of the Jacobian; none if whole rows";
            nexact "lanes that find exact diagonals of constraint rows; kernels only, none without flag diagexact";
            ndual "constraint rows with stored products with the inverse inertia: all or none";
            nadhesive "contacts with adhesion: all or none";
            nflexcon "contacts that may be those of flexes: all or none";
            npassive "bodies that passive contacts may move; kernels only, none without such contacts";
            nasleep "trees if sleeping is enabled, else none";
            nasleepq "position coordinates if sleeping is enabled, else none";
            ntask "tasks: one or none";
            naction "numbers of an action";
            nobservation "numbers of an observation";
            ntaskvariable "numbers that the task remembers";
            ntaskterm "terms of the reward, and metrics";
            ntasktable "numbers that the task looks up by a computed row";
            ntaskwork "values of all expressions of the task";
            nformula "values of all expressions of formulas";
            nlawforce "numbers of the forces of laws";
            nlawactuator "actuators, if the model has laws, else none";
            nlawact "activations and states, if the model has laws, else none";
        }
    };
}

macro_rules! define_sizes {
    ($($name:ident $doc:literal;)*) => {
        /// Number of elements along each kind of axis.
        #[allow(non_snake_case)]
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct Sizes { $(#[doc = concat!("Number of ", $doc, ".")] pub $name: usize,)* }

        /// A size.
        #[allow(non_camel_case_types)]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Size { $(#[doc = concat!("Number of ", $doc, ".")] $name,)* }

        impl Size {
            /// Every size, in table order.
            pub const ALL: &[Size] = &[$(Size::$name,)*];

            /// MuJoCo's name of the size.
            pub fn name(self) -> &'static str {
                match self { $(Size::$name => stringify!($name),)* }
            }

            /// What is counted, in a few words.
            pub fn doc(self) -> &'static str {
                match self { $(Size::$name => $doc,)* }
            }
        }

        impl Sizes {
            /// Sizes of a task and of formulas, all zero where a model has none.
            pub const OF_TASK: &[Size] = &[
                Size::ntask,
                Size::naction,
                Size::nobservation,
                Size::ntaskvariable,
                Size::ntaskterm,
                Size::ntasktable,
                Size::ntaskwork,
                Size::nformula,
                Size::nlawforce,
                Size::nlawactuator,
                Size::nlawact,
            ];

            /// Sizes of fields of worlds alone, which follow from capacities and options: all zero in a model.
            pub const OF_WORLD: &[Size] = &[
                Size::nconmax,
                Size::njmax,
                Size::ntile,
                Size::nvrow,
                Size::nexact,
                Size::ndual,
                Size::nadhesive,
                Size::nflexcon,
                Size::npassive,
                Size::nasleep,
                Size::nasleepq,
            ];

            /// These sizes without those of a task.
            #[must_use]
            pub fn without_task(mut self) -> Self {
                Self::OF_TASK.iter().for_each(|size| *self.get_mut(*size) = 0);
                self
            }

            /// Value of a size.
            pub fn get(&self, size: Size) -> usize {
                match size { $(Size::$name => self.$name,)* }
            }

            /// Mutable value of a size.
            pub fn get_mut(&mut self, size: Size) -> &mut usize {
                match size { $(Size::$name => &mut self.$name,)* }
            }
        }
    };
}
size_table!(define_sizes);
