"""Every module has the test of its name, or a reason; every test has its module."""

from cases import ROOT

SOURCES, TESTS = ROOT / "cellval", ROOT / "tests"
# Modules (or packages) without a test of their name.
REASONS = {
    "__main__": "runs in processes of its own in cli/test_arguments.py and test_value",
    "ui": "pages are tested as a whole, a file a page, in tests/pages",
}
# Tests of something else than a module of the library.
OTHERS = {
    "browser": "walks through the app in a browser",
    "pages": "pages as a whole",
    "hostile": "files that are bad or odd, and what each must give",
    "test_docs": "pages of docs/ beside the code",
    "test_examples": "docs/examples",
    "test_golden": "what version 0.1 computed",
    "test_installed": "the command and the app, from the checkout and from the wheel",
    "test_layers": "contracts of imports",
    "test_layout": "this file",
    "test_main": "`python -m cellval` with closed streams and hostile names",
    "test_naive": "the oracle itself",
    "test_operations": "how much is done, counted",
    "test_packaging": "pyproject.toml, the lock, the image, citation and changelog",
    "test_public_api": "what `import cellval` promises",
    "test_unlabelled_rows": "rows whose label is missing, from reading to export",
    "experiments/test_pages": "pages of results that benchmarks write",
    "experiments/test_readme_results": "benchmarks/readme_results.py",
    "experiments/test_results": "paragraphs beside the paper's numbers",
}


def modules():
    """As package/module, without suffix."""
    paths = [path.relative_to(SOURCES) for path in SOURCES.rglob("*.py")]
    return {p.with_suffix("").as_posix() for p in paths if p.name != "__init__.py"}


def all_tests():
    paths = [path.relative_to(TESTS) for path in TESTS.rglob("test_*.py")]
    return {path.with_suffix("").as_posix() for path in paths}


def wanted_for(module):
    *package, name = module.split("/")
    return "/".join([*package, f"test_{name}"])


def has_reason(name, reasons):
    return name in reasons or name.split("/")[0] in reasons


def test_every_module_has_the_test_of_its_name_or_a_reason():
    known = all_tests()
    missing = {
        wanted_for(name)
        for name in modules()
        if wanted_for(name) not in known and not has_reason(name, REASONS)
    }
    assert missing == set()


def test_every_test_is_that_of_a_module_or_has_a_reason():
    of_modules = {wanted_for(name) for name in modules()}
    others = {
        name
        for name in all_tests()
        if name not in of_modules and not has_reason(name, OTHERS)
    }
    assert others == set()


def test_every_reason_is_still_one():
    everything = modules() | {name.split("/")[0] for name in modules()}
    assert set(REASONS) <= everything
    for name in REASONS:
        assert wanted_for(name) not in all_tests()


def test_every_page_has_the_test_of_its_name():
    folders = [path for path in (SOURCES / "ui").iterdir() if path.is_dir()]
    wanted = {path.name for path in folders if (path / "__init__.py").exists()}
    wanted |= {path.stem for path in (ROOT / "pages").glob("*.py")}
    missing = {p for p in wanted if not (TESTS / "pages" / f"test_{p}.py").exists()}
    assert missing == set()
