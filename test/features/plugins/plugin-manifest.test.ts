import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { jsonFault } from '../../../src/config/source.ts';
import { commandFaults, readManifest } from '../../../src/features/plugins/plugin-manifest.ts';
import { pluginWords } from '../../../src/features/plugins/words.ts';
import { wordsIn } from '../../../src/lib/words.ts';
import { templateWords } from '../../../src/tools/sources/custom/words.ts';
import { copyPlugin, greeter, writePlugin } from '../../support/plugin-files.ts';
import { pluginSetting } from './plugin-setting.ts';

const [greet] = greeter.tools;
const program = { ...greeter, execution: 'binary', binary: { path: 'run.sh' }, tools: [] };

function faultsOf(manifest: unknown): readonly string[] {
  const text = typeof manifest === 'string' ? manifest : JSON.stringify(manifest);
  return readManifest(Buffer.from(text)).faults.map((fault) => wordsIn('en', fault));
}

const commented = '{\n  "name": "a",\n  // a comment\n}';

function notJson(text: string): string {
  return pluginWords.en.notJson({ fault: jsonFault(text) });
}

describe('a plugin.json that is not right says where and how', () => {
  const examples: readonly (readonly [unknown, readonly string[]])[] = [
    ['', [notJson('')]],
    [commented, [notJson(commented)]],
    [[], ['expected an object, got a list of 0 entries']],
    [
      {},
      [
        'name: expected a string, got nothing',
        'version: expected a string, got nothing',
        'description: expected a string, got nothing',
      ],
    ],
    [{ ...greeter, nam: 'x' }, ['nam: unknown; did you mean "name"?']],
    [
      { ...greeter, name: '../x' },
      ['name: expected 1 to 64 letters, digits, "_" or "-", a letter or digit first, got "../x"'],
    ],
    [
      { ...greeter, tools: [{ ...greet, categroy: 'memory' }] },
      ['tools[0].categroy: unknown; did you mean "category"?'],
    ],
    [
      { ...greeter, tools: [greet, { ...greet, category: 'files' }] },
      [expect.stringMatching(/^tools\[1\]\.category: expected "filesystem_read", .* got "files"$/)],
    ],
    [{ ...greeter, tools: [greet, greet] }, ['tools[1].name: a tool before has this name, got "greet"']],
    [
      { ...greeter, tools: [{ ...greet, name: 'a b' }] },
      ['tools[0].name: expected 1 to 64 letters, digits, "_" or "-", got "a b"'],
    ],
    [
      { ...greeter, tools: [{ ...greet, parameters: { name: 'strng' } }] },
      [expect.stringMatching(/^tools\[0\]\.parameters\.name: expected one of "string", .*did you mean "string"/)],
    ],
    [
      { ...greeter, tools: [{ ...greet, timeout_secs: 0 }] },
      ['tools[0].timeout_secs: expected a number of at least 1, got 0'],
    ],
    [
      { ...greeter, tools: [{ ...greet, working_dir: '/etc' }] },
      ['tools[0].working_dir: expected a relative path without "..", got "/etc"'],
    ],
    [
      { ...greeter, tools: [{ ...greet, env: { KEYTURN_CALL: '1' } }] },
      ['tools[0].env.KEYTURN_CALL: this key is not right: expected the name of a variable'],
    ],
    [
      { ...greeter, tools: [{ ...greet, command: ' ' }] },
      ['tools[0].command: expected a command, as "execution" is "command", got " "'],
    ],
    [{ ...greeter, binary: { path: 'a' } }, ['binary: only for "execution": "binary", got an object']],
    [
      { ...greeter, execution: 'binary' },
      [
        'binary: expected { "path": … }, as "execution" is "binary", got nothing',
        'tools[0].command: only for "execution": "command", got "echo Hello, {{name}}"',
      ],
    ],
    [
      { ...program, binary: { path: 'a' }, tools: [{ ...greet, command: '', working_dir: 'a', env: { A: 'b' } }] },
      [
        'tools[0].working_dir: only for "execution": "command", got "a"',
        'tools[0].env: only for "execution": "command", got an object',
      ],
    ],
    [
      { ...program, binary: { path: 'a/../../b' } },
      ['binary.path: expected a relative path without "..", got "a/../../b"'],
    ],
    [
      { ...program, binary: { path: '/bin/sh' } },
      ['binary.path: expected a relative path without "..", got "/bin/sh"'],
    ],
    [{ ...program, binary: { path: 'a', protocol: 'grpc' } }, ['binary.protocol: expected "jsonrpc", got "grpc"']],
    [{ ...program, binary: { path: 'a', sha256: 'x' } }, ['binary.sha256: expected 64 hexadecimal digits, got "x"']],
  ];

  test('in a file that is no UTF-8, too', () => {
    const { manifest, faults } = readManifest(Buffer.from([0xff]));
    expect([manifest, ...faults.map((fault) => wordsIn('en', fault))]).toEqual([undefined, pluginWords.en.notUtf8]);
  });

  test.each(examples)('%j', (manifest, faults) => {
    expect(faultsOf(manifest)).toEqual(faults);
  });
});

