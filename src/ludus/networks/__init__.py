"""Networks: array-only Equinox modules, written for one input."""

from ludus.networks.convolution import FILTERS, HexagonLayer, HexagonNet, Tower
from ludus.networks.mlp import MLP, Inputs, encode, input_size
from ludus.networks.recurrent import Recurrent, squash

__all__ = [
    "FILTERS",
    "MLP",
    "HexagonLayer",
    "HexagonNet",
    "Inputs",
    "Recurrent",
    "Tower",
    "encode",
    "input_size",
    "squash",
]
