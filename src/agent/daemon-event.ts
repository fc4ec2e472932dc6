import type { CallResult, ClosingReason } from '../transcript.ts';

const tag = 'keyturn_event';

/** What became of a call that the run did not wait for. */
export function outcomeEvent(callId: string, toolName: string, result: CallResult): string {
  return `<${tag} call="${callId}" tool="${toolName}" outcome="${result.outcome}">\n${defuse(result.text)}\n</${tag}>`;
}

/** What the model is told of a message that was changed after it had read it. */
export function editEvent(name: string, before: string, after: string): string {
  const beginning = before.length > 80 ? `${before.slice(0, 80).toWellFormed()}…` : before;
  const lines = [`${name} has changed the message that began with:`, beginning, 'It says now:', after];
  return `<${tag} kind="message_edited">\n${defuse(lines.join('\n'))}\n</${tag}>`;
}

/** What the model is told of a run that ended without its answer. */
export function closingEvent(reason: ClosingReason): string {
  return `<${tag} kind="run_ended">\n${closingWords(reason)}\n</${tag}>`;
}

/** The text without anything that could pass for an event: only Keyturn writes those. */
export function defuse(text: string): string {
  return text.replace(/<(?=[\s/]*keyturn_event)/gi, '‹');
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
