//! Geoms, explicit pairs, and the tables of collision candidates.

macro_rules! collision_fields {
    ($($state:tt)*) => {
        $crate::schema::gather! { $($state)* {
            // geoms
            geom_type: one(geom) [ngeom] "enum" "0 plane, 1 hfield, 2 sphere, 3 capsule, 4 ellipsoid, 5 cylinder, 6 box, 7 mesh, 8 sdf.";
            geom_contype: int [ngeom] "bits" "Contact type.";
            geom_conaffinity: int [ngeom] "bits" "Contact affinity: contact types that it can collide with.";
            geom_condim: int [ngeom] "1" "Contact dimensions: 1, 3, 4 or 6.";
            geom_bodyid: id(nbody) [ngeom] "id" "Body.";
            geom_matid: id(nmat or none) [ngeom] "id" "Material; -1 for none.";
            geom_dataid: id(by geom_type or none) [ngeom] "id" "Mesh or height field; -1 for none.";
            geom_sameframe: one(sameframe) [ngeom] "enum" "Frame: 1 body frame, 2 inertial frame, 3 and 4 only the orientation of these." { follows: &[&["body_ipos", "body_iquat", "geom_pos", "geom_quat"]] };
            geom_group: int [ngeom] "1" "Group for display.";
            geom_plugin: id(nplugin or none) [ngeom] "id" "Plugin instance; -1 for none.";
            geom_priority: int [ngeom] "1" "Contact priority: parameters of the higher one are used.";
            geom_solmix: real [ngeom] "1" "Mixing weight of contact parameters." { varies: Some(Rule::NotNegative) };
            geom_solref: real [ngeom 2] "mixed" "Solver reference of contacts." { varies: Some(Rule::Any) };
            geom_solimp: real [ngeom 5] "mixed" "Solver impedance of contacts." { varies: Some(Rule::Any) };
            geom_size: real [ngeom 3] "m" "Type-specific size." { varies: Some(Rule::GeomSize), follows: &[&["hfield_size"]] };
            geom_rbound: real [ngeom] "m" "Radius of the bounding sphere; 0 for planes." { follows: &[&["geom_size", "hfield_size"]] };
            geom_pos: real [ngeom 3] "m" "Position in the body's frame." { varies: Some(Rule::Any) };
            geom_quat: real [ngeom 4] "1" "Orientation in the body's frame." { varies: Some(Rule::Quat) };
            geom_friction: real [ngeom 3] "mixed" "Sliding, torsional and rolling friction." { varies: Some(Rule::NotNegative) };
            geom_margin: real [ngeom] "m" "Contact margin: inflation of the geom." { varies: Some(Rule::Any) };
            geom_gap: real [ngeom] "m" "Contact gap: further distance at which contacts are detected but not active." { varies: Some(Rule::Any) };
            geom_surfacevel: real [ngeom 6] "mixed" "Surface velocity in the geom's frame." { varies: Some(Rule::Any) };
            geom_adhesion: real [ngeom] "N" "Adhesion force of contacts." { varies: Some(Rule::Any) };
            geom_aabb: real [ngeom 6] "m" "Local AABB: centre and half sizes." { follows: &[&["geom_size", "hfield_size"]] };
            geom_fluid: real [ngeom 12] "mixed" "Parameters of the ellipsoid fluid model.";
            geom_rgba: real [ngeom 4] "1" "Colour.";
            // explicit contact pairs and exclusions
            pair_dim: int [npair] "1" "Contact dimensions.";
            pair_geom1: id(ngeom) [npair] "id" "First geom.";
            pair_geom2: id(ngeom) [npair] "id" "Second geom.";
            pair_signature: id(any) [npair] "id" "Lower body id times 65536 plus the other body id.";
            pair_solref: real [npair 2] "mixed" "Solver reference in the normal direction." { varies: Some(Rule::Any) };
            pair_solreffriction: real [npair 2] "mixed" "Solver reference in the friction directions; zeros: as normal." { varies: Some(Rule::Any) };
            pair_solimp: real [npair 5] "mixed" "Solver impedance." { varies: Some(Rule::Any) };
            pair_margin: real [npair] "m" "Contact margin." { varies: Some(Rule::Any) };
            pair_gap: real [npair] "m" "Contact gap: further distance at which contacts are detected but not active." { varies: Some(Rule::Any) };
            pair_adhesion: real [npair] "N" "Adhesion force." { varies: Some(Rule::Any) };
            pair_friction: real [npair 5] "mixed" "Friction coefficients of the five tangential dimensions." { varies: Some(Rule::NotNegative) };
            exclude_signature: id(any) [nexclude] "id" "Lower body id times 65536 plus the higher body id.";
            // collision candidates: geom pairs that can collide, lower type first
            candidate_geom1: id(ngeom) [ncandidate] "id" "First geom, of the lower type.";
            candidate_geom2: id(ngeom) [ncandidate] "id" "Second geom.";
            candidate_pair: id(npair or none) [ncandidate] "id" "Explicit pair; -1 for none.";
            candidate_treeend: int [ncandidate] "1" "One past the last of the candidates that follow with the same two trees.";
            bodypair_adr: adr(ncandidate) [nbodypair] "id" "First candidate of the body pair.";
            bodypair_num: num(bodypair_adr) [nbodypair] "1" "Number of candidates of the body pair.";
            bodypair_body: id(nbody or none) [nbodypair 2] "id" "The two bodies; -1 if the group has no bounding-volume test.";
            bodypair_geom: id(ngeom or none) [nbodypair] "id" "The only geom of the first body; -1 for several.";
            bodypair_sphere: real [nbodypair 8] "m" "Per side, bounding sphere of the geoms with margins in the body frame: centre and radius; of a plane, the radius is its margin." { follows: &[&["geom_pos", "geom_size", "hfield_size", "geom_margin", "geom_gap"]] };
            bodypair_aabb: real [nbodypair 12] "m" "Per side, AABB of the geoms with margins: centre and half sizes, in the frame of a single geom or of the body." { follows: &[&["geom_pos", "geom_quat", "geom_size", "hfield_size", "geom_margin", "geom_gap"]] };
            sap_geom: id(ngeom) [nsap] "id" "Swept geom. CPU only, as all of sweep and prune.";
            sap_rest: id(ncandidate) [nsaprest] "id" "Candidate that is tested without a sweep: of a plane, of a height field, or an explicit pair.";
        } }
    };
}
pub(crate) use collision_fields;
