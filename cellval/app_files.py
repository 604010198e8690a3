"""Where the app's own files are: app.py, pages/, .streamlit/ and sample_data/.

In a checkout they are at its top, where `streamlit run app.py` finds them. A wheel has
copies of them within the package (pyproject.toml says which).
"""

from pathlib import Path

HERE = Path(__file__).parent
INSTALLED = "_app"  # in the package, where it came from a wheel


def folder() -> Path:
    """The folder that holds app.py and the others.

    Examples
    --------
    >>> (folder() / "app.py").exists()
    True
    """
    installed = HERE / INSTALLED
    return installed if installed.is_dir() else HERE.parent


def samples() -> Path:
    """The folder of the sample tables.

    Examples
    --------
    >>> (samples() / "davis.csv").exists()
    True
    """
    return folder() / "sample_data"
