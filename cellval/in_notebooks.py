"""What a notebook shows of an object."""

from importlib import import_module


class InNotebooks:
    """Its kinds are shown as HTML by notebooks.

    How stands in `cellval.export.notebook`, for all of them. That room is above those
    of the nouns, so that it is named here and loaded only when a notebook asks.
    """

    def _repr_html_(self) -> str:
        return str(import_module("cellval.export.notebook").html_of(self))
