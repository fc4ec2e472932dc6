import { z } from 'zod';
import { type ChannelHost, conversationId, type InboundMembership, type Receipt } from '../../src/contract.ts';
import type { Background } from '../../src/lib/background.ts';
import { endsWithin } from '../../src/lib/clock.ts';
import { isJsonObject } from '../../src/lib/json.ts';
import { lazyParser } from '../../src/lib/markdown-parser.ts';
import { Remembered } from '../../src/lib/remembered.ts';
import { lenient, list, optionalText } from '../kit/read-payload.ts';
import { bestEffort } from '../kit/retries.ts';
import { type HomeContext, isHomePress, takeHomeOpened, takeHomePress } from './home.ts';
import { readMrkdwn } from './markup.ts';
import { arrivalIn, departureIn } from './memberships.ts';
import type { Memory } from './outgoing.ts';
import { Names } from './people.ts';
import {
  type Arrival,
  deletionOf,
  editOf,
  id,
  isEmpty,
  messageOf,
  namesFor,
  namesInRoot,
  postShape,
  type ReadPost,
  readPost,
  type SlackPost,
  timestamp,
} from './posts.ts';
import { takeForm, takePress } from './presses.ts';
import { commandKey, showNotice } from './private-answers.ts';
import type { SlackSettings } from './settings.ts';
import { type ChosenPosts, isQuestion, takeQuestion, takeShortcut } from './shortcut.ts';
import { wordsFor } from './words.ts';
import {
  conversationAt,
  isDirect,
  type SlackConversation,
  slackConversation,
  type Workspace,
  type Workspaces,
} from './workspaces.ts';

/** The envelope of an event; `sourceShape` reads its origin. */
const eventShape = z.object({
  event: z.looseObject({ type: z.string(), subtype: z.string().nullish(), channel: lenient(id) }),
});
type SlackEvent = z.output<typeof eventShape>['event'];

const changeShape = z.object({ message: lenient(postShape), previous_message: lenient(postShape) });

const threadShape = z.object({ messages: list(postShape) });

/** A person has pressed the stop button of a streaming reply. */
const stopShape = z.object({ channel: id, thread_ts: timestamp, user: id, event_ts: timestamp });

/** A person has opened the assistant pane. */
const paneShape = z.object({
  assistant_thread: z.object({ channel_id: id, thread_ts: timestamp, user_id: lenient(id) }),
});

const team = lenient(z.object({ id }));

/** The workspaces and organisations named in any kind of body. */
const sourceShape = z.object({
  authorizations: list(z.object({ team_id: lenient(id), enterprise_id: lenient(id) })),
  context_team_id: lenient(id),
  team_id: lenient(id),
  team,
  enterprise: team,
  enterprise_id: lenient(id),
});

const commandShape = z.object({
  command: z.string(),
  text: optionalText,
  user_id: id,
  user_name: optionalText,
  team_id: id.nullish(),
  channel_id: id,
  trigger_id: z.string().min(1).max(200),
  response_url: optionalText,
});

/** How long to wait for the root of a thread, in ms. */
const patience = 1_500;
const unreadable = 'it can not be read';

/** What is needed to hand Slack's events to the host. */
interface IntakeContext extends HomeContext {
  readonly settings: Pick<SlackSettings, 'command' | 'suggested_prompts'>;
  readonly memory: Memory;
  /** By chat: resolves when its latest post has been handed to the host. */
  readonly lanes: Map<string, Promise<void>>;
  /** The latest version of edited posts: an unstored post is redelivered, maybe after it was edited or deleted. */
  readonly changes: Remembered<string, ReadPost | 'gone'>;
  /** Threads whose root was passed on, per author: another author's message may have been refused. */
  readonly givenRoots: Remembered<string, true>;
  readonly chosen: ChosenPosts;
}

export interface SlackIntake {
  /**
   * Takes any body. Resolves with true once it is stored, false if there is nothing to store: then Slack may get its
   * acknowledgement. Rejects if it could not be stored. Waits up to 2 s for Slack. Call it in order of arrival.
   */
  take(body: unknown): Promise<boolean>;
}

/**
 * Hands Slack's events to the host, over any transport: posts with their edits and deletions, slash commands, presses
 * and forms. A body is read, the names in it are looked up, and the host stores it; posts of one chat in order of
 * arrival. Notices and forms run in `background`.
 */
