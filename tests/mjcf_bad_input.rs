//! Broken and hostile models: each gets a clear message with its place, without panic, hang or excessive memory.
#![allow(clippy::unwrap_used, missing_docs, reason = "tests")]

use manyworlds::batch::{Backend, Batch, BatchOptions};
use manyworlds::error::{Error, Problem};
use manyworlds::{load, load_str};

fn problems(text: &str) -> Vec<Problem> {
    match load_str(text) {
        Err(Error::Model(problems)) => problems,
        Err(other) => panic!("another kind of error: {other}"),
        Ok(_) => panic!("accepted: {}", text.chars().take(200).collect::<String>()),
    }
}

/// Input, place, and parts of the message and the help.
type Row = (&'static str, &'static str, &'static [&'static str]);

/// Whole files.
const FILES: &[Row] = &[
    ("", "model.xml:1:1", &["empty"]),
    ("   \n ", "model.xml:1:1", &["empty"]),
    ("garbage", "model.xml:1:", &["broken XML"]),
    ("<mujoco>", "model.xml:1:", &["broken XML"]),
    ("<mujoco>\n  <option></mujoco>", "model.xml:2:", &["broken XML"]),
    // behind the first element: text, and what is not whole
    ("<mujoco/>\ntext", "model.xml:2:1", &["text behind the first element", "remove"]),
    ("<mujoco/> ]]>", "model.xml:1:11", &["text behind the first element"]),
    ("<mujoco/><a/>text", "model.xml:1:14", &["text behind the first element"]),
    ("<mujoco/><", "model.xml:1:", &["broken XML"]),
    ("<mujoco/></>", "model.xml:1:", &["broken XML"]),
    ("<mujoco/></a", "model.xml:1:", &["broken XML"]),
    ("<mujoco/><a>", "model.xml:1:", &["broken XML"]),
    ("<mujoco/>\n<a></b>", "model.xml:2:", &["broken XML"]),
    ("<mujoco/><a b=1/>", "model.xml:1:", &["broken XML"]),
    ("<mujoco/><!-- a", "model.xml:1:10", &["a comment or declaration is not closed"]),
    ("<mujoco/><a/><!-- a", "model.xml:1:14", &["a comment or declaration is not closed"]),
    ("<mujoco/><![CDATA[a", "model.xml:1:10", &["a comment or declaration is not closed"]),
    ("<mujoco/><?a", "model.xml:1:10", &["a processing instruction behind the first element"]),
    ("<mujoco/><?a?>", "model.xml:1:10", &["a processing instruction behind the first element"]),
    ("<foo/>", "model.xml:1:2", &["unknown root element 'foo'", "<mujoco>"]),
    ("<sdf name='r'/>", "model.xml:1:2", &["<robot>"]),
    ("<mujoco>\n <banana/></mujoco>", "model.xml:2:3", &["unknown element 'banana'"]),
    ("<mujoco>\n <worldbdy/></mujoco>", "model.xml:2:3", &["did you mean 'worldbody'?"]),
    ("<mujoco><option timestep='1' timestep='2'/></mujoco>", "model.xml:1:", &["broken XML", "timestep"]),
    ("<mujoco><include file='nope.xml'/></mujoco>", "model.xml:1:", &["cannot read", "nope.xml"]),
    ("<mujoco><include/></mujoco>", "model.xml:1:10", &["no attribute 'file'"]),
    ("<mujoco><compiler coordinate='global'/></mujoco>", "model.xml:1:", &["global coordinates"]),
    ("<mujoco><compiler angle='deg'/></mujoco>", "model.xml:1:", &["'deg'", "valid: radian, degree"]),
    ("<mujoco><compiler eulerseq='abc'/></mujoco>", "model.xml:1:", &["eulerseq"]),
    ("<mujoco><option timestep='nan'/></mujoco>", "model.xml:1:27", &["not finite"]),
    ("<mujoco><option iterations='1.5'/></mujoco>", "model.xml:1:29", &["not an integer"]),
    ("<mujoco><option iterations='99999999999'/></mujoco>", "model.xml:1:29", &["32 bits"]),
    ("<mujoco><option gravity='0 0 nan'/></mujoco>", "model.xml:1:26", &["not finite"]),
    ("<mujoco><option><flag contact='on'/></option></mujoco>", "model.xml:1:", &["valid: disable, enable"]),
    ("<mujoco><option><flag/><flag/></option></mujoco>", "model.xml:1:25", &["only once"]),
    ("<mujoco><size memory='lots'/></mujoco>", "model.xml:1:", &["memory"]),
    (
        "<mujoco><size nkey='999999999'/></mujoco>",
        "model.xml:1:",
        &["nkey 999999999", "between -1 and 100000"],
    ),
    ("<mujoco><default class='x'/></mujoco>", "model.xml:1:", &["always 'main'"]),
    ("<mujoco><default><default/></default></mujoco>", "model.xml:1:", &["needs a class name"]),
    (
        "<mujoco><default><default class='a'><default class='a'/></default></default></mujoco>",
        "model.xml:1:",
        &["defined twice"],
    ),
    ("<mujoco><equality><weld body1='a'/></equality></mujoco>", "model.xml:1:32", &["unknown body 'a'"]),
    ("<mujoco><sensor><touch site='zz'/></sensor></mujoco>", "model.xml:1:30", &["unknown site 'zz'"]),
    ("<mujoco><sensor><jointpos/></sensor></mujoco>", "model.xml:1:18", &["no attribute 'joint'"]),
    (
        "<mujoco><asset><mesh file='a.stl'/></asset></mujoco>",
        "model.xml:1:28",
        &["'a.stl'", "not found", "tried", "meshdir"],
    ),
    (
        "<mujoco><extension><plugin plugin='evil'/></extension></mujoco>",
        "model.xml:1:36",
        &["unknown plugin 'evil'", "mujoco.pid"],
    ),
    ("<mujoco><custom><numeric name='a'/></custom></mujoco>", "model.xml:1:18", &["neither data nor size"]),
    (
        "<mujoco><custom><numeric name='a' size='2000000000'/></custom></mujoco>",
        "model.xml:1:",
        &["size 2000000000"],
    ),
    ("<mujoco><custom><text data='a'/></custom></mujoco>", "model.xml:1:18", &["no attribute 'name'"]),
    ("<mujoco><visual><map znear='near'/></visual></mujoco>", "model.xml:1:", &["not a number"]),
    (
        "<mujoco><asset><texture builtin='chess'/></asset></mujoco>",
        "model.xml:1:",
        &["valid: none, gradient"],
    ),
    (
        "<mujoco><keyframe><key qpos='1 2 3'/></keyframe></mujoco>",
        "model.xml:1:",
        &["3 numbers", "expected 0"],
    ),
    ("<mujoco><keyframe><key time='nan'/></keyframe></mujoco>", "model.xml:1:", &["not finite"]),
];

