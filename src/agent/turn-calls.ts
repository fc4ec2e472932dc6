import type { OutboxDraft } from '../approval/approval.ts';
import type { ApprovalBroker } from '../approval/broker.ts';
import { alreadyAskedResult, alreadyAwaitingResult, unreachableResult } from '../approval/call-results.ts';
import { unreachableNotice } from '../approval/card.ts';
import type { Questions } from '../approval/questions.ts';
import { newId } from '../lib/ids.ts';
import type { AnswerPart } from '../model/language-model.ts';
import type { PersonQuestion } from '../tools/facets.ts';
import type { PreparedCall } from '../tools/tool.ts';
import type { TurnPart } from '../transcript.ts';
import { approvalRequest } from './approval-request.ts';
import type { CallIds } from './call-ids.ts';
import type { CallJudge, Judgement, Surroundings } from './call-judge.ts';
import type { BegunCall } from './call-runner.ts';
import { firstTogether, whoseTurn } from './calls-together.ts';
import type { CallDraft } from './run-store.ts';
import type { ValidCall } from './valid-call.ts';

/** The calls of an answer, judged. */
export interface DraftedCalls {
  readonly parts: readonly TurnPart[];
  readonly calls: readonly CallDraft[];
  /** What people have to be told beside the cards, which come with their calls. */
  readonly messages: readonly OutboxDraft[];
  /** The calls that run first, beside each other: storing the turn is their beginning, which saves commits. */
  readonly begun: readonly BegunCall[];
}

interface DraftedCall {
  readonly draft: CallDraft;
  readonly messages: readonly OutboxDraft[];
  readonly prepared?: PreparedCall;
}

/** No person looks through more cards than that, and no answer needs more calls at once. */
const mostCalls = 16;
const mostWaiting = 10;

const tooMany: Judgement = {
  type: 'reject',
  result: {
    outcome: 'refused',
    text: `Not executed: at most ${mostCalls} calls are taken from one answer. Make the rest in your next one.`,
  },
};
const tooManyWaiting = `Not executed: ${mostWaiting} calls wait for a person here, and no more are asked for before some of them are decided.`;

type CallPart = Extract<AnswerPart, { type: 'call' }>;

/** Makes of an answer what is stored of it: ids for its calls, verdicts, and cards for those that a person decides. */
export class TurnCalls {
  readonly #judge: CallJudge;
  readonly #broker: ApprovalBroker;
  readonly #questions: Questions;

  constructor(dependencies: {
    readonly judge: CallJudge;
    readonly broker: ApprovalBroker;
    readonly questions: Questions;
  }) {
    this.#judge = dependencies.judge;
    this.#broker = dependencies.broker;
    this.#questions = dependencies.questions;
  }

  /**
   * The ids are those under which the calls were shown while they were written. When the signal aborts, what it made of
   * them does not count.
   */
  async draft(
    answerParts: readonly AnswerPart[],
    runId: string,
    where: Surroundings,
    { ids, signal }: { readonly ids: CallIds; readonly signal: AbortSignal },
  ): Promise<DraftedCalls> {
    const parts: TurnPart[] = [];
    const drafted: DraftedCall[] = [];
    for (const part of answerParts) {
      if (part.type !== 'call') {
        parts.push(part);
        continue;
      }
      const id = ids.take(part.modelCallId);
      const judgement = drafted.length < mostCalls ? await this.#judge.judge({ ...part, id }, where, signal) : tooMany;
      const call = await this.#draftCall({ id, part, judgement }, where, drafted);
      drafted.push(call);
      parts.push({ ...part, callId: call.draft.id });
    }
    const first = firstTogether(
      whoseTurn(
        drafted,
        ({ draft }) => draft.state,
        () => false,
      ),
      ({ draft }) => draft.category,
    );
    return {
      parts,
      calls: drafted.map((call) => (first.includes(call) ? { ...call.draft, state: 'begun' } : call.draft)),
      messages: drafted.flatMap(({ messages }) => messages),
      begun: first.flatMap(({ draft: { id }, prepared }) => (prepared === undefined ? [] : [{ id, runId, prepared }])),
    };
  }

