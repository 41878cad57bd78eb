"""The author's loop: one process that builds the site again in place, shows it, and says what is wrong with it."""
