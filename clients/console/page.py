"""How a page is made: a template, the visitor's language, figures as people read them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.datastructures import URL
from starlette.requests import Request
from starlette.responses import HTMLResponse

from clients.boards import refereed
from clients.console import figures, session
from clients.console.language import COOKIE, Language, chosen

HERE = Path(__file__).parent
STATIC = HERE / "static"

_LANGUAGE_SECONDS = 365 * 24 * 3600


def language_of(request: Request) -> Language:
    """The language that a request wants."""
    return chosen(
        request.query_params.get("lang"),
        request.cookies.get(COOKIE),
        request.headers.get("accept-language"),
    )


def address_of(request: Request) -> URL:
    """Where the page of a request is read: what a form asks for is sent to an address below that, named by the act."""
    url = URL(scope=request.scope)
    return url.replace(path=url.path.rpartition("/")[0], query="") if "act" in request.path_params else url


def local(url: URL) -> str:
    """An address within this site."""
    return f"{url.path}?{url.query}" if url.query else url.path


class Pages:
    """All templates. Everything they are given is escaped, and a name that they are not given is an error."""

    def __init__(self) -> None:
        self._templates = Environment(
            loader=FileSystemLoader(HERE / "templates"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._templates.filters |= {
            name: getattr(figures, name)
            for name in ("tenths", "seconds", "exact_seconds", "signed", "mean", "moment", "hexes", "counts")
        }
        self._templates.globals |= {
            "asset": _assets().__getitem__,
            "visitor": None,
            "here": "",
            "refereed": refereed,
        }

    def show(
        self, request: Request, template: str, context: Mapping[str, Any], status: int = 200
    ) -> HTMLResponse:
        """A whole page."""
        language = language_of(request)
        address = address_of(request)
        switch = address.include_query_params(lang=language.other.code)
        answer = HTMLResponse(
            self.text(
                language,
                template,
                {
                    "switch": local(switch),
                    "here": local(address.remove_query_params("lang")),
                    "visitor": session.session_of(request),
                    **context,
                },
            ),
            status,
            headers={"Content-Language": language.tag, "Vary": "Accept-Language, Cookie"},
        )
        if request.query_params.get("lang") == language.code:
            answer.set_cookie(
                COOKIE,
                language.code,
                max_age=_LANGUAGE_SECONDS,
                secure=request.url.scheme == "https",
                httponly=True,
                samesite="lax",
            )
        return answer

    def text(self, language: Language, template: str, context: Mapping[str, Any]) -> str:
        """A template's text."""
        made = self._templates.get_template(template)
        return made.render(context, language=language, pick=language.pick, word=language.word)

    def macro(self, language: Language, template: str, name: str) -> Callable[..., str]:
        """One macro of a template, to be called as templates call it."""
        made = self._templates.get_template(template)
        module = made.make_module({"language": language, "pick": language.pick, "word": language.word})
        found: Callable[..., str] = getattr(module, name)
        return found


def _assets() -> dict[str, str]:
    """Addresses of the static files by name; a changed file has another one, so browsers may keep what they have."""
    return {
        path.name: f"/static/{path.name}?v={hashlib.sha256(path.read_bytes()).hexdigest()[:12]}"
        for path in STATIC.iterdir()
    }
