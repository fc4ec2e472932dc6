import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { openModels } from '../../src/cli/open-model.ts';
import { type Clock, systemClock } from '../../src/lib/clock.ts';
import { silentLog } from '../../src/lib/log.ts';
import { eventsOf, request } from '../models/ask.ts';
import { textOf } from '../models/stepping-model.ts';
import { beginStream, chunk, sse, startWireServer } from '../models/wire-server.ts';

/** Nobody waits for the next try. */
const hurried: Clock = {
  now: () => systemClock.now(),
  after: (milliseconds, callback) => systemClock.after(milliseconds < 2000 ? 0 : milliseconds, callback),
};

const asked = z.object({ messages: z.array(z.object({ role: z.string(), content: z.string() })) });

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
  onTestFinished(() => server.stop());
  const model = {
    key: 'main',
    provider: 'openai_compatible',
    name: 'm',
    apiKey: 'k',
    baseUrl: `${server.url}/v1`,
  } as const;
  const models = new Map([['main', { ...model, toolCalls: 'text' as const }]]);
  const opened = await openModels({ defaultName: 'main', models, why: '' }, { clock: hurried, log: silentLog });
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
