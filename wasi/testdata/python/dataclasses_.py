from dataclasses import dataclass, field, asdict, replace, FrozenInstanceError, fields
from enum import Enum, auto
from functools import cached_property, singledispatch
from typing import NamedTuple

class Colour(Enum):
    RED = auto()
    BLUE = auto()

@dataclass(order=True, frozen=True, slots=True)
class Point:
    x: int
    y: int = 0
    tags: list = field(default_factory=list, compare=False, repr=False)

@dataclass
class Shape:
    at: Point
    colour: Colour = Colour.RED
    def __post_init__(self):
        self.name = self.colour.name.lower()
    @cached_property
    def sum(self):
        return self.at.x + self.at.y

class Pair(NamedTuple):
    a: int
    b: str = "z"

s = Shape(Point(1, 2, ["t"]))
print(s, s.name, s.sum, asdict(s), replace(s, colour=Colour.BLUE), sorted([Point(2), Point(1, 5), Point(1)]))
try:
    s.at.x = 5
except FrozenInstanceError as e:
    print(repr(e))
print([f.name for f in fields(Point)], Pair(1), Pair(2, "b")._asdict(), Colour["BLUE"], Colour(1))
match s:
    case Shape(at=Point(x=1, y=y), colour=Colour.RED) if y > 1:
        print("matched", y)

@singledispatch
def show(x):
    return "any"
@show.register
def _(x: int):
    return "int"
print(show(1), show("a"))
