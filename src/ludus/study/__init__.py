"""One engine for every paper: a figure is a grid of curves, what is measured along them, and a judge.

`study` says what a paper, a figure and a finding are, and reproduces them; `grid` trains all runs of all curves in few
compiled calls; `measures` are the exact strengths along a curve; `data` keeps them as CSV, from which `statistics`,
`pictures`, the judges and the `page` work: a verdict can be made again from its file, without training.
"""
