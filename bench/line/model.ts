import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { bodyOf, closed, listening, rootOf } from './platform.ts';

/** How the model answers from now on. */
export interface Manner {
  /** How long it says nothing, in ms. */
  readonly think: number;
  /** How many pieces it says before its marks, and the pause before each, in ms. */
  readonly pieces: number;
  readonly pause: number;
}

/** A message that holds this makes the model call `shell`, once. */
export const wantsCall = 'run-please';

const atOnce: Manner = { think: 0, pieces: 0, pause: 0 };
const markForm = /mark-[0-9a-z]+-/g;
const sentByModel = '"role":"assistant"';

/** A model behind an OpenAI-compatible server, which streams the marks of what was said last. It parses nothing, so that it costs little. */
export class Model {
  readonly #server: Server;
  manner: Manner = atOnce;
  /** How many requests it has had, and of how many bytes in all. */
  requests = 0;
  bytes = 0;

  private constructor() {
    this.#server = createServer((request, response) => void this.#answer(request, response));
  }

  static async open(): Promise<Model> {
    const model = new Model();
    await listening(model.#server);
    return model;
  }

  get url(): string {
    return `${rootOf(this.#server)}/v1`;
  }

  async close(): Promise<void> {
    await closed(this.#server);
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bodyOf(request);
    if (request.method === 'GET') {
      response.setHeader('content-type', 'application/json');
      response.end('{"object":"list","data":[{"id":"bench","object":"model","owned_by":"bench"}]}');
      return;
    }
    this.requests += 1;
    this.bytes += body.length;
    const { think, pieces, pause } = this.manner;
    if (think > 0) await sleep(think);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const said = body.slice(body.lastIndexOf(sentByModel) + 1);
    if (said.includes(wantsCall) && !said.includes('"role":"tool"')) return endWithCall(response, this.requests);
    const marks = said.match(markForm) ?? body.match(markForm)?.slice(-1) ?? [];
    response.write(event({ role: 'assistant', content: '' }));
    for (let piece = 0; piece < pieces; piece += 1) {
      await sleep(pause);
      response.write(event({ content: `word${piece} ` }));
    }
    // Who sees a mark sees all of the answer.
    response.write(event({ content: `echo: ${marks.join(' ')}` }));
    end(response, 'stop');
  }
}

function endWithCall(response: ServerResponse, request: number): void {
  const call = { index: 0, id: `call_${request}`, type: 'function' };
  response.write(
    event({
      role: 'assistant',
      tool_calls: [{ ...call, function: { name: 'shell', arguments: '{"command":"true"}' } }],
    }),
  );
  end(response, 'tool_calls');
}

function end(response: ServerResponse, reason: string): void {
  const usage = { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 };
  response.write(event({}, reason));
  response.end(`${eventOf({ choices: [], usage })}data: [DONE]\n\n`);
}

function event(delta: Readonly<Record<string, unknown>>, reason: string | null = null): string {
  return eventOf({ choices: [{ index: 0, delta, finish_reason: reason }] });
}

function eventOf(fields: Readonly<Record<string, unknown>>): string {
  return `data: ${JSON.stringify({ id: 'r', object: 'chat.completion.chunk', created: 1, model: 'bench', ...fields })}\n\n`;
}
