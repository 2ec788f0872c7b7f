//! The window: events in, frames out.

use std::sync::Arc;
use std::time::{Duration, Instant};

use egui::{PointerButton, Sense, Ui};
use glam::DVec3;
use manyworlds::error::{Error, Result};
use manyworlds::gpu::Gpu;
use manyworlds_render::{Canvas, Flag, Renderer, View};
use winit::application::ApplicationHandler;
use winit::dpi::LogicalSize;
use winit::event::WindowEvent;
use winit::event_loop::{ActiveEventLoop, ControlFlow, EventLoop};
use winit::window::{Fullscreen, Window, WindowId};

use super::app::App;
use super::keys;
use super::many::{Layout, tile_at};
use super::mouse::{self, Click, Drag};
use super::panels;
use super::scene;
use super::screen::{Screen, Shown};

/// Time for the physics of a picture.
const BUDGET: Duration = Duration::from_millis(14);

/// Time between two looks at the files of the model.
const LOOK: Duration = Duration::from_millis(500);

/// Time between frames that nobody sees.
const HIDDEN: Duration = Duration::from_millis(50);

/// Samples of a pixel of the picture, on a GPU.
const SAMPLES: u32 = 4;

/// Makes the simulation, on the device of the window.
pub(super) type Start<'a> = dyn FnMut(&Gpu) -> Result<App> + 'a;

/// Opens a window, and returns when it is closed.
///
/// # Errors
/// [`Error::Device`] without a display or an adapter; what `start` fails with.
pub(super) fn open(title: &str, size: [u32; 2], start: &mut Start<'_>) -> Result<App> {
    let events = EventLoop::new().map_err(|e| no_display(&e))?;
    let mut handler = Handler { title, size, start, live: None, failed: None };
    events.run_app(&mut handler).map_err(|e| no_display(&e))?;
    match (handler.failed, handler.live) {
        (Some(error), _) => Err(error),
        (None, Some(live)) => Ok(live.app),
        (None, None) => Err(Error::Device("the window was never shown".to_owned())),
    }
}

fn no_display(why: &dyn std::fmt::Display) -> Error {
    // without the place in the sources of winit
    let why = why.to_string();
    let why = why
        .rsplit_once(".rs:")
        .and_then(|(_, rest)| rest.split_once(": "))
        .map_or(why.as_str(), |(_, text)| text);
    let text = "there is no display for a window";
    let hint = "set DISPLAY or WAYLAND_DISPLAY, or draw into files with `manyworlds render`";
    Error::Device(format!("{text} ({why}); {hint}"))
}

/// What winit calls.
struct Handler<'a> {
    title: &'a str,
    size: [u32; 2],
    start: &'a mut Start<'a>,
    live: Option<Live>,
    failed: Option<Error>,
}

/// A window that is open.
struct Live {
    window: Arc<Window>,
    screen: Screen,
    ctx: egui::Context,
    input: egui_winit::State,
    app: App,
    renderer: Renderer,
    generation: u64,
    canvas: Canvas,
    texture: egui::TextureId,
    samples: u32,
    /// Worlds in the picture, and what was drawn of them.
    sent: scene::Sent,
    views: Vec<View>,
    last: Instant,
    looked: Instant,
    is_fullscreen: bool,
}

impl Handler<'_> {
    /// The window and everything in it.
    fn make(&mut self, events: &ActiveEventLoop) -> Result<Live> {
        let size = LogicalSize::new(self.size[0], self.size[1]);
        let attributes = Window::default_attributes().with_title(self.title).with_inner_size(size);
        let window = Arc::new(events.create_window(attributes).map_err(|e| no_display(&e))?);
        let mut screen = Screen::new(Arc::clone(&window))?;
        let mut app = (self.start)(screen.gpu())?;
        app.adapter = screen.gpu().adapter().to_string();
        let renderer = Renderer::new(screen.gpu(), app.session.model())?;
        // a software adapter has enough to do with one sample
        let samples = if screen.gpu().adapter().software { 1 } else { SAMPLES };
        let canvas = Canvas::new(screen.gpu(), 64, 64, samples)?;
        let texture = screen.set_picture(canvas.texture());
        let ctx = egui::Context::default();
        ctx.set_visuals(egui::Visuals::dark());
        let input = egui_winit::State::new(
            ctx.clone(),
            egui::ViewportId::ROOT,
            &*window,
            Some(window.scale_factor() as f32),
            None,
            Some(screen.max_side()),
        );
        let (now, generation) = (Instant::now(), app.session.generation());
        Ok(Live {
            window,
            screen,
            ctx,
            input,
            app,
            renderer,
            generation,
            canvas,
            texture,
            samples,
            sent: scene::Sent::default(),
            views: Vec::new(),
            last: now,
            looked: now,
            is_fullscreen: false,
        })
    }
}

