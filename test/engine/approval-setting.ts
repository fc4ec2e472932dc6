import type { PermissionApproval } from '../../src/approval/approval.ts';
import { cleanLabels } from '../../src/approval/verdict.ts';
import { type Conversation, conversationId } from '../../src/contract.ts';
import { type Approvals, createApprovals } from '../../src/engine/decide.ts';
import type { RunScope } from '../../src/engine/feature.ts';
import type { CallDraft } from '../../src/engine/journal.ts';
import type { AskedPermission } from '../../src/engine/permission-card.ts';
import { createTakeAway } from '../../src/engine/take-away.ts';
import { newId } from '../../src/lib/ids.ts';
import { silentLog } from '../../src/lib/log.ts';
import type { Store } from '../../src/store/index.ts';
import { createTelemetry } from '../../src/telemetry.ts';
import { llmOnly } from '../../src/tools/output.ts';
import { direct } from '../support/deed.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { newStore, originOf, rowsOf, said } from '../support/store-setting.ts';

export interface ApprovalOptions {
  readonly approvers?: readonly string[];
  readonly forwardTo?: readonly string[];
  readonly isReachable?: (conversation: Conversation) => boolean;
}

const minute = 60_000;

/** A broker with its deadlines on a real store, with time by hand. Ada is the owner; all have talked in their own chats. */
export class ApprovalSetting {
  readonly clock = new ManualClock();
  readonly delivered: string[] = [];
  readonly woken: string[] = [];
  readonly store: Store;
  readonly file: string;
  approvals: Approvals;
  /** How often it was looked for what is pending. */
  looks = 0;
  readonly #options: ApprovalOptions;

  constructor(store: Store, file: string, options: ApprovalOptions) {
    this.store = store;
    this.file = file;
    this.#options = options;
    this.approvals = this.#make();
  }

  /** As a new process would find it: the store is what is left. */
  async restart(): Promise<void> {
    await this.approvals.stop();
    this.approvals = this.#make();
    await this.approvals.attend();
  }

  /** Somebody says something, so that their chat is known. */
  async speak(person: string, conversation: Conversation = direct('test', person)): Promise<void> {
    await this.store.inbox.accept(said(originOf(person, conversation), 'hello', this.clock.now()));
  }

  /** The model has made a call in a conversation that a person has to decide about. */
  async ask(
    changed: Partial<AskedPermission> & { readonly in?: Conversation; readonly isShown?: boolean } = {},
  ): Promise<PermissionApproval> {
    const { in: conversation = direct('test'), isShown = true, ...rest } = changed;
    const where = whereIn(conversation);
    const asked = {
      prepared: deploy,
      hash: 'h1',
      because,
      reason: () => 'deploy is a dangerous tool',
      doubts: () => [],
      grantable: true,
      ...rest,
    };
    const draft = await this.approvals.draftPermission([{ ...asked, callId: newId(12) }], where);
    await this.keep(draft.approval.callId, draft, where);
    if (isShown) await this.show();
    return draft.approval;
  }

  /** Stores what is asked, with the call that waits for it. */
  async keep(callId: string, approval: NonNullable<CallDraft['approval']>, { scope }: RunScope): Promise<void> {
    const { conversationId: id, sender } = scope;
    const { newestTurn: after } = await this.store.runs.load(id);
    const told = { conversationId: id, runId: `run-${callId}`, principal: sender.principal };
    const call = { id: callId, modelCallId: 'm1', name: 'deploy', arguments: {}, state: 'awaiting', approval } as const;
    const { others = [] } = (approval.approval.type === 'permission' ? approval.approval.asked : undefined) ?? {};
    const calls = [call, ...others.map((other) => ({ ...call, id: other.callId, approval: undefined }))];
    const took = { usage: { inputTokens: 0, outputTokens: 0 }, model: 'main', day: '2026-03-04' };
    const at = this.clock.now();
    const turn = { ...told, ...took, after, seenSeq: 1, parts: [], calls, messages: [], at };
    await this.store.runs.storeTurn(turn);
  }

