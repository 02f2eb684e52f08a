"""What several commands share. A command imports from here, and never from another command."""
