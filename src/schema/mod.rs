//! The one table of fields.
//!
//! Every size, every Model field and every Data field is declared here once: name, element type, shape,
//! unit, meaning and, for Data, the stage that writes it. The CPU structs, the GPU arena and its WGSL
//! accessors, the npz names, the batch interface, the reference page and the list that `check` compares
//! are all made from it. To add a field, add a line.
//!
//! Names and shapes are MuJoCo's. Matrices are row-major, quaternions scalar-first, spatial vectors
//! rotation first.

pub mod kinds;
pub mod stages;

use stages::Stage;

/// Sizes: number of elements along an axis.
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
            nmeshbox "nodes of the bounding-volume trees of all meshes";
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
            nspan "runs of those between the same two bodies, and what is between";
            nsweep "bodies, and geoms that do not move, which are sorted to find what is near; none where there are few candidates";
            nsweeppair "groups of candidates between two of those";
            nsweeprest "groups that are tested beside them";
            nsweepgroup "groups of candidates: in a row, between the same two";
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

/// Model fields: constant while a batch steps, except where a batch expands one to a value per world.
macro_rules! model_table {
    ($with:ident) => {
        $with! {
            // options
            opt_timestep: real [1] "s" "Time step.";
            opt_impratio: real [1] "1" "Ratio of friction to normal impedance of contacts.";
            opt_tolerance: real [1] "1" "Solver termination: scaled improvement or gradient below it.";
            opt_ls_tolerance: real [1] "1" "Line search termination, relative to `opt_tolerance`.";
            opt_noslip_tolerance: real [1] "1" "Termination of the no-slip solver.";
            opt_ccd_tolerance: real [1] "1" "Termination of convex collision.";
            opt_sleep_tolerance: real [1] "m/s" "Velocity below which trees may sleep.";
            opt_gravity: real [3] "m/s^2" "Gravitational acceleration.";
            opt_wind: real [3] "m/s" "Velocity of the medium.";
            opt_magnetic: real [3] "mixed" "Magnetic flux.";
            opt_density: real [1] "kg/m^3" "Density of the medium.";
            opt_viscosity: real [1] "Pa s" "Viscosity of the medium.";
            opt_o_margin: real [1] "m" "Contact margin that replaces all others under the override flag.";
            opt_o_solref: real [2] "mixed" "Contact solref under the override flag.";
            opt_o_solimp: real [5] "mixed" "Contact solimp under the override flag.";
            opt_o_friction: real [5] "mixed" "Contact friction under the override flag.";
            opt_integrator: int [1] "enum" "0 Euler, 1 RK4, 2 implicit, 3 implicitfast, 4 discrete.";
            opt_cone: int [1] "enum" "Friction cone: 0 pyramidal, 1 elliptic.";
            opt_jacobian: int [1] "enum" "Constraint Jacobian: 0 dense, 1 sparse, 2 auto.";
            opt_solver: int [1] "enum" "0 PGS, 1 CG, 2 Newton.";
            opt_iterations: int [1] "1" "Most iterations of the solver.";
            opt_ls_iterations: int [1] "1" "Most iterations of a line search.";
            opt_noslip_iterations: int [1] "1" "Most iterations of the no-slip solver.";
            opt_ccd_iterations: int [1] "1" "Most iterations of convex collision.";
            opt_disableflags: int [1] "bits" "Standard features that are switched off.";
            opt_enableflags: int [1] "bits" "Optional features that are switched on.";
            opt_disableactuator: int [1] "bits" "Actuator groups that are switched off.";
            opt_sdf_initpoints: int [1] "1" "Starting points of signed-distance collision.";
            opt_sdf_iterations: int [1] "1" "Iterations of signed-distance collision.";
            stat_meaninertia: real [1] "mixed" "Mean diagonal of the inertia matrix at qpos0.";
            stat_meanmass: real [1] "kg" "Mean body mass.";
            stat_meansize: real [1] "m" "Mean body size.";
            stat_extent: real [1] "m" "Extent of the model.";
            stat_center: real [3] "m" "Centre of the model.";
            // settings of the viewer
            vis_global_cameraid: int [1] "id" "Camera to start with; -1 for a free one.";
            vis_global_orthographic: int [1] "flag" "Whether the free camera is orthographic.";
            vis_global_fovy: real [1] "deg or m" "Field of view of the free camera.";
            vis_global_ipd: real [1] "m" "Distance between the eyes of the free camera.";
            vis_global_azimuth: real [1] "deg" "First azimuth of the free camera.";
            vis_global_elevation: real [1] "deg" "First elevation of the free camera.";
            vis_global_linewidth: real [1] "1" "Width of lines.";
            vis_global_glow: real [1] "1" "Glow of the chosen body.";
            vis_global_realtime: real [1] "1" "First speed, relative to real time.";
            vis_global_offwidth: int [1] "1" "Width of images in pixels.";
            vis_global_offheight: int [1] "1" "Height of images in pixels.";
            vis_global_ellipsoidinertia: int [1] "flag" "Whether inertias are drawn as ellipsoids, not boxes.";
            vis_global_bvactive: int [1] "flag" "Whether bounding volumes in use are drawn.";
            vis_quality_shadowsize: int [1] "1" "Side of the shadow map in pixels.";
            vis_quality_offsamples: int [1] "1" "Samples per pixel of images.";
            vis_quality_numslices: int [1] "1" "Slices of round shapes.";
            vis_quality_numstacks: int [1] "1" "Stacks of round shapes.";
            vis_quality_numquads: int [1] "1" "Rectangles along the sides of boxes.";
            vis_headlight_ambient: real [3] "1" "Ambient colour of the light at the camera.";
            vis_headlight_diffuse: real [3] "1" "Diffuse colour of the light at the camera.";
            vis_headlight_specular: real [3] "1" "Specular colour of the light at the camera.";
            vis_headlight_active: int [1] "flag" "Whether the light at the camera is on.";
            vis_map_stiffness: real [1] "N/m" "Stiffness of the mouse spring.";
            vis_map_stiffnessrot: real [1] "N m/rad" "Stiffness of the turning mouse spring.";
            vis_map_force: real [1] "m/N" "Length of a force.";
            vis_map_torque: real [1] "m/(N m)" "Length of a torque.";
            vis_map_alpha: real [1] "1" "Scale of alpha where geoms are made transparent.";
            vis_map_fogstart: real [1] "1" "Where fog starts, in extents of the model.";
            vis_map_fogend: real [1] "1" "Where fog is full, in extents of the model.";
            vis_map_znear: real [1] "1" "Near plane, in extents of the model.";
            vis_map_zfar: real [1] "1" "Far plane, in extents of the model.";
            vis_map_haze: real [1] "1" "Part of the sky with haze.";
            vis_map_shadowclip: real [1] "1" "Reach of shadows of directional lights, in extents of the model.";
            vis_map_shadowscale: real [1] "1" "Reach of shadows of spots, in cutoffs.";
            vis_map_actuatortendon: real [1] "1" "Width of driven tendons relative to others.";
            vis_scale_forcewidth: real [1] "1" "Width of forces, relative to the mean body's size.";
            vis_scale_contactwidth: real [1] "1" "Width of contacts, relative to the mean body's size.";
            vis_scale_contactheight: real [1] "1" "Height of contacts, relative to the mean body's size.";
            vis_scale_connect: real [1] "1" "Width of connecting capsules, relative to the mean body's size.";
            vis_scale_com: real [1] "1" "Radius of centres of mass, relative to the mean body's size.";
            vis_scale_camera: real [1] "1" "Size of cameras, relative to the mean body's size.";
            vis_scale_light: real [1] "1" "Size of lights, relative to the mean body's size.";
            vis_scale_selectpoint: real [1] "1" "Radius of the chosen point, relative to the mean body's size.";
            vis_scale_jointlength: real [1] "1" "Length of joints, relative to the mean body's size.";
            vis_scale_jointwidth: real [1] "1" "Width of joints, relative to the mean body's size.";
            vis_scale_actuatorlength: real [1] "1" "Length of actuators, relative to the mean body's size.";
            vis_scale_actuatorwidth: real [1] "1" "Width of actuators, relative to the mean body's size.";
            vis_scale_framelength: real [1] "1" "Length of axes, relative to the mean body's size.";
            vis_scale_framewidth: real [1] "1" "Width of axes, relative to the mean body's size.";
            vis_scale_constraint: real [1] "1" "Width of constraint errors, relative to the mean body's size.";
            vis_scale_slidercrank: real [1] "1" "Width of slider-cranks, relative to the mean body's size.";
            vis_scale_frustum: real [1] "1" "Far end of frusta, relative to the mean body's size.";
            vis_rgba_fog: real [4] "1" "Colour of fog.";
            vis_rgba_haze: real [4] "1" "Colour of haze.";
            vis_rgba_force: real [4] "1" "Colour of forces from outside.";
            vis_rgba_inertia: real [4] "1" "Colour of inertias.";
            vis_rgba_joint: real [4] "1" "Colour of joints.";
            vis_rgba_actuator: real [4] "1" "Colour of actuators.";
            vis_rgba_actuatornegative: real [4] "1" "Colour of actuators at the lower limit.";
            vis_rgba_actuatorpositive: real [4] "1" "Colour of actuators at the upper limit.";
            vis_rgba_com: real [4] "1" "Colour of centres of mass.";
            vis_rgba_camera: real [4] "1" "Colour of cameras.";
            vis_rgba_light: real [4] "1" "Colour of lights.";
            vis_rgba_selectpoint: real [4] "1" "Colour of the chosen point.";
            vis_rgba_connect: real [4] "1" "Colour of connecting capsules.";
            vis_rgba_contactpoint: real [4] "1" "Colour of contacts.";
            vis_rgba_contactforce: real [4] "1" "Colour of contact forces.";
            vis_rgba_contactfriction: real [4] "1" "Colour of friction forces.";
            vis_rgba_contacttorque: real [4] "1" "Colour of contact torques.";
            vis_rgba_contactgap: real [4] "1" "Colour of contacts in the gap.";
            vis_rgba_rangefinder: real [4] "1" "Colour of rays of rangefinders.";
            vis_rgba_constraint: real [4] "1" "Colour of constraint errors.";
            vis_rgba_slidercrank: real [4] "1" "Colour of slider-cranks.";
            vis_rgba_crankbroken: real [4] "1" "Colour of slider-cranks that cannot reach.";
            vis_rgba_frustum: real [4] "1" "Colour of frusta.";
            vis_rgba_bv: real [4] "1" "Colour of bounding volumes.";
            vis_rgba_bvactive: real [4] "1" "Colour of bounding volumes in use.";
            // reference configuration
            qpos0: real [nq] "mixed" "Position coordinates of the model as written.";
            qpos_spring: real [nq] "mixed" "Position coordinates at which joint springs are at rest.";
            // bodies
            body_parentid: int [nbody] "id" "Parent body; the world is its own.";
            body_rootid: int [nbody] "id" "Ancestor that is a child of the world.";
            body_weldid: int [nbody] "id" "Topmost ancestor that it is rigidly fixed to.";
            body_mocapid: int [nbody] "id" "Mocap body; -1 for none.";
            body_jntnum: int [nbody] "1" "Number of joints.";
            body_jntadr: int [nbody] "id" "First joint; -1 for none.";
            body_dofnum: int [nbody] "1" "Number of degrees of freedom.";
            body_dofadr: int [nbody] "id" "First degree of freedom; -1 for none.";
            body_treeid: int [nbody] "id" "Kinematic tree; -1 for static bodies.";
            body_geomnum: int [nbody] "1" "Number of geoms.";
            body_geomadr: int [nbody] "id" "First geom; -1 for none.";
            body_pos: real [nbody 3] "m" "Position in the parent's frame.";
            body_quat: real [nbody 4] "1" "Orientation in the parent's frame.";
            body_ipos: real [nbody 3] "m" "Centre of mass in the body's frame.";
            body_iquat: real [nbody 4] "1" "Principal axes of inertia in the body's frame.";
            body_mass: real [nbody] "kg" "Mass.";
            body_subtreemass: real [nbody] "kg" "Mass of the body and all below it.";
            body_inertia: real [nbody 3] "kg m^2" "Principal moments of inertia.";
            body_invweight0: real [nbody 2] "mixed" "Mean inverse inertia at qpos0: translation, rotation.";
            body_plugin: int [nbody] "id" "Plugin instance; -1 for none.";
            body_gravcomp: real [nbody] "1" "Upward force in units of the body's weight.";
            body_simple: int [nbody] "enum" "1: its block of the inertia matrix is diagonal, 2: and it only slides.";
            body_sameframe: int [nbody] "enum" "Inertial frame: 1 is the body's, 3 has its axes.";
            body_margin: real [nbody] "m" "Largest margin with gap of its geoms.";
            body_contype: int [nbody] "bits" "Contact types of all its geoms.";
            body_conaffinity: int [nbody] "bits" "Contact affinities of all its geoms.";
            // levels of the body tree: one lane per body of a level
            level_adr: int [nlevel] "id" "First entry of the level in `level_body`.";
            level_num: int [nlevel] "1" "Number of bodies of the level.";
            level_body: int [nbody] "id" "Bodies ordered by level.";
            body_childadr: int [nbody] "id" "First entry of the body's children in `child_body`.";
            body_childnum: int [nbody] "1" "Number of children.";
            child_body: int [nbody] "id" "Children of every body, highest id first.";
            // joints
            jnt_type: int [njnt] "enum" "0 free, 1 ball, 2 slide, 3 hinge.";
            jnt_qposadr: int [njnt] "id" "First position coordinate.";
            jnt_dofadr: int [njnt] "id" "First degree of freedom.";
            jnt_bodyid: int [njnt] "id" "Body that it moves.";
            jnt_actuatorid: int [njnt] "id" "Actuator that adds damping or armature; -1 for none.";
            jnt_group: int [njnt] "1" "Group for display.";
            jnt_limited: int [njnt] "flag" "Whether it has limits.";
            jnt_actfrclimited: int [njnt] "flag" "Whether the total actuator force is limited.";
            jnt_actgravcomp: int [njnt] "flag" "Whether gravity compensation counts as actuator force.";
            jnt_solref: real [njnt 2] "mixed" "Reference of the limit constraint.";
            jnt_solimp: real [njnt 5] "mixed" "Impedance of the limit constraint.";
            jnt_pos: real [njnt 3] "m" "Anchor in the body's frame.";
            jnt_axis: real [njnt 3] "1" "Axis in the body's frame.";
            jnt_stiffness: real [njnt] "N/m or N m/rad" "Linear spring stiffness.";
            jnt_stiffnesspoly: real [njnt 2] "mixed" "Spring stiffness of second and third order.";
            jnt_range: real [njnt 2] "m or rad" "Limits.";
            jnt_actfrcrange: real [njnt 2] "N or N m" "Limits of the total actuator force.";
            jnt_margin: real [njnt] "m or rad" "Distance at which the limit becomes active.";
            // degrees of freedom
            dof_bodyid: int [nv] "id" "Body.";
            dof_jntid: int [nv] "id" "Joint.";
            dof_parentid: int [nv] "id" "Previous degree of freedom on the way to the root; -1 for none.";
            dof_treeid: int [nv] "id" "Kinematic tree.";
            dof_simplenum: int [nv] "1" "Degrees of freedom of simple bodies from here on in a row.";
            dof_solref: real [nv 2] "mixed" "Reference of the friction-loss constraint.";
            dof_solimp: real [nv 5] "mixed" "Impedance of the friction-loss constraint.";
            dof_frictionloss: real [nv] "N or N m" "Dry friction.";
            dof_armature: real [nv] "kg or kg m^2" "Inertia that is added to the diagonal.";
            dof_damping: real [nv] "N s/m or N m s/rad" "Linear damping.";
            dof_dampingpoly: real [nv 2] "mixed" "Damping of second and third order.";
            dof_invweight0: real [nv] "mixed" "Diagonal of the inverse inertia at qpos0.";
            dof_M0: real [nv] "mixed" "Diagonal of the inertia at qpos0.";
            dof_length: real [nv] "m" "Length scale: 1 for translation, lever arm for rotation.";
            // inertia matrix: rows of the lower triangle, columns ascending, diagonal last
            M_rownnz: int [nv] "1" "Nonzeros of the row.";
            M_rowadr: int [nv] "id" "First nonzero of the row.";
            M_colind: int [nC] "id" "Column of each nonzero.";
            // the same matrix with both triangles: its products need no search
            F_rownnz: int [nv] "1" "Nonzeros of the row, both triangles.";
            F_rowadr: int [nv] "id" "First nonzero of the row, both triangles.";
            F_colind: int [nF] "id" "Column of each nonzero, both triangles.";
            mapM2F: int [nF] "id" "Entry of M that each nonzero of both triangles equals.";
            // derivatives by velocity: a row has all ancestors and descendants, those of simple bodies too
            D_rownnz: int [nv] "1" "Nonzeros of the row of derivatives.";
            D_rowadr: int [nv] "id" "First nonzero of the row of derivatives.";
            D_diag: int [nv] "1" "Place of the diagonal in the row of derivatives: its ancestors come before it.";
            D_colind: int [nD] "id" "Column of each derivative.";
            mapM2D: int [nD] "id" "Entry of M in the place of each derivative; -1 for none.";
            mapD2M: int [nC] "id" "Derivative in the place of each entry of M.";
            // trees
            tree_bodyadr: int [ntree] "id" "First body.";
            tree_bodynum: int [ntree] "1" "Number of bodies.";
            tree_dofadr: int [ntree] "id" "First degree of freedom.";
            tree_dofnum: int [ntree] "1" "Number of degrees of freedom.";
            tree_sleep_policy: int [ntree] "enum" "1 auto never, 2 auto allowed, 3 never, 4 allowed, 5 initially.";
            tree_asleep0: int [ntree] "mixed" "`tree_asleep` from the start.";
            // geoms
            geom_type: int [ngeom] "enum" "0 plane, 1 hfield, 2 sphere, 3 capsule, 4 ellipsoid, 5 cylinder, 6 box, 7 mesh, 8 sdf.";
            geom_contype: int [ngeom] "bits" "Contact type.";
            geom_conaffinity: int [ngeom] "bits" "Contact types that it can touch.";
            geom_condim: int [ngeom] "1" "Contact dimensions: 1, 3, 4 or 6.";
            geom_bodyid: int [ngeom] "id" "Body.";
            geom_matid: int [ngeom] "id" "Material; -1 for none.";
            geom_dataid: int [ngeom] "id" "Mesh or height field; -1 for none.";
            geom_sameframe: int [ngeom] "enum" "Frame: 1 the body's, 2 the inertial, 3, 4 only the axes of these.";
            geom_group: int [ngeom] "1" "Group for display.";
            geom_plugin: int [ngeom] "id" "Plugin instance; -1 for none.";
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
            // geom pairs that can touch, geoms ordered by type: what collision runs over
            candidate_geom1: int [ncandidate] "id" "First geom, the one of lower type.";
            candidate_geom2: int [ncandidate] "id" "Second geom.";
            candidate_pair: int [ncandidate] "id" "Explicit pair that it comes from; -1 for none.";
            span_adr: int [nspan] "id" "First candidate of the run.";
            span_num: int [nspan] "1" "Number of its candidates.";
            span_body: int [nspan 2] "id" "Bodies that their geoms are on; -1 where no test leaves out the run.";
            span_geom: int [nspan] "id" "The one geom on the first body; -1 for several.";
            span_reach: real [nspan 8] "m" "For either body centre, in its frame, and radius of a sphere around those geoms with margins; of a plane, the radius is its margin.";
            span_box: real [nspan 12] "m" "For either body centre and half sizes of a box around those geoms with margins, in its frame, or in that of the one geom.";
            sweep_body: int [nsweep] "id" "Body that is sorted; -1 for a geom. CPU only, as all of the sweep.";
            sweep_geom: int [nsweep] "id" "Geom that is sorted; -1 for a body.";
            sweep_adr: int [nsweep] "id" "First of the groups that it has with later ones.";
            sweep_num: int [nsweep] "1" "Number of those.";
            sweep_other: int [nsweeppair] "id" "The later one, in ascending order.";
            sweep_group: int [nsweeppair] "id" "Group of candidates of the two.";
            sweep_rest: int [nsweeprest] "id" "Group of what has no bounds, or margins of its own.";
            sweep_group_adr: int [nsweepgroup] "id" "First candidate of the group.";
            sweep_group_num: int [nsweepgroup] "1" "Number of its candidates.";
            // meshes, in their inertial frames
            mesh_vertadr: int [nmesh] "id" "First vertex.";
            mesh_vertnum: int [nmesh] "1" "Number of vertices.";
            mesh_faceadr: int [nmesh] "id" "First face.";
            mesh_facenum: int [nmesh] "1" "Number of faces.";
            mesh_normaladr: int [nmesh] "id" "First normal.";
            mesh_normalnum: int [nmesh] "1" "Number of normals.";
            mesh_texcoordadr: int [nmesh] "id" "First texture coordinate; -1 for none.";
            mesh_texcoordnum: int [nmesh] "1" "Number of texture coordinates.";
            mesh_graphadr: int [nmesh] "id" "First number of the convex hull; -1 for none.";
            mesh_extrema: int [nmesh 27] "id" "Farthest vertices along the 3x3x3 directions of a cube.";
            mesh_vert: real [nmeshvert 3] "m" "Positions of vertices.";
            mesh_normal: real [nmeshnormal 3] "1" "Normals.";
            mesh_texcoord: real [nmeshtexcoord 2] "1" "Texture coordinates.";
            mesh_face: int [nmeshface 3] "id" "Vertices of each face.";
            mesh_facenormal: int [nmeshface 3] "id" "Normals of each face.";
            mesh_facetexcoord: int [nmeshface 3] "id" "Texture coordinates of each face.";
            mesh_graph: int [nmeshgraph] "mixed" "Hulls: numbers of vertices and faces, then edges, vertices and faces.";
            mesh_scale: real [nmesh 3] "1" "Scale of the vertices as written.";
            mesh_pos: real [nmesh 3] "m" "Inertial frame's position in the mesh as written.";
            mesh_quat: real [nmesh 4] "1" "Inertial frame's orientation in the mesh as written.";
            mesh_polynum: int [nmesh] "1" "Number of polygons.";
            mesh_polyadr: int [nmesh] "id" "First polygon.";
            mesh_polynormal: real [nmeshpoly 3] "1" "Normals of polygons.";
            mesh_polyvertadr: int [nmeshpoly] "id" "First vertex of each polygon.";
            mesh_polyvertnum: int [nmeshpoly] "1" "Number of vertices of each polygon.";
            mesh_polyvert: int [nmeshpolyvert] "id" "Vertices of polygons.";
            mesh_polymapadr: int [nmeshvert] "id" "First polygon of each vertex.";
            mesh_polymapnum: int [nmeshvert] "1" "Number of polygons of each vertex.";
            mesh_polymap: int [nmeshpolymap] "id" "Polygons of vertices.";
            mesh_boxadr: int [nmesh] "id" "First node of the tree of boxes around the faces.";
            mesh_boxnum: int [nmesh] "1" "Number of nodes.";
            meshbox_aabb: real [nmeshbox 6] "m" "Boxes of nodes: centre and half sizes, in the frame of the mesh.";
            meshbox_skip: int [nmeshbox] "1" "Number of the node after those below, in its tree.";
            meshbox_faceadr: int [nmeshbox] "id" "First face of a leaf among those of the mesh, in the order of `mesh_boxface`.";
            meshbox_facenum: int [nmeshbox] "1" "Number of faces of a leaf, 0 of other nodes.";
            mesh_boxface: int [nmeshface] "id" "Faces of each mesh in the order of leaves.";
            // height fields
            hfield_size: real [nhfield 4] "m" "Half sizes along x and y, height, depth of the base.";
            hfield_nrow: int [nhfield] "1" "Number of rows.";
            hfield_ncol: int [nhfield] "1" "Number of columns.";
            hfield_adr: int [nhfield] "id" "First height.";
            hfield_data: real [nhfielddata] "1" "Heights between 0 and 1, by row.";
            // sites
            site_type: int [nsite] "enum" "Shape for display, as `geom_type`.";
            site_bodyid: int [nsite] "id" "Body.";
            site_matid: int [nsite] "id" "Material; -1 for none.";
            site_dataid: int [nsite] "id" "Mesh for display; -1 for none.";
            site_sameframe: int [nsite] "enum" "As `geom_sameframe`.";
            site_group: int [nsite] "1" "Group for display.";
            site_size: real [nsite 3] "m" "Size by type.";
            site_pos: real [nsite 3] "m" "Position in the body's frame.";
            site_quat: real [nsite 4] "1" "Orientation in the body's frame.";
            site_rgba: real [nsite 4] "1" "Colour.";
            // flexes
            flex_contype: int [nflex] "bits" "Contact type.";
            flex_conaffinity: int [nflex] "bits" "Contact types that it can touch.";
            flex_condim: int [nflex] "1" "Contact dimensions.";
            flex_priority: int [nflex] "1" "Higher priority decides contact parameters alone.";
            flex_solmix: real [nflex] "1" "Weight when contact parameters are mixed.";
            flex_solref: real [nflex 2] "mixed" "Reference of contacts.";
            flex_solimp: real [nflex 5] "mixed" "Impedance of contacts.";
            flex_friction: real [nflex 3] "mixed" "Sliding, torsional and rolling friction.";
            flex_margin: real [nflex] "m" "Inflation for contact.";
            flex_gap: real [nflex] "m" "Further distance at which contacts are listed without force.";
            flex_selfcollide: int [nflex] "enum" "Contacts with itself: 0 none, 1 narrow, 2 bvh, 3 sap, 4 auto.";
            flex_activelayers: int [nflex] "1" "Layers of elements that touch, from the surface; 3D only.";
            flex_passive: int [nflex] "flag" "Whether contacts make passive forces.";
            flex_dim: int [nflex] "1" "Dimension of elements: 1 lines, 2 triangles, 3 tetrahedra.";
            flex_matid: int [nflex] "id" "Material; -1 for none.";
            flex_group: int [nflex] "1" "Group for display.";
            flex_interp: int [nflex] "1" "Interpolation between nodes: 0 none, 1 linear, 2 quadratic.";
            flex_cellnum: int [nflex 3] "1" "Cells of the grid of nodes along each axis.";
            flex_nodeadr: int [nflex] "id" "First node.";
            flex_nodenum: int [nflex] "1" "Number of nodes.";
            flex_vertadr: int [nflex] "id" "First vertex.";
            flex_vertnum: int [nflex] "1" "Number of vertices.";
            flex_edgeadr: int [nflex] "id" "First edge.";
            flex_edgenum: int [nflex] "1" "Number of edges.";
            flex_elemadr: int [nflex] "id" "First element.";
            flex_elemnum: int [nflex] "1" "Number of elements.";
            flex_elemdataadr: int [nflex] "id" "First corner of its elements.";
            flex_elemedgeadr: int [nflex] "id" "First edge of its elements.";
            flex_shellnum: int [nflex] "1" "Number of sides on the surface.";
            flex_shelldataadr: int [nflex] "id" "First corner of the sides on the surface.";
            flex_stiffnessadr: int [nflex] "id" "First stiffness number; -1 for none.";
            flex_bendingadr: int [nflex] "id" "First bending number; -1 for none.";
            flex_texcoordadr: int [nflex] "id" "First texture coordinate; -1 for none.";
            flex_radius: real [nflex] "m" "Radius around elements.";
            flex_size: real [nflex 3] "m" "Half size of the box around it at qpos0.";
            flex_damping: real [nflex] "s" "Rayleigh damping.";
            flex_edgestiffness: real [nflex] "N/m" "Stiffness of edges.";
            flex_edgedamping: real [nflex] "N s/m" "Damping of edges.";
            flex_edgeequality: int [nflex] "enum" "Constraint: 0 none, 1 edges, 2 vertices, 3 strain.";
            flex_rigid: int [nflex] "flag" "Whether all vertices are on one body.";
            flex_centered: int [nflex] "flag" "Whether all vertices are at the origins of their bodies.";
            flex_flatskin: int [nflex] "flag" "Whether it is shaded flat.";
            flex_rgba: real [nflex 4] "1" "Colour.";
            flex_nodebodyid: int [nflexnode] "id" "Body of a node.";
            flex_node: real [nflexnode 3] "m" "Position of a node in its body.";
            flex_node0: real [nflexnode 3] "m" "Position at qpos0, along the axes of the grid.";
            flex_vertbodyid: int [nflexvert] "id" "Body of a vertex; -1 where nodes carry it.";
            flex_vert: real [nflexvert 3] "m" "Position of a vertex in its body.";
            flex_vert0: real [nflexvert 3] "1" "Place at qpos0 in the box around all, from 0 to 1.";
            flex_vertedgeadr: int [nflexvert] "id" "First entry in the list of edges by vertex.";
            flex_vertedgenum: int [nflexvert] "1" "Number of edges of a vertex.";
            flex_vertedge: int [nflexedge 2] "id" "Edges by vertex.";
            flex_edge: int [nflexedge 2] "id" "Vertices of an edge.";
            flex_edgeflap: int [nflexedge 2] "id" "Vertices opposite of an edge, of triangles; -1 for none.";
            flexedge_length0: real [nflexedge] "m" "Length of an edge at qpos0.";
            flexedge_invweight0: real [nflexedge] "1/kg" "Weight of an edge at qpos0.";
            flexedge_rigid: int [nflexedge] "flag" "Whether both ends are on one body.";
            flex_elem: int [nflexelemdata] "id" "Vertices of elements.";
            flex_elemtexcoord: int [nflexelemdata] "id" "Texture coordinates of elements.";
            flex_elemedge: int [nflexelemedge] "id" "Edges of elements.";
            flex_elemlayer: int [nflexelem] "1" "Distance of an element from the surface; 3D only.";
            flex_shell: int [nflexshelldata] "id" "Vertices of the sides on the surface.";
            flex_stiffness: real [nflexstiffness] "N/m" "Stiffness of elements: forms of the changes of squared edge lengths.";
            flex_bending: real [nflexbending] "N/m" "Bending of edges: a matrix over four vertices, and a force.";
            flex_texcoord: real [nflextexcoord 2] "1" "Texture coordinates.";
            // cameras and lights
            cam_mode: int [ncam] "enum" "0 fixed, 1 track, 2 trackcom, 3 targetbody, 4 targetbodycom.";
            cam_bodyid: int [ncam] "id" "Body.";
            cam_targetbodyid: int [ncam] "id" "Body that it looks at; -1 for none.";
            cam_pos: real [ncam 3] "m" "Position in the body's frame.";
            cam_quat: real [ncam 4] "1" "Orientation in the body's frame.";
            cam_poscom0: real [ncam 3] "m" "Position relative to the subtree's centre of mass at qpos0.";
            cam_pos0: real [ncam 3] "m" "Position relative to the body at qpos0, global axes.";
            cam_mat0: real [ncam 9] "1" "Global orientation at qpos0.";
            cam_projection: int [ncam] "enum" "0 perspective, 1 orthographic.";
            cam_fovy: real [ncam] "deg or m" "Vertical field of view, or height where orthographic.";
            cam_ipd: real [ncam] "m" "Distance between the eyes.";
            cam_resolution: int [ncam 2] "1" "Width and height in pixels.";
            cam_output: int [ncam] "bits" "What it gives: 1 rgb, 2 depth, 4 distance, 8 normal, 16 segmentation.";
            cam_sensorsize: real [ncam 2] "m" "Size of the sensor; 0 for none.";
            cam_intrinsic: real [ncam 4] "m" "Focal lengths, principal point.";
            light_mode: int [nlight] "enum" "As `cam_mode`.";
            light_bodyid: int [nlight] "id" "Body.";
            light_targetbodyid: int [nlight] "id" "Body that it shines at; -1 for none.";
            light_pos: real [nlight 3] "m" "Position in the body's frame.";
            light_dir: real [nlight 3] "1" "Direction in the body's frame.";
            light_poscom0: real [nlight 3] "m" "Position relative to the subtree's centre of mass at qpos0.";
            light_pos0: real [nlight 3] "m" "Position relative to the body at qpos0, global axes.";
            light_type: int [nlight] "enum" "0 spot, 1 directional, 2 point, 3 image.";
            light_texid: int [nlight] "id" "Texture of an image light; -1 for none.";
            light_castshadow: int [nlight] "flag" "Whether it casts shadows.";
            light_active: int [nlight] "flag" "Whether it is on.";
            light_bulbradius: real [nlight] "m" "Radius of the bulb.";
            light_intensity: real [nlight] "cd" "Intensity.";
            light_range: real [nlight] "m" "How far it reaches.";
            light_attenuation: real [nlight 3] "mixed" "Constant, linear and quadratic attenuation.";
            light_cutoff: real [nlight] "deg" "Cutoff angle of a spot.";
            light_softness: real [nlight] "1" "Softness of a spot's edge.";
            light_exponent: real [nlight] "1" "Exponent of a spot.";
            light_ambient: real [nlight 3] "1" "Ambient colour.";
            light_diffuse: real [nlight 3] "1" "Diffuse colour.";
            light_specular: real [nlight 3] "1" "Specular colour.";
            light_dir0: real [nlight 3] "1" "Global direction at qpos0.";
            // skins
            skin_matid: int [nskin] "id" "Material; -1 for none.";
            skin_group: int [nskin] "1" "Group for display.";
            skin_rgba: real [nskin 4] "1" "Colour.";
            skin_inflate: real [nskin] "m" "Inflation along normals.";
            skin_vertadr: int [nskin] "id" "First vertex.";
            skin_vertnum: int [nskin] "1" "Number of vertices.";
            skin_texcoordadr: int [nskin] "id" "First texture coordinate; -1 for none.";
            skin_faceadr: int [nskin] "id" "First face.";
            skin_facenum: int [nskin] "1" "Number of faces.";
            skin_boneadr: int [nskin] "id" "First bone.";
            skin_bonenum: int [nskin] "1" "Number of bones.";
            skin_vert: real [nskinvert 3] "m" "Vertices.";
            skin_texcoord: real [nskintexvert 2] "1" "Texture coordinates.";
            skin_face: int [nskinface 3] "id" "Vertices of each face, counted from the skin's first.";
            skin_bonevertadr: int [nskinbone] "id" "First vertex that the bone moves, in `skin_bonevertid`.";
            skin_bonevertnum: int [nskinbone] "1" "Number of vertices that the bone moves.";
            skin_bonebindpos: real [nskinbone 3] "m" "Position in which the bone was bound.";
            skin_bonebindquat: real [nskinbone 4] "1" "Orientation in which the bone was bound.";
            skin_bonebodyid: int [nskinbone] "id" "Body that the bone follows.";
            skin_bonevertid: int [nskinbonevert] "id" "Vertices of all bones.";
            skin_bonevertweight: real [nskinbonevert] "1" "Their weights, one in total for each vertex.";
            // textures and materials
            tex_type: int [ntex] "enum" "0 flat, 1 cube, 2 skybox.";
            tex_colorspace: int [ntex] "enum" "0 unknown, 1 linear, 2 sRGB.";
            tex_height: int [ntex] "1" "Height in pixels; the sides of a cube are below each other.";
            tex_width: int [ntex] "1" "Width in pixels.";
            tex_nchannel: int [ntex] "1" "Number of channels.";
            tex_adr: int [ntex] "id" "First byte of its pixels, were they stored; -1 where they stay in the file.";
            mat_texid: int [nmat 10] "id" "Textures by role; -1 for none.";
            mat_texuniform: int [nmat] "flag" "Whether textures are scaled to be uniform in space.";
            mat_texrepeat: real [nmat 2] "1" "Repetitions of textures.";
            mat_emission: real [nmat] "1" "Emission.";
            mat_specular: real [nmat] "1" "Specularity.";
            mat_shininess: real [nmat] "1" "Shininess.";
            mat_reflectance: real [nmat] "1" "Reflectance.";
            mat_metallic: real [nmat] "1" "Metallic part; negative for none.";
            mat_roughness: real [nmat] "1" "Roughness; negative for none.";
            mat_rgba: real [nmat 4] "1" "Colour.";
            // explicit contact pairs and exclusions
            pair_dim: int [npair] "1" "Contact dimensions.";
            pair_geom1: int [npair] "id" "First geom.";
            pair_geom2: int [npair] "id" "Second geom.";
            pair_signature: int [npair] "id" "First body times 65536 plus second body.";
            pair_solref: real [npair 2] "mixed" "Reference in the normal direction.";
            pair_solreffriction: real [npair 2] "mixed" "Reference in the friction directions; zeros: as normal.";
            pair_solimp: real [npair 5] "mixed" "Impedance.";
            pair_margin: real [npair] "m" "Inflation for contact.";
            pair_gap: real [npair] "m" "Further distance at which contacts are listed without force.";
            pair_adhesion: real [npair] "N" "Adhesive force.";
            pair_friction: real [npair 5] "mixed" "Friction of the five tangential dimensions.";
            exclude_signature: int [nexclude] "id" "First body times 65536 plus second body.";
            // tendons
            tendon_adr: int [ntendon] "id" "First element of the path.";
            tendon_num: int [ntendon] "1" "Number of elements of the path.";
            tendon_matid: int [ntendon] "id" "Material for display; -1 for none.";
            tendon_actuatorid: int [ntendon] "id" "Actuator that adds damping or armature; -1 for none.";
            tendon_group: int [ntendon] "1" "Group for display.";
            tendon_treenum: int [ntendon] "1" "Number of trees along the path.";
            tendon_treeid: int [ntendon 2] "id" "The first two trees; -1 for none.";
            tendon_limited: int [ntendon] "flag" "Whether the length is limited.";
            tendon_actfrclimited: int [ntendon] "flag" "Whether the total actuator force is limited.";
            tendon_width: real [ntendon] "m" "Width for display.";
            tendon_solref_lim: real [ntendon 2] "mixed" "Reference of the limit constraint.";
            tendon_solimp_lim: real [ntendon 5] "mixed" "Impedance of the limit constraint.";
            tendon_solref_fri: real [ntendon 2] "mixed" "Reference of the friction-loss constraint.";
            tendon_solimp_fri: real [ntendon 5] "mixed" "Impedance of the friction-loss constraint.";
            tendon_range: real [ntendon 2] "m" "Limits of the length.";
            tendon_actfrcrange: real [ntendon 2] "N" "Limits of the total actuator force.";
            tendon_margin: real [ntendon] "m" "Distance at which the limit becomes active.";
            tendon_stiffness: real [ntendon] "N/m" "Linear spring stiffness.";
            tendon_stiffnesspoly: real [ntendon 2] "mixed" "Spring stiffness of second and third order.";
            tendon_damping: real [ntendon] "N s/m" "Linear damping.";
            tendon_dampingpoly: real [ntendon 2] "mixed" "Damping of second and third order.";
            tendon_armature: real [ntendon] "kg" "Inertia along the tendon.";
            tendon_frictionloss: real [ntendon] "N" "Dry friction.";
            tendon_lengthspring: real [ntendon 2] "m" "Range of lengths in which the spring is at rest.";
            tendon_length0: real [ntendon] "m" "Length at qpos0.";
            tendon_invweight0: real [ntendon] "mixed" "Inverse inertia along the tendon at qpos0.";
            tendon_rgba: real [ntendon 4] "1" "Colour.";
            wrap_type: int [nwrap] "enum" "1 joint, 2 pulley, 3 site, 4 sphere, 5 cylinder.";
            wrap_objid: int [nwrap] "id" "Joint, site or geom.";
            wrap_prm: real [nwrap] "mixed" "Coefficient of a joint, divisor of a pulley, side site of a geom.";
            ten_J_rownnz: int [ntendon] "1" "Nonzeros of the tendon's Jacobian row.";
            ten_J_rowadr: int [ntendon] "id" "First nonzero of the row.";
            ten_J_colind: int [nJten] "id" "Column of each nonzero.";
            // actuators
            actuator_trntype: int [nactuator] "enum" "Transmission: 0 joint, 1 jointinparent, 2 slidercrank, 3 tendon, 4 site, 5 body, 6 so3.";
            actuator_dyntype: int [nactuator] "enum" "Activation dynamics: 0 none, 1 integrator, 2 filter, 3 filterexact, 4 muscle, 5 dcmotor, 6 pid, 7 user.";
            actuator_gaintype: int [nactuator] "enum" "Gain: 0 fixed, 1 affine, 2 muscle, 3 dcmotor, 4 so3, 5 pid, 6 user.";
            actuator_biastype: int [nactuator] "enum" "Bias: 0 none, 1 affine, 2 muscle, 3 dcmotor, 4 so3, 5 user.";
            actuator_ctrladr: int [nactuator] "id" "First control.";
            actuator_ctrlnum: int [nactuator] "1" "Number of controls.";
            actuator_ctrlspec: int [nactuator] "bits" "Which controls there are.";
            actuator_outadr: int [nactuator] "id" "First force output.";
            actuator_outnum: int [nactuator] "1" "Number of force outputs.";
            actuator_actadr: int [nactuator] "id" "First activation; -1 for none.";
            actuator_actnum: int [nactuator] "1" "Number of activations.";
            actuator_trnid: int [nactuator 2] "id" "Joint, tendon, site or body that it acts on, and the other site; -1 for none.";
            moment_rownnz: int [nout] "1" "Nonzeros of the output's moment row.";
            moment_rowadr: int [nout] "id" "First nonzero of the row.";
            moment_colind: int [nJmom] "id" "Column of each nonzero.";
            moment_out: int [nJmom] "id" "Row of each nonzero.";
            actuator_cranklength: real [nactuator] "m" "Rod length of a slider-crank.";
            actuator_dynprm: real [nactuator 10] "mixed" "Parameters of the activation dynamics.";
            actuator_gainprm: real [nactuator 10] "mixed" "Parameters of the gain.";
            actuator_biasprm: real [nactuator 10] "mixed" "Parameters of the bias.";
            actuator_actlimited: int [nactuator] "flag" "Whether activations are clamped.";
            actuator_actrange: real [nactuator 2] "1" "Range of activations.";
            actuator_actearly: int [nactuator] "flag" "Whether the next activation makes the force.";
            actuator_history: int [nactuator 2] "1" "Samples of the control's history, and order of its interpolation.";
            actuator_historyadr: int [nactuator] "id" "First number of the history; -1 for none.";
            actuator_delay: real [nactuator] "s" "Delay of the control.";
            actuator_plugin: int [nactuator] "id" "Plugin instance; -1 for none.";
            actuator_damping: real [nactuator] "mixed" "Damping that is added to the target.";
            actuator_dampingpoly: real [nactuator 2] "mixed" "Damping of second and third order.";
            actuator_armature: real [nactuator] "mixed" "Armature that is added to the target.";
            actuator_group: int [nactuator] "1" "Group for display and for disabling.";
            actuator_forcelimited: int [nactuator] "flag" "Whether the force is clamped.";
            actuator_forcerange: real [nactuator 2] "N or N m" "Range of the force.";
            actuator_ctrllimited: int [nu] "flag" "Whether the control is clamped.";
            actuator_ctrlrange: real [nu 2] "mixed" "Range of the control.";
            actuator_gear: real [nout 6] "mixed" "Scale of length and force.";
            actuator_acc0: real [nout] "mixed" "Norm of the acceleration from unit force at qpos0.";
            actuator_length0: real [nout] "mixed" "Length at qpos0.";
            actuator_lengthrange: real [nout 2] "mixed" "Feasible range of the length.";
            // equality constraints
            eq_type: int [neq] "enum" "0 connect, 1 weld, 2 joint, 3 tendon, 4 flex, 5 flexvert, 6 flexstrain.";
            eq_obj1id: int [neq] "id" "First element.";
            eq_obj2id: int [neq] "id" "Second element; -1 for none.";
            eq_objtype: int [neq] "enum" "Kind of both elements of a connect or weld: 1 body, 6 site.";
            eq_active0: int [neq] "flag" "Whether it is active from the start.";
            eq_solref: real [neq 2] "mixed" "Reference.";
            eq_solimp: real [neq 5] "mixed" "Impedance.";
            eq_data: real [neq 12] "mixed" "Numbers by type: anchors, relative pose and torque scale, or coefficients.";
            // sensors
            sensor_type: int [nsensor] "enum" "Type: the index into `spec::SENSORS`.";
            sensor_datatype: int [nsensor] "enum" "0 real, 1 positive, 2 axis, 3 quaternion.";
            sensor_needstage: int [nsensor] "enum" "Stage that it needs: 0 none, 1 position, 2 velocity, 3 acceleration.";
            sensor_objtype: int [nsensor] "enum" "Kind of what it measures (`mjtObj`); 0 for none.";
            sensor_objid: int [nsensor] "id" "What it measures; -1 for none.";
            sensor_reftype: int [nsensor] "enum" "Kind of what it measures relative to; 0 for none.";
            sensor_refid: int [nsensor] "id" "What it measures relative to; -1 for none.";
            sensor_treeid: int [nsensor 2] "id" "Trees that move what it measures and what that is relative to; -1 for none.";
            sensor_intprm: int [nsensor 3] "mixed" "Parameters by type: fields, reduction, number of contacts.";
            sensor_dim: int [nsensor] "1" "Number of outputs.";
            sensor_adr: int [nsensor] "id" "First output.";
            sensor_cutoff: real [nsensor] "mixed" "Output is cut off beyond; 0 for never.";
            sensor_noise: real [nsensor] "mixed" "Standard deviation of the noise.";
            sensor_history: int [nsensor 2] "1" "Samples in the history, order of interpolation.";
            sensor_historyadr: int [nsensor] "id" "First number of its history; -1 for none.";
            sensor_delay: real [nsensor] "s" "Delay.";
            sensor_interval: real [nsensor 2] "s" "Period and phase.";
            // custom texts and lists of objects
            text_adr: int [ntext] "id" "First byte of the text in `text_data`.";
            text_size: int [ntext] "1" "Number of bytes of the text, with the zero at its end.";
            text_data: int [ntextdata] "byte" "All texts.";
            tuple_adr: int [ntuple] "id" "First object of the list.";
            tuple_size: int [ntuple] "1" "Number of objects of the list.";
            tuple_objtype: int [ntupledata] "enum" "Kind of the object (`mjtObj`).";
            tuple_objid: int [ntupledata] "id" "The object.";
            tuple_objprm: real [ntupledata] "mixed" "Its number.";
            // plugin instances
            plugin: int [nplugin] "id" "Plugin, in MuJoCo's order of those that it has.";
            plugin_stateadr: int [nplugin] "id" "First state.";
            plugin_statenum: int [nplugin] "1" "Number of states.";
            plugin_attr: int [npluginattr] "1" "Settings: texts that end with a zero each, as bytes.";
            plugin_attradr: int [nplugin] "id" "First byte of the settings.";
            // custom numbers and keyframes
            numeric_adr: int [nnumeric] "id" "First number of the field in `numeric_data`.";
            numeric_size: int [nnumeric] "1" "Number of numbers of the field.";
            numeric_data: real [nnumericdata] "mixed" "Numbers of all fields.";
            key_time: real [nkey] "s" "Time.";
            key_qpos: real [nkey nq] "mixed" "Position coordinates.";
            key_qvel: real [nkey nv] "mixed" "Velocities.";
            key_act: real [nkey na] "1" "Activations.";
            key_mpos: real [nkey nmocap 3] "m" "Positions of mocap bodies.";
            key_mquat: real [nkey nmocap 4] "1" "Orientations of mocap bodies.";
            key_ctrl: real [nkey nu] "mixed" "Controls.";
        }
    };
}

