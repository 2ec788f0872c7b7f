//! What follows from velocities.

macro_rules! velocity_data {
    ($($state:tt)*) => {
        $crate::schema::gather! { $($state)* {
            // velocity
            com_vel cvel: real [nbody 6] "rad/s, m/s" "Velocity about the tree's centre of mass." { transient: 25 };
            com_vel cdof_dot: real [nv 6] "1/s, m/s" "Time derivative of cdof." { transient: 24 };
            fluid qfrc_fluid: real [nv] "N or N m" "Force of the medium.";
            scratch fluid_force: real [nbody 6] "N m, N" "Force of the medium on the subtree, about the tree's centre of mass.";
            passive ten_velocity: real [ntendon] "m/s" "Rate of the length." { transient: 42 };
            passive actuator_velocity: real [nout] "mixed" "Rate of the length." { transient: 44 };
            passive qfrc_spring: real [nv] "N or N m" "Force of springs.";
            passive qfrc_damper: real [nv] "N or N m" "Force of dampers.";
            passive qfrc_gravcomp: real [nv] "N or N m" "Force of gravity compensation.";
            passive qfrc_adhesion: real [nv] "N or N m" "Force of contacts that hold together.";
            passive qfrc_passive: real [nv] "N or N m" "Sum of the passive forces." { transient: 21 };
            reference_constraint efc_vel: real [njmax] "m/s or rad/s" "Velocity in constraint space.";
            // 8.6e-6
            reference_constraint efc_aref: real [njmax] "m/s^2 or rad/s^2" "Reference acceleration." { tolerance: Tolerance::Within(5e-5), transient: 3 };
            rne bias_cacc: real [nbody 6] "rad/s^2, m/s^2" "Acceleration about the tree's centre of mass, without that of the joints." { transient: 26 };
            rne bias_cfrc: real [nbody 6] "N m, N" "Force that moves the body and its subtree so." { transient: 27 };
            rne qfrc_bias: real [nv] "N or N m" "Coriolis, centrifugal and gravitational force." { transient: 20 };
        } }
    };
}
pub(crate) use velocity_data;
