# Made by stubs.py from the tables of the schema. Do not edit.
from typing import Any, Union

from numpy import float32, float64, int32
from numpy.typing import ArrayLike, NDArray

from ._element import Element
from ._named import Name, Pattern, Selection
from ._views import View

Reals = NDArray[Union[float32, float64]]

class Opt:
    @property
    def timestep(self) -> float:
        """Time step. Shape: []. Unit: s."""
    @property
    def impratio(self) -> float:
        """Ratio of friction to normal contact impedance. Shape: []. Unit: 1."""
    @property
    def tolerance(self) -> float:
        """Solver termination tolerance, for scaled improvement and gradient. Shape: []. Unit: 1."""
    @property
    def ls_tolerance(self) -> float:
        """Line-search termination tolerance, relative to `opt_tolerance`. Shape: []. Unit: 1."""
    @property
    def noslip_tolerance(self) -> float:
        """Termination tolerance of the noslip solver. Shape: []. Unit: 1."""
    @property
    def ccd_tolerance(self) -> float:
        """Termination tolerance of convex collision detection. Shape: []. Unit: 1."""
    @property
    def sleep_tolerance(self) -> float:
        """Velocity tolerance of sleeping. Shape: []. Unit: m/s."""
    @property
    def smooth(self) -> NDArray[float64]:
        """Solver Smooth: share of the stopping impulse, above 0 and below 1; impulse that rounds the onset of contacts and limits, in N s, above 0. Shape: [2]. Unit: mixed."""
    @property
    def gravity(self) -> NDArray[float64]:
        """Gravitational acceleration. Shape: [3]. Unit: m/s^2."""
    @property
    def wind(self) -> NDArray[float64]:
        """Velocity of the medium. Shape: [3]. Unit: m/s."""
    @property
    def magnetic(self) -> NDArray[float64]:
        """Magnetic flux. Shape: [3]. Unit: mixed."""
    @property
    def density(self) -> float:
        """Density of the medium. Shape: []. Unit: kg/m^3."""
    @property
    def viscosity(self) -> float:
        """Viscosity of the medium. Shape: []. Unit: Pa s."""
    @property
    def o_margin(self) -> float:
        """Contact margin under the override flag. Shape: []. Unit: m."""
    @property
    def o_solref(self) -> NDArray[float64]:
        """Contact solref under the override flag. Shape: [2]. Unit: mixed."""
    @property
    def o_solimp(self) -> NDArray[float64]:
        """Contact solimp under the override flag. Shape: [5]. Unit: mixed."""
    @property
    def o_friction(self) -> NDArray[float64]:
        """Contact friction under the override flag. Shape: [5]. Unit: mixed."""
    @property
    def integrator(self) -> int:
        """0 Euler, 1 RK4, 2 implicit, 3 implicitfast, 4 discrete. Shape: []. Unit: enum."""
    @property
    def cone(self) -> int:
        """Friction cone: 0 pyramidal, 1 elliptic. Shape: []. Unit: enum."""
    @property
    def jacobian(self) -> int:
        """Constraint Jacobian: 0 dense, 1 sparse, 2 auto. Shape: []. Unit: enum."""
    @property
    def solver(self) -> int:
        """0 PGS, 1 CG, 2 Newton, 3 Smooth: the simplified contact model, which MuJoCo does not have. Shape: []. Unit: enum."""
    @property
    def iterations(self) -> int:
        """Maximum solver iterations. Shape: []. Unit: 1."""
    @property
    def ls_iterations(self) -> int:
        """Maximum line-search iterations. Shape: []. Unit: 1."""
    @property
    def noslip_iterations(self) -> int:
        """Maximum noslip iterations. Shape: []. Unit: 1."""
    @property
    def ccd_iterations(self) -> int:
        """Maximum iterations of convex collision detection. Shape: []. Unit: 1."""
    @property
    def disableflags(self) -> int:
        """Disabled standard features. Shape: []. Unit: bits."""
    @property
    def enableflags(self) -> int:
        """Enabled optional features. Shape: []. Unit: bits."""
    @property
    def disableactuator(self) -> int:
        """Disabled actuator groups. Shape: []. Unit: bits."""
    @property
    def sdf_initpoints(self) -> int:
        """Starting points of signed-distance collision. Shape: []. Unit: 1."""
    @property
    def sdf_iterations(self) -> int:
        """Iterations of signed-distance collision. Shape: []. Unit: 1."""

class Stat:
    @property
    def meaninertia(self) -> float:
        """Mean diagonal of the inertia matrix at qpos0. Shape: []. Unit: mixed."""
    @property
    def meanmass(self) -> float:
        """Mean body mass. Shape: []. Unit: kg."""
    @property
    def meansize(self) -> float:
        """Mean body size. Shape: []. Unit: m."""
    @property
    def extent(self) -> float:
        """Extent of the model. Shape: []. Unit: m."""
    @property
    def center(self) -> NDArray[float64]:
        """Centre of the model. Shape: [3]. Unit: m."""
    @property
    def given(self) -> int:
        """Statistics that the file gives: 1 meaninertia, 2 meanmass, 4 meansize, 8 extent, 16 center. Shape: []. Unit: bits."""

class Vis:
    @property
    def global_cameraid(self) -> int:
        """Initial camera; -1 for a free one. Shape: []. Unit: id."""
    @property
    def global_orthographic(self) -> int:
        """1 if the free camera is orthographic. Shape: []. Unit: flag."""
    @property
    def global_fovy(self) -> float:
        """Field of view of the free camera. Shape: []. Unit: deg or m."""
    @property
    def global_ipd(self) -> float:
        """Interpupillary distance of the free camera. Shape: []. Unit: m."""
    @property
    def global_azimuth(self) -> float:
        """Initial azimuth of the free camera. Shape: []. Unit: deg."""
    @property
    def global_elevation(self) -> float:
        """Initial elevation of the free camera. Shape: []. Unit: deg."""
    @property
    def global_linewidth(self) -> float:
        """Line width. Shape: []. Unit: 1."""
    @property
    def global_glow(self) -> float:
        """Glow of the selected body. Shape: []. Unit: 1."""
    @property
    def global_realtime(self) -> float:
        """Initial real-time factor. Shape: []. Unit: 1."""
    @property
    def global_offwidth(self) -> int:
        """Width of offscreen images in pixels. Shape: []. Unit: 1."""
    @property
    def global_offheight(self) -> int:
        """Height of offscreen images in pixels. Shape: []. Unit: 1."""
    @property
    def global_ellipsoidinertia(self) -> int:
        """1 if inertias are drawn as ellipsoids instead of boxes. Shape: []. Unit: flag."""
    @property
    def global_bvactive(self) -> int:
        """1 if active bounding volumes are drawn. Shape: []. Unit: flag."""
    @property
    def quality_shadowsize(self) -> int:
        """Side of the shadow map in pixels. Shape: []. Unit: 1."""
    @property
    def quality_offsamples(self) -> int:
        """Samples per pixel of offscreen images. Shape: []. Unit: 1."""
    @property
    def quality_numslices(self) -> int:
        """Slices of round shapes. Shape: []. Unit: 1."""
    @property
    def quality_numstacks(self) -> int:
        """Stacks of round shapes. Shape: []. Unit: 1."""
    @property
    def quality_numquads(self) -> int:
        """Rectangles along box edges. Shape: []. Unit: 1."""
    @property
    def headlight_ambient(self) -> NDArray[float64]:
        """Ambient colour of the headlight. Shape: [3]. Unit: 1."""
    @property
    def headlight_diffuse(self) -> NDArray[float64]:
        """Diffuse colour of the headlight. Shape: [3]. Unit: 1."""
    @property
    def headlight_specular(self) -> NDArray[float64]:
        """Specular colour of the headlight. Shape: [3]. Unit: 1."""
    @property
    def headlight_active(self) -> int:
        """1 if the headlight is on. Shape: []. Unit: flag."""
    @property
    def map_stiffness(self) -> float:
        """Stiffness of mouse perturbation. Shape: []. Unit: N/m."""
    @property
    def map_stiffnessrot(self) -> float:
        """Rotational stiffness of mouse perturbation. Shape: []. Unit: N m/rad."""
    @property
    def map_force(self) -> float:
        """Length per unit force. Shape: []. Unit: m/N."""
    @property
    def map_torque(self) -> float:
        """Length per unit torque. Shape: []. Unit: m/(N m)."""
    @property
    def map_alpha(self) -> float:
        """Scale of alpha of transparent geoms. Shape: []. Unit: 1."""
    @property
    def map_fogstart(self) -> float:
        """Distance at which fog starts, in extents of the model. Shape: []. Unit: 1."""
    @property
    def map_fogend(self) -> float:
        """Distance at which fog is full, in extents of the model. Shape: []. Unit: 1."""
    @property
    def map_znear(self) -> float:
        """Near plane, in extents of the model. Shape: []. Unit: 1."""
    @property
    def map_zfar(self) -> float:
        """Far plane, in extents of the model. Shape: []. Unit: 1."""
    @property
    def map_haze(self) -> float:
        """Haze ratio of the skybox. Shape: []. Unit: 1."""
    @property
    def map_shadowclip(self) -> float:
        """Shadow range of directional lights, in extents of the model. Shape: []. Unit: 1."""
    @property
    def map_shadowscale(self) -> float:
        """Shadow angle of spotlights, relative to the cutoff. Shape: []. Unit: 1."""
    @property
    def map_actuatortendon(self) -> float:
        """Width of actuated tendons relative to others. Shape: []. Unit: 1."""
    @property
    def scale_forcewidth(self) -> float:
        """Width of force arrows, relative to the mean body size. Shape: []. Unit: 1."""
    @property
    def scale_contactwidth(self) -> float:
        """Contact width, relative to the mean body size. Shape: []. Unit: 1."""
    @property
    def scale_contactheight(self) -> float:
        """Contact height, relative to the mean body size. Shape: []. Unit: 1."""
    @property
    def scale_connect(self) -> float:
        """Width of connecting capsules, relative to the mean body size. Shape: []. Unit: 1."""
    @property
    def scale_com(self) -> float:
        """Radius of centres of mass, relative to the mean body size. Shape: []. Unit: 1."""
    @property
    def scale_camera(self) -> float:
        """Camera size, relative to the mean body size. Shape: []. Unit: 1."""
    @property
    def scale_light(self) -> float:
        """Light size, relative to the mean body size. Shape: []. Unit: 1."""
    @property
    def scale_selectpoint(self) -> float:
        """Radius of the selection point, relative to the mean body size. Shape: []. Unit: 1."""
    @property
    def scale_jointlength(self) -> float:
        """Joint length, relative to the mean body size. Shape: []. Unit: 1."""
    @property
    def scale_jointwidth(self) -> float:
        """Joint width, relative to the mean body size. Shape: []. Unit: 1."""
    @property
    def scale_actuatorlength(self) -> float:
        """Actuator length, relative to the mean body size. Shape: []. Unit: 1."""
    @property
    def scale_actuatorwidth(self) -> float:
        """Actuator width, relative to the mean body size. Shape: []. Unit: 1."""
    @property
    def scale_framelength(self) -> float:
        """Axis length of frames, relative to the mean body size. Shape: []. Unit: 1."""
    @property
    def scale_framewidth(self) -> float:
        """Axis width of frames, relative to the mean body size. Shape: []. Unit: 1."""
    @property
    def scale_constraint(self) -> float:
        """Width of constraint violations, relative to the mean body size. Shape: []. Unit: 1."""
    @property
    def scale_slidercrank(self) -> float:
        """Width of slider-cranks, relative to the mean body size. Shape: []. Unit: 1."""
    @property
    def scale_frustum(self) -> float:
        """Far plane of camera frusta, relative to the mean body size. Shape: []. Unit: 1."""
    @property
    def rgba_fog(self) -> NDArray[float64]:
        """Colour of fog. Shape: [4]. Unit: 1."""
    @property
    def rgba_haze(self) -> NDArray[float64]:
        """Colour of haze. Shape: [4]. Unit: 1."""
    @property
    def rgba_force(self) -> NDArray[float64]:
        """Colour of external forces. Shape: [4]. Unit: 1."""
    @property
    def rgba_inertia(self) -> NDArray[float64]:
        """Colour of inertias. Shape: [4]. Unit: 1."""
    @property
    def rgba_joint(self) -> NDArray[float64]:
        """Colour of joints. Shape: [4]. Unit: 1."""
    @property
    def rgba_actuator(self) -> NDArray[float64]:
        """Colour of actuators. Shape: [4]. Unit: 1."""
    @property
    def rgba_actuatornegative(self) -> NDArray[float64]:
        """Colour of actuators at the lower limit. Shape: [4]. Unit: 1."""
    @property
    def rgba_actuatorpositive(self) -> NDArray[float64]:
        """Colour of actuators at the upper limit. Shape: [4]. Unit: 1."""
    @property
    def rgba_com(self) -> NDArray[float64]:
        """Colour of centres of mass. Shape: [4]. Unit: 1."""
    @property
    def rgba_camera(self) -> NDArray[float64]:
        """Colour of cameras. Shape: [4]. Unit: 1."""
    @property
    def rgba_light(self) -> NDArray[float64]:
        """Colour of lights. Shape: [4]. Unit: 1."""
    @property
    def rgba_selectpoint(self) -> NDArray[float64]:
        """Colour of the selection point. Shape: [4]. Unit: 1."""
    @property
    def rgba_connect(self) -> NDArray[float64]:
        """Colour of connecting capsules. Shape: [4]. Unit: 1."""
    @property
    def rgba_contactpoint(self) -> NDArray[float64]:
        """Colour of contacts. Shape: [4]. Unit: 1."""
    @property
    def rgba_contactforce(self) -> NDArray[float64]:
        """Colour of contact forces. Shape: [4]. Unit: 1."""
    @property
    def rgba_contactfriction(self) -> NDArray[float64]:
        """Colour of friction forces. Shape: [4]. Unit: 1."""
    @property
    def rgba_contacttorque(self) -> NDArray[float64]:
        """Colour of contact torques. Shape: [4]. Unit: 1."""
    @property
    def rgba_contactgap(self) -> NDArray[float64]:
        """Colour of contacts in the gap. Shape: [4]. Unit: 1."""
    @property
    def rgba_rangefinder(self) -> NDArray[float64]:
        """Colour of rangefinder rays. Shape: [4]. Unit: 1."""
    @property
    def rgba_constraint(self) -> NDArray[float64]:
        """Colour of constraint violations. Shape: [4]. Unit: 1."""
    @property
    def rgba_slidercrank(self) -> NDArray[float64]:
        """Colour of slider-cranks. Shape: [4]. Unit: 1."""
    @property
    def rgba_crankbroken(self) -> NDArray[float64]:
        """Colour of slider-cranks with an unreachable target. Shape: [4]. Unit: 1."""
    @property
    def rgba_frustum(self) -> NDArray[float64]:
        """Colour of frusta. Shape: [4]. Unit: 1."""
    @property
    def rgba_bv(self) -> NDArray[float64]:
        """Colour of bounding volumes. Shape: [4]. Unit: 1."""
    @property
    def rgba_bvactive(self) -> NDArray[float64]:
        """Colour of active bounding volumes. Shape: [4]. Unit: 1."""

