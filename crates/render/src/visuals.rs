//! What is drawn, and how: the flags and groups of a viewer (`mjvOption`, `mjtRndFlag`).

use manyworlds::error::{Error, Result, suggest};

macro_rules! flags {
    ($($name:ident $word:literal $on:literal $doc:literal;)*) => {
        /// An element of a picture that can be switched on and off.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Flag { $(#[doc = $doc] $name,)* }

        impl Flag {
            /// All flags, in the order of a list to choose from.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// Name of the flag, as in options and panels.
            pub fn word(self) -> &'static str {
                match self { $(Self::$name => $word,)* }
            }

            /// One line that says what it shows.
            pub fn doc(self) -> &'static str {
                match self { $(Self::$name => $doc,)* }
            }

            /// True if it is on unless asked otherwise.
            pub fn default(self) -> bool {
                match self { $(Self::$name => $on,)* }
            }
        }
    };
}

flags! {
    ConvexHull "convexhull" false "Convex hulls of meshes instead of the meshes.";
    Texture "texture" true "Textures.";
    Joint "joint" false "Joints: arrows along axes, boxes of free joints, spheres of ball joints.";
    Camera "camera" false "Cameras and what they see.";
    Actuator "actuator" false "Actuators, coloured by their controls.";
    Activation "activation" false "Actuators coloured by their activations.";
    Light "light" false "Lights.";
    Tendon "tendon" true "Tendons.";
    Rangefinder "rangefinder" true "Rays of rangefinders.";
    Constraint "constraint" false "Violations of equality constraints.";
    Inertia "inertia" false "Boxes of equivalent inertia.";
    Scale "scaleinertia" false "Boxes of inertia in proportion to mass.";
    Perturb "perturbforce" false "External forces and torques on bodies.";
    ContactPoint "contactpoint" false "Contact points.";
    ContactForce "contactforce" false "Contact forces.";
    Split "contactsplit" false "Normal and frictional parts of contact forces.";
    Transparent "transparent" false "Bodies that move are transparent.";
    Autoconnect "autoconnect" false "Lines between the joints and centres of mass of a chain.";
    Com "com" false "Centres of mass of subtrees.";
    Static "static" true "Geoms that cannot move.";
    Skin "skin" true "Skins.";
    Flex "flex" true "Flexes.";
    BodyFrame "bodyframe" false "Frames of bodies.";
    GeomFrame "geomframe" false "Frames of geoms.";
    SiteFrame "siteframe" false "Frames of sites.";
    WorldFrame "worldframe" false "Frame of the world.";
    Bounds "bounds" false "Bounding boxes of geoms.";
    Shadow "shadow" true "Shadows.";
    Reflection "reflection" true "Reflections.";
    Skybox "skybox" true "The skybox.";
    Haze "haze" true "Haze on the horizon of the skybox.";
    Fog "fog" false "Fog.";
    Wireframe "wireframe" false "Edges of triangles only.";
}

impl Flag {
    /// The flag with a [word](Flag::word).
    ///
    /// # Errors
    /// [`Error::Argument`] for an unknown word, with the nearest one.
    pub fn parse(word: &str) -> Result<Self> {
        Self::ALL.iter().find(|f| f.word() == word).copied().ok_or_else(|| {
            let words: Vec<&str> = Self::ALL.iter().map(|f| f.word()).collect();
            let near = suggest(word, words.iter().copied());
            Error::Argument(format!(
                "nothing is called '{word}' in a picture{near}; there are {}",
                words.join(" ")
            ))
        })
    }
}

/// Number of groups of a kind of objects.
pub const NGROUP: usize = 6;

/// What is drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Visuals {
    flags: Vec<bool>,
    /// Groups of geoms.
    pub geoms: [bool; NGROUP],
    /// Groups of sites.
    pub sites: [bool; NGROUP],
    /// Groups of joints.
    pub joints: [bool; NGROUP],
    /// Groups of tendons.
    pub tendons: [bool; NGROUP],
    /// Groups of actuators.
    pub actuators: [bool; NGROUP],
    /// Groups of skins.
    pub skins: [bool; NGROUP],
    /// Groups of flexes.
    pub flexes: [bool; NGROUP],
}

impl Default for Visuals {
    fn default() -> Self {
        // the first three groups
        let few = [true, true, true, false, false, false];
        Self {
            flags: Flag::ALL.iter().map(|f| f.default()).collect(),
            geoms: few,
            sites: few,
            joints: few,
            tendons: few,
            actuators: few,
            skins: few,
            flexes: few,
        }
    }
}

impl Visuals {
    /// True if a flag is on.
    pub fn has(&self, flag: Flag) -> bool {
        self.flags[flag as usize]
    }

    /// Switches a flag.
    pub fn set(&mut self, flag: Flag, on: bool) {
        self.flags[flag as usize] = on;
    }

    /// A flag, to be switched in place.
    pub fn flag_mut(&mut self, flag: Flag) -> &mut bool {
        &mut self.flags[flag as usize]
    }

    /// These visuals with a flag switched.
    #[must_use]
    pub fn with(mut self, flag: Flag, on: bool) -> Self {
        self.set(flag, on);
        self
    }
}

/// True if a group is shown; groups beyond the last count as the last.
pub(super) fn shown(groups: &[bool; NGROUP], group: i32) -> bool {
    groups[usize::try_from(group).unwrap_or(0).min(NGROUP - 1)]
}
