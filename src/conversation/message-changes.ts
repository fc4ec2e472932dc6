import { type ChannelAdapter, ChannelError, type Conversation, type MessageRef } from '../contract.ts';
import { backOff, sleep } from '../lib/clock.ts';
import type { ChangeFate, ChangingCall, MessageChanges, WhyNotEdited } from '../tools/message-changes.ts';
import { changedPartsOf } from '../words/message-parts.ts';
import type { ConversationCore } from './conversation-core.ts';
import type { Marks, ReactableMessage } from './live/message-marks.ts';

/** The newest answer of the bot in a conversation, whether people have seen it or not. */
export interface NewestAnswer {
  readonly id: string;
  readonly conversation: Conversation;
  readonly createdAt: number;
  readonly refs: readonly MessageRef[];
  readonly state: 'queued' | 'delivered' | 'failed' | 'abandoned';
  /** It broke off. */
  readonly isInterrupted: boolean;
  /** One person alone sees it. */
  readonly isPrivate: boolean;
  readonly hasFiles: boolean;
  /** The person in whose run it was given. Not exactly one: that is not known. */
  readonly givenTo: readonly string[];
}

/** What of the store these changes read and write. */
export interface ChangeableMessages {
  /** The newest message of the call's person in its conversation, among those that the model had read. */
  newestRead(callId: string): Promise<ReactableMessage | undefined>;
  newestAnswer(conversationId: string): Promise<NewestAnswer | undefined>;
  /** People read this text of it now. */
  answerEdited(messageId: string, markdown: string): Promise<void>;
}

interface ChangesParts extends Pick<ConversationCore, 'adapters' | 'clock' | 'redact'> {
  readonly messages: ChangeableMessages;
  readonly marks: Pick<Marks, 'react'>;
  /** The names of the chat commands. */
  readonly commands: ReadonlySet<string>;
}

/** The longest that any platform lets a bot edit its message, in ms. */
const editableFor = 48 * 3_600_000;

/** A platform that asks to wait is asked so often, with pauses of at most so many ms. */
const mostTries = 3;
const longestPause = 5_000;

/**
 * Changes messages on their platform, and notes afterwards what people read. A process that is killed in between does the
 * same again with its call.
 */
export function createMessageChanges(parts: ChangesParts): MessageChanges {
  return {
    react: (emoji, call, signal) => react({ emoji, call, signal }, parts),
    edit: (markdown, call, signal) => edit({ markdown, call, signal }, parts),
  };
}

interface Asking {
  readonly call: ChangingCall;
  readonly signal: AbortSignal;
}

async function react(
  { emoji, call, signal }: Asking & { readonly emoji: string },
  parts: ChangesParts,
): Promise<ChangeFate> {
  const { adapters, messages, marks } = parts;
  if (adapters.get(call.channel)?.react === undefined) return { type: 'unable' };
  const message = await messages.newestRead(call.callId);
  if (message === undefined) return { type: 'none' };
  return tried(async () => ({ type: 'done', reaction: await marks.react(call.conversationId, message, emoji) }), {
    ...parts,
    signal,
  });
}

async function edit(
  { markdown, call, signal }: Asking & { readonly markdown: string },
  parts: ChangesParts,
): Promise<ChangeFate> {
  const { adapters, messages, clock, redact } = parts;
  const adapter = adapters.get(call.channel);
  if (adapter?.edit === undefined || !adapter.capabilities.history) return { type: 'unable' };
  // Never an older one: the person means what they read last, or wait for.
  const answer = await messages.newestAnswer(call.conversationId);
  if (answer === undefined || answer.createdAt < clock.now() - editableFor) return { type: 'none' };
  const why = whyNotEdited(answer, call);
  if (why !== undefined) return { type: 'not-editable', why };
  const [ref] = answer.refs;
  if (ref === undefined) return { type: 'none' };
  const text = redact(markdown);
  const [part, ...more] = partsWith(text, answer, adapter, parts);
  if (part === undefined || more.length > 0) return { type: 'too-long' };
  const fate = await tried(
    async () => {
      await adapter.edit?.(answer.conversation, ref, part.message);
      return { type: 'done' };
    },
    { ...parts, signal },
  );
  if (fate.type === 'done') await messages.answerEdited(answer.id, text);
  return fate;
}

function whyNotEdited(
  { state, isInterrupted, isPrivate, hasFiles, refs, givenTo }: NewestAnswer,
  { kind, sender }: ChangingCall,
): WhyNotEdited | undefined {
  // In a group, nobody has words changed that somebody else was told.
  if (kind === 'group' && (givenTo.length !== 1 || givenTo[0] !== sender.principal)) return 'somebody-else';
  if (isInterrupted) return 'interrupted';
  if (state === 'queued') return 'waiting';
  if (state !== 'delivered') return 'undelivered';
  if (isPrivate) return 'private';
  if (hasFiles) return 'files';
  return refs.length > 1 ? 'parts' : undefined;
}

function partsWith(
  markdown: string,
  { id, conversation, createdAt }: NewestAnswer,
  adapter: ChannelAdapter,
  { commands }: ChangesParts,
) {
  const message = { id, kind: 'reply', markdown } as const;
  return changedPartsOf({ message, kind: 'reply', conversation, createdAt, refusedFiles: [] }, { adapter, commands });
}

/** Tries again what may succeed soon. The model learns of anything else. */
async function tried(
  work: () => Promise<ChangeFate>,
  { clock, signal }: Pick<ChangesParts, 'clock'> & Pick<Asking, 'signal'>,
): Promise<ChangeFate> {
  for (let failures = 1; ; failures += 1) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ChannelError)) throw error;
      const pause = pauseAfter(error, failures);
      if (pause === undefined || failures >= mostTries || signal.aborted)
        return { type: 'failed', reason: error.message };
      await sleep(clock, pause, signal);
    }
  }
}

/** In ms; undefined if the same again is useless soon. */
function pauseAfter({ fault }: ChannelError, failures: number): number | undefined {
  switch (fault.type) {
    case 'rate-limited':
      return fault.retryAfter <= longestPause ? fault.retryAfter : undefined;
    case 'transient':
    case 'ambiguous':
      return Math.min(longestPause, backOff(failures));
    case 'permanent':
    case 'auth':
    case 'moved':
      return undefined;
  }
}
