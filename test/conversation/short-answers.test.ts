import { describe, expect, test } from 'vitest';
import type { DaemonSetting } from '../support/daemon-setting.ts';
import { waitUntil } from '../support/wait-for.ts';
import { writingSetting } from './writing-setting.ts';

const streamAfter = 100;
const options = { channel: { streams: true, capabilities: { streamAfter } } };

const seen = ({ channel }: DaemonSetting): readonly string[] =>
  channel.traffic.map(({ type, text }) => `${type} ${text}`);
const rows = (setting: DaemonSetting) => setting.rows('SELECT markdown, state FROM outbox');

describe('where a channel wants answers that are complete at once without a stream', () => {
  test('one that is complete sooner is sent, and never streamed, however late the time for that comes', async () => {
    const { setting, answer, channel, clock } = await writingSetting('The sky', options);
    clock.advance(streamAfter - 1);
    await answer.write(' is blue.');
    expect(rows(setting)).toEqual([]);
    await answer.end();
    await channel.seesAtRest('The sky is blue.');
    clock.advance(streamAfter);
    await channel.askAtRest('and now?', 'echo: and now?');
    expect(seen(setting).filter((one) => !one.startsWith('send'))).toEqual(['cancel ', 'cancel ']);
    expect(channel.textsIn('test:ada')).toEqual(['The sky is blue.', 'echo: and now?']);
    expect(rows(setting).map(({ state }) => state)).toEqual(['delivered', 'delivered']);
  });

  test('one that takes longer is streamed from then on, with all that was written before', async () => {
    const { setting, answer, channel, clock } = await writingSetting('The sky', options);
    await answer.write(' is');
    clock.advance(streamAfter);
    await channel.sees('The sky is');
    expect(rows(setting)).toEqual([{ markdown: '', state: 'streaming' }]);
    await answer.write(' blue');
    await channel.sees('The sky is blue');
    await answer.end();
    await channel.whenIdle();
    expect(seen(setting).filter((one) => !one.startsWith('preview'))).toEqual(['finish The sky is blue']);
    expect(channel.textsIn('test:ada')).toEqual(['The sky is blue']);
  });

  test('one that is stopped before is not shown afterwards', async () => {
    const { setting, channel, clock } = await writingSetting('The sky', options);
    await channel.say('/stop');
    await waitUntil(() => seen(setting).includes('cancel '), { what: 'the stream to be cancelled' });
    clock.advance(streamAfter);
    await channel.whenIdle();
    expect(seen(setting).filter((one) => one.startsWith('preview'))).toEqual([]);
  });
});
