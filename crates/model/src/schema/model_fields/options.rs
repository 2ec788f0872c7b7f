//! Options and statistics.

macro_rules! options_fields {
    ($($state:tt)*) => {
        $crate::schema::gather! { $($state)* {
            // options
            opt_timestep: real [1] "s" "Time step." { varies: Some(Rule::Positive) };
            opt_impratio: real [1] "1" "Ratio of friction to normal contact impedance." { varies: Some(Rule::Positive) };
            opt_tolerance: real [1] "1" "Solver termination tolerance, for scaled improvement and gradient.";
            opt_ls_tolerance: real [1] "1" "Line-search termination tolerance, relative to `opt_tolerance`.";
            opt_noslip_tolerance: real [1] "1" "Termination tolerance of the noslip solver.";
            opt_ccd_tolerance: real [1] "1" "Termination tolerance of convex collision detection.";
            opt_sleep_tolerance: real [1] "m/s" "Velocity tolerance of sleeping.";
            opt_smooth: real [2] "mixed" "Solver Smooth: share of the stopping impulse, above 0 and below 1; impulse that rounds the onset of contacts and limits, in N s, above 0.";
            opt_gravity: real [3] "m/s^2" "Gravitational acceleration." { varies: Some(Rule::Any) };
            opt_wind: real [3] "m/s" "Velocity of the medium." { varies: Some(Rule::Any) };
            opt_magnetic: real [3] "mixed" "Magnetic flux." { varies: Some(Rule::Any) };
            opt_density: real [1] "kg/m^3" "Density of the medium." { varies: Some(Rule::NotNegative) };
            opt_viscosity: real [1] "Pa s" "Viscosity of the medium." { varies: Some(Rule::NotNegative) };
            opt_o_margin: real [1] "m" "Contact margin under the override flag.";
            opt_o_solref: real [2] "mixed" "Contact solref under the override flag.";
            opt_o_solimp: real [5] "mixed" "Contact solimp under the override flag.";
            opt_o_friction: real [5] "mixed" "Contact friction under the override flag.";
            opt_integrator: one(integrator) [1] "enum" "0 Euler, 1 RK4, 2 implicit, 3 implicitfast, 4 discrete.";
            opt_cone: one(cone) [1] "enum" "Friction cone: 0 pyramidal, 1 elliptic.";
            opt_jacobian: one(jacobian) [1] "enum" "Constraint Jacobian: 0 dense, 1 sparse, 2 auto.";
            opt_solver: one(solver) [1] "enum" "0 PGS, 1 CG, 2 Newton, 3 Smooth: the simplified contact model, which MuJoCo does not have.";
            opt_iterations: int [1] "1" "Maximum solver iterations.";
            opt_ls_iterations: int [1] "1" "Maximum line-search iterations.";
            opt_noslip_iterations: int [1] "1" "Maximum noslip iterations.";
            opt_ccd_iterations: int [1] "1" "Maximum iterations of convex collision detection.";
            opt_disableflags: int [1] "bits" "Disabled standard features.";
            opt_enableflags: int [1] "bits" "Enabled optional features.";
            opt_disableactuator: int [1] "bits" "Disabled actuator groups.";
            opt_sdf_initpoints: int [1] "1" "Starting points of signed-distance collision.";
            opt_sdf_iterations: int [1] "1" "Iterations of signed-distance collision.";
            stat_meaninertia: real [1] "mixed" "Mean diagonal of the inertia matrix at qpos0." { follows: &[inputs::POSES, inputs::PATHS, inputs::INERTIA] };
            stat_meanmass: real [1] "kg" "Mean body mass." { follows: &[&["body_mass"]] };
            stat_meansize: real [1] "m" "Mean body size." { follows: &[inputs::POSES, inputs::EXTENTS] };
            stat_extent: real [1] "m" "Extent of the model." { follows: &[inputs::POSES, inputs::EXTENTS] };
            stat_center: real [3] "m" "Centre of the model." { follows: &[inputs::POSES, inputs::EXTENTS] };
            stat_given: int [1] "bits" "Statistics that the file gives: 1 meaninertia, 2 meanmass, 4 meansize, 8 extent, 16 center.";
        } }
    };
}
pub(crate) use options_fields;
