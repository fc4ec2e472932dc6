import type { ModelRequest, RequestMessage } from '../support/model-request.ts';

/** What a provider would refuse in the request: calls without their results, results without a call, two of the same. */
export function requestFaults({ messages }: ModelRequest): readonly string[] {
  const faults: string[] = [];
  let open: string[] = [];
  for (const [index, message] of messages.entries()) {
    if (message.role === 'tool') {
      const { callId = 'none' } = message;
      if (!open.includes(callId)) faults.push(`message ${index} is the result of ${callId}, which is not open`);
      open = open.filter((id) => id !== callId);
      continue;
    }
    if (open.length > 0) faults.push(`${open.join(', ')} have no result before message ${index}`);
    open = message.calls.map(({ id }) => id);
    if (new Set(open).size < open.length) faults.push(`message ${index} has two calls with the same id`);
  }
  if (open.length > 0) faults.push(`${open.join(', ')} have no result at the end`);
  return [...faults, ...misplaced(messages)];
}

function misplaced(messages: readonly RequestMessage[]): readonly string[] {
  const talk = messages.filter(({ role }) => role !== 'system');
  return [
    ...(talk[0]?.role === 'user' ? [] : ['it does not begin with a user']),
    ...(talk.at(-1)?.role === 'assistant' ? ['it ends with the assistant'] : []),
    ...talk.flatMap(({ role }, index) =>
      role === 'user' && talk[index - 1]?.role === 'user' ? [`two users in a row at ${index}`] : [],
    ),
  ];
}
