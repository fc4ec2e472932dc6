import type { StoredMessage } from '../approval/approval.ts';
import { cancelledResult } from '../approval/call-results.ts';
import { newId } from '../lib/ids.ts';
import type { ToolOutput } from '../tools/output.ts';
import type { CallResult } from '../transcript.ts';
import type { CallEnd } from './run-store.ts';

/** What became of a call, for its journal, its card and for people. */
export type CallEnding = Pick<CallEnd, 'result' | 'cardNote'> & Partial<Pick<CallEnd, 'duration' | 'messages'>>;

/** What became of a call whose run was stopped before anything came of it. */
export const neverBegun: CallEnding = {
  result: { outcome: 'cancelled', text: cancelledResult(false) },
  cardNote: '🚫 Stopped.',
};

/** What became of a call that has run. */
export function endOf(
  { isError, forLlm, forUser, files, pictures = [], completes }: ToolOutput,
  duration: number,
  { conversationId, isStopped }: { readonly conversationId: string; readonly isStopped: boolean },
): CallEnding {
  const result: CallResult = isStopped
    ? { outcome: 'cancelled', text: `${cancelledResult(true)}\n${forLlm}` }
    : {
        outcome: isError ? 'error' : completes === true ? 'completed' : 'success',
        text: forLlm,
        ...(pictures.length === 0 ? {} : { pictures }),
      };
  const message: StoredMessage = {
    id: files?.messageId ?? newId(20),
    kind: 'for_user',
    markdown: forUser ?? '',
    ...(files === undefined ? {} : { files: files.files }),
  };
  const hasNews = forUser !== undefined || files !== undefined;
  const messages = hasNews && !isStopped ? [{ conversationId, message }] : [];
  return { result, cardNote: executedNote(result, duration), duration, messages };
}

function executedNote(result: CallResult, duration: number): string {
  const seconds = `${(duration / 1000).toFixed(1)} s`;
  switch (result.outcome) {
    case 'success':
    case 'completed':
      return `✔️ Done in ${seconds}.`;
    case 'cancelled':
      return `🚫 Stopped after ${seconds}.`;
    default:
      return `⚠️ Failed after ${seconds}.`;
  }
}
