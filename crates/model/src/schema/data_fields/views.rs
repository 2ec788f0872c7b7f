//! Results that a step computes only where something asks for them.

macro_rules! views_data {
    ($($state:tt)*) => {
        $crate::schema::gather! { $($state)* {
            // views
            subtree_vel subtree_linvel: real [nbody 3] "m/s" "Velocity of the subtree's centre of mass.";
            subtree_vel subtree_angmom: real [nbody 3] "kg m^2/s" "Angular momentum of the subtree about its centre of mass.";
            rne_post cacc: real [nbody 6] "rad/s^2, m/s^2" "Body acceleration about the tree's centre of mass.";
            // 1.2e-5: as efc_force
            rne_post cfrc_ext: real [nbody 6] "N m, N" "External force on the body from contacts, equalities and applied forces, about the tree's centre of mass." { tolerance: Tolerance::Within(1e-4) };
            // as cfrc_ext
            rne_post cfrc_int: real [nbody 6] "N m, N" "Interaction force from the body's parent, about the tree's centre of mass." { tolerance: Tolerance::Within(1e-4), terms: Some("cfrc_ext") };
            energies energy: real [2] "J" "Potential and kinetic energy.";
            sensor sensordata_undelayed: real [nsensordata] "mixed" "Sensor outputs before delay, for models with history buffers.";
            sensor sensordata: real [nsensordata] "mixed" "Sensor outputs.";
            scratch formula_work: real [nformula] "mixed" "Values of the expressions of formulas; CPU only.";
        } }
    };
}
pub(crate) use views_data;
