"""The browser that the console is tested in draws what visitors see."""

from __future__ import annotations

from tests.console import browsing
from tests.console.browsing import visitor

pytestmark = browsing.needed

_DRAWN = """([one, other, family]) => {
  const drawn = (text) => {
    const canvas = Object.assign(document.createElement("canvas"), { width: 40, height: 40 });
    const pen = canvas.getContext("2d");
    pen.font = `30px ${family}`;
    pen.fillText(text, 4, 32);
    return canvas.toDataURL();
  };
  return drawn(one) !== drawn(other);
}"""


async def test_chinese_is_drawn_and_no_empty_boxes() -> None:
    async with visitor("") as guest:
        for family in ("serif", "sans-serif", "system-ui"):
            assert await guest.page.evaluate(_DRAWN, ["复", "盘", family]), family
