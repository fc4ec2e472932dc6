import { expect, test } from 'vitest';
import { type Json, tool } from '../../../../packages/client/src/client.ts';
import { DeviceCalls } from '../../../../packages/client/src/device-calls.ts';

/** A calls of which each answer can be waited for. */
function watchedCalls(...tools: readonly ReturnType<typeof tool>[]) {
  const answered = Promise.withResolvers<Json>();
  const byName = new Map(tools.map((one) => [one.name, one]));
  return {
    calls: new DeviceCalls({ tools: byName, concurrency: 1, send: answered.resolve }),
    answer: answered.promise,
  };
}

test('a call of a tool that nobody has registered is an error', async () => {
  const { calls, answer } = watchedCalls();
  calls.take({ type: 'tool_call_request', id: 'a', name: 'torch', args: {} });
  expect(await answer).toEqual({ type: 'tool_error', id: 'a', error: 'Unknown tool: torch', success: false });
});

test('arguments that the tool’s own schema forbids are an error', async () => {
  const schema = {
    '~standard': { validate: () => ({ issues: [{ message: 'no such colour' }] }) },
    toJSONSchema: () => ({ type: 'object' }),
  };
  const handler = (): string => 'on';
  const { calls, answer } = watchedCalls(tool({ name: 'torch', description: 'Lights.', parameters: schema, handler }));
  calls.take({ type: 'tool_call_request', id: 'a', name: 'torch', args: { colour: 'none' } });
  expect(await answer).toMatchObject({ type: 'tool_error', error: expect.stringContaining('no such colour') });
});
