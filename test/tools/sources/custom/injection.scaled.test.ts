import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { ToolOutput } from '../../../../src/tools/output.ts';
import { sampled } from '../../../support/thorough.ts';
import { customSetting, printedBy } from './custom-setting.ts';
import { hostileValues } from './hostile-values.ts';

/** How a placeholder can stand in a command, and what its value is a part of then. */
const shapes: readonly (readonly [
  shape: string,
  written: (name: string) => string,
  arrives: (value: string) => string,
])[] = [
  ['bare', (name) => `{{${name}}}`, (value) => value],
  ['in double quotes', (name) => `"a {{${name}}} b"`, (value) => `a ${value} b`],
  ['in single quotes', (name) => `'a {{${name}}} "b'`, (value) => `a ${value} "b`],
  ['behind an option', (name) => `--n={{${name}}}`, (value) => `--n=${value}`],
  ['between other texts', (name) => `a'b'{{${name}}}"c"\\ d`, (value) => `ab${value}c d`],
  ['in $(…)', (name) => `"$(printf %sE {{${name}}})"`, (value) => `${value}E`],
  ['in quotes in $(…)', (name) => `"$(printf %sE "<{{${name}}}>")"`, (value) => `<${value}>E`],
];

/** So many at once: a process takes two megabytes of arguments. */
const atOnce = 50;

const all = hostileValues();
const values = sampled(all, 10);
const groups = Array.from({ length: values.length / atOnce }, (_, at) => values.slice(at * atOnce, (at + 1) * atOnce));
const names = Array.from({ length: atOnce }, (_, index) => `p${index}`);
const parameters = Object.fromEntries(names.map((name) => [name, 'string']));

/** A tool whose command ends with a program that prints its arguments as JSON. */
async function printing(command: (program: string) => string): ReturnType<typeof customSetting> {
  const setting = await customSetting({ command: command('node print.mjs'), parameters });
  const program = 'process.stdout.write(JSON.stringify(process.argv.slice(2)))';
  await writeFile(join(setting.workspace, 'print.mjs'), program);
  return setting;
}

function argumentsOf(group: readonly string[]): Record<string, string> {
  return Object.fromEntries(group.map((value, index) => [names[index] ?? '', value]));
}

/** Where what arrived is not what was to arrive: few, and short, since the strings are long. */
function differences(output: ToolOutput, expected: readonly string[]): readonly string[] {
  const arrived = z.array(z.string()).parse(JSON.parse(printedBy(output)));
  const count = arrived.length === expected.length ? [] : [`${arrived.length} instead of ${expected.length}`];
  const wrong = expected.flatMap((text, index) => {
    const found = arrived[index] ?? '';
    return found === text ? [] : [`${JSON.stringify(text.slice(0, 99))} became ${JSON.stringify(found.slice(0, 99))}`];
  });
  return [...count, ...wrong].slice(0, 3);
}

test('there are five hundred strings to inject, all different', () => {
  expect(new Set(all).size).toBe(500);
});

describe('each of five hundred strings arrives as exactly one argument', () => {
  test.each(shapes)('where the placeholder stands %s', async (_shape, written, arrives) => {
    const { call } = await printing((program) => `${program} ${names.map(written).join(' ')}`);
    for (const group of groups) {
      expect(differences(await call(argumentsOf(group)), group.map(arrives))).toEqual([]);
    }
  });

  test.each([
    ['a function with arguments of its own', (program: string, words: string) => `f() { ${program} ${words}; }; f a b`],
    [
      'a loop',
      (program: string, words: string) => `set --; for w in ${words}; do set -- "$@" "$w"; done; ${program} "$@"`,
    ],
    ['a shell that gets it behind its code', (program: string, words: string) => `sh -c '${program} "$@"' sh ${words}`],
    ['a subshell at the end of a pipe', (program: string, words: string) => `echo | ( set -f; ${program} ${words} )`],
    ['a branch of case', (program: string, words: string) => `case {{p0}} in *) ${program} ${words};; esac`],
  ])('inside %s', async (_where, command) => {
    const { call } = await printing((program) => command(program, names.map((name) => `{{${name}}}`).join(' ')));
    for (const group of groups) expect(differences(await call(argumentsOf(group)), group)).toEqual([]);
  });
});

test('the script is not otherwise changed by them: it has no arguments, and what it runs sees no more variables', async () => {
  const { call } = await customSetting({ command: 'echo "$#:$1"; env; : {{x}}', parameters: { x: 'string' } });
  const printed = printedBy(await call({ x: 'needle' }));
  expect(printed).toMatch(/^0:\n/);
  expect(printed).not.toContain('needle');
});
