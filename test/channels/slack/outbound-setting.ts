import { expect, onTestFinished } from 'vitest';
import { SlackApi } from '../../../channels/slack/api.ts';
import { type NativeStream, openNativeStream } from '../../../channels/slack/native-stream.ts';
import { createOutgoing, type Outgoing } from '../../../channels/slack/outgoing.ts';
import type { ChannelFault, Conversation, OutboundMessage } from '../../../src/contract.ts';
import { Remembered } from '../../../src/lib/remembered.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { RecordingHost } from '../../support/recording-host.ts';
import { SlackServer } from '../../support/slack-server.ts';
import { allOf, failureOf } from '../kit/request-faults.ts';

/** A channel with the bot and this person in it. */
export const channel = 'C000GENERAL';
export const person = 'U00PERSON';

/** What sends to a strict Slack of its own, in which time passes only when a test says so. */
export class OutboundSetting {
  readonly clock = new ManualClock();
  readonly host = new RecordingHost(this.clock);
  readonly server: SlackServer;
  readonly api: SlackApi;
  readonly urls = new Remembered<string, string>(10);
  readonly sender: Outgoing;
  /** The codes with which streams were switched off. */
  readonly switchedOff: string[] = [];
  /** What streams have said that stands there. */
  readonly begun: (readonly string[])[] = [];

  private constructor(server: SlackServer) {
    this.server = server;
    const { apiUrl, botToken: token } = server;
    this.api = new SlackApi({ token, apiUrl, requestTimeoutSecs: 5 });
    this.sender = this.outgoing();
  }

  /** All that goes out, as of a process that remembers nothing. */
  outgoing(): Outgoing {
    const { teamId, name, botUserId, botId, botName } = this.server.home.installation;
    const workspace = { teamId, name, botUserId, botId, botName, api: this.api };
    return createOutgoing(workspace, this.urls, this.host);
  }

  static async start(): Promise<OutboundSetting> {
    let now = (): number => 0;
    const server = await SlackServer.start({ now: () => now() });
    onTestFinished(() => server.close());
    const setting = new OutboundSetting(server);
    now = () => setting.clock.now();
    server.home.addChannel(channel, { members: [person] });
    return setting;
  }

  /** A thread in the channel, which somebody has begun. */
  thread(): Conversation & { readonly threadId: string } {
    return { ...place(), threadId: this.server.say(channel, 'hello').ts };
  }

  stream(to: Conversation): NativeStream {
    return openNativeStream({
      api: this.api,
      to,
      recipient: { id: person, teamId: this.server.home.installation.teamId },
      botUserId: this.server.home.installation.botUserId,
      sender: this.sender,
      begun: async (refs) => {
        this.begun.push(refs.map(({ id }) => id));
      },
      switchOff: (code) => this.switchedOff.push(code),
      clock: this.clock,
      log: this.host.log,
    });
  }

  /** What the bot's messages say, the oldest first. */
  get texts(): readonly string[] {
    return this.server.chat(channel).flatMap(({ from, text }) => (from === 'bot' ? [text] : []));
  }

  calls(method: string): number {
    return this.server.callsOf(method).length;
  }

  /** How the request fails. Throws if it does not, and if the error tells a secret or what was said. */
  async faultOf(request: Promise<unknown>): Promise<ChannelFault & { readonly message: string }> {
    const error = await failureOf(request);
    for (const secret of [this.server.botToken, 'hello']) expect(allOf(error)).not.toContain(secret);
    return { ...error.fault, message: error.message };
  }
}

/** The channel itself. */
export function place(): Conversation {
  return { channel: 'slack', tenant: 'T00000001', chatId: channel, kind: 'group' };
}

/** A reply with this text. */
export function reply(markdown: string, rest: Partial<OutboundMessage> = {}): OutboundMessage {
  return { id: 'm1', kind: 'reply', markdown, ...rest };
}
