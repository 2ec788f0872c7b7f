//! What the renderer draws of the simulation: worlds, cameras, and shapes that belong to neither.

use glam::{DVec3, Vec3};
use manyworlds::analysis::perturb::Mode;
use manyworlds::error::Result;
use manyworlds::model::data::Data;
use manyworlds_render::{Renderer, Shape, Subject, View, decorate, needs_data};

use super::app::App;
use super::many::{Arrangement, tile};

/// Opacity of ghosts.
const GHOST: f32 = 0.3;

/// Colours of the traces of a plan, in turns.
const TRACES: [[f32; 4]; 4] =
    [[1.0, 0.75, 0.1, 0.9], [0.2, 0.9, 0.9, 0.9], [0.95, 0.3, 0.8, 0.9], [0.5, 0.95, 0.3, 0.9]];

/// Worlds that were sent to the device, and what is shown beside their bodies.
#[derive(Default)]
pub(super) struct Sent {
    /// The worlds, in the order of subjects.
    pub(super) worlds: Vec<usize>,
    shapes: Vec<Vec<Shape>>,
}

/// Takes the worlds of the next picture to the device: those of a batch there without the host.
pub(super) fn send(app: &mut App, renderer: &mut Renderer) -> Result<Sent> {
    let worlds = app.many.shown(&app.session);
    let (chosen, wants) = (app.session.chosen(), needs_data(app.session.model(), &app.visuals));
    let batch = app.session.batch().on_device();
    let near = match batch {
        Some(batch) if renderer.can_gather(batch) => {
            renderer.gather(batch, &worlds)?;
            true
        }
        _ => false,
    };
    let mut data: Vec<Data> = Vec::new();
    if worlds != [chosen] && (wants || !near) {
        data = worlds.iter().map(|w| app.session.world(*w)).collect::<Result<_>>()?;
    }
    let all: Vec<&Data> = if worlds == [chosen] { vec![app.session.data()] } else { data.iter().collect() };
    if !near {
        renderer.upload(&all)?;
    }
    let shapes = if wants {
        all.iter().map(|data| decorate(app.session.model(), data, &app.visuals)).collect()
    } else {
        vec![Vec::new(); worlds.len()]
    };
    Ok(Sent { worlds, shapes })
}

/// Views of the worlds that were sent, in a picture of some pixels.
pub(super) fn views(app: &App, sent: &Sent, size: [u32; 2]) -> Vec<View> {
    let (worlds, chosen) = (&sent.worlds, app.session.chosen());
    let subject = |k: usize, alpha: f32| Subject { world: k, tint: app.many.tint(worlds[k]), alpha };
    let shapes = |k: usize| {
        let own = if worlds[k] == chosen { marks(app) } else { Vec::new() };
        [&sent.shapes[k][..], &own].concat()
    };
    if app.many.layout == Arrangement::Grid {
        let view = |k: usize| View {
            rect: tile(k, worlds.len(), size),
            camera: app.camera,
            subjects: vec![subject(k, 1.0)],
            shapes: shapes(k),
        };
        return (0..worlds.len()).map(view).collect();
    }
    // the camera follows the first one
    let mut order: Vec<usize> = (0..worlds.len()).collect();
    order.sort_by_key(|k| worlds[*k] != chosen);
    let shapes = order.first().map(|k| shapes(*k)).unwrap_or_default();
    let alpha = |k: usize| if worlds[k] == chosen { 1.0 } else { GHOST };
    let subjects = order.into_iter().map(|k| subject(k, alpha(k))).collect();
    vec![View { rect: [0, 0, size[0], size[1]], camera: app.camera, subjects, shapes }]
}

/// Marks of the user in the chosen world: selection and pull of the mouse, traces of the plan.
fn marks(app: &App) -> Vec<Shape> {
    let (model, data) = (app.session.model(), app.session.data());
    let mut all = Vec::new();
    let size = model.stat_meansize[0];
    let color = |c: &[f64]| [0, 1, 2, 3].map(|k| c[k] as f32);
    let perturb = &app.session.pull.perturb;
    if perturb.body > 0 && perturb.body < model.sizes.nbody {
        let at = perturb.point(data);
        let radius = (model.vis_scale_selectpoint[0] * size) as f32;
        all.push(Shape::sphere(at.as_vec3(), radius, color(&model.vis_rgba_selectpoint)));
        if perturb.mode == Some(Mode::Translate) {
            let width = (0.5 * model.vis_scale_forcewidth[0] * size) as f32;
            let force = color(&model.vis_rgba_force);
            all.extend(app.session.pull.arrow(data, width, force));
        }
    }
    let width = (0.03 * size) as f32;
    for (line, rgba) in app.traces.iter().zip(TRACES.iter().cycle()) {
        let ends = line.iter().zip(line.iter().skip(1));
        let vec = |p: &DVec3| -> Vec3 { p.as_vec3() };
        all.extend(ends.map(|(a, b)| Shape::capsule(vec(a), vec(b), width, *rgba)));
    }
    all
}