impl ApplicationHandler for Handler<'_> {
    fn resumed(&mut self, events: &ActiveEventLoop) {
        if self.live.is_some() {
            return;
        }
        match self.make(events) {
            Ok(live) => {
                live.window.request_redraw();
                self.live = Some(live);
            }
            Err(error) => {
                self.failed = Some(error);
                events.exit();
            }
        }
    }

    fn window_event(&mut self, events: &ActiveEventLoop, _: WindowId, event: WindowEvent) {
        let Some(live) = &mut self.live else { return };
        if event == WindowEvent::RedrawRequested {
            match live.frame() {
                Ok(shown) => {
                    let wait = if shown == Shown::Yes { Duration::ZERO } else { HIDDEN };
                    events.set_control_flow(ControlFlow::WaitUntil(Instant::now() + wait));
                }
                Err(error) => {
                    self.failed = Some(error);
                    events.exit();
                }
            }
            if live.app.quit {
                events.exit();
            }
            return;
        }
        if matches!(event, WindowEvent::CloseRequested | WindowEvent::Destroyed) {
            events.exit();
            return;
        }
        let _ = live.input.on_window_event(&live.window, &event);
    }

    fn about_to_wait(&mut self, events: &ActiveEventLoop) {
        // the simulation goes on, so the next frame is due at once, or after a while if nobody sees it
        let due = match events.control_flow() {
            ControlFlow::WaitUntil(next) => Instant::now() >= next,
            _ => true,
        };
        if let (true, Some(live)) = (due, &self.live) {
            live.window.request_redraw();
        }
    }
}

impl Live {
    /// Goes on, and draws.
    fn frame(&mut self) -> Result<Shown> {
        let wall = self.last.elapsed().as_secs_f64();
        self.last = Instant::now();
        let share = 1.0 - (-2.0 * wall).exp();
        self.app.rate += share * (1.0 / wall.max(1e-6) - self.app.rate);
        self.simulate(wall);
        let begin = Instant::now();
        let mut raw = self.input.take_egui_input(&self.window);
        // keys of the window do not move the focus of the panels; a text that is being written gets all
        if !self.ctx.text_edit_focused() {
            let actions = taken(&mut raw);
            actions.into_iter().for_each(|action| self.app.act(action));
        }
        let (ctx, texture) = (self.ctx.clone(), self.texture);
        let mut area = egui::Rect::NOTHING;
        let mut output = ctx.run_ui(raw, |ui| {
            panels::show(ui, &mut self.app, |ui, app| {
                let mut drawn = Drawn {
                    renderer: &mut self.renderer,
                    canvas: &self.canvas,
                    views: &self.views,
                    worlds: &self.sent.worlds,
                };
                area = picture(ui, app, texture, &mut drawn);
            });
        });
        self.screen.take_textures(&mut output.textures_delta);
        self.input.handle_platform_output(&self.window, std::mem::take(&mut output.platform_output));
        if let Some(text) = self.app.copied.take() {
            self.input.set_clipboard_text(text);
        }
        if let Err(error) = self.draw(area, output.pixels_per_point) {
            self.undrawn(error)?;
        }
        let shot = self.app.shot.take();
        let shown = match self.screen.paint(
            std::mem::take(&mut output.shapes),
            output.pixels_per_point,
            &ctx,
            shot.as_deref(),
        ) {
            Err(error @ Error::Io { .. }) => {
                self.app.session.set_notice(Some(error.to_string()));
                Shown::Yes
            }
            done => done?,
        };
        if let Some(path) = shot {
            self.app.session.set_notice(Some(format!("picture: {}", path.display())));
        }
        self.app.picture = begin.elapsed().as_secs_f64();
        if self.app.fullscreen != self.is_fullscreen {
            self.is_fullscreen = self.app.fullscreen;
            self.window.set_fullscreen(self.is_fullscreen.then_some(Fullscreen::Borderless(None)));
        }
        Ok(shown)
    }

