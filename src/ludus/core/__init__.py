"""What a game is: its protocol, boards as bits, text and pictures. Imports no other package of Ludus."""
