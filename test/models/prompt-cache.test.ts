import { expect, test } from 'vitest';
import type { JsonValue } from '../../src/lib/json.ts';
import { daemonSetting } from '../support/daemon-setting.ts';
import { call, type ScriptedRequest } from '../support/scripted-model.ts';
import { request, sentFor } from './ask.ts';

interface Sent {
  readonly system: JsonValue;
  readonly tools: JsonValue;
  readonly messages: readonly {
    readonly role: string;
    readonly content: readonly { readonly [key: string]: JsonValue }[];
  }[];
}

/** What a daemon sends from turn to turn: two calls, their answer, and what is said after it. */
async function growingConversation(): Promise<readonly ScriptedRequest[]> {
  const { channel, model, clock } = await daemonSetting({
    config: { tools: { schedule: { time_zone: 'Asia/Shanghai' } } },
  });
  const saidNow = () => ({ sentAt: clock.now() });
  const echoes = (words: string) => call('echo', { message: words });
  model.next([echoes('one'), echoes('two')], [echoes('three')], 'That is all.', 'You are welcome.');
  await channel.ask('repeat after me', 'That is all.', saidNow());
  // Later, on the same day.
  clock.advance(7 * 3_600_000);
  await channel.ask('thank you', 'You are welcome.', saidNow());
  return model.timed;
}

test('from turn to turn a conversation only grows, and Anthropic finds again what it has cached', async () => {
  const conversation = await growingConversation();
  const claude = { provider: 'anthropic', name: 'claude-sonnet-4-5' } as const;
  const bodies = await sentFor(claude, ...conversation.map(({ messages, system }) => request(messages, { system })));
  const sent = bodies.map((body): Sent => JSON.parse(JSON.stringify(body)));
  expect(sent).toHaveLength(4);

  expect(JSON.stringify(sent.at(-1))).toMatch(
    /in the time zone Asia\/Shanghai.*Wed 15 Nov 2023, 06:13.*Wed 15 Nov 2023, 13:13/,
  );
  for (const [at, now] of sent.entries()) {
    const before = sent[at - 1];
    if (before === undefined) continue;
    // Byte for byte, but for the marks: they are no part of what is cached.
    const prefix = JSON.stringify([before.tools, before.system, blocksOf(before)]).slice(0, -2);
    expect(JSON.stringify([now.tools, now.system, blocksOf(now)]).startsWith(prefix)).toBe(true);
    expect(marksOf(now)).toEqual([lengthOf(before) - 1, lengthOf(now) - 1]);
  }
  expect(sent.map(({ system }) => system)).toEqual(
    sent.map(() => [expect.objectContaining({ cache_control: { type: 'ephemeral' } })]),
  );
});

/** The blocks of all messages, each with the role of its message, and without the marks. */
function blocksOf({ messages }: Sent): readonly JsonValue[] {
  return messages.flatMap(({ role, content }) =>
    content.map(({ cache_control: _mark, ...block }) => ({ role, ...block })),
  );
}

function lengthOf(sent: Sent): number {
  return blocksOf(sent).length;
}

/** Which blocks have a mark. */
function marksOf({ messages }: Sent): readonly number[] {
  const blocks = messages.flatMap(({ content }) => content);
  return blocks.flatMap((block, at) => ('cache_control' in block ? [at] : []));
}
