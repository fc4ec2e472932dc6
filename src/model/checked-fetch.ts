import { ModelError } from './language-model.ts';

export interface CheckedFetchSettings {
  /** The model's key in the config. */
  readonly modelKey: string;
  readonly baseUrl: string;
  /** What should answer there: `OpenAI-compatible server`. */
  readonly serverKind: string;
}

/**
 * A `fetch` for answers that are streamed as server-sent events. Throws an `unavailable` `ModelError` where something else
 * answers well: a web page, a whole document of JSON, a redirect. A redirect is not followed, since it would take the
 * conversation to a place that the operator did not name. Errors of the server pass.
 */
export function checkedFetch(settings: CheckedFetchSettings): typeof fetch {
  const { modelKey, baseUrl, serverKind } = settings;
  const refuse = (what: string): ModelError => {
    const advice = `Check models.${modelKey}.base_url in the config.`;
    return new ModelError('unavailable', `What answers at ${baseUrl} is no ${serverKind} (it ${what}). ${advice}`);
  };
  return async (input, init) => {
    const response = await fetch(input, { ...init, redirect: 'manual' });
    if (isRedirect(response)) {
      await response.body?.cancel();
      throw refuse(`redirects to ${targetOf(response, baseUrl)}`);
    }
    const kind = response.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? '';
    if (!response.ok || response.body === null || kind === 'text/event-stream') return response;

    // A careless server may give its stream another name: its beginning tells.
    const { beginning, body } = await peek(response.body);
    if (beginning === '' || field.test(beginning)) return new Response(body, response);
    await body.cancel();
    throw refuse(`sent ${kind === '' ? 'no events' : kind}`);
  };
}

/** What a line of a stream of events begins with. */
const field = /^(?:data|event|id|retry)?:/;

function isRedirect({ status }: Response): boolean {
  return [301, 302, 303, 307, 308].includes(status);
}

/** Without a query: it may hold a secret. */
function targetOf(response: Response, baseUrl: string): string {
  const location = response.headers.get('location');
  const target = location === null ? null : URL.parse(location, response.url || baseUrl);
  return target === null ? 'another place' : `${target.origin}${target.pathname}`;
}

interface Peek {
  /** At least as long as a field's name, if the body is. */
  readonly beginning: string;
  /** All of it. */
  readonly body: ReadableStream<Uint8Array<ArrayBuffer>>;
}

async function peek(source: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<Peek> {
  const reader = source.getReader();
  const decoder = new TextDecoder();
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let text = '';
  while (text.trimStart().length < longestField && text.length < mostBlanks) {
    const { done, value } = await reader.read();
    if (done) break;
    chunks.push(value);
    text += decoder.decode(value, { stream: true });
  }
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      const first = chunks.shift();
      if (first !== undefined) return controller.enqueue(first);
      const { done, value } = await reader.read();
      return done ? controller.close() : controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
  return { beginning: text.trimStart(), body };
}

const longestField = 'event:'.length;
const mostBlanks = 10_000;
