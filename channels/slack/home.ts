import { z } from 'zod';
import type { RoomEntry, Sender } from '../../src/contract.ts';
import { isJsonObject, parseJson } from '../../src/lib/json.ts';
import { type Parse, readMarkdown } from '../../src/lib/markdown-parser.ts';
import { shortened } from '../../src/lib/plain-text.ts';
import { splitMarkdown } from '../../src/lib/split/split.ts';
import { onRefusal } from '../kit/request-failure.ts';
import { bestEffort } from '../kit/retries.ts';
import { type Block, rowsOf } from './content.ts';
import { neutral } from './neutral.ts';
import type { Writer } from './people.ts';
import { id } from './posts.ts';
import { type PressContext, takeHomePresses } from './presses.ts';
import { richText } from './rich-text.ts';
import { type SlackWords, wordsFor } from './words.ts';
import { slackConversation, type Workspace } from './workspaces.ts';

/*
 * The app's Home: a page for each person, with what waits for them and what they have allowed. It is published when they open it,
 * and again after each of their presses there.
 */

/** A person has opened the app. */
const openedShape = z.object({ user: id, channel: id, tab: z.string().nullish() });

/** What Slack gives back with each press: the person's direct chat. */
const metadataShape = z
  .string()
  .transform(parseJson)
  .pipe(z.object({ chatId: id }));

const pressedShape = z.object({
  user: z.object({ id, team_id: id.nullish() }),
  view: z.object({ private_metadata: metadataShape }),
});

export interface HomeContext extends PressContext {
  readonly parse: Parse;
  /** Teams whose app has no Home: their log has been told. */
  readonly homeless: Set<string>;
}

/** Publishes the page of who opens it, in the background. */
export function takeHomeOpened(event: unknown, workspace: Workspace, intake: HomeContext): string | undefined {
  const { data } = openedShape.safeParse(event);
  if (data?.tab !== 'home') return 'only the Home shows anything';
  const page = { workspace, chatId: data.channel, writer: { id: data.user, teamId: workspace.teamId } };
  intake.background.run(failure, () => publish(page, intake));
  return undefined;
}

export function isHomePress({ view }: Readonly<Record<string, unknown>>): boolean {
  return isJsonObject(view) && view.type === 'home';
}

/** A press there is one in the person's direct chat. What it is answered with stands above the page, which is published again. */
export async function takeHomePress(
  body: unknown,
  workspace: Workspace,
  intake: HomeContext,
): Promise<string | undefined> {
  const { data } = pressedShape.safeParse(body);
  if (data === undefined) return 'it is not a press in a Home of ours';
  const { user, view } = data;
  const { chatId } = view.private_metadata;
  const notices = await takeHomePresses(body, slackConversation(workspace, chatId, undefined), intake);
  if (notices === undefined) return 'the button is not ours';
  const page = { workspace, chatId, writer: { id: user.id, teamId: user.team_id ?? workspace.teamId } };
  intake.background.run(failure, () => publish({ ...page, notices }, intake));
  return undefined;
}

const failure = 'the Home of a person could not be shown';

interface Page {
  readonly workspace: Workspace;
  readonly chatId: string;
  readonly writer: Writer;
  /** What the person is told above it. */
  readonly notices?: readonly string[];
}

async function publish({ notices = [], ...page }: Page, intake: HomeContext): Promise<void> {
  const { host, names, homeless } = intake;
  const { workspace, chatId, writer } = page;
  if (host.waitingRoom === undefined || homeless.has(workspace.teamId)) return;
  const { sender } = await names.speakerAt(slackConversation(workspace, chatId, undefined), writer);
  const content = { entries: await host.waitingRoom(sender), notices, sender };
  const shown = () =>
    show(pageOf(content, 'rich', intake), page)
      .catch(onRefusal(/^invalid_/, () => show(pageOf(content, 'plain', intake), page)))
      .catch(onRefusal(/^(?:not_enabled|missing_scope|unknown_method)$/, () => noteNoHome(page, intake)));
  await bestEffort(shown, { log: host.log, failure });
}

async function show(blocks: readonly Block[], { workspace, chatId, writer }: Page): Promise<void> {
  const view = { type: 'home', private_metadata: JSON.stringify({ chatId }), blocks };
  await workspace.api.call('views.publish', { user_id: writer.id, view }, { repeatable: true });
}

function noteNoHome({ workspace: { teamId } }: Page, { homeless, host }: HomeContext): void {
  homeless.add(teamId);
  host.log.info({ team: teamId }, wordsFor(host).homeOff);
}

/** Slack takes 100. The last one may say that there is more. */
const mostBlocks = 99;
/** Of an entry, in characters. */
const longestEntry = 2_900;

type Form = 'rich' | 'plain';

interface Content {
  readonly entries: readonly RoomEntry[];
  readonly notices: readonly string[];
  readonly sender: Sender;
}

function pageOf({ entries, notices, sender }: Content, form: Form, { host, parse }: HomeContext): readonly Block[] {
  const words = wordsFor(host, sender);
  const told = notices.length > 0 ? [...notices.map((notice) => textBlock(notice, form, parse)), divider] : [];
  if (entries.length === 0) return [...told, textBlock(words.nothingWaits, form, parse)];
  const blocks: Block[] = [...told];
  for (const [index, { markdown, buttons }] of entries.entries()) {
    const entry = [textBlock(markdown, form, parse), ...rowsOf(buttons.length > 0 ? [buttons] : []), divider];
    if (blocks.length + entry.length > mostBlocks) return [...blocks, more(entries.length - index, words)];
    blocks.push(...entry);
  }
  return blocks.slice(0, -1);
}

const divider: Block = { type: 'divider' };

function more(count: number, words: SlackWords): Block {
  return { type: 'section', text: { type: 'plain_text', text: words.moreWaits({ count }), emoji: false } };
}

/** Slack has no blocks of markdown there. */
function textBlock(markdown: string, form: Form, parse: Parse): Block {
  const [first = '', ...others] = splitMarkdown(markdown, { maxLength: longestEntry, measure: ({ length }) => length });
  const text = others.length > 0 ? `${first}\n\n…` : first;
  const elements = form === 'rich' ? richText(readMarkdown(text, parse)) : [];
  if (elements.length > 0) return { type: 'rich_text', elements };
  const plain = neutral(shortened(text.trim() === '' ? '…' : text, longestEntry));
  return { type: 'section', text: { type: 'plain_text', text: plain, emoji: false } };
}
