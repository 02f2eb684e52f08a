"""One engine for every paper: a figure is a set of curves, what is measured along them, and a judge.

`study` defines a study, its figures and findings; `trials` choose settings; `grid` trains all runs of all curves in a
few compiled calls, and `cache` saves them; `measures` are exact strengths along a curve; `data` holds the results as
CSV. `statistics`, `comparison`, `pictures`, the judges and the `page` work from that CSV, so a verdict can be made
again without training. `reproduce` is the whole way, for `ludus reproduce`.
"""
