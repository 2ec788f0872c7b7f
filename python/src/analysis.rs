//! Jacobians and derivatives of a batch.

use manyworlds::analysis::derivatives::{DifferenceOptions, Method};
use manyworlds::analysis::query::{Jacobian, Object, jacobian, object_jacobian};
use manyworlds::error::{Error, Result};
use manyworlds::formats::npz::{Array, ArrayData};
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;

use crate::array::{self, plain};
use crate::batch::{Batch, State};
use crate::error::exception;
use crate::evaluator::Evaluator;

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
            let is_same = batch.expanded().is_empty();
            let mut model = batch.model_of(0)?;
            for (k, world) in worlds.iter().enumerate() {
                let data = batch.world(*world)?;
                if !is_same {
                    model = batch.model_of(*world)?;
                }
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
    /// By differences if `differences` is true, else exactly.
    #[pyo3(signature = (mask, differences, eps, centred, inverse))]
    fn derivatives<'py>(
        &self,
        py: Python<'py>,
        mask: PyReadonlyArray1<'py, bool>,
        differences: bool,
        eps: Option<f64>,
        centred: bool,
        inverse: bool,
    ) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let mask = array::mask(Some(&mask)).map_err(exception)?.unwrap_or_default();
        let of = |state: &mut State| {
            let eps = eps.unwrap_or(DifferenceOptions::best(state.parts()?.0.backend()).eps);
            let differences = differences.then_some(DifferenceOptions { eps, centred });
            derivatives(state, mask, differences.map_or(Method::Exact, Method::from), inverse)
        };
        let arrays = self.run_py(py, of)?;
        arrays.into_iter().map(|array| plain(py, array, false)).collect()
    }
}

/// Derivatives at the states of the worlds where `mask` is true, one array for each matrix.
fn derivatives(state: &mut State, mask: &[bool], method: Method, inverse: bool) -> PyResult<Vec<Array>> {
    let worlds: Vec<usize> = (0..mask.len()).filter(|w| mask[*w]).collect();
    let (adapter, kept) = (state.adapter.clone(), state.evaluator.take());
    let (batch, _) = state.parts()?;
    if worlds.is_empty() {
        return Err(exception(Error::Argument("no world is chosen".to_owned())));
    }
    let mut all: Vec<Vec<f64>> = Vec::new();
    // one model for all worlds, whose evaluator serves again, or one for each
    if batch.expanded().is_empty() {
        let kept = kept.filter(|kept| kept.fits(batch, worlds.len(), method));
        let made = kept.map_or_else(|| Evaluator::new(batch, adapter, 0, worlds.len(), method), Ok);
        let mut evaluator = made.map_err(exception)?;
        all = evaluator.at(batch, &worlds, inverse).map_err(exception)?;
        state.evaluator = Some(evaluator);
    } else {
        for world in &worlds {
            let mut evaluator =
                Evaluator::new(batch, adapter.clone(), *world, 1, method).map_err(exception)?;
            let parts = evaluator.at(batch, &[*world], inverse).map_err(exception)?;
            all.resize(parts.len(), Vec::new());
            all.iter_mut().zip(parts).for_each(|(to, part)| to.extend(part));
        }
    }
    let s = *state.parts()?.0.sizes();
    let (n, nv) = (2 * s.nv + s.na, s.nv);
    let shapes = match inverse {
        true => vec![vec![nv, nv], vec![nv, nv], vec![nv, nv], vec![]],
        false => vec![vec![n, n], vec![n, s.nu], vec![s.nsensordata, n], vec![s.nsensordata, s.nu], vec![]],
    };
    let shaped = shapes.into_iter().zip(all);
    Ok(shaped
        .map(|(shape, data)| Array {
            shape: [vec![worlds.len()], shape].concat(),
            data: ArrayData::F64(data),
        })
        .collect())
}