/// Data fields: one value per world. The first word is the stage that writes the field; `state`: the
/// integrator and the caller; `integrator`: whichever stage of these the model has; `scratch`: memory that one backend
/// or both work in, not a result.
macro_rules! data_table {
    ($with:ident) => {
        $with! {
            // state
            state time: real [1] "s" "Simulation time.";
            state time_rest: real [1] "s" "What rounding has kept out of the time.";
            state qpos: real [nq] "mixed" "Position coordinates.";
            state qvel: real [nv] "mixed" "Velocities.";
            state act: real [na] "1" "Activations.";
            state qacc_warmstart: real [nv] "mixed" "Acceleration that the solver starts from.";
            state history: real [nhistory] "mixed" "Histories of controls and sensors: of each the time of the last sampling, the place of the newest sample, times of the samples, their values.";
            state history_rest: real [nsensor] "s" "What rounding has kept out of the times of the last sampling.";
            state ctrl: real [nu] "mixed" "Controls.";
            state qfrc_applied: real [nv] "N or N m" "Generalized force from the caller.";
            state xfrc_applied: real [nbody 6] "N, N m" "Force and torque from the caller at each centre of mass.";
            state mocap_pos: real [nmocap 3] "m" "Positions of mocap bodies.";
            state mocap_quat: real [nmocap 4] "1" "Orientations of mocap bodies.";
            state eq_active: int [neq] "flag" "Whether the equality constraint is active.";
            state tree_asleep: int [nasleep] "mixed" "Awake: minus one more than the steps that the tree has yet to rest before it sleeps. Asleep: the next of the trees that sleep together, itself if it is alone.";
            state asleep_qpos: real [nasleepq] "mixed" "Positions at which trees fell asleep.";
            state status: int [1] "bits" "What has gone wrong since it was last cleared; see `Status`.";
            state nreset: int [1] "1" "Automatic resets after a non-finite state.";
            state ncon_peak: int [1] "1" "Most contacts that were wanted at once.";
            state nefc_peak: int [1] "1" "Most constraint rows that were wanted at once.";
            // position
            kinematics xpos: real [nbody 3] "m" "Position of the body's frame.";
            kinematics xquat: real [nbody 4] "1" "Orientation of the body's frame.";
            kinematics xmat: real [nbody 9] "1" "Orientation of the body's frame.";
            kinematics xipos: real [nbody 3] "m" "Centre of mass.";
            kinematics ximat: real [nbody 9] "1" "Orientation of the principal axes of inertia.";
            kinematics xanchor: real [njnt 3] "m" "Anchor of the joint.";
            kinematics xaxis: real [njnt 3] "1" "Axis of the joint.";
            kinematics geom_xpos: real [ngeom 3] "m" "Position of the geom.";
            kinematics geom_xmat: real [ngeom 9] "1" "Orientation of the geom.";
            kinematics site_xpos: real [nsite 3] "m" "Position of the site.";
            kinematics site_xmat: real [nsite 9] "1" "Orientation of the site.";
            com_pos subtree_com: real [nbody 3] "m" "Centre of mass of the subtree.";
            com_pos cinert: real [nbody 10] "kg, kg m, kg m^2" "Inertia about the tree's centre of mass: 6 of the tensor, 3 of mass times offset, mass.";
            com_pos cdof: real [nv 6] "1, m" "Motion axis about the tree's centre of mass.";
            camlight cam_xpos: real [ncam 3] "m" "Position of the camera.";
            camlight cam_xmat: real [ncam 9] "1" "Orientation of the camera.";
            camlight light_xpos: real [nlight 3] "m" "Position of the light.";
            camlight light_xdir: real [nlight 3] "1" "Direction of the light.";
            tendon ten_length: real [ntendon] "m" "Length.";
            tendon ten_J: real [nJten] "mixed" "Jacobian of the length, nonzeros by row.";
            crb crb: real [nbody 10] "as cinert" "Inertia of the subtree.";
            crb M: real [nC] "mixed" "Inertia matrix: rows of the lower triangle.";
            factor_m qLD: real [nC] "mixed" "Factors L and D of M = L' D L; the diagonal holds D.";
            factor_m qLDiagInv: real [nv] "mixed" "Inverse of D.";
            collision ncon: int [1] "1" "Number of contacts.";
            scratch contact_candidate: int [nconmax] "id" "Candidate of each contact.";
            scratch work_place: real [ngeom 3] "m" "Positions of the geoms at hand.";
            scratch work_normal: real [ngeom 3] "1" "Normals of those that are planes.";
            scratch sweep_ball: real [nsweep 4] "m" "Centre and radius of a sphere around the body or geom with margins; CPU only.";
            scratch sweep_order: int [nsweep] "id" "Bodies and geoms in order along an axis; CPU only.";
            scratch candidate_near: int [ncandidate] "id" "Candidates whose bounding volumes are near each other.";
            scratch candidate_ncon: int [ncandidate] "1" "Contacts, then first slot, of each of those; with one lane those that wait for the others.";
            collision contact_dist: real [nconmax] "m" "Distance; negative: penetration.";
            collision contact_pos: real [nconmax 3] "m" "Midpoint between the surfaces.";
            collision contact_frame: real [nconmax 9] "1" "Axes as rows, the normal from the first geom to the second first.";
            collision contact_includemargin: real [nconmax] "m" "Distance below which the contact makes force.";
            collision contact_friction: real [nconmax 5] "mixed" "Friction of the five tangential dimensions.";
            collision contact_solref: real [nconmax 2] "mixed" "Reference in the normal direction.";
            collision contact_solreffriction: real [nconmax 2] "mixed" "Reference in the friction directions.";
            collision contact_solimp: real [nconmax 5] "mixed" "Impedance.";
            collision contact_adhesion: real [nadhesive] "N" "Force that pulls the geoms together.";
            collision contact_dim: int [nconmax] "1" "Contact dimensions.";
            collision contact_geom: int [nconmax 2] "id" "Geoms.";
            make_constraint contact_efc_address: int [nconmax] "id" "First constraint row; -1 for none.";
            make_constraint ne: int [1] "1" "Equality rows.";
            make_constraint nf: int [1] "1" "Friction-loss rows.";
            make_constraint nl: int [1] "1" "Limit rows.";
            make_constraint nefc: int [1] "1" "Constraint rows.";
            make_constraint efc_type: int [njmax] "enum" "0 equality, 1 dof friction, 2 tendon friction, 3 joint limit, 4 tendon limit, 5 frictionless contact, 6 pyramidal contact, 7 elliptic contact.";
            make_constraint efc_id: int [njmax] "id" "Object that the row comes from.";
            make_constraint efc_J: real [njmax nv] "mixed" "Constraint Jacobian.";
            make_constraint efc_pos: real [njmax] "m or rad" "Violation.";
            make_constraint efc_margin: real [njmax] "m or rad" "Margin.";
            make_constraint efc_frictionloss: real [njmax] "N or N m" "Bound of the friction force.";
            make_constraint efc_diagApprox: real [njmax] "mixed" "Approximate diagonal of the inverse inertia in constraint space.";
            make_constraint efc_KBIP: real [njmax 4] "mixed" "Stiffness, damping, impedance, derivative of the impedance.";
            make_constraint efc_D: real [njmax] "mixed" "Inverse of the regulariser.";
            make_constraint efc_R: real [njmax] "mixed" "Regulariser.";
            scratch efc_first: int [njmax] "id" "First degree of freedom that the row touches; kernels, several trees.";
            scratch efc_end: int [njmax] "id" "One past the last that it touches; kernels, several trees.";
            scratch dof_first: int [nv] "id" "First degree of freedom that the solver's Hessian couples it with; kernels, several trees.";
            scratch nisland: int [1] "1" "Constraint islands.";
            scratch island_first: int [ntree] "id" "First degree of freedom of the island.";
            scratch island_end: int [ntree] "id" "One past the last degree of freedom of the island.";
            scratch island_row: int [ntree] "id" "First row of the island; CPU only.";
            scratch island_row_end: int [ntree] "id" "One past the last row of the island; CPU only.";
            scratch tree_island: int [ntree] "id" "Island of the tree; -1 for none.";
            scratch dof_island: int [nv] "id" "Island of the degree of freedom; -1 for none.";
            scratch efc_island: int [njmax] "id" "Island of the row.";
            scratch solver_inside: int [njmax] "flag" "Whether the row is in its quadratic zone as the factored Hessian has it; CPU only.";
            transmission actuator_length: real [nout] "mixed" "Length.";
            transmission actuator_moment: real [nJmom] "mixed" "Moment arms, nonzeros by output.";
            // velocity
            com_vel cvel: real [nbody 6] "rad/s, m/s" "Velocity about the tree's centre of mass.";
            com_vel cdof_dot: real [nv 6] "1/s, m/s" "Time derivative of cdof.";
            fluid qfrc_fluid: real [nv] "N or N m" "Force of the medium.";
            scratch fluid_force: real [nbody 6] "N m, N" "Force of the medium on the subtree, about the tree's centre of mass.";
            passive ten_velocity: real [ntendon] "m/s" "Rate of the length.";
            passive actuator_velocity: real [nout] "mixed" "Rate of the length.";
            passive qfrc_spring: real [nv] "N or N m" "Force of springs.";
            passive qfrc_damper: real [nv] "N or N m" "Force of dampers.";
            passive qfrc_gravcomp: real [nv] "N or N m" "Force of gravity compensation.";
            passive qfrc_adhesion: real [nv] "N or N m" "Force of contacts that hold together.";
            passive qfrc_passive: real [nv] "N or N m" "Sum of the passive forces.";
            reference_constraint efc_vel: real [njmax] "m/s or rad/s" "Velocity in constraint space.";
            reference_constraint efc_aref: real [njmax] "m/s^2 or rad/s^2" "Reference acceleration.";
            rne bias_cacc: real [nbody 6] "rad/s^2, m/s^2" "Acceleration about the tree's centre of mass, without that of the joints.";
            rne bias_cfrc: real [nbody 6] "N m, N" "Force that moves the body and its subtree so.";
            rne qfrc_bias: real [nv] "N or N m" "Coriolis, centrifugal and gravitational force.";
            // force
            actuation ctrl_late: real [nu] "mixed" "Controls that act now, where there are histories.";
            actuation actuator_force: real [nout] "N or N m" "Force.";
            actuation act_dot: real [na] "1/s" "Rate of the activation.";
            actuation qfrc_actuator: real [nv] "N or N m" "Force of the actuators.";
            acceleration qfrc_smooth: real [nv] "N or N m" "Force without constraints.";
            acceleration qacc_smooth: real [nv] "mixed" "Acceleration without constraints.";
            solve qacc: real [nv] "mixed" "Acceleration.";
            solve efc_force: real [njmax] "mixed" "Force of each row.";
            solve qfrc_constraint: real [nv] "N or N m" "Force of the constraints.";
            solve solver_niter: int [1] "1" "Iterations that the solver made.";
            // of the solver
            scratch work_LD: real [nC] "mixed" "A matrix like the inertia matrix while it is factored.";
            scratch work_inv: real [nv] "mixed" "Inverses of its pivots.";
            scratch work_x: real [nv] "mixed" "A vector over the degrees of freedom at hand.";
            scratch solver_live: int [1] "flag" "Whether the solver still iterates, between dispatches.";
            solve solver_Jaref: real [njmax] "mixed" "J qacc - aref.";
            scratch solver_own: real [njmax] "mixed" "Second derivative of the penalty by the row itself; kernels, elliptic cones.";
            scratch solver_along: real [njmax] "mixed" "Of the rows of a cone that slides together: factors of their sum; kernels.";
            scratch solver_across: real [njmax] "mixed" "Factors of the sum that is taken off; kernels.";
            scratch solver_Jv: real [njmax] "mixed" "J times the search direction.";
            scratch solver_Ma: real [nv] "mixed" "M qacc.";
            scratch solver_Mv: real [nv] "mixed" "M times the search direction.";
            scratch solver_grad: real [nv] "mixed" "Gradient of the cost.";
            scratch solver_search: real [nv] "mixed" "Search direction.";
            scratch solver_qacc: real [nv] "m/s^2 or rad/s^2" "Acceleration, while the solver iterates.";
            scratch solver_smooth: real [nv] "N or N m" "Smooth force, while the solver iterates.";
            scratch solver_Jf: real [nv] "N or N m" "Force of the constraints, while the solver iterates.";
            scratch solver_M: real [nC] "mixed" "Inertia matrix, while the solver iterates.";
            scratch solver_Mgrad: real [nv] "mixed" "Inverse inertia times the last gradient; conjugate gradients.";
            scratch solver_decrease: real [1] "mixed" "Last gradient times that; kernels, conjugate gradients.";
            scratch dual_Y: real [ndual nv] "mixed" "Inverse inertia times each row of the constraint Jacobian.";
            scratch dual_A: real [ndual 6] "mixed" "Inverse inertia in constraint space: of each row with the rows that are updated together with it.";
            scratch dual_improvement: real [1] "mixed" "How much less the forces cost than before the sweep; kernels, as what follows.";
            scratch dual_residual: real [6] "mixed" "What the rows at hand lack.";
            scratch dual_old: real [6] "mixed" "Their forces before.";
            scratch dual_force: real [6] "mixed" "Their forces to be.";
            scratch dual_lack: real [5] "mixed" "What tangential rows lack without tangential forces.";
            scratch dual_square: real [5 5] "mixed" "Inverse inertia in the space of the tangents.";
            scratch dual_factor: real [5 5] "mixed" "Its factors, in units of the friction.";
            scratch dual_y: real [5] "mixed" "Tangential forces.";
            scratch dual_z: real [5] "mixed" "How they change.";
            scratch solver_inv: real [nv] "mixed" "Inverse pivots of the Hessian.";
            scratch solver_row: real [nv] "mixed" "The row of the constraint Jacobian at hand.";
            scratch solver_H: real [nH] "mixed" "Hessian of the cost, then its factors: packed rows of the lower triangle.";
            // inverse dynamics
            inverse qfrc_inverse: real [nv] "N or N m" "Force that makes `qacc`, besides passive forces and constraints.";
            fwdinv solver_fwdinv: real [2] "N or N m" "Distances of forward from inverse dynamics: forces of the constraints, forces from outside.";
            scratch inverse_qacc: real [nv] "mixed" "Acceleration in continuous time.";
            scratch forward_constraint: real [nv] "N or N m" "Force of the constraints that forward dynamics found.";
            scratch forward_force: real [njmax] "mixed" "Force of each row that forward dynamics found.";
            // integrators
            integrator qH: real [nC] "mixed" "Factors of M less time step times derivatives of the forces by velocity.";
            integrator qacc_damped: real [nv] "mixed" "Acceleration with forces at the velocities after the step.";
            integrator qHDiagInv: real [nv] "mixed" "Inverse of their diagonal.";
            implicit qDeriv: real [nD] "mixed" "Derivatives of the forces by the velocities.";
            scratch qLU: real [nD] "mixed" "Factors U and L of M less time step times derivatives.";
            scratch actuator_slope: real [nout] "mixed" "Derivative of the force by the rate of the length.";
            scratch fluid_slope: real [nbody 36] "mixed" "Derivative of the medium's force on the subtree by velocity: four blocks, torque first.";
            scratch bias_slope: real [nbody 12] "mixed" "Of the bias force by velocity: torque by turning, and momentum.";
            scratch slope_down: real [nv 6] "mixed" "Derivative of the subtree's force by the degree of freedom.";
            scratch slope_up: real [nv 6] "mixed" "Derivative of the degree of freedom's force by the body's velocity.";
            scratch slope_rate: real [nv 6] "1/s, m/s" "Twice the rate of the motion axis, of which the joint's own turning counts once.";
            scratch slope_momentum: real [nv 6] "kg m^2, kg m" "Momentum of the subtree from unit speed.";
            scratch rk4_part: int [1] "1" "Part of the step that comes next; 4 more where the world was reset.";
            scratch rk4_qpos: real [nq] "mixed" "Positions at the beginning of the step.";
            scratch rk4_qvel: real [nv] "mixed" "Velocities at the beginning of the step.";
            scratch rk4_time: real [1] "s" "Time at the beginning of the step.";
            scratch rk4_act: real [na] "mixed" "Activations at the beginning of the step.";
            scratch rk4_vel: real [nv] "mixed" "Weighted sum of velocities.";
            scratch rk4_acc: real [nv] "mixed" "Weighted sum of accelerations.";
            scratch rk4_act_dot: real [na] "mixed" "Weighted sum of the rates of activations.";
            // views
            subtree_vel subtree_linvel: real [nbody 3] "m/s" "Velocity of the subtree's centre of mass.";
            subtree_vel subtree_angmom: real [nbody 3] "kg m^2/s" "Angular momentum of the subtree about its centre of mass.";
            rne_post cacc: real [nbody 6] "rad/s^2, m/s^2" "Acceleration about the tree's centre of mass.";
            rne_post cfrc_ext: real [nbody 6] "N m, N" "Force on the body from contacts, equalities and the caller, about the tree's centre of mass.";
            rne_post cfrc_int: real [nbody 6] "N m, N" "Force that the body's parent passes to it, about the tree's centre of mass.";
            energies energy: real [2] "J" "Potential and kinetic energy.";
            sensor sensor_fresh: real [nsensordata] "mixed" "What the sensors measure now, where there are histories.";
            sensor sensordata: real [nsensordata] "mixed" "Outputs of the sensors.";
        }
    };
}

