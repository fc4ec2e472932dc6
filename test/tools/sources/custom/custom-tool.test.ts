import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { BoundsError } from '../../../../src/tools/guard/process/bounds.ts';
import { templateWords } from '../../../../src/tools/sources/custom/words.ts';
import { newFolder } from '../../../support/new-folder.ts';
import { customSetting, printedBy } from './custom-setting.ts';

const one = { x: 'string' };

describe('what a custom tool is given', () => {
  test('has to be what it has declared, all of it and nothing else', async () => {
    const parameters = { name: 'string', times: 'integer', loud: { param_type: 'boolean', required: false } };
    const { prepare } = await customSetting({ command: 'echo {{name}} {{times}} {{loud}}', parameters });
    await expect(prepare({ name: 'a', times: 2, other: 'b' })).rejects.toThrow('other: unknown;');
    await expect(prepare({ name: 'a' })).rejects.toThrow('- times: expected a value, got nothing');
    await expect(prepare({ name: 'a', times: 'two' })).rejects.toThrow('- times:');
    expect((await prepare({ name: 'a', times: '2' })).arguments).toEqual({ name: 'a', times: 2 });
  });

  test('may be more where its own JSON Schema says so, and is not used then', async () => {
    const parameters = { type: 'object', properties: { x: { type: 'string' } }, additionalProperties: true };
    const { call, prepare } = await customSetting({ command: 'echo {{x}}', parameters });
    expect(printedBy(await call({ x: 'a', y: '$(id)' }))).toBe('a');
    await expect(prepare({ x: 5 })).rejects.toThrow('- x: expected a string, got 5');
  });

  test('is held against its JSON Schema', async () => {
    const parameters = { type: 'object', properties: { x: { enum: ['up', 'down'] } }, required: ['x'] };
    const { prepare } = await customSetting({ command: 'echo {{x}}', parameters });
    await expect(prepare({ x: 'sideways' })).rejects.toThrow('x: expected "up" or "down", got "sideways"');
    await expect(prepare({ x: 'up', y: 1 })).rejects.toThrow('y: unknown;');
  });

  test('may not be what no program takes: nobody is asked then', async () => {
    const { prepare } = await customSetting({ command: 'echo {{x}}', parameters: { x: 'array' } });
    expect((await prepare({ x: ['a\0b'] })).forbidden).toContain('has a NUL character');
    expect((await prepare({ x: ['x'.repeat(130_000)] })).forbidden).toContain('too long');
    expect((await prepare({ x: Array.from({ length: 20 }, () => 'x'.repeat(99_000)) })).forbidden).toBeUndefined();
    const many = Array.from({ length: 20 }, (_, index) => `${index}${'x'.repeat(99_000)}`);
    expect((await prepare({ x: many })).forbidden).toContain('too long together');
    expect((await prepare({ x: Array.from({ length: 6000 }, (_, index) => index) })).forbidden).toContain('too many');
  });
});

describe('a custom tool runs', () => {
  test('in the workspace, without our secrets and with its own variables', async () => {
    const { call, workspace } = await customSetting({
      command: 'pwd; env; echo "$GREETING {{x}}"',
      parameters: one,
      env: { GREETING: 'hello', PATH: '/usr/bin:/bin' },
      environment: { API_KEY: 'hunter2', HOME: '/home/ada' },
    });
    const lines = printedBy(await call({ x: 'you' })).split('\n');
    expect(lines).toEqual(expect.arrayContaining([workspace, 'GREETING=hello', 'PATH=/usr/bin:/bin', 'hello you']));
    expect(lines.join('\n')).not.toContain('hunter2');
  });

  test('in a folder of the workspace', async () => {
    const { call, workspace } = await customSetting({ command: 'pwd; ls', working_dir: 'reports/new' });
    await expect(call({})).rejects.toThrow('reports/new');
    await mkdir(join(workspace, 'reports', 'new'), { recursive: true });
    await writeFile(join(workspace, 'reports', 'new', 'a.txt'), '');
    expect(printedBy(await call({}))).toBe(`${workspace}/reports/new\na.txt`);
  });

  test('in no folder that a link leads out to', async () => {
    const { call, workspace } = await customSetting({ command: 'touch made', working_dir: 'out' });
    const outside = await newFolder();
    await symlink(outside, join(workspace, 'out'));
    await expect(call({})).rejects.toThrow('leads outside the workspace or to nothing');
    await expect(readFile(join(outside, 'made'))).rejects.toThrow('ENOENT');
  });

  test('no longer than it may', async () => {
    const { call } = await customSetting({ command: 'echo begun; sleep 60', timeout_secs: 1 });
    expect(await call({})).toMatchObject({
      isError: true,
      forLlm: '[ended because it took longer than 1 s]\nbegun',
    });
  });

  test('and says how it went, as any command does', async () => {
    const { call } = await customSetting({
      isConfined: true,
      command: 'echo a; echo b >&2; exit {{x}}',
      parameters: { x: 'integer' },
    });
    expect(await call({ x: 0 })).toEqual({ forLlm: '[exit code 0]\na\n[stderr]\nb', isError: false, isAsync: false });
    expect(await call({ x: 3 })).toMatchObject({ isError: true, forLlm: '[exit code 3]\na\n[stderr]\nb' });
  });

  test('not at all where commands are kept from running', async () => {
    const bounds = async () => {
      throw new BoundsError('No command runs here.');
    };
    const { call } = await customSetting({ command: 'echo a', bounds });
    await expect(call({})).rejects.toThrow(BoundsError);
  });

  test('and what it brings from the network may be written by strangers', async () => {
    const untrustedOf = async (options: Parameters<typeof customSetting>[0]) =>
      (await (await customSetting(options)).call({})).untrusted;
    expect(await untrustedOf({ command: 'true' })).toBeUndefined();
    expect(await untrustedOf({ command: 'true || curl http://127.0.0.1:1/' })).toBe('the tool mine');
    expect(await untrustedOf({ command: 'true', category: 'network_read' })).toBe('the tool mine');
  });
});

