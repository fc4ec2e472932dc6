import { describe, expect, test } from 'vitest';
import { fetchFile } from '../../../channels/discord/download.ts';
import { directNetwork } from '../../../src/contract.ts';
import { allOf, failureOf } from '../kit/request-faults.ts';
import { type OutgoingSetting, outgoingSetting } from './outgoing-setting.ts';

const bytes = Buffer.from('all its bytes');

interface Sent {
  readonly handle: string;
  readonly parts: readonly [string, string, string, string];
}

function sent({ server, channelId }: OutgoingSetting): Sent {
  const { id, attachments } = server.say(channelId, 'look', { files: [{ name: 'a.txt', bytes }] });
  const [file] = attachments;
  if (file === undefined) throw new Error('The message has no file.');
  const parts = [channelId, id, file.id, file.url] as const;
  return { handle: JSON.stringify(parts), parts };
}

function fetching({ api, server }: OutgoingSetting, handle: string, maxBytes = 1_000) {
  return fetchFile(
    { handle },
    { api, network: directNetwork, apiUrl: server.apiUrl, maxBytes, signal: AbortSignal.timeout(5_000) },
  );
}

describe('a file that somebody sent', () => {
  test('is fetched from a new address once the time of the old one is over', async () => {
    const setting = await outgoingSetting();
    const { handle } = sent(setting);
    setting.clock.advance(25 * 3_600_000);
    expect(await fetching(setting, handle)).toEqual(bytes);
  });

  test('that was taken away is refused for good', async () => {
    const setting = await outgoingSetting();
    const { handle, parts } = sent(setting);
    setting.clock.advance(25 * 3_600_000);
    setting.server.people.delete(parts[0], parts[1]);
    expect((await failureOf(fetching(setting, handle))).fault.type).toBe('permanent');
  });

  test.each([
    'http://127.0.0.1:1/attachments/1/2/a.txt',
    'http://cdn.discordapp.com/attachments/1/2/a.txt',
    'https://cdn.discordapp.com.evil.com/a.txt',
    'https://user@cdn.discordapp.com/a.txt',
    'https://cdn.discordapp.com:8443/a.txt',
    'file:///etc/passwd',
    'nonsense',
  ])('is not fetched from %s', async (url) => {
    const setting = await outgoingSetting();
    const [channel, id, file] = sent(setting).parts;
    const before = setting.server.calls.length;
    const failure = await failureOf(fetching(setting, JSON.stringify([channel, id, file, url])));
    expect(failure).toMatchObject({
      fault: { type: 'permanent' },
      message: expect.stringContaining('none of Discord'),
    });
    expect(setting.server.calls).toHaveLength(before);
  });

  test('does not hold up who has given up', async () => {
    const { setting, api, server } = await outgoingSetting();
    const ending = new AbortController();
    ending.abort();
    const { handle, parts } = sent(setting);
    const fetched = fetchFile(
      { handle },
      { api, network: directNetwork, apiUrl: server.apiUrl, maxBytes: 10, signal: ending.signal },
    );
    const failure = await failureOf(fetched);
    expect(failure.fault.type).toBe('transient');
    expect(allOf(failure)).not.toContain(parts[3]);
  });
});
