"""The web page: a shell over the library, like the command line. No other package imports it.

`serve` is the command; `app` has the routes; `guard` refuses other hosts and origins; `body` reads a request's JSON;
`workers` are pools of threads with deadlines; `documents` has one function per route; `positions` caches games and
lines; `players` finds agents by name; `analysis` computes moves and opinions, `exact` exact values, `review` reviews
of whole games; `run_list` shows runs and their curves, `ages` finds a run's snapshots, `compare` lays runs over each
other; `papers` shows claims, `figures` their curves, and `bands` puts means over seeds into numbers; `connections`
closes those on which no request arrives. The browser loads plain modules from `static`, one for each kind of board.

The server stores no game: each request brings the whole game as text. Caches (lines, players, programs) only save time,
and all are bounded.
"""
