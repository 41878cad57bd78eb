import os

from hypothesis import settings

# A deadline measures the machine, not the model: the first SymPy call alone takes a second.
settings.register_profile("lesson", deadline=None)
# Once a week other inputs than those of each run, and many more.
settings.register_profile("weekly", deadline=None, derandomize=False, max_examples=2000)
settings.load_profile("weekly" if os.environ.get("WEEKLY") else "lesson")