/// Worlds: the text inside `<mujoco><worldbody>\n`.
const WORLDS: &[Row] = &[
    ("<geom sise='1'/>", "model.xml:2:7", &["unknown attribute 'sise'", "did you mean 'size'?"]),
    ("<geom size='1e400'/>", "model.xml:2:13", &["too large"]),
    ("<geom size='nan'/>", "model.xml:2:13", &["not finite"]),
    ("<geom size='1' pos='1,5 0 0'/>", "model.xml:2:21", &["not a number", "point for decimals"]),
    ("<geom size='1' pos='1 2'/>", "model.xml:2:21", &["2 of 3 numbers", "expected 3"]),
    ("<geom size='1' pos='1 2 3 4'/>", "model.xml:2:21", &["too many numbers", "expected 3"]),
    ("<geom size='1' type='sphree'/>", "model.xml:2:22", &["did you mean 'sphere'?", "valid: plane"]),
    ("<geom size='0'/>", "model.xml:2:13", &["must be positive", "a sphere has 1 positive size"]),
    ("<geom size='-1'/>", "model.xml:2:13", &["must be positive"]),
    ("<geom/>", "model.xml:2:2", &["must be positive"]),
    ("<geom type='capsule' size='1' fromto='0 0 0 0 0 0'/>", "model.xml:2:39", &["same point"]),
    ("<geom type='sphere' size='1' fromto='0 0 0 0 0 1'/>", "model.xml:2:38", &["no ends for fromto"]),
    ("<geom size='1' quat='0 0 0 0'/>", "model.xml:2:22", &["quaternion is zero"]),
    // shorter than 1e-7 is no direction
    ("<geom size='1' zaxis='0 0 1e-9'/>", "model.xml:2:23", &["too small"]),
    ("<geom size='1' axisangle='0 0 1e-9 1'/>", "model.xml:2:27", &["too small"]),
    ("<geom size='1' xyaxes='1 0 0 1 1e-9 0'/>", "model.xml:2:24", &["not independent"]),
    ("<body><joint axis='0 0 1e-7'/><geom size='1'/></body>", "model.xml:2:20", &["zero or too small"]),
    ("<light dir='0 0 1e-9'/>", "model.xml:2:13", &["zero or too small"]),
    ("<geom type='capsule' size='1' fromto='0 0 0 0 0 1e-9'/>", "model.xml:2:39", &["too close"]),
    ("<geom size='1' quat='1 0 0 0' euler='1 0 0'/>", "model.xml:2:38", &["orientation is given twice"]),
    ("<geom size='1' condim='2'/>", "model.xml:2:24", &["valid: 1, 3, 4, 6"]),
    ("<body><freejoint/><geom size='1'/><geom size='1' mass='-1'/></body>", "model.xml:2:56", &["negative"]),
    ("<body><freejoint/><geom size='1' density='-1'/></body>", "model.xml:2:43", &["negative"]),
    ("<geom size='1' class='nope'/>", "model.xml:2:23", &["unknown default class 'nope'"]),
    (
        "<geom name='a' size='1'/><geom name='a' size='1'/>",
        "model.xml:2:38",
        &["geom name 'a' is used twice", "model.xml:2:13"],
    ),
    ("<joint/>", "model.xml:2:2", &["world cannot have joints"]),
    ("<body><joint/></body>", "model.xml:2:2", &["no mass or no inertia", "inertial"]),
    ("<body><joint axis='0 0 0'/><geom size='1'/></body>", "model.xml:2:20", &["axis"]),
    ("<body><joint limited='true' range='2 1'/><geom size='1'/></body>", "model.xml:2:36", &["reversed"]),
    ("<body><body><freejoint/><geom size='1'/></body></body>", "model.xml:2:14", &["nested body"]),
    ("<body><freejoint/><joint/><geom size='1'/></body>", "model.xml:2:2", &["must be the only one"]),
    (
        "<body><geom size='1'/><joint type='slide'/><joint type='slide'/><joint type='slide'/><joint/><joint/><joint/><joint/></body>",
        "model.xml:2:2",
        &["7 degrees of freedom"],
    ),
    (
        "<body><freejoint/><inertial pos='0 0 0' mass='1' diaginertia='1 1 3'/></body>",
        "model.xml:2:63",
        &["triangle", "balanceinertia"],
    ),
    (
        "<body><freejoint/><inertial pos='0 0 0' mass='1' fullinertia='1 1 -1 0 0 0'/></body>",
        "model.xml:2:63",
        &["moments", "positive"],
    ),
    (
        "<body><freejoint/><inertial pos='0 0 0' mass='1'/></body>",
        "model.xml:2:2",
        &["no mass or no inertia"],
    ),
    (
        "<body><freejoint/><inertial mass='1' diaginertia='1 1 1'/></body>",
        "model.xml:2:20",
        &["no attribute 'pos'"],
    ),
    ("<body><freejoint/><geom type='plane' size='1 1 1'/></body>", "model.xml:2:31", &["moving body"]),
    ("<body childclass='x'/>", "model.xml:2:19", &["unknown default class"]),
    ("<body mocap='true'><joint/><geom size='1'/></body>", "model.xml:2:14", &["mocap"]),
    ("<replicate><geom size='1'/></replicate>", "model.xml:2:2", &["no attribute 'count'"]),
    (
        "<replicate count='1000000000'><geom size='1'/></replicate>",
        "model.xml:2:19",
        &["1000000000", "lower the count"],
    ),
    (
        "<replicate count='1000'><replicate count='1000'><replicate count='1000'><site/></replicate></replicate></replicate>",
        "model.xml:1:10",
        &["more than 1048576 elements"],
    ),
    ("<attach model='zz' prefix='a'/>", "model.xml:2:16", &["unknown model 'zz'"]),
    ("<camera target='zz'/>", "model.xml:2:17", &["unknown body 'zz'"]),
    ("<light dir='0 0 0'/>", "model.xml:2:13", &["direction"]),
    ("<composite type='cable'/>", "model.xml:2:2", &["needs a geom"]),
    ("<composite type='grid' count='3 3 1'/>", "model.xml:2:18", &["'grid' was removed", "flexcomp"]),
    (
        "<flexcomp name='f' type='grid' count='1000 1000 1000' spacing='.1 .1 .1' dim='3'/>",
        "model.xml:2:39",
        &["1000000000 points", "lower the count"],
    ),
    ("<geom type='mesh' mesh='zz'/>", "model.xml:2:25", &["unknown mesh 'zz'"]),
    ("<geom type='mesh'/>", "model.xml:2:13", &["no mesh", "add mesh="]),
    // scaled frames
    ("<frame scale='0'/>", "model.xml:2:15", &["the scale 0 of a frame", "above zero"]),
    ("<frame scale='2 -1 1' scaling='geometry'/>", "model.xml:2:15", &["the scale -1 of a frame"]),
    ("<frame scale='inf'/>", "model.xml:2:15", &["the scale inf of a frame", "not finite"]),
    ("<frame scale='nan'/>", "model.xml:2:15", &["not finite"]),
    ("<frame scale='1 2'/>", "model.xml:2:15", &["2 numbers", "or three"]),
    ("<frame scale='1 2 3'/>", "model.xml:2:15", &["different scales", "geometry"]),
    ("<frame massscale='-1'/>", "model.xml:2:19", &["the massscale -1 of a frame"]),
    ("<frame scaling='affine'/>", "model.xml:2:17", &["'affine'", "valid: similar, geometry"]),
    (
        "<frame scale='1 2 3' scaling='geometry'><geom size='1'/></frame>",
        "model.xml:2:42",
        &["is a sphere", "use an ellipsoid"],
    ),
    (
        "<frame scale='1 2 3' scaling='geometry'><geom type='capsule' size='1 1'/></frame>",
        "model.xml:2:53",
        &["across its axis"],
    ),
    (
        "<frame scale='1 2 3' scaling='geometry'><geom name='g' type='box' size='1 1 1' euler='0 0 9'/></frame>",
        "model.xml:2:62",
        &["geom 'g'", "not along the axes", "one number"],
    ),
    (
        "<frame scale='1 2 3' scaling='geometry'><body><joint axis='1 1 0'/></body></frame>",
        "model.xml:2:60",
        &["axis of joint", "turn the joint"],
    ),
    (
        "<body><frame scale='2'><inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/></frame></body>",
        "model.xml:2:25",
        &["does not scale the body's inertia", "around the body"],
    ),
];

