//! What follows from positions.

macro_rules! position_data {
    ($($state:tt)*) => {
        $crate::schema::gather! { $($state)* {
            // position
            kinematics xpos: real [nbody 3] "m" "Position of the body's frame." { transient: 30 };
            kinematics xquat: real [nbody 4] "1" "Orientation of the body's frame, as a quaternion." { transient: 31 };
            kinematics xmat: real [nbody 9] "1" "Orientation of the body's frame, as a matrix." { transient: 32 };
            kinematics xipos: real [nbody 3] "m" "Centre of mass." { transient: 33 };
            kinematics ximat: real [nbody 9] "1" "Orientation of the principal axes of inertia." { transient: 34 };
            kinematics xanchor: real [njnt 3] "m" "Anchor of the joint." { transient: 36 };
            kinematics xaxis: real [njnt 3] "1" "Axis of the joint." { transient: 37 };
            kinematics geom_xpos: real [ngeom 3] "m" "Position of the geom." { transient: 38 };
            kinematics geom_xmat: real [ngeom 9] "1" "Orientation of the geom." { transient: 39 };
            kinematics site_xpos: real [nsite 3] "m" "Position of the site.";
            kinematics site_xmat: real [nsite 9] "1" "Orientation of the site.";
            com_pos subtree_com: real [nbody 3] "m" "Centre of mass of the subtree." { transient: 35 };
            com_pos cinert: real [nbody 10] "kg, kg m, kg m^2" "Composite body inertia about the tree's centre of mass: 6 tensor entries, 3 of mass times offset, mass." { transient: 28 };
            com_pos cdof: real [nv 6] "1, m" "Motion axis about the tree's centre of mass." { transient: 23 };
            camlight cam_xpos: real [ncam 3] "m" "Position of the camera.";
            camlight cam_xmat: real [ncam 9] "1" "Orientation of the camera.";
            camlight light_xpos: real [nlight 3] "m" "Position of the light.";
            camlight light_xdir: real [nlight 3] "1" "Direction of the light.";
            flex flexvert_xpos: real [nflexvert 3] "m" "Position of the vertex.";
            flex flexelem_aabb: real [nflexelem 6] "m" "Bounding box of the element, with its radius: centre and half sizes.";
            flex flexedge_length: real [nflexedge] "m" "Length of the edge; zero in a flex on one body.";
            flex flexvert_length: real [nflexvert 2] "kg^0.5" "Strain around the vertex times the root of its mass: of the trace, and of the determinant of the Cauchy-Green tensor; zero unless its flex keeps vertices.";
            flex flexvert_J: real [nJfv 2] "mixed" "Jacobian of flexvert_length, sparse by row.";
            flex flexnode_xpos: real [nflexnode 3] "m" "Position of the node; of a node inside a shell, that between its sides.";
            flex flexpatch_xmat: real [nflexpatch 9] "1" "Rotation of the cell or face of a flex from the axes of its grid, if it is elastic or constrained.";
            flex flexedge_J: real [nJfe] "mixed" "Jacobian of the length, sparse by row.";
            tendon ten_length: real [ntendon] "m" "Tendon length." { transient: 40 };
            tendon ten_J: real [nJten] "mixed" "Jacobian of the length, sparse by row." { transient: 41 };
            crb crb: real [nbody 10] "as cinert" "Composite inertia of the subtree." { transient: 29 };
            crb M: real [nC] "mixed" "Inertia matrix: rows of the lower triangle." { transient: 9 };
            // 2.3e-6
            factor_m qLD: real [nC] "mixed" "Factors L and D of M = L' D L; the diagonal holds D." { tolerance: Tolerance::Within(2e-5), transient: 10 };
            // 2.7e-6
            factor_m qLDiagInv: real [nv] "mixed" "Inverse of D." { tolerance: Tolerance::Within(2e-5), transient: 11 };
            scratch flexelem_order: int [nflexelem] "id" "Elements of a flex in the order in which their bounding boxes begin." { need: Need::Kernels };
            scratch contact_apart: real [nflexcon] "m^2" "Squared distance of the contact from the nearest one that is kept.";
            collision ncon: int [1] "1" "Number of contacts.";
            scratch contact_point: real [nconmax 10] "mixed" "Contacts as found: distance, position, normal, hint of the tangent." { need: Need::Kernels };
            scratch contact_key: int [nconmax] "1" "Order of the contacts as found: 64 candidate, or 65536 with signed distance fields, + number within it." { need: Need::Kernels };
            scratch contact_item: int [nflexcon 3] "1" "Order of the contacts of flexes behind one candidate, as found: pair, vertex or element, and what follows within it; -1 for one of geoms." { need: Need::Kernels };
            scratch eq_efcadr: int [neq] "id" "First row of a constraint of a flex." { need: Need::Kernels };
            scratch work_geom_xpos: real [ngeom 3] "m" "Positions of the current geoms." { register: true, need: Need::Kernels };
            scratch work_plane_normal: real [ngeom 3] "1" "Normals of the current planes." { register: true, need: Need::Kernels };
            scratch tree_sphere: real [ntree 4] "m" "Centre and radius of a sphere around the geoms of a tree, with their margins; kernels." { need: Need::Kernels };
            scratch candidate_near: int [ncandidate] "id" "Candidates whose bounding volumes overlap." { need: Need::Kernels };
            scratch narrow_phase_queue: int [ncandidate] "id" "Overlapping candidates that wait for support functions; with lanes, shares of the broad phase before." { need: Need::Kernels };
            collision contact_dist: real [nconmax] "m" "Distance; negative for penetration.";
            collision contact_pos: real [nconmax 3] "m" "Midpoint between the surfaces.";
            // 5.0e-6
            collision contact_frame: real [nconmax 9] "1" "Contact frame, axes as rows: normal from the first geom to the second, then tangents." { tolerance: Tolerance::Within(3e-5) };
            collision contact_includemargin: real [nconmax] "m" "Distance below which the contact is active.";
            collision contact_friction: real [nconmax 5] "mixed" "Friction coefficients of the five tangential dimensions.";
            collision contact_solref: real [nconmax 2] "mixed" "Solver reference in the normal direction.";
            collision contact_solreffriction: real [nconmax 2] "mixed" "Solver reference in the friction directions.";
            collision contact_solimp: real [nconmax 5] "mixed" "Solver impedance.";
            collision contact_adhesion: real [nadhesive] "N" "Adhesion force.";
            collision contact_dim: int [nconmax] "1" "Contact dimensions.";
            collision contact_geom: int [nconmax 2] "id" "Geoms; -1 for a flex.";
            collision contact_flex: int [nflexcon 2] "id" "Flexes; -1 for a geom.";
            collision contact_elem: int [nflexcon 2] "id" "Elements within the flexes; -1 for none.";
            collision contact_vert: int [nflexcon 2] "id" "Vertices within the flexes; -1 for none.";
            make_constraint contact_efc_address: int [nconmax] "id" "First constraint row; -1 for none.";
            make_constraint ne: int [1] "1" "Number of equality rows.";
            make_constraint nf: int [1] "1" "Number of friction-loss rows.";
            make_constraint nl: int [1] "1" "Number of limit rows.";
            make_constraint nefc: int [1] "1" "Number of constraint rows.";
            make_constraint efc_type: int [njmax] "enum" "0 equality, 1 dof friction, 2 tendon friction, 3 joint limit, 4 tendon limit, 5 frictionless contact, 6 pyramidal contact, 7 elliptic contact.";
            make_constraint efc_id: int [njmax] "id" "Object of the row.";
            make_constraint efc_J: real [njmax nv] "mixed" "Constraint Jacobian; a row is zero outside of its `efc_dof_begin` to `efc_dof_end`." { transient: 14 };
            make_constraint efc_pos: real [njmax] "m or rad" "Constraint violation.";
            make_constraint efc_margin: real [njmax] "m or rad" "Margin.";
            make_constraint efc_frictionloss: real [njmax] "N or N m" "Friction-loss bound." { transient: 13 };
            make_constraint efc_diagApprox: real [njmax] "mixed" "Diagonal of the inverse inertia in constraint space: approximate, or exact with flag diagexact.";
            make_constraint efc_KBIP: real [njmax 4] "mixed" "Stiffness, damping, impedance, derivative of the impedance.";
            // 1.5e-5
            make_constraint efc_D: real [njmax] "mixed" "Inverse of the regulariser." { tolerance: Tolerance::Within(1e-4), transient: 2 };
            // 1.4e-4: one minus an impedance near one
            make_constraint efc_R: real [njmax] "mixed" "Regulariser." { tolerance: Tolerance::Within(5e-4), transient: 12 };
            scratch efc_dof_begin: int [njmax] "id" "First degree of freedom of the row; of kernels, those for several trees.";
            scratch efc_dof_end: int [njmax] "id" "One past the last degree of freedom of the row; of kernels, those for several trees.";
            scratch efc_gap_begin: int [njmax] "id" "First degree of freedom of a gap within the row's span, in which the row is zero; of kernels, those of many trees.";
            scratch efc_gap_end: int [njmax] "id" "One past the last degree of freedom of the gap; not above its begin, if there is none; of kernels, those of many trees.";
            scratch exact_x: real [nexact nv] "mixed" "Row of the Jacobian, after elimination of the factor L of the inertia matrix; kernels, flag diagexact." { need: Need::Kernels };
            scratch solver_H_skyline: int [nv] "id" "First column of the row of the solver's Hessian; kernels, several trees." { need: Need::Kernels };
            scratch nisland: int [1] "1" "Number of constraint islands.";
            scratch island_dof_begin: int [ntree] "id" "First degree of freedom of the island.";
            scratch island_dof_end: int [ntree] "id" "One past the last degree of freedom of the island.";
            scratch island_efc_begin: int [ntree] "id" "First of the island's places in `efc_order`; CPU only.";
            scratch island_efc_end: int [ntree] "id" "One past the last of the island's places in `efc_order`; CPU only.";
            scratch island_range_begin: int [ntree] "id" "First of the island's ranges of degrees of freedom; CPU only.";
            scratch island_range_end: int [ntree] "id" "One past the last of the island's ranges; CPU only.";
            scratch range_dof_begin: int [ntree] "id" "First degree of freedom of the range, which holds trees of one island that follow each other; CPU only.";
            scratch range_dof_end: int [ntree] "id" "One past the last degree of freedom of the range; CPU only.";
            scratch tree_island: int [ntree] "id" "Island of the tree; -1 for none.";
            scratch dof_island: int [nv] "id" "Island of the degree of freedom; -1 for none.";
            scratch efc_island: int [njmax] "id" "Island of the row.";
            scratch efc_order: int [njmax] "id" "Rows by island, in ascending order within each; CPU only.";
            scratch solver_quadratic: int [njmax] "flag" "1 if the row is in its quadratic zone in the factored Hessian; CPU only.";
            transmission actuator_length: real [nout] "mixed" "Actuator length." { transient: 43 };
            transmission actuator_moment: real [nJmom] "mixed" "Moment arms, sparse by output." { transient: 45 };
        } }
    };
}
pub(crate) use position_data;
