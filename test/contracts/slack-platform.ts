import { slack } from '../../channels/slack/index.ts';
import type { Delivery } from '../../packages/fakes/src/slack/deliveries.ts';
import type { Said } from '../../packages/fakes/src/slack/people.ts';
import { SlackServer } from '../../packages/fakes/src/slack-server.ts';
import type { Conversation } from '../../src/contract.ts';
import { foundWithin } from '../support/wait-for.ts';
import { faultsWith, type SociablePlatform, type Who, withButton } from './platform.ts';
import { deliverRubbish } from './slack-rubbish.ts';

const users: Readonly<Record<Who, string>> = {
  owner: 'U0OWNER',
  friend: 'U0FRIEND',
  stranger: 'U0STRANGER',
  bot: 'U0OTHER',
};
const otherBot = { botId: 'B0OTHER', userId: users.bot, username: 'other' };
const [direct, channel] = ['D0OWNER', 'C0TEAM'];

/** Slack's seconds last so many of ours. */
const timeScale = 0.05;
/** So often is it looked whether somebody was told something. */
const looks = 35;

/** What is to be set other than it is at first. */
interface SlackWishes {
  readonly reactions?: boolean;
  /** The owner talks in a thread, as in the assistant's pane. */
  readonly inThread?: boolean;
}

const faults = faultsWith(
  { kind: 'error', error: 'is_archived' } as const,
  { kind: 'error', error: 'token_revoked' } as const,
);

