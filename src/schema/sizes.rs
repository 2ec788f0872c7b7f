//! Sizes: the number of elements along each kind of axis.

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
            nflexshelldata "corners of all sides on the surface of flexes";
            nflextexcoord "texture coordinates of all flexes";
            nflexstiffness "stiffness numbers of all flexes";
            nflexbending "bending numbers of all flexes";
            ntendon "tendons";
            nwrap "elements of all tendon paths";
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
            nhistory "numbers of the histories of actuators and sensors";
            nmocap "mocap bodies";
            nkey "keyframes";
            nmesh "meshes";
            nmeshvert "vertices of all meshes";
            nmeshnormal "normals of all meshes";
            nmeshtexcoord "texture coordinates of all meshes";
            nmeshface "triangles of all meshes";
            nmeshgraph "numbers of all convex hulls";
            nmeshpoly "polygons of all meshes";
            nmeshpolyvert "vertices of all polygons";
            nmeshpolymap "polygons of all vertices";
            nmeshbvh "nodes of the bounding-volume trees of all meshes";
            nhfield "height fields";
            nhfielddata "points of all height fields";
            nnumeric "custom numeric fields";
            nnumericdata "numbers of all custom numeric fields";
            ntext "custom texts";
            ntextdata "bytes of all custom texts";
            ntuple "custom lists of objects";
            ntupledata "objects of all custom lists";
            ntree "kinematic trees";
            nC "nonzeros of the inertia matrix's lower triangle";
            nF "nonzeros of the inertia matrix, both triangles";
            nD "nonzeros of derivatives by velocity: both triangles, whole blocks of trees";
            nH "entries of the lower triangle of a dense matrix over the degrees of freedom";
            nJmom "nonzeros of the actuator moments";
            nlevel "levels of the body tree, world included";
            ncandidate "geom pairs that can touch";
            nbodypair "runs of those between the same two bodies, and what is between";
            nsap "bodies, and geoms that do not move, which are sorted to find what is near; none where there are few candidates";
            nsappair "groups of candidates between two of those";
            nsaprest "groups that are tested beside them";
            nsapgroup "groups of candidates: in a row, between the same two";
            nplugin "plugin instances";
            npluginattr "bytes of the settings of all plugin instances";
            nconmax "contact slots of a world";
            njmax "constraint row slots of a world";
            ndual "those of them of which the products with the inverse inertia are kept";
            nadhesive "those contacts that can hold together: all or none";
            nasleep "trees where some may sleep, else none";
            nasleepq "position coordinates where trees may sleep, else none";
        }
    };
}

macro_rules! define_sizes {
    ($($name:ident $doc:literal;)*) => {
        /// Number of elements along each kind of axis.
        #[allow(non_snake_case)]
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct Sizes { $(#[doc = concat!("Number of ", $doc, ".")] pub $name: usize,)* }

        /// Name of a size.
        #[allow(non_camel_case_types)]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Size { $(#[doc = concat!("Number of ", $doc, ".")] $name,)* }

        impl Size {
            /// Every size, in the order of the table.
            pub const ALL: &[Size] = &[$(Size::$name,)*];

            /// MuJoCo's name of the size.
            pub fn name(self) -> &'static str {
                match self { $(Size::$name => stringify!($name),)* }
            }
        }

        impl Sizes {
            /// Value of one size.
            pub fn get(&self, size: Size) -> usize {
                match size { $(Size::$name => self.$name,)* }
            }

            /// Mutable value of one size.
            pub fn get_mut(&mut self, size: Size) -> &mut usize {
                match size { $(Size::$name => &mut self.$name,)* }
            }
        }
    };
}
size_table!(define_sizes);
