"""One game on the host: its class and its helpers are in `core.line`, beside the rules that they follow."""

from ludus.core.line import Ending as Ending
from ludus.core.line import Line as Line
from ludus.core.line import fresh_start as fresh_start
from ludus.core.line import play_randomly as play_randomly
