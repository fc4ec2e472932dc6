import { expect, test } from 'vitest';
import { Replay } from '../../src/gateway/replay.ts';
import type { ChatFrame } from '../../src/gateway/server-frames.ts';

const large = 'x'.repeat(100_000);

test.each<[string, ChatFrame]>([
  ['arguments of calls', { type: 'tool_call', id: 'c', name: 'file_write', args: { content: large } }],
  ['results of calls', { type: 'tool_result', id: 'c', name: 'file_read', output: large, success: true }],
  ['questions', { type: 'approval_request', id: 'a', tool: 'shell', message: large, choices: [] }],
  ['texts', { type: 'chunk', content: large }],
])('the frames that are kept of a session are bounded by their size: %s', (_name, frame) => {
  const replay = new Replay(0);
  for (let seq = 1; seq <= 100; seq += 1) replay.add({ seq, frame, audience: 'all' });
  const { frames, isComplete } = replay.since(0, 100);
  expect(frames.length).toBeLessThan(4);
  expect(isComplete).toBe(false);
  expect(replay.since(99, 100)).toMatchObject({ frames: [{ seq: 100 }], isComplete: true });
});
