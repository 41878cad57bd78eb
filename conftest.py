pytest_plugins = ["tests.counts"]
