import { type ApprovalSettings, modePermits, policyReason, sourceWords, stricter } from '../../../approval/verdict.ts';
import { approvalSettingsOf } from '../../../config/tool-rules.ts';
import type { ChannelAdapter } from '../../../contract.ts';
import type { HeldChat } from '../../../engine/feature.ts';
import type { Origin } from '../../../engine/message.ts';
import { proxyWords } from '../../../lib/network/proxy-settings.ts';
import { escapeMarkdown, inlineCode, nameCode, oneLine } from '../../../lib/plain-text.ts';
import { clockTime, durationWords, type Reader } from '../../../lib/time-words.ts';
import { type Language, type Words, wordsIn } from '../../../lib/words.ts';
import { type ListAnswer, leadingButton } from '../../../words/command-buttons.ts';
import { chatKey, modelIn } from '../../access/chat-settings.ts';
import type { ConversationCore } from '../../conversation-core.ts';
import type { ChannelState } from '../../health/health-board.ts';
import { abilityWords } from '../model/ability-words.ts';
import { lineOfPage, numbered, pageNumber, pageOf, rowsOfPage } from '../pages.ts';
import { commandWords } from '../words.ts';
import type { ReportParts } from './report-parts.ts';
import { matterRows, waitingMatters } from './waiting-room.ts';
import { statusWords } from './words.ts';

/** `/status` shows the waiting room below a line of health, `/status 2` more of it, and `/status details` all. */
const detailsWord = 'details';

/** So many matters have room for their buttons. */
const mattersOfPage = 8;

/** The answer to `/status`. `upSince`: when this process began. */
export async function statusReport(
  origin: Origin,
  { upSince, argument }: { readonly upSince: number; readonly argument: string },
  parts: ReportParts,
): Promise<ListAnswer> {
  const reader = parts.readers.forAnswer(origin);
  const words = statusWords[reader.language];
  const isWhole = argument.toLowerCase() === detailsWord;
  const matters = await waitingMatters(origin, parts);
  const page = pageOf(matters, pageNumber(argument), isWhole ? Math.max(1, matters.length) : mattersOfPage);
  const lines = page.entries.map(([number, { markdown }]) => numbered(number, markdown));
  const markdown = [
    await healthLine(origin, upSince, parts),
    isWhole ? await details(origin, reader, parts) : [],
    await warnings(origin, { reader, isWhole }, parts),
    words.waiting({ lines }),
    isWhole ? await parts.more(origin) : [],
  ];
  const command = 'status';
  const lead = isWhole
    ? leadingButton(commandWords[reader.language].buttonBack, command)
    : leadingButton(words.buttonDetails, `${command} ${detailsWord}`);
  return {
    markdown: markdown.flat().join('\n\n'),
    again: isWhole ? `${command} ${detailsWord}` : lineOfPage(command, page),
    rows: isWhole ? [[lead]] : [...matterRows(page), ...rowsOfPage([], { ...page, command }, reader.language, [lead])],
  };
}

/** How long it runs, which model answers, and which channels are connected: one line. */
async function healthLine(origin: Origin, upSince: number, parts: ReportParts): Promise<string> {
  const reader = parts.readers.forAnswer(origin);
  const connected = channelsFor(origin, parts).filter(({ health }) => health.status === 'connected');
  return statusWords[reader.language].health({
    duration: durationWords(parts.clock.now() - upSince, reader.language),
    isWorking: parts.queue.isBusy(origin.conversationId),
    model: escapeMarkdown(await modelState(origin, reader, parts)),
    connected: connected.map(({ name }) => name),
  });
}

/** An owner sees all channels, others only theirs. */
function channelsFor({ conversation, principal }: Origin, { health, owners }: ReportParts): readonly ChannelState[] {
  return health.all().filter(({ name }) => owners.isOwner(principal) || name === conversation.channel);
}

/** What is wrong, and what the conversation has read. */
async function warnings(
  origin: Origin,
  { reader, isWhole }: { readonly reader: Reader; readonly isWhole: boolean },
  parts: ReportParts,
): Promise<readonly string[]> {
  const { language } = reader;
  const words = statusWords[language];
  const now = parts.clock.now();
  const labels = await parts.inbox.labelsOf(origin.conversationId);
  const down = channelsFor(origin, parts).filter(({ health }) => health.status !== 'connected');
  const troubles = parts.owners.isOwner(origin.principal) ? parts.troubles() : [];
  return [
    ...(labels.tainted
      ? [words.taint({ sources: sourceWords(labels.sources, language), isPrivate: labels.private })]
      : []),
    ...(isWhole || down.length === 0
      ? []
      : [down.map((one) => `⚠️ ${channelLine(one, parts.adapters.get(one.name), now, reader)}`).join('\n')]),
    ...(await unheard(origin, reader, parts)),
    ...(await parts.faults(origin)),
    ...troubles.map((trouble) => troubleWords(trouble, reader)),
  ];
}

/** Where bots are not heard: for owners. */
async function unheard({ principal }: Origin, { language }: Reader, parts: ReportParts): Promise<readonly string[]> {
  if (!parts.owners.isOwner(principal)) return [];
  const places = await parts.people.unheardPrograms();
  const named = places.map(({ title, conversationId, channel }) => `${nameCode(title ?? conversationId)} (${channel})`);
  return named.length === 0 ? [] : [statusWords[language].programsUnheard({ places: named })];
}

