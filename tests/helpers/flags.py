"""XLA's flags for the tests, set before JAX is loaded, since XLA reads them once. Processes that tests start inherit
them. Without an emitter for each fusion XLA compiles a program of the tests in some four fifths of the time.
"""

from __future__ import annotations

import os

FLAG = "--xla_cpu_use_fusion_emitters=false"
flags = os.environ.get("XLA_FLAGS", "").split()
if FLAG not in flags:  # a worker's own processes have it already
    os.environ["XLA_FLAGS"] = " ".join((*flags, FLAG))
