"""How the site is built: settings in `conf.py`, and a small module for each thing Sphinx does not do."""
