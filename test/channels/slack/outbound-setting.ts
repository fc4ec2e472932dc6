import { onTestFinished } from 'vitest';
import { SlackApi } from '../../../channels/slack/api.ts';
import { Outgoing } from '../../../channels/slack/outgoing.ts';
import type { Writer } from '../../../channels/slack/people.ts';
import { SlackServer } from '../../../packages/fakes/src/slack-server.ts';
import { type Conversation, conversationId, type OutboundMessage } from '../../../src/contract.ts';
import { Remembered } from '../../../src/lib/remembered.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { RecordingHost } from '../../support/recording-host.ts';
import { faultOf } from '../kit/request-faults.ts';

/** A channel with the bot and this person in it. */
export const channel = 'C000GENERAL';
export const person = 'U00PERSON';

export type OutboundSetting = Awaited<ReturnType<typeof start>>;
export const OutboundSetting = { start } as const;

/** What sends to a strict Slack of its own, in which time passes only when a test says so. */
async function start() {
  const clock = new ManualClock();
  const host = new RecordingHost(clock);
  const server = await SlackServer.start({ now: () => clock.now() });
  onTestFinished(() => server.close());
  server.home.addChannel(channel, { members: [person] });
  const { apiUrl, botToken: token } = server;
  const { teamId, name, botUserId, botId, botName } = server.home.installation;
  const api = new SlackApi({ token, apiUrl, requestTimeoutSecs: 5 });
  const urls = new Remembered<string, string>(10);
  const writers = new Remembered<string, Writer>(10);
  /** All that goes out, as of a process that remembers nothing. */
  const outgoing = () => new Outgoing({ teamId, name, botUserId, botId, botName, api }, { urls, writers }, host);
  const sender = outgoing();

  return {
    ...{ clock, host, server, api, urls, sender, outgoing },

    /** A thread in the channel, in which somebody talks with the bot. */
    thread() {
      const to = { ...general(), threadId: server.say(channel, 'hello').ts };
      writers.set(conversationId(to), { id: person, teamId });
      return to;
    },

    /** What the bot's messages say, the oldest first. */
    get texts(): readonly string[] {
      return server.chat(channel).flatMap(({ from, text }) => (from === 'bot' ? [text] : []));
    },

    calls: (method: string): number => server.callsOf(method).length,
    /** How the request fails. Throws if it does not, and if the error tells a secret or what was said. */
    faultOf: (request: Promise<unknown>) => faultOf(request, [token, 'hello']),
  };
}

/** The channel itself. */
export function general(): Conversation {
  return { channel: 'slack', tenant: 'T00000001', chatId: channel, kind: 'group' };
}

/** A reply with this text. */
export function reply(markdown: string, rest: Partial<OutboundMessage> = {}): OutboundMessage {
  return { id: 'm1', kind: 'reply', markdown, ...rest };
}