export function createIntake(
  settings: IntakeContext['settings'],
  host: ChannelHost,
  workspaces: Workspaces,
  { background, ...memory }: Memory & { readonly background: Background },
): SlackIntake {
  const intake: IntakeContext = {
    settings,
    host,
    workspaces,
    memory,
    background,
    names: new Names(host),
    notices: { background, host },
    lanes: new Map(),
    changes: new Remembered(100),
    givenRoots: new Remembered(1_000),
    chosen: new Remembered(100),
    parse: lazyParser(),
    homeless: new Set(),
  };
  return { take: (body) => takeBody(body, intake) };
}

async function takeBody(body: unknown, intake: IntakeContext): Promise<boolean> {
  const reason = await sort(body, intake);
  if (reason === undefined) return true;
  const { type, command, event } = isJsonObject(body) ? body : {};
  const kind = isJsonObject(event) ? event.type : (type ?? command);
  intake.host.log.debug({ kind, reason }, 'something from Slack was ignored');
  return false;
}

/** Resolves with the reason if there is nothing to store. */
async function sort(body: unknown, intake: IntakeContext): Promise<string | undefined> {
  if (!isJsonObject(body)) return 'it is nothing';
  if (body.type === 'view_submission') return (isQuestion(body) ? takeQuestion : takeForm)(body, intake);
  const workspace = workspaceOf(body, intake.workspaces);
  if (workspace === undefined) return 'it comes from no workspace of ours';
  if (body.type === 'event_callback') return takeEvent(body, workspace, intake);
  if (body.type === 'block_actions') return (isHomePress(body) ? takeHomePress : takePress)(body, workspace, intake);
  if (body.type === 'message_action') return takeShortcut(body, workspace, intake);
  return typeof body.command === 'string' ? takeCommand(body, workspace, intake) : 'it is of no kind that is read';
}

async function takeEvent(body: unknown, workspace: Workspace, intake: IntakeContext): Promise<string | undefined> {
  const { data } = eventShape.safeParse(body);
  if (data === undefined) return unreadable;
  const { event } = data;
  switch (event.type) {
    case 'message':
    case 'app_mention': {
      if (event.channel === undefined) return 'it stands nowhere';
      const arrival = { workspace, chatId: event.channel, ours: intake.workspaces.all };
      const isChange = event.subtype === 'message_changed' || event.subtype === 'message_deleted';
      return isChange ? takeChange(event, arrival, intake) : takePost(event, arrival, intake);
    }
    case 'agent_session_stopped':
      return takeStop(event, workspace, intake);
    case 'assistant_thread_started':
      return takePane(event, workspace, intake);
    case 'app_home_opened':
      return takeHomeOpened(event, workspace, intake);
    case 'member_joined_channel':
      return takeMembership(await arrivalIn(event, workspace, intake.names), intake);
    case 'channel_left':
    case 'group_left':
      return takeMembership(await departureIn(event, workspace, intake.names), intake);
    default:
      return 'it is of no kind that is read';
  }
}

async function takeMembership(
  told: InboundMembership | undefined,
  { host }: IntakeContext,
): Promise<string | undefined> {
  if (told === undefined) return 'the bot is where it was';
  await host.receive(told);
  return undefined;
}

async function takePost(event: SlackEvent, arrival: Arrival, intake: IntakeContext): Promise<string | undefined> {
  const { data } = postShape.safeParse(event);
  if (data === undefined) return unreadable;
  const told = readPost(data, arrival);
  if (typeof told === 'string') return told;
  const change = intake.changes.get(told.key);
  if (change === 'gone') return 'it was taken back before it came';
  const read = told.post.edited === undefined ? (change ?? told) : told;
  const { conversation, author } = read;
  const isAlone = isDirect(arrival.chatId);
  if (isEmpty(read) && !(isAlone && author.isPerson)) return 'nothing is said with it';
  // A post that mentions the bot arrives as both types of event: the host recognises the key.
  const isAddressed = isAlone || read.calls || event.type === 'app_mention';
  const ready = prepare(read, isAddressed, intake);
  const { notice } = await inOrder(conversation, ready, intake, (root) => hand(read, isAddressed, root, intake));
  if (author.isPerson && notice !== undefined) {
    const { sender } = intake.names.speaker(conversation, author);
    showNotice(intake.notices, { conversation, user: author.id, sender, markdown: notice });
  }
  return undefined;
}

