"""Bytes to text: encodings, sources, sizes, and files that are no CSV."""

import io
import os
import random
import socket

import pandas as pd
import pytest

from cellval.errors import InputError
from cellval.table import decoding
from cellval.table.formats import file_cells, rewritten
from cellval.table.table import read

GOOD = "name,weight,sex\nJosé,12.5,M\nZoë,3.25,F\nÅsa,7,M\n"


def message_of(source, **options):
    with pytest.raises(InputError) as caught:
        read(source, **options)
    return str(caught.value)


# Encoding


@pytest.mark.parametrize(
    ("encoding", "found"),
    [
        ("utf-8", "utf-8"),
        ("utf-8-sig", "utf-8-sig"),
        ("utf-16", "utf-16"),
        ("utf-16-le", "utf-16-le"),
        ("utf-16-be", "utf-16-be"),
        ("utf-32", "utf-32"),
        ("latin-1", "latin-1"),
    ],
)
def test_encoding_is_found(encoding, found):
    table = read(GOOD.encode(encoding), label="sex")
    assert table.format.encoding == found
    assert table.cells["name"].tolist() == ["José", "Zoë", "Åsa"]
    assert list(table.cells.columns) == ["name", "weight", "sex"]


def test_big_endian_utf16_with_a_mark_is_found():
    raw = b"\xfe\xff" + GOOD.encode("utf-16-be")
    assert read(raw, label="sex").cells["name"][0] == "José"


def test_windows_1252_is_named_as_such_and_said():
    table = read("x,price,y\n1,5 €,a\n2,7 €,b\n3,8 €,a\n".encode("cp1252"), label="y")
    assert table.format.encoding == "cp1252"
    assert table.cells["price"][0] == "5 €"
    assert any("Windows-1252" in note and "UTF-8" in note for note in table.notes)


CYRILLIC = """номер;имя;город;возраст;итог
1;Иван Петров;Москва;34;да
2;Ольга Смирнова;Казань;29;нет
3;Пётр Иванов;Самара;41;да
"""
LEGACY = {
    "shift_jis": """番号,氏名,都道府県,年齢,判定
1,田中太郎,東京都,34,合格
2,鈴木花子,大阪府,29,不合格
3,ソニー表示,北海道,41,合格
""",
    "gb18030": """编号,姓名,城市,年龄,结果
1,王小明,北京,34,合格
2,李娜,上海,29,不合格
3,张伟,广州,41,合格
""",
    "cp1250": """id,jméno,město,věk,výsledek
1,Jiří Novák,Plzeň,34,ano
2,Květa Dvořáková,České Budějovice,29,ne
3,Tomáš Šťastný,Žďár,37,ano
""",
    "cp1251": CYRILLIC,
    "koi8-r": CYRILLIC,
    "cp1253": """αριθμός,όνομα,πόλη,τέλος
1,Γιώργος,Αθήνα,ναι
2,Μαρία,Θεσσαλονίκη,όχι
3,Ελένη,Πάτρα,ναι
""",
    "big5": """編號,姓名,城市,年齡,結果
1,王小明,台北,34,合格
2,李娜,高雄,29,不合格
3,張偉,台中,41,合格
""",
    "euc_kr": """번호,이름,도시,나이,결과
1,김철수,서울,34,합격
2,이영희,부산,29,불합격
3,박민수,대구,41,합격
""",
    "euc_jp": """番号,氏名,都道府県,年齢,判定
1,田中太郎,東京都,34,合格
2,鈴木花子,大阪府,29,不合格
3,佐藤次郎,北海道,41,合格
""",
}
WESTERN = (
    "Name;Größe;Ort;Note\nMüller;1,82;Köln;gut\nJäger;1,61;Gießen;mies\nWeiß;2;Ulm;gut\n",
    "nom,ville,classe\nHélène,Besançon,oui\nFrançois,Orléans,non\nZoé,Nîmes,oui\n",
    "nombre,año,x\nMuñoz,1990,Cádiz\nPeña,1985,León\nÍñigo,1971,Logroño\n",
    "navn,by,x\nBjørn,Århus,1\nSøren,Tromsø,2\nÅse,Bodø,1\n",
    "nome,città,x\nNiccolò,Forlì,1\nTeò,Nardò,2\nAnna,Cefalù,1\n",
    "x,price,y\n1,5 €,a\n2,7 €,b\n3,8 €,a\n",
    "x,note,y\n1,it’s fine,a\n2,– none –,b\n3,“so”,a\n",
    "x,temp,y\n1,5 °C,a\n2,7 °C,b\n3,8 µm²,a\n",
)


