"""One engine for every paper's figures."""