/** Acts once `ready` resolves and all earlier posts of the chat have begun to act, or failed to get ready. */
async function inOrder<Ready>(
  { workspace, chatId }: SlackConversation,
  ready: Promise<Ready>,
  { lanes }: IntakeContext,
  act: (ready: Ready) => Promise<Receipt>,
): Promise<Receipt> {
  const lane = `${workspace.teamId}/${chatId}`;
  const prepared = Promise.all([ready, lanes.get(lane)]);
  const acting = prepared.then(([result]) => act(result));
  const begun = Promise.allSettled([prepared]).then(() => {
    if (lanes.get(lane) === begun) lanes.delete(lane);
  });
  lanes.set(lane, begun);
  return acting;
}

/** Looks up names and, if needed, the root of the thread. Waits a limited time. */
async function prepare(read: ReadPost, isAddressed: boolean, intake: IntakeContext): Promise<SlackPost | undefined> {
  const { names, host, givenRoots } = intake;
  const { conversation } = read;
  const learning = names.learn(conversation.workspace, namesFor(read));
  let root: SlackPost | undefined;
  if (conversation.shownIn !== undefined && isAddressed && !givenRoots.has(rootKey(read))) {
    const learningRoot = fetchRoot(conversation, intake).then(async (found) => {
      root = found;
      if (found !== undefined) await names.learn(conversation.workspace, namesInRoot(found));
    });
    await endsWithin(learningRoot, { clock: host.clock, milliseconds: patience });
  }
  await learning;
  return root;
}

/** Undefined if it cannot be fetched. */
async function fetchRoot(
  { workspace, chatId: channel, threadId: ts }: SlackConversation,
  { host: { log } }: IntakeContext,
): Promise<SlackPost | undefined> {
  const answer = await bestEffort(
    () => workspace.api.call('conversations.replies', { channel, ts, limit: 1 }, { repeatable: true }),
    { log, failure: 'the beginning of a thread could not be read', fields: { channel, ts } },
  );
  const [root] = threadShape.safeParse(answer).data?.messages ?? [];
  return root?.ts === ts ? root : undefined;
}

async function hand(
  read: ReadPost,
  isAddressed: boolean,
  root: SlackPost | undefined,
  { names, host, memory, givenRoots }: IntakeContext,
): Promise<Receipt> {
  const message = messageOf(read, names, { isAddressed, root, host });
  if (read.author.isPerson && (isAddressed || message.isThreadReply))
    memory.writers.set(conversationId(message.conversation), read.author);
  const receipt = await host.receive(message);
  if (isAddressed && (read.conversation.shownIn === undefined || root !== undefined))
    givenRoots.set(rootKey(read), true);
  return receipt;
}

async function takeChange(event: SlackEvent, arrival: Arrival, intake: IntakeContext): Promise<string | undefined> {
  const { names, host, changes } = intake;
  const { message, previous_message: before } = changeShape.safeParse(event).data ?? {};
  // A deleted root with replies is replaced by a tombstone.
  const isGone = event.subtype === 'message_deleted' || message?.subtype === 'tombstone';
  const post = isGone ? before : message;
  if (post === undefined) return unreadable;
  const read = readPost(post, arrival);
  if (typeof read === 'string') return read;
  const editedTs = post.edited?.ts;
  if (!isGone && (editedTs === undefined || before?.edited?.ts === editedTs)) return 'what was said is as it was';

  changes.set(read.key, isGone ? 'gone' : read);
  const learning = isGone ? Promise.resolve() : names.learn(arrival.workspace, namesFor(read));
  await inOrder(read.conversation, learning, intake, () =>
    host.receive(isGone ? deletionOf(read, names) : editOf(read, names)),
  );
  return undefined;
}

