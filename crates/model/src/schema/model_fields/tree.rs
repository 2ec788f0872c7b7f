//! Reference configuration and body tree: bodies, joints, degrees of freedom, sparsity of the inertia matrix, sites.

macro_rules! tree_fields {
    ($($state:tt)*) => {
        $crate::schema::gather! { $($state)* {
            // reference configuration
            qpos0: real [nq] "mixed" "Reference configuration." { varies: Some(Rule::Any) };
            qpos_spring: real [nq] "mixed" "Configuration at which joint springs are at rest." { varies: Some(Rule::Any) };
            // bodies
            body_parentid: id(nbody) [nbody] "id" "Parent body; the world is its own parent.";
            body_rootid: id(nbody) [nbody] "id" "Ancestor that is a child of the world.";
            body_weldid: id(nbody) [nbody] "id" "Topmost ancestor to which it is welded.";
            body_mocapid: id(nmocap or none) [nbody] "id" "Mocap body; -1 for none.";
            body_jntnum: num(body_jntadr) [nbody] "1" "Number of joints.";
            body_jntadr: adr(njnt or none) [nbody] "id" "First joint; -1 for none.";
            body_dofnum: num(body_dofadr) [nbody] "1" "Number of degrees of freedom.";
            body_dofadr: adr(nv or none) [nbody] "id" "First degree of freedom; -1 for none.";
            body_treeid: id(ntree or none) [nbody] "id" "Kinematic tree; -1 for static bodies.";
            body_geomnum: num(body_geomadr) [nbody] "1" "Number of geoms.";
            body_geomadr: adr(ngeom or none) [nbody] "id" "First geom; -1 for none.";
            body_pos: real [nbody 3] "m" "Position in the parent's frame." { varies: Some(Rule::Any) };
            body_quat: real [nbody 4] "1" "Orientation in the parent's frame." { varies: Some(Rule::Quat) };
            body_ipos: real [nbody 3] "m" "Centre of mass in the body's frame." { varies: Some(Rule::Any) };
            body_iquat: real [nbody 4] "1" "Principal axes of inertia in the body's frame." { varies: Some(Rule::Quat) };
            body_mass: real [nbody] "kg" "Mass." { varies: Some(Rule::Mass) };
            body_subtreemass: real [nbody] "kg" "Mass of the subtree." { follows: &[&["body_mass"]] };
            body_inertia: real [nbody 3] "kg m^2" "Principal moments of inertia." { varies: Some(Rule::Inertia) };
            body_invweight0: real [nbody 2] "mixed" "Mean inverse inertia at qpos0: translation, rotation." { follows: &[inputs::POSES, inputs::PATHS, inputs::INERTIA] };
            body_plugin: id(nplugin or none) [nbody] "id" "Plugin instance; -1 for none.";
            body_gravcomp: real [nbody] "1" "Gravity compensation, in units of body weight." { varies: Some(Rule::Any) };
            body_simple: int [nbody] "enum" "1 if its block of the inertia matrix is diagonal, 2 if it also has only slide joints.";
            body_sameframe: one(sameframe) [nbody] "enum" "Inertial frame: 1 coincides with the body frame, 3 has the same orientation." { follows: &[&["body_ipos", "body_iquat"]] };
            body_margin: real [nbody] "m" "Largest margin plus gap of its geoms." { follows: &[&["geom_margin", "geom_gap"]] };
            body_contype: int [nbody] "bits" "Union of the contact types of its geoms.";
            body_conaffinity: int [nbody] "bits" "Union of the contact affinities of its geoms.";
            // levels of the body tree: one lane per body of a level
            level_adr: adr(nbody) [nlevel] "id" "First entry of the level in `level_body`.";
            level_num: num(level_adr) [nlevel] "1" "Number of bodies in the level.";
            level_body: id(nbody) [nbody] "id" "Bodies ordered by level.";
            body_childadr: adr(nbody) [nbody] "id" "First child in `child_body`.";
            body_childnum: num(body_childadr) [nbody] "1" "Number of children.";
            child_body: id(nbody) [nbody] "id" "Children of every body, in decreasing id.";
            // joints
            jnt_type: one(joint) [njnt] "enum" "0 free, 1 ball, 2 slide, 3 hinge.";
            jnt_qposadr: adr(nq) [njnt] "id" "First position coordinate.";
            jnt_dofadr: adr(nv) [njnt] "id" "First degree of freedom.";
            jnt_bodyid: id(nbody) [njnt] "id" "Body of the joint.";
            jnt_actuatorid: id(nactuator or several) [njnt] "id" "Actuator that adds damping or armature; -1 for none, -2 for several.";
            jnt_group: int [njnt] "1" "Group for display.";
            jnt_limited: int [njnt] "flag" "1 if the joint has limits.";
            jnt_actfrclimited: int [njnt] "flag" "1 if the total actuator force is limited.";
            jnt_actgravcomp: int [njnt] "flag" "1 if gravity compensation counts as actuator force.";
            jnt_solref: real [njnt 2] "mixed" "Solver reference of the limit constraint." { varies: Some(Rule::Any) };
            jnt_solimp: real [njnt 5] "mixed" "Solver impedance of the limit constraint." { varies: Some(Rule::Any) };
            jnt_pos: real [njnt 3] "m" "Anchor in the body's frame." { varies: Some(Rule::Any) };
            jnt_axis: real [njnt 3] "1" "Axis in the body's frame." { varies: Some(Rule::Axis) };
            jnt_stiffness: real [njnt] "N/m or N m/rad" "Linear spring stiffness." { varies: Some(Rule::Any) };
            jnt_stiffnesspoly: real [njnt 2] "mixed" "Quadratic and cubic spring stiffness." { varies: Some(Rule::Any) };
            jnt_range: real [njnt 2] "m or rad" "Joint limits." { varies: Some(Rule::Range) };
            jnt_actfrcrange: real [njnt 2] "N or N m" "Limits of the total actuator force." { varies: Some(Rule::Range) };
            jnt_margin: real [njnt] "m or rad" "Distance at which the limit becomes active." { varies: Some(Rule::Any) };
            // degrees of freedom
            dof_bodyid: id(nbody) [nv] "id" "Body.";
            dof_jntid: id(njnt) [nv] "id" "Joint.";
            dof_parentid: id(nv or none) [nv] "id" "Parent degree of freedom; -1 for none.";
            dof_treeid: id(ntree) [nv] "id" "Kinematic tree.";
            dof_momentbegin: int [nv] "1" "First entry of the actuator moments for this degree of freedom.";
            dof_momentend: int [nv] "1" "One past the last of these entries, between which are those of others.";
            dof_simplenum: int [nv] "1" "Number of consecutive degrees of freedom of simple bodies from here on.";
            dof_solref: real [nv 2] "mixed" "Solver reference of the friction-loss constraint." { varies: Some(Rule::Any) };
            dof_solimp: real [nv 5] "mixed" "Solver impedance of the friction-loss constraint." { varies: Some(Rule::Any) };
            dof_frictionloss: real [nv] "N or N m" "Friction loss." { varies: Some(Rule::NotNegative) };
            dof_armature: real [nv] "kg or kg m^2" "Armature: inertia added to the diagonal." { varies: Some(Rule::NotNegative) };
            dof_damping: real [nv] "N s/m or N m s/rad" "Linear damping." { varies: Some(Rule::NotNegative) };
            dof_dampingpoly: real [nv 2] "mixed" "Quadratic and cubic damping." { varies: Some(Rule::Any) };
            dof_invweight0: real [nv] "mixed" "Diagonal of the inverse inertia at qpos0." { follows: &[inputs::POSES, inputs::PATHS, inputs::INERTIA] };
            dof_M0: real [nv] "mixed" "Diagonal of the inertia matrix at qpos0." { follows: &[inputs::POSES, inputs::PATHS, inputs::INERTIA] };
            dof_length: real [nv] "m" "Length scale: 1 for translation, lever arm for rotation." { follows: &[inputs::POSES, inputs::EXTENTS] };
            // inertia matrix: rows of the lower triangle, columns ascending, diagonal last
            M_rownnz: num(M_rowadr) [nv] "1" "Nonzeros of the row.";
            M_rowadr: adr(nC) [nv] "id" "First nonzero of the row.";
            M_colind: id(nv) [nC] "id" "Column of each nonzero.";
            // the same matrix with both triangles, for matrix-vector products without search
            F_rownnz: num(F_rowadr) [nv] "1" "Nonzeros of the row, both triangles.";
            F_rowadr: adr(nF) [nv] "id" "First nonzero of the row, both triangles.";
            F_colind: id(nv) [nF] "id" "Column of each nonzero, both triangles.";
            mapM2F: id(nC) [nF] "id" "Entry of M for each nonzero of both triangles.";
            // velocity derivatives: a row has all ancestors and descendants, of simple bodies too
            D_rownnz: num(D_rowadr) [nv] "1" "Nonzeros of the row of derivatives.";
            D_rowadr: adr(nD) [nv] "id" "First nonzero of the row of derivatives.";
            D_diag: int [nv] "1" "Position of the diagonal in the row of derivatives, after the ancestors.";
            D_colind: id(nv) [nD] "id" "Column of each derivative.";
            mapM2D: id(nC or none) [nD] "id" "Entry of M at each derivative; -1 for none.";
            mapD2M: id(nD) [nC] "id" "Derivative at each entry of M.";
            // kinematic trees
            tree_bodyadr: adr(nbody) [ntree] "id" "First body.";
            tree_bodynum: num(tree_bodyadr) [ntree] "1" "Number of bodies.";
            tree_dofadr: adr(nv) [ntree] "id" "First degree of freedom.";
            tree_dofnum: num(tree_dofadr) [ntree] "1" "Number of degrees of freedom.";
            tree_sleep_policy: one(sleep) [ntree] "enum" "1 auto never, 2 auto allowed, 3 never, 4 allowed, 5 initially asleep.";
            tree_asleep0: int [ntree] "mixed" "Initial `tree_asleep`.";
            // sites
            site_type: one(geom) [nsite] "enum" "Shape for display, as `geom_type`.";
            site_bodyid: id(nbody) [nsite] "id" "Body.";
            site_matid: id(nmat or none) [nsite] "id" "Material; -1 for none.";
            site_dataid: id(by site_type or none) [nsite] "id" "Mesh for display; -1 for none.";
            site_sameframe: one(sameframe) [nsite] "enum" "As `geom_sameframe`." { follows: &[&["body_ipos", "body_iquat", "site_pos", "site_quat"]] };
            site_group: int [nsite] "1" "Group for display.";
            site_size: real [nsite 3] "m" "Type-specific size.";
            site_pos: real [nsite 3] "m" "Position in the body's frame." { varies: Some(Rule::Any) };
            site_quat: real [nsite 4] "1" "Orientation in the body's frame." { varies: Some(Rule::Quat) };
            site_rgba: real [nsite 4] "1" "Colour.";
        } }
    };
}
pub(crate) use tree_fields;