    /// Physics of a frame; errors become a line in the window.
    fn simulate(&mut self, wall: f64) {
        if self.looked.elapsed() > LOOK {
            self.looked = Instant::now();
            let done = self.app.reload(false);
            self.app.noted(done);
        }
        if let Err(error) = self.app.session.advance(wall, BUDGET) {
            self.app.session.failed(&error);
        }
        if self.app.session.is_running() || self.app.plots.solver[0].last().is_none() {
            let picture = self.app.picture;
            self.app.plots.push(&self.app.session, picture);
        }
        self.app.trace();
        if self.app.many.layout != Layout::One || self.app.session.worlds() > 1 {
            let App { many, session, .. } = &mut self.app;
            many.read(session);
        }
    }

    /// What could not be drawn is told in the window, which goes on unless the device is lost.
    fn undrawn(&mut self, error: Error) -> Result<()> {
        self.screen.gpu().wait()?;
        // few adapters that draw in software draw edges only
        self.app.visuals.set(Flag::Wireframe, false);
        self.app.session.set_notice(Some(error.to_string()));
        Ok(())
    }

    /// Draws the worlds into the picture.
    fn draw(&mut self, area: egui::Rect, scale: f32) -> Result<()> {
        let most = self.screen.max_side() as f32;
        let [width, height] = [area.width(), area.height()].map(|x| (x * scale).round());
        if !(width >= 1.0 && height >= 1.0) {
            return Ok(());
        }
        let size = [width, height].map(|x| x.min(most) as u32);
        if self.generation != self.app.session.generation() {
            self.renderer = Renderer::new(self.screen.gpu(), self.app.session.model())?;
            self.generation = self.app.session.generation();
        }
        if [self.canvas.texture().width(), self.canvas.texture().height()] != size {
            self.canvas = Canvas::new(self.screen.gpu(), size[0], size[1], self.samples)?;
            self.screen.set_picture(self.canvas.texture());
        }
        self.sent = scene::send(&mut self.app, &mut self.renderer)?;
        self.views = scene::views(&self.app, &self.sent, size);
        self.renderer.draw(&self.canvas, &self.views, &self.app.visuals)
    }
}

/// What was drawn last, to look up what is below the pointer.
struct Drawn<'a> {
    renderer: &'a mut Renderer,
    canvas: &'a Canvas,
    views: &'a [View],
    worlds: &'a [usize],
}

/// What pressed keys ask for; these are taken out of the input.
fn taken(raw: &mut egui::RawInput) -> Vec<keys::Action> {
    let mut actions = Vec::new();
    raw.events.retain(|event| match event {
        egui::Event::Key { key, pressed: true, modifiers, .. } => {
            let action = keys::action(*key, *modifiers);
            actions.extend(action);
            action.is_none()
        }
        _ => true,
    });
    actions
}