test('a plugin.json has short parameters or a JSON Schema, and defaults', () => {
  const parameters = { type: 'object', properties: { count: { type: 'integer' } } };
  const tools = [greet, { ...greet, name: 'other', parameters, category: 'network_read', timeout_secs: 5 }];
  const reading = readManifest(Buffer.from(JSON.stringify({ ...greeter, tools })));
  expect(reading).toMatchObject({
    faults: [],
    manifest: {
      execution: 'command',
      tools: [
        { category: 'shell', env: {}, parameters: { properties: { name: { type: 'string' } }, required: ['name'] } },
        { category: 'network_read', timeout_secs: 5, parameters: { ...parameters, additionalProperties: false } },
      ],
    },
  });
});

describe('a plugin is not taken', () => {
  async function notesOf(manifest: object, files: Readonly<Record<string, string>> = {}): Promise<readonly string[]> {
    const setting = await pluginSetting();
    const path = await writePlugin(setting.folder, JSON.stringify(manifest), 'p', files);
    await setting.plugins.start();
    expect(setting.trust.asked).toEqual([]);
    return setting.troubles().map((note) => note.replace(`${path}/plugin.json: `, ''));
  }

  test('whose program is missing, cannot be run, or is another than it says', async () => {
    expect(await notesOf(program)).toEqual([pluginWords.en.noBinary({ path: 'run.sh' })]);
    expect(await notesOf(program, { 'run.sh': '#!/bin/sh' })).toEqual([
      pluginWords.en.notExecutable({ path: 'run.sh' }),
    ]);
    const sha256 = '0'.repeat(64);
    expect(await notesOf({ ...program, binary: { path: 'run.mjs', sha256 } }, { 'run.mjs': '' })).toEqual([
      pluginWords.en.otherBinary({ path: 'run.mjs', sha256: hash('sha256', '') }),
    ]);
  });

  test('in whose commands a value could break out, or is not declared', async () => {
    const withCommand = (command: string) => ({ ...greeter, tools: [{ ...greet, command }] });
    expect(await notesOf(withCommand('echo {{nam}}'))).toEqual([
      `tools[0].command: ${templateWords.en.fault({ type: 'undeclared', name: 'nam' })}`,
    ]);
    expect(await notesOf(withCommand('sh -c {{name}}'))).toEqual([expect.stringMatching(/^tools\[0\]\.command: /)]);
  });

  test('unless its program is what it says', async () => {
    const setting = await pluginSetting();
    await copyPlugin('dice', setting.folder);
    await setting.plugins.start();
    expect(setting.trust.asked).toHaveLength(1);
  });
});

test('what the documentation shows is a plugin', async () => {
  const text = readFileSync(new URL('../../../docs/plugins.md', import.meta.url), 'utf8');
  const examples = [...text.matchAll(/```json\n([\s\S]*?)```/g)].map(([, example = '']) => example);
  expect(examples.length).toBeGreaterThan(0);
  for (const example of examples) {
    const { manifest, faults } = readManifest(Buffer.from(example));
    expect([...faults, ...(manifest === undefined ? [] : await commandFaults(manifest))]).toEqual([]);
  }
});
