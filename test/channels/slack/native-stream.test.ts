import { describe, expect, test } from 'vitest';
import type { NativeStream } from '../../../channels/slack/native-stream.ts';
import { waitUntil } from '../../support/wait-for.ts';
import { channel, OutboundSetting, reply } from './outbound-setting.ts';

const sentence = 'The sky is blue and wide today. ';

/** Lets time pass until that is so. */
async function passUntil(setting: OutboundSetting, look: () => boolean, step = 350): Promise<void> {
  const describe = (): string => setting.texts.join('\n');
  await waitUntil(look, { what: 'it to happen', describe, meanwhile: () => setting.clock.advance(step) });
}

/** Writes until the thread shows so many messages of the bot with the newest saying this. */
async function shows(setting: OutboundSetting, text: string): Promise<void> {
  await passUntil(setting, () => setting.texts.at(-1)?.includes(text.trim()) === true);
}

async function begun(): Promise<{ setting: OutboundSetting; stream: NativeStream }> {
  const setting = await OutboundSetting.start();
  const stream = setting.stream(setting.thread());
  stream.push(sentence);
  await shows(setting, sentence);
  return { setting, stream };
}

async function finished(stream: NativeStream, ...texts: readonly string[]): Promise<readonly string[]> {
  const told: string[] = [];
  const parts = texts.map((text, index) => reply(text, { id: `m${index}` }));
  await stream.finish(parts, async ({ id }) => {
    told.push(id);
  });
  return told;
}

