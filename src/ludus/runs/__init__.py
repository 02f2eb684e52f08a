"""Run folders: what training leaves on the disk, read and written so that nothing is lost."""
