"""Where and how exactly a model computes: devices, precisions, and the two libraries that run a graph on a processor.

A device is `cpu`, `cuda`, `mps` or `auto`; a precision is `float32`, `bfloat16`, `float16` or `auto`. Vectors of all of
them are alike (cosine of .9999 and more: docs/research/encoding.md), so that an index that was built with one is
searched with another; its manifest says with which one it was built.
"""

import platform
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from hashlib import blake2b
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from indexing.encoders.bert_graph import PAGE, WEIGHTS, Graph
from panelist.config import cache_dir
from panelist.errors import InputError
from panelist.extras import require
from panelist.files import write_whole

DEVICES = ("cpu", "cuda", "mps", "auto")
PRECISIONS = ("float32", "bfloat16", "float16", "auto")

Run = Callable[[NDArray[np.int32]], NDArray[np.float32]]
"""Maps token ids (texts, tokens) to what a graph puts out; several threads may call it at once."""

_INLINE_BYTES = 1024  # ONNX Runtime takes small constants only inside the file


def choose_device(device: str) -> str:
    """The device that is meant: `auto` is a graphics processor that torch can use, else the processor."""
    if device not in DEVICES:
        raise InputError(f"unknown device '{device}': choose one of {', '.join(DEVICES)}")
    if device == "cpu" or (device == "auto" and not _graphics_expected()):
        return "cpu"
    require(f"the device '{device}'", "torch", "sentence_transformers")
    import torch

    usable = {"cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
    if device == "auto":
        return next((name for name, is_usable in usable.items() if is_usable), "cpu")
    if not usable[device]:
        raise InputError(f"torch finds no device '{device}' on this machine: choose cpu or auto")
    return device


def _graphics_expected() -> bool:
    """Whether it is worth seconds to ask torch for a graphics processor."""
    expected = Path("/dev/nvidia0").exists() or (platform.system(), platform.machine()) == ("Darwin", "arm64")
    return expected and find_spec("torch") is not None and find_spec("sentence_transformers") is not None


def choose_precision(precision: str, *, faithful: bool) -> str:
    """The precision on a processor; `auto` is bfloat16 where that is `faithful` and fast, else float32."""
    if precision == "float16":
        raise InputError("a processor does not encode in float16: choose float32, bfloat16 or auto")
    if precision == "auto":
        return "bfloat16" if faithful and find_spec("openvino") is not None and _has_bfloat16() else "float32"
    if precision == "bfloat16":
        require("the precision bfloat16 on a processor", "openvino")
        if not _has_bfloat16():
            raise InputError("this processor does not compute in bfloat16 (AVX512-BF16): choose float32 or auto")
    return precision


def check_precision(precision: str) -> None:
    """Refuse a precision that nobody knows."""
    if precision not in PRECISIONS:
        raise InputError(f"unknown precision '{precision}': choose one of {', '.join(PRECISIONS)}")


def _core() -> Any:
    """OpenVINO, without the package by which its converter reports to its makers whenever it is imported."""
    sys.modules.setdefault("openvino_telemetry", None)  # type: ignore[arg-type]  # as if it were not installed
    from openvino import Core

    return Core()


def _has_bfloat16() -> bool:
    capabilities = _core().get_property("CPU", "OPTIMIZATION_CAPABILITIES")
    return platform.machine() in ("x86_64", "AMD64") and "BF16" in capabilities  # measured on none but those


def run_in_float32(graph: Graph) -> Run:
    """Open the graph with ONNX Runtime, one thread for each call: no thread waits for another."""
    import onnxruntime

    onnxruntime.disable_telemetry_events()  # the environment says so too, but it may have been imported before us
    model, external = graph.model(_INLINE_BYTES)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    # Higher levels would only fuse what is slower fused, see `bert_graph`.
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    with suppress(InputError, OSError):  # a cache that cannot be written: then the weights are in memory
        folder = _store_weights(model, list(external.values()))
        options.add_session_config_entry("session.model_external_initializers_file_folder_path", str(folder))
        external = {}
    values = [onnxruntime.OrtValue.ortvalue_from_numpy(value) for value in external.values()]
    options.add_external_initializers(list(external), values)
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    return _warm_up(lambda ids: np.asarray(session.run(None, _inputs(ids))[0], np.float32))


def _store_weights(model: bytes, weights: Sequence[NDArray[Any]]) -> Path:
    """The folder of the file of a graph's weights in the cache: it is mapped, so that processes share one copy."""
    content = b"".join(value.tobytes() + bytes(-value.nbytes % PAGE) for value in weights)
    digest = blake2b(model, digest_size=16)
    digest.update(content)
    file = cache_dir() / "weights" / digest.hexdigest() / WEIGHTS
    if not file.exists() or file.read_bytes() != content:
        file.parent.mkdir(parents=True, exist_ok=True)
        write_whole(file, content)
    return file.parent


def run_in_bfloat16(graph: Graph, threads: int) -> Run:
    """Open the graph with OpenVINO, for several calls at once, each on a thread of its own."""
    core = _core()
    settings = {"INFERENCE_PRECISION_HINT": "bf16", "INFERENCE_NUM_THREADS": threads, "NUM_STREAMS": threads}
    compiled = core.compile_model(core.read_model(graph.model(1 << 62)[0]), "CPU", settings)
    requests = threading.local()

    def run(ids: NDArray[np.int32]) -> NDArray[np.float32]:
        if not hasattr(requests, "request"):
            requests.request = compiled.create_infer_request()
        return np.asarray(next(iter(requests.request.infer(_inputs(ids)).values())), np.float32)

    return _warm_up(run)


def _warm_up(run: Run) -> Run:
    """The same, once it has run on this thread: two threads in the first call of a binding can wait for ever.

    One fetches numpy's functions and waits for the interpreter's lock; the other has the lock and waits for the first.
    """
    run(np.zeros((1, 2), np.int32))
    return run


def _inputs(ids: NDArray[np.int32]) -> dict[str, Any]:
    return {"ids": ids, "positions": np.arange(ids.shape[1], dtype=np.int32)}
