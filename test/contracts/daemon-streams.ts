import { describe, expect, test } from 'vitest';
import { waitUntil } from '../support/wait-for.ts';
import { WrittenAnswer } from '../support/written-answer.ts';
import type { ChannelSetting, Open } from './channel-setting.ts';
import { sees, timesSeen } from './connected-adapter.ts';
import { type ContractDaemon, daemonOn } from './contract-daemon.ts';
import { wordsIn } from './long-answer.ts';
import { type GrowingPlatform, platformLimit } from './platform.ts';

/** The model writes a word in each of these, in milliseconds. */
const pace = 500;
const passing = ['rate-limited', 'transient', 'ambiguous'] as const;

/** A reply that is shown while it is written is whole at the end, whatever its preview meets. */
export function daemonStreams({ growing }: ChannelSetting): void {
  if (growing === undefined) return;
  describe('replies that grow', () => {
    test('change as often as the platform bears, and no oftener', async () => {
      const writing = await writes(growing);
      const begun = writing.clock.now();
      await writing.writeUntil(() => writing.platform.changes() >= 10);
      await writing.end();
      const { editPause } = writing.capabilities;
      const most = (writing.clock.now() - begun) / Math.max(pace, editPause.direct);
      expect(writing.platform.changes()).toBeLessThanOrEqual(most + 2);
      await standsOnce(writing);
    });

    test.each(passing)('that meet a fault in the middle (%s) are whole at the end, and there once', async (fault) => {
      const writing = await writes(growing);
      const { platform } = writing;
      const met = platform.changes() + 1;
      const begun = writing.clock.now();
      platform.failChange(fault);
      await writing.writeUntil(() => platform.changes() > met);
      if (fault === 'rate-limited') expect(writing.clock.now() - begun).toBeGreaterThanOrEqual(platformLimit);
      await writing.writeUntil(() => platform.changes() > met + 1);
      await writing.end();
      await standsOnce(writing);
    });

    test('that end while the platform takes nothing are whole when it does again, and there once', async () => {
      const writing = await writes(growing);
      const { platform, clock } = writing;
      const met = platform.changes() + 1;
      platform.failChange('rate-limited');
      await writing.writeUntil(() => platform.changes() >= met);
      await writing.end();
      await standsOnce(writing);
      platform.say('next');
      await sees(platform, 'echo: next');
      clock.advance(60_000);
      expect(wordsIn(platform.seen())).toEqual(writing.words);
    });

    test('that grow when the process ends are finished in their place by the next one', async () => {
      const { daemon, platform } = await daemonOn(growing);
      await beginWriting(daemon).writeUntil(() => platform.seen() !== '');
      await daemon.restart();
      await sees(platform, 'echo: tell me all', daemon.clock);
      expect(platform.seen()).toBe('echo: tell me all');
    });

    test('of which nobody knows whether their beginning is there are whole at the end, and end once', async () => {
      const { daemon, platform } = await daemonOn(growing);
      platform.fail('ambiguous');
      const writing = beginWriting(daemon);
      await writing.writeUntil(() => platform.seen() !== '');
      for (let word = 0; word < 10; word += 1) await writing.write();
      await writing.end();
      expect(timesSeen(platform, writing.words.at(-1) ?? '')).toBe(1);
      // What was begun may stand above it.
      expect(wordsIn(platform.seen()).slice(-writing.words.length)).toEqual(writing.words);
      expect(daemon.model.requests).toHaveLength(1);
    });
  });
}

/** A daemon whose model has begun to write, and whose owner reads the beginning. */
async function writes(open: Open<GrowingPlatform>) {
  const writing = beginWriting(await daemonOn(open));
  await writing.writeUntil(() => writing.platform.seen() !== '');
  return writing;
}

/** The owner asks, and the model answers word by word. */
function beginWriting({ platform, model, clock, capabilities }: ContractDaemon<GrowingPlatform>) {
  const answer = new WrittenAnswer();
  model.next(answer);
  platform.say('tell me all');
  const words: string[] = [];
  const write = async (): Promise<void> => {
    const word = `k${String(words.length).padStart(5, '0')}`;
    words.push(word);
    await answer.write(`${word} and that is so. `);
    clock.advance(pace);
  };
  return {
    platform,
    clock,
    capabilities,
    words,
    write,
    async writeUntil(look: () => boolean): Promise<void> {
      const describe = (): string => `There is, after ${words.length} words: ${platform.seen()}`;
      await waitUntil(look, { what: 'the reply to grow', describe, meanwhile: write });
    },
    /** Resolves when the owner reads all of it. */
    async end(): Promise<void> {
      await answer.end();
      await sees(platform, `${words.at(-1)} and that is so.`, clock);
    },
  };
}

interface Written {
  readonly platform: GrowingPlatform;
  readonly words: readonly string[];
}

/** Where answers ring, the preview goes away once the whole answer stands there. */
async function standsOnce({ platform, words }: Written): Promise<void> {
  const isWhole = (): boolean => wordsIn(platform.seen()).join(' ') === words.join(' ');
  await waitUntil(isWhole, { what: 'the reply to stand there once', describe: () => platform.seen() });
}
