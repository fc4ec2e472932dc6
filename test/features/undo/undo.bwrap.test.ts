import { beforeAll, expect, test, vi } from 'vitest';
import { undoWords } from '../../../src/features/undo/words.ts';
import type { SandboxState } from '../../../src/tools/guard/process/sandbox.ts';
import { realSandbox } from '../../tools/guard/process/sandbox-setting.ts';
import { type UndoSetting, undoSetting } from './undo-setting.ts';

let sandbox: SandboxState;

beforeAll(async () => {
  sandbox = await realSandbox();
});

/** What a sandbox leaves is waited for, by the clock. */
async function runs(it: UndoSetting, command: string): Promise<void> {
  let isOver = false;
  const work = it.run(command).finally(() => {
    isOver = true;
  });
  await vi.waitFor(
    () => {
      it.daemon.clock.advance(25);
      expect(isOver).toBe(true);
    },
    { timeout: 100_000, interval: 10 },
  );
  await work;
}

const files = { 'a.txt': 'a', 'sub/b.txt': 'b' };

test('what a command in the sandbox has changed comes back, and nothing else is said to stay', async () => {
  const it = await undoSetting({ sandbox, files });
  await runs(it, 'echo more >> a.txt; rm -r sub; echo new > new.txt; printf "x" > a.txt');
  expect(await it.content('a.txt')).toBe('x');
  const card = await it.says('/undo');
  expect(card.text).toContain(undoWords.en.comesBack('sub/b.txt'));
  expect(card.text).not.toContain(undoWords.en.outside);
  await it.presses(card);
  for (const [name, content] of Object.entries(files)) expect(await it.content(name)).toBe(content);
  expect(await it.content('new.txt')).toBeUndefined();
});

test('a command that only reads needs no copies', async () => {
  const it = await undoSetting({ sandbox, files });
  await runs(it, 'cat a.txt');
  expect(it.daemon.rows('SELECT * FROM kept_contents')).toEqual([]);
  await runs(it, 'touch a.txt');
  expect(it.daemon.rows('SELECT * FROM kept_contents')).toHaveLength(2);
});
