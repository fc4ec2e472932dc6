/*
 * One key moves between cards, and one decides: the card that has the focus, once its buttons have been seen for a moment, and
 * if no other key follows within a moment. What may do harm is never allowed by one key: it leads to the button.
 */

import type { RefObject } from 'preact';
import { useEffect } from 'preact/hooks';

/** Somebody who types a word presses its second key sooner, in ms. */
const pause = 400;

/** `list`: the element that holds the cards. */
export function useCardKeys(list: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const press = (event: KeyboardEvent): void => {
      clearTimeout(timer);
      const place = list.current;
      if (place === null || isForOthers(event)) return;
      if (event.key === 'j' || event.key === 'k') {
        move(place, event.key === 'j' ? 1 : -1);
        event.preventDefault();
      }
      const card = document.activeElement?.closest('[data-approval]');
      if ((event.key === 'a' || event.key === 'd') && card instanceof HTMLElement && place.contains(card)) {
        const { key } = event;
        timer = setTimeout(() => choose(card, key), pause);
      }
    };
    document.addEventListener('keydown', press);
    return () => {
      clearTimeout(timer);
      document.removeEventListener('keydown', press);
    };
  }, [list]);
}

const typedInto: readonly string[] = ['input', 'textarea', 'select'];

/** It is typed somewhere, means something else to the browser, or is held down. */
function isForOthers({ target, ctrlKey, metaKey, altKey, repeat, isComposing }: KeyboardEvent): boolean {
  if (ctrlKey || metaKey || altKey || repeat || isComposing) return true;
  if (document.querySelector('dialog[open]') !== null) return true;
  return target instanceof HTMLElement && (target.isContentEditable || typedInto.includes(target.localName));
}

function move(place: HTMLElement, step: 1 | -1): void {
  const cards = [...place.querySelectorAll<HTMLElement>('[data-approval]')];
  const all = [...place.querySelectorAll<HTMLElement>('[data-approval], [data-ended]')];
  const now = all.findIndex((card) => card.contains(document.activeElement));
  // From a line that took the place of a card, the next card that still asks.
  const ahead = step === 1 ? all.slice(now + 1) : all.slice(0, Math.max(0, now)).toReversed();
  const next = now === -1 ? cards[0] : ahead.find((card) => cards.includes(card));
  if (next === undefined) return;
  next.focus({ preventScroll: true });
  next.scrollIntoView({ block: 'nearest' });
}

/** Presses the button; if it has not been seen yet, or may do harm, leads to it. */
function choose(card: HTMLElement, key: string): void {
  const button = card.querySelector<HTMLButtonElement>(`button[data-choice$=":${key}"]`);
  const actions = card.querySelector<HTMLElement>('[data-seen]');
  if (button === null || actions === null) return;
  const isHarmful = key === 'a' && button.classList.contains('button-danger');
  if (actions.dataset.seen === 'true' && !isHarmful) {
    button.click();
    return;
  }
  actions.scrollIntoView({ block: 'nearest' });
  if (isHarmful) button.focus({ preventScroll: true });
}
