import { z } from 'zod';
import type { ChannelHost, InboundAction, Sender } from '../../src/contract.ts';
import type { Background } from '../../src/lib/background.ts';
import { parseJson } from '../../src/lib/json.ts';
import { lenient, list, optionalText } from '../kit/read-payload.ts';
import type { Names, Writer } from './people.ts';
import { id, timestamp } from './posts.ts';
import { type NoticeContext, showNotice } from './private-answers.ts';
import { type SlackWords, wordsFor } from './words.ts';
import { type SlackConversation, slackConversation, type Workspace, type Workspaces } from './workspaces.ts';

const person = z.object({ id, team_id: id.nullish(), name: optionalText, username: optionalText });

/** A press. For ephemeral messages, only the container tells the message. */
const pressShape = z.object({
  user: person,
  trigger_id: optionalText,
  response_url: optionalText,
  channel: lenient(z.object({ id })),
  container: lenient(z.object({ channel_id: lenient(id), message_ts: timestamp, thread_ts: timestamp.nullish() })),
  message: z.object({ ts: timestamp, thread_ts: timestamp.nullish() }).nullish(),
  actions: list(z.object({ action_id: z.string(), value: z.string(), action_ts: z.string().min(1).max(40) })),
});

const homePressShape = pressShape.pick({ user: true, trigger_id: true, actions: true });

const submissionShape = z.object({
  user: person,
  view: z.object({
    id: z.string().min(1).max(100),
    callback_id: z.literal('ask'),
    private_metadata: z.string().transform(parseJson),
    state: z.object({ values: z.unknown().optional() }),
  }),
});
const valuesShape = z.record(z.string(), z.record(z.string(), z.object({ value: z.string().nullish() })));

/** The value of a button that asks for a text: its action, and the label of the input. */
const askShape = z.object({ id: z.string().min(1).max(64), asks: z.string().trim().min(1).max(150) });

/** A form's metadata: the button's action and conversation. `ts`: the message with the button. */
const formShape = z.object({
  actionId: z.string().min(1).max(64),
  teamId: z.string().min(1),
  chatId: id,
  threadId: timestamp.optional(),
  ts: timestamp.optional(),
});

interface Interaction {
  readonly conversation: SlackConversation;
  readonly user: z.output<typeof person>;
  readonly ts: string | undefined;
  /** Works also for people who are not members of the chat. */
  readonly responseUrl?: string | undefined;
}

const longestText = 500;

/** What is needed to hand presses and forms to the host. */
export interface PressContext {
  readonly host: ChannelHost;
  readonly workspaces: Workspaces;
  readonly names: Names;
  readonly notices: NoticeContext;
  readonly background: Background;
}

/** Resolves once all presses are stored, or with the reason why there is nothing to store. */
export async function takePress(
  body: unknown,
  workspace: Workspace,
  intake: PressContext,
): Promise<string | undefined> {
  const { data } = pressShape.safeParse(body);
  const { user, channel, container, message, actions = [], response_url: responseUrl, trigger_id } = data ?? {};
  const chatId = channel?.id ?? container?.channel_id;
  const ts = container?.message_ts ?? message?.ts;
  if (user === undefined || chatId === undefined || ts === undefined) return 'it is not a press below a message';
  // A message with replies is the root of its thread, but its own conversation is unchanged.
  const thread = message?.thread_ts ?? container?.thread_ts ?? undefined;
  const conversation = slackConversation(workspace, chatId, thread === ts ? undefined : thread);
  const interaction = { conversation, user, ts, responseUrl };
  const presses = oursAmong(actions);
  if (presses.length === 0) return 'the button is not ours';
  const triggerId = trigger_id;
  await Promise.all(
    presses.map(async (press) => {
      const { notice, sender } = await take(press, { ...interaction, triggerId }, intake);
      const told = { conversation, user: user.id, sender, responseUrl };
      if (notice !== undefined) showNotice(intake.notices, { ...told, markdown: notice });
    }),
  );
  return undefined;
}

/** Presses in the app's Home. Resolves with what the person is told once they are stored; undefined if none are ours. */
export async function takeHomePresses(
  body: unknown,
  conversation: SlackConversation,
  intake: PressContext,
): Promise<readonly string[] | undefined> {
  const { user, actions = [], trigger_id: triggerId } = homePressShape.safeParse(body).data ?? {};
  const presses = oursAmong(actions);
  if (user === undefined || presses.length === 0) return undefined;
  const interaction = { conversation, user, ts: undefined, triggerId };
  const taken = await Promise.all(presses.map((press) => take(press, interaction, intake)));
  return taken.flatMap(({ notice }) => notice ?? []);
}

type Press = z.output<typeof pressShape>['actions'][number];

function oursAmong(actions: readonly Press[]): readonly Press[] {
  return actions.filter(({ action_id }) => /^(?:press|ask):/.test(action_id));
}