class ModelFields:
    @property
    def opt(self) -> Opt:
        """Fields `opt_…`."""
    @property
    def stat(self) -> Stat:
        """Fields `stat_…`."""
    @property
    def vis(self) -> Vis:
        """Fields `vis_…`."""
    @property
    def nq(self) -> int:
        """Number of position coordinates."""
    @property
    def nv(self) -> int:
        """Number of degrees of freedom."""
    @property
    def nu(self) -> int:
        """Number of control inputs."""
    @property
    def nactuator(self) -> int:
        """Number of actuators."""
    @property
    def nout(self) -> int:
        """Number of actuator force outputs."""
    @property
    def na(self) -> int:
        """Number of activation states."""
    @property
    def nbody(self) -> int:
        """Number of bodies, world included."""
    @property
    def njnt(self) -> int:
        """Number of joints."""
    @property
    def ngeom(self) -> int:
        """Number of geoms."""
    @property
    def nsite(self) -> int:
        """Number of sites."""
    @property
    def ncam(self) -> int:
        """Number of cameras."""
    @property
    def nlight(self) -> int:
        """Number of lights."""
    @property
    def nflex(self) -> int:
        """Number of flexes."""
    @property
    def nflexvert(self) -> int:
        """Number of vertices of all flexes."""
    @property
    def nflexnode(self) -> int:
        """Number of nodes of all flexes."""
    @property
    def nflexedge(self) -> int:
        """Number of edges of all flexes."""
    @property
    def nflexelem(self) -> int:
        """Number of elements of all flexes."""
    @property
    def nflexelemdata(self) -> int:
        """Number of corners of all flex elements."""
    @property
    def nflexelemedge(self) -> int:
        """Number of edges of all flex elements."""
    @property
    def nflexshelldata(self) -> int:
        """Number of corners of all boundary faces of flexes."""
    @property
    def nflextexcoord(self) -> int:
        """Number of texture coordinates of all flexes."""
    @property
    def nflexstiffness(self) -> int:
        """Number of stiffness entries of all flexes."""
    @property
    def nflexbending(self) -> int:
        """Number of bending entries of all flexes."""
    @property
    def nflexend(self) -> int:
        """Number of ends of the edges of all flexes."""
    @property
    def nflexhinge(self) -> int:
        """Number of vertices of the hinges of all flexes."""
    @property
    def nflexpatch(self) -> int:
        """Number of cells of solids and outer faces of shells of all flexes between nodes."""
    @property
    def nflexpatchnode(self) -> int:
        """Number of nodes of all cells and faces of flexes."""
    @property
    def nflexfold(self) -> int:
        """Number of edges about which the faces of all shells between nodes bend."""
    @property
    def nflexpair(self) -> int:
        """Number of pairs of geoms and flexes, and of flexes, that can collide."""
    @property
    def nJfe(self) -> int:
        """Number of nonzeros of the Jacobian of flex edges."""
    @property
    def nJfv(self) -> int:
        """Number of nonzeros of the Jacobian of flex vertices, whose two rows have the same columns."""
    @property
    def ntendon(self) -> int:
        """Number of tendons."""
    @property
    def nwrap(self) -> int:
        """Number of path elements of all tendons."""
    @property
    def nJten(self) -> int:
        """Number of nonzeros of the tendon Jacobian."""
    @property
    def neq(self) -> int:
        """Number of equality constraints."""
    @property
    def nskin(self) -> int:
        """Number of skins."""
    @property
    def nskinvert(self) -> int:
        """Number of vertices of all skins."""
    @property
    def nskintexvert(self) -> int:
        """Number of texture coordinates of all skins."""
    @property
    def nskinface(self) -> int:
        """Number of faces of all skins."""
    @property
    def nskinbone(self) -> int:
        """Number of bones of all skins."""
    @property
    def nskinbonevert(self) -> int:
        """Number of vertices of all bones."""
    @property
    def ntex(self) -> int:
        """Number of textures."""
    @property
    def nmat(self) -> int:
        """Number of materials."""
    @property
    def npair(self) -> int:
        """Number of explicit contact pairs."""
    @property
    def nexclude(self) -> int:
        """Number of excluded body pairs."""
    @property
    def nsensor(self) -> int:
        """Number of sensors."""
    @property
    def nsensordata(self) -> int:
        """Number of sensor outputs."""
    @property
    def nuser_sensor(self) -> int:
        """Number of user data of a sensor."""
    @property
    def nhistory(self) -> int:
        """Number of numbers in the history buffers of actuators and sensors."""
    @property
    def nmocap(self) -> int:
        """Number of mocap bodies."""
    @property
    def nkey(self) -> int:
        """Number of keyframes."""
    @property
    def nmesh(self) -> int:
        """Number of meshes."""
    @property
    def nmeshvert(self) -> int:
        """Number of vertices of all meshes."""
    @property
    def nmeshnormal(self) -> int:
        """Number of normals of all meshes."""
    @property
    def nmeshtexcoord(self) -> int:
        """Number of texture coordinates of all meshes."""
    @property
    def nmeshface(self) -> int:
        """Number of triangles of all meshes."""
    @property
    def nmeshgraph(self) -> int:
        """Number of numbers of all convex hulls."""
    @property
    def nmeshsupport(self) -> int:
        """Number of numbers of all support vertices by direction."""
    @property
    def nmeshpoly(self) -> int:
        """Number of polygons of all meshes."""
    @property
    def nmeshpolyvert(self) -> int:
        """Number of vertices of all polygons."""
    @property
    def nmeshpolymap(self) -> int:
        """Number of polygon incidences of all vertices."""
    @property
    def nmeshbvh(self) -> int:
        """Number of nodes of the bounding volume hierarchies of all meshes."""
    @property
    def noct(self) -> int:
        """Number of cells of the octrees of all meshes."""
    @property
    def nhfield(self) -> int:
        """Number of height fields."""
    @property
    def nhfielddata(self) -> int:
        """Number of points of all height fields."""
    @property
    def nnumeric(self) -> int:
        """Number of custom numerics."""
    @property
    def nnumericdata(self) -> int:
        """Number of numbers of all custom numerics."""
    @property
    def ntext(self) -> int:
        """Number of custom texts."""
    @property
    def ntextdata(self) -> int:
        """Number of bytes of all custom texts."""
    @property
    def ntuple(self) -> int:
        """Number of custom tuples."""
    @property
    def ntupledata(self) -> int:
        """Number of objects of all custom tuples."""
    @property
    def ntree(self) -> int:
        """Number of kinematic trees."""
    @property
    def nC(self) -> int:
        """Number of nonzeros in the lower triangle of the inertia matrix."""
    @property
    def nF(self) -> int:
        """Number of nonzeros in both triangles of the inertia matrix."""
    @property
    def nD(self) -> int:
        """Number of nonzeros of velocity derivatives: both triangles, dense blocks per tree."""
    @property
    def nH(self) -> int:
        """Number of entries in the lower triangle of a dense matrix over the degrees of freedom."""
    @property
    def nJmom(self) -> int:
        """Number of nonzeros of the actuator moments."""
    @property
    def nlevel(self) -> int:
        """Number of levels of the body tree, world included."""
    @property
    def ncandidate(self) -> int:
        """Number of geom pairs that can collide; in a model of very many, those that are tested without a sweep."""
    @property
    def nbodypair(self) -> int:
        """Number of body pairs: runs of candidates between the same two bodies, and the groups between such runs."""
    @property
    def nsap(self) -> int:
        """Number of geoms that the CPU sweeps for near pairs; none if there are few candidates."""
    @property
    def nsaprest(self) -> int:
        """Number of candidates that are tested without a sweep."""
    @property
    def nplugin(self) -> int:
        """Number of plugin instances."""
    @property
    def npluginattr(self) -> int:
        """Number of bytes of the configurations of all plugin instances."""
    @property
    def ncable(self) -> int:
        """Number of pieces of elastic cables, each between two bodies."""
    @property
    def nconmax(self) -> int:
        """Number of contacts that a world has capacity for."""
    @property
    def njmax(self) -> int:
        """Number of constraint rows that a world has capacity for."""
    @property
    def ntile(self) -> int:
        """Number of tiles of 4 x 4 in the lower triangle of the Hessian, each tree in rows of its own; kernels only."""
    @property
    def nvrow(self) -> int:
        """Number of elements that kernels keep of a row of the Jacobian; none if whole rows."""
    @property
    def nexact(self) -> int:
        """Number of lanes that find exact diagonals of constraint rows; kernels only, none without flag diagexact."""
    @property
    def ndual(self) -> int:
        """Number of constraint rows with stored products with the inverse inertia: all or none."""
    @property
    def nadhesive(self) -> int:
        """Number of contacts with adhesion: all or none."""
    @property
    def nflexcon(self) -> int:
        """Number of contacts that may be those of flexes: all or none."""
    @property
    def npassive(self) -> int:
        """Number of bodies that passive contacts may move; kernels only, none without such contacts."""
    @property
    def nasleep(self) -> int:
        """Number of trees if sleeping is enabled, else none."""
    @property
    def nasleepq(self) -> int:
        """Number of position coordinates if sleeping is enabled, else none."""
    @property
    def ntask(self) -> int:
        """Number of tasks: one or none."""
    @property
    def naction(self) -> int:
        """Number of numbers of an action."""
    @property
    def nobservation(self) -> int:
        """Number of numbers of an observation."""
    @property
    def ntaskvariable(self) -> int:
        """Number of numbers that the task remembers."""
    @property
    def ntaskterm(self) -> int:
        """Number of terms of the reward, and metrics."""
    @property
    def ntasktable(self) -> int:
        """Number of numbers that the task looks up by a computed row."""
    @property
    def ntaskwork(self) -> int:
        """Number of values of all expressions of the task."""
    @property
    def nformula(self) -> int:
        """Number of values of all expressions of formulas."""
    @property
    def nlawforce(self) -> int:
        """Number of numbers of the forces of laws."""
    @property
    def nlawactuator(self) -> int:
        """Number of actuators, if the model has laws, else none."""
    @property
    def nlawact(self) -> int:
        """Number of activations and states, if the model has laws, else none."""
    @property
    def opt_timestep(self) -> float:
        """Time step. Shape: []. Unit: s."""
    @property
    def opt_impratio(self) -> float:
        """Ratio of friction to normal contact impedance. Shape: []. Unit: 1."""
    @property
    def opt_tolerance(self) -> float:
        """Solver termination tolerance, for scaled improvement and gradient. Shape: []. Unit: 1."""
    @property
    def opt_ls_tolerance(self) -> float:
        """Line-search termination tolerance, relative to `opt_tolerance`. Shape: []. Unit: 1."""
    @property
    def opt_noslip_tolerance(self) -> float:
        """Termination tolerance of the noslip solver. Shape: []. Unit: 1."""
    @property
    def opt_ccd_tolerance(self) -> float:
        """Termination tolerance of convex collision detection. Shape: []. Unit: 1."""
    @property
    def opt_sleep_tolerance(self) -> float:
        """Velocity tolerance of sleeping. Shape: []. Unit: m/s."""
    @property
    def opt_smooth(self) -> NDArray[float64]:
        """Solver Smooth: share of the stopping impulse, above 0 and below 1; impulse that rounds the onset of contacts and limits, in N s, above 0. Shape: [2]. Unit: mixed."""
    @property
    def opt_gravity(self) -> NDArray[float64]:
        """Gravitational acceleration. Shape: [3]. Unit: m/s^2."""
    @property
    def opt_wind(self) -> NDArray[float64]:
        """Velocity of the medium. Shape: [3]. Unit: m/s."""
    @property
    def opt_magnetic(self) -> NDArray[float64]:
        """Magnetic flux. Shape: [3]. Unit: mixed."""
    @property
    def opt_density(self) -> float:
        """Density of the medium. Shape: []. Unit: kg/m^3."""
    @property
    def opt_viscosity(self) -> float:
        """Viscosity of the medium. Shape: []. Unit: Pa s."""
    @property
    def opt_o_margin(self) -> float:
        """Contact margin under the override flag. Shape: []. Unit: m."""
    @property
    def opt_o_solref(self) -> NDArray[float64]:
        """Contact solref under the override flag. Shape: [2]. Unit: mixed."""
    @property
    def opt_o_solimp(self) -> NDArray[float64]:
        """Contact solimp under the override flag. Shape: [5]. Unit: mixed."""
    @property
    def opt_o_friction(self) -> NDArray[float64]:
        """Contact friction under the override flag. Shape: [5]. Unit: mixed."""
    @property
    def opt_integrator(self) -> int:
        """0 Euler, 1 RK4, 2 implicit, 3 implicitfast, 4 discrete. Shape: []. Unit: enum."""
    @property
    def opt_cone(self) -> int:
        """Friction cone: 0 pyramidal, 1 elliptic. Shape: []. Unit: enum."""
    @property
    def opt_jacobian(self) -> int:
        """Constraint Jacobian: 0 dense, 1 sparse, 2 auto. Shape: []. Unit: enum."""
    @property
    def opt_solver(self) -> int:
        """0 PGS, 1 CG, 2 Newton, 3 Smooth: the simplified contact model, which MuJoCo does not have. Shape: []. Unit: enum."""
    @property
    def opt_iterations(self) -> int:
        """Maximum solver iterations. Shape: []. Unit: 1."""
    @property
    def opt_ls_iterations(self) -> int:
        """Maximum line-search iterations. Shape: []. Unit: 1."""
    @property
    def opt_noslip_iterations(self) -> int:
        """Maximum noslip iterations. Shape: []. Unit: 1."""
    @property
    def opt_ccd_iterations(self) -> int:
        """Maximum iterations of convex collision detection. Shape: []. Unit: 1."""
    @property
    def opt_disableflags(self) -> int:
        """Disabled standard features. Shape: []. Unit: bits."""
    @property
    def opt_enableflags(self) -> int:
        """Enabled optional features. Shape: []. Unit: bits."""
    @property
    def opt_disableactuator(self) -> int:
        """Disabled actuator groups. Shape: []. Unit: bits."""
    @property
    def opt_sdf_initpoints(self) -> int:
        """Starting points of signed-distance collision. Shape: []. Unit: 1."""
    @property
    def opt_sdf_iterations(self) -> int:
        """Iterations of signed-distance collision. Shape: []. Unit: 1."""
    @property
    def stat_meaninertia(self) -> float:
        """Mean diagonal of the inertia matrix at qpos0. Shape: []. Unit: mixed."""
    @property
    def stat_meanmass(self) -> float:
        """Mean body mass. Shape: []. Unit: kg."""
    @property
    def stat_meansize(self) -> float:
        """Mean body size. Shape: []. Unit: m."""
    @property
    def stat_extent(self) -> float:
        """Extent of the model. Shape: []. Unit: m."""
    @property
    def stat_center(self) -> NDArray[float64]:
        """Centre of the model. Shape: [3]. Unit: m."""
    @property
    def stat_given(self) -> int:
        """Statistics that the file gives: 1 meaninertia, 2 meanmass, 4 meansize, 8 extent, 16 center. Shape: []. Unit: bits."""
    @property
    def vis_global_cameraid(self) -> int:
        """Initial camera; -1 for a free one. Shape: []. Unit: id."""
    @property
    def vis_global_orthographic(self) -> int:
        """1 if the free camera is orthographic. Shape: []. Unit: flag."""
    @property
    def vis_global_fovy(self) -> float:
        """Field of view of the free camera. Shape: []. Unit: deg or m."""
    @property
    def vis_global_ipd(self) -> float:
        """Interpupillary distance of the free camera. Shape: []. Unit: m."""
    @property
    def vis_global_azimuth(self) -> float:
        """Initial azimuth of the free camera. Shape: []. Unit: deg."""
    @property
    def vis_global_elevation(self) -> float:
        """Initial elevation of the free camera. Shape: []. Unit: deg."""
    @property
    def vis_global_linewidth(self) -> float:
        """Line width. Shape: []. Unit: 1."""
    @property
    def vis_global_glow(self) -> float:
        """Glow of the selected body. Shape: []. Unit: 1."""
    @property
    def vis_global_realtime(self) -> float:
        """Initial real-time factor. Shape: []. Unit: 1."""
    @property
    def vis_global_offwidth(self) -> int:
        """Width of offscreen images in pixels. Shape: []. Unit: 1."""
    @property
    def vis_global_offheight(self) -> int:
        """Height of offscreen images in pixels. Shape: []. Unit: 1."""
    @property
    def vis_global_ellipsoidinertia(self) -> int:
        """1 if inertias are drawn as ellipsoids instead of boxes. Shape: []. Unit: flag."""
    @property
    def vis_global_bvactive(self) -> int:
        """1 if active bounding volumes are drawn. Shape: []. Unit: flag."""
    @property
    def vis_quality_shadowsize(self) -> int:
        """Side of the shadow map in pixels. Shape: []. Unit: 1."""
    @property
    def vis_quality_offsamples(self) -> int:
        """Samples per pixel of offscreen images. Shape: []. Unit: 1."""
    @property
    def vis_quality_numslices(self) -> int:
        """Slices of round shapes. Shape: []. Unit: 1."""
    @property
    def vis_quality_numstacks(self) -> int:
        """Stacks of round shapes. Shape: []. Unit: 1."""
    @property
    def vis_quality_numquads(self) -> int:
        """Rectangles along box edges. Shape: []. Unit: 1."""
    @property
    def vis_headlight_ambient(self) -> NDArray[float64]:
        """Ambient colour of the headlight. Shape: [3]. Unit: 1."""
    @property
    def vis_headlight_diffuse(self) -> NDArray[float64]:
        """Diffuse colour of the headlight. Shape: [3]. Unit: 1."""
    @property
    def vis_headlight_specular(self) -> NDArray[float64]:
        """Specular colour of the headlight. Shape: [3]. Unit: 1."""
    @property
    def vis_headlight_active(self) -> int:
        """1 if the headlight is on. Shape: []. Unit: flag."""
    @property
    def vis_map_stiffness(self) -> float:
        """Stiffness of mouse perturbation. Shape: []. Unit: N/m."""
    @property
    def vis_map_stiffnessrot(self) -> float:
        """Rotational stiffness of mouse perturbation. Shape: []. Unit: N m/rad."""
    @property
    def vis_map_force(self) -> float:
        """Length per unit force. Shape: []. Unit: m/N."""
    @property
    def vis_map_torque(self) -> float:
        """Length per unit torque. Shape: []. Unit: m/(N m)."""
    @property
    def vis_map_alpha(self) -> float:
        """Scale of alpha of transparent geoms. Shape: []. Unit: 1."""
    @property
    def vis_map_fogstart(self) -> float:
        """Distance at which fog starts, in extents of the model. Shape: []. Unit: 1."""
    @property
    def vis_map_fogend(self) -> float:
        """Distance at which fog is full, in extents of the model. Shape: []. Unit: 1."""
    @property
    def vis_map_znear(self) -> float:
        """Near plane, in extents of the model. Shape: []. Unit: 1."""
    @property
    def vis_map_zfar(self) -> float:
        """Far plane, in extents of the model. Shape: []. Unit: 1."""
    @property
    def vis_map_haze(self) -> float:
        """Haze ratio of the skybox. Shape: []. Unit: 1."""
    @property
    def vis_map_shadowclip(self) -> float:
        """Shadow range of directional lights, in extents of the model. Shape: []. Unit: 1."""
    @property
    def vis_map_shadowscale(self) -> float:
        """Shadow angle of spotlights, relative to the cutoff. Shape: []. Unit: 1."""
    @property
    def vis_map_actuatortendon(self) -> float:
        """Width of actuated tendons relative to others. Shape: []. Unit: 1."""
    @property
    def vis_scale_forcewidth(self) -> float:
        """Width of force arrows, relative to the mean body size. Shape: []. Unit: 1."""
    @property
    def vis_scale_contactwidth(self) -> float:
        """Contact width, relative to the mean body size. Shape: []. Unit: 1."""
    @property
    def vis_scale_contactheight(self) -> float:
        """Contact height, relative to the mean body size. Shape: []. Unit: 1."""
    @property
    def vis_scale_connect(self) -> float:
        """Width of connecting capsules, relative to the mean body size. Shape: []. Unit: 1."""
    @property
    def vis_scale_com(self) -> float:
        """Radius of centres of mass, relative to the mean body size. Shape: []. Unit: 1."""
    @property
    def vis_scale_camera(self) -> float:
        """Camera size, relative to the mean body size. Shape: []. Unit: 1."""
    @property
    def vis_scale_light(self) -> float:
        """Light size, relative to the mean body size. Shape: []. Unit: 1."""
    @property
    def vis_scale_selectpoint(self) -> float:
        """Radius of the selection point, relative to the mean body size. Shape: []. Unit: 1."""
    @property
    def vis_scale_jointlength(self) -> float:
        """Joint length, relative to the mean body size. Shape: []. Unit: 1."""
    @property
    def vis_scale_jointwidth(self) -> float:
        """Joint width, relative to the mean body size. Shape: []. Unit: 1."""
    @property
    def vis_scale_actuatorlength(self) -> float:
        """Actuator length, relative to the mean body size. Shape: []. Unit: 1."""
    @property
    def vis_scale_actuatorwidth(self) -> float:
        """Actuator width, relative to the mean body size. Shape: []. Unit: 1."""
    @property
    def vis_scale_framelength(self) -> float:
        """Axis length of frames, relative to the mean body size. Shape: []. Unit: 1."""
    @property
    def vis_scale_framewidth(self) -> float:
        """Axis width of frames, relative to the mean body size. Shape: []. Unit: 1."""
    @property
    def vis_scale_constraint(self) -> float:
        """Width of constraint violations, relative to the mean body size. Shape: []. Unit: 1."""
    @property
    def vis_scale_slidercrank(self) -> float:
        """Width of slider-cranks, relative to the mean body size. Shape: []. Unit: 1."""
    @property
    def vis_scale_frustum(self) -> float:
        """Far plane of camera frusta, relative to the mean body size. Shape: []. Unit: 1."""
    @property
    def vis_rgba_fog(self) -> NDArray[float64]:
        """Colour of fog. Shape: [4]. Unit: 1."""
    @property
    def vis_rgba_haze(self) -> NDArray[float64]:
        """Colour of haze. Shape: [4]. Unit: 1."""
    @property
    def vis_rgba_force(self) -> NDArray[float64]:
        """Colour of external forces. Shape: [4]. Unit: 1."""
    @property
    def vis_rgba_inertia(self) -> NDArray[float64]:
        """Colour of inertias. Shape: [4]. Unit: 1."""
    @property
    def vis_rgba_joint(self) -> NDArray[float64]:
        """Colour of joints. Shape: [4]. Unit: 1."""
    @property
    def vis_rgba_actuator(self) -> NDArray[float64]:
        """Colour of actuators. Shape: [4]. Unit: 1."""
    @property
    def vis_rgba_actuatornegative(self) -> NDArray[float64]:
        """Colour of actuators at the lower limit. Shape: [4]. Unit: 1."""
    @property
    def vis_rgba_actuatorpositive(self) -> NDArray[float64]:
        """Colour of actuators at the upper limit. Shape: [4]. Unit: 1."""
    @property
    def vis_rgba_com(self) -> NDArray[float64]:
        """Colour of centres of mass. Shape: [4]. Unit: 1."""
    @property
    def vis_rgba_camera(self) -> NDArray[float64]:
        """Colour of cameras. Shape: [4]. Unit: 1."""
    @property
    def vis_rgba_light(self) -> NDArray[float64]:
        """Colour of lights. Shape: [4]. Unit: 1."""
    @property
    def vis_rgba_selectpoint(self) -> NDArray[float64]:
        """Colour of the selection point. Shape: [4]. Unit: 1."""
    @property
    def vis_rgba_connect(self) -> NDArray[float64]:
        """Colour of connecting capsules. Shape: [4]. Unit: 1."""
    @property
    def vis_rgba_contactpoint(self) -> NDArray[float64]:
        """Colour of contacts. Shape: [4]. Unit: 1."""
    @property
    def vis_rgba_contactforce(self) -> NDArray[float64]:
        """Colour of contact forces. Shape: [4]. Unit: 1."""
    @property
    def vis_rgba_contactfriction(self) -> NDArray[float64]:
        """Colour of friction forces. Shape: [4]. Unit: 1."""
    @property
    def vis_rgba_contacttorque(self) -> NDArray[float64]:
        """Colour of contact torques. Shape: [4]. Unit: 1."""
    @property
    def vis_rgba_contactgap(self) -> NDArray[float64]:
        """Colour of contacts in the gap. Shape: [4]. Unit: 1."""
    @property
    def vis_rgba_rangefinder(self) -> NDArray[float64]:
        """Colour of rangefinder rays. Shape: [4]. Unit: 1."""
    @property
    def vis_rgba_constraint(self) -> NDArray[float64]:
        """Colour of constraint violations. Shape: [4]. Unit: 1."""
    @property
    def vis_rgba_slidercrank(self) -> NDArray[float64]:
        """Colour of slider-cranks. Shape: [4]. Unit: 1."""
    @property
    def vis_rgba_crankbroken(self) -> NDArray[float64]:
        """Colour of slider-cranks with an unreachable target. Shape: [4]. Unit: 1."""
    @property
    def vis_rgba_frustum(self) -> NDArray[float64]:
        """Colour of frusta. Shape: [4]. Unit: 1."""
    @property
    def vis_rgba_bv(self) -> NDArray[float64]:
        """Colour of bounding volumes. Shape: [4]. Unit: 1."""
    @property
    def vis_rgba_bvactive(self) -> NDArray[float64]:
        """Colour of active bounding volumes. Shape: [4]. Unit: 1."""
    @property
    def qpos0(self) -> NDArray[float64]:
        """Reference configuration. Shape: [nq]. Unit: mixed."""
    @property
    def qpos_spring(self) -> NDArray[float64]:
        """Configuration at which joint springs are at rest. Shape: [nq]. Unit: mixed."""
    @property
    def body_parentid(self) -> NDArray[int32]:
        """Parent body; the world is its own parent. Shape: [nbody]. Unit: id."""
    @property
    def body_rootid(self) -> NDArray[int32]:
        """Ancestor that is a child of the world. Shape: [nbody]. Unit: id."""
    @property
    def body_weldid(self) -> NDArray[int32]:
        """Topmost ancestor to which it is welded. Shape: [nbody]. Unit: id."""
    @property
    def body_mocapid(self) -> NDArray[int32]:
        """Mocap body; -1 for none. Shape: [nbody]. Unit: id."""
    @property
    def body_jntnum(self) -> NDArray[int32]:
        """Number of joints. Shape: [nbody]. Unit: 1."""
    @property
    def body_jntadr(self) -> NDArray[int32]:
        """First joint; -1 for none. Shape: [nbody]. Unit: id."""
    @property
    def body_dofnum(self) -> NDArray[int32]:
        """Number of degrees of freedom. Shape: [nbody]. Unit: 1."""
    @property
    def body_dofadr(self) -> NDArray[int32]:
        """First degree of freedom; -1 for none. Shape: [nbody]. Unit: id."""
    @property
    def body_treeid(self) -> NDArray[int32]:
        """Kinematic tree; -1 for static bodies. Shape: [nbody]. Unit: id."""
    @property
    def body_geomnum(self) -> NDArray[int32]:
        """Number of geoms. Shape: [nbody]. Unit: 1."""
    @property
    def body_geomadr(self) -> NDArray[int32]:
        """First geom; -1 for none. Shape: [nbody]. Unit: id."""
    @property
    def body_pos(self) -> NDArray[float64]:
        """Position in the parent's frame. Shape: [nbody, 3]. Unit: m."""
    @property
    def body_quat(self) -> NDArray[float64]:
        """Orientation in the parent's frame. Shape: [nbody, 4]. Unit: 1."""
    @property
    def body_ipos(self) -> NDArray[float64]:
        """Centre of mass in the body's frame. Shape: [nbody, 3]. Unit: m."""
    @property
    def body_iquat(self) -> NDArray[float64]:
        """Principal axes of inertia in the body's frame. Shape: [nbody, 4]. Unit: 1."""
    @property
    def body_mass(self) -> NDArray[float64]:
        """Mass. Shape: [nbody]. Unit: kg."""
    @property
    def body_subtreemass(self) -> NDArray[float64]:
        """Mass of the subtree. Shape: [nbody]. Unit: kg."""
    @property
    def body_inertia(self) -> NDArray[float64]:
        """Principal moments of inertia. Shape: [nbody, 3]. Unit: kg m^2."""
    @property
    def body_invweight0(self) -> NDArray[float64]:
        """Mean inverse inertia at qpos0: translation, rotation. Shape: [nbody, 2]. Unit: mixed."""
    @property
    def body_plugin(self) -> NDArray[int32]:
        """Plugin instance; -1 for none. Shape: [nbody]. Unit: id."""
    @property
    def body_gravcomp(self) -> NDArray[float64]:
        """Gravity compensation, in units of body weight. Shape: [nbody]. Unit: 1."""
    @property
    def body_simple(self) -> NDArray[int32]:
        """1 if its block of the inertia matrix is diagonal, 2 if it also has only slide joints. Shape: [nbody]. Unit: enum."""
    @property
    def body_sameframe(self) -> NDArray[int32]:
        """Inertial frame: 1 coincides with the body frame, 3 has the same orientation. Shape: [nbody]. Unit: enum."""
    @property
    def body_margin(self) -> NDArray[float64]:
        """Largest margin plus gap of its geoms. Shape: [nbody]. Unit: m."""
    @property
    def body_contype(self) -> NDArray[int32]:
        """Union of the contact types of its geoms. Shape: [nbody]. Unit: bits."""
    @property
    def body_conaffinity(self) -> NDArray[int32]:
        """Union of the contact affinities of its geoms. Shape: [nbody]. Unit: bits."""
    @property
    def level_adr(self) -> NDArray[int32]:
        """First entry of the level in `level_body`. Shape: [nlevel]. Unit: id."""
    @property
    def level_num(self) -> NDArray[int32]:
        """Number of bodies in the level. Shape: [nlevel]. Unit: 1."""
    @property
    def level_body(self) -> NDArray[int32]:
        """Bodies ordered by level. Shape: [nbody]. Unit: id."""
    @property
    def body_childadr(self) -> NDArray[int32]:
        """First child in `child_body`. Shape: [nbody]. Unit: id."""
    @property
    def body_childnum(self) -> NDArray[int32]:
        """Number of children. Shape: [nbody]. Unit: 1."""
    @property
    def child_body(self) -> NDArray[int32]:
        """Children of every body, in decreasing id. Shape: [nbody]. Unit: id."""
    @property
    def jnt_type(self) -> NDArray[int32]:
        """0 free, 1 ball, 2 slide, 3 hinge. Shape: [njnt]. Unit: enum."""
    @property
    def jnt_qposadr(self) -> NDArray[int32]:
        """First position coordinate. Shape: [njnt]. Unit: id."""
    @property
    def jnt_dofadr(self) -> NDArray[int32]:
        """First degree of freedom. Shape: [njnt]. Unit: id."""
    @property
    def jnt_bodyid(self) -> NDArray[int32]:
        """Body of the joint. Shape: [njnt]. Unit: id."""
    @property
    def jnt_actuatorid(self) -> NDArray[int32]:
        """Actuator that adds damping or armature; -1 for none, -2 for several. Shape: [njnt]. Unit: id."""
    @property
    def jnt_group(self) -> NDArray[int32]:
        """Group for display. Shape: [njnt]. Unit: 1."""
    @property
    def jnt_limited(self) -> NDArray[int32]:
        """1 if the joint has limits. Shape: [njnt]. Unit: flag."""
    @property
    def jnt_actfrclimited(self) -> NDArray[int32]:
        """1 if the total actuator force is limited. Shape: [njnt]. Unit: flag."""
    @property
    def jnt_actgravcomp(self) -> NDArray[int32]:
        """1 if gravity compensation counts as actuator force. Shape: [njnt]. Unit: flag."""
    @property
    def jnt_solref(self) -> NDArray[float64]:
        """Solver reference of the limit constraint. Shape: [njnt, 2]. Unit: mixed."""
    @property
    def jnt_solimp(self) -> NDArray[float64]:
        """Solver impedance of the limit constraint. Shape: [njnt, 5]. Unit: mixed."""
    @property
    def jnt_pos(self) -> NDArray[float64]:
        """Anchor in the body's frame. Shape: [njnt, 3]. Unit: m."""
    @property
    def jnt_axis(self) -> NDArray[float64]:
        """Axis in the body's frame. Shape: [njnt, 3]. Unit: 1."""
    @property
    def jnt_stiffness(self) -> NDArray[float64]:
        """Linear spring stiffness. Shape: [njnt]. Unit: N/m or N m/rad."""
    @property
    def jnt_stiffnesspoly(self) -> NDArray[float64]:
        """Quadratic and cubic spring stiffness. Shape: [njnt, 2]. Unit: mixed."""
    @property
    def jnt_range(self) -> NDArray[float64]:
        """Joint limits. Shape: [njnt, 2]. Unit: m or rad."""
    @property
    def jnt_actfrcrange(self) -> NDArray[float64]:
        """Limits of the total actuator force. Shape: [njnt, 2]. Unit: N or N m."""
    @property
    def jnt_margin(self) -> NDArray[float64]:
        """Distance at which the limit becomes active. Shape: [njnt]. Unit: m or rad."""
    @property
    def dof_bodyid(self) -> NDArray[int32]:
        """Body. Shape: [nv]. Unit: id."""
    @property
    def dof_jntid(self) -> NDArray[int32]:
        """Joint. Shape: [nv]. Unit: id."""
    @property
    def dof_parentid(self) -> NDArray[int32]:
        """Parent degree of freedom; -1 for none. Shape: [nv]. Unit: id."""
    @property
    def dof_treeid(self) -> NDArray[int32]:
        """Kinematic tree. Shape: [nv]. Unit: id."""
    @property
    def dof_momentbegin(self) -> NDArray[int32]:
        """First entry of the actuator moments for this degree of freedom. Shape: [nv]. Unit: 1."""
    @property
    def dof_momentend(self) -> NDArray[int32]:
        """One past the last of these entries, between which are those of others. Shape: [nv]. Unit: 1."""
    @property
    def dof_simplenum(self) -> NDArray[int32]:
        """Number of consecutive degrees of freedom of simple bodies from here on. Shape: [nv]. Unit: 1."""
    @property
    def dof_solref(self) -> NDArray[float64]:
        """Solver reference of the friction-loss constraint. Shape: [nv, 2]. Unit: mixed."""
    @property
    def dof_solimp(self) -> NDArray[float64]:
        """Solver impedance of the friction-loss constraint. Shape: [nv, 5]. Unit: mixed."""
    @property
    def dof_frictionloss(self) -> NDArray[float64]:
        """Friction loss. Shape: [nv]. Unit: N or N m."""
    @property
    def dof_armature(self) -> NDArray[float64]:
        """Armature: inertia added to the diagonal. Shape: [nv]. Unit: kg or kg m^2."""
    @property
    def dof_damping(self) -> NDArray[float64]:
        """Linear damping. Shape: [nv]. Unit: N s/m or N m s/rad."""
    @property
    def dof_dampingpoly(self) -> NDArray[float64]:
        """Quadratic and cubic damping. Shape: [nv, 2]. Unit: mixed."""
    @property
    def dof_invweight0(self) -> NDArray[float64]:
        """Diagonal of the inverse inertia at qpos0. Shape: [nv]. Unit: mixed."""
    @property
    def dof_M0(self) -> NDArray[float64]:
        """Diagonal of the inertia matrix at qpos0. Shape: [nv]. Unit: mixed."""
    @property
    def dof_length(self) -> NDArray[float64]:
        """Length scale: 1 for translation, lever arm for rotation. Shape: [nv]. Unit: m."""
    @property
    def M_rownnz(self) -> NDArray[int32]:
        """Nonzeros of the row. Shape: [nv]. Unit: 1."""
    @property
    def M_rowadr(self) -> NDArray[int32]:
        """First nonzero of the row. Shape: [nv]. Unit: id."""
    @property
    def M_colind(self) -> NDArray[int32]:
        """Column of each nonzero. Shape: [nC]. Unit: id."""
    @property
    def F_rownnz(self) -> NDArray[int32]:
        """Nonzeros of the row, both triangles. Shape: [nv]. Unit: 1."""
    @property
    def F_rowadr(self) -> NDArray[int32]:
        """First nonzero of the row, both triangles. Shape: [nv]. Unit: id."""
    @property
    def F_colind(self) -> NDArray[int32]:
        """Column of each nonzero, both triangles. Shape: [nF]. Unit: id."""
    @property
    def mapM2F(self) -> NDArray[int32]:
        """Entry of M for each nonzero of both triangles. Shape: [nF]. Unit: id."""
    @property
    def D_rownnz(self) -> NDArray[int32]:
        """Nonzeros of the row of derivatives. Shape: [nv]. Unit: 1."""
    @property
    def D_rowadr(self) -> NDArray[int32]:
        """First nonzero of the row of derivatives. Shape: [nv]. Unit: id."""
    @property
    def D_diag(self) -> NDArray[int32]:
        """Position of the diagonal in the row of derivatives, after the ancestors. Shape: [nv]. Unit: 1."""
    @property
    def D_colind(self) -> NDArray[int32]:
        """Column of each derivative. Shape: [nD]. Unit: id."""
    @property
    def mapM2D(self) -> NDArray[int32]:
        """Entry of M at each derivative; -1 for none. Shape: [nD]. Unit: id."""
    @property
    def mapD2M(self) -> NDArray[int32]:
        """Derivative at each entry of M. Shape: [nC]. Unit: id."""
    @property
    def tree_bodyadr(self) -> NDArray[int32]:
        """First body. Shape: [ntree]. Unit: id."""
    @property
    def tree_bodynum(self) -> NDArray[int32]:
        """Number of bodies. Shape: [ntree]. Unit: 1."""
    @property
    def tree_dofadr(self) -> NDArray[int32]:
        """First degree of freedom. Shape: [ntree]. Unit: id."""
    @property
    def tree_dofnum(self) -> NDArray[int32]:
        """Number of degrees of freedom. Shape: [ntree]. Unit: 1."""
    @property
    def tree_sleep_policy(self) -> NDArray[int32]:
        """1 auto never, 2 auto allowed, 3 never, 4 allowed, 5 initially asleep. Shape: [ntree]. Unit: enum."""
    @property
    def tree_asleep0(self) -> NDArray[int32]:
        """Initial `tree_asleep`. Shape: [ntree]. Unit: mixed."""
    @property
    def site_type(self) -> NDArray[int32]:
        """Shape for display, as `geom_type`. Shape: [nsite]. Unit: enum."""
    @property
    def site_bodyid(self) -> NDArray[int32]:
        """Body. Shape: [nsite]. Unit: id."""
    @property
    def site_matid(self) -> NDArray[int32]:
        """Material; -1 for none. Shape: [nsite]. Unit: id."""
    @property
    def site_dataid(self) -> NDArray[int32]:
        """Mesh for display; -1 for none. Shape: [nsite]. Unit: id."""
    @property
    def site_sameframe(self) -> NDArray[int32]:
        """As `geom_sameframe`. Shape: [nsite]. Unit: enum."""
    @property
    def site_group(self) -> NDArray[int32]:
        """Group for display. Shape: [nsite]. Unit: 1."""
    @property
    def site_size(self) -> NDArray[float64]:
        """Type-specific size. Shape: [nsite, 3]. Unit: m."""
    @property
    def site_pos(self) -> NDArray[float64]:
        """Position in the body's frame. Shape: [nsite, 3]. Unit: m."""
    @property
    def site_quat(self) -> NDArray[float64]:
        """Orientation in the body's frame. Shape: [nsite, 4]. Unit: 1."""
    @property
    def site_rgba(self) -> NDArray[float64]:
        """Colour. Shape: [nsite, 4]. Unit: 1."""
    @property
    def geom_type(self) -> NDArray[int32]:
        """0 plane, 1 hfield, 2 sphere, 3 capsule, 4 ellipsoid, 5 cylinder, 6 box, 7 mesh, 8 sdf. Shape: [ngeom]. Unit: enum."""
    @property
    def geom_contype(self) -> NDArray[int32]:
        """Contact type. Shape: [ngeom]. Unit: bits."""
    @property
    def geom_conaffinity(self) -> NDArray[int32]:
        """Contact affinity: contact types that it can collide with. Shape: [ngeom]. Unit: bits."""
    @property
    def geom_condim(self) -> NDArray[int32]:
        """Contact dimensions: 1, 3, 4 or 6. Shape: [ngeom]. Unit: 1."""
    @property
    def geom_bodyid(self) -> NDArray[int32]:
        """Body. Shape: [ngeom]. Unit: id."""
    @property
    def geom_matid(self) -> NDArray[int32]:
        """Material; -1 for none. Shape: [ngeom]. Unit: id."""
    @property
    def geom_dataid(self) -> NDArray[int32]:
        """Mesh or height field; -1 for none. Shape: [ngeom]. Unit: id."""
    @property
    def geom_sameframe(self) -> NDArray[int32]:
        """Frame: 1 body frame, 2 inertial frame, 3 and 4 only the orientation of these. Shape: [ngeom]. Unit: enum."""
    @property
    def geom_group(self) -> NDArray[int32]:
        """Group for display. Shape: [ngeom]. Unit: 1."""
    @property
    def geom_plugin(self) -> NDArray[int32]:
        """Plugin instance; -1 for none. Shape: [ngeom]. Unit: id."""
    @property
    def geom_priority(self) -> NDArray[int32]:
        """Contact priority: parameters of the higher one are used. Shape: [ngeom]. Unit: 1."""
    @property
    def geom_solmix(self) -> NDArray[float64]:
        """Mixing weight of contact parameters. Shape: [ngeom]. Unit: 1."""
    @property
    def geom_solref(self) -> NDArray[float64]:
        """Solver reference of contacts. Shape: [ngeom, 2]. Unit: mixed."""
    @property
    def geom_solimp(self) -> NDArray[float64]:
        """Solver impedance of contacts. Shape: [ngeom, 5]. Unit: mixed."""
    @property
    def geom_size(self) -> NDArray[float64]:
        """Type-specific size. Shape: [ngeom, 3]. Unit: m."""
    @property
    def geom_rbound(self) -> NDArray[float64]:
        """Radius of the bounding sphere; 0 for planes. Shape: [ngeom]. Unit: m."""
    @property
    def geom_pos(self) -> NDArray[float64]:
        """Position in the body's frame. Shape: [ngeom, 3]. Unit: m."""
    @property
    def geom_quat(self) -> NDArray[float64]:
        """Orientation in the body's frame. Shape: [ngeom, 4]. Unit: 1."""
    @property
    def geom_friction(self) -> NDArray[float64]:
        """Sliding, torsional and rolling friction. Shape: [ngeom, 3]. Unit: mixed."""
    @property
    def geom_margin(self) -> NDArray[float64]:
        """Contact margin: inflation of the geom. Shape: [ngeom]. Unit: m."""
    @property
    def geom_gap(self) -> NDArray[float64]:
        """Contact gap: further distance at which contacts are detected but not active. Shape: [ngeom]. Unit: m."""
    @property
    def geom_surfacevel(self) -> NDArray[float64]:
        """Surface velocity in the geom's frame. Shape: [ngeom, 6]. Unit: mixed."""
    @property
    def geom_adhesion(self) -> NDArray[float64]:
        """Adhesion force of contacts. Shape: [ngeom]. Unit: N."""
    @property
    def geom_aabb(self) -> NDArray[float64]:
        """Local AABB: centre and half sizes. Shape: [ngeom, 6]. Unit: m."""
    @property
    def geom_fluid(self) -> NDArray[float64]:
        """Parameters of the ellipsoid fluid model. Shape: [ngeom, 12]. Unit: mixed."""
    @property
    def geom_rgba(self) -> NDArray[float64]:
        """Colour. Shape: [ngeom, 4]. Unit: 1."""
    @property
    def pair_dim(self) -> NDArray[int32]:
        """Contact dimensions. Shape: [npair]. Unit: 1."""
    @property
    def pair_geom1(self) -> NDArray[int32]:
        """First geom. Shape: [npair]. Unit: id."""
    @property
    def pair_geom2(self) -> NDArray[int32]:
        """Second geom. Shape: [npair]. Unit: id."""
    @property
    def pair_signature(self) -> NDArray[int32]:
        """Lower body id times 65536 plus the other body id. Shape: [npair]. Unit: id."""
    @property
    def pair_solref(self) -> NDArray[float64]:
        """Solver reference in the normal direction. Shape: [npair, 2]. Unit: mixed."""
    @property
    def pair_solreffriction(self) -> NDArray[float64]:
        """Solver reference in the friction directions; zeros: as normal. Shape: [npair, 2]. Unit: mixed."""
    @property
    def pair_solimp(self) -> NDArray[float64]:
        """Solver impedance. Shape: [npair, 5]. Unit: mixed."""
    @property
    def pair_margin(self) -> NDArray[float64]:
        """Contact margin. Shape: [npair]. Unit: m."""
    @property
    def pair_gap(self) -> NDArray[float64]:
        """Contact gap: further distance at which contacts are detected but not active. Shape: [npair]. Unit: m."""
    @property
    def pair_adhesion(self) -> NDArray[float64]:
        """Adhesion force. Shape: [npair]. Unit: N."""
    @property
    def pair_friction(self) -> NDArray[float64]:
        """Friction coefficients of the five tangential dimensions. Shape: [npair, 5]. Unit: mixed."""
    @property
    def exclude_signature(self) -> NDArray[int32]:
        """Lower body id times 65536 plus the higher body id. Shape: [nexclude]. Unit: id."""
    @property
    def candidate_geom1(self) -> NDArray[int32]:
        """First geom, of the lower type. Shape: [ncandidate]. Unit: id."""
    @property
    def candidate_geom2(self) -> NDArray[int32]:
        """Second geom. Shape: [ncandidate]. Unit: id."""
    @property
    def candidate_pair(self) -> NDArray[int32]:
        """Explicit pair; -1 for none. Shape: [ncandidate]. Unit: id."""
    @property
    def candidate_treeend(self) -> NDArray[int32]:
        """One past the last of the candidates that follow with the same two trees. Shape: [ncandidate]. Unit: 1."""
    @property
    def bodypair_adr(self) -> NDArray[int32]:
        """First candidate of the body pair. Shape: [nbodypair]. Unit: id."""
    @property
    def bodypair_num(self) -> NDArray[int32]:
        """Number of candidates of the body pair. Shape: [nbodypair]. Unit: 1."""
    @property
    def bodypair_body(self) -> NDArray[int32]:
        """The two bodies; -1 if the group has no bounding-volume test. Shape: [nbodypair, 2]. Unit: id."""
    @property
    def bodypair_geom(self) -> NDArray[int32]:
        """The only geom of the first body; -1 for several. Shape: [nbodypair]. Unit: id."""
    @property
    def bodypair_sphere(self) -> NDArray[float64]:
        """Per side, bounding sphere of the geoms with margins in the body frame: centre and radius; of a plane, the radius is its margin. Shape: [nbodypair, 8]. Unit: m."""
    @property
    def bodypair_aabb(self) -> NDArray[float64]:
        """Per side, AABB of the geoms with margins: centre and half sizes, in the frame of a single geom or of the body. Shape: [nbodypair, 12]. Unit: m."""
    @property
    def sap_geom(self) -> NDArray[int32]:
        """Swept geom. CPU only, as all of sweep and prune. Shape: [nsap]. Unit: id."""
    @property
    def sap_rest(self) -> NDArray[int32]:
        """Candidate that is tested without a sweep: of a plane, of a height field, or an explicit pair. Shape: [nsaprest]. Unit: id."""
    @property
    def mesh_vertadr(self) -> NDArray[int32]:
        """First vertex. Shape: [nmesh]. Unit: id."""
    @property
    def mesh_vertnum(self) -> NDArray[int32]:
        """Number of vertices. Shape: [nmesh]. Unit: 1."""
    @property
    def mesh_faceadr(self) -> NDArray[int32]:
        """First face. Shape: [nmesh]. Unit: id."""
    @property
    def mesh_facenum(self) -> NDArray[int32]:
        """Number of faces. Shape: [nmesh]. Unit: 1."""
    @property
    def mesh_normaladr(self) -> NDArray[int32]:
        """First normal. Shape: [nmesh]. Unit: id."""
    @property
    def mesh_normalnum(self) -> NDArray[int32]:
        """Number of normals. Shape: [nmesh]. Unit: 1."""
    @property
    def mesh_texcoordadr(self) -> NDArray[int32]:
        """First texture coordinate; -1 for none. Shape: [nmesh]. Unit: id."""
    @property
    def mesh_texcoordnum(self) -> NDArray[int32]:
        """Number of texture coordinates. Shape: [nmesh]. Unit: 1."""
    @property
    def mesh_graphadr(self) -> NDArray[int32]:
        """First number of the convex hull; -1 for none. Shape: [nmesh]. Unit: id."""
    @property
    def mesh_supportadr(self) -> NDArray[int32]:
        """First number of the support vertices; -1 for none. Shape: [nmesh]. Unit: id."""
    @property
    def mesh_support(self) -> NDArray[int32]:
        """Support vertices by direction: where the list of each of 16x16 cells on each face of a cube begins behind these 1537 numbers, and the last one ends; then the vertices of the hull of which one is farthest in any direction of a cell, or as the only one minus one minus the number in the graph of that from which a search for it begins. Shape: [nmeshsupport]. Unit: mixed."""
    @property
    def mesh_vert(self) -> NDArray[float64]:
        """Vertex positions. Shape: [nmeshvert, 3]. Unit: m."""
    @property
    def mesh_normal(self) -> NDArray[float64]:
        """Normals. Shape: [nmeshnormal, 3]. Unit: 1."""
    @property
    def mesh_texcoord(self) -> NDArray[float64]:
        """Texture coordinates. Shape: [nmeshtexcoord, 2]. Unit: 1."""
    @property
    def mesh_face(self) -> NDArray[int32]:
        """Vertex indices of each face. Shape: [nmeshface, 3]. Unit: id."""
    @property
    def mesh_facenormal(self) -> NDArray[int32]:
        """Normal indices of each face. Shape: [nmeshface, 3]. Unit: id."""
    @property
    def mesh_facetexcoord(self) -> NDArray[int32]:
        """Texture coordinate indices of each face. Shape: [nmeshface, 3]. Unit: id."""
    @property
    def mesh_graph(self) -> NDArray[int32]:
        """Convex hulls: vertex and face counts, then edge addresses, vertices, neighbours and faces. Shape: [nmeshgraph]. Unit: mixed."""
    @property
    def mesh_scale(self) -> NDArray[float64]:
        """Scale factors of the original vertices. Shape: [nmesh, 3]. Unit: 1."""
    @property
    def mesh_pos(self) -> NDArray[float64]:
        """Position of the inertial frame in the original mesh. Shape: [nmesh, 3]. Unit: m."""
    @property
    def mesh_quat(self) -> NDArray[float64]:
        """Orientation of the inertial frame in the original mesh. Shape: [nmesh, 4]. Unit: 1."""
    @property
    def mesh_polynum(self) -> NDArray[int32]:
        """Number of polygons. Shape: [nmesh]. Unit: 1."""
    @property
    def mesh_polyadr(self) -> NDArray[int32]:
        """First polygon. Shape: [nmesh]. Unit: id."""
    @property
    def mesh_polynormal(self) -> NDArray[float64]:
        """Polygon normals. Shape: [nmeshpoly, 3]. Unit: 1."""
    @property
    def mesh_polyvertadr(self) -> NDArray[int32]:
        """First vertex of each polygon. Shape: [nmeshpoly]. Unit: id."""
    @property
    def mesh_polyvertnum(self) -> NDArray[int32]:
        """Number of vertices of each polygon. Shape: [nmeshpoly]. Unit: 1."""
    @property
    def mesh_polyvert(self) -> NDArray[int32]:
        """Polygon vertices. Shape: [nmeshpolyvert]. Unit: id."""
    @property
    def mesh_polymapadr(self) -> NDArray[int32]:
        """First polygon of each vertex in `mesh_polymap`. Shape: [nmeshvert]. Unit: id."""
    @property
    def mesh_polymapnum(self) -> NDArray[int32]:
        """Number of polygons of each vertex. Shape: [nmeshvert]. Unit: 1."""
    @property
    def mesh_polymap(self) -> NDArray[int32]:
        """Polygons incident to each vertex. Shape: [nmeshpolymap]. Unit: id."""
    @property
    def meshbvh_adr(self) -> NDArray[int32]:
        """First node of the bounding volume hierarchy. Shape: [nmesh]. Unit: id."""
    @property
    def meshbvh_num(self) -> NDArray[int32]:
        """Number of nodes. Shape: [nmesh]. Unit: 1."""
    @property
    def meshbvh_aabb(self) -> NDArray[float64]:
        """AABBs of nodes: centre and half sizes, in the frame of the mesh. Shape: [nmeshbvh, 6]. Unit: m."""
    @property
    def meshbvh_skip(self) -> NDArray[int32]:
        """Next node outside the subtree, relative to the first node of the mesh. Shape: [nmeshbvh]. Unit: 1."""
    @property
    def meshbvh_faceadr(self) -> NDArray[int32]:
        """First face of a leaf, relative to the mesh, in `meshbvh_face`. Shape: [nmeshbvh]. Unit: id."""
    @property
    def meshbvh_facenum(self) -> NDArray[int32]:
        """Number of faces of a leaf; 0 for inner nodes. Shape: [nmeshbvh]. Unit: 1."""
    @property
    def meshbvh_face(self) -> NDArray[int32]:
        """Faces of each mesh, in leaf order. Shape: [nmeshface]. Unit: id."""
    @property
    def mesh_octadr(self) -> NDArray[int32]:
        """First cell of the octree of signed distances; -1 for none. Shape: [nmesh]. Unit: id."""
    @property
    def mesh_octnum(self) -> NDArray[int32]:
        """Number of cells. Shape: [nmesh]. Unit: 1."""
    @property
    def oct_depth(self) -> NDArray[int32]:
        """Level of a cell; 0 for the root. Shape: [noct]. Unit: 1."""
    @property
    def oct_child(self) -> NDArray[int32]:
        """Children of a cell, relative to the mesh's first cell, in the upper half along axis a where bit a of their number is set; -1 for leaves. Shape: [noct, 8]. Unit: id."""
    @property
    def oct_aabb(self) -> NDArray[float64]:
        """Centre and half sizes of a cell, in the frame of the mesh. Shape: [noct, 6]. Unit: m."""
    @property
    def oct_coeff(self) -> NDArray[float64]:
        """Signed distance at the corners of a cell, in the order of the children. Shape: [noct, 8]. Unit: m."""
    @property
    def hfield_size(self) -> NDArray[float64]:
        """Half sizes along x and y, elevation at the top, depth of the base. Shape: [nhfield, 4]. Unit: m."""
    @property
    def hfield_nrow(self) -> NDArray[int32]:
        """Number of rows. Shape: [nhfield]. Unit: 1."""
    @property
    def hfield_ncol(self) -> NDArray[int32]:
        """Number of columns. Shape: [nhfield]. Unit: 1."""
    @property
    def hfield_adr(self) -> NDArray[int32]:
        """First elevation sample. Shape: [nhfield]. Unit: id."""
    @property
    def hfield_data(self) -> NDArray[float64]:
        """Elevation in [0, 1], row-major. Shape: [nhfielddata]. Unit: 1."""
    @property
    def tex_type(self) -> NDArray[int32]:
        """0 flat, 1 cube, 2 skybox. Shape: [ntex]. Unit: enum."""
    @property
    def tex_colorspace(self) -> NDArray[int32]:
        """0 unknown, 1 linear, 2 sRGB. Shape: [ntex]. Unit: enum."""
    @property
    def tex_height(self) -> NDArray[int32]:
        """Height in pixels; cube faces are stacked vertically. Shape: [ntex]. Unit: 1."""
    @property
    def tex_width(self) -> NDArray[int32]:
        """Width in pixels. Shape: [ntex]. Unit: 1."""
    @property
    def tex_nchannel(self) -> NDArray[int32]:
        """Number of channels. Shape: [ntex]. Unit: 1."""
    @property
    def tex_adr(self) -> NDArray[int32]:
        """Address of the first pixel byte, were pixels stored; -1 if they stay in the file. Shape: [ntex]. Unit: id."""
    @property
    def mat_texid(self) -> NDArray[int32]:
        """Textures by role; -1 for none. Shape: [nmat, 10]. Unit: id."""
    @property
    def mat_texuniform(self) -> NDArray[int32]:
        """1 if texture repetition is uniform in space. Shape: [nmat]. Unit: flag."""
    @property
    def mat_texrepeat(self) -> NDArray[float64]:
        """Texture repetitions. Shape: [nmat, 2]. Unit: 1."""
    @property
    def mat_emission(self) -> NDArray[float64]:
        """Emission. Shape: [nmat]. Unit: 1."""
    @property
    def mat_specular(self) -> NDArray[float64]:
        """Specularity. Shape: [nmat]. Unit: 1."""
    @property
    def mat_shininess(self) -> NDArray[float64]:
        """Shininess. Shape: [nmat]. Unit: 1."""
    @property
    def mat_reflectance(self) -> NDArray[float64]:
        """Reflectance. Shape: [nmat]. Unit: 1."""
    @property
    def mat_metallic(self) -> NDArray[float64]:
        """Metalness; negative for none. Shape: [nmat]. Unit: 1."""
    @property
    def mat_roughness(self) -> NDArray[float64]:
        """Roughness; negative for none. Shape: [nmat]. Unit: 1."""
    @property
    def mat_rgba(self) -> NDArray[float64]:
        """Colour. Shape: [nmat, 4]. Unit: 1."""
    @property
    def skin_matid(self) -> NDArray[int32]:
        """Material; -1 for none. Shape: [nskin]. Unit: id."""
    @property
    def skin_group(self) -> NDArray[int32]:
        """Group for display. Shape: [nskin]. Unit: 1."""
    @property
    def skin_rgba(self) -> NDArray[float64]:
        """Colour. Shape: [nskin, 4]. Unit: 1."""
    @property
    def skin_inflate(self) -> NDArray[float64]:
        """Inflation along normals. Shape: [nskin]. Unit: m."""
    @property
    def skin_vertadr(self) -> NDArray[int32]:
        """First vertex. Shape: [nskin]. Unit: id."""
    @property
    def skin_vertnum(self) -> NDArray[int32]:
        """Number of vertices. Shape: [nskin]. Unit: 1."""
    @property
    def skin_texcoordadr(self) -> NDArray[int32]:
        """First texture coordinate; -1 for none. Shape: [nskin]. Unit: id."""
    @property
    def skin_faceadr(self) -> NDArray[int32]:
        """First face. Shape: [nskin]. Unit: id."""
    @property
    def skin_facenum(self) -> NDArray[int32]:
        """Number of faces. Shape: [nskin]. Unit: 1."""
    @property
    def skin_boneadr(self) -> NDArray[int32]:
        """First bone. Shape: [nskin]. Unit: id."""
    @property
    def skin_bonenum(self) -> NDArray[int32]:
        """Number of bones. Shape: [nskin]. Unit: 1."""
    @property
    def skin_vert(self) -> NDArray[float64]:
        """Vertices. Shape: [nskinvert, 3]. Unit: m."""
    @property
    def skin_texcoord(self) -> NDArray[float64]:
        """Texture coordinates. Shape: [nskintexvert, 2]. Unit: 1."""
    @property
    def skin_face(self) -> NDArray[int32]:
        """Vertex indices of each face, relative to the skin's first. Shape: [nskinface, 3]. Unit: id."""
    @property
    def skin_bonevertadr(self) -> NDArray[int32]:
        """First vertex of the bone in `skin_bonevertid`. Shape: [nskinbone]. Unit: id."""
    @property
    def skin_bonevertnum(self) -> NDArray[int32]:
        """Number of vertices of the bone. Shape: [nskinbone]. Unit: 1."""
    @property
    def skin_bonebindpos(self) -> NDArray[float64]:
        """Bind position of the bone. Shape: [nskinbone, 3]. Unit: m."""
    @property
    def skin_bonebindquat(self) -> NDArray[float64]:
        """Bind orientation of the bone. Shape: [nskinbone, 4]. Unit: 1."""
    @property
    def skin_bonebodyid(self) -> NDArray[int32]:
        """Body of the bone. Shape: [nskinbone]. Unit: id."""
    @property
    def skin_bonevertid(self) -> NDArray[int32]:
        """Vertices of all bones. Shape: [nskinbonevert]. Unit: id."""
    @property
    def skin_bonevertweight(self) -> NDArray[float64]:
        """Weights of those vertices, normalised to a sum of one per vertex. Shape: [nskinbonevert]. Unit: 1."""
    @property
    def cam_mode(self) -> NDArray[int32]:
        """0 fixed, 1 track, 2 trackcom, 3 targetbody, 4 targetbodycom. Shape: [ncam]. Unit: enum."""
    @property
    def cam_bodyid(self) -> NDArray[int32]:
        """Body. Shape: [ncam]. Unit: id."""
    @property
    def cam_targetbodyid(self) -> NDArray[int32]:
        """Target body; -1 for none. Shape: [ncam]. Unit: id."""
    @property
    def cam_pos(self) -> NDArray[float64]:
        """Position in the body's frame. Shape: [ncam, 3]. Unit: m."""
    @property
    def cam_quat(self) -> NDArray[float64]:
        """Orientation in the body's frame. Shape: [ncam, 4]. Unit: 1."""
    @property
    def cam_poscom0(self) -> NDArray[float64]:
        """Position relative to the subtree's centre of mass at qpos0. Shape: [ncam, 3]. Unit: m."""
    @property
    def cam_pos0(self) -> NDArray[float64]:
        """Position relative to the body at qpos0, global axes. Shape: [ncam, 3]. Unit: m."""
    @property
    def cam_mat0(self) -> NDArray[float64]:
        """Global orientation at qpos0. Shape: [ncam, 9]. Unit: 1."""
    @property
    def cam_projection(self) -> NDArray[int32]:
        """0 perspective, 1 orthographic. Shape: [ncam]. Unit: enum."""
    @property
    def cam_fovy(self) -> NDArray[float64]:
        """Vertical field of view, or extent if orthographic. Shape: [ncam]. Unit: deg or m."""
    @property
    def cam_ipd(self) -> NDArray[float64]:
        """Interpupillary distance. Shape: [ncam]. Unit: m."""
    @property
    def cam_resolution(self) -> NDArray[int32]:
        """Width and height in pixels. Shape: [ncam, 2]. Unit: 1."""
    @property
    def cam_output(self) -> NDArray[int32]:
        """Output types: 1 rgb, 2 depth, 4 distance, 8 normal, 16 segmentation. Shape: [ncam]. Unit: bits."""
    @property
    def cam_sensorsize(self) -> NDArray[float64]:
        """Sensor size; 0 for none. Shape: [ncam, 2]. Unit: m."""
    @property
    def cam_intrinsic(self) -> NDArray[float64]:
        """Focal lengths and principal point. Shape: [ncam, 4]. Unit: m."""
    @property
    def light_mode(self) -> NDArray[int32]:
        """As `cam_mode`. Shape: [nlight]. Unit: enum."""
    @property
    def light_bodyid(self) -> NDArray[int32]:
        """Body. Shape: [nlight]. Unit: id."""
    @property
    def light_targetbodyid(self) -> NDArray[int32]:
        """Target body; -1 for none. Shape: [nlight]. Unit: id."""
    @property
    def light_pos(self) -> NDArray[float64]:
        """Position in the body's frame. Shape: [nlight, 3]. Unit: m."""
    @property
    def light_dir(self) -> NDArray[float64]:
        """Direction in the body's frame. Shape: [nlight, 3]. Unit: 1."""
    @property
    def light_poscom0(self) -> NDArray[float64]:
        """Position relative to the subtree's centre of mass at qpos0. Shape: [nlight, 3]. Unit: m."""
    @property
    def light_pos0(self) -> NDArray[float64]:
        """Position relative to the body at qpos0, global axes. Shape: [nlight, 3]. Unit: m."""
    @property
    def light_type(self) -> NDArray[int32]:
        """0 spot, 1 directional, 2 point, 3 image. Shape: [nlight]. Unit: enum."""
    @property
    def light_texid(self) -> NDArray[int32]:
        """Texture of an image light; -1 for none. Shape: [nlight]. Unit: id."""
    @property
    def light_castshadow(self) -> NDArray[int32]:
        """1 if the light casts shadows. Shape: [nlight]. Unit: flag."""
    @property
    def light_active(self) -> NDArray[int32]:
        """1 if the light is on. Shape: [nlight]. Unit: flag."""
    @property
    def light_bulbradius(self) -> NDArray[float64]:
        """Bulb radius. Shape: [nlight]. Unit: m."""
    @property
    def light_intensity(self) -> NDArray[float64]:
        """Intensity. Shape: [nlight]. Unit: cd."""
    @property
    def light_range(self) -> NDArray[float64]:
        """Effective range. Shape: [nlight]. Unit: m."""
    @property
    def light_attenuation(self) -> NDArray[float64]:
        """Constant, linear and quadratic attenuation. Shape: [nlight, 3]. Unit: mixed."""
    @property
    def light_cutoff(self) -> NDArray[float64]:
        """Cutoff angle of a spotlight. Shape: [nlight]. Unit: deg."""
    @property
    def light_softness(self) -> NDArray[float64]:
        """Softness of a spotlight's edge. Shape: [nlight]. Unit: 1."""
    @property
    def light_exponent(self) -> NDArray[float64]:
        """Exponent of a spotlight. Shape: [nlight]. Unit: 1."""
    @property
    def light_ambient(self) -> NDArray[float64]:
        """Ambient colour. Shape: [nlight, 3]. Unit: 1."""
    @property
    def light_diffuse(self) -> NDArray[float64]:
        """Diffuse colour. Shape: [nlight, 3]. Unit: 1."""
    @property
    def light_specular(self) -> NDArray[float64]:
        """Specular colour. Shape: [nlight, 3]. Unit: 1."""
    @property
    def light_dir0(self) -> NDArray[float64]:
        """Global direction at qpos0. Shape: [nlight, 3]. Unit: 1."""
    @property
    def flex_contype(self) -> NDArray[int32]:
        """Contact type. Shape: [nflex]. Unit: bits."""
    @property
    def flex_conaffinity(self) -> NDArray[int32]:
        """Contact affinity: contact types that it can collide with. Shape: [nflex]. Unit: bits."""
    @property
    def flex_condim(self) -> NDArray[int32]:
        """Contact dimensions. Shape: [nflex]. Unit: 1."""
    @property
    def flex_priority(self) -> NDArray[int32]:
        """Contact priority: parameters of the higher one are used. Shape: [nflex]. Unit: 1."""
    @property
    def flex_solmix(self) -> NDArray[float64]:
        """Mixing weight of contact parameters. Shape: [nflex]. Unit: 1."""
    @property
    def flex_solref(self) -> NDArray[float64]:
        """Solver reference of contacts. Shape: [nflex, 2]. Unit: mixed."""
    @property
    def flex_solimp(self) -> NDArray[float64]:
        """Solver impedance of contacts. Shape: [nflex, 5]. Unit: mixed."""
    @property
    def flex_friction(self) -> NDArray[float64]:
        """Sliding, torsional and rolling friction. Shape: [nflex, 3]. Unit: mixed."""
    @property
    def flex_margin(self) -> NDArray[float64]:
        """Contact margin. Shape: [nflex]. Unit: m."""
    @property
    def flex_gap(self) -> NDArray[float64]:
        """Contact gap: further distance at which contacts are detected but not active. Shape: [nflex]. Unit: m."""
    @property
    def flex_selfcollide(self) -> NDArray[int32]:
        """Self-collision: 0 none, 1 narrow, 2 bvh, 3 sap, 4 auto. Shape: [nflex]. Unit: enum."""
    @property
    def flex_activelayers(self) -> NDArray[int32]:
        """Number of element layers that collide, from the surface; 3D only. Shape: [nflex]. Unit: 1."""
    @property
    def flex_passive(self) -> NDArray[int32]:
        """1 if contacts are passive forces. Shape: [nflex]. Unit: flag."""
    @property
    def flex_dim(self) -> NDArray[int32]:
        """Dimension of elements: 1 lines, 2 triangles, 3 tetrahedra. Shape: [nflex]. Unit: 1."""
    @property
    def flex_matid(self) -> NDArray[int32]:
        """Material; -1 for none. Shape: [nflex]. Unit: id."""
    @property
    def flex_group(self) -> NDArray[int32]:
        """Group for display. Shape: [nflex]. Unit: 1."""
    @property
    def flex_interp(self) -> NDArray[int32]:
        """Interpolation between nodes: 0 none, 1 linear, 2 quadratic; negative for a shell, whose faces are elastic. Shape: [nflex]. Unit: 1."""
    @property
    def flex_cellnum(self) -> NDArray[int32]:
        """Cells of the node grid along each axis. Shape: [nflex, 3]. Unit: 1."""
    @property
    def flex_nodeadr(self) -> NDArray[int32]:
        """First node. Shape: [nflex]. Unit: id."""
    @property
    def flex_nodenum(self) -> NDArray[int32]:
        """Number of nodes. Shape: [nflex]. Unit: 1."""
    @property
    def flex_vertadr(self) -> NDArray[int32]:
        """First vertex. Shape: [nflex]. Unit: id."""
    @property
    def flex_vertnum(self) -> NDArray[int32]:
        """Number of vertices. Shape: [nflex]. Unit: 1."""
    @property
    def flex_edgeadr(self) -> NDArray[int32]:
        """First edge. Shape: [nflex]. Unit: id."""
    @property
    def flex_edgenum(self) -> NDArray[int32]:
        """Number of edges. Shape: [nflex]. Unit: 1."""
    @property
    def flex_elemadr(self) -> NDArray[int32]:
        """First element. Shape: [nflex]. Unit: id."""
    @property
    def flex_elemnum(self) -> NDArray[int32]:
        """Number of elements. Shape: [nflex]. Unit: 1."""
    @property
    def flex_elemdataadr(self) -> NDArray[int32]:
        """First element corner. Shape: [nflex]. Unit: id."""
    @property
    def flex_elemedgeadr(self) -> NDArray[int32]:
        """First element edge. Shape: [nflex]. Unit: id."""
    @property
    def flex_shellnum(self) -> NDArray[int32]:
        """Number of boundary faces. Shape: [nflex]. Unit: 1."""
    @property
    def flex_shelldataadr(self) -> NDArray[int32]:
        """First corner of the boundary faces; -1 for none. Shape: [nflex]. Unit: id."""
    @property
    def flex_stiffnessadr(self) -> NDArray[int32]:
        """First stiffness number; -1 for none. Shape: [nflex]. Unit: id."""
    @property
    def flex_bendingadr(self) -> NDArray[int32]:
        """First bending number; -1 for none. Shape: [nflex]. Unit: id."""
    @property
    def flex_texcoordadr(self) -> NDArray[int32]:
        """First texture coordinate; -1 for none. Shape: [nflex]. Unit: id."""
    @property
    def flex_radius(self) -> NDArray[float64]:
        """Radius around elements. Shape: [nflex]. Unit: m."""
    @property
    def flex_size(self) -> NDArray[float64]:
        """Half size of the bounding box at qpos0, along the axes of the grid or of the plane of constrained vertices. Shape: [nflex, 3]. Unit: m."""
    @property
    def flex_damping(self) -> NDArray[float64]:
        """Rayleigh damping. Shape: [nflex]. Unit: s."""
    @property
    def flex_edgestiffness(self) -> NDArray[float64]:
        """Edge stiffness. Shape: [nflex]. Unit: N/m."""
    @property
    def flex_edgedamping(self) -> NDArray[float64]:
        """Edge damping. Shape: [nflex]. Unit: N s/m."""
    @property
    def flex_edgeequality(self) -> NDArray[int32]:
        """Equality constraint: 0 none, 1 edges, 2 vertices, 3 strain. Shape: [nflex]. Unit: enum."""
    @property
    def flex_rigid(self) -> NDArray[int32]:
        """1 if all vertices are on one body. Shape: [nflex]. Unit: flag."""
    @property
    def flex_centered(self) -> NDArray[int32]:
        """1 if all vertices are at the origins of their bodies. Shape: [nflex]. Unit: flag."""
    @property
    def flex_flatskin(self) -> NDArray[int32]:
        """1 if it is rendered with flat shading. Shape: [nflex]. Unit: flag."""
    @property
    def flex_rgba(self) -> NDArray[float64]:
        """Colour. Shape: [nflex, 4]. Unit: 1."""
    @property
    def flex_nodebodyid(self) -> NDArray[int32]:
        """Body of a node. Shape: [nflexnode]. Unit: id."""
    @property
    def flex_node(self) -> NDArray[float64]:
        """Node position in its body's frame. Shape: [nflexnode, 3]. Unit: m."""
    @property
    def flex_node0(self) -> NDArray[float64]:
        """Node position at qpos0, along the axes of the grid. Shape: [nflexnode, 3]. Unit: m."""
    @property
    def flex_vertbodyid(self) -> NDArray[int32]:
        """Body of a vertex; -1 if interpolated from nodes. Shape: [nflexvert]. Unit: id."""
    @property
    def flex_vert(self) -> NDArray[float64]:
        """Vertex position in its body's frame. Shape: [nflexvert, 3]. Unit: m."""
    @property
    def flex_vert0(self) -> NDArray[float64]:
        """Vertex coordinates in the bounding box at qpos0, from 0 to 1. Shape: [nflexvert, 3]. Unit: 1."""
    @property
    def flex_vertmetric(self) -> NDArray[float64]:
        """Inverse inertia matrix of the edges at a vertex in the reference plane, if the equality constraint is of vertices. Shape: [nflexvert, 4]. Unit: 1/(kg m2)."""
    @property
    def flex_vertedgeadr(self) -> NDArray[int32]:
        """First entry in the list of incident edges. Shape: [nflexvert]. Unit: id."""
    @property
    def flex_vertedgenum(self) -> NDArray[int32]:
        """Number of incident edges, if the equality constraint is of vertices. Shape: [nflexvert]. Unit: 1."""
    @property
    def flex_vertedge(self) -> NDArray[int32]:
        """Incident edges of vertices, counted within the flex. Shape: [nflexedge, 2]. Unit: id."""
    @property
    def flex_edge(self) -> NDArray[int32]:
        """Vertices of an edge. Shape: [nflexedge, 2]. Unit: id."""
    @property
    def flex_edgeflap(self) -> NDArray[int32]:
        """Vertices opposite to an edge, if its triangles bend; -1 for none. Shape: [nflexedge, 2]. Unit: id."""
    @property
    def flexedge_length0(self) -> NDArray[float64]:
        """Edge length at qpos0. Shape: [nflexedge]. Unit: m."""
    @property
    def flexedge_invweight0(self) -> NDArray[float64]:
        """Edge inverse weight at qpos0. Shape: [nflexedge]. Unit: 1/kg."""
    @property
    def flexedge_rigid(self) -> NDArray[int32]:
        """1 if both ends are on one body. Shape: [nflexedge]. Unit: flag."""
    @property
    def flexedge_J_rownnz(self) -> NDArray[int32]:
        """Nonzeros of the edge's Jacobian row; 0 if nothing needs it. Shape: [nflexedge]. Unit: 1."""
    @property
    def flexedge_J_rowadr(self) -> NDArray[int32]:
        """First nonzero of the row. Shape: [nflexedge]. Unit: id."""
    @property
    def flexedge_J_colind(self) -> NDArray[int32]:
        """Column of each nonzero; those of rows without nonzeros are 0, at the end. Shape: [nJfe]. Unit: id."""
    @property
    def flexvert_J_rownnz(self) -> NDArray[int32]:
        """Nonzeros of the vertex's two Jacobian rows, if the equality constraint is of vertices. Shape: [nflexvert, 2]. Unit: 1."""
    @property
    def flexvert_J_rowadr(self) -> NDArray[int32]:
        """First nonzero of the row. Shape: [nflexvert, 2]. Unit: id."""
    @property
    def flexvert_J_colind(self) -> NDArray[int32]:
        """Column of each nonzero: the one row of a vertex, then the other. Shape: [nJfv, 2]. Unit: id."""
    @property
    def flex_elem(self) -> NDArray[int32]:
        """Element vertices. Shape: [nflexelemdata]. Unit: id."""
    @property
    def flex_elemtexcoord(self) -> NDArray[int32]:
        """Element texture coordinates, if there are any. Shape: [nflexelemdata]. Unit: id."""
    @property
    def flex_elemedge(self) -> NDArray[int32]:
        """Element edges. Shape: [nflexelemedge]. Unit: id."""
    @property
    def flex_elemlayer(self) -> NDArray[int32]:
        """Element layer: distance from the surface; 3D only. Shape: [nflexelem]. Unit: 1."""
    @property
    def flex_shell(self) -> NDArray[int32]:
        """Vertices of boundary faces. Shape: [nflexshelldata]. Unit: id."""
    @property
    def flex_stiffness(self) -> NDArray[float64]:
        """Elements: quadratic forms in the changes of squared edge length. Interpolated: negative stiffness of cells or faces, or numbers and modes of their strains, if constrained. Shape: [nflexstiffness]. Unit: mixed."""
    @property
    def flex_bending(self) -> NDArray[float64]:
        """Of triangles, by edge: a 4x4 vertex matrix and a force. Of rods: number of hinges, then three vertices and stiffness of each. Of shells: number of edges, then two faces, the middle in both, stiffness and difference of normals of each. Shape: [nflexbending]. Unit: mixed."""
    @property
    def flex_texcoord(self) -> NDArray[float64]:
        """Texture coordinates. Shape: [nflextexcoord, 2]. Unit: 1."""
    @property
    def flexedge_sideadr(self) -> NDArray[int32]:
        """First entry in the list of the edge's elements. Shape: [nflexedge]. Unit: id."""
    @property
    def flexedge_sidenum(self) -> NDArray[int32]:
        """Number of elements around the edge. Shape: [nflexedge]. Unit: 1."""
    @property
    def flexedge_side(self) -> NDArray[int32]:
        """Elements around edges: six times the element, counted within the flex, and the place of the edge in it. Shape: [nflexelemedge]. Unit: id."""
    @property
    def flexvert_endadr(self) -> NDArray[int32]:
        """First entry in the list of the edges at the vertex. Shape: [nflexvert]. Unit: id."""
    @property
    def flexvert_endnum(self) -> NDArray[int32]:
        """Number of edges at the vertex. Shape: [nflexvert]. Unit: 1."""
    @property
    def flexvert_end(self) -> NDArray[int32]:
        """Edges at vertices: twice the edge, and which of its ends the vertex is. Shape: [nflexend]. Unit: id."""
    @property
    def flexvert_hingeadr(self) -> NDArray[int32]:
        """First entry in the list of the vertex's hinges. Shape: [nflexvert]. Unit: id."""
    @property
    def flexvert_hingenum(self) -> NDArray[int32]:
        """Number of hinges that bend with the vertex. Shape: [nflexvert]. Unit: 1."""
    @property
    def flexvert_hinge(self) -> NDArray[int32]:
        """Hinges: four times the edge of triangles, or the inner vertex of a rod in flex_bending, and the place of the vertex in it. Shape: [nflexhinge]. Unit: id."""
    @property
    def body_flexvertadr(self) -> NDArray[int32]:
        """First entry in the list of the body's flex vertices. Shape: [nbody]. Unit: id."""
    @property
    def body_flexvertnum(self) -> NDArray[int32]:
        """Number of flex vertices on the body. Shape: [nbody]. Unit: 1."""
    @property
    def body_flexvert(self) -> NDArray[int32]:
        """Flex vertices, body by body; zero behind those of all bodies. Shape: [nflexvert]. Unit: id."""
    @property
    def flex_tiednum(self) -> NDArray[int32]:
        """Number of edges between vertices of different bodies. Shape: [nflex]. Unit: 1."""
    @property
    def flexedge_tied(self) -> NDArray[int32]:
        """These edges of each flex, and -1 behind them. Shape: [nflexedge]. Unit: id."""
    @property
    def flex_tiedvertnum(self) -> NDArray[int32]:
        """Number of vertices whose strain something changes, if the equality constraint is of vertices. Shape: [nflex]. Unit: 1."""
    @property
    def flexvert_tied(self) -> NDArray[int32]:
        """These vertices of each flex, and -1 behind them. Shape: [nflexvert]. Unit: id."""
    @property
    def flex_patchadr(self) -> NDArray[int32]:
        """First cell of a solid between nodes, or outer face of a shell. Shape: [nflex]. Unit: id."""
    @property
    def flex_patchnum(self) -> NDArray[int32]:
        """Number of cells or faces; 0 if vertices are on bodies. Shape: [nflex]. Unit: 1."""
    @property
    def flexpatch_normal(self) -> NDArray[int32]:
        """Axis of the normal of a face; -1 of a cell. Shape: [nflexpatch]. Unit: 1."""
    @property
    def flexpatch_nodeadr(self) -> NDArray[int32]:
        """First entry in the list of the nodes of a cell or face. Shape: [nflexpatch]. Unit: id."""
    @property
    def flexpatch_nodenum(self) -> NDArray[int32]:
        """Number of nodes of a cell or face. Shape: [nflexpatch]. Unit: 1."""
    @property
    def flexpatch_node(self) -> NDArray[int32]:
        """Nodes of cells and faces, the last axis the fastest. Shape: [nflexpatchnode]. Unit: id."""
    @property
    def flexnode_patchadr(self) -> NDArray[int32]:
        """First entry in the list of the cells or faces at a node. Shape: [nflexnode]. Unit: id."""
    @property
    def flexnode_patchnum(self) -> NDArray[int32]:
        """Number of cells or faces at a node. Shape: [nflexnode]. Unit: 1."""
    @property
    def flexnode_patch(self) -> NDArray[int32]:
        """Cells and faces at nodes: 27 times the cell or face, and the place of the node in it. Shape: [nflexpatchnode]. Unit: id."""
    @property
    def flex_foldadr(self) -> NDArray[int32]:
        """First edge about which faces of a shell between nodes bend. Shape: [nflex]. Unit: id."""
    @property
    def flex_foldnum(self) -> NDArray[int32]:
        """Number of edges about which faces bend. Shape: [nflex]. Unit: 1."""
    @property
    def flexpatch_foldadr(self) -> NDArray[int32]:
        """First entry in the list of the edges about which a face bends. Shape: [nflexpatch]. Unit: id."""
    @property
    def flexpatch_foldnum(self) -> NDArray[int32]:
        """Number of edges about which a face bends. Shape: [nflexpatch]. Unit: 1."""
    @property
    def flexpatch_fold(self) -> NDArray[int32]:
        """Edges about which faces bend: twice the edge, and which of its faces this is. Shape: [nflexfold, 2]. Unit: id."""
    @property
    def body_flexnodeadr(self) -> NDArray[int32]:
        """First entry in the list of the body's flex nodes. Shape: [nbody]. Unit: id."""
    @property
    def body_flexnodenum(self) -> NDArray[int32]:
        """Number of flex nodes on the body. Shape: [nbody]. Unit: 1."""
    @property
    def body_flexnode(self) -> NDArray[int32]:
        """Flex nodes, body by body. Shape: [nflexnode]. Unit: id."""
    @property
    def flexpair_geom(self) -> NDArray[int32]:
        """Geom that can collide with a flex, in the order of contacts; -1 where two flexes can. Shape: [nflexpair]. Unit: id."""
    @property
    def flexpair_flex(self) -> NDArray[int32]:
        """The flexes: the first is -1 beside a geom; both are the same where a flex can collide with itself. Shape: [nflexpair, 2]. Unit: id."""
    @property
    def flexpair_candidate(self) -> NDArray[int32]:
        """Number of candidates whose contacts come before those of the pair. Shape: [nflexpair]. Unit: 1."""
    @property
    def tendon_adr(self) -> NDArray[int32]:
        """First path element. Shape: [ntendon]. Unit: id."""
    @property
    def tendon_num(self) -> NDArray[int32]:
        """Number of path elements. Shape: [ntendon]. Unit: 1."""
    @property
    def tendon_matid(self) -> NDArray[int32]:
        """Material for display; -1 for none. Shape: [ntendon]. Unit: id."""
    @property
    def tendon_actuatorid(self) -> NDArray[int32]:
        """Actuator that adds damping or armature; -1 for none, -2 for several. Shape: [ntendon]. Unit: id."""
    @property
    def tendon_group(self) -> NDArray[int32]:
        """Group for display. Shape: [ntendon]. Unit: 1."""
    @property
    def tendon_treenum(self) -> NDArray[int32]:
        """Number of kinematic trees along the path. Shape: [ntendon]. Unit: 1."""
    @property
    def tendon_treeid(self) -> NDArray[int32]:
        """First two kinematic trees along the path; -1 for none. Shape: [ntendon, 2]. Unit: id."""
    @property
    def tendon_limited(self) -> NDArray[int32]:
        """1 if the length is limited. Shape: [ntendon]. Unit: flag."""
    @property
    def tendon_actfrclimited(self) -> NDArray[int32]:
        """1 if the total actuator force is limited. Shape: [ntendon]. Unit: flag."""
    @property
    def tendon_width(self) -> NDArray[float64]:
        """Width for display. Shape: [ntendon]. Unit: m."""
    @property
    def tendon_solref_lim(self) -> NDArray[float64]:
        """Solver reference of the limit constraint. Shape: [ntendon, 2]. Unit: mixed."""
    @property
    def tendon_solimp_lim(self) -> NDArray[float64]:
        """Solver impedance of the limit constraint. Shape: [ntendon, 5]. Unit: mixed."""
    @property
    def tendon_solref_fri(self) -> NDArray[float64]:
        """Solver reference of the friction-loss constraint. Shape: [ntendon, 2]. Unit: mixed."""
    @property
    def tendon_solimp_fri(self) -> NDArray[float64]:
        """Solver impedance of the friction-loss constraint. Shape: [ntendon, 5]. Unit: mixed."""
    @property
    def tendon_range(self) -> NDArray[float64]:
        """Length limits. Shape: [ntendon, 2]. Unit: m."""
    @property
    def tendon_actfrcrange(self) -> NDArray[float64]:
        """Limits of the total actuator force. Shape: [ntendon, 2]. Unit: N."""
    @property
    def tendon_margin(self) -> NDArray[float64]:
        """Distance at which the limit becomes active. Shape: [ntendon]. Unit: m."""
    @property
    def tendon_stiffness(self) -> NDArray[float64]:
        """Linear spring stiffness. Shape: [ntendon]. Unit: N/m."""
    @property
    def tendon_stiffnesspoly(self) -> NDArray[float64]:
        """Quadratic and cubic spring stiffness. Shape: [ntendon, 2]. Unit: mixed."""
    @property
    def tendon_damping(self) -> NDArray[float64]:
        """Linear damping. Shape: [ntendon]. Unit: N s/m."""
    @property
    def tendon_dampingpoly(self) -> NDArray[float64]:
        """Quadratic and cubic damping. Shape: [ntendon, 2]. Unit: mixed."""
    @property
    def tendon_armature(self) -> NDArray[float64]:
        """Inertia along the tendon. Shape: [ntendon]. Unit: kg."""
    @property
    def tendon_frictionloss(self) -> NDArray[float64]:
        """Friction loss. Shape: [ntendon]. Unit: N."""
    @property
    def tendon_lengthspring(self) -> NDArray[float64]:
        """Resting length range of the spring. Shape: [ntendon, 2]. Unit: m."""
    @property
    def tendon_length0(self) -> NDArray[float64]:
        """Length at qpos0. Shape: [ntendon]. Unit: m."""
    @property
    def tendon_invweight0(self) -> NDArray[float64]:
        """Inverse inertia of the length at qpos0. Shape: [ntendon]. Unit: mixed."""
    @property
    def tendon_rgba(self) -> NDArray[float64]:
        """Colour. Shape: [ntendon, 4]. Unit: 1."""
    @property
    def wrap_type(self) -> NDArray[int32]:
        """1 joint, 2 pulley, 3 site, 4 sphere, 5 cylinder. Shape: [nwrap]. Unit: enum."""
    @property
    def wrap_objid(self) -> NDArray[int32]:
        """Joint, site or geom; -1 for a pulley. Shape: [nwrap]. Unit: id."""
    @property
    def wrap_prm(self) -> NDArray[float64]:
        """Joint coefficient, pulley divisor, or side site of a geom. Shape: [nwrap]. Unit: mixed."""
    @property
    def ten_J_rownnz(self) -> NDArray[int32]:
        """Nonzeros of the tendon's Jacobian row. Shape: [ntendon]. Unit: 1."""
    @property
    def ten_J_rowadr(self) -> NDArray[int32]:
        """First nonzero of the row. Shape: [ntendon]. Unit: id."""
    @property
    def ten_J_colind(self) -> NDArray[int32]:
        """Column of each nonzero. Shape: [nJten]. Unit: id."""
    @property
    def actuator_trntype(self) -> NDArray[int32]:
        """Transmission: 0 joint, 1 jointinparent, 2 slidercrank, 3 tendon, 4 site, 5 body, 6 so3. Shape: [nactuator]. Unit: enum."""
    @property
    def actuator_dyntype(self) -> NDArray[int32]:
        """Activation dynamics: 0 none, 1 integrator, 2 filter, 3 filterexact, 4 muscle, 5 dcmotor, 6 pid, 7 user. Shape: [nactuator]. Unit: enum."""
    @property
    def actuator_gaintype(self) -> NDArray[int32]:
        """Gain: 0 fixed, 1 affine, 2 muscle, 3 dcmotor, 4 so3, 5 pid, 6 user. Shape: [nactuator]. Unit: enum."""
    @property
    def actuator_biastype(self) -> NDArray[int32]:
        """Bias: 0 none, 1 affine, 2 muscle, 3 dcmotor, 4 so3, 5 user. Shape: [nactuator]. Unit: enum."""
    @property
    def actuator_ctrladr(self) -> NDArray[int32]:
        """First control. Shape: [nactuator]. Unit: id."""
    @property
    def actuator_ctrlnum(self) -> NDArray[int32]:
        """Number of controls. Shape: [nactuator]. Unit: 1."""
    @property
    def actuator_ctrlspec(self) -> NDArray[int32]:
        """Control components, see `input`. Shape: [nactuator]. Unit: bits."""
    @property
    def actuator_outadr(self) -> NDArray[int32]:
        """First force output. Shape: [nactuator]. Unit: id."""
    @property
    def actuator_outnum(self) -> NDArray[int32]:
        """Number of force outputs. Shape: [nactuator]. Unit: 1."""
    @property
    def actuator_actadr(self) -> NDArray[int32]:
        """First activation; -1 for none. Shape: [nactuator]. Unit: id."""
    @property
    def actuator_actnum(self) -> NDArray[int32]:
        """Number of activations. Shape: [nactuator]. Unit: 1."""
    @property
    def actuator_trnid(self) -> NDArray[int32]:
        """Transmission target: joint, tendon, site or body, and a second site; -1 for none. Shape: [nactuator, 2]. Unit: id."""
    @property
    def moment_rownnz(self) -> NDArray[int32]:
        """Nonzeros of the output's moment row. Shape: [nout]. Unit: 1."""
    @property
    def moment_rowadr(self) -> NDArray[int32]:
        """First nonzero of the row. Shape: [nout]. Unit: id."""
    @property
    def moment_colind(self) -> NDArray[int32]:
        """Column of each nonzero. Shape: [nJmom]. Unit: id."""
    @property
    def moment_rowind(self) -> NDArray[int32]:
        """Row of each nonzero. Shape: [nJmom]. Unit: id."""
    @property
    def actuator_cranklength(self) -> NDArray[float64]:
        """Rod length of a slider-crank. Shape: [nactuator]. Unit: m."""
    @property
    def actuator_dynprm(self) -> NDArray[float64]:
        """Parameters of the activation dynamics. Shape: [nactuator, 10]. Unit: mixed."""
    @property
    def actuator_gainprm(self) -> NDArray[float64]:
        """Parameters of the gain. Shape: [nactuator, 10]. Unit: mixed."""
    @property
    def actuator_biasprm(self) -> NDArray[float64]:
        """Parameters of the bias. Shape: [nactuator, 10]. Unit: mixed."""
    @property
    def actuator_actlimited(self) -> NDArray[int32]:
        """1 if activations are clamped. Shape: [nactuator]. Unit: flag."""
    @property
    def actuator_actrange(self) -> NDArray[float64]:
        """Activation range. Shape: [nactuator, 2]. Unit: 1."""
    @property
    def actuator_actearly(self) -> NDArray[int32]:
        """1 if the force uses the next activation. Shape: [nactuator]. Unit: flag."""
    @property
    def actuator_history(self) -> NDArray[int32]:
        """Samples in the history buffer, and interpolation order. Shape: [nactuator, 2]. Unit: 1."""
    @property
    def actuator_historyadr(self) -> NDArray[int32]:
        """First number of the history buffer; -1 for none. Shape: [nactuator]. Unit: id."""
    @property
    def actuator_delay(self) -> NDArray[float64]:
        """Control delay. Shape: [nactuator]. Unit: s."""
    @property
    def actuator_plugin(self) -> NDArray[int32]:
        """Plugin instance; -1 for none. Shape: [nactuator]. Unit: id."""
    @property
    def actuator_damping(self) -> NDArray[float64]:
        """Damping added to the target. Shape: [nactuator]. Unit: mixed."""
    @property
    def actuator_dampingpoly(self) -> NDArray[float64]:
        """Quadratic and cubic damping. Shape: [nactuator, 2]. Unit: mixed."""
    @property
    def actuator_armature(self) -> NDArray[float64]:
        """Armature added to the target. Shape: [nactuator]. Unit: mixed."""
    @property
    def actuator_group(self) -> NDArray[int32]:
        """Group for display and for disabling. Shape: [nactuator]. Unit: 1."""
    @property
    def actuator_forcelimited(self) -> NDArray[int32]:
        """1 if the force is clamped. Shape: [nactuator]. Unit: flag."""
    @property
    def actuator_forcerange(self) -> NDArray[float64]:
        """Force range. Shape: [nactuator, 2]. Unit: N or N m."""
    @property
    def actuator_ctrllimited(self) -> NDArray[int32]:
        """1 if the control is clamped. Shape: [nu]. Unit: flag."""
    @property
    def actuator_ctrlrange(self) -> NDArray[float64]:
        """Control range. Shape: [nu, 2]. Unit: mixed."""
    @property
    def actuator_gear(self) -> NDArray[float64]:
        """Scaling of length and force. Shape: [nout, 6]. Unit: mixed."""
    @property
    def actuator_acc0(self) -> NDArray[float64]:
        """Norm of the acceleration under unit force at qpos0. Shape: [nout]. Unit: mixed."""
    @property
    def actuator_length0(self) -> NDArray[float64]:
        """Length at qpos0. Shape: [nout]. Unit: mixed."""
    @property
    def actuator_lengthrange(self) -> NDArray[float64]:
        """Feasible length range. Shape: [nout, 2]. Unit: mixed."""
    @property
    def eq_type(self) -> NDArray[int32]:
        """0 connect, 1 weld, 2 joint, 3 tendon, 4 flex, 5 flexvert, 6 flexstrain. Shape: [neq]. Unit: enum."""
    @property
    def eq_obj1id(self) -> NDArray[int32]:
        """First object. Shape: [neq]. Unit: id."""
    @property
    def eq_obj2id(self) -> NDArray[int32]:
        """Second object; -1 for none. Shape: [neq]. Unit: id."""
    @property
    def eq_objtype(self) -> NDArray[int32]:
        """Object type of a connect or weld: 1 body, 6 site. Shape: [neq]. Unit: enum."""
    @property
    def eq_active0(self) -> NDArray[int32]:
        """1 if the constraint is initially active. Shape: [neq]. Unit: flag."""
    @property
    def eq_solref(self) -> NDArray[float64]:
        """Solver reference. Shape: [neq, 2]. Unit: mixed."""
    @property
    def eq_solimp(self) -> NDArray[float64]:
        """Solver impedance. Shape: [neq, 5]. Unit: mixed."""
    @property
    def eq_data(self) -> NDArray[float64]:
        """Type-specific data: anchors, relative pose and torque scale, or coefficients. Shape: [neq, 12]. Unit: mixed."""
    @property
    def sensor_type(self) -> NDArray[int32]:
        """Type: index into `schema::sensors::SENSORS`. Shape: [nsensor]. Unit: enum."""
    @property
    def sensor_datatype(self) -> NDArray[int32]:
        """0 real, 1 positive, 2 axis, 3 quaternion. Shape: [nsensor]. Unit: enum."""
    @property
    def sensor_needstage(self) -> NDArray[int32]:
        """Required stage: 0 none, 1 position, 2 velocity, 3 acceleration. Shape: [nsensor]. Unit: enum."""
    @property
    def sensor_objtype(self) -> NDArray[int32]:
        """Type of the measured object (`mjtObj`); 0 for none. Shape: [nsensor]. Unit: enum."""
    @property
    def sensor_objid(self) -> NDArray[int32]:
        """Measured object; -1 for none. Shape: [nsensor]. Unit: id."""
    @property
    def sensor_reftype(self) -> NDArray[int32]:
        """Type of the reference object; 0 for none. Shape: [nsensor]. Unit: enum."""
    @property
    def sensor_refid(self) -> NDArray[int32]:
        """Reference object; -1 for none. Shape: [nsensor]. Unit: id."""
    @property
    def sensor_plugin(self) -> NDArray[int32]:
        """Plugin instance; -1 for none. Shape: [nsensor]. Unit: id."""
    @property
    def sensor_treeid(self) -> NDArray[int32]:
        """Kinematic trees of the measured and the reference object; -1 for none. Shape: [nsensor, 2]. Unit: id."""
    @property
    def sensor_intprm(self) -> NDArray[int32]:
        """Type-specific parameters: fields, reduction, number of contacts. Shape: [nsensor, 3]. Unit: mixed."""
    @property
    def sensor_dim(self) -> NDArray[int32]:
        """Number of outputs. Shape: [nsensor]. Unit: 1."""
    @property
    def sensor_adr(self) -> NDArray[int32]:
        """First output. Shape: [nsensor]. Unit: id."""
    @property
    def sensor_cutoff(self) -> NDArray[float64]:
        """Cutoff of the output; 0 for none. Shape: [nsensor]. Unit: mixed."""
    @property
    def sensor_noise(self) -> NDArray[float64]:
        """Standard deviation of noise. Shape: [nsensor]. Unit: mixed."""
    @property
    def sensor_history(self) -> NDArray[int32]:
        """Samples in the history buffer, and interpolation order. Shape: [nsensor, 2]. Unit: 1."""
    @property
    def sensor_historyadr(self) -> NDArray[int32]:
        """First number of the history buffer; -1 for none. Shape: [nsensor]. Unit: id."""
    @property
    def sensor_delay(self) -> NDArray[float64]:
        """Delay. Shape: [nsensor]. Unit: s."""
    @property
    def sensor_interval(self) -> NDArray[float64]:
        """Sampling period and phase. Shape: [nsensor, 2]. Unit: s."""
    @property
    def sensor_user(self) -> NDArray[float64]:
        """User data. Shape: [nsensor, nuser_sensor]. Unit: mixed."""
    @property
    def text_adr(self) -> NDArray[int32]:
        """First byte of the text in `text_data`. Shape: [ntext]. Unit: id."""
    @property
    def text_size(self) -> NDArray[int32]:
        """Number of bytes of the text, terminating zero included. Shape: [ntext]. Unit: 1."""
    @property
    def text_data(self) -> NDArray[int32]:
        """All texts as bytes. Shape: [ntextdata]. Unit: byte."""
    @property
    def tuple_adr(self) -> NDArray[int32]:
        """First object of the tuple. Shape: [ntuple]. Unit: id."""
    @property
    def tuple_size(self) -> NDArray[int32]:
        """Number of objects of the tuple. Shape: [ntuple]. Unit: 1."""
    @property
    def tuple_objtype(self) -> NDArray[int32]:
        """Object type (`mjtObj`). Shape: [ntupledata]. Unit: enum."""
    @property
    def tuple_objid(self) -> NDArray[int32]:
        """Object id. Shape: [ntupledata]. Unit: id."""
    @property
    def tuple_objprm(self) -> NDArray[float64]:
        """Object parameter. Shape: [ntupledata]. Unit: mixed."""
    @property
    def plugin(self) -> NDArray[int32]:
        """Plugin slot, in MuJoCo's order. Shape: [nplugin]. Unit: id."""
    @property
    def plugin_stateadr(self) -> NDArray[int32]:
        """First state. Shape: [nplugin]. Unit: id."""
    @property
    def plugin_statenum(self) -> NDArray[int32]:
        """Number of states. Shape: [nplugin]. Unit: 1."""
    @property
    def plugin_attr(self) -> NDArray[int32]:
        """Configuration: zero-terminated texts as bytes. Shape: [npluginattr]. Unit: 1."""
    @property
    def plugin_attradr(self) -> NDArray[int32]:
        """First byte of the configuration. Shape: [nplugin]. Unit: id."""
    @property
    def plugin_prm(self) -> NDArray[float64]:
        """Numbers of the configuration. `mujoco.pid`: gains of error, integral and rate, largest integral and largest rate of the target (-1 for none). Cable: moduli of shear and elasticity, 1 if it is straight at rest. Touch grid: channels, columns, rows, width and height of the view in radians, foveation. Signed distance fields: bolt and nut radius; bowl height, radius, thickness; gear alpha (rad), diameter, teeth, thickness, inner diameter (negative: from the others); torus radii of circle and tube. Shape: [nplugin, 6]. Unit: mixed."""
    @property
    def cable_jntid(self) -> NDArray[int32]:
        """Ball joint at which the piece of cable bends, in ascending order. Shape: [ncable]. Unit: id."""
    @property
    def cable_stiffness(self) -> NDArray[float64]:
        """Stiffness against twist about x and bending about y and z, in the parent's frame. Shape: [ncable, 3]. Unit: N m/rad."""
    @property
    def cable_rest(self) -> NDArray[float64]:
        """Rotation vector of the body relative to its parent at rest. Shape: [ncable, 3]. Unit: rad."""
    @property
    def numeric_adr(self) -> NDArray[int32]:
        """First number of the custom numeric in `numeric_data`. Shape: [nnumeric]. Unit: id."""
    @property
    def numeric_size(self) -> NDArray[int32]:
        """Length of the custom numeric. Shape: [nnumeric]. Unit: 1."""
    @property
    def numeric_data(self) -> NDArray[float64]:
        """Numbers of all custom numerics. Shape: [nnumericdata]. Unit: mixed."""
    @property
    def task_table(self) -> NDArray[float64]:
        """Numbers of the task that are looked up by a row that is computed. Shape: [ntasktable]. Unit: mixed."""
    @property
    def key_time(self) -> NDArray[float64]:
        """Time. Shape: [nkey]. Unit: s."""
    @property
    def key_qpos(self) -> NDArray[float64]:
        """Position coordinates. Shape: [nkey, nq]. Unit: mixed."""
    @property
    def key_qvel(self) -> NDArray[float64]:
        """Velocities. Shape: [nkey, nv]. Unit: mixed."""
    @property
    def key_act(self) -> NDArray[float64]:
        """Activations. Shape: [nkey, na]. Unit: 1."""
    @property
    def key_mpos(self) -> NDArray[float64]:
        """Positions of mocap bodies, one after the other. Shape: [nkey, 3*nmocap]. Unit: m."""
    @property
    def key_mquat(self) -> NDArray[float64]:
        """Orientations of mocap bodies, one after the other. Shape: [nkey, 4*nmocap]. Unit: 1."""
    @property
    def key_ctrl(self) -> NDArray[float64]:
        """Controls. Shape: [nkey, nu]. Unit: mixed."""
    def body(self, name: Name) -> Selection: ...
    def bodies(self, pattern: Pattern = ...) -> Selection: ...
    def joint(self, name: Name) -> Selection: ...
    def jnt(self, name: Name) -> Selection: ...
    def joints(self, pattern: Pattern = ...) -> Selection: ...
    def geom(self, name: Name) -> Selection: ...
    def geoms(self, pattern: Pattern = ...) -> Selection: ...
    def site(self, name: Name) -> Selection: ...
    def sites(self, pattern: Pattern = ...) -> Selection: ...
    def camera(self, name: Name) -> Selection: ...
    def cam(self, name: Name) -> Selection: ...
    def cameras(self, pattern: Pattern = ...) -> Selection: ...
    def light(self, name: Name) -> Selection: ...
    def lights(self, pattern: Pattern = ...) -> Selection: ...
    def flex(self, name: Name) -> Selection: ...
    def flexes(self, pattern: Pattern = ...) -> Selection: ...
    def mesh(self, name: Name) -> Selection: ...
    def meshes(self, pattern: Pattern = ...) -> Selection: ...
    def skin(self, name: Name) -> Selection: ...
    def skins(self, pattern: Pattern = ...) -> Selection: ...
    def hfield(self, name: Name) -> Selection: ...
    def hfields(self, pattern: Pattern = ...) -> Selection: ...
    def texture(self, name: Name) -> Selection: ...
    def tex(self, name: Name) -> Selection: ...
    def textures(self, pattern: Pattern = ...) -> Selection: ...
    def material(self, name: Name) -> Selection: ...
    def mat(self, name: Name) -> Selection: ...
    def materials(self, pattern: Pattern = ...) -> Selection: ...
    def pair(self, name: Name) -> Selection: ...
    def pairs(self, pattern: Pattern = ...) -> Selection: ...
    def exclude(self, name: Name) -> Selection: ...
    def excludes(self, pattern: Pattern = ...) -> Selection: ...
    def equality(self, name: Name) -> Selection: ...
    def eq(self, name: Name) -> Selection: ...
    def equalities(self, pattern: Pattern = ...) -> Selection: ...
    def tendon(self, name: Name) -> Selection: ...
    def tendons(self, pattern: Pattern = ...) -> Selection: ...
    def actuator(self, name: Name) -> Selection: ...
    def actuators(self, pattern: Pattern = ...) -> Selection: ...
    def sensor(self, name: Name) -> Selection: ...
    def sensors(self, pattern: Pattern = ...) -> Selection: ...
    def numeric(self, name: Name) -> Selection: ...
    def numerics(self, pattern: Pattern = ...) -> Selection: ...
    def text(self, name: Name) -> Selection: ...
    def texts(self, pattern: Pattern = ...) -> Selection: ...
    def tuple(self, name: Name) -> Selection: ...
    def tuples(self, pattern: Pattern = ...) -> Selection: ...
    def key(self, name: Name) -> Selection: ...
    def keys(self, pattern: Pattern = ...) -> Selection: ...
    def plugins(self, pattern: Pattern = ...) -> Selection: ...

