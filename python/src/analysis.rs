//! Jacobians and derivatives of a batch.

use std::collections::BTreeMap;

use manyworlds::analysis::derivatives::{DifferenceOptions, FiniteDifferences, Knots};
use manyworlds::analysis::query::{Jacobian, Object, jacobian, object_jacobian};
use manyworlds::batch::BatchOptions;
use manyworlds::error::{Error, Result};
use manyworlds::formats::npz::{Array, ArrayData};
use manyworlds::model::data::Capacity;
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;

use crate::array::{self, plain};
use crate::batch::Batch;
use crate::error::exception;

/// Fields of a state at which derivatives are taken.
const STATE: &[&str] = &[
    "qpos",
    "qvel",
    "act",
    "ctrl",
    "qacc_warmstart",
    "qfrc_applied",
    "xfrc_applied",
    "mocap_pos",
    "mocap_quat",
    "eq_active",
];

fn object(kind: &str, id: usize) -> Result<Object> {
    Ok(match kind {
        "body" => Object::BodyFrame(id),
        "inertial" => Object::Body(id),
        "geom" => Object::Geom(id),
        "site" => Object::Site(id),
        "camera" => Object::Camera(id),
        other => {
            let valid = "body, inertial, geom, site, camera";
            return Err(Error::Argument(format!("a {other} has no Jacobian; valid: {valid}")));
        }
    })
}

#[pymethods]
impl Batch {
    /// Jacobians of an object, or of a point that a body carries, in some worlds: linear and angular, `[world, 3, nv]`.
    fn jacobian<'py>(
        &self,
        py: Python<'py>,
        kind: &str,
        id: usize,
        point: Option<Vec<[f64; 3]>>,
        worlds: Vec<usize>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        let object = object(kind, id).map_err(exception)?;
        let (linear, angular, nv, single) = self.run(py, |batch| {
            let (mut linear, mut angular) = (Vec::new(), Vec::new());
            for (k, world) in worlds.iter().enumerate() {
                let data = batch.world(*world)?;
                let model = batch.model_of(*world)?;
                let found: Jacobian = match &point {
                    Some(points) => {
                        let at = points.get(k).or(points.first()).copied().unwrap_or_default();
                        jacobian(&model, &data, id, at)?
                    }
                    None => object_jacobian(&model, &data, object)?,
                };
                linear.extend(found.linear);
                angular.extend(found.angular);
            }
            Ok((linear, angular, batch.sizes().nv, batch.precision() == "single"))
        })?;
        let shaped = |values: Vec<f64>| {
            plain(py, Array { shape: vec![worlds.len(), 3, nv], data: ArrayData::F64(values) }, single)
        };
        Ok((shaped(linear)?, shaped(angular)?))
    }

    /// Derivatives at the states of some worlds: A, B, C, D of a step, or by qpos, qvel, qacc of inverse dynamics.
    #[pyo3(signature = (mask, eps, centred, inverse))]
    fn derivatives<'py>(
        &self,
        py: Python<'py>,
        mask: PyReadonlyArray1<'py, bool>,
        eps: Option<f64>,
        centred: bool,
        inverse: bool,
    ) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let mask = array::mask(Some(&mask)).map_err(exception)?.unwrap_or_default();
        let arrays = self.run(py, |batch| {
            let worlds: Vec<usize> = (0..mask.len()).filter(|w| mask[*w]).collect();
            if worlds.is_empty() {
                return Err(Error::Argument("no world is chosen".to_owned()));
            }
            // one model for all worlds, or one for each
            let groups: Vec<Vec<usize>> = match batch.expanded().is_empty() {
                true => vec![worlds.clone()],
                false => worlds.iter().map(|w| vec![*w]).collect(),
            };
            let mut all: Vec<Vec<f64>> = Vec::new();
            for group in &groups {
                let parts = group_derivatives(batch, group, eps, centred, inverse)?;
                all.resize(parts.len(), Vec::new());
                all.iter_mut().zip(parts).for_each(|(to, part)| to.extend(part));
            }
            let s = batch.sizes();
            let (n, nv) = (2 * s.nv + s.na, s.nv);
            let shapes = match inverse {
                true => [[nv, nv]; 3].to_vec(),
                false => vec![[n, n], [n, s.nu], [s.nsensordata, n], [s.nsensordata, s.nu]],
            };
            let shaped = shapes.into_iter().zip(all).map(|([rows, columns], data)| Array {
                shape: vec![worlds.len(), rows, columns],
                data: ArrayData::F64(data),
            });
            Ok(shaped.collect::<Vec<_>>())
        })?;
        arrays.into_iter().map(|array| plain(py, array, false)).collect()
    }
}

/// Derivatives of worlds with the same model, one list for each matrix.
fn group_derivatives(
    batch: &mut manyworlds::batch::Batch,
    worlds: &[usize],
    eps: Option<f64>,
    centred: bool,
    inverse: bool,
) -> Result<Vec<Vec<f64>>> {
    let backend = batch.backend();
    let best = DifferenceOptions::best(backend);
    let options = DifferenceOptions { eps: eps.unwrap_or(best.eps), centred };
    let capacity = Capacity { nconmax: batch.sizes().nconmax, njmax: batch.sizes().njmax };
    let model = batch.model_of(worlds.first().copied().unwrap_or(0))?;
    let on = BatchOptions { capacity: Some(capacity), ..BatchOptions::on(backend) };
    let mut evaluator = FiniteDifferences::new(&model, worlds.len(), options, &on)?;
    let mut mask = vec![false; batch.worlds()];
    worlds.iter().for_each(|w| mask[*w] = true);
    let mut names: Vec<&str> = STATE.iter().copied().filter(|name| batch.has(name)).collect();
    if inverse {
        names.push("qacc");
    }
    let mut fields = BTreeMap::new();
    for name in names {
        let values = batch.get_worlds(name, &mask)?.data.to_f64();
        if !values.is_empty() {
            fields.insert(name.to_owned(), values);
        }
    }
    let knots = Knots { count: worlds.len(), fields };
    Ok(if inverse {
        let found = evaluator.inverse(&knots)?;
        vec![found.by_qpos, found.by_qvel, found.by_qacc]
    } else {
        let found = evaluator.transition(&knots)?;
        vec![found.A, found.B, found.C, found.D]
    })
}
