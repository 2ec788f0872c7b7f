//! What follows from velocities.

macro_rules! velocity_data {
    ($($state:tt)*) => {
        $crate::schema::gather! { $($state)* {
            // velocity
            com_vel cvel: real [nbody 6] "rad/s, m/s" "Body velocity about the tree's centre of mass." { transient: 25 };
            com_vel cdof_dot: real [nv 6] "1/s, m/s" "Time derivative of cdof." { transient: 24 };
            fluid qfrc_fluid: real [nv] "N or N m" "Fluid force.";
            scratch fluid_force: real [nbody 6] "N m, N" "Fluid force on the subtree, about the tree's centre of mass." { need: Need::Fluid };
            passive ten_velocity: real [ntendon] "m/s" "Tendon velocity." { transient: 42 };
            passive actuator_velocity: real [nout] "mixed" "Actuator velocity." { transient: 44 };
            passive flexedge_velocity: real [nflexedge] "m/s" "Velocity of the edge along itself.";
            scratch flexedge_spring: real [nflexedge] "N" "Elastic force along the edge.";
            scratch flexedge_damper: real [nflexedge] "N" "Damping force along the edge.";
            scratch flexvert_spring: real [nflexvert 3] "N" "Elastic force at the vertex.";
            scratch flexvert_damper: real [nflexvert 3] "N" "Damping force at the vertex.";
            scratch flexnode_spring: real [nflexnode 3] "N" "Elastic force at the node.";
            scratch flexnode_damper: real [nflexnode 3] "N" "Damping force at the node.";
            scratch flexfold_bent: real [nflexfold 3] "1" "Difference of the normals of two faces from that in the reference." { need: Need::Kernels };
            passive qfrc_spring: real [nv] "N or N m" "Spring force.";
            passive qfrc_damper: real [nv] "N or N m" "Damper force.";
            passive qfrc_gravcomp: real [nv] "N or N m" "Gravity compensation force.";
            passive qfrc_adhesion: real [nv] "N or N m" "Contact adhesion force.";
            passive qfrc_passive: real [nv] "N or N m" "Total passive force." { transient: 21 };
            laws law_force: real [nlawforce] "N, N m" "Passive forces of laws, one after the other: of joints, of tendons, and force with torque at sites and bodies.";
            laws law_gain: real [nlawactuator] "mixed" "Gain of an actuator by a law.";
            laws law_bias: real [nlawactuator] "N or N m" "Bias of an actuator by a law.";
            laws law_act_dot: real [nlawact] "mixed" "Rates of activations and states by laws.";
            reference_constraint efc_vel: real [njmax] "m/s or rad/s" "Velocity in constraint space.";
            // 8.6e-6
            reference_constraint efc_aref: real [njmax] "m/s^2 or rad/s^2" "Reference acceleration." { tolerance: Tolerance::Within(5e-5), transient: 3 };
            rne bias_cacc: real [nbody 6] "rad/s^2, m/s^2" "Body acceleration about the tree's centre of mass, without joint accelerations." { transient: 26 };
            rne bias_cfrc: real [nbody 6] "N m, N" "Force that produces this acceleration of the subtree." { transient: 27 };
            rne qfrc_bias: real [nv] "N or N m" "Coriolis, centrifugal and gravitational force." { transient: 20 };
        } }
    };
}
pub(crate) use velocity_data;