  async #draftCall(
    { id, part, judgement }: { readonly id: string; readonly part: CallPart; readonly judgement: Judgement },
    where: Surroundings,
    earlier: readonly DraftedCall[],
  ): Promise<DraftedCall> {
    switch (judgement.type) {
      case 'run': {
        const { question } = judgement.call.prepared;
        if (question !== undefined) return this.#question(id, part, { call: judgement.call, question }, where, earlier);
        return {
          draft: {
            ...fields(id, part, judgement.call),
            ...(judgement.grantId === undefined ? {} : { grantId: judgement.grantId }),
            state: 'ready',
          },
          messages: [],
          prepared: judgement.call.prepared,
        };
      }
      case 'reject':
        return {
          draft: { ...fields(id, part, judgement.call), state: 'done', result: judgement.result },
          messages: [],
        };
      case 'ask':
        return this.#ask(id, part, judgement, where, earlier);
    }
  }

  /** The run waits for the person's answer as it waits for a permission. */
  async #question(
    id: string,
    part: CallPart,
    { call, question }: { readonly call: ValidCall; readonly question: PersonQuestion },
    { scope: { conversationId, sender }, runsIn }: Surroundings,
    earlier: readonly DraftedCall[],
  ): Promise<DraftedCall> {
    const isAsking = earlier.some(({ draft }) => draft.approval?.approval.question !== undefined);
    if (isAsking || (await this.#questions.isAsked(conversationId, sender.principal))) {
      return refuse(id, part, call, alreadyAskedResult());
    }
    const approval = this.#questions.draft({
      callId: id,
      conversationId,
      ...(runsIn === undefined ? {} : { runsIn }),
      requester: sender.principal,
      requesterName: sender.name,
      toolName: call.prepared.toolName,
      hash: call.hash,
      question,
    });
    return { draft: { ...fields(id, part, call), state: 'awaiting', approval }, messages: [] };
  }

  async #ask(
    id: string,
    part: CallPart,
    judgement: Extract<Judgement, { type: 'ask' }>,
    where: Surroundings,
    earlier: readonly DraftedCall[],
  ): Promise<DraftedCall> {
    const twin = earlier.find(({ draft }) => draft.approval !== undefined && draft.hash === judgement.call.hash)?.draft
      .approval;
    if (twin !== undefined) return refuse(id, part, judgement.call, alreadyAwaitingResult(twin.approval.id));

    const asked = earlier.filter(({ draft }) => draft.approval !== undefined).length;
    const waiting = asked + (await this.#broker.waiting(where.scope.conversationId));
    if (waiting >= mostWaiting) return refuse(id, part, judgement.call, tooManyWaiting);

    const approval = await this.#broker.draft(await approvalRequest(id, judgement, where));
    if (approval.approval.places.length === 0) {
      const refusal = refuse(id, part, judgement.call, unreachableResult());
      const notice = { id: newId(20), kind: 'notice' as const, markdown: unreachableNotice(approval.approval) };
      return { ...refusal, messages: [{ conversationId: where.scope.conversationId, message: notice }] };
    }
    return { draft: { ...fields(id, part, judgement.call), state: 'awaiting', approval }, messages: [] };
  }
}

function fields(id: string, part: CallPart, call: ValidCall | undefined): Omit<CallDraft, 'state'> {
  const known = call === undefined ? {} : { hash: call.hash, category: call.prepared.category };
  const change = call?.change === undefined ? {} : { arguments: call.change.arguments, changedBy: call.change.by };
  return { id, modelCallId: part.modelCallId, name: part.name, arguments: part.arguments, ...change, ...known };
}

function refuse(id: string, part: CallPart, call: ValidCall, text: string): DraftedCall {
  return { draft: { ...fields(id, part, call), state: 'done', result: { outcome: 'refused', text } }, messages: [] };
}