/// Sections after a world with a hinge `j`.
const SECTIONS: &[Row] = &[
    ("<actuator><motor/></actuator>", "model.xml:2:12", &["no transmission target"]),
    (
        "<actuator><motor joint='i'/></actuator>",
        "model.xml:2:25",
        &["unknown joint 'i'", "did you mean 'j'?"],
    ),
    (
        "<actuator><motor joint='j' ctrllimited='true' ctrlrange='1 -1'/></actuator>",
        "model.xml:2:58",
        &["reversed"],
    ),
    (
        "<actuator><motor joint='j' cranklength='1'/></actuator>",
        "model.xml:2:41",
        &["only for slider-cranks"],
    ),
    ("<actuator><adhesion body='b'/></actuator>", "model.xml:2:12", &["reversed or empty"]),
    ("<actuator><motor joint='j' delay='.1'/></actuator>", "model.xml:2:35", &["history", "nsample"]),
    ("<actuator><pid joint='j' input='vel pos'/></actuator>", "model.xml:2:33", &["in order"]),
    ("<actuator><pid joint='j' input='bos'/></actuator>", "model.xml:2:33", &["did you mean 'pos'?"]),
    ("<actuator><pid joint='j' ki='1' input='vel'/></actuator>", "model.xml:2:40", &["need the control pos"]),
    ("<actuator><orientation joint='j'/></actuator>", "model.xml:2:31", &["something else", "ball"]),
    ("<actuator><dcmotor joint='j'/></actuator>", "model.xml:2:12", &["motor constant", "nominal"]),
    (
        "<actuator><muscle name='m' joint='j' range='1 0'/></actuator>",
        "model.xml:2:45",
        &["muscle 'm'", "not a range"],
    ),
    ("<actuator><plugin joint='j'/></actuator>", "model.xml:2:12", &["plugin has no name"]),
    (
        "<actuator><plugin plugin='mujoco.pid' joint='j'/></actuator>",
        "model.xml:2:27",
        &["not in the extension section"],
    ),
    (
        "<extension><plugin plugin='mujoco.pid'><instance name='p'><config key='slewmax' value='-1'/></instance></plugin></extension>
        <actuator><plugin instance='p' joint='j'/></actuator>",
        "model.xml:2:41",
        &["slewmax of mujoco.pid is negative"],
    ),
    (
        "<extension><plugin plugin='mujoco.pid'/></extension>
        <actuator><plugin plugin='mujoco.pid' joint='j'><config key='ki' value='2'/></plugin></actuator>",
        "model.xml:3:20",
        &["0 activations, but its plugin 1", "actdim=\"1\""],
    ),
    (
        "<extension><plugin plugin='mujoco.pd'/></extension>",
        "model.xml:2:28",
        &["did you mean 'mujoco.pid'?"],
    ),
    ("<actuator><motor joint='j' ctrllimited='true'/></actuator>", "model.xml:2:12", &["reversed or empty"]),
    ("<actuator><position joint='j' kv='1' dampratio='1'/></actuator>", "model.xml:2:49", &["both"]),
    (
        "<actuator><position joint='j' inheritrange='1'/></actuator>",
        "model.xml:2:45",
        &["no range to inherit"],
    ),
    (
        "<actuator><muscle name='m' joint='j'/></actuator>",
        "model.xml:2:12",
        &["actuator 'm'", "did not settle"],
    ),
    ("<tendon><spatial/></tendon>", "model.xml:2:10", &["path", "empty"]),
    ("<tendon><spatial><site site='s'/></spatial></tendon>", "model.xml:2:10", &["one element"]),
    (
        "<tendon><spatial><geom geom='g'/><pulley divisor='-1'/></spatial></tendon>",
        "model.xml:2:19",
        &["not between two sites", "ends with a pulley", "divisor"],
    ),
    ("<tendon><fixed/></tendon>", "model.xml:2:10", &["path", "empty"]),
    ("<tendon><fixed><joint joint='z' coef='1'/></fixed></tendon>", "model.xml:2:30", &["unknown joint 'z'"]),
    ("<tendon><fixed><joint joint='j'/></fixed></tendon>", "model.xml:2:17", &["no attribute 'coef'"]),
    ("<contact><exclude body1='b' body2='z'/></contact>", "model.xml:2:36", &["unknown body 'z'"]),
    ("<contact><pair geom1='g' geom2='z'/></contact>", "model.xml:2:33", &["unknown geom 'z'"]),
    ("<keyframe><key qpos='1 2'/></keyframe>", "model.xml:2:22", &["2 numbers", "expected 1"]),
];

/// Meshes, height fields and textures: the text inside `<mujoco><asset>\n`.
const ASSETS: &[Row] = &[
    ("<mesh name='m' vertex='0 0 0 1 0 0 0 1 0'/>", "model.xml:2:2", &["3 vertices", "at least 4"]),
    ("<mesh name='m' vertex='0 0 0 1 0 0 0 1 0 1 1 0'/>", "model.xml:2:2", &["in one plane", "thin box"]),
    ("<mesh name='m' vertex='0 0 0 0 0 0 0 0 0 0 0 0'/>", "model.xml:2:2", &["same place", "sphere"]),
    ("<mesh name='m' vertex='0 0 0 1 0 0 0 1 0 nan 1 0'/>", "model.xml:2:24", &["not finite"]),
    ("<mesh name='m' vertex=''/>", "model.xml:2:2", &["0 vertices"]),
    ("<mesh name='m' vertex='0 0 0 1 0 0 0 1 0 0 0 1' face='0 1 99'/>", "model.xml:2:2", &["vertex 99"]),
    ("<mesh name='m' vertex='0 0 0 1 0 0 0 1 0 0 0 1' face='0 2 1'/>", "model.xml:2:2", &["volume", "shell"]),
    (
        "<hfield name='h' nrow='2' ncol='2' size='1 1 1 1' elevation='0 0 nan 1'/>",
        "model.xml:2:62",
        &["not finite"],
    ),
    (
        "<texture name='t' type='2d' builtin='flat' width='1000000' height='1000000'/>",
        "model.xml:2:51",
        &["1000000 by 1000000 pixels", "too large"],
    ),
];

