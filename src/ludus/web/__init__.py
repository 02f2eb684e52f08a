"""The page: a shell over the same library as the command line, and of equal rank. Nobody imports it.

`serve` is the command; `app` the routes; `guard` who may ask; `asked` what a request may say; `lanes` the workers, with
deadlines; `setups` games, lines and positions; `minds` agents by name; `thinking` what they play and think, and the
truth; `learning` runs and their curves; `papers` figures. What the browser loads is in `static`: plain modules, one for
each kind of board.

Nothing is kept of who plays what: a position and how it came about travel with each request, as text. What is
remembered (lines, agents, programs) is remembered for speed alone, and all of it is bounded.
"""
