import pytest
from command_line import on_davis


@pytest.fixture(scope="session")
def davis_values(tmp_path_factory):
    """Davis valued once; the path of its values.npz."""
    folder = tmp_path_factory.mktemp("davis")
    assert on_davis("run", "--out", folder) == 0
    return folder / "values.npz"
