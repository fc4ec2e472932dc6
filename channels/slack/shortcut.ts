import { z } from 'zod';
import type { InboundMessage } from '../../src/contract.ts';
import { isJsonObject, parseJson } from '../../src/lib/json.ts';
import type { Remembered } from '../../src/lib/remembered.ts';
import { optionalText } from '../kit/read-payload.ts';
import { bestEffort } from '../kit/retries.ts';
import { id, namesInRoot, postShape, quoteOf, type SlackPost, timestamp } from './posts.ts';
import { formViewOf, type PressContext } from './presses.ts';
import { showNotice } from './private-answers.ts';
import { wordsFor } from './words.ts';
import {
  conversationOfPost,
  isDirect,
  type SlackConversation,
  slackConversation,
  type Workspace,
} from './workspaces.ts';

/*
 * "Ask about this" in the menu of a message: a form asks what the person wants to know, and their question goes to the bot
 * with the message as somebody else's words. It is answered in the thread of the message where the bot may write there,
 * and in the person's direct chat elsewhere.
 */

/** As in the manifest. */
const shortcutId = 'ask_about_this';
/** The form's. */
const formId = 'about';

const person = z.object({ id, team_id: id.nullish(), name: optionalText, username: optionalText });

const shortcutShape = z.object({
  callback_id: z.literal(shortcutId),
  trigger_id: z.string().min(1).max(200),
  response_url: optionalText,
  user: person,
  channel: z.object({ id }),
  message: postShape,
});

/** The form's metadata. */
const aboutShape = z.object({ teamId: z.string().min(1), chatId: id, ts: timestamp, responseUrl: optionalText });
type About = z.output<typeof aboutShape>;

const submissionShape = z.object({
  user: person,
  view: z.object({
    id: z.string().min(1).max(100),
    callback_id: z.literal(formId),
    private_metadata: z.string().transform(parseJson).pipe(aboutShape),
    state: z.object({ values: z.unknown().optional() }),
  }),
});
const valuesShape = z.object({ answer: z.object({ text: z.object({ value: z.string().nullish() }) }) });

/** The messages that forms ask about, by place: a form that is open when Keyturn ends must be opened again. */
export type ChosenPosts = Remembered<string, SlackPost>;

interface ShortcutContext extends PressContext {
  readonly chosen: ChosenPosts;
}

/** Asks what the person wants to know. Slack allows three seconds for the form, which is opened in the background. */
export async function takeShortcut(
  body: unknown,
  workspace: Workspace,
  intake: ShortcutContext,
): Promise<string | undefined> {
  const { data } = shortcutShape.safeParse(body);
  if (data === undefined) return 'the shortcut is not ours';
  const { user, channel, message, trigger_id, response_url: responseUrl } = data;
  const about: About = { teamId: workspace.teamId, chatId: channel.id, ts: message.ts, responseUrl };
  intake.chosen.set(keyOf(about), message);
  const conversation = slackConversation(workspace, channel.id, undefined);
  const author = { id: user.id, teamId: user.team_id ?? workspace.teamId, isPerson: true };
  const { sender } = intake.names.speaker(conversation, author);
  const words = wordsFor(intake.host, sender);
  const view = formViewOf(words.askWhat, { callbackId: formId, metadata: about, isOptional: true }, words);
  intake.background.run('a form could not be opened', async () => {
    try {
      await workspace.api.call('views.open', { trigger_id, view });
    } catch (error) {
      const told = { conversation, user: user.id, sender, responseUrl };
      showNotice(intake.notices, { ...told, markdown: words.formNotOpened });
      throw error;
    }
  });
  return undefined;
}

/** Whether it is the filled-in form. */
export function isQuestion({ view }: Readonly<Record<string, unknown>>): boolean {
  return isJsonObject(view) && view.callback_id === formId;
}

