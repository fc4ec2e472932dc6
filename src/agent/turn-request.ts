import type { LanguageModel, ModelRequest } from '../model/language-model.ts';
import type { WorkspaceFactory } from '../tools/guard/workspace/workspace.ts';
import type { ToolScope } from '../tools/tool.ts';
import type { DaemonEvent, TranscriptEntry } from '../transcript.ts';
import { sizeOf } from './entry-size.ts';
import { toModelMessages } from './messages.ts';
import type { Ask } from './next-step.ts';
import { loadPictures, mostPictures, noPictures, type Pictures, picturesIn } from './pictures.ts';
import { type FrameDependencies, frameOf, measureFor, summaryIn } from './request-frame.ts';
import type { RunState } from './run-store.ts';
import type { Measure } from './token-gauge.ts';
import { fit } from './window.ts';

export interface TurnRequestDependencies extends FrameDependencies {
  /** Where pictures are read that people have sent. */
  readonly workspaceAt: WorkspaceFactory;
}

/** What is asked, of which model, and where. */
export interface Question {
  readonly state: RunState;
  readonly ask: Ask;
  readonly scope: ToolScope;
  readonly model: LanguageModel;
  readonly signal: AbortSignal;
  /** Told of each sign of life of the model. */
  readonly heard?: (() => void) | undefined;
  /** How often this was asked before, and was too long: then it is asked with less, and without pictures. */
  readonly refusals?: number;
  /** How much the request holds at most, with an answer, in tokens: less than the model takes, where another stands in. */
  readonly limit?: number;
}

export interface TurnRequest {
  readonly request: ModelRequest;
  /** How long it is, about, in tokens and without pictures: only where that had to be found out. */
  readonly size?: number;
  /** The same, found out now. */
  readonly measured: () => Promise<number>;
  readonly hasPictures: boolean;
}

/** The request of a turn: as much of what the model is to have seen as fits, with the pictures that it can see. */
export async function turnRequest(question: Question, dependencies: TurnRequestDependencies): Promise<TurnRequest> {
  const { state, ask, scope, model, signal, refusals = 0, limit } = question;
  const { room: most, ...frame } = await frameOf({ state, scope, model: model.label, limit }, dependencies);
  const whole = most * afterRefusal ** refusals;
  const seen = seenBy(state, ask);
  const summary = summaryEntry(state, whole);
  const room = whole - roomOfPictures(seen, model);
  const wanted = { gauge: dependencies.gauge, model: model.label };
  const { measure, isExact } = await measureFor([...summary, ...seen], room, wanted);
  const left = Math.max(room - sizeOf(summary, measure), whole / 4);
  const entries = [...summary, ...fit({ entries: seen }, left, measure)];
  const pictures: Pictures =
    picturesIn(entries).length > 0
      ? await loadPictures(entries, dependencies.workspaceAt(scope.workspace), model.seesImages && refusals === 0)
      : noPictures;
  const request = {
    system: frame.system,
    messages: toModelMessages(entries, state.conversation.kind === 'group', pictures),
    tools: frame.tools,
    signal,
  };
  const sized = (by: Measure): number => frame.sizes.system + frame.sizes.tools + sizeOf(entries, by);
  const measured = async (): Promise<number> => sized(await dependencies.gauge.measure(model.label));
  const hasPictures = [...pictures.values()].some((picture) => 'image' in picture);
  return { request, measured, hasPictures, ...(isExact ? { size: sized(measure) } : {}) };
}

/** What the model is to have seen of the transcript. */
export function seenBy({ transcript }: RunState, { seenSeq }: Ask): readonly TranscriptEntry[] {
  return transcript.entries.filter(
    (entry) => (entry.type !== 'user' && entry.type !== 'event') || entry.seq <= seenSeq,
  );
}

function summaryEntry(state: RunState, room: number): readonly DaemonEvent[] {
  const text = summaryIn(state, room);
  return text === undefined ? [] : [{ type: 'event', seq: 0, principal: 'keyturn', text, wantsAnswer: false }];
}

function roomOfPictures(entries: readonly TranscriptEntry[], model: LanguageModel): number {
  return model.seesImages ? Math.min(mostPictures, picturesIn(entries).length) * tokensOfPicture : 0;
}

/** Beside what is learnt from a refusal for all requests. */
const afterRefusal = 0.6;

/** About as much room as providers count for one. */
const tokensOfPicture = 1500;
