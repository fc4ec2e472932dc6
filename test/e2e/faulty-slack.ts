import type { Delivery } from '../support/slack/deliveries.ts';
import type { SlackServer } from '../support/slack-server.ts';
import { FaultMix, type FaultyServer, type MixedFault } from './fault-mix.ts';
import type { FaultyPlatform, FaultySetting } from './faulty-platform.ts';
import { SlackSetting } from './slack-setting.ts';

/** The least there is: what gets no answer is given up soon. */
const channel = { request_timeout_secs: 1 };
/** Slack's minutes are seconds of ours: an event comes again after one, and then after five. */
const server = { timeScale: 1 / 60 };

/** Slack, on which things go wrong. */
export const faultySlack: FaultyPlatform = {
  receivesNothing: 'a socket to Slack could not be kept',
  receivers: 2,
  // What may have been sent needs two requests that go well, and the pauses double.
  patienceMs: 40_000,
  repeatsAreDropped: true,
  // Each event is delivered again at a time of its own.
  keepsOrder: false,
  async start(faults) {
    if (faults === undefined) return settingOf(await SlackSetting.start({ channel, server }));
    const mix = Promise.withResolvers<FaultMix>();
    const prepare = (slack: SlackServer): void =>
      mix.resolve(new FaultMix(serverOf(slack), faults.seed, faults.hangingPolls));
    const setting = await SlackSetting.start({ channel, server, prepare });
    // What is said before is delivered again, each message at a time of its own: that has no order.
    await setting.connected();
    return settingOf(setting, await mix.promise);
  },
};

function settingOf(setting: SlackSetting, mix?: FaultMix): FaultySetting {
  const { slack, model, daemon } = setting;
  return {
    model,
    daemon,
    ...(mix === undefined ? {} : { mix }),
    newChat() {
      const chat = setting.newOwner();
      let last: readonly Delivery[] = [];
      return {
        name: chat,
        // Of two posts at the same instant, each comes over a socket of its own.
        hasCome: () => last.every(({ state }) => state !== 'waiting'),
        say(text) {
          const { deliveries } = slack.say(chat, text);
          last = deliveries;
          return () => {
            for (const delivery of deliveries) slack.redeliver(delivery);
          };
        },
        shown: () => setting.said(chat),
      };
    },
    waitFor: (look, options) => slack.waitFor(look, options),
    outage: (isOn) => slack.outage(isOn),
    requests: () => slack.calls.length,
    rows: (shape, sql) => setting.rows(shape, sql),
    [Symbol.asyncDispose]: () => setting.dispose(),
  };
}

function serverOf(slack: SlackServer): FaultyServer {
  return {
    fault: ({ fault, aim, ...limits }) => slack.fault({ ...fault, ...limits, method: methodOf(aim) }),
    resetAfterSending: () => slack.callsOf('chat.postMessage').filter(({ fault }) => fault === 'drop-after').length,
  };
}

/** New things come over sockets here: what corresponds to a poll is asking where to connect. */
function methodOf(aim: MixedFault['aim']): string {
  switch (aim) {
    case 'sends':
      return 'chat.postMessage';
    case 'polls':
      return 'apps.connections.open';
    case 'all':
      return '*';
  }
}
