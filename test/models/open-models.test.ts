import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type Clock, systemClock } from '../../src/lib/clock.ts';
import { type Log, silentLog } from '../../src/lib/log.ts';
import type { ModelDescription } from '../../src/models/language-model.ts';
import { openModels } from '../../src/models/open-models.ts';
import { eventsOf, failureOf, request } from './ask.ts';
import { textOf } from './stepping-model.ts';
import { beginStream, chunk, sendStream, sse, startWireServer } from './wire-server.ts';

/** Nobody waits for the next try. */
const hurried: Clock = {
  now: () => systemClock.now(),
  after: (milliseconds, callback) => systemClock.after(milliseconds < 2000 ? 0 : milliseconds, callback),
};

const asked = z.object({ model: z.string(), messages: z.array(z.object({ role: z.string(), content: z.string() })) });

/** The models of a config, at a server where those answer that are named; the first is the default. */
async function models(of: Readonly<Record<string, Partial<ModelDescription>>>, there: string[], log: Log = silentLog) {
  const server = await startWireServer((response, count) => {
    const { model } = asked.parse(server.requests[count - 1]?.body);
    if (there.includes(model)) sendStream(response, sse(chunk({ content: `I am ${model}.` }), chunk({}, 'stop')));
    else response.writeHead(404).end();
  });
  const described = Object.entries(of).map(([key, rest]): readonly [string, ModelDescription] => {
    return [key, { key, provider: 'openai_compatible', name: key, baseUrl: server.url, ...rest }];
  });
  const [[defaultName = ''] = []] = described;
  const opened = await openModels({ defaultName, models: new Map(described) }, { clock: hurried, log });
  const saidBy = async (name?: string): Promise<string> => textOf(await eventsOf(opened.of(name), request('hello')));
  return { opened, saidBy, chain: () => server.requests.map(({ body }) => asked.parse(body).model) };
}

describe('the models of the config', () => {
  test('are opened when they are first asked: one that cannot be says why to those who ask it', async () => {
    const { opened, saidBy } = await models({ main: {}, local: { apiKey: 'a\nb' } }, ['main']);
    expect([opened.names, opened.of('local').label]).toEqual([['main', 'local'], 'local (local)']);
    for (let times = 0; times < 2; times += 1) {
      const { error } = await failureOf(opened.of('local'), request('hello'));
      expect(error.message).toContain('models.local.api_key');
    }
    expect(await saidBy()).toBe('I am main.');
    await expect(models({ main: { apiKey: 'a\nb' } }, [])).rejects.toThrow('models.main.api_key');
  });

  test('are missed once in the log when somebody has chosen one that is gone, and the default answers', async () => {
    const said: object[] = [];
    const { saidBy } = await models({ main: {} }, ['main'], { ...silentLog, warn: (fields) => said.push(fields) });
    expect([await saidBy('gone'), await saidBy('gone')]).toEqual(['I am main.', 'I am main.']);
    expect(said).toEqual([{ model: 'gone' }]);
  });

  test('have their fallbacks behind them, then the fallbacks of those, each once', async () => {
    const { saidBy, chain } = await models(
      { main: { fallback: ['a', 'b'] }, a: { fallback: ['c', 'b'] }, b: { fallback: ['c', 'gone'] }, c: {} },
      ['c'],
    );
    expect([await saidBy(), chain()]).toEqual(['I am c.', ['main', 'a', 'b', 'c']]);
  });
});

const call = '<tool_call>{"name": "read_file", "arguments": {}}</tool_call>';

test.each([
  ['alone', ''],
  ['behind a text', 'I look.\n'],
])('a model that calls %s in what it writes may break off anywhere', async (_where, said) => {
  const whole = said + call;
  let cut = 0;
  let isCut = false;
  const server = await startWireServer((response, count) => {
    beginStream(response);
    const { messages } = asked.parse(server.requests[count - 1]?.body);
    const shown = messages.findLast(({ role }) => role === 'assistant')?.content ?? '';
    const text = isCut ? whole.slice(shown.length) : whole.slice(0, cut);
    response.write(sse(chunk({ content: text })));
    response.end(isCut ? sse(chunk({}, 'stop'), '[DONE]') : '');
    isCut = true;
  });
  const model = {
    key: 'main',
    provider: 'openai_compatible',
    name: 'm',
    apiKey: 'k',
    baseUrl: `${server.url}/v1`,
  } as const;
  const models = new Map([['main', { ...model, toolCalls: 'text' as const }]]);
  const opened = await openModels({ defaultName: 'main', models }, { clock: hurried, log: silentLog });
  const wrong: unknown[] = [];
  for (cut = 0; cut < whole.length; cut += 1) {
    isCut = false;
    const events = await eventsOf(opened.of(undefined), request('read it')).catch(String);
    if (typeof events === 'string') {
      wrong.push([cut, events]);
      continue;
    }
    const last = events.at(-1);
    const calls = last?.type === 'finish' ? last.answer.parts.filter(({ type }) => type === 'call') : [];
    if (textOf(events).trim() !== said.trim() || calls.length !== 1) wrong.push([cut, textOf(events), calls]);
  }
  expect(wrong).toEqual([]);
});
