//! The window: events in, frames out.

use std::sync::Arc;
use std::time::{Duration, Instant};

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
use super::many::Arrangement;
use super::panels;
use super::picture::{Drawn, picture};
use super::scene;
use super::screen::{Presented, Screen};

/// Time for the physics of a picture.
const BUDGET: Duration = Duration::from_millis(14);

/// Time after which the files of the model are checked again.
const CHECK_FILES: Duration = Duration::from_millis(500);

/// Time between frames that nobody sees.
const HIDDEN: Duration = Duration::from_millis(50);

/// Samples of a pixel of the picture, on a GPU.
const SAMPLES: u32 = 4;

/// Makes the simulation, on the device of the window.
pub(crate) type Start<'a> = dyn FnMut(&Gpu) -> Result<App> + 'a;

/// Opens a window, and returns when it is closed.
///
/// # Errors
/// [`Error::Device`] without a display or an adapter; what `start` fails with.
pub(crate) fn open(title: &str, size: [u32; 2], start: &mut Start<'_>) -> Result<App> {
    let events = EventLoop::new().map_err(|e| no_display(&e))?;
    let mut handler = Handler { title, size, start, live: None, failed: None };
    events.run_app(&mut handler).map_err(|e| no_display(&e))?;
    match (handler.failed, handler.live) {
        (Some(error), _) => Err(error),
        (None, Some(live)) => Ok(live.app),
        (None, None) => Err(Error::device("the window was never shown")),
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
    Error::device(format!("{text} ({why}); {hint}"))
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
    checked: Instant,
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
        let renderer = Renderer::new(screen.gpu(), app.session.shared_model())?;
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
            checked: now,
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
                    let wait = if shown == Presented::Yes { Duration::ZERO } else { HIDDEN };
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
    fn frame(&mut self) -> Result<Presented> {
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
                Presented::Yes
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
        if self.checked.elapsed() > CHECK_FILES {
            self.checked = Instant::now();
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
        if self.app.many.layout != Arrangement::One || self.app.session.worlds() > 1 {
            let App { many, session, .. } = &mut self.app;
            many.read(session);
        }
    }

    /// What could not be drawn is named in the window, which goes on unless the device is lost.
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
            self.renderer = Renderer::new(self.screen.gpu(), self.app.session.shared_model())?;
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
