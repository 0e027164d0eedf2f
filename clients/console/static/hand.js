// One's own hand as something to tap: cards and tiles are pressed to choose them, and what they may become is offered.

import { element } from "./drawing.js";

/** A card of the hand by its text and how many like it come before, so that it is the same one when the table is drawn again. */
const keyOf = (text, index, texts) => `${text}#${texts.slice(0, index).filter((one) => one === text).length}`;
const textOf = (key) => key.split("#")[0];

export class Hand {
  /** `changed` is called when other cards are chosen, `act` with the action that a second tap means. */
  constructor(table, changed, act) {
    Object.assign(this, { table, changed, act, asked: "", choices: [], freely: false, chosen: new Set(), buttons: [], focused: null });
  }

  /** Forget what was chosen. */
  clear() {
    Object.assign(this, { asked: "", choices: [], freely: false, buttons: [] });
    this.chosen.clear();
  }

  /** Draw the table; whoever had a card in focus has it again afterwards. */
  redraw(draw) {
    this.focused = document.activeElement?.dataset.key ?? null;
    draw();
  }

  /** Make the cards drawn into buttons: what `choices` take of them may be chosen, and anything where cards are laid `freely`. */
  offers(asked, held, choices, freely) {
    if (asked !== this.asked) this.chosen.clear();
    Object.assign(this, { asked, choices, freely, buttons: [] });
    const usable = new Set(choices.flatMap(([, , uses]) => uses));
    if (!freely && !usable.size) return;
    const texts = held.map(({ text }) => text);
    const drawn = this.table.querySelectorAll(".player.own .hand :is(.card, .tile)");
    const group = this.table.querySelector(".player.own .hand");
    group.setAttribute("role", "group");
    held.forEach(({ text, label }, index) => {
      const key = keyOf(text, index, texts);
      const made = element("button", drawn[index].className, ...drawn[index].childNodes);
      made.type = "button";
      Object.assign(made.dataset, { card: text, key });
      made.setAttribute("aria-label", label);
      made.disabled = !freely && !usable.has(text);
      made.addEventListener("click", () => this.tapped(key));
      drawn[index].replaceWith(made);
      this.buttons.push(made);
    });
    this.chosen = new Set([...this.chosen].filter((key) => this.buttons.some((one) => one.dataset.key === key)));
    this.mark();
    if (this.focused) this.buttons.find((one) => one.dataset.key === this.focused)?.focus();
  }

  /** Texts of the cards chosen, in the order of the hand. */
  texts() {
    return this.buttons.filter((one) => this.chosen.has(one.dataset.key)).map((one) => one.dataset.card);
  }

  /** Whether a tile is to be played by tapping it. */
  plays() {
    return this.choices.some(([text]) => isPlay(text));
  }

  /** The choices that the chosen cards can still become, and those that take none. */
  fitting() {
    const chosen = this.texts();
    return this.choices.filter(([text, , uses]) => {
      if (!chosen.length) return !isPlay(text);
      return !uses.length || without(uses, chosen);
    });
  }

  /** Choose a card, or leave it; the second tap on a tile that can only be played plays it. */
  tapped(key) {
    const text = textOf(key);
    if (this.chosen.has(key)) {
      const play = this.chosen.size === 1 && this.choices.find(([action, , uses]) => isPlay(action) && uses[0] === text);
      if (play) return this.act(play[0]);
      this.chosen.delete(key);
    } else {
      // What goes with nothing chosen before begins anew.
      if (!this.freely && !this.choices.some(([, , uses]) => without(uses, [...this.texts(), text]))) this.chosen.clear();
      this.chosen.add(key);
    }
    this.mark();
    this.changed();
  }

  /** Leave all cards. */
  drop() {
    this.chosen.clear();
    this.mark();
    this.changed();
  }

  /** Focus the next card that may be chosen; false where there is none. */
  step(way) {
    const may = this.buttons.filter((one) => !one.disabled);
    if (!may.length) return false;
    const now = may.indexOf(document.activeElement);
    may[now < 0 ? (way > 0 ? 0 : may.length - 1) : (now + way + may.length) % may.length].focus();
    return true;
  }

  mark() {
    for (const one of this.buttons) one.setAttribute("aria-pressed", String(this.chosen.has(one.dataset.key)));
  }
}

const isPlay = (text) => text.startsWith("play ");

/** Whether all of `some` are among `all`, each as often as it is there. */
function without(all, some) {
  const left = [...all];
  return some.every((one) => {
    const index = left.indexOf(one);
    if (index >= 0) left.splice(index, 1);
    return index >= 0;
  });
}
