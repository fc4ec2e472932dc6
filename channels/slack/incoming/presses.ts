import type { ChannelHost, InboundAction } from '../../../src/contract.ts';
import type { Background } from '../../../src/lib/background.ts';
import type { EphemeralNotices } from '../outgoing/ephemeral-notices.ts';
import type { Workspace, Workspaces } from '../workspaces.ts';
import { personSender } from './author.ts';
import { type Form, formView, readAsk, readForm, readSubmitted } from './form.ts';
import type { Names } from './names.ts';
import { pressShape, type SlackButton, type SlackPress, submissionShape } from './payload.ts';
import { conversationAt, isDirect, type Place, placeIn } from './place.ts';

export interface PressesDependencies {
  readonly host: ChannelHost;
  readonly workspaces: Workspaces;
  readonly names: Names;
  readonly notices: EphemeralNotices;
  readonly background: Background;
}

/** Somebody who has pressed or sent something, where. */
interface Deed {
  readonly place: Place;
  readonly user: SlackPress['user'];
  /** Where he can be answered, also if he is not in the chat. */
  readonly responseUrl?: string;
}

const notOpenedWords = 'Slack did not let me ask you for that just now. Press the button once more.';

/** Brings presses of buttons to the host, and what people write into the forms that some of these open. */
export class Presses {
  readonly #dependencies: PressesDependencies;

  constructor(dependencies: PressesDependencies) {
    this.#dependencies = dependencies;
  }

  /** Resolves once they are stored, or with the reason why there is nothing to store. */
  async take(body: unknown, workspace: Workspace): Promise<string | undefined> {
    const { data } = pressShape.safeParse(body);
    const place = data && placeOfPress(data, workspace);
    if (data === undefined || place === undefined) return 'it is not a press below a message';
    const { user, response_url: responseUrl } = data;
    const deed = { place, user, ...(responseUrl === undefined ? {} : { responseUrl }) };
    const ours = data.actions.filter(({ action_id }) => /^(?:press|ask):/.test(action_id));
    if (ours.length === 0) return 'the button is not ours';
    await Promise.all(ours.map((button) => this.#press(button, deed, data.trigger_id)));
    return undefined;
  }

  /** The same for a form that was filled in. */
  async takeForm(body: unknown): Promise<string | undefined> {
    const { data } = submissionShape.safeParse(body);
    const form = data && readForm(data.view);
    if (data === undefined || form === undefined) return 'the form is not ours';
    const { workspaces } = this.#dependencies;
    const workspace = workspaces.find(form.teamId);
    // The form stays open, and can be sent again.
    if (workspace === undefined && workspaces.isIncomplete) throw new Error('Its workspace is not known yet.');
    if (workspace === undefined) return 'the form is from no workspace of ours';
    const { view, user } = data;
    const place = placeIn(workspace, form.chatId, form.threadId);
    const action = { key: `view:${view.id}`, actionId: form.actionId, text: readSubmitted(view) };
    await this.#store(action, { place, user });
    return undefined;
  }

  async #press(button: SlackButton, deed: Deed, triggerId: string | undefined): Promise<void> {
    const { action_id, action_ts, value } = button;
    if (action_id.startsWith('ask:')) return this.#ask(value, deed, triggerId);
    const { place, user } = deed;
    const key = `press:${place.workspace.teamId}:${place.chatId}:${user.id}:${action_ts}:${action_id}`;
    await this.#store({ key, actionId: value }, deed);
  }

  /** Slack allows three seconds for it, so nothing else comes before. */
  #ask(value: string, { place, user }: Deed, triggerId: string | undefined): void {
    const { background, notices, host } = this.#dependencies;
    const ask = readAsk(value);
    if (ask === undefined || triggerId === undefined) {
      host.log.debug({ chatId: place.chatId }, 'a button asks for nothing that can be asked');
      return;
    }
    const { workspace, chatId, threadId } = place;
    const form: Form = {
      actionId: ask.id,
      teamId: workspace.teamId,
      chatId,
      ...(threadId !== undefined && { threadId }),
    };
    const view = formView(ask.asks, form);
    background.run('a form could not be opened', async () => {
      try {
        await workspace.api.call('views.open', { trigger_id: triggerId, view });
      } catch (error) {
        notices.show(place, user.id, notOpenedWords);
        throw error;
      }
    });
  }

  async #store(
    action: Pick<InboundAction, 'key' | 'actionId' | 'text'>,
    { place, user, responseUrl }: Deed,
  ): Promise<void> {
    const { host, names, notices } = this.#dependencies;
    const { workspace, chatId } = place;
    await names.learn(workspace, { users: [user.id], chats: isDirect(chatId) ? [] : [chatId] });
    const name = names.find(workspace, user.id) ?? user.name ?? user.username ?? user.id;
    const sender = personSender(user.team_id ?? workspace.teamId, user.id, name);
    const conversation = conversationAt(place, names.titleOf(place, sender.name));
    const { notice } = await host.receive({ type: 'action', ...action, conversation, sender });
    notices.show(place, user.id, notice, responseUrl);
  }
}

/** A card that has answers is the root of a thread, and stands where it stood before. */
function placeOfPress({ channel, container, message }: SlackPress, workspace: Workspace): Place | undefined {
  const chatId = channel?.id ?? container?.channel_id;
  const ts = container?.message_ts ?? message?.ts;
  if (chatId === undefined || ts === undefined) return undefined;
  const thread = message?.thread_ts ?? container?.thread_ts ?? undefined;
  return placeIn(workspace, chatId, thread === ts ? undefined : thread);
}
