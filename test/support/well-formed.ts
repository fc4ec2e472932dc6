import type { ModelMessage } from '../../src/models/language-model.ts';
import type { ScriptedRequest } from './scripted-model.ts';

/** What is wrong with a request: a call without exactly one result right behind it, or two user messages in a row. */
export function faultsOf({ messages }: ScriptedRequest): readonly string[] {
  return messages.flatMap((message, at) =>
    faultsAt(message, messages[at - 1], messages[at + 1]).map((fault) => `message ${at}: ${fault}`),
  );
}

function faultsAt(
  message: ModelMessage,
  before: ModelMessage | undefined,
  next: ModelMessage | undefined,
): readonly string[] {
  switch (message.role) {
    case 'user':
      return next?.role === 'user' ? ['two user messages in a row'] : [];
    case 'assistant': {
      const calls = message.parts.flatMap((part) => (part.type === 'call' ? [part.modelCallId] : []));
      const results = next?.role === 'results' ? next.results.map(({ modelCallId }) => modelCallId) : [];
      return JSON.stringify(calls) === JSON.stringify(results)
        ? []
        : [`the calls ${calls.join()} have the results ${results.join()}`];
    }
    case 'results':
      return before?.role === 'assistant' ? [] : ['results without calls'];
  }
}
