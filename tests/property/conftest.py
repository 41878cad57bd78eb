from hypothesis import settings

# A deadline measures the machine, not the model: the first SymPy call alone takes a second.
settings.register_profile("lesson", deadline=None)
settings.load_profile("lesson")
