"""The packages that can be put under test: one factory per name, as the registry calls it."""

from __future__ import annotations

from functools import partial

from runners.memory.packages.recipes import RECIPES
from runners.memory.packages.system import PackageSystem

mem0_2 = partial(PackageSystem, RECIPES["pkg:mem0-2"])
mem0_1 = partial(PackageSystem, RECIPES["pkg:mem0-1"])
memos_text = partial(PackageSystem, RECIPES["pkg:memos-text"])
graphiti = partial(PackageSystem, RECIPES["pkg:graphiti"])