#[test]
fn assets() {
    check(ASSETS, "<mujoco><asset>\n", "</asset></mujoco>");
}

/// Robots: the text inside `<robot name='r'>\n`.
const ROBOTS: &[Row] = &[
    (
        "<link name='a'/><link name='b'/><joint name='j' type='fixed'><parent link='a'/><child link='b'/></joint>
        <joint name='k' type='fixed'><parent link='b'/><child link='a'/></joint>",
        "model.xml:3:",
        &["loop: a -> b -> a", "tree"],
    ),
    (
        "<link name='a'/><joint name='j' type='fixed'><parent link='a'/><child link='zz'/></joint>",
        "model.xml:2:",
        &["unknown link 'zz'", "joint 'j'"],
    ),
    (
        "<link name='a'><inertial><mass value='x'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial></link>",
        "model.xml:2:39",
        &["not a number"],
    ),
];

#[test]
fn robots() {
    check(ROBOTS, "<robot name='r'>\n", "</robot>");
}

/// Models that compile but cannot be simulated yet: whole files, and the names in the refusal.
const UNSIMULATED: &[(&str, &[&str])] = &[
    (
        "<mujoco><worldbody><body><joint/><geom size='1'/><site name='s'/></body><site name='t' pos='1 0 0'/></worldbody>
        <tendon><spatial name='rope'><site site='s'/><site site='t'/><pulley divisor='0'/><site site='s'/><site site='t'/>
        </spatial></tendon></mujoco>",
        &["pulley with divisor zero", "'rope'"],
    ),
    (
        "<mujoco><option integrator='discrete'><flag fwdinv='enable'/></option></mujoco>",
        &["integrator discrete with flag fwdinv"],
    ),
    ("<mujoco><option integrator='discrete' solver='CG'><flag ipc='enable'/></option></mujoco>", &["flag ipc"]),
    (
        "<mujoco><option><flag fwdinv='enable' invdiscrete='enable'/></option></mujoco>",
        &["flags fwdinv and invdiscrete"],
    ),
    (
        "<mujoco><asset><hfield name='h' nrow='2' ncol='2' size='1 1 1 1' elevation='0 1 0 1'/></asset><worldbody>
        <geom name='a' type='hfield' hfield='h'/><geom name='b' size='1'/></worldbody>
        <sensor><distance geom1='a' geom2='b'/></sensor></mujoco>",
        &["distance of hfield and sphere", "'a'", "'b'"],
    ),
];

/// Questionable models that load with a warning.
const WARNINGS: &[Row] = &[
    (
        "<mujoco><worldbody><geom size='1' quat='1e-9 0 0 0'/></worldbody></mujoco>",
        "model.xml:1:41",
        &["no longer than 1e-7", "normalized"],
    ),
    (
        "<mujoco><worldbody><body><joint/><joint/><geom size='1'/></body></worldbody>
        <keyframe><key qpos='1'/></keyframe></mujoco>",
        "model.xml:2:30",
        &["1 numbers in qpos, the model 2", "initial state"],
    ),
    (
        "<mujoco><asset><hfield name='h' nrow='1' ncol='3' size='1 1 1 1'/></asset></mujoco>",
        "model.xml:1:17",
        &["1 rows and 3 columns", "no surface"],
    ),
    ("<mujoco><body/></mujoco>", "model.xml:1:10", &["outside of worldbody", "<worldbody>"]),
    (
        "<mujoco><worldbody><body><joint range='2 1'/><geom size='1'/></body></worldbody></mujoco>",
        "model.xml:1:40",
        &["range 2 1", "reversed", "does not limit"],
    ),
    // declarations, and what readers of XML that are less strict let pass
    ("<!DOCTYPE m [<!ENTITY a 'aaa'>]><mujoco/>", "model.xml:1:1", &["declaration has no effect", "remove it"]),
    ("<!DOCTYPE m SYSTEM 'file:///etc/passwd'><mujoco/>", "model.xml:1:1", &["never expanded"]),
    ("<mujoco><!ELEMENT x></mujoco>", "model.xml:1:9", &["declaration has no effect"]),
    ("<mujoco/><mujoco/>", "model.xml:1:10", &["only the first element"]),
    ("<mujoco/>\n<a><b>text</b></a><!-- a -->", "model.xml:2:1", &["only the first element", "remove"]),
    ("<mujoco/>\n</mujoco>\n", "model.xml:2:1", &["an end tag without its element", "remove"]),
    ("<mujoco/></b>text <", "model.xml:1:10", &["an end tag without its element"]),
    ("<mujoco/><a/></a><!-- a", "model.xml:1:10", &["only the first element", "an end tag without its element"]),
    ("<mujoco model='a'><option timestep='1'density='2'/></mujoco>", "model.xml:1:39", &["blank is missing"]),
    ("<mujoco model='a & b'/>", "model.xml:1:18", &["'&' in a value", "write &amp;"]),
    ("<mujoco model='a&b;c'/>", "model.xml:1:17", &["no known entity"]),
    ("<mujoco model='a<b'/>", "model.xml:1:17", &["'<' in a value", "write &lt;"]),
    // options
    ("<mujoco><option timestep='0'/></mujoco>", "model.xml:1:27", &["timestep is not positive"]),
    ("<mujoco><option timestep='-1'/></mujoco>", "model.xml:1:27", &["timestep is not positive"]),
    ("<mujoco><option timestep='1e-320'/></mujoco>", "model.xml:1:27", &["makes no sense", "0.002"]),
    ("<mujoco><option timestep='1e9'/></mujoco>", "model.xml:1:27", &["makes no sense"]),
    ("<mujoco><option timestep=''/></mujoco>", "model.xml:1:27", &["'timestep' is empty", "no effect"]),
    ("<mujoco><option gravity='0 0 1e39'/></mujoco>", "model.xml:1:26", &["too large", "3.4e38"]),
    ("<mujoco><option gravity='0 0 inf'/></mujoco>", "model.xml:1:26", &["not finite"]),
    ("<mujoco><option impratio='0'/></mujoco>", "model.xml:1:27", &["impratio is not positive"]),
    ("<mujoco><option tolerance='-1'/></mujoco>", "model.xml:1:28", &["tolerance is negative"]),
    ("<mujoco><option iterations='-1'/></mujoco>", "model.xml:1:29", &["iterations is negative: -1"]),
    (
        "<mujoco><option noslip_iterations='2000000000'/></mujoco>",
        "model.xml:1:36",
        &["noslip_iterations 2000000000", "stops after 10000"],
    ),
    (
        "<mujoco><option><flag nativeccd='disable'/></option></mujoco>",
        "model.xml:1:34",
        &["nativeccd is disabled", "numbers of contacts", "all the same"],
    ),
    ("<mujoco><option ccd_iterations='5'/></mujoco>", "model.xml:1:33", &["ccd_iterations", "exact", "no effect"]),
    ("<mujoco><option ccd_tolerance='1e-3'/></mujoco>", "model.xml:1:32", &["ccd_tolerance", "exact", "no effect"]),
    ("<mujoco><size nkey='-5'/></mujoco>", "model.xml:1:21", &["nkey -5 is negative"]),
    // bodies
    (
        "<mujoco><worldbody><body><joint armature='-1'/><geom size='1'/></body></worldbody></mujoco>",
        "model.xml:1:43",
        &["'armature' is negative: -1"],
    ),
    (
        "<mujoco><worldbody><body><joint frictionloss='-1'/><geom size='1'/></body></worldbody></mujoco>",
        "model.xml:1:47",
        &["'frictionloss' is negative: -1"],
    ),
    (
        "<mujoco><worldbody><body><joint type='ball' limited='true' range='0 0'/><geom size='1'/></body></worldbody></mujoco>",
        "model.xml:1:67",
        &["limited to an angle of 0", "0 60"],
    ),
    ("<mujoco><worldbody><geom size='1' mass='-1'/></worldbody></mujoco>", "model.xml:1:41", &["negative: -1"]),
    ("<mujoco><worldbody><geom size='1' solmix='-1'/></worldbody></mujoco>", "model.xml:1:43", &["negative: -1"]),
    (
        "<mujoco><worldbody><geom type='plane' size='-1 1 1'/></worldbody></mujoco>",
        "model.xml:1:45",
        &["must be positive", "zero for infinite"],
    ),
    (
        "<mujoco><worldbody><body><inertial pos='0 0 0' mass='0'/></body></worldbody></mujoco>",
        "model.xml:1:27",
        &["neither diaginertia nor fullinertia", "its inertia is zero"],
    ),
    (
        "<mujoco><worldbody><body><inertial pos='0 0 0' mass='1e35' diaginertia='1 1 1'/></body></worldbody></mujoco>",
        "model.xml:1:21",
        &["not a sensible number"],
    ),
    ("<mujoco><worldbody><replicate count='-1'/></worldbody></mujoco>", "model.xml:1:38", &["-1 copies are none"]),
    // a tactile sensor of a mesh without frames
    (
        "<mujoco><asset><mesh name='m' vertex='0 0 0 1 0 0 0 1 0 0 0 1'/></asset><worldbody><geom name='g' size='1'/></worldbody>
        <sensor><tactile geom='g' mesh='m'/></sensor></mujoco>",
        "model.xml:2:41",
        &["mesh 'm' has no tangents", "three normals for each vertex"],
    ),
    // muscles and tendons
    (
        "<mujoco><worldbody><body><joint name='j'/><geom size='1'/></body></worldbody>
        <actuator><muscle name='m' joint='j' lengthrange='0 1' lmin='0' fvmax='1'/></actuator></mujoco>",
        "model.xml:2:70",
        &["lmin 0 of muscle 'm' is not above zero", "fvmax 1 of muscle 'm' is not above one", "2:80"],
    ),
    (
        "<mujoco><worldbody><body><joint/><geom size='1'/><site name='s'/></body><site name='t' pos='1 0 0'/></worldbody>
        <tendon><spatial><site site='s'/><site site='t'/><pulley divisor='0'/><site site='s'/><site site='t'/></spatial></tendon></mujoco>",
        "model.xml:2:59",
        &["divisor of a pulley", "infinitely long"],
    ),
    ("<mujoco><asset><texture name='t' type='cube' builtin='flat' width='2' gridsize='0 0'/></asset></mujoco>", "model.xml:1:81", &["no cells"]),
];