class BatchFields:
    @property
    def time(self) -> Reals:
        """Simulation time. Shape: [world]. Unit: s. Written by: state."""
    @time.setter
    def time(self, values: ArrayLike) -> None: ...
    @property
    def time_compensation(self) -> Reals:
        """Compensated summation: rounding error of the time. Shape: [world]. Unit: s. Written by: state."""
    @time_compensation.setter
    def time_compensation(self, values: ArrayLike) -> None: ...
    @property
    def qpos(self) -> Reals:
        """Positions. Shape: [world, nq]. Unit: mixed. Written by: state."""
    @qpos.setter
    def qpos(self, values: ArrayLike) -> None: ...
    @property
    def qvel(self) -> Reals:
        """Velocities. Shape: [world, nv]. Unit: mixed. Written by: state."""
    @qvel.setter
    def qvel(self, values: ArrayLike) -> None: ...
    @property
    def act(self) -> Reals:
        """Activations. Shape: [world, na]. Unit: 1. Written by: state."""
    @act.setter
    def act(self, values: ArrayLike) -> None: ...
    @property
    def qacc_warmstart(self) -> Reals:
        """Acceleration for the warm start of the solver. Shape: [world, nv]. Unit: mixed. Written by: state."""
    @qacc_warmstart.setter
    def qacc_warmstart(self, values: ArrayLike) -> None: ...
    @property
    def history(self) -> Reals:
        """History buffers of controls and sensors, each: time of the last sample, index of the newest sample, sample times, sample values. Shape: [world, nhistory]. Unit: mixed. Written by: state."""
    @history.setter
    def history(self, values: ArrayLike) -> None: ...
    @property
    def history_compensation(self) -> Reals:
        """Compensated summation: rounding error of the last sample times. Shape: [world, nsensor]. Unit: s. Written by: state."""
    @history_compensation.setter
    def history_compensation(self, values: ArrayLike) -> None: ...
    @property
    def ctrl(self) -> Reals:
        """Controls. Shape: [world, nu]. Unit: mixed. Written by: state."""
    @ctrl.setter
    def ctrl(self, values: ArrayLike) -> None: ...
    @property
    def qfrc_applied(self) -> Reals:
        """Applied generalized force. Shape: [world, nv]. Unit: N or N m. Written by: state."""
    @qfrc_applied.setter
    def qfrc_applied(self, values: ArrayLike) -> None: ...
    @property
    def xfrc_applied(self) -> Reals:
        """Applied force and torque at each centre of mass. Shape: [world, nbody, 6]. Unit: N, N m. Written by: state."""
    @xfrc_applied.setter
    def xfrc_applied(self, values: ArrayLike) -> None: ...
    @property
    def mocap_pos(self) -> Reals:
        """Positions of mocap bodies. Shape: [world, nmocap, 3]. Unit: m. Written by: state."""
    @mocap_pos.setter
    def mocap_pos(self, values: ArrayLike) -> None: ...
    @property
    def mocap_quat(self) -> Reals:
        """Orientations of mocap bodies. Shape: [world, nmocap, 4]. Unit: 1. Written by: state."""
    @mocap_quat.setter
    def mocap_quat(self, values: ArrayLike) -> None: ...
    @property
    def eq_active(self) -> NDArray[int32]:
        """1 if the equality constraint is active. Shape: [world, neq]. Unit: flag. Written by: state."""
    @eq_active.setter
    def eq_active(self, values: ArrayLike) -> None: ...
    @property
    def tree_asleep(self) -> NDArray[int32]:
        """Awake: minus one minus the steps of rest remaining before sleep. Asleep: next tree in the cycle of trees that sleep together, itself if alone. Shape: [world, nasleep]. Unit: mixed. Written by: state."""
    @tree_asleep.setter
    def tree_asleep(self, values: ArrayLike) -> None: ...
    @property
    def asleep_qpos(self) -> Reals:
        """Positions at which trees fell asleep. Shape: [world, nasleepq]. Unit: mixed. Written by: state."""
    @asleep_qpos.setter
    def asleep_qpos(self, values: ArrayLike) -> None: ...
    @property
    def status(self) -> NDArray[int32]:
        """Warnings since it was last cleared; see `status` in `enums`. Shape: [world]. Unit: bits. Written by: state."""
    @status.setter
    def status(self, values: ArrayLike) -> None: ...
    @property
    def nreset(self) -> NDArray[int32]:
        """Automatic resets after a non-finite state. Shape: [world]. Unit: 1. Written by: state."""
    @nreset.setter
    def nreset(self, values: ArrayLike) -> None: ...
    @property
    def ncon_peak(self) -> NDArray[int32]:
        """Largest number of contacts requested at once. Shape: [world]. Unit: 1. Written by: state."""
    @ncon_peak.setter
    def ncon_peak(self, values: ArrayLike) -> None: ...
    @property
    def nefc_peak(self) -> NDArray[int32]:
        """Largest number of constraint rows requested at once. Shape: [world]. Unit: 1. Written by: state."""
    @nefc_peak.setter
    def nefc_peak(self, values: ArrayLike) -> None: ...
    @property
    def xpos(self) -> Reals:
        """Position of the body's frame. Shape: [world, nbody, 3]. Unit: m. Written by: kinematics."""
    @property
    def xquat(self) -> Reals:
        """Orientation of the body's frame, as a quaternion. Shape: [world, nbody, 4]. Unit: 1. Written by: kinematics."""
    @property
    def xmat(self) -> Reals:
        """Orientation of the body's frame, as a matrix. Shape: [world, nbody, 9]. Unit: 1. Written by: kinematics."""
    @property
    def xipos(self) -> Reals:
        """Centre of mass. Shape: [world, nbody, 3]. Unit: m. Written by: kinematics."""
    @property
    def ximat(self) -> Reals:
        """Orientation of the principal axes of inertia. Shape: [world, nbody, 9]. Unit: 1. Written by: kinematics."""
    @property
    def xanchor(self) -> Reals:
        """Anchor of the joint. Shape: [world, njnt, 3]. Unit: m. Written by: kinematics."""
    @property
    def xaxis(self) -> Reals:
        """Axis of the joint. Shape: [world, njnt, 3]. Unit: 1. Written by: kinematics."""
    @property
    def geom_xpos(self) -> Reals:
        """Position of the geom. Shape: [world, ngeom, 3]. Unit: m. Written by: kinematics."""
    @property
    def geom_xmat(self) -> Reals:
        """Orientation of the geom. Shape: [world, ngeom, 9]. Unit: 1. Written by: kinematics."""
    @property
    def site_xpos(self) -> Reals:
        """Position of the site. Shape: [world, nsite, 3]. Unit: m. Written by: kinematics."""
    @property
    def site_xmat(self) -> Reals:
        """Orientation of the site. Shape: [world, nsite, 9]. Unit: 1. Written by: kinematics."""
    @property
    def subtree_com(self) -> Reals:
        """Centre of mass of the subtree. Shape: [world, nbody, 3]. Unit: m. Written by: com_pos."""
    @property
    def cinert(self) -> Reals:
        """Composite body inertia about the tree's centre of mass: 6 tensor entries, 3 of mass times offset, mass. Shape: [world, nbody, 10]. Unit: kg, kg m, kg m^2. Written by: com_pos."""
    @property
    def cdof(self) -> Reals:
        """Motion axis about the tree's centre of mass. Shape: [world, nv, 6]. Unit: 1, m. Written by: com_pos."""
    @property
    def cam_xpos(self) -> Reals:
        """Position of the camera. Shape: [world, ncam, 3]. Unit: m. Written by: camlight."""
    @property
    def cam_xmat(self) -> Reals:
        """Orientation of the camera. Shape: [world, ncam, 9]. Unit: 1. Written by: camlight."""
    @property
    def light_xpos(self) -> Reals:
        """Position of the light. Shape: [world, nlight, 3]. Unit: m. Written by: camlight."""
    @property
    def light_xdir(self) -> Reals:
        """Direction of the light. Shape: [world, nlight, 3]. Unit: 1. Written by: camlight."""
    @property
    def flexvert_xpos(self) -> Reals:
        """Position of the vertex. Shape: [world, nflexvert, 3]. Unit: m. Written by: flex."""
    @property
    def flexelem_aabb(self) -> Reals:
        """Bounding box of the element, with its radius: centre and half sizes. Shape: [world, nflexelem, 6]. Unit: m. Written by: flex."""
    @property
    def flexedge_length(self) -> Reals:
        """Length of the edge; zero in a flex on one body. Shape: [world, nflexedge]. Unit: m. Written by: flex."""
    @property
    def flexvert_length(self) -> Reals:
        """Strain around the vertex times the root of its mass: of the trace, and of the determinant of the Cauchy-Green tensor; zero unless its flex keeps vertices. Shape: [world, nflexvert, 2]. Unit: kg^0.5. Written by: flex."""
    @property
    def flexvert_J(self) -> Reals:
        """Jacobian of flexvert_length, sparse by row. Shape: [world, nJfv, 2]. Unit: mixed. Written by: flex."""
    @property
    def flexnode_xpos(self) -> Reals:
        """Position of the node; of a node inside a shell, that between its sides. Shape: [world, nflexnode, 3]. Unit: m. Written by: flex."""
    @property
    def flexpatch_xmat(self) -> Reals:
        """Rotation of the cell or face of a flex from the axes of its grid, if it is elastic or constrained. Shape: [world, nflexpatch, 9]. Unit: 1. Written by: flex."""
    @property
    def flexedge_J(self) -> Reals:
        """Jacobian of the length, sparse by row. Shape: [world, nJfe]. Unit: mixed. Written by: flex."""
    @property
    def ten_length(self) -> Reals:
        """Tendon length. Shape: [world, ntendon]. Unit: m. Written by: tendon."""
    @property
    def ten_J(self) -> Reals:
        """Jacobian of the length, sparse by row. Shape: [world, nJten]. Unit: mixed. Written by: tendon."""
    @property
    def crb(self) -> Reals:
        """Composite inertia of the subtree. Shape: [world, nbody, 10]. Unit: as cinert. Written by: crb."""
    @property
    def M(self) -> Reals:
        """Inertia matrix: rows of the lower triangle. Shape: [world, nC]. Unit: mixed. Written by: crb."""
    @property
    def qLD(self) -> Reals:
        """Factors L and D of M = L' D L; the diagonal holds D. Shape: [world, nC]. Unit: mixed. Written by: factor_m."""
    @property
    def qLDiagInv(self) -> Reals:
        """Inverse of D. Shape: [world, nv]. Unit: mixed. Written by: factor_m."""
    @property
    def ncon(self) -> NDArray[int32]:
        """Number of contacts. Shape: [world]. Unit: 1. Written by: collision."""
    @property
    def contact_dist(self) -> Reals:
        """Distance; negative for penetration. Shape: [world, nconmax]. Unit: m. Written by: collision."""
    @property
    def contact_pos(self) -> Reals:
        """Midpoint between the surfaces. Shape: [world, nconmax, 3]. Unit: m. Written by: collision."""
    @property
    def contact_frame(self) -> Reals:
        """Contact frame, axes as rows: normal from the first geom to the second, then tangents. Shape: [world, nconmax, 9]. Unit: 1. Written by: collision."""
    @property
    def contact_includemargin(self) -> Reals:
        """Distance below which the contact is active. Shape: [world, nconmax]. Unit: m. Written by: collision."""
    @property
    def contact_friction(self) -> Reals:
        """Friction coefficients of the five tangential dimensions. Shape: [world, nconmax, 5]. Unit: mixed. Written by: collision."""
    @property
    def contact_solref(self) -> Reals:
        """Solver reference in the normal direction. Shape: [world, nconmax, 2]. Unit: mixed. Written by: collision."""
    @property
    def contact_solreffriction(self) -> Reals:
        """Solver reference in the friction directions. Shape: [world, nconmax, 2]. Unit: mixed. Written by: collision."""
    @property
    def contact_solimp(self) -> Reals:
        """Solver impedance. Shape: [world, nconmax, 5]. Unit: mixed. Written by: collision."""
    @property
    def contact_adhesion(self) -> Reals:
        """Adhesion force. Shape: [world, nadhesive]. Unit: N. Written by: collision."""
    @property
    def contact_dim(self) -> NDArray[int32]:
        """Contact dimensions. Shape: [world, nconmax]. Unit: 1. Written by: collision."""
    @property
    def contact_geom(self) -> NDArray[int32]:
        """Geoms; -1 for a flex. Shape: [world, nconmax, 2]. Unit: id. Written by: collision."""
    @property
    def contact_flex(self) -> NDArray[int32]:
        """Flexes; -1 for a geom. Shape: [world, nflexcon, 2]. Unit: id. Written by: collision."""
    @property
    def contact_elem(self) -> NDArray[int32]:
        """Elements within the flexes; -1 for none. Shape: [world, nflexcon, 2]. Unit: id. Written by: collision."""
    @property
    def contact_vert(self) -> NDArray[int32]:
        """Vertices within the flexes; -1 for none. Shape: [world, nflexcon, 2]. Unit: id. Written by: collision."""
    @property
    def contact_efc_address(self) -> NDArray[int32]:
        """First constraint row; -1 for none. Shape: [world, nconmax]. Unit: id. Written by: make_constraint."""
    @property
    def ne(self) -> NDArray[int32]:
        """Number of equality rows. Shape: [world]. Unit: 1. Written by: make_constraint."""
    @property
    def nf(self) -> NDArray[int32]:
        """Number of friction-loss rows. Shape: [world]. Unit: 1. Written by: make_constraint."""
    @property
    def nl(self) -> NDArray[int32]:
        """Number of limit rows. Shape: [world]. Unit: 1. Written by: make_constraint."""
    @property
    def nefc(self) -> NDArray[int32]:
        """Number of constraint rows. Shape: [world]. Unit: 1. Written by: make_constraint."""
    @property
    def efc_type(self) -> NDArray[int32]:
        """0 equality, 1 dof friction, 2 tendon friction, 3 joint limit, 4 tendon limit, 5 frictionless contact, 6 pyramidal contact, 7 elliptic contact. Shape: [world, njmax]. Unit: enum. Written by: make_constraint."""
    @property
    def efc_id(self) -> NDArray[int32]:
        """Object of the row. Shape: [world, njmax]. Unit: id. Written by: make_constraint."""
    @property
    def efc_J(self) -> Reals:
        """Constraint Jacobian; a row is zero outside of its `efc_dof_begin` to `efc_dof_end`. Shape: [world, njmax, nv]. Unit: mixed. Written by: make_constraint."""
    @property
    def efc_pos(self) -> Reals:
        """Constraint violation. Shape: [world, njmax]. Unit: m or rad. Written by: make_constraint."""
    @property
    def efc_margin(self) -> Reals:
        """Margin. Shape: [world, njmax]. Unit: m or rad. Written by: make_constraint."""
    @property
    def efc_frictionloss(self) -> Reals:
        """Friction-loss bound. Shape: [world, njmax]. Unit: N or N m. Written by: make_constraint."""
    @property
    def efc_diagApprox(self) -> Reals:
        """Diagonal of the inverse inertia in constraint space: approximate, or exact with flag diagexact. Shape: [world, njmax]. Unit: mixed. Written by: make_constraint."""
    @property
    def efc_KBIP(self) -> Reals:
        """Stiffness, damping, impedance, derivative of the impedance. Shape: [world, njmax, 4]. Unit: mixed. Written by: make_constraint."""
    @property
    def efc_D(self) -> Reals:
        """Inverse of the regulariser. Shape: [world, njmax]. Unit: mixed. Written by: make_constraint."""
    @property
    def efc_R(self) -> Reals:
        """Regulariser. Shape: [world, njmax]. Unit: mixed. Written by: make_constraint."""
    @property
    def actuator_length(self) -> Reals:
        """Actuator length. Shape: [world, nout]. Unit: mixed. Written by: transmission."""
    @property
    def actuator_moment(self) -> Reals:
        """Moment arms, sparse by output. Shape: [world, nJmom]. Unit: mixed. Written by: transmission."""
    @property
    def cvel(self) -> Reals:
        """Body velocity about the tree's centre of mass. Shape: [world, nbody, 6]. Unit: rad/s, m/s. Written by: com_vel."""
    @property
    def cdof_dot(self) -> Reals:
        """Time derivative of cdof. Shape: [world, nv, 6]. Unit: 1/s, m/s. Written by: com_vel."""
    @property
    def qfrc_fluid(self) -> Reals:
        """Fluid force. Shape: [world, nv]. Unit: N or N m. Written by: fluid."""
    @property
    def ten_velocity(self) -> Reals:
        """Tendon velocity. Shape: [world, ntendon]. Unit: m/s. Written by: passive."""
    @property
    def actuator_velocity(self) -> Reals:
        """Actuator velocity. Shape: [world, nout]. Unit: mixed. Written by: passive."""
    @property
    def flexedge_velocity(self) -> Reals:
        """Velocity of the edge along itself. Shape: [world, nflexedge]. Unit: m/s. Written by: passive."""
    @property
    def qfrc_spring(self) -> Reals:
        """Spring force. Shape: [world, nv]. Unit: N or N m. Written by: passive."""
    @property
    def qfrc_damper(self) -> Reals:
        """Damper force. Shape: [world, nv]. Unit: N or N m. Written by: passive."""
    @property
    def qfrc_gravcomp(self) -> Reals:
        """Gravity compensation force. Shape: [world, nv]. Unit: N or N m. Written by: passive."""
    @property
    def qfrc_adhesion(self) -> Reals:
        """Contact adhesion force. Shape: [world, nv]. Unit: N or N m. Written by: passive."""
    @property
    def qfrc_passive(self) -> Reals:
        """Total passive force. Shape: [world, nv]. Unit: N or N m. Written by: passive."""
    @property
    def law_force(self) -> Reals:
        """Passive forces of laws, one after the other: of joints, of tendons, and force with torque at sites and bodies. Shape: [world, nlawforce]. Unit: N, N m. Written by: laws."""
    @property
    def law_gain(self) -> Reals:
        """Gain of an actuator by a law. Shape: [world, nlawactuator]. Unit: mixed. Written by: laws."""
    @property
    def law_bias(self) -> Reals:
        """Bias of an actuator by a law. Shape: [world, nlawactuator]. Unit: N or N m. Written by: laws."""
    @property
    def law_act_dot(self) -> Reals:
        """Rates of activations and states by laws. Shape: [world, nlawact]. Unit: mixed. Written by: laws."""
    @property
    def efc_vel(self) -> Reals:
        """Velocity in constraint space. Shape: [world, njmax]. Unit: m/s or rad/s. Written by: reference_constraint."""
    @property
    def efc_aref(self) -> Reals:
        """Reference acceleration. Shape: [world, njmax]. Unit: m/s^2 or rad/s^2. Written by: reference_constraint."""
    @property
    def bias_cacc(self) -> Reals:
        """Body acceleration about the tree's centre of mass, without joint accelerations. Shape: [world, nbody, 6]. Unit: rad/s^2, m/s^2. Written by: rne."""
    @property
    def bias_cfrc(self) -> Reals:
        """Force that produces this acceleration of the subtree. Shape: [world, nbody, 6]. Unit: N m, N. Written by: rne."""
    @property
    def qfrc_bias(self) -> Reals:
        """Coriolis, centrifugal and gravitational force. Shape: [world, nv]. Unit: N or N m. Written by: rne."""
    @property
    def ctrl_delayed(self) -> Reals:
        """Controls in effect, for models with history buffers. Shape: [world, nu]. Unit: mixed. Written by: actuation."""
    @property
    def actuator_force(self) -> Reals:
        """Actuator force. Shape: [world, nout]. Unit: N or N m. Written by: actuation."""
    @property
    def act_dot(self) -> Reals:
        """Time derivative of the activation. Shape: [world, na]. Unit: 1/s. Written by: actuation."""
    @property
    def qfrc_actuator(self) -> Reals:
        """Actuator force in joint space. Shape: [world, nv]. Unit: N or N m. Written by: actuation."""
    @property
    def qfrc_smooth(self) -> Reals:
        """Force without constraints. Shape: [world, nv]. Unit: N or N m. Written by: acceleration."""
    @property
    def qacc_smooth(self) -> Reals:
        """Acceleration without constraints. Shape: [world, nv]. Unit: mixed. Written by: acceleration."""
    @property
    def qacc(self) -> Reals:
        """Acceleration. Shape: [world, nv]. Unit: mixed. Written by: solve."""
    @qacc.setter
    def qacc(self, values: ArrayLike) -> None: ...
    @property
    def efc_force(self) -> Reals:
        """Constraint force. Shape: [world, njmax]. Unit: mixed. Written by: solve."""
    @property
    def qfrc_constraint(self) -> Reals:
        """Constraint force in joint space. Shape: [world, nv]. Unit: N or N m. Written by: solve."""
    @property
    def solver_niter(self) -> NDArray[int32]:
        """Solver iterations. Shape: [world]. Unit: 1. Written by: solve."""
    @property
    def solver_Jaref(self) -> Reals:
        """J qacc - aref. Shape: [world, njmax]. Unit: mixed. Written by: solve."""
    @property
    def qfrc_inverse(self) -> Reals:
        """Force that produces `qacc`, in addition to passive and constraint forces. Shape: [world, nv]. Unit: N or N m. Written by: inverse."""
    @property
    def solver_fwdinv(self) -> Reals:
        """Discrepancy of forward and inverse dynamics: constraint forces, applied forces. Shape: [world, 2]. Unit: N or N m. Written by: fwdinv."""
    @property
    def qH(self) -> Reals:
        """Factor of M minus time step times the velocity derivative of the forces. Shape: [world, nC]. Unit: mixed. Written by: integrator."""
    @property
    def qacc_damped(self) -> Reals:
        """Acceleration with forces evaluated at the new velocities. Shape: [world, nv]. Unit: mixed. Written by: integrator."""
    @property
    def qHDiagInv(self) -> Reals:
        """Inverse diagonal of the factor. Shape: [world, nv]. Unit: mixed. Written by: integrator."""
    @property
    def qDeriv(self) -> Reals:
        """Derivative of the forces with respect to velocity. Shape: [world, nD]. Unit: mixed. Written by: implicit."""
    @property
    def subtree_linvel(self) -> Reals:
        """Velocity of the subtree's centre of mass. Shape: [world, nbody, 3]. Unit: m/s. Written by: subtree_vel."""
    @property
    def subtree_angmom(self) -> Reals:
        """Angular momentum of the subtree about its centre of mass. Shape: [world, nbody, 3]. Unit: kg m^2/s. Written by: subtree_vel."""
    @property
    def cacc(self) -> Reals:
        """Body acceleration about the tree's centre of mass. Shape: [world, nbody, 6]. Unit: rad/s^2, m/s^2. Written by: rne_post."""
    @property
    def cfrc_ext(self) -> Reals:
        """External force on the body from contacts, equalities and applied forces, about the tree's centre of mass. Shape: [world, nbody, 6]. Unit: N m, N. Written by: rne_post."""
    @property
    def cfrc_int(self) -> Reals:
        """Interaction force from the body's parent, about the tree's centre of mass. Shape: [world, nbody, 6]. Unit: N m, N. Written by: rne_post."""
    @property
    def energy(self) -> Reals:
        """Potential and kinetic energy. Shape: [world, 2]. Unit: J. Written by: energies."""
    @property
    def sensordata_undelayed(self) -> Reals:
        """Sensor outputs before delay, for models with history buffers. Shape: [world, nsensordata]. Unit: mixed. Written by: sensor."""
    @property
    def sensordata(self) -> Reals:
        """Sensor outputs. Shape: [world, nsensordata]. Unit: mixed. Written by: sensor."""
    @property
    def action(self) -> Reals:
        """Action of the next step of the environment. Shape: [world, naction]. Unit: mixed. Written by: state."""
    @action.setter
    def action(self, values: ArrayLike) -> None: ...
    @property
    def task_variable(self) -> Reals:
        """Numbers that the task remembers. Shape: [world, ntaskvariable]. Unit: mixed. Written by: task."""
    @property
    def task_key(self) -> NDArray[int32]:
        """Key of all draws, low and high word, and number of the world among all worlds of a run. Shape: [world, ntask, 3]. Unit: 1. Written by: task."""
    @property
    def task_tick(self) -> NDArray[int32]:
        """Steps of the environment since the key was set: counter of the draws. Shape: [world, ntask]. Unit: 1. Written by: task."""
    @property
    def task_steps(self) -> NDArray[int32]:
        """Steps of the environment since the episode began. Shape: [world, ntask]. Unit: 1. Written by: task."""
    @property
    def task_restarts(self) -> NDArray[int32]:
        """1 if the next step begins an episode, and ignores the action; 2 once that is reset. Shape: [world, ntask]. Unit: 1. Written by: task."""
    @property
    def observation(self) -> Reals:
        """Observation. Shape: [world, nobservation]. Unit: mixed. Written by: task_observe."""
    @property
    def reward(self) -> Reals:
        """Reward: sum of its terms. Shape: [world, ntask]. Unit: 1. Written by: task_observe."""
    @property
    def task_term(self) -> Reals:
        """Terms of the reward, then metrics. Shape: [world, ntaskterm]. Unit: mixed. Written by: task_observe."""
    @property
    def terminated(self) -> NDArray[int32]:
        """1 if the episode has ended, or the world has diverged. Shape: [world, ntask]. Unit: flag. Written by: task_observe."""
    @property
    def truncated(self) -> NDArray[int32]:
        """1 if the episode has reached its number of steps. Shape: [world, ntask]. Unit: flag. Written by: task_observe."""
    def body(self, name: Name) -> View: ...
    def bodies(self, pattern: Pattern = ...) -> View: ...
    def joint(self, name: Name) -> View: ...
    def jnt(self, name: Name) -> View: ...
    def joints(self, pattern: Pattern = ...) -> View: ...
    def geom(self, name: Name) -> View: ...
    def geoms(self, pattern: Pattern = ...) -> View: ...
    def site(self, name: Name) -> View: ...
    def sites(self, pattern: Pattern = ...) -> View: ...
    def camera(self, name: Name) -> View: ...
    def cam(self, name: Name) -> View: ...
    def cameras(self, pattern: Pattern = ...) -> View: ...
    def light(self, name: Name) -> View: ...
    def lights(self, pattern: Pattern = ...) -> View: ...
    def flex(self, name: Name) -> View: ...
    def flexes(self, pattern: Pattern = ...) -> View: ...
    def mesh(self, name: Name) -> View: ...
    def meshes(self, pattern: Pattern = ...) -> View: ...
    def skin(self, name: Name) -> View: ...
    def skins(self, pattern: Pattern = ...) -> View: ...
    def hfield(self, name: Name) -> View: ...
    def hfields(self, pattern: Pattern = ...) -> View: ...
    def texture(self, name: Name) -> View: ...
    def tex(self, name: Name) -> View: ...
    def textures(self, pattern: Pattern = ...) -> View: ...
    def material(self, name: Name) -> View: ...
    def mat(self, name: Name) -> View: ...
    def materials(self, pattern: Pattern = ...) -> View: ...
    def pair(self, name: Name) -> View: ...
    def pairs(self, pattern: Pattern = ...) -> View: ...
    def exclude(self, name: Name) -> View: ...
    def excludes(self, pattern: Pattern = ...) -> View: ...
    def equality(self, name: Name) -> View: ...
    def eq(self, name: Name) -> View: ...
    def equalities(self, pattern: Pattern = ...) -> View: ...
    def tendon(self, name: Name) -> View: ...
    def tendons(self, pattern: Pattern = ...) -> View: ...
    def actuator(self, name: Name) -> View: ...
    def actuators(self, pattern: Pattern = ...) -> View: ...
    def sensor(self, name: Name) -> View: ...
    def sensors(self, pattern: Pattern = ...) -> View: ...
    def numeric(self, name: Name) -> View: ...
    def numerics(self, pattern: Pattern = ...) -> View: ...
    def text(self, name: Name) -> View: ...
    def texts(self, pattern: Pattern = ...) -> View: ...
    def tuple(self, name: Name) -> View: ...
    def tuples(self, pattern: Pattern = ...) -> View: ...
    def key(self, name: Name) -> View: ...
    def keys(self, pattern: Pattern = ...) -> View: ...
    def plugin(self, name: Name) -> View: ...
    def plugins(self, pattern: Pattern = ...) -> View: ...

