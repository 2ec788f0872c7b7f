//! Geoms, explicit pairs, and the tables by which collision runs over the pairs that can touch.

macro_rules! collision_fields {
    ($($state:tt)*) => {
        $crate::schema::gather! { $($state)* {
            // geoms
            geom_type: int [ngeom] "enum" "0 plane, 1 hfield, 2 sphere, 3 capsule, 4 ellipsoid, 5 cylinder, 6 box, 7 mesh, 8 sdf.";
            geom_contype: int [ngeom] "bits" "Contact type.";
            geom_conaffinity: int [ngeom] "bits" "Contact types that it can touch.";
            geom_condim: int [ngeom] "1" "Contact dimensions: 1, 3, 4 or 6.";
            geom_bodyid: id(nbody) [ngeom] "id" "Body.";
            geom_matid: id(nmat or none) [ngeom] "id" "Material; -1 for none.";
            geom_dataid: id(any or none) [ngeom] "id" "Mesh or height field; -1 for none.";
            geom_sameframe: int [ngeom] "enum" "Frame: 1 the body's, 2 the inertial, 3, 4 only the axes of these.";
            geom_group: int [ngeom] "1" "Group for display.";
            geom_plugin: id(nplugin or none) [ngeom] "id" "Plugin instance; -1 for none.";
            geom_priority: int [ngeom] "1" "Higher priority decides contact parameters alone.";
            geom_solmix: real [ngeom] "1" "Weight when contact parameters are mixed.";
            geom_solref: real [ngeom 2] "mixed" "Reference of contacts.";
            geom_solimp: real [ngeom 5] "mixed" "Impedance of contacts.";
            geom_size: real [ngeom 3] "m" "Size by type.";
            geom_rbound: real [ngeom] "m" "Radius of the bounding sphere; 0 for planes.";
            geom_pos: real [ngeom 3] "m" "Position in the body's frame.";
            geom_quat: real [ngeom 4] "1" "Orientation in the body's frame.";
            geom_friction: real [ngeom 3] "mixed" "Sliding, torsional and rolling friction.";
            geom_margin: real [ngeom] "m" "Inflation of the geom for contact.";
            geom_gap: real [ngeom] "m" "Further distance at which contacts are listed without force.";
            geom_surfacevel: real [ngeom 6] "mixed" "Velocity of the surface in the geom's frame.";
            geom_adhesion: real [ngeom] "N" "Adhesive force of contacts.";
            geom_aabb: real [ngeom 6] "m" "Box around the geom in its frame: centre, half sizes.";
            geom_fluid: real [ngeom 12] "mixed" "Parameters of the ellipsoid fluid model.";
            geom_rgba: real [ngeom 4] "1" "Colour.";
            // explicit contact pairs and exclusions
            pair_dim: int [npair] "1" "Contact dimensions.";
            pair_geom1: id(ngeom) [npair] "id" "First geom.";
            pair_geom2: id(ngeom) [npair] "id" "Second geom.";
            pair_signature: id(any) [npair] "id" "First body times 65536 plus second body.";
            pair_solref: real [npair 2] "mixed" "Reference in the normal direction.";
            pair_solreffriction: real [npair 2] "mixed" "Reference in the friction directions; zeros: as normal.";
            pair_solimp: real [npair 5] "mixed" "Impedance.";
            pair_margin: real [npair] "m" "Inflation for contact.";
            pair_gap: real [npair] "m" "Further distance at which contacts are listed without force.";
            pair_adhesion: real [npair] "N" "Adhesive force.";
            pair_friction: real [npair 5] "mixed" "Friction of the five tangential dimensions.";
            exclude_signature: id(any) [nexclude] "id" "First body times 65536 plus second body.";
            // geom pairs that can touch, geoms ordered by type: what collision runs over
            candidate_geom1: id(ngeom) [ncandidate] "id" "First geom, the one of lower type.";
            candidate_geom2: id(ngeom) [ncandidate] "id" "Second geom.";
            candidate_pair: id(npair or none) [ncandidate] "id" "Explicit pair that it comes from; -1 for none.";
            bodypair_adr: adr(ncandidate) [nbodypair] "id" "First candidate of the run.";
            bodypair_num: int [nbodypair] "1" "Number of its candidates.";
            bodypair_body: id(nbody or none) [nbodypair 2] "id" "Bodies that their geoms are on; -1 where no test leaves out the run.";
            bodypair_geom: id(ngeom or none) [nbodypair] "id" "The one geom on the first body; -1 for several.";
            bodypair_sphere: real [nbodypair 8] "m" "For either body centre, in its frame, and radius of a sphere around those geoms with margins; of a plane, the radius is its margin.";
            bodypair_aabb: real [nbodypair 12] "m" "For either body centre and half sizes of a box around those geoms with margins, in its frame, or in that of the one geom.";
            sap_body: id(nbody or none) [nsap] "id" "Body that is sorted; -1 for a geom. CPU only, as all of the sweep.";
            sap_geom: id(ngeom or none) [nsap] "id" "Geom that is sorted; -1 for a body.";
            sap_adr: adr(nsappair) [nsap] "id" "First of the groups that it has with later ones.";
            sap_num: int [nsap] "1" "Number of those.";
            sappair_other: id(nsap) [nsappair] "id" "The later one, in ascending order.";
            sappair_group: id(nsapgroup) [nsappair] "id" "Group of candidates of the two.";
            sap_rest: id(nsapgroup) [nsaprest] "id" "Group of what has no bounds, or margins of its own.";
            sapgroup_adr: adr(ncandidate) [nsapgroup] "id" "First candidate of the group.";
            sapgroup_num: int [nsapgroup] "1" "Number of its candidates.";
        } }
    };
}
pub(crate) use collision_fields;
