# SPDX-License-Identifier: Apache-2.0
"""The names that inftrace gives to the model of a session of onnxruntime. Imports nothing of onnxruntime."""

from __future__ import annotations

import os
from typing import Any, List, Union

from .program import Error

_MEMORY = "model from memory"


def _of_path(path: str) -> str:
    """resnet.onnx is resnet; what says nothing, such as resnet/model.onnx, gets the name of its folder as well."""
    folder, file = os.path.split(path)
    stem, dot, suffix = file.rpartition(".")
    name = stem if dot and stem else file
    if folder.strip("/") and file.startswith(("model.", "model_")):
        parts = [part for part in folder.split("/") if part]
        if len(parts) > 1 and parts[-1] == "onnx":
            name = "%s/onnx/%s" % (parts[-2], name)
        else:
            name = "%s/%s" % (parts[-1], name)
    return name


def _of_bytes(session: Any, size: int) -> List[str]:
    """A session that was there before inftrace, and one that inftrace has seen from the start."""
    graph = str(session.get_modelmeta().graph_name or "") or _MEMORY
    return [_MEMORY, "{} ({:,} bytes)".format(graph.encode()[:79].decode(errors="ignore"), size)]


def names_of(model: Union[str, Any]) -> List[str]:
    """A name as it is; the names that the model of an onnxruntime.InferenceSession can have."""
    model = getattr(model, "model", model)  # of sessions()
    if isinstance(model, str):
        if not model:
            raise Error("the model has no name")
        return [model]
    path, content = getattr(model, "_model_path", None), getattr(model, "_model_bytes", None)
    if path:
        path = os.fspath(path)
        return list(dict.fromkeys([_of_path(path), _of_path(os.path.abspath(path))]))
    if content is not None:
        return _of_bytes(model, len(content))
    raise Error(
        "cannot find the name of the model of %r: it is no onnxruntime.InferenceSession; give the name, as "
        "inftrace report prints it" % (model,)
    )