#[test]
fn what_the_reference_takes_otherwise_keeps_its_value() {
    let model = load_str(
        "<!DOCTYPE x><mujoco model='a & <b>&amp;&c;'><option timestep='0x2'iterations='-3' gravity='' wind='inf -1e300 0'/>
        <worldbody><body><joint type='ball' limited='true' range='0 0' armature='-2'/><geom size='1'/></body>
        <body><inertial pos='0 0 0' mass='3'/></body></worldbody></mujoco><banana/>",
    )
    .unwrap();
    assert_eq!(model.names.model, "a & <b>&&c;");
    assert_eq!((model.opt_timestep[0], model.opt_iterations[0]), (2.0, -3));
    assert_eq!(model.opt_gravity, [0.0, 0.0, -9.81]);
    assert_eq!(model.opt_wind, [f64::INFINITY, -1e300, 0.0]);
    assert_eq!((model.jnt_limited[0], model.dof_armature[0]), (1, -2.0));
    assert_eq!((model.body_mass[2], &model.body_inertia[6..]), (3.0, &[0.0; 3][..]));
}

/// Three channels of 7 by 5 cells, as in the reference.
#[test]
fn a_touch_grid_has_an_output_for_each_channel_of_each_cell() {
    let text = |config: &str| {
        format!(
            "<mujoco><extension><plugin plugin='mujoco.sensor.touch_grid'/></extension><worldbody><site name='s'/></worldbody>
<sensor><plugin plugin='mujoco.sensor.touch_grid' objtype='site' objname='s'>{config}</plugin></sensor></mujoco>"
        )
    };
    let good =
        "<config key='size' value='7 5'/><config key='fov' value='45 45'/><config key='nchannel' value='3'/>";
    let model = load_str(&text(good)).unwrap();
    assert_eq!((model.sizes.nsensordata, model.sensor_plugin[0], model.plugin[0]), (105, 0, 2));
    for (config, part) in [
        ("", "no size"),
        ("<config key='size' value='7 0'/>", "no size"),
        ("<config key='size' value='7 7'/>", "no field of view"),
        ("<config key='size' value='7 7'/><config key='fov' value='200 10'/>", "no field of view"),
        (
            "<config key='size' value='7 7'/><config key='fov' value='9 9'/><config key='nchannel' value='7'/>",
            "7 channels",
        ),
        (
            "<config key='size' value='7 7'/><config key='fov' value='9 9'/><config key='gamma' value='2'/>",
            "foveation of a touch grid is 2",
        ),
    ] {
        let found = problems(&text(config));
        assert!(found[0].message.contains(part) && found[0].line == 2, "{}", found[0]);
    }
}

/// Two bodies of a cable: its configuration, and what is in the second body.
fn cable(config: &str, second: &str) -> String {
    let shape = "<geom type='capsule' size='.01' fromto='0 0 0 .1 0 0'/><plugin instance='i'/>";
    format!(
        "<mujoco><extension><plugin plugin='mujoco.elasticity.cable'><instance name='i'>{config}</instance></plugin></extension>
<worldbody><body name='a'>{shape}
<body name='b' {second}</body></body></worldbody></mujoco>"
    )
}

