import type { ScriptedRequest } from './scripted-model.ts';

/** What is wrong with a request: a call without exactly one result right behind it, or two messages of one role in a row. */
export function faultsOf({ messages }: ScriptedRequest): readonly string[] {
  return messages.flatMap((message, at) => {
    const next = messages[at + 1];
    switch (message.role) {
      case 'user':
        return next?.role === 'user' ? [`message ${at}: two user messages in a row`] : [];
      case 'assistant': {
        const calls = message.parts.flatMap((part) => (part.type === 'call' ? [part.modelCallId] : []));
        const results = next?.role === 'results' ? next.results.map(({ modelCallId }) => modelCallId) : [];
        return JSON.stringify(calls) === JSON.stringify(results)
          ? []
          : [`message ${at}: calls ${calls.join()} have the results ${results.join()}`];
      }
      case 'results':
        return messages[at - 1]?.role === 'assistant' ? [] : [`message ${at}: results without calls`];
    }
  });
}
