import type { ChannelHost, OutboundMessage, Sender } from '../../src/contract.ts';
import type { Background } from '../../src/lib/background.ts';
import type { Remembered } from '../../src/lib/remembered.ts';
import { splitMarkdown } from '../../src/lib/split/split.ts';
import type { InLanguage } from '../../src/lib/words.ts';
import { onRefusal } from '../kit/request-failure.ts';
import { bestEffort } from '../kit/retries.ts';
import { kitWords } from '../kit/words.ts';
import { absence, readStatus, type SlackApi, toChannelError } from './api.ts';
import { contentOf, longestMarkdown, measureMarkdown, orPlain } from './content.ts';
import { type SlackWords, slackWords, wordsFor } from './words.ts';
import type { SlackConversation } from './workspaces.ts';

/** Response URLs by `privateTo`: valid for 30 minutes and five answers, also where the bot is not a member. */
export type ResponseUrls = Remembered<string, string>;

/** The `privateTo` of a slash command: who gave it, and a unique id. */
export function commandKey(userId: string, once: string): string {
  return `${userId}:${once}`;
}

/** The only recipient of a private message, if it is one. */
export function commanderOf(privateTo: string | undefined): string | undefined {
  return privateTo?.split(':')[0];
}

type PrivateApi = Pick<SlackApi, 'call' | 'post'>;

/**
 * Shows a message to one person alone, where the bot is not a member at the response URL. `where`: Slack's parameters.
 * Throws `ChannelError`.
 */
export async function showPrivately(
  api: PrivateApi,
  where: Readonly<Record<string, unknown>>,
  message: OutboundMessage,
  responseUrl: string | undefined,
): Promise<void> {
  const shown = orPlain(message, (content) => api.call('chat.postEphemeral', { ...where, ...content }));
  if (responseUrl === undefined) await shown;
  else await shown.catch(onRefusal(absence, () => respond(api, responseUrl, message)));
}

const answering: InLanguage = (language) => kitWords[language].answeringCommand;

async function respond(api: PrivateApi, url: string, message: OutboundMessage): Promise<void> {
  const body = JSON.stringify({ ...contentOf(message), response_type: 'ephemeral', replace_original: false });
  const status = await api.post(answering, url, { type: 'application/json', body }, { repeatable: false });
  if (status === 200) return;
  if (status >= 400 && status < 500 && status !== 429)
    throw toChannelError(answering, { fault: { type: 'permanent' }, words: tooLate(status) }, false);
  throw toChannelError(answering, readStatus(status), false);
}

function tooLate(status: number): InLanguage {
  return (language) => slackWords[language].tooLate({ status });
}

/** Where notices are shown from. */
export interface NoticeContext {
  readonly background: Background;
  readonly host: Pick<ChannelHost, 'log' | 'languageFor'>;
}

interface Notice {
  readonly conversation: SlackConversation;
  /** The person who sees it. */
  readonly user: string;
  /** The same, if it is known what they read. */
  readonly sender?: Sender | undefined;
  readonly markdown: string;
  readonly responseUrl?: string | undefined;
}

/** What the last line needs, if there is more. In characters. */
const noteRoom = 100;

/** As much of the markdown as one message holds. */
function fitting(markdown: string, words: SlackWords): string {
  const whole = markdown.slice(0, 2 * longestMarkdown);
  const maxLength = longestMarkdown - noteRoom;
  const [first = '', ...others] = splitMarkdown(whole, { maxLength, measure: measureMarkdown });
  const isCut = others.length > 0 || whole.length < markdown.length;
  return isCut ? `${first}\n\n${words.restNotShown}` : markdown;
}

/** Shows a notice to one person alone, best effort and in the background. What is too long is cut. */
export function showNotice(
  { background, host }: NoticeContext,
  { conversation, user, sender, markdown, responseUrl }: Notice,
): void {
  const where = { channel: conversation.chatId, user, thread_ts: conversation.shownIn };
  const notice = { id: 'notice', kind: 'notice', markdown: fitting(markdown, wordsFor(host, sender)) } as const;
  const show = () => showPrivately(conversation.workspace.api, where, notice, responseUrl);
  background.run('a notice for one person could not be shown', () =>
    bestEffort(show, { log: host.log, failure: 'a notice for one person could not be shown' }),
  );
}
