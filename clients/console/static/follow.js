// A stream of events, followed: a browser gives one up for good where anything else answers, a proxy while the console starts again, say.

import { element } from "./drawing.js";

const AGAIN = 2000; // milliseconds
const place = document.querySelector("[data-away]");

/** Say in the page's own place why nothing comes; "" where something does. */
function tell(text = place?.dataset.away) {
  if (place && place.textContent !== text) place.textContent = text;
}

/**
 * Give `on` every message of the stream at an address, until what is given back is called. `away` is called when it breaks, and with
 * the reason when it ends because nobody is signed in any more.
 */
export function follow(address, on, away = tell) {
  let source = null;
  let again = null;
  function open() {
    source = new EventSource(address);
    source.onmessage = ({ data }) => {
      const told = JSON.parse(data);
      if (told.sign_in) return expire(told);
      tell("");
      on(told);
    };
    source.onerror = () => {
      away();
      // Else the browser asks again by itself.
      if (source.readyState === EventSource.CLOSED) again = setTimeout(open, AGAIN);
    };
  }
  function expire({ closed, sign_in: [text, href] }) {
    close();
    away(closed);
    const link = element("a", "", text);
    link.href = href;
    place?.append(" ", link);
  }
  function close() {
    clearTimeout(again);
    source.close();
  }
  open();
  addEventListener("pagehide", close);
  return close;
}