pub(crate) use {data_table, model_table};

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

/// One axis of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dim {
    /// A length that depends on the model or on the capacities.
    Of(Size),
    /// A fixed length.
    Const(usize),
}

/// Type of a field's elements: numbers, or integers (which flags and ids are too).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Elem {
    /// Floating point: double on the CPU, single on the GPU.
    Real,
    /// 32-bit signed integer.
    Int,
}

/// What the table says of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// MuJoCo's name.
    pub name: &'static str,
    /// Type of the elements.
    pub elem: Elem,
    /// Axes, without the world axis.
    pub dims: &'static [Dim],
    /// Unit.
    pub unit: &'static str,
    /// Meaning, one line.
    pub doc: &'static str,
    /// Stage that writes it; empty for Model fields, `state` for what the caller may set, `scratch` for
    /// memory that is no result.
    pub stage: &'static str,
}

impl Field {
    /// Shape without the world axis.
    pub fn shape(&self, sizes: &Sizes) -> Vec<usize> {
        self.dims
            .iter()
            .map(|d| match *d {
                Dim::Of(s) => sizes.get(s),
                Dim::Const(n) => n,
            })
            .collect()
    }

    /// Whether a stage writes the field as a result.
    pub fn is_of(&self, stage: Stage) -> bool {
        let shared = self.stage == "integrator" && [Stage::euler, Stage::implicit].contains(&stage);
        shared || self.stage == stage.name()
    }