async function details(origin: Origin, reader: Reader, parts: ReportParts): Promise<readonly string[]> {
  const now = parts.clock.now();
  // Details of the machine are for owners.
  const machine = parts.owners.isOwner(origin.principal) ? machineLines(origin, reader, parts) : [];
  const lines = channelsFor(origin, parts).map(
    (one) => `- ${channelLine(one, parts.adapters.get(one.name), now, reader)}`,
  );
  return [
    [...(await settingLines(origin, reader, parts)), ...machine].join('\n'),
    statusWords[reader.language].channels({ lines }),
  ];
}

function troubleWords(trouble: Words, { language }: Reader): string {
  return `⚠️ ${escapeMarkdown(oneLine(wordsIn(language, trouble), 700))}`;
}

/** The model, what the config says of the chat, and the rules of approval. */
async function settingLines(
  { conversation, conversationId }: Origin,
  reader: Reader,
  parts: ReportParts,
): Promise<readonly string[]> {
  const words = statusWords[reader.language];
  const chat = parts.chats.of(conversation);
  const { mode, policy } = settingsIn(chat, parts.config);
  const choice = modelIn(conversation, await parts.inbox.modelOf(conversationId), parts);
  const known = abilityWords(parts.models.of(choice?.name), reader.language);
  return [
    words.modelLine({ model: escapeMarkdown(await modelState({ conversation, conversationId }, reader, parts)) }),
    ...(chat === undefined ? [] : [chatLine(chat, reader.language)]),
    ...(known === '' ? [] : [`  - ${escapeMarkdown(known)}`]),
    words.modeLine({ mode, policy }),
  ];
}

/** The model that answers there, and how its last request ended: plain text. */
async function modelState(
  { conversation, conversationId }: Pick<Origin, 'conversation' | 'conversationId'>,
  reader: Reader,
  parts: ReportParts,
): Promise<string> {
  const choice = modelIn(conversation, await parts.inbox.modelOf(conversationId), parts);
  const { answeredAt, fault } = parts.models.stateOf(choice?.name);
  return statusWords[reader.language].model({
    label: parts.models.of(choice?.name).label,
    chosenBy: choice?.by,
    fault: fault && { since: clockTime(fault.since, reader), words: oneLine(fault.wordsIn(reader.language), 400) },
    answered: fault !== undefined || answeredAt === undefined ? undefined : clockTime(answeredAt, reader),
  });
}

/** The rules of approval in a chat. */
export function settingsIn(chat: HeldChat | undefined, config: ReportParts['config']): ApprovalSettings {
  const settings = approvalSettingsOf(config);
  return { ...settings, mode: stricter(settings.mode, chat?.mode) };
}

/** What the config says of the chat; not its words. */
function chatLine(chat: HeldChat, language: Language): string {
  const has = [
    ...(chat.prompt === '' ? [] : ['instructions' as const]),
    ...(chat.model === undefined ? [] : ['model' as const]),
  ];
  const agent = chat.agent && { ...chat.agent, name: inlineCode(chat.agent.name) };
  return statusWords[language].chatLine({ key: chatKey(chat), agent, has });
}

function machineLines(
  { conversation, principal }: Origin,
  { language }: Reader,
  parts: ReportParts,
): readonly string[] {
  const words = statusWords[language];
  const proxies = proxyWords(parts.network.settings, language);
  return [
    ...(proxies === undefined ? [] : [words.proxyLine({ proxy: escapeMarkdown(proxies) })]),
    words.shellLine({ bounds: escapeMarkdown(boundsWords(parts, language)) }),
    words.workspaceLine({ folder: inlineCode(parts.workspaceOf(conversation, principal)) }),
  ];
}

/** What confines shell commands, in one line of plain text. */
export function boundsWords(
  { config, sandbox }: Pick<ConversationCore, 'config' | 'sandbox'>,
  language: Language,
): string {
  const words = statusWords[language];
  const settings = approvalSettingsOf(config);
  if (!modePermits(settings.mode, 'shell')) return words.modeForbids(settings);
  if (sandbox.holds) return words.inSandbox;
  const reason = wordsIn(language, sandbox.reason);
  if (config.tools.shell.sandbox === 'required') return words.sandboxMissing({ reason });
  const outlives = sandbox.wrapper === undefined;
  return words.noSandbox({ reason, asks: asksWithout(settings), outlives });
}

/** As `judge` decides for a call that nothing confines. */
function asksWithout(settings: ApprovalSettings): boolean {
  if (settings.mode === 'autonomous') return settings.policy !== 'always_allow';
  return policyReason(settings, 'shell', 'shell') !== undefined;
}

function channelLine(
  { name, health, since, heardAt, retryAt }: ChannelState,
  adapter: ChannelAdapter | undefined,
  now: number,
  { language }: Reader,
): string {
  const words = statusWords[language];
  const { status } = health;
  const saysAgain = status === 'connected' && adapter?.capabilities.heartbeat !== undefined;
  const isRetried = status === 'dead' && retryAt !== undefined;
  const state = words.channelState({
    status,
    reason: 'reason' in health ? escapeMarkdown(wordsIn(language, health.reason)) : undefined,
    account: 'account' in health && health.account !== undefined ? escapeMarkdown(health.account) : undefined,
    isOff: retryAt === undefined,
  });
  return words.channelLine({
    name,
    state,
    duration: durationWords(now - since, language),
    heard: saysAgain ? durationWords(now - heardAt, language) : undefined,
    again: isRetried ? durationWords(Math.max(0, retryAt - now), language) : undefined,
  });
}
