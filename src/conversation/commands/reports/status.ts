import type { Approval } from '../../../approval/approval.ts';
import { describeApproval } from '../../../approval/cards.ts';
import { type ApprovalSettings, modePermits, policyReason, sourceWords, stricter } from '../../../approval/verdict.ts';
import { approvalSettingsOf } from '../../../config/tool-rules.ts';
import type { Button, ChannelAdapter } from '../../../contract.ts';
import type { HeldChat } from '../../../engine/feature.ts';
import type { Origin } from '../../../engine/message.ts';
import { proxyWords } from '../../../lib/network/proxy-settings.ts';
import { escapeMarkdown, inlineCode, oneLine } from '../../../lib/plain-text.ts';
import { clockTime, durationWords, type Reader } from '../../../lib/time-words.ts';
import { type Language, type Words, wordsIn } from '../../../lib/words.ts';
import { listedButtons } from '../../../words/stub.ts';
import { stubWords } from '../../../words/words.ts';
import { chatKey, modelIn } from '../../access/chat-settings.ts';
import type { ConversationCore } from '../../conversation-core.ts';
import type { ChannelState } from '../../health/health-board.ts';
import { abilityWords } from '../model/ability-words.ts';
import type { ReportParts, UndeliveredMessage } from './report-parts.ts';
import { statusWords } from './words.ts';

/** Buttons retry and drop messages that were not delivered. */
export interface StatusReport {
  readonly markdown: string;
  readonly buttons: readonly (readonly Button[])[];
}

/** So many undelivered messages are listed, and so many have buttons: platforms take few rows. */
const mostListed = 10;
const mostButtons = 4;

/** The answer to `/status`. `upSince`: when this process began. */
export async function statusReport(origin: Origin, upSince: number, parts: ReportParts): Promise<StatusReport> {
  const { conversation, conversationId, principal } = origin;
  const reader = parts.readers.forAnswer(origin);
  const words = statusWords[reader.language];
  const now = parts.clock.now();
  // Details of the machine are for owners.
  const forOwner = parts.owners.isOwner(principal);
  const undelivered = (await parts.outbox.undeliveredMessages()).filter(
    (one) => forOwner || one.conversationId === conversationId,
  );
  const channels = parts.health.all().filter(({ name }) => forOwner || name === conversation.channel);
  const labels = await parts.inbox.labelsOf(conversationId);
  const isWorking = parts.queue.isBusy(conversationId);
  const asking = forOwner ? (await parts.people.codeHolders(now)).length : 0;
  const markdown = [
    words.up({ duration: durationWords(now - upSince, reader.language), isWorking }),
    [...(await settingLines(origin, reader, parts)), ...(forOwner ? machineLines(origin, reader, parts) : [])].join(
      '\n',
    ),
    labels.tainted
      ? words.taint({ sources: sourceWords(labels.sources, reader.language), isPrivate: labels.private })
      : [],
    words.channels({ lines: channels.map((one) => channelLine(one, parts.adapters.get(one.name), now, reader)) }),
    await waitingWords(origin, reader, parts),
    asking === 0 ? [] : words.strangersAsk({ count: asking }),
    await parts.more(origin),
    forOwner ? parts.troubles().map((trouble) => troubleWords(trouble, reader)) : [],
    undelivered.length === 0 ? [] : undeliveredWords(undelivered, parts.adapters, reader),
  ]
    .flat()
    .join('\n\n');
  // At a terminal, buttons are a question that takes what is typed next.
  const hasButtons = parts.adapters.get(conversation.channel)?.capabilities.history === true;
  const stubIds = hasButtons ? undelivered.flatMap(({ stubId }) => stubId ?? []) : [];
  return { markdown, buttons: listedButtons(stubIds.slice(0, mostButtons), reader.language) };
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
  const answering = parts.models.of(choice?.name);
  const { answeredAt, fault } = parts.models.stateOf(choice?.name);
  const known = abilityWords(answering, reader.language);
  const model = words.model({
    label: answering.label,
    chosenBy: choice?.by,
    fault: fault && { since: clockTime(fault.since, reader), words: oneLine(fault.wordsIn(reader.language), 400) },
    answered: fault !== undefined || answeredAt === undefined ? undefined : clockTime(answeredAt, reader),
  });
  return [
    words.modelLine({ model: escapeMarkdown(model) }),
    ...(chat === undefined ? [] : [chatLine(chat, reader.language)]),
    ...(known === '' ? [] : [`  - ${escapeMarkdown(known)}`]),
    words.modeLine({ mode, policy }),
  ];
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

/** What waits for a decision here and, for approvers, elsewhere. */
async function waitingWords(
  { conversation, conversationId, principal }: Origin,
  reader: Reader,
  parts: ReportParts,
): Promise<readonly string[]> {
  const words = statusWords[reader.language];
  const pending = await parts.approvals.pending();
  const here = pending.filter((one) => [one.conversationId, ...one.cardConversationIds].includes(conversationId));
  // In a group, others would read of it.
  const mayKnow = parts.isApprover(principal) && conversation.kind === 'direct';
  const elsewhere = pending.filter((one) => mayKnow && one.type !== 'question' && !here.includes(one));
  const waitingHere = words.waitingHere({ lines: here.map((one) => waitingLine(one, reader)) });
  if (elsewhere.length === 0) return [waitingHere];
  // It is decided where its card stands.
  const lines = elsewhere.slice(0, mostListed).map((one) => waitingLine(one, reader, one.cardConversationIds));
  return [waitingHere, words.waitingElsewhere({ lines, more: elsewhere.length - lines.length })];
}

/** `conversationIds`: where it was asked, if that is elsewhere. */
function waitingLine(approval: Approval, reader: Reader, conversationIds?: readonly string[]): string {
  const { id, shownAt, expiresAt } = approval;
  return statusWords[reader.language].waitingLine({
    id: inlineCode(id),
    what: describeApproval(approval, reader.language, 200),
    until: shownAt === undefined ? undefined : clockTime(expiresAt, reader),
    conversationIds: conversationIds?.map((conversationId) => inlineCode(conversationId)),
  });
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

function undeliveredWords(
  undelivered: readonly UndeliveredMessage[],
  running: ReportParts['adapters'],
  reader: Reader,
): string {
  const words = statusWords[reader.language];
  const lines = undelivered.slice(0, mostListed).map(({ stubId, kind, conversationId, channel, at, reason, fate }) =>
    words.undeliveredLine({
      what: stubWords[reader.language].kind(kind),
      time: clockTime(at, reader),
      conversationId: inlineCode(conversationId),
      fate: fate === 'retried' && !running.has(channel) ? 'off' : fate,
      channel,
      reason: reason === '' ? undefined : escapeMarkdown(oneLine(reason, 200)),
      commands: stubId === undefined ? [] : [inlineCode(`/retry ${stubId}`), inlineCode(`/drop ${stubId}`)],
    }),
  );
  return words.undelivered({ lines, more: undelivered.length - lines.length });
}