/** Stores a press, or asks for the text that it needs. */
async function take(
  { action_id, action_ts, value }: Press,
  { triggerId, ...interaction }: Interaction & { readonly triggerId: string | undefined },
  intake: PressContext,
): Promise<Told> {
  const { conversation, user } = interaction;
  if (action_id.startsWith('ask:')) {
    ask(value, interaction, triggerId, intake);
    return { notice: undefined };
  }
  const { workspace, chatId } = conversation;
  const key = `press:${workspace.teamId}:${chatId}:${user.id}:${action_ts}:${action_id}`;
  return store({ key, actionId: value }, interaction, intake);
}

interface Told {
  readonly notice: string | undefined;
  readonly sender?: Sender;
}

/** Like `takePress`, for a submitted form. */
export async function takeForm(body: unknown, intake: PressContext): Promise<string | undefined> {
  const { data } = submissionShape.safeParse(body);
  const form = formShape.safeParse(data?.view.private_metadata).data;
  if (data === undefined || form === undefined) return 'the form is not ours';
  const workspace = intake.workspaces.find(form.teamId);
  // The form stays open, and can be submitted again.
  if (workspace === undefined && intake.workspaces.isIncomplete) throw new Error('Its workspace is not known yet.');
  if (workspace === undefined) return 'the form is from no workspace of ours';
  const { view, user } = data;
  const text = valuesShape.safeParse(view.state.values).data?.answer?.text?.value?.slice(0, longestText) ?? '';
  const conversation = slackConversation(workspace, form.chatId, form.threadId);
  const action = { key: `view:${view.id}`, actionId: form.actionId, text };
  const { notice, sender } = await store(action, { conversation, user, ts: form.ts }, intake);
  if (notice !== undefined) showNotice(intake.notices, { conversation, user: user.id, sender, markdown: notice });
  return undefined;
}

/** Opens the form at once: Slack allows three seconds. */
function ask(
  value: string,
  { conversation, user, ts }: Interaction,
  triggerId: string | undefined,
  intake: PressContext,
): void {
  const { data } = askShape.safeParse(parseJson(value));
  if (data === undefined || triggerId === undefined) {
    intake.host.log.debug({ chatId: conversation.chatId }, 'a button asks for nothing that can be asked');
    return;
  }
  const { workspace, chatId, threadId } = conversation;
  const { sender } = intake.names.speaker(conversation, { ...writerOf(user, conversation), isPerson: true });
  const words = wordsFor(intake.host, sender);
  const view = formView(data.asks, { actionId: data.id, teamId: workspace.teamId, chatId, threadId, ts }, words);
  intake.background.run('a form could not be opened', async () => {
    try {
      await workspace.api.call('views.open', { trigger_id: triggerId, view });
    } catch (error) {
      showNotice(intake.notices, { conversation, user: user.id, markdown: words.formNotOpened });
      throw error;
    }
  });
}

async function store(
  action: Pick<InboundAction, 'key' | 'actionId' | 'text'>,
  { conversation, user, ts }: Interaction,
  { names, host }: PressContext,
): Promise<Told> {
  const speaker = await names.speakerAt(conversation, writerOf(user, conversation), user.name ?? user.username);
  const messageRef = ts === undefined ? undefined : { id: ts };
  const { notice } = await host.receive({ type: 'action', ...action, messageRef, ...speaker });
  return { notice, sender: speaker.sender };
}

function writerOf({ id, team_id }: z.output<typeof person>, { workspace }: SlackConversation): Writer {
  return { id, teamId: team_id ?? workspace.teamId };
}

/** The modal that asks for a text of at most 500 characters. */
function formView(asks: string, form: z.output<typeof formShape>, words: SlackWords): object {
  return formViewOf(asks, { callbackId: 'ask', metadata: form, longest: longestText }, words);
}

interface FormOptions {
  readonly callbackId: string;
  /** At most 3,000 characters as JSON. */
  readonly metadata: object;
  /** In characters. Default: Slack's limit. */
  readonly longest?: number;
  readonly isOptional?: true;
}

/** A modal that asks for one text. */
export function formViewOf(
  asks: string,
  { callbackId, metadata, longest = 3_000, isOptional }: FormOptions,
  words: SlackWords,
): object {
  const plain = (text: string): object => ({ type: 'plain_text', text });
  const element = { type: 'plain_text_input', action_id: 'text', multiline: true, max_length: longest };
  return {
    type: 'modal',
    callback_id: callbackId,
    private_metadata: JSON.stringify(metadata),
    title: plain('Keyturn'),
    submit: plain(words.buttonSend),
    close: plain(words.buttonCancel),
    blocks: [{ type: 'input', block_id: 'answer', label: plain(asks), element, optional: isOptional }],
  };
}
