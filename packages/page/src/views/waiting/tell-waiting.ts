import { effect, type ReadonlySignal } from '@preact/signals';
import type { WaitingCard, WaitingRoom } from '../../../../../src/features/page/wire/waiting.ts';
import { ask } from '../../lib/ask.ts';
import { say } from '../../lib/language.ts';
import { changes } from '../../lib/live.ts';
import { goTo } from '../../lib/place.ts';
import { waitingWords } from './words.ts';

/** How much of what waits is said, in characters. */
const longestContent = 120;

/** Tells of what begins to wait while nobody looks at this tab. `mode`: `content` says what it is. Returns how to end that. */
export function tellWaiting(mode: ReadonlySignal<string>): () => void {
  const known = new Set<string>();
  let isFirst = true;
  const waiting = changes('waiting');
  return effect(() => {
    waiting.value;
    const leaving = new AbortController();
    ask<WaitingRoom>('waiting', leaving.signal).then(
      ({ cards }) => {
        if (leaving.signal.aborted) return;
        const fresh = cards.filter(({ id }) => !known.has(id));
        for (const { id } of cards) known.add(id);
        if (!isFirst && document.visibilityState === 'hidden')
          for (const card of fresh) notify(card, mode.peek() === 'content');
        isFirst = false;
      },
      () => {
        // It cannot be reached: when it can, all is asked again.
      },
    );
    return () => leaving.abort();
  });
}

/** Several tabs tell of the same: the browser shows it once. */
function notify({ id, kind, description }: WaitingCard, saysWhat: boolean): void {
  const words = say(waitingWords);
  const content = saysWhat ? description.slice(0, longestContent) : undefined;
  const shown = new Notification(words.notifyKinds[kind], {
    tag: `keyturn-${id}`,
    ...(content === undefined ? {} : { body: content }),
  });
  shown.onclick = () => {
    window.focus();
    goTo('/waiting');
    shown.close();
  };
}