/** Takes the filled-in form. */
export async function takeQuestion(body: unknown, intake: ShortcutContext): Promise<string | undefined> {
  const { data } = submissionShape.safeParse(body);
  if (data === undefined) return 'the form can not be read';
  const { view, user } = data;
  const about = view.private_metadata;
  const workspace = intake.workspaces.find(about.teamId);
  // The form stays open, and can be submitted again.
  if (workspace === undefined && intake.workspaces.isIncomplete) throw new Error('Its workspace is not known yet.');
  if (workspace === undefined) return 'the form is from no workspace of ours';
  const typed = valuesShape.safeParse(view.state.values).data?.answer.text.value ?? '';
  const question = { key: `about:${view.id}`, text: typed.slice(0, longestQuestion), user, about };
  await hand(question, workspace, intake);
  return undefined;
}

const longestQuestion = 3_000;

interface Question {
  readonly key: string;
  readonly text: string;
  readonly user: z.output<typeof person>;
  readonly about: About;
}

async function hand(
  { key, text, user, about }: Question,
  workspace: Workspace,
  intake: ShortcutContext,
): Promise<void> {
  const { host, names, notices } = intake;
  const { chatId, responseUrl } = about;
  const writer = { id: user.id, teamId: user.team_id ?? workspace.teamId };
  const standing = slackConversation(workspace, chatId, undefined);
  const post = intake.chosen.get(keyOf(about));
  // Slack waits three seconds for all of it.
  const [{ sender }, place] = await Promise.all([
    names.speakerAt(standing, writer, user.name ?? user.username),
    post && placeToAnswer(post, chatId, user.id, { workspace, log: host.log }),
    post && names.learn(workspace, namesInRoot(post)),
  ]);
  const words = wordsFor(host, sender);
  const tell = (markdown: string): void =>
    showNotice(notices, { conversation: standing, user: user.id, sender, markdown, responseUrl });
  if (post === undefined) return tell(words.chooseAgain);
  if (place === undefined) return tell(words.noPlaceToAnswer);
  const { conversation } = names.speaker(place, { ...writer, isPerson: true }, sender.name);
  const { attachments = [], messageKey: _key, ...said } = quoteOf(post, standing, names) ?? nothingSaid;
  const message: InboundMessage = {
    type: 'message',
    key,
    conversation,
    sender,
    text: text.trim() || words.askAboutIt,
    shared: [{ how: 'forwarded', ...said }],
    attachments: attachments.length > 0 ? attachments.map((file) => ({ ...file, isShared: true })) : undefined,
    addressed: true,
    sentAt: host.clock.now(),
    messageId: place.chatId === chatId ? post.ts : undefined,
  };
  const { notice } = await host.receive(message);
  if (notice !== undefined) tell(notice);
  else if (place.chatId !== chatId) tell(words.answersDirectly);
}

const nothingSaid = { name: '', text: '', isOwn: false, attachments: undefined, messageKey: undefined };

function keyOf({ teamId, chatId, ts }: About): string {
  return `${teamId}/${chatId}/${ts}`;
}

/** The thread of the message where the bot is, the person's direct chat elsewhere; undefined if that cannot be opened. */
async function placeToAnswer(
  post: SlackPost,
  chatId: string,
  user: string,
  { workspace, log }: { readonly workspace: Workspace; readonly log: PressContext['host']['log'] },
): Promise<SlackConversation | undefined> {
  const { api } = workspace;
  const failure = 'it could not be found out where a question can be answered';
  const looking = () => api.call('conversations.info', { channel: chatId }, { repeatable: true });
  const { channel } = (await bestEffort(looking, { log, failure, fields: { chatId } })) ?? {};
  if (isJsonObject(channel) && isAmong(channel, user)) return conversationOfPost(workspace, chatId, post);
  const opening = () => api.call('conversations.open', { users: user }, { repeatable: true });
  const opened = await bestEffort(opening, { log, failure });
  const direct = isJsonObject(opened?.channel) ? id.safeParse(opened.channel.id).data : undefined;
  return direct !== undefined && isDirect(direct) ? slackConversation(workspace, direct, undefined) : undefined;
}

/** Whether the bot is there. Slack shows public channels from outside, too, and tells of no other direct chat. */
function isAmong({ is_im, is_mpim, is_member, is_archived, user }: Readonly<Record<string, unknown>>, person: string) {
  if (is_archived === true) return false;
  return is_im === true ? user === person : is_member === true || is_mpim === true;
}
