import { signal } from '@preact/signals';
import { AskError, tell } from './ask.ts';

/** The keys of what was told and has no answer yet, by what it was. */
const unanswered = signal<ReadonlyMap<string, string>>(new Map());

/**
 * `POST /page/PATH` of something that must not be done twice: it goes with a key, the same one when the same is told again
 * after an answer that was lost. Rejects with `AskError`.
 */
export async function tellOnce<Answer>(path: string, body: object): Promise<Answer> {
  const what = `${path} ${JSON.stringify(body)}`;
  const key = unanswered.peek().get(what) ?? newKey();
  unanswered.value = new Map([...unanswered.peek(), [what, key]]);
  try {
    const answer = await tell<Answer>(path, { ...body, key });
    forget(what);
    return answer;
  } catch (error) {
    if (error instanceof AskError && isOfDaemon(error)) forget(what);
    throw error;
  }
}

function forget(answered: string): void {
  unanswered.value = new Map([...unanswered.peek()].filter(([what]) => what !== answered));
}

/** Whether the daemon has refused it, and nothing was done. A proxy says 502 whatever the daemon has done. */
function isOfDaemon({ status }: AskError): boolean {
  return status > 0 && status < 500;
}

function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(36).padStart(2, '0')).join('');
}