/** `/keyturn stop` becomes `/stop`; without words it becomes `/help`. */
async function takeCommand(body: unknown, workspace: Workspace, intake: IntakeContext): Promise<string | undefined> {
  const { names, host, memory, settings } = intake;
  const { data } = commandShape.safeParse(body);
  if (data === undefined || data.command !== settings.command) return 'the command is not ours';
  const { user_id: userId, channel_id: chatId, user_name, trigger_id, response_url: responseUrl, text = '' } = data;
  const conversation = slackConversation(workspace, chatId, undefined);
  const writer = { id: userId, teamId: data.team_id ?? workspace.teamId };
  const speaker = await names.speakerAt(conversation, writer, user_name);
  const key = `command:${workspace.teamId}:${trigger_id}`;
  const privateTo = commandKey(userId, key);
  if (responseUrl !== undefined) memory.urls.set(privateTo, responseUrl);
  memory.writers.set(conversationId(speaker.conversation), writer);
  const { notice } = await host.receive({
    type: 'message',
    key,
    ...speaker,
    privateTo,
    text: `/${readMrkdwn(text, names.in(workspace)).trim().replace(/^\/+/, '') || 'help'}`,
    addressed: true,
    sentAt: host.clock.now(),
  });
  const told = { conversation, user: userId, sender: speaker.sender, responseUrl };
  if (notice !== undefined) showNotice(intake.notices, { ...told, markdown: notice });
  return undefined;
}

/** Shows suggested prompts in a newly opened assistant pane, in the background. */
function takePane(event: unknown, workspace: Workspace, intake: IntakeContext): string | undefined {
  const { settings, background, host } = intake;
  const { data } = paneShape.safeParse(event);
  if (data === undefined) return unreadable;
  if (settings.suggested_prompts?.length === 0) return 'nothing is to be suggested';
  const { channel_id, thread_ts, user_id } = data.assistant_thread;
  const failure = 'the suggestions could not be shown';
  const ask = async () => settings.suggested_prompts ?? usualPrompts(user_id, channel_id, workspace, intake);
  const show = (prompts: SlackSettings['suggested_prompts']) =>
    workspace.api.call('assistant.threads.setSuggestedPrompts', { channel_id, thread_ts, prompts });
  const options = { log: host.log, failure, fields: { channel_id } };
  background.run(failure, async () => void (await bestEffort(() => ask().then(show), options)));
  return undefined;
}

/** In the language of the person who has opened the pane. */
async function usualPrompts(
  user: string | undefined,
  chatId: string,
  workspace: Workspace,
  { names, host }: IntakeContext,
): Promise<NonNullable<SlackSettings['suggested_prompts']>> {
  const writer = user === undefined ? undefined : { id: user, teamId: workspace.teamId };
  const speaker = writer && (await names.speakerAt(slackConversation(workspace, chatId, undefined), writer));
  const words = wordsFor(host, speaker?.sender);
  return [
    { title: words.buttonWhatCanYouDo, message: words.askWhatCanYouDo },
    { title: words.buttonWhichFiles, message: words.askWhichFiles },
  ];
}

/** The stop button of a streaming reply acts as the command `/stop`. */
async function takeStop(
  event: unknown,
  workspace: Workspace,
  { names, host, memory }: IntakeContext,
): Promise<string | undefined> {
  const { data } = stopShape.safeParse(event);
  if (data === undefined) return unreadable;
  const { user, channel, thread_ts, event_ts } = data;
  const conversation = slackConversation(workspace, channel, thread_ts);
  const writer = memory.writers.get(conversationId(conversationAt(conversation)));
  // The event has the user's id but not their team.
  const teamId = writer?.id === user ? writer.teamId : workspace.teamId;
  await host.receive({
    type: 'message',
    key: `stop:${workspace.teamId}:${channel}:${thread_ts}:${event_ts}`,
    ...(await names.speakerAt(conversation, { id: user, teamId })),
    text: '/stop',
    addressed: true,
    sentAt: Math.floor(Number(event_ts) * 1000),
  });
  return undefined;
}

/** The workspace that received the body. In a channel shared by several organisations it names others too. */
function workspaceOf(body: unknown, workspaces: Workspaces): Workspace | undefined {
  const { data } = sourceShape.safeParse(body);
  const [authorization] = data?.authorizations ?? [];
  const candidates = [
    ...[authorization?.team_id, data?.context_team_id, data?.team_id, data?.team?.id],
    ...[authorization?.enterprise_id, data?.enterprise?.id, data?.enterprise_id],
  ].filter((id) => id !== undefined);
  const found = candidates.map((id) => workspaces.find(id)).find((workspace) => workspace !== undefined);
  if (found === undefined && candidates.length > 0 && workspaces.isIncomplete)
    throw new Error('It is not known yet whether this workspace is one of ours.');
  return found;
}

function rootKey({ conversation: { workspace, chatId, threadId }, author }: ReadPost): string {
  return `${workspace.teamId}/${chatId}/${threadId} ${author.teamId}/${author.id}`;
}
