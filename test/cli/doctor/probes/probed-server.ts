import type { ServerResponse } from 'node:http';
import { openOneModel } from '../../../../src/cli/doctor/open-one-model.ts';
import { type ProbeReport, probeModel } from '../../../../src/cli/doctor/probes/run-probes.ts';
import { notingTool } from '../../../../src/cli/doctor/probes/spelling.ts';
import { bookingTool } from '../../../../src/cli/doctor/probes/tool-calls.ts';
import { type Clock, systemClock } from '../../../../src/lib/clock.ts';
import { isJsonObject, type JsonValue } from '../../../../src/lib/json.ts';
import { languages } from '../../../../src/lib/words.ts';
import type { ModelDescription } from '../../../../src/models/language-model.ts';
import { abilityServer, type Route } from '../../../models/abilities/ability-server.ts';
import { chunk, sendStream, sse } from '../../../models/wire-server.ts';

/** What a model says, or the call that it makes, and the tokens that its server counts. */
export interface Said {
  readonly text?: string;
  readonly call?: { readonly name: string; readonly arguments: unknown };
  readonly counted?: number;
}

/** What it was asked. */
export interface Asked {
  readonly kind: 'tools' | 'spelling' | 'window' | 'vision';
  /** Of the last message. */
  readonly text: string;
  /** Whether tools are described in the text of the request. */
  readonly isInText: boolean;
  readonly pictures: readonly Uint8Array[];
}

/** `hang`: no answer at all. */
export type Mind = (asked: Asked) => Said | 'hang' | { readonly status: number; readonly message?: string };

export const booking = { guest: 'Mira Novak', persons: 3, dishes: ['rice', 'green tea'], outside: true };

/** A model that can all of it, and whose picture shows what is wanted. */
export const good: Mind = ({ kind, text }) => {
  switch (kind) {
    case 'tools':
      return { call: { name: bookingTool, arguments: booking }, counted: 200 };
    case 'spelling':
      return { call: { name: notingTool, arguments: lineOf(text) }, counted: 200 };
    case 'window':
      return { text: `It is ${/code word is (\S+)\./.exec(text)?.[1]}.`, counted: wordsIn(text) };
    case 'vision':
      return { text: '888', counted: 100 };
  }
};

/** What is to be copied. */
export function lineOf(text: string): { readonly path: string; readonly code: string } {
  const [, path = '', code = ''] = /The path:\n(.*)\n\nThe line of code:\n(.*)$/.exec(text) ?? [];
  return { path, code };
}

export function wordsIn(text: string): number {
  return text.split(/\s+/).length;
}

/** With it, each digit of the picture is an 8. */
const middle = (): number => 0.8;

function readAsked(body: JsonValue): Asked {
  const { messages = [], tools } = isJsonObject(body) ? body : {};
  const all = Array.isArray(messages) ? messages : [];
  const last = all.at(-1);
  const content = isJsonObject(last) ? last.content : '';
  const parts = Array.isArray(content) ? content.filter(isJsonObject) : [];
  const text = typeof content === 'string' ? content : parts.map((part) => String(part.text ?? '')).join('');
  const pictures = parts.flatMap(({ image_url: picture }) =>
    isJsonObject(picture) ? [Buffer.from(String(picture.url).replace(/^.*,/, ''), 'base64')] : [],
  );
  const kind = text.includes(bookingTool)
    ? 'tools'
    : text.includes(notingTool)
      ? 'spelling'
      : text.includes('code word')
        ? 'window'
        : 'vision';
  return { kind, text, isInText: !Array.isArray(tools) && (kind === 'tools' || kind === 'spelling'), pictures };
}

function send(response: ServerResponse, said: Exclude<ReturnType<Mind>, 'hang'>): void {
  if ('status' in said) {
    const { status, message = 'out of order' } = said;
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ error: { message } }));
    return;
  }
  const { text = '', call, counted = 0 } = said;
  const usage = { prompt_tokens: counted, completion_tokens: 7, total_tokens: counted + 7 };
  const written = call && { name: call.name, arguments: JSON.stringify(call.arguments) };
  const delta =
    written === undefined
      ? { content: text }
      : { tool_calls: [{ index: 0, id: 'c', type: 'function', function: written }] };
  sendStream(response, sse(chunk(delta), { ...chunk({}, written ? 'tool_calls' : 'stop'), usage }, '[DONE]'));
}

interface ProbeOptions {
  readonly settings?: Partial<ModelDescription>;
  /** What its server tells on which path. */
  readonly routes?: Readonly<Record<string, Route>>;
  readonly isQuick?: boolean;
  readonly clock?: Clock;
  /** Told when the model is asked. */
  readonly heard?: (asked: Asked) => void;
  readonly found?: (report: ProbeReport) => void;
}

/** Pauses before another try take no time; a wait for what the server tells does. */
export const hurried: Clock = {
  now: () => systemClock.now(),
  after: (time, callback) => systemClock.after(time < 2000 ? 0 : time, callback),
};

/** Probes a model with such a mind, over HTTP. */
export async function probe(mind: Mind, options: ProbeOptions = {}) {
  const { settings = {}, routes = {}, isQuick = false, clock = hurried, heard = () => {}, found = () => {} } = options;
  const asked: Asked[] = [];
  const server = await abilityServer({
    ...routes,
    '/v1/chat/completions': (response, body) => {
      const one = readAsked(body);
      asked.push(one);
      const said = mind(one);
      if (said !== 'hang') send(response, said);
      heard(one);
    },
  });
  const model = await openOneModel(
    { key: 'main', provider: 'openai_compatible', name: 'm', baseUrl: `${server.url}/v1`, ...settings },
    { clock },
  );
  const [language] = languages;
  const probed = await probeModel(model, { key: 'main', isQuick, clock, random: middle, language, found });
  const of = (name: ProbeReport['name']) => probed.probes.find((report) => report.name === name);
  return { probed, asked, of, outcomes: probed.probes.map(({ outcome }) => outcome), server };
}
