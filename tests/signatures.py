"""Every public function and class with arguments that are right: what the tests of errors make wrong, one by one."""

import inspect
import re

import roofline
from roofline import LLAMA_3_1_8B, Experts, Kernel, Latent, Model, Roof, device, matmul, model
from roofline.tables import atlas

ROOF = device("H100 SXM").roof("bf16")
KERNEL = matmul(8, 16, 16)
#: A value that is right for each parameter that has no default.
GOOD = {
    "B": 8, "D": 16, "F": 32, "N": 8, "T": 64, "k": 2, "n": 100, "tokens": 8, "width": 16, "d_h": 16, "heads": 4,
    "prefix": 64, "own": 8, "before": 64, "new_tokens": 8, "kv_rank": 16, "rope": 8, "nope": 16, "value": 16,
    "sequences": 2, "context": 64, "prompt": 64, "memory": 80e9, "accepted": 0.5, "drafted": 4, "dense": 300.0,
    "flops": 1e9, "nbytes": 1e6, "time": 1e-3, "kernel": KERNEL, "kernels": [matmul(1024, 1024, 1024)],
    "roof": ROOF, "old_roof": ROOF, "new_roof": ROOF, "model": LLAMA_3_1_8B, "text": "4.2 ms",
    "peak": 1e15, "bandwidth": 1e12, "intensity": 8,
    "hidden": 64, "layers": 2, "q_heads": 4, "kv_heads": 2, "head_dim": 16, "intermediate": 128, "vocab": 1000,
    "count": 8, "chosen": 2, "q_rank": 32, "device": device("H100 SXM"), "format": "bf16", "seconds": 1e-9,
    "id": "decode-074", "kind": "decode",
}  # fmt: skip
NAMES = {
    "device": "L4", "model": "Qwen3 8B", "one_device": "L4", "model_kernels": "Qwen3 8B", "slug": "L4",
    "Kernel": "mine", "Model": "mine",
}  # fmt: skip
FUNCTIONS = {name: getattr(roofline, name) for name in roofline.__all__ if inspect.isfunction(getattr(roofline, name))}
#: What sizes and formats are given to, each in one place.
COMPUTING = {
    **{name: function for name, function in FUNCTIONS.items() if "quantity" not in name},
    **{cls.__name__: cls for cls in (Kernel, Roof, Model, Experts, Latent)},
    **{
        f"{type(owner).__name__}.{name}": getattr(owner, name)
        for owner, names in (
            (ROOF, ("attainable", "derated")),
            (LLAMA_3_1_8B, ("kv_bytes_per_token", "weight_bytes", "cache_bytes", "with_kv_heads")),
            (model("Mixtral 8x7B"), ("step_weight_bytes",)),
        )
        for name in names
    },
}
PUBLIC = {
    **FUNCTIONS,
    **COMPUTING,
    "model_kernels": atlas.model_kernels,
    "one_device": atlas.one_device,
    "which_device": atlas.which_device,
}


def right(name):
    """Arguments that the function takes."""
    needed = [p.name for p in inspect.signature(PUBLIC[name]).parameters.values() if p.default is p.empty]
    return {one: NAMES[name] if one == "name" else GOOD[one] for one in needed}


def kinds(name):
    """The parameters of a function by what they take, as its annotations say."""
    found = {"size": [], "format": [], "other": []}
    for parameter in inspect.signature(PUBLIC[name]).parameters.values():
        said = str(parameter.annotation)
        counted = said == "int" and parameter.name != "layer"
        kind = (
            "format"
            if re.match(r"Format\b", said)  # a FormatName has no number of bytes to be wrong
            else "size"
            if said.startswith(("Size", "Number", "float")) or counted
            else "other"
        )
        found[kind].append(parameter)
    return found
