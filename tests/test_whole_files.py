import os
import stat

import pytest

from cellval.whole_files import whole_file, write_whole


def test_a_file_is_the_old_one_until_the_new_one_is_whole(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(b"old")
    with whole_file(path) as file:
        file.write(b"half")
        file.flush()
        assert path.read_bytes() == b"old"
    assert path.read_bytes() == b"half"


@pytest.mark.parametrize("error", [OSError, KeyboardInterrupt])
def test_what_ends_the_writing_leaves_the_old_file_and_nothing_else(error, tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(b"old")
    with pytest.raises(error), whole_file(path) as file:
        file.write(b"half")
        raise error
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["a.csv"]


@pytest.mark.skipif(os.name == "nt", reason="Windows has other rights and pipes")
def test_links_rights_and_devices_stay_what_they_are(tmp_path):
    path, link = tmp_path / "a.csv", tmp_path / "link.csv"
    path.write_bytes(b"old")
    path.chmod(0o640)
    link.symlink_to(path)
    write_whole(link, b"new")
    assert link.is_symlink()
    assert path.read_bytes() == b"new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    write_whole("/dev/null", b"nothing")
    assert not os.path.isfile("/dev/null")


def test_the_longest_name_can_be_written(tmp_path):
    write_whole(tmp_path / ("a" * 251 + ".csv"), b"new")
