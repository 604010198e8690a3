"""Where the app's own files are, and how they are run.

They are app.py, pages/, .streamlit/ and sample_data/.

In a checkout they are at its top, where `streamlit run app.py` finds them. A wheel has
copies of them within the package (pyproject.toml says which).
"""

import sys
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


def command(port: int) -> list[str]:
    """What runs the app: Streamlit's command line, its public way in.

    It reads the settings beside app.py, wherever that is. A module of the folder one is
    in (-P) is not taken for another.
    """
    return [
        *(sys.executable, "-P", "-m", "streamlit", "run", str(folder() / "app.py")),
        *("--server.port", str(port)),
        *("--server.headless", "true"),  # no question, and a browser of our own
        *("--logger.hideWelcomeMessage", "true"),
    ]