describe('before a custom tool runs', () => {
  test('who approves reads the command with the values in it, quoted, and what it would do', async () => {
    const { prepare } = await customSetting({ command: 'rm -- {{x}} "old {{x}}"', parameters: one });
    const describe = async (x: string): Promise<string> => (await prepare({ x })).describe();
    expect(await describe('a.txt')).toBe('run `rm -- a.txt "old a.txt"`');
    expect(await describe("it's; $(id)")).toContain(`run \`rm -- 'it'\\''s; $(id)' "old it's; \\$(id)"\``);
  });

  test('what a value makes of it is held against tools.shell.deny', async () => {
    const options = { command: 'rm {{x}} build', parameters: one, deny: ['@recursive_deletion', '@system_change'] };
    const { prepare } = await customSetting(options);
    expect((await prepare({ x: '-v' })).forbidden).toBeUndefined();
    expect((await prepare({ x: '-rf' })).forbidden).toContain('"@recursive_deletion" (tools.shell.deny)');
    expect((await prepare({ x: '; rm -rf /' })).forbidden).toBeUndefined();
  });

  test('what the operator has written themselves is their word, and the other rules hold all the same', async () => {
    const options = {
      command: 'rm -rf build; cp a {{x}}',
      parameters: one,
      deny: ['@recursive_deletion', '@system_change'],
    };
    const { prepare } = await customSetting(options);
    expect((await prepare({ x: 'b' })).forbidden).toBeUndefined();
    expect((await prepare({ x: '/etc/passwd' })).forbidden).toContain('"@system_change"');
  });

  test('a value that is long is no reason to forbid it', async () => {
    const { prepare } = await customSetting({ command: 'echo {{x}}', parameters: one, deny: ['@recursive_deletion'] });
    expect((await prepare({ x: 'x'.repeat(100_000) })).forbidden).toBeUndefined();
  });

  test('the rules know of one that is a shell command whether what it does can be taken back', async () => {
    const { prepare } = await customSetting({ command: 'ls {{x}}', parameters: one });
    expect((await prepare({ x: 'build' })).facets.irreversible).toBe(false);
    const deletes = await customSetting({ command: 'rm -r {{x}}', parameters: one });
    expect((await deletes.prepare({ x: 'build' })).facets.irreversible).toBe(true);
  });

  test('the rules know of one that is a shell command whether a sandbox holds it', async () => {
    const covers = ['x: a, nothing else'];
    const facetsOf = async (options: Omit<Parameters<typeof customSetting>[0], 'command'>) =>
      (await (await customSetting({ ...options, command: 'ls {{x}}', parameters: one })).prepare({ x: 'a' })).facets;
    const unconfined = { allowedByRule: false, unconfined: true, irreversible: false, covers };
    expect(await facetsOf({})).toEqual(unconfined);
    expect(await facetsOf({ allow: ['@read_only'] })).toEqual(unconfined);
    expect(await facetsOf({ allow: ['@read_only'], isConfined: true })).toEqual({
      allowedByRule: true,
      irreversible: false,
      covers,
    });
    expect(await facetsOf({ category: 'network_read' })).toEqual({ brings: 'the tool mine', covers });
    expect(await facetsOf({ category: 'memory' })).toEqual({ writesMemory: true, covers });
  });

  test('what it says is untrusted where nobody has read what it runs, and nothing keeps that from the network', async () => {
    const bringsOf = async (command: string, isConfined: boolean) =>
      (await (await customSetting({ command, isConfined })).prepare({})).facets.brings;
    expect(await bringsOf('./look.sh', false)).toBe('the tool mine');
    expect(await bringsOf('./look.sh', true)).toBeUndefined();
    expect(await bringsOf('ls', false)).toBeUndefined();
  });

  test('a command in which a value could be more than data makes no tool', async () => {
    const fault = { why: 'code', program: 'sh', instead: 'shell' } as const;
    await expect(customSetting({ command: "sh -c 'ls {{x}}'", parameters: one })).rejects.toThrow(
      templateWords.en.fault({ type: 'placeholder', name: 'x', fault }),
    );
  });
});
