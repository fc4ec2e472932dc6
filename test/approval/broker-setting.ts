import type { Approval } from '../../src/approval/approval.ts';
import { ApprovalBroker, type ApprovalRequest } from '../../src/approval/broker.ts';
import { ApprovalDeadlines } from '../../src/approval/deadlines.ts';
import type { Conversation } from '../../src/contract.ts';
import { conversationId } from '../../src/contract.ts';
import { newId } from '../../src/lib/ids.ts';
import { silentLog } from '../../src/lib/log.ts';
import type { Store } from '../../src/store/index.ts';
import { direct } from '../support/deed.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { newStore, originOf, rowsOf, said } from '../support/store-setting.ts';

export interface BrokerOptions {
  readonly approvers?: readonly string[];
  readonly forwardTo?: readonly string[];
  readonly isReachable?: (conversation: Conversation) => boolean;
}

const minute = 60_000;

/** A broker with its deadlines on a real store, with time by hand. Ada is the owner; all have talked in their own chats. */
export class BrokerSetting {
  readonly clock = new ManualClock();
  readonly delivered: string[] = [];
  readonly woken: string[] = [];
  readonly store: Store;
  readonly file: string;
  broker: ApprovalBroker;
  deadlines: ApprovalDeadlines;
  readonly #options: BrokerOptions;

  constructor(store: Store, file: string, options: BrokerOptions) {
    this.store = store;
    this.file = file;
    this.#options = options;
    [this.broker, this.deadlines] = this.#make();
  }

  /** As a new process would find it: the store is what is left. */
  async restart(): Promise<void> {
    await this.deadlines.stop();
    [this.broker, this.deadlines] = this.#make();
    await this.deadlines.attend();
  }

  /** Somebody says something, so that his chat is known. */
  async speak(person: string, conversation: Conversation = direct('test', person)): Promise<void> {
    await this.store.inbox.accept(said(originOf(person, conversation), 'hello', this.clock.now()));
  }

  /** The model has made a call in a conversation that a person has to decide about. */
  async ask(changed: Partial<ApprovalRequest> & { readonly in?: Conversation } = {}): Promise<Approval> {
    const { in: conversation = direct('test'), ...rest } = changed;
    const id = conversationId(conversation);
    const callId = newId(12);
    const draft = await this.broker.draft({ ...request, callId, conversationId: id, conversationTitle: id, ...rest });
    const { newestTurn: after } = await this.store.runs.load(id);
    const place = { conversationId: id, runId: `run-${callId}`, principal: request.requester };
    const call = {
      id: callId,
      modelCallId: 'm1',
      name: 'deploy',
      arguments: {},
      state: 'awaiting',
      approval: draft,
    } as const;
    const took = { usage: { inputTokens: 0, outputTokens: 0 }, model: 'main', day: '2026-03-04' };
    const at = this.clock.now();
    const turn = { ...place, ...took, after, seenSeq: 1, parts: [], calls: [call], messages: [], at };
    await this.store.runs.storeTurn(turn);
    return draft.approval;
  }

  /** Time passes, and what is due is attended to. */
  async pass(minutes: number): Promise<void> {
    this.clock.advance(minutes * minute);
    await this.deadlines.attend();
  }

  rows(sql: string): readonly Readonly<Record<string, unknown>>[] {
    return rowsOf(this.file, sql);
  }

  /** What the cards of an approval say, by their places. */
  cards(): readonly Readonly<Record<string, unknown>>[] {
    return this.rows(
      `SELECT conversation_id AS place, markdown, buttons IS NOT NULL AS pressable FROM outbox WHERE kind = 'card' ORDER BY seq`,
    );
  }

  #make(): [ApprovalBroker, ApprovalDeadlines] {
    const { approvers = ['test:ada'], forwardTo = [], isReachable = () => true } = this.#options;
    const voices = {
      deliver: (ids: readonly string[]) => void this.delivered.push(...ids),
      wake: (ids: readonly string[]) => void this.woken.push(...ids),
    };
    const { clock } = this;
    const deadlines = new ApprovalDeadlines({ store: this.store.approvals, clock, log: silentLog, ...voices });
    const settings = { timeout: 30 * minute, window: 15 * minute, forwardTo };
    const store = this.store.approvals;
    const broker = new ApprovalBroker({
      store,
      clock,
      deadlines,
      settings,
      approvers: () => approvers,
      isReachable,
      redact: (text) => text.replaceAll('hunter2-hunter2', '[secret]'),
      ...voices,
    });
    return [broker, deadlines];
  }
}

const request = {
  requester: 'test:ada',
  requesterName: 'Ada',
  toolName: 'deploy',
  displayName: 'Deploy',
  category: 'shell',
  arguments: { what: 'site' },
  description: 'deploy site',
  hash: 'h1',
  grantable: true,
  reason: 'deploy is a dangerous tool',
} as const;

/** Ada and Bob have talked in their own chats. */
export async function brokerSetting(options: BrokerOptions = {}): Promise<BrokerSetting> {
  const { store, file } = await newStore();
  const setting = new BrokerSetting(store, file, options);
  await setting.speak('ada');
  await setting.speak('bob');
  return setting;
}