@pytest.mark.parametrize("encoding", LEGACY)
def test_encodings_without_a_mark_are_told_by_their_letters(encoding):
    text = LEGACY[encoding]
    raw = text.encode(encoding)
    [mark] = {mark for mark in ",;" if mark in text}
    lines = [line.split(mark) for line in text.splitlines()]
    table = read(raw, label=lines[0][-1])
    assert list(table.cells.columns) == lines[0]
    assert table.cells.to_numpy().tolist() == lines[1:]
    assert any("is not UTF-8 and was read as" in note for note in table.notes)
    # and the file comes back in the same bytes
    old, new = lines[2][1], lines[1][1]
    changed = rewritten(raw, {(2, lines[0][1]): new})
    assert changed == text.replace(old, new).encode(encoding)
    assert rewritten(changed, {(2, lines[0][1]): old}) == raw


@pytest.mark.parametrize("text", WESTERN)
def test_western_texts_stay_windows_1252_or_latin_1(text):
    cells, written, notes = file_cells(text.encode("cp1252"), "data.csv")
    assert written.encoding in ("cp1252", "latin-1")
    assert any("Latin-1" in note or "Windows-1252" in note for note in notes)
    assert all(text in "".join(cells.to_numpy().ravel()) for text in cells.iloc[0])


def test_a_letter_that_the_encoding_lacks_gets_a_sentence_that_names_it():
    with pytest.raises(InputError, match=r"'漢' cannot be written in KOI8-R"):
        rewritten(CYRILLIC.encode("koi8-r"), {(1, "имя"): "漢"})


def test_a_large_file_is_not_all_asked_about(monkeypatch):
    text = "x,имя,y\n" + "1,Иван,да\n2,Ольга,нет\n" * 20_000
    asked = []
    real = decoding._likely
    monkeypatch.setattr(decoding, "_likely", lambda s: asked.append(len(s)) or real(s))
    assert read(text.encode("cp1251"), label="y").cells["имя"][1] == "Ольга"
    assert asked and max(asked) <= decoding.SAMPLED < len(text)


def test_cut_off_utf16_gets_a_sentence():
    message = message_of(GOOD.encode("utf-16")[:-1], label="sex")
    assert "UTF-16" in message and "cut off" in message


# Sources


@pytest.mark.parametrize("kind", ["str", "path", "bytes", "binary", "text", "open"])
def test_every_source_gives_the_same_table(tmp_path, kind):
    path = tmp_path / "good.csv"
    path.write_text(GOOD, encoding="utf-8")
    sources = {
        "str": lambda: str(path),
        "path": lambda: path,
        "bytes": lambda: GOOD.encode(),
        "binary": lambda: io.BytesIO(GOOD.encode()),
        "text": lambda: io.StringIO(GOOD),
        "open": lambda: path.open("rb"),
    }
    source = sources[kind]()
    table = read(source, label="sex")
    if kind == "open":
        source.close()
    assert table.cells["name"].tolist() == ["José", "Zoë", "Åsa"]
    assert table.name == ("good.csv" if kind in ("str", "path", "open") else "table")


def test_an_uploaded_file_can_be_read_twice():
    class Uploaded(io.BytesIO):
        name = "upload.csv"

    upload = Uploaded(GOOD.encode())
    assert read(upload, label="sex").name == "upload.csv"
    assert read(upload, label="sex").n_rows == 3


def test_missing_file_folder_and_forbidden_file_get_a_sentence(tmp_path, monkeypatch):
    message = message_of(tmp_path / "nowhere.csv")
    assert "nowhere.csv" in message and "no such file" in message
    assert "folder" in message_of(tmp_path)

    path = tmp_path / "secret.csv"
    path.write_text(GOOD)

    def refuse(*args, **kwargs):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("builtins.open", refuse)
    message = message_of(path)
    assert "secret.csv" in message and "permission" in message


def test_csv_text_in_place_of_a_path_is_explained():
    assert "io.StringIO" in message_of(GOOD)