  /** The platform shows the cards. */
  async show(): Promise<void> {
    const cards = this.rows(`SELECT id, approval_id FROM outbox WHERE kind = 'card' AND delivered_revision = 0`);
    for (const { id, approval_id: approvalId } of cards) {
      await this.store.outbox.delivered(String(id), 1, [{ id: `m-${id}` }], this.clock.now());
      await this.approvals.cardShown(String(approvalId));
    }
  }

  /** Time passes, and what is due is attended to. */
  async pass(minutes: number): Promise<void> {
    this.clock.advance(minutes * minute);
    await this.approvals.attend();
  }

  rows(sql: string): readonly Readonly<Record<string, unknown>>[] {
    return rowsOf(this.file, sql);
  }

  /** What the cards of an approval say, by their conversations. */
  cards(): readonly Readonly<Record<string, unknown>>[] {
    return this.rows(
      `SELECT conversation_id AS id, markdown, buttons IS NOT NULL AS pressable FROM outbox WHERE kind = 'card' ORDER BY seq`,
    );
  }

  #make(): Approvals {
    const { approvers = ['test:ada'], forwardTo = [], isReachable = () => true } = this.#options;
    const parts = {
      adapters: new Map(),
      readerOf: () => reader,
      clock: this.clock,
      log: silentLog,
      ending: new AbortController().signal,
    };
    const core = {
      clock: this.clock,
      log: silentLog,
      telemetry: createTelemetry(silentLog),
      deliver: (ids: readonly string[]) => void this.delivered.push(...ids),
      wake: (ids: readonly string[]) => void this.woken.push(...ids),
      readerIn: () => reader,
      prepareReaders: async () => {},
      readerOf: () => reader,
      takeAway: createTakeAway({ ...parts, storage: this.store.state, isStored: this.store.inbox.isStored }),
    };
    const { approvals } = this.store;
    const pending = (id?: string) => {
      this.looks += 1;
      return approvals.pending(id);
    };
    return createApprovals(core, {
      store: { ...approvals, pending },
      settings: { timeout: 30 * minute, extensionTimeout: 30 * minute, window: 15 * minute, forwardTo },
      approvers: () => approvers,
      accountsOf: (principal) => [principal],
      isReachable,
      isOpenedLater: () => false,
      redact: (text) => text.replaceAll('hunter2-hunter2', '[secret]'),
    });
  }
}

const reader = { timeZone: 'UTC', isNamed: false, language: 'en' } as const;

/** A run of Ada's. */
export function whereIn(conversation: Conversation = direct('test')): RunScope {
  const id = conversationId(conversation);
  const sender = { principal: 'test:ada', name: 'Ada' };
  const scope = { ...conversation, conversationId: id, workspace: '/', sender };
  return {
    titleIn: () => id,
    scope,
    labels: cleanLabels,
    ownWords: () => [],
    cause: undefined,
    calls: [],
    workers: [],
    withoutLinks: undefined,
  };
}

/** A call that no saved permission opens. */
export function asked(callId: string): AskedPermission {
  const judged = { because, reason: () => 'it asks', doubts: () => [], grantable: false };
  return { callId, prepared: deploy, hash: `hash of ${callId}`, ...judged };
}

const because = { because: 'dangerous-tool', tool: 'deploy' } as const;

const deploy = {
  toolName: 'deploy',
  displayName: 'Deploy',
  arguments: { what: 'site' },
  category: 'shell',
  facets: {},
  describe: () => 'deploy site',
  preview: async () => undefined,
  execute: async () => llmOnly('deployed'),
} as const;

/** Ada and Bob have talked in their own chats. */
export async function approvalSetting(options: ApprovalOptions = {}): Promise<ApprovalSetting> {
  const { store, file } = await newStore();
  const setting = new ApprovalSetting(store, file, options);
  await setting.speak('ada');
  await setting.speak('bob');
  return setting;
}