/// The picture, and what the mouse does in it; its rectangle in points.
fn picture(ui: &mut Ui, app: &mut App, texture: egui::TextureId, drawn: &mut Drawn<'_>) -> egui::Rect {
    let area = ui.available_rect_before_wrap();
    let response = ui.allocate_rect(area, Sense::click_and_drag());
    let whole = egui::Rect::from_min_max(egui::pos2(0.0, 0.0), egui::pos2(1.0, 1.0));
    ui.painter().image(texture, area, whole, egui::Color32::WHITE);
    if app.many.layout == Layout::Grid {
        tiles(ui, app, area, drawn);
    }
    let held = ui.input(|i| i.modifiers);
    let buttons = [PointerButton::Primary, PointerButton::Secondary, PointerButton::Middle];
    for button in buttons {
        if response.double_clicked_by(button)
            && let (Some(click), Some(at)) = (mouse::click(button, held), response.interact_pointer_pos())
        {
            let scale = ui.ctx().pixels_per_point();
            let at = (at - area.min) * scale;
            let done = pick(app, click, [at.x, at.y], drawn);
            app.noted(done);
        }
        if response.drag_started_by(button)
            && let Some(Drag::Perturb(mode, _)) = mouse::drag(button, held, app.session.pull.perturb.body > 0)
        {
            let (model, data) = (app.session.model().clone(), app.session.data().clone());
            app.session.pull.perturb.begin(&model, &data, mode);
        }
        if response.dragged_by(button) {
            let moved = response.drag_delta() / area.height().max(1.0);
            dragged(app, button, held, [moved.x, moved.y]);
        }
        if response.drag_stopped_by(button) {
            app.session.pull.perturb.end();
        }
    }
    if response.hovered() {
        let notches = ui.input(|i| i.smooth_scroll_delta().y) / 50.0;
        if let Some(orbit) = app.camera.orbit_mut().filter(|_| notches != 0.0) {
            orbit.zoom(-notches);
        }
    }
    area
}

/// Numbers of the worlds in their tiles, and a frame about the chosen one.
fn tiles(ui: &Ui, app: &App, area: egui::Rect, drawn: &Drawn<'_>) {
    let scale = ui.ctx().pixels_per_point();
    for (view, world) in drawn.views.iter().zip(drawn.worlds) {
        let [x, y, width, height] = view.rect.map(|n| n as f32 / scale);
        let tile = egui::Rect::from_min_size(area.min + egui::vec2(x, y), egui::vec2(width, height));
        let (font, gray) = (egui::FontId::proportional(11.0), egui::Color32::from_white_alpha(160));
        let corner = tile.left_top() + egui::vec2(4.0, 3.0);
        ui.painter().text(corner, egui::Align2::LEFT_TOP, world.to_string(), font, gray);
        if *world == app.session.chosen() {
            let stroke = egui::Stroke::new(1.5, egui::Color32::from_rgb(255, 190, 90));
            ui.painter().rect_stroke(tile, 0.0, stroke, egui::StrokeKind::Inside);
        }
    }
}

/// A movement of the mouse with a button down, in heights of the picture.
fn dragged(app: &mut App, button: PointerButton, held: egui::Modifiers, moved: [f32; 2]) {
    // a pull goes on until the button is released, whatever becomes of the keys
    let drag = match app.session.pull.perturb.mode {
        Some(mode) => Some(Drag::Perturb(mode, held.shift)),
        None => mouse::drag(button, held, false),
    };
    let session = &mut app.session;
    match drag {
        Some(Drag::Perturb(_, level)) => {
            let at = session.pull.perturb.point(session.data());
            let height = app.camera.height_at(session.model(), session.data(), at);
            let (_, axes) = app.camera.pose(session.model(), session.data());
            let moved = moved.map(f64::from);
            session.pull.perturb.drag(moved, height, axes.x_axis, -axes.z_axis, level);
        }
        Some(Drag::Camera(drag)) => app.camera.drag(session.model(), drag, moved.into()),
        None => {}
    }
}

/// What is below a pixel, and what a double click does with it.
fn pick(app: &mut App, click: Click, [x, y]: [f32; 2], drawn: &mut Drawn<'_>) -> Result<()> {
    let size = [drawn.canvas.texture().width(), drawn.canvas.texture().height()];
    let is_grid = app.many.layout == Layout::Grid;
    let place = if is_grid { tile_at(drawn.worlds.len(), size, x, y) } else { Some(0) };
    let Some(view) = place.and_then(|k| drawn.views.get(k)) else { return Ok(()) };
    let [x, y] = [x, y].map(|pixel| pixel.max(0.0) as u32);
    let Some(hit) = drawn.renderer.pick(drawn.canvas, view, x, y, &app.visuals)? else {
        if click == Click::Select {
            app.session.select(0, DVec3::ZERO);
        }
        return Ok(());
    };
    if let Some(&world) = drawn.worlds.get(hit.world).filter(|w| **w != app.session.chosen()) {
        app.session.choose(world)?;
    }
    app.clicked(click, hit.body, hit.pos.as_dvec3());
    Ok(())
}
