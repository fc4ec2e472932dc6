import type { CallResult, ClosingReason } from '../transcript.ts';
import { defuse, oneName, quotation } from './as-data.ts';

const tag = 'keyturn_event';

/** What became of a call that the run did not wait for. */
export function outcomeEvent(callId: string, toolName: string, result: CallResult): string {
  return `<${tag} call="${callId}" tool="${toolName}" outcome="${result.outcome}">\n${defuse(result.text)}\n</${tag}>`;
}

/** What the model is told of a message that was changed after it had read it. What people wrote stands as a quotation. */
export function editEvent(name: string, before: string, after: string): string {
  const lines = [
    `${oneName(name)} has changed the message that began with:`,
    quotation(beginningOf(before)),
    'It says now:',
    quotation(after),
  ];
  return `<${tag} kind="message_edited">\n${lines.join('\n')}\n</${tag}>`;
}

/** What the model is told of a message that was taken back after it had read it. */
export function deletionEvent(name: string, text: string): string {
  const lines = [`${oneName(name)} has deleted the message that began with:`, quotation(beginningOf(text))];
  return `<${tag} kind="message_deleted">\n${lines.join('\n')}\n</${tag}>`;
}

function beginningOf(text: string): string {
  return text.length > 80 ? `${text.slice(0, 80).toWellFormed()}…` : text;
}

/** What the model is told of a run that ended without its answer. */
export function closingEvent(reason: ClosingReason): string {
  return `<${tag} kind="run_ended">\n${closingWords(reason)}\n</${tag}>`;
}

function closingWords(reason: ClosingReason): string {
  switch (reason) {
    case 'stopped':
      return 'A person stopped this run.';
    case 'failed':
      return 'This run ended because of a fault, and was not answered.';
    case 'expired':
      return 'Nobody decided in time, so this run ended.';
    case 'limit':
      return 'This run was ended because it had taken too many turns.';
  }
}
