from .locomotion import *
from .locomotion import ant, humanoid, half_cheetah, hopper, walker2d, swimmer
from .reacher import reacher
from .cartpole import cartpole_swing_up