#[test]
fn a_cable_has_a_piece_between_each_two_bodies() {
    let ball = "<joint type='ball'/><geom type='cylinder' size='.01 .05'/><plugin instance='i'/>";
    let second = format!("pos='.1 0 0' quat='0 0 1 0'>{ball}");
    let model = load_str(&cable("<config key='bend' value=' 2e6 '/>", &second)).unwrap();
    assert_eq!((model.sizes.ncable, &model.cable_jntid[..]), (1, &[0][..]));
    assert_eq!((model.cable_stiffness[0], &model.plugin_prm[..3]), (0.0, &[0.0, 2e6, 0.0][..]));
    assert!((model.cable_rest[1] - std::f64::consts::PI).abs() < 1e-12, "{:?}", model.cable_rest);
    assert!(Batch::new(&model, 1, &BatchOptions::on(Backend::Cpu)).is_ok());
    // the fixed end is not fused with the world
    let text = cable("", &second).replace("<mujoco>", "<mujoco><compiler fusestatic='true'/>");
    assert_eq!(load_str(&text).unwrap().sizes.ncable, 1);
    // a body by itself has nothing to bend against
    let model = load_str(&cable("", "pos='.1 0 0'><geom size='1'/>")).unwrap();
    assert_eq!((model.sizes.ncable, model.body_plugin[1]), (0, 0));
}

#[test]
fn cables_that_are_wrong() {
    let shape = "<geom type='capsule' size='.01' fromto='0 0 0 .1 0 0'/>";
    let ball = format!("<joint type='ball'/>{shape}<plugin instance='i'/>");
    let at = |inside: &str| format!("pos='.1 0 0'>{inside}");
    for (config, second, line, part) in [
        ("<config key='twist' value='stiff'/>", at(&ball), 1, "twist 'stiff' of mujoco.elasticity.cable"),
        ("<config key='bend' value='-1'/>", at(&ball), 1, "bend '-1'"),
        ("<config key='bend' value='1 2'/>", at(&ball), 1, "bend '1 2'"),
        ("<config key='stretch' value='1'/>", at(&ball), 1, "no setting 'stretch'"),
        (
            "",
            at("<joint type='ball'/><geom size='.1'/><plugin instance='i'/>"),
            3,
            "body 'b' of a cable has no cross-section",
        ),
        ("", at(&format!("<joint/>{shape}<plugin instance='i'/>")), 3, "does not turn at a ball joint alone"),
        ("", at(&format!("{shape}<plugin instance='i'/>")), 3, "does not turn at a ball joint alone"),
        (
            "",
            at(&format!("{shape}</body><body name='c' pos='0 .1 0'>{ball}</body><body pos='0 0 .1'>{ball}")),
            3,
            "is not the child of body 'c'",
        ),
        ("<config key='bend' value='1'/>", format!("pos='0 0 0'>{ball}"), 3, "too short"),
    ] {
        let found = problems(&cable(config, &second));
        assert!(found.iter().any(|p| p.message.contains(part) && p.line == line), "{part} in {found:?}");
    }
    let warned = load_str(&cable("<config key='flat' value='1'/>", &at(&ball))).unwrap().warnings;
    assert!(warned.iter().any(|w| w.message.contains("flat '1'")), "{warned:?}");
}

/// A million elements are refused quickly; as many as the reference is asked for in benchmarks are not.
#[test]
fn very_many_geoms_compile() {
    let start = std::time::Instant::now();
    let world = |n: usize| {
        format!(
            "<mujoco><worldbody><replicate count='{n}'><geom size='1' contype='0' conaffinity='0'/></replicate></worldbody></mujoco>"
        )
    };
    assert_eq!(load_str(&world(131_072)).unwrap().sizes.ngeom, 131_072);
    assert!(problems(&world(1_000_000))[0].message.contains("more than 1048576 elements"));
    assert!(start.elapsed().as_secs() < 60);
}

#[test]
fn what_is_questionable_loads_with_a_warning() {
    for (text, place, parts) in WARNINGS {
        let warnings = load_str(text).unwrap().warnings;
        assert!(!warnings.is_empty(), "no warning: {text}");
        let all = warnings.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
        assert!(all.starts_with(place), "{all}");
        parts.iter().for_each(|part| assert!(all.contains(part), "{part} in {all}"));
    }
}

#[test]
fn what_is_not_simulated_compiles_and_is_refused_by_name() {
    for (text, parts) in UNSIMULATED {
        let model = load_str(text).unwrap();
        let options = BatchOptions::on(Backend::Cpu);
        let error = Batch::new(&model, 1, &options).unwrap_err();
        assert!(matches!(error, Error::Unsupported(_)), "{error}");
        parts.iter().for_each(|part| assert!(error.to_string().contains(part), "{part} in {error}"));
    }
}

