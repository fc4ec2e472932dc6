import { mkdir, readdir, readFile, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import { readFile as readFileTool } from '../../src/tools/builtin/files/read-files.ts';
import { redactor } from '../../src/tools/guard/redact/redact.ts';
import { workspaces } from '../../src/tools/guard/workspace/workspace.ts';
import { llmOnly, resultFiles, split, type ToolOutput } from '../../src/tools/output.ts';
import { createToolRunner } from '../../src/tools/runner.ts';
import type { PreparedCall } from '../../src/tools/tool.ts';
import { newFolder } from '../support/new-folder.ts';
import { callDoing, contextIn, type LogLine, prepared, recordingLog } from './setting.ts';

const folder = '.keyturn/results';

async function setting(options: { readonly maxBytes?: number; readonly maxOutput?: number } = {}) {
  const { maxBytes = 100_000, maxOutput = 1_000 } = options;
  const workspace = await newFolder();
  const workspaceAt = workspaces();
  const lines: LogLine[] = [];
  const runner = createToolRunner({
    clock: systemClock,
    settings: { maxOutput },
    redact: redactor(['known-secret-1']),
    keep: resultFiles(workspaceAt, maxBytes, 3),
  });
  const tool = readFileTool(workspaceAt, { max_result_chars: maxOutput });
  const run = async (call: PreparedCall, callId = 'c1') =>
    (await runner.run(call, contextIn(workspace, { callId, log: recordingLog(lines) }))).output;
  return {
    workspace,
    lines,
    say: (output: ToolOutput, callId?: string) =>
      run(
        callDoing(async () => output),
        callId,
      ),
    read: async (args: Record<string, string | number>) => (await run(await prepared(tool, args))).forLlm,
    kept: () => readdir(join(workspace, folder)),
  };
}

function numbered(count: number): string {
  return Array.from({ length: count }, (_, index) => `line ${index + 1}`).join('\n');
}

describe('a result that is too long', () => {
  test('is whole in a file that only its owner can read, cleaned and without secrets, and the result says where', async () => {
    const { workspace, say } = await setting();
    const text = `\u001b[31mred\u001b[0m known-secret-1 ${'x'.repeat(5_000)} end`;
    const { forLlm } = await say(llmOnly(text));
    expect(forLlm.length).toBeLessThanOrEqual(1_000);
    expect(forLlm).toMatch(
      /^red \[secret\] x+\n\[… 4,[\d,]+ of 5,017 characters left out; all of it is in \.keyturn\/results\/c1\.txt: use read_file with offset and limit …\]\nx+ end$/,
    );
    expect(await readFile(join(workspace, folder, 'c1.txt'), 'utf8')).toBe(`red [secret] ${'x'.repeat(5_000)} end`);
    expect((await stat(join(workspace, folder, 'c1.txt'))).mode & 0o777).toBe(0o600);
  });

  test.each([200, 1_000, 50_000])('can be read to its last line, %s characters at a time', async (maxOutput) => {
    const { say, read, kept } = await setting({ maxOutput });
    await say(llmOnly(numbered(maxOutput > 10_000 ? 9_000 : 900)));
    const seen: string[] = [];
    for (let offset: number | undefined = 1; offset !== undefined; ) {
      const part = await read({ path: `${folder}/c1.txt`, offset });
      expect(part.length).toBeLessThanOrEqual(maxOutput);
      seen.push(part.slice(part.indexOf('\n') + 1));
      const [, next] = /use offset (\d+)\]/.exec(part) ?? [];
      offset = next === undefined ? undefined : Number(next);
    }
    expect(seen.join('\n')).toBe(numbered(maxOutput > 10_000 ? 9_000 : 900));
    expect(await kept()).toEqual(['c1.txt']);
  });

  test('and is one line can be read to its last character', async () => {
    const { say, read } = await setting({ maxOutput: 400 });
    const line = 'a😀bc'.repeat(1_000);
    await say(llmOnly(`first\n${line}\nlast`));
    let seen = '';
    for (let column: number | undefined = 1; column !== undefined; ) {
      const part = await read({ path: `${folder}/c1.txt`, offset: 2, column });
      expect(part.length).toBeLessThanOrEqual(400);
      seen += part.slice(part.indexOf('\n') + 1);
      const [, next] = /use offset 2 and column (\d+)\]/.exec(part) ?? [];
      if (next === undefined) expect(part).toContain('to go on, use offset 3]');
      column = next === undefined ? undefined : Number(next);
    }
    expect(seen).toBe(line);
    expect(await read({ path: `${folder}/c1.txt`, offset: 2, column: 9_999 })).toContain('has only 5000 characters');
  });

  test('says how much of it is there if it is more than is kept, which ends with a whole character', async () => {
    const { workspace, say } = await setting({ maxBytes: 3_001 });
    const { forLlm } = await say(llmOnly('€'.repeat(4_000)));
    expect(forLlm).toContain('the first 2.9 KB of it are in .keyturn/results/c1.txt');
    expect(await readFile(join(workspace, folder, 'c1.txt'), 'utf8')).toBe('€'.repeat(1_000));
  });

  test('for people is cut, and kept nowhere: they are given long texts as files', async () => {
    const { workspace, say } = await setting();
    const { forUser } = await say(split('short', 'y'.repeat(5_000)));
    expect(forUser).toMatch(/^y+\n\[… [\d,]+ of 5,000 characters left out …\]\ny+$/);
    expect(await readdir(workspace)).toEqual([]);
  });
});

describe('the folder of results', () => {
  test('holds so many files, of which the oldest go', async () => {
    const { workspace, say, kept } = await setting();
    for (const [index, id] of ['a', 'b', 'c', 'd', 'e'].entries()) {
      await say(llmOnly(`${id} ${'x'.repeat(2_000)}`), id);
      await utimes(join(workspace, folder, `${id}.txt`), index, index);
    }
    expect(await kept()).toEqual(['c.txt', 'd.txt', 'e.txt']);
  });

  test('that is a link to another folder loses nothing of what is there', async () => {
    const { workspace, say } = await setting();
    await mkdir(join(workspace, 'work'));
    for (const name of ['1', '2', '3', '4', '5']) await writeFile(join(workspace, 'work', name), name);
    await mkdir(join(workspace, '.keyturn'));
    await symlink('../work', join(workspace, folder));
    await say(llmOnly('x'.repeat(2_000)));
    expect(await readdir(join(workspace, 'work'))).toEqual(expect.arrayContaining(['1', '2', '3', '4', '5']));
  });

  test('that leads out of the workspace is not written to: the rest is said to be lost', async () => {
    const { workspace, say, lines } = await setting();
    const outside = await newFolder();
    await symlink(outside, join(workspace, '.keyturn'));
    const { forLlm, isError } = await say(llmOnly('x'.repeat(2_000)));
    expect(forLlm).toMatch(/characters left out, and lost …\]/);
    expect(isError).toBe(false);
    expect(await readdir(outside)).toEqual([]);
    expect(lines).toMatchObject([{ level: 'warn' }]);
  });

  test('cannot be left by what a call is named', async () => {
    const { say, kept } = await setting();
    await say(llmOnly('x'.repeat(2_000)), '../../../etc/passwd');
    expect(await kept()).toEqual(['_________etc_passwd.txt']);
  });
});
