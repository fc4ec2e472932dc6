import { useEffect, useRef, useState } from 'preact/hooks';
import type { Standing, WaitingCard } from '../../../../../src/features/page/wire/waiting.ts';
import { ask } from '../../lib/ask.ts';

export interface Endings {
  /** All cards that were there since the person came, each in its place. */
  readonly cards: readonly WaitingCard[];
  /** How those ended that wait no longer. */
  readonly endings: ReadonlyMap<string, Standing>;
  /** It was decided here. */
  readonly end: (id: string, ending: Standing) => void;
}

/** Keeps cards in their place, and asks how those ended that are gone: decided in another tab or chat, or over. */
export function useEndings(waiting: readonly WaitingCard[]): Endings {
  const known = useRef(new Map<string, WaitingCard>());
  const [endings, setEndings] = useState<ReadonlyMap<string, Standing>>(new Map());
  const end = (id: string, ending: Standing): void => setEndings((now) => new Map([...now, [id, ending]]));
  for (const card of waiting) known.current.set(card.id, card);
  const gone = [...known.current.keys()].filter((id) => !endings.has(id) && !waiting.some((card) => card.id === id));
  useEffect(() => {
    for (const id of gone) {
      ask<Standing>(`decided/${id}`).then(
        (standing) => {
          if (standing.state !== 'pending') end(id, standing);
        },
        () => end(id, { state: 'unknown' }),
      );
    }
  }, [gone.join()]);
  return { cards: [...known.current.values()], endings, end };
}
