import { useSignal, useSignalEffect } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { AskError, ask } from './ask.ts';
import { changesOf } from './live.ts';

/** What was asked for, as far as it is known. */
export interface Asked<Answer> {
  /** The newest answer; the former one while it is asked again. */
  readonly data: Answer | undefined;
  /** Why the newest answer is not there. */
  readonly error: AskError | undefined;
  /** Whether an answer is on its way. */
  readonly isLoading: boolean;
  /** Asks again now. */
  readonly again: () => void;
}

interface Held<Answer> {
  readonly path: string | undefined;
  readonly data: Answer | undefined;
  readonly error: AskError | undefined;
  readonly isLoading: boolean;
}

/**
 * Asks `GET /page/PATH`, and again when one of the topics has changed. Undefined asks nothing. While another path is asked,
 * nothing of the former one is shown.
 */
export function useAsked<Answer>(path: string | undefined, topics: readonly string[] = []): Asked<Answer> {
  const wanted = useSignal(path);
  const followed = useSignal(topics);
  const asked = useSignal(0);
  const held = useSignal<Held<Answer>>({ path, data: undefined, error: undefined, isLoading: path !== undefined });
  wanted.value = path;
  if (followed.peek().join('\n') !== topics.join('\n')) followed.value = topics;
  useSignalEffect(() => {
    const now = wanted.value;
    changesOf(followed.value);
    asked.value;
    if (now === undefined) return;
    const leaving = new AbortController();
    const former = held.peek();
    const data = former.path === now ? former.data : undefined;
    held.value = { path: now, data, error: former.path === now ? former.error : undefined, isLoading: true };
    void answerTo<Answer>(now, data, leaving.signal).then((next) => {
      if (!leaving.signal.aborted) held.value = next;
    });
    return () => leaving.abort();
  });
  const again = useMemo(
    () => () => {
      asked.value += 1;
    },
    [asked],
  );
  const { data, error, isLoading, path: of } = held.value;
  if (of !== path) return { data: undefined, error: undefined, isLoading: path !== undefined, again };
  return { data, error, isLoading, again };
}

async function answerTo<Answer>(path: string, former: Answer | undefined, signal: AbortSignal): Promise<Held<Answer>> {
  try {
    return { path, data: await ask<Answer>(path, signal), error: undefined, isLoading: false };
  } catch (fault) {
    const error = fault instanceof AskError ? fault : new AskError(0, String(fault));
    return { path, data: former, error, isLoading: false };
  }
}
