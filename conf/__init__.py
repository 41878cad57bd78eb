"""How the site is built: Sphinx settings in `conf.py`, and beside it one small module for each thing Sphinx does not do."""
