"""What a game is: the protocol, boards as bits, text and pictures. It imports nothing else of Ludus."""
