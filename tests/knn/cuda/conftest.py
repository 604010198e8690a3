"""Where kernels run in tests: on a GPU if there is one, and always on the processor."""

import shutil

import pytest
from on_cpu import OnCpu

from cellval.knn import backends
from cellval.knn.cuda import gpu


@pytest.fixture(scope="session")
def processor(tmp_path_factory):
    if not shutil.which("g++"):
        pytest.skip("there is no g++ to compile the kernels for the processor")
    return OnCpu(tmp_path_factory.mktemp("kernels"))


@pytest.fixture(params=["processor", "gpu"])
def device(request, monkeypatch):
    """What `backend="cuda"` computes on."""
    if request.param == "gpu":
        if missing := backends.no_gpu():
            pytest.skip(missing)
        return gpu.gpu_for(100)
    processor = request.getfixturevalue("processor")
    monkeypatch.setattr(backends, "no_gpu", lambda: "")
    monkeypatch.setattr(gpu, "gpu_for", lambda n_rows: processor)
    processor.used.clear()
    return processor