def test_a_path_no_system_accepts_gets_a_sentence():
    assert "cannot be read" in message_of("x" * 5000)
    assert "cannot be read" in message_of("a\0b")


def test_a_dataframe_is_read_and_other_objects_are_explained():
    frame = pd.DataFrame({"x": [1, 2, 4], "y": ["a", "b", "a"]})
    table = read(frame, label="y", kinds={"x": "category"})
    assert table.features[0].categories == ("1", "2", "4")
    assert "not list; for a DataFrame use Table.from_frame" in message_of([1, 2])


def test_text_opened_in_the_wrong_encoding_is_explained(tmp_path):
    path = tmp_path / "latin.csv"
    path.write_bytes(GOOD.encode("latin-1"))
    with path.open(encoding="utf-8") as file:
        message = message_of(file)
    assert "latin.csv" in message and "binary" in message


# Size


def test_a_large_file_is_refused_before_reading_and_the_limit_is_stated(
    tmp_path, monkeypatch
):
    path = tmp_path / "big.csv"
    with path.open("wb") as file:
        file.write(GOOD.encode())
        file.truncate(1_000_000_000)
    monkeypatch.setattr("builtins.open", lambda *a, **k: pytest.fail("was opened"))
    message = message_of(path)
    for part in ("big.csv", "1,000.0 MB", "500.0 MB", "CELLVAL_MAX_MB"):
        assert part in message


@pytest.mark.parametrize("wrap", [bytes, io.BytesIO, lambda b: io.StringIO(b.decode())])
def test_the_limit_holds_for_bytes_and_buffers(wrap):
    assert "the limit is 0.0 MB" in message_of(wrap(GOOD.encode()), max_bytes=20)
    assert read(wrap(GOOD.encode()), label="sex", max_bytes=100).n_rows == 3


def test_the_limit_can_be_set_in_the_environment(monkeypatch):
    monkeypatch.setenv("CELLVAL_MAX_MB", "0.00002")
    assert "CELLVAL_MAX_MB" in message_of(GOOD.encode())
    monkeypatch.setenv("CELLVAL_MAX_MB", "lots")
    assert "'lots'" in message_of(GOOD.encode())
    monkeypatch.setenv("CELLVAL_MAX_MB", "1")
    assert read(GOOD.encode(), label="sex").n_rows == 3


# Broken files


@pytest.mark.parametrize(
    ("raw", "kind"),
    [
        (b"\x89PNG\r\n\x1a\n" + bytes(range(256)), "PNG"),
        (b"%PDF-1.7\n...", "PDF"),
        (b"SQLite format 3\0", "SQLite"),
        (random.Random(0).randbytes(5000), "binary data"),
        (bytes(range(64)) * 40, "binary data"),
        (b"<!DOCTYPE html><html><body>Not found</body></html>", "web page"),
        (b'[{"a": 1, "b": 2}, {"a": 3, "b": 4}]', "JSON"),
    ],
)
def test_a_file_that_is_no_csv_is_named(raw, kind):
    source = io.BytesIO(raw)
    source.name = "data.csv"
    message = message_of(source)
    assert "data.csv is no table" in message
    assert kind in message and "CSV" in message.split(kind)[1]


@pytest.mark.parametrize(
    "raw",
    [b"", b"   ", b"\n\r\n \t\n", b"\xef\xbb\xbf", b"\xff\xfe", b"\xff\xfe \0\n\0"],
)
def test_an_empty_file_gets_a_sentence(raw):
    message = message_of(raw)
    assert "empty" in message


# What is no file


def test_a_pipe_or_a_device_is_refused_and_nobody_waits(tmp_path):
    pipe = tmp_path / "pipe.csv"
    os.mkfifo(pipe)
    assert "it is a pipe, not a file" in message_of(pipe)
    assert "it is a device, not a file" in message_of(os.devnull)
    assert "it is a folder" in message_of(tmp_path)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "s"))
        assert "it is a socket, not a file" in message_of(tmp_path / "s")


def test_a_name_that_is_no_utf_8_becomes_one_that_can_be_written(tmp_path):
    path = os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.csv")
    with open(path, "wb") as file:
        file.write(GOOD.encode())
    assert read(path, label="sex").name == "caf\ufffd.csv"
    with open(path, "rb") as file:
        assert read(file, label="sex").name == "caf\ufffd.csv"
    assert "\udce9" not in message_of(f"{path}.none")
