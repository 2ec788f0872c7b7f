//! Checks of what comes from outside and of matrices, with messages that say what is wrong, where, and what to do.

use manyworlds::error::{Error, Result};
use manyworlds::model::Model;
use manyworlds::model::data::Data;
use manyworlds::real::Real;
use manyworlds::schema::enums::{cone, constraint, enable, integrator, status};
use manyworlds::schema::{Dim, Field, Kind, Role, Size, Values};

/// Largest pivot of a singular inertia matrix, which the factorisation raises to `MINVAL`.
const SINGULAR: f64 = 2.0 * f64::MINVAL;

/// Rejects models with options that the formulation replaces or does not have.
///
/// # Errors
/// [`Error::Unsupported`] with the option and what to set instead; [`Error::Argument`] for the time step.
pub(super) fn check_options(m: &Model) -> Result<()> {
    let wrong = if m.opt_cone[0] != cone::ELLIPTIC {
        "pyramidal cones: its friction cones are elliptic (set the option cone to elliptic)"
    } else if m.opt_integrator[0] != integrator::EULER {
        "another integrator than Euler: it is a semi-implicit Euler step by itself (set the option integrator to Euler)"
    } else if m.opt_noslip_iterations[0] > 0 {
        "noslip: without a regulariser there is no inverse (set the option noslip_iterations to 0)"
    } else if m.has_sleep() {
        "sleep: a sleeping tree has no inverse (disable the flag sleep)"
    } else if m.enabled(enable::FWDINV) {
        "the flag fwdinv, which compares forward and inverse dynamics of the continuous-time formulation (disable it)"
    } else {
        return check_timestep(m);
    };
    Err(Error::Unsupported(format!("the impulse formulation does not have {wrong}")))
}

/// Checks the time step.
fn check_timestep(m: &Model) -> Result<()> {
    let h = m.opt_timestep[0];
    if h > 0.0 && h.is_finite() {
        return Ok(());
    }
    Err(Error::Argument(format!("the time step is {h}; it has to be positive and finite")))
}

/// Checks that a world is one of the model.
fn check_sizes(m: &Model, d: &Data) -> Result<()> {
    for (name, got, want) in [
        ("qpos", d.qpos.len(), m.sizes.nq),
        ("qvel", d.qvel.len(), m.sizes.nv),
        ("ctrl", d.ctrl.len(), m.sizes.nu),
        ("M", d.M.len(), m.sizes.nC),
        ("xpos", d.xpos.len(), 3 * m.sizes.nbody),
    ] {
        if got != want {
            return Err(Error::Argument(format!(
                "the world has {got} elements of {name}, the model {want}: it belongs to another model"
            )));
        }
    }
    Ok(())
}

/// Checks that a world belongs to the model, and that its state and inputs are finite.
///
/// # Errors
/// [`Error::Argument`] with the field, the element, and the joint, actuator or body that it belongs to.
pub(super) fn check_state(m: &Model, d: &Data) -> Result<()> {
    check_sizes(m, d)?;
    let read = [Role::Motion, Role::Warmstart, Role::Control, Role::Force, Role::Scene];
    let fields = Data::<f64>::FIELDS.iter().zip(Data::<f64>::READS);
    for (field, values_of) in fields.filter(|(field, _)| read.contains(&field.role)) {
        let Values::Real(values) = values_of(d) else { continue };
        if field.dims == [Dim::Of(Size::nv)] {
            check_dofs(m, d, field.name, &values)?;
        } else {
            check(field.name, &values, d.time[0], |i| owner(m, field, i))?;
        }
    }
    Ok(())
}

/// Joint, actuator or body to which an element of a field belongs.
fn owner(m: &Model, field: &Field, i: usize) -> Option<String> {
    match field.dims {
        [Dim::Of(Size::nq)] => {
            let jnt = (0..m.sizes.njnt).rev().find(|&j| m.jnt_qposadr[j] as usize <= i);
            jnt.map(|jnt| called(m, Kind::Joint, jnt))
        }
        [Dim::Of(Size::nu)] => Some(called(m, Kind::Actuator, i)),
        [Dim::Of(Size::nbody), Dim::Const(width)] => Some(called(m, Kind::Body, i / width)),
        _ => None,
    }
}

