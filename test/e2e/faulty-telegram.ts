import type { TelegramServer } from '../support/telegram-server.ts';
import { FaultMix, type FaultyServer, type MixedFault } from './fault-mix.ts';
import type { FaultyPlatform, FaultySetting } from './faulty-platform.ts';
import { TelegramSetting } from './telegram-setting.ts';

/** What gets no answer is given up soon, yet not because the machine is busy. */
const channel = { poll_timeout_secs: 1, request_timeout_secs: 3 };

/** Telegram, on which things go wrong. */
export const faultyTelegram: FaultyPlatform = {
  receivesNothing: 'telegram does not receive',
  receivers: 1,
  repeatsAreDropped: false,
  keepsOrder: true,
  async start(faults) {
    if (faults === undefined) return settingOf(await TelegramSetting.start({ channel }));
    const mix = Promise.withResolvers<FaultMix>();
    const prepare = (telegram: TelegramServer): void =>
      mix.resolve(new FaultMix(serverOf(telegram), faults.seed, faults.hangingPolls));
    const setting = await TelegramSetting.start({ channel, prepare });
    return settingOf(setting, await mix.promise);
  },
};

function settingOf(setting: TelegramSetting, mix?: FaultMix): FaultySetting {
  const { telegram, model, daemon } = setting;
  return {
    model,
    daemon,
    ...(mix === undefined ? {} : { mix }),
    newChat() {
      const chat = setting.newOwner();
      return {
        name: String(chat),
        say(text) {
          const update = telegram.say(chat, text);
          return () => telegram.redeliver(update);
        },
        shown: () => setting.said(chat),
      };
    },
    waitFor: (look, options) => telegram.waitFor(look, options),
    outage: (isOn) => telegram.outage(isOn),
    requests: () => telegram.calls.length,
    rows: (shape, sql) => setting.rows(shape, sql),
    [Symbol.asyncDispose]: () => setting.dispose(),
  };
}

function serverOf(telegram: TelegramServer): FaultyServer {
  return {
    fault: ({ fault, aim, ...limits }) => telegram.fault({ ...fault, ...limits, ...aimed(aim, fault) }),
    resetAfterSending: () => telegram.callsOf('sendMessage').filter(({ fault }) => fault === 'drop-after').length,
  };
}

/** A request for updates that hangs is given up later than others: those have a fault of their own. */
function aimed(aim: MixedFault['aim'], { kind }: MixedFault['fault']) {
  switch (aim) {
    case 'sends':
      return { method: 'sendMessage' };
    case 'polls':
      return { method: 'getUpdates' };
    case 'all':
      return { method: '*', ...(kind === 'hang' ? { when: isNoPoll } : {}) };
  }
}

function isNoPoll(params: Readonly<Record<string, unknown>>): boolean {
  return !('allowed_updates' in params);
}