describe('a reply that is written in a thread', () => {
  test('grows as one message, and ends without a change that people would see as one', async () => {
    const { setting, stream } = await begun();
    stream.push('**All');
    stream.push(' is well.** And ');
    await shows(setting, '**All is well.** And');
    const told = await finished(stream, `${sentence}**All is well.** And so on.`);
    const [, shown] = setting.server.chat(channel);
    expect(shown).toMatchObject({
      ts: told[0],
      text: `${sentence}**All is well.** And so on.`,
      streaming: 'completed',
      edits: 0,
      metadata: { event_payload: { id: 'm0' } },
    });
    expect(setting.begun).toEqual([told]);
    expect(setting.calls('chat.update')).toBe(0);
  });

  test('shows nothing that may still become something else', async () => {
    const { setting, stream } = await begun();
    stream.push('a **bold word that is open\n\n| a | b |\n');
    await passUntil(setting, () => setting.texts.at(-1)?.endsWith('open\n\n') === true);
    expect(setting.texts).toEqual([`${sentence}a **bold word that is open\n\n`]);
    stream.push('|---|---|\n| 1 | 2 |\n');
    await shows(setting, '| 1 | 2 |');
  });

  test('calls nobody while it is written', async () => {
    const { setting, stream } = await begun();
    stream.push('Hi <!channel> and @here! ');
    await shows(setting, 'Hi');
    await passUntil(setting, () => setting.texts.at(-1)?.includes('and') === true);
    expect(setting.server.chat(channel).at(-1)?.pings).toEqual([]);
    await finished(stream, `${sentence}Hi <!channel> and @here! `);
    expect(setting.server.chat(channel).at(-1)?.pings).toEqual([]);
  });

  test('asks for no more than one addition in 700 ms, and ever less of them', async () => {
    const { setting, stream } = await begun();
    const from = setting.clock.now();
    for (let tenths = 0; tenths < 900; tenths += 1) {
      stream.push('word ');
      setting.clock.advance(100);
      const pending = setting.server.calls.some(({ status }) => status === undefined);
      if (pending || tenths % 7 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    await passUntil(setting, () => setting.calls('chat.appendStream') > 10);
    const times = setting.server.callsOf('chat.appendStream').map(({ at }) => at);
    const gaps = times.slice(1).map((at, index) => at - (times[index] ?? from));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(700);
    expect(Math.min(...gaps.filter((_, index) => (times[index] ?? 0) - from > 61_000))).toBeGreaterThanOrEqual(2800);
  });

  test('is changed from when Slack would break it off', async () => {
    const { setting, stream } = await begun();
    setting.clock.advance(241_000);
    stream.push('One.\n\nTwo. ');
    await shows(setting, 'Two.');
    expect(setting.server.chat(channel).slice(1)).toMatchObject([
      { text: `${sentence}One.\n\nTwo. `, streaming: 'completed', edits: 1 },
    ]);
    expect(setting.begun).toHaveLength(1);
  });

  test('whose code block has to be cut closes it, and opens it again', async () => {
    const setting = await OutboundSetting.start();
    const stream = setting.stream(setting.thread());
    const line = `${'x'.repeat(99)}\n`;
    stream.push(`\`\`\`ts\n${line.repeat(150)}`);
    await passUntil(setting, () => setting.texts.length === 2);
    const [first = '', second = ''] = setting.texts;
    expect(first.endsWith(`${line}\`\`\``)).toBe(true);
    expect(second.startsWith(`\`\`\`ts\n${line}`)).toBe(true);
    expect(first.length).toBeLessThanOrEqual(12_000);
  });

  test('that pauses for minutes is stopped in time, and goes on afterwards', async () => {
    const { setting, stream } = await begun();
    await passUntil(setting, () => setting.calls('chat.stopStream') === 1, 5_000);
    stream.push('And on it goes. ');
    await shows(setting, 'And on it goes.');
    await finished(stream, `${sentence}And on it goes.`);
    expect(setting.texts.map((text) => text.trimEnd())).toEqual([`${sentence}And on it goes.`]);
  });

  test('that Slack has broken off is mended at once, and whole at the end', async () => {
    const { setting, stream } = await begun();
    const rule = { method: 'chat.appendStream', kind: 'error', error: 'message_not_in_streaming_state' } as const;
    setting.server.fault({ ...rule, times: 1 });
    stream.push('More of it. ');
    await shows(setting, 'More of it.');
    expect(setting.server.chat(channel)[1]).toMatchObject({ text: `${sentence}More of it. `, edits: 1 });
    await finished(stream, `${sentence}More of it. All of it.`);
    expect(setting.texts).toEqual([`${sentence}More of it. All of it.`]);
  });

  test('is shown as several messages where it is too long for one', async () => {
    const { setting, stream } = await begun();
    const told = await finished(stream, 'first part', 'second part');
    expect(setting.texts).toEqual(['first part', 'second part']);
    expect(told).toEqual(
      setting.server
        .chat(channel)
        .slice(1)
        .map(({ ts }) => ts),
    );
  });

  test('that somebody has taken away meanwhile is sent again', async () => {
    const { setting, stream } = await begun();
    setting.server.fault({ method: 'chat.stopStream', kind: 'error', error: 'message_not_found', times: 1 });
    await finished(stream, `${sentence}The end.`);
    expect(setting.texts.at(-1)).toBe(`${sentence}The end.`);
    expect(setting.calls('chat.postMessage')).toBe(1);
  });

  test('that is called off is taken away, while it grows', async () => {
    const { setting, stream } = await begun();
    await stream.cancel();
    expect(setting.texts).toEqual([]);
  });

  test('that the next process goes on with is stopped, and stays', async () => {
    const { setting, stream } = await begun();
    await stream.leave();
    expect(setting.server.chat(channel).at(-1)).toMatchObject({ text: sentence, streaming: 'completed' });
    stream.push('nothing more. ');
    setting.clock.advance(10_000);
    expect(setting.calls('chat.appendStream')).toBe(0);
  });

  test('is left within a second, whatever Slack does', async () => {
    const { setting, stream } = await begun();
    setting.server.fault({ method: 'chat.stopStream', kind: 'hang' });
    const left = stream.leave();
    await setting.clock.waitsFor(900);
    setting.clock.advance(900);
    await left;
    setting.server.release();
  });
});

describe('a fault while it is written', () => {
  test.each(['drop-after', 'drop-before', 'html'] as const)('leaves it whole at the end (%s)', async (kind) => {
    const { setting, stream } = await begun();
    setting.server.fault({ method: 'chat.appendStream', kind, times: 1 });
    stream.push('One more. ');
    await passUntil(setting, () => setting.calls('chat.appendStream') === 1);
    stream.push('And another. ');
    await shows(setting, 'One more. And another.');
    await finished(stream, `${sentence}One more. And another.`);
    expect(setting.texts.map((text) => text.trimEnd())).toEqual([`${sentence}One more. And another.`]);
  });

  test.each(['drop-after', 'drop-before'] as const)(
    'at its beginning leaves one message at the end (%s)',
    async (kind) => {
      const setting = await OutboundSetting.start();
      const stream = setting.stream(setting.thread());
      setting.server.fault({ method: 'chat.startStream', kind, times: 1 });
      stream.push(sentence);
      await passUntil(setting, () => setting.calls('conversations.replies') === 1);
      stream.push('More. ');
      await shows(setting, 'More.');
      await finished(stream, `${sentence}More. End.`);
      expect(setting.texts).toEqual([`${sentence}More. End.`]);
      expect(setting.begun).toHaveLength(1);
    },
  );

  test('at its very beginning, followed by its end, leaves one message', async () => {
    const setting = await OutboundSetting.start();
    const stream = setting.stream(setting.thread());
    setting.server.fault({ method: 'chat.startStream', kind: 'drop-after', times: 1 });
    stream.push(sentence);
    await passUntil(setting, () => setting.calls('chat.startStream') === 1);
    await finished(stream, `${sentence}End.`);
    expect(setting.texts).toEqual([`${sentence}End.`]);
  });

  test('at its beginning leaves the reply before it as it is', async () => {
    const setting = await OutboundSetting.start();
    const to = setting.thread();
    for (const text of ['The first one.', 'The second one.']) {
      const stream = setting.stream(to);
      stream.push(`${text} `);
      await shows(setting, text);
      await finished(stream, text);
      setting.server.fault({ method: 'chat.startStream', kind: 'drop-before', times: 1 });
    }
    expect(setting.texts.map((text) => text.trimEnd())).toEqual(['The first one.', 'The second one.']);
  });

  test('by which Slack asks for a pause is heeded, and what was not taken comes after it', async () => {
    const { setting, stream } = await begun();
    setting.server.fault({ method: 'chat.appendStream', kind: '429', retryAfter: 20, times: 1 });
    const from = setting.clock.now();
    stream.push('One more. ');
    await shows(setting, 'One more.');
    const [first = 0, second = 0] = setting.server.callsOf('chat.appendStream').map(({ at }) => at);
    expect(second - first).toBeGreaterThanOrEqual(20_000);
    expect(setting.clock.now() - from).toBeGreaterThanOrEqual(20_000);
  });

  test.each(['feature_not_enabled', 'method_deprecated', 'unknown_method', 'missing_scope'])(
    'that says %s switches streams off, and the reply is sent at its end',
    async (error) => {
      const setting = await OutboundSetting.start();
      const stream = setting.stream(setting.thread());
      setting.server.fault({ method: 'chat.startStream', kind: 'error', error });
      stream.push(sentence);
      await passUntil(setting, () => setting.switchedOff.length === 1);
      stream.push(sentence);
      setting.clock.advance(60_000);
      await finished(stream, `${sentence}End.`);
      expect(setting.switchedOff).toEqual([error]);
      expect(setting.calls('chat.startStream')).toBe(1);
      expect(setting.texts).toEqual([`${sentence}End.`]);
    },
  );

  test.each(['chat.stopStream', 'chat.update', 'chat.postMessage'])(
    'at the end in %s is thrown, and the second try goes on where the first has ended',
    async (method) => {
      const { setting, stream } = await begun();
      const parts = [reply('first'), reply('second', { id: 'm2' })];
      const told: string[] = [];
      const shown = async ({ id }: { readonly id: string }): Promise<void> => {
        told.push(id);
      };
      setting.server.fault({ method, kind: 'status', status: 503, times: 1 });
      expect(await setting.faultOf(stream.finish(parts, shown))).toMatchObject({ type: 'transient' });
      await stream.finish(parts, shown);
      expect(setting.texts).toEqual(['first', 'second']);
      expect(told).toEqual(
        setting.server
          .chat(channel)
          .slice(1)
          .map(({ ts }) => ts),
      );
    },
  );

  test('a caller that is told of a part does not show it twice', async () => {
    const { setting, stream } = await begun();
    const parts = [reply('first'), reply('second', { id: 'm2' })];
    let calls = 0;
    const shown = async (): Promise<void> => {
      calls += 1;
      if (calls === 2) throw new Error('the disk is full');
    };
    await expect(stream.finish(parts, shown)).rejects.toThrow('the disk is full');
    await stream.finish(parts, shown);
    expect(setting.texts).toEqual(['first', 'second']);
  });
});