/// Checks numbers of all degrees of freedom.
///
/// # Errors
/// [`Error::Argument`] with the first that is not finite, or for the wrong number of them.
pub(super) fn check_dofs(m: &Model, d: &Data, name: &str, values: &[f64]) -> Result<()> {
    if values.len() != m.sizes.nv {
        let (got, want) = (values.len(), m.sizes.nv);
        return Err(Error::Argument(format!(
            "{name} has {got} elements, the model {want} degrees of freedom"
        )));
    }
    check(name, values, d.time[0], |i| Some(called(m, Kind::Joint, m.dof_jntid[i] as usize)))
}

/// Checks that numbers are finite; `whose` names what an element belongs to.
fn check(name: &str, values: &[f64], time: f64, whose: impl Fn(usize) -> Option<String>) -> Result<()> {
    let Some(i) = values.iter().position(|x| !x.is_finite()) else { return Ok(()) };
    let of = whose(i).map(|whose| format!(" of {whose}")).unwrap_or_default();
    Err(Error::Argument(format!(
        "{name}[{i}]{of} is {} at time {time}: set a finite number, or reset the world",
        values[i]
    )))
}

/// Checks the factor of an inertia matrix by the inverse pivots.
///
/// # Errors
/// [`Error::Argument`] with the degree of freedom at which it is singular or not finite.
pub(super) fn check_inertia(m: &Model, d: &Data, diag_inv: &[f64]) -> Result<()> {
    let bad = |inv: &f64| !(inv.is_finite() && *inv > 0.0 && *inv * SINGULAR < 1.0);
    let Some(i) = diag_inv.iter().position(bad) else { return Ok(()) };
    let joint = called(m, Kind::Joint, m.dof_jntid[i] as usize);
    let time = d.time[0];
    Err(Error::Argument(format!(
        "the inertia matrix is singular at degree of freedom {i} ({joint}) at time {time}: give the bodies that it \
         moves a mass, or the joint an armature"
    )))
}

/// The error of a matrix that is singular or not finite at a constraint row.
pub(super) fn singular_row(m: &Model, d: &Data, r: usize) -> Error {
    let id = d.efc_id[r] as usize;
    let geom = |side: usize| called(m, Kind::Geom, d.contact_geom[2 * id + side] as usize);
    let whose = match d.efc_type[r] {
        constraint::EQUALITY => called(m, Kind::Equality, id),
        constraint::FRICTION_DOF => called(m, Kind::Joint, m.dof_jntid[id] as usize),
        constraint::LIMIT_JOINT => called(m, Kind::Joint, id),
        constraint::FRICTION_TENDON | constraint::LIMIT_TENDON => called(m, Kind::Tendon, id),
        _ => format!("the contact of {} and {}", geom(0), geom(1)),
    };
    let time = d.time[0];
    Error::Argument(format!(
        "the matrix A + R is singular or not finite at constraint row {r} ({whose}) at time {time}: raise ε, or r_min"
    ))
}

/// Checks that all contacts and rows had room in the world. `before` is its status before the stages.
///
/// # Errors
/// [`Error::Memory`] with the capacity that is needed.
pub(super) fn check_capacity(d: &mut Data, before: i32) -> Result<()> {
    let now = d.status[0];
    d.status[0] |= before;
    if now & (status::CONTACT_OVERFLOW | status::CONSTRAINT_OVERFLOW) == 0 {
        return Ok(());
    }
    let (contacts, rows) = (d.ncon_peak[0], d.nefc_peak[0]);
    let (nconmax, njmax) = (d.sizes.nconmax, d.sizes.njmax);
    Err(Error::Memory(format!(
        "the world has room for {nconmax} contacts and {njmax} constraint rows, {contacts} and {rows} are wanted: give \
         it a larger capacity"
    )))
}

/// Kind, and name or id.
fn called(m: &Model, kind: Kind, id: usize) -> String {
    match m.name(kind, id) {
        Some(name) => format!("{} '{name}'", kind.word()),
        None => format!("{} {id}", kind.word()),
    }
}