/** A Slack of our own. Where the group is, and beside it another thread, people answer beneath messages that stand there. */
export async function openSlack({ reactions = false, inThread = false }: SlackWishes = {}): Promise<SociablePlatform> {
  const server = await SlackServer.start({ timeScale, retryScale: 0.005, pingMs: 200 });
  const { teamId: tenant, botUserId } = server.home.installation;
  server.home.addChannel(channel, { name: 'team', members: Object.values(users) });
  server.home.addDirect(users.owner);
  const at = { channel: 'slack', tenant } as const;
  const group: Conversation = { ...at, chatId: channel, threadId: '1700000000.000100', kind: 'group' };
  /** How a reply begins and grows there. */
  const [begin, change] = inThread ? ['chat.startStream', 'chat.appendStream'] : ['chat.postMessage', 'chat.update'];
  const inHome = inThread ? { threadTs: server.people.openAssistant(users.owner).ts } : {};
  const home: Conversation = { ...at, chatId: direct, kind: 'direct', threadId: inHome.threadTs };
  const gone = '1.000001';
  const settings = {
    ...{ enabled: true, api_url: server.apiUrl, bot_token: server.botToken, app_token: server.appToken, reactions },
    ...{ allow_from: [idOf('friend')], groups: { [channel]: { require_mention: true } } },
  };
  /** What was shown to one person alone, and was read. */
  const read = new Set<string>();
  let fallsSilent = false;
  let last: { readonly deliveries: readonly Delivery[]; readonly said?: Said } = { deliveries: [] };

  function idOf(who: Who): string {
    return `${tenant}/${who === 'bot' ? otherBot.botId : users[who]}`;
  }

  /** An event that finds no socket comes again when Slack says so. */
  async function ready(): Promise<void> {
    await server.waitFor(() => server.sockets.count > 0, { what: 'a socket' });
  }

  function told(said: Said): void {
    last = { deliveries: said.deliveries, said };
  }

  /** What stands in the conversation, the oldest first. */
  function messagesIn({ chatId, threadId }: Conversation) {
    return server.chat(chatId).filter(({ ts, threadTs }) => ts === threadId || threadTs === threadId);
  }

  function seenIn(conversation: Conversation): string {
    // The root of the assistant's pane is Slack's own.
    const messages = messagesIn(conversation).filter(({ from, ts }) => from === 'bot' && ts !== conversation.threadId);
    return messages.map(({ text }) => readable(text)).join('\n');
  }

  function sayIn({ chatId, threadId }: Conversation, text: string, who: Who): void {
    const thread = threadId === undefined ? {} : { threadTs: threadId };
    const by = who === 'bot' ? { bot: otherBot } : { from: users[who] };
    told(server.say(chatId, `<@${botUserId}> ${typed(text)}`, { ...thread, ...by, isRaw: true }));
  }

  /** What the presser alone reads then; empty if it is nothing for a while. Of several presses, each reads another one. */
  async function isTold(...[chatId, ts, button, how]: Required<Parameters<SlackServer['press']>>): Promise<string> {
    // A press that finds no socket is lost, as with Slack itself.
    await ready();
    const find = () => server.home.ephemerals(chatId, how.from ?? '').find((message) => !read.has(message.ts));
    last = { deliveries: [server.press(chatId, ts, button, how).delivery] };
    const shown = await foundWithin(looks, find);
    if (shown === undefined || read.has(shown.ts)) return '';
    read.add(shown.ts);
    return shown.text;
  }

  return {
    ...{ channel: 'slack', settings, owner: idOf('owner'), home, group, gone, ready, idOf, seenIn, sayIn },
    nowhere: { ...at, chatId: 'D0NOBODY', kind: 'direct' },
    thread: { ...group, threadId: '1700000000.000200' },
    secret: server.botToken,
    connect: () => slack.create(settings),
    close: () => server.close(),

    say(text) {
      told(server.say(direct, typed(text), { ...inHome, isRaw: true }));
      if (!fallsSilent) return;
      fallsSilent = false;
      server.silence(true);
    },

    share(text) {
      const authorizations = [{ team_id: tenant, enterprise_id: null, user_id: botUserId, is_bot: true }];
      const from = { channel: direct, channel_type: 'im', user: users.owner, team: tenant, ts: '1700000000.000900' };
      const shared = { is_share: true, author_name: 'Mallory', text };
      const event = { type: 'message', ...from, event_ts: from.ts, text: '', attachments: [shared] };
      const about = { type: 'event_callback', team_id: tenant, event_id: 'EvShare', event_time: 1_700_000_000 };
      server.deliver('events_api', { ...about, authorizations, event });
    },

    press(label) {
      const { delivery } = server.press(direct, withButton(messagesIn(home), label).ts, label);
      last = { deliveries: [delivery] };
    },

    seen: () => seenIn(home),
    deliverRubbish: () => deliverRubbish(server, { person: users.owner, other: users.friend, channel }),

    repeat() {
      for (const delivery of last.deliveries) server.redeliver(delivery);
    },

    isConfirmed() {
      const { deliveries } = last;
      return deliveries.length > 0 && deliveries.every(({ state }) => state === 'acknowledged');
    },

    message(ref) {
      const message = server.chat(direct).find(({ ts }) => ts === ref);
      return message && { text: readable(message.text), buttons: message.buttons.map(({ label }) => label) };
    },

    replyInGroup: (text) => sayIn(group, text, 'owner'),

    pressIn(conversation, label, who) {
      return isTold(conversation.chatId, withButton(messagesIn(conversation), label).ts, label, { from: users[who] });
    },

    actionOf(label) {
      return withButton(messagesIn(home), label).buttons.find((button) => button.label === label)?.value ?? '';
    },

    forge(conversation, actionId, who) {
      const ts = messagesIn(conversation).at(-1)?.ts ?? conversation.threadId ?? gone;
      return isTold(conversation.chatId, ts, 'press:0', { from: users[who], forged: { value: actionId } });
    },

    called: () => server.chat(channel).flatMap(({ pings }) => pings),
    fail: (fault) => server.fault({ method: begin, times: 1, ...faults[fault] }),
    outage: (isOn) => server.outage(isOn),

    /** What is on its way still arrives, as everywhere: with sockets, that is what is said next. */
    fallSilent() {
      fallsSilent = server.sockets.count > 0;
      server.silence(!fallsSilent);
    },

    /** The sockets that were open have met it: they stay dumb, and somebody has to notice. */
    speakAgain: async () => server.silence(false),
    revoke: () => server.revoke(),
    restore: () => server.restore(),
    attempts: () => server.calls.length,
    failChange: (fault) => server.fault({ method: change, times: 1, ...faults[fault] }),
    changes: () => server.callsOf('chat.appendStream').length + server.callsOf('chat.update').length,

    attach({ bytes, name, mediaType }, text) {
      told(server.people.share(direct, [{ bytes, name, mediaType }], text, inHome));
    },

    files: () => server.chat(direct).flatMap(({ from, files }) => (from === 'bot' ? files : [])),
    marks: () => server.chat(direct).findLast(({ from }) => from === 'user')?.reactions ?? [],

    correct(text) {
      const { said } = last;
      if (said === undefined) throw new Error('Nobody has said anything.');
      const mention = said.channel === direct ? '' : `<@${botUserId}> `;
      told(server.edit(said.channel, said.ts, `${mention}${text}`));
    },

    forget: () => server.forget(),
  };
}

/** What a client sends of what somebody types. */
function typed(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** What is seen of a text: a word joiner is not. */
function readable(text: string): string {
  return text.replaceAll('\u2060', '');
}
