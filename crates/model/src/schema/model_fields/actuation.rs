//! Tendons and actuators.

macro_rules! actuation_fields {
    ($($state:tt)*) => {
        $crate::schema::gather! { $($state)* {
            // tendons
            tendon_adr: adr(nwrap) [ntendon] "id" "First path element.";
            tendon_num: num(tendon_adr) [ntendon] "1" "Number of path elements.";
            tendon_matid: id(nmat or none) [ntendon] "id" "Material for display; -1 for none.";
            tendon_actuatorid: id(nactuator or several) [ntendon] "id" "Actuator that adds damping or armature; -1 for none, -2 for several.";
            tendon_group: int [ntendon] "1" "Group for display.";
            tendon_treenum: int [ntendon] "1" "Number of kinematic trees along the path.";
            tendon_treeid: id(ntree or none) [ntendon 2] "id" "First two kinematic trees along the path; -1 for none.";
            tendon_limited: int [ntendon] "flag" "1 if the length is limited.";
            tendon_actfrclimited: int [ntendon] "flag" "1 if the total actuator force is limited.";
            tendon_width: real [ntendon] "m" "Width for display.";
            tendon_solref_lim: real [ntendon 2] "mixed" "Solver reference of the limit constraint." { varies: Some(Rule::Any) };
            tendon_solimp_lim: real [ntendon 5] "mixed" "Solver impedance of the limit constraint." { varies: Some(Rule::Any) };
            tendon_solref_fri: real [ntendon 2] "mixed" "Solver reference of the friction-loss constraint." { varies: Some(Rule::Any) };
            tendon_solimp_fri: real [ntendon 5] "mixed" "Solver impedance of the friction-loss constraint." { varies: Some(Rule::Any) };
            tendon_range: real [ntendon 2] "m" "Length limits." { varies: Some(Rule::Range) };
            tendon_actfrcrange: real [ntendon 2] "N" "Limits of the total actuator force." { varies: Some(Rule::Range) };
            tendon_margin: real [ntendon] "m" "Distance at which the limit becomes active." { varies: Some(Rule::Any) };
            tendon_stiffness: real [ntendon] "N/m" "Linear spring stiffness." { varies: Some(Rule::Any) };
            tendon_stiffnesspoly: real [ntendon 2] "mixed" "Quadratic and cubic spring stiffness." { varies: Some(Rule::Any) };
            tendon_damping: real [ntendon] "N s/m" "Linear damping." { varies: Some(Rule::NotNegative) };
            tendon_dampingpoly: real [ntendon 2] "mixed" "Quadratic and cubic damping." { varies: Some(Rule::Any) };
            tendon_armature: real [ntendon] "kg" "Inertia along the tendon." { varies: Some(Rule::NotNegative) };
            tendon_frictionloss: real [ntendon] "N" "Friction loss." { varies: Some(Rule::NotNegative) };
            tendon_lengthspring: real [ntendon 2] "m" "Resting length range of the spring." { varies: Some(Rule::Range) };
            tendon_length0: real [ntendon] "m" "Length at qpos0." { follows: &[inputs::POSES, inputs::PATHS] };
            tendon_invweight0: real [ntendon] "mixed" "Inverse inertia of the length at qpos0." { follows: &[inputs::POSES, inputs::INERTIA, inputs::PATHS] };
            tendon_rgba: real [ntendon 4] "1" "Colour.";
            wrap_type: one(wrap) [nwrap] "enum" "1 joint, 2 pulley, 3 site, 4 sphere, 5 cylinder.";
            wrap_objid: id(by wrap_type or none) [nwrap] "id" "Joint, site or geom; -1 for a pulley.";
            wrap_prm: real [nwrap] "mixed" "Joint coefficient, pulley divisor, or side site of a geom.";
            ten_J_rownnz: num(ten_J_rowadr) [ntendon] "1" "Nonzeros of the tendon's Jacobian row.";
            ten_J_rowadr: adr(nJten) [ntendon] "id" "First nonzero of the row.";
            ten_J_colind: id(nv) [nJten] "id" "Column of each nonzero.";
            // actuators
            actuator_trntype: one(transmission) [nactuator] "enum" "Transmission: 0 joint, 1 jointinparent, 2 slidercrank, 3 tendon, 4 site, 5 body, 6 so3.";
            actuator_dyntype: one(dynamics) [nactuator] "enum" "Activation dynamics: 0 none, 1 integrator, 2 filter, 3 filterexact, 4 muscle, 5 dcmotor, 6 pid, 7 user.";
            actuator_gaintype: one(gain) [nactuator] "enum" "Gain: 0 fixed, 1 affine, 2 muscle, 3 dcmotor, 4 so3, 5 pid, 6 user.";
            actuator_biastype: one(bias) [nactuator] "enum" "Bias: 0 none, 1 affine, 2 muscle, 3 dcmotor, 4 so3, 5 user.";
            actuator_ctrladr: adr(nu) [nactuator] "id" "First control.";
            actuator_ctrlnum: num(actuator_ctrladr) [nactuator] "1" "Number of controls.";
            actuator_ctrlspec: int [nactuator] "bits" "Control components, see `input`.";
            actuator_outadr: adr(nout) [nactuator] "id" "First force output.";
            actuator_outnum: num(actuator_outadr) [nactuator] "1" "Number of force outputs.";
            actuator_actadr: adr(na or none) [nactuator] "id" "First activation; -1 for none.";
            actuator_actnum: num(actuator_actadr) [nactuator] "1" "Number of activations.";
            actuator_trnid: id(by actuator_trntype or none) [nactuator 2] "id" "Transmission target: joint, tendon, site or body, and a second site; -1 for none.";
            moment_rownnz: num(moment_rowadr) [nout] "1" "Nonzeros of the output's moment row.";
            moment_rowadr: adr(nJmom) [nout] "id" "First nonzero of the row.";
            moment_colind: id(nv) [nJmom] "id" "Column of each nonzero.";
            moment_rowind: id(nout) [nJmom] "id" "Row of each nonzero.";
            actuator_cranklength: real [nactuator] "m" "Rod length of a slider-crank." { varies: Some(Rule::Any) };
            actuator_dynprm: real [nactuator 10] "mixed" "Parameters of the activation dynamics." { varies: Some(Rule::Any) };
            actuator_gainprm: real [nactuator 10] "mixed" "Parameters of the gain." { varies: Some(Rule::Any) };
            // number 2 of a servo: a damping ratio where it is positive, until constants are computed
            actuator_biasprm: real [nactuator 10] "mixed" "Parameters of the bias." { varies: Some(Rule::Any), follows: &[&["actuator_biasprm"]] };
            actuator_actlimited: int [nactuator] "flag" "1 if activations are clamped.";
            actuator_actrange: real [nactuator 2] "1" "Activation range." { varies: Some(Rule::Range) };
            actuator_actearly: int [nactuator] "flag" "1 if the force uses the next activation.";
            actuator_history: int [nactuator 2] "1" "Samples in the history buffer, and interpolation order.";
            actuator_historyadr: adr(nhistory or none) [nactuator] "id" "First number of the history buffer; -1 for none.";
            actuator_delay: real [nactuator] "s" "Control delay.";
            actuator_plugin: id(nplugin or none) [nactuator] "id" "Plugin instance; -1 for none.";
            actuator_damping: real [nactuator] "mixed" "Damping added to the target.";
            actuator_dampingpoly: real [nactuator 2] "mixed" "Quadratic and cubic damping.";
            actuator_armature: real [nactuator] "mixed" "Armature added to the target.";
            actuator_group: int [nactuator] "1" "Group for display and for disabling.";
            actuator_forcelimited: int [nactuator] "flag" "1 if the force is clamped.";
            actuator_forcerange: real [nactuator 2] "N or N m" "Force range." { varies: Some(Rule::Range) };
            actuator_ctrllimited: int [nu] "flag" "1 if the control is clamped.";
            actuator_ctrlrange: real [nu 2] "mixed" "Control range." { varies: Some(Rule::Range) };
            actuator_gear: real [nout 6] "mixed" "Scaling of length and force." { varies: Some(Rule::Any) };
            actuator_acc0: real [nout] "mixed" "Norm of the acceleration under unit force at qpos0." { follows: &[inputs::POSES, inputs::INERTIA, inputs::PATHS, inputs::GEARS] };
            actuator_length0: real [nout] "mixed" "Length at qpos0." { follows: &[inputs::POSES, inputs::PATHS, inputs::GEARS] };
            actuator_lengthrange: real [nout 2] "mixed" "Feasible length range." { varies: Some(Rule::Range) };
        } }
    };
}
pub(crate) use actuation_fields;
