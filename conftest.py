"""What pytest loads first: pages and docstrings as tests, and a count for each kind of test at the end."""

pytest_plugins = ["conf.pages", "tests.counts"]