    /// Number of elements of one world.
    pub fn len(&self, sizes: &Sizes) -> usize {
        self.shape(sizes).iter().product()
    }
}

macro_rules! dim {
    ($n:literal) => {
        $crate::schema::Dim::Const($n)
    };
    ($s:ident) => {
        $crate::schema::Dim::Of($crate::schema::Size::$s)
    };
}

macro_rules! elem {
    (real) => {
        $crate::schema::Elem::Real
    };
    (int) => {
        $crate::schema::Elem::Int
    };
}

/// Storage of a field whose element type is a word of the table. A macro and no associated type: the compiler would
/// resolve one for every field in every function.
macro_rules! column {
    (real, $number:ty) => {
        Vec<$number>
    };
    (int, $number:ty) => {
        Vec<i32>
    };
}

pub(crate) use {column, dim, elem};

/// A borrowed field of either element type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Values<'a, T> {
    /// Numbers.
    Real(&'a [T]),
    /// Integers.
    Int(&'a [i32]),
}

impl<T: crate::real::Real> Values<'_, T> {
    /// All elements as doubles.
    pub fn to_f64(&self) -> Vec<f64> {
        match self {
            Values::Real(v) => v.iter().map(|x| x.f64()).collect(),
            Values::Int(v) => v.iter().map(|&x| f64::from(x)).collect(),
        }
    }
}

