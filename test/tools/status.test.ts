import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ToolStatus } from '../../src/contract.ts';
import { trackStatus } from '../../src/tools/status.ts';

function tracked() {
  const shown: ToolStatus[] = [];
  return { shown, status: trackStatus({ id: 'c1', prepared: { toolName: 'shell' } }, (status) => shown.push(status)) };
}

test('a status goes from waiting over doing to the end, and keeps its tip', () => {
  const { shown, status } = tracked();
  status.wait('run `ls`');
  status.doing();
  status.doing('half');
  status.doing('half');
  status.end(true, 250);
  const call = { callId: 'c1', toolName: 'shell' };
  expect(shown).toEqual([
    { ...call, state: 'wait', tip: 'run `ls`' },
    { ...call, state: 'doing', tip: 'run `ls`' },
    { ...call, state: 'doing', tip: 'half' },
    { ...call, state: 'success', tip: 'half', duration: 250 },
  ]);
});

test('nothing goes back, and nothing follows the end, in whatever order it is told', () => {
  const order = { wait: 0, doing: 1, success: 2, error: 2 };
  const told = fc.array(
    fc.tuple(fc.constantFrom('wait', 'doing', 'good', 'bad'), fc.option(fc.string(), { nil: undefined })),
  );
  fc.assert(
    fc.property(told, (steps) => {
      const { shown, status } = tracked();
      for (const [step, tip] of steps) {
        if (step === 'wait') status.wait(tip);
        else if (step === 'doing') status.doing(tip);
        else status.end(step === 'good', 1, tip);
      }
      const ranks = shown.map(({ state }) => order[state]);
      expect(ranks).toEqual(ranks.toSorted((a, b) => a - b));
      expect(ranks.filter((rank) => rank === 2).length).toBeLessThanOrEqual(1);
    }),
  );
});