fn check(rows: &[Row], before: &str, after: &str) {
    let mut wrong = Vec::new();
    for (text, place, parts) in rows {
        let whole = format!("{before}{text}{after}");
        let all = match load_str(&whole) {
            Err(Error::Model(found)) => found.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"),
            Err(other) => format!("another kind of error: {other}"),
            Ok(_) => "accepted".to_owned(),
        };
        let placed = all.lines().any(|l| l.starts_with(place));
        if !placed || parts.iter().any(|part| !all.contains(part)) {
            wrong.push(format!("{text}\n  expected {parts:?} at {place}, got\n{all}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn whole_files() {
    check(FILES, "", "");
}

#[test]
fn worlds() {
    check(WORLDS, "<mujoco><worldbody>\n", "</worldbody></mujoco>");
}

/// Sensors of shapes: of a site `s` and a mesh `m` in a world with a camera, a plane, a geom that does not collide, a ball,
/// and a body without geoms above another.
const SENSED: &[Row] = &[
    (
        "<insidesite site='s' objtype='camera' objname='eye' enclosed='true'/>",
        "model.xml:2:48",
        &["camera 'eye' has no surface", "objtype body, xbody, geom or site"],
    ),
    (
        "<insidesite site='s' objtype='geom' objname='floor' enclosed='true'/>",
        "model.xml:2:46",
        &["cannot enclose 'floor'", "type plane", "compact convex shapes"],
    ),
    (
        "<insidesite site='s' objtype='xbody' objname='world' enclosed='true'/>",
        "model.xml:2:47",
        &["cannot enclose 'world'", "type plane"],
    ),
    (
        "<insidesite site='s' objtype='body' objname='empty' enclosed='true'/>",
        "model.xml:2:46",
        &["body 'empty' has no geom", "xbody"],
    ),
    (
        "<insidesite site='s' objtype='geom' objname='none' enclosed='true'/>",
        "model.xml:2:46",
        &["unknown geom 'none'"],
    ),
    (
        "<tactile geom='ghost' mesh='m'/>",
        "model.xml:2:16",
        &["body of 'ghost' collides", "contype or conaffinity"],
    ),
    ("<tactile geom='ball' mesh='none'/>", "model.xml:2:28", &["unknown mesh 'none'"]),
    ("<tactile geom='ball'/>", "model.xml:2:2", &["no attribute 'mesh'"]),
    ("<tactile mesh='m'/>", "model.xml:2:2", &["no attribute 'geom'"]),
];

#[test]
fn sensors_of_shapes_name_what_has_them() {
    let world = "<mujoco><asset><mesh name='m' vertex='0 0 0 1 0 0 0 1 0 0 0 1'/></asset><worldbody><camera name='eye'/>\
        <site name='s'/><geom name='floor' type='plane' size='1 1 1'/><body><geom name='ball' size='1'/></body>\
        <body><geom name='ghost' size='1' contype='0' conaffinity='0'/></body>\
        <body name='empty'><body><geom size='1'/></body></body></worldbody><sensor>\n";
    check(SENSED, world, "</sensor></mujoco>");
    // the body above has those below it
    let below = "<insidesite site='s' objtype='xbody' objname='empty' enclosed='true' cutoff='1'/>";
    let model = load_str(&format!("{world}{below}</sensor></mujoco>")).unwrap();
    assert_eq!((model.sensor_datatype[0], model.sensor_intprm[0], model.sensor_dim[0]), (0, 1, 1));
    assert!(Batch::new(&model, 1, &BatchOptions::on(Backend::Cpu)).is_ok());
}

#[test]
fn sections() {
    let world =
        "<mujoco><worldbody><body name='b'><joint name='j'/><geom name='g' size='1'/></body></worldbody>\n";
    check(SECTIONS, world, "</mujoco>");
}

#[test]
fn all_problems_are_listed_in_order() {
    let found = problems(
        "<mujoco><worldbody>\n<geom size='x'/>\n<geom size='1' pos='1'/>\n<geom type='y' size='1'/></worldbody></mujoco>",
    );
    let lines: Vec<u32> = found.iter().map(|p| p.line).collect();
    assert_eq!(lines[..3], [2, 3, 4], "{found:?}");
    assert_eq!(found[0].text, "<geom size='x'/>");
}

#[test]
fn depth_is_limited_and_the_limit_is_reached() {
    let nest = |n: usize, tag: &str| {
        format!(
            "<mujoco><worldbody>{}{}</worldbody></mujoco>",
            format!("<{tag}>").repeat(n),
            format!("</{tag}>").repeat(n)
        )
    };
    assert!(load_str(&nest(480, "body")).is_ok());
    for text in [nest(500, "body"), nest(200_000, "banana"), "<a>".repeat(1_000_000)] {
        assert!(problems(&text)[0].message.contains("nested more than 490"), "{}", problems(&text)[0]);
    }
}

#[test]
fn ten_megabytes_of_numbers_are_refused_quickly() {
    let start = std::time::Instant::now();
    let found = problems(&format!(
        "<mujoco><worldbody><geom size='{}'/></worldbody></mujoco>",
        "1 ".repeat(5_000_000)
    ));
    assert!(found[0].message.contains("too many numbers"));
    assert!(found[0].text.len() < 2000);
    assert!(start.elapsed().as_secs() < 20);
}

#[test]
fn very_many_attributes_or_references_are_refused_quickly() {
    let start = std::time::Instant::now();
    let attributes: String = (0..100_000).map(|i| format!(" a{i}='1'")).collect();
    let found = problems(&format!("<mujoco><worldbody><geom{attributes}/></worldbody></mujoco>"));
    assert!(found[0].message.contains("more than 1000 attributes"));
    let motors = "<motor joint='q'/>".repeat(100_000);
    assert_eq!(problems(&format!("<mujoco><actuator>{motors}</actuator></mujoco>")).len(), 100);
    assert!(start.elapsed().as_secs() < 20);
}

#[test]
fn includes_that_repeat_or_loop_name_the_chain() {
    let folder = tempfile::tempdir().unwrap();
    let put = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    let own = put("self.xml", "<mujoco><include file='self.xml'/></mujoco>");
    let a = put("a.xml", "<mujoco><include file='b.xml'/></mujoco>");
    put("b.xml", "<mujoco><include file='a.xml'/></mujoco>");
    let secret = put("secret.txt", "root:x:0:0");
    let leak = put("leak.xml", "<mujoco><include file='secret.txt'/></mujoco>");
    let model = put("m.xml", "<mujoco><asset><model name='m' file='m.xml'/></asset></mujoco>");
    let bad = put("inner.xml", "<mujoco>\n  <worldbody><geom size='bad'/></worldbody></mujoco>");
    let outer = put("outer.xml", "<mujoco>\n\n<include file='inner.xml'/></mujoco>");
    for (path, parts) in [
        (own, vec!["already included", "self.xml -> "]),
        (a, vec!["already included", "a.xml -> ", "b.xml"]),
        (leak, vec!["leak.xml:1:", "not an XML file"]),
        (model, vec!["cannot contain itself"]),
        (outer, vec!["inner.xml:2:26", "'bad'"]),
        (folder.path().to_owned(), vec!["not a file"]),
        (folder.path().join("none.xml"), vec!["none.xml", "cannot read"]),
    ] {
        let text = load(&path).unwrap_err().to_string();
        for part in parts {
            assert!(text.contains(part), "expected '{part}' in {text}");
        }
        assert!(!text.contains("root:x"), "{text}");
    }
    drop((secret, bad));
    // what is not there is missing each time
    for (text, part) in [
        ("<mujoco><include file='no.xml'/><include file='no.xml'/></mujoco>", "cannot read"),
        ("<mujoco><asset><model file='no.xml'/><model file='no.xml'/></asset></mujoco>", "cannot read"),
    ] {
        let told = load(&put("twice.xml", text)).unwrap_err().to_string();
        assert_eq!(told.matches(part).count(), 2, "{told}");
        assert!(!told.contains("already included") && !told.contains("defined twice"), "{told}");
    }
    std::fs::write(folder.path().join("bytes.xml"), b"\xff\xfe<mujoco/>").unwrap();
    let text = load(&folder.path().join("bytes.xml")).unwrap_err().to_string();
    assert!(text.contains("not UTF-8"), "{text}");
}

#[test]
fn formulas_of_fields_are_checked() {
    let file = |config: &str| {
        let text = format!(
            "<mujoco><extension><plugin plugin='manyworlds.sdf.formula'>\n<instance name='f'>{config}</instance></plugin>
</extension><asset><mesh name='m'><plugin instance='f'/></mesh></asset>
<worldbody><body><freejoint/><geom type='sdf' mesh='m' mass='1'><plugin instance='f'/></geom></body></worldbody></mujoco>"
        );
        load_str(&text)
    };
    let config = |settings: &[(&str, &str)]| {
        let one = |(key, value): &(&str, &str)| format!("<config key='{key}' value='{value}'/>");
        settings.iter().map(one).collect::<String>()
    };
    let (ball, size) = (("formula", "norm(p) - r"), ("box", ".2 .2 .2"));
    assert!(file(&config(&[ball, size, ("r", ".1")])).is_ok());
    for (settings, parts) in [
        (vec![size, ("r", ".1")], ["no formula", "norm(p) - radius"]),
        (vec![ball, ("r", ".1")], ["box is ''", "three lengths"]),
        (vec![ball, ("box", "1 -1 1"), ("r", ".1")], ["box is '1 -1 1'", "three lengths"]),
        (vec![ball, size], ["nothing is called 'r'", "formula 'norm(p) - r'"]),
        (vec![ball, size, ("r", "thick")], ["r is 'thick'", "one finite number"]),
        (vec![("formula", "norm(p"), size], ["',' is expected", "negative inside"]),
        (vec![("formula", "p"), size], ["one number, not 3", "negative inside"]),
        (vec![("formula", "x + qvel[0]"), size], ["knows nothing of worlds", "negative inside"]),
        (vec![("formula", "1 + norm(p)"), size], ["no surface in its box", "all outside"]),
    ] {
        let text = file(&config(&settings)).unwrap_err().to_string();
        assert!(text.contains("model.xml:") && parts.iter().all(|part| text.contains(part)), "{text}");
    }
}

#[test]
fn fields_are_checked() {
    let file = |config: &str, mesh: &str, geom: &str| {
        format!(
            "<mujoco><extension><plugin plugin='mujoco.sdf.gear'><instance name='g'>{config}</instance></plugin>
<plugin plugin='mujoco.pid'/></extension><asset><mesh name='m'{mesh}</mesh></asset>
<worldbody><body><freejoint/><geom type='sdf' mesh='m' mass='1'{geom}</body></worldbody></mujoco>"
        )
    };
    let (mesh, geom) = ("><plugin instance='g'/>", "><plugin instance='g'/></geom>");
    assert!(load_str(&file("", mesh, geom)).is_ok());
    let config = |key: &str, value: &str| format!("<config key='{key}' value='{value}'/>");
    for (config, mesh, geom, line, parts) in [
        (config("teeth", "0"), mesh, geom, 2, ["teeth is '0'", "1 or more"]),
        (config("diameter", "-1"), mesh, geom, 2, ["diameter is '-1'", "positive"]),
        (config("thickness", "nan"), mesh, geom, 2, ["thickness is 'nan'", "finite"]),
        (config("alpha", "1 2"), mesh, geom, 2, ["alpha is '1 2'", "one finite number"]),
        (config("thickness", "1e-9"), mesh, geom, 2, ["no surface in its box", "too thin"]),
        (String::new(), " scale='2 2 2'><plugin instance='g'/>", geom, 2, ["has a scale", "attributes"]),
        (String::new(), "><plugin instance='h'/>", geom, 2, ["unknown plugin instance 'h'", "extension"]),
        (
            String::new(),
            "><plugin plugin='mujoco.pid'/>",
            geom,
            2,
            ["no signed distance field", "mujoco.sdf"],
        ),
        (String::new(), mesh, "/>", 3, ["has no field", "plugin of the mesh"]),
    ] {
        let text = file(&config, mesh, geom);
        let first = problems(&text).remove(0);
        let told = format!("{}\n{}", first.message, first.help);
        assert!(first.line == line && parts.iter().all(|part| told.contains(part)), "{}: {told}", first.line);
    }
    // an attribute of an instance that no mesh uses, and one that is unknown
    let unused = problems(
        "<mujoco><extension><plugin plugin='mujoco.sdf.torus'><instance name='t'><config key='radius2' value='0'/>
</instance><instance name='u'><config key='radius3' value='1'/></instance></plugin></extension></mujoco>",
    );
    let told: Vec<String> = unused.iter().map(|p| p.message.clone()).collect();
    assert!(told[0].contains("radius2 is '0'") && told[1].contains("has no setting 'radius3'"), "{told:?}");
    // counts beyond any use are bounded, and said
    let many =
        load_str("<mujoco><option sdf_initpoints='2000000000' sdf_iterations='-5'/></mujoco>").unwrap();
    assert!(many.warnings.iter().any(|w| w.message.contains("sdf_initpoints")), "{:?}", many.warnings);
    assert_eq!(many.bounded().opt_sdf_initpoints[0], 10_000);
}

mod random {
    use super::load_str;
    use proptest::prelude::*;

    const MODEL: &str = "<mujoco model='m'><compiler angle='radian'/><option timestep='0.01'><flag energy='enable'/></option>
<default><geom size='.1'/><default class='a'><joint damping='1' range='-1 1'/></default></default>
<worldbody><geom type='plane' size='0 0 1'/><replicate count='2' offset='1 0 0' sep='-'><body name='b' childclass='a'
pos='0 0 1'><joint name='j'/><geom type='capsule' fromto='0 0 0 1 0 0' mass='1'/><body pos='1 0 0' euler='1 0 0'>
<joint type='ball' class='main'/><inertial pos='0 0 0' mass='1' fullinertia='1 1 1 .1 0 0'/></body></body></replicate></worldbody>
<contact><exclude body1='b-0' body2='b-1'/></contact><tendon><fixed name='t'><joint joint='j' coef='2'/></fixed></tendon>
<actuator><motor joint='j'/><position tendon='t' kp='3' dampratio='1'/></actuator>
<keyframe><key qpos='1'/></keyframe></mujoco>";

    #[test]
    fn the_model_itself_is_good() {
        assert_eq!(load_str(MODEL).map(|m| m.sizes.nu).map_err(|e| e.to_string()), Ok(4));
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 1500, ..ProptestConfig::default() })]
        #[test]
        fn changed_bytes_never_panic(changes in prop::collection::vec((0..MODEL.len(), 0u8..128), 1..6)) {
            let mut bytes = MODEL.as_bytes().to_vec();
            for (at, byte) in changes {
                bytes[at] = byte;
            }
            let _ = load_str(&String::from_utf8(bytes).unwrap());
        }

        #[test]
        fn moved_parts_never_panic(from in 0..MODEL.len(), length in 0..60usize, to in 0..MODEL.len()) {
            let end = (from + length).min(MODEL.len());
            let mut text = MODEL.to_owned();
            text.insert_str(to, &MODEL[from..end]);
            let _ = load_str(&text);
        }

        #[test]
        fn removed_parts_never_panic(from in 0..MODEL.len(), length in 0..40usize) {
            let end = (from + length).min(MODEL.len());
            let mut text = MODEL.to_owned();
            text.replace_range(from..end, "");
            let _ = load_str(&text);
        }

        #[test]
        fn any_numbers_never_panic(numbers in prop::collection::vec(-1e9..1e9f64, 1..7), which in 0..6usize) {
            let words: Vec<String> = numbers.iter().map(ToString::to_string).collect();
            let attr = ["size", "pos", "quat", "fromto", "friction", "solimp"][which];
            let text = format!("<mujoco><worldbody><body><freejoint/><geom type='capsule' {attr}='{}'/></body></worldbody></mujoco>", words.join(" "));
            let _ = load_str(&text);
        }
    }
}