class SpecElements:
    def body(self, name: Name) -> Element: ...
    def bodies(self, pattern: Union[str, None] = ...) -> list[Element]: ...
    def joint(self, name: Name) -> Element: ...
    def jnt(self, name: Name) -> Element: ...
    def joints(self, pattern: Union[str, None] = ...) -> list[Element]: ...
    def geom(self, name: Name) -> Element: ...
    def geoms(self, pattern: Union[str, None] = ...) -> list[Element]: ...
    def site(self, name: Name) -> Element: ...
    def sites(self, pattern: Union[str, None] = ...) -> list[Element]: ...
    def camera(self, name: Name) -> Element: ...
    def cam(self, name: Name) -> Element: ...
    def cameras(self, pattern: Union[str, None] = ...) -> list[Element]: ...
    def light(self, name: Name) -> Element: ...
    def lights(self, pattern: Union[str, None] = ...) -> list[Element]: ...
    def flex(self, name: Name) -> Element: ...
    def flexes(self, pattern: Union[str, None] = ...) -> list[Element]: ...
    def mesh(self, name: Name) -> Element: ...
    def meshes(self, pattern: Union[str, None] = ...) -> list[Element]: ...
    def skin(self, name: Name) -> Element: ...
    def skins(self, pattern: Union[str, None] = ...) -> list[Element]: ...
    def hfield(self, name: Name) -> Element: ...
    def hfields(self, pattern: Union[str, None] = ...) -> list[Element]: ...
    def texture(self, name: Name) -> Element: ...
    def tex(self, name: Name) -> Element: ...
    def textures(self, pattern: Union[str, None] = ...) -> list[Element]: ...
    def material(self, name: Name) -> Element: ...
    def mat(self, name: Name) -> Element: ...
    def materials(self, pattern: Union[str, None] = ...) -> list[Element]: ...
    def pair(self, name: Name) -> Element: ...
    def pairs(self, pattern: Union[str, None] = ...) -> list[Element]: ...
    def exclude(self, name: Name) -> Element: ...
    def excludes(self, pattern: Union[str, None] = ...) -> list[Element]: ...
    def equality(self, name: Name) -> Element: ...
    def eq(self, name: Name) -> Element: ...
    def equalities(self, pattern: Union[str, None] = ...) -> list[Element]: ...
    def tendon(self, name: Name) -> Element: ...
    def tendons(self, pattern: Union[str, None] = ...) -> list[Element]: ...
    def actuator(self, name: Name) -> Element: ...
    def actuators(self, pattern: Union[str, None] = ...) -> list[Element]: ...
    def sensor(self, name: Name) -> Element: ...
    def sensors(self, pattern: Union[str, None] = ...) -> list[Element]: ...
    def numeric(self, name: Name) -> Element: ...
    def numerics(self, pattern: Union[str, None] = ...) -> list[Element]: ...
    def text(self, name: Name) -> Element: ...
    def texts(self, pattern: Union[str, None] = ...) -> list[Element]: ...
    def tuple(self, name: Name) -> Element: ...
    def tuples(self, pattern: Union[str, None] = ...) -> list[Element]: ...
    def key(self, name: Name) -> Element: ...
    def keys(self, pattern: Union[str, None] = ...) -> list[Element]: ...
    def plugin(self, name: Name) -> Element: ...
    def plugins(self, pattern: Union[str, None] = ...) -> list[Element]: ...
    def frame(self, name: Name) -> Element: ...
    def frames(self, pattern: Union[str, None] = ...) -> list[Element]: ...