/// A mutably borrowed field of either element type.
#[derive(Debug)]
pub enum ValuesMut<'a, T> {
    /// Numbers.
    Real(&'a mut [T]),
    /// Integers.
    Int(&'a mut [i32]),
}

/// Wraps a column as [`Values`] or [`ValuesMut`]; lets the table's macros treat both element types alike.
pub(crate) trait Column<T> {
    fn values(&self) -> Values<'_, T>;
    fn values_mut(&mut self) -> ValuesMut<'_, T>;
    fn zeroed(len: usize) -> Self;
    /// The same column in another precision.
    type As<U>;
    fn cast<U: crate::real::Real>(&self) -> Self::As<U>;
}

impl<T: crate::real::Real> Column<T> for Vec<T> {
    fn values(&self) -> Values<'_, T> {
        Values::Real(self)
    }
    fn values_mut(&mut self) -> ValuesMut<'_, T> {
        ValuesMut::Real(self)
    }
    fn zeroed(len: usize) -> Self {
        vec![T::ZERO; len]
    }
    type As<U> = Vec<U>;
    fn cast<U: crate::real::Real>(&self) -> Vec<U> {
        self.iter().map(|x| U::of(x.f64())).collect()
    }
}

impl<T: crate::real::Real> Column<T> for Vec<i32> {
    fn values(&self) -> Values<'_, T> {
        Values::Int(self)
    }
    fn values_mut(&mut self) -> ValuesMut<'_, T> {
        ValuesMut::Int(self)
    }
    fn zeroed(len: usize) -> Self {
        vec![0; len]
    }
    type As<U> = Vec<i32>;
    fn cast<U: crate::real::Real>(&self) -> Vec<i32> {
        self.clone()
    }
}
