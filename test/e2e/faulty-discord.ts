import type { DiscordServer } from '../support/discord-server.ts';
import { waitUntil } from '../support/wait-for.ts';
import { DiscordSetting, type DiscordSettingOptions } from './discord-setting.ts';
import { FaultMix, type FaultyServer, type MixedFault } from './fault-mix.ts';
import type { FaultyPlatform, FaultySetting } from './faulty-platform.ts';

/** The least there is: what gets no answer is given up soon. */
const options: DiscordSettingOptions = { channel: { request_timeout_secs: 1 } };
const sends = 'POST /channels/:channel/messages';

/** Discord, on which things go wrong. */
export const faultyDiscord: FaultyPlatform = {
  receivesNothing: 'discord does not receive',
  receivers: 1,
  // The same nonce gives the same message.
  repeatsAreDropped: true,
  keepsOrder: true,
  async start(faults) {
    if (faults === undefined) return settingOf(await DiscordSetting.start(options));
    const mix = Promise.withResolvers<FaultMix>();
    const prepare = (discord: DiscordServer): void =>
      mix.resolve(new FaultMix(serverOf(discord), faults.seed, faults.hangingPolls));
    const setting = await DiscordSetting.start({ ...options, prepare });
    await setting.connected();
    return settingOf(setting, await mix.promise);
  },
};

function settingOf(setting: DiscordSetting, mix?: FaultMix): FaultySetting {
  const { discord, model, daemon } = setting;
  return {
    model,
    daemon,
    ...(mix === undefined ? {} : { mix }),
    newChat() {
      const name = discord.direct(setting.newOwner());
      return {
        name,
        say(text) {
          const event = discord.say(name, text);
          return () => discord.dispatch('MESSAGE_CREATE', event);
        },
        shown: () => setting.said(name),
      };
    },
    // Nothing comes from the bot when it has noted down that something was delivered.
    waitFor: waitUntil,
    outage: (isOn) => discord.outage(isOn),
    requests: () => discord.calls.length,
    rows: (shape, sql) => setting.rows(shape, sql),
    [Symbol.asyncDispose]: () => setting.dispose(),
  };
}

function serverOf(discord: DiscordServer): FaultyServer {
  return {
    fault: ({ fault, aim, ...limits }) => discord.fault({ ...fault, ...limits, route: routeOf(aim) }),
    resetAfterSending: () => discord.callsOf(sends).filter(({ fault }) => fault === 'drop-after').length,
  };
}

/** New things come over the gateway: what corresponds to a poll is asking where that is. */
function routeOf(aim: MixedFault['aim']): string {
  switch (aim) {
    case 'sends':
      return sends;
    case 'polls':
      return 'GET /gateway/bot';
    case 'all':
      return '*';
  }
}
