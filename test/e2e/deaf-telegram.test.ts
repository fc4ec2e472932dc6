import { expect, onTestFinished, test } from 'vitest';
import { telegram } from '../../channels/telegram/index.ts';
import type { ChannelHost, InboundEvent } from '../../src/contract.ts';
import { createChannelWatch, createHealthBoard } from '../../src/conversation/health/channel-watch.ts';
import { RecordingHost } from '../support/recording-host.ts';
import { TelegramServer } from '../support/telegram-server.ts';
import { waitUntil } from '../support/wait-for.ts';

/** Telegram's adapter under the watch. In its first session nothing is ever stored, so that it waits for that for good. */
async function stuckSetting() {
  const server = await TelegramServer.start();
  onTestFinished(() => server.close());
  const adapter = telegram.create({ enabled: true, token: server.token, api_root: server.root });
  const core = new RecordingHost();
  const { clock, log } = core;
  const health = createHealthBoard({ clock, log });
  let stuck: object | undefined;
  let sessions = 0;
  const hostOf = (channel: string, over: AbortSignal): ChannelHost => {
    sessions += 1;
    const isFirst = sessions === 1;
    return {
      receive(event: InboundEvent) {
        if (!isFirst) return core.receive(event);
        stuck = event;
        return new Promise(() => {});
      },
      moved: (from, chatId) => core.moved(from, chatId),
      places: (most) => core.places(most),
      whenIdle: () => core.whenIdle(),
      reportHealth: (reported) => !over.aborted && watch.heard(channel, reported),
      reportEnd: () => core.reportEnd(),
      requestStop: () => core.requestStop(),
      log,
      clock,
    };
  };
  const watch = createChannelWatch({
    ...{ adapters: new Map([['telegram', adapter]]), health, hostOf, clock, log },
    tellOwners: () => {},
    allRefused: () => {},
  });
  onTestFinished(() => watch.stop());
  await watch.start('telegram');
  watch.begin();
  const statusIs = (status: string): Promise<unknown> =>
    waitUntil(() => health.of('telegram')?.health.status === status, { what: status });
  const stuckAt = (): Promise<unknown> => waitUntil(() => stuck, { what: 'the session to be stuck' });
  return { server, core, clock, statusIs, stuckAt, sessions: () => sessions };
}

test('a session of Telegram that is stuck is replaced within 90 s, and what it did not confirm comes again', async () => {
  const { server, core, clock, statusIs, stuckAt, sessions } = await stuckSetting();
  await statusIs('connected');
  server.say(501, 'do you hear me?');
  await stuckAt();
  const before = clock.now();
  clock.advance(60_000);
  await statusIs('failing');
  // The old session has a moment to end.
  await waitUntil(() => {
    if (sessions() === 1) clock.advance(250);
    return sessions() > 1;
  });
  expect(clock.now() - before).toBeLessThan(90_000);
  await waitUntil(() => core.received.length > 0, { what: 'what it did not confirm' });
  expect(core.words).toEqual(['do you hear me?']);
  await statusIs('connected');
  server.say(501, 'and now?');
  await core.hears('and now?');
  expect(core.words).toEqual(['do you hear me?', 'and now?']);
});
